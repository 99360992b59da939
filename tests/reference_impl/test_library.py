"""The reference as a library: what no message can show, such as its errors' words and what it shares.

Its rules are shown by vectors, which `test_vectors.py` asks.
"""

import json
import math
import sys
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import ClassVar

import pytest

from reference_impl.agent_result import validate_agent_result
from reference_impl.aggregation import aggregate
from reference_impl.cpython312.parsing import parse_float, parse_int, parse_json
from reference_impl.errors import ValidationError
from reference_impl.evsys import BUILT_INS, DEFAULT_METRICS, Registry, evaluate
from reference_impl.harness_evals import Score
from reference_impl.job_result import Job, JobStatistics, Trial, job_result
from reference_impl.json_text import JsonObject, PydanticSerializationError, json_text, number_key, printable
from reference_impl.metric_resolution import Dataset, DatasetKind, resolve_metrics
from reference_impl.metric_script import metric_script, rewards_jsonl, show_first_value
from reference_impl.multi_step import validate_min_reward
from reference_impl.outcome import summarise
from reference_impl.plan import plan_trials
from reference_impl.reward import parse_reward
from reference_impl.verifier_result import VerifierResult, validate_rewards

DOCUMENTS = Path(__file__).parents[1] / "extensions" / "metrics" / "documents"
"""The programs of the documents, as they are printed."""
HUGE = 10**400
JOB = Job("id", "then", "now", "now", n_total_trials=1, n_retries=0, metrics={"d": ["mean"]})
LONG_COUNTS = {"stats": {"n_completed_trials": "9" * 4300, "n_errored_trials": "9" * 4300, "evals": {}}}


def trial(rewards, name="x", **more):
    return Trial("t", name, "d", "a", None, VerifierResult(rewards), **more)


def results(*trials):
    return json.loads(job_result(JOB, trials).text())["stats"]["evals"]


def taken():
    registry = Registry()
    registry.register_metric("mine")(Constant)
    return registry


class Constant:
    """A metric as somebody may write it."""

    name: ClassVar[str] = "constant"

    def compute(self, task_rewards):
        return 0.25


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: parse_float("\x1c1"), ValueError, "could not convert"),
        (lambda: parse_int("3.7"), ValueError, "int"),
        (lambda: parse_json("1" + "0" * 4300), ValueError, "4300 digits"),
        (lambda: number_key(10**4300), ValueError, "4300"),
        (lambda: printable("\ud800"), PydanticSerializationError, "surrogates"),
        (lambda: json_text("\ud800"), PydanticSerializationError, "surrogates"),
        (lambda: rewards_jsonl([{"r": -(10**4300)}]), ValueError, "4300 digits"),
        (lambda: summarise(json.dumps(LONG_COUNTS).encode()).line(), ValueError, "4300 digits"),
        (lambda: aggregate("median", []), KeyError, "median"),
        (lambda: plan_trials(1, [], ["a"]), ValueError, "at least one task"),
        (lambda: validate_agent_result(None, None, None, HUGE), ValidationError, "cost_usd"),
        (lambda: validate_min_reward({"a": -HUGE}), ValidationError, "min_reward"),
        (lambda: validate_rewards([]), ValidationError, "rewards does not accept"),
        (lambda: validate_rewards({"good": 1, "bad": "x"}), ValidationError, r"\['bad'\].*str"),
        (lambda: parse_reward({"reward.txt": b" "}), ValueError, r"text file reward\.txt"),
        (lambda: parse_reward({"reward.json": b"01"}), ValueError, r"JSON file reward\.json"),
        (lambda: parse_reward({"reward.json": b"", "reward.txt": b"1"}), ValueError, r"reward\.json"),
        (lambda: taken().register_metric("mine")(BUILT_INS["avg"]), ValueError, "'mine' is already regist"),
        (lambda: Registry().register_metric("")(type("Nameless", (), {})), ValueError, "without a name"),
        (lambda: taken().get("constant"), KeyError, "'constant', available: avg, mean_reward, mine, pass@1"),
        (lambda: Score("m", 1.5, 0.5), ValueError, r"between 0\.0 and 1\.0"),
        (lambda: metric_script(None, []), FileNotFoundError, "no such script"),
    ],
)
def test_an_error_says_what_is_wrong(call, error, words) -> None:
    with pytest.raises(Exception, match=words) as raised:
        call()
    if error is ValueError:
        assert isinstance(raised.value, ValueError) or hasattr(raised.value, "reason_code")
    else:
        assert raised.type is error


def test_what_a_model_refuses_is_named() -> None:
    with pytest.raises(ValidationError) as caught:
        validate_rewards({"good": 1, "bad": [1]})
    assert (caught.value.field, caught.value.value) == ("rewards['bad']", [1])


# What messages can't carry: half a surrogate pair, one NaN twice, a generator


