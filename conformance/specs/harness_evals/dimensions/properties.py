"""Properties of every summary of scores, and of every file of them (004 §8)."""

from typing import Any

from conformance.drawing.source import Source
from conformance.properties.asking import Asker, fail
from conformance.properties.registry import holds
from conformance.specs.harness_evals.answers import read
from conformance.specs.harness_evals.drawn import DIMENSIONS, name, plain_score, plain_value
from conformance.wire.messages import Ok

__all__: list[str] = []

_OP = "harness.dimensions"
_JSON = "harness.json"
_QUALITY = (*(dimension for dimension in DIMENSIONS if dimension != "safety"), "other", "")


def _summarised(source: Source, dimensions: tuple[str, ...] = DIMENSIONS) -> dict[str, Any]:
    """A score with the members that the summary uses."""
    return {
        "name": name(source),
        "value": plain_value(source),
        "threshold": plain_value(source),
        "metadata": {"text": f'{{"dimension": "{source.pick(dimensions)}"}}'},
    }


def _cases(source: Source) -> list[Any]:
    return source.items(lambda source: source.times(4, _summarised), (4,))


def _quality(source: Source) -> list[Any]:
    return source.several(3, lambda source: _summarised(source, _QUALITY))


def _safety(source: Source) -> list[Any]:
    return source.several(3, lambda source: _summarised(source, ("safety",)))


def _summary(asker: Asker, cases: Any) -> Any:
    return read(asker.ok(_OP, {"cases": cases}), "summary.json")


_RATES = ("quality_pass_rate", "safety_pass_rate")


@holds("harness-dimensions-safety-leaves-quality", lambda source: (_cases(source), _safety(source)))
def _safety_leaves_quality(asker: Asker, drawn: Any) -> None:
    cases, safety = drawn
    plain, longer = _summary(asker, cases), _summary(asker, [*cases, safety])
    asker.equal(plain[_RATES[0]], longer[_RATES[0]], "quality with additional safety scores")
    for dimension, summary in plain["by_dimension"].items():
        if dimension != "safety":
            asker.equal(
                summary, longer["by_dimension"][dimension], f"{dimension} with additional safety scores"
            )


@holds("harness-dimensions-quality-leaves-safety", lambda source: (_cases(source), _quality(source)))
def _quality_leaves_safety(asker: Asker, drawn: Any) -> None:
    cases, quality = drawn
    plain, longer = _summary(asker, cases), _summary(asker, [*cases, quality])
    for member in ("safety_pass_rate", "safety_violations"):
        asker.equal(plain[member], longer[member], f"{member} with additional quality scores")


@holds("harness-dimensions-rates-in-range", _cases)
def _rates_in_range(asker: Asker, cases: Any) -> None:
    summary = _summary(asker, cases)
    parts = [*summary["by_metric"].values(), *summary["by_dimension"].values()]
    for rate in (*(summary[rate] for rate in _RATES), *(part["pass_rate"] for part in parts)):
        asker.holds(0 <= rate <= 1, f"a rate is {rate!r}")


@holds("harness-dimensions-counts-add-up", _cases)
def _counts_add_up(asker: Asker, cases: Any) -> None:
    summary, count = _summary(asker, cases), sum(map(len, cases))
    asker.equal(len(cases), summary["total_cases"], "total_cases")
    metrics, dimensions = summary["by_metric"].values(), summary["by_dimension"].values()
    asker.equal(count, sum(part["count"] for part in metrics), "the sum of counts by metric")
    asker.equal(count, sum(part["metric_count"] for part in dimensions), "the sum of counts by dimension")
    for part in metrics:
        asker.equal(part["count"], part["passed_count"] + part["failed_count"], "passed and failed")


@holds("harness-dimensions-violations-counted", _cases)
def _violations_counted(asker: Asker, cases: Any) -> None:
    expected = sum(
        '"safety"' in score["metadata"]["text"] and score["value"] < score["threshold"]
        for case in cases
        for score in case
    )
    asker.equal(expected, _summary(asker, cases)["safety_violations"], "safety_violations")


