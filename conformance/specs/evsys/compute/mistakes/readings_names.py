"""What readers of document 002 alone understood of the metric that is asked for: which names there are."""

import re
import unicodedata
from collections.abc import Callable
from typing import Any

from conformance.mistakes.family import Case, family
from conformance.mistakes.variant import Variant
from reference_impl.evsys import metrics
from reference_impl.evsys import registry as registry_rules

names = family("evsys.compute", clause="002-unknown")


@names.each(
    Case(
        "evsys-pass-hat-1-known",
        "pass^1 is known, as pass@1",
        "The other number has both forms.",
        "symmetry",
        {"pass^1": "pass@1"},
        clause="002-built-in",
    ),
    Case(
        "evsys-pass-hat-spelled-out-known",
        "pass-hat-3 is known, as pass^3",
        "The document calls it so.",
        "the document's explanation",
        {"pass-hat-3": "pass^3"},
        clause="002-built-in",
    ),
    Case(
        "evsys-mean-known",
        "mean is known, as mean_reward",
        "harbor's metrics are called so.",
        "harbor's mean",
        {"mean": "mean_reward"},
        clause="002-built-in",
    ),
    Case(
        "evsys-average-known",
        "average is known, as avg",
        "It is what the name stands for.",
        "spelled-out names",
        {"average": "avg"},
        clause="002-built-in",
    ),
    Case(
        "evsys-empty-name-known",
        "the empty name is mean_reward",
        "Without a name the default is taken.",
        "name or 'mean_reward'",
        {"": "mean_reward"},
        clause="002-unknown",
    ),
)
def also_known(reference: Variant, others: dict[str, str]) -> None:
    """Knows further names of built-ins."""

    def named(get: Callable[..., Any]) -> Callable[..., Any]:
        def answer(registry: Any, name: str) -> Any:
            if name in others and name not in registry._classes:
                name = others[name]
            return get(registry, name)

        return answer

    reference.wrap(registry_rules.Registry.get, named)


@names.each(
    Case(
        "evsys-dashes-as-underscores",
        "a dash in a metric's name is an underscore",
        "Names on a command line have dashes.",
        "click, argparse, cargo",
        lambda name: name.replace("-", "_"),
    ),
    Case(
        "evsys-names-composed",
        "names of metrics are looked up in Unicode's compatible form",
        "Names that look alike should be alike.",
        "NFKC, Python's identifiers",
        lambda name: unicodedata.normalize("NFKC", name),
    ),
    Case(
        "evsys-names-up-to-a-colon",
        "names of metrics are looked up to their first colon",
        "What stands behind it is taken for a parameter.",
        "metric:param",
        lambda name: name.partition(":")[0],
    ),
    Case(
        "evsys-names-without-quotes",
        "names of metrics are looked up without quotes around them",
        "They stand in quotes in configuration files.",
        "hand-written YAML readers",
        lambda name: name.strip("\"'"),
    ),
)
def looked_up(reference: Variant, change: Callable[[str], str]) -> None:
    """Looks another name up."""
    reference.wrap(
        registry_rules.Registry.get, lambda get: lambda registry, name: get(registry, change(name))
    )


def _of_k(name: str, mean: Any, passes: Any) -> Any:
    found = re.fullmatch(r"pass([@^])([1-9]\d*)", name)
    if not found:
        return None
    whole, k = (any if found[1] == "@" else all), int(found[2])

    def compute(_: object, tasks: Any) -> Any:
        return mean([whole(passes(it) for it in task[:k]) for task in tasks if task])

    return type("OfK", (), {"name": name, "compute": compute})


@names.each(
    Case(
        "evsys-any-k-known",
        "pass@k and pass^k are known for every k",
        "1 and 3 look like examples.",
        "regular expressions for names",
        lambda name: True,
        clause="002-built-in",
    ),
    Case(
        "evsys-any-hat-k-known",
        "pass^k is known for every k, pass@k is not",
        "1 and 3 are listed for one alone.",
        "regular expressions for names",
        lambda name: "^" in name,
        clause="002-built-in",
    ),
)
def every_k(reference: Variant, also: Callable[[str], bool]) -> None:
    """Knows metrics of other numbers of samples."""
    mean, passes = reference.get(metrics._mean), reference.get(metrics._passes)

    def named(get: Callable[..., Any]) -> Callable[..., Any]:
        def answer(registry: Any, name: str) -> Any:
            made = _of_k(name, mean, passes) if name not in registry._classes and also(name) else None
            return made or get(registry, name)

        return answer

    reference.wrap(registry_rules.Registry.get, named)


@names.each(
    Case(
        "evsys-unknown-without-samples-is-zero",
        "an unknown metric is 0.0 where there are no samples",
        "Without samples the value is known before the name is looked up.",
        "early returns",
        lambda given: not any(given["task_rewards"]),
        {"value": 0.0},
        clause="002-unknown",
    ),
    Case(
        "evsys-unknown-is-mean-reward",
        "an unknown metric is mean_reward",
        "A default is taken where nothing is found.",
        "dict.get with a default",
        lambda given: True,
        None,
        clause="002-unknown",
    ),
    Case(
        "evsys-unknown-is-zero",
        "an unknown metric is 0.0",
        "Nothing found, nothing scored.",
        "dict.get with a default",
        lambda given: True,
        {"value": 0.0},
        clause="002-unknown",
    ),
)
def unknown_answered(reference: Variant, when: Callable[[Any], bool], value: Any) -> None:
    """Answers where a metric is unknown."""

    def around(compute: Callable[[Any], Any]) -> Callable[[Any], Any]:
        def answer(given: Any) -> Any:
            try:
                return compute(given)
            except KeyError:
                if not when(given):
                    raise
                return value or compute({**given, "metric": "mean_reward"})

        return answer

    reference.wrap_op("evsys.compute", around)


@names.each(
    Case(
        "evsys-unknown-is-a-value-error",
        "an unknown metric is a ValueError",
        "A wrong value was given.",
        "argument checks",
        ValueError,
    ),
)
def other_error(reference: Variant, error: type[Exception]) -> None:
    """Raises another error where a metric is unknown."""

    def around(compute: Callable[[Any], Any]) -> Callable[[Any], Any]:
        def answer(given: Any) -> Any:
            try:
                return compute(given)
            except KeyError as unknown:
                raise error(given["metric"]) from unknown

        return answer

    reference.wrap_op("evsys.compute", around)
