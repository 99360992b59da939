"""The answers of a spec's additional environments: the oracle's package, locked with other packages."""

import json
from collections.abc import Callable, Sequence
from dataclasses import replace

from conformance.oracle import environments
from conformance.oracle.of_specs import oracle_command
from conformance.oracle.sources import Answers, Source, ask, complete
from conformance.registry.ops import SPEC_TABLE
from conformance.suite.vectors import Vector

__all__ = ["answers_in", "differing", "variant_sources"]


def variant_sources(
    spec: str,
    progress: Callable[[str], None],
    compare: Callable[[environments.Oracle, Callable[[str], None]], None],
) -> dict[str, Source]:
    """The spec's additional environments by name, each built if needed and verified by ``compare``.

    Raises:
        OracleError: one can't be built, or was changed since it was installed.
    """
    found = {}
    for variant in SPEC_TABLE[spec].oracle.variants:
        compare(environments.ensure(progress, recipe=variant.recipe), progress)
        command = oracle_command(spec, progress, variant=variant.name)
        found[variant.name] = Source(variant.recipe.name, frozenset(), command)
    return found


def answers_in(
    name: str,
    source: Source,
    vectors: Sequence[Vector],
    known: list[Source],
    spec: str,
    tick: Callable[[], None],
) -> Answers:
    """An environment's answers to these vectors, completed by other sources.

    Raises:
        RegenError: an answer is not available.
    """
    asked = [vector.for_environment(name) for vector in vectors]
    answers = ask(source, asked, spec, tick)
    complete(answers, asked, known, spec)
    return answers


def differing(vectors: Sequence[Vector], answers: Answers, others: dict[str, Answers]) -> list[Vector]:
    """The vectors, each with the answers of environments that differ from the main one."""
    found = []
    for vector in vectors:
        main = answers.get(vector.id)
        if main is None:  # its source is not available, or not an environment
            found.append(vector)
            continue
        stored = {name: answer for name, answer in vector.variants.items() if name not in others}
        new = {
            name: theirs[vector.id]
            for name, theirs in others.items()
            if vector.id in theirs and json.dumps(theirs[vector.id]) != json.dumps(main)
        }
        found.append(replace(vector, variants=dict(sorted({**stored, **new}.items()))))
    return found
