"""Mistakes in filling in the templates of harness-evals."""

from collections.abc import Callable
from typing import Any

from conformance.mistakes.family import family
from reference_impl.harness_evals import templates

in_cosine_similarity = family("harness.template", of=templates.cosine_similarity, clause="004-4.5-cosine")


@in_cosine_similarity.wrapped(invited_by="(cosine + 1) / 2")
def harness_cosine_scaled(make: Callable[..., Any], first: Any, second: Any) -> Any:
    """The cosine is scaled from -1 to 1 into 0 to 1. A similarity should use the whole range."""
    return (make(first, second) + 1) / 2
