"""llama.cpp in the shared library of xllamacpp."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import spm_lite
from spm_lite.formats.proof import llama_cpp_program
from spm_lite.formats.proof.llama_cpp_program import Library, of_llama_cpp


def test_it_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(llama_cpp_program, "module_named", lambda name: None)
    assert of_llama_cpp("m.gguf", True) is None


def test_ids_of_a_gguf_file(tmp_path: Path) -> None:
    pytest.importorskip("xllamacpp")
    tok = spm_lite.train(["the cat sat"] * 9, model_type="bpe", vocab_size=272)
    tok.to_gguf(tmp_path / "m.gguf")
    texts = ["the cat", "", "sat\0 sat", "caf\u00e9 <s>"]
    plain = of_llama_cpp(str(tmp_path / "m.gguf"), False)
    assert plain is not None and plain.encode(texts) == tok.encode_lists(texts) and plain.decode([[1]]) is None
    special = of_llama_cpp(str(tmp_path / "m.gguf"), True)
    assert special is not None and special.encode(["<s>"]) == [[tok.bos_id]]
    (tmp_path / "x.gguf").write_bytes(b"GGUF")
    with pytest.raises(spm_lite.ModelError, match="does not load"):
        Library().load(tmp_path / "x.gguf")


@pytest.mark.parametrize(
    "options",
    [
        {"model_type": "bpe"},
        {"model_type": "bpe", "add_dummy_prefix": False},
        {"byte_fallback": False},
        {"byte_fallback": False, "add_dummy_prefix": False},
        {"byte_fallback": False, "remove_extra_whitespaces": True},
    ],
)
def test_our_reader_gives_its_ids_beside_special_tokens(tmp_path: Path, options: dict[str, Any]) -> None:
    pytest.importorskip("xllamacpp")
    tok = spm_lite.train(["the cat sat"] * 9, vocab_size=280, hard_vocab_limit=False, **options)
    tok.to_gguf(tmp_path / "m.gguf")
    special, own = of_llama_cpp(str(tmp_path / "m.gguf"), True), spm_lite.load(tmp_path / "m.gguf")
    texts = ["the</s>cat", "</s></s>sat", "a </s>  the", "the  </s>", "cat<s>", "<s>\nthe  cat</s> a"]
    assert special is not None
    assert special.encode(texts) == [own.encode(text, allow_special="all") for text in texts]
