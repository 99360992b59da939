"""Terminal-Bench: what the verifier of such a task writes."""
