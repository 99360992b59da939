"""What a reader of a run's page sees first: the verdict, the facts, and what is not told."""

from collections.abc import Iterator

from conformance.judging.verdict import Outcome
from conformance.publishing.blocks import Code, Line, Mark, Tone
from conformance.publishing.kinds.runs.account import Run, counted, cut, number, sentence
from conformance.publishing.kinds.runs.counting import left_out
from conformance.publishing.model import Fact, Verdict
from conformance.wire.messages import PROTOCOL

__all__ = ["facts", "only_the_list", "verdict", "warnings"]

_LEVELS = {
    "value": "equal as parsed JSON values",
    "exact": "equal as parsed JSON values, int apart from float, 0.0 from -0.0",
    "bytes": "equal byte for byte",
}
_OF_LIST = "known failures, line "


def only_the_list(run: Run) -> bool:
    """Whether nothing fails but the list of known failures, which is out of date."""
    wrong = [*run.failed, *run.demanded, *run.broken, *run.again_wrong]
    others = [one for one in wrong if one["outcome"] != Outcome.UNEXPECTED_PASS.value]
    about_list = all(problem.startswith(_OF_LIST) for problem in run.problems)
    return run.exit_code == 1 and about_list and not others and not run.totals["not-run"]


def verdict(run: Run) -> Verdict:
    """What the run comes to."""
    said = _sentence(run)
    if run.interrupted:
        return Verdict("no verdict", Tone.WARN, f"The run was interrupted. {said}")
    if run.untried:
        why = sentence(run.problems[0].replace("\n", "; ", 1), 300) if run.problems else "nothing passed"
        return Verdict("could not be tried", Tone.BAD, f"The reason: {why}. {said}")
    if only_the_list(run):
        return Verdict("the list of known failures is out of date", Tone.BAD, said)
    if run.exit_code == 1:
        return Verdict("does not conform", Tone.BAD, said)
    if run.in_part:
        return Verdict("no new failure, in part", Tone.WARN, said)
    if any(one["outcome"] == "expected-failure" for one in run.judged):
        return Verdict("no new failure", Tone.KNOWN, said)
    if len(run.claimed) < len(run.document["classes"]):
        return Verdict("conforms in part", Tone.WARN, said)
    return Verdict("conforms", Tone.GOOD, said)


def _sentence(run: Run) -> str:
    asked = len(run.results)
    if not asked and not run.properties:
        return (
            "In part: no vector has a result."
            if run.total is None
            else f"None of {_whole(run)} has a result."
        )
    said = [_passed(run), *(f"{number(count)} {words}" for count, words in _others(run) if count)]
    classes = counted(len(run.document["classes"]), "class", "classes")
    verb = "is" if len(run.claimed) == 1 else "are"
    text = f"{_capital(', '.join(said))}; {len(run.claimed)} of {classes} {verb} claimed."
    for found, every, one, many, words in (
        (run.broken, run.properties, "property", "properties", "did not hold"),
        (run.again_wrong, run.again, "vector asked again", "vectors asked again", "failed in other words"),
    ):
        listed = [entry for entry in found if entry["outcome"] == Outcome.UNEXPECTED_PASS.value]
        for count, what in (
            (len(found) - len(listed), words),
            (len(listed), "passed though listed as known failures"),
        ):
            if count:
                text += f" {number(count)} of {counted(len(every), one, many)} {what}."
    if run.in_part:
        text = f"In part: {_asked(run)}. {text}"
    return text


def _asked(run: Run) -> str:
    """How many vectors have a result, and of how many."""
    asked = len(run.results)
    if run.total is None:
        return f"{counted(asked, 'vector has', 'vectors have')} a result, of how many the report does not say"
    return f"{number(asked)} of {_whole(run)} {'has' if asked == 1 else 'have'} a result"


def _whole(run: Run) -> str:
    return counted((run.total or 0) + run.newer, "vector")


def _passed(run: Run) -> str:
    passed, asked = run.totals["passed"], len(run.results)
    if passed == asked > 1 and not run.in_part:
        return f"all {counted(asked, 'vector')} passed"
    return f"{number(passed)} of {counted(asked, 'vector')} passed"


