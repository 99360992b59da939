"""Mistakes in naming groups of trials."""

import unicodedata
from collections.abc import Callable

from conformance.mistakes.catalogue import mistake
from conformance.mistakes.variant import Variant

EVALS_KEY = "evals_key.evals_key"
Parts = tuple[str, str | None, str | None]


def _names(reference: Variant, change: Callable[[str], str]) -> None:
    """Has each name that is given pass through ``change``."""
    _parts(
        reference,
        lambda agent, model, source: (
            change(agent),
            None if model is None else change(model),
            None if source is None else change(source),
        ),
    )


def _parts(reference: Variant, change: Callable[[str, str | None, str | None], Parts]) -> None:
    reference.wrap(EVALS_KEY, lambda original: lambda *parts: original(*change(*parts)))


@mistake(
    "empty-model-kept",
    says="an empty model leaves an empty part in the key: agent____dataset",
    op="evals_key",
    clause="003-3.3-evals-key-without-model",
    why="Only null is taken for no model.",
    invited_by="is None, ??, Option, pointers",
)
def _(reference: Variant) -> None:
    def key(agent: str, model: str | None, source: str | None) -> str:
        return "__".join([agent, *([] if model is None else [model]), source or "adhoc"])

    reference.replace(EVALS_KEY, key)


@mistake(
    "missing-model-kept",
    says="a missing or empty model leaves an empty part in the key: agent____dataset",
    op="evals_key",
    clause="003-3.3-evals-key-without-model",
    why="The key is a template with three places.",
    invited_by="f-strings with `model or ''`, Go's Sprintf, shell's ${model}",
)
def _(reference: Variant) -> None:
    reference.replace(EVALS_KEY, lambda agent, model, source: f"{agent}__{model or ''}__{source or 'adhoc'}")


@mistake(
    "missing-model-spelled-none",
    says="a missing model is written None: agent__None__dataset",
    op="evals_key",
    clause="003-3.3-evals-key-without-model",
    why="A template prints whatever it gets.",
    invited_by="Python's f-strings; null and undefined in JavaScript, <nil> in Go",
)
def _(reference: Variant) -> None:
    _parts(reference, lambda agent, model, source: (agent, "None" if model is None else model, source))


@mistake(
    "empty-dataset-kept",
    says="an empty dataset name is kept, and only a missing one becomes adhoc",
    op="evals_key",
    clause="003-3.3-evals-key-adhoc",
    why="Only null is taken for no dataset.",
    invited_by="is None, ??, Option, dict.get with a default",
)
def _(reference: Variant) -> None:
    def key(agent: str, model: str | None, source: str | None) -> str:
        dataset = "adhoc" if source is None else source
        return "__".join([agent, model, dataset] if model else [agent, dataset])

    reference.replace(EVALS_KEY, key)


@mistake(
    "no-adhoc-part",
    says="a missing dataset leaves its part of the key out",
    op="evals_key",
    clause="003-3.3-evals-key-adhoc",
    why="The model's part is left out too.",
    invited_by="filter(None, parts), compact, join over what is there",
)
def _(reference: Variant) -> None:
    reference.replace(EVALS_KEY, lambda *parts: "__".join(filter(None, parts)))


@mistake(
    "keys-joined-by-slashes",
    says="agent, model and dataset are joined by slashes",
    op="evals_key",
    clause="003-3.3-evals-key-with-model",
    why="It is how such names are written elsewhere.",
    invited_by="leaderboards and their paths",
)
def _(reference: Variant) -> None:
    reference.wrap(EVALS_KEY, lambda original: lambda *parts: "/".join(original(*parts).split("__")))


@mistake(
    "model-first-in-keys",
    says="the model stands before the agent in the key",
    op="evals_key",
    clause="003-3.3-evals-key-with-model",
    why="The model is what is compared.",
    invited_by="leaderboards",
)
def _(reference: Variant) -> None:
    _parts(
        reference, lambda agent, model, source: (model, agent, source) if model else (agent, model, source)
    )


