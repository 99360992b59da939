"""What CI shows beside a change: few notes, one for all failures of a cause."""

from collections.abc import Iterator

from conformance.publishing.kinds.runs.account import Run, counted, cut, sentence
from conformance.publishing.kinds.runs.failures import repeat
from conformance.publishing.kinds.runs.known import Known, entries
from conformance.publishing.model import Note

__all__ = ["notes"]

_MOST = 10
_LINES = 3
"""So many lines of a list are told of at their places; more are one note."""


def notes(run: Run) -> tuple[Note, ...]:
    """At most ten, the worst first; where there are more, the last one says how many."""
    found = [*_problems(run), *_failures(run), *_beside(run), *_list(run)]
    if len(found) <= _MOST:
        return tuple(found)
    rest = len(found) - _MOST + 1
    more = Note("error", "more", f"and {counted(rest, 'more note')}: the report has all of them")
    return (*found[: _MOST - 1], more)


def _problems(run: Run) -> Iterator[Note]:
    for one in run.problems:
        if not one.startswith("known failures, line "):
            yield Note("error", f"{run.spec}: the run as a whole", sentence(one))


def _list(run: Run) -> Iterator[Note]:
    """Entries that are to be removed or corrected, at their lines."""
    known = run.document.get("known_failures")
    file, title = known["file"] if known else None, "known failures: out of date"
    found = [one for one in entries(run) if one.passed or one.problem is not None]
    if len(found) > _LINES:
        places = ", ".join(str(one.line) for one in found[:_MOST]) + ("…" if len(found) > _MOST else "")
        said = f"{counted(len(found), 'line')} to remove or correct ({places}), such as: {_said(found[0])}"
        yield Note(
            "error", title, f"{said}; harbor-conformance baseline --update does it", file, found[0].line
        )
        return
    for one in found:
        yield Note("error", title, _said(one), file, one.line)


def _said(one: Known) -> str:
    said = f"{cut(one.pattern, 200)} is listed as {one.outcome}, and passes: remove the line"
    return sentence(one.problem or said)


def _failures(run: Run) -> Iterator[Note]:
    """A note for each line of the to-do list that has new failures, then one for those behind no line."""
    new = {one["id"]: one for one in run.failed}
    told: set[str] = set()
    diagnosis = run.document["diagnosis"]
    for line in diagnosis["todo"] if diagnosis else ():
        mine = [key for key in line["failures"] if key in new and key not in told]
        if not mine:
            continue
        told.update(mine)
        example = line["example"]["id"] if line["example"]["id"] in mine else mine[0]
        again = repeat(run, new[example])
        text = f"{sentence(line['says'])}; do: {sentence(line['do'])}; such as {example}"
        yield Note(
            "error",
            f"{counted(len(mine), 'new failure')} against {run.spec}",
            text + (f"; repeat: {again}" if again else ""),
        )
    rest = [one for key, one in new.items() if key not in told]
    if rest:
        again = repeat(run, rest[0])
        text = f"such as {rest[0]['id']}: {sentence(rest[0]['detail'] or rest[0]['outcome'])}"
        yield Note(
            "error",
            f"{counted(len(rest), 'new failure')} against {run.spec}",
            text + (f"; repeat: {again}" if again else ""),
        )


def _beside(run: Run) -> Iterator[Note]:
    if run.demanded:
        one = run.demanded[0]
        text = f"such as {one['id']}: {sentence(one['detail'] or 'unsupported')}"
        yield Note("error", f"{counted(len(run.demanded), 'vector')} unsupported though demanded", text)
    if run.totals["not-run"]:
        yield Note("error", f"{counted(run.totals['not-run'], 'vector')} not run", "the runner was given up")
    for what, failing in (("property did not hold", run.broken), ("asked again, and wrong", run.again_wrong)):
        wrong = [one for one in failing if one["outcome"] not in ("not-run", "unexpected-pass")]
        if wrong:
            again = wrong[0].get("repeat")
            text = f"such as {wrong[0]['id']}: {sentence(wrong[0]['detail'] or wrong[0]['outcome'])}"
            yield Note("error", f"{len(wrong)} × {what}", text + (f"; repeat: {again}" if again else ""))
