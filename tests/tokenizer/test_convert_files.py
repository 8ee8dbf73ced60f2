"""Every format to every other: ids stay, what cannot be said is refused, nothing half is written."""

import json

import pytest
from oracle import partners

from spm_lite import byte_tokenizer
from spm_lite.errors import FileError, OptionError
from spm_lite.formats.proof.conversion import hostile_texts
from spm_lite.tokenizer.conversions import write_gpt2
from spm_lite.tokenizer.convert_files import convert, format_of_output
from spm_lite.tokenizer.format_table import all_formats

PATTERN = " *[^ ]+| +"
READ = {"pattern": PATTERN, "lowercase": False}
WAYS = [  # model, format, name of the file
    ("byte_bpe", "tiktoken", "x.tiktoken"),
    ("byte_bpe", "gpt2", "gpt2"),
    ("byte_bpe", "transformers", "folder"),
    ("byte_bpe", "tokenizer.json", "x.json"),
    ("bpe", "transformers", "folder"),
    ("unigram", "tokenizer.json", "x.json"),
    ("wordpiece", "vocab.txt", "vocab.txt"),
    ("wordpiece", "transformers", "folder"),
]


@pytest.fixture
def here(tmp_path, monkeypatch):
    """An empty current folder."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(("kind", "name", "path"), WAYS)
def test_out_and_in_again(kind, name, path, here):
    tok = partners.trained(kind)
    tok.save("m.model")
    out = convert("m.model", path, to=name)
    assert out.read is None
    assert out.written.format == name
    assert out.written.compared > 1000
    asked = {key: value for key, value in READ.items() if key in all_formats()[name].asks and name != "transformers"}
    again = convert(path, "again.model", format=name, **asked)
    assert again.written.exact or again.read.conditions  # those of the reading stay with the model
    assert all(again.tok.encode(text) == tok.encode(text) for text in hostile_texts() if not out.written.unmet(text))
    assert again.read is not None
    assert bool(again.read.conditions) == bool(out.written.conditions)


def test_formats_by_name(here):
    (here / "dir").mkdir()
    for path, expected in (
        ("x", "transformers"),
        ("x.d/", "transformers"),
        ("dir", "transformers"),
        ("b.txt", "vocab.txt"),
        ("x.codes", "subword-nmt"),  # these two can only be read
        ("tekken.json", "tekken.json"),
    ):
        assert format_of_output(path).name == expected
    byte_tokenizer().save("m.model")
    with pytest.raises(OptionError, match="can be read but not written"):
        convert("m.model", "tekken.json")
    with pytest.raises(OptionError, match="to=NAME, one of model, "):
        format_of_output("x.bin")


def test_each_format_is_whole():
    for name, entry in all_formats().items():
        assert entry.name == name
        assert set(entry.options) <= set(entry.asks)
        assert bool(entry.partner) == (entry.prove_read is not None)
        assert (entry.make is None) == (entry.put is None)
        assert entry.endings


def test_nothing_is_written_without_need(here):
    partners.trained("bpe").save("m.model")
    before = sorted(here.iterdir())
    assert not convert("m.model", "", to="transformers", check=True).exact
    for settings, message in (
        ({"to": "tiktoken"}, "byte-level BPE"),
        ({"to": "tokenizer.json", "exact": True}, "not exact, so nothing is written"),
        ({"to": "tokeniser"}, "unknown"),
        ({"format": "tiktoken"}, "pattern"),
    ):
        with pytest.raises(OptionError, match=message):
            convert("m.model", "out", **settings)
    with pytest.raises(FileError, match="exists already"):
        convert("m.model", "m.model")
    assert sorted(here.iterdir()) == before
    convert("m.model", "m.json")
    convert("m.model", "m.json", overwrite=True)


def test_a_difference_that_is_allowed_is_a_condition_of_the_reading(here):
    """Metaspace swallows a space at the start of a text."""
    partners.trained("bpe").save("m.model")
    convert("m.model", "m.json")
    parts = json.loads((here / "m.json").read_text(encoding="utf-8"))
    parts["normalizer"] = None  # spaces become U+2581 there
    metaspace = {"type": "Metaspace", "replacement": "\u2581", "prepend_scheme": "always", "split": True}
    parts["pre_tokenizer"] = {"type": "Sequence", "pretokenizers": [{"type": "WhitespaceSplit"}, metaspace]}
    (here / "meta.json").write_text(json.dumps(parts), encoding="utf-8")
    exact = convert("meta.json", "exact.model")
    assert exact.tok.encode("a\tb") == exact.tok.encode("a b")
    found = convert("meta.json", "x.model", allow="metaspace")
    assert found.read.unmet("a\tb")
    assert any("metaspace" in one.cause.lower() or "swallow" in one.cause for one in found.read.differences)


def test_pair_with_windows_line_ends(here):
    tok = partners.trained("byte_bpe")
    write_gpt2(tok, "pair")
    merges = here / "pair" / "merges.txt"
    merges.write_bytes(merges.read_bytes().replace(b"\n", b"\r\n"))
    found = convert("pair", "x.model", pattern=PATTERN)
    assert found.exact
    assert found.tok.encode("the cat") == tok.encode("the cat")


def test_codes_with_a_vocabulary(here):
    (here / "x.codes").write_text("#version: 0.2\nt h\nth e</w>\n", encoding="utf-8")
    (here / "x.vocab").write_text("th@@ 9\nthe 1\n", encoding="utf-8")
    found = convert("x.codes", "x.model", vocabulary="x.vocab", vocabulary_threshold=2)
    assert found.tok.pieces("the th") == ["th", "e\u2581", "t", "h\u2581"]
    assert found.read is None or found.read.compared > 1000
