"""Reward files: from a verifier's files to a trial's rewards."""

from conformance.registry.op import define

__all__ = ["OPS"]

OPS = (
    define("parse_reward", "reward", fallback_clause="003-6-exact-answers", weight=8, ok_numbers="rewards/*"),
)