@mistake(
    "provider-cut-again",
    says="of a model called x/y only y is used",
    op="evals_key",
    clause="003-3.3-evals-key-verbatim",
    why="The provider stands before a slash; here it has been cut off already.",
    invited_by="model.split('/')[-1], basename",
)
def _(reference: Variant) -> None:
    _parts(reference, lambda agent, model, source: (agent, model and model.rsplit("/", 1)[-1], source))


@mistake(
    "dataset-base-name",
    says="of a dataset called x/y only y is used",
    op="evals_key",
    clause="003-3.3-evals-key-verbatim",
    why="A local dataset is named by the last part of its path.",
    invited_by="Path(source).name, basename",
)
def _(reference: Variant) -> None:
    _parts(reference, lambda agent, model, source: (agent, model, source and source.rsplit("/", 1)[-1]))


@mistake(
    "dataset-version-cut",
    says="what follows an @ in a dataset's name is cut off",
    op="evals_key",
    clause="003-3.3-evals-key-verbatim",
    why="name@version is how datasets are asked for.",
    invited_by="split('@')[0]",
)
def _(reference: Variant) -> None:
    _parts(reference, lambda agent, model, source: (agent, model, source and source.partition("@")[0]))


@mistake(
    "names-made-file-safe",
    says="characters that file names may not hold become underscores in the key",
    op="evals_key",
    clause="003-3.3-evals-key-verbatim",
    why="The key looks like a file name.",
    invited_by="secure_filename, sanitisers, Windows",
)
def _(reference: Variant) -> None:
    unsafe = str.maketrans(dict.fromkeys('/\\:*?"<>|', "_"))
    _names(reference, lambda name: name.translate(unsafe))


@mistake(
    "names-lower-cased",
    says="the names in the key are in lower case",
    op="evals_key",
    clause="003-3.3-evals-key-verbatim",
    why="Names of models come in several spellings.",
    invited_by="slug functions, case-insensitive stores",
)
def _(reference: Variant) -> None:
    _names(reference, str.lower)


@mistake(
    "names-trimmed",
    says="white space around the names in the key is trimmed, and a blank name is none",
    op="evals_key",
    clause="003-3.3-evals-key-verbatim",
    why="Names come from forms and command lines.",
    invited_by="strip(), Rails' blank?, Java's isBlank",
)
def _(reference: Variant) -> None:
    _names(reference, str.strip)


@mistake(
    "names-escape-the-separator",
    says="two underscores inside a name become one in the key",
    op="evals_key",
    clause="003-3.3-evals-key-collision",
    why="Else the key could not be split again.",
    invited_by="a wish for keys without collisions",
)
def _(reference: Variant) -> None:
    _names(reference, lambda name: name.replace("__", "_"))


@mistake(
    "names-in-nfc",
    says="the names in the key are normalised to composed characters (NFC)",
    op="evals_key",
    clause="003-3.3-evals-key-verbatim",
    why="Equal-looking names should be one group.",
    invited_by="Swift, databases, file systems",
)
def _(reference: Variant) -> None:
    _names(reference, lambda name: unicodedata.normalize("NFC", name))


@mistake(
    "zero-is-no-name",
    says='a model or dataset called "0" counts as missing',
    op="evals_key",
    clause="003-3.3-evals-key-with-model",
    why="The text 0 is false.",
    invited_by="PHP and Perl",
)
def _(reference: Variant) -> None:
    _parts(
        reference,
        lambda agent, model, source: (
            agent,
            None if model == "0" else model,
            None if source == "0" else source,
        ),
    )


@mistake(
    "null-words-are-no-names",
    says='a model or dataset called "null", "None" or "nan" counts as missing',
    op="evals_key",
    clause="003-3.3-evals-key-with-model",
    why="Tables spell missing values so.",
    invited_by="pandas' read_csv, YAML, spreadsheets",
)
def _(reference: Variant) -> None:
    def named(name: str | None) -> str | None:
        return None if (name or "").lower() in ("null", "none", "nan", "~") else name

    _parts(reference, lambda agent, model, source: (agent, named(model), named(source)))
