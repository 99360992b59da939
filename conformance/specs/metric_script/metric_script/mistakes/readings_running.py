"""What readers of document 000 alone understood of a metric script's run: how it starts, and how it ended."""

import functools
import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from conformance.mistakes.family import Case, family
from conformance.mistakes.variant import Variant
from conformance.specs.metric_script.metric_script.mistakes.running import after
from reference_impl import aggregation, metric_script
from reference_impl.metric_script import METRIC_JSON, REWARDS_JSONL, Run

arguments = family("metric_script", clause="000-args-short")
files = family("metric_script", clause="000-args-file-names")
given_lines = family("metric_script", clause="000-args-file-names")
calls = family("metric_script", clause="000-args-no-trials")
ends = family("metric_script", clause="000-run-exit-code")
_CALLED = (
    b"import importlib.util, pathlib, sys\n"
    b"spec = importlib.util.spec_from_file_location('metric', sys.argv.pop(1))\n"
    b"module = importlib.util.module_from_spec(spec)\n"
    b"spec.loader.exec_module(module)\n"
)
"""Imports the script, which is the first argument."""
_MAIN = b"module.main(pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[4]))\n"


_OPTIONS = b'("-i", "--input-path", type=pathlib.Path)'
_USES = re.compile(
    rb"args\.(?:in|out)put_path\.(?:read_text|read_bytes|write_text|write_bytes)\(|-path|pathlib"
)
"""What a script may do with its paths, and not tell them from others."""


def _tells(script: bytes) -> bool:
    """Whether a script might notice other arguments, folders or files.

    Most do not, and a process is slow: those that take both forms of the options, and only read and write
    by their arguments, are not started again.
    """
    rest = _USES.sub(b"", script)
    return _OPTIONS not in script or any(word in rest for word in (b"path.", b"argv", b"os.", b"open", b"__"))


@functools.lru_cache(maxsize=4096)
def _started(
    script: bytes,
    lines: bytes,
    options: tuple[str, ...] = ("-i", "{i}", "-o", "{o}"),
    *,
    inside: bool = False,
    apart: bool = False,
    there: bytes | None = None,
    by: bytes | None = None,
) -> Run:
    """Runs a script with other arguments, in its own folder, with folders or an output made before it."""
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        given, written = home / REWARDS_JSONL, home / METRIC_JSON
        if apart:
            given, written = home / "in" / REWARDS_JSONL, home / "out" / METRIC_JSON
            given.parent.mkdir()
            written.parent.mkdir()
        program, starter = home / "metric.py", home / "start.py"
        program.write_bytes(script)
        given.write_bytes(lines)
        if there is not None:
            written.write_bytes(there)
        if by is not None:
            starter.write_bytes(by)
        names = {"i": str(given), "o": str(written), "in": given.name, "out": written.name}
        programs = [str(program)] if by is None else [str(starter), str(program)]
        done = subprocess.run(
            [sys.executable, *programs, *(option.format(**names) for option in options)],
            capture_output=True,
            stdin=subprocess.DEVNULL,
            cwd=folder if inside else None,
        )
        try:
            return Run(done.returncode, done.stdout, done.stderr, written.read_bytes())
        except OSError as error:
            return Run(done.returncode, done.stdout, done.stderr, error)


