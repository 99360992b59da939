"""Guesses a runner's language from its command, for hints about silent runners.

The guess only affects the wording of a hint, never an outcome.
"""

import os
import re
from collections.abc import Sequence

__all__ = ["build_advice", "flush_advice"]

_FLUSH = {
    "python": "python -u, or print(..., flush=True)",
    "node": "Node flushes by itself: check whether the runner waits for the end of its input",
    "rust": "std::io::stdout().flush() after each reply",
    "go": "Flush() of the bufio.Writer after each reply",
    "java": "System.out.flush() after each reply",
    "dotnet": "Console.Out.Flush() after each reply",
    "ruby": "$stdout.sync = true",
    "perl": "$| = 1",
    "c": "fflush(stdout) after each reply",
}
_ANY = "python -u, Rust stdout().flush(), Go's bufio Flush(), C fflush(stdout)"

_PROGRAMS = (
    (r"python[\d.]*|pypy[\d.]*|uv|poetry|pipenv|hatch|pdm", "python"),
    (r"node|nodejs|deno|bun|bunx|npm|npx|pnpm|yarn|tsx|ts-node", "node"),
    (r"cargo", "rust"),
    (r"go", "go"),
    (r"java|gradle|gradlew|mvn|mvnw|sbt|kotlin|scala", "java"),
    (r"dotnet|mono", "dotnet"),
    (r"ruby|bundle", "ruby"),
    (r"perl", "perl"),
)
_SUFFIXES = {
    ".py": "python",
    ".pyz": "python",
    ".js": "node",
    ".mjs": "node",
    ".cjs": "node",
    ".ts": "node",
    ".mts": "node",
    ".go": "go",
    ".jar": "java",
    ".dll": "dotnet",
    ".rb": "ruby",
    ".pl": "perl",
}
_RUST_BUILDS = re.compile(r"(^|/)target/(.+/)?(release|debug)/[^/]+$")

_BUILDERS: dict[tuple[str, str], str] = {
    ("cargo", "run"): "cargo build --release, then target/release/NAME",
    ("go", "run"): "go build -o NAME, then ./NAME",
    ("dotnet", "run"): "dotnet build, then dotnet NAME.dll",
    ("gradle", "run"): "gradle installDist, then build/install/NAME/bin/NAME",
    ("gradlew", "run"): "gradlew installDist, then build/install/NAME/bin/NAME",
    ("swift", "run"): "swift build -c release, then .build/release/NAME",
    ("zig", "run"): "zig build-exe, then ./NAME",
    ("stack", "run"): "stack install, then NAME",
    ("cabal", "run"): "cabal install, then NAME",
    ("mix", "run"): "mix escript.build, then ./NAME",
}
_INSTALLERS: dict[tuple[str, str], str] = {
    ("uv", "run"): "uv sync, then .venv/bin/python",
    ("uvx", ""): "uv tool install, then NAME",
    ("poetry", "run"): "poetry install, then the environment's own python",
    ("pipenv", "run"): "pipenv install, then the environment's own python",
    ("hatch", "run"): "the environment's own python",
    ("npx", ""): "npm install, then node_modules/.bin/NAME, or node with a .js file",
    ("bunx", ""): "bun install, then node_modules/.bin/NAME",
    ("deno", "run"): "deno compile, then ./NAME",
}
_SCRIPTERS = frozenset({"npm", "pnpm", "yarn"})


def _programs(command: Sequence[str]) -> list[str]:
    """The words of a command from its program on, without ``env`` and its assignments."""
    words = list(command)
    if words and os.path.basename(words[0]) == "env":
        words = words[1:]
        while words and (words[0].startswith("-") or "=" in words[0]):
            words = words[2:] if words[0] in ("-u", "-C", "--unset", "--chdir") else words[1:]
    return words


def _language(command: Sequence[str]) -> str | None:
    """The language of a runner, if its command shows it."""
    words = _programs(command)
    if not words:
        return None
    program = os.path.basename(words[0])
    for word in words[:6]:
        suffix = os.path.splitext(word)[1].lower()
        if suffix in _SUFFIXES and not word.startswith("-"):
            return _SUFFIXES[suffix]
    for pattern, language in _PROGRAMS:
        if re.fullmatch(pattern, program):
            return language
    return "rust" if _RUST_BUILDS.search(words[0]) else None


def flush_advice(command: Sequence[str]) -> str:
    """The hint for a silent runner: how to flush in the command's language."""
    language = _language(command)
    how = _FLUSH[language] if language else _ANY
    return f"did you flush stdout after each reply ({how})?"


def build_advice(command: Sequence[str]) -> str:
    """Advice for a command that builds, installs or prints before it runs; empty otherwise."""
    words = _programs(command)
    if not words:
        return ""
    program = os.path.basename(words[0])
    verb = next((word for word in words[1:] if not word.startswith("-")), "")
    if program in _SCRIPTERS:
        if program == "npm" and "--silent" in words:
            return ""
        given = f"{program} {verb}".strip()
        return (
            f"{given!r} prints lines of its own to stdout: build first, and use the built program as the "
            f"runner (node with a .js file)"
        )
    if (program, verb) in _BUILDERS:
        how = _BUILDERS[program, verb]
        return (
            f"'{program} {verb}' builds before it runs: build first, and use the built program as the "
            f"runner ({how})"
        )
    how = _INSTALLERS.get((program, verb)) or _INSTALLERS.get((program, ""), "")
    if how:
        given = program if (program, "") in _INSTALLERS else f"{program} {verb}"
        return (
            f"{given!r} may install or build before it runs: do that first, and use what it starts as the "
            f"runner ({how})"
        )
    return ""
