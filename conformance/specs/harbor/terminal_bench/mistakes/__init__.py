"""Known mistakes in this section: terminal-Bench: what the verifier of such a task writes."""
