"""Layouts: where a post-processor puts special tokens, and what truncation and padding leave of each text.

A layout is found by a test: a small tokenizer with the same post-processor encodes two known texts, and its result
shows all tokens that do not come from them. So every post-processor of the package tokenizers is read, whatever its
options.
"""

from __future__ import annotations

import json
from copy import deepcopy
from typing import Any, NamedTuple

FIRST, SECOND = "a", "b"  # the texts of the test, each one token
DEFAULT_STRATEGY = "longest_first"


class Layout(NamedTuple):
    """Special tokens before, between and after one or two texts.

    before, middle, after: their ids. before_types and so on: their type ids. first_type, second_type: of the texts.
    trims: how often spaces at the ends of tokens leave their offsets, and for each time whether a space is put before
    a text; None: that is not known. ranges: whether the texts are noted as sequences; None: in another way.
    """

    before: list[int]
    middle: list[int]
    after: list[int]
    before_types: list[int]
    middle_types: list[int]
    after_types: list[int]
    first_type: int
    second_type: int
    trims: tuple[bool, ...] | None = ()
    ranges: bool | None = True

    @property
    def n_special(self) -> int:
        """The number of special tokens."""
        return len(self.before) + len(self.middle) + len(self.after)


class Settings:
    """What the caller of a backend sets: truncation, padding, and whether special tokens are found in texts.

    A small tokenizer of the package tokenizers holds them, so that it checks each value and reports it as usual.
    """

    def __init__(self, post_processor: Any) -> None:
        from tokenizers import Tokenizer, models

        self.small = Tokenizer(models.WordLevel(vocab={FIRST: 0, SECOND: 1}, unk_token=FIRST))
        self.truncation: dict[str, Any] | None = None
        self.padding: dict[str, Any] | None = None
        self.layouts: dict[tuple[bool, bool], Layout | None] = {}
        self.set_post_processor(post_processor)

    def set_post_processor(self, post_processor: Any) -> None:
        """Take a copy of a post-processor; None: there is none."""
        self.small.no_truncation()
        self.small.no_padding()
        if post_processor is not None or self.small.post_processor is not None:
            self.small.post_processor = deepcopy(post_processor)
        trims = () if post_processor is None else trims_of(json.loads(post_processor.__getstate__()))
        self.layouts = {
            (is_pair, has_special): find_layout(self.small, is_pair, has_special, trims)
            for is_pair in (False, True)
            for has_special in (False, True)
        }
        if self.truncation is not None:
            self.small.enable_truncation(**self.truncation)
        if self.padding is not None:
            self.small.enable_padding(**self.padding)

    def copy_from(self, tokenizer: Any) -> None:
        """Take the settings of a tokenizer of the package tokenizers."""
        self.truncate(tokenizer.truncation)
        self.pad(tokenizer.padding)
        self.small.encode_special_tokens = tokenizer.encode_special_tokens

    def copy_to(self, tokenizer: Any) -> None:
        """Give the settings to a tokenizer of the package tokenizers."""
        if self.truncation is None:
            tokenizer.no_truncation()
        else:
            tokenizer.enable_truncation(**self.truncation)
        if self.padding is None:
            tokenizer.no_padding()
        else:
            tokenizer.enable_padding(**self.padding)
        tokenizer.encode_special_tokens = self.small.encode_special_tokens

    def truncate(self, options: dict[str, Any] | None) -> None:
        """Truncate from now on, or do not (None). Raises what tokenizers raises for wrong options."""
        if options is None:
            self.small.no_truncation()
        else:
            self.small.enable_truncation(**options)
        self.truncation = self.small.truncation

    def pad(self, options: dict[str, Any] | None) -> None:
        """Pad from now on, or do not (None). Raises what tokenizers raises for wrong options."""
        if options is None:
            self.small.no_padding()
        else:
            self.small.enable_padding(**options)
        self.padding = self.small.padding


def trims_of(part: dict[str, Any]) -> tuple[bool, ...] | None:
    """`trims` of the layouts of a post-processor."""
    found: list[bool] = []
    has_special = False
    for step in part["processors"] if part["type"] == "Sequence" else [part]:
        if step["type"] == "Sequence":
            return None
        if step["type"] in ("ByteLevel", "RobertaProcessing") and step["trim_offsets"]:
            if has_special:
                return None
            found.append(step["add_prefix_space"])
        has_special = has_special or step["type"] != "ByteLevel"
    return tuple(found)


def find_layout(small: Any, is_pair: bool, has_special: bool, trims: tuple[bool, ...] | None = ()) -> Layout | None:
    """The layout of the post-processor of a small tokenizer; None: its result holds not each text once, in order.

    trims: as in `Layout`.
    """
    found = small.encode(FIRST, SECOND if is_pair else None, add_special_tokens=has_special)
    texts = [i for i, number in enumerate(found.sequence_ids) if number is not None]
    mask = found.special_tokens_mask
    if [found.sequence_ids[i] for i in texts] != [0, 1][: 1 + is_pair] or any(mask[i] for i in texts):
        return None
    if sum(mask) + len(texts) != len(found.ids):
        return None
    first, last = texts[0], texts[-1]
    ids, types = found.ids, found.type_ids
    inner = slice(first + 1, max(last, first + 1))
    noted = json.loads(found.__getstate__())["sequence_ranges"]
    expected = {str(number): {"start": i, "end": i + 1} for number, i in enumerate(texts)}
    return Layout(
        ids[:first], ids[inner], ids[last + 1 :],
        types[:first], types[inner], types[last + 1 :], types[first], types[last], trims,
        bool(noted) if noted in ({}, expected) else None,
    )  # fmt: skip


def kept_sizes(first: int, second: int | None, limit: int, strategy: str) -> tuple[int, int] | None:
    """How many tokens truncation keeps of one or two texts, as tokenizers does it; None: it raises an error.

    limit: tokens of the texts together. second: None for a single text.
    """
    total = first + (second or 0)
    if total <= limit:
        return first, second or 0
    if strategy == DEFAULT_STRATEGY:
        if second is None:
            return limit, 0
        short, long = min(first, second), max(first, second)
        long = short if short > limit else max(short, limit - short)
        if short + long > limit:
            short, long = limit // 2, limit // 2 + limit % 2
        return (short, long) if first <= second else (long, short)
    excess = total - limit
    if strategy == "only_first":
        return (first - excess, second or 0) if first > excess else None
    if second is None:
        return None
    return (first, second - excess) if second > excess else None


def windows(size: int, limit: int, stride: int, is_left: bool) -> list[tuple[int, int]]:
    """(begin, end) of each part of a text that is too long: at most `limit` tokens, `stride` of them shared.

    The first is the one that is kept. is_left: parts are taken from the end on.
    """
    step = limit - stride
    parts: list[tuple[int, int]] = []
    if is_left:
        for end in range(size, 0, -step):
            parts.append((max(0, end - limit), end))
            if parts[-1][0] == 0:
                break
        return parts
    for begin in range(0, size, step):
        parts.append((begin, min(begin + limit, size)))
        if parts[-1][1] == size:
            break
    return parts


NO_PADDING: dict[str, Any] = {"pad_type_id": 0}  # of a result that is not padded
