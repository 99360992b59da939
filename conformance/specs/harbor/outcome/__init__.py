"""The consumer: the outcome line, made of `result.json` and read back."""
