"""What vLLM 0.33.0 and SGLang 0.5.23 do with ids that come one by one, from its definition; and facts of their shape.

vLLM: `FastIncrementalDetokenizer`. SGLang: a step of `DetokenizerManager`. Both take any tokenizer of transformers.
"""

from __future__ import annotations

import importlib
import random
import warnings
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
from oracle.fast_tokenizers import TEXTS

REPLACEMENT = "\ufffd"
# The names of vLLM's protocol `TokenizerLike`.
PROTOCOL_METHODS = (
    "num_special_tokens_to_add", "get_vocab", "get_added_vocab", "encode", "apply_chat_template",
    "convert_tokens_to_ids", "convert_tokens_to_string", "decode", "convert_ids_to_tokens",
)  # fmt: skip
PROTOCOL_PROPERTIES = (
    "all_special_tokens", "all_special_ids", "bos_token_id", "eos_token_id", "pad_token_id", "is_fast", "vocab_size",
    "max_token_id", "max_chars_per_token", "truncation_side",
)  # fmt: skip
OF_THE_CACHE = ("max_token_id", "max_chars_per_token")  # vLLM's cache adds these to a tokenizer of transformers


def real(name: str) -> ModuleType:
    """A module of vLLM or SGLang; the test is skipped where it cannot be imported."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return importlib.import_module(name)
        except ImportError as error:
            pytest.skip(f"{name} cannot be imported: {error}")


def random_ids(rng: random.Random, tokenizer: Any, n: int) -> list[int]:
    """Ids of texts, of bytes, of special tokens, any others, and some that the tokenizer lacks."""
    vocab = dict(sorted(tokenizer.get_vocab(True).items()))
    of_bytes = [i for name, i in vocab.items() if name.startswith("<0x") or len(name) == 1]
    special = sorted(i for i, token in tokenizer.get_added_tokens_decoder().items() if token.special)
    of_texts = tokenizer.encode(rng.choice(TEXTS), add_special_tokens=False).ids
    sources = [of_texts, of_bytes, special, range(len(vocab) + 3)]
    weights = [5, 5, 1, 3]
    return [rng.choice(rng.choices(sources, weights)[0] or [0]) for _ in range(n)]


def request(prompt: list[int], **options: Any) -> SimpleNamespace:
    """A request of vLLM, as far as a detokenizer looks at it."""
    params = {
        "stop": None, "min_tokens": 0, "include_stop_str_in_output": False, "skip_special_tokens": True,
        "spaces_between_special_tokens": True,
    }  # fmt: skip
    return SimpleNamespace(
        request_id="1", prompt_token_ids=prompt, sampling_params=SimpleNamespace(**{**params, **options})
    )


class Detokenizer:
    """vLLM's detokenizer."""

    def __init__(self, tokenizer: Any, request: Any) -> None:
        from tokenizers import decoders

        self.params = request.sampling_params
        stop = self.params.stop or []
        self.stops = [stop] if isinstance(stop, str) else stop
        self.backend = tokenizer._tokenizer
        self.kind = decoders.DecodeStream  # looked up in its module, since programs replace it there
        self.stream = self.kind(ids=request.prompt_token_ids, skip_special_tokens=self.params.skip_special_tokens)
        self.output_token_ids: list[int] = []
        self.output_text = ""
        self.n_given = 0
        self.was_added = False

    def decode_next(self, token_id: int) -> str:
        try:
            text = self.stream.step(self.backend, token_id)
        except (OverflowError, TypeError):
            text = None
        except Exception as error:
            if not str(error).startswith("Invalid prefix encountered"):
                raise
            self.stream = self.kind(skip_special_tokens=self.params.skip_special_tokens)
            text = self.stream.step(self.backend, token_id)
        if not self.params.skip_special_tokens and not self.params.spaces_between_special_tokens:
            added = self.backend.get_added_tokens_decoder().get(token_id)
            if added is not None and self.was_added:
                text = added.content
            self.was_added = added is not None
        return text or ""

    def update(self, new_ids: list[int], stop_terminated: bool) -> str | None:
        if not new_ids:
            return None
        n_before = len(self.output_token_ids)
        ends = [len(self.output_text)]  # of the text after each new token
        for k, token_id in enumerate(new_ids):
            is_stop = stop_terminated and k == len(new_ids) - 1 and not self.params.include_stop_str_in_output
            self.output_text += "" if is_stop else self.decode_next(token_id)
            ends.append(len(self.output_text))
        self.output_token_ids += new_ids
        if not self.stops or len(self.output_token_ids) <= self.params.min_tokens:
            return None
        text = self.output_text
        for end in range(ends[max(self.params.min_tokens - n_before, 0)] + 1, len(text) + 1):
            for stop in self.stops:
                if text[:end].endswith(stop):
                    n_kept = next(k for k in range(1, len(ends)) if ends[k] >= end)
                    del self.output_token_ids[n_before + n_kept :]
                    self.output_text = text[: end if self.params.include_stop_str_in_output else end - len(stop)]
                    return stop
        return None

    def get_next_output_text(self, finished: bool, delta: bool) -> str:
        n_held = 0
        if self.stops and not finished and not self.params.include_stop_str_in_output:
            n_held = max(map(len, self.stops)) - 1
        end = max(len(self.output_text) - n_held, 0)
        if not delta:
            return self.output_text[:end]
        begin, self.n_given = self.n_given, max(end, self.n_given)
        return self.output_text[begin : self.n_given]


