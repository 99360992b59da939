"""What readers of document 002 alone understood of the registry: keys, classes, unknown names."""

from collections.abc import Callable
from typing import Any

from conformance.mistakes.family import Case, family
from conformance.mistakes.variant import Variant
from conformance.specs.evsys.registry.mistakes.names import as_written, names_remembered, registering
from reference_impl.cpython312.summation import compensated_sum
from reference_impl.evsys import registry as registry_rules
from reference_impl.evsys.metrics import BUILT_INS

keys = family("evsys.registry", clause="002-key")
lookups = family("evsys.registry", clause="002-unknown")
listings = family("evsys.registry", clause="002-unknown")
_Classes = dict[str, Any]


def _add(classes: _Classes, key: str, metric: Any) -> None:
    if classes.get(key, metric) is not metric:
        raise ValueError(key)
    classes[key] = metric


def _and_name(classes: _Classes, key: str, metric: Any) -> None:
    _add(classes, key, metric)
    if name := as_written(metric):
        classes.setdefault(name, metric)


def _mismatch(classes: _Classes, key: str, metric: Any) -> None:
    if as_written(metric) != key:
        raise ValueError(key)
    _add(classes, key, metric)


def _second_key(classes: _Classes, key: str, metric: Any) -> None:
    if any(it is metric and other != key for other, it in classes.items()):
        raise ValueError(key)
    _add(classes, key, metric)


def _replaced_and_refused(classes: _Classes, key: str, metric: Any) -> None:
    before = classes.get(key, metric)
    classes[key] = metric
    if before is not metric:
        raise ValueError(key)


def _taken_away(classes: _Classes, key: str, metric: Any) -> None:
    try:
        _add(classes, key, metric)
    except ValueError:
        del classes[key]
        raise


def _body(metric: Any) -> Any:
    described = metric.compute.__closure__
    return as_written(metric), [repr(cell.cell_contents) for cell in described or ()]


def _by_content(classes: _Classes, key: str, metric: Any) -> None:
    if (
        key in classes
        and classes[key].__qualname__ == metric.__qualname__
        and _body(classes[key]) == _body(metric)
    ):
        return
    _add(classes, key, metric)


def _by_folded_key(classes: _Classes, key: str, metric: Any) -> None:
    for other, it in classes.items():
        if other.casefold() == key.casefold() and it is not metric:
            raise ValueError(key)
    classes[key] = metric


def _own_replaceable(classes: _Classes, key: str, metric: Any) -> None:
    if key in BUILT_INS:
        raise ValueError(key)
    classes[key] = metric


def _alias_free(classes: _Classes, key: str, metric: Any) -> None:
    if key == "avg":
        classes[key] = metric
    _add(classes, key, metric)


def _built_ins_only_guarded(classes: _Classes, key: str, metric: Any) -> None:
    if key not in BUILT_INS:
        classes.setdefault(key, metric)
    else:
        _add(classes, key, metric)


def _identifier(classes: _Classes, key: str, metric: Any) -> None:
    if not key.isidentifier() and key not in BUILT_INS:
        raise ValueError(key)
    _add(classes, key, metric)


def _ascii(classes: _Classes, key: str, metric: Any) -> None:
    if not key.isascii():
        raise ValueError(key)
    _add(classes, key, metric)


def _same_again_moves(classes: _Classes, key: str, metric: Any) -> None:
    _add(classes, key, metric)
    if not as_written(metric):
        del classes[key]
        raise ValueError(key)


def _called(metric: Any) -> str | None:
    name: str | None = vars(metric).get("written", metric.name)
    return name


def _same_name_twice(classes: _Classes, key: str, metric: Any) -> None:
    if any(_called(it) == as_written(metric) and it is not metric for it in classes.values()):
        raise ValueError(key)
    _add(classes, key, metric)


