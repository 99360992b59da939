"""Selects the mutants to try: all, some modules', or a sample; and the ops whose vectors each is run on."""

from collections.abc import Sequence

from conformance.mistakes.modules import module_names, overlays
from conformance.mistakes.mutators.mutants import Mutant, mutants_of, reference_source
from conformance.mutants.fate import MutantsError
from conformance.mutants.reach import used_by
from conformance.paths import DEFAULT_SPEC
from conformance.registry.ops import SPEC_TABLE, ops_of

__all__ = ["Asked", "all_mutants", "asked_of", "known_modules", "shared_modules", "tried_with"]


def known_modules(names: Sequence[str], spec: str = DEFAULT_SPEC) -> tuple[str, ...]:
    """The named modules of the spec, or all of them if none is named.

    Raises:
        MutantsError: the reference has no such module.
    """
    known = module_names(spec)
    unknown = sorted(set(names) - set(known))
    if unknown:
        raise MutantsError(
            f"the reference for {spec} has no module {unknown[0]!r}; it has {', '.join(known)}"
        )
    return tuple(name for name in known if name in names or not names)


def all_mutants(modules: Sequence[str]) -> list[tuple[Mutant, int]]:
    """Every mutant of the modules with its number among its module's."""
    return [
        (mutant, number)
        for module in modules
        for number, mutant in enumerate(mutants_of(module, reference_source(module)))
    ]


Asked = tuple[Mutant, int, str | None]
"""A mutant, its number within its module, and the op whose vectors it is run on; None for all."""


def shared_modules(spec: str = DEFAULT_SPEC) -> tuple[str, ...]:
    """The modules that belong to another spec but are used by ops of this one.

    The protocol's code (``runner``) is the same for every op, so it is tried only with its own spec.
    """
    if SPEC_TABLE[spec].base is not None:  # they are tried with the base's vectors
        return ()
    own = module_names(spec)
    used = {module for op in ops_of(spec) for module, _ in used_by(op.name)}
    return tuple(sorted(module for module in used.difference(own) if not module.startswith("runner.")))


def tried_with(module: str, spec: str) -> bool:
    """Whether a module's mutants are run on a spec's vectors: a release's module only on its own."""
    own = overlays().get(spec)
    package = module.partition(".")[0]
    return package == own if own is not None else package not in overlays().values()


def asked_of(mutants: Sequence[tuple[Mutant, int]], spec: str = DEFAULT_SPEC) -> list[Asked]:
    """Each mutant with each op of the spec that can use the changed code, or with None if no op can."""
    ops = [op.name for op in ops_of(spec)]
    pairs: list[Asked] = []
    for mutant, number in mutants:
        using = [op for op in ops if (mutant.module, mutant.function) in used_by(op, spec)]
        pairs += [(mutant, number, op) for op in using or (None,)]
    return pairs
