"""Mistakes in naming groups of trials."""

from collections.abc import Callable
from typing import Any

from conformance.mistakes.family import family
from reference_impl.evals_key import evals_key

in_evals_key = family("evals_key", of=evals_key, clause="003-3.3-evals-key-adhoc")
Join = Callable[[str, str | None, str | None], str]


@in_evals_key.wrapped(clause="003-3.3-evals-key-without-model", invited_by="is None, ??, Option, pointers")
def empty_model_kept(join: Join, agent: str, model: str | None, source: str | None) -> str:
    """An empty model leaves an empty part in the key: agent____dataset. Only null counts as no model."""
    return agent + "__" + join("", None, source) if model == "" else join(agent, model, source)


@in_evals_key.wrapped(invited_by="is None, ??, unwrap_or, pointers")
def empty_source_kept(join: Join, agent: str, model: str | None, source: str | None) -> str:
    """An empty source leaves an empty part at the end of the key. Only null counts as no source."""
    return join(agent, model, source).removesuffix("adhoc" if source == "" else "")


@in_evals_key.replaced(invited_by="filter(None, parts), compact, join over non-empty parts")
def no_adhoc_part(*parts: Any) -> Any:
    """The key of a trial without a dataset lacks its last part, adhoc.
    The part of a missing model is left out too."""
    return "__".join(filter(None, parts))
