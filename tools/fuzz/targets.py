"""What is fuzzed: each target takes one input and fails where something other than the expected happens."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Callable
from contextlib import suppress
from itertools import pairwise
from pathlib import Path
from typing import Any

from mutate import TEXT_FILES
from own_files import readers

from spm_lite import ModelError, OptionError, SpmLiteError, Tokenizer
from spm_lite.base.structures.random import Random
from spm_lite.decode.decode_batch import decode_lists
from spm_lite.decode.decoded_text import decode_text
from spm_lite.formats.byte_level import model_of_ranks
from spm_lite.formats.gguf.reading import model_of_bytes
from spm_lite.formats.hugging_face.read_tokenizer import model_of_json
from spm_lite.formats.proof.conditions import Findings
from spm_lite.formats.ranks.rank_file import read_ranks
from spm_lite.formats.special_tokens import names_after
from spm_lite.formats.subword_nmt import model_of_codes, read_codes, read_vocabulary, split_pieces
from spm_lite.formats.tekken import model_of_tekken, read_tekken
from spm_lite.formats.vocab_txt import bert_model, read_vocab_txt
from spm_lite.kinds import FAMILIES
from spm_lite.lattice.reference_paths import ReferencePaths
from spm_lite.sentencepiece.text_message import write_encoded, write_nbest, write_text
from spm_lite.vocab.split_pattern_names import PATTERNS

# Texts that a model is tried on once it is loaded, and that rules of a damaged normalizer can bite.
TEXTS = (
    b"",
    " a b  c\u2581 the cat ".encode(),
    "é漢字日本語 ﬁ㍿ ①e\u0301 한국 👩\u200d👧🏽".encode(),
    b"<unk><s>[mask]\0\xff\xe2\x96 \xed\xa0\x80\xf0\x9f",
    bytes(range(256)),
    b"ab" * 40 + b"a" * 60,
)
SOUND = 1000  # outcomes from here on are of inputs that were refused
MAX_LISTED = 300  # bytes: of longer texts no other segmentations are looked at
Target = Callable[[bytes], int]  # a number that tells the outcomes of runs apart


class Failed(Exception):
    """An answer that cannot be right."""


def expect(is_right: bool, what: str) -> None:
    if not is_right:
        raise Failed(what)


def load_target(folder: Path) -> Target:
    """Bytes -> a Tokenizer that can be used, or ModelError."""
    return run_load


def run_load(data: bytes) -> int:
    try:
        tok = Tokenizer.load(data)
    except ModelError as error:
        return reason_of(error)
    n_pieces = len(tok)
    lead = b"\xff" if tok._file.settings.added_tokens else b""  # such a model refuses this byte, which is no text
    for text in TEXTS:
        check_encoding(tok, text.replace(lead, b"") if lead else text)
    some_ids = [*range(min(n_pieces, 40)), *range(max(n_pieces - 40, 0), n_pieces)]
    for ids in (some_ids, some_ids[::-1], [0, 0]):
        decode_all_ways(tok, ids)
    for i in some_ids:
        piece = tok._file.vocab.text(i)
        expect(-1 <= tok.piece_to_id(piece) < n_pieces, f"piece_to_id of piece {i}")
    return 0


def reason_of(error: Exception) -> int:
    """The reason of an error is an outcome, what it names is not."""
    reason = re.sub(r"'[^']*'|\"[^\"]*\"|[0-9]+|\\x..|piece .*?:", "", str(error))[:80]
    return SOUND + (
        int.from_bytes(hashlib.blake2b(reason.encode("utf-8", "replace"), digest_size=7).digest(), "little")
    )


def check_encoding(tok: Tokenizer, text: bytes) -> list[int]:
    """Encode one text in every way; all must agree. The ids are returned."""
    if tok.model_type in FAMILIES or tok._file.settings.added_tokens:
        return check_family(tok, text)
    ids = tok.encode(text)
    expect(all(-1 <= i < len(tok) for i in ids), "an id outside the vocabulary")
    expect(-1 not in ids or tok._file.vocab.unknown_index < 0, "id -1 in a model with an unknown piece")
    encoded = tok._encoder.encode_text(text)
    expect(encoded.ids() == ids, "encode_text differs from encode")
    expect(tok.encode_batch([text, b"a", text], num_threads=1).to_lists()[::2] == [ids, ids], "encode_batch differs")
    offsets = encoded.byte_offsets()
    pieces, surfaces = encoded.pieces(), encoded.surfaces()
    expect(len(pieces) == len(surfaces) == len(offsets) == len(encoded.char_offsets()) == len(ids), "lengths differ")
    last = 0
    for (begin, end), surface in zip(offsets, surfaces, strict=True):
        expect(last <= begin <= end <= len(text), "offsets fall, or leave the text")
        expect(surface is None or surface == text[begin:end], "a surface is not the text at its offsets")
        last = begin
    normalized, alignment = tok._encoder.normalizer.normalize(text, True)
    expect(normalized == tok._encoder.normalize(text), "normalize differs with an alignment")
    expect(len(alignment) in (len(normalized) + 1, 0), "an alignment of another length")
    expect(alignment == sorted(alignment) and all(0 <= at <= len(text) for at in alignment), "alignment falls")
    if pieces_join(tok):
        expect(b"".join(pieces) == normalized, "the pieces do not join to the normalized text")
    expect(tok._encoder.pieces(text, False) == pieces, "the short way to the pieces differs")
    message = write_text(text, pieces, ids, surfaces, offsets)
    expect(write_encoded(encoded) == message, "the short way to the message differs")
    check_paths(tok, text)
    if len(text) <= MAX_LISTED and tok.model_type in ("unigram", "bpe"):
        with suppress(OptionError):  # a text that is cut, or pieces that do not join to it
            check_distribution(tok, text, ids)
    return ids


def pieces_join(tok: Tokenizer) -> bool:
    """Whether the pieces of a text join to its normalized form: of a list of merges, characters may vanish."""
    vocab = tok._file.vocab
    listed = vocab.merge_list
    return not vocab.byte_fallback and (listed is None or not (listed.is_by_part() or vocab.unknown_index < 0))


def check_family(tok: Tokenizer, text: bytes) -> list[int]:
    """The same for a model of a method, or with tokens, that SentencePiece lacks: the drop-in's calls know neither."""
    ids = tok.encode(text)
    expect(all(0 <= i < len(tok) for i in ids), "an id outside the vocabulary")
    expect(tok.encode_batch([text, b"a", text], num_threads=1).to_lists()[::2] == [ids, ids], "encode_batch differs")
    expect(tok.encode_batch([text * 3, text], num_threads=2).to_lists()[1] == ids, "two threads differ")
    expect(tok.count(text) == len(ids), "count differs")
    spans = tok.spans(text, unit="byte")
    expect(len(spans) == len(ids), "there are not as many spans as ids")
    expect(all(0 <= begin <= end <= len(text) for begin, end in spans), "a span leaves the text")
    cut = tok.truncate(text, 3)
    expect(text.startswith(cut) and tok.count(cut) <= 3, "a truncated text is no beginning, or too long")
    expect(b"".join(text[begin:end] for begin, end in tok.chunks(text, 5)) == text, "the chunks do not cover the text")
    stream = tok.stream()
    expect("".join(map(stream.push, ids)) + stream.flush() == tok.decode(ids), "the stream differs")
    if tok.info.is_lossless:
        expect(tok.decode_bytes(ids) == text, "a lossless model does not give the text back")
    if tok.model_type == "byte_bpe" and tok.info.split_pattern is None and len(text) <= MAX_LISTED:
        with suppress(OptionError):  # pieces that do not join to the text
            expect(tok.nbest(text, 2)[0].ids == ids, "the list does not begin with the plain encoding")
            tok.sample(text, alpha=0.5, seed=1)
        tok.sample(text, dropout=0.5, seed=1)
    return ids


