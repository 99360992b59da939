"""The pytest plugin's options: ``pytest --runner="<cmd>"`` makes every vector a test of that runner.

With ``--metric-script`` or ``--metric`` every case of a single metric is one. Without any of these this
module is all that is loaded; with them come the hooks of ``pytest_hooks`` or ``pytest_metric``.
"""

from pathlib import Path

import pytest

from conformance.paths import DEFAULT_SPEC, vectors_dir
from conformance.registry.ops import SPECS, classes_text, lineage


def pytest_addoption(parser: pytest.Parser) -> None:
    """The options; they do nothing without ``--runner``, but for the report."""
    group = parser.getgroup("conformance", "harbor conformance (with --runner)")
    group.addoption(
        "--runner",
        metavar="CMD",
        help="check this runner: a command, or 'reference', 'oracle', 'mistake:NAME', 'harbor:PATH' (a fork)",
    )
    group.addoption(
        "--harbor",
        metavar="X.Y.Z",
        help="check this published release of harbor, built in the cache on first use, or the 'newest'",
    )
    group.addoption(
        "--spec",
        default=DEFAULT_SPEC,
        help=f"the spec to check against: {', '.join(SPECS)} (default: %(default)s)",
    )
    group.addoption(
        "--level",
        choices=["value", "exact", "bytes"],
        default="bytes",
        help="how strictly answers are compared (default: %(default)s)",
    )
    group.addoption(
        "--classes",
        metavar="X,Y",
        help="fail, not skip, what is unsupported in these classes of the spec: all, or some of "
        f"{classes_text()}",
    )
    group.addoption(
        "--runner-timeout",
        type=float,
        metavar="SECONDS",
        help="how long any one reply may take (default: 10, and 60 for hello and for the first reply of each "
        "operation)",
    )
    group.addoption(
        "--pipeline", type=int, default=64, metavar="N", help="the most requests outstanding (default: 64)"
    )
    group.addoption("--oneshot", action="store_true", help="start the command once per request")
    group.addoption(
        "--max-failures",
        type=int,
        metavar="N",
        help="ask no further after so many failures (with -n, of one worker); what is left is not-run",
    )
    group.addoption(
        "--max-time",
        type=float,
        metavar="SECONDS",
        help="ask no further after so many seconds; what is left is not-run",
    )
    group.addoption(
        "--again-seed",
        type=int,
        metavar="SEED",
        help="what decides which vectors are asked again in other words, and how (default: random)",
    )
    group.addoption(
        "--shard",
        metavar="K/N",
        help="only part K of N, for N machines at once; 'harbor-conformance report --merge' puts their "
        "reports together",
    )
    group.addoption(
        "--vectors-version",
        metavar="VERSION",
        help="leave out the spec's vectors that are newer than this version of them",
    )
    group.addoption(
        "--known-failures", type=Path, metavar="FILE", help="failures that are expected, strictly"
    )
    group.addoption(
        "--fuzz",
        type=int,
        metavar="N",
        help="try each property with N random inputs, not with its usual ones",
    )
    group.addoption(
        "--fuzz-seed",
        type=int,
        metavar="SEED",
        help="draw the inputs of --fuzz from this seed (default: random)",
    )
    group.addoption(
        "--counterexample-database",
        action="append",
        metavar="PLACE",
        default=[],
        help="with --fuzz, begin with what failed on other machines and keep what fails for them: a folder, "
        "redis://HOST:PORT/N, or github:OWNER/REPO (artifacts, read only); may be repeated",
    )
    group.addoption(
        "--counterexamples",
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
    group.addoption("--metric-script", metavar="PATH", help="check this metric script as harbor runs it")
    group.addoption(
        "--metric", metavar="MODULE:CLASS", help="check this class, or PATH.py:CLASS; needs --contract"
    )
    group.addoption(
        "--contract",
        choices=["harbor-metric", "evsys", "harness-evals"],
        help="what the metric is for (harbor-metric where it is a script)",
    )
    group.addoption(
        "--metric-python",
        metavar="PATH",
        help="the Python that runs the metric; for harness-evals also 'oracle', the kit's own",
    )
    group.addoption(
        "--metric-timeout",
        type=float,
        default=30.0,
        metavar="SECONDS",
        help="how long one run of the metric may take (default: %(default)s)",
    )
    group.addoption(
        "--metric-key",
        action="append",
        default=[],
        metavar="NAME",
        help="a reward key that every trial of the script's dataset has; may be repeated (default: "
        "those that it reads)",
    )
    group.addoption(
        "--metric-arg",
        action="append",
        default=[],
        metavar="NAME=JSON",
        help="an argument of a harness-evals metric's constructor; may be repeated",
    )
    group.addoption("--metric-keep", type=Path, metavar="DIR", help="keep the inputs of cases with findings")


def _known_lineage(spec: str) -> tuple[str, ...]:
    return lineage(spec) if spec in SPECS else (spec,)


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> None:
    """Keeps the conftests of ``testpaths`` out: without a path the kit's vectors are the collection."""
    known = early_config.known_args_namespace
    if (known.runner is not None or known.harbor is not None) and not known.file_or_dir:
        known.file_or_dir = [str(vectors_dir(one)) for one in _known_lineage(known.spec)]
    elif (known.metric or known.metric_script) and not known.file_or_dir:
        known.file_or_dir = [str(vectors_dir(known.contract or "harbor-metric"))]


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """Loads the hooks where there is a runner or a metric to check."""
    if config.getoption("--harbor") is not None:
        _name_the_release(config)
    single = config.getoption("--metric") or config.getoption("--metric-script")
    if config.getoption("--runner") is not None or single:
        # Where CI is set, pytest's short summary would tell the whole account of every failure again.
        config.option.force_short_summary = True
    if config.getoption("--runner") is not None:
        from conformance.pytest_plugin import hooks

        hooks.install(config)
    if single:
        from conformance.pytest_plugin import metric

        metric.install(config)


def _name_the_release(config: pytest.Config) -> None:
    """Makes ``--harbor`` the runner that it stands for; the workers of xdist get it as ``--runner``."""
    from conformance.oracle.python import OracleError
    from conformance.run.commands import of_release

    if config.getoption("--runner") is not None:
        raise pytest.UsageError("--runner and --harbor name two runners: give one of them")
    try:
        config.option.runner = of_release(config.option.harbor)
    except OracleError as error:
        raise pytest.UsageError(str(error)) from None
    config.option.harbor = None
