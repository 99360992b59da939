"""What the documents promise is executed here; the README's two set-up commands are executed by .ci/run.

A block of commands is one test, so that workers share them out: what one line writes, a later line of the
same block reads.
"""

import fnmatch
import functools
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from conformance.oracle import environments
from conformance.oracle.python import locate
from conformance.paths import DEFAULT_SPEC, spec_names
from conformance.registry.ops import SPEC_TABLE, SPECS, lineage, ops_of
from conformance.suite.clauses import load_clauses
from conformance.suite.vectors import load_spec
from reference_impl.runner.serving import reply
from tools.jobs.kept import JOBS, write

ROOT = Path(__file__).resolve().parents[1]
GUIDES = ["README.md", "PROTOCOL.md", *(f"docs/{path.name}" for path in sorted((ROOT / "docs").glob("*.md")))]
"""The documents for users: every command in them is executed."""
OTHERS = [*(f"{name}.md" for name in ("CHANGELOG", "CONTRIBUTING", "ERRATA", "SECURITY"))]
OTHERS += ["schemas/README.md", "vectors/README.md"]
TEXTS = {name: (ROOT / name).read_text(encoding="utf-8") for name in [*GUIDES, *OTHERS]}
SET_UP = 2  # the README's first blocks; .ci/run takes them from there too
FENCES = {"sh", "text", "transcript", "diff", "sql"}
ELSEWHERE = r"python \w+\.py|yaml \S+|sh gate( fails)?"
"""Files for a newcomer, such as "python first.py"; and what tests/gate executes."""
WRONG_ON_PURPOSE = ("python first.py", "--runner mistake:", "--runner deviation:")

FEWER = {
    "'harbor-0.13.1/aggregation/empty-*'": [
        'harbor-conformance run --runner "python first.py" --failures 3',
        "harbor-conformance run --runner \"python first.py\" --failures 0 'harbor-0.13.1/aggregation/*'",
    ],
    "'harbor-0.13.1/aggregation/sum-t*'": [
        "harbor-conformance run --runner mistake:naive-sum --failures 1",
        'harbor-conformance run --runner "python first.py" --known-failures known-failures.txt',
        'harbor-conformance run --runner "python first.py" --report run.json',
        "harbor-conformance run --runner mistake:naive-sum --report before.json",
        "harbor-conformance run --runner reference --report after.json",
    ],
    "'harbor-0.13.1/pass_at_k/*'": ['harbor-conformance run --runner "node my-runner.mjs"'],
    "-k 'pass_at_k and spot-check'": ['pytest --runner="node my-runner.mjs"'],
    "--time 1": ['harbor-conformance fuzz --runner "python first.py" --time 10'],
    "'harbor-0.13.1/aggregation/*'": [
        'harbor-conformance run --runner "$FORK_PYTHON $(harbor-conformance kit oracle --adapter)" '
        "--report report.json",
        "harbor-conformance run --harbor 0.22.0 --report report.json",
        'harbor-conformance run --runner "harbor:$FORK" --report report.json',
    ],
    "'harbor-0.13.1/aggregation/sum-*'": [
        "harbor-conformance run --runner reference --shard 1/2 --report part-1.jsonl.gz",
        "harbor-conformance run --runner reference --shard 2/2 --report part-2.jsonl.gz",
    ],
    "'harbor-0.13.1/job_result/*blank*'": [
        "harbor-conformance run --runner deviation:job_result:input/trials/*/trial_name:strip --failures 1"
    ],
    "--op evals_key": ["harbor-conformance kit mutants --places --op job_result"],
    "'harbor-metric/rewards_jsonl/*'": ["harbor-conformance run --runner reference --spec harbor-metric"],
}
"""What a test adds to commands, to show the same on fewer inputs."""
QUICKER = {command: fewer for fewer, commands in FEWER.items() for command in commands}


