"""The consumer: derives the outcome line from `result.json`, and reads it back."""
