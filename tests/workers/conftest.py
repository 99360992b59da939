"""Work that other processes can load: tests' own modules are not importable there, `pieces` is."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "importable"))