def check_paths(tok: Tokenizer, text: bytes) -> None:
    """Other segmentations of a text that is not long: each must spell what the best one spells."""
    paths = ReferencePaths(tok._encoder)
    if len(text) > MAX_LISTED or not paths.can_sample:
        return
    random = Random(1)
    drawn = [paths.sample_limited(text, -1, alpha, random, 1000) for alpha in (0.0, 0.5, 3e38)]
    if paths.can_list:
        found = paths.nbest_limited(text, 4, 1000)
        expect(1 <= len(found) <= 4, "a list of the wrong length")
        drawn += [one for one, _ in found]
        drawn += [one for one, _ in paths.sample_scored(text, 3, 0.5, True, True, random)]
        drawn.append(paths.sample_limited(text, 4, 0.5, random, 1000))
        paths.entropy(text, 0.5)
    spelled = {b"".join(one.pieces()) for one in drawn}
    if pieces_join(tok) and tok._file.vocab.is_well_formed:
        expect(spelled == {tok._encoder.normalize(text)}, "a segmentation does not spell the text")


def check_distribution(tok: Tokenizer, text: bytes, ids: list[int]) -> None:
    """The native calls about all segmentations, for BPE models as well: what they say must fit together."""
    found = tok.nbest(text, 4)
    scores = [one.score for one in found[1:]]
    expect(1 <= len(found) <= 4 and found[0].ids == ids, "the list does not begin with the plain encoding")
    expect(all(one >= next - slack(one) for one, next in pairwise(scores)), "scores rise")
    drawn = tok.lattice.samples(text, 3, alpha=0.5, replace=False, seed=1) + tok.lattice.samples(
        text, 2, alpha=0.5, seed=1
    )
    expect(all(one.score <= slack(one.score) for one in drawn), "a probability above 1")
    total = tok.lattice.log_prob(text)
    for one in found + drawn:
        expect(all(-1 <= i < len(tok) for i in one.ids), "an id outside the vocabulary")
        expect(tok.lattice.log_prob(text, one.ids) <= total + slack(total), "a part is more than the whole")
    expect(tok.lattice.entropy(text, alpha=0.5) >= -slack(total), "an entropy below 0")
    counts = tok.lattice.expected_counts(text, alpha=0.5)
    most = len(tok._encoder.normalize(text)) + 1e-6
    expect(all(0 < count <= most for count in counts.values()), "a piece is expected more often than there is room")
    tok.sample(text, nbest_size=3, seed=1)
    if tok.model_type == "bpe":
        expect(tok.sample(text, dropout=0, seed=1) == ids, "no dropout, and another encoding")
        tok.sample(text, dropout=0.5, seed=1)


