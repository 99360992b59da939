"""The page of a run's report: the verdict, the numbers behind it, and its limitations."""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from conformance.outcomes import claims
from conformance.outcomes.words import counted
from conformance.pages.model import Badge, Cell, Code, Mark, Page, Tone
from conformance.pages.run_items import Items
from conformance.pages.run_state import Run
from conformance.pages.run_tables import tables
from conformance.pages.words import one_line
from conformance.wire.messages import PROTOCOL
from conformance.wire.text import cut

__all__ = ["page"]

Document = Mapping[str, Any]
_LEVELS = {
    "value": "equal as parsed JSON values",
    "exact": "equal as parsed JSON values, with int distinct from float and 0.0 from -0.0",
    "bytes": "equal byte for byte",
}
_MEANS = {
    "passed": "The answer is right at the required level.",
    "failed": "The answer is wrong or missing, and the vector is not listed as a known failure.",
    "unexpected passes": "Listed as known failures, but passed.",
    "expected failures": "Failed as listed.",
    "unsupported, required": "The runner does not support these, but the run requires them.",
    "unsupported": "The runner does not support these.",
    "new, not counted": "Not passed, but newer than the list of known failures.",
    "not run": "Selected, but not run, since the runner was stopped.",
    "not reached": "Selected, but the run ended before them.",
    "in missing shards": "Selected, but in a shard without a report.",
    "filtered": "Not selected.",
    "newer, left out": "Newer than the chosen version of the vectors.",
}
_TONES = {"passed": Tone.GOOD, "expected failures": Tone.KNOWN, "unsupported": Tone.WARN}
_TONES |= dict.fromkeys(("new, not counted", "not reached", "filtered", "newer, left out"), Tone.QUIET)


def page(document: Document) -> Page:
    """Return the page of a report."""
    run = Run(document)
    counts, items = run.counts(), Items(run)
    return Page(
        kind="run",
        title=f"{run.runner_name} against {document['spec']}",
        verdict=_verdict(run),
        sentence=_sentence(run),
        exit_code=run.exit_code,
        facts=_facts(run),
        counts=[
            (Mark(name, _TONES.get(name, Tone.BAD)), counts[name], means)
            for name, means in _MEANS.items()
            if counts[name] or name in ("passed", "failed")
        ],
        unit="vectors",
        problems=list(_problems(run)),
        items=list(items.all_items()),
        causes=items.causes,
        tables=list(tables(run)),
        badge=_badge(run, counts),
        started_at=document["started_at"],
        seconds=document["duration_seconds"],
    )


def _verdict(run: Run) -> Mark:
    if run.exit_code > 2:
        return Mark("no verdict: interrupted", Tone.WARN)
    if run.exit_code == 2:
        return Mark("could not be tried", Tone.BAD)
    if run.exit_code == 1:
        failures = [row for row in claims.failures(run.document) if row["outcome"] != "unexpected-pass"]
        if failures or run.document["problems"] or claims.lost_offers(run.document):
            return Mark("does not conform", Tone.BAD)
        return Mark("the list of known failures is out of date", Tone.BAD)
    if run.part is not None:
        return Mark("no new failure, in a partial run", Tone.WARN)
    if _has_known(run):
        return Mark("no new failure", Tone.KNOWN)
    if len(run.claimed) < len(run.accounts):
        return Mark("partly conforms", Tone.WARN)
    return Mark("conforms", Tone.GOOD)


def _sentence(run: Run) -> str:
    """Describe passes, claims and failures in a sentence."""
    counts = run.counts()
    total = counts.total()
    asked_count = sum(claims.totals(run.document).values())
    text = f"{counts['passed']:,} of {counted(total, 'vector')} passed"
    outcomes = [f"{counts[name]:,} {name}" for name in _MEANS if counts[name] and name != "passed"]
    text = ", ".join([text, *outcomes])
    if asked_count or not run.document["properties"]:
        text += f"; {len(run.claimed)} of {counted(len(run.accounts), 'class')} claimed"
    failed = claims.failures(run.document)
    if again := [result for result in failed if "changes" in result]:
        text += f"; {counted(len(again), 'rephrased vector')} failed"
    broken = [result for result in run.document["properties"] if claims.fails(result)]
    if broken:
        text += f"; {len(broken)} of {counted(len(run.document['properties']), 'property')} did not hold"
    if run.exit_code == 2 and run.document["problems"]:
        return one_line(run.document["problems"][-1]) + (f" ({text})" if asked_count else "")
    return f"{run.part}; {text}." if run.part else f"{text}."


