"""Writes a list: an entry for each failure, below the rule that it breaks."""

import re
from collections.abc import Iterable, Iterator

from conformance.baseline.today import BaselineError, Today, reasons_to_fail
from conformance.judging.known_failures import FINGERPRINTED, KnownFailures
from conformance.wire.text import printable

__all__ = ["HEAD", "entries", "fingerprint", "new_list", "reason_text", "seed_line"]

HEAD = """\
# Known failures of this runner: <vector id or pattern> <outcome> #<fingerprint of the answer>  # reason
# Written by harbor-conformance baseline. Strict: a listed vector that passes fails the run.
# So does another wrong answer, or a runner that offers less than the '# offers:' lines record.
# Vectors newer than those of the '# vectors:' line don't count until 'baseline --update'.
"""
_LONGEST = 160
"""The longest reason after its date, in characters."""
_NUMBER = re.compile(r'"id": ?[0-9]+')
"""A request's id in a quoted reply, which differs between runs."""


def reason_text(text: str) -> str:
    """Return a reason that fits after a line's ``#``: one short, printable line."""
    reason = printable(" ".join(_NUMBER.sub('"id": …', text[: 2 * _LONGEST]).split())).replace("#", "number ")
    return reason if len(reason) <= _LONGEST else reason[: _LONGEST - 1].rstrip() + "…"


def seed_line(seed: int | None) -> str:
    """Return the comment with the seed, so that later runs rephrase the same vectors in the same way."""
    return "" if seed is None else f"# again-seed: {seed} (which vectors are rephrased)\n"


def fingerprint(today: Today, key: str) -> str:
    """Return the fingerprint for an entry; empty if its outcome has none."""
    return today.fingerprints.get(key, "") if today.outcomes[key] in FINGERPRINTED else ""


def entries(today: Today, failing: Iterable[str], day: str) -> dict[str, list[str]]:
    """Return a line for each of these failures, by heading."""
    by_heading: dict[str, list[str]] = {}
    for key in sorted(failing, key=lambda key: (today.headings.get(key, ""), key)):
        answer, why = fingerprint(today, key), reason_text(today.details.get(key, today.causes.get(key, "")))
        line = f"{key} {today.outcomes[key]}" + (f" #{answer}" if answer else "") + f"  # since {day}"
        by_heading.setdefault(today.headings.get(key, ""), []).append(line + (f": {why}" if why else ""))
    return by_heading


def new_list(today: Today, day: str) -> str:
    """Return a new list of all failures, with which the same run would pass.

    Raises:
        BaselineError: no list can make it pass.
    """
    text = "".join(_lines(today, day))
    left = reasons_to_fail(KnownFailures.parse(text, "the list"), today)
    if left:
        raise BaselineError(f"no list makes this run pass: {printable(left[0])}")
    return text


def _lines(today: Today, day: str) -> Iterator[str]:
    yield HEAD
    if today.vectors is not None:
        yield f"{today.vectors.text}\n"
    yield f"# level: {today.level}\n"
    yield seed_line(today.again_seed)
    yield from (f"{offer.text}\n" for offer in today.offers.values() if offer is not None)
    for heading, lines in entries(today, today.failing, day).items():
        yield f"\n{heading}\n" if heading else "\n"
        yield from (f"{line}\n" for line in lines)