def slack(sum_of_scores: float) -> float:
    """How far rounding may take such a sum."""
    return 1e-6 * max(1.0, abs(sum_of_scores))


def decode_all_ways(tok: Tokenizer, ids: list[int]) -> bytes:
    """Decode ids in every way; the bytes are returned, ill-formed ones as they are."""
    raw = tok.decode_bytes(ids)
    text = tok.decode(ids)
    shown = tok._decoder.decode_bytes(ids, False)
    expect(shown.decode("utf-8", "replace") == text, "decode and decode_bytes differ")
    expect(decode_lists(tok._decoder, [ids, ids], 1, False) == [text, text], "decode_lists differs")
    pieces = [tok._file.vocab.text(i) for i in ids]
    tok._decoder.decode_pieces(pieces, True)
    spans = tok.decode_spans(ids)
    expect("".join(text[begin:end] for begin, end in spans) == text, "spans of ids do not cover the text")
    if tok.model_type in FAMILIES:
        return raw
    for told in (decode_text(tok._decoder, ids, False), decode_text(tok._decoder, pieces, True)):
        offsets = told.byte_offsets()
        expect(len(offsets) == len(told.surfaces()) == len(told.ids()) == len(ids), "lengths of decoded places differ")
        expect(offsets == sorted(offsets), "decoded places fall")
    return raw


def encode_target(folder: Path) -> Target:
    """Model number and text -> the same ids in every way, and the same as sentencepiece's if that is installed."""
    try:
        import sentencepiece
    except ImportError:
        sentencepiece = None
    paths = sorted((folder / "models").glob("*.model"))
    models: list[tuple[Tokenizer, Any]] = []
    for path in paths:
        tok = Tokenizer.load(path)
        # A lossless model has its own normalized text, which the original cannot make.
        is_own = sentencepiece is None or tok.model_type in FAMILIES
        twin = None if is_own else sentencepiece.SentencePieceProcessor(model_file=str(path))
        models.append((tok, twin))

    def run_encode(data: bytes) -> int:
        number = data[0] % len(models) if data else 0
        tok, twin = models[number]
        text = data[1:]
        ids = check_encoding(tok, text)
        raw = decode_all_ways(tok, ids)
        if tok.model_type in FAMILIES:
            return number
        if tok.info.is_lossless:
            expect(raw == text, "a lossless model does not give the text back")
        elif twin is not None:
            compare(tok, twin, text, ids)
        pieces = tok._encoder.encode_text(text).pieces()
        tok._decoder.decode_pieces(pieces, False)
        return number

    return run_encode


