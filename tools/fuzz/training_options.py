"""Random options of a training on small texts: an error before any text is read, or a model that keeps its promises.

    python tools/fuzz/training_options.py --sets 30000 --seed 1

One option set per number, so that a finding is made again by `--seed N --sets 1`. Each must end in one of three ways:

- an OptionError or ArgumentTypeError, before the texts were touched;
- a TrainingError, about what only the texts can tell;
- a model. It is lossless if it says so, sentencepiece 0.2.3 gives the same ids, and a stream gives what `decode` gives.

Every remedy of an error is followed: the same texts are trained on again with its changes, and that ends in a model or
in another error. What breaks these laws is shown; the exit status is 1 if anything does.
"""

from __future__ import annotations

import argparse
import random
import re
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import sentencepiece

import spm_lite
from spm_lite import Tokenizer

SPACE = "\u2581"
MAX_REMEDIES = 20  # followed one after the other: more than a set has options that may be wrong
WORDS = ["the", "mill", "turns", "a", "b", "ab", "12", "3.5", "日本語", "漢", "é", "абв", "ไทย", "e\u0301"]
STRANGE = [SPACE, "\U000f0000", *"\0\t\n\u3000\u00a0\ufeff\ufffdﬁ", "<s>", "<0x41>", "<mask>"]
PATTERNS = [
    "",
    r" ?\p{L}+| ?\p{N}+|.",
    r"\S+|\s+",
    "[ab]+",
    r"\p{N}{1,3}",
    "gpt2",
    "tekken",
    "deepseek_v3",
    "(a",
    "gpt",
]
TRIED = [
    "", " ", "  ", "a", " a b ", "the mill", "ab  ab ", "日本 語漢", "e\u0301ﬁ\u00a0x", "a\tb\n", "<s>ab<mask> <0x41>",
    "ab|cd", "\0x\0", "zq🇯🇵 абв", "1 23.5", f"a{SPACE}b {SPACE}", "\U000f0000\U000f0001", "b\u200d <pad></s>",
]  # fmt: skip
TRIED_BYTES = [b"\xff", b"a\xe2\x96 b", b"\xed\xa0\x80", b"\xf3\xb0\x80\x80\x81"]
SYMBOLS = [
    "<mask>", "<sep>", "a", "ab", "é", "<s>", "<unk>", "<0x41>", f"{SPACE}a", SPACE, "x y", "\U000f0000", "<pad>", "th",
]  # fmt: skip
VALUES: dict[str, Callable[[random.Random], Any]] = {  # option -> a value at random, at times a wrong one
    "model_type": lambda rng: rng.choice(
        ["unigram", "bpe", "char", "word"] * 9 + ["byte_bpe"] * 5 + ["wordpiece"] * 5 + ["bqe"]
    ),
    "character_coverage": lambda rng: rng.choice([0.98, 0.99, 0.9995, 1.0, 1.0, 0.9, "auto"]),
    "input_sentence_size": lambda rng: rng.choice([0, 101, 1000, 50]),
    "seed_sentencepiece_size": lambda rng: rng.choice([0, 1, 10, 100, 10**6]),
    "max_sentence_length": lambda rng: rng.choice([10, 20, 100, 5, None]),
    "max_sentencepiece_length": lambda rng: rng.choice([1, 2, 3, 16, 512, 0]),
    "split_by_unicode_script": lambda rng: rng.random() < 0.5,
    "split_by_whitespace": lambda rng: rng.random() < 0.5,
    "split_by_number": lambda rng: rng.random() < 0.5,
    "treat_whitespace_as_suffix": lambda rng: rng.random() < 0.5,
    "split_digits": lambda rng: rng.choice([False, True, True, 2, 3, 1, 600]),
    "split_pattern": lambda rng: rng.choice(PATTERNS),
    "whole_characters": lambda rng: rng.random() < 0.5,
    "graphemes": lambda rng: rng.random() < 0.5,
    "allow_whitespace_only_pieces": lambda rng: rng.random() < 0.5,
    "control_symbols": lambda rng: rng.choices(SYMBOLS, k=rng.randrange(3)),
    "user_defined_symbols": lambda rng: rng.choices(SYMBOLS, k=rng.randrange(4)),
    "hard_vocab_limit": lambda rng: rng.random() < 0.4,
    "byte_fallback": lambda rng: rng.random() < 0.4,
    "required_chars": lambda rng: "".join(rng.choices(f"abzé漢{SPACE} \0ж", [4, 4, 4, 4, 4, 3, 1, 1, 4], k=3)),
    "unk_id": lambda rng: rng.choice([-1, 0, 0, 3, 250, 300, -2]),
    "bos_id": lambda rng: rng.choice([-1, -1, 0, 1, 2, 270, 500]),
    "eos_id": lambda rng: rng.choice([-1, -1, 1, 2, 3, 280]),
    "pad_id": lambda rng: rng.choice([-1, 3, 0, 4, 30, 290]),
    "unk_piece": lambda rng: rng.choice(["<unk>", "<s>", "a", "", "UNK"]),
    "bos_piece": lambda rng: rng.choice(["<s>", "</s>", "ab", "<0x41>", "<mask>"]),
    "eos_piece": lambda rng: rng.choice(["</s>", "<s>", "<unk>", SPACE]),
    "pad_piece": lambda rng: rng.choice(["<pad>", "<s>", "b", "\0"]),
    "seed_source": lambda rng: rng.choice(["substrings", "bpe", "all"]),
    "prune": lambda rng: rng.choice(["loss", "top"]),
    "lossless": lambda rng: rng.choice([True, True, False, None, "strict", "strict", "yes"]),
    "normalization": lambda rng: rng.choice(["identity", "nfkc_rules", "nmt_nfkc", "nfkc_cf", "nkfc", [("a", "A")]]),
    "denormalization": lambda rng: rng.choice([None, [("a", "A")]]),
    "add_dummy_prefix": lambda rng: rng.random() < 0.5,
    "remove_extra_whitespaces": lambda rng: rng.random() < 0.4,
    "memory_limit": lambda rng: rng.choice(["64MB", None, "1MB"]),
    "num_threads": lambda rng: rng.choice([1, 1, 1, 2, 2, 0]),
    "seed": lambda rng: rng.choice([0, 7, None, -1]),
    "reference_rules": lambda rng: rng.random() < 0.3,
}


