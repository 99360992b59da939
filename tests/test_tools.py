"""The programs of `tools`."""

import runpy
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
# The words of measured.py are a command of the kit, so --help is that command's.
PROGRAMS = sorted(
    str(path.relative_to(ROOT))
    for path in (ROOT / "tools").rglob("*.py")
    if 'if __name__ == "__main__":' in path.read_text("utf-8") and path.name != "measured.py"
)


@pytest.mark.parametrize("program", PROGRAMS)
def test_help_explains_a_program_and_does_nothing_else(program, monkeypatch, capsys) -> None:
    monkeypatch.setattr(sys, "argv", [program, "--help"])
    monkeypatch.setattr(Path, "write_text", lambda *_: pytest.fail("wrote a file"))
    with pytest.raises(SystemExit) as ended:
        runpy.run_path(str(ROOT / program), run_name="__main__")
    assert ended.value.code in (0, None)
    printed = capsys.readouterr()
    assert "usage" in printed.out.lower() or "python" in printed.out
    assert "Traceback" not in printed.out + printed.err
