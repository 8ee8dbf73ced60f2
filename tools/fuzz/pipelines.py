"""Read tokenizer.json files made at random: each is refused, or gives the ids and texts of tokenizers.

    python tools/fuzz/pipelines.py [--seed N] [--files N] [--texts N] [--keep FOLDER]

A small vocabulary of each kind gets other components, options and added tokens, drawn at random. A file that tokenizers
loads and this package reads is compared on hostile texts. A difference that meets no reported condition is shown, its
file is kept, and the exit status is 1.
"""

from __future__ import annotations

import argparse
import base64
import json
import random
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import tokenizers

import spm_lite
from spm_lite.formats.proof.conditions import Findings
from spm_lite.formats.proof.conversion import DECODING, prove
from spm_lite.kinds import BEHAVIORS
from spm_lite.normalize.component_steps import WORDS as MAKE_WORDS
from spm_lite.normalize.rules.named_rules import compile_rules
from spm_lite.tokenizer import loading
from spm_lite.tokenizer.conversions import json_of
from spm_lite.tokenizer.format_table import Settings

ALLOW = ("metaspace", "unused", "stranded", "unknown")
TEXT = """the cat sat on the mat and the hat was not there at all in 1999 or 2024, was it? it's they're we'll don't
naïve café Straße ÉCOLE 東京 日本語 ภาษา กำ e\u0301 ﬁne ①② Ａ ½ 👍🏽 👩‍👩‍👧 <s> </s> [CLS] [MASK] <unk> ▁ ▁▁ low lower
lowest newer wider unaffable xxxx aaaa abab ... !! -- a-b a_b a.b x=1;"""
WORDS = [*TEXT.split(), "\n", "\t", "\r\n", "\u00a0", "\u3000"]
ALPHABET = "abcdehlnost  ▁ \n\té\u0301①ﬁ東ก\u0e33👍\u200d\u00a0'.,-<>[]0123AZ"

Draw = random.Random
JSON = dict[str, Any]


def corpus(draw: Draw) -> list[str]:
    return [" ".join(draw.choices(WORDS, k=draw.randint(1, 12))) for _ in range(300)]


def texts_of(draw: Draw, added: list[str], n_texts: int) -> list[str]:
    """Hostile texts: words, random characters, and the added tokens within them."""
    words = WORDS + added * 3
    texts = ["", " ", "  ", "a", " a", "a ", "\n", "▁", " ▁ ", *WORDS, *added, *(f" {token} " for token in added)]
    for _ in range(n_texts):
        if draw.random() < 0.6:
            texts.append(draw.choice(["", " ", "  "]).join(draw.choices(words, k=draw.randint(1, 8))))
        else:
            texts.append("".join(draw.choices(ALPHABET, k=draw.randint(1, 25))))
    return texts


def unigram(draw: Draw) -> JSON:
    options = draw.choice([{"byte_fallback": False}, {}, {"lossless": "strict"}, {"normalization": "nmt_nfkc"}])
    tok = spm_lite.train(texts=corpus(draw), vocab_size=500, hard_vocab_limit=False, character_coverage=1.0, **options)
    return written(tok)


def bpe(draw: Draw) -> JSON:
    options = {"byte_fallback": draw.random() < 0.5, "split_digits": draw.random() < 0.3}
    tok = spm_lite.train(
        texts=corpus(draw), vocab_size=500, model_type="bpe", hard_vocab_limit=False, character_coverage=1.0, **options
    )
    return written(tok)


def written(tok: spm_lite.Tokenizer) -> JSON:
    return json.loads(json_of(tok, allow=["metaspace"]))


def byte_level(draw: Draw) -> JSON:
    tok = tokenizers.ByteLevelBPETokenizer(add_prefix_space=draw.random() < 0.3)
    tok.train_from_iterator(corpus(draw), vocab_size=400, show_progress=False)
    return json.loads(tok._tokenizer.to_str())


