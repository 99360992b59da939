"""Loads a class, calls it, and reports problems. A standalone program for Python 3.10 and later.

The job is a JSON file with the target, the contract's part (a module) and the requests. The first line of the
answer describes the class, or says why it is not available. A line for each request follows. Output of the
class goes to standard error. A part has these members:

- ``prepare(job)``: returns a sentence if the class can't be checked;
- ``import_findings()``: the findings of a failed import (optional);
- ``describe(metric)``: describes the class without calling it: findings, and whether it is ``askable``;
- ``begin(metric)``: adds to the description by calling the class, which may never end;
- ``request(name)``: the data of a case; ``describe_input(request)``: its input as text and as JSON;
- ``make(metric, request)``: creates an instance; ``METHOD``: the name of the method to call;
- ``value(request)``: a case's input; ``fresh(value)``: a new copy; ``as_text(data)``: the input as text;
- ``similar_inputs(request, value, primed)``: similar inputs, or those to call it with before a repetition;
- ``outcome(tried)``: an `Outcome`;
- ``special(metric, request)``: the answer to a case that is not a single call, otherwise None;
- ``more(first)``: additional data of an outcome (optional);
- ``judge(metric, request, instance, first)``: the findings, except for the comparisons made here;
- ``STATE``: the rule that a case always gives the same result, whatever was called before.
"""

import contextlib
import importlib
import importlib.util
import inspect
import io
import json
import os
import platform
import re
import sys
import traceback
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

MESSAGE_LIMIT, MOST_CAUSES = 500, 20
UNREACHABLE = "unreachable"
"""The cause, and the rule, of failures because a judge, a service or a package is not available."""
INPUT = "changes-input"
environment_read: set[str] = set()
"""The environment variables that the class's own code read."""
Finding = tuple[Any, ...]
"""A rule, a sentence and, for exceptions, the `cause`."""


class Printed(io.TextIOBase):
    """Standard output for the class: counted, and forwarded to standard error."""

    count = 0

    def writable(self) -> bool:
        """True."""
        return True

    def write(self, text: str) -> int:
        """Count the text, and forward it."""
        Printed.count += len(text)
        with open(2, "wb", closefd=False) as errors:
            errors.write(text.encode("utf-8", "backslashreplace"))
        return len(text)


class Outcome(NamedTuple):
    """A call's result or exception."""

    it: Any
    text: str
    brief: str
    """A text that is equal for equal outcomes."""
    raised: "Raised | None" = None
    details: str = ""
    """Data that may differ between calls, but may not change later."""

    def sent(self) -> dict[str, Any]:
        """Return the outcome as JSON."""
        cause = "" if self.raised is None else self.raised.cause
        return {"text": shortened(self.text, MESSAGE_LIMIT), "brief": self.brief, "cause": cause}


class Raised(NamedTuple):
    """An exception, even one that can't be printed."""

    kind: str
    message: str
    cause: str
    """UNREACHABLE, or the type and line, or the path of a file that could not be opened."""
    file: str
    """The file that raised it, ignoring the kit's frames."""
    escapes: bool

    def __str__(self) -> str:
        return f"{self.kind}: {shortened(self.message, 200)}" if self.message else self.kind


def shortened(text: str, most: int) -> str:
    """Return the text, truncated to ``most`` characters."""
    return text if len(text) <= most else f"{text[:most]}… (cut, {len(text)} characters in all)"


def described(error: BaseException) -> Raised:
    """Describe an exception."""
    names = [name for name in sys.modules if name.startswith("_harbor_conformance_")]
    kit = {__file__, *(sys.modules[name].__file__ for name in names)}
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename not in kit]
    kind, file = type(error).__name__, frames[-1].filename if frames else ""
    own = [frame for frame in frames if not frame.filename.endswith("core/score.py")]
    cause = f"{kind} {own[-1].filename}:{own[-1].lineno}" if own else kind
    if isinstance(error, (FileNotFoundError, NotADirectoryError, PermissionError)):
        cause = error.filename if isinstance(error.filename, str) and error.filename else cause
    cause = UNREACHABLE if unreachable(error) else cause
    return Raised(kind, spelled(error, str), cause, file, not isinstance(error, Exception))


