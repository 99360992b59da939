"""What the tests of the kit share: small vector files, fake runners, schemas.

The engine is tested on vectors made on the spot; the kit's own serve only where a test says so.
"""

import gc
import importlib
import importlib.util
import json
import os
import pkgutil
import re
import shlex
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

import conformance
from conformance.cli import main
from conformance.console import RARELY
from conformance.oracle import environments, regen
from conformance.oracle.of_specs import RECIPES
from conformance.paths import DEFAULT_SPEC
from conformance.suite.schemas import first_fault, validator
from conformance.suite.vectors import Vector, load_file
from tests.played import play
from tests.processes import alone

pytest_plugins = ["pytester"]

settings.register_profile("kit", derandomize=True, deadline=None, database=None)
settings.load_profile("kit")

gc.set_threshold(*RARELY)
os.environ["GCSFS_EXPERIMENTAL_ZB_HNS_SUPPORT"] = "false"  # else gcsfs, once imported, asks over gRPC

TESTS = Path(__file__).parent
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    # Started in the background of a script; the commands that tests interrupt would inherit it.
    signal.signal(signal.SIGINT, signal.default_int_handler)

ONCE = {
    *("assessment", "diagnosis", "fuzz", "mistakes", "mutants", "properties"),
    *("gate", "oracle", "schemas", "templates", "test_architecture.py", "test_documents.py"),
    *("extensions/metrics", "extensions/releases", "formats", "pages/browser"),
}
"""Where tests measure vectors, catalogue, engines, documents, schemas and oracle, whatever the Python."""

TIME_LIMIT = 1200
"""Seconds for one test, whose fixtures count too: what hangs fails, and says where."""

HOSTILE = TESTS / "runners" / "hostile.py"

Json = Any
Entry = dict[str, Json]


class Vectors:
    """Makes vector files."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def entry(
        self, slug: str, op: str = "evals_key", given: Json = None, ok: Json = None, **more: Json
    ) -> Entry:
        """One vector; without ``given`` an evals_key question that its slug makes unique.

        Its answer is ``ok`` or, by its type, ``error``.
        """
        if given is None:
            given = {"agent": slug, "model": None, "source": None}
            ok = {"evals_key": f"{slug}__adhoc"} if ok is None else ok
        error, reward_code = more.pop("error", None), {"RewardFileEmptyError": "harbor_reward_empty"}
        expected = {"error": {"type": error, "reason_code": reward_code.get(error)}} if error else {"ok": ok}
        entry = {"id": f"{DEFAULT_SPEC}/{op}/{slug}", "op": op, "input": given, "expected": expected}
        entry |= {"rule": f"The rule of {slug}.", "catches": f"The mistake behind {slug}."}
        entry |= {"clause": "003-3.3-made-for-a-test", "flags": ["made-up"], "since": "0.1.0"}
        return {**entry, "provenance": "harbor-0.13.1", **more}

    def write(self, entries: list[Entry], name: str = "made.json") -> Path:
        path = self.folder / name
        head = {"$schema": "../../schemas/vector-file.schema.json", "spec": DEFAULT_SPEC}
        document = {**head, "section": "evals_key", "vectors": entries}
        path.write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")
        return path

    def several(self, count: int) -> Path:
        """A file of ``count`` vectors with the slugs v0, v1, …"""
        return self.write([self.entry(f"v{index}") for index in range(count)])

    def load(self, *entries: Entry) -> list[Vector]:
        return load_file(self.write(list(entries)))


def v(index: int) -> str:
    """The id of one that ``Vectors.several`` writes."""
    return f"{DEFAULT_SPEC}/evals_key/v{index}"


@pytest.fixture
def vectors(tmp_path: Path) -> Vectors:
    return Vectors(tmp_path)


@pytest.fixture
def hostile() -> Callable[..., tuple[str, ...]]:
    """The command of ``runners/hostile.py``: ``hostile(file, behaviour, *slugs)``."""

    def command(path: Path, behaviour: str = "correct", *slugs: str) -> tuple[str, ...]:
        return (sys.executable, "-I", "-S", str(HOSTILE), str(path), behaviour, *slugs)

    return command


@pytest.fixture
def hostile_text(hostile: Callable[..., tuple[str, ...]]) -> Callable[..., str]:
    """The same command as a user would write it."""
    return lambda *args: shlex.join(hostile(*args))


@pytest.fixture
def cli(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> Callable[..., "subprocess.CompletedProcess[str]"]:
    """Runs ``harbor-conformance`` in an empty folder, in this process: a start of its own costs too much."""

    def run(*args: object, **variables: str) -> "subprocess.CompletedProcess[str]":
        words = ["harbor-conformance", *map(str, args)]
        monkeypatch.chdir(tmp_path)
        monkeypatch.setattr(sys, "argv", words)
        for name, value in {"COLUMNS": "120", **variables}.items():
            monkeypatch.setenv(name, value)
        capfd.readouterr()
        code: object = 0
        try:
            main()
        except SystemExit as stop:
            code = stop.code or 0
        assert isinstance(code, int)
        said = capfd.readouterr()
        return subprocess.CompletedProcess(words, code, said.out, said.err)

    return run


@pytest.fixture
def played(monkeypatch: pytest.MonkeyPatch) -> None:
    """No runner of this test is a process: see ``played.py`` beside this file."""
    play(monkeypatch)


class Shared:
    """A folder that all workers of a test run share, for what is made once for all of them."""

    alone = staticmethod(alone)

    def __init__(self, root: Path) -> None:
        self.root = root

    def folder(self, name: str) -> Path:
        (self.root / name).mkdir(exist_ok=True)
        return self.root / name


@pytest.fixture(scope="session")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Shared:
    base = tmp_path_factory.getbasetemp()
    return Shared(base.parent if os.environ.get("PYTEST_XDIST_WORKER") else base)


PLAIN = ("-p", "no:cacheprovider", "-p", "no:hypothesispytest", "-p", "no:syrupy", "-p", "no:randomly")


@pytest.fixture(scope="session")
def whole_kit() -> None:
    """Imports the kit: pytester takes away what a run in this process imports, and half a kit can't run."""
    for module in pkgutil.walk_packages(conformance.__path__, "conformance."):
        if not module.name.startswith("conformance.adapters.") and not is_of_a_worker(module.name):
            importlib.import_module(module.name)


