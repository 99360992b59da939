"""The pytest plugin: ``pytest --runner="<cmd>"`` makes every vector a test of that runner.

With ``--conformance-metric-script`` or ``--conformance-metric``, every case of a single metric is a test.
Without any of these options only this module is loaded. It imports nothing of the kit, so it costs nothing in
a project with the kit installed, or with a package of its own called ``conformance``.
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
    harbor X.Y.Z | check this published release of harbor (or 'newest'), built in the cache on first use
    spec SPEC | the spec to check against: harbor-0.13.1, harbor-0.25.0, harbor-metric, evsys, harness-evals
    level | how strictly answers are compared
    classes X,Y | treat unsupported vectors as failures in these classes: all, or some of those that
        'harbor-conformance explain --spec SPEC' lists
    runner-timeout SECONDS | the longest time for one reply (default: 10; 60 for hello and for the first reply
        of each operation)
    pipeline N | the most requests in flight
    oneshot | start the command once per request
    confine | start the command in a sandbox (Linux, bubblewrap): it can read its folder, its interpreter and
        the system's libraries, and has no network
    max-failures N | stop asking after this many failures (with -n, of one worker); the remaining vectors are
        not-run
    max-time SECONDS | stop asking after this many seconds; the remaining vectors are not-run
    again-seed SEED | the seed that chooses and rephrases vectors (default: random)
    shard K/N | run only shard K of N; 'harbor-conformance report --merge' merges the shards' reports
    vectors-version VERSION | leave out vectors that are newer than this version of the set
    experiments SECONDS | how long to test the diagnosis on new inputs; 0 skips that
    known-failures FILE | the list of expected failures; anything else fails
    fuzz N | try each property with N random inputs instead of its usual ones
    fuzz-seed SEED | the seed of the inputs of --conformance-fuzz (default: random)
    counterexamples DIR | the folder for vector files that repeat failing properties
    report FILE | write a JSON report, also of a metric
    """,
    """
    metric-script PATH | check this metric script as harbor runs it
    metric MODULE:CLASS | check this class, or PATH.py:CLASS; needs --conformance-contract
    contract | the contract of the metric; harbor-metric for a script
    metric-python PATH | the Python for the metric; for harness-evals also 'oracle', the kit's own
    metric-timeout SECONDS | the limit of one run of the metric
    metric-key NAME | a reward key that every trial has, instead of those found; may be repeated
    metric-trials N | the number of trials of a script's job, or of samples of an EvSys task
    metric-like PATH | data to start from: rewards.jsonl, a data set, or EvSys rewards (JSON)
    metric-values V,V,… | rewards that the metric expects, or expected outputs
    metric-arg NAME=JSON | an argument for the constructor of a harness-evals metric; may be repeated
    metric-require-confinement | refuse to run the metric without a bubblewrap sandbox
    metric-keep DIR | store the inputs of cases with findings in DIR
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
    """Adds the options; they do nothing without a runner or a metric."""
    for (name, title), table in zip(_TITLES.items(), _OPTIONS, strict=True):
        group = parser.getgroup(name, title)
        for row in table.strip().replace("\n        ", " ").splitlines():
            words, _, text = row.strip().partition(" | ")
            option, _, metavar = words.partition(" ")
            settings = {"dest": f"conformance_{option.replace('-', '_')}", **_MORE.get(option, {})}
            if metavar:
                settings |= {"metavar": metavar, "type": _TYPES.get(metavar, str)}
            if "may be repeated" in text:
                settings |= {"action": "append", "default": []}
            text += " (default: %(default)s)" if settings.get("default") else ""
            flag = "--runner" if option == "runner" else f"--conformance-{option}"
            group.addoption(flag, help=text, **settings)


def _subjects(option: Namespace) -> tuple[bool, bool]:
    """Whether there is a runner to check, and whether there is a metric."""
    runner = option.conformance_runner is not None or option.conformance_harbor is not None
    return runner, bool(option.conformance_metric or option.conformance_metric_script)


def _kit(module: str) -> Any:
    """Imports a module of the kit.

    Raises:
        pytest.UsageError: something else is imported as ``conformance`` here.
    """
    package = find_spec("conformance")  # does not execute it
    path = Path(str(package and package.origin)).resolve()
    if path.parent != _HERE / "conformance":
        raise pytest.UsageError(_hidden(path))
    return import_module(f"conformance.{module}")


def _hidden(path: Path) -> str:
    hiding = path.parent if path.name == "__init__.py" else path
    return (
        f"{hiding} hides the kit's package, which is called conformance too: rename it, or check the runner "
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
    """Ignores the conftests of ``testpaths`` if no path is given: then the kit's vectors are collected.

    Once the other conftests are loaded, every option is known, and unknown ones are refused.

    Raises:
        pytest.UsageError: an option has a new name, needs another package, or is the project's too.
        pytest.UsageError: the kit can't be imported.
    """
    known = early_config.known_args_namespace
    runner, metric = _subjects(known)
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
    """Explains options that pytest would only call unrecognized arguments, if the reason is known."""
    for word in unknown:
        name = word.partition("=")[0]
        if name.startswith("--") and hasattr(known, f"conformance_{name[2:].replace('-', '_')}"):
            raise pytest.UsageError(f"under pytest, {name} is called --conformance-{name[2:]}")
        if name in _OF_XDIST or name.startswith("-n"):
            name = name if name in _OF_XDIST else "-n"
            raise pytest.UsageError(f"{name} needs pytest-xdist: pip install 'harbor-conformance[parallel]'")


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """Loads the hooks if there is a runner or a metric to check."""
    runner, metric = _subjects(config.option)
    if not runner and not metric:
        return
    config.add_cleanup(_kit("option_names").use_pytest_names())
    # With CI set, pytest's short summary would repeat the whole text of every failure.
    config.option.force_short_summary = True
    if runner:
        _kit("pytest_plugin.hooks").install(config)
    if metric:
        _kit("extensions.metrics.pytest_plugin").install(config, _kit("pytest_plugin.outside").take_over)


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """Saves projects that don't use hypothesis its import, which the summary of its plugin costs.

    If no test has imported it, and no other process has run tests, there is nothing to summarise.
    """
    plugins, name = session.config.pluginmanager, "hypothesispytest"
    in_process = session.config.getoption("dist", "no") == "no"
    if in_process and "hypothesis" not in sys.modules and plugins.has_plugin(name):
        plugins.unregister(name=name)
