"""The table of formats: what `spm-lite convert` reads and writes. A new format is one more entry."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from spm_lite.errors import OptionError
from spm_lite.files.open_files import read_bytes
from spm_lite.formats.gpt2_files import MERGES, VOCAB, merge_pairs, read_vocab_json
from spm_lite.formats.hugging_face import folder
from spm_lite.formats.hugging_face.components import TOKENIZER, spelled
from spm_lite.formats.hugging_face.write_normalizer import add_canonical_order
from spm_lite.formats.hugging_face.write_special_pieces import add_spelled
from spm_lite.formats.proof.conditions import Findings
from spm_lite.formats.proof.conversion import FILE, Outgoing
from spm_lite.formats.proof.partner_programs import of_gpt2, of_subword_nmt, of_tiktoken
from spm_lite.formats.proof.prove_files import (
    GPT2,
    TIKTOKEN,
    TRANSFORMERS,
    VOCAB_TXT,
    incoming,
    raw_pattern,
    to_folder,
    to_gpt2_files,
    to_json,
    to_rank_file,
    to_vocab_list,
)
from spm_lite.formats.proof.prove_gguf import GGUF, to_vocabulary_file
from spm_lite.formats.ranks.rank_file import read_ranks
from spm_lite.formats.subword_nmt import SPACE, read_vocabulary
from spm_lite.formats.tekken import read_tekken
from spm_lite.kinds import CONTROL
from spm_lite.near_names import near_names
from spm_lite.tokenizer.format_entry import BYTE_LEVEL, Format, Proof, Settings, put_file, put_folder, put_pair
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


def read_json(path: str, settings: Settings) -> Tokenizer:
    """Read what Hugging Face tokenizers writes."""
    return Tokenizer._from_json(read_bytes(path), path, settings.findings)


def prove_json(tok: Any, path: str, settings: Settings) -> Proof:
    """tokenizers with the same file."""
    return incoming(tok, read_bytes(path), settings.findings)


def make_json(tok: Any, findings: Findings, settings: Settings) -> Outgoing:
    """The tokenizer.json of a model."""
    return to_json(tok, findings, bos=settings.bos, eos=settings.eos, match_special=settings.match_special)


def read_folder(path: str, settings: Settings) -> Tokenizer:
    """A folder of transformers, by the first of the files that it has."""
    kind, file = folder.find_file(path)
    if kind == folder.JSON:
        return Tokenizer._from_json(read_bytes(file), file, settings.findings, folder.read_config(path))
    if kind == folder.VOCAB:
        return Tokenizer.from_vocab_txt(file, lowercase=settings.lowercase)
    return read_pair(path, settings) if kind == folder.GPT2 else Tokenizer.load(file)


def prove_folder(tok: Any, path: str, settings: Settings) -> Proof:
    """The program that reads this file of the folder."""
    kind, file = folder.find_file(path)
    if kind == folder.JSON:
        return prove_json(tok, file, settings)
    if kind == folder.VOCAB:
        return prove_vocab_list(tok, file, settings)
    return prove_pair(tok, path, settings) if kind == folder.GPT2 else (settings.findings, None)


def make_folder(tok: Any, findings: Findings, settings: Settings) -> Outgoing:
    """The folder of a model."""
    return to_folder(
        tok, findings, bos=settings.bos, eos=settings.eos, match_special=settings.match_special,
        settings=settings.folder,
    )  # fmt: skip


def read_pair(path: str, settings: Settings) -> Tokenizer:
    """vocab.json and merges.txt; without a name or pattern they are read as GPT-2's own."""
    name = "gpt2" if settings.name is None and settings.pattern is None else settings.name
    return Tokenizer.from_gpt2(path, pattern=settings.pattern, name=name, special_tokens=settings.special_tokens or ())


def prove_pair(tok: Any, path: str, settings: Settings) -> Proof:
    """tokenizers with the same two files, and with their special tokens."""
    vocab = tok._file.vocab
    if tok._file.settings.normalizer.precompiled_charsmap:
        raise OptionError("GPT-2's files do not say that a text is normalized first: read them without --name qwen2")
    special = {i: vocab.text(i).decode() for i in range(vocab.size) if vocab.type(i) == CONTROL}
    add_spelled(tok._file, special, False, tok.normalize, settings.findings)
    ids = read_vocab_json(read_bytes(Path(path, VOCAB)), VOCAB)
    pieces = {vocab.text(i): i for i in range(vocab.size) if i not in special}
    pattern = spelled(settings.pattern or raw_pattern(tok, pieces))
    return settings.findings, of_gpt2(ids, merge_pairs(read_bytes(Path(path, MERGES))), pattern)


def prove_tekken(tok: Any, path: str, settings: Settings) -> Proof:
    """tiktoken with the same pieces, as mistral-common has it."""
    found = read_tekken(read_bytes(path), path)
    return settings.findings, of_tiktoken({piece: i for i, piece in found.pieces.items()}, found.pattern)


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
    Format(
        TRANSFORMERS,
        "a folder that AutoTokenizer of transformers loads",
        (TOKENIZER, *folder.MODELS, folder.VOCAB),
        is_folder=True,
        asks=(*BYTE_LEVEL, "lowercase", "folder"),
        read=read_folder,
        prove_read=prove_folder,
        make=make_folder,
        put=put_folder,
    ),
    Format(
        TOKENIZER,
        "the file of tokenizers alone",
        (".json",),
        read=read_json,
        prove_read=prove_json,
        make=make_json,
        put=put_file,
    ),
    Format(
        GPT2,
        "a folder with vocab.json and merges.txt",
        (VOCAB, MERGES),
        is_folder=True,
        asks=BYTE_LEVEL,
        read=read_pair,
        prove_read=prove_pair,
        make=lambda tok, findings, settings: to_gpt2_files(tok, findings),
        put=put_pair,
    ),
    Format(
        "tekken.json",
        "the file of mistral-common",
        ("tekken.json",),
        read=lambda path, settings: Tokenizer.from_tekken(path),
        prove_read=prove_tekken,
    ),
)


def all_formats() -> dict[str, Format]:
    """The formats by name."""
    return {entry.name: entry for entry in FORMATS}


def format_named(name: str) -> Format:
    """The format with a name. Raises OptionError for one that is unknown."""
    known = all_formats()
    if name not in known:
        near = " or ".join(near_names(name, known))
        raise OptionError(f"the format {name!r:.60} is unknown{f' (did you mean {near}?)' if near else ''}: "
                          f"the formats are {', '.join(known)}")  # fmt: skip
    return known[name]
