"""Writes jobs.json: job directories of the real harbor, for the tests of `check`.

    python tests/check/make_jobs.py

Each job is described and played back through harbor's own `Job` (conformance/adapters/playback.py)
by the oracle's Python; what it leaves, without logs, ids and times, is kept as text. Whatever
several files share is kept once, as a numbered piece.
"""

import importlib.util
import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

JOBS = Path(__file__).with_name("jobs.json")
PLAYBACK = Path(__file__).parents[2] / "conformance" / "adapters" / "playback.py"
LEFT_OUT = ("artifacts", "agent")
SHORTEST_PIECE = 12
DEEPEST_CUT = 16

Json = dict[str, Any]


def text(content: str) -> Json:
    return {"files": {"reward.txt": {"text": content}}}


def rewards(content: str) -> Json:
    return {"files": {"reward.json": {"text": content}}}


def agent(play: Json, **said: Any) -> Json:
    return {**play, "agent": said}


def dataset(*plays: Any, name: str = "d", **more: Any) -> Json:
    tasks = [{"name": f"t{i}", "plays": p if isinstance(p, list) else [p]} for i, p in enumerate(plays)]
    return {"name": name, "tasks": tasks, **more}


def job(*plays: Any, **more: Any) -> Json:
    return {"datasets": [dataset(*plays)], **more}


def steps(gates: list[Any], *plays: Any, strategy: str | None = None, **more: Any) -> Json:
    made = [{"name": f"s{i}", "min_reward": gate} for i, gate in enumerate(gates)]
    task = {"name": "m", "strategy": strategy, "steps": made, "plays": [{"steps": list(p)} for p in plays]}
    return {"datasets": [{"name": "d", "tasks": [task]}], **more}


PASS, FAIL = text("1\n"), text("0\n")
HUGE = 10**400
SCRIPT = (
    "import json, sys\n"
    "rewards = [json.loads(line) for line in open(sys.argv[sys.argv.index('-i') + 1])]\n"
    "json.dump({'count': len(rewards), 'share': 1e-7, 'odd': [None, True, 'x']}, "
    "open(sys.argv[sys.argv.index('-o') + 1], 'w'))\n"
)

