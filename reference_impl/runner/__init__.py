"""The specification as a runner of the protocol that PROTOCOL.md describes: `python -m reference_impl`.

`serving` reads requests and writes replies; `operations` has what can be asked of harbor's rules,
`metric_operations` of a metric script; `wire` and `wire_trials` are the forms of what goes in and out.
"""
