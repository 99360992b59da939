"""Terminal-Bench: the file that the verifier of such a task writes."""