def is_of_a_worker(name: str) -> bool:
    """Whether only the process that asks metrics' classes can import it."""
    spec = importlib.util.find_spec(name)
    text = Path(spec.origin).read_text("utf-8") if spec and spec.origin else ""
    return 'sys.modules["_harbor_conformance_worker"]' in text


@pytest.fixture
def run_pytest(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, whole_kit: None
) -> Callable[..., pytest.RunResult]:
    """Runs pytest in a folder that knows nothing of the kit, where any warning is an error.

    It runs in this process, since a start of its own costs a second; ``process=True`` gives it one.
    """
    for variable in ("PYTEST_ADDOPTS", "PYTEST_XDIST_WORKER", "PYTEST_XDIST_WORKER_COUNT", "CI"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("COLUMNS", "160")
    pytester.makeini("[pytest]\nfilterwarnings = error\n")

    def run(*args: str | Path, cache: bool = False, process: bool = False) -> pytest.RunResult:
        words = (*(PLAIN[2:] if cache else PLAIN), *map(str, args))
        if process:
            return pytester.runpytest_subprocess(*words, timeout=600)
        return pytester.runpytest_inprocess(*words)

    return run


@pytest.fixture(scope="session")
def faults() -> Callable[[str, Json], list[str]]:
    """``faults(name, document)``: what a schema, or ``<name>#/$defs/<definition>``, finds wrong."""

    def check(name: str, document: Json) -> list[str]:
        if first_fault(name, document) is None:
            return []
        found = validator(name).iter_errors(document)
        return [f"{error.json_path}: {error.message[:300]}" for error in found]

    return check


@pytest.fixture(scope="session")
def accepted() -> Callable[[str], dict[str, Json]]:
    """``accepted(name)``: the documents by name that a schema accepts; each call gives new ones."""

    def examples(name: str) -> dict[str, Json]:
        path = TESTS / "schemas" / "examples" / f"{name}.json"
        documents: dict[str, Json] = json.loads(path.read_text(encoding="utf-8"))["accepts"]
        return documents

    return examples


SLOW = {"oracle", "release", "slow"}
"""What has none of these markers is quick."""

SLOW_FIXTURES = {"address", "bucket", "builder", "command", "hub", "odd", "run_pytest", "web"}
"""Fixtures that start processes or servers, or compile: what asks for one is slow."""

STARTS = {"os.fork", "os.forkpty", "os.posix_spawn", "os.system", "socket.connect", "subprocess.Popen"}
"""Audit events of what no quick test does."""


class Quick:
    """Fails a quick test that starts a process or opens a connection, in every run: the marker stays true."""

    def __init__(self) -> None:
        self.running = ""
        sys.addaudithook(self._hear)

    def _hear(self, event: str, _: object) -> None:
        if self.running and event in STARTS:
            name, self.running = self.running, ""
            pytest.fail(f"{name} is quick, and yet it does {event}: mark it slow")

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        self.running = item.nodeid if item.get_closest_marker("quick") else ""
        try:
            return (yield)
        finally:
            self.running = ""


class Skips:
    """A run in which something is skipped for a reason that nobody allowed has failed."""

    def __init__(self) -> None:
        allowed = json.loads((TESTS / "allowed_skips.json").read_text("utf-8"))
        self.allowed = [re.compile(one["reason"]) for one in allowed]
        self.others: list[str] = []

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if not report.skipped or hasattr(report, "wasxfail"):
            return
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
        reason = reason.removeprefix("Skipped: ")
        if not any(one.fullmatch(reason) for one in self.allowed):
            self.others.append(f"{report.nodeid}: {reason}")

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.skipped:
            self.others.append(f"{report.nodeid}: {report.longrepr}")

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if self.others and session.exitstatus == 0:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        if self.others:
            terminalreporter.section("skipped for a reason that tests/allowed_skips.json does not have")
            for line in self.others:
                terminalreporter.line(line)


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(Quick(), "quick-tests")
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(Skips(), "allowed-skips")


RELEASE = "HARBOR_CONFORMANCE_RELEASE"
REQUIRE_ORACLE = "HARBOR_CONFORMANCE_REQUIRE_ORACLE"
ORACLE_SENTENCE = pytest.StashKey[str]()
ORACLE_FOLDERS = pytest.StashKey[list[str]]()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--require-oracle",
        action="store_true",
        default=bool(os.environ.get(REQUIRE_ORACLE)),
        help=f"fail, not skip, without the oracle (also: {REQUIRE_ORACLE}=1)",
    )


