"""Checks of a single metric that somebody wrote, held to the contract of the system that it is for.

- ``findings``, ``report``: rules, what breaks them, and how that is told.
- ``keeper``, ``walls``, ``processes``, ``protection``, ``confinement``: a stranger's code, within limits.
- ``scratch``, ``tree``: the folders that it gets, cleared away.
- ``script*``: harbor's metric scripts. ``script_uv`` installs what one needs; ``script_run`` runs it, also
  ``in_turn``; ``script_asking`` remembers what it gave; ``script_reads`` finds out its keys; ``script_cases``
  and ``script_comparing`` are the cases.
- ``worker``, ``classes``: a class, loaded by a process of its own; ``evsys*`` and ``harness*`` judge it.
- ``targets``: what ``harbor-conformance metric`` and pytest are told to check.
"""
