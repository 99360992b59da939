"""What readers of document 002 alone understood of entry points: which are imported, what they register."""

from collections.abc import Callable
from typing import Any

from conformance.mistakes.family import Case, family
from conformance.mistakes.variant import Variant
from conformance.specs.evsys.registry.mistakes.names import as_written, key_of
from reference_impl.evsys import operations, plugins
from reference_impl.evsys import registry as registry_rules
from reference_impl.evsys.metrics import BUILT_INS

walks = family("evsys.registry", clause="002-entry-points")
imports = family("evsys.registry", clause="002-entry-points")
_Described = list[dict[str, Any]]


def _last_of_a_name(points: _Described) -> _Described:
    return list({point["name"]: point for point in points}.values())


def _first_of_a_name(points: _Described) -> _Described:
    return list(reversed(list({point["name"]: point for point in reversed(points)}.values())))


def _first_class(point: dict[str, Any]) -> dict[str, Any]:
    return {**point, "registers": point["registers"][:1]}


def _last_class(point: dict[str, Any]) -> dict[str, Any]:
    return {**point, "registers": point["registers"][-1:]}


def _by_entry_name(point: dict[str, Any]) -> dict[str, Any]:
    return {**point, "registers": [[point["name"], label] for _, label in point["registers"]]}


def _first_by_entry_name(point: dict[str, Any]) -> dict[str, Any]:
    renamed = [[point["name"], label] for _, label in point["registers"][:1]]
    return {**point, "registers": [*renamed, *point["registers"][1:]]}


def _entry_name_too(point: dict[str, Any]) -> dict[str, Any]:
    also = [[point["name"], label] for _, label in point["registers"][:1]]
    return {**point, "registers": [*point["registers"], *also]}


def _last_of_a_key(point: dict[str, Any]) -> dict[str, Any]:
    return {**point, "registers": [list(pair) for pair in dict(point["registers"]).items()]}


@walks.each(
    Case(
        "evsys-entry-points-of-a-name-first",
        "of entry points of the same name the first alone is imported",
        "A name is thought to be unique in its group.",
        "setdefault by name",
        _first_of_a_name,
    ),
    Case(
        "evsys-entry-points-of-a-name-last",
        "of entry points of the same name the last alone is imported",
        "A name is thought to be unique in its group.",
        "{ep.name: ep for ep in entry_points}",
        _last_of_a_name,
    ),
    Case(
        "evsys-entry-points-reversed",
        "entry points are imported from the last",
        "They are taken from a stack.",
        "list.pop()",
        lambda points: list(reversed(points)),
    ),
    Case(
        "evsys-failing-entry-points-last",
        "entry points that fail are imported after the others",
        "They are tried again at the end.",
        "retries",
        lambda points: sorted(points, key=lambda point: point["fails"] is not None),
        clause="002-plugin-failure",
    ),
    Case(
        "evsys-entry-point-empty-message-loads",
        "an import that fails without a message has not failed",
        "An empty message counts as false.",
        "if error_message",
        lambda points: [{**point, "fails": point["fails"] or None} for point in points],
        clause="002-plugin-failure",
    ),
    Case(
        "evsys-entry-point-keeps-first-class",
        "an entry point registers its first class alone",
        "It names one class.",
        "my_pkg.metrics:WorstTask",
        lambda points: list(map(_first_class, points)),
    ),
    Case(
        "evsys-entry-point-keeps-last-class",
        "an entry point registers its last class alone",
        "It names one class.",
        "the last assignment wins",
        lambda points: list(map(_last_class, points)),
    ),
    Case(
        "evsys-entry-point-names-classes",
        "an entry point's classes are registered under its own name",
        "The name stands before the class in pyproject.toml.",
        "worst_task = …",
        lambda points: list(map(_by_entry_name, points)),
    ),
    Case(
        "evsys-entry-point-names-first-class",
        "an entry point's first class is registered under its name, the others under their keys",
        "It names one class.",
        "worst_task = …",
        lambda points: list(map(_first_by_entry_name, points)),
    ),
    Case(
        "evsys-entry-point-name-too",
        "an entry point's first class is registered under its name, too",
        "It names one class.",
        "worst_task = …",
        lambda points: list(map(_entry_name_too, points)),
    ),
    Case(
        "evsys-entry-point-last-of-a-key",
        "of classes that one entry point registers under the same key the last counts",
        "A module's names are collected before they are registered.",
        "vars(module), dicts by key",
        lambda points: list(map(_last_of_a_key, points)),
        clause="002-plugin-failure",
    ),
    Case(
        "evsys-unknown-in-plugin-loads",
        "a plugin that looks an unknown name up is loaded",
        "A look-up that finds nothing is taken to give nothing.",
        "registry.get(name) of a map",
        lambda points: [{**point, "gets": []} for point in points],
        clause="002-plugin-failure",
    ),
    Case(
        "evsys-failing-import-registers",
        "a plugin whose import fails registers its classes, and is skipped",
        "The decorators ran before the failure.",
        "decorators above the line that raises",
        None,
        clause="002-plugin-failure",
    ),
)
def other_walk(reference: Variant, change: Callable[[_Described], _Described] | None) -> None:
    """Walks over other entry points."""
    load = reference.get(operations._load)

    def changed(registry: Any, classes: Any, action: Any) -> Any:
        points = action["entry_points"]
        if change is not None:
            return load(registry, classes, {**action, "entry_points": change(points)})
        for point in points:
            if point["fails"] is not None:
                load(registry, classes, {"entry_points": [{**point, "fails": None}]})
        return load(registry, classes, action)

    reference.replace(operations._load, changed)


