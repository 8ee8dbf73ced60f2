"""Compare accelerated tokenizers of transformers with the originals, in every field of their results.

    python tools/compare/accelerated.py [--folders FOLDER] [--strings 2000] [--only NAME...]

Each folder with a tokenizer.json is loaded as PreTrainedTokenizerFast. The same texts go through both tokenizers with
each set of options: alone, in pairs, and as lists of words. All fields of the result are compared, and for each text
its `encodings`: tokens, offsets, words, sequences, overflowing parts, and their methods.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from comparison import DATA, Comparison, evenly, folders_of, parser_of_folders, read_lines, run
from random_texts import Generator

import spm_lite
from spm_lite.transformers import accelerate

CUT = {"truncation": True, "max_length": 12}
PARTS = {"return_overflowing_tokens": True}
OPTION_SETS: dict[str, dict[str, Any]] = {
    "plain": {},
    "no special tokens": {"add_special_tokens": False},
    "truncated": CUT,
    "truncated to parts": {**CUT, **PARTS, "stride": 3},
    "padded": {"padding": True},
    "padded and truncated": {"padding": "max_length", "max_length": 40, "truncation": True},
    "padded to eights": {"padding": True, "pad_to_multiple_of": 8, "padding_side": "left"},
    "offsets and masks": {
        "return_offsets_mapping": True, "return_special_tokens_mask": True, "return_length": True,
        "return_token_type_ids": True,
    },
    "padded parts": {
        **CUT, **PARTS, "max_length": 9, "padding": True, "stride": 2, "return_offsets_mapping": True,
        "return_token_type_ids": True,
    },
    "special tokens are text": {"split_special_tokens": True},
    "first text cut": {"truncation": "only_first", "max_length": 30, "return_offsets_mapping": True},
    "second text cut": {"truncation": "only_second", "max_length": 60, **PARTS, "stride": 1},
}  # fmt: skip
LISTS = (
    "ids", "type_ids", "tokens", "offsets", "word_ids", "sequence_ids", "special_tokens_mask", "attention_mask",
    "n_sequences",
)  # fmt: skip
METHODS = {"char_to_token": "chars", "char_to_word": "chars", "token_to_chars": "tokens", "token_to_word": "tokens"}


def encoding_fields(encoding: Any, size: int) -> dict[str, Any]:
    """All that an Encoding says. size: characters of its text."""
    found: dict[str, Any] = {name: getattr(encoding, name) for name in LISTS}
    n = {"chars": size, "tokens": len(encoding)}
    for name, unit in METHODS.items():
        step = max(1, n[unit] // 9)
        found[name] = [getattr(encoding, name)(i) for i in range(0, n[unit], step)]
    words = sorted({word for word in encoding.word_ids if word is not None})[:9]
    found["word_to_tokens"] = [encoding.word_to_tokens(word) for word in words]
    found["word_to_chars"] = [encoding.word_to_chars(word) for word in words]
    found["overflowing"] = [{name: getattr(part, name) for name in LISTS} for part in encoding.overflowing]
    return found


def result_of(tokenizer: Any, inputs: tuple[Any, ...], options: dict[str, Any], sizes: Sequence[int]) -> Any:
    """A list with all that the result says of each text, or the text of the error."""
    try:
        found = tokenizer(*inputs, **options)
    except BaseException as error:  # a panic of tokenizers is no Exception
        return f"{type(error).__name__}: {error}"
    rows = [dict(zip(found.data, values, strict=True)) for values in zip(*found.data.values(), strict=True)]
    if "overflow_to_sample_mapping" in found:  # a row for each part: its encoding has all parts of the text
        return rows
    for row, encoding, size in zip(rows, found.encodings, sizes, strict=True):
        row["encoding"] = encoding_fields(encoding, size)
    return rows


def compare_inputs(case: Comparison, both: tuple[Any, Any], inputs: tuple[Any, ...], options: dict[str, Any]) -> None:
    """Send one batch through both tokenizers. inputs: of the call."""
    sizes = [sum(map(len, one)) if isinstance(one, list) else len(one) for one in inputs[0]]
    theirs, own = (result_of(tokenizer, inputs, options, sizes) for tokenizer in both)
    case.counts["results"] += len(inputs[0])
    if own == theirs:
        return
    if isinstance(own, str) or isinstance(theirs, str) or len(own) != len(theirs):
        case.differs(f"{options}", f"ours   {own!r:.300}", f"theirs {theirs!r:.300}")
        return
    for i, (ours, other) in enumerate(zip(own, theirs, strict=True)):
        for name in ours:
            if ours[name] != other[name]:
                text = [part[i] for part in inputs] if len(own) == len(inputs[0]) else "a part"
                wrong = name
                if name == "encoding":
                    wrong = next(key for key in ours[name] if ours[name][key] != other[name][key])
                    ours, other = ours[name], other[name]
                case.differs(
                    f"{wrong} of {text!r:.300} with {options}",
                    f"ours   {ours[wrong]!r:.300}",
                    f"theirs {other[wrong]!r:.300}",
                )
                break


def tokenizer_of(folder: Path) -> Any:
    """The PreTrainedTokenizerFast of a folder, with a token for padding."""
    from transformers import PreTrainedTokenizerFast

    found = PreTrainedTokenizerFast(tokenizer_file=str(folder / "tokenizer.json"))
    if found.pad_token is None:
        found.pad_token = found.convert_ids_to_tokens(len(found) - 1)
    return found


def texts_of(folder: Path, n: int, seed: int) -> list[str]:
    """Hostile texts, and random ones that spell tokens of the tokenizer."""
    lines = [line for path in sorted((DATA / "corpora").glob("*.txt")) for line in evenly(read_lines([path]), 60)]
    tok = spm_lite.train(lines, model_type="char", vocab_size=4000, hard_vocab_limit=False)
    added = [token["content"] for token in json.loads((folder / "tokenizer.json").read_text())["added_tokens"]]
    rng = random.Random(seed)
    found = list(json.loads((DATA / "shapes" / "texts.json").read_text()))
    for text in Generator(tok, lines, seed).texts(n - len(found)):
        line = text if isinstance(text, str) else text.decode(errors="replace")
        line = line.encode(errors="replace").decode()
        if added and rng.random() < 0.2:
            at = rng.randrange(len(line) + 1)
            line = line[:at] + rng.choice(added) + line[at:]
        found.append(line)
    return found


def comparisons(args: argparse.Namespace) -> Iterator[Comparison]:
    """A case for each folder."""
    for folder in folders_of(args):
        original = tokenizer_of(folder)
        fast = accelerate(original)
        case = Comparison(folder.name)
        texts = texts_of(folder, args.strings, args.seed)
        others = random.Random(args.seed).sample(texts, len(texts))
        words = [text.split(" ") for text in texts]
        for side in ("right", "left"):
            original.truncation_side = fast.truncation_side = side
            for options in OPTION_SETS.values():
                both = original, fast
                compare_inputs(case, both, (texts,), options)
                compare_inputs(case, both, (texts[::4], others[::4]), options)
                compare_inputs(case, both, (words[::4],), {**options, "is_split_into_words": True})
        case.counts["texts"] += len(texts)
        found = fast._tokenizer.report()
        case.note = f"{found.encoded:,} by our engine, {sum(found.others.values()):,} by tokenizers"
        yield case


def main() -> int:
    """Compare, and return the exit status."""
    return run(parser_of_folders(__doc__), comparisons)


if __name__ == "__main__":
    sys.exit(main())
