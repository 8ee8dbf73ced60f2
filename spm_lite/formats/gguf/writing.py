"""The tokenizer of a model as a GGUF file; also in place of that of a file that has tensors."""

from __future__ import annotations

import json
import os
import struct
from collections.abc import Iterator
from typing import Any

from spm_lite.errors import ModelError, OptionError
from spm_lite.formats.byte_level import refuse_listed
from spm_lite.formats.gguf.header import (
    ARRAY,
    FLOAT32,
    INT32,
    MAGIC,
    STRING,
    UINT8,
    VERSIONS,
    Header,
    Value,
    alignment,
    flag,
    header_bytes,
    pair_bytes,
    read_header,
    text,
    whole,
)
from spm_lite.formats.gguf.reading import PRE, PREFIX, ROLES, SPACE
from spm_lite.formats.gpt2_files import merges_of, spell
from spm_lite.formats.split_patterns import named_or_given
from spm_lite.formats.vocab_txt import check_sayable
from spm_lite.kinds import CONTROL, NORMAL, UNKNOWN, UNUSED, USER_DEFINED
from spm_lite.normalize.rules.named_rules import charsmap_of

AT_ONCE = 1 << 22  # bytes copied


def pairs_of(tok: Any) -> dict[str, Value]:
    """The pairs of the tokenizer of a model. Raises OptionError for a model that llama.cpp would read otherwise."""
    makers = {"bpe": llama_pairs, "unigram": t5_pairs, "byte_bpe": gpt2_pairs, "wordpiece": bert_pairs}
    make = makers.get(tok.model_type)
    if make is None:
        raise OptionError(
            f"GGUF has no {tok.model_type} models: it holds bpe, unigram, byte_bpe with a split pattern, and wordpiece"
        )
    refuse_listed(tok._file, "GGUF")
    check_texts(tok)
    kind, found = make(tok)
    ids = {"unk": tok.unk_id, "bos": tok.bos_id, "eos": tok.eos_id, "pad": tok.pad_id}
    roles = {f"{PREFIX}{ROLES[role]}_token_id": whole(i) for role, i in ids.items() if i >= 0}
    return {f"{PREFIX}model": text(kind.encode()), **found, **roles}


def check_texts(tok: Any) -> None:
    """Raise OptionError for what happens to a text in tokenizers, which GGUF has no words for."""
    settings = tok._file.settings
    if tok._file.vocab.has_parts:
        raise OptionError(
            f"llama.cpp would give other ids for this {tok.model_type} model: it cuts a text by "
            f"{tok._file.vocab.splits[0][0]!r:.80} first, and no GGUF of this kind says that"
        )
    if settings.normalizer.steps:
        kinds = ", ".join(json.loads(step)["type"] for step in settings.normalizer.steps)
        raise OptionError(f"llama.cpp would give other ids for this {tok.model_type} model: no GGUF says {kinds}")
    flagged = next((one[0] for one in settings.added_tokens if any(one[1:]) and tok._file.vocab.is_added(one[0])), None)
    if flagged is not None:
        raise OptionError(
            f"llama.cpp would give other ids for this {tok.model_type} model: it finds the added token "
            f"{tok.id_to_piece(flagged)!r:.60} as it stands, and the model by flags"
        )


def lists_of(tok: Any, pieces: list[bytes], types: list[int]) -> dict[str, Value]:
    """The pieces with their scores and types."""
    vocab = tok._file.vocab
    scores = [vocab.score(i) for i in range(len(vocab))]
    return {
        f"{PREFIX}tokens": Value(ARRAY, pieces, STRING),
        f"{PREFIX}scores": Value(ARRAY, scores, FLOAT32),
        f"{PREFIX}token_type": Value(ARRAY, types, INT32),
    }


def own_lists(tok: Any) -> dict[str, Value]:
    """The pieces as the model has them."""
    vocab = tok._file.vocab
    return lists_of(tok, [vocab.text(i) for i in range(len(vocab))], [vocab.type(i) for i in range(len(vocab))])


def check_llama(tok: Any) -> None:
    """Raise OptionError for what a BPE model does and llama.cpp does not."""
    spec, vocab = tok._file.settings.normalizer, tok._file.vocab
    kinds = {vocab.type(i) for i in range(len(vocab))}
    for is_wrong, what in (
        (not vocab.byte_fallback, "it has no byte pieces, and llama.cpp spells unknown characters as bytes"),
        (spec.has_rules, "it normalizes text by rules, and llama.cpp has none"),
        (spec.remove_extra_whitespaces, "it removes extra spaces, and llama.cpp keeps them"),
        (tok._file.settings.treat_whitespace_as_suffix, "its spaces end a piece, and there they begin one"),
        (USER_DEFINED in kinds, "it has user-defined pieces, after which llama.cpp adds a space to the text"),
        (UNUSED in kinds, "it has unused pieces, which llama.cpp gives"),
    ):
        if is_wrong:
            raise OptionError(f"llama.cpp would give other ids for this bpe model: {what}")