def _facts(run: Run) -> dict[str, Cell]:
    document, vectors = run.document, run.document["vectors"]
    selection, environment = document["selection"], document["environment"]
    patterns = " ".join([*selection["patterns"], *selection["files"]])
    shard = selection["shard"]
    known, again = document["known_failures"], document["asked_again"]
    facts: dict[str, Cell] = {
        "level": f"{document['level']}: {_LEVELS[document['level']]}",
        "kit": Code(document["kit_version"]),
        "vectors": f"{vectors['version']}, {vectors['total']:,}, {vectors['digest'][:19]}",
        "spec": Code(document["spec"]),
        "protocol": Code(str(PROTOCOL)),
        "runner": Code(run.runner_name) if document["runner"]["name"] else "did not answer hello",
        "command": Code(cut(document["runner"]["command"], 1_000)),
        "run": f"{document['started_at']}, {document['duration_seconds']:.2f} s, start-up "
        f"{document['start_up_seconds']:.2f} s",
        "exit code": str(run.exit_code),
        "selected": Code(cut(patterns, 500)),
        "shard": f"{shard['number']} of {shard['of']}" if shard else "",
        "required classes": ", ".join(selection["classes"]),
        "environment": f"{environment['name']}: {environment['stands_for']}" if environment else "",
        "known failures": Code(cut(known["file"], 300)) if known else "",
        "rephrased with seed": str(again["seed"]) if again else "",
    }
    return {name: value for name, value in facts.items() if value}


def _problems(run: Run) -> Iterator[str]:
    """Yield the problems of the run, and then its limitations."""
    document, selection = run.document, run.document["selection"]
    if document["interrupted"]:
        yield document["interrupted"]["sentence"]
    yield from map(one_line, document["problems"])
    yield from (loss.sentence for loss in claims.lost_offers(document))
    not_run = [result for result in document["results"] if result["outcome"] == "not-run"]
    if not_run:
        why = one_line(not_run[0]["detail"] or "the runner was stopped")
        yield f"{counted(len(not_run), 'vector')} not run: {why}"
    if selection["shard"]:
        yield f"only one shard: {run.part}"
    yield from (f"cut: {one_line(note)}" for note in document["cut"])
    for omission in document["left_out"]:
        yield (
            f"partly compared: {counted(omission['vectors'], 'answer')} to {omission['op']} omitted "
            f"{cut(omission['member'], 100)}"
        )
    if not run.of_kit:
        ids = {key for key, _, _ in claims.outcomes(document)}
        known = len(ids & run.vectors_by_id.keys())
        yield (
            f"the vectors are not this kit's, but of version {cut(document['vectors']['version'], 60)}; "
            f"{known:,} of {len(ids):,} are among this kit's {len(run.vectors_by_id):,}"
        )
    if environment := document["environment"]:
        for key, variant in list(environment["against"].items())[:1]:
            count = counted(len(environment["against"]), "answer")
            yield f"it mixes environments: {count} right only for {cut(variant, 100)}, such as {key}"


def _badge(run: Run, counts: Counter[str]) -> Badge:
    """Return the badge, which is green only for all of the newest vectors with every class claimed."""
    label = f"{run.document['spec']} · {run.document['level']}"
    if not run.of_kit or run.document["vectors"]["newer"]:
        label += f" · vectors {cut(run.document['vectors']['version'], 30)}"
    if run.exit_code > 2:
        return Badge(label, "no verdict", Tone.WARN)
    if run.exit_code == 2:
        return Badge(label, "could not be tried", Tone.BAD)
    text = f"{counts['passed']:,} of {counts.total():,}"
    known = _has_known(run)
    if counts["expected failures"] and run.part is None:
        text += f", {counts['expected failures']:,} known"
    if run.exit_code:
        out_of_date = _verdict(run).text.startswith("the list")
        text += ", known failures out of date" if out_of_date else ", fails"
    if run.part is not None:
        return Badge(label, f"partial: {text}", Tone.BAD if run.exit_code else Tone.WARN)
    unclaimed = [account.name for account in run.accounts if not account.claimed]
    if not run.claimed:
        text += " · no class claimed"
    elif not unclaimed:
        text += " · all classes"
    else:
        few = len(unclaimed) < len(run.claimed)
        text += f" · all but {', '.join(unclaimed)}" if few else f" · {', '.join(run.claimed)}"
    if run.exit_code:
        return Badge(label, text, Tone.BAD)
    if known:
        return Badge(label, text, Tone.KNOWN)
    return Badge(label, text, Tone.QUIET if not run.of_kit else Tone.WARN if unclaimed else Tone.GOOD)


def _has_known(run: Run) -> bool:
    """Return whether anything failed as listed."""
    document = run.document
    listed = (*document["results"], *document["properties"], *claims.rephrased_results(document))
    return any(result["outcome"] == "expected-failure" for result in listed)
