"""The jobs to play with releases of harbor, by situation, for conformance/adapters/playback.py."""

from typing import Any

__all__ = ["ALL", "MANY", "descriptions"]

Json = dict[str, Any]


def text(content: str) -> Json:
    return {"files": {"reward.txt": {"text": content}}}


def rewards(content: str) -> Json:
    return {"files": {"reward.json": {"text": content}}}


def agent(play: Json, **members: Any) -> Json:
    return {**play, "agent": members}


def dataset(*plays: Any, name: str = "d", **more: Any) -> Json:
    """A data set with a task for each play, or list of plays."""
    tasks = [{"name": f"t{i}", "plays": p if isinstance(p, list) else [p]} for i, p in enumerate(plays)]
    return {"name": name, "tasks": tasks, **more}


def named(description: Json, *tasks: str) -> Json:
    """The same data set, with these names for its tasks."""
    return {
        **description,
        "tasks": [{**task, "name": name} for task, name in zip(description["tasks"], tasks, strict=True)],
    }


def job(*plays: Any, name: str = "d", **more: Any) -> Json:
    return {"datasets": [dataset(*plays, name=name)], **more}


def steps(gates: list[Any], *plays: Any, strategy: str | None = None, **more: Any) -> Json:
    """A job that runs one task with as many steps as there are gates."""
    members = [{"name": f"s{i}", "min_reward": gate} for i, gate in enumerate(gates)]
    task = {"name": "m", "strategy": strategy, "steps": members, "plays": [{"steps": list(p)} for p in plays]}
    return {"datasets": [{"name": "d", "tasks": [task]}], **more}


PASS, FAIL, UNSCORED = text("1\n"), text("0\n"), Json()
SPENT = {"n_input_tokens": 1200, "n_cache_tokens": 300, "n_output_tokens": 45, "cost_usd": 0.1}
SCRIPT = (
    "import json, sys\n"
    "rewards = [json.loads(line) for line in open(sys.argv[sys.argv.index('-i') + 1])]\n"
    "json.dump({'scored': sum(each is not None for each in rewards)}, "
    "open(sys.argv[sys.argv.index('-o') + 1], 'w'))\n"
)
MODELS = [
    {"name": "nop"},
    {"name": "nop", "model": "m"},
    {"name": "a", "model": "p/m"},
    {"name": "a", "model": "p/x/y"},
]

