"""The badge of a run: green only for the whole of the newest vectors, with every class claimed."""

from conformance.publishing.blocks import Tone
from conformance.publishing.kinds.runs.account import Run, cut, number
from conformance.publishing.kinds.runs.head import only_the_list
from conformance.publishing.model import Badge

__all__ = ["badge"]


def badge(run: Run) -> Badge:
    """What a badge says of the run."""
    message, tone = _said(run)
    if tone is Tone.GOOD and not run.of.of_kit:
        tone = Tone.PLAIN  # of vectors that this kit can't hold it to
    return Badge(_label(run), message, tone)


def _label(run: Run) -> str:
    label = f"{run.spec} · {run.level}"
    said = run.document.get("vectors")
    if said is None:
        return f"{label} · kit {run.document['kit_version']}"
    if run.newer or said["version"] != run.of.latest:
        return f"{label} · vectors {cut(str(said['version']), 30)}"
    return label


def _said(run: Run) -> tuple[str, Tone]:
    if run.interrupted:
        return "no verdict", Tone.WARN
    if run.untried:
        return "could not be tried", Tone.BAD
    passed, known = run.totals["passed"], run.totals["expected-failure"]
    said = number(passed)
    said += f" of {number(run.total + run.newer)}" if run.total is not None else ""
    said += f", {number(known)} known" if known and not run.in_part else ""
    if only_the_list(run):
        said += ", known failures out of date"
    elif run.exit_code != 0:
        said += ", fails"
    if run.in_part:  # so that nothing is claimed
        return f"in part: {said}", Tone.BAD if run.exit_code != 0 else Tone.WARN
    return f"{said} · {_claims(run)}", _tone(run)


def _claims(run: Run) -> str:
    """The classes that are claimed, in the fewest names."""
    claimed = run.claimed
    others = [name for name in run.document["classes"] if name not in claimed]
    if not claimed:
        return "no class claimed"
    if not others:
        return "all classes"
    return f"all but {', '.join(others)}" if len(others) < len(claimed) else ", ".join(claimed)


def _tone(run: Run) -> Tone:
    """The colour of a run of the whole set."""
    if run.exit_code != 0:
        return Tone.BAD
    if any(one["outcome"] == "expected-failure" for one in run.judged):
        return Tone.KNOWN
    others = [one for one in run.document["classes"].values() if not one["claimed"]]
    if not others:
        return Tone.GOOD
    only_unsupported = all(set(one["totals"]) <= {"unsupported"} for one in others)
    return Tone.PLAIN if only_unsupported and run.claimed else Tone.WARN
