// Three operations of harbor, as an author writes them.

using System;
using System.Collections.Generic;
using System.Linq;
using System.Numerics;
using System.Text;
using static Protocol;

public static class Runner
{
    public static void Main()
    {
        var operations = new Dictionary<string, Operation>
        {
            ["evals_key"] = EvalsKey,
            ["terminal_bench_reward"] = TerminalBenchReward,
            ["pass_at_k"] = PassAtK,
        };
        Serve("three", "1", operations);
    }

    private static JsonObject EvalsKey(JsonObject input)
    {
        string agent = AsString(input["agent"]);
        string model = AsString(input["model"] ?? "");
        string source = AsString(input["source"] ?? "");
        string dataset = source == "" ? "adhoc" : source;
        string key = model == "" ? agent : agent + "__" + model;
        return new JsonObject { { "evals_key", key + "__" + dataset } };
    }

    private static JsonObject TerminalBenchReward(JsonObject input)
    {
        string reward = AsInt(input["exit_code"]) == 0 ? "1\n" : "0\n";
        return new JsonObject { { "reward.txt", Content(Encoding.UTF8.GetBytes(reward)) } };
    }

    /// <summary>Whether an attempt succeeded; null if its rewards rule the group out.</summary>
    private static bool? Succeeded(JsonObject rewards)
    {
        if (rewards == null)
        {
            return false;
        }
        if (rewards.Count != 1)
        {
            return null;
        }
        object reward = rewards[rewards.Keys[0]];
        double value = reward is BigInteger whole ? (double)whole : (double)reward;
        return value == 0 || value == 1 ? value == 1 : (bool?)null;
    }

    /// <summary>The chance that one of k attempts is among the c successes of n.</summary>
    private static double Estimate(int n, int c, int k)
    {
        if (n - c < k)
        {
            return 1;
        }
        double product = 1;
        for (int i = 0; i < k; i++)
        {
            product *= (double)(n - c - i) / (n - i);
        }
        return 1 - product;
    }

    /// <summary>CPython 3.12's sum: what each addition loses is added at the end.</summary>
    private static double Sum(IEnumerable<double> values)
    {
        double total = 0;
        double lost = 0;
        foreach (double value in values)
        {
            double next = total + value;
            lost += Math.Abs(total) >= Math.Abs(value)
                ? (total - next) + value
                : (value - next) + total;
            total = next;
        }
        return total + lost;
    }

    private static JsonObject PassAtK(JsonObject input)
    {
        var tasks = new Dictionary<string, int[]>(); // attempts and successes of each task
        foreach (object item in AsList(input["trials"]))
        {
            JsonObject trial = AsObject(item);
            bool? success = Succeeded(Rewards(trial["rewards"]));
            if (success == null)
            {
                return new JsonObject();
            }
            string name = AsString(trial["task"]);
            if (!tasks.TryGetValue(name, out int[] task))
            {
                tasks[name] = task = new int[2];
            }
            task[0]++;
            task[1] += success.Value ? 1 : 0;
        }
        int least = tasks.Count == 0 ? 0 : tasks.Values.Min(task => task[0]);
        var answer = new JsonObject();
        for (int k = 2; k <= least; k++)
        {
            if (k % 5 == 0 || (k & (k - 1)) == 0)
            {
                double total = Sum(tasks.Values.Select(task => Estimate(task[0], task[1], k)));
                answer[k.ToString()] = total / tasks.Count;
            }
        }
        return answer;
    }
}
