"""Known mistakes in this section: metrics of latency, tokens, cost and retries."""
