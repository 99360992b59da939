"""uv for one metric script: what it depends on, in a cache of its own that nothing else uses.

The cache of the user is shared by hard links with every environment that uv made, so no script may write
there. Wheels come from it, by copy; only what must be built is built by the confined uv.
"""

import contextlib
import os
import re
import subprocess
import tempfile
import weakref
from pathlib import Path

from conformance.metric import tree
from conformance.metric.confinement import MIB, Ended, Limits, run_confined
from conformance.metric.findings import CannotTryError
from conformance.metric.scratch import environment, scratch_folder, subfolders, work_folder
from conformance.metric.script_ran import last_line
from conformance.oracle.python import OracleError, find_uv

__all__ = ["ScriptUv"]

NO_UV = "harbor runs metric scripts with uv, which was not found: run `pip install uv`."
_INSTALL_SECONDS = 900.0
_BUILD = Limits(seconds=_INSTALL_SECONDS, file_bytes=2048 * MIB, folder_bytes=8192 * MIB)
_PREFIX = "harbor-conformance-"
_ENVIRONMENTS = "environments"
_OWN = (_ENVIRONMENTS, "interpreter", "builds")
"""Buckets of uv's cache that hold what was executed."""
_MUST_BUILD = re.compile(r"\bbuild", re.I)


class ScriptUv:
    """uv, prepared for one script; the cache is removed with this object, at the latest when Python ends.

    Raises:
        CannotTryError: there is no uv, or what the script depends on can't be installed.
    """

    def __init__(self, script: Path, python: str | None, *, has_metadata: bool) -> None:
        try:
            self.path = find_uv()
        except OracleError:
            raise CannotTryError(NO_UV) from None
        self._script = script
        self._variables = {"UV_PYTHON": python} if python else {}
        # The home is another one while the script runs: uv keeps its real place for Pythons.
        pythons = os.environ.get("UV_PYTHON_INSTALL_DIR") or self._said("python", "dir").stdout.strip()
        self._variables["UV_PYTHON_INSTALL_DIR"] = pythons
        self._users = Path(os.environ.get("UV_CACHE_DIR") or self._said("cache", "dir").stdout.strip())
        try:
            self._users.mkdir(parents=True, exist_ok=True)
            # Beside uv's own folders, as uv moves what it has downloaded, and can't to another disk.
            self._private = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=self._users)).resolve()
        except OSError as error:
            raise CannotTryError(f"uv's cache {self._users} can't be written: {error.strerror}") from None
        weakref.finalize(self, tree.remove, str(self._private))
        self._cache = self._private / "cache"
        self._cache.mkdir()
        self._has_run = False
        if has_metadata:
            self._install()
        else:
            self._check(self._said("python", "find", UV_CACHE_DIR=str(self._cache)))
        self.version = self._said("--version").stdout.strip()

    def command(self, *words: str) -> list[str]:
        """What runs the script."""
        return [self.path, "run", str(self._script), *words]

    def for_run(self) -> tuple[list[Path], list[Path], dict[str, str]]:
        """The folders that a run may write to besides its own, those that are restored, and uv's variables.

        The first run may change the script's environment: Python keeps its bytecode there, uv what it
        learned of the interpreter.
        """
        variables = {**self._variables, "UV_CACHE_DIR": str(self._cache)}
        if self._has_run:
            return [], [self._cache], variables
        self._has_run = True
        for bucket in self._cache.iterdir():
            if bucket.name.startswith(_ENVIRONMENTS):
                bucket.rename(self._private / bucket.name)
                bucket.symlink_to(self._private / bucket.name)
        return [self._private], [], variables

    def _install(self) -> None:
        """Wheels are only unpacked; to build a package is to run its code."""
        for bucket in self._users.iterdir():
            if bucket.is_dir() and not bucket.name.startswith((".", _PREFIX, *_OWN)):
                (self._cache / bucket.name).symlink_to(bucket)
        sync = ("sync", "--script", str(self._script))
        done = self._said(*sync, UV_CACHE_DIR=str(self._cache), UV_LINK_MODE="copy", UV_NO_BUILD="1")
        if done.returncode != 0 and _MUST_BUILD.search(done.stderr):
            self._build(sync)
            return
        self._check(done)
        for bucket in self._cache.iterdir():
            if bucket.is_symlink():
                bucket.unlink()
            elif bucket.is_dir() and not bucket.name.startswith(_OWN):
                with contextlib.suppress(OSError):  # for the next time
                    bucket.rename(self._users / bucket.name)

    def _build(self, sync: tuple[str, ...]) -> None:
        self._cache = self._private / "built"
        self._cache.mkdir()
        with scratch_folder() as folder:
            work_folder(folder)
            ended: Ended = run_confined(
                [self.path, *sync],
                folder=folder,
                cwd=subfolders(folder)[0],
                environment={**environment(folder), **self._variables, "UV_CACHE_DIR": str(self._cache)},
                limits=_BUILD,
                writable=[self._cache],
            )
        if ended.failure:
            raise CannotTryError(f"uv could not be started: {ended.failure}")
        if ended.code != 0:
            why = last_line(ended.stderr) or f"it was stopped for {ended.stopped}"
            raise CannotTryError(f"uv can't build what the script needs: {why}")

    def _check(self, done: "subprocess.CompletedProcess[str]") -> None:
        if done.returncode != 0:
            said = last_line(done.stderr.encode())
            raise CannotTryError(f"uv can't give the script what it needs: {said}")

    def _said(self, *words: str, **variables: str) -> "subprocess.CompletedProcess[str]":
        """What uv answers, outside of any project; it may have to install something."""
        with scratch_folder() as folder:
            try:
                return subprocess.run(
                    (self.path, *words),
                    stdin=subprocess.DEVNULL,
                    capture_output=True,
                    encoding="utf-8",
                    errors="replace",
                    cwd=folder,
                    env={**os.environ, **self._variables, **variables, "TMPDIR": str(folder)},
                    timeout=_INSTALL_SECONDS,
                    check=False,
                )
            except (OSError, subprocess.TimeoutExpired) as error:
                raise CannotTryError(f"uv can't be used: {error}") from None
