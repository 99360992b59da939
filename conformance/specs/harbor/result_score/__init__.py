"""The score of a job's `result.json`, for consumers that use a mean and no outcome line."""
