"""`check --explain`: how the number that a finding expects comes about, from the trials to the sum."""

from conformance.check.explaining.asking import AskedError, Wanted, narrowed, wanted
from conformance.check.explaining.making import explained
from conformance.check.explaining.shape import Explanation, Share, Step
from conformance.check.explaining.telling import SCHEMA, as_json, lines

__all__ = [
    "SCHEMA",
    "AskedError",
    "Explanation",
    "Share",
    "Step",
    "Wanted",
    "as_json",
    "explained",
    "lines",
    "narrowed",
    "wanted",
]
