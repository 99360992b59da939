"""Known mistakes in this section: the consumer: the outcome line, made of `result.json` and read back."""