def _others(run: Run) -> Iterator[tuple[int, str]]:
    listed = run.document.get("known_failures") is not None or run.totals["expected-failure"]
    yield len(run.failed), "failed that are not known" if listed else "failed"
    yield run.totals["unexpected-pass"], "passed though listed as known failures"
    yield run.totals["expected-failure"], "failed as expected"
    yield len(run.demanded), "are unsupported though demanded"
    yield run.totals["unsupported"] - len(run.demanded), "are unsupported"
    yield run.totals["not-run"], "were not run"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def facts(run: Run) -> tuple[Fact, ...]:
    """Level, versions, runner."""
    document, runner = run.document, run.document["runner"]
    found: list[tuple[str, Line]] = [
        ("level", (Code(run.level), f": {_LEVELS[run.level]}")),
        ("kit", (Code(document["kit_version"]),)),
        ("vectors", _vectors(run)),
        ("spec", (Code(run.spec),)),
        ("protocol", (Code(str(PROTOCOL)),)),
        ("runner", (Code(run.runner),) if runner["name"] else ("never said hello",)),
        ("command", (Code(cut(str(runner["command"]), 1_000)),)),
        ("run", (f"{document['started_at']}, {document['duration_seconds']:.2f} s",)),
    ]
    return tuple(Fact(name, value) for name, value in found)


def _vectors(run: Run) -> Line:
    said = run.document.get("vectors")
    if said is None:
        return (f"of kit {run.document['kit_version']}, which does not say their version",)
    digest = str(said["digest"])[:19]
    return (Code(cut(str(said["version"]), 60)), f", {counted(said['total'], 'vector')}, ", Code(digest))


def warnings(run: Run) -> tuple[Line, ...]:
    """What keeps the page from being the whole story, the worst first."""
    return (
        *_partial(run),
        *_of_others(run),
        *((Mark("cut", Tone.WARN), f": {sentence(one)}") for one in run.document.get("cut", ())),
        *(
            (
                Mark("compared in part", Tone.WARN),
                f": {counted(one['vectors'], 'answer')} to ",
                Code(one["op"]),
                " without ",
                Code(cut(one["left_out"], 100)),
            )
            for one in run.document.get("parts", ())
        ),
    )


def _partial(run: Run) -> Iterator[Line]:
    """What is not there of the whole."""
    if run.in_part:
        why = ", ".join(f"{number(count)} {words}" for count, words in left_out(run))
        yield (Mark("in part", Tone.WARN), f": {_asked(run)}" + (f"; {why}" if why else ""))
    if run.missing is not None:
        names = ", ".join(f"{one}/{run.missing['of']}" for one in run.missing["numbers"])
        noun = "shard is" if len(run.missing["numbers"]) == 1 else "shards are"
        text = f": {cut(names, 500)}, with {counted(run.missing['vectors'], 'vector')}"
        if run.missing["properties"]:
            text += f" and {counted(run.missing['properties'], 'property', 'properties')}"
        yield (Mark(f"{noun} missing", Tone.BAD), text)
    if run.shard is not None:
        text = f": {run.shard['number']} of {run.shard['of']}; the whole run is `report --merge` of them all"
        yield (Mark("one shard alone", Tone.WARN), text)
    if run.interrupted:
        yield (Mark("interrupted", Tone.WARN), f": {sentence(run.problems[-1])}" if run.problems else "")
    said = run.document.get("vectors")
    if said is not None and run.newer:
        version, latest = cut(str(said["version"]), 60), cut(str(said["latest"]), 60)
        yield (
            Mark("older vectors", Tone.WARN),
            f": version {version} was asked for, the kit has {latest}, with {number(run.newer)} more",
        )


def _of_others(run: Run) -> Iterator[Line]:
    """The vectors are not this kit's, or nobody can say so."""
    if run.of.of_kit:
        return
    ids = run.results.keys()
    known = len(ids & run.of.known.keys())
    there = (
        f"{number(known)} of its {counted(len(ids), 'vector')} are among today's {number(len(run.of.known))}"
    )
    selection = run.selection
    if selection is not None and selection["files"]:
        yield (Mark("of other vectors", Tone.WARN), f": of files beside the kit's own; {there}")
    elif selection is not None:
        version = cut(str(run.document["vectors"]["version"]), 60)
        text = f" than this kit's: version {version}, not {run.of.latest}; {there}"
        yield (Mark("of other vectors", Tone.WARN), text)
    else:
        yield (
            Mark("of an earlier kit", Tone.WARN),
            ", which does not say which vectors it had, what was selected and what was listed as known; "
            + there,
        )