def wordpiece(draw: Draw) -> JSON:
    tok = tokenizers.BertWordPieceTokenizer(
        lowercase=draw.random() < 0.5, strip_accents=draw.choice([None, True, False]), clean_text=draw.random() < 0.8
    )
    tok.train_from_iterator(corpus(draw), vocab_size=400, show_progress=False)
    return json.loads(tok._tokenizer.to_str())


def own_model(draw: Draw, model_type: str, **options: Any) -> JSON:
    """The file of a model of ours that is no base for the components of others."""
    return written(
        spm_lite.train(texts=corpus(draw), vocab_size=420, model_type=model_type, hard_vocab_limit=False, **options)
    )


def word(draw: Draw) -> JSON:
    options = draw.choice([{}, {"normalization": "nmt_nfkc"}, {"treat_whitespace_as_suffix": True}])
    return own_model(draw, "word", lossless=False, byte_fallback=False, **options)


def char(draw: Draw) -> JSON:
    return own_model(draw, "char", **draw.choice([{}, {"lossless": False, "byte_fallback": False}]))


def byte_bpe(draw: Draw) -> JSON:
    symbols = {"user_defined_symbols": ["at", "<sep>"]}
    return own_model(draw, "byte_bpe", **draw.choice([{}, symbols, {"treat_whitespace_as_suffix": True}]))


def own_words(draw: Draw) -> JSON:
    others = {"normalization": "nfkc", "split_by_punctuation": False, "max_word_length": 5}
    return own_model(draw, "wordpiece", **draw.choice([{"normalization": "bert_uncased"}, others]))


def text_bpe(draw: Draw) -> JSON:
    """BPE of characters by words, as GPT-1, HerBERT and the tutorials have it."""
    options: JSON = draw.choice([{}, {"unk_token": "<unk>"}, {"unk_token": "<unk>", "fuse_unk": True}])
    affix = draw.choice(["", "", "end_of_word_suffix", "continuing_subword_prefix"])
    affixes = {affix: "</w>" if affix.startswith("end") else "##"} if affix else {}
    trainer = tokenizers.trainers.BpeTrainer(
        vocab_size=300, special_tokens=["<unk>", "<s>"], show_progress=False, limit_alphabet=60, **affixes
    )
    return trained(draw, tokenizers.models.BPE(**options, **affixes), trainer)


def word_level(draw: Draw) -> JSON:
    trainer = tokenizers.trainers.WordLevelTrainer(
        vocab_size=60, special_tokens=["[UNK]", "[CLS]"], show_progress=False
    )
    return trained(draw, tokenizers.models.WordLevel(unk_token="[UNK]"), trainer)


def other_wordpiece(draw: Draw) -> JSON:
    trainer = tokenizers.trainers.WordPieceTrainer(
        vocab_size=300, special_tokens=["[UNK]", "[CLS]"], show_progress=False, limit_alphabet=60
    )
    return trained(draw, tokenizers.models.WordPiece(unk_token="[UNK]"), trainer)


def cut_unigram(draw: Draw) -> JSON:
    trainer = tokenizers.trainers.UnigramTrainer(
        vocab_size=200, special_tokens=["<unk>", "<s>"], unk_token="<unk>", show_progress=False
    )
    data = trained(draw, tokenizers.models.Unigram(), trainer)
    if draw.random() < 0.3 and "<0x00>" not in dict(data["model"]["vocab"]):
        data["model"]["vocab"] += [[f"<0x{byte:02X}>", 0.0] for byte in range(256)]
        data["model"]["byte_fallback"] = True
    return data


def trained(draw: Draw, model: Any, trainer: Any) -> JSON:
    """The file of a model that was trained under pre-tokenizers drawn at random."""
    tok = tokenizers.Tokenizer(model)
    cuts = [part for part in (pre_tokenizer(draw) for _ in range(draw.randint(1, 2))) if part["type"] != "ByteLevel"]
    data = json.loads(tok.to_str())
    data["pre_tokenizer"] = sequence("pretokenizers", cuts or [{"type": "WhitespaceSplit"}])
    steps = [normalizer(draw) for _ in range(draw.randint(0, 2))]
    data["normalizer"] = sequence("normalizers", steps)
    tok = tokenizers.Tokenizer.from_str(json.dumps(data))
    tok.train_from_iterator(corpus(draw), trainer)
    return json.loads(tok.to_str())


