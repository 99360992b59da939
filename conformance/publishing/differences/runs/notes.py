"""The difference of two runs for machines: test cases, and notes beside a change."""

from conformance.publishing.differences.runs.pairs import Change, Pair, Runs
from conformance.publishing.kinds.runs.account import counted, sentence
from conformance.publishing.kinds.runs.failures import repeat
from conformance.publishing.kinds.runs.head import verdict
from conformance.publishing.model import Case, Note

__all__ = ["cases", "notes"]

_MOST = 10


def cases(runs: Runs) -> tuple[Case, ...]:
    """Every vector that both have: failed where it got worse."""
    found = [_case(pair) for pair in (*runs.vectors, *runs.properties, *runs.again)]
    if runs.unjudged:
        found.append(Case(runs.after.spec, "the second run", "error", verdict(runs.after).sentence))
    return tuple(found)


def _case(pair: Pair) -> Case:
    spec, _, rest = pair.entry["id"].partition("/")
    section, _, slug = rest.partition("/")
    slug += " (asked again in other words)" if "changes" in pair.entry else ""
    group, said = f"{spec}.{section}", f"{pair.was} before, {pair.now} now"
    if pair.change is Change.WORSE:
        return Case(group, slug, "failed", said, sentence(pair.entry["detail"] or ""))
    if pair.change in (Change.BEFORE, Change.AFTER):
        return Case(group, slug, "skipped", said)
    return Case(group, slug, "passed")


def notes(runs: Runs) -> tuple[Note, ...]:
    """A note for each rule of which something got worse, and each op not answered any more; at most ten."""
    found: list[Note] = []
    if runs.unjudged:
        told = verdict(runs.after)
        found.append(Note("error", f"the second run: {told.word}", sentence(told.sentence)))
    by_clause: dict[str, list[Pair]] = {}
    for pair in runs.wrong_now:
        by_clause.setdefault(pair.entry.get("clause", "asked again in other words"), []).append(pair)
    for clause, pairs in sorted(by_clause.items(), key=lambda item: (-len(item[1]), item[0])):
        one = pairs[0]
        text = (
            f"{clause}: {runs.after.statements.get(clause, '')} Such as {one.key} ({one.was}, now {one.now})"
        )
        again = repeat(runs.after, one.entry)
        found.append(_worse(len(pairs), text + (f"; repeat: {again}" if again else "")))
    for op, pairs in runs.unanswered_now.items():
        one = pairs[0]
        why = sentence(one.entry["detail"] or "unsupported")
        text = f"{op} is not answered any more: {why}; such as {one.key}"
        found.append(_worse(len(pairs), text))
    if len(found) <= _MOST:
        return tuple(found)
    rest = len(found) - _MOST + 1
    return (
        *found[: _MOST - 1],
        Note(
            "error",
            "more",
            f"and {counted(rest, 'rule or op', 'rules and ops')} of which something got worse",
        ),
    )


def _worse(count: int, text: str) -> Note:
    return Note("error", f"{counted(count, 'vector')} got worse", text)
