"""What the files of harbor's releases look like: one profile for each generation of them.

A generation is named by the releases that write it. The job's file and the trials' records changed at
different releases, so each file has a generation of its own, told by its members alone.
"""

from conformance.check.generations.profiles import (
    FIRST_STEPS,
    GROUP_MEMBERS,
    JOB_GENERATIONS,
    JOB_MEMBERS,
    LATEST_JOB,
    LIVE,
    RECORD_GENERATIONS,
    STATS_MEMBERS,
    JobGeneration,
    RecordGeneration,
    job_generation,
    record_generation,
)

__all__ = [
    "FIRST_STEPS",
    "GROUP_MEMBERS",
    "JOB_GENERATIONS",
    "JOB_MEMBERS",
    "LATEST_JOB",
    "LIVE",
    "RECORD_GENERATIONS",
    "STATS_MEMBERS",
    "JobGeneration",
    "RecordGeneration",
    "job_generation",
    "record_generation",
]