def compare(tok: Tokenizer, twin: Any, text: bytes, ids: list[int]) -> None:
    """Everything about one text against the original."""
    places = twin.encode(text, out_type="offset_mapping")
    encoded = tok._encoder.encode_text(text)
    expect(places["ids"] == ids, "ids differ from the original's")
    expect(places["pieces"] == encoded.pieces(), "pieces differ from the original's")
    expect(places["offsets"] == encoded.byte_offsets(), "offsets differ from the original's")
    expect(twin.normalize(text) == tok._encoder.normalize(text), "normalized text differs from the original's")
    if -1 not in ids:
        theirs = twin.decode(ids, out_type=bytes)
        expect(tok._decoder.decode_bytes(ids, False) == theirs, "decoded text differs from the original's")
        told = decode_text(tok._decoder, ids, False)
        message = write_text(told.text, told.pieces(), told.ids(), told.surfaces(), told.byte_offsets())
        expect(message == twin.decode(ids, out_type="serialized_proto"), "decoded places differ from the original's")
    if tok.model_type == "unigram" and len(text) <= MAX_LISTED:
        found = ReferencePaths(tok._encoder).nbest_limited(text, 5, 0)
        listed = write_nbest([write_encoded(one, score) for one, score in found])
        theirs = twin.nbest_encode(text, nbest_size=5, out_type="serialized_proto")
        expect(listed == theirs, "the n-best list differs from the original's")


def formats_target(folder: Path) -> Target:
    """Number of a reader and a file of another program -> a Tokenizer that can be used, or ModelError."""
    readers = (of_gguf, of_ranks, of_vocab_txt, of_tokenizer_json, of_codes, of_tekken)

    def run_format(data: bytes) -> int:
        number = data[0] % len(readers) if data else 0
        try:
            model = readers[number](data[1:])
        except (ModelError, OptionError) as error:
            expect(isinstance(error, ModelError) or number != 0, f"no ModelError: {error}")
            return SOUND + number + reason_of(error)
        return run_load(model)

    return run_format


def of_gguf(data: bytes) -> bytes:
    return model_of_bytes(data, "x.gguf")


def of_ranks(data: bytes) -> bytes:
    pieces = read_ranks(data, "x.tiktoken")
    special = names_after((), "special_tokens", pieces)
    return model_of_ranks(pieces, special, PATTERNS["o200k_base"], "", "x.tiktoken")


def of_vocab_txt(data: bytes) -> bytes:
    return bert_model(read_vocab_txt(data, "vocab.txt"), True, {}, "vocab.txt")


def of_tokenizer_json(data: bytes) -> bytes:
    return model_of_json(data, "tokenizer.json", Findings())


def of_codes(data: bytes) -> bytes:
    """Codes of subword-nmt; after a NUL, their vocabulary."""
    codes, _, vocabulary = data.partition(b"\0")
    merges = read_codes(codes, "x.codes")
    unused = split_pieces(merges, read_vocabulary(vocabulary, "x.vocab", 2), "x.codes") if vocabulary else set()
    return model_of_codes(merges, "x.codes", unused)


def of_tekken(data: bytes) -> bytes:
    return model_of_tekken(read_tekken(data, "tekken.json"))


def files_target(folder: Path) -> Target:
    """A file of texts, plain or compressed -> an error of ours, or texts that stand in it."""
    from text_files import reading_target  # here, since it needs pyarrow and zstandard

    return reading_target(folder)


COMPILED = ("arrow_rules", "checkpoint", "counts", "rules", "seeds", "table", "table_parquet", "table_tsv", "vocab")


def own_target(folder: Path) -> Target:
    """Number of a reader and a file of our own -> what it gives can be used, or SpmLiteError."""
    place = folder / f"own-files-{os.getpid()}"
    place.mkdir(exist_ok=True)
    found = readers(place, COMPILED)
    chosen = [found[name].use for name in COMPILED if name in found]

    def run_own(data: bytes) -> int:
        number = data[0] % len(chosen) if data else 0
        try:
            chosen[number](data[1:])
        except SpmLiteError as error:
            return SOUND + number + reason_of(error)
        return number

    return run_own


TARGETS = {"load": load_target, "encode": encode_target, "formats": formats_target, "own": own_target}
TARGETS |= dict.fromkeys(TEXT_FILES, files_target)