BASES = {
    "unigram": unigram,
    "bpe": bpe,
    "byte-level": byte_level,
    "wordpiece": wordpiece,
    "word": word,
    "char": char,
    "byte_bpe": byte_bpe,
    "own words": own_words,
    "text BPE": text_bpe,
    "WordLevel": word_level,
    "other WordPiece": other_wordpiece,
    "cut Unigram": cut_unigram,
}
CUT = ("text BPE", "WordLevel", "other WordPiece", "cut Unigram")  # bases of any pre-tokenizers


def pattern(draw: Draw) -> JSON:
    if draw.random() < 0.5:
        return {"String": draw.choice([" ", "▁", "a", "the", "  ", "-", "\n"])}
    regexes = [
        " {2,}",
        r"\s+",
        r"\p{N}",
        r"\d+",
        r"\w+|[^\w\s]+",
        "[aeiou]",
        r"'s|'t| ?\p{L}+",
        "x*",
        "^a",
        r"e\b",
        "a$",
    ]
    return {"Regex": draw.choice([*regexes, r"(?i)the", r"\A.", r"\s+\z", "", r"(?<=a)", "(?!s)t", "(?m).+"])}


RULES = {"①": "1", "ﬁ": "fi", "É": "E", "e\u0301": "é", "\u3000": " ", "\t": " ", "\u200d": "", "½": "1/2", "Ａ": "A"}
CHARSMAP = {
    "type": "Precompiled",
    "precompiled_charsmap": base64.b64encode(compile_rules(RULES)).decode(),
}


def replace_step(draw: Draw) -> JSON:
    regexes = [" {2,}", r"\s+", r"\A▁", r"\A +| +\z"]
    texts = [" ", " ", "``", "▁", "  ", "\n", "the", "é", "e\u0301", "a"]
    content = draw.choice(["▁", "▁", " ", "", "▁▁", "b", '"'])
    if draw.random() < 0.5:
        return {"type": "Replace", "pattern": {"Regex": draw.choice(regexes)}, "content": content}
    return {"type": "Replace", "pattern": {"String": draw.choice(texts)}, "content": content}


def normalizer(draw: Draw) -> JSON:
    makers: list[Callable[[], JSON]] = [
        lambda: CHARSMAP,
        lambda: replace_step(draw),
        lambda: replace_step(draw),
        *(
            lambda kind=kind: {"type": kind}
            for kind in ("NFC", "NFD", "NFKC", "NFKD", "Lowercase", "StripAccents", "Nmt")
        ),
        lambda: {"type": "Strip", "strip_left": draw.random() < 0.5, "strip_right": draw.random() < 0.5},
        lambda: {"type": "Prepend", "prepend": draw.choice(["▁", "▁", " ", "x"])},
        lambda: {"type": "Replace", "pattern": pattern(draw), "content": draw.choice(["▁", " ", "", "b"])},
        lambda: {
            "type": "BertNormalizer",
            "clean_text": draw.random() < 0.5,
            "handle_chinese_chars": draw.random() < 0.5,
            "strip_accents": draw.choice([None, True, False]),
            "lowercase": draw.random() < 0.5,
        },
        lambda: {"type": "ByteLevel"},
    ]
    return draw.choice(makers)()


