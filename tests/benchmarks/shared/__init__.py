"""What several benchmarks measure in the same way."""
