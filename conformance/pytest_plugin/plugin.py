"""The pytest plugin's options: ``pytest --runner="<cmd>"`` makes every vector a test of that runner.

With ``--conformance-metric-script`` or ``--conformance-metric`` every case of a single metric is one. Without
any of these this module is all that is loaded; with them come the hooks of ``hooks`` or ``metric``.
"""

import copy
from argparse import Namespace
from collections.abc import Generator, Sequence
from pathlib import Path

import pytest

from conformance.option_names import prefixed, use_pytest_names
from conformance.paths import DEFAULT_SPEC, vectors_dir
from conformance.registry.ops import SPECS, classes_text, lineage


def pytest_addoption(parser: pytest.Parser) -> None:
    """The options; they do nothing without ``--runner``, but for the report."""
    group = parser.getgroup("conformance", "harbor conformance (with --runner)")
    group.addoption(
        "--runner",
        dest="conformance_runner",
        metavar="CMD",
        help="check this runner: a command, or 'reference', 'oracle', 'mistake:NAME', 'harbor:PATH' (a fork)",
    )
    group.addoption(
        "--conformance-harbor",
        metavar="X.Y.Z",
        help="check this published release of harbor, built in the cache on first use, or the 'newest'",
    )
    group.addoption(
        "--conformance-spec",
        default=DEFAULT_SPEC,
        help=f"the spec to check against: {', '.join(SPECS)} (default: %(default)s)",
    )
    group.addoption(
        "--conformance-level",
        choices=["value", "exact", "bytes"],
        default="bytes",
        help="how strictly answers are compared (default: %(default)s)",
    )
    group.addoption(
        "--conformance-classes",
        metavar="X,Y",
        help="fail, not skip, what is unsupported in these classes of the spec: all, or some of "
        f"{classes_text()}",
    )
    group.addoption(
        "--conformance-runner-timeout",
        type=float,
        metavar="SECONDS",
        help="how long any one reply may take (default: 10, and 60 for hello and for the first reply of each "
        "operation)",
    )
    group.addoption(
        "--conformance-pipeline",
        type=int,
        default=64,
        metavar="N",
        help="the most requests outstanding (default: 64)",
    )
    group.addoption("--conformance-oneshot", action="store_true", help="start the command once per request")
    group.addoption(
        "--conformance-max-failures",
        type=int,
        metavar="N",
        help="ask no further after so many failures (with -n, of one worker); what is left is not-run",
    )
    group.addoption(
        "--conformance-max-time",
        type=float,
        metavar="SECONDS",
        help="ask no further after so many seconds; what is left is not-run",
    )
    group.addoption(
        "--conformance-again-seed",
        type=int,
        metavar="SEED",
        help="what decides which vectors are asked again in other words, and how (default: random)",
    )
    group.addoption(
        "--conformance-shard",
        metavar="K/N",
        help="only part K of N, for N machines at once; 'harbor-conformance report --merge' puts their "
        "reports together",
    )
    group.addoption(
        "--conformance-vectors-version",
        metavar="VERSION",
        help="leave out the spec's vectors that are newer than this version of them",
    )
    group.addoption(
        "--conformance-known-failures", type=Path, metavar="FILE", help="failures that are expected, strictly"
    )
    group.addoption(
        "--conformance-fuzz",
        type=int,
        metavar="N",
        help="try each property with N random inputs, not with its usual ones",
    )
    group.addoption(
        "--conformance-fuzz-seed",
        type=int,
        metavar="SEED",
        help="draw the inputs of --conformance-fuzz from this seed (default: random)",
    )
    group.addoption(
        "--conformance-counterexample-database",
        action="append",
        metavar="PLACE",
        default=[],
        help="with --conformance-fuzz, begin with what failed on other machines and keep what fails for "
        "them: a folder, redis://HOST:PORT/N, or github:OWNER/REPO (artifacts, read only); may be repeated",
    )
    group.addoption(
        "--conformance-counterexamples",
        type=Path,
        metavar="DIR",
        default=Path("conformance-counterexamples"),
        help="where vector files are written that repeat failing properties (default: %(default)s)",
    )
    group.addoption(
        "--conformance-report", type=Path, metavar="FILE", help="write a JSON report, also of a metric"
    )
    _metric_options(parser)