def pre_tokenizer(draw: Draw) -> JSON:
    makers: list[Callable[[], JSON]] = [
        *(lambda kind=kind: {"type": kind} for kind in ("Whitespace", "WhitespaceSplit", "BertPreTokenizer")),
        lambda: {"type": "Digits", "individual_digits": draw.random() < 0.5},
        lambda: {"type": "CharDelimiterSplit", "delimiter": draw.choice(["a", " ", "-", "▁"])},
        lambda: {"type": "FixedLength", "length": draw.choice([1, 2, 5])},
        lambda: {"type": "UnicodeScripts"},
        lambda: {"type": "Punctuation", "behavior": draw.choice(BEHAVIORS)},
        lambda: {
            "type": "Split",
            "pattern": pattern(draw),
            "behavior": draw.choice(BEHAVIORS),
            "invert": draw.random() < 0.3,
        },
        lambda: {
            "type": "ByteLevel",
            "add_prefix_space": draw.random() < 0.5,
            "trim_offsets": True,
            "use_regex": draw.random() < 0.6,
        },
        lambda: {
            "type": "Metaspace",
            "replacement": "▁",
            "prepend_scheme": draw.choice(["always", "first", "never"]),
            "split": draw.random() < 0.7,
        },
    ]
    return draw.choice(makers)()


def split_at(draw: Draw, regex: str) -> JSON:
    return {"type": "Split", "pattern": {"Regex": regex}, "behavior": draw.choice(BEHAVIORS), "invert": False}


def sequence(name: str, parts: list[JSON]) -> JSON | None:
    return None if not parts else parts[0] if len(parts) == 1 else {"type": "Sequence", name: parts}


def change_cuts(draw: Draw, data: JSON) -> None:
    """Put other components in the place of all."""
    data["normalizer"] = sequence("normalizers", [normalizer(draw) for _ in range(draw.randint(0, 3))])
    data["pre_tokenizer"] = sequence("pretokenizers", [pre_tokenizer(draw) for _ in range(draw.randint(0, 3))])


def change_pipeline(draw: Draw, data: JSON) -> None:
    """Put other components before those that a model of the kind needs."""
    steps = [part for part in (normalizer(draw) for _ in range(draw.randint(0, 4))) if part["type"] not in OTHER_ENDS]
    is_byte_level = "ByteLevel" in json.dumps(data["pre_tokenizer"])
    kinds = ("Split", "Digits", "Punctuation", "Whitespace", "WhitespaceSplit")
    words = [part for part in (pre_tokenizer(draw) for _ in range(draw.randint(0, 4))) if part["type"] in kinds]
    if is_byte_level:
        last = {"type": "ByteLevel", "trim_offsets": True}
        last |= {flag: draw.random() < 0.5 for flag in ("add_prefix_space", "use_regex")}
    else:
        scheme = draw.choice(["always", "always", "first", "never"])
        last = {"type": "Metaspace", "replacement": "▁", "prepend_scheme": scheme, "split": draw.random() < 0.7}
        words = [part for part in words if part["type"] in MAKE_WORDS] if draw.random() < 0.5 else []
    after = [{"type": "Digits", "individual_digits": draw.random() < 0.5}, split_at(draw, "[0-9][0-9][0-9]|[!,.]+")]
    after = draw.sample(after, draw.randint(1, 2)) if is_byte_level and draw.random() < 0.3 else []
    if is_byte_level or draw.random() < 0.7:
        data["pre_tokenizer"] = sequence("pretokenizers", [*words, last, *after])
    elif draw.random() < 0.5:
        data["pre_tokenizer"] = None
    data["normalizer"] = sequence("normalizers", steps)


def decoder(draw: Draw) -> JSON:
    makers: list[Callable[[], JSON]] = [
        *(lambda kind=kind: {"type": kind} for kind in ("ByteFallback", "Fuse")),
        lambda: {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True, "use_regex": True},
        lambda: {
            "type": "Metaspace",
            "replacement": "▁",
            "prepend_scheme": draw.choice(["always", "never"]),
            "split": True,
        },
        lambda: {"type": "Strip", "content": " ", "start": draw.randint(0, 2), "stop": draw.randint(0, 1)},
        lambda: {"type": "Replace", "pattern": pattern(draw), "content": draw.choice([" ", "", "▁"])},
        lambda: {"type": "WordPiece", "prefix": "##", "cleanup": draw.random() < 0.5},
        lambda: {"type": "BPEDecoder", "suffix": "</w>"},
    ]
    return draw.choice(makers)()


