"""The difference between two pages of the same kind: items are matched by their keys."""

from collections import Counter
from collections.abc import Collection
from dataclasses import replace

from conformance.outcomes.reading import Document, ReportError
from conformance.outcomes.words import counted
from conformance.pages.kinds import page_of
from conformance.pages.model import Cell, Item, Mark, Page, Table, Tone
from conformance.wire.text import printable

__all__ = ["difference", "difference_of"]

_MEANS = {
    "got worse": (Tone.BAD, "Wrong now, but right or not listed before."),
    "wrong in another way": (Tone.KNOWN, "Wrong in both reports, with different answers."),
    "got better": (Tone.GOOD, "Right now, but wrong before."),
    "still wrong": (Tone.KNOWN, "Wrong in both reports, with the same answer."),
    "still right": (Tone.GOOD, "Right in both reports."),
    "only in the first": (Tone.QUIET, "Missing from the later report, so neither better nor worse."),
    "only in the second": (Tone.QUIET, "Missing from the earlier report, so neither better nor worse."),
}
_KIT_ASKS = frozenset({"run", "metric"})
"""The kinds of reports whose items come from the kit, so that two reports share some."""
_WRONG = frozenset({Tone.BAD, Tone.KNOWN})


def difference_of(before: Document, after: Document) -> Page:
    """Return the difference between a report and a later one.

    Raises:
        ReportError: they are of different kinds, or have nothing in common.
    """
    if before.kind != after.kind:
        raise ReportError(
            f"{printable(before.name)} is a report of {before.kind}, {printable(after.name)} one of "
            f"{after.kind}: only two reports of the same kind can be compared"
        )
    return difference(page_of(before), page_of(after))


def difference(before: Page, after: Page) -> Page:
    """Return the difference between two pages as a page.

    Raises:
        ReportError: the two have nothing in common.
    """
    old, new = ({item.key: item for item in page.items} for page in (before, after))
    looked_at = [
        {item.group for item in page.items} if page.findings_only else set() for page in (before, after)
    ]
    in_common = old.keys() & new.keys() or looked_at[0] & looked_at[1]
    if before.kind in _KIT_ASKS and old and new and not in_common:
        raise ReportError("the two reports have nothing in common to compare")
    pairs = [(old.get(key), new.get(key)) for key in dict.fromkeys([*new, *old])]
    changes = [(_change(*pair, *looked_at), *pair) for pair in pairs]
    counts = Counter(name for name, _, _ in changes)
    worse, better = counts["got worse"], counts["got better"]
    compared = counts.total() - counts["only in the first"] - counts["only in the second"]
    verdict = Mark("nothing changed", Tone.GOOD) if compared else Mark("nothing to compare", Tone.WARN)
    if worse:
        verdict = Mark("got worse", Tone.BAD)
    elif better or counts["wrong in another way"]:
        verdict = Mark(
            "got better" if better else "wrong in another way", Tone.GOOD if better else Tone.KNOWN
        )
    single = [(name, counts[name]) for name in ("only in the first", "only in the second") if counts[name]]
    unmatched = "".join(f"; {counted(count, 'item')} {name}" for name, count in single)
    return Page(
        kind="difference",
        title=f"{before.title} → {after.title}"
        if before.title != after.title
        else f"{after.title}: what changed",
        verdict=verdict,
        sentence=f"{worse:,} got worse, {better:,} got better, of {counted(len(pairs), 'item')} in either "
        f"report{unmatched}. Before: {before.verdict.text}; after: {after.verdict.text}.",
        exit_code=int(worse > 0),
        facts=_facts(before, after),
        counts=[
            (Mark(name, tone), counts[name], means) for name, (tone, means) in _MEANS.items() if counts[name]
        ],
        problems=[
            *(f"the first: {problem}" for problem in before.problems if problem not in after.problems),
            *(f"the second: {problem}" for problem in after.problems if problem not in before.problems),
        ],
        items=[_item(name, was, now) for name, was, now in changes if name != "still right"],
        causes=after.causes,
        tables=[_by_group(changes)],
        started_at=after.started_at,
    )


def _change(was: Item | None, now: Item | None, before: Collection[str], after: Collection[str]) -> str:
    """Return the change of one item; unlisted items of a checked group are right."""
    if was is None or now is None:
        item, groups = (now, before) if was is None else (was, after)
        assert item is not None
        if item.group in groups:
            if item.tone in _WRONG:
                return "got worse" if was is None else "got better"
            if item.tone is Tone.GOOD:
                return "still right"
        return "only in the second" if was is None else "only in the first"
    if was.tone in _WRONG and now.tone in _WRONG:
        return "still wrong" if was.fingerprint == now.fingerprint else "wrong in another way"
    if now.tone in _WRONG or (was.tone is Tone.GOOD and now.tone is not Tone.GOOD):
        return "got worse"
    return "got better" if was.tone in _WRONG or was.tone is not now.tone is Tone.GOOD else "still right"


def _item(name: str, was: Item | None, now: Item | None) -> Item:
    """Return the item with its old and new outcome."""
    item = now or was
    assert item is not None
    texts = dict(item.texts)
    if name == "wrong in another way" and was is not None and "actual" in was.texts:
        texts = {"actual before": was.texts["actual"], **texts}
    tone = Tone.BAD if name == "got worse" else Tone.KNOWN if name == "wrong in another way" else Tone.QUIET
    return replace(
        item,
        outcome=f"{was.outcome if was else '–'} → {now.outcome if now else '–'}",
        tone=Tone.GOOD if name == "got better" else tone,
        cause=item.cause if tone is Tone.BAD else name,
        texts=texts,
        repeat=item.repeat if now else "",
        place=None,
    )


def _facts(before: Page, after: Page) -> dict[str, Cell]:
    """Return the facts of both pages; equal ones appear once."""
    facts: dict[str, Cell] = {}
    for name in dict.fromkeys([*before.facts, *after.facts]):
        was, now = before.facts.get(name, "–"), after.facts.get(name, "–")
        facts[name] = now if was == now else f"{was} → {now}"
    return facts


def _by_group(changes: list[tuple[str, Item | None, Item | None]]) -> Table:
    items = [(now or was, name) for name, was, now in changes]
    counts = Counter((item.group, name) for item, name in items if item is not None)
    rows = [
        (group, Mark(name, _MEANS[name][0]), count)
        for (group, name), count in sorted(counts.items())
        if name not in ("still right", "still wrong")
    ]
    return Table("By group", ("group", "change", "items"), rows)