@holds("harness-dimensions-cases-regrouped", _cases)
def _cases_regrouped(asker: Asker, cases: Any) -> None:
    plain, joined = _summary(asker, cases), _summary(asker, [[score for case in cases for score in case]])
    asker.equal({**plain, "total_cases": 1}, joined, "the summary of all scores in one case")


@holds(
    "harness-dimensions-skipped-left-out", lambda source: (_cases(source), source.below(4), source.below(4))
)
def _skipped_left_out(asker: Asker, drawn: Any) -> None:
    cases, which, index = drawn
    if not cases:
        return
    which %= len(cases)
    longer = [*cases[which][:index], None, *cases[which][index:]]
    plain, skipping = {"cases": cases}, {"cases": [*cases[:which], longer, *cases[which + 1 :]]}
    asker.same(_OP, plain, skipping, "a metric that was skipped matters")


@holds("harness-dimensions-means-between-extremes", _cases)
def _means_between_extremes(asker: Asker, cases: Any) -> None:
    for metric, part in _summary(asker, cases)["by_metric"].items():
        low, mean, high = part["min_value"], part["mean"], part["max_value"]
        asker.holds(
            low - 1e-12 <= mean <= high + 1e-12,
            f"the mean of {metric!a}, {mean!r}, is not between the extremes",
        )


_TAGS: tuple[Any, ...] = (None, {}, {"suite": "smoke"}, {"b": "é", "a": "1"})
_METADATA = (None, {"text": '{"golden_id": "g"}'}, {"text": "[]"})


def _case(source: Source) -> dict[str, Any]:
    return {
        "input": {"text": source.pick(('"é"', "null", '{"b": 1, "a": 1.0}'))},
        "tags": source.pick(_TAGS),
        "metadata": source.pick(_METADATA),
        "scores": source.times(3, plain_score),
    }


def _records(source: Source) -> list[Any]:
    return source.items(_case, (3,))


def _input(cases: Any, summary: bool = False, finalize: bool = True) -> dict[str, Any]:
    return {"cases": cases, "include_summary": summary, "finalize": finalize}


def _lines(asker: Asker, input_: Any) -> list[str]:
    content = asker.ok(_JSON, input_)["results.jsonl"]
    if content is None:
        return []
    lines: list[str] = content["text"].split("\n")
    if lines.pop():
        fail("the last line has no line feed")
    return lines


def _record(line: str) -> Any:
    return read({"line": {"text": line}}, "line")


def _records_and_options(source: Source) -> tuple[list[Any], bool, bool]:
    return _records(source), bool(source.below(2)), bool(source.below(2))


@holds("harness-json-one-line-per-case", _records_and_options)
def _one_line_per_case(asker: Asker, drawn: Any) -> None:
    cases, summary, finalize = drawn
    expected = len(cases) + (summary and finalize and bool(cases))
    asker.equal(expected, len(_lines(asker, _input(cases, summary, finalize))), "the number of lines")


@holds("harness-json-cases-apart", lambda source: (_records(source), _records(source)))
def _cases_are_separate(asker: Asker, drawn: Any) -> None:
    first, second = drawn
    parts = [*_lines(asker, _input(first)), *_lines(asker, _input(second))]
    expected = {"text": "".join(f"{line}\n" for line in parts)} if parts else None
    whole = asker.answer(_JSON, _input([*first, *second]))
    asker.alike(
        _JSON,
        Ok({"results.jsonl": expected}),
        whole,
        "the file of all cases is not the concatenation of their files",
    )


@holds("harness-json-summary-behind", _records)
def _summary_behind(asker: Asker, cases: Any) -> None:
    if not cases:
        return
    plain, summed_up = (
        [_record(line) for line in _lines(asker, _input(cases, summary=wanted))] for wanted in (False, True)
    )
    asker.equal(plain, summed_up[:-1], "the list of records before a summary")
    asker.equal(len(cases), summed_up[-1]["total_cases"], "total_cases")


@holds("harness-json-scores-as-written-alone", _records)
def _scores_as_written_alone(asker: Asker, cases: Any) -> None:
    for case, line in zip(cases, _lines(asker, _input(cases)), strict=True):
        scores = [read(asker.ok("harness.score", score)) for score in case["scores"]]
        asker.equal(scores, _record(line)["scores"], "the list of a record's scores")