ALL: dict[str, Json] = {
    "rewards": job(*(agent(text(value), **SPENT) for value in ("1", "0", "0.1", "0.2", "1e-7")), UNSCORED),
    "attempts": job(
        [PASS, FAIL, agent(PASS, raises="ValueError"), UNSCORED, FAIL],
        [PASS, PASS, agent(UNSCORED, raises="TimeoutError"), FAIL, PASS],
        n_attempts=5,
        agents=[{"name": "a", "model": "openai/gpt-5"}],
    ),
    "agents": job(PASS, FAIL, agents=MODELS),
    "errors": job(
        agent(PASS, raises="ValueError", n_input_tokens=5),
        agent(PASS, raises="TimeoutError", n_input_tokens=7, cost_usd=0.25),
        agent(UNSCORED, raises="TimeoutError", n_output_tokens=0),
        {**PASS, "verifier": "SomeError"},
        {**PASS, "environment": "SandboxError"},
        {**PASS, "setup": "RuntimeError"},
        {**PASS, "stop": "RuntimeError"},
        text("pass"),
        PASS,
    ),
    "metrics": job(text("0.1"), text("0.2"), UNSCORED, text("0.7"), metrics=["mean", "max", "min", "sum"]),
    "script": job(PASS, UNSCORED, metrics=["mean", {"type": "uv-script", "script": SCRIPT}]),
    "registry": {
        "datasets": [dataset(PASS, FAIL, kind="registry", metrics=["max", "sum"])],
        "metrics": ["min"],
    },
    "slash": {
        "datasets": [
            dataset(PASS, text("0.5"), UNSCORED, name="a/b", kind="registry", path="b", metrics=["sum"])
        ],
        "agents": [{"name": "nop"}, {"name": "a", "model": "p/x/y"}],
    },
    "slash-unscored": {
        "datasets": [dataset(rewards("null"), rewards("null"), name="a/b", kind="registry", path="b")]
    },
    "package": {
        "datasets": [
            dataset(PASS, text("0.5"), UNSCORED, name="a/b", kind="package"),
            named(dataset(FAIL, [PASS, UNSCORED], name="a/c", kind="package"), "t3", "t4"),
        ],
        "n_attempts": 2,
        "agents": [{"name": "a", "model": "p/x/y"}],
        "metrics": ["mean", "max"],
        "trial_names": [
            f"{task}__{attempt}{position:06d}"
            for attempt in range(2)
            for position, task in enumerate(["t0", "t1", "t2", "t3", "t4"])
        ],
    },
    "unscored": {"datasets": [dataset(rewards("null"), rewards("null")), dataset(PASS, FAIL, name="e")]},
    "all-errored": job(agent(UNSCORED, raises="ValueError"), {**PASS, "setup": "RuntimeError"}),
    "sources": {
        "tasks": [
            {"name": "t", "plays": [PASS]},
            {"name": "u", "source": "x/y", "plays": [PASS]},
            {"name": "v", "source": "x/y", "plays": [UNSCORED]},
        ]
    },
    "source": {"tasks": [{"name": "t", "plays": [PASS]}, {"name": "u", "source": "y", "plays": [PASS]}]},
    "two-datasets": {
        "datasets": [dataset(PASS, text("0.25")), dataset(text("0.75"), name="my__data")],
        "n_attempts": 2,
    },
    "both-files": job(
        {"files": {"reward.json": {"text": '{"reward":0.5}'}, "reward.txt": {"text": "1"}}},
        {"files": {"reward.json": {"text": ""}, "reward.txt": {"text": "1"}}},
        {"files": {"reward.json": {"text": '{"reward":0.25}'}, "reward.txt": {"text": ""}}},
    ),
    "one-key": job(rewards('{"reward":1}'), rewards('{"reward":0.5}'), rewards('{"x":0}')),
    "odd-values": job(rewards('{"reward":true}'), rewards('{"reward":"0.5"}'), rewards("[1]"), text(" 1_0 ")),
    "several-keys": job(rewards('{"b":1,"a":0.5}'), rewards('{"a":1}'), UNSCORED),
    "no-keys": job(PASS, rewards("{}")),
    "not-a-number": job(text("nan"), text("nan"), PASS),
    "infinite": job(text("inf"), text("-1e999"), PASS),
    "unfinished": job(PASS, text("0.5"), FAIL, PASS, stop={"after": 3, "how": "kill", "resume": False}),
    "cancelled": job(PASS, text("0.5"), FAIL, PASS, stop={"after": 2, "how": "cancel", "resume": False}),
    "resumed": job(
        PASS, text("0.5"), agent(PASS, raises="ValueError"), UNSCORED, FAIL, stop={"after": 3, "how": "kill"}
    ),
    "two-at-once": job({**PASS, "delay": 0.2}, FAIL, text("0.5"), {**FAIL, "delay": 0.1}, n_concurrent=2),
    "retried": job(
        PASS,
        [[agent(PASS, raises="ValueError", n_input_tokens=7), agent(FAIL, n_input_tokens=1)]],
        retry={"max_retries": 2},
    ),
    "not-verified": job(agent(PASS, **SPENT), agent(PASS, raises="ValueError"), verify=False),
    "steps": steps(
        [None, None],
        (agent(PASS, **SPENT), agent(FAIL, **SPENT)),
        (agent(PASS, raises="ValueError"), FAIL),
        n_attempts=2,
    ),
    "steps-final": steps([0.5, None], (PASS, text("0.25")), (FAIL, PASS), strategy="final", n_attempts=2),
    "validity": job(
        [PASS, FAIL, agent(PASS, raises="ApiRateLimitError"), UNSCORED, FAIL],
        [PASS, PASS, agent(FAIL, raises="Timeout"), agent(FAIL, raises="AgentSafetyRefusalError"), PASS],
        [
            agent(PASS, raises="ApiError"),
            text("pass"),
            rewards("{}"),
            UNSCORED,
            {**PASS, "setup": "NotFoundError"},
        ],
        n_attempts=5,
        metrics=["mean", "max", "min", "sum"],
    ),
    "validity-by-group": {
        "datasets": [
            dataset(agent(PASS, raises="ApiError"), UNSCORED),
            dataset(PASS, [FAIL, agent(PASS, raises="ApiError", **SPENT)], name="e"),
            dataset(rewards('{"b":1,"a":0.5}'), agent(rewards('{"a":1}'), raises="APIError"), name="f"),
        ],
        "n_attempts": 2,
        "agents": [{"name": "nop"}, {"name": "a", "model": "openai/gpt-5"}],
    },
    "policies": {"each_policy": True},
    "overridden": job(
        *(agent(PASS, raises=name) for name in ("ApiError", "ValueError", "TimeoutError", "ApiError2")),
        FAIL,
        override_error_policy={
            "ApiError": {"has_valid_reward": True},
            "ValueError": {"has_valid_reward": False, "should_retry": False},
            "AgentTimeoutError": {"should_grade": False},
        },
    ),
    "steps-errors": steps(
        [None, None],
        (agent(PASS, raises="ValueError", **SPENT), agent(FAIL, raises="ApiError")),
        (agent(PASS, raises="TimeoutError"), agent(PASS, raises="ValueError")),
        (agent(PASS, raises="concurrent.futures.CancelledError"), PASS),
        (PASS, text("pass")),
        (agent(FAIL, raises="ValueError"), agent(PASS, raises="ValueError")),
        n_attempts=5,
    ),
    "steps-retried": {
        "datasets": [
            {
                "name": "d",
                "tasks": [
                    {
                        "name": "m",
                        "steps": [{"name": "s0"}, {"name": "s1"}],
                        "plays": [
                            [{"steps": [agent(PASS, raises="ApiError"), PASS]}, {"steps": [PASS, FAIL]}],
                            [{"steps": [agent(FAIL, raises="TimeoutError"), PASS]}],
                        ],
                    }
                ],
            }
        ],
        "n_attempts": 2,
        "retry": {"max_retries": 2},
    },
    "retried-invalid": job(
        [[agent(PASS, raises="ApiError", n_input_tokens=7), agent(FAIL, n_input_tokens=1)]],
        [[agent(PASS, raises="ApiError")]],
        PASS,
        retry={"max_retries": 1},
    ),
    "resumed-invalid": job(
        agent(PASS, raises="ApiError"),
        PASS,
        UNSCORED,
        agent(FAIL, raises="Timeout"),
        text("0.5"),
        stop={"after": 3, "how": "kill"},
    ),
}
"""Jobs that each release writes."""