def blocks(text, kind):
    return re.findall(rf"^```{kind}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def blocks_of_commands():
    """The commands of each block, by document and first line."""
    found = {}
    for document in GUIDES:
        for block in blocks(TEXTS[document], "sh")[SET_UP if document == "README.md" else 0 :]:
            commands = [line for line in block.splitlines() if line]
            found[f"{document}: {commands[0]}"] = commands
    return found


BLOCKS = blocks_of_commands()
FAILURE = TEXTS["README.md"].partition("## Reading a failure")[2]


def needs_the_oracle(commands):
    return any(word in command for command in commands for word in ("$FORK", "--dataset", "--harbor "))


def write_a_job(folder) -> None:
    """A job directory that the real harbor left: one of those that the tests of check keep."""
    write(next(iter(JOBS.values())), folder)


def run_a_job_of_the_dataset(folder) -> None:
    """What tasks/README.md tells users to do between writing and judging; here for one dataset."""
    harbor = ROOT / "tools" / "local_environment.py"
    job = f'"$ORACLE" {harbor} made {folder}/tasks/tenths:1'
    job += " && mkdir jobs && mv made/tenths jobs/conformance-tenths"
    done = run(job, folder, ORACLE=str(environments.ensure(print).python))
    assert done.returncode == 0, done.stderr


@pytest.fixture
def newcomer(tmp_path):
    """A folder as a newcomer has it: the files that the documents print, and a runner in Node.js."""
    for text in TEXTS.values():
        for name, content in re.findall(r"^```python (\S+)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
            (tmp_path / name).write_text(content, encoding="utf-8")
    shutil.copy(ROOT / "tests" / "runners" / "stock_node.mjs", tmp_path / "my-runner.mjs")
    return tmp_path


def run(command, folder, **environment):
    """A command as it is typed."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    streams = {"capture_output": True, "text": True, "timeout": 300}
    variables = {**os.environ, "PATH": path, **environment}
    return subprocess.run(["bash", "-c", command], cwd=folder, env=variables, **streams)


def expected_exit(command):
    gated = any(word in command for word in ("--known-failures", "baseline", "doctor"))
    return 1 if any(wrong in command for wrong in WRONG_ON_PURPOSE) and not gated else 0


def look_closer(command, folder, printed) -> None:
    """What a document says of a command beyond its exit code."""
    if "$FORK" in command or "--harbor " in command:
        report = json.loads((folder / "report.json").read_text(encoding="utf-8"))
        assert report["runner"]["name"] == "harbor"
        assert report["summary"]["classes"]["aggregation"]["reached"] == "bytes"
    if "--dataset" in command:
        assert "datasets that no job ran: " in printed
    if command.endswith("/sum-ten-tenths"):
        shown, _ = blocks(FAILURE, "text")  # tests/test_first_runner.py has the other
        assert re.search(".*".join(map(re.escape, shown.split("…"))), printed), printed


@pytest.mark.slow
@pytest.mark.parametrize(
    "commands",
    [
        pytest.param(commands, id=name, marks=[pytest.mark.oracle] if needs_the_oracle(commands) else [])
        for name, commands in BLOCKS.items()
    ],
)
def test_the_commands_of_a_document(commands, newcomer) -> None:
    for command in commands:
        variables = {}
        if " doctor " in command:  # tests/oracle/test_integrity.py compares the real oracles with their locks
            variables = {"HARBOR_CONFORMANCE_CACHE": str(newcomer / "cache")}
        if "node " in command and shutil.which("node") is None:
            pytest.skip("there is no node here: install Node.js 18 or later")
        if "jobs/my-job" in command:
            write_a_job(newcomer / "jobs" / "my-job")
        if " leaderboard" in command:
            write_a_job(newcomer / "leaderboard" / "my-agent__my-model" / "2025-11-11__12-30-01")
            write_a_job(newcomer / "leaderboard" / "their-agent__their-model" / "2025-11-12__09-15-00")
        if "--dataset" in command:
            run_a_job_of_the_dataset(newcomer)
        if "$FORK" in command:
            oracle = environments.ensure(print)
            variables = {"FORK": str(oracle.folder), "FORK_PYTHON": str(oracle.python)}
        # harbor takes its time to start on a busy machine
        wait = " --runner-timeout 60" if "$FORK" in command else ""
        done = run(f"{command} {QUICKER.get(command, '')}{wait}", newcomer, **variables)
        assert done.returncode == expected_exit(command), command + done.stdout + done.stderr
        look_closer(command, newcomer, done.stdout)


def test_no_command_is_missed() -> None:
    """None in a block of another kind, none run twice, none sped up that is no longer there."""
    kinds = [re.findall(r"^```(\S.*)$", TEXTS[document], re.MULTILINE) for document in GUIDES]
    assert {one for each in kinds for one in each if not re.fullmatch(ELSEWHERE, one)} <= FENCES
    commands = [command for block in BLOCKS.values() for command in block]
    assert len(commands) >= 20
    assert len(set(commands)) == len(commands)
    assert set(QUICKER) <= set(commands)


def mentioned():
    """The commands of the kit that texts name in passing, and those that are executed."""
    for document, text in TEXTS.items():
        for command in re.findall(r"(?<!`)`harbor-conformance ([^`]+)`", text.replace("\n", " ")):
            yield document, command.split()
    for name, block in BLOCKS.items():
        for command in block:
            if command.startswith("harbor-conformance "):
                yield name, shlex.split(command)[1:]


GROUPS = {"kit", "kit spec", "spec"}
"""Commands that have commands of their own."""


@pytest.mark.slow
def test_the_commands_and_options_that_documents_mention_exist(cli) -> None:
    helps = {}
    for document, (name, *words) in mentioned():
        while name in GROUPS and words:
            name, *words = (f"{name} {words[0]}", *words[1:])
        if name not in helps:
            shown = cli(*name.split(), "--help")
            assert shown.returncode == 0, f"{document}: {name}"
            helps[name] = shown.stdout
        for word in words:
            shown = re.search(rf"^ .*{re.escape(word)}\b", helps[name], re.MULTILINE)
            assert shown or not word.startswith("-"), f"{document}: {name} {word}"


def anchors(text):
    """The headings of a document as GitHub makes links of them."""
    headings = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_links_and_names_lead_somewhere() -> None:
    lost = []
    for document, text in TEXTS.items():
        for target, anchor in re.findall(r"\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?\)", text):
            file = (ROOT / document).parent / target if target else ROOT / document
            if not file.exists() or (anchor and anchor not in anchors(file.read_text(encoding="utf-8"))):
                lost.append(f"{document}: {target}#{anchor}")
        named = re.findall(r"`((?:conformance|reference_impl|schemas|tests|tools|vectors)/[^`<*\s]+)`", text)
        if document != "CHANGELOG.md":
            lost += [f"{document}: {name}" for name in named if not (ROOT / name).exists()]
        tests = re.findall(r"`(?!tests/)([\w/]+/test_\w+\.py)`", text)
        lost += [f"{document}: {name}" for name in tests if not (ROOT / "tests" / name).exists()]
    assert lost == []


def description_of(spec):
    if lineage(spec)[-1] == DEFAULT_SPEC:
        return TEXTS["PROTOCOL.md"]
    parts = re.split(r"^## ", TEXTS["docs/metric-contracts.md"], flags=re.MULTILINE)
    (part,) = [part for part in parts if f"Spec `{spec}`" in part]
    return part


@pytest.mark.parametrize("spec", SPECS)
def test_every_operation_and_error_is_described(spec) -> None:
    rows = re.findall(r"^\| (`.*?`) \|", description_of(spec), re.MULTILINE)
    names = {name for row in rows for name in re.findall(r"`([^`]+)`", row)}
    vectors = load_spec(spec)
    assert {op.name for op in ops_of(spec)} <= names
    expected = [vector.expected.get("error") for vector in vectors]
    assert {error["type"] for error in expected if error} <= names


@pytest.mark.parametrize("transcript", blocks(TEXTS["PROTOCOL.md"], "transcript"), ids=["first", "scores"])
def test_the_transcripts_of_the_protocol(transcript) -> None:
    lines = transcript.splitlines()
    replies = [json.loads(reply(line[2:].encode())) for line in lines if line.startswith("> ")]
    printed = [json.loads(line[2:]) for line in lines if line.startswith("< ")]
    for found in (*replies, *printed):
        found.get("error", {}).pop("message", None)
        if "unsupported" in found:
            found["unsupported"] = "some reason"
    assert [found["id"] for found in replies] == [found["id"] for found in printed]
    assert replies[1:] == printed[1:]


ERRATUM_TEXTS = {
    text.partition(":")[0]: text
    for text in re.split(r"^## (?=E\d)", TEXTS["ERRATA.md"], flags=re.MULTILINE)[1:]
}
ERRATA = list(ERRATUM_TEXTS)
OFFLINE = {"LITELLM_LOCAL_MODEL_COST_MAP": "True"}  # harbor imports litellm, which else fetches its prices
ON_OTHER_VECTORS = {"E7", "E8"}
"""Errata that a clause may name though no vector of its document shows them."""


def patterns(erratum):
    """The ids of vectors, or patterns of them, that an erratum names."""
    return re.findall(rf"`((?:{'|'.join(map(re.escape, SPECS))})/[^`]+)`", ERRATUM_TEXTS[erratum])


@functools.cache
def every_vector():
    return [vector.id for spec in spec_names() for vector in load_spec(spec)]


def test_errata_are_numbered_once_named_by_clauses_and_their_vectors_exist() -> None:
    headings = re.findall(r"^## (E\d+)", TEXTS["ERRATA.md"], flags=re.MULTILINE)
    assert headings == ERRATA
    assert len(ERRATA) >= 14
    named = {clause.erratum for spec in spec_names() for clause in load_clauses(spec) if clause.erratum}
    assert named <= set(ERRATA) | ON_OTHER_VECTORS
    for erratum in ERRATA:
        assert patterns(erratum), erratum
        for pattern in patterns(erratum):
            assert fnmatch.filter(every_vector(), pattern), f"{erratum}: {pattern}"


@functools.cache
def python_of(spec):
    recipe = SPEC_TABLE[spec].oracle.recipe
    return environments.ensure(print, recipe=recipe).python if recipe else locate().path


def spec_of(erratum):
    return patterns(erratum)[0].partition("/")[0]


@pytest.mark.oracle
@pytest.mark.parametrize("erratum", ERRATA)
def test_the_proof_of_an_erratum(erratum) -> None:
    (proof,), (printed,) = (blocks(ERRATUM_TEXTS[erratum], kind) for kind in ("proof", "prints"))
    path = f"{python_of(spec_of(erratum)).parent}{os.pathsep}{os.environ['PATH']}"
    done = run(proof, ROOT, PATH=path, **OFFLINE)
    assert done.stdout == printed, done.stderr


def test_the_readme_is_short() -> None:
    text = TEXTS["README.md"]
    places = text.partition("## Where to go next\n")[2].partition("\n## ")[0]
    assert len(text.splitlines()) <= 130
    assert 5 <= len(re.findall(r"\]\(", places)) <= 10
