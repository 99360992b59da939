"""The badge of a run: green only for the whole of the newest vectors, with every class claimed."""

from conformance.publishing.blocks import Tone
from conformance.publishing.kinds.runs.account import Run, cut
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
    passed, asked = run.totals["passed"], len(run.results)
    unsupported, known = run.totals["unsupported"], run.totals["expected-failure"]
    if run.interrupted:
        return "no verdict", Tone.WARN
    if run.untried:
        return "could not be tried", Tone.BAD
    failing = run.exit_code != 0
    if run.in_part:
        of = "" if run.total is None else f" of {run.total + run.newer}"
        said = f"in part: {passed}{of}"
        return (f"{said}, fails" if failing else said), Tone.BAD if failing else Tone.WARN
    said = f"{passed} of {asked - unsupported}"
    said += f", {known} known" if known else ""
    said += f", {unsupported} unsupported" if unsupported else ""
    if only_the_list(run):
        return f"{said}, known failures out of date", Tone.BAD
    if failing:
        answers = passed == asked - unsupported - known and not run.demanded
        return (f"{said}, fails" if answers else said), Tone.BAD
    if any(one["outcome"] == "expected-failure" for one in run.judged):
        return said, Tone.KNOWN
    classes = run.document["classes"]
    if len(run.claimed) == len(classes):
        return said, Tone.GOOD
    rest = [one for one in classes.values() if not one["claimed"]]
    if all(set(one["totals"]) <= {"unsupported"} for one in rest) and run.claimed:
        return f"{len(run.claimed)} of {len(classes)} classes", Tone.PLAIN
    return said, Tone.WARN
