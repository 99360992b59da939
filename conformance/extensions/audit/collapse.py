"""One cause, one finding: what is wrong in the same way in many records of a job."""

from collections.abc import Iterable
from dataclasses import replace

from conformance.extensions.audit.findings import Finding, Severity

__all__ = ["collapsed"]

FEW = 3
"""So many trials with the same finding are reported one by one."""


def collapsed(findings: Iterable[Finding]) -> list[Finding]:
    """The findings, those of more than `FEW` trials as one for each place in them.

    Faults of form with the same remedy are one wherever they are: times in another spelling, say. Do this
    once it is settled who is wrong: afterwards it is not known which trials they are.
    """
    groups: dict[tuple[object, ...], list[Finding]] = {}
    for number, one in enumerate(findings):
        file = one.file.partition("/")[2]
        same = (file, one.kind, one.severity, one.clause, one.breaks)
        where = one.expected if one.kind == "schema" and one.severity is not Severity.NOTE else one.path
        alone = not file or one.kind in ("missing-trial", "extra-trial") or one.severity is Severity.NOTE
        groups.setdefault((number,) if alone else (*same, where), []).append(one)
    return [one for group in groups.values() for one in _few(group)]


def _few(group: list[Finding]) -> list[Finding]:
    trials = {one.file.partition("/")[0] for one in group}
    if len(trials) <= FEW:
        return group
    first = min(group, key=lambda one: one.place)
    places = {one.path for one in group}
    also = f", at {len(places)} places of each" if len(places) > 1 else ""
    told = f"so in {len(trials)} trials{also}"
    return [replace(first, likely=told if first.likely is None else f"{first.likely}; {told}")]
