"""Runs a dataset through whatever harbor is installed next to this file, without containers.

    python local_environment.py JOBS_FOLDER DATASET_FOLDER:ATTEMPTS...

Each trial has an empty folder in place of a container's root. Its commands, and the tasks' own test scripts,
run in /bin/sh with the container's folders below that root.
"""

import asyncio
import contextlib
import io
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

# Otherwise importing harbor accesses the network.
os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")

if "--help" in sys.argv:  # before harbor is imported, which only its own Python has
    sys.exit(print(__doc__))

from harbor.environments.base import BaseEnvironment, ExecResult
from harbor.environments.capabilities import EnvironmentCapabilities
from harbor.job import Job
from harbor.models.job.config import DatasetConfig, JobConfig
from harbor.models.trial.config import AgentConfig, EnvironmentConfig

SECONDS = 300
CONTAINER_FOLDERS = re.compile(r"(?<![\w/.])/(?=(?:logs|tests|app)\b)")


class LocalEnvironment(BaseEnvironment):  # type: ignore[misc]
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self.root = Path(tempfile.mkdtemp(prefix="local-environment-"))
        super().__init__(*args, **kwargs)

    @staticmethod
    def type() -> str:
        return "local"

    @property
    def capabilities(self) -> EnvironmentCapabilities:
        return EnvironmentCapabilities()

    def _validate_definition(self) -> None:
        if not (self.environment_dir / "Dockerfile").is_file():
            raise FileNotFoundError(self.environment_dir / "Dockerfile")

    def inside(self, path: Path | str) -> Path:
        return self.root / str(path).lstrip("/")

    async def start(self, force_build: bool) -> None:
        for folder in ("app", "tests", "logs/agent", "logs/verifier", "logs/artifacts"):
            self.inside(folder).mkdir(parents=True, exist_ok=True)

    async def stop(self, delete: bool) -> None:
        shutil.rmtree(self.root, ignore_errors=True)

    async def upload_file(self, source_path: Path | str, target_path: str) -> None:
        target = self.inside(target_path)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(source_path, target)
        if target.suffix == ".sh":
            target.write_text(self.located(target.read_text("utf-8")), "utf-8")

    async def upload_dir(self, source_dir: Path | str, target_dir: str) -> None:
        for path in sorted(Path(source_dir).rglob("*")):
            if path.is_file():
                await self.upload_file(path, f"{target_dir}/{path.relative_to(source_dir).as_posix()}")

    async def download_file(self, source_path: str, target_path: Path | str) -> None:
        shutil.copy(self.inside(source_path), target_path)

    async def download_dir(self, source_dir: str, target_dir: Path | str) -> None:
        shutil.copytree(self.inside(source_dir), target_dir, dirs_exist_ok=True)

    def located(self, text: str) -> str:
        return CONTAINER_FOLDERS.sub(f"{self.root}/", text)

    async def exec(self, command: str, *args: Any, **kwargs: Any) -> ExecResult:
        if command == "pwd":
            return ExecResult(return_code=0, stdout="/app\n")
        done = await asyncio.to_thread(
            subprocess.run,
            ["/bin/sh", "-c", self.located(command)],
            cwd=self.root / "app",
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=SECONDS,
            check=False,
        )
        return ExecResult(return_code=done.returncode, stdout=done.stdout, stderr=done.stderr)


async def run(dataset: Path, jobs: Path, attempts: int) -> None:
    job = await Job.create(
        JobConfig(
            job_name=dataset.name,
            jobs_dir=jobs,
            quiet=True,
            n_attempts=attempts,
            n_concurrent_trials=2,
            environment=EnvironmentConfig(import_path=f"{__name__}:LocalEnvironment"),
            agents=[AgentConfig(name="nop")],
            datasets=[DatasetConfig(path=dataset)],
        )
    )
    await job.run()


if __name__ == "__main__":
    jobs = Path(sys.argv[1])
    with contextlib.redirect_stdout(io.StringIO()):
        for spec in sys.argv[2:]:
            folder, _, attempts = spec.rpartition(":")
            asyncio.run(run(Path(folder), jobs, int(attempts)))