class Broken(Exception):
    """A law that does not hold."""


class Texts:
    """An iterable of texts that knows whether it was touched."""

    def __init__(self, texts: list[str | bytes]) -> None:
        self.texts = texts
        self.were_read = False

    def __iter__(self) -> Iterator[str | bytes]:
        self.were_read = True
        return iter(self.texts)


def expect(is_so: bool, what: str) -> None:
    """Raise Broken unless it is so."""
    if not is_so:
        raise Broken(what)


def random_options(rng: random.Random) -> dict[str, Any]:
    """Some options at random, and a vocab_size that is often near the limit."""
    options = {"model_type": VALUES["model_type"](rng), "num_threads": 1}
    for name in rng.sample(list(VALUES), rng.choice([0, 1, 1, 2, 2, 3, 3, 4, 6, 9])):
        options[name] = VALUES[name](rng)
    has_bytes = options.get("byte_fallback", True)
    near = [30, 260, 264, 270, 280, 300, 330, 400, 1000] if has_bytes else [4, 10, 20, 30, 60]
    options["vocab_size"] = rng.choice(near) + rng.randrange(-4, 12) if rng.random() < 0.95 else "all"
    if rng.random() < 0.7:
        options.setdefault("hard_vocab_limit", False)
    return options


def random_texts(rng: random.Random) -> list[str | bytes]:
    """A small corpus: words with or without spaces between them, at times strange characters or ill-formed bytes."""
    pool = rng.sample(WORDS, rng.randrange(1, 9))
    pool += rng.sample(STRANGE, rng.choice([0, 0, 1, 3]))
    gap = rng.choice(["", " ", " ", " ", "  "])
    n_lines = rng.choice([0, 1, 3, 10, 10, 10])
    texts: list[str | bytes] = [gap.join(rng.choices(pool, k=rng.randrange(12))) for _ in range(n_lines)]
    if rng.random() < 0.1:
        texts += [b"ab \xff\xfe ab", b"\xe2\x96"]
    return texts


