import pytest

from reference_impl.metric_resolution import Dataset, DatasetKind, resolve_metrics

LOCAL, PACKAGE, REGISTRY = DatasetKind

# What the real `Job._resolve_metrics` gives.
EXAMPLES: list[tuple[list[Dataset], list[str], dict[str, list[str]]]] = [
    ([], [], {"adhoc": ["mean"]}),
    ([], ["max", "max"], {"adhoc": ["max", "max"]}),
    ([Dataset("d", LOCAL)], [], {"adhoc": ["mean"], "d": ["mean"]}),
    ([Dataset("d", LOCAL, metric_py=True)], ["max"], {"adhoc": ["max"], "d": ["max"]}),
    ([Dataset("o/d", PACKAGE, metric_py=True)], [], {"adhoc": ["mean"], "o/d": ["uv-script"]}),
    ([Dataset("o/d", PACKAGE, metric_py=True)], ["min"], {"adhoc": ["min"], "o/d": ["uv-script", "min"]}),
    ([Dataset("d", REGISTRY, ["sum", "mean"])], [], {"adhoc": ["mean"], "d": ["sum", "mean"]}),
    ([Dataset("d", REGISTRY, ["sum"], True)], ["max"], {"adhoc": ["max"], "d": ["sum", "max"]}),
    ([Dataset("d", REGISTRY)], [], {"adhoc": ["mean"], "d": ["mean"]}),
    (
        [Dataset("d", LOCAL), Dataset("d", REGISTRY, ["sum"])],
        ["max"],
        {"adhoc": ["max"], "d": ["max", "sum", "max"]},
    ),
    ([Dataset("d", LOCAL), Dataset("d", LOCAL)], [], {"adhoc": ["mean"], "d": ["mean"]}),
    ([Dataset("adhoc", LOCAL)], ["max"], {"adhoc": ["max", "max"]}),
    ([Dataset("adhoc", REGISTRY, ["sum"])], [], {"adhoc": ["sum"]}),
]


@pytest.mark.parametrize(("datasets", "job_metrics", "metrics"), EXAMPLES)
def test_examples(datasets: list[Dataset], job_metrics: list[str], metrics: dict[str, list[str]]) -> None:
    assert resolve_metrics(datasets, job_metrics) == metrics


def test_in_order_of_appearance() -> None:
    datasets = [Dataset(name, LOCAL) for name in ("z", "a", "adhoc", "z")]
    assert list(resolve_metrics(datasets, [])) == ["adhoc", "z", "a"]


def test_the_lists_are_not_shared() -> None:
    job_metrics = ["max"]
    metrics = resolve_metrics([Dataset("d", LOCAL)], job_metrics)
    metrics["adhoc"].append("sum")
    assert metrics["d"] == job_metrics == ["max"]