OTHER_ENDS = ("BertNormalizer", "ByteLevel")
SEQUENCES = {"normalizer": "normalizers", "pre_tokenizer": "pretokenizers", "decoder": "decoders"}
MAKERS = {"normalizer": normalizer, "pre_tokenizer": pre_tokenizer, "decoder": decoder}


def change_component(draw: Draw, data: JSON) -> None:
    """Put one component of a kind in the place of another, beside it, or take one away."""
    kind = draw.choice(list(MAKERS))
    parts, name = MAKERS[kind], SEQUENCES[kind]
    old = data.get(kind)
    listed = [] if old is None else list(old[name]) if old["type"] == "Sequence" else [old]
    way = draw.randrange(4)
    if way == 0 and listed:
        listed[draw.randrange(len(listed))] = parts(draw)
    elif way == 1:
        listed.insert(draw.randint(0, len(listed)), parts(draw))
    elif way == 2 and listed:
        del listed[draw.randrange(len(listed))]
    else:
        draw.shuffle(listed)
    data[kind] = None if not listed else listed[0] if len(listed) == 1 else {"type": "Sequence", name: listed}


def change_option(draw: Draw, data: JSON) -> None:
    """Change one option of the model or of a component."""
    places = [data["model"]]
    for kind, name in SEQUENCES.items():
        part = data.get(kind)
        if part:
            places += part[name] if part["type"] == "Sequence" else [part]
    place = draw.choice(places)
    options = [key for key, value in place.items() if isinstance(value, (bool, type(None)))]
    if place is data["model"]:
        options += ["fuse_unk", "byte_fallback", "ignore_merges"]
        if draw.random() < 0.2:
            place["unk_token" if place["type"] != "Unigram" else "unk_id"] = draw.choice([None, 0, "<unk>", "a"])
            return
        if draw.random() < 0.15:
            place[draw.choice(["continuing_subword_prefix", "end_of_word_suffix"])] = draw.choice(
                ["", "##", "</w>", None]
            )
            return
    if options:
        key = draw.choice(options)
        place[key] = draw.choice([True, False])


def change_added(draw: Draw, data: JSON) -> None:
    """Add a token with random flags, or change the flags of one."""
    tokens = data["added_tokens"]
    flags = {flag: draw.random() < 0.35 for flag in ("single_word", "lstrip", "rstrip", "normalized", "special")}
    if tokens and draw.random() < 0.4:
        draw.choice(tokens).update(flags)
        return
    vocabulary = data["model"]["vocab"]
    size = len(vocabulary)
    content = draw.choice(
        [
            "<x>",
            "<|end|>",
            "<x>a",
            "x>",
            "CAT",
            "\u00a0",
            " ",
            "1",
            "fi",
            "e\u0301",
            "▁",
            "cat",
            "the ",
            " sat",
            "at",
            "É",
            "▁the",
            "東京",
            "a b",
            "  ",
            "\n",
            "é",
            "##",
        ]
    )
    known = vocabulary.get(content) if isinstance(vocabulary, dict) else None
    if any(token["content"] == content for token in tokens):
        return
    identity = known if known is not None else size + sum(token["id"] >= size for token in tokens)
    tokens.append({"id": identity, "content": content, **flags})


def change_vocabulary(draw: Draw, data: JSON) -> None:
    """Take merges away, move one, or change the score of a piece."""
    model = data["model"]
    if model["type"] == "Unigram":
        place = draw.randrange(1, len(model["vocab"]))
        model["vocab"][place][1] = draw.choice([0.0, -1.0, -20.0, model["vocab"][place][1] * 2])
    elif model.get("merges"):
        merges = model["merges"]
        way = draw.randrange(3)
        place = draw.randrange(len(merges))
        if way == 0:
            del merges[place]
        else:
            merges.insert(draw.randrange(len(merges)), merges.pop(place))