@walks.each(
    Case(
        "evsys-plugins-without-classes-skipped",
        "a plugin that registers nothing counts as skipped",
        "It gave no metric.",
        "counting what was registered",
        lambda points, loaded, skipped: (
            [name for name in loaded if _registers(points, name)],
            [p["name"] for p in points if p["name"] in skipped or not p["registers"]],
        ),
    ),
    Case(
        "evsys-skipped-sorted",
        "the plugins skipped are sorted by name",
        "They are collected in a set.",
        "sorted(set(skipped))",
        lambda points, loaded, skipped: (loaded, sorted(skipped)),
        clause="002-plugin-failure",
    ),
    Case(
        "evsys-skipped-once",
        "of plugins of the same name that fail one is named as skipped",
        "They are collected in a set.",
        "dict.fromkeys(skipped)",
        lambda points, loaded, skipped: (loaded, list(dict.fromkeys(skipped))),
        clause="002-plugin-failure",
    ),
    Case(
        "evsys-loaded-sorted",
        "the plugins loaded are named in the order of their names",
        "They are collected in a set.",
        "sorted(set(loaded))",
        lambda points, loaded, skipped: (sorted(loaded), skipped),
    ),
    Case(
        "evsys-loaded-once",
        "of plugins of the same name that load one is named as loaded",
        "They are collected in a set.",
        "dict.fromkeys(loaded)",
        lambda points, loaded, skipped: (list(dict.fromkeys(loaded)), skipped),
    ),
    Case(
        "evsys-skipped-count-as-loaded",
        "a plugin that is skipped stands among those loaded, too",
        "The name is noted before the import.",
        "append before the try",
        lambda points, loaded, skipped: ([p["name"] for p in points], skipped),
        clause="002-plugin-failure",
    ),
    Case(
        "evsys-skipped-by-name-not-loaded",
        "a plugin is not loaded where another of its name was skipped",
        "Names are compared, not plugins.",
        "set(names) - set(skipped)",
        lambda points, loaded, skipped: ([name for name in loaded if name not in skipped], skipped),
        clause="002-plugin-failure",
    ),
    Case(
        "evsys-conflicts-count-as-loaded",
        "a plugin that asks for a name that is taken counts as loaded",
        "Its import has not failed.",
        "errors of decorators logged alone",
        lambda points, loaded, skipped: (
            [p["name"] for p in points if p["fails"] is None],
            [p["name"] for p in points if p["fails"] is not None],
        ),
        clause="002-plugin-failure",
    ),
)
def reported(reference: Variant, names: Callable[..., tuple[list[str], list[str]]]) -> None:
    """Says something else of what was loaded and skipped."""
    load = reference.get(operations._load)

    def changed(registry: Any, classes: Any, action: Any) -> Any:
        said = load(registry, classes, action)
        loaded, skipped = names(action["entry_points"], said["loaded"], said["skipped"])
        return {"loaded": loaded, "skipped": skipped}

    reference.replace(operations._load, changed)


def _registers(points: _Described, name: str) -> bool:
    return any(point["registers"] for point in points if point["name"] == name)


def _state(registry: Any, name: str) -> Any:
    return registry.__dict__.setdefault(name, [])


def _loading_once(registry: Any, points: _Described, load: Callable[[_Described], Any]) -> Any:
    if registry.__dict__.get("walked"):
        return {"loaded": [], "skipped": []}
    registry.__dict__["walked"] = True
    return load(points)


