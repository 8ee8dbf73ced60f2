"""Formats without JSON of tokenizers: our model, rank files of tiktoken, BERT's vocab.txt, GGUF, subword-nmt."""

from __future__ import annotations

from typing import Any

from spm_lite.files.open_files import read_bytes
from spm_lite.formats.hugging_face.text_conditions import add_canonical_order
from spm_lite.formats.proof.conditions import Findings
from spm_lite.formats.proof.outgoing import FILE, Outgoing
from spm_lite.formats.proof.partner_programs import of_subword_nmt, of_tiktoken
from spm_lite.formats.proof.prove_bert import VOCAB_TXT, to_vocab_list
from spm_lite.formats.proof.prove_gguf import GGUF, to_vocabulary_file
from spm_lite.formats.proof.prove_tiktoken import TIKTOKEN, raw_pattern, to_rank_file
from spm_lite.formats.ranks.rank_file import read_ranks
from spm_lite.formats.subword_nmt import SPACE
from spm_lite.formats.subword_nmt_vocabulary import read_vocabulary
from spm_lite.tokenizer.format_table import BYTE_LEVEL, Format, Proof, Settings, put_file
from spm_lite.tokenizer.tokenizer import Tokenizer

MODEL = "model"


def make_model(tok: Any, findings: Findings, settings: Settings) -> Outgoing:
    """Our own file, which SentencePiece reads too if the model is of one of its types."""
    data = tok.to_bytes()
    return Outgoing(MODEL, {FILE: data}, findings, lambda: None, lambda: Tokenizer._from_bytes(data))


def read_rank_file(path: str, settings: Settings) -> Tokenizer:
    """A rank file, with the pattern or the name that the caller gives."""
    return Tokenizer.from_tiktoken(
        path, pattern=settings.pattern, name=settings.name, special_tokens=settings.special_tokens
    )


def prove_rank_file(tok: Any, path: str, settings: Settings) -> Proof:
    """tiktoken with the same ranks; it does not normalize, whatever the name says."""
    findings = settings.findings
    if tok._file.settings.normalizer.precompiled_charsmap:
        findings.add("normalized", "the text is in NFC", lambda text: tok.normalize(text) == text)
        add_canonical_order(tok, findings)
    ranks = {piece: rank for rank, piece in read_ranks(read_bytes(path), path).items()}
    return findings, of_tiktoken(ranks, settings.pattern or raw_pattern(tok, ranks))


def read_vocab_list(path: str, settings: Settings) -> Tokenizer:
    """A vocab.txt."""
    return Tokenizer.from_vocab_txt(path, lowercase=settings.lowercase)


def prove_vocab_list(tok: Any, path: str, settings: Settings) -> Proof:
    """tokenizers with the same pieces."""
    found = to_vocab_list(tok, settings.findings)
    return found.findings, found.make_partner()


def read_code_file(path: str, settings: Settings) -> Tokenizer:
    """Codes of subword-nmt, with a vocabulary or without."""
    return Tokenizer.from_subword_nmt(
        path, vocabulary=settings.vocabulary, vocabulary_threshold=settings.vocabulary_threshold
    )


def prove_codes(tok: Any, path: str, settings: Settings) -> Proof:
    """subword-nmt with the same codes; its symbols as our ids."""
    findings = settings.findings
    findings.add("space", "no U+2581 in the text", lambda text: SPACE not in text)
    findings.add("ends", "no CR or LF at the ends of the text", lambda text: text.strip(" ") == text.strip("\r\n "))
    if settings.vocabulary is None:
        return findings, of_subword_nmt(tok, path)
    known = read_vocabulary(read_bytes(settings.vocabulary), settings.vocabulary, settings.vocabulary_threshold)
    return findings, of_subword_nmt(tok, path, known)


FORMATS = (
    Format(
        MODEL,
        "a model of spm_lite or SentencePiece",
        (".model",),
        read=lambda path, settings: Tokenizer.load(path),
        make=make_model,
        put=put_file,
    ),
    Format(
        TIKTOKEN,
        "a rank file of tiktoken; reading needs --name or --pattern",
        (".tiktoken",),
        asks=BYTE_LEVEL,
        read=read_rank_file,
        prove_read=prove_rank_file,
        make=lambda tok, findings, settings: to_rank_file(tok, findings),
        put=put_file,
    ),
    Format(
        VOCAB_TXT,
        "BERT's list of pieces; reading needs --lowercase or --no-lowercase",
        (".txt",),
        asks=("lowercase",),
        read=read_vocab_list,
        prove_read=prove_vocab_list,
        make=lambda tok, findings, settings: to_vocab_list(tok, findings),
        put=put_file,
    ),
    Format(
        GGUF,
        "a file of llama.cpp; only its tokenizer is read, and none of its tensors are written",
        (".gguf",),
        read=lambda path, settings: Tokenizer.from_gguf(path),
        make=lambda tok, findings, settings: to_vocabulary_file(tok, findings),
        put=put_file,
    ),
    Format(
        "subword-nmt",
        "codes of subword-nmt, with its --vocabulary or without",
        (".codes",),
        asks=("vocabulary", "vocabulary_threshold"),
        read=read_code_file,
        prove_read=prove_codes,
    ),
)
