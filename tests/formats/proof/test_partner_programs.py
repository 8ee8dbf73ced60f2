"""Other programs that read files back: what they need is there before they begin."""

import json
from pathlib import Path
from types import SimpleNamespace

import pytest

import spm_lite
from spm_lite.formats.proof import partner_programs


def test_too_little_memory_is_an_error_before_the_program_begins():
    partner_programs.check_room(1 << 20)
    with pytest.raises(MemoryError, match="reads a file back needs"):
        partner_programs.check_room(1 << 62)


def test_a_lack_of_memory_is_no_failure_of_the_program(monkeypatch):
    monkeypatch.setattr(partner_programs, "ROOM", 1 << 62)
    partner = partner_programs.Partner("none", lambda texts: [[1]] * len(texts), None)
    with pytest.raises(MemoryError):
        partner.encode(["a"])


CALLS: list[dict] = []  # options of each call of the stand-in below


class Release1:
    """A Tokenizer as tokenizers 1.0 has it: of a file, without parts."""

    def __init__(self, native):
        self.native = native

    @classmethod
    def from_file(cls, path):
        if json.loads(Path(path).read_text(encoding="utf-8"))["model"]["type"] == "Unigram":
            raise ValueError("not in this release")
        return cls(spm_lite.load(path))

    def encode_batch(self, texts, **options):
        CALLS.append(options)
        return [SimpleNamespace(ids=tuple(ids)) for ids in self.native.encode_lists(texts)]

    def decode(self, ids, skip_special_tokens=True):
        return self.native.decode(ids)


def test_a_release_without_parts_reads_files(monkeypatch, tmp_path):
    module = SimpleNamespace(Tokenizer=Release1)
    monkeypatch.setattr(partner_programs, "module_named", lambda name: module if name == "tokenizers" else None)
    lines = ["the cat sat on the mat"] * 20
    tok = spm_lite.train(lines, model_type="byte_bpe", vocab_size=270)
    conversion = tok.to_hf(tmp_path / "bytes", verify=lines)
    assert conversion.n_verified_differences == 0
    assert CALLS[-1] == {
        "add_special_tokens": False, "encode_special_tokens": False, "padding": None, "truncation": None,
    }  # fmt: skip
    n_calls = len(CALLS)
    assert spm_lite.load(tmp_path / "bytes" / "tokenizer.json", verify=lines).encode(lines[0]) == tok.encode(lines[0])
    assert len(CALLS) > n_calls
    n_calls = len(CALLS)
    spm_lite.train(lines, model_type="unigram", vocab_size=270).to_hf(tmp_path / "pieces", verify=lines)
    assert len(CALLS) == n_calls  # our own reader compares, as without tokenizers
    tok.save(tmp_path / "two", format="gpt2")
    assert len(CALLS) == n_calls