def change_number(draw: Draw, data: JSON) -> None:
    """Change a number or a prefix of WordPiece, a piece of Unigram, or put a merge or a piece into BPE."""
    model = data["model"]
    pieces = model["vocab"]
    if model["type"] == "WordPiece":
        name = draw.choice(["max_input_chars_per_word", "continuing_subword_prefix"])
        model[name] = draw.choice([0, 1, 3, 5, 2**40] if name.startswith("max") else ["", "#", "##", "▁", "a", "-"])
    elif model["type"] == "Unigram":
        if draw.random() < 0.3:
            model["unk_id"] = draw.randrange(len(pieces))
        elif draw.random() < 0.5:
            pieces.append([draw.choice(["zz", "the cat", "▁▁", " a", "\u0301"]), draw.choice([-3, 0, -1.5, -40.0, 5])])
        else:
            pieces[draw.randrange(len(pieces))][0] = draw.choice(["q!", " ", "\n", "ﬁne"])
    elif model.get("merges"):
        merges = model["merges"]
        place = draw.randrange(len(merges))
        way = draw.randrange(4)
        if way == 0:
            left, right = draw.choices(list(pieces), k=2)
            pieces.setdefault(left + right, len(pieces))
            merges.insert(place, [left, right])
        elif way == 1:
            merges.insert(place, draw.choice(merges))
        elif way == 2:
            whole = draw.choice([text for text in pieces if len(text) > 2] or ["abc"])
            cut = draw.randrange(1, len(whole))
            merges.insert(place, [whole[:cut], whole[cut:]])
        else:
            pieces.setdefault("zz!", len(pieces))


CHANGES = [change_number] * 2 + [change_component] * 4 + [change_option] * 3 + [change_added] * 3 + [change_vocabulary]


def make_file(draw: Draw, bases: dict[str, list[str]]) -> tuple[str, JSON]:
    """A kind, and the contents of a file with one to three changes."""
    kind = draw.choice(list(bases))
    data = json.loads(draw.choice(bases[kind]))
    if kind in CUT or draw.random() < 0.2:
        if draw.random() < 0.7:
            change_cuts(draw, data)
    elif draw.random() < 0.5:
        change_pipeline(draw, data)
    for _ in range(draw.choice([0, 1, 1, 1, 2, 2, 3])):
        draw.choice(CHANGES)(draw, data)
    if isinstance(data["model"].get("continuing_subword_prefix"), str) and not has_prefixes(data["model"]):
        data["model"]["continuing_subword_prefix"] = None
    return kind, data


def has_prefixes(model: JSON) -> bool:
    """Whether the second part of each merge is as long as the prefix; else tokenizers aborts the process."""
    size = len(model["continuing_subword_prefix"])
    merges = [merge if isinstance(merge, list) else merge.split(" ") for merge in model.get("merges", [])]
    return all(len(right) >= size and right[:size].isascii() for _, right in merges)


def first_difference(path: Path, texts: list[str]) -> str | None:
    """What is wrong with our reading of a file, if anything. Raises SpmLiteError if it is refused."""
    settings = Settings(findings=Findings(ALLOW))
    entry, source = loading.opened(path, "tokenizer.json")
    tok = loading.read(spm_lite.Tokenizer._from_bytes, entry, source, settings)
    findings, partner = entry.prove_read(tok, source, settings)
    if partner is None:
        return None
    try:
        proved = prove(tok, partner, findings, (), str(path), "tokenizer.json")
    except spm_lite.OptionError as error:
        return None if "PanicException" in str(error) else str(error)
    for piece_id, token in tokenizers.Tokenizer.from_file(str(path)).get_added_tokens_decoder().items():
        if tok.piece_to_id(token.content) != piece_id:
            return (
                f"the added token {token.content!r} has the id {tok.piece_to_id(token.content)} here, {piece_id} there"
            )
    decodes_alike = all(difference.cause != DECODING for difference in proved.differences)
    if tok._file.vocab.splits and tok.info.model_type != "byte_bpe":
        decodes_alike = False  # pieces are joined here, and as the decoder says there
    for text in texts:
        if not all(condition.is_met(text) for condition in findings.conditions):
            continue
        own, other = tok.encode_lists([text])[0], partner.encode([text])[0]
        if isinstance(other, str):
            return None  # the other program fails
        if own != other:
            return f"{text!r}: {own} here, {other} there"
        again, there = tok.decode_batch([own])[0], partner.decode([own])[0]
        if decodes_alike and again != there:
            return f"{text!r} {own} is decoded to {again!r} here, {there!r} there"
    return prompt_that_differs(tok, path, findings, texts)


