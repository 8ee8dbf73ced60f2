"""Training on the files and objects that people have, each as they would first try it."""

import re

import pytest

import spm_lite

SIZE = {"vocab_size": 1800}
SAME = ["en.txt", "windows.txt", "en.txt.gz", "en.txt.zst", "text.parquet", "en.jsonl", "en.csv", "folder"]


@pytest.fixture(scope="module")
def expected(lines):
    """Bytes of the model of these lines."""
    return spm_lite.train(texts=lines, **SIZE).to_bytes()


def test_a_file_alone(shell, files, tmp_path):
    made = shell("train", files / "en.txt")
    assert made.code == 0
    assert "vocabulary size 8,000, or less for a small text (--model-prefix and --vocab-size set them)" in made.err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["en.model", "en.vocab"]


def test_no_file_names_all_that_is_missing(shell):
    made = shell("train")
    assert made.code == 2
    assert (
        "--model-prefix" in made.err and "--vocab-size" in made.err and "spm-lite train --vocab-size 8000" in made.err
    )


@pytest.mark.parametrize("name", SAME)
def test_files_of_every_kind(shell, files, tmp_path, expected, name):
    if not (files / name).exists():
        pytest.skip("the package that writes it is not installed")
    made = shell("train", files / name, "--vocab-size", "1800", "-o", "m", "-q")
    assert (made.code, made.err) == (0, "")
    assert (tmp_path / "m.model").read_bytes() == expected


def test_what_was_taken_from_a_folder(shell, files, lines):
    made = shell("train", files / "folder", "--vocab-size", "1800", "-o", "m")
    assert f"{len(lines)} lines in 2 files" in made.err


@pytest.mark.parametrize(("name", "column"), [("body.parquet", "'id', 'body'"), ("body.jsonl", "'id', 'body'")])
def test_which_column(shell, files, tmp_path, expected, name, column):
    if not (files / name).exists():
        pytest.skip("pyarrow is not installed")
    made = shell("train", files / name, "--vocab-size", "1800", "-o", "m", "-q")
    assert made.code != 0
    assert column in made.err and "--column NAME" in made.err
    made = shell("train", files / name, "--vocab-size", "1800", "-o", "m", "-q", "--column", "body")
    assert (made.code, made.err) == (0, "")
    assert (tmp_path / "m.model").read_bytes() == expected


def test_structured_text_under_another_name_is_noted(files, tmp_path):
    """A file whose ending says nothing is taken as text, and the report says what it looks like."""
    path = tmp_path / "data"
    path.write_bytes((files / "en.jsonl").read_bytes())
    assert any("JSON" in note for note in spm_lite.train(files=path, **SIZE).report.notes)


@pytest.mark.parametrize(
    "texts",
    [
        lambda lines: [lines[i : i + 10] for i in range(0, len(lines), 10)],
        lambda lines: (tuple(lines[i : i + 10]) for i in range(0, len(lines), 10)),
        lambda lines: [{"id": 1, "text": line} for line in lines],
        lambda lines: ({"text": lines[i : i + 7]} for i in range(0, len(lines), 7)),
        lambda lines: (line.encode() for line in lines),
    ],
    ids=["lists", "tuples", "rows", "batches", "bytes"],
)
def test_texts_in_other_shapes(lines, expected, texts):
    assert spm_lite.train(texts(lines), **SIZE).to_bytes() == expected


def test_files_and_texts_cannot_be_confused(files, lines, expected):
    path = str(files / "en.txt")
    assert spm_lite.train(files=[path], **SIZE).to_bytes() == expected
    assert spm_lite.train([path], **SIZE).to_bytes() == expected
    learned = spm_lite.train(texts=[path], vocab_size=400, hard_vocab_limit=False)
    assert learned.report.lines_read == 1
    with pytest.raises(spm_lite.MissingFileError):
        spm_lite.train(files=["a text"], **SIZE)


def test_line_ends_and_the_bom_of_windows(shell, files, lines):
    made = shell("train", files / "windows.txt", "--vocab-size", "1800", "-o", "m")
    assert f"{len(lines)} lines end in CR LF, a line end; --newline lf keeps CR as text" in made.err
    assert "1 file begins with a BOM, left out; --newline lf keeps it" in made.err


def test_crlf_of_encode(shell, files, model):
    """`encode` keeps each CR, since `decode` must give it back, and says so."""
    made = shell("encode", "-m", model, files / "windows.txt")
    assert "CR" in made.err
    assert shell("decode", "-m", model, data=made.out).out == (files / "windows.txt").read_bytes()


def test_text_that_is_not_utf_8(shell, files):
    made = shell("train", files / "latin-1.txt", "--vocab-size", "1800", "-o", "m")
    assert made.code == 0
    assert re.search(r"note +'.*latin-1.txt' does not look like UTF-8", made.err)


def test_sizes_with_a_letter(shell, files, tmp_path):
    made = shell("train", files / "en.txt", "--vocab-size", "2K", "-o", "c", "-q", "--memory-limit", "512MB")
    assert (made.code, made.err) == (0, "")
    assert (tmp_path / "c.vocab").read_bytes().count(b"\n") == 2000


def test_a_size_too_small_says_what_must_fit(shell, files):
    made = shell("train", files / "en.txt", "--vocab-size", "100", "-o", "m")
    found = re.search(r"Vocabulary size is too small: 100 vs (\d+)\. Increase --vocab-size to at least (\d+)", made.err)
    assert found and found[1] == found[2]
    assert "256 byte pieces, 3 special pieces and" in made.err
    assert shell("train", files / "en.txt", "--vocab-size", found[1], "-o", "m", "-q").code == 0


def test_progress_as_a_word(files, expected, capfd):
    assert spm_lite.train(files=files / "en.txt", progress=True, **SIZE).to_bytes() == expected


@pytest.mark.parametrize(
    ("option", "remedy"),
    [
        ({"special_tokens": ["<a>"]}, "user_defined_symbols for texts to keep as one piece, control_symbols"),
        ({"show_progress": True}, "use progress; True shows a progress bar"),
        ({"min_frequency": 5}, "use min_count"),
    ],
    ids=["special_tokens", "show_progress", "min_frequency"],
)
def test_words_of_other_libraries(lines, option, remedy):
    with pytest.raises(spm_lite.OptionError, match=re.escape(remedy)):
        spm_lite.train(texts=lines, **SIZE, **option)


def test_a_folder_names_the_model(shell, files, tmp_path):
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts" / "a.txt").write_bytes((files / "en.txt").read_bytes())
    assert shell("train", "texts").code == 0
    assert sorted(path.name for path in tmp_path.glob("texts.*")) == ["texts.model", "texts.vocab"]
    assert "--model-prefix m texts/*.txt'" in shell("train", "texts/*.txt").err
