"""Scripts that no reward from 0 to 1 changes, or no key that the user names."""

import math

from conformance.extensions.metrics.script.asking import Asking, differ
from conformance.extensions.metrics.script.contrasts import Problems
from conformance.extensions.metrics.script.needs import Needs
from conformance.extensions.metrics.script.output import alike, shown
from conformance.extensions.metrics.script.shape import Shape
from conformance.option_names import metric_option

__all__ = ["problems"]

_LENGTHS = (130, 1100)
_NAMES_SHOWN = 6


def problems(asking: Asking, needs: Needs, named: tuple[str, ...]) -> Problems:
    """What there is to say if no value of any key, or of a ``named`` one, matters."""
    base = asking.ask(asking.each(1.0, 0.0, 0.5))
    keys = asking.shape.keys
    if not (needs.ignored or (named and set(keys).isdisjoint(named))):
        return
    lists = [asking.each(1.0), asking.each(1.0, asking.null, 0.5)]
    lists += [asking.each(*[value] * number) for number in _LENGTHS for value in (1.0, 0.25)]
    runs = [base, *asking.all(*lists)]
    if not all(run.usable for run in runs):
        return
    names = [*keys, *(key for key in asking.text.keys if key not in keys)]
    tried = ", ".join(names[:_NAMES_SHOWN]) + (", …" if len(names) > _NAMES_SHOWN else "")
    which = f"tried as keys: {tried}" if needs.ignored else f"it reads {', '.join(keys)}"
    ending = f"({which}; {metric_option('key')} NAME names others)."
    del asking.asked[:]
    if needs.only and isinstance(needs.only[0], str):
        yield "constant", f"Only texts change its output, and rewards are numbers {ending}", base
    elif needs.only:
        plain = Shape(asking.shape.pattern)
        most, above = asking.apart(plain.trials(*[1.0] * 3), plain.trials(*[math.nextafter(1, 2)] * 3))
        text = f"No reward from 0 to 1 changes its output; {', '.join(map(str, needs.only[:4]))}, … do"
        if differ(most, above):
            yield "constant", f"It counts only what is above 1: {text}.", most
        else:
            yield "rewards-unread", f"{text} ({metric_option('values')} names others).", base
    elif all(alike(base.value, run.value) for run in runs):
        text = f"It gave {shown(base.value)} whatever the trials and their rewards were"
        yield "constant", f"{text} {ending}", base
    elif not any(differ(*two) for two in ((runs[0], runs[2]), (runs[3], runs[4]), (runs[5], runs[6]))):
        yield "rewards-unread", f"Only the number of trials changed its output, and no reward {ending}", base
