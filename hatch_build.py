"""The README as a package index shows it: nothing lies next to it there, so its links are made absolute."""

import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

_LINK = re.compile(r"\]\((?![a-z]+:|#)([^)\s]+)\)")


class AbsoluteLinks(MetadataHookInterface):
    """Makes the links of ``README.md`` absolute, by ``project.urls``."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Sets the README."""
        text = (Path(self.root) / "README.md").read_text(encoding="utf-8")
        home = f"{metadata['urls']['Source']}/blob/HEAD"
        metadata["readme"] = {"content-type": "text/markdown", "text": _LINK.sub(rf"]({home}/\1)", text)}
