"""Mistakes in naming groups of trials."""

from typing import Any

from conformance.mistakes.family import family
from reference_impl.evals_key import evals_key

in_evals_key = family("evals_key", of=evals_key, clause="003-3.3-evals-key-adhoc")


@in_evals_key.replaced(clause="003-3.3-evals-key-without-model", invited_by="is None, ??, Option, pointers")
def empty_model_kept(agent: str, model: str | None, source: str | None) -> str:
    """An empty model leaves an empty part in the key: agent____dataset. Only null counts as no model."""
    return "__".join([agent, *([] if model is None else [model]), source or "adhoc"])


@in_evals_key.replaced(invited_by="filter(None, parts), compact, join over what is there")
def no_adhoc_part(*parts: Any) -> Any:
    """A missing dataset leaves its part of the key out. A missing model's part is left out too."""
    return "__".join(filter(None, parts))
