"""The jobs of two reports of ``check``, each with what became of it: verdict, findings, scores."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from conformance.publishing.kinds.checks.findings import Listed
from conformance.publishing.kinds.checks.scores import cells_of, fractional, main
from conformance.publishing.kinds.checks.words import GRAVITY, Below

__all__ = ["Pair", "Score", "pairs", "scores"]

Document = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Pair:
    """A job of both reports, or of one alone."""

    name: str
    """Below the folder that all jobs are in."""
    before: Document | None
    after: Document | None
    new: tuple[Listed, ...] = ()
    """Findings of the later report alone, notes left out."""
    gone: tuple[Listed, ...] = ()
    uncertain: bool = False
    """Whether a report counts more findings than it lists."""

    @property
    def worse(self) -> bool:
        """A graver verdict, or a finding that is new; of a job that is new itself, any that is grave."""
        if self.after is None:
            return False
        was = "unfinished" if self.before is None else self.before["verdict"]
        graver = GRAVITY[self.after["verdict"]] > GRAVITY[was]
        return graver or bool(self.new) or self._more

    @property
    def better(self) -> bool:
        """Nothing is worse, and something is gone or the verdict less grave."""
        if self.after is None or self.before is None or self.worse:
            return False
        return bool(self.gone) or GRAVITY[self.after["verdict"]] < GRAVITY[self.before["verdict"]]

    @property
    def _more(self) -> bool:
        """Whether there are more findings than before where not all of them are listed."""
        if not self.uncertain or self.before is None or self.after is None:
            return False
        return any(
            self.after["severities"][of] > self.before["severities"][of] for of in ("wrong", "differs")
        )

    @property
    def state(self) -> str:
        """What became of it."""
        if self.before is None:
            return "new, and not clean" if self.worse else "new"
        if self.after is None:
            return "gone"
        return "worse" if self.worse else "better" if self.better else "as before"


def pairs(before: Document, after: Document) -> list[Pair]:
    """All jobs of both, by name: the same path, or the same below the folder of each report."""
    first, second = Below(before["jobs"]), Below(after["jobs"])
    old = {job["path"]: job for job in before["jobs"]}
    new = {job["path"]: job for job in after["jobs"]}
    matched = {path: path for path in old if path in new}
    by_short: dict[str, list[str]] = {}
    for path in old:
        if path not in matched:
            by_short.setdefault(first.short(path), []).append(path)
    for path in new:
        same = by_short.get(second.short(path), [])
        if path not in matched and len(same) == 1:
            matched[path] = same.pop()
    if len(old) == len(new) == 1:  # a job is compared with its next run, whatever that is called
        matched = {next(iter(new)): next(iter(old))}
    taken = set(matched.values())
    found = [_pair(second.short(path), old.get(matched.get(path, "")), job) for path, job in new.items()]
    found += [_pair(first.short(path), job, None) for path, job in old.items() if path not in taken]
    return sorted(found, key=lambda one: one.name)


def _pair(name: str, before: Document | None, after: Document | None) -> Pair:
    was, now = _findings(before), _findings(after)
    new = tuple(one for key, one in now.items() if key not in was)
    gone = tuple(one for key, one in was.items() if key not in now)
    sides = [one for one in (before, after) if one is not None]
    cut = any(one["total"] > len(one["findings"]) for one in sides)
    if any(one["verdict"] == "not judged" for one in sides):
        gone = ()  # nobody looked everywhere
    return Pair(name, before, after, new, gone, cut)


def _findings(job: Document | None) -> dict[tuple[str, ...], Listed]:
    """What is graver than a note, by place: the second at a place is another one."""
    found: dict[tuple[str, ...], Listed] = {}
    seen: Counter[tuple[str, ...]] = Counter()
    for one in () if job is None else job["findings"]:
        if one["severity"] != "note" and job is not None:
            place = (one["kind"], one["severity"], one["file"], one["path"])
            key = (*place, str(seen[place]))
            found[key] = (job, one)
            seen[place] += 1
    return found


@dataclass(frozen=True, slots=True)
class Score:
    """A score in both reports, by harbor's mean."""

    name: str
    """Of the submission or the job."""
    who: tuple[str, ...]
    """Dataset, agent, model and reward key."""
    before: Document
    after: Document
    """The scores by the schema ``submission``."""
    higher: int = 0
    lower: int = 0
    """Tasks whose mean is another."""
    alone: int = 0
    """Tasks that one of the two has."""
    told: bool = field(default=False)
    """Whether the reports have all trials of both, so that tasks can be compared."""

    @property
    def values(self) -> tuple[float | None, float | None]:
        """Harbor's mean, before and after."""
        one, other = (side["by"].get("records") for side in (self.before, self.after))
        return (None if one is None else one["value"], None if other is None else other["value"])

    @property
    def share(self) -> bool:
        """Whether both are shares of one."""
        return fractional(self.before) and fractional(self.after)

    @property
    def changed(self) -> bool:
        """Whether anything of it is another."""
        one, other = self.values
        stated = self.before["stated"]["value"] != self.after["stated"]["value"]
        return one != other or stated or bool(self.higher or self.lower or self.alone)


def scores(before: Document, after: Document, found: Sequence[Pair]) -> list[Score]:
    """The scores that both reports have: of submissions by name, and of jobs of their own."""
    made = []
    was = {one["name"]: one for one in before["submissions"]}
    for one in after["submissions"]:
        if one["name"] in was:
            made += list(_of_groups(one["name"], was[one["name"]]["groups"], one["groups"]))
    for pair in found:
        if pair.before is not None and pair.after is not None:
            sides = (side.get("groups", ()) for side in (pair.before, pair.after))
            made += list(_of_groups(pair.name, *sides))
    return made


def _of_groups(name: str, before: Sequence[Document], after: Sequence[Document]) -> Iterator[Score]:
    was = {(one["source"], one["agent"], one["model"]): one for one in before}
    for one in after:
        other = was.get((one["source"], one["agent"], one["model"]))
        if other is None:
            continue
        old = {scores["key"]: scores for scores in other["scores"]}
        for new in one["scores"]:
            if new["key"] in old:
                several = len(one["scores"]) > 1 and new["key"] != main(one)["key"]
                who = tuple(filter(None, (one["source"], one["agent"], one["model"])))
                named = (*who, new["key"]) if several else who
                higher, lower, alone, told = _moves(other, one, new["key"])
                yield Score(name, named, old[new["key"]], new, higher, lower, alone, told)


def _moves(before: Document, after: Document, key: str) -> tuple[int, int, int, bool]:
    """Tasks that are higher, lower, and of one report alone; and whether all trials are there to tell."""
    sides = [_means(group, key) for group in (before, after)]
    if sides[0] is None or sides[1] is None:
        return 0, 0, 0, False
    old, new = sides[0], sides[1]
    both = old.keys() & new.keys()
    higher = sum(new[task] > old[task] for task in both)
    lower = sum(new[task] < old[task] for task in both)
    return higher, lower, len(old.keys() ^ new.keys()), True


def _means(group: Document, key: str) -> dict[str, float] | None:
    """Each task's mean, unscored as zero; None where not all trials are there."""
    grid = group.get("trials")
    if grid is None or grid["left_out"]["tasks"] or grid["left_out"]["attempts"]:
        return None
    for one in grid["rewards"]:
        if one["key"] == key:
            found = {}
            for task, row in zip(grid["tasks"], one["cells"], strict=True):
                values = sorted(value or 0.0 for value, state in cells_of(row) if state != "missing")
                found[task] = sum(value / len(values) for value in values) if values else 0.0
            return found
    return None
