"""The conformance kit: checks any harbor runner, byte for byte, against harbor 0.13.1.

What is checked is in ``specs``: a folder for each spec, a folder in it for each section, and in that all
that the kit knows of the section. The other rooms are engines, which know no section by name; each says in
its first line what it does. An import may only point down:

- ``cli``, ``pytest_plugin``: the two faces of the kit. ``console``: options and progress that commands share.
- ``releases``: what a release of harbor changed, and a spec begun for it.
- ``assessment``: how well the kit detects, measured.
- ``check``, ``fuzz``, ``metric``, ``mutants``, ``properties``: what runners, jobs and metrics are tried with.
- ``matrix``: many runners and recorded reports, next to each other.
- ``baseline``: lists of known failures, in the fewest lines and kept up to date.
- ``gate``: a run for CI, with every report and one exit code.
- ``pages``: what a report shows, as items, counts and tables; what changed between two.
- ``formats``: a page as text, a log, Markdown, HTML, JUnit, CTRF, a badge, annotations.
- ``dataset``: tasks to be run by others. ``run``: a run and its options. ``report``: its account.
- ``diagnosis``: which known mistakes explain what went wrong. ``mistakes``: how they are made.
- ``oracle``: where expected answers come from; ``adapters`` are the runners that ask there, a file each.
- ``judging``: what an answer is worth. ``runner``: processes, and how they are asked.
- ``suite``: vectors, clauses, schemas. ``drawing``: random values. ``registry``: specs, sections, ops.
- ``wire``: messages and their numbers. ``templates``: projects to begin a runner with.
- ``shim``: the protocol file of Python. ``version``: the kit's version.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    __version__: str
else:

    def __getattr__(name: str) -> str:
        """``__version__``, which is looked up when somebody asks for it."""
        if name != "__version__":
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from conformance.version import version

        return globals().setdefault(name, version())
