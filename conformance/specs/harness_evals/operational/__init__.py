"""Metrics of latency, tokens, cost and retries."""
