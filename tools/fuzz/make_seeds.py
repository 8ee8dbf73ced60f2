"""The first inputs of the fuzzers: `python tools/fuzz/make_seeds.py DIR` fills folders of DIR.

models: small models of every type, for the fuzzer of encoding. load: the smallest of them, models with tiny rules and
odd pieces, and a few hostile ones. formats: small files of other programs, behind the number of a reader. encode: texts
in many scripts, each behind the number of a model. arrow, parquet, csv, jsonl, gz, bz2, xz, zst: small files of texts.
"""

from __future__ import annotations

import argparse
import json
import struct
from base64 import b64encode
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from mutate import TEXT_FILES
from own_files import readers
from targets import COMPILED

from spm_lite import byte_tokenizer, train
from spm_lite.base.structures.double_array import build_units
from spm_lite.formats.byte_level import model_of_ranks
from spm_lite.formats.gguf.header import ARRAY, FLOAT32, INT32, STRING, UINT8, Value, flag, header_bytes, text, whole
from spm_lite.formats.gpt2_files import spell
from spm_lite.formats.ranks.rank_file import rank_lines
from spm_lite.formats.ranks.rank_table import RankTable
from spm_lite.kinds import MODEL_TYPES
from spm_lite.normalize.rules.named_rules import compile_rules
from spm_lite.specs import REFERENCE_DEFAULTS, NormalizerSpec, TrainerSpec
from spm_lite.tokenizer.conversions import json_of
from spm_lite.vocab.model_writer import write_model
from spm_lite.vocab.split_pattern_names import PATTERNS

CORPUS = [
    "the cat sat on the mat, the other cats sat there too",
    "an other thing is nothing; everything is something 2024 1999",
    "été déjà naïve cafés, Straße groß 100 % ①②",
    "日本語のテキストと漢字、ひらがなカタカナ。 日本の本",
    "한국어 문장과 단어 한국의 말",
    "ภาษาไทยไม่มีช่องว่าง עברית العربية",
    "👩\u200d👧 🏽 🇯🇵 e\u0301 a\u0323\u0301 \u2581 <sep> [mask]",
] * 3
TEXTS = [
    *CORPUS[:7], "", " ", "  two  spaces  ", "\u2581\u2581a\u2581", "\u3000\u00a0\t\r\n", "\0a\0", "<unk><s></s><0x41>",
    "ﬁ㍿ﾊﾟ９Ａ", "ᄒ\u1161\u11ab", "a" * 60, " a" * 40, "\u0378\ufffd\ufeff\U0010ffff",
]  # fmt: skip
ILL_FORMED = [b"\xff\xfe", b"a\xe2\x96b\xe2", b"\xed\xa0\x80 \xf4\x90\x80\x80", b"\xc0\x80\xf0\x9f\x91"]
TINY_RULES = {"a": "x", "ab": "", "é": "e", "ﬁ": "fi", "\u3000": " ", "漢": "kan ji", "e\u0301": "é", "🤗": " : "}
BYTES = [(b"<0x%02X>" % byte, 0.0, 6) for byte in range(256)]
PLAIN = TrainerSpec(byte_fallback=False, lossless=False)


def trained() -> Iterator[tuple[str, bytes]]:
    """Models of every type, each with other settings."""
    for model_type in MODEL_TYPES:
        native = {"vocab_size": 420, "hard_vocab_limit": False}
        plain = {**REFERENCE_DEFAULTS, "character_coverage": 1.0, "vocab_size": 150, "hard_vocab_limit": False}
        yield f"{model_type}_native", train(CORPUS, model_type=model_type, num_threads=1, **native).to_bytes()
        yield (
            f"{model_type}_nfkc",
            train(
                CORPUS, model_type=model_type, num_threads=1, normalization="nmt_nfkc", remove_extra_whitespaces=True,
                user_defined_symbols=["<sep>", "カ", "th"], control_symbols=["<ctl>"], **plain,
            ).to_bytes(),
        )  # fmt: skip
        yield (
            f"{model_type}_suffix",
            train(
                CORPUS, model_type=model_type, num_threads=1, treat_whitespace_as_suffix=True, normalization="nfkc_cf",
                **plain,
            ).to_bytes(),
        )  # fmt: skip


