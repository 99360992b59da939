"""Hashes of what a run of the mutants depends on, so that its report is not taken for another tree's."""

import hashlib
from collections.abc import Iterable
from pathlib import Path

from conformance.judging import comparison, verdict
from conformance.mistakes import variant
from conformance.mistakes.variant import module_names, module_path
from conformance.paths import DEFAULT_SPEC
from conformance.suite.lock import meaning
from conformance.suite.vectors import load_spec

__all__ = ["fingerprint", "reference_hash"]


def fingerprint(spec: str) -> dict[str, str]:
    """The hashes of the reference, of what the spec's vectors mean, and of the mutator with its excuses."""
    here = Path(__file__).parent
    judging = (Path(str(module.__file__)) for module in (comparison, variant, verdict))
    return {
        "reference": reference_hash(spec),
        "vectors": _digest(f"{one.id} {meaning(one)}\n".encode() for one in load_spec(spec)),
        "mutator": _digest(_files([*here.glob("*.py"), *here.glob("*.json"), *judging])),
    }


def reference_hash(spec: str = DEFAULT_SPEC) -> str:
    """The hash of the modules of the reference that take part in answering for the spec."""
    return _digest(_files(map(module_path, {*module_names(), *module_names(spec)})))


def _files(paths: Iterable[Path]) -> Iterable[bytes]:
    for path in sorted(paths):
        content = path.read_bytes()
        yield f"{path.name} {len(content)}\n".encode()
        yield content


def _digest(parts: Iterable[bytes]) -> str:
    digest = hashlib.sha256()
    for part in parts:
        digest.update(part)
    return f"sha256:{digest.hexdigest()}"