@arguments.each(
    Case(
        "script-long-options-of-the-document",
        "the metric script is started with --input-path and --output-path",
        "The document lists both forms side by side.",
        "command lines for people",
        {"options": ("--input-path", "{i}", "--output-path", "{o}")},
    ),
    Case(
        "script-options-with-equals-signs",
        "the metric script is given each option and its path as one argument",
        "Argument parsers take both forms.",
        "-i=path, -ipath",
        {"options": ("-i={i}", "-o={o}")},
    ),
    Case(
        "script-output-option-first",
        "the metric script is given -o before -i",
        "The order of options is thought to be free.",
        "maps of options",
        {"options": ("-o", "{o}", "-i", "{i}")},
    ),
    Case(
        "script-runs-in-its-folder",
        "the metric script's working directory is the folder of its files",
        "A process is kept among its own files.",
        "cwd=tmp_dir, test sandboxes",
        {"inside": True},
        clause="000-args-working-directory",
    ),
    Case(
        "script-paths-relative",
        "the metric script is given bare file names, in the folder of its files",
        "Names are enough in the folder itself.",
        "cwd=tmp_dir",
        {"options": ("-i", "{in}", "-o", "{out}"), "inside": True},
        clause="000-args-file-names",
    ),
    Case(
        "script-files-in-two-folders",
        "the metric script's input and output lie in folders of their own",
        "What is read and what is written are kept apart.",
        "in/ and out/ mounts of containers",
        {"apart": True},
        clause="000-args-file-names",
    ),
    Case(
        "script-output-made-empty",
        "the metric script's output exists, empty, before it starts",
        "A temporary file is made by the one who names it.",
        "NamedTemporaryFile, mktemp, touch",
        {"there": b""},
        clause="000-args-output-is-new",
    ),
    Case(
        "script-output-made-an-object",
        "the metric script's output holds {} before it starts",
        "A script that has nothing to say gives no metrics then.",
        "default files",
        {"there": b"{}"},
        clause="000-args-output-is-new",
    ),
    Case(
        "script-imported",
        "the metric script is imported, and is not the main program",
        "Python runs a script without a process of its own so.",
        "importlib, runpy with another name",
        {"by": _CALLED},
        clause="000-args-uv",
    ),
    Case(
        "script-main-called",
        "the metric script is imported and its main is called with both paths",
        "The document's script has a main of two paths.",
        "from metric import main",
        {"by": _CALLED + _MAIN},
        clause="000-args-uv",
    ),
)
def started(reference: Variant, how: dict[str, Any]) -> None:
    """Starts scripts in another way."""
    plain = reference.get(metric_script.run_script)

    def run(script: bytes, lines: bytes) -> Any:
        done = None if _tells(script) else plain(script, lines)
        if done is None or ("there" in how and isinstance(done.written, OSError)):
            return _started(script, lines, **how)
        return replace(done, returncode=done.returncode or 1) if how.get("by") == _CALLED + _MAIN else done

    reference.replace(metric_script.run_script, run)


@given_lines.each(
    Case(
        "script-given-raw-text",
        "the metric script's input has characters beyond ASCII unescaped",
        "The script reads UTF-8 anyway.",
        "ensure_ascii=False",
        lambda lines: b"".join(
            (line if line == b"null" else _raw(line)) + b"\n" for line in lines.splitlines()
        ),
    ),
    Case(
        "script-given-no-final-newline",
        "the last line of the metric script's input lacks its line feed",
        "The script splits lines and does not see it.",
        '"\\n".join',
        lambda lines: lines.removesuffix(b"\n"),
    ),
    Case(
        "script-given-null-for-no-trials",
        "without trials the metric script is given one null",
        "An empty file is thought to be none.",
        "rewards or [None]",
        lambda lines: lines or b"null\n",
    ),
    Case(
        "script-given-blank-line-for-no-trials",
        "without trials the metric script is given an empty line",
        "Joined lines and a line feed at the end make one.",
        '"\\n".join(lines) + "\\n"',
        lambda lines: lines or b"\n",
    ),
    Case(
        "script-given-equal-lines-once",
        "the metric script is given equal lines once",
        "What is collected in a set loses its repetitions.",
        "sets, SELECT DISTINCT",
        lambda lines: b"".join(dict.fromkeys(lines.splitlines(keepends=True))),
    ),
    Case(
        "script-given-zero-for-nothing",
        'trials without rewards reach the metric script as {"reward": 0}',
        "Harbor is said to treat missing rewards as 0.",
        "defaults filled in early",
        lambda lines: b"".join(
            b'{"reward": 0}\n' if line == b"null\n" else line for line in lines.splitlines(keepends=True)
        ),
    ),
    Case(
        "script-given-empty-object-for-nothing",
        "trials without rewards reach the metric script as {}",
        "A missing map is easily read as an empty one.",
        "rewards or {}",
        lambda lines: b"".join(
            b"{}\n" if line == b"null\n" else line for line in lines.splitlines(keepends=True)
        ),
    ),
    Case(
        "script-given-null-for-empty-object",
        "trials without any key reach the metric script as null",
        "An empty map counts as false.",
        "reward or None",
        lambda lines: b"".join(
            b"null\n" if line == b"{}\n" else line for line in lines.splitlines(keepends=True)
        ),
    ),
    Case(
        "script-given-hundred-trials",
        "the metric script is given the first hundred trials alone",
        "Pages of results have so many.",
        "paged queries",
        lambda lines: b"".join(lines.splitlines(keepends=True)[:100]),
    ),
)
def told(reference: Variant, change: Callable[[bytes], bytes]) -> None:
    """Gives scripts other lines; rewards.jsonl itself stays as it is."""
    reference.wrap(metric_script.run_script, lambda run: lambda script, lines: run(script, change(lines)))


