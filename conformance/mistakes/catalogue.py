"""The catalogue of known mistakes: adds and finds entries."""

import difflib
import functools
import itertools
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from conformance.errors import UserError
from conformance.mistakes.removed import removed_mistakes
from conformance.mistakes.variant import Variant
from conformance.paths import DEFAULT_SPEC
from conformance.registry.ops import OPS, SPEC_TABLE, load_parts, spec_of_module
from conformance.suite.clauses import successors
from conformance.wire.text import shortened

__all__ = ["Mistake", "MistakeError", "all_mistakes", "find_mistakes", "made", "mistake", "mistake_of"]

_NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")


class MistakeError(UserError):
    """No such mistake; the message is one sentence."""


@dataclass(frozen=True, slots=True)
class Mistake:
    """One known mistake."""

    name: str
    """Lower-case words joined by hyphens; unique."""
    says: str
    """What the runner does, as a clause that completes "explained by: …"."""
    op: str
    """The operation that it belongs to; other operations may show it too."""
    clause: str
    """The id of the rule that it breaks."""
    why: str
    """Why people make it, in one sentence."""
    invited_by: str
    """The languages, libraries or habits that invite it."""
    change: Callable[[Variant], None]
    of_spec: str | None = None
    """The spec whose reference it changes, if that is not the op's own spec."""
    module: str = ""
    """The module that makes it."""

    @property
    def conformance_class(self) -> str:
        """The class whose vectors must catch it."""
        return OPS[self.op].conformance_class

    @property
    def is_generated(self) -> bool:
        """Whether it is a generated change within the reference, not an entry of the catalogue."""
        return ":" in self.name

    @property
    def spec(self) -> str:
        """The spec that it belongs to."""
        return self.of_spec or OPS[self.op].spec


_entries: dict[str, Mistake] = {}


def mistake(
    name: str, *, says: str, op: str, clause: str, why: str, invited_by: str, module: str | None = None
) -> Callable[[Callable[[Variant], None]], Callable[[Variant], None]]:
    """Adds the decorated function, which changes a private copy of the reference, to the catalogue.

    The mistake belongs to the spec whose package contains ``module``: by default the function's own.
    """

    def enter(change: Callable[[Variant], None]) -> Callable[[Variant], None]:
        if name in _entries or not _NAME.fullmatch(name) or op not in OPS:
            raise ValueError(f"the mistake {name!r} has a name that is taken or malformed, or an unknown op")
        made_in = module or str(getattr(change, "__module__", ""))
        of_spec = spec_of_module(made_in)
        known = of_spec if of_spec is not None and SPEC_TABLE[of_spec].base is not None else None
        _entries[name] = Mistake(name, says, op, clause, why, invited_by, change, known, made_in)
        return change

    return enter


@functools.cache
def all_mistakes(spec: str | None = None) -> dict[str, Mistake]:
    """All known mistakes, or those of one spec, sorted by op and name.

    An overlay spec has its base's mistakes too, applied to its own reference; some of them may change
    nothing there.
    """
    if spec is not None:
        own = {name: known for name, known in all_mistakes().items() if known.spec == spec}
        base = SPEC_TABLE[spec].base
        if base is None:
            return own
        ended = successors(spec)
        of_base = {
            name: replace(known, of_spec=spec, clause=ended.get(known.clause) or known.clause)
            for name, known in all_mistakes(base).items()
        }
        return _sorted(of_base | own)
    load_parts("mistakes")
    return _sorted(_entries)


def _sorted(mistakes: dict[str, Mistake]) -> dict[str, Mistake]:
    order = list(OPS)
    return dict(sorted(mistakes.items(), key=lambda item: (order.index(item[1].op), item[0])))


def find_mistakes(names: str, spec: str = DEFAULT_SPEC) -> list[Mistake]:
    """The named mistakes; names joined by ``+`` are made together.

    For an overlay spec, they are applied to its own reference.

    Raises:
        MistakeError: there is no such mistake, or two of them can't be made at once.
    """
    known = all_mistakes() if SPEC_TABLE[spec].base is None else all_mistakes() | all_mistakes(spec)
    wanted = [name.strip() for name in names.split("+")]
    for name in wanted:
        if name not in known:
            if removed := removed_mistakes().get(name):
                raise MistakeError(
                    f"the known mistake {name!r} was removed: the vector {removed['caught_by']}"
                    f" catches a runner that makes it ({removed['says']})"
                )
            close = difflib.get_close_matches(name, known, n=3)
            meant = f", did you mean {' or '.join(close)}?" if close else ":"
            listing = "'harbor-conformance explain mistakes' lists them"
            raise MistakeError(f"there is no known mistake {shortened(name, 80)!r}{meant} {listing}")
    mistakes = [known[name] for name in dict.fromkeys(wanted)]
    if len(mistakes) > 1:
        _require_combinable(mistakes)
    return mistakes


def mistake_of(op: str, name: str) -> Mistake:
    """A known mistake in an op's section; avoids loading the other sections."""
    OPS[op].part("mistakes")
    return _entries[name]


def _require_combinable(mistakes: Sequence[Mistake]) -> None:
    for left, right in itertools.combinations(mistakes, 2):
        try:
            lost = made(left, right).overridden
        except Exception:  # the second mistake does not find what it changes, since the first removed it
            raise MistakeError(
                f"{left.name} and {right.name} can't be made at once:"
                " the first removes what the second changes"
            ) from None
        if lost:
            instead = (
                "run one after the other" if made(right, left).overridden else f"try {right.name}+{left.name}"
            )
            raise MistakeError(
                f"{left.name} and {right.name} can't be made at once: both replace"
                f" {', '.join(sorted(lost))} of the reference, and the first would be lost; {instead}"
            )


def made(*mistakes: Mistake) -> Variant:
    """A copy of the reference that makes all of these mistakes."""
    specs = {entry.spec for entry in mistakes if SPEC_TABLE[entry.spec].base is not None}
    variant = Variant(spec=specs.pop()) if specs else Variant()
    for entry in mistakes:
        entry.change(variant)
    return variant
