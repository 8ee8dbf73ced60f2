"""Pieces that no text can give, each with the reason and a text that shows it.

A piece t can be emitted if and only if it is among the ids of its own text between two barriers. A barrier is a
character that is in no piece and that normalization keeps, so that each side of it is segmented by itself.

Where pieces are bytes, no character is in no piece. There, a piece that its own bytes alone do not give comes in no
text, unless a split pattern cuts them otherwise. With a pattern, they are tried in texts around them, too: what is
missing of a character at either end is completed by characters all over Unicode.
"""

from __future__ import annotations

from math import fsum
from typing import TYPE_CHECKING, Any

import numpy as np

from spm_lite.encode.encode_batch import encode_batch
from spm_lite.errors import ModelError
from spm_lite.evaluation.vocabulary.byte_contexts import texts_around
from spm_lite.evaluation.vocabulary.piece_kinds import VocabularyView, as_data, piece_for_json
from spm_lite.kinds import BYTE, SPACE, UNKNOWN, USER_DEFINED
from spm_lite.texts.batch import Batch
from spm_lite.texts.object_texts import ObjectTexts

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from spm_lite.encode.encoder import Encoder

BARRIERS = (0x10FFFD, 0xF0010, 0xE0FE, 0x16A0, 0x10330, 0x0780)
CLOSE = 0.01  # nats: rounding of long sums in single precision may overcome so small a margin
UNKNOWN_PENALTY = 10.0  # below the least score: that of a character without a piece
CUT_BY_WORDS = ("wordpiece",)  # a piece within a word has no text of its own
WORD_TYPES = ("word",)


def reach_figures(view: VocabularyView, num_threads: int) -> dict[str, Any]:
    """The pieces that cannot be emitted. `tested` is None where that cannot be found out."""
    kind = view.tokenizer.model_type
    listed = view.vocab.merge_list
    if kind in CUT_BY_WORDS or (listed is not None and listed.is_by_part()):
        return {"barrier": None, "tested": None, "unreachable": [], "notes": "pieces within words have no text alone"}
    around = "" if kind in WORD_TYPES or view.vocab.is_bytes else chr(barrier_of(view))
    found = emitted(view, around, num_threads)
    if view.vocab.is_bytes and not found.all():
        for place in np.flatnonzero(~found).tolist():
            found[place] = comes_in_text(view, view.ids[place], num_threads)
    missing = [piece_id for piece_id, is_found in zip(view.ids, found, strict=True) if not is_found]
    reasons = Reasons(view, around)
    return {
        "barrier": f"U+{ord(around):04X}" if around else None,
        "tested": len(view.ids),
        "unreachable": [reasons.of(piece_id) for piece_id in missing],
    }


def barrier_of(view: VocabularyView) -> int:
    """The first of BARRIERS that is in no piece and that normalization keeps."""
    for code_point in BARRIERS:
        char = chr(code_point)
        if not any(char in piece for piece in view.pieces) and view.normalized(char).strip(SPACE + " ") == char:
            return code_point
    tried = ", ".join(f"U+{code_point:04X}" for code_point in BARRIERS)
    raise ModelError(f"the pieces cannot be tested: the model has each of {tried} in a piece, or rewrites it")


def emitted(view: VocabularyView, around: str, num_threads: int) -> NDArray[np.bool_]:
    """Whether the text of each piece, between barriers, gives the piece."""
    texts = [as_data(around + surface + around) for surface in view.surfaces]
    batch = batch_of(view.encoder, texts, num_threads)
    wanted = np.repeat(np.array(view.ids, np.int64), np.diff(batch.offsets))
    hits = np.flatnonzero(batch.ids == wanted)
    found = np.zeros(len(texts), np.bool_)
    found[np.searchsorted(batch.offsets, hits, side="right") - 1] = True
    return found


def comes_in_text(view: VocabularyView, piece_id: int, num_threads: int) -> bool:
    """Whether one of the texts that `texts_around` names gives a piece of bytes."""
    texts: list[str | bytes] = [*texts_around(view.vocab.text(piece_id))]
    return piece_id in batch_of(view.encoder, texts, num_threads).ids


def batch_of(encoder: Encoder, texts: list[str | bytes], num_threads: int) -> Batch:
    """The ids of some texts."""
    ids, offsets = encode_batch(encoder, ObjectTexts(texts), num_threads, -1, -1)
    return Batch._from_vectors(ids, offsets, -1)


class Reasons:
    """Says why a piece cannot be emitted."""

    def __init__(self, view: VocabularyView, around: str) -> None:
        self.view = view
        self.around = around
        self.bare = view.bare_encoder()
        self.scores = [view.vocab.score(i) for i in range(view.vocab.size)]
        known = [s for s, kind in zip(self.scores, view.types, strict=True) if kind not in (UNKNOWN, BYTE)]
        self.unknown_score = min(known, default=0.0) - UNKNOWN_PENALTY
        self.targets: list[str] | None = None

    def of(self, piece_id: int) -> dict[str, Any]:
        """The first reason that applies, with what becomes of the piece's text."""
        view = self.view
        surface = view.surface(piece_id)
        entry: dict[str, Any] = {"id": piece_id, "piece": piece_for_json(view.pieces[piece_id])}
        own = self.bare.encode(as_data(surface))
        if own == [piece_id]:
            return entry | self.rewritten(surface, view.pieces[piece_id])
        instead: dict[str, Any] = {
            "instead": own,
            "instead_pieces": [view.shown(i) for i in own],
            "text": piece_for_json(surface),
        }
        if any(view.types[i] == USER_DEFINED for i in own if i >= 0):
            return entry | {"reason": "user_defined"} | instead
        if view.tokenizer.model_type != "unigram":
            return entry | {"reason": "merges"} | instead
        margin = self.score(own) - self.scores[piece_id]
        return entry | {"reason": "outscored"} | instead | {"margin": margin}

    def rewritten(self, surface: str, piece: str) -> dict[str, Any]:
        """The reason for a piece whose text segmentation would give, but that normalization changes."""
        view = self.view
        became = view.normalized(self.around + surface + self.around)
        if self.around:
            became = became[became.index(self.around) + 1 : became.rindex(self.around)]
        only_spaces = without_spaces(became) == without_spaces(piece)
        result: dict[str, Any] = {
            "reason": "whitespace" if only_spaces else "normalizer",
            "becomes": piece_for_json(became),
        }
        if not only_spaces and self.is_target(surface):
            result["written_by_rule"] = True
        return result | {"text": piece_for_json(surface)}

    def is_target(self, surface: str) -> bool:
        """Whether some rule writes a text that holds the piece: then it may still come out of that rule."""
        if self.targets is None:
            self.targets = [target for _, target in self.view.normalizer.charsmap.decompile()]
        return any(surface in target for target in self.targets)

    def score(self, ids: list[int]) -> float:
        """The score of a segmentation; a character without a piece has the unknown score."""
        total = [self.scores[i] for i in ids if i >= 0 and self.view.types[i] not in (UNKNOWN, BYTE)]
        spelled = bytes(int(self.view.pieces[i][3:5], 16) for i in ids if i >= 0 and self.view.types[i] == BYTE).decode(
            "utf-8", "replace"
        )
        unknown = sum(i < 0 or self.view.types[i] == UNKNOWN for i in ids)
        return fsum([*total, self.unknown_score * (unknown + len(spelled))])


def without_spaces(text: str) -> str:
    return text.replace(SPACE, "").replace(" ", "")
