"""Properties of every outcome line, when it is read."""

import json
from typing import Any

from conformance.drawing.numbers import small_int
from conformance.drawing.reasons import reason
from conformance.drawing.source import Source
from conformance.judging.comparison import Level
from conformance.properties.asking import Asker
from conformance.properties.registry import holds
from conformance.specs.harbor.outcome.draw import NOISE, PREFIX, payload, stdout
from conformance.specs.harbor.results import good_result

__all__: list[str] = []

_OP = "read_outcome"


def _payload(source: Source) -> dict[str, Any]:
    """A payload whose reading raises no error: an int score beyond the double range would."""
    members = payload(source)
    score = members.get("score")
    return {**members, "score": 1} if isinstance(score, int) and abs(score) >= 10**300 else members


def _payload_with_reason(source: Source) -> dict[str, Any]:
    """A payload whose reason is a text."""
    drawn = _payload(source)
    return drawn if isinstance(drawn.get("reason_code"), str) else {**drawn, "reason_code": reason(source)}


def _line(source: Source) -> str:
    return PREFIX + json.dumps(_payload(source))


def _code(source: Source) -> int:
    return source.pick((0, 0, 1, -9, 137))


def _noise(source: Source) -> list[str]:
    return source.times(3, lambda source: source.pick(NOISE))


def _input(printed: str, returncode: int = 0, timed_out: bool = False) -> dict[str, Any]:
    return {"stdout": printed, "returncode": returncode, "timed_out": timed_out}


@holds("read-outcome-last-line-decides", lambda source: (stdout(source), _line(source), _code(source)))
def _last_line_decides(asker: Asker, drawn: Any) -> None:
    before, line, code = drawn
    single, longer = _input(line, code), _input(f"{before}\n{line}", code)
    asker.same(_OP, single, longer, "what comes before the last outcome line matters")


@holds("read-outcome-noise-after", lambda source: (_line(source), _noise(source), _code(source)))
def _noise_after(asker: Asker, drawn: Any) -> None:
    line, after, code = drawn
    longer = _input("\n".join([line, *after]), code)
    asker.same(_OP, _input(line, code), longer, "lines that are not outcome lines matter")


def _judged(asker: Asker, input_: Any) -> tuple[str, Any, str | None]:
    answer = asker.ok(_OP, input_)
    asker.holds(set(answer) == {"status", "score", "reason_code"}, f"the members are {sorted(answer)}")
    return answer["status"], answer["score"], answer["reason_code"]


def _run(source: Source) -> dict[str, Any]:
    printed = "\n".join(source.times(2, _line)) if source.below(2) else _line(source)
    return _input(printed, _code(source), bool(source.below(2)))


@holds("read-outcome-score-between-0-and-1", _run, examples=150)  # few of the inputs get as far as the score
def _score_between_0_and_1(asker: Asker, drawn: Any) -> None:
    status, score, reason = _judged(asker, drawn)
    asker.holds(status in ("completed", "failed", "timed_out"), f"the status is {status!r}")
    asker.holds(0 <= score <= 1, f"the score is {score!r}")
    asker.holds(isinstance(score, float) or asker.level < Level.EXACT, f"the score is {score!r}, not a float")
    asker.holds(score == 0 or status == "completed", f"{status} with score {score!r}")
    asker.holds(reason != "", "the reason is empty")


@holds("read-outcome-time-out-comes-first", lambda source: (_line(source), _code(source)))
def _time_out_comes_first(asker: Asker, drawn: Any) -> None:
    line, code = drawn
    asker.equal(("timed_out", 0.0, "timed_out"), _judged(asker, _input(line, code, True)), "the outcome")


@holds("read-outcome-exit-codes-alike", lambda source: (_line(source), small_int(source) or 255))
def _exit_codes_alike(asker: Asker, drawn: Any) -> None:
    line, code = drawn
    asker.same(_OP, _input(line, 1), _input(line, code), "the exit code of a failed process matters")
    status, score, reason = _judged(asker, _input(line, code))
    asker.equal(("failed", 0.0), (status, score), "the outcome of a failed process")
    asker.holds(reason is not None, "a failed process has no reason")


def _on_one_line(source: Source) -> dict[str, Any]:
    """A payload that stays on one line although its letters are not escaped."""
    drawn = _payload(source)
    text = drawn.get("reason_code")
    return {**drawn, "reason_code": text.replace("\x85", " ")} if isinstance(text, str) else drawn


@holds("read-outcome-payload-layout", lambda source: (_on_one_line(source), _code(source)))
def _payload_layout(asker: Asker, drawn: Any) -> None:
    members, code = drawn
    turned = dict(reversed(members.items()))
    spread = f"{PREFIX} {json.dumps(turned, ensure_ascii=False, separators=(' ,', ':	'))} "
    compact = _input(PREFIX + json.dumps(members), code)
    asker.same(_OP, compact, _input(spread, code), "the layout of the payload matters")


@holds(
    "read-outcome-other-members-are-ignored",
    lambda source: (_payload(source), source.pick(("total", "note", "resolved"))),
)
def _other_members_are_ignored(asker: Asker, drawn: Any) -> None:
    members, name = drawn
    first, second = (_input(PREFIX + json.dumps({**members, name: value})) for value in (1, "x"))
    asker.same(_OP, first, second, "a member that the rules do not name matters")


@holds("read-outcome-reads-lines-back", good_result)
def _reads_lines_back(asker: Asker, result: Any) -> None:
    line = asker.ok("outcome", {"result.json": {"text": json.dumps(result)}})["line"]
    summary = json.loads(line.partition("=")[2])
    outcome = _judged(asker, _input(line + "\n"))
    expected: tuple[Any, ...] = (summary["status"], summary["score"], None)
    if summary["status"] == "failed":
        expected = ("failed", 0.0, "harbor_result_invalid" if summary["score"] > 0 else None)
    asker.equal(expected, outcome, "the outcome of the runner's own line")


@holds("read-outcome-reason-is-a-code", _payload_with_reason)
def _reason_is_a_code(asker: Asker, members: Any) -> None:
    scored = {**members, "status": "completed", "score": 0.5}
    outcome = _judged(asker, _input(PREFIX + json.dumps(scored)))
    code = asker.ok("reason_code", {"text": scored["reason_code"]})["reason_code"]
    asker.equal(("completed", 0.5, code), outcome, "the outcome")
