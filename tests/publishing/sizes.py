"""How many vectors there are, counted: what pages say of whole sets changes with every new vector."""

from conformance.suite.vectors import load_spec

__all__ = ["CURRENT", "JOB", "NEWER", "REWARD_FILES"]

_vectors = load_spec("harbor-0.13.1")

CURRENT = len(_vectors)
"""The vectors of harbor-0.13.1."""
NEWER = len(load_spec("harbor-0.25.0"))
JOB = sum(vector.op.conformance_class == "job" for vector in _vectors)
"""Those of its class job."""
REWARD_FILES = sum(vector.op.name == "parse_reward" for vector in _vectors)
"""Those of ``parse_reward``."""
