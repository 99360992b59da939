"""Known mistakes in rewards jsonl."""
