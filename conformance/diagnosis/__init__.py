"""What is behind the failures of a runner: known mistakes, deviations learned from its answers, and the rest.

A runner that nobody here has seen makes eight mistakes at once, and half of them are in no catalogue. So an
answer is compared place by place, not as a whole (``deviation``); the known mistakes are searched for
that together bring the reference nearest to the runner (``search``, ``fit``), each judged by what speaks for
it and against (``support``); what they leave is explained by templates learned from the answers
(``learning``); and the whole is told as a to-do list that accounts for every failure (``todo``, with its
``choosing`` and its ``wording``; ``account``).

``evidence`` is what is judged, ``scratch`` a reference that makes mistakes by turns, ``foretold`` what each
mistake answers to each vector (brought up to date by ``foretelling``), ``predictions`` both together.
"""