def _raw(line: bytes) -> bytes:
    pairs: list[tuple[str, Any]] = json.loads(line, object_pairs_hook=list)
    members = (f"{json.dumps(key, ensure_ascii=False)}: {json.dumps(value)}" for key, value in pairs)
    return ("{" + ", ".join(members) + "}").encode("utf-8", "surrogatepass")


@ends.each(
    Case(
        "script-metadata-demanded",
        "a metric script without a block of inline metadata fails",
        "The document's script begins with one.",
        "the document's example",
        lambda script: script if b"# /// script" in script else b"raise SystemExit(2)\n",
        clause="000-args-metadata",
    ),
    Case(
        "script-code-as-latin-1",
        "the metric script's text is written as Latin-1",
        "A file is written in the platform's encoding.",
        "open() without an encoding, Windows",
        lambda script: script.decode("utf-8", "replace").encode("latin-1", "replace"),
        clause="000-args-uv",
    ),
    Case(
        "script-code-stripped",
        "white space before the metric script's text is cut off",
        "Text from a document is tidied.",
        "textwrap.dedent, strip()",
        lambda script: script.lstrip(),
        clause="000-args-uv",
    ),
    Case(
        "script-empty-gives-no-metrics",
        "an empty metric script gives {}",
        "There is nothing to run, and so nothing to fail.",
        "if script",
        lambda script: script or b"import sys\nopen(sys.argv[4], 'w').write('{}')\n",
        clause="000-run-no-output",
    ),
)
def rewritten(reference: Variant, change: Callable[[bytes], bytes]) -> None:
    """Runs another text than the script's."""
    reference.wrap(metric_script.run_script, lambda run: lambda script, lines: run(change(script), lines))


@calls.each(
    Case(
        "script-not-run-without-trials-mean-zero",
        "without trials the metric script is not run, and the mean is 0",
        "The document's script says 0 there.",
        "if rewards else 0",
        lambda run, script, rewards: run(script, rewards) if rewards else {"mean": 0},
    ),
    Case(
        "script-not-run-without-rewards",
        "where no trial has rewards the metric script is not run, and the mean is 0",
        "Missing rewards are said to count as 0.",
        "if any(rewards)",
        lambda run, script, rewards: (
            {"mean": 0} if rewards and all(it is None for it in rewards) else run(script, rewards)
        ),
        clause="000-lines-null",
    ),
    Case(
        "script-refused-for-several-keys",
        "a trial with several keys is a ValueError before the metric script is run",
        "The document's script expects exactly one key.",
        "the document's example",
        lambda run, script, rewards: _checked(run, script, rewards, 2),
        clause="000-intro-own-logic",
    ),
    Case(
        "script-refused-for-no-key",
        "a trial without any key is a ValueError before the metric script is run",
        "The document's script expects exactly one key.",
        "the document's example",
        lambda run, script, rewards: _checked(run, script, rewards, 0),
        clause="000-intro-own-logic",
    ),
    Case(
        "script-missing-and-no-trials-is-zero",
        "without a metric script and without trials the mean is 0",
        "Nothing to run, nothing to compute.",
        "early returns on empty lists",
        lambda run, script, rewards: {"mean": 0} if script is None and not rewards else run(script, rewards),
        clause="000-run-no-script",
    ),
)
def called(reference: Variant, run: Callable[..., Any]) -> None:
    """Changes what is done around a script's run."""
    reference.wrap(
        metric_script.metric_script, lambda plain: lambda script, rewards: run(plain, script, rewards)
    )


