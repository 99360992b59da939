"""The same function over many inputs: in this process, in local ones, or on a scheduler's machines."""

from conformance.workers.spreading import spread

__all__ = ["spread"]
