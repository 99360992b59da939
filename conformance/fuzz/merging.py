"""Merges the reports of one fuzz run's shards: every seed listed, every cause reported once.

A shard's counts and causes are in its report, and nothing is asked again. Derived values (sums, exit code,
ids of counterexamples) are recomputed. This does with reports what ``shares.gather`` does with jobs, so that
shards of one job each give the same result as that many jobs of one run, except for times and for the likely
mistakes, which each shard searched separately.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from conformance.fuzz.inputs import all_ops
from conformance.fuzz.shares import MOST_JOBS
from conformance.fuzz.shrinking import weight
from conformance.outcomes.merging import count_phrase, first_difference, same
from conformance.outcomes.reading import Document, ReportError
from conformance.registry.ops import OPS
from conformance.suite.counterexamples import counterexample_id

__all__ = ["merged_fuzz"]

_INTERRUPTED = frozenset({129, 130, 143})
_COUNTS = ("agreed", "disagreed", "unsupported")
_ALIKE = (
    *(("kit_version",), ("spec",), ("level",), ("runner", "command"), ("vectors_changed",)),
    *(("selection", name) for name in ("seed", "ops", "without", "from_scratch", "seconds", "inputs")),
)
"""Members that are the same in all shards of a run."""
_OF_HELLO = (*(("runner", name) for name in ("name", "version", "numbers", "ops")), ("not_asked",))
"""Members that are the same in all shards whose runner said hello."""
_SHOWN = ("repeats", "counterexample", "clause", "detail", "asked", "expected", "actual", "repeat")
"""The members of a cause that describe its shown counterexample."""
_EXPLAINED = ("likely", "do")


class _Part:
    """One part.

    Raises:
        ReportError: it is not a shard's report, or its counts are impossible.
    """

    def __init__(self, document: Document) -> None:
        self.name, content = document.name, document.content
        self.content = content
        shard = content.get("selection", {}).get("shard")
        if shard is None:
            raise ReportError(
                f"{self.name} is not a shard of a fuzz run: it was made without --shard (`selection.shard`)"
            )
        self.number, self.of = shard["number"], shard["of"]
        self.label = f"shard {self.number}/{self.of}"
        self.started = content["runner"]["name"] is not None
        self.interrupted = content["exit_code"] in _INTERRUPTED
        self.failed = content["exit_code"] == 2 and bool(content["problems"])
        self.telling = content.get("telling", 0)
        problem = content["problems"][0] if content["problems"] and not self.started else None
        alone = {"seed": content["seed"], "compared": content["compared"], "problem": problem}
        self.jobs: list[dict[str, Any]] = content.get("jobs", [alone])
        self.causes = [{**cause, "seed": cause.get("seed", content["seed"])} for cause in content["causes"]]
        self._check()
        for cause in self.causes:
            if cause["counterexample"] is not None and "input" in (cause.get("asked") or {}):
                about = (content["spec"], cause["op"], cause["asked"]["input"])
                cause["counterexample"] = counterexample_id(*about)

    def _check(self) -> None:
        ops, seeds = self.content["ops"], [job["seed"] for job in self.jobs]
        disagreed = sum(one["disagreed"] for one in ops.values())
        caused = sum(cause["count"] for cause in self.causes)
        fault = None
        if self.number > self.of:
            fault = f"`selection.shard` is {self.number} of {self.of}"
        elif stray := sorted({*ops, *(one["op"] for one in self.causes)} - {*all_ops(self.content["spec"])}):
            fault = f"{stray[0]} is no op of {self.content['spec']}"
        elif caused > disagreed or (caused < disagreed and not self.interrupted):
            fault = f"its causes have {caused:,} disagreements, and there are {disagreed:,}"
        elif stray := [seed for seed in seeds if not self._is_own(seed)]:
            fault = f"the seed {stray[0]} is none of {self.label}"
        elif len(set(seeds)) < len(seeds):
            fault = "two of its jobs have the same seed"
        elif stray := [cause["seed"] for cause in self.causes if cause["seed"] not in seeds]:
            fault = f"a cause has the seed {stray[0]}, which none of its jobs has"
        if fault is not None:
            raise ReportError(f"{self.name} contradicts itself: {fault}")

    def _is_own(self, seed: int) -> bool:
        job = seed - MOST_JOBS * self.content["selection"]["seed"]
        return bool(0 <= job < MOST_JOBS and job % self.of == self.number - 1)


def merged_fuzz(documents: Sequence[Document]) -> dict[str, Any]:
    """The report of the whole run; its problems name missing shards.

    Raises:
        ReportError: the shards belong to different runs, overlap, or contradict themselves.
    """
    parts = [_Part(document) for document in documents]
    _one_run(parts)
    return _whole(sorted(parts, key=lambda part: part.number))


def _one_run(parts: Sequence[_Part]) -> None:
    first, by_number = parts[0], dict[int, _Part]()
    tried = next((part for part in parts if part.started), first)
    for part in parts:
        if part.of != first.of:
            raise _of_another(part, first, "selection.shard.of", str(part.of), str(first.of))
        _alike(part, first, _ALIKE)
        if part.started:
            _alike(part, tried, _OF_HELLO)
        other = by_number.setdefault(part.number, part)
        if other is not part and same(other.content, part.content):
            raise ReportError(f"{part.name} is there twice: {other.name} is the same {part.label}")
        if other is not part:
            raise ReportError(f"{other.name} and {part.name} are both {part.label}, and differ")


def _alike(part: _Part, other: _Part, members: Sequence[tuple[str, ...]]) -> None:
    for path in members:
        mine: Any = part.content
        its: Any = other.content
        for name in path:
            mine, its = mine[name], its[name]
        if not same(mine, its):
            raise _of_another(part, other, *first_difference(mine, its, ".".join(path)))


def _of_another(part: _Part, other: _Part, where: str, mine: str, its: str) -> ReportError:
    advice = "; give all parts the same --seed" if where == "selection.seed" else ""
    return ReportError(
        f"{part.name} is of another run than {other.name}: `{where}` is {mine}, not {its}{advice}"
    )


def _causes(parts: Sequence[_Part]) -> list[dict[str, Any]]:
    """The distinct causes of all shards in the order of their seeds, each with its smallest counterexample.

    Two causes are the same if they are alike and share a known mistake, or both have none.
    """
    found: list[tuple[frozenset[str], dict[str, Any]]] = []
    for other in sorted((cause for part in parts for cause in part.causes), key=lambda one: one["seed"]):
        mistakes = frozenset(other.get("mistakes", ()))
        for number, (known, cause) in enumerate(found):
            alike = (cause["op"], cause["kind"]) == (other["op"], other["kind"])
            if alike and (known & mistakes or not (known or mistakes)):
                cause["count"] += other["count"]
                cause["mistakes"] = sorted(known & mistakes)
                found[number] = known & mistakes, cause
                shown = _SHOWN if _smaller(other, cause) else ()
                explained = cause["likely"] is None or (shown and other["likely"] is not None)
                named = (*shown, *(_EXPLAINED if explained else ()))
                cause |= {name: other[name] for name in named if name in other}
                break
        else:
            found.append((mistakes, dict(other)))
    return [cause for _, cause in found]


def _smaller(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Whether a counterexample is the better one to show: it repeats, or both do and it is smaller."""
    if one["repeats"] != other["repeats"]:
        return bool(one["repeats"])
    mine, its = ((cause.get("asked") or {}) for cause in (one, other))
    return "input" in mine and "input" in its and weight(mine["input"]) < weight(its["input"])


