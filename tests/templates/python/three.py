"""Three operations, as an author would write them."""

from protocol import rewards, serve


def evals_key(agent, model, source):
    parts = [agent, model, source or "adhoc"] if model else [agent, source or "adhoc"]
    return {"evals_key": "__".join(parts)}


def terminal_bench_reward(exit_code):
    return {"reward.txt": {"text": "1\n" if exit_code == 0 else "0\n"}}


def pass_at_k(trials):
    tasks = {}
    for trial in trials:
        values = [0] if trial["rewards"] is None else list(rewards(trial["rewards"]).values())
        if len(values) != 1 or values[0] not in (0, 1):
            return {}
        tasks.setdefault(trial["task"], []).append(values[0] == 1)
    fewest = min((len(attempts) for attempts in tasks.values()), default=0)
    ok = {}
    for k in range(2, fewest + 1):
        if k % 5 == 0 or k & (k - 1) == 0:
            estimates = [estimate(len(attempts), sum(attempts), k) for attempts in tasks.values()]
            ok[str(k)] = compensated_sum(estimates) / len(tasks)
    return ok


def estimate(n, c, k):
    if n - c < k:
        return 1.0
    product = 1.0
    for i in range(k):
        product *= (n - c - i) / (n - i)
    return 1.0 - product


def compensated_sum(values):
    # As CPython 3.12's sum; that of other versions adds plainly.
    total = lost = 0.0
    for value in values:
        added = total + value
        lost += total - added + value if abs(total) >= abs(value) else value - added + total
        total = added
    return total + lost


serve(evals_key, terminal_bench_reward, pass_at_k, name="three", version="1")