def check_model(tok: Tokenizer, texts: list[str | bytes]) -> None:
    """Raise Broken unless the model keeps what it says."""
    if tok.model_type == "byte_bpe":
        check_bytes(tok, texts)
        return
    if tok.model_type == "wordpiece":
        check_words(tok)
        return
    original = sentencepiece.SentencePieceProcessor(model_proto=tok.to_bytes())
    for text in [*TRIED, *texts[:4]]:
        if isinstance(text, bytes):
            continue
        ids = tok.encode(text)
        if tok.info.is_lossless:
            back = tok.decode(ids)
            expect(back == text, f"not lossless: {text!r} becomes {back!r}")
            expect(original.decode(ids) == text, f"not lossless in sentencepiece: {original.decode(ids)!r}, {text!r}")
        if tok.info.is_strict or not tok.info.is_lossless or SPACE not in text:
            theirs = original.encode(text)
            expect(ids == theirs, f"other ids in sentencepiece: {text!r} {ids} there {theirs}")
        check_decoding(tok, original, ids)
    for data in TRIED_BYTES:
        ids = tok.encode(data)
        if tok.info.is_lossless:
            expect(tok.decode_bytes(ids) == data, f"not lossless: {data!r} becomes {tok.decode_bytes(ids)!r}")
        check_decoding(tok, original, ids)
    check_decoding(tok, original, list(range(len(tok))))
    same = Tokenizer.load(tok.to_bytes())
    expect(same.encode("the ab") == tok.encode("the ab"), "the saved model has other ids")


def check_bytes(tok: Tokenizer, texts: list[str | bytes]) -> None:
    """Raise Broken unless a byte-level model gives back every text, and sentencepiece refuses it."""
    for text in [*TRIED, *TRIED_BYTES, *texts[:4]]:
        try:
            ids = tok.encode(text)
        except spm_lite.TextError as error:  # of added tokens, which a model with a pattern and symbols has
            expect(isinstance(text, bytes) and "added tokens" in str(error), f"{text!r}: {error}")
            continue
        back = tok.decode_bytes(ids)
        expect(back == (text if isinstance(text, bytes) else text.encode()), f"not lossless: {text!r} becomes {back!r}")
        stream = tok.stream(as_bytes=True)
        expect(b"".join(stream.push(one) for one in ids) + stream.flush() == back, f"a stream differs for {text!r}")
    same = Tokenizer.load(tok.to_bytes())
    expect(same.encode("the ab") == tok.encode("the ab"), "the saved model has other ids")
    try:
        sentencepiece.SentencePieceProcessor(model_proto=tok.to_bytes())
    except RuntimeError:
        return
    raise Broken("sentencepiece loads a byte-level model")


def check_words(tok: Tokenizer) -> None:
    """Raise Broken unless a WordPiece model keeps its laws, and sentencepiece refuses it."""
    for text in TRIED:
        ids = tok.encode(text)
        stream = tok.stream()
        expect("".join(map(stream.push, ids)) + stream.flush() == tok.decode(ids), f"a stream differs for {text!r}")
        expect(len(tok.spans(text)) == tok.count(text) == len(ids), f"spans and count differ for {text!r}")
        again = tok.decode(ids)
        is_same = tok.decode(tok.encode(again)) == again or tok.unk_id in ids or "\u2581" in text  # decoded as a space
        expect(is_same, f"{again!r} changes when encoded again")
    same = Tokenizer.load(tok.to_bytes())
    expect(same.encode("the ab") == tok.encode("the ab"), "the saved model has other ids")
    try:
        sentencepiece.SentencePieceProcessor(model_proto=tok.to_bytes())
    except RuntimeError:
        return
    raise Broken("sentencepiece loads a WordPiece model")


