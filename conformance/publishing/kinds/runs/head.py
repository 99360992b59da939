"""What a reader of a run's page sees first: verdict, facts, the counts that add up, what is not told."""

from collections.abc import Iterator

from conformance.judging.verdict import Outcome
from conformance.publishing.blocks import Code, Line, Mark, Tone
from conformance.publishing.kinds.runs.account import Run, counted, cut, number, sentence
from conformance.publishing.model import Count, Fact, Verdict
from conformance.wire.messages import PROTOCOL

__all__ = ["counts", "facts", "only_the_list", "verdict", "warnings"]


def only_the_list(run: Run) -> bool:
    """Whether nothing fails but the list of known failures, which is out of date."""
    others = [*run.failed, *run.demanded, *run.broken, *run.again_wrong]
    others = [one for one in others if one["outcome"] != Outcome.UNEXPECTED_PASS.value]
    about_list = all(problem.startswith("known failures, line ") for problem in run.problems)
    found = run.totals["unexpected-pass"] or run.problems or run.broken or run.again_wrong
    return run.exit_code == 1 and not others and about_list and not run.totals["not-run"] and bool(found)


def verdict(run: Run) -> Verdict:
    """What the run comes to."""
    said = _sentence(run)
    if run.interrupted:
        return Verdict("no verdict", Tone.WARN, f"The run was interrupted. {said}")
    if run.untried:
        why = sentence(run.problems[0], 300) if run.problems else "nothing passed"
        return Verdict("could not be tried", Tone.BAD, f"{_sentence_case(why)}. {said}")
    if only_the_list(run):
        return Verdict("the list of known failures is out of date", Tone.BAD, said)
    if run.exit_code == 1:
        return Verdict("does not conform", Tone.BAD, said)
    if run.in_part:
        return Verdict("no new failure, in part", Tone.WARN, said)
    if _known(run):
        return Verdict("no new failure", Tone.KNOWN, said)
    if len(run.claimed) < len(run.document["classes"]):
        return Verdict("conforms in part", Tone.WARN, said)
    return Verdict("conforms", Tone.GOOD, said)


def _known(run: Run) -> bool:
    """Whether anything failed as the list says."""
    listed = [*run.results.values(), *run.properties, *run.again]
    return any(one["outcome"] == "expected-failure" for one in listed)


def _sentence(run: Run) -> str:
    total, asked = run.total, len(run.results)
    passed = number(run.totals["passed"]) if run.totals["passed"] < asked or run.in_part else "all"
    said = [f"{passed} of {counted(asked, 'vector')} passed"]
    said += [f"{number(count)} {words}" for count, words in _others(run) if count]
    classes = counted(len(run.document["classes"]), "class", "classes")
    verb = "is" if len(run.claimed) == 1 else "are"
    text = f"{_sentence_case(', '.join(said))}; {len(run.claimed)} of {classes} {verb} claimed."
    beside = [
        f"{number(len(found))} of {counted(len(all_), *nouns)} {words}"
        for found, all_, nouns, words in (
            (run.broken, run.properties, ("property", "properties"), "did not hold"),
            (
                run.again_wrong,
                run.again,
                ("vector asked again", "vectors asked again"),
                "failed in other words",
            ),
        )
        if found
    ]
    if beside:
        text += f" {'; '.join(beside)}."
    if run.in_part:
        whole = f"of {counted(total + run.newer, 'vector')}" if total is not None else "of an unknown number"
        text = f"In part: {number(asked)} {whole} {'were' if asked != 1 else 'was'} asked. {text}"
    return text


def _others(run: Run) -> Iterator[tuple[int, str]]:
    listed = run.document.get("known_failures") is not None or run.totals["expected-failure"]
    yield len(run.failed), "failed that are not known" if listed else "failed"
    yield run.totals["unexpected-pass"], "passed though listed as known failures"
    yield run.totals["expected-failure"], "failed as expected"
    yield len(run.demanded), "are unsupported though demanded"
    yield run.totals["unsupported"] - len(run.demanded), "are unsupported"
    yield run.totals["not-run"], "were not run"


def _sentence_case(text: str) -> str:
    return text[:1].upper() + text[1:]