def written() -> Iterator[tuple[str, bytes]]:
    """Models of a few pieces with every kind among them, tiny rules, and all flags."""
    pieces = [(b"<unk>", 0.0, 2), (b"<s>", 0.0, 3), (b"</s>", 0.0, 3), ("\u2581".encode(), -1.0, 1), (b"a", -1.0, 1)]
    pieces += [(b"b", -1.5, 1), (b"ab", -2.0, 1), (b"aba", -1.0, 5), (b"abab", -0.5, 1), ("é".encode(), -2.0, 1)]
    pieces += [("\u2581a".encode(), -0.5, 1), (b"<sep>", 0.0, 4), ("漢".encode(), 0.0, 4), (b"x", -3.0, 1)]
    odd = [*pieces, (b"\xe2\x96", -1.0, 1), (b"\xff", -1.0, 1), (b" ", -1.0, 1), (b"a b", -1.0, 1)]
    tiny = compile_rules(TINY_RULES)
    for model_type in MODEL_TYPES:
        spec = replace(PLAIN, model_type=model_type)
        rules = NormalizerSpec(precompiled_charsmap=tiny, remove_extra_whitespaces=True)
        yield f"{model_type}_small", write_model(pieces, spec, NormalizerSpec())
        yield f"{model_type}_rules", write_model(pieces, spec, rules, NormalizerSpec("", tiny, False, False, False))
        yield f"{model_type}_odd", write_model(odd, spec, NormalizerSpec(add_dummy_prefix=False))
        yield f"{model_type}_open", write_model(odd, spec, NormalizerSpec(escape_whitespaces=False))
        no_unknown = replace(spec, byte_fallback=True, treat_whitespace_as_suffix=True, unk_surface="?")
        yield f"{model_type}_bytes", write_model([*BYTES, *pieces[1:]], no_unknown, rules)


def families() -> Iterator[tuple[str, bytes]]:
    """Models of the methods that SentencePiece lacks."""
    cuts = {"prefix": {}, "suffix": {"treat_whitespace_as_suffix": True}, "whole": {"split_by_whitespace": False}}
    for name, options in cuts.items():
        tok = train(CORPUS, model_type="byte_bpe", vocab_size=300, hard_vocab_limit=False, num_threads=1, **options)
        yield f"byte_bpe_{name}", tok.to_bytes()
    pieces = {i: bytes([i]) for i in range(256)}
    for i, piece in enumerate((b"th", b"the", b" the", b"12", "\u4e16".encode(), b"\n\n", b"unreachable"), 256):
        pieces[i] = piece
    for name in PATTERNS:
        yield f"split_{name}", model_of_ranks(RankTable(pieces), {len(pieces): "<|end|>"}, PATTERNS[name], "", name)
    for name, options in {
        "bert": {"normalization": "bert_cased"},
        "plain": {"normalization": "identity", "split_by_punctuation": False, "unknown": "char", "max_word_length": 9},
        "open": {"normalization": "identity", "continuation_prefix": "", "objective": "frequency"},
    }.items():
        options = {"vocab_size": 120, "hard_vocab_limit": False, "num_threads": 1, **options}
        yield f"wordpiece_{name}", train(CORPUS, model_type="wordpiece", **options).to_bytes()
    yield "byte_t5", byte_tokenizer().to_bytes()
    yield "byte_odd", byte_tokenizer(["<s>"], ["</s>", "<pad>"], unk_piece="").to_bytes()


def hostile() -> Iterator[tuple[str, bytes]]:
    """Models that are damaged in ways that chance finds slowly."""
    pieces = [(b"<unk>", 0.0, 2), (b"a", -1.0, 1)]
    for name, units in {
        "cycle": cyclic_units(),
        "chain": list(struct.unpack("<256I", build_units({b"a" * size: 0 for size in range(1, 60)}))),
    }.items():
        blob = struct.pack(f"<I{len(units)}I", 4 * len(units), *units) + b"abc\0"
        yield name, write_model(pieces, PLAIN, NormalizerSpec(precompiled_charsmap=blob))
    model = write_model(pieces, PLAIN, NormalizerSpec())
    yield "groups", model + b"\x3b" * 90 + b"\x3c" * 90
    yield "group_in_spec", model + b"\x12\x04\x13\x08\x01\x14"
    yield "many_empty", b"\x0a\x00" * 500
    yield "extension", model + b"\x82\xe7\x0e\x02\x08\x01"


def cyclic_units() -> list[int]:
    """An array whose root has one child, on "a", that has the same children."""
    units = [(i ^ 0xFF) & 0xFF for i in range(256)]
    child = 1 ^ ord("a")
    units[0] = 1 << 10
    units[child] = ord("a") | (child ^ 1) << 10
    return units


def format_seeds() -> Iterator[tuple[str, bytes]]:
    """Small files of other programs, each behind the number of its reader."""
    for kind, pairs in gguf_pairs():
        yield f"gguf_{kind}", b"\0" + header_bytes(pairs)
    ranks = {i: bytes([i]) for i in range(256)} | {256: b"th", 257: b"the", 258: b" the"}
    yield "ranks", b"\1" + rank_lines(ranks)
    for name, data in json_files():
        yield f"json_{name}", b"\3" + data
    codes = "#version: 0.2\nt h\nth e</w>\ni n\nin g</w>\nth in\né t</w>\n".encode()
    yield "codes", b"\4" + codes
    yield "codes_old", b"\4t h\nth e\ne </w>\nthe </w>\n"
    yield "codes_vocabulary", b"\4" + codes + b"\0th@@ 9\nthe 1\nin@@ 2\ni@@ 7\nn 8\n"
    tekken = {
        "config": {
            "pattern": PATTERNS["tekken"],
            "default_vocab_size": 262,
            "default_num_special_tokens": 4,
            "version": "v7",
        },
        "vocab": [{"rank": i, "token_bytes": b64encode(piece).decode()} for i, piece in ranks.items()],
        "special_tokens": [{"rank": i, "token_str": f"<{i}>", "is_control": True} for i in range(3)],
    }
    yield "tekken", b"\5" + json.dumps(tekken).encode()
    yield "vocab_txt", b"\2[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\na\nb\n##b\nab\n" + "é\n漢\n".encode()


