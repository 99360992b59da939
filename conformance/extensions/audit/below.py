"""The folder that all names of a report are in: said once, and left out of every line for people."""

import re
from collections.abc import Iterable
from dataclasses import dataclass


def common_folder(names: Iterable[str]) -> str:
    """The folder that all of these are in, with its slash; empty where there is none."""
    folders = [name.split("/")[:-1] for name in names]
    common = []
    for parts in zip(*folders, strict=False):
        if len(set(parts)) > 1:
            break
        common.append(parts[0] + "/")
    return "".join(common) if any(part != "/" and not part.endswith(":/") for part in common) else ""


@dataclass(frozen=True, slots=True)
class Below:
    """A folder that names are shown below."""

    folder: str = ""
    """With its slash; empty where names are shown whole."""

    @classmethod
    def of(cls, jobs: Iterable[tuple[str, str]]) -> "Below":
        """What the names of jobs share, each given with its submission's, which may be empty."""
        return cls(common_folder({submission or name for name, submission in jobs}))

    def short(self, name: str) -> str:
        """A name below the folder; any other one whole."""
        return name[len(self.folder) :] or name if name.startswith(self.folder) else name

    def in_text(self, text: str) -> str:
        """A sentence with the names in it shortened that are in a list at its end."""
        if not self.folder:
            return text
        return re.sub(f"(?<=[:,] ){re.escape(self.folder)}(?=.)", "", text)
