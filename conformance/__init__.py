"""The conformance kit: checks any harbor runner, byte for byte, against harbor 0.13.1.

``specs`` has a folder for each spec, and in it a package for each section with all of the section's code. The
other packages are engines that know no section by name; the first line of each describes it. Imports only
point down:

- ``cli``, ``pytest_plugin``: the two front ends of the kit.
- ``extensions``: ``audit`` (the command ``check``), ``metrics``, ``releases`` (with ``matrix``), ``dataset``.
- ``assessment``: measures how well the kit detects mistakes. ``gate``: a run for CI, with every report.
- ``fuzz``, ``properties``: random inputs, compared with the reference or held to a rule. ``mutants``: small
changes to the reference, which vectors must notice.
- ``baseline``: lists of known failures, created and kept up to date.
- ``templates``: projects to begin a runner with.
- ``formats``: a page as text, a log, Markdown, HTML, JUnit, CTRF, a badge, annotations.
- ``pages``: a report's content as items, counts and tables; the difference of two.
- ``console``: options and progress that commands share.
- ``outcomes``: the report of a run. ``rephrasing``: vectors asked again, in other words.
- ``diagnosis``: which changes of the reference explain the failures.
- ``oracle``: where expected answers come from; ``adapters`` are the runners for that, a file each.
- ``deviations``: ways to be wrong, generated. ``mistakes``: those with a name, written by hand.
- ``drawing``: random values. ``run``: a run and its options.
- ``judging``: judges answers. ``runner``: runners' processes and the exchange with them.
- ``suite``: vectors, clauses, schemas. ``registry``: specs, sections, ops.
- ``wire``: messages and their numbers. ``confinement``: the sandbox. ``workers``: processes that share work.
- ``shim``: the protocol file of Python. ``version``: the kit's version.
  ``errors``: what a user can fix.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    __version__: str
else:

    def __getattr__(name: str) -> str:
        """``__version__``, computed on first access."""
        if name != "__version__":
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from conformance.version import version

        return globals().setdefault(name, version())
