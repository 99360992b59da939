"""What becomes of the tests where a compiler is missing, or a build fails: one sentence, or a failure."""

import json

import pytest

from conformance.templates.languages import named
from tests.templates.echoing import building
from tests.templates.echoing.building import Builder, look_for

GO = named("go")
assert GO is not None


@pytest.mark.parametrize(
    ("words", "needed"), [("", False), ("rust", False), ("go", True), ("a, go", True), ("all", True)]
)
def test_a_missing_compiler(words, needed, monkeypatch) -> None:
    """It skips the test, and says what to install; it fails the test where it must be there."""
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.setenv(building.REQUIRE, words)
    sentence = r"^Go: there is no go here \(on Debian: apt-get install golang-go\)"
    with pytest.raises(pytest.fail.Exception if needed else pytest.skip.Exception, match=sentence):
        look_for(GO)


def test_a_build_that_fails_fails_every_test(tmp_path) -> None:
    (tmp_path / "python-template.json").write_text(json.dumps({"failed": "the build failed"}))
    with pytest.raises(AssertionError, match="Python: the build failed"):
        Builder(tmp_path).built("python")