@keys.each(
    Case(
        "evsys-key-and-class-name",
        "a metric is registered under its key, and under what its class calls itself where that is free",
        "The document says that the key is the name.",
        "registry key == name",
        _and_name,
    ),
    Case(
        "evsys-key-other-than-name-refused",
        "a key that differs from what the class calls itself is refused",
        "The document says that the key is the name.",
        "registry key == name",
        _mismatch,
        clause="002-key-equals-name",
    ),
    Case(
        "evsys-second-key-refused",
        "a class that is registered under a second name is refused",
        "A class is thought to have one name.",
        "maps in both directions",
        _second_key,
    ),
    Case(
        "evsys-refused-class-stays",
        "another class under a name that is taken is refused, and has the name all the same",
        "The check comes after the assignment.",
        "registry[name] = cls before the check",
        _replaced_and_refused,
        clause="002-duplicate",
    ),
    Case(
        "evsys-refused-name-freed",
        "a name that two classes ask for belongs to none",
        "A conflict is resolved by leaving both out.",
        "ambiguous names in module systems",
        _taken_away,
        clause="002-duplicate",
    ),
    Case(
        "evsys-classes-compared-by-content",
        "two classes that do the same under the same name count as the same class",
        "They are equal in every part.",
        "data classes, structural types, hashes of source",
        _by_content,
        clause="002-duplicate",
    ),
    Case(
        "evsys-keys-apart-by-case-refused",
        "a key that differs from another class's by case alone is refused",
        "Both would be one file or one option elsewhere.",
        "casefold, case-insensitive file systems",
        _by_folded_key,
        clause="002-duplicate",
    ),
    Case(
        "evsys-only-built-ins-guarded",
        "another class may take a name, unless it is a built-in's",
        "Only the built-ins are worth a guard.",
        "if name in BUILT_INS: raise",
        _own_replaceable,
        clause="002-duplicate",
    ),
    Case(
        "evsys-own-conflicts-silent",
        "another class under a name that is taken is refused for built-ins, else silently ignored",
        "Only the built-ins are worth an error.",
        "setdefault beside a guard",
        _built_ins_only_guarded,
        clause="002-duplicate",
    ),
    Case(
        "evsys-alias-replaceable",
        "a class may take the name avg",
        "An alias is no metric of its own.",
        "alias tables looked up last",
        _alias_free,
        clause="002-avg",
    ),
    Case(
        "evsys-class-names-unique",
        "a class is refused that calls itself as a registered one does, under any key",
        "What it calls itself is thought to be its identity.",
        "registries by attribute",
        _same_name_twice,
    ),
    Case(
        "evsys-keys-are-identifiers",
        "a key that is no identifier is refused",
        "The examples are identifiers.",
        "str.isidentifier, naming rules",
        _identifier,
    ),
    Case(
        "evsys-keys-are-ascii",
        "a key with characters beyond ASCII is refused",
        "Names in configuration files are ASCII.",
        "naming rules",
        _ascii,
    ),
    Case(
        "evsys-nameless-class-refused",
        "a class whose name is empty is refused",
        "An empty name is taken for a missing one.",
        "if not cls.name: raise",
        _same_again_moves,
        clause="002-class-name",
    ),
    Case(
        "evsys-keys-stripped",
        "a metric is registered without the white space around its key",
        "Names are tidied where they are written.",
        "name.strip()",
        lambda classes, key, metric: _add(classes, key.strip(), metric),
    ),
    Case(
        "evsys-keys-lower-cased",
        "a metric is registered under its key in lower case",
        "Names are compared without case elsewhere.",
        "name.lower()",
        lambda classes, key, metric: _add(classes, key.lower(), metric),
    ),
    Case(
        "evsys-keys-with-underscores",
        "a metric is registered under its key with underscores for dashes and spaces",
        "Names are made identifiers.",
        "slugs, click",
        lambda classes, key, metric: _add(classes, key.replace("-", "_").replace(" ", "_"), metric),
    ),
)
def otherwise_registered(reference: Variant, register: Callable[[_Classes, str, Any], None]) -> None:
    """Changes what the decorator does."""
    registering(reference, register)


def _any_case(classes: _Classes, name: str) -> str:
    return next((key for key in classes if key.casefold() == name.casefold()), name)


def _prefix(classes: _Classes, name: str) -> str:
    found = [key for key in classes if name and key.startswith(name)]
    return found[0] if name not in classes and len(found) == 1 else name


def _by_class_name(classes: _Classes, name: str) -> str:
    if name in classes:
        return name
    return next((key for key, metric in classes.items() if _called(metric) == name), name)


def _class_name_first(classes: _Classes, name: str) -> str:
    return next((key for key, it in classes.items() if _called(it) == name), name)


@lookups.each(
    Case(
        "evsys-names-in-any-case",
        "names of metrics are found in any case",
        "Names in configuration files are written either way.",
        "casefold on both sides",
        _any_case,
    ),
    Case(
        "evsys-names-by-beginning",
        "a metric is found by the beginning of its name where no other begins so",
        "Commands are abbreviated so.",
        "argparse, git",
        _prefix,
    ),
    Case(
        "evsys-names-of-classes-found",
        "a metric is found by what its class calls itself where no key is so",
        "The document says that the key is the name.",
        "fallbacks by attribute",
        _by_class_name,
        clause="002-key",
    ),
    Case(
        "evsys-names-of-classes-first",
        "a metric is found by what its class calls itself before it is found by a key",
        "The document says that the key is the name.",
        "getattr(cls, 'name', key)",
        _class_name_first,
        clause="002-key",
    ),
    Case(
        "evsys-alias-resolved",
        "avg is looked up as mean_reward",
        "It is an alias of it.",
        "alias tables",
        lambda classes, name: "mean_reward" if name == "avg" else name,
        clause="002-avg",
    ),
)
def found(reference: Variant, named: Callable[[_Classes, str], str]) -> None:
    """Looks another name up."""
    if named in (_by_class_name, _class_name_first):
        names_remembered(reference)
    reference.wrap(
        registry_rules.Registry.get,
        lambda get: lambda registry, name: get(registry, named(registry._classes, name)),
    )


