"""What becomes of the tests where a compiler, or the network, is missing: one sentence, or a failure."""

import json

import pytest

from conformance.templates.languages import named
from tests.templates.echoing import building
from tests.templates.echoing.building import Builder, look_for

GO, TYPESCRIPT = named("go"), named("typescript")
assert GO is not None
assert TYPESCRIPT is not None


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


@pytest.mark.slow
def test_without_the_network_every_test_is_skipped(tmp_path, monkeypatch) -> None:
    """Not only the first that asks."""
    monkeypatch.delenv(building.REQUIRE, raising=False)
    look_for(TYPESCRIPT)
    monkeypatch.setattr(building.platformdirs, "user_cache_dir", lambda _: str(tmp_path / "cache"))
    monkeypatch.setenv("npm_config_registry", "http://127.0.0.1:9/")
    monkeypatch.setenv("npm_config_cache", str(tmp_path / "npm"))
    monkeypatch.setenv("npm_config_fetch_retries", "0")
    for _ in range(2):
        with pytest.raises(
            pytest.skip.Exception, match=r"^TypeScript: npm can't fetch what it needs: npm (error|ERR!)"
        ):
            Builder(tmp_path).built("typescript")


def test_a_build_that_fails_fails_every_test(tmp_path) -> None:
    (tmp_path / "python-template.json").write_text(json.dumps({"failed": "the build failed"}))
    with pytest.raises(AssertionError, match="Python: the build failed"):
        Builder(tmp_path).built("python")
