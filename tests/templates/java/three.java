// Three operations of harbor, as an author writes them.

import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;

public final class Runner {
    private Runner() {}

    public static void main(String[] arguments) {
        Map<String, Protocol.Operation> operations = new LinkedHashMap<>();
        operations.put("evals_key", Runner::evalsKey);
        operations.put("terminal_bench_reward", Runner::terminalBenchReward);
        operations.put("pass_at_k", Runner::passAtK);
        Protocol.serve("three", "1", operations);
    }

    static Map<String, Object> evalsKey(Map<String, Object> input) {
        String agent = Protocol.string(input.get("agent"));
        String model = orEmpty(Protocol.member(input, "model"));
        String source = orEmpty(Protocol.member(input, "source"));
        String dataset = source.isEmpty() ? "adhoc" : source;
        String key = model.isEmpty() ? agent : agent + "__" + model;
        return Protocol.objectOf("evals_key", key + "__" + dataset);
    }

    static String orEmpty(Object value) {
        return value == null ? "" : Protocol.string(value);
    }

    static Map<String, Object> terminalBenchReward(Map<String, Object> input) {
        boolean passed = Protocol.integer(input.get("exit_code")).signum() == 0;
        byte[] reward = (passed ? "1\n" : "0\n").getBytes(StandardCharsets.UTF_8);
        return Protocol.objectOf("reward.txt", Protocol.content(reward));
    }

    /** Whether an attempt succeeded, or null if its rewards make the group ineligible. */
    static Boolean succeeded(Map<String, Number> rewards) {
        if (rewards == null) {
            return false;
        } else if (rewards.size() != 1) {
            return null;
        }
        double value = rewards.values().iterator().next().doubleValue();
        return value == 0 || value == 1 ? value == 1 : null;
    }

    /** The chance that one of k attempts is among the c successes of n. */
    static double estimate(int n, int c, int k) {
        if (n - c < k) {
            return 1;
        }
        double product = 1;
        for (int i = 0; i < k; i++) {
            product *= (double) (n - c - i) / (n - i);
        }
        return 1 - product;
    }

    /** The sum of floats as CPython 3.12 has it: what each addition loses is added at the end. */
    static double sum(double[] values) {
        double total = 0;
        double lost = 0;
        for (double value : values) {
            double next = total + value;
            lost += Math.abs(total) >= Math.abs(value)
                    ? (total - next) + value
                    : (value - next) + total;
            total = next;
        }
        return total + lost;
    }

    static Map<String, Object> passAtK(Map<String, Object> input) {
        Map<String, int[]> tasks = new LinkedHashMap<>(); // attempts and successes of each task
        for (Object item : Protocol.list(input.get("trials"))) {
            Map<String, Object> trial = Protocol.object(item);
            Boolean success = succeeded(Protocol.rewards(Protocol.member(trial, "rewards")));
            if (success == null) {
                return Protocol.objectOf();
            }
            String name = Protocol.string(trial.get("task"));
            int[] task = tasks.computeIfAbsent(name, key -> new int[2]);
            task[0]++;
            task[1] += success ? 1 : 0;
        }
        int least = tasks.values().stream().mapToInt(task -> task[0]).min().orElse(0);
        Map<String, Object> answer = Protocol.objectOf();
        for (int k = 2; k <= least; k++) {
            if (k % 5 == 0 || Integer.bitCount(k) == 1) {
                int size = k;
                double total = sum(tasks.values().stream()
                        .mapToDouble(task -> estimate(task[0], task[1], size))
                        .toArray());
                answer.put(Integer.toString(k), total / tasks.size());
            }
        }
        return answer;
    }
}
