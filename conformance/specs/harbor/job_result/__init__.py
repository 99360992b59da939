"""The job's result: `result.json`, byte for byte."""
