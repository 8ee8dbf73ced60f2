"""The models that are measured: some of the data folder, some trained here and kept in the work folder."""

from __future__ import annotations

import base64
import itertools
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import spm_lite
from spm_lite.sentencepiece_model_pb2 import ModelProto

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from texts import Texts

GIVEN = {
    "Llama 2, BPE": "llama2.model",
    "T5, Unigram": "t5_base.model",
    "llm-jp, Unigram": "llmjp_v4a_unigram_196k.model",
}
NORMAL, UNKNOWN, CONTROL, USER_DEFINED = 1, 2, 3, 4


class Recipe(NamedTuple):
    model_type: str
    vocab_size: int  # at most: a small corpus gives fewer
    texts: Callable[[Texts], Iterable[str]]


TRAINED = {
    "CJK, BPE": Recipe("bpe", 64_000, lambda texts: texts.lines("Japanese") + texts.lines("Chinese")),
    "multilingual, BPE": Recipe("bpe", 64_000, lambda texts: texts.everything()),
    "multilingual, Unigram": Recipe("unigram", 64_000, lambda texts: texts.everything()),
    "English, char": Recipe("char", 1_000, lambda texts: texts.lines("English")),
    "English, word": Recipe("word", 32_000, lambda texts: texts.lines("English")),
    "tiny, BPE": Recipe("bpe", 1_000, lambda texts: code_lines(texts)),
}


class Models:
    """Paths of models by name. data: the folder of models; work: where trained ones are kept."""

    def __init__(self, data: Path, work: Path, texts: Texts) -> None:
        self.given, self.work, self.texts = data / "models", work, texts
        self.converted: dict[str, Path] = {}

    def path(self, name: str) -> Path:
        """Raises FileNotFoundError if the data folder lacks the model, or the text to train it on."""
        if name in GIVEN:
            path = self.given / GIVEN[name]
            if not path.is_file():
                raise FileNotFoundError(f"no model {path}")
            return path
        recipe = TRAINED[name]
        path = self.work / "models" / f"{name.replace(', ', '-')}-{recipe.vocab_size}.model"
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            kind, size = recipe.model_type, recipe.vocab_size
            lines = recipe.texts(self.texts)
            spm_lite.train(lines, model_type=kind, vocab_size=size, hard_vocab_limit=False).save(path)
        return path

    def title(self, name: str) -> str:
        """The name, the number of pieces, and whether it is a model of our own."""
        pieces = len(spm_lite.Tokenizer.load(self.path(name)))
        return f"{name} {pieces:,}" + (" (trained here)" if name in TRAINED else "")

    def tokenizer_json(self, name: str) -> Path:
        """The same model for tokenizers that do not read model files."""
        if name not in self.converted:
            model = self.path(name)
            path = self.work / "tokenizer_json" / f"{model.stem}.json"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(json.dumps(converted(ModelProto.FromString(model.read_bytes())), ensure_ascii=False))
            self.converted[name] = path
        return self.converted[name]


def code_lines(texts: Texts) -> list[str]:
    return texts.path("source code").read_text(encoding="utf-8")[:200_000].split("\n")


def converted(model: Any) -> dict[str, Any]:
    """The model as the `tokenizers` package writes it: the nearest that its parts can express."""
    spec, trainer = model.normalizer_spec, model.trainer_spec
    steps: list[dict[str, Any]] = []
    if spec.precompiled_charsmap:
        charsmap = base64.b64encode(spec.precompiled_charsmap).decode()
        steps.append({"type": "Precompiled", "precompiled_charsmap": charsmap})
    if spec.remove_extra_whitespaces:
        steps.append({"type": "Strip", "strip_left": True, "strip_right": True})
        steps.append({"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": " "})
    # Where spaces are single, Unigram models are published with this pre-tokenizer; it would change runs of spaces.
    metaspace = trainer.model_type == 1 and spec.remove_extra_whitespaces
    if spec.add_dummy_prefix and not metaspace:
        steps.append({"type": "Prepend", "prepend": "\u2581"})
    if not metaspace:
        steps.append({"type": "Replace", "pattern": {"String": " "}, "content": "\u2581"})
    scheme = "always" if spec.add_dummy_prefix else "never"
    words = {"type": "Metaspace", "replacement": "\u2581", "prepend_scheme": scheme, "split": True}
    decoders: list[dict[str, Any]] = [{"type": "Replace", "pattern": {"String": "\u2581"}, "content": " "}]
    if trainer.byte_fallback:
        decoders.append({"type": "ByteFallback"})
    decoders.append({"type": "Fuse"})
    if spec.add_dummy_prefix:
        decoders.append({"type": "Strip", "content": " ", "start": 1, "stop": 0})
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [
            added_token(i, piece) for i, piece in enumerate(model.pieces) if piece.type in (CONTROL, USER_DEFINED)
        ],
        "normalizer": {"type": "Sequence", "normalizers": steps},
        "pre_tokenizer": words if metaspace else None,
        "post_processor": None,
        "decoder": {"type": "Sequence", "decoders": decoders},
        "model": bpe_model(model) if trainer.model_type == 2 else unigram_model(model),
    }


def added_token(i: int, piece: Any) -> dict[str, Any]:
    flags = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False}
    return {"id": i, "content": piece.piece, "special": piece.type == CONTROL, **flags}


def unigram_model(model: Any) -> dict[str, Any]:
    return {
        "type": "Unigram",
        "unk_id": unknown_id(model),
        "vocab": [[piece.piece, piece.score] for piece in model.pieces],
        "byte_fallback": model.trainer_spec.byte_fallback,
    }


def bpe_model(model: Any) -> dict[str, Any]:
    """Every way to make a piece of two others is a merge; the piece with the higher score goes first."""
    ids = {piece.piece: i for i, piece in enumerate(model.pieces)}
    normal = [piece for piece in model.pieces if piece.type == NORMAL]
    merges = []
    for piece in sorted(normal, key=lambda piece: -piece.score):
        text = piece.piece
        halves = [(text[:cut], text[cut:]) for cut in range(1, len(text))]
        merges.append(sorted((pair for pair in halves if set(pair) <= ids.keys()), key=lambda pair: ids[pair[0]]))
    return {
        "type": "BPE",
        "dropout": None,
        "unk_token": model.pieces[unknown_id(model)].piece,
        "continuing_subword_prefix": None,
        "end_of_word_suffix": None,
        "fuse_unk": True,
        "byte_fallback": model.trainer_spec.byte_fallback,
        "ignore_merges": False,
        "vocab": ids,
        "merges": list(itertools.chain.from_iterable(merges)),
    }


def unknown_id(model: Any) -> int:
    return next(i for i, piece in enumerate(model.pieces) if piece.type == UNKNOWN)
