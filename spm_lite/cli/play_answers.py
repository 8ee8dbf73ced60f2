"""What the page asks about a model: pieces of a text, n-best, and the steps that lead to them."""

from __future__ import annotations

import os
from collections import OrderedDict
from collections.abc import Callable, Mapping
from threading import Lock
from typing import Any

from spm_lite.errors import OptionError
from spm_lite.kinds import BYTE, UNKNOWN
from spm_lite.pictures.terminal_picture import shown_size
from spm_lite.pictures.tokens import Group, Token, groups_of, tokens_of
from spm_lite.tokenizer.tokenizer import Tokenizer
from spm_lite.vocab.changed_pieces import merges_of, without

MOST_TOKENS = 1000  # that are drawn of a text; all are counted
MOST_RANKED = 1000  # characters of a text whose n-best are searched
MOST_BEST = 50
MOST_COPIED = 1 << 20  # bytes of a text whose ids and pieces are copied: an answer takes up to 17 bytes for each
MERGED = (
    "The first way is the one of encode, which does the merges in their order. The others follow by their scores: "
    "sums of scores of pieces, which come from the order of merges. So one of them may have a higher score."
)
RANKED = "Scores are log-probabilities. Where the first is 1 higher than another, it is 2.7 times as likely."
MOST_SIZES = 8  # smaller vocabularies of a model that are kept


class Played:
    """One model on the page, with all its smaller vocabularies. path: names it. tok: None: it is loaded."""

    def __init__(self, path: str, tok: Tokenizer | None = None) -> None:
        self.name = os.path.basename(path)  # noqa: PTH119  names of any bytes
        self.tok = Tokenizer.load(path) if tok is None else tok
        self.merges = merges_of(self.tok._file)
        self._smaller: OrderedDict[int, Tokenizer] = OrderedDict()
        self._lock = Lock()

    def facts(self) -> dict[str, Any]:
        """What the page shows above the pieces."""
        return {
            "name": self.name.encode("utf-8", "backslashreplace").decode(),
            "type": self.tok.model_type,
            "pieces": self.tok.vocab_size,
            "merges": len(self.merges),
        }

    def sized(self, n_merges: int | None) -> Tokenizer:
        """The model with its first merges only; None: with all."""
        if n_merges is None or n_merges == len(self.merges):
            return self.tok
        if not 0 <= n_merges <= len(self.merges):
            raise OptionError(
                f"merges {n_merges} is not between 0 and {len(self.merges)}, the number of merges of the model"
            )
        with self._lock:
            found = self._smaller.pop(n_merges, None)
            if found is None:
                found = Tokenizer.load(without(self.tok._file, set(self.merges[n_merges:])))
            self._smaller[n_merges] = found
            if len(self._smaller) > MOST_SIZES:
                self._smaller.popitem(last=False)
        return found


def pieces(tok: Tokenizer, text: str, wanted: Mapping[str, Any]) -> dict[str, Any]:
    """The counts of the whole text, and the pieces at its beginning."""
    tokens = tokens_of(tok, text, MOST_TOKENS)
    return {
        "tokens": tok.count(text),
        "bytes": len(text.encode()),
        "characters": len(text),
        "vocabulary": tok.vocab_size,
        "groups": [group_facts(group) for group in groups_of(tok, tokens)],
        "drawn": len(tokens),
    }


def group_facts(group: Group) -> dict[str, Any]:
    """A group of tokens as JSON."""
    return {
        "text": group.shown,
        "unknown": group.is_unknown,
        "ids": [token.piece_id for token in group.tokens],
        "sizes": [shown_size(token, group) for token in group.tokens],
    }


def nbest(tok: Tokenizer, text: str, wanted: Mapping[str, Any]) -> dict[str, Any]:
    """The best ways to cut the text, with their scores."""
    n = whole_number(wanted, "n", 10)
    if not 1 <= n <= MOST_BEST:
        raise OptionError(f"n {n} is not between 1 and {MOST_BEST}")
    part = text[:MOST_RANKED]
    plain = tok.encode(part)
    ways = [
        {"score": way.score, "pieces": drawn(tok, way.ids), "is_plain": way.ids == plain} for way in tok.nbest(part, n)
    ]
    note = f"Only the first {MOST_RANKED:,} characters are ranked." if len(text) > len(part) else ""
    return {"ways": ways, "note": note, "why": RANKED if tok.model_type == "unigram" else MERGED}


def tokens(tok: Tokenizer, text: str, wanted: Mapping[str, Any]) -> dict[str, Any]:
    """All ids and pieces of the whole text, to be copied; in a piece, a byte that is not UTF-8 is written as \\xHH."""
    if len(text.encode("utf-8", "surrogatepass")) > MOST_COPIED:
        raise OptionError(
            f"the text is longer than {MOST_COPIED:,} bytes: 'spm-lite encode --output FILE' writes its ids to a file"
        )
    shown = [piece.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace") for piece in tok.pieces(text)]
    return {"ids": tok.encode(text), "pieces": shown}


def drawn(tok: Tokenizer, ids: list[int]) -> list[str]:
    """The pieces of some ids as the page shows them: byte pieces of one character together."""
    vocab = tok._encoder.vocab
    tokens = []
    for piece_id in ids:
        kind = vocab.type(piece_id) if piece_id >= 0 else UNKNOWN
        text = vocab.text(piece_id) if piece_id >= 0 else b"?"
        tokens.append(Token(piece_id, bytes([int(text[3:5], 16)]) if kind == BYTE else text, kind, 0, 0))
    return [group.shown for group in groups_of(tok, tokens)]


def steps(tok: Tokenizer, text: str, wanted: Mapping[str, Any]) -> dict[str, Any]:
    """How the pieces come about, as HTML in which all text is escaped."""
    return {"html": tok.explain(text)._repr_html_()}


QUESTIONS: dict[str, Callable[[Tokenizer, str, Mapping[str, Any]], dict[str, Any]]] = {
    "/pieces": pieces,
    "/nbest": nbest,
    "/steps": steps,
    "/tokens": tokens,
}


def answer(played: list[Played], question: str, wanted: Any) -> dict[str, Any]:
    """The answer to a question of the page. Raises SpmLiteError for what it cannot ask.

    wanted: text, a str; model, the number of the model; merges, how many of its merges to use (none named: all).
    """
    if not isinstance(wanted, dict):
        raise OptionError(f"the request is {type(wanted).__name__}, not an object of JSON")
    text = wanted.get("text")
    if not isinstance(text, str):
        raise OptionError(f"text is {type(text).__name__}, not str")
    number = whole_number(wanted, "model", 0)
    if not 0 <= number < len(played):
        raise OptionError(f"model {number} is not between 0 and {len(played) - 1}")
    merges = None if wanted.get("merges") is None else whole_number(wanted, "merges", 0)
    return QUESTIONS[question](played[number].sized(merges), text, wanted)


def whole_number(wanted: Mapping[str, Any], name: str, default: int) -> int:
    """An integer of the request."""
    value = wanted.get(name, default)
    if type(value) is not int:
        raise OptionError(f"{name} is {type(value).__name__}, not a whole number")
    return value
