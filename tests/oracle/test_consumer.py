"""The consumer's adapter: its tables, the program it takes from the document, and the runner it makes."""

import io
import json
import subprocess
import sys
from pathlib import Path

import pytest

from conformance.adapters import consumer
from conformance.oracle import documents, environments
from conformance.oracle.documents import DOCUMENTS_VARIABLE, find_document

ADAPTER = Path(consumer.__file__)
HELLO = {"id": 0, "op": "hello", "protocol": 1, "spec": "harbor-0.13.1"}
PROGRAM = """\
summary = {"status": "failed", "reason_code": "harbor_result_missing"}
if result_path.exists():
    try:
        summary["read"] = json.loads(result_path.read_text())
    except Exception:
        summary["reason_code"] = "harbor_result_malformed"
"""
DOCUMENT = f"4. before\n\nsummary = 1\n\n5. outcome\n\nprose\n\n{PROGRAM}\nmore prose\n\n6. after\n"


def result(text):
    return {"result.json": {"text": text}}


def test_the_block_is_taken_as_it_stands_or_its_lack_is_an_error() -> None:
    """Markdown's headings and fences are known."""
    fenced = f"## 5. outcome\n\n```python\n{PROGRAM}```\nafter\n## 6. after\n"
    for document in (DOCUMENT, fenced):
        assert consumer.extract_outcome_program(document) == PROGRAM
    for text, sentence in {
        "": "no section 5",
        "15. another\nsummary = {}\n": "no section 5",
        "5. outcome\n\nprose only\n": "'summary ='",
        "5. outcome\n\n6. after\n\nsummary = {}\n": "'summary ='",
        "5. outcome\n\nsummary = {\n\n6. after\n": "not a program",
        "5. outcome\n\nsummary = {}\n\n6. after\n": "does not mention result_path",
        DOCUMENT.replace("harbor_result_malformed", "x"): "does not mention harbor_result_malformed",
    }.items():
        with pytest.raises(consumer.DocumentError, match=sentence):
            consumer.extract_outcome_program(text)


@pytest.mark.skipif(find_document("003") is None, reason="document 003 is not at hand")
def test_the_documents_own_program_is_found() -> None:
    text = (find_document("003") or Path()).read_text(encoding="utf-8")
    program = consumer.extract_outcome_program(text)
    assert program.startswith("summary = {")
    assert program.endswith('summary["reason_code"] = "harbor_result_malformed"\n')


def test_the_result_path_reads_as_pathlib_does(tmp_path) -> None:
    path = tmp_path / "result.json"
    for content in (b"", b"a\r\nb\rc\n", "\ufeffé\U0001f600".encode(), b"\xff", b"\xed\xa0\x80"):
        path.write_bytes(content)
        try:
            expected = path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            with pytest.raises(UnicodeDecodeError):
                consumer.ResultPath(content).read_text()
        else:
            assert consumer.ResultPath(content).read_text() == expected
    assert consumer.ResultPath(b"").exists()
    assert not consumer.ResultPath(None).exists()


def test_a_document_is_found_by_the_variable_or_in_a_folder(monkeypatch, tmp_path) -> None:
    """The variable is read at call time."""
    for name in ("003-b.txt", "003_a.txt", "003.pdf", "0031.txt", "x003.txt"):
        (tmp_path / name).write_text("")
    (tmp_path / "003.txt.txt").mkdir()
    monkeypatch.setenv(DOCUMENTS_VARIABLE, str(tmp_path))
    found = {number: find_document(number) for number in ("003", "0031", "004")}
    assert found == {"003": tmp_path / "003-b.txt", "0031": tmp_path / "0031.txt", "004": None}
    for missing in ("no-such-folder", "003.pdf"):
        monkeypatch.setenv(DOCUMENTS_VARIABLE, str(tmp_path / missing))
        assert find_document("003") is None
    module = tmp_path / "checkout" / "conformance" / "oracle" / "documents.py"
    monkeypatch.setattr(documents, "__file__", str(module))
    monkeypatch.setenv(DOCUMENTS_VARIABLE, "")
    assert find_document("003") is None
    path = tmp_path / "shared" / "spec" / "003_reward.txt"
    path.parent.mkdir(parents=True)
    path.write_text("")
    assert find_document("003") == path
    monkeypatch.delenv(DOCUMENTS_VARIABLE)
    assert find_document("003") == path


def test_another_python_is_refused(monkeypatch, capsys) -> None:
    monkeypatch.setattr(sys, "version_info", (3, 11, 7, "final", 0))
    assert consumer.main([]) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert err.startswith("consumer-table answers on CPython 3.12 only")


def ask(requests, arguments=()):
    command = [str(environments.ensure(print).python), "-X", "utf8", str(ADAPTER), *arguments]
    given = "".join(json.dumps(request) + "\n" for request in requests)
    done = subprocess.run(command, input=given, capture_output=True, encoding="utf-8", timeout=300)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in io.StringIO(done.stdout)]


def given(score):
    line = f'BASE_BENCHMARK_RESULT={{"status": "completed", "score": {score}}}'
    return {"stdout": line, "returncode": 0, "timed_out": False}


@pytest.mark.oracle
def test_without_a_document_outcome_is_not_offered_and_all_else_is_answered() -> None:
    escaping = {
        f'{{"x": {"9" * 4301}}}': "ValueError",
        "[" * 100_000: "RecursionError",
        f'{{"status": "completed", "score": 1{"0" * 400}}}': "OverflowError",
    }
    payloads = [{**given("1"), "stdout": f"BASE_BENCHMARK_RESULT={payload}"} for payload in escaping]
    asked = [{"id": 1, "op": "read_outcome", "input": one} for one in [*payloads, given("1"), given("-0.0")]]
    hello, outcome, *replies = ask([HELLO, {"id": 7, "op": "outcome", "input": result("{}")}, *asked])
    assert (hello["ok"]["runner"], hello["ok"]["ops"]) == ("consumer-table", ["read_outcome", "reason_code"])
    assert (outcome.keys(), outcome["id"]) == ({"id", "unsupported"}, 7)
    *errors, one, zero = replies
    assert [reply["error"]["type"] for reply in errors] == [*escaping.values()]
    assert all(reply["error"]["reason_code"] is None for reply in errors)
    assert [repr(reply["ok"]["score"]) for reply in (one, zero)] == ["1.0", "-0.0"]


@pytest.mark.oracle
def test_the_program_that_answers_is_the_documents(tmp_path) -> None:
    document = tmp_path / "003.txt"
    document.write_text(DOCUMENT, encoding="utf-8")
    inputs = [result('{"b": 1, "a": "\u00e9"}'), {"result.json": None}, {"result.json": {"base64": "/w=="}}]
    requests = [{"id": i, "op": "outcome", "input": given} for i, given in enumerate(inputs)]
    hello, read, missing, malformed = ask([HELLO, *requests], ["--document", str(document)])
    assert hello["ok"]["ops"] == ["outcome", "read_outcome", "reason_code", "result_score"]
    line = {"read": {"a": "\u00e9", "b": 1}, "reason_code": "harbor_result_missing", "status": "failed"}
    assert read["ok"]["line"] == f"BASE_BENCHMARK_RESULT={json.dumps(line)}"
    assert '"harbor_result_missing"' in missing["ok"]["line"]
    assert '"harbor_result_malformed"' in malformed["ok"]["line"]