def _class_names(classes: _Classes) -> list[str]:
    return sorted(_called(metric) or key for key, metric in classes.items())


def _once_a_class(classes: _Classes) -> list[str]:
    first: dict[int, str] = {}
    for key, metric in classes.items():
        first.setdefault(id(metric), key)
    return sorted(first.values())


def _own(classes: _Classes) -> list[str]:
    return sorted(key for key in classes if key not in BUILT_INS)


@listings.each(
    Case(
        "evsys-available-without-case",
        "an unknown name's error lists the metrics sorted without case",
        "People sort so.",
        "key=str.lower, locales",
        lambda classes: sorted(classes, key=lambda key: (key.casefold(), key)),
    ),
    Case(
        "evsys-available-by-utf-16",
        "an unknown name's error lists the metrics sorted by UTF-16 units",
        "Strings are compared so there.",
        "JavaScript, Java, .NET ordinal",
        lambda classes: sorted(classes, key=lambda key: key.encode("utf-16-be", "surrogatepass")),
    ),
    Case(
        "evsys-available-without-avg",
        "an unknown name's error does not list avg",
        "It is an alias of mean_reward.",
        "alias tables",
        lambda classes: sorted(key for key in classes if key != "avg"),
    ),
    Case(
        "evsys-available-registered-only",
        "an unknown name's error lists the registered metrics without the built-in ones",
        "Both are kept in tables of their own.",
        "two tables",
        _own,
    ),
    Case(
        "evsys-available-built-ins-first",
        "an unknown name's error lists the built-in metrics first",
        "Both are kept in tables of their own.",
        "two tables",
        lambda classes: sorted(key for key in classes if key in BUILT_INS) + _own(classes),
    ),
    Case(
        "evsys-available-by-class-name",
        "an unknown name's error lists what the classes call themselves",
        "The document says that the key is the name.",
        "[cls.name for cls in registry]",
        _class_names,
    ),
    Case(
        "evsys-available-once-a-class",
        "an unknown name's error lists a class with several keys once",
        "Metrics are listed, not keys.",
        "set(registry.values())",
        _once_a_class,
    ),
    Case(
        "evsys-available-by-length",
        "an unknown name's error lists the shorter names first",
        "Canonical JSON once sorted its keys so.",
        "canonical CBOR, shortlex",
        lambda classes: sorted(classes, key=lambda key: (len(key), key)),
    ),
    Case(
        "evsys-available-reversed",
        "an unknown name's error lists the metrics from the last name",
        "The newest is shown first.",
        "reverse=True",
        lambda classes: sorted(classes, reverse=True),
    ),
    Case(
        "evsys-available-first-ten",
        "an unknown name's error lists ten metrics at most",
        "A message should be short.",
        "keys[:10]",
        lambda classes: sorted(classes)[:10],
    ),
)
def listed(reference: Variant, listing: Callable[[_Classes], list[str]]) -> None:
    """Lists other names as available."""
    if listing is _class_names:
        names_remembered(reference)
    reference.replace(registry_rules.Registry.available, lambda registry: listing(registry._classes))


@lookups.each(
    Case(
        "evsys-available-close-only",
        "an unknown name's error lists the names that begin with the same letter, if there are any",
        "Close names are what is wanted.",
        "difflib.get_close_matches, did you mean",
        lambda key, available: [it for it in available if key and it[:1] == key[:1]] or available,
    ),
    Case(
        "evsys-available-with-the-unknown",
        "an unknown name's error lists the name itself",
        "A look-up makes an entry.",
        "defaultdict",
        lambda key, available: sorted({*available, key}),
    ),
)
def said(reference: Variant, listing: Callable[[str, list[str]], list[str]]) -> None:
    """Lists other names for the name that is asked for."""

    def around(answer: Callable[[Any], Any]) -> Callable[[Any], Any]:
        def changed(given: Any) -> Any:
            results = answer(given)["results"]
            for action, result in zip(given["actions"], results, strict=True):
                if "available" in result:
                    result["available"] = listing(action["key"], result["available"])
            return {"results": results}

        return changed

    reference.wrap_op("evsys.registry", around)


@keys.changed(clause="002-built-in", invited_by="the document's benchmark that lists it")
def evsys_worst_task_built_in(reference: Variant) -> None:
    """worst_task is built in. The document lists it on a benchmark beside mean_reward."""

    class WorstTask:
        name = "worst_task"

        def compute(self, tasks: Any) -> float:
            means = [compensated_sum(task) / len(task) for task in tasks if task]
            return min(means) if means else 0.0

    init = reference.get(registry_rules.Registry.__init__)

    def with_worst_task(registry: Any) -> None:
        init(registry)
        registry._classes["worst_task"] = WorstTask

    reference.replace(registry_rules.Registry.__init__, with_worst_task)
