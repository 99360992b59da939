"""Builds a run's options from pytest's; detects xdist processes."""

import random
from dataclasses import fields, replace
from pathlib import Path

import pytest

from conformance.judging.comparison import Level
from conformance.rephrasing.choosing import seed_of
from conformance.run.options import RunOptions, class_names, shard_of

__all__ = ["AGAIN_SEED", "FUZZ_SEED", "is_controller", "is_worker", "run_options"]

FUZZ_SEED = "conformance_fuzz_seed"
"""The name under which a worker receives the seed of random inputs."""
AGAIN_SEED = "conformance_again_seed"
"""The name under which a worker receives the seed of rephrased vectors."""


def is_worker(config: pytest.Config) -> bool:
    """Whether this is an xdist worker."""
    return hasattr(config, "workerinput")


def is_controller(config: pytest.Config) -> bool:
    """Whether this is the xdist controller, which asks nothing itself."""
    return not is_worker(config) and config.getoption("dist", "no") != "no"


def run_options(config: pytest.Config) -> RunOptions:
    """The run's options, from pytest's; an xdist worker draws from the controller's seed.

    Raises:
        CommandError, SettingsError, VectorFileError: an option can't be used.
    """
    option = config.option
    fuzz_seed, again_seed = option.conformance_fuzz_seed, option.conformance_again_seed
    if is_worker(config):
        fuzz_seed, again_seed = (config.workerinput[name] for name in (FUZZ_SEED, AGAIN_SEED))  # type: ignore[attr-defined]
    if option.conformance_fuzz is not None and fuzz_seed is None:
        fuzz_seed = random.SystemRandom().randrange(1, 10**6)
    values = {field.name: getattr(option, f"conformance_{field.name}", None) for field in fields(RunOptions)}
    values |= {
        "command": option.conformance_runner,
        "level": Level[option.conformance_level.upper()],
        "timeout": option.conformance_runner_timeout,
        "classes": class_names(option.conformance_classes, option.conformance_spec),
        "counterexamples": Path(config.invocation_params.dir, option.conformance_counterexamples),
        "again_seed": again_seed,
        "fuzz_seed": fuzz_seed,
        "shard": shard_of(option.conformance_shard),
    }
    options = RunOptions(**{name: value for name, value in values.items() if value is not None})
    return replace(options, again_seed=seed_of(options))
