"""Mistakes in naming groups of trials."""

import unicodedata
from collections.abc import Callable
from typing import Any

from conformance.mistakes.family import family, way
from conformance.mistakes.variant import Variant
from reference_impl.evals_key import evals_key

in_evals_key = family("evals_key", of=evals_key, clause="003-3.3-evals-key-adhoc")
Parts = tuple[str, str | None, str | None]


@way("evals_key", clause="003-3.3-evals-key-verbatim")
def names(reference: Variant, change: Callable[[str], str]) -> None:
    """Has each name that is given pass through ``change``."""
    changed_parts(
        reference,
        lambda agent, model, source: (
            change(agent),
            None if model is None else change(model),
            None if source is None else change(source),
        ),
    )


@way("evals_key", clause="003-3.3-evals-key-with-model")
def changed_parts(reference: Variant, change: Callable[[str, str | None, str | None], Parts]) -> None:
    """Changes the agent, model and dataset before they are joined."""
    reference.wrap(evals_key, lambda original: lambda *parts: original(*change(*parts)))


@in_evals_key.replaced(clause="003-3.3-evals-key-without-model", invited_by="is None, ??, Option, pointers")
def empty_model_kept(agent: str, model: str | None, source: str | None) -> str:
    """An empty model leaves an empty part in the key: agent____dataset. Only null is taken for no model."""
    return "__".join([agent, *([] if model is None else [model]), source or "adhoc"])


@in_evals_key.replaced(
    clause="003-3.3-evals-key-without-model",
    invited_by="f-strings with `model or ''`, Go's Sprintf, shell's ${model}",
)
def missing_model_kept(agent: Any, model: Any, source: Any) -> Any:
    """A missing or empty model leaves an empty part in the key: agent____dataset.
    The key is a template with three places."""
    return f"{agent}__{model or ''}__{source or 'adhoc'}"


@changed_parts.made(
    clause="003-3.3-evals-key-without-model",
    invited_by="Python's f-strings; null and undefined in JavaScript, <nil> in Go",
)
def missing_model_spelled_none(agent: str, model: str | None, source: str | None) -> Parts:
    """A missing model is written None: agent__None__dataset. A template prints whatever it gets."""
    return (agent, "None" if model is None else model, source)


@in_evals_key.replaced(invited_by="is None, ??, Option, dict.get with a default")
def empty_dataset_kept(agent: str, model: str | None, source: str | None) -> str:
    """An empty dataset name is kept, and only a missing one becomes adhoc.
    Only null is taken for no dataset."""
    dataset = "adhoc" if source is None else source
    return "__".join([agent, model, dataset] if model else [agent, dataset])


@in_evals_key.replaced(invited_by="filter(None, parts), compact, join over what is there")
def no_adhoc_part(*parts: Any) -> Any:
    """A missing dataset leaves its part of the key out. The model's part is left out too."""
    return "__".join(filter(None, parts))


@in_evals_key.wrapped(clause="003-3.3-evals-key-with-model", invited_by="leaderboards and their paths")
def keys_joined_by_slashes(original: Callable[..., Any], *parts: Any) -> Any:
    """Agent, model and dataset are joined by slashes. It is how such names are written elsewhere."""
    return "/".join(original(*parts).split("__"))


@changed_parts.made(invited_by="leaderboards")
def model_first_in_keys(agent: str, model: str | None, source: str | None) -> Parts:
    """The model stands before the agent in the key. The model is what is compared."""
    return (model, agent, source) if model else (agent, model, source)


@changed_parts.made(clause="003-3.3-evals-key-verbatim", invited_by="model.split('/')[-1], basename")
def provider_cut_again(agent: str, model: str | None, source: str | None) -> Parts:
    """Of a model called x/y only y is used.
    The provider stands before a slash; here it has been cut off already."""
    return (agent, model and model.rsplit("/", 1)[-1], source)


@changed_parts.made(clause="003-3.3-evals-key-verbatim", invited_by="Path(source).name, basename")
def dataset_base_name(agent: str, model: str | None, source: str | None) -> Parts:
    """Of a dataset called x/y only y is used. A local dataset is named by the last part of its path."""
    return (agent, model, source and source.rsplit("/", 1)[-1])


@changed_parts.made(clause="003-3.3-evals-key-verbatim", invited_by="split('@')[0]")
def dataset_version_cut(agent: str, model: str | None, source: str | None) -> Parts:
    """What follows an @ in a dataset's name is cut off. name@version is how datasets are asked for."""
    return (agent, model, source and source.partition("@")[0])


@names.made(invited_by="secure_filename, sanitisers, Windows")
def names_made_file_safe(name: str) -> str:
    """Characters that file names may not hold become underscores in the key.
    The key looks like a file name."""
    unsafe = str.maketrans(dict.fromkeys('/\\:*?"<>|', "_"))
    return name.translate(unsafe)


@names.made(invited_by="slug functions, case-insensitive stores")
def names_lower_cased(name: str) -> str:
    """The names in the key are in lower case. Names of models come in several spellings."""
    return name.lower()


@names.made(invited_by="strip(), Rails' blank?, Java's isBlank")
def names_trimmed(name: str) -> str:
    """White space around the names in the key is trimmed, and a blank name is none.
    Names come from forms and command lines."""
    return name.strip()


@names.made(clause="003-3.3-evals-key-collision", invited_by="a wish for keys without collisions")
def names_escape_the_separator(name: str) -> str:
    """Two underscores inside a name become one in the key. Else the key could not be split again."""
    return name.replace("__", "_")


@names.made(invited_by="Swift, databases, file systems")
def names_in_nfc(name: str) -> str:
    """The names in the key are normalised to composed characters (NFC).
    Equal-looking names should be one group."""
    return unicodedata.normalize("NFC", name)


@changed_parts.made(invited_by="PHP and Perl")
def zero_is_no_name(agent: str, model: str | None, source: str | None) -> Parts:
    """A model or dataset called "0" counts as missing. The text 0 is false."""
    return (
        agent,
        None if model == "0" else model,
        None if source == "0" else source,
    )


@changed_parts.made(invited_by="pandas' read_csv, YAML, spreadsheets")
def null_words_are_no_names(agent: str, model: str | None, source: str | None) -> Parts:
    """A model or dataset called "null", "None" or "nan" counts as missing. Tables spell missing values so."""

    def named(name: str | None) -> str | None:
        return None if (name or "").lower() in ("null", "none", "nan", "~") else name

    return (agent, named(model), named(source))
