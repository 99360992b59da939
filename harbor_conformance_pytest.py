"""The pytest plugin: ``pytest --runner="<cmd>"`` makes every vector a test of that runner.

With ``--conformance-metric-script`` or ``--conformance-metric`` every case of a single metric is one. Without
any of these this module is all that is loaded: it imports nothing of the kit, so that a project with the kit
installed, or with a package of its own called ``conformance``, pays nothing for it.
"""

import copy
import sys
from argparse import ArgumentError, Namespace
from collections.abc import Generator, Iterable, Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

_HERE = Path(__file__).resolve().parent
_TITLES = {
    "conformance": "harbor conformance (with --runner)",
    "conformance-metric": "harbor conformance of a single metric",
}
_OPTIONS = (
    """
    runner CMD | check this runner: a command, or 'reference', 'oracle', 'mistake:NAME', 'harbor:PATH'
    harbor X.Y.Z | check this published release of harbor, built in the cache on first use, or the 'newest'
    spec SPEC | the spec to check against: harbor-0.13.1, harbor-0.25.0, harbor-metric, evsys, harness-evals
    level | how strictly answers are compared
    classes X,Y | fail, not skip, what is unsupported in these classes of the spec: all, or some of those that
        'harbor-conformance explain --spec SPEC' lists
    runner-timeout SECONDS | how long any one reply may take (default: 10, and 60 for hello and for the first
        reply of each operation)
    pipeline N | the most requests outstanding
    oneshot | start the command once per request
    confine | start the command in a sandbox: it reads its folder, its interpreter and system libraries
    max-failures N | ask no further after so many failures (with -n, of one worker); what is left is not-run
    max-time SECONDS | ask no further after so many seconds; what is left is not-run
    again-seed SEED | what decides which vectors are asked again in other words, and how (default: random)
    shard K/N | only part K of N, for N machines at once; 'harbor-conformance report --merge' puts their
        reports together
    vectors-version VERSION | leave out the spec's vectors that are newer than this version of them
    experiments SECONDS | try on new inputs what the failures suggest, for so long; 0 asks none (default: 2)
    known-failures FILE | failures that are expected, strictly
    fuzz N | try each property with N random inputs, not with its usual ones
    fuzz-seed SEED | draw the inputs of --conformance-fuzz from this seed (default: random)
    counterexamples DIR | where vector files are written that repeat failing properties
    report FILE | write a JSON report, also of a metric
    """,
    """
    metric-script PATH | check this metric script as harbor runs it
    metric MODULE:CLASS | check this class, or PATH.py:CLASS; needs --conformance-contract
    contract | what the metric is for (harbor-metric where it is a script)
    metric-python PATH | the Python that runs the metric; for harness-evals also 'oracle', the kit's own
    metric-timeout SECONDS | how long one run of the metric may take
    metric-key NAME | a reward key that every trial of the script's dataset has; may be repeated (default:
        those that it reads)
    metric-trials N | the number of trials, or of a task's samples, that the metric is made for
    metric-like PATH | data to begin from: a rewards.jsonl, a data set, or rewards of tasks
    metric-values V,V,… | values that the metric is made for: rewards, or expected outputs
    metric-arg NAME=JSON | an argument of a harness-evals metric's constructor; may be repeated
    metric-require-confinement | try nothing where bubblewrap does not confine the metric
    metric-keep DIR | keep the inputs of cases with findings
    """,
)
_TYPES = {"SECONDS": float, "N": int, "SEED": int, "FILE": Path, "DIR": Path}
_MORE: dict[str, dict[str, Any]] = {
    "spec": {"default": "harbor-0.13.1"},
    "level": {"choices": ["value", "exact", "bytes"], "default": "bytes"},
    "pipeline": {"default": 64},
    "oneshot": {"action": "store_true"},
    "experiments": {"default": 2.0},
    "confine": {"action": "store_true"},
    "counterexamples": {"default": Path("conformance-counterexamples")},
    "contract": {"choices": ["harbor-metric", "evsys", "harness-evals"]},
    "metric-timeout": {"default": 30.0},
    "metric-require-confinement": {"action": "store_true"},
}


def pytest_addoption(parser: pytest.Parser) -> None:
    """The options; they do nothing without a runner or a metric."""
    for (name, title), table in zip(_TITLES.items(), _OPTIONS, strict=True):
        group = parser.getgroup(name, title)
        for row in table.strip().replace("\n        ", " ").splitlines():
            words, _, text = row.strip().partition(" | ")
            option, _, metavar = words.partition(" ")
            more = {"dest": f"conformance_{option.replace('-', '_')}", **_MORE.get(option, {})}
            if metavar:
                more |= {"metavar": metavar, "type": _TYPES.get(metavar, str)}
            if "may be repeated" in text:
                more |= {"action": "append", "default": []}
            text += " (default: %(default)s)" if more.get("default") else ""
            group.addoption(
                "--runner" if option == "runner" else f"--conformance-{option}", help=text, **more
            )


