"""What the tests of single metrics share: small metrics, and proof that nothing is left behind."""

import json
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from conformance.paths import vectors_dir
from tests.extensions.metrics.bodies import ARGUMENTS
from tests.extensions.metrics.in_process import forked as forked
from tests.extensions.metrics.in_process import forks as forks
from tests.extensions.metrics.in_process import in_process as in_process
from tests.extensions.metrics.users import readable_python as readable_python
from tests.extensions.metrics.users import user as user
from tests.processes import running


@pytest.fixture
def script(tmp_path: Path) -> Callable[[str], Path]:
    """``script(body)``: a metric script that does something and then writes a mean.

    It has no metadata block: uv would keep an environment for each of them.
    """

    def make(body: str) -> Path:
        path = tmp_path / "scripts" / "metric.py"
        path.parent.mkdir(exist_ok=True)
        text = f"{ARGUMENTS}import subprocess, time\nMARK = {str(tmp_path)!r}\n{body}\n"
        path.write_text(f"{text}args.output_path.write_text('{{\"mean\": 0.5}}')\n", encoding="utf-8")
        return path

    return make


@pytest.fixture(scope="session")
def document(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The script that the document prints, as the vectors have it."""
    vectors = json.loads((vectors_dir("harbor-metric") / "metric_script.json").read_text("utf-8"))["vectors"]
    text = next(one["input"]["script"]["text"] for one in vectors if one["id"].endswith("/document-one-key"))
    path = tmp_path_factory.mktemp("document") / "metric.py"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.fixture
def clean(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Afterwards no temporary file is there, and no process that knows the test's folder."""
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    yield temporary
    left = list(temporary.iterdir())
    subprocess.run(["rm", "-rf", str(temporary)], check=True, timeout=60)  # as pytest can't if it is deep
    assert left == []
    assert [words for words in running(str(tmp_path)) if str(tmp_path) in words] == []