_UNAVAILABLE = re.compile(
    r"(aiohttp|anthropic|azure|boto3|botocore|cohere|google|groq|grpc|http\.client|httpcore|httpx"
    r"|huggingface_hub|litellm|mistralai|ollama|openai|requests|urllib3|websockets)\."
    r"|(socket\.gaierror|ssl\.SSLError|urllib\.error\.URLError|.*\.JudgeUnreachableError"
    r"|builtins\.(ConnectionError|TimeoutError|ImportError))$"
)
"""Exceptions of the network, service clients, imports, and the kit's fake judges."""
_ACCESS_WORDS = re.compile(
    r"api[ _-]?key|access[ _-]?token|credentials?\b|unauthori[sz]ed|not authenticated"
    r"|connection (error|refused|reset|failed)|can(not|'t) (connect|be reached)"
    r"|name resolution|name or service not known|network is unreachable|no route to host",
    re.IGNORECASE,
)


def unreachable(error: BaseException | None) -> bool:
    """Return whether a call failed because a judge, a service or a package is not available.

    That is so if the exception, or one of its causes, is of the network, a client or an import, or says so.
    """
    for _ in range(MOST_CAUSES):
        kinds = (f"{kind.__module__}.{kind.__qualname__}" for kind in type(error).__mro__)
        if error is None or any(map(_UNAVAILABLE.match, kinds)) or mentions_missing_access(error):
            break
        error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    else:
        return False
    return error is not None


def mentions_missing_access(message: object) -> bool:
    """Return whether an exception or a text is about a missing API key or network."""
    return _ACCESS_WORDS.search(spelled(message, str)) is not None


def spelled(value: Any, convert: Callable[[Any], str] = repr) -> str:
    """Return a value as text."""
    try:
        return convert(value)[:MESSAGE_LIMIT]
    except BaseException:
        return f"(a {type(value).__name__} that can't be shown)"


def tried(call: Callable[[], Any]) -> tuple[Any, Raised | None]:
    """Return a call's result and its exception."""
    try:
        return call(), None
    except BaseException as error:
        return None, described(error)


def describe_difference(first: Mapping[str, Any], second: Mapping[str, Any]) -> str:
    """Describe two different outcomes."""
    key = "text" if first["text"] != second["text"] else "brief"
    return f"{shortened(first[key], 80)}, and {shortened(second[key], 80)}"


def compared(rule: str, first: Outcome, second: Outcome, when: str, subject: str = "It") -> Iterator[Finding]:
    """Yield a violation of the rule if two outcomes differ."""
    if first.brief != second.brief:
        yield rule, f"{subject} gives {describe_difference(first._asdict(), second._asdict())} {when}."


def answer(part: Any, metric: type, request: dict[str, Any]) -> dict[str, Any]:
    """Call an instance, call it after other inputs and again, and call a new one; compare the results."""

    def ask(instance: Any, data: Any) -> tuple[Any, Raised | None]:
        return tried(lambda: getattr(instance, part.METHOD)(data))

    def fresh_outcome(instance: Any, value: Any) -> Outcome:
        return part.outcome(ask(instance, part.fresh(value)))  # type: ignore[no-any-return]

    def measured_new(value: Any) -> Outcome:
        return fresh_outcome(part.make(metric, request), value)

    value = part.value(request)
    if request.get("quick"):
        for similar in part.similar_inputs(request, value, primed=True) if request.get("primed") else ():
            measured_new(similar)
        soon = measured_new(value)
        for ahead in request.get("clocks", ()):
            sys.modules["_harbor_conformance_watched"].ahead = ahead  # type: ignore[attr-defined]
            if (later := measured_new(value)).brief != soon.brief:
                return {"first": later.sent(), "ahead": ahead}
        return {"first": soon.sent()}
    if (special := part.special(metric, request)) is not None:
        return dict(special)
    instance, data = part.make(metric, request), part.fresh(value)
    before, kept = part.as_text(data), ask(instance, data)
    first: Outcome = part.outcome(kept)
    kept_state: list[Finding] = []
    for similar in part.similar_inputs(request, value, primed=False):
        when = f"as a new instance, for {shortened(repr(similar), 120)}"
        differences = compared(
            part.STATE, fresh_outcome(instance, similar), measured_new(similar), when, "After other inputs it"
        )
        kept_state = kept_state or [*differences]
    if part.outcome(kept)[1:] != first[1:]:
        kept_state.append((part.STATE, "Its returned value changes when it is called with other inputs."))
    repeated = [fresh_outcome(instance, value) for _ in range(request["times"])]
    again = next((outcome for outcome in repeated if outcome.brief != first.brief), first)
    differs = [
        *compared(part.STATE, first, again, "when it is called again"),
        *compared(part.STATE, first, measured_new(value), "as a new instance"),
    ]
    findings = list(part.judge(metric, request, instance, first))
    if part.as_text(data) != before:
        findings.append((INPUT, "It modifies its input, and the next metric gets the modified input."))
    if request["compared"]:
        findings += [*differs, *kept_state]
    more = part.more(first) if hasattr(part, "more") else {}
    kinds = {"steady": not differs, "compared": request["compared"]}
    return {"first": first.sent(), **kinds, **more, "findings": findings}