def _checked(option: Namespace) -> tuple[bool, bool]:
    """Whether there is a runner, and whether there is a metric to check."""
    runner = option.conformance_runner is not None or option.conformance_harbor is not None
    return runner, bool(option.conformance_metric or option.conformance_metric_script)


def _kit(module: str) -> Any:
    """A module of the kit.

    Raises:
        pytest.UsageError: something else is imported as ``conformance`` here.
    """
    found = find_spec("conformance")  # runs nothing of a stranger's
    path = Path(str(found and found.origin)).resolve()
    if path.parent != _HERE / "conformance":
        raise pytest.UsageError(_hidden(path))
    return import_module(f"conformance.{module}")


def _hidden(path: Path) -> str:
    other = path.parent if path.name == "__init__.py" else path
    return (
        f"{other} hides the kit's package, which is called conformance too: rename it, or check the runner "
        "with 'harbor-conformance run' or, where no path is given, with 'pytest' and not 'python -m pytest'"
    )


def _refuse_namesakes(arguments: Iterable[str]) -> None:
    """Refuses tests in a package called ``conformance``: it can't be imported next to the kit's."""
    for argument in arguments:
        path = Path(argument.partition("::")[0]).resolve()
        while (path.parent / "__init__.py").exists():
            path = path.parent
        for named in (path, path / "conformance"):
            package = named / "__init__.py"
            if named.name == "conformance" and named != _HERE / "conformance" and package.exists():
                raise pytest.UsageError(_hidden(package))


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_load_initial_conftests(
    early_config: pytest.Config, parser: pytest.Parser, args: list[str]
) -> Generator[None, None, None]:
    """Keeps the conftests of ``testpaths`` out: without a path the kit's vectors are the collection.

    Once they are loaded every option of the run is known, and so what nobody knows.

    Raises:
        pytest.UsageError: an option has a new name, needs another package, or is the project's too.
        pytest.UsageError: the kit can't be imported.
    """
    known = early_config.known_args_namespace
    runner, metric = _checked(known)
    if runner or metric:
        _refuse_namesakes(known.file_or_dir)
        spec = known.conformance_spec if runner else known.conformance_contract or "harbor-metric"
        if not known.file_or_dir:
            known.file_or_dir = _kit("pytest_plugin.hooks").vector_folders(spec)
    try:
        yield
    except ArgumentError as error:
        if "--runner" in str(error.argument_name).split("/"):
            raise pytest.UsageError(_TWICE) from None
        raise
    if runner or metric:
        _, unknown = parser.parse_known_and_unknown_args(args, copy.copy(known))
        _refuse_unknown(unknown, known)


_TWICE = (
    "--runner is an option of harbor-conformance and of a conftest.py here: rename the conftest's, or add "
    "'-p no:harbor-conformance' to the command or addopts, and check runners with 'harbor-conformance run'"
)
_OF_XDIST = ("--numprocesses", "--maxprocesses", "--dist", "--tx")


def _refuse_unknown(unknown: Sequence[str], known: Namespace) -> None:
    """Says in a sentence what pytest would only call an unrecognized argument, where that is known."""
    for word in unknown:
        name = word.partition("=")[0]
        if name.startswith("--") and hasattr(known, f"conformance_{name[2:].replace('-', '_')}"):
            raise pytest.UsageError(f"under pytest, {name} is called --conformance-{name[2:]}")
        if name in _OF_XDIST or name.startswith("-n"):
            name = name if name in _OF_XDIST else "-n"
            raise pytest.UsageError(f"{name} needs pytest-xdist: pip install 'harbor-conformance[parallel]'")


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """Loads the hooks where there is a runner or a metric to check."""
    runner, metric = _checked(config.option)
    if not runner and not metric:
        return
    config.add_cleanup(_kit("option_names").use_pytest_names())
    # Where CI is set, pytest's short summary would tell the whole account of every failure again.
    config.option.force_short_summary = True
    if runner:
        _kit("pytest_plugin.hooks").install(config)
    if metric:
        _kit("extensions.metrics.pytest_plugin").install(config, _kit("pytest_plugin.outside").take_over)


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """Saves a project that doesn't use hypothesis the import of it, which its plugin's summary costs.

    Where no test has imported it, and no other process has run tests, there is nothing to summarise.
    """
    plugins, name = session.config.pluginmanager, "hypothesispytest"
    alone = session.config.getoption("dist", "no") == "no"
    if alone and "hypothesis" not in sys.modules and plugins.has_plugin(name):
        plugins.unregister(name=name)
