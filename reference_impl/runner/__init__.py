"""The reference as a runner of the protocol in PROTOCOL.md: `python -m reference_impl`.

`serving` reads requests and writes replies; `operations` has the operations for harbor's rules,
`metric_operations` those for a metric script; `wire` and `wire_trials` decode and encode values.
"""
