#!/bin/sh
# Three operations of harbor, as an author writes them.

here=${0%"${0##*/}"}
. "${here:-./}protocol.sh"

program='
function one(key, v,    answer) {
    answer = new_object()
    put(answer, key, v)
    return answer
}

# A string of the input, or an empty one for null.
function optional_text(v) { return is_null(v) ? "" : text_of(v) }

function evals_key(input,    agent, model, source) {
    agent = text_of(member_of(input, "agent"))
    model = optional_text(member_of(input, "model"))
    source = optional_text(member_of(input, "source"))
    if (source == "") source = "adhoc"
    return one("evals_key", new_text(agent (model == "" ? "" : "__" model) "__" source))
}

function terminal_bench_reward(input) {
    # The bytes in hex: a digit and a line feed.
    return one("reward.txt", content_of(int_of(member_of(input, "exit_code")) == "0" ? "310a" : "300a"))
}

# Whether an attempt succeeded, 1 or 0; or -1 if its rewards make the group ineligible.
function succeeded(recorded,    spelling) {
    recorded = rewards_of(recorded)
    if (is_null(recorded)) return 0
    if (size_of(recorded) != 1) return -1
    spelling = text_of(spelled(item_of(recorded, 1)))
    return spelling ~ /^(0|-?0\.0)$/ ? 0 : spelling ~ /^1(\.0)?$/ ? 1 : -1
}

# The chance that one of k attempts is among the c successes of n.
function estimate(n, c, k,    product, i) {
    if (n - c < k) return 1
    product = 1
    for (i = 0; i < k; i++) product *= (n - c - i) / (n - i)
    return 1 - product
}

function absolute(x) { return x < 0 ? -x : x }

# The sum of floats as CPython 3.12 has it: what each addition loses is added at the end.
function sum(values, n,    total, lost, i, x, next_one) {
    total = lost = 0
    for (i = 1; i <= n; i++) {
        x = values[i]
        next_one = total + x
        lost += absolute(total) >= absolute(x) ? total - next_one + x : x - next_one + total
        total = next_one
    }
    return total + lost
}

function pass_at_k(input,    trials, n, i, trial, success, task, place, tasks, tried, good, least, k,
        chances, answer) {
    trials = member_of(input, "trials")
    n = size_of(trials)
    answer = new_object()
    for (i = 1; i <= n; i++) {
        trial = item_of(trials, i)
        success = succeeded(member_of(trial, "rewards"))
        if (success < 0) return answer
        task = text_of(member_of(trial, "task"))
        if (!(task in place)) place[task] = ++tasks
        tried[place[task]]++
        good[place[task]] += success
    }
    least = tried[1]
    for (i = 2; i <= tasks; i++) if (tried[i] < least) least = tried[i]
    for (k = 2; k <= least; k++) {
        if (k % 5 != 0 && !power_of_two(k)) continue
        for (i = 1; i <= tasks; i++) chances[i] = estimate(tried[i], good[i], k)
        put(answer, k, new_float(sum(chances, tasks) / tasks))
    }
    return answer
}

function power_of_two(k) {
    while (k % 2 == 0) k /= 2
    return k == 1
}
'

operation evals_key evals_key
operation terminal_bench_reward terminal_bench_reward
operation pass_at_k pass_at_k

serve three 1 "$program"