def test_half_a_surrogate_pair_ends_a_name_and_is_lost_in_a_key() -> None:
    tree = JsonObject([("\ud800\udc00", 1), ("a\udfff", 2)])
    assert json.loads(json_text(tree)) == {"\ufffd" * 6: 1, "a" + "\ufffd" * 3: 2}
    for listed in (trial({"r": 1}, "\ud800"), trial(None, "\ud800", exception="E")):
        with pytest.raises(PydanticSerializationError):
            results(listed)
    assert results(trial(None, "\ud800"), trial({}, "\ud800"))["a__d"]["n_trials"] == 1
    ((key, group),) = results(replace(trial({"\ud800": 1}, exception="\udfff"), agent="\ud801")).items()
    lost = "\ufffd" * 3
    assert (key, [*group["reward_stats"]], [*group["exception_stats"]]) == (f"{lost}__d", [lost], [lost])


def test_names_can_repeat_and_each_nan_is_listed_unless_it_is_the_same_object() -> None:
    text = json_text(JsonObject([("nan", 1), ("nan", 2)]))
    assert (text, json.loads(text)) == ('{\n    "nan": 1,\n    "nan": 2\n}', {"nan": 2})
    shared = math.nan
    rewards = [float("nan"), shared, float("nan"), shared]
    text = job_result(JOB, [trial({"r": reward}, str(i)) for i, reward in enumerate(rewards)]).text()
    assert text.count('"nan"') == 3


@pytest.mark.parametrize("number", [10**4299, 10**4300, -(10**4300), 10**9000 + 7], ids=lambda _: "")
def test_an_int_as_a_value_has_any_number_of_digits(number) -> None:
    text = json_text(number)
    value = 0
    for start in range(0, len(text.lstrip("-")), 4000):
        piece = text.lstrip("-")[start : start + 4000]
        value = value * 10 ** len(piece) + int(piece)
    assert (-value if text.startswith("-") else value) == number
    assert text.lstrip("-")[0] != "0"


def test_trials_may_come_one_by_one_and_lists_are_not_shared() -> None:
    every = [trial({"r": 0.1}, str(index)) for index in range(10)]
    statistics = JobStatistics()
    for one in every:
        statistics.add(one)
    assert job_result(JOB, iter(every)).text() == statistics.result(JOB).text()
    job_metrics = ["max"]
    metrics = resolve_metrics([Dataset("d", DatasetKind.LOCAL)], job_metrics)
    metrics["adhoc"].append("sum")
    assert metrics["d"] == job_metrics == ["max"]


@pytest.mark.slow
def test_many_trials_take_no_more_than_their_share() -> None:
    def many(count):
        for index in range(count):
            yield replace(trial({"r": float("nan")}, str(index)), task_name=str(index))

    assert results(*many(20_000))["a__d"]["n_trials"] == 20_000


def test_a_class_gets_its_key_for_a_name_and_stays_itself() -> None:
    registry = Registry()
    nameless = type("Nameless", (), {"compute": Constant.compute})
    for key in ("first", "second", "second"):
        assert registry.register_metric(key)(nameless) is nameless is registry.get(key)
        assert nameless.name == key
    with pytest.raises(ValueError, match="'avg'"):
        registry.register_metric("avg")(nameless)
    assert nameless.name == "second"
    assert registry.available() == sorted([*BUILT_INS, "first", "second"])
    assert Registry().available() == sorted(BUILT_INS), "registries are apart"
    assert evaluate(registry, [], [[1.0, 0.0]])[0].keys() == set(DEFAULT_METRICS)


def test_the_documents_metric(monkeypatch) -> None:
    """Executed as it is printed, with a registry that its import finds, and listed on a benchmark."""
    registry, module = Registry(), ModuleType("evsys_sdk.registry")
    module.__dict__["register_metric"] = registry.register_metric
    monkeypatch.setitem(sys.modules, "evsys_sdk", ModuleType("evsys_sdk"))
    monkeypatch.setitem(sys.modules, "evsys_sdk.registry", module)
    source = (DOCUMENTS / "worst_task.py").read_text(encoding="utf-8")
    exec(compile(source, "document-002", "exec"), {"__name__": "worst_task"})
    assert registry.get("worst_task").name == "worst_task"
    several = [[1.0, 0.0], [], [1.0], [0.0, 0.0, 1.0]]
    for rewards, worst in ((several, 1 / 3), ([], 0.0), ([[]], 0.0), ([(0.5, 0.5), (1, 1)], 0.5)):
        assert evaluate(registry, ["worst_task"], rewards) == ({"worst_task": worst}, [])


def test_a_first_value_as_it_is_shown() -> None:
    """Which outputs are errors, vectors show."""
    outputs = ({"mean": 0.5}, {"n": 3, "note": "x"}, {"passed": True}, {"mean": -math.inf})
    assert [show_first_value(one) for one in outputs] == ["0.500", "3.000", "1.000", "-inf"]
