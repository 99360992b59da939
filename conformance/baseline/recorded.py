"""The outcomes of a kept report, which must be of a whole run."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from conformance.baseline.today import BaselineError, Today, today_of
from conformance.judging.verdict import Outcome
from conformance.publishing.reading import read
from conformance.report.consistency import ContradictionError, check_run
from conformance.report.records import AGAIN
from conformance.suite.properties import property_ids
from conformance.suite.vectors import load_set_of
from conformance.wire.text import printable, shortened

__all__ = ["remarks_on", "today_of_report"]


def today_of_report(path: Path) -> tuple[Today, list[str]]:
    """What a kept report tells, and what a list made of it can't help.

    Raises:
        PublishingError: it is no report that this kit can read.
        BaselineError: it is no report of a whole run.
    """
    report = read(path)
    if report.kind != "run":
        raise BaselineError(f"{path} is the report of another command than run: a baseline needs a run's")
    document = report.content
    lacking = _lacking(document)
    if lacking is not None:
        raise BaselineError(f"{path} is not the report of a whole run: {lacking}")
    try:
        check_run(document)
    except ContradictionError as error:
        raise BaselineError(f"{path}: {error}") from None
    asked = [one["id"] for one in document["results"]]
    ours = [vector.id for vector in load_set_of(document["spec"], asked)]
    properties = [*property_ids(document["spec"]), *(one["id"] for one in document["properties"])]
    ids = [*asked, *(one + AGAIN for one in asked), *dict.fromkeys(properties)]
    reserved = [name for one in ours for name in (one, one + AGAIN)]
    remarks = remarks_on(document)
    unasked, gone = len(set(ours) - set(asked)), len(set(asked) - set(ours))
    if unasked and (document.get("selection") or {}).get("vectors_version") is None:
        remarks.append(
            f"the report (kit {printable(document['kit_version'])}) lacks {unasked:,} of this kit's vectors: "
            "what fails of them is not listed; run again for that"
        )
    if gone:
        remarks.append(
            f"{gone:,} vectors of the report are not in this kit: what fails of them is not listed"
        )
        known = set(ours)
        ids = [one for one in ids if one.removesuffix(AGAIN) in known or one in properties]
    return today_of(_of_these(document, set(ids)), ids, reserved), remarks


def _of_these(document: Mapping[str, Any], ids: set[str]) -> Mapping[str, Any]:
    """The report without what is not among these ids."""
    again = document.get("asked_again")
    return {
        **document,
        "results": [one for one in document["results"] if one["id"] in ids],
        "asked_again": again and {**again, "results": [one for one in again["results"] if one["id"] in ids]},
    }


def _lacking(document: Mapping[str, Any]) -> str | None:
    """Why a report is not that of a whole run."""
    selection = document.get("selection") or {}
    if document["exit_code"] not in (0, 1):
        problem = document["problems"][-1] if document["problems"] else f"exit code {document['exit_code']}"
        return shortened(problem, 200)
    if selection.get("shard") is not None:
        shard = selection["shard"]
        return f"it is part {shard['number']} of {shard['of']}: merge the parts first"
    if not document["complete"]:
        count = len(document["results"])
        total = (document.get("vectors") or {}).get("total")
        of = f" of {total:,}" if total else ""
        return f"it has {count:,}{of} vectors: run without a filter"
    return None


def remarks_on(document: Mapping[str, Any]) -> list[str]:
    """What is wrong with a run that no list can help, a sentence each."""
    found = []
    not_run = sum(one["outcome"] == Outcome.NOT_RUN.value for one in document["results"])
    if not_run:
        found.append(
            f"{not_run:,} vectors were never asked, as the runner had stopped: they are listed as not-run, "
            "which says nothing of what it would answer"
        )
    again = document.get("asked_again")
    if again and again["wrong"]:
        found.append(
            f"{again['wrong']} of {again['asked']} vectors asked again in other words fail: other seeds ask "
            f"others, so the list names this one, {again['seed']}, for the runs that are held to it"
        )
    known = document.get("known_failures")
    if not known:  # with a list, problems may be the list's own
        found += [f"no list helps against this: {problem}" for problem in document["problems"]]
    return [shortened(sentence, 500) for sentence in found]
