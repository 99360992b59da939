"""The page of two submissions compared: the difference with its spread, and the tasks that differ."""

from collections.abc import Iterator, Mapping
from typing import Any

from conformance.extensions.audit.submissions.scores import figure, shares, signed, spread
from conformance.outcomes.words import counted
from conformance.pages.model import Cell, Mark, Page, Table, Tone
from conformance.pages.words import enumerated, one_line

Json = Mapping[str, Any]
_LISTED = {
    "only 0": "only in A",
    "only 1": "only in B",
    "unscored 0": "without a trial that counts in A",
    "unscored 1": "without a trial that counts in B",
    "passed_then_failed": "all passed in A, all failed in B",
    "failed_then_passed": "all failed in A, all passed in B",
}
_FEW_TASKS, _FEW_NAMES = 20, 10


def comparison_page(document: Json, every: bool) -> Page:
    """The page; it lists `every` task that differs, or those that differ most."""
    facts: dict[str, Cell] = {}
    problems = []
    names = [one_line(side["name"], 160) for side in document["submissions"]]
    for letter, name, side in zip("AB", names, document["submissions"], strict=True):
        jobs = ", ".join(f"{count:,} {verdict}" for verdict, count in side["jobs"].items() if count)
        facts[letter] = f"{name}: {jobs}"
        problems += [f"{letter}: {one_line(note)}" for note in side["notes"]]
    problems += ["both have the same name"] * (names[0] == names[1])
    return Page(
        kind="comparison",
        title=f"{names[0]} and {names[1]}, task by task",
        verdict=Mark("compared", Tone.QUIET),
        sentence="; ".join(_difference(one) for one in document["compared"]),
        exit_code=0,
        facts=facts,
        counts=(),
        problems=problems,
        items=(),
        tables=[table for one in document["compared"] for table in _tables(one, every)],
        findings_only=True,
    )


def _is_share(one: Json) -> bool:
    return shares(*(mean for task in one["tasks"] for mean in task["means"]))


def _difference(one: Json) -> str:
    """The means over the tasks of both, and their difference."""
    if one["means"] is None:
        return "no task has trials that count in both"
    share = _is_share(one)
    a, b = (figure(mean, share) for mean in one["means"])
    text = f"{counted(len(one['tasks']), 'task')} in both: A {a}, B {b}; "
    text += f"B - A {signed(one['difference'], share)} {spread(one, share, brief=True)}".rstrip()
    if one["interval"] is not None:
        low, high = (signed(end, share) for end in one["interval"])
        text += f" (95 %: {low} to {high})"
    return text


def _rows(one: Json) -> Iterator[tuple[Cell, Cell]]:
    yield "difference", _difference(one)
    if one["means"] is not None:
        same = len(one["tasks"]) - one["gained"] - one["lost"]
        yield "B is better in", f"{one['gained']}, worse in {one['lost']}, the same in {same}"
        yield "sign test", f"p = {one['sign_test']:.3g}"
    for name, what in _LISTED.items():
        member, _, side = name.partition(" ")
        if tasks := one[member][int(side)] if side else one[member]:
            yield what, f"{len(tasks)}: {enumerated([one_line(task, 160) for task in tasks], _FEW_NAMES)}"
    yield from (("note", one_line(note)) for note in one["notes"])


def _tables(one: Json, every: bool) -> Iterator[Table]:
    title = f"{one_line(one['source'] or 'adhoc', 160)}, {one_line(one['key'], 160)}"
    agents = [
        (f"agent and model of {letter}", name) for letter, name in zip("AB", one["agents"], strict=True)
    ]
    yield Table(title, ("", ""), [*agents, *_rows(one)])
    differ = [task for task in one["tasks"] if task["difference"]]
    differ.sort(key=lambda task: (-abs(task["difference"]), task["task"]))
    share, shown = _is_share(one), differ if every else differ[:_FEW_TASKS]
    tasks = [
        (
            one_line(task["task"], 160),
            *(figure(mean, share) for mean in task["means"]),
            signed(task["difference"], share),
            " / ".join(map(str, task["attempts"])),
        )
        for task in shown
    ]
    if tasks:
        of = f": {len(tasks)} of {len(differ)} (--all shows them)" if len(tasks) < len(differ) else ""
        yield Table(f"Tasks that differ{of}", ("task", "A", "B", "B - A", "attempts"), tasks)
    for by in one.get("under", ()):
        unknown: list[tuple[Cell, Cell]] = [("difference", "not known of all jobs")]
        rows = unknown if by["by"] is None else list(_rows(by["by"]))
        yield Table(f"Under {by['rules']}: {by['text']}", ("", ""), rows)
