"""Merges two branches' changes to the same vector files, if each only added or changed its own entries.

    git merge OTHER   # conflicts in vectors/
    python -m tools.merge

Sections, locks, clauses, properties and flags are merged entry by entry, by id, written as `regen` writes
them, and added. An entry that both sides changed differently needs a person: nothing is written then.
"""

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from conformance.suite.entries import canonical_vector
from conformance.suite.lock import Lock
from conformance.wire.writing import dumps, write_text

__all__ = ["MergeError", "main", "merged"]

_SORTED = {"vectors": canonical_vector, "differs": canonical_vector, "left_out": dict}  # by their ids


class MergeError(Exception):
    """A conflict that a person has to resolve; the message is one sentence."""


def merged(name: str, base: Any, ours: Any, theirs: Any) -> str:
    """The merged text of a file; raises MergeError if both sides changed an entry."""
    document = _members(name, base, ours, theirs, _value)
    if "retired" in document:  # a lock
        locked = document["vectors"] | document.get("variants", {})
        return Lock(document["spec"], locked, document["retired"], document["accepted"]).text()
    for key, canonical in _SORTED.items():
        if key in document:
            document[key] = sorted(map(canonical, document[key]), key=lambda entry: str(entry["id"]))
    if "clauses" in document:
        document["clauses"] = _in_document_order(document["clauses"])
    return dumps(document)


def _value(name: str, base: Any, ours: Any, theirs: Any) -> Any:
    """A member of a document: entries by id, names with their values, or one value."""
    if isinstance(ours, list) and isinstance(theirs, list):
        # the same answer may have been corrected twice
        sides = [{f"{e['id']}{e.get('to', '')}": e for e in side or ()} for side in (base, ours, theirs)]
        return list(_members(name, *sides, _one).values())
    if isinstance(ours, dict) and isinstance(theirs, dict):
        return _members(name, base or {}, ours, theirs, _one)
    return _one(name, base, ours, theirs)


def _members(name: str, base: Any, ours: Any, theirs: Any, merge: Callable[..., Any]) -> dict[str, Any]:
    """The members of both sides, in our order; new ones of theirs come after their predecessor."""
    order = list(ours)
    for before, key in zip([None, *theirs], theirs, strict=False):
        if key not in ours:
            order.insert(order.index(before) + 1 if before in order else len(order), key)
    of = {key: [side.get(key) for side in (base, ours, theirs)] for key in order}
    found = {key: merge(f"{key} in {name}", *values) for key, values in of.items()}
    return {key: value for key, value in found.items() if value is not None}


def _one(name: str, base: Any, ours: Any, theirs: Any) -> Any:
    """The value of the side that changed it; None for a side without it."""
    old, mine, other = map(json.dumps, (base, ours, theirs))
    if mine != other and old not in (mine, other):
        raise MergeError(f"{name} was changed by both sides in different ways: decide by hand.")
    return theirs if mine == old else ours


def _in_document_order(clauses: list[Any]) -> list[Any]:
    """Numbered sections ascend, others stay together where the first of them is."""
    first = {(one["document"], one["section"]): place for place, one in reversed([*enumerate(clauses)])}

    def place(one: Any) -> tuple[Any, ...]:
        numbers, stretch = one["section"].split("."), first[one["document"], one["section"]]
        return one["document"], *(map(int, numbers) if numbers[0].isdigit() else [stretch])

    return sorted(clauses, key=place)


def _git(*words: str) -> str:
    done = subprocess.run(["git", *words], capture_output=True, encoding="utf-8", check=False)
    if done.returncode != 0:
        raise MergeError(done.stderr.strip().splitlines()[-1])
    return done.stdout


def main() -> int:
    try:
        os.chdir(_git("rev-parse", "--show-toplevel").strip())
        sides: dict[str, dict[str, str]] = {}
        for entry in filter(None, _git("ls-files", "-u", "-z").split("\0")):
            (_, blob, stage), path = entry.partition("\t")[0].split(), entry.partition("\t")[2]
            sides.setdefault(path, {})[stage] = blob
        texts, left = {}, []
        for path, blobs in sides.items():
            if path.startswith("vectors/") and path.endswith(".json") and {"2", "3"} <= blobs.keys():
                read = {stage: json.loads(_git("cat-file", "blob", blob)) for stage, blob in blobs.items()}
                texts[path] = merged(path, read.get("1", {}), read["2"], read["3"])
            else:
                left.append(path)
        for path, text in texts.items():
            write_text(Path(path), text)
            _git("add", "--", path)
            print(f"merged: {path}")
    except (MergeError, ValueError, KeyError, TypeError) as error:
        sys.exit(f"tools.merge: {error}")
    for path in left:
        print(f"left for you: {path}", file=sys.stderr)
    return 1 if left else 0


if __name__ == "__main__":
    argparse.ArgumentParser(description=__doc__.partition("\n")[0]).parse_args()
    sys.exit(main())
