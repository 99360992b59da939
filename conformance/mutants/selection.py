"""Which mutants are tried: all of them, some modules', a sample, or those of what has changed."""

import random
import subprocess
from collections.abc import Sequence

from conformance.mistakes.variant import module_names
from conformance.mutants.fate import MutantsError
from conformance.mutants.mutator import Mutant, mutants_of, reference_source
from conformance.paths import DEFAULT_SPEC, checkout_root

__all__ = ["all_mutants", "changed_modules", "known_modules", "sampled"]

_EVERYTHING = ("conformance/mutants/", "conformance/mistakes/variant.py", "conformance/judging/", "vectors/")
"""Where a change concerns every mutant."""


def known_modules(names: Sequence[str], spec: str = DEFAULT_SPEC) -> tuple[str, ...]:
    """The modules named of those for the spec, all where none is.

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


def changed_modules(revision: str, spec: str = DEFAULT_SPEC) -> tuple[str, ...]:
    """The modules whose files differ from a git revision's; all where the vectors or the mutator differ.

    A module that has not changed may still answer otherwise by one that has: a whole run tells.

    Raises:
        MutantsError: this is no checkout, git is missing, or there is no such revision.
    """
    root = checkout_root()
    if root is None:
        raise MutantsError("--changed-since needs a checkout of the kit, and this is an installed package")
    command = ["git", "diff", "--name-only", "--end-of-options", revision, "--"]
    try:
        done = subprocess.run(command, cwd=root, capture_output=True, encoding="utf-8", timeout=60)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise MutantsError(f"git can't be asked what has changed: {error}") from None
    if done.returncode != 0:
        raise MutantsError(f"git does not know what has changed since {revision!r}: {done.stderr.strip()}")
    changed = done.stdout.splitlines()
    if any(path.startswith(_EVERYTHING) for path in changed):
        return module_names(spec)
    return tuple(
        name for name in module_names(spec) if f"reference_impl/{name.replace('.', '/')}.py" in changed
    )


def all_mutants(modules: Sequence[str]) -> list[tuple[Mutant, int]]:
    """Every mutant of the modules with its number among its module's."""
    return [
        (mutant, number)
        for module in modules
        for number, mutant in enumerate(mutants_of(module, reference_source(module)))
    ]


def sampled(mutants: Sequence[tuple[Mutant, int]], count: int, seed: int) -> list[tuple[Mutant, int]]:
    """``count`` of them at most, in their order; the same for the same seed and the same mutants."""
    chosen = random.Random(seed).sample(range(len(mutants)), min(count, len(mutants)))  # noqa: S311
    return [mutants[place] for place in sorted(chosen)]
