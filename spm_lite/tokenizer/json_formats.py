"""Formats with JSON: tokenizer.json, the folders of transformers, the two files of GPT-2, tekken.json of Mistral."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from spm_lite.errors import OptionError
from spm_lite.files.open_files import read_bytes
from spm_lite.formats.gpt2_files import MERGES, VOCAB, merge_pairs, read_vocab_json
from spm_lite.formats.hugging_face import folder_files
from spm_lite.formats.hugging_face.pattern_components import spelled
from spm_lite.formats.hugging_face.write_special_pieces import add_spelled
from spm_lite.formats.hugging_face.write_tokenizer import TOKENIZER
from spm_lite.formats.proof.conditions import Findings
from spm_lite.formats.proof.outgoing import Outgoing
from spm_lite.formats.proof.partner_programs import of_gpt2, of_tiktoken
from spm_lite.formats.proof.prove_tiktoken import GPT2, raw_pattern, to_gpt2_files
from spm_lite.formats.proof.prove_transformers import TRANSFORMERS, incoming, to_folder, to_json
from spm_lite.formats.tekken import read_tekken
from spm_lite.kinds import CONTROL
from spm_lite.tokenizer.format_table import BYTE_LEVEL, Format, Proof, Settings, put_file, put_folder, put_pair
from spm_lite.tokenizer.plain_formats import prove_vocab_list
from spm_lite.tokenizer.tokenizer import Tokenizer


def read_json(path: str, settings: Settings) -> Tokenizer:
    """A tokenizer.json."""
    return Tokenizer._from_json(read_bytes(path), path, settings.findings)


def prove_json(tok: Any, path: str, settings: Settings) -> Proof:
    """tokenizers with the same file."""
    return incoming(tok, read_bytes(path), settings.findings)


def make_json(tok: Any, findings: Findings, settings: Settings) -> Outgoing:
    """The tokenizer.json of a model."""
    return to_json(tok, findings, bos=settings.bos, eos=settings.eos, match_special=settings.match_special)


def read_folder(path: str, settings: Settings) -> Tokenizer:
    """A folder of transformers, by the first of the files that it has."""
    kind, file = folder_files.find_file(path)
    if kind == folder_files.JSON:
        return Tokenizer._from_json(read_bytes(file), file, settings.findings, folder_files.read_config(path))
    if kind == folder_files.VOCAB:
        return Tokenizer.from_vocab_txt(file, lowercase=settings.lowercase)
    return read_pair(path, settings) if kind == folder_files.GPT2 else Tokenizer.load(file)


def prove_folder(tok: Any, path: str, settings: Settings) -> Proof:
    """The program that reads this file of the folder."""
    kind, file = folder_files.find_file(path)
    if kind == folder_files.JSON:
        return prove_json(tok, file, settings)
    if kind == folder_files.VOCAB:
        return prove_vocab_list(tok, file, settings)
    return prove_pair(tok, path, settings) if kind == folder_files.GPT2 else (settings.findings, None)


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
        TRANSFORMERS,
        "a folder that AutoTokenizer of transformers loads",
        (TOKENIZER, *folder_files.MODELS, folder_files.VOCAB),
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
