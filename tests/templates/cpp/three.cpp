// Three operations of harbor, as an author writes them.

#include <algorithm>
#include <unordered_map>

#include "protocol.hpp"

using namespace protocol;

static Object evals_key(const Object& input) {
    const Text& agent = input.at("agent").text();
    const Text model = input.at("model").is_null() ? "" : input.at("model").text();
    const Text source = input.at("source").is_null() ? "" : input.at("source").text();
    const Text dataset = source.empty() ? "adhoc" : source;
    return {{"evals_key", agent + (model.empty() ? "" : "__" + model) + "__" + dataset}};
}

static Object terminal_bench_reward(const Object& input) {
    return {{"reward.txt", content(input.at("exit_code").integer() == 0 ? "1\n" : "0\n")}};
}

// Whether an attempt succeeded, or nothing if its rewards make the group ineligible.
static std::optional<bool> succeeded(const Value& recorded) {
    const std::optional<Object> read = rewards(recorded);
    if (!read) return false;
    if (read->size() != 1) return std::nullopt;
    const Text spelling = spelled(read->begin()->value).text();
    if (spelling == "1" || spelling == "1.0") return true;
    if (spelling == "0" || spelling == "0.0" || spelling == "-0.0") return false;
    return std::nullopt;
}

// The chance that one of k attempts is among the c successes of n.
static double estimate(int n, int c, int k) {
    if (n - c < k) return 1;
    double product = 1;
    for (int i = 0; i < k; ++i) product *= static_cast<double>(n - c - i) / (n - i);
    return 1 - product;
}

// The sum of floats as CPython 3.12 has it: what each addition loses is added at the end.
static double sum(const std::vector<double>& values) {
    double total = 0, lost = 0;
    for (const double value : values) {
        const double next = total + value;
        const bool larger = std::fabs(total) >= std::fabs(value);
        lost += larger ? (total - next) + value : (value - next) + total;
        total = next;
    }
    return total + lost;
}

static Object pass_at_k(const Object& input) {
    struct Task {
        int attempts = 0, successes = 0;
    };
    std::vector<Task> tasks;
    std::unordered_map<Text, std::size_t> places;
    for (const Value& trial : input.at("trials").list()) {
        const std::optional<bool> success = succeeded(trial.object().at("rewards"));
        if (!success) return {};
        const Text& name = trial.object().at("task").text();
        const std::size_t place = places.emplace(name, tasks.size()).first->second;
        if (place == tasks.size()) tasks.emplace_back();
        tasks[place].attempts += 1;
        tasks[place].successes += *success;
    }
    if (tasks.empty()) return {};
    int least = tasks[0].attempts;
    for (const Task& task : tasks) least = std::min(least, task.attempts);
    Object answer;
    for (int k = 2; k <= least; ++k) {
        if (k % 5 != 0 && (k & (k - 1)) != 0) continue;
        std::vector<double> chances;
        for (const Task& task : tasks) {
            chances.push_back(estimate(task.attempts, task.successes, k));
        }
        answer.put(std::to_string(k), sum(chances) / static_cast<double>(tasks.size()));
    }
    return answer;
}

int main() {
    return serve("three", "1", {
        {"evals_key", evals_key},
        {"terminal_bench_reward", terminal_bench_reward},
        {"pass_at_k", pass_at_k},
    });
}
