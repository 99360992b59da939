"""A search by hypothesis that begins with what other searches found.

As ``drawing.by_hypothesis.search``, which keeps nothing; the inputs drawn after those that were kept are the
same.
"""

from collections.abc import Callable
from typing import Any

import hypothesis
from hypothesis import HealthCheck, Phase, Verbosity

from conformance.drawing.by_hypothesis import _nothing_left_behind, strategy
from conformance.drawing.source import Draw
from conformance.properties.databases import Keyed

__all__ = ["search_beginning_with"]


def search_beginning_with(
    database: Keyed,
    draw: Draw[Any],
    attempt: Callable[[Any], bool],
    *,
    seed: int,
    examples: int,
    shrinking: bool,
) -> None:
    """Calls ``attempt`` with inputs that are kept, then with others; a failing one is kept for others."""
    repeated = 0

    def tried(given: Any) -> None:
        nonlocal repeated
        try:
            new = attempt(given)
        except BaseException as error:
            database.closed = not isinstance(error, Exception)
            raise
        if not new and repeated < examples:
            repeated += 1
            hypothesis.reject()

    phases = (Phase.reuse, Phase.generate, Phase.shrink)
    settings = hypothesis.settings(
        max_examples=examples,
        derandomize=False,
        database=database,
        deadline=None,
        phases=phases if shrinking else phases[:2],
        report_multiple_bugs=False,
        print_blob=False,
        verbosity=Verbosity.quiet,
        suppress_health_check=list(HealthCheck),
    )
    with _nothing_left_behind():
        # The settings last: a seed takes the database away.
        settings(hypothesis.seed(seed)(hypothesis.given(strategy(draw))(tried)))()
