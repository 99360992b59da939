"""Reports of the parts of one fuzz run put together: every seed tried, every cause told once.

A part's counts and causes are in its report, and nothing is asked again: the whole says what the parts say.
What ``shares.gather`` does with jobs is done here with reports, so that parts of one job each come to what
as many jobs of one run do, but for times and for the likely mistakes, which each part looked for alone.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from conformance.fuzz.inputs import all_ops
from conformance.fuzz.shares import MOST_JOBS
from conformance.fuzz.shrinking import weight
from conformance.outcomes.merging import first_other, same, were
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
"""What the parts of one run have in common, whatever became of them."""
_SAID = (*(("runner", name) for name in ("name", "version", "numbers", "ops")), ("not_asked",))
"""What those have in common whose runner said hello."""
_SHOWN = ("repeats", "counterexample", "clause", "detail", "asked", "expected", "actual", "repeat")
"""What a cause says of the counterexample that people see."""
_EXPLAINED = ("likely", "do")


class _Part:
    """One part, and whether its own account holds together."""

    def __init__(self, document: Document) -> None:
        self.name, self.content = document.name, document.content
        shard = self.content.get("selection", {}).get("shard")
        if shard is None:
            raise ReportError(
                f"{self.name} is no part of a fuzz run: it was made without --shard (`selection.shard`)"
            )
        self.number: int = shard["number"]
        self.of: int = shard["of"]
        self.interrupted = self.content["exit_code"] in _INTERRUPTED
        self._check()

    @property
    def told(self) -> str:
        """It for people."""
        return f"shard {self.number}/{self.of}"

    @property
    def jobs(self) -> list[dict[str, Any]]:
        """Its jobs; a part of one process is one."""
        content = self.content
        if "jobs" in content:
            return list(content["jobs"])
        problem = (
            content["problems"][0] if content["runner"]["name"] is None and content["problems"] else None
        )
        return [{"seed": content["seed"], "compared": content["compared"], "problem": problem}]

    @property
    def causes(self) -> list[dict[str, Any]]:
        """Its causes, each with the seed of its first disagreement."""
        return [
            {**cause, "seed": cause.get("seed", self.content["seed"])} for cause in self.content["causes"]
        ]

    @property
    def failed(self) -> bool:
        """Whether it could not be tried, or not to its end, and shows no disagreement."""
        return self.content["exit_code"] == 2 and bool(self.content["problems"])

    @property
    def mixed(self) -> bool:
        """Whether its answers are right in one environment alone, and in another."""
        return self.content["environment"] is None and self.content.get("telling", 0) > 0

    def _wrong(self, fault: str) -> ReportError:
        return ReportError(f"{self.name} contradicts itself: {fault}")

    def _check(self) -> None:
        """Sees to it that what it says follows from what it says.

        Raises:
            ReportError: it does not.
        """
        content = self.content
        told, caused = content["ops"].values(), sum(cause["count"] for cause in content["causes"])
        agreed, disagreed = (sum(one[name] for one in told) for name in ("agreed", "disagreed"))
        unexplained = disagreed - caused
        if (agreed + disagreed, disagreed) != (content["compared"], content["disagreed"]):
            raise self._wrong("its counts are not those of its ops")
        if caused > disagreed:
            raise self._wrong(f"its causes have {caused:,} disagreements, and there are {disagreed:,}")
        if stray := sorted({cause["op"] for cause in content["causes"]} - content["ops"].keys()):
            raise self._wrong(f"a cause is of op {stray[0]}, which was not asked")
        if sum(job["compared"] for job in self.jobs) != content["compared"]:
            raise self._wrong("its counts are not those of its jobs")
        if self.number > self.of:
            raise self._wrong(f"`selection.shard` is {self.number} of {self.of}")
        if unexplained and not self.interrupted:
            raise self._wrong(f"{unexplained:,} of its disagreements are of no cause")
        stray = [op for op in content["ops"] if op not in all_ops(content["spec"])]
        if stray:
            raise self._wrong(f"`ops` has {stray[0]}, which is no op of {content['spec']}")
        code = _code(content["compared"], bool(content["causes"]) or _refused(content["ops"]))
        if content["exit_code"] not in (code, 2 if content["problems"] else code) and not self.interrupted:
            raise self._wrong(f"`exit_code` is {content['exit_code']}, and its counts come to {code}")
        if content.get("unclaimed") != _unclaimed(content["ops"]):
            raise self._wrong("`unclaimed` is not what its counts come to")
        seeds = [job["seed"] for job in self.jobs]
        for seed in seeds:
            job = seed - MOST_JOBS * content["selection"]["seed"]
            if not 0 <= job < MOST_JOBS or job % self.of != self.number - 1:
                raise self._wrong(f"the seed {seed} is none of {self.told}")
        if len(set(seeds)) < len(seeds):
            raise self._wrong("two of its jobs have one seed")
        for place, cause in enumerate(self.causes):
            if cause["seed"] not in seeds:
                raise self._wrong(f"`causes[{place}].seed` is {cause['seed']}, which none of its jobs has")
            self._check_shown(cause, f"causes[{place}]")

    def _check_shown(self, cause: Mapping[str, Any], where: str) -> None:
        asked = cause.get("asked")
        if cause["counterexample"] is None or not isinstance(asked, dict) or "input" not in asked:
            return
        if asked.get("op") != cause["op"]:
            raise self._wrong(f"`{where}.asked.op` is not {cause['op']}")
        due = counterexample_id(self.content["spec"], cause["op"], asked["input"])
        if cause["counterexample"] != due:
            raise self._wrong(f"`{where}.counterexample` is not the id of what was asked, {due}")


def merged_fuzz(documents: Sequence[Document]) -> dict[str, Any]:
    """The report of the whole run; parts that are missing are named in its problems.

    Raises:
        ReportError: the parts are not of one run, or overlap, or one contradicts itself.
    """
    parts = [_Part(document) for document in documents]
    _one_run(parts)
    parts.sort(key=lambda part: part.number)
    return _whole(parts)


def _one_run(parts: Sequence[_Part]) -> None:
    first, by_number = parts[0], dict[int, _Part]()
    tried = next((part for part in parts if part.content["runner"]["name"] is not None), None)
    for part in parts:
        if part.of != first.of:
            raise _of_another(part, first, "selection.shard.of", str(part.of), str(first.of))
        _alike(part, first, _ALIKE)
        if tried is not None and part.content["runner"]["name"] is not None:
            _alike(part, tried, _SAID)
        other = by_number.setdefault(part.number, part)
        if other is part:
            continue
        if same(other.content, part.content):
            raise ReportError(f"{part.name} is there twice: {other.name} is the same {part.told}")
        raise ReportError(f"{other.name} and {part.name} are both {part.told}, and differ")


def _alike(part: _Part, other: _Part, members: Sequence[tuple[str, ...]]) -> None:
    for path in members:
        mine: Any = part.content
        its: Any = other.content
        for name in path:
            mine, its = mine[name], its[name]
        if not same(mine, its):
            raise _of_another(part, other, *first_other(mine, its, ".".join(path)))


def _of_another(part: _Part, other: _Part, where: str, mine: str, its: str) -> ReportError:
    advice = "; give all parts the same --seed" if where == "selection.seed" else ""
    return ReportError(
        f"{part.name} is of another run than {other.name}: `{where}` is {mine}, not {its}{advice}"
    )


def _refused(ops: Mapping[str, Mapping[str, int]]) -> bool:
    """Whether inputs were unsupported though hello offers their op."""
    return any(counts["unsupported"] for counts in ops.values())


def _unclaimed(ops: Mapping[str, Mapping[str, int]]) -> list[str]:
    return sorted({OPS[op].conformance_class for op, counts in ops.items() if counts["unsupported"]})


def _code(compared: int, found: bool) -> int:
    """The exit code that counts alone come to."""
    return 2 if not compared else 1 if found else 0


def _same_cause(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Whether two causes are one: alike, and some known mistake gives both, or none gives either."""
    mine, its = (frozenset(cause.get("mistakes", ())) for cause in (one, other))
    return bool(
        (one["op"], one["kind"]) == (other["op"], other["kind"]) and (mine & its or not (mine or its))
    )