DESCRIPTIONS: dict[str, Json] = {
    "pass-and-fail": job(PASS, FAIL),
    "pass-at-k": job(
        [PASS, FAIL, FAIL, {}, FAIL],
        [PASS, PASS, agent({}, raises="ValueError"), FAIL, FAIL],
        n_attempts=5,
    ),
    "fractions": job(*(text(value) for value in ("0.1", "0.2", "0.3", "0.7", "1e-7"))),
    "twelve-trials": job(*([text("0.1"), text("0.25"), text("0.1")] * 4)),
    "several-keys": job(rewards('{"b":1,"a":0.5}'), rewards('{"a":1}'), {}),
    "one-key-each": job(
        [rewards('{"reward":1}')] * 2, [rewards('{"x":1}'), rewards('{"x":0}')], n_attempts=2
    ),
    "nothing-measured": job(PASS, rewards("null"), rewards("{}")),
    "not-a-number": job(text("nan"), text("nan"), rewards('{"reward":NaN}'), rewards('{"reward":NaN}'), PASS),
    "infinite": job(text("inf"), text("-inf"), PASS),
    "ints": job(rewards('{"reward":1}'), rewards('{"reward":0}'), rewards(f'{{"reward":{2**64 + 1}}}')),
    "int-and-float": job(rewards('{"reward":1}'), PASS, rewards('{"reward":true}'), metrics=["max", "sum"]),
    "extremes": job(
        *(text(value) for value in ("1e-5", "1e16", "123456789012345680", "-0", "5e-324")),
        metrics=["sum", "max"],
    ),
    "beyond-a-double": job(
        rewards('{"reward":0}'), rewards(f'{{"reward":{HUGE}}}'), metrics=["min", "max", "sum"]
    ),
    "strange-keys": job(rewards('{"\\u00e9":1,"a\\u0001\\"/~\\u2028\\u007f":2}'), rewards('{"\\ud800":1}')),
    "all-metrics": job(text("0.1"), text("0.2"), FAIL, metrics=["mean", "max", "min", "sum"]),
    "reward-errors": job(
        PASS, {}, text(""), text("pass"), rewards("{"), rewards('{"reward":"x"}'), rewards("[1]")
    ),
    "json-before-text": job(
        {"files": {"reward.json": {"text": '{"reward":0.5}'}, "reward.txt": {"text": "1"}}},
        {"files": {"reward.json": {"text": ""}, "reward.txt": {"text": "1"}}},
    ),
    "verifier-errors": job(PASS, {**PASS, "verifier": "SomeError"}, {**PASS, "verifier": "TimeoutError"}),
    "agent-errors": job(
        PASS,
        agent(PASS, raises="ValueError", n_input_tokens=5),
        agent(PASS, raises="TimeoutError", n_input_tokens=7, cost_usd=0.25),
        agent({}, raises="TimeoutError"),
        agent(FAIL, raises="NonZeroAgentExitCodeError"),
    ),
    "environment-errors": job(
        PASS,
        {**PASS, "environment": "SandboxError"},
        {**PASS, "environment": "TimeoutError"},
        {**PASS, "setup": "RuntimeError"},
        {**PASS, "setup": "TimeoutError"},
        {**PASS, "stop": "RuntimeError"},
    ),
    "cancelled-trial": job(PASS, agent(PASS, raises="concurrent.futures.CancelledError"), FAIL),
    "cancelled-job": job(PASS, agent(PASS, raises="asyncio.CancelledError"), FAIL),
    "stopped-half-way": job(PASS, FAIL, PASS, stop={"after": 1, "how": "cancel", "resume": False}),
    "killed-half-way": job(PASS, FAIL, PASS, stop={"after": 1, "how": "kill", "resume": False}),
    "resumed": job(PASS, FAIL, PASS, agent(PASS, raises="ValueError"), stop={"after": 2, "how": "kill"}),
    "resumed-backwards": job(
        text("0.1"),
        text("0.2"),
        text("0.3"),
        stop={"after": 2, "how": "kill"},
        resumed=["t1__0000001", "t0__0000000"],
    ),
    "resumed-after-cancelling": job(PASS, FAIL, PASS, stop={"after": 1, "how": "cancel"}),
    "resumed-at-the-end": job(PASS, FAIL, stop={"after": 2, "how": "kill"}),
    "four-at-once": job(
        {**PASS, "delay": 0.08},
        FAIL,
        PASS,
        {**FAIL, "delay": 0.05},
        n_concurrent=4,
    ),
    "retried": job(
        PASS,
        [[agent(PASS, raises="ValueError", n_input_tokens=7), agent(FAIL, n_input_tokens=1)]],
        retry={"max_retries": 2},
    ),
    "not-verified": job(
        agent(PASS, n_input_tokens=0, cost_usd=0.1), agent(PASS, n_cache_tokens=3), verify=False
    ),
    "tokens-and-cost": job(
        *(agent(PASS, n_input_tokens=n, n_output_tokens=2, cost_usd=0.1) for n in (0, 10**20, 3)),
        agent(PASS, cost_usd=1),
    ),
    "agents-and-models": job(
        [PASS, FAIL, PASS, FAIL],
        agents=[
            {"name": "nop"},
            {"name": "nop", "model": "m"},
            {"name": "a", "model": "p/m"},
            {"name": "a", "model": "p/x/y"},
        ],
    ),
    "same-agent-twice": job([PASS, FAIL], agents=[{"name": "nop"}, {"name": "nop"}]),
    "colliding-groups": {
        "datasets": [dataset(PASS, name="d"), dataset(FAIL, name="x__d")],
        "agents": [{"name": "a", "model": "x"}, {"name": "a"}],
    },
    "several-datasets": {"datasets": [dataset(PASS, FAIL, name="d1"), dataset(text("0.25"), name="d2")]},
    "adhoc-and-dataset": {"tasks": [{"name": "t", "plays": [PASS]}], "datasets": [dataset(FAIL)]},
    "two-folders-one-name": {
        "tasks": [{"name": "t", "plays": [PASS]}, {"name": "t", "path": "other/t", "plays": [FAIL]}],
        "n_attempts": 2,
    },
    "dataset-twice": {"datasets": [dataset([PASS, FAIL]), {"name": "d"}], "metrics": ["mean", "max"]},
    "name-with-underscores": {"datasets": [dataset(PASS, name="my__data")]},
    "registry": {
        "datasets": [dataset(PASS, FAIL, kind="registry", metrics=["max", "sum"])],
        "metrics": ["min"],
    },
    "registry-without-metrics": {"datasets": [dataset(PASS, FAIL, kind="registry")]},
    "script": job(PASS, FAIL, metrics=["mean", {"type": "uv-script", "script": SCRIPT}]),
    "unknown-source": {"tasks": [{"name": "t", "source": "nowhere", "plays": [PASS]}]},
    "metric-overflow": job(rewards(f'{{"reward":{HUGE}}}'), text("0.5")),
    "no-trials": job(PASS, n_attempts=0),
    "steps-mean": steps([None, None], (PASS, FAIL)),
    "steps-final": steps([None, None], (PASS, FAIL), strategy="final"),
    "steps-gate": steps([0.5, None, None], (text("0.25"), PASS, PASS)),
    "steps-errors": steps([None, None], (agent(PASS, raises="ValueError"), FAIL), ({}, PASS), n_attempts=2),
    "steps-not-a-number": steps([None, None], (text("nan"), PASS)),
    "steps-tokens": steps(
        [None, None],
        (agent(PASS, n_input_tokens=1, cost_usd=0.1), agent(PASS, n_input_tokens=2, cost_usd=0.2)),
    ),
    "steps-all-fail": steps([None], ({},), strategy="final"),
}
"""The jobs, by situation."""


