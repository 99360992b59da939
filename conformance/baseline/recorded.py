"""Reads the outcomes of a stored report, which must be of a whole run."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from conformance.baseline.today import BaselineError, Today, today_of
from conformance.judging.verdict import Outcome
from conformance.outcomes import claims
from conformance.outcomes.claims import REPHRASED_SUFFIX
from conformance.outcomes.reading import read
from conformance.outcomes.words import counted
from conformance.suite.properties import property_ids
from conformance.suite.vectors import load_set_of
from conformance.wire.text import printable, shortened

__all__ = ["remarks_on", "today_of_report"]


def today_of_report(path: Path) -> tuple[Today, list[str]]:
    """The outcomes in a stored report, and its problems that no list can cover.

    Raises:
        ReportError: it is not a report that this kit can read.
        BaselineError: it is not the report of a whole run.
    """
    report = read(path)
    if report.kind != "run":
        raise BaselineError(f"{path} is not the report of a run, which a baseline needs")
    document, code = report.content, claims.exit_code(report.content)
    why = claims.part_reason(document)
    if code not in (0, 1):
        why = next(reversed(claims.problems(document)), f"exit code {code}")
    if why is not None:
        raise BaselineError(f"{path} is not the report of a whole run: {shortened(printable(why), 200)}")
    asked = {key for key, _, _ in claims.outcomes(document)}
    every = load_set_of(document["spec"], document["vectors"]["classes"])
    ours = {vector.id for vector in every}
    remarks = remarks_on(document)
    if ours - asked:
        remarks.append(
            f"the report (kit {printable(document['kit_version'])}) lacks {len(ours - asked):,} of this "
            "kit's vectors: their failures are not listed; run again for that"
        )
    if asked - ours:
        remarks.append(
            f"{len(asked - ours):,} vectors of the report are not in this kit: what fails of them is not "
            "listed"
        )
    properties = [*property_ids(document["spec"]), *(one["id"] for one in document["properties"])]
    ids = [*ours, *(key + REPHRASED_SUFFIX for key in ours), *properties]
    return today_of(document, every, ids), remarks


def remarks_on(document: Mapping[str, Any]) -> list[str]:
    """One sentence for each problem of a run that no list can cover."""
    found = []
    totals, again = claims.totals(document), claims.rephrased_results(document)
    if not_run := totals[Outcome.NOT_RUN.value]:
        found.append(
            f"{not_run:,} vectors were never asked, as the runner had stopped: they are listed as not-run, "
            "which says nothing of what it would answer"
        )
    if flaky := totals[Outcome.FLAKY.value]:
        found.append(
            f"{flaky:,} vectors are flaky: their answers differ when they are asked again: a list can't "
            "expect that, and a gate fails until it is fixed"
        )
    if wrong := sum(map(claims.fails, again)):
        asked = len(again) + sum(map(len, document["asked_again"]["passed"].values()))
        found.append(
            f"{wrong} of {counted(asked, 'rephrased vector')} failed: another seed rephrases other vectors, "
            f"so the list records this seed, {document['asked_again']['seed']}, and runs with the list use it"
        )
    if not document["known_failures"]:  # with a list, the problems may be the list's own
        found += [f"no list helps against this: {problem}" for problem in document["problems"]]
    return [shortened(sentence, 500) for sentence in found]