def llama_pairs(tok: Any) -> tuple[str, dict[str, Value]]:
    """Pairs of kind llama."""
    check_llama(tok)
    prefix = tok._file.settings.normalizer.add_dummy_prefix
    return "llama", {
        f"{PREFIX}pre": text(b"default"), **own_lists(tok), f"{PREFIX}add_bos_token": flag(False),
        f"{PREFIX}add_eos_token": flag(False), f"{PREFIX}add_space_prefix": flag(prefix),
    }  # fmt: skip


def t5_pairs(tok: Any) -> tuple[str, dict[str, Value]]:
    """Pairs of kind t5."""
    spec, vocab = tok._file.settings.normalizer, tok._file.vocab
    if vocab.byte_fallback:
        raise OptionError(
            "llama.cpp would give other ids for this unigram model: it has byte pieces, which llama.cpp does not use "
            "in unigram models: train with model_type='bpe', or train with byte_fallback=False"
        )
    if tok._file.settings.treat_whitespace_as_suffix:
        raise OptionError("llama.cpp would give other ids for this unigram model: its spaces end a piece")
    if spec.unicode_form:
        raise OptionError(
            f"llama.cpp would give other ids for this unigram model: it normalizes text to {spec.unicode_form}; train "
            "with the rules, such as normalization='nfkc_rules'"
        )
    if any(vocab.type(i) == UNUSED for i in range(len(vocab))):
        raise OptionError("llama.cpp would give other ids for this unigram model: it has unused pieces, which it gives")
    if spec.remove_extra_whitespaces and not spec.add_dummy_prefix:
        raise OptionError(
            "llama.cpp would give other ids for this unigram model: it removes extra spaces and adds none at the "
            "start of a text, and llama.cpp adds one then; train with add_dummy_prefix=True"
        )
    found = {
        f"{PREFIX}pre": text(b"default"), **own_lists(tok), f"{PREFIX}add_bos_token": flag(False),
        f"{PREFIX}add_eos_token": flag(False), f"{PREFIX}add_space_prefix": flag(spec.add_dummy_prefix),
        f"{PREFIX}remove_extra_whitespaces": flag(spec.remove_extra_whitespaces),
    }  # fmt: skip
    if spec.precompiled_charsmap:
        found[f"{PREFIX}precompiled_charsmap"] = Value(ARRAY, spec.precompiled_charsmap, UINT8)
    return "t5", found


def gpt2_pairs(tok: Any) -> tuple[str, dict[str, Value]]:
    """Pairs of kind gpt2. The model must cut text by a pattern that llama.cpp knows by name."""
    vocab = tok._file.vocab
    names = {named_or_given(name): pre for pre, name in reversed(PRE.items())}
    wanted = vocab.split_pattern or vocab.splits
    if wanted not in names:
        raise OptionError(
            f"llama.cpp cuts text by a pattern that it knows by name ({', '.join(dict.fromkeys(PRE.values()))}), and "
            "this model has " + ("none of these" if wanted else "none: its pieces may cross the cuts of any of them")
        )
    pieces = {i: vocab.text(i) for i in range(len(vocab)) if vocab.type(i) == NORMAL}
    others = {vocab.text(i).decode(): i for i in range(len(vocab)) if vocab.type(i) != NORMAL}
    merges = spelled_merges(tok, pieces)
    texts = [spell(vocab.text(i)).encode() if i in pieces else vocab.text(i) for i in range(len(vocab))]
    types = [vocab.type(i) if vocab.type(i) in (NORMAL, USER_DEFINED) else CONTROL for i in range(len(vocab))]
    if len({*texts}) != len(texts):
        raise OptionError(f"a special piece among {', '.join(others):.80} is spelled as another piece")
    return "gpt2", {
        f"{PREFIX}pre": text(names[wanted].encode()), **lists_of(tok, texts, types),
        f"{PREFIX}merges": Value(ARRAY, merges, STRING), f"{PREFIX}add_bos_token": flag(False),
        f"{PREFIX}add_eos_token": flag(False),
    }  # fmt: skip


