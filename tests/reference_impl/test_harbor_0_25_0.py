"""The rules of harbor 0.25.0 that are not those of 0.13.1."""

import pytest

from reference_impl import (
    Dataset,
    DatasetKind,
    RewardFileEmptyError,
    ValidationError,
    VerifierOutputParseError,
)
from reference_impl.harbor_0_25_0 import (
    parse_finite_reward,
    plan_attempts,
    resolve_with_sources,
    validate_step_names,
)
from reference_impl.harbor_0_25_0.operations import OPERATIONS
from reference_impl.runner.operations import OPERATIONS as BASE


@pytest.mark.parametrize("value", ["NaN", "-Infinity", "1e309", '"1"', "null", "[1]", "{}"])
def test_what_is_no_finite_number_spoils_the_file(value: str) -> None:
    for text in (f'{{"a": {value}}}', f'{{"a": 1, "b": {value}}}', f'{{"a": {value}, "b": 1}}'):
        with pytest.raises(VerifierOutputParseError):
            parse_finite_reward({"reward.json": text.encode()})


def test_bools_and_ints_of_any_size_pass() -> None:
    content = f'{{"a": true, "b": {10**400}, "c": -0.0}}'.encode()
    assert parse_finite_reward({"reward.json": content}) == {"a": 1.0, "b": 10**400, "c": 0.0}


@pytest.mark.parametrize(("content", "error"), [(b"null", VerifierOutputParseError), (b"1", ValidationError)])
def test_a_top_level_is_one_value(content: bytes, error: type[Exception]) -> None:
    with pytest.raises(error):
        parse_finite_reward({"reward.json": content, "reward.txt": b"1"})


def test_errors_of_reading_come_first() -> None:
    with pytest.raises(RewardFileEmptyError):
        parse_finite_reward({"reward.json": b"", "reward.txt": b"nan"})


def test_attempts_are_looked_at_before_tasks() -> None:
    with pytest.raises(ValidationError):
        plan_attempts(0, [], [])
    with pytest.raises(ValueError, match="at least one task"):
        plan_attempts(1, [], [])


def test_a_source_that_no_dataset_has() -> None:
    datasets = [Dataset("d", DatasetKind.LOCAL)]
    assert resolve_with_sources(datasets, ["max"], ["d", "x", None]) == {
        "adhoc": ["max"],
        "d": ["max"],
        "x": ["max"],
    }
    assert resolve_with_sources(datasets, [], ["x"])["x"] == ["mean"]


@pytest.mark.parametrize(
    "names", [["CON"], ["a."], ["a/b"], [" "], ["a", "A"], ["é", "e\u0301"], ["a" * 256]]
)
def test_step_names_that_are_refused(names: list[str]) -> None:
    with pytest.raises(ValidationError):
        validate_step_names(names)


def test_step_names_that_are_good() -> None:
    validate_step_names(["build", " con", "COM0", "名" * 85, ".hidden"])


def test_the_table_has_every_operation() -> None:
    assert list(OPERATIONS) == list(BASE)