def check_decoding(tok: Tokenizer, original: sentencepiece.SentencePieceProcessor, ids: list[int]) -> None:
    """Raise Broken unless the ids give the same text at once, pushed one by one, and in sentencepiece."""
    stream = tok.stream()
    pushed = "".join(stream.push(one) for one in ids) + stream.flush()
    whole = tok.decode(ids)
    expect(pushed == whole, f"a stream gives {pushed!r}, decode {whole!r}, of {ids}")
    theirs = original.decode(ids)
    expect(theirs == whole, f"sentencepiece decodes {theirs!r}, not {whole!r}, of {ids}")


def outcome(options: dict[str, Any], texts: list[str | bytes]) -> spm_lite.SpmLiteError | None:
    """The error of a training with these options; None if its model is sound. Raises Broken."""
    source = Texts(texts)
    try:
        tok = spm_lite.train(source, **options)
    except (spm_lite.OptionError, spm_lite.ArgumentTypeError) as error:
        expect(not source.were_read, f"the text was read before {type(error).__name__}: {error}")
        return error
    except spm_lite.TrainingError as error:
        expect(source.were_read, f"no text was read before TrainingError: {error}")
        return error
    except Exception as error:
        raise Broken(f"{type(error).__name__}: {error}") from error
    check_model(tok, texts)
    return None


def kind(error: spm_lite.SpmLiteError) -> str:
    """The message without its numbers: what makes two errors the same."""
    return re.sub(r"[0-9.]+", "0", str(error))


def follow(options: dict[str, Any], texts: list[str | bytes], seen: tuple[str, ...] = ()) -> str:
    """Train, and with every remedy of an error again; the name of what happened first. Raises Broken."""
    error = outcome(options, texts)
    if error is None:
        return "model"
    name = type(error).__name__
    needs_text = "text" in str(error) or "characters to learn" in str(error)
    expect(bool(error.remedies) or needs_text, f"no remedy for {name}: {error}")
    expect(kind(error) not in seen, f"a remedy led back to {name}: {error}")
    expect(len(seen) < MAX_REMEDIES, f"no end of errors: {seen}")
    for number, remedy in enumerate(error.remedies):
        if not seen or number == 0:
            try:
                follow({**options, **remedy}, texts, (*seen, kind(error)))
            except Broken as broken:
                raise Broken(f"{broken}\n      after {remedy} of {error}") from broken.__cause__
    return name


def check_set(number: int) -> str:
    """Check the option set of this number; what it led to. Raises Broken."""
    rng = random.Random(number)
    options, texts = random_options(rng), random_texts(rng)
    try:
        return follow(options, texts)
    except Broken as broken:
        raise Broken(f"{options}\n    {texts}\n    {broken}") from broken.__cause__


def main() -> int:
    """Check many option sets."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", type=int, default=1000, help="option sets, numbered from the seed on")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--show", type=int, default=10, help="findings shown in full")
    options = parser.parse_args()
    begin = time.perf_counter()
    outcomes: Counter[str] = Counter()
    for number in range(options.seed, options.seed + options.sets):
        try:
            outcomes[check_set(number)] += 1
        except Broken as broken:
            outcomes["broken"] += 1
            if outcomes["broken"] <= options.show:
                print(f"{number}: {broken}", flush=True)
    print(f"{options.sets} sets in {time.perf_counter() - begin:.0f} s: {dict(outcomes)}")
    return 1 if outcomes["broken"] else 0


if __name__ == "__main__":
    sys.exit(main())