def spelled_merges(tok: Any, pieces: dict[int, bytes]) -> list[bytes]:
    """The lines of merges, in the order of ranks."""
    vocab = tok._file.vocab
    ordered = sorted(pieces, key=lambda i: (-vocab.score(i), i))
    merged = [i for i in ordered if len(pieces[i]) > 1]
    single = [i for i in ordered if len(pieces[i]) == 1]
    by_rank = {rank: pieces[i] for rank, i in enumerate([*single, *merged])}
    return [f"{left} {right}".encode() for left, right in merges_of(by_rank)]


def bert_pairs(tok: Any) -> tuple[str, dict[str, Value]]:
    """Pairs of kind bert: pieces that begin a word are spelled with U+2581."""
    check_sayable(tok)
    vocab = tok._file.vocab
    texts, types = [], []
    for i in range(len(vocab)):
        piece, kind = vocab.text(i).decode(), vocab.type(i)
        if kind in (CONTROL, UNKNOWN):
            texts.append(piece)
        else:
            texts.append(piece[2:] if piece.startswith("##") and len(piece) > 2 else SPACE + piece)
        types.append(kind)
    lowercase = tok._file.settings.normalizer.precompiled_charsmap == charsmap_of("bert_uncased")
    mask = vocab.find_id(b"[MASK]")
    return "bert", {
        f"{PREFIX}pre": text(b"default"),
        **lists_of(tok, [one.encode() for one in texts], types),
        f"{PREFIX}token_type_count": whole(2),
        f"{PREFIX}add_bos_token": flag(False),
        f"{PREFIX}add_sep_token": flag(False),
        f"{PREFIX}normalizer.lowercase": flag(lowercase),
        f"{PREFIX}cls_token_id": whole(max(tok.bos_id, 0)),
        f"{PREFIX}seperator_token_id": whole(max(tok.eos_id, 0)),
        **({f"{PREFIX}mask_token_id": whole(mask)} if mask >= 0 else {}),
    }


def vocabulary_file(tok: Any) -> bytes:
    """A file that holds the tokenizer alone."""
    pairs = pairs_of(tok)
    kind = pairs[f"{PREFIX}model"].value
    return header_bytes({"general.architecture": text(kind), "general.name": text(b"vocabulary"), **pairs})


def rewritten(tok: Any, path: str | os.PathLike[str]) -> Iterator[bytes]:
    """A file, in blocks, with the tokenizer of a model in place of its own; all other pairs and all tensors stay.

    Raises OptionError at once if the numbers of pieces differ, since tensors have a row for each.
    """
    header = read_header(path)
    before = header.pairs.get(f"{PREFIX}tokens")
    if before is not None and before.item_kind != STRING:
        raise ModelError(f"{os.fspath(path)!r:.200}: {PREFIX}tokens is not an array of strings")
    if before is not None and len(before.value) != len(tok._file.vocab):
        raise OptionError(
            f"{os.fspath(path)!r:.200} has {len(before.value)} pieces, but the model has {len(tok._file.vocab)}: the "
            "tensors have a row for each piece"
        )
    return blocks_of(header, pairs_of(tok), alignment(header.pairs, os.fspath(path)), path)


def blocks_of(header: Header, pairs: dict[str, Value], align: int, path: str | os.PathLike[str]) -> Iterator[bytes]:
    """Yield the file at `path`, which has this header, with other pairs for its tokenizer."""
    kept = [key for key in header.spans if not key.startswith(PREFIX)]
    with open(path, "rb") as file:  # noqa: PTH123
        head = MAGIC + struct.pack("<IQQ", VERSIONS[-1], header.n_tensors, len(kept) + len(pairs))
        head += b"".join(part(file, *header.spans[key]) for key in kept)
        head += b"".join(pair_bytes(key, value) for key, value in pairs.items())
        head += tensors(file, header)
        if header.n_tensors:
            head += bytes(-len(head) % align)
        yield head
        file.seek(header.data_at)
        while data := file.read(AT_ONCE):
            yield data


def part(file: Any, begin: int, end: int) -> bytes:
    """Seek, and read from one offset to another."""
    file.seek(begin)
    data: bytes = file.read(end - begin)
    return data


def tensors(file: Any, header: Header) -> bytes:
    """The descriptions of the tensors, whose offsets count from the first of them."""
    if not header.n_tensors:
        return b""
    file.seek(header.tensors_at)
    begin = header.tensors_at
    for _ in range(header.n_tensors):
        n = struct.unpack("<Q", file.read(8))[0]
        file.seek(n, os.SEEK_CUR)
        n_dimensions = struct.unpack("<I", file.read(4))[0]
        file.seek(8 * n_dimensions + 12, os.SEEK_CUR)
    return part(file, begin, file.tell())