def _entry_once(registry: Any, points: _Described, load: Callable[[_Described], Any]) -> Any:
    imported = _state(registry, "imported")
    new = [point for point in points if point["name"] not in imported]
    imported.extend(point["name"] for point in new)
    return load(new)


def _failed_never_again(registry: Any, points: _Described, load: Callable[[_Described], Any]) -> Any:
    failed = _state(registry, "failed")
    tried = load([point for point in points if point["name"] not in failed])
    out = {*tried["skipped"], *failed}
    failed.extend(tried["skipped"])
    skipped = [point["name"] for point in points if point["name"] in out]
    return {"loaded": tried["loaded"], "skipped": skipped}


def _imported_remembered(registry: Any, points: _Described, load: Callable[[_Described], Any]) -> Any:
    imported = _state(registry, "imported")
    quiet = [{**point, "registers": []} if point["name"] in imported else point for point in points]
    result = load(quiet)
    imported.extend(result["loaded"])
    return result


def _forgetting(registry: Any, points: _Described, load: Callable[[_Described], Any]) -> Any:
    registry._classes = {key: it for key, it in registry._classes.items() if key in BUILT_INS}
    return load(points)


def _skipped_carried(registry: Any, points: _Described, load: Callable[[_Described], Any]) -> Any:
    result = load(points)
    kept = _state(registry, "skipped")
    kept.extend(result["skipped"])
    return {"loaded": result["loaded"], "skipped": list(kept)}


def _loaded_carried(registry: Any, points: _Described, load: Callable[[_Described], Any]) -> Any:
    result = load(points)
    kept = _state(registry, "loaded")
    kept.extend(result["loaded"])
    return {"loaded": list(kept), "skipped": result["skipped"]}


def _one_by_one(registry: Any, points: _Described, load: Callable[[_Described], Any]) -> Any:
    loaded: list[str] = []
    skipped: list[str] = []
    for point in points:
        before = dict(registry._classes)
        result = load([point])
        if result["skipped"]:
            registry._classes = before
        loaded += result["loaded"]
        skipped += result["skipped"]
    return {"loaded": loaded, "skipped": skipped}


def _same_class_skipped(registry: Any, points: _Described, load: Callable[[_Described], Any]) -> Any:
    loaded: list[str] = []
    skipped: list[str] = []
    for point in points:
        if point["fails"] is None and any(key in registry._classes for key, _ in point["registers"]):
            skipped.append(point["name"])
            continue
        result = load([point])
        loaded += result["loaded"]
        skipped += result["skipped"]
    return {"loaded": loaded, "skipped": skipped}


def _ending_at_conflict(registry: Any, points: _Described, load: Callable[[_Described], Any]) -> Any:
    loaded: list[str] = []
    skipped: list[str] = []
    for point in points:
        result = load([point])
        loaded += result["loaded"]
        skipped += result["skipped"]
        if result["skipped"] and point["fails"] is None:
            break
    return {"loaded": loaded, "skipped": skipped}


@imports.each(
    Case(
        "evsys-walk-once",
        "a second walk over the entry points imports nothing",
        "It is done when EvSys is imported, and that is once.",
        "if _loaded: return",
        _loading_once,
    ),
    Case(
        "evsys-entry-point-once",
        "an entry point of a name that was imported before is passed over",
        "A name is thought to be unique.",
        "a set of names",
        _entry_once,
    ),
    Case(
        "evsys-entry-point-cached",
        "an entry point that was loaded loads again without running its decorators",
        "A module is imported once.",
        "sys.modules",
        _imported_remembered,
    ),
    Case(
        "evsys-failed-never-again",
        "an entry point that was skipped is skipped in later walks, too",
        "Failures are remembered.",
        "negative caches",
        _failed_never_again,
        clause="002-plugin-failure",
    ),
    Case(
        "evsys-walk-forgets",
        "a walk over the entry points forgets what was registered before",
        "Loading begins with an empty table.",
        "registry.clear()",
        _forgetting,
    ),
    Case(
        "evsys-skipped-carried-over",
        "plugins that were skipped are named again in the next walk",
        "A list is filled and never emptied.",
        "lists as attributes",
        _skipped_carried,
        clause="002-plugin-failure",
    ),
    Case(
        "evsys-loaded-carried-over",
        "plugins that were loaded are named again in the next walk",
        "A list is filled and never emptied.",
        "lists as attributes",
        _loaded_carried,
    ),
    Case(
        "evsys-half-loaded-rolled-back",
        "a plugin that fails half way leaves none of its classes",
        "A failure should leave no trace.",
        "transactions",
        _one_by_one,
        clause="002-plugin-failure",
    ),
    Case(
        "evsys-plugin-with-taken-name-not-run",
        "a plugin is skipped as a whole where any of its names is there already",
        "Conflicts are looked for before anything is registered.",
        "checks before the import",
        _same_class_skipped,
        clause="002-duplicate",
    ),
    Case(
        "evsys-conflict-ends-the-walk",
        "a plugin that asks for a name that is taken ends the walk over the plugins",
        "A broken import is foreseen, a conflict is not.",
        "break in the outer handler",
        _ending_at_conflict,
        clause="002-plugin-failure",
    ),
)
def walking(reference: Variant, walk: Callable[..., Any]) -> None:
    """Does something else around a walk, with what an earlier one left behind."""
    load = reference.get(operations._load)

    def changed(registry: Any, classes: Any, action: Any) -> Any:
        return walk(
            registry,
            action["entry_points"],
            lambda points: load(registry, classes, {**action, "entry_points": points}),
        )

    reference.replace(operations._load, changed)


