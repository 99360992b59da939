"""The test suite as data: vectors, clauses, properties, the lock, schemas, counterexamples."""