def prompt_that_differs(tok: spm_lite.Tokenizer, path: Path, findings: Findings, texts: list[str]) -> str | None:
    """A text that spells special tokens and gets other ids where they are allowed; None: there is none."""
    other = tokenizers.Tokenizer.from_file(str(path))
    names = [token.content for token in other.get_added_tokens_decoder().values() if token.special]
    names = [name for name in names if tok.piece_type(tok.piece_to_id(name)) in ("control", "unknown")]
    if not names:
        return None
    draw = Draw(len(texts))
    prompts = [
        "".join(f"{draw.choice(texts)[:20]}{draw.choice(names)}" for _ in range(draw.randint(1, 4))) for _ in texts
    ]
    tests = [condition for condition in findings.conditions if condition.name != "special"]
    for prompt in [*prompts, *(f"{name} a" for name in names), *(f" {name}" for name in names)]:
        rest = prompt
        for name in sorted(names, key=len, reverse=True):
            rest = rest.replace(name, " ")
        if any(name in tok.normalize(rest) for name in names):
            continue  # normalizing makes a special token, which a vocabulary may hold as a piece
        parts = [prompt, *re.split("|".join(map(re.escape, sorted(names, key=len, reverse=True))), prompt)]
        if not all(condition.is_met(part) for condition in tests for part in parts):
            continue  # a condition is about a text without special tokens
        try:
            there = other.encode(prompt, add_special_tokens=False).ids
        except BaseException as error:
            if type(error).__name__ != "PanicException":
                raise
            return None  # the other program fails
        own = tok.encode(prompt, allow_special=names)
        if own != there:
            return f"the prompt {prompt!r}, with {names[:5]}: {own} here, {there} there"
    return None


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--files", type=int, default=2000)
    parser.add_argument("--texts", type=int, default=150)
    parser.add_argument("--keep", type=Path, default=Path("pipelines"), help="where files with a difference go")
    parser.add_argument("--kinds", nargs="*", help="only these kinds of file")
    arguments = parser.parse_args()
    draw = random.Random(arguments.seed)
    chosen = arguments.kinds or BASES
    bases = {kind: [json.dumps(BASES[kind](draw)) for _ in range(4)] for kind in chosen}
    found: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "tokenizer.json"
        for number in range(arguments.files):
            kind, data = make_file(draw, bases)
            text = json.dumps(data, ensure_ascii=False)
            try:
                tokenizers.Tokenizer.from_str(text)
            except BaseException:  # a panic is no Exception
                found["not loaded by tokenizers"] += 1
                continue
            path.write_text(text, encoding="utf-8")
            added = [token["content"] for token in data["added_tokens"]]
            try:
                wrong = first_difference(path, texts_of(draw, added, arguments.texts))
            except spm_lite.SpmLiteError:
                found[f"{kind} refused"] += 1
                continue
            found[f"{kind} read"] += 1
            if wrong is not None:
                found["wrong"] += 1
                arguments.keep.mkdir(parents=True, exist_ok=True)
                kept = arguments.keep / f"{arguments.seed}-{number}.json"
                kept.write_text(text, encoding="utf-8")
                print(f"{kept} ({kind}): {wrong:.300}", flush=True)
    print(", ".join(f"{name}: {count:,}" for name, count in sorted(found.items())))
    return int(found["wrong"] > 0)


if __name__ == "__main__":
    sys.exit(main())
