"""The key of the group that a trial belongs to."""

from conformance.registry.op import define

__all__ = ["OPS"]

OPS = (define("evals_key", "job", fallback_clause="003-6-exact-answers", weight=1),)