def _causes(parts: Sequence[_Part]) -> list[dict[str, Any]]:
    """The causes of all parts in the order of their seeds, each once, with its smallest counterexample."""
    found: list[dict[str, Any]] = []
    for other in sorted((cause for part in parts for cause in part.causes), key=lambda one: one["seed"]):
        cause = next((one for one in found if _same_cause(one, other)), None)
        if cause is None:
            found.append(dict(other))
            continue
        cause["count"] += other["count"]
        cause["mistakes"] = sorted(set(cause.get("mistakes", ())) & set(other.get("mistakes", ())))
        if _smaller(other, cause):
            cause |= {name: other[name] for name in _SHOWN if name in other}
            if other["likely"] is not None:
                cause |= {name: other[name] for name in _EXPLAINED if name in other}
        if cause["likely"] is None:
            cause |= {name: other[name] for name in _EXPLAINED if name in other}
    return found


def _smaller(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Whether a counterexample is the one to show: it repeats, and is smaller where both do."""
    if one["repeats"] != other["repeats"]:
        return bool(one["repeats"])
    mine, its = ((cause.get("asked") or {}) for cause in (one, other))
    return "input" in mine and "input" in its and weight(mine["input"]) < weight(its["input"])


def _environment(parts: Sequence[_Part], problems: list[str]) -> str | None:
    """The environment that explains all parts; parts that need different ones are a problem."""
    if any(part.mixed for part in parts):
        return None
    telling = [part for part in parts if part.content["environment"] is not None]
    for part in telling[1:]:
        if part.content["environment"] != telling[0].content["environment"]:
            problems.append(
                f"{telling[0].told} answers as {telling[0].content['environment']} does, {part.told} as "
                f"{part.content['environment']}: it mixes environments, and no single one explains the run"
            )
            return None
    return telling[0].content["environment"] if telling else None


def _whole(parts: Sequence[_Part]) -> dict[str, Any]:
    """The run in one piece."""
    first, of = parts[0].content, parts[0].of
    spoken = next((part.content for part in parts if part.content["runner"]["name"] is not None), first)
    numbers = {part.number for part in parts}
    gone = [number for number in range(1, of + 1) if number not in numbers]
    ops = {
        op: {name: sum(part.content["ops"].get(op, {}).get(name, 0) for part in parts) for name in _COUNTS}
        for op in spoken["ops"]
    }
    compared, disagreed = (sum(part.content[name] for part in parts) for name in ("compared", "disagreed"))
    jobs = sorted((job for part in parts for job in part.jobs), key=lambda job: job["seed"])
    causes = _causes(parts)
    odd = [
        f"{part.told} was interrupted: {were(part.content['compared'], 'input', 'inputs')} compared"
        for part in parts
        if part.interrupted
    ]
    odd += [f"shard {number}/{of} is missing: its inputs were not compared" for number in gone]
    incomplete = bool(odd)
    environment = _environment(parts, odd)
    code = _code(compared, bool(causes) or _refused(ops))
    if code == 0 and odd:
        code = 1
    if code == 0 and any(part.failed for part in parts):
        code = 2
    ends = {part.content["ended"] for part in parts}
    looking = sum(part.content["looking_seconds"] * len(part.jobs) for part in parts) / len(jobs)
    seconds = max(part.content["duration_seconds"] for part in parts)
    files = [part.content for part in parts if part.content["counterexamples"] is not None]
    only = files[0] if len(files) == 1 else {}
    whole = {
        **spoken,
        "started_at": min(part.content["started_at"] for part in parts),
        "start_up_seconds": max(part.content["start_up_seconds"] for part in parts),
        "duration_seconds": seconds,
        "environment": environment,
        "looking_seconds": round(looking, 3),
        "telling": sum(part.content.get("telling", 0) for part in parts),
        "seed": first["selection"]["seed"],
        "selection": {
            **first["selection"],
            "shard": None,
            **({"missing_shards": {"numbers": gone, "of": of}} if gone else {}),
        },
        "jobs": jobs,
        "ended": "incomplete"
        if incomplete
        else next((end for end in ("runner", "time") if end in ends), "inputs"),
        "exit_code": code,
        "problems": list(dict.fromkeys([*_said(parts, "problems"), *odd])),
        "cut": [f"{part.told}: {one}" for part in parts for one in part.content.get("cut", ())],
        "compared": compared,
        "disagreed": disagreed,
        "incomparable": sum(part.content["incomparable"] for part in parts),
        "rate_per_second": round(compared / (seconds - looking), 1) if seconds > looking else 0.0,
        "ops": ops,
        "unclaimed": _unclaimed(ops),
        "causes": causes,
        "counterexamples": only.get("counterexamples"),
        "repeat": only.get("repeat"),
    }
    return {name: whole[name] for name in _order(spoken, whole)}


def _order(like: Mapping[str, Any], whole: Mapping[str, Any]) -> list[str]:
    """The members in the order in which a run writes them."""
    names = [name for name in like if name != "jobs"]
    names.insert(names.index("selection") + 1, "jobs")
    return [*names, *(name for name in whole if name not in names)]


def _said(parts: Sequence[_Part], member: str) -> list[str]:
    return [sentence for part in parts for sentence in part.content[member]]