def gguf_pairs() -> Iterator[tuple[str, dict[str, Value]]]:
    """The pairs of a small file of each kind."""
    plain = [b"<unk>", b"<s>", b"</s>", b"a", b"b", b"ab", "\u2581".encode(), "\u2581a".encode(), "é".encode()]
    bert = [b"[PAD]", b"[UNK]", b"[CLS]", b"[SEP]", "\u2581a".encode(), b"b", "\u2581ab".encode(), b"[unused1]", b"e"]
    gpt2 = [spell(bytes([i])).encode() for i in range(256)] + [b"th", b"the", b"<|end|>"]
    common = {"tokenizer.ggml.bos_token_id": whole(1), "tokenizer.ggml.add_space_prefix": flag(True)}
    rules = Value(ARRAY, compile_rules(TINY_RULES), UINT8)
    for kind, tokens, types, own in (
        ("llama", [*plain, *(piece for piece, _, _ in BYTES)], [2, 3, 3] + [1] * 6 + [6] * 256, {}),
        ("t5", plain, [2, 3, 3, 1, 1, 1, 1, 1, 4], {"tokenizer.ggml.precompiled_charsmap": rules}),
        ("bert", bert, [3, 2, 3, 3, 1, 1, 1, 1, 1], {"tokenizer.ggml.seperator_token_id": whole(3)}),
        ("gpt2", gpt2, [1] * 258 + [3], {
            "tokenizer.ggml.pre": text(b"gpt-2"), "tokenizer.ggml.merges": Value(ARRAY, [b"t h", b"th e"], STRING),
        }),
    ):  # fmt: skip
        yield kind, {
            "general.architecture": text(kind.encode()), "tokenizer.ggml.model": text(kind.encode()),
            "tokenizer.ggml.tokens": Value(ARRAY, tokens, STRING),
            "tokenizer.ggml.scores": Value(ARRAY, [-float(i) for i in range(len(tokens))], FLOAT32),
            "tokenizer.ggml.token_type": Value(ARRAY, types, INT32), **common, **own,
        }  # fmt: skip


def json_files() -> Iterator[tuple[str, bytes]]:
    """A small tokenizer.json of each model type that has one."""
    for model_type, options in {
        "bpe": {"vocab_size": 380, "user_defined_symbols": ["<sep>"]},
        "unigram": {"vocab_size": 130, "normalization": "identity", "byte_fallback": False, "lossless": False},
        "byte_bpe": {"vocab_size": 280},
        "wordpiece": {"vocab_size": 130},
        "word": {"vocab_size": 60, "byte_fallback": False, "lossless": False},
    }.items():
        given = {"hard_vocab_limit": False, "num_threads": 1, **options}
        yield model_type, json_of(train(CORPUS, model_type=model_type, **given)).encode()


def write_folder(folder: Path, files: Iterator[tuple[str, bytes]]) -> int:
    folder.mkdir(parents=True, exist_ok=True)
    n_files = 0
    for name, data in files:
        (folder / name).write_bytes(data)
        n_files += 1
    return n_files


def text_seeds(n_models: int) -> Iterator[tuple[str, bytes]]:
    """Every text for two models, in turn."""
    texts = [text.encode() for text in TEXTS] + ILL_FORMED
    for i in range(2 * len(texts)):
        yield f"text_{i:02}", bytes([i * 7 % n_models]) + texts[i % len(texts)]


def write_file_seeds(folder: Path) -> None:
    """Files of texts, if the packages that write them are there."""
    try:
        from text_files import seeds
    except ImportError:
        return
    for target in TEXT_FILES:
        write_folder(folder / target, seeds(target))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, metavar="DIR")
    folder = parser.parse_args().folder
    small = list(written())
    models = [*trained(), *small, *families()]
    n_models = write_folder(folder / "models", ((f"{name}.model", data) for name, data in sorted(models)))
    # Rules of the named sets take 240 kB: too much to change at random.
    seeds = [(name, data) for name, data in models if len(data) < 20_000]
    n_seeds = write_folder(folder / "load", ((f"{name}.model", data) for name, data in [*seeds, *hostile()]))
    n_formats = write_folder(folder / "formats", format_seeds())
    n_texts = write_folder(folder / "encode", text_seeds(n_models))
    write_file_seeds(folder)
    own = readers(folder, COMPILED)
    names = [name for name in COMPILED if name in own]
    n_own = write_folder(
        folder / "own",
        (
            (f"{name}_{seed}", bytes([names.index(name)]) + data)
            for name, reader in own.items()
            for seed, data in reader.seeds.items()
        ),
    )
    print(f"{n_own} files of our own in {folder / 'own'}")
    print(
        f"{n_models} models, {n_seeds} seeds of models, {n_formats} of other formats and {n_texts} of texts in {folder}"
    )


if __name__ == "__main__":
    main()