class Step:
    """SGLang's detokenizer: a call decodes the new ids of each request of a batch."""

    def __init__(self, tokenizer: Any) -> None:
        self.tokenizer = tokenizer
        self.states: dict[str, SimpleNamespace] = {}

    def _grouped_batch_decode(self, ids: list[list[int]], skips: list[bool], spaces: list[bool]) -> list[str]:
        return [self.tokenizer.decode(row, skip_special_tokens=skip) for row, skip in zip(ids, skips, strict=True)]

    def run(self, rows: list[tuple[str, list[int], int, Any, bool, bool]]) -> list[str]:
        """rows: name, new ids (at first with ids of the prompt), their number, "matched" of an end or None or "",
        whether the stop stays, and whether special tokens are left out."""
        reads, windows = [], []
        for name, ids, n_prompt, matched, stays, _ in rows:
            state = self.states.setdefault(name, SimpleNamespace(text="", ids=[], begin=0, read=n_prompt, sent=0))
            state.ids = state.ids + ids
            read = state.ids[state.begin :]
            reads.append(read[:-1] if isinstance(matched, int) and not stays else read)
            windows.append(state.ids[state.begin : state.read])
        skips = [row[-1] for row in rows]
        before = self._grouped_batch_decode(windows, skips, [True] * len(rows))
        after = self._grouped_batch_decode(reads, skips, [True] * len(rows))
        found = []
        for (name, _, _, matched, stays, _), start, whole in zip(rows, before, after, strict=True):
            state, new = self.states[name], whole[len(start) :]
            text = state.text + new
            if matched is None and new and not new.endswith(REPLACEMENT):
                state.text, state.begin, state.read = text, state.read, len(state.ids)
            elif matched is None:
                text = state.text + printable(new)
            elif isinstance(matched, str) and matched and matched in text:
                at = text.index(matched)
                text = text[: at + len(matched)] if stays else text[:at]
            found.append(text[state.sent :])
            state.sent = len(text)
        return found


def printable(text: str) -> str:
    """The part of a text that SGLang gives although its end is not certain."""
    if text.endswith("\n") or is_chinese(text[-1:]):
        return text
    return text[:-1] if is_chinese(text[-2:-1]) else text[: text.rfind(" ") + 1]


def is_chinese(sign: str) -> bool:
    ranges = [
        (0x4E00, 0x9FFF), (0x3400, 0x4DBF), (0x20000, 0x2A6DF), (0x2A700, 0x2B73F), (0x2B740, 0x2B81F),
        (0x2B820, 0x2CEAF), (0xF900, 0xFAFF), (0x2F800, 0x2FA1F),
    ]  # fmt: skip
    return any(begin <= ord(sign) <= end for begin, end in ranges) if sign else False
