"""Deviations: whatever an implementer may do to one value of an op's input or answer, made from its schema.

A deviation is a change (``changes``, some 300 by type) at a place (``places``) of the input or the answer,
or of records and answers as a whole (``space``). None is written by hand; those that no change of one place
can say are the mistakes of ``conformance.mistakes``. How to use them::

    space = space_of("harbor-0.13.1", "aggregate")    # kept; some seconds for the largest op
    reference = References("harbor-0.13.1")           # or any ``Reference``: it answers changed inputs
    asked = Asked(vector.op, vector.input, expected)  # a request and its right answer, decoded once

    for one in space:                                 # lazily, the likeliest kinds first
        if touches(one, asked):                       # quick: nothing is asked
            reply = answer(asked, [one], reference)   # as the kit would read it from a runner
    answer(asked, [first, second], reference, [mistake])  # composed: inputs, mistakes, answers

``observed_deviations`` makes further ones with constants of a runner's wrong answers. Each has an ``id``, stable while
its place is, ``words`` for people, and how ``usual`` it is. ``--runner deviation:ID`` makes it a runner,
``deviation:ID+ID+NAME`` several, with known mistakes among them.
"""

from conformance.deviations.deviation import Deviation, Reference, References, Request, answer, touches
from conformance.deviations.observed import observed_deviations
from conformance.deviations.space import Space, space_of

__all__ = [
    "Deviation",
    "Reference",
    "References",
    "Request",
    "Space",
    "answer",
    "observed_deviations",
    "space_of",
    "touches",
]