def _environment(parts: Sequence[_Part], problems: list[str]) -> str | None:
    """The environment that explains all shards; it is a problem if shards need different ones."""
    if any(part.content["environment"] is None and part.telling for part in parts):
        return None  # this shard alone mixes them
    named = [part for part in parts if part.content["environment"] is not None]
    for part in named[1:]:
        if part.content["environment"] != named[0].content["environment"]:
            problems.append(
                f"{named[0].label} answers as {named[0].content['environment']} does, {part.label} as "
                f"{part.content['environment']}: it mixes environments, and no single one explains the run"
            )
            return None
    return str(named[0].content["environment"]) if named else None


def _whole(parts: Sequence[_Part]) -> dict[str, Any]:
    """The merged run."""

    def every(member: str) -> list[Any]:
        return [part.content[member] for part in parts]

    spoken = next((part.content for part in parts if part.started), parts[0].content)
    selection, of = parts[0].content["selection"], parts[0].of
    gone = sorted({*range(1, of + 1)} - {part.number for part in parts})
    ops = {
        op: {name: sum(one.get(op, {}).get(name, 0) for one in every("ops")) for name in _COUNTS}
        for op in spoken["ops"]
    }
    agreed, disagreed, unsupported = (sum(one[name] for one in ops.values()) for name in _COUNTS)
    odd = [
        f"{part.label} was interrupted: {count_phrase(part.content['compared'], 'input', 'inputs')} compared"
        for part in parts
        if part.interrupted
    ]
    odd += [f"shard {number}/{of} is missing: its inputs were not compared" for number in gone]
    incomplete = bool(odd)
    environment = _environment(parts, odd)
    code = 2 if not agreed + disagreed else 1 if disagreed or unsupported or odd else 0
    if code == 0 and any(part.failed for part in parts):
        code = 2
    ended = next((end for end in ("runner", "time") if end in every("ended")), "inputs")
    jobs = sorted((job for part in parts for job in part.jobs), key=lambda job: job["seed"])
    looking = sum(part.content["looking_seconds"] * len(part.jobs) for part in parts) / len(jobs)
    seconds = max(every("duration_seconds"))
    files = [part.content for part in parts if part.content["counterexamples"] is not None]
    only: Mapping[str, Any] = files[0] if len(files) == 1 else {}
    problems = [one for several in every("problems") for one in several]
    whole = {
        **spoken,
        "started_at": min(every("started_at")),
        "start_up_seconds": max(every("start_up_seconds")),
        "duration_seconds": seconds,
        "environment": environment,
        "looking_seconds": round(looking, 3),
        "telling": sum(part.telling for part in parts),
        "seed": selection["seed"],
        "selection": {
            **selection,
            "shard": None,
            **({"missing_shards": {"numbers": gone, "of": of}} if gone else {}),
        },
        "jobs": jobs,
        "ended": "incomplete" if incomplete else ended,
        "exit_code": code,
        "problems": list(dict.fromkeys([*problems, *odd])),
        "cut": [f"{part.label}: {one}" for part in parts for one in part.content.get("cut", ())],
        "compared": agreed + disagreed,
        "disagreed": disagreed,
        "incomparable": sum(every("incomparable")),
        "rate_per_second": round((agreed + disagreed) / (seconds - looking), 1) if seconds > looking else 0.0,
        "ops": ops,
        "unclaimed": sorted({OPS[op].conformance_class for op, one in ops.items() if one["unsupported"]}),
        "causes": _causes(parts),
        "counterexamples": only.get("counterexamples"),
        "repeat": only.get("repeat"),
    }
    names = [name for name in spoken if name != "jobs"]
    names.insert(names.index("selection") + 1, "jobs")  # the default path of a run
    return {name: whole[name] for name in (*names, *(name for name in whole if name not in names))}