SINCE = {
    "not-verified": (0, 1, 14),
    "package": (0, 3),
    "steps": (0, 5),
    "steps-final": (0, 5),
    "sources": (0, 22),
    **dict.fromkeys(("validity-by-group", "steps-errors", "steps-retried"), (0, 25)),
    **dict.fromkeys(("retried-invalid", "resumed-invalid"), (0, 25)),
    **dict.fromkeys(("validity", "policies", "overridden"), (0, 26)),
}
"""The first release that supports the situation."""
BEFORE = {"slash": (0, 3), "slash-unscored": (0, 3)}
"""The first release that no longer supports it: a `/` in a data set's name then means a package."""
NEVER = (1,)


def descriptions(release: tuple[int, ...]) -> dict[str, Json]:
    """The jobs that a release can play, by situation."""
    return {
        name: job_ for name, job_ in ALL.items() if SINCE.get(name, ()) <= release < BEFORE.get(name, NEVER)
    }


HUGE = 10**400
SHARE = (
    "import json, sys\n"
    "rewards = [json.loads(line) for line in open(sys.argv[sys.argv.index('-i') + 1])]\n"
    "json.dump({'count': len(rewards), 'share': 1e-7, 'odd': [None, True, 'x']}, "
    "open(sys.argv[sys.argv.index('-o') + 1], 'w'))\n"
)

MANY: dict[str, Json] = {
    "pass-and-fail": job(PASS, FAIL),
    "pass-at-k": job(
        [PASS, FAIL, FAIL, {}, FAIL], [PASS, PASS, agent({}, raises="ValueError"), FAIL, FAIL], n_attempts=5
    ),
    "fractions": job(*(text(value) for value in ("0.1", "0.2", "0.3", "0.7", "1e-7"))),
    "twelve-trials": job(*([text("0.1"), text("0.25"), text("0.1")] * 4)),
    "several-keys": ALL["several-keys"],
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
    "four-at-once": job({**PASS, "delay": 0.08}, FAIL, PASS, {**FAIL, "delay": 0.05}, n_concurrent=4),
    "retried": ALL["retried"],
    "not-verified": job(
        agent(PASS, n_input_tokens=0, cost_usd=0.1), agent(PASS, n_cache_tokens=3), verify=False
    ),
    "tokens-and-cost": job(
        *(agent(PASS, n_input_tokens=n, n_output_tokens=2, cost_usd=0.1) for n in (0, 10**20, 3)),
        agent(PASS, cost_usd=1),
    ),
    "agents-and-models": job([PASS, FAIL, PASS, FAIL], agents=MODELS),
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
    "registry": ALL["registry"],
    "registry-without-metrics": {"datasets": [dataset(PASS, FAIL, kind="registry")]},
    "script": job(PASS, FAIL, metrics=["mean", {"type": "uv-script", "script": SHARE}]),
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
"""Jobs that harbor 0.13.1 writes, by situation."""
