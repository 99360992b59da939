"""The conformance kit: checks any harbor runner, byte for byte, against harbor 0.13.1.

``specs`` has a folder for each spec, and in it a package for each section with all of the section's code. The
other packages are engines that know no section by name; the first line of each describes it. Imports only
point down:

- ``cli``, ``pytest_plugin``: the two front ends of the kit. ``console``: options and progress that commands
share.
- ``releases``: what a release of harbor changed, and the start of a spec for it.
- ``assessment``: measures how well the kit detects mistakes.
- ``check``, ``fuzz``, ``metric``, ``mutants``, ``properties``: further ways to try runners, jobs and metrics.
- ``matrix``: compares many runners and recorded reports.
- ``baseline``: lists of known failures, created and kept up to date.
- ``gate``: a run for CI, with every report and one exit code.
- ``pages``: a report's content as items, counts and tables; the difference of two.
- ``formats``: a page as text, a log, Markdown, HTML, JUnit, CTRF, a badge, annotations.
- ``dataset``: tasks for other runners. ``run``: a run and its options. ``outcomes``: its report.
- ``diagnosis``: which known mistakes explain the failures. ``mistakes``: how mistakes are applied.
- ``oracle``: where expected answers come from; ``adapters`` are the runners for that, a file each.
- ``judging``: judges answers. ``runner``: runners' processes and the exchange with them.
- ``suite``: vectors, clauses, schemas. ``drawing``: random values. ``registry``: specs, sections, ops.
- ``wire``: messages and their numbers. ``templates``: projects to begin a runner with.
- ``shim``: the protocol file of Python. ``version``: the kit's version.
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
