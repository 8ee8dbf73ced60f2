"""Near ties of Unigram models: texts of which rounding decides how they are cut, and so the program that reads a file.

tokenizers adds scores in double precision, SentencePiece in single. A model of this package adds them as the program
whose file it was read from, if that is possible.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import cache
from typing import Any

from spm_lite.formats.proof.condition_checks import DoublePaths
from spm_lite.formats.proof.conditions import NEAR_TIES, NO_TIE, Findings
from spm_lite.kinds import CONTROL, NORMAL, SPACE, USER_DEFINED
from spm_lite.normalize.from_settings import make_normalizer
from spm_lite.vocab.model_file import ModelFile, read_model

TIE = 1e-6  # for each byte of a text: what sums of scores in single precision may be off


def add_ties_of_file(data: bytes, reserved: Iterable[str], findings: Findings) -> None:
    """Report near ties of a model that was read of another program's file.

    data: the model. reserved: texts of added tokens, between which a text is cut by itself.
    """
    between = cut_at(reserved)

    @cache
    def model() -> ModelFile:
        return read_model(data, "the model")

    @cache
    def paths() -> DoublePaths:
        return paths_of(model())

    @cache
    def normalizer() -> Any:
        return make_normalizer(model().settings.normalizer, lossless=model().lossless)

    def is_met(text: str) -> bool:
        parts = [normalizer().normalize(part.encode("utf-8", "surrogateescape")) for part in between(text)]
        others = [part.removeprefix(SPACE.encode()) for part in parts]  # a later one may have no dummy space
        return all(paths().best(part)[1] > TIE * len(part) for part in [*parts, *others] if part)

    findings.add(NEAR_TIES, NO_TIE, is_met)


def paths_of(file: ModelFile) -> DoublePaths:
    """The pieces of a model that text may become, as paths in double precision."""
    vocab = file.vocab
    kinds = (NORMAL, USER_DEFINED)
    return DoublePaths([(vocab.text(i) if vocab.type(i) in kinds else b"", vocab.score(i)) for i in range(vocab.size)])


def add_near_ties(tok: Any, pieces: list[tuple[str, float]], findings: Findings) -> None:
    """Report near ties: sums of scores that rounding in single precision orders in another way than in double.

    pieces: (text, score) by id, as the file has them.
    """
    ids_of = ids_of_paths(tok)
    between = cut_at([text.decode() for text in tok._file.vocab.texts_of_type(CONTROL)])

    @cache
    def paths() -> DoublePaths:
        return DoublePaths([(text.encode(), score) for text, score in pieces])

    def is_clear(text: str) -> bool:
        normalized = tok.normalize(text).encode("utf-8", "surrogateescape")
        path, margin, limit = paths().best(normalized)
        return margin > limit and ids_of(path, normalized) == tok.encode(text)

    def is_clear_later(text: str) -> bool:  # there is no dummy space before it
        _, margin, limit = paths().best(tok.normalize(text).removeprefix(SPACE).encode("utf-8", "surrogateescape"))
        return margin > limit

    def is_met(text: str) -> bool:
        parts = between(text)  # where special tokens are allowed
        return all(map(is_clear, parts)) and all(map(is_clear_later, parts[1:]))

    findings.add(NEAR_TIES, NO_TIE, is_met)


def cut_at(texts: Iterable[str]) -> Callable[[str], list[str]]:
    """What cuts a text at some texts, which go."""
    found = sorted(filter(None, texts), key=len, reverse=True)
    return re.compile("|".join(map(re.escape, found))).split if found else lambda text: [text]


def ids_of_paths(tok: Any) -> Callable[[list[tuple[int, int, int]], bytes], list[int]]:
    """What turns a path into ids: unknown characters become bytes, or one unknown id for each run of them."""
    vocab = tok._file.vocab
    unknown = tok.unk_id
    byte_ids = [vocab.find_id(b"<0x%02X>" % byte) for byte in range(256)] if vocab.byte_fallback else []

    def ids_of(path: list[tuple[int, int, int]], text: bytes) -> list[int]:
        ids: list[int] = []
        was_unknown = False
        for piece_id, begin, end in path:
            if piece_id >= 0:
                ids.append(piece_id)
            elif byte_ids:
                ids += map(byte_ids.__getitem__, text[begin:end])
            elif not was_unknown:
                ids.append(unknown)
            was_unknown = piece_id < 0
        return ids

    return ids_of