def _replacing(classes: dict[str, Any], key: str, metric: Any) -> bool:
    classes[key] = metric
    return True


def _first_stays(classes: dict[str, Any], key: str, metric: Any) -> bool:
    classes.setdefault(key, metric)
    return True


def _going_on(classes: dict[str, Any], key: str, metric: Any) -> bool:
    return classes.setdefault(key, metric) is metric


def _built_ins_replaced(classes: dict[str, Any], key: str, metric: Any) -> bool:
    if key in BUILT_INS:
        classes[key] = metric
    if classes.get(key, metric) is not metric:
        raise ValueError(key)
    classes[key] = metric
    return True


def _named_alike(classes: dict[str, Any], key: str, metric: Any) -> bool:
    if key != as_written(metric) or classes.get(key, metric) is not metric:
        raise ValueError(key)
    classes[key] = metric
    return True


@imports.each(
    Case(
        "evsys-plugins-replace",
        "a plugin's class takes a name that is taken, a class registered by hand does not",
        "What is installed is meant to replace.",
        "overrides by plugins",
        _replacing,
        clause="002-duplicate",
    ),
    Case(
        "evsys-plugin-conflicts-ignored",
        "a plugin's class whose name is taken is passed over, and the plugin is loaded",
        "The first one wins among plugins.",
        "setdefault in the walk",
        _first_stays,
        clause="002-plugin-failure",
    ),
    Case(
        "evsys-plugin-goes-on-after-conflict",
        "a plugin is skipped for a name that is taken, yet its later classes are registered",
        "Each decorator is guarded by itself.",
        "try around each registration",
        _going_on,
        clause="002-plugin-failure",
    ),
    Case(
        "evsys-plugins-replace-built-ins",
        "a plugin may take a built-in's name, a class registered by hand may not",
        "Plugins are loaded before the built-ins.",
        "overrides by plugins",
        _built_ins_replaced,
        clause="002-duplicate",
    ),
    Case(
        "evsys-plugin-key-other-than-name-skipped",
        "a plugin is skipped whose key differs from what the class calls itself",
        "The document says that the key is the name.",
        "checks of plugins alone",
        _named_alike,
        clause="002-key-equals-name",
    ),
)
def registering_in_a_walk(reference: Variant, register: Callable[[dict[str, Any], str, Any], bool]) -> None:
    """Registers in another way, in a walk alone."""
    load = reference.get(plugins.load_plugins)
    plain = reference.get(registry_rules.Registry.register_metric)
    walking_now: list[list[bool]] = []

    def register_metric(registry: Any, name: str | None = None) -> Callable[[Any], Any]:
        if not walking_now:
            return plain(registry, name)  # type: ignore[no-any-return]

        def decorate(metric: Any) -> Any:
            key = key_of(name, metric)
            as_written(metric)
            if not register(registry._classes, key, metric):
                walking_now[-1][0] = True
            else:
                metric.name = key
            return metric

        return decorate

    def guarded(entry_points: Any) -> tuple[list[str], list[str]]:
        loaded: list[str] = []
        skipped: list[str] = []
        walking_now.append([False])
        try:
            for entry_point in entry_points:
                walking_now[-1][0] = False
                [*done], [*failed] = load([entry_point])
                if walking_now[-1][0]:
                    done, failed = [], [entry_point.name]
                loaded += done
                skipped += failed
        finally:
            walking_now.pop()
        return loaded, skipped

    reference.replace(registry_rules.Registry.register_metric, register_metric)
    reference.replace(plugins.load_plugins, guarded)