def counts(run: Run) -> tuple[Count, ...]:
    """The whole vector set, each vector once; what is zero is left out, but for passes and failures."""
    demanded = len(run.demanded)
    found = [
        Count("passed", run.totals["passed"], Tone.GOOD, "The answer is the one that is due."),
        Count(
            "failed",
            len(run.failed),
            Tone.BAD,
            "A wrong answer or none, which no list of known failures has.",
        ),
    ]
    rest = [
        Count(
            "unexpected passes",
            run.totals["unexpected-pass"],
            Tone.BAD,
            "Listed as a known failure, and passed.",
        ),
        Count(
            "expected failures",
            run.totals["expected-failure"],
            Tone.KNOWN,
            "Failed as the list of known failures says.",
        ),
        Count(
            "unsupported, demanded",
            demanded,
            Tone.BAD,
            "The runner does not answer these, and the run demands them.",
        ),
        Count(
            "unsupported",
            run.totals["unsupported"] - demanded,
            Tone.WARN,
            "The runner says that it does not answer these.",
        ),
        Count(
            "not run", run.totals["not-run"], Tone.BAD, "Selected, and not asked: the run had been given up."
        ),
        Count(
            "not reached",
            run.unreached,
            Tone.QUIET,
            "Selected, and without a result: interrupted, or a part is missing.",
        ),
        Count("filtered", run.filtered, Tone.QUIET, "Not selected."),
        Count(
            "newer, left out",
            run.newer,
            Tone.QUIET,
            "Came with a later version of the vectors than the one chosen.",
        ),
    ]
    return (*found, *(count for count in rest if count.number))


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


_LEVELS = {
    "value": "equal as parsed JSON values",
    "exact": "equal as parsed JSON values, int apart from float, 0.0 from -0.0",
    "bytes": "equal byte for byte",
}


def _vectors(run: Run) -> Line:
    said = run.document.get("vectors")
    if said is None:
        return (f"of kit {run.document['kit_version']}, which does not say their version",)
    digest = str(said["digest"])
    return (Code(cut(str(said["version"]), 60)), f", {counted(said['total'], 'vector')}, ", Code(digest[:19]))


def warnings(run: Run) -> tuple[Line, ...]:
    """What keeps the page from being the whole story, the worst first."""
    document, found = run.document, list[Line]()
    total, asked = run.total, len(run.results)
    if run.in_part:
        reasons = [
            f"{number(count)} {words}"
            for count, words in (
                (run.filtered, "filtered"),
                (run.unreached, "not reached"),
                (run.newer, "newer and left out"),
            )
            if count
        ]
        whole = f"{number(total + run.newer)}" if total is not None else "nobody knows how many"
        why = f": {', '.join(reasons)}" if reasons else ""
        found.append((Mark("in part", Tone.WARN), f": {number(asked)} of {whole} vectors have a result{why}"))
    if run.interrupted:
        found.append(
            (
                Mark("interrupted", Tone.WARN),
                f": {sentence(run.problems[-1]) if run.problems else 'no verdict'}",
            )
        )
    selection = run.selection
    if selection is not None and selection["shard"] is not None:
        shard = selection["shard"]
        found.append(
            (
                Mark("one shard", Tone.WARN),
                f": part {shard['number']} of {shard['of']} of a run; merge them all for the whole",
            )
        )
    if selection is not None and selection["vectors_version"] is not None:
        latest = cut(str(document["vectors"]["latest"]), 60) if "vectors" in document else "unknown"
        found.append(
            (
                "the vectors are pinned to ",
                Code(cut(str(selection["vectors_version"]), 60)),
                f"; the kit's newest were {latest}",
            )
        )
    if not run.of.of_kit:
        found.append(_of_others(run))
    found += [(Mark("cut", Tone.WARN), f": {sentence(one)}") for one in document.get("cut", ())]
    found += [
        (
            Mark("compared in part", Tone.WARN),
            f": {counted(one['vectors'], 'answer')} to ",
            Code(one["op"]),
            " without ",
            Code(cut(one["left_out"], 100)),
        )
        for one in document.get("parts", ())
    ]
    return tuple(found)


def _of_others(run: Run) -> Line:
    """The vectors are not this kit's, or nobody can say so."""
    ids = run.results.keys()
    known = len(ids & run.of.known.keys())
    there = (
        f"{number(known)} of its {counted(len(ids), 'vector')} are among today's {number(len(run.of.known))}"
    )
    if "vectors" in run.document:
        return (Mark("of other vectors", Tone.WARN), f" than this kit's ({run.of.latest}): {there}")
    return (
        Mark("of an earlier kit", Tone.WARN),
        f", which does not say which vectors it had, what was selected and what was listed as known; {there}",
    )
