"""What readers of the document alone understood of names in a group's key."""

from collections.abc import Callable

from conformance.mistakes.family import way
from conformance.mistakes.variant import Variant
from conformance.specs.harbor.evals_key.mistakes.joining import Parts, changed_parts
from reference_impl.evals_key import evals_key
from reference_impl.job_result import job_result


@changed_parts.made(clause="003-3.3-evals-key-with-model", invited_by="isBlank, `if model.strip()`")
def blank_model_is_none(agent: str, model: str | None, source: str | None) -> Parts:
    """A model of white space only counts as none, other names being kept as they are.
    A blank name is no name."""
    return (agent, None if model is not None and not model.strip() else model, source)


@changed_parts.made(clause="003-3.3-evals-key-adhoc", invited_by="isBlank, `if source.strip()`")
def blank_dataset_is_adhoc(agent: str, model: str | None, source: str | None) -> Parts:
    """A dataset of white space only is written adhoc, other names being kept as they are.
    A blank name is no name."""
    return (agent, model, None if source is not None and not source.strip() else source)


@changed_parts.made(clause="003-3.3-evals-key-adhoc", invited_by="equalsIgnoreCase")
def adhoc_in_any_case(agent: str, model: str | None, source: str | None) -> Parts:
    """A dataset whose name is adhoc but for its capitals is written adhoc.
    The word is special, so its spelling is made one."""
    return (agent, model, "adhoc" if source is not None and source.lower() == "adhoc" else source)


@way("job_result", clause="003-3.3-evals-key-without-model")
def joined_in_job(reference: Variant, join: Callable[[str, str | None, str | None], str]) -> None:
    """Changes the keys of a job's groups, and not what is answered when a key is asked for."""
    reference.replace_use((job_result, evals_key), join)


@joined_in_job.made(invited_by="`if model_info is not None`")
def empty_model_info_keeps_place(agent: str, model: str | None, source: str | None) -> str:
    """In a job a model whose name is empty leaves an empty place in its group's key.
    The trial has a model_info, so there is a model."""
    return "__".join([agent, *([] if model is None else [model]), source or "adhoc"])


@joined_in_job.made(clause="003-3.3-evals-key-adhoc", invited_by="`source if source is not None`, ??")
def empty_source_kept_in_job(agent: str, model: str | None, source: str | None) -> str:
    """In a job a dataset with an empty name is written so, and only a missing one is adhoc.
    The default is for what is null."""
    return "__".join([agent, *([model] if model else []), "adhoc" if source is None else source])
