"""Every public call that takes memory or threads, on given texts, and a digest of what it returns."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from judging_calls import judging_calls
from serving_calls import serving_calls
from vocabulary_calls import fair_calls, vocabulary_calls

import spm_lite
from spm_lite import Batch, CountTable, SentencePieceProcessor, SentencePieceTrainer, Tokenizer
from spm_lite.engines import shards
from spm_lite.tokenizer.conversions import json_of, write_gpt2

Calls = dict[str, Callable[[], Any]]
SMALL: dict[str, Any] = {"hard_vocab_limit": False}
KINDS = ("unigram", "bpe", "byte_bpe", "char", "word", "wordpiece")
FORMATS = ("bin", "megatron", "datatrove", "parquet")
CL100K = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}"
    r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)


class Inputs:
    """Models of three types, and texts as the calls take them. lines: for calls that are fast, few: for the others."""

    def __init__(self, lines: list[str], n_few: int, folder: Path) -> None:
        self.lines = lines
        self.few = lines[-n_few:]
        self.long = " ".join(lines)
        self.folder = folder
        train = {**SMALL, "vocab_size": 600, "num_threads": 1}
        self.tok = spm_lite.train(self.few, model_type="unigram", **train)
        self.bpe = spm_lite.train(self.few, model_type="bpe", **train)
        self.byte_level = spm_lite.train(self.few, model_type="byte_bpe", **train)
        self.word_pieces = spm_lite.train(self.few, model_type="wordpiece", **train)
        self.pieces = [self.tok.id_to_piece(i) for i in range(len(self.tok) - 60, len(self.tok))]
        self.batch = self.tok.encode_batch(lines, num_threads=1)
        self.lists = self.batch.to_lists()
        self.table = CountTable.count(self.few, num_threads=1)
        self.dropin = SentencePieceProcessor(model_proto=self.tok.to_bytes())
        (folder / "text").write_text("\n".join(lines), encoding="utf-8")
        self.tok.save(folder / "m.model", vocab=True)
        self.table.save(folder / "c.counts")
        self.table.save_tsv(folder / "c.tsv", escapes=True, leave_out=True)
        self.ranks = self.byte_level.to_tiktoken(folder / "m.tiktoken")
        (folder / "gpt2").mkdir()
        self.pattern = write_gpt2(self.byte_level, folder / "gpt2")
        self.split = Tokenizer.from_tiktoken(folder / "m.tiktoken", pattern=CL100K)
        self.word_pieces.save(folder / "vocab.txt", format="vocab.txt")
        (folder / "tokenizer.json").write_text(json_of(self.bpe), encoding="utf-8")


def threaded(given: Inputs, n: int) -> Calls:
    """The calls that use threads: n of them."""
    tok, bpe, lines, few = given.tok, given.bpe, given.lines, given.few
    training = {
        f"train {kind}": lambda kind=kind: spm_lite.train(few, model_type=kind, vocab_size=400, num_threads=n, **SMALL)
        for kind in KINDS
    }
    return {
        **training,
        "train table": lambda: spm_lite.train(given.table, vocab_size=400, num_threads=n, **SMALL),
        "train file": lambda: spm_lite.train(
            given.folder / "text", model_type="bpe", vocab_size=400, num_threads=n, **SMALL
        ),
        "encode_batch": lambda: tok.encode_batch(lines, num_threads=n),
        "encode_batch bpe": lambda: bpe.encode_batch(lines, num_threads=n),
        "encode_batch byte_bpe": lambda: given.byte_level.encode_batch(lines, num_threads=n),
        "encode_batch wordpiece": lambda: given.word_pieces.encode_batch(lines, num_threads=n),
        "encode_batch split": lambda: given.split.encode_batch(lines, num_threads=n),
        "spans_batch split": lambda: given.split.spans_batch(lines, num_threads=n),
        "count_batch split": lambda: given.split.count_batch(lines, num_threads=n),
        "decode_batch split": lambda: given.split.decode_batch(given.split.encode_batch(few), num_threads=n),
        "train sources": lambda: spm_lite.train(
            {"a": few[:-20], "b": few[-20:]}, weights={"a": 1, "b": 2}, vocab_size=400, num_threads=n, **SMALL
        ),
        "sweep": lambda: len(str(spm_lite.sweep(few, [350, 400], num_threads=n, model_type="bpe"))) > 0,
        "encode_lists": lambda: tok.encode_lists(lines, num_threads=n),
        "count_batch": lambda: tok.count_batch(lines, num_threads=n),
        "spans_batch": lambda: tok.spans_batch(lines, num_threads=n),
        "decode_batch": lambda: tok.decode_batch(given.batch, num_threads=n),
        "decode_batch lists": lambda: tok.decode_batch(given.lists, num_threads=n),
        "decode_spans_batch": lambda: tok.decode_spans_batch(given.batch, num_threads=n),
        "sample_batch": lambda: tok.sample_batch(few, alpha=0.5, seed=1, num_threads=n),
        "sample_batch dropout": lambda: bpe.sample_batch(few, dropout=0.1, seed=1, num_threads=n),
        "samples_batch": lambda: tok.lattice.samples_batch(few, 3, seed=1, num_threads=n),
        "nbest_batch": lambda: tok.lattice.nbest_batch(few, 4, num_threads=n),
        "entropy_batch": lambda: tok.lattice.entropy_batch(few, num_threads=n),
        "expected_counts_batch": lambda: tok.lattice.expected_counts_batch(few, num_threads=n),
        "log_prob_batch": lambda: tok.lattice.log_prob_batch(few, num_threads=n),
        "roundtrip_report": lambda: tok.roundtrip_report(few, num_threads=n),
        "CountTable.count": lambda: CountTable.count(lines, num_threads=n),
        "CountTable.count byte_bpe": lambda: CountTable.count(lines, model_type="byte_bpe", num_threads=n),
        "evaluate": lambda: spm_lite.evaluate(tok, lines, num_threads=n),
        "encode_files": lambda: tok.encode_files(given.folder / "text", given.folder / "ids.npy", num_threads=n),
        "drop-in encode": lambda: given.dropin.encode(lines, num_threads=n),
        "drop-in pieces": lambda: given.dropin.encode(few, out_type=str, num_threads=n),
        "drop-in proto": lambda: given.dropin.encode(few, out_type="serialized_proto", num_threads=n),
        "drop-in decode": lambda: given.dropin.decode(given.lists, num_threads=n),
        "drop-in nbest": lambda: given.dropin.nbest_encode(few, nbest_size=3),
        "drop-in parallel_encode": lambda: given.dropin.parallel_encode(given.long, chunk_len=1000, num_threads=n),
        "drop-in entropy": lambda: given.dropin.calculate_entropy(few, 0.5, num_threads=n),
    }


def of_texts(given: Inputs) -> Calls:
    """The calls on one text or one list of ids."""
    tok, long, ids = given.tok, given.long, given.batch.ids.tolist()
    some = "".join(given.few)[:2000]
    return {
        "encode": lambda: tok.encode(long),
        "encode byte_bpe": lambda: given.byte_level.encode(long),
        "encode_segments": lambda: tok.encode_segments([spm_lite.Control("<s>"), spm_lite.Text(long)]),
        "pieces": lambda: tok.pieces(long),
        "count": lambda: tok.count(long),
        "count_up_to": lambda: tok.count(long, limit=10**9),
        "spans": lambda: tok.spans(long),
        "truncate": lambda: tok.truncate(long, 5000),
        "chunks": lambda: list(tok.chunks(long, 500, boundary="word", overlap=20)),
        "normalize": lambda: tok.normalize(long),
        "decode": lambda: tok.decode(ids),
        "decode_bytes": lambda: tok.decode_bytes(ids),
        "decode_spans": lambda: tok.decode_spans(ids),
        "stream": lambda: stream(tok, ids[:3000]),
        "stream_bytes": lambda: stream_bytes(tok, ids[:3000]),
        "patches": lambda: tok.encode_batch([long]).patches(64, pad_id=0),
        "sample": lambda: tok.sample(some, alpha=0.5, seed=1),
        "samples": lambda: tok.lattice.samples(some, 5, seed=1),
        "samples without replacement": lambda: tok.lattice.samples(some, 5, seed=1, replace=False),
        "nbest": lambda: tok.nbest(some, 20),
        "nbest bpe": lambda: given.bpe.nbest(some[:200], 3),
        "entropy": lambda: tok.lattice.entropy(some),
        "expected_counts": lambda: tok.lattice.expected_counts(some),
        "log_prob": lambda: tok.lattice.log_prob(some),
        "drop-in sample": lambda: bool(given.dropin.sample_encode_as_ids(some, -1, 0.5)),
        "drop-in normalize": lambda: given.dropin.normalize(long, with_offsets=True),
        "drop-in offsets": lambda: given.dropin.encode_as_offset_mapping(some),
        "drop-in immutable": lambda: len(given.dropin.encode(some, out_type="immutable_proto").pieces),
    }


def of_models(given: Inputs) -> Calls:
    """The calls on models, tables, batches and their files."""
    tok, folder, table = given.tok, given.folder, given.table
    data = tok.to_bytes()
    return {
        "load": lambda: Tokenizer.load(data),
        "load file": lambda: Tokenizer.load(folder / "m.model"),
        "encode_files formats": lambda: [encode_file(given, name) for name in FORMATS],
        "shards": lambda: run_shards(given),
        "explain": lambda: str(given.bpe.explain("the cat sat")),
        "with_vocab_size": lambda: given.bpe.with_vocab_size(400),
        "to_vocab_txt": lambda: given.word_pieces.save(folder / "again.txt", format="vocab.txt").conditions,
        "to_hf": lambda: given.bpe.to_hf(folder / "hf", overwrite=True).conditions,
        "from_vocab_txt": lambda: Tokenizer.load(folder / "vocab.txt", format="vocab.txt", lowercase=False),
        "from_tokenizer_json": lambda: Tokenizer.load(folder / "tokenizer.json", format="tokenizer.json"),
        "save": lambda: tok.save(folder / "again.model", vocab=True),
        "to_bytes": lambda: tok.to_bytes(),
        "restrict": lambda: tok.restrict(given.pieces),
        "add_pieces": lambda: tok.add_pieces([f"<new{i}>" for i in range(50)]),
        "read_vocab": lambda: spm_lite.read_vocab(folder / "m.vocab"),
        "byte_tokenizer": lambda: spm_lite.byte_tokenizer(),
        "to_tiktoken": lambda: given.byte_level.to_tiktoken(folder / "again.tiktoken"),
        "from_tiktoken": lambda: Tokenizer.from_tiktoken(folder / "m.tiktoken", pattern=given.ranks),
        "to_gpt2": lambda: write_gpt2(given.byte_level, folder / "gpt2"),
        "from_gpt2": lambda: Tokenizer.load(folder / "gpt2", format="gpt2", pattern=given.pattern),
        "clear_cache": lambda: tok.clear_cache(),
        "CountTable.to_bytes": lambda: table.to_bytes(),
        "CountTable sum": lambda: table + table,
        "CountTable.chunks": lambda: len(table.chunks),
        "CountTable.save": lambda: table.save(folder / "again.counts"),
        "CountTable.save_tsv": lambda: table.save_tsv(folder / "again.tsv", escapes=True, leave_out=True),
        "CountTable.load": lambda: CountTable.load(folder / "c.counts"),
        "CountTable.load_tsv": lambda: CountTable.load_tsv(folder / "c.tsv", escapes=True),
        "Batch.from_lists": lambda: Batch.from_lists(given.lists),
        "Batch.to_lists": lambda: given.batch.to_lists(),
        "Batch.to_padded": lambda: given.batch.to_padded(64, pad_id=0, truncate=True),
        "Batch.patches": lambda: given.batch.patches(16, pad_id=0),
        "Batch.checked": lambda: given.batch.checked(),
        "drop-in load": lambda: SentencePieceProcessor(model_proto=data).get_piece_size(),
        "drop-in set_vocabulary": lambda: set_vocabulary(data, given.pieces),
        "drop-in train": lambda: drop_in_training(given.few),
    }


def every(given: Inputs, n: int) -> Calls:
    """The calls of all kinds, by name."""
    return {
        **threaded(given, n), **of_texts(given), **of_models(given), **fair_calls(given, n),
        **vocabulary_calls(given), **judging_calls(given, n), **serving_calls(given, n),
    }  # fmt: skip


def encode_file(given: Inputs, format: str) -> int:
    """The number of ids of a file that is written in a format."""
    name = "of.bin" if format == "bin" else f"of_{format}"
    done = given.tok.encode_files(given.folder / "text", given.folder / name, format=format)
    return done.ids


def run_shards(given: Inputs) -> tuple[Any, ...]:
    """The figures of a job of shards, of which the last is made again."""
    folder = given.folder / "shards"
    plan = shards.plan(given.folder / "text", folder, given.tok, shard_size=2000)
    (folder / f"{len(plan) - 1:05}.json").unlink(missing_ok=True)
    return tuple(plan.run(num_workers=1))


def stream(tok: Tokenizer, ids: list[int]) -> str:
    """The text of ids, one by one."""
    one = tok.stream()
    return "".join(map(one.push, ids)) + one.flush()


def stream_bytes(tok: Tokenizer, ids: list[int]) -> bytes:
    """Decode through `Tokenizer.stream_bytes`, an id at a time."""
    one = tok.stream(as_bytes=True)
    return b"".join(map(one.push, ids)) + one.flush()


def set_vocabulary(data: bytes, pieces: list[str]) -> bool:
    """Restrict a processor of the drop-in."""
    return SentencePieceProcessor(model_proto=data).set_vocabulary(pieces)


def drop_in_training(texts: list[str]) -> bytes:
    """The model that the drop-in trains."""
    file = io.BytesIO()
    SentencePieceTrainer.train(
        sentence_iterator=iter(texts), model_writer=file, vocab_size=400, hard_vocab_limit=False, model_type="bpe"
    )
    return file.getvalue()


def digest(value: Any) -> str:
    """A digest of what a call returned: equal results have equal ones, in any process."""
    return hashlib.blake2b(plain(value), digest_size=12).hexdigest()


def plain(value: Any) -> bytes:
    """The bytes that a digest is made of."""
    if isinstance(value, (Tokenizer, CountTable)):
        return value.to_bytes()
    if isinstance(value, Batch):
        return np.asarray(value.ids).tobytes() + b"|" + np.asarray(value.offsets).tobytes()
    if isinstance(value, np.ndarray):
        return value.tobytes()
    if isinstance(value, tuple):
        return b"".join(plain(one) for one in value)
    return repr(value).encode("utf-8", "surrogatepass")