def pytest_sessionstart(session: pytest.Session) -> None:
    """Builds the oracles once, before any worker starts; without them their tests are skipped, visibly.

    That their files are as locked is for `regen --check` and tests/oracle/test_integrity.py: to compare
    them takes ten seconds, in each worker again.
    """
    config = session.config
    if hasattr(config, "workerinput"):
        config.stash[ORACLE_SENTENCE] = config.workerinput["oracle_sentence"]
        regen.COMPARED.update(map(Path, config.workerinput["oracle_folders"]))
        return
    config.stash[ORACLE_FOLDERS] = folders = []
    if config.option.markexpr == "quick":
        config.stash[ORACLE_SENTENCE] = "no quick test needs it"
        return
    try:
        for recipe in RECIPES:
            built = environments.ensure(lambda sentence: print(sentence, flush=True), recipe=recipe)
            folders.append(str(built.folder))
            regen.COMPARED.add(built.folder)
    except environments.OracleError as error:
        if config.getoption("--require-oracle"):
            pytest.exit(f"the oracle is required: {error}", returncode=1)
        config.stash[ORACLE_SENTENCE] = str(error)
    else:
        config.stash[ORACLE_SENTENCE] = ""


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    node.workerinput["oracle_sentence"] = node.config.stash[ORACLE_SENTENCE]
    node.workerinput["oracle_folders"] = node.config.stash[ORACLE_FOLDERS]


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """A worker without tests takes some of the other's: they are of very different lengths."""
    from xdist.scheduler import WorkStealingScheduling

    return WorkStealingScheduling(config, log) if config.getoption("dist") == "load" else None


@pytest.hookimpl(tryfirst=True)  # before -m is looked at
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if "release" not in config.option.markexpr and not os.environ.get(RELEASE):
        of_release = [item for item in items if item.get_closest_marker("release")]
        config.hook.pytest_deselected(items=of_release)
        items[:] = [item for item in items if item not in of_release]
    sentence = config.stash[ORACLE_SENTENCE]
    for item in items:
        path = item.path.relative_to(TESTS).as_posix() if item.path.is_relative_to(TESTS) else ""
        if any(f"{path}/".startswith(f"{part}/") for part in ONCE):
            item.add_marker(pytest.mark.once)
        if config.pluginmanager.hasplugin("timeout") and item.get_closest_marker("timeout") is None:
            item.add_marker(pytest.mark.timeout(TIME_LIMIT))
        if sentence and item.get_closest_marker("oracle"):
            item.add_marker(pytest.mark.skip(reason="no oracle"))
        if not SLOW.intersection(mark.name for mark in item.iter_markers()) and SLOW_FIXTURES.isdisjoint(
            getattr(item, "fixturenames", ())
        ):
            item.add_marker(pytest.mark.quick)


def pytest_unconfigure(config: pytest.Config) -> None:
    """The last line says whether the oracle took part."""
    sentence = config.stash.get(ORACLE_SENTENCE, None)
    if sentence is None or hasattr(config, "workerinput"):
        return
    variants = [f" with {recipe.variant}" if recipe.variant else "" for recipe in RECIPES]
    names = (f"{one.package} {one.version}{more}" for one, more in zip(RECIPES, variants, strict=True))
    every = " and ".join(names)
    said = f"NOT RUN, its tests were skipped: {sentence}" if sentence else f"the real {every} took part"
    print(f"oracle: {said}")
