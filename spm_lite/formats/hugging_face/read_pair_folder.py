"""A folder of vocab.json and merges.txt whose class changes texts first: the tokenizer.json that its fast class builds.

Transformers 5 builds the same components. The slow classes of transformers 4 put a space before a whole prompt, where
these put one before each text between special tokens.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from spm_lite.errors import ModelError
from spm_lite.formats.gpt2_files import HEADER, MERGES, VOCAB, merge_pairs, read_vocab_json
from spm_lite.formats.hugging_face.components import replace_regex, split_regex
from spm_lite.formats.hugging_face.folder_classes import ADVICE, CLIP, PAIRS, ClassRule
from spm_lite.formats.hugging_face.folder_tokens import FLAGS, Token, numbered
from spm_lite.formats.hugging_face.read_class_folder import add_flags_of_5, check_ids, tokens_of
from spm_lite.formats.proof.conditions import Findings
from spm_lite.formats.vocab_txt import read_config

Parts = dict[str, Any]
CLIP_WORDS = r"'s|'t|'re|'ve|'m|'ll|'d|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+"
MOST_OF_CLIP = 49152 - 256 - 2  # merges that transformers 4 reads


def pair_parts(vocab: bytes, merges: bytes, place: str, own_class: str, findings: Findings) -> Parts:
    """The parts of the tokenizer.json of a class. vocab, merges: the two files of the folder `place`.

    Raises ModelError for files or settings of which transformers 4 and 5 build different ones.
    """
    ids = read_vocab_json(vocab, str(Path(place, VOCAB)))
    pairs = checked_merges(merges, str(Path(place, MERGES)), own_class)
    config = read_config(Path(place))
    roles = PAIRS[own_class][1]
    rule = ClassRule(roles, wrapped=tuple(roles), stripping=() if own_class == CLIP else ("mask",))
    told, named, listed = tokens_of(place, own_class, rule, config, len(ids))
    texts = {i: text for text, i in ids.items()}
    added = dict(sorted(numbered(place, told, named, listed, texts).items()))
    check_ids(place, added, texts, max(texts, default=-1) + 1)
    add_flags_of_5(added.values(), place, config, findings)
    unknown = named["unk"]
    is_clip = own_class == CLIP
    byte_level = {"type": "ByteLevel", "add_prefix_space": not is_clip, "trim_offsets": True, "use_regex": True}
    words = split_regex(CLIP_WORDS, "Removed") | {"invert": True}
    return {
        "added_tokens": [
            {"id": i, "content": one.text, "special": one.special, "normalized": one.normalized, **all_flags(one)}
            for i, one in added.items()
        ],
        "normalizer": joined_clip() if is_clip else None,
        "pre_tokenizer": {"type": "Sequence", "pretokenizers": [words, byte_level]} if is_clip else byte_level,
        "post_processor": edges(named) if is_clip else None,
        "decoder": byte_level,
        "model": {
            "type": "BPE",
            "unk_token": unknown.text if is_clip and unknown is not None else None,
            "end_of_word_suffix": "</w>" if is_clip else "",
            "vocab": ids,
            "merges": pairs,
        },
    }


def all_flags(token: Token) -> dict[str, bool]:
    """The flags of a token, set or not."""
    return dict.fromkeys(FLAGS, False) | token.flags


def edges(named: Mapping[str, Token | None]) -> Parts:
    """What puts tokens before and after a text. named: role -> token."""
    first, last = ([token.text, 0] if token is not None else [] for token in (named["bos"], named["eos"]))
    return {"type": "RobertaProcessing", "cls": first, "sep": last, "trim_offsets": False, "add_prefix_space": False}


def joined_clip() -> Parts:
    """The normalizer of CLIP."""
    return {"type": "Sequence", "normalizers": [{"type": "NFC"}, replace_regex(r"\s+", " "), {"type": "Lowercase"}]}


def checked_merges(data: bytes, name: str, own_class: str) -> list[list[str]]:
    """The merges of a file. Raises ModelError for lines that transformers 4 and 5 read in other ways."""
    try:
        pairs = merge_pairs(data)
    except UnicodeDecodeError as error:
        raise ModelError(f"{name} is not UTF-8: {error}") from None
    if not data.startswith(HEADER.encode()):
        raise ModelError(
            f"{name} does not begin with {HEADER}, and transformers 4 skips its first line: write that line"
        )
    wrong = next((f"{left} {right}" for left, right in pairs if not right or " " in right), None)
    if wrong is not None:
        raise ModelError(f"{name}: {wrong!r:.60} is not two pieces")
    if own_class == CLIP and len(pairs) > MOST_OF_CLIP:
        raise ModelError(f"{name} holds {len(pairs)} merges, of which transformers 4 reads {MOST_OF_CLIP}. {ADVICE}")
    return [*map(list, pairs)]
