"""What words name a subject, and what files of them."""

import pytest

from conformance.extensions.releases.matrix.subjects import SubjectError, read_subjects, subjects_of


@pytest.mark.parametrize(
    ("word", "name", "kind", "target"),
    [
        ("0.22.0", "0.22.0", "release", "0.22.0"),
        ("newest", "newest", "release", "newest"),
        ("harbor:../fork", "fork", "fork", "../fork"),
        ("mine=./runner --fast", "mine", "command", "./runner --fast"),
        ("report:runs/june.json", "june", "report", "runs/june.json"),
        ("reference", "reference", "command", "reference"),
        ("mistake:naive-sum", "mistake:naive-sum", "command", "mistake:naive-sum"),
        ("patched=harbor:/srv/fork", "patched", "fork", "/srv/fork"),
        ("july=report:runs/june.json", "july", "report", "runs/june.json"),
        ("pinned=0.22.0", "pinned", "release", "0.22.0"),
        ("harbor:0.25.0", "0.25.0", "release", "0.25.0"),
    ],
)
def test_each_kind_has_its_words(word, name, kind, target) -> None:
    assert [(one.name, one.kind, one.target) for one in subjects_of([word])] == [(name, kind, target)]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["./runner"], "is no subject"),
        ([""], "is no subject"),
        (["mine="], "says nothing"),
        (["report:"], "says nothing"),
        (["a=x", "a=y"], "two subjects are called 'a'"),
        (["\x1b[31mred"], "'\\\\x1b[31mred' is no subject"),
    ],
)
def test_what_is_no_subject_is_refused_in_a_sentence(words, said) -> None:
    with pytest.raises(SubjectError) as refused:
        subjects_of(words)
    assert said in str(refused.value)
    assert "\x1b" not in str(refused.value)


def test_a_file_has_one_a_line_and_comments(tmp_path) -> None:
    path = tmp_path / "subjects.txt"
    path.write_text("# releases\n0.22.0\n\nnewest # today's\n  mine=./run --tag a#b\n")
    assert read_subjects(path) == ["0.22.0", "newest", "mine=./run --tag a#b"]


@pytest.mark.parametrize("content", [b"", b"# nothing\n", b"\xff\n", b"a" * (1 << 21)])
def test_a_file_that_is_no_list_is_refused(content, tmp_path) -> None:
    path = tmp_path / "subjects.txt"
    path.write_bytes(content)
    with pytest.raises(SubjectError):
        read_subjects(path)
    with pytest.raises(SubjectError):
        read_subjects(tmp_path / "none.txt")
