"""GGUF files of llama.cpp. Its own program is in no package index, so that our reader compares."""

from __future__ import annotations

from typing import Any

from spm_lite.formats.gguf.reading import model_of_bytes
from spm_lite.formats.gguf.writing import vocabulary_file
from spm_lite.formats.hugging_face.text_conditions import add_canonical_order, add_near_ties, add_text_conditions
from spm_lite.formats.proof.conditions import Findings, examples, spells_none
from spm_lite.formats.proved.outgoing import FILE, Outgoing
from spm_lite.kinds import SPACE, USER_DEFINED

GGUF = "gguf"
SPACES = " \u2581"


def to_vocabulary_file(tok: Any, findings: Findings) -> Outgoing:
    """The file of a model, without tensors. Raises OptionError for a model that llama.cpp reads otherwise."""
    data = vocabulary_file(tok)
    add_conditions(tok, findings)
    return Outgoing(
        GGUF, {FILE: data}, findings, lambda: None, lambda: type(tok)._from_bytes(model_of_bytes(data, GGUF), GGUF)
    )


def add_conditions(tok: Any, findings: Findings) -> None:
    """Report what a text must meet in llama.cpp."""
    file = tok._file
    spec = file.settings.normalizer
    if tok.model_type == "bpe":
        add_text_conditions(tok, findings)
    elif tok.model_type == "unigram":
        add_near_ties(tok, [(tok.id_to_piece(i), tok.score(i)) for i in range(len(tok))], findings)
        if spec.remove_extra_whitespaces:
            findings.add("U+2581", "no U+2581 in the text", lambda text: SPACE not in text)
        else:
            findings.add("spaces alone", "no text of spaces alone", lambda text: not text or bool(text.strip(SPACES)))
        add_symbols(tok, findings)
    elif tok.model_type == "byte_bpe" and spec.precompiled_charsmap:
        findings.add("normalized", "the text is in NFC", lambda text: tok.normalize(text) == text)
        add_canonical_order(tok, findings)


def add_symbols(tok: Any, findings: Findings) -> None:
    """Report user-defined symbols: llama.cpp cuts a text there, adds a space to what follows, and scores them otherwise."""
    symbols = [text.decode("utf-8", "replace") for text in tok._file.vocab.texts_of_type(USER_DEFINED)]
    if symbols:
        is_free = spells_none({*symbols, *(symbol.replace(" ", SPACE) for symbol in symbols)})
        findings.add(
            "symbols",
            f"no user-defined symbol, such as {examples(symbols)}",
            lambda text: is_free(text) and is_free(tok.normalize(text)),
        )
