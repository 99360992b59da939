"""Explains a runner's failures: finds changes to the reference that together give the runner's answers.

A runner is modelled as the reference with a few changes: known mistakes, and deviations generated from the
op's schema (``conformance.deviations``), with constants taken from the runner's answers. Both are
``candidates``. A ``case`` has the ``evidence`` of one op and compares answers member by member
(``departures``). ``search`` looks for the composition that gives the runner's answers, fitted to half of
them; ``findings`` checks it against all, including right answers; ``experiments`` tests it on new inputs, if
the runner can be asked. ``todo`` builds the to-do list, ``wording`` its lines, and ``account`` is the result.
``symptoms`` groups the failures that no change explains.

``scratch`` is a reference that makes one set of mistakes after another, ``known_answers`` has the stored
answers of each known mistake to each vector (updated by ``precomputing``).
"""
