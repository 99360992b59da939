import json

import pytest

from reference_impl.outcome import RESULT_PREFIX, Outcome, Summary, read_outcome, summarise

EMPTY = "harbor_reward_empty"
MALFORMED = Summary(reason_code="harbor_result_malformed")


def result(*metrics: object, total: object = 1, errored: object = 0, completed: object = 1) -> bytes:
    stats = {
        "n_completed_trials": completed,
        "n_errored_trials": errored,
        "evals": {f"group {number}": {"metrics": list} for number, list in enumerate(metrics)},
    }
    return json.dumps({"n_total_trials": total, "stats": stats}).encode()


def line(**payload: object) -> str:
    return RESULT_PREFIX + json.dumps(payload)


def test_no_file() -> None:
    assert summarise(None).line() == (
        'BASE_BENCHMARK_RESULT={"reason_code": "harbor_result_missing", "resolved": 0,'
        ' "score": 0.0, "status": "failed", "total": 0}'
    )


def test_score_is_the_mean_of_all_values_of_all_metrics() -> None:
    content = result([{"mean": 1.0}, {"max": 1, "min": 0}], [{"a": 0.5}], total=4)
    assert summarise(content) == Summary("completed", 0.625, 2, 4)


def test_mean_hides_the_other_values_of_its_metric() -> None:
    assert summarise(result([{"mean": 1.0, "other": 0.0}])).score == 1.0


@pytest.mark.parametrize(
    ("score", "total", "resolved"), [(0.5, 1, 0), (0.5, 3, 2), (0.5, 5, 2), (0.25, 2, 0), (0.1, 10, 1)]
)
def test_resolved_is_rounded_half_to_even(score: float, total: int, resolved: int) -> None:
    assert summarise(result([{"mean": score}], total=total)).resolved == resolved


def test_status_depends_on_errors_alone() -> None:
    assert summarise(result([{"mean": 1.0}], errored=1)).status == "failed"
    assert summarise(result([{"mean": 0.0}])).status == "completed"


@pytest.mark.parametrize("total", [0, None, "", False, []])
def test_total_falls_back_to_the_trials_that_ended(total: object) -> None:
    assert summarise(result(total=total, completed=2, errored=1)).total == 3


@pytest.mark.parametrize("total", [3, 3.7, "3", " \u0663 "])
def test_counts_are_made_as_int_makes_them(total: object) -> None:
    assert summarise(result(total=total)).total == 3


@pytest.mark.parametrize("value", [1, True, "1", "\U00011f51", 1.0])
def test_values_are_made_as_float_makes_them(value: object) -> None:
    assert repr(summarise(result([{"mean": value}])).score) == "1.0"


@pytest.mark.parametrize("metrics", [[], {}, "", [{}]])
def test_nothing_measured_scores_0(metrics: object) -> None:
    assert summarise(result(metrics)) == Summary("completed", 0.0, 0, 1)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"\xff",
        b"null",
        b"[]",
        b'{"stats": null}',
        b'{"stats": {"evals": null}}',
        b'{"stats": {"evals": {"a": null}}}',
        b"[" * 100_000,
        b'{"n_total_trials": ' + b"9" * 4301 + b"}",
        result(None),
        result(0),
        result("mean"),
        result({"mean": 1}),
        result(["mean"]),
        result([["mean"]]),
        result([None]),
        result([{"mean": None}]),
        result([{"mean": []}]),
        result([{"mean": "x"}]),
        result([{"mean": float("nan")}]),
        result([{"mean": float("inf")}], total=0),
        result([{"mean": 10**400}]),
        result([{"mean": 1e308}], total=10),
        result(total="3.7"),
        result(total=[1]),
        result(total=10**309),
        result(total=float("inf")),
    ],
    ids=lambda content: content[-40:].decode("latin-1"),
)
def test_whatever_goes_wrong_is_malformed(content: bytes) -> None:
    assert summarise(content) == MALFORMED


def test_a_total_too_long_to_print_escapes() -> None:
    nines = "9" * 4300
    with pytest.raises(ValueError, match="4300 digits"):
        summarise(result(total=0, completed=nines, errored=nines)).line()


def test_what_is_printed_can_be_read() -> None:
    stdout = f"log\n{summarise(result([{'mean': 0.75}])).line()}\nlog\n"
    assert read_outcome(stdout, 0, False) == Outcome("completed", 0.75, None)


@pytest.mark.parametrize(
    ("stdout", "expected"),
    [
        ("", Outcome("failed", 0.0, "harbor_result_missing")),
        (" " + line(status="completed", score=1), Outcome("failed", 0.0, "harbor_result_missing")),
        (RESULT_PREFIX, Outcome("failed", 0.0, "harbor_result_malformed")),
        (RESULT_PREFIX + "[]", Outcome("failed", 0.0, "harbor_result_malformed")),
        ("x\u2028" + line(status="completed", score=1), Outcome("completed", 1.0, None)),
        (line(score=1), Outcome("failed", 0.0, "harbor_result_partial")),
        (line(status="completed"), Outcome("failed", 0.0, "harbor_result_partial")),
        (line(status=1, score=1), Outcome("failed", 0.0, "harbor_result_partial")),
        (line(status="completed", score=None), Outcome("failed", 0.0, "harbor_result_invalid")),
        (line(status="completed", score=True), Outcome("failed", 0.0, "harbor_result_invalid")),
        (line(status="completed", score=1.5), Outcome("failed", 0.0, "harbor_result_invalid")),
        (line(status="completed", score=float("nan")), Outcome("failed", 0.0, "harbor_result_invalid")),
        (line(status="done", score=1), Outcome("failed", 0.0, "harbor_result_invalid")),
        (line(status="failed", score=0.5), Outcome("failed", 0.0, "harbor_result_invalid")),
        (line(status="failed", score=0), Outcome("failed", 0.0, None)),
        (line(status="failed", score=0, reason_code="x reward empty"), Outcome("failed", 0.0, EMPTY)),
        (line(status="completed", score=1, reason_code=""), Outcome("completed", 1.0, None)),
        (line(status="completed", score=1, reason_code=7), Outcome("completed", 1.0, None)),
    ],
)  # fmt: skip
def test_reading(stdout: str, expected: Outcome) -> None:
    assert read_outcome(stdout, 0, False) == expected


def test_the_last_line_decides() -> None:
    good, bad = line(status="completed", score=1), RESULT_PREFIX + "{"
    assert read_outcome(f"{good}\n{bad}", 0, False).reason_code == "harbor_result_malformed"
    assert read_outcome(f"{bad}\n{good}", 0, False) == Outcome("completed", 1.0, None)


def test_the_time_out_counts_first_and_then_the_exit_code() -> None:
    good = line(status="completed", score=1, reason_code="Cancelled Error")
    assert read_outcome(good, 1, True) == Outcome("timed_out", 0.0, "timed_out")
    assert read_outcome(good, 1, False) == Outcome("failed", 0.0, "harbor_cancelled_error")
    assert read_outcome("", -9, False) == Outcome("failed", 0.0, "harbor_nonzero_exit")


@pytest.mark.parametrize(("payload", "error"), [("9" * 4301, ValueError), ("[" * 100_000, RecursionError)])
def test_these_escape_even_after_a_time_out(payload: str, error: type[Exception]) -> None:
    with pytest.raises(error):
        read_outcome(RESULT_PREFIX + payload, 1, True)


def test_a_score_beyond_the_double_range_escapes() -> None:
    with pytest.raises(OverflowError):
        read_outcome(line(status="completed", score=10**400), 0, False)
