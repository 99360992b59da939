"""The built-in pass_rate, written again; registered, it would be refused."""


class Metric:
    name = "pass_rate"

    def compute(self, task_rewards):
        rewards = [reward for rewards in task_rewards for reward in rewards]
        return sum(reward >= 1.0 for reward in rewards) / len(rewards) if rewards else 0.0
