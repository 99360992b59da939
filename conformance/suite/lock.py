"""The lock: a hash of every vector's meaning, so that no meaning changes unnoticed.

A changed meaning takes a new id; the old id is retired with a reason and never used again.
"""

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from conformance.errors import UserError
from conformance.paths import vectors_dir
from conformance.registry.ops import SPEC_TABLE, lineage
from conformance.suite.overlays import inherited
from conformance.suite.vectors import Vector, load_spec
from conformance.wire.messages import encoded
from conformance.wire.writing import dumps

__all__ = ["Lock", "LockError", "damages", "guarded", "lost", "meaning", "meanings"]

_IN = "@"
"""Separates a vector's id and an environment in keys of the lock; not allowed in ids."""


class LockError(UserError):
    """The lock refuses a change, or the file is not a lock; the message is one sentence."""


def meaning(vector: Vector) -> str:
    """The hash of op, input, expected answer and comparison, and of the job that is played back, if any."""
    kept = vars(vector)  # cached: it never changes, and each report and page needs it
    if "_meaning" not in kept:
        parts = [vector.expected, sorted(vector.unordered)]
        if vector.played is not None:
            parts.append(vector.played)
        input_json = vector.tail.decode("ascii").partition('"input":')[2].removesuffix("}\n")
        kept["_meaning"] = _digest(f'["{vector.op.name}",{input_json},{encoded(parts)[1:]}')
    digest: str = kept["_meaning"]
    return digest


def meanings(vectors: list[Vector]) -> dict[str, str]:
    """The hash of each vector's meaning by its id, and of each variant's answer by ``<id>@<environment>``."""
    return {vector.id: meaning(vector) for vector in vectors} | {
        f"{vector.id}{_IN}{name}": _digest(encoded(answer))
        for vector in vectors
        for name, answer in vector.variants.items()
    }


def _digest(text: str) -> str:
    return "sha256:" + hashlib.sha256(text.encode("ascii")).hexdigest()


@dataclass(slots=True)
class Lock:
    """The lock file of one spec."""

    spec: str
    vectors: dict[str, str]
    """The hash of each meaning by vector id, and of each environment's answer by ``<id>@<environment>``."""
    retired: dict[str, str]
    """The reason for each retired id."""
    accepted: list[dict[str, str]]
    """Answers that were changed in place, each with its reason: errors of the kit itself."""

    @classmethod
    def read(cls, path: Path, spec: str) -> "Lock":
        """Reads the lock; returns an empty one if there is no file yet.

        Raises:
            LockError: the file is not a lock file.
        """
        if not path.exists():
            return cls(spec, {}, {}, [])
        try:
            document = json.loads(path.read_text(encoding="utf-8"))
            locked = document["vectors"] | document.get("variants", {})
            return cls(spec, locked, document["retired"], document["accepted"])
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise LockError(f"{path} is not a lock file: {error!r}") from None

    def text(self) -> str:
        """The lock file's text."""
        variants = {key: digest for key, digest in sorted(self.vectors.items()) if _IN in key}
        document: dict[str, Any] = {
            "$schema": "../../schemas/lock.schema.json",
            "spec": self.spec,
            "vectors": {key: digest for key, digest in sorted(self.vectors.items()) if _IN not in key},
            **({"variants": variants} if variants else {}),
            "retired": dict(sorted(self.retired.items())),
            "accepted": self.accepted,
        }
        return dumps(document)

    def problems(self, vectors: list[Vector]) -> list[str]:
        """A sentence for each disagreement of the vectors and the lock."""
        problems = []
        now = meanings(vectors)
        for vector_id, digest in now.items():
            if vector_id in self.retired:
                problems.append(f"{vector_id} is retired ({self.retired[vector_id]}): use a new id")
            elif vector_id not in self.vectors:
                problems.append(f"{vector_id} is not in the lock: run harbor-conformance kit regen")
            elif self.vectors[vector_id] != digest:
                problems.append(
                    f"{vector_id} changed its meaning: give it a new id, or run "
                    f"harbor-conformance kit regen --accept {vector_id} --reason '…'"
                )
        problems += [
            f"{vector_id} is in the lock but not among the vectors: "
            f"run harbor-conformance kit regen --retire {vector_id} --reason '…'"
            for vector_id in self.vectors
            if vector_id not in now
        ]
        return problems

    def update(self, vectors: list[Vector], accept: set[str], retire: set[str], reason: str) -> None:
        """Locks new vectors, accepted changes and retirements.

        Raises:
            LockError: an unnamed vector changed or is missing, or a name matches nothing.
        """
        now = meanings(vectors)
        for vector_id in sorted(accept):
            if self.vectors.get(vector_id) in (None, now.get(vector_id)):
                raise LockError(f"--accept {vector_id}: there is no changed locked vector of that id")
            change = {"from": self.vectors[vector_id], "to": now[vector_id]}
            self.accepted.append({"id": vector_id, "reason": reason, **change})
            self.vectors[vector_id] = now[vector_id]
        for vector_id in sorted(retire):
            if vector_id not in self.vectors or vector_id in now:
                raise LockError(f"--retire {vector_id}: it is not locked, or still among the vectors")
            del self.vectors[vector_id]
            if _IN in vector_id:  # the environments agree now, but may differ again
                continue
            self.retired[vector_id] = reason
            self.vectors = {
                key: digest for key, digest in self.vectors.items() if not key.startswith(f"{vector_id}{_IN}")
            }
        for vector_id, digest in now.items():
            if vector_id not in self.retired:
                self.vectors.setdefault(vector_id, digest)
        problems = self.problems(vectors)
        if problems:
            raise LockError(problems[0] + (f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""))


def guarded(spec: str, vectors: list[Vector], lock: Lock) -> list[Vector]:
    """The vectors that a spec's lock guards: its own; its base's lock guards the inherited ones.

    A locked vector whose answer equals the base's again has changed its meaning, and stays guarded.
    """
    base = SPEC_TABLE[spec].base
    if base is None:
        return vectors
    locked = inherited(load_spec(base, package=True), spec)
    return [
        entry
        for entry in vectors
        if entry.id in lock.vectors or entry.id not in locked or _answers(entry) != _answers(locked[entry.id])
    ]


def _answers(vector: Vector) -> str:
    return json.dumps([vector.expected, dict(vector.variants)])


def damages(spec: str) -> list[str]:
    """A sentence for each disagreement of a spec's vectors with its lock.

    Raises:
        LockError: the file is not a lock file.
        VectorFileError: the vectors can't be read.
    """
    lock = Lock.read(vectors_dir(spec) / "lock.json", spec)
    return lock.problems(guarded(spec, load_spec(spec, package=True), lock))


def lost(spec: str) -> list[str]:
    """The ids of locked vectors that the spec, or one that it is based on, no longer has.

    Raises:
        LockError: a file is not a lock file.
        VectorFileError: the vectors can't be read.
    """
    missing = []
    for name in lineage(spec):
        present = {vector.id for vector in load_spec(name, package=True)}
        locked = Lock.read(vectors_dir(name) / "lock.json", name).vectors
        missing += [key for key in locked if _IN not in key and key not in present]
    return missing
