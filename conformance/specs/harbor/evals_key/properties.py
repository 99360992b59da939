"""Properties of every group's name (003 §3.3)."""

from typing import Any

from conformance.drawing.source import Source
from conformance.properties.asking import Asker
from conformance.properties.registry import holds
from conformance.specs.harbor.drawn import name

__all__: list[str] = []


def _key_input(agent: str, model: str | None, source: str | None) -> dict[str, Any]:
    return {"agent": agent, "model": model, "source": source}


def _optional(source: Source) -> str | None:
    return name(source) if source.below(2) else None


def _something(source: Source) -> str:
    return name(source) or "d"


@holds("evals-key-empty-model-is-none", lambda source: (name(source), _optional(source)))
def _empty_model_is_none(asker: Asker, drawn: Any) -> None:
    agent, source = drawn
    empty, none = (_key_input(agent, model, source) for model in ("", None))
    asker.same("evals_key", empty, none, "an empty model differs from none")


@holds(
    "evals-key-no-source-is-adhoc", lambda source: (name(source), _optional(source), source.pick((None, "")))
)
def _no_source_is_adhoc(asker: Asker, drawn: Any) -> None:
    agent, model, nothing = drawn
    adhoc, missing = (_key_input(agent, model, source) for source in ("adhoc", nothing))
    asker.same("evals_key", adhoc, missing, "a missing or empty dataset is not adhoc")


@holds("evals-key-joins-names", lambda source: (name(source), _something(source), _something(source)))
def _joins_names(asker: Asker, names: Any) -> None:
    asker.equal("__".join(names), asker.ok("evals_key", _key_input(*names))["evals_key"], "the key")
