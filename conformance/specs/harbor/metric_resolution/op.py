"""The metrics that a job computes for each of its datasets."""

from typing import Any

from conformance.registry.op import Changing, define

__all__ = ["OPS"]


def _named_by_kind(input_: Any) -> Any:
    return input_ | {"datasets": [_dataset(item) for item in input_["datasets"]]}


def _dataset(item: dict[str, Any]) -> dict[str, Any]:
    """The constraints on a dataset of each kind.

    Only a registry's entry has metrics, a package's name contains its owner's, and a directory's contains
    no slash. Text after an @ would be a version, except for a directory.
    """
    if item["kind"] != "registry" and item["metrics"]:
        item = item | {"metrics": []}
    name = item["name"]
    if item["kind"] != "local" and "@" in name:
        name = name.replace("@", "") or "d"
        item = item | {"name": name}
    if item["kind"] == "package":
        owner, _, short = name.partition("/")
        return item if owner and short.strip("/") else item | {"name": f"o/{name.strip('/') or 'd'}"}
    return item | {"name": name.rpartition("/")[2] or "d"} if "/" in name else item


OPS = (
    define(
        "resolve_metrics",
        "aggregation",
        fallback_clause="003-6-exact-answers",
        weight=1,
        changing=Changing(kept=frozenset({"name"}), repair=_named_by_kind),
        ok_free_order="metrics",
    ),
)
