"""What the plugin is called by and calls its own: nothing that another plugin may have."""

import re

import pytest

BARE = (
    *("harbor", "spec", "level", "classes", "runner-timeout", "pipeline", "oneshot", "max-failures"),
    *("max-time", "again-seed", "shard", "vectors-version", "known-failures", "fuzz", "fuzz-seed"),
    *("counterexamples", "report", "metric-script", "metric", "contract"),
    *("metric-python", "metric-timeout", "metric-key", "metric-arg", "metric-keep"),
    *("metric-require-confinement", "metric-trials", "metric-like", "metric-values"),
)
"""The options without their prefix, and the headless ``--report``."""
ANOTHER = f"""
def pytest_addoption(parser):
    for name in {BARE}:
        parser.addoption("--" + name, dest=name.replace("-", "_"))
    parser.addoption("--their-runner", dest="runner", default="theirs")

def pytest_configure(config):
    for name in ("properties", "spec", "runner"):
        config.addinivalue_line("markers", name + ": theirs")

def pytest_report_header(config):
    return ["theirs: %s, %s" % (config.option.spec, config.option.runner)]
"""
PARALLEL = "needs pytest-xdist: pip install 'harbor-conformance[parallel]'"


def test_a_plugin_with_the_bare_names_has_them(run_pytest, pytester) -> None:
    pytester.makepyfile(another=ANOTHER, test_own="def test_own(): pass")
    pytester.syspathinsert()
    result = run_pytest("-p", "another", "--co", "-q", "test_own.py", "--spec=a", "--fuzz=b")
    assert result.ret == 0, result.stderr.str()
    result.stdout.fnmatch_lines(["test_own.py::test_own"])
    result = run_pytest(
        *("-p", "another", "--co", "--runner=reference", "-k", "sum-ten-tenths", "-m", "not properties"),
        *(f"--{name}=theirs" for name in BARE),
    )
    assert result.ret == 0, result.stderr.str()
    result.stdout.fnmatch_lines(["theirs: theirs, theirs", "spec: harbor-0.13.1, *", "*sum-ten-tenths*"])


def test_a_conftest_may_have_a_bare_name_and_no_runner_of_its_own(run_pytest, pytester, vectors) -> None:
    vectors.folder = pytester.path
    pytester.makeconftest("def pytest_addoption(parser): parser.addoption('--level')")
    result = run_pytest(vectors.several(1), "--runner=reference", "--level=3", "--co", "-q")
    assert result.ret == 0, result.stderr.str()
    option = "parser.addoption('-R', '--runner', default='docker')"
    pytester.makeconftest(f"def pytest_addoption(parser): {option}")
    pytester.makepyfile("def test_own(pytestconfig): assert pytestconfig.option.runner == 'docker'")
    result = run_pytest("-q")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    said = "ERROR: --runner is an option of harbor-conformance and of a conftest.py here: rename"
    assert result.stderr.lines[0].startswith(said)
    assert len(result.stderr.lines) == 2
    pytester.makeini("[pytest]\naddopts = -p no:harbor-conformance\n")
    assert run_pytest("-q").ret == 0


@pytest.mark.parametrize(
    ("option", "named"),
    [
        ("--help", r"^  (--?[a-z][\w-]*|\w+)"),
        ("--markers", r"^@pytest\.mark\.(\w+)"),
        ("--fixtures", r"^(\w+)(?: \[.*\])? -- "),
    ],
)
def test_all_names_are_prefixed(run_pytest, pytester, vectors, option, named) -> None:
    """What pytest lists with the plugin at work, and not without."""
    vectors.folder = pytester.path
    path = vectors.several(1)
    without, with_it = (
        set(re.findall(named, run_pytest(option, *more).stdout.str(), re.M))
        for more in (("-p", "no:harbor-conformance"), ("--runner=reference", path))
    )
    ours = with_it - without
    assert len(without) > 5
    assert {"--help": "--runner", "--markers": "conformance_properties"}.get(option) in {*ours, None}
    assert all(re.match("--conformance-|conformance_", name) for name in ours - {"--runner"})


def test_their_values_are_prefixed(pytester, whole_kit) -> None:
    without = vars(pytester.parseconfig("-p", "no:harbor-conformance").option)
    ours = set(vars(pytester.parseconfig("--runner=reference").option)) - set(without)
    assert len(ours) > len(BARE) - 2
    assert [name for name in ours if not name.startswith("conformance_")] == []


def test_an_old_name_is_answered_with_the_new_one(run_pytest) -> None:
    for name in BARE:
        for words in ((f"--{name}", "1"), (f"--{name}=1",)):
            result = run_pytest("--runner=reference", *words)
            assert result.ret == pytest.ExitCode.USAGE_ERROR
            sentence = f"ERROR: under pytest, --{name} is called --conformance-{name}"
            assert result.stderr.lines == [sentence, ""]


def test_workers_without_xdist_say_what_to_install(run_pytest) -> None:
    """Any other unknown option is left to pytest."""
    for words in (("-n", "2"), ("-nauto",), ("--dist=loadfile",), ("--numprocesses", "2")):
        result = run_pytest("-p", "no:xdist", "--runner=reference", *words)
        assert result.ret == pytest.ExitCode.USAGE_ERROR
        option = "-n" if words[0].startswith("-n") else words[0].partition("=")[0]
        assert result.stderr.lines == [f"ERROR: {option} {PARALLEL}", ""]
    for words in (("--spec", "evsys"), ("--fuzz=3",), ("-n", "2"), ("--no-such", "--runner=reference")):
        result = run_pytest("-p", "no:xdist", *words)
        assert result.ret == pytest.ExitCode.USAGE_ERROR
        result.stderr.fnmatch_lines([f"*: error: unrecognized arguments: {words[0]}*"])
        result.stderr.no_fnmatch_line("*conformance-*")