def _metric_options(parser: pytest.Parser) -> None:
    """The options for a single metric, without a runner."""
    group = parser.getgroup("conformance-metric", "harbor conformance of a single metric")
    group.addoption(
        "--conformance-metric-script", metavar="PATH", help="check this metric script as harbor runs it"
    )
    group.addoption(
        "--conformance-metric",
        metavar="MODULE:CLASS",
        help="check this class, or PATH.py:CLASS; needs --conformance-contract",
    )
    group.addoption(
        "--conformance-contract",
        choices=["harbor-metric", "evsys", "harness-evals"],
        help="what the metric is for (harbor-metric where it is a script)",
    )
    group.addoption(
        "--conformance-metric-python",
        metavar="PATH",
        help="the Python that runs the metric; for harness-evals also 'oracle', the kit's own",
    )
    group.addoption(
        "--conformance-metric-timeout",
        type=float,
        default=30.0,
        metavar="SECONDS",
        help="how long one run of the metric may take (default: %(default)s)",
    )
    group.addoption(
        "--conformance-metric-key",
        action="append",
        default=[],
        metavar="NAME",
        help="a reward key that every trial of the script's dataset has; may be repeated (default: "
        "those that it reads)",
    )
    group.addoption(
        "--conformance-metric-arg",
        action="append",
        default=[],
        metavar="NAME=JSON",
        help="an argument of a harness-evals metric's constructor; may be repeated",
    )
    group.addoption(
        "--conformance-metric-keep", type=Path, metavar="DIR", help="keep the inputs of cases with findings"
    )


def _known_lineage(spec: str) -> tuple[str, ...]:
    return lineage(spec) if spec in SPECS else (spec,)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_load_initial_conftests(
    early_config: pytest.Config, parser: pytest.Parser, args: list[str]
) -> Generator[None, None, None]:
    """Keeps the conftests of ``testpaths`` out: without a path the kit's vectors are the collection.

    Once they are loaded every option of the run is known, and so what nobody knows.

    Raises:
        pytest.UsageError: an option has a new name, or needs another package.
    """
    known = early_config.known_args_namespace
    runner = known.conformance_runner is not None or known.conformance_harbor is not None
    metric = known.conformance_metric or known.conformance_metric_script
    if runner and not known.file_or_dir:
        known.file_or_dir = [str(vectors_dir(one)) for one in _known_lineage(known.conformance_spec)]
    elif metric and not known.file_or_dir:
        known.file_or_dir = [str(vectors_dir(known.conformance_contract or "harbor-metric"))]
    yield
    if runner or metric or any(arg.partition("=")[0] in _CHOOSING for arg in args):
        _, unknown = parser.parse_known_and_unknown_args(args, copy.copy(known))
        _refuse_unknown(unknown, known)


_CHOOSING = ("--harbor", "--metric", "--metric-script")
"""What chose the kit until its options were prefixed."""
_OF_XDIST = ("--numprocesses", "--maxprocesses", "--dist", "--tx")


def _refuse_unknown(unknown: Sequence[str], known: Namespace) -> None:
    """Says in a sentence what pytest would only call an unrecognized argument, where that is known."""
    for word in unknown:
        name = word.partition("=")[0]
        new = prefixed(name[2:])
        if name.startswith("--") and hasattr(known, new[2:].replace("-", "_")):
            raise pytest.UsageError(f"under pytest, {name} is called {new}")
        if name in _OF_XDIST or name.startswith("-n"):
            name = name if name in _OF_XDIST else "-n"
            raise pytest.UsageError(f"{name} needs pytest-xdist: pip install 'harbor-conformance[parallel]'")


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """Loads the hooks where there is a runner or a metric to check."""
    option = config.option
    single = option.conformance_metric or option.conformance_metric_script
    if option.conformance_runner is None and option.conformance_harbor is None and not single:
        return
    config.add_cleanup(use_pytest_names())
    if option.conformance_harbor is not None:
        _name_the_release(config)
    # Where CI is set, pytest's short summary would tell the whole account of every failure again.
    option.force_short_summary = True
    if option.conformance_runner is not None:
        from conformance.pytest_plugin import hooks

        hooks.install(config)
    if single:
        from conformance.pytest_plugin import metric

        metric.install(config)


def _name_the_release(config: pytest.Config) -> None:
    """Makes the release of ``--conformance-harbor`` the runner; xdist workers get it as ``--runner``."""
    from conformance.oracle.commands import of_release
    from conformance.oracle.python import OracleError

    option = config.option
    if option.conformance_runner is not None:
        raise pytest.UsageError("--runner and --conformance-harbor name two runners: give one of them")
    try:
        option.conformance_runner = of_release(option.conformance_harbor)
    except OracleError as error:
        raise pytest.UsageError(str(error)) from None
    option.conformance_harbor = None
