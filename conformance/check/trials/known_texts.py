"""Parts of records that stand as harbor writes them, so that what comes again is not looked at again.

What a trial was asked to do fills most of its record and is the same for all trials of a job, but for
the trial's name and the path of its task. Such a part is taken apart once. Another one is the same if
its text is, with other names in the places of these.
"""

import re
from typing import Any

import msgspec

from conformance.check.generations import RecordGeneration
from conformance.check.reading.limits import DEEPEST
from conformance.check.reading.weight import is_light, weigh
from conformance.check.trials.members import is_later_config
from conformance.check.trials.ways import Way

__all__ = ["SPACE", "Configuration", "KnownTexts"]

SPACE = b" \n\r\t"
_MOST = 64
_LONGEST = 64 * 1024
_NAME, _PATH = b"\0", b"\1"
"""What stands for the trial's name and its task's path; no JSON has these bytes."""
_PLAIN = re.compile(r"[A-Za-z0-9_./-]+").fullmatch
_AS_KEY = re.compile(rb"[\0\1][ \n\r\t]*:")
_MARKS = re.compile(rb"([\0\1])")
_decode = msgspec.json.decode
_encode = msgspec.json.encode


class Configuration:
    """What trials were asked to do, but for names."""

    __slots__ = ("_names", "_paths", "_pieces", "content", "is_later", "name", "numbers", "path", "ways")

    def __init__(
        self, content: dict[str, Any], name: str, path: str | None, marked: bytes | None = None
    ) -> None:
        self.content = content
        """As the first trial has it."""
        self.name = name
        """That trial's name."""
        self.path = path
        """The path of that trial's task."""
        self.is_later = is_later_config(content)
        self.numbers: dict[str | None, int] = {}
        """What `plan.Configurations` numbers it as, by the path of the task."""
        self.ways: dict[str, tuple[Way, ...]] = {}
        """How releases read reward files that say so, by the first of the record's generation."""
        self._pieces = [] if marked is None else _MARKS.split(marked)
        self._names = [index for index, piece in enumerate(self._pieces) if piece == _NAME]
        self._paths = [index for index, piece in enumerate(self._pieces) if piece == _PATH]

    def is_said_by(self, raw: bytes, name: bytes, path: bytes) -> bool:
        """Whether a trial with that quoted name and path is said to do this."""
        pieces = self._pieces
        for index in self._names:
            pieces[index] = name
        for index in self._paths:
            pieces[index] = path
        return b"".join(pieces) == raw


class KnownTexts:
    """What is known of one job's records. Memory is bounded."""

    __slots__ = ("_configs", "_last", "comes_again", "configuration", "generation", "path", "unsure")

    def __init__(self) -> None:
        self._configs: dict[bytes, Configuration] = {}
        self._last: Configuration | None = None
        self.configuration: Configuration | None = None
        """That of the record read last; None if nothing can be said of it."""
        self.path: str | None = None
        """The path of its task, where that is no part of the configuration."""
        self.generation: RecordGeneration | None = None
        """The releases that wrote it."""
        self.comes_again = False
        """Whether two records in turn had the same configuration."""
        self.unsure = False
        """Whether an older generation's record would look the same."""

    def forget(self) -> None:
        """Of the record that is read now nothing is known yet."""
        self.configuration = self.path = self.generation = None
        self.unsure = False

    @property
    def is_later(self) -> bool:
        """Whether the record read last was written by a release whose records have `step_results`."""
        return self.configuration is not None and self.configuration.is_later

    def is_last_config(self, raw: bytes, name: str, path: str | None) -> bool:
        """Whether it is the configuration of the record before but for names; then it is this one's too."""
        last = self._last
        if last is None or path is None or path == name or not (_PLAIN(name) and _PLAIN(path)):
            return False
        if not last.is_said_by(raw, b'"%b"' % name.encode(), b'"%b"' % path.encode()):
            return False
        self.configuration, self.path = last, path
        return True

    def is_config(self, raw: bytes, name: str, path: str | None) -> bool:
        """Whether a configuration stands as harbor writes it; it is that of the record read last."""
        self.comes_again = self.is_last_config(raw, name, path)
        if self.comes_again:
            return True
        quoted_name = b'"%b"' % name.encode() if path != name and _PLAIN(name) else b""
        quoted_path = b'"%b"' % path.encode() if path is not None and _PLAIN(path) else b""
        self.path = path if quoted_path else None
        if b"\0" in raw or b"\1" in raw:
            return False
        marked = raw.replace(quoted_name, _NAME) if quoted_name else raw
        if quoted_path:
            marked = marked.replace(quoted_path, _PATH)
        known = self._configs.get(marked)
        if known is None:
            content = self._as_written(raw)
            if not isinstance(content, dict):
                return False
            task = content.get("task")
            shared = len(marked) <= _LONGEST and not _AS_KEY.search(marked)
            shared = shared and not (isinstance(task, dict) and name in task.values())
            known = Configuration(content, name, self.path, marked if shared else None)
            if shared and len(self._configs) < _MOST:
                self._configs[marked] = known
        if known is self._configs.get(marked):
            self._last = known
        self.configuration = known
        return True

    def is_written_by_harbor(self, text: msgspec.Raw, opening: bytes) -> bool:
        """Whether an object or array, by its first byte, stands as harbor writes it, white space apart."""
        raw = bytes(text)
        return raw.startswith(opening) and self._as_written(raw) is not None

    @staticmethod
    def _as_written(raw: bytes) -> Any:
        """The value, None if it stands otherwise."""
        if not is_light(raw) and weigh(raw, 2**63).depth > DEEPEST:
            return None
        value = _decode(raw)
        return value if _encode(value).translate(None, SPACE) == raw.translate(None, SPACE) else None
