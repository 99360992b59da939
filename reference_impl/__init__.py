"""The reward semantics of harbor 0.13.1, as an executable specification.

Each module covers one noun of the specification and has functions whose docstrings state the
rules; "003 §3.2" is a section of the reference document `003_harbor-0.13.1-reward-semantics`,
"erratum E4" an entry of ERRATA.md, where the executed harbor disagrees with that document. The
modules in the order of one trial:

- `terminal_bench`: the reward file that the verifier of a Terminal-Bench task writes;
- `reward`: reads the files that a verifier wrote;
- `verifier_result`: converts or refuses the values in them;
- `multi_step`: combines the results of a trial's steps.

Then the job that it belongs to:

- `plan`: the job's trials and their order;
- `evals_key`: the group that a trial belongs to;
- `aggregation`: combines a group's rewards into a metric;
- `pass_at_k`: a group's chance of success in k attempts;
- `metric_resolution`: the metrics that a job computes for its datasets;
- `agent_result`: adds up the tokens and cost that agents report;
- `job_result`: writes the job's `result.json`;
- `scores`: the values of a leaderboard, which keeps trials and never writes that file.

And the consumer that reads the job's result:

- `outcome`: summarises the result in a line, and judges that line;
- `reason_code`: maps texts of errors to codes.

`pipeline` goes the whole way, from reward files to the line. Two modules serve several of these:
`errors`, the exceptions of the rules, and `json_text`, how pydantic writes `result.json`.

The rest has packages and modules of its own:

- `cpython312`: how CPython 3.12 parses numbers and JSON, adds, and classifies characters, on any Python;
- `metric_script`: a metric that a user wrote for harbor;
- `harbor_0_25_0`: the changes in harbor 0.25.0; a runner's hello chooses between the releases;
- `evsys`, `harness_evals`: separate specifications, the metrics of EvSys and of harness-evals 0.25.5;
- `runner`: the whole reference as a runner, `python -m reference_impl`.

It needs only the standard library. Every supported Python gives the same bits as CPython 3.12.
"""

from .agent_result import AgentResult, validate_agent_result
from .aggregation import aggregate, mean
from .cpython312.parsing import parse_float, parse_int, parse_json
from .cpython312.summation import compensated_sum
from .errors import (
    RewardFileEmptyError,
    RewardFileNotFoundError,
    ValidationError,
    VerifierError,
    VerifierOutputParseError,
)
from .evals_key import evals_key
from .job_result import Job, JobResult, JobStatistics, Trial, job_result
from .json_text import PydanticSerializationError
from .metric_resolution import Dataset, DatasetKind, resolve_metrics
from .multi_step import Step, Strategy, multi_step_reward
from .outcome import Outcome, Summary, read_outcome, result_score, summarise
from .pass_at_k import GradedTrial, pass_at_k
from .pipeline import UnreadStep, UnreadTrial, pipeline
from .plan import plan_trials
from .reason_code import reason_code
from .reward import parse_reward
from .scores import GroupScore, TrialRecord, scores
from .terminal_bench import terminal_bench_reward
from .verifier_result import Rewards, VerifierResult, validate_rewards

__all__ = [
    "AgentResult",
    "Dataset",
    "DatasetKind",
    "GradedTrial",
    "GroupScore",
    "Job",
    "JobResult",
    "JobStatistics",
    "Outcome",
    "PydanticSerializationError",
    "RewardFileEmptyError",
    "RewardFileNotFoundError",
    "Rewards",
    "Step",
    "Strategy",
    "Summary",
    "Trial",
    "TrialRecord",
    "UnreadStep",
    "UnreadTrial",
    "ValidationError",
    "VerifierError",
    "VerifierOutputParseError",
    "VerifierResult",
    "aggregate",
    "compensated_sum",
    "evals_key",
    "job_result",
    "mean",
    "multi_step_reward",
    "parse_float",
    "parse_int",
    "parse_json",
    "parse_reward",
    "pass_at_k",
    "pipeline",
    "plan_trials",
    "read_outcome",
    "reason_code",
    "resolve_metrics",
    "result_score",
    "scores",
    "summarise",
    "terminal_bench_reward",
    "validate_agent_result",
    "validate_rewards",
]