def _checked(run: Callable[..., Any], script: Any, rewards: Sequence[Any], least: int) -> Any:
    wrong = [it for it in rewards if it is not None and (len(it) >= 2 if least else not it)]
    if wrong:
        raise ValueError("exactly one key is expected")
    return run(script, rewards)


@calls.each(
    Case(
        "script-missing-is-a-runtime-error",
        "a missing metric script is a RuntimeError",
        "The interpreter that does not find it ends with another code than 0.",
        "subprocess.run of a path that is not there",
        RuntimeError,
        clause="000-run-no-script",
    ),
)
def missing(reference: Variant, error: type[Exception]) -> None:
    """Lets a script that is not there be another error."""

    def around(run: Callable[..., Any]) -> Callable[..., Any]:
        def answer(script: bytes | None, rewards: Any) -> Any:
            if script is None:
                raise error("no script")
            return run(script, rewards)

        return answer

    reference.wrap(metric_script.metric_script, around)


def _broken(run: Any) -> bool:
    try:
        json.loads(run.written)
    except ValueError:
        return True
    except (OSError, TypeError):
        return False
    return False


def _no_output(run: Any, written: bytes) -> Any:
    return replace(run, written=written) if isinstance(run.written, FileNotFoundError) else run


@ends.each(
    Case(
        "script-broken-output-before-exit-code",
        "a metric script that fails after broken output is a JSONDecodeError",
        "The output is read as soon as it is there.",
        "a helper that runs and reads in one",
        lambda run: replace(run, returncode=0) if _broken(run) else run,
    ),
    Case(
        "script-exit-code-one-fails-only",
        "of a metric script's exit codes only 1 is a failure",
        "An uncaught exception ends Python with 1.",
        "returncode == 1",
        lambda run: run if run.returncode == 1 else replace(run, returncode=0),
    ),
    Case(
        "script-exit-code-two-passes",
        "a metric script that ends with 2 has not failed",
        "Other tools report findings so.",
        "grep, diff, argparse",
        lambda run: replace(run, returncode=0) if run.returncode == 2 else run,
    ),
    Case(
        "script-exit-codes-from-128-pass",
        "a metric script that ends with 128 or more has not failed",
        "The code is read as a signed byte, and failures are thought to be positive.",
        "signed chars",
        lambda run: replace(run, returncode=0) if run.returncode >= 128 else run,
    ),
    Case(
        "script-exit-code-with-output-ignored",
        "a metric script's exit code matters only where it wrote nothing",
        "Where there is output, the script seems to have worked.",
        "if not output.exists()",
        lambda run: run if isinstance(run.written, OSError) else replace(run, returncode=0),
    ),
    Case(
        "script-silent-failure-passes",
        "a metric script that fails without a word on standard error has not failed",
        "The message is what is looked at.",
        "if stderr and returncode",
        lambda run: run if run.stderr else replace(run, returncode=0),
    ),
    Case(
        "script-no-output-is-empty",
        "a metric script that wrote nothing gives {}",
        "No file is taken for no metrics.",
        "default values",
        lambda run: _no_output(run, b"{}"),
        clause="000-run-no-output",
    ),
    Case(
        "script-no-output-is-null",
        "a metric script that wrote nothing gives null",
        "None stands for what is not there.",
        "Optional results",
        lambda run: _no_output(run, b"null"),
        clause="000-run-no-output",
    ),
    Case(
        "script-no-output-is-a-failure",
        "a metric script that wrote nothing is a RuntimeError",
        "It has failed to compute the metric.",
        "one error for every failure",
        lambda run: replace(run, returncode=1) if isinstance(run.written, FileNotFoundError) else run,
        clause="000-run-no-output",
    ),
    Case(
        "script-tracebacks-fail",
        "a metric script that prints a traceback counts as failed",
        "A traceback is the sign of an uncaught exception.",
        "'Traceback' in stderr",
        lambda run: replace(run, returncode=1) if b"Traceback" in run.stderr else run,
        clause="000-run-stderr-ignored",
    ),
    Case(
        "script-complaints-not-decoded",
        "what a metric script writes to standard error need not be UTF-8",
        "It is only quoted in a message.",
        "stderr with errors='replace'",
        lambda run: replace(run, stderr=b""),
        clause="000-run-stdout-encoding",
    ),
    Case(
        "script-prints-alone-not-decoded",
        "what a metric script prints need not be UTF-8, its complaints do",
        "What is not used needs no decoding.",
        "stdout=DEVNULL",
        lambda run: replace(run, stdout=b""),
        clause="000-run-stdout-encoding",
    ),
    Case(
        "script-prints-with-a-mark-decoded",
        "what a metric script prints may be UTF-16 with a byte order mark",
        "Readers find the encoding by the mark.",
        ".NET's StreamReader, chardet",
        lambda run: replace(run, stdout=b"") if run.stdout[:2] in (b"\xff\xfe", b"\xfe\xff") else run,
        clause="000-run-stdout-encoding",
    ),
    Case(
        "script-complaints-decoded-at-failure",
        "what a metric script writes to standard error has to be UTF-8 only where it fails",
        "It is quoted there alone.",
        "a late decode()",
        lambda run: run if run.returncode else replace(run, stderr=b""),
        clause="000-run-stdout-encoding",
    ),
    Case(
        "script-output-before-decoding",
        "a metric script's missing output is noticed before its prints are decoded",
        "Reading the result comes first to mind.",
        "a late decode()",
        lambda run: (
            replace(run, stdout=b"", stderr=b"")
            if isinstance(run.written, FileNotFoundError) and run.returncode == 0
            else run
        ),
        clause="000-run-stdout-encoding",
    ),
    Case(
        "script-broken-output-before-decoding",
        "a metric script's broken output is noticed before its prints are decoded",
        "The output is read as soon as the script ended.",
        "a late decode()",
        lambda run: replace(run, stdout=b"", stderr=b"") if _broken(run) and not run.returncode else run,
        clause="000-run-stdout-encoding",
    ),
    Case(
        "script-much-print-fails",
        "a metric script that prints more than 64 KiB fails",
        "A pipe that nobody reads holds so much.",
        "wait() before read()",
        lambda run: replace(run, returncode=1) if len(run.stdout) > 65536 else run,
        clause="000-run-stdout-ignored",
    ),
    Case(
        "script-much-complaint-fails",
        "a metric script that writes more than 64 KiB to standard error fails",
        "A pipe that nobody reads holds so much.",
        "reading stdout to its end before stderr",
        lambda run: replace(run, returncode=1) if len(run.stderr) > 65536 else run,
        clause="000-run-stderr-ignored",
    ),
)
def ended(reference: Variant, change: Callable[[Any], Any]) -> None:
    """Changes what is seen of a run that ended."""
    after(reference, change)


@ends.each(
    Case(
        "script-failure-is-the-mean",
        "a metric script that fails is replaced by the mean",
        "The mean is the default metric.",
        "fallbacks",
        RuntimeError,
    ),
    Case(
        "script-unreadable-output-is-the-mean",
        "a metric script whose output is no JSON is replaced by the mean",
        "The mean is the default metric.",
        "fallbacks",
        ValueError,
        clause="000-broken-json",
    ),
)
def fallen_back(reference: Variant, error: type[Exception]) -> None:
    """Takes the mean where a script fails in one way."""
    aggregate = reference.its(aggregation.aggregate)

    def around(run: Callable[..., Any]) -> Callable[..., Any]:
        def answer(script: Any, rewards: Any) -> Any:
            try:
                return run(script, rewards)
            except error:
                return aggregate("mean", rewards)

        return answer

    reference.wrap(metric_script.metric_script, around)
