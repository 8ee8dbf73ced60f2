"""Read BPE models made at random, with lists of merges that no trainer writes: each is refused, or gives the same ids.

    python tools/fuzz/merge_lists.py [--seed N] [--models N] [--texts N] [--keep FOLDER]

A small vocabulary, its merges and its options are drawn at random. Splits are missing or stand in any order, merges
occur twice, no merge makes a piece, ids have no piece, characters and bytes have none, pieces have a prefix or suffix.
The ids are compared, and those of the saved model and of the file that is written back. A difference is shown, its
file is kept, and the exit status is 1.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

import tokenizers

import spm_lite
from spm_lite.formats.gpt2_files import SPELLING, spell
from spm_lite.tokenizer.conversions import json_of

Draw = random.Random
JSON = dict[str, Any]

CHARACTERS = ["a", "b", "c", "▁", "é", "漢", "👍"]
UNKNOWN_CHARACTERS = ["z", "ß", "字", "🙂"]
PRE_TOKENIZERS: list[JSON | None] = [
    None,
    {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": True},
    {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "first", "split": False},
]


def pieces_of(draw: Draw, characters: list[str], n_pieces: int) -> list[str]:
    """Characters, and joins of two pieces made before."""
    pieces = [*characters]
    for _ in range(n_pieces):
        joined = draw.choice(pieces) + draw.choice(pieces)
        if len(joined) <= 8 and joined not in pieces:
            pieces.append(joined)
    return pieces


def merges_of(draw: Draw, pieces: list[str], prefix: str) -> list[list[str]]:
    """Some or all splits of pieces, in an order of a trainer or in any other; a few of them twice."""
    known = set(pieces)
    splits = []
    for whole in pieces:
        for k in range(1, len(whole)):
            left, right = whole[:k], prefix + whole[k:]
            if left in known and right in known:
                splits.append([left, right])
    share = draw.choice([1.0, 1.0, 0.9, 0.5])
    kept = [split for split in splits if draw.random() < share]
    if draw.random() < 0.6:
        draw.shuffle(kept)
    if kept and draw.random() < 0.2:
        kept += draw.choices(kept, k=2)
    return kept


def with_affixes(draw: Draw, pieces: list[str], prefix: str, suffix: str) -> list[str]:
    """Pieces as they stand first and last in a part of a text, and within it."""
    found = []
    for piece in pieces:
        found += [piece, prefix + piece, piece + suffix, prefix + piece + suffix]
    found = list(dict.fromkeys(found))
    return [piece for piece in found if draw.random() < 0.95]


def model_of(draw: Draw) -> tuple[JSON, list[str]]:
    """A tokenizer.json, and the characters of texts for it."""
    in_bytes = draw.random() < 0.5
    characters = draw.sample(CHARACTERS, draw.randint(2, len(CHARACTERS)))
    if in_bytes:
        used = " ".join(characters) + "\n"
        letters = [SPELLING[byte] for byte in sorted(set(used.encode()))]
        if draw.random() < 0.5:
            letters = [*SPELLING.values()]
        else:
            letters = [letter for letter in letters if draw.random() < 0.95]
        base = pieces_of(draw, [spell(sign.encode()) for sign in characters] + letters, draw.randint(2, 25))
        base = [*dict.fromkeys([*letters, *base])]
    else:
        base = pieces_of(draw, characters, draw.randint(2, 25))
    prefix = draw.choice(["##", "@"]) if draw.random() < 0.1 else ""
    suffix = draw.choice(["</w>", "$"]) if draw.random() < 0.15 else ""
    pieces = with_affixes(draw, base, prefix, suffix) if prefix or suffix else base
    merges = merges_of(draw, pieces, prefix)
    if draw.random() < 0.5:
        draw.shuffle(pieces)
    special = ["<s>", "</s>"] if draw.random() < 0.7 else []
    unknown = draw.choice(["<unk>", None])
    if unknown and draw.random() < 0.8:
        special = [unknown, *special]
    elif unknown:
        pieces.append(unknown)
    has_bytes = draw.random() < 0.3
    if has_bytes and not (in_bytes or prefix or suffix):
        pieces = [*(f"<0x{byte:02X}>" for byte in range(256)), *pieces]
    if draw.random() < 0.15:  # a special token that merges make, or that a text may be normalized to
        special.append(draw.choice(pieces))
        pieces.remove(special[-1])
    place = draw.choice([0, len(pieces)])
    pieces = [*pieces[:place], *special, *pieces[place:]]
    step = 2 if draw.random() < 0.1 else 1
    vocab = {piece: i * step for i, piece in enumerate(dict.fromkeys(pieces))}
    if draw.random() < 0.1:
        vocab[""] = max(vocab.values()) + 1
    level = {
        "type": "ByteLevel",
        "add_prefix_space": False,
        "trim_offsets": False,
        "use_regex": draw.random() < 0.5,
    }
    flags = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": True}
    data = {
        "version": "1.0", "truncation": None, "padding": None,
        "added_tokens": [{"id": vocab[text], "content": text, **flags} for text in special],
        "normalizer": None,
        "pre_tokenizer": level if in_bytes else draw.choice(PRE_TOKENIZERS),
        "post_processor": None,
        "decoder": {**level, "use_regex": True} if in_bytes else None,
        "model": {
            "type": "BPE",
            "dropout": draw.choice([None, 0.0]),
            "unk_token": unknown,
            "continuing_subword_prefix": prefix or None,
            "end_of_word_suffix": suffix or None,
            "fuse_unk": draw.random() < 0.5,
            "byte_fallback": has_bytes,
            "ignore_merges": draw.random() < 0.3,
            "vocab": vocab,
            "merges": merges,
        },
    }  # fmt: skip
    return data, [*characters, " ", "\n"] if in_bytes else [*characters, " "]


def texts_of(draw: Draw, data: JSON, characters: list[str], n_texts: int) -> list[str]:
    """Random texts of the characters, of the pieces, and of characters that are no pieces; one of them is long."""
    pieces = [piece for piece in data["model"]["vocab"] if not piece.startswith("<")]
    spelled = {letter: bytes([byte]) for byte, letter in SPELLING.items()}
    if data["pre_tokenizer"] is not None and data["pre_tokenizer"]["type"] == "ByteLevel":
        pieces = [
            b"".join(spelled.get(sign, sign.encode()) for sign in piece).decode("utf-8", "ignore") for piece in pieces
        ]
    texts = [""]
    for i in range(n_texts):
        size = draw.randint(100, 400) if i == 0 else draw.randint(1, 25)
        some = characters + (UNKNOWN_CHARACTERS if draw.random() < 0.4 else [])
        if draw.random() < 0.3:
            some = [*some, *draw.choices(pieces, k=4)]
        texts.append("".join(draw.choices(some, k=size)))
    return sorted(texts, key=len)  # the first with a difference is short


def first_difference(tok: Any, there: Any, texts: list[str], special: list[str]) -> str | None:
    """The first text that gets other ids, in words."""
    for text in texts:
        other = there.encode(text, add_special_tokens=False).ids
        has_special = any(name in text for name in special)
        own = tok.encode(text, allow_special=special) if has_special else tok.encode(text)
        if own != other:
            return f"{text!r}: {own} here, {other} there"
        if has_special:
            continue
        batch = tok.encode_batch([text])[0].tolist()
        if tok.count(text) != len(own) or len(tok.spans(text)) != len(own) or batch != own:
            return f"{text!r}: another number of ids with their places, or another count"
    return None


def difference_written(tok: Any, folder: Path, texts: list[str], special: list[str]) -> str | None:
    """What differs in a model that is saved, and in the file that is written back, in words."""
    tok.save(folder / "saved.model")
    saved = spm_lite.load(folder / "saved.model")
    back = tokenizers.Tokenizer.from_str(json_of(tok))
    written = folder / "written.json"
    written.write_text(json_of(tok), encoding="utf-8")
    try:
        again = spm_lite.load(written, format="tokenizer.json")
    except spm_lite.SpmLiteError:  # a pre-tokenizer that is written and not read
        again = tok
    for text in [text for text in texts if not any(name in text for name in special)][:20]:
        own, other = list(tok.encode(text)), back.encode(text, add_special_tokens=False).ids
        if own != other or list(saved.encode(text)) != own or list(again.encode(text)) != own:
            return f"{text!r}: other ids of the file that is written back, {own} and {other}"
    return None


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--models", type=int, default=5000)
    parser.add_argument("--texts", type=int, default=100)
    parser.add_argument("--keep", type=Path, default=Path("merge_lists"), help="where files with a difference go")
    arguments = parser.parse_args()
    found: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "tokenizer.json"
        for number in range(arguments.models):
            draw = random.Random(f"{arguments.seed} {number}")
            data, characters = model_of(draw)
            text = json.dumps(data, ensure_ascii=False)
            try:
                there = tokenizers.Tokenizer.from_str(text)
            except BaseException:  # a panic is no Exception
                found["not loaded by tokenizers"] += 1
                continue
            texts = texts_of(draw, data, characters, arguments.texts)
            path.write_text(text, encoding="utf-8")
            try:
                tok = spm_lite.load(path, format="tokenizer.json")
            except spm_lite.SpmLiteError as error:
                reason = str(error).partition(": ")[2]
                found[f"refused: {re.sub(chr(39) + '.*' + chr(39), '...', reason)[:60]}"] += 1
                continue
            found["read"] += 1
            found["with a list"] += tok._file.vocab.merge_list is not None
            special = [token["content"] for token in data["added_tokens"]]
            wrong = first_difference(tok, there, texts, special)
            if wrong is None and number % 4 == 0:
                try:
                    wrong = difference_written(tok, Path(folder), texts, special)
                    found["written back"] += 1
                except spm_lite.SpmLiteError as error:
                    found[f"not written: {str(error)[:60]}"] += 1
            if wrong is not None:
                found["wrong"] += 1
                arguments.keep.mkdir(parents=True, exist_ok=True)
                kept = arguments.keep / f"{arguments.seed}-{number}.json"
                kept.write_text(text, encoding="utf-8")
                print(f"{kept}: {wrong:.300}", flush=True)
    for name, count in sorted(found.items()):
        print(f"{count:7,} {name}")
    return int(found["wrong"] > 0)


if __name__ == "__main__":
    sys.exit(main())
