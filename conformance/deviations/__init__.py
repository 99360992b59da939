"""Deviations: wrong ways to treat one value of an op's input or answer, generated from its schema.

A deviation applies a change (``changes``, some 300 by type) at a place (``places``) of the input or answer,
or to whole records and answers (``space``). None is written by hand. Wrong behaviour that no such change
expresses is a mistake (``conformance.mistakes``). How to use them::

    space = space_of("harbor-0.13.1", "aggregate")    # cached; some seconds for the largest op
    reference = References("harbor-0.13.1")           # or any ``Reference``: it answers changed inputs
    request = Request(vector.op, vector.input, expected)  # input and expected answer, decoded once

    for one in space:                                 # lazily, the likeliest kinds first
        if touches(one, request):                     # quick: does not ask the reference
            reply = answer(request, [one], reference)  # as the kit would read it from a runner
    answer(request, [first, second], reference, [mistake])  # composed: inputs, mistakes, answers

``observed_deviations`` generates more, with constants from a runner's wrong answers. Each has an ``id`` that
changes only with its place, ``words`` for people, and how ``usual`` it is. ``--runner deviation:ID`` runs the
reference with one deviation, ``deviation:ID+ID+NAME`` with several deviations and known mistakes.
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