# In the oracle's Python


def play(names: list[str]) -> dict[str, dict[str, str]]:
    """Plays the jobs; each one's files by path."""
    name = "harbor_conformance_playback"  # harbor imports the stand-ins by this name
    spec = importlib.util.spec_from_file_location(name, PLAYBACK)
    assert spec is not None
    assert spec.loader is not None
    playback = sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(playback)
    made = {}
    with tempfile.TemporaryDirectory() as folder:
        for situation in names:
            kept = Path(folder) / situation
            playback.play(DESCRIPTIONS[situation], kept)
            made[situation] = {
                path.relative_to(kept).as_posix(): path.read_bytes().decode("utf-8")
                for path in sorted(kept.rglob("*"))
                if path.is_file() and is_kept(path.relative_to(kept).parts)
            }
    return made


def is_kept(parts: tuple[str, ...]) -> bool:
    """Logs of agents, artifacts and the trials' own configurations are of no use here."""
    return not set(parts) & set(LEFT_OUT) and not (len(parts) > 1 and parts[-1] == "config.json")


# In the kit's


def made(names: list[str]) -> dict[str, dict[str, str]]:
    """Lets the oracle's Python play the jobs."""
    import uv

    from conformance.oracle import environments

    built = environments.ensure(lambda sentence: print(sentence, file=sys.stderr))
    command = [str(built.python), "-s", __file__, "--play", *names]
    path = os.pathsep.join([str(Path(uv.find_uv_bin()).parent), os.environ.get("PATH", os.defpath)])
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    environment = {**kept, "PATH": path, "PYTHONHASHSEED": "0"}  # a script's metric needs uv
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, check=True, timeout=600)
    return json.loads(done.stdout)


def cut(content: str) -> list[str]:
    """A text as pieces: each begins at a line that is not indented far."""
    pieces: list[str] = []
    for line in content.splitlines(keepends=True):
        if pieces and len(line) - len(line.lstrip(" ")) > DEEPEST_CUT:
            pieces[-1] += line
        else:
            pieces.append(line)
    return pieces


def packed(jobs: dict[str, dict[str, str]]) -> Json:
    """The jobs, with what comes more than once as numbered pieces."""
    counts = Counter(piece for files in jobs.values() for content in files.values() for piece in cut(content))
    shared = [piece for piece, count in counts.items() if count > 1 and len(piece) >= SHORTEST_PIECE]
    numbers = {piece: number for number, piece in enumerate(shared)}
    return {
        "pieces": shared,
        "jobs": {
            name: {
                path: joined([numbers.get(piece, piece) for piece in cut(content)])
                for path, content in files.items()
            }
            for name, files in jobs.items()
        },
    }


def joined(pieces: list[Any]) -> list[Any]:
    """Text side by side becomes one, and numbers that follow each other become a first and a last."""
    made: list[Any] = []
    for piece in pieces:
        last = made[-1] if made else None
        if isinstance(piece, str) and isinstance(last, str):
            made[-1] += piece
        elif isinstance(piece, int) and isinstance(last, list) and last[1] + 1 == piece:
            last[1] = piece
        else:
            made.append([piece, piece] if isinstance(piece, int) else piece)
    return made


def unpacked(document: Json) -> dict[str, dict[str, str]]:
    """The reverse of `packed`."""
    pieces = document["pieces"]

    def content(parts: list[Any]) -> str:
        return "".join(
            part if isinstance(part, str) else "".join(pieces[part[0] : part[1] + 1]) for part in parts
        )

    return {
        name: {path: content(parts) for path, parts in files.items()}
        for name, files in document["jobs"].items()
    }


def written(document: Json) -> str:
    """The file's text: a line for each job."""
    jobs = ",\n".join(f"{json.dumps(name)}: {json.dumps(files)}" for name, files in document["jobs"].items())
    pieces = ",\n".join(map(json.dumps, document["pieces"]))
    return f'{{"pieces": [\n{pieces}\n],\n"jobs": {{\n{jobs}\n}}}}\n'


if __name__ == "__main__":
    if sys.argv[1:2] == ["--play"]:
        json.dump(play(sys.argv[2:]), sys.stdout)
    else:
        JOBS.write_text(written(packed(made(list(DESCRIPTIONS)))))