def module_from_file(path: str, name: str) -> ModuleType:
    """Load a module from a file."""
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise ImportError(f"{path} is not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def kit_module(file: str, name: str) -> ModuleType:
    """Load a module of the kit in a file's folder, once."""
    known = sys.modules.get(f"_harbor_conformance_{name}")
    path = str(Path(file).with_name(f"{name}.py"))
    return module_from_file(path, f"_harbor_conformance_{name}") if known is None else known


def parameters(kind: type) -> list[inspect.Parameter]:
    """Return the named parameters of a constructor."""
    named, raised = tried(lambda: inspect.signature(kind).parameters.values())
    known = [] if raised else named
    return [arg for arg in known if arg.kind not in (arg.VAR_POSITIONAL, arg.VAR_KEYWORD)]


def load(named: str, caller: str, watched: Any) -> Any:
    """Load the class named by ``module:Class`` or ``path.py:Class``, recording what its code reads."""
    where, _, name = named.rpartition(":")

    def watch(file: str | None) -> None:
        if file is not None:
            watched.watch_environment(os.path.dirname(os.path.abspath(file)), environment_read.add)

    if where.endswith(".py"):
        path = os.path.join(caller, where)
        watch(path)
        sys.path.insert(0, os.path.dirname(path))
        module = module_from_file(path, Path(path).stem)
    else:
        sys.path.insert(0, caller)
        with contextlib.suppress(ImportError, ValueError):
            module_spec = importlib.util.find_spec(where)
            watch(module_spec.origin if module_spec else None)
        module = importlib.import_module(where)
    target: Any = module
    for part in name.split("."):
        target = getattr(target, part)
    return target


@contextlib.contextmanager
def reply_channel() -> Iterator[io.BufferedWriter]:
    """Open the channel for answers, and redirect standard output to standard error."""
    with os.fdopen(os.dup(1), "wb") as channel:
        os.dup2(2, 1)
        sys.stdout = Printed()
        yield channel


def answers(job: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the description of the class, and then the answer to each request."""
    named = job["target"]
    sys.modules["_harbor_conformance_worker"] = sys.modules[__name__]
    part: Any = module_from_file(job["part"], "_harbor_conformance_part")
    if sentence := part.prepare(job):
        yield {"cannot": sentence}
        return
    watched: Any = module_from_file(job["watched"], "_harbor_conformance_watched")
    if job["pretended"]:
        watched.pretend(job["pretended"], environment_read.add)
    target, raised = tried(lambda: load(named, job["caller"], watched))
    if raised:
        findings = list(part.import_findings()) if hasattr(part, "import_findings") else []
        known = {"class": {"askable": False, "findings": findings}}
        yield known if findings else {"cannot": f"loading {named} raised {raised}"}
        return
    if not isinstance(target, type):
        yield {"cannot": f"{named} is not a class but {spelled(target)[:80]}"}
        return
    about = part.describe(target)
    python = f"{platform.python_implementation()} {platform.python_version()}"
    about["environment"] = f"{python}, {about['environment']}"
    yield {"class": about}
    if about["askable"]:
        begun = part.begin(target)
        about = {**about, **begun, "findings": [*about["findings"], *begun.get("findings", ())]}
        yield {"class": about}
    for wanted in job["requests"] if about["askable"] else []:
        request, before = {**part.request(wanted["name"]), **wanted}, Printed.count
        text, data = part.describe_input(request)
        yield {"case": request["name"], "given": text, "input": data}
        reply, raised = tried(lambda request=request: answer(part, target, request))  # type: ignore[misc]
        if raised:
            reply = {"findings": [("cannot-be-made", f"Creating it again raised {raised}", raised.cause)]}
        printed = Printed.count - before
        extra = [("prints", f"It printed {printed} characters.")] if printed else []
        yield {"case": request["name"], **reply, "findings": [*reply.get("findings", ()), *extra]}
    yield {"environment_read": sorted(environment_read)}


def main() -> None:
    """Answer the job's requests."""
    job = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    own_folder = os.path.dirname(os.path.abspath(__file__))
    sys.path[:] = [entry for entry in sys.path if os.path.abspath(entry or ".") != own_folder]
    with reply_channel() as channel:
        for line in answers(job):
            channel.write(json.dumps(line).encode() + b"\n")
            channel.flush()
    os._exit(0)  # even if threads of the class are still running


if __name__ == "__main__":
    main()
