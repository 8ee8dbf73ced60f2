"""`merge`: the pieces of one model for another one. BPE makes them by merges, Unigram takes their scores."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from spm_lite.arguments import as_num_threads
from spm_lite.errors import ArgumentTypeError, OptionError
from spm_lite.files.read_options import as_reading
from spm_lite.kinds import NORMAL, SPACE
from spm_lite.normalize.from_settings import copy_normalizer
from spm_lite.progress.reporter import as_reporter
from spm_lite.tokenizer.lone_pieces import LonePieces
from spm_lite.tokenizer.results import Revised
from spm_lite.tokenizer.tokenizer import Tokenizer
from spm_lite.training.counts.chunk_table import ChunkTable
from spm_lite.training.extension.continued_merges import NewPiece, Wishes, merged_pieces
from spm_lite.training.extension.extension_steps import check_can_grow
from spm_lite.training.extension.grown_models import grown, map_of, text_of
from spm_lite.training.extension.model_training import ModelTraining
from spm_lite.training.extension.new_texts import ALL, script_of, wanted_scripts
from spm_lite.training.options.checks import checked_int
from spm_lite.training.run import Shares, open_one
from spm_lite.vocab.changed_pieces import MERGING, merges_of

if TYPE_CHECKING:
    from collections.abc import Iterable

TAKEN = "piece"  # why a piece is new: it is one of the other model
SCALE = 10**8  # occurrences that all pieces of the other model have together
FIRST, SECOND, STEP = "a", "b", "step"  # reasons


def merge(a: Tokenizer, b: Tokenizer, *, n: int | None = None, only: str | Iterable[str] | None = None) -> Revised:
    """A tokenizer with the pieces of `a`, whose ids stay, and after them those of `b` that it lacks.

    In a BPE model, `a` goes on with its merges: each piece of `b` is a text that counts as its score says. Merges that
    lead to these pieces become pieces, too. A Unigram model takes pieces with the scores of `b`. Those that would be
    dead go, and so do those that would make a piece of `a` dead. A text in which no new piece occurs keeps its ids; in
    Unigram models nearly always.

    Args:
        a: a Tokenizer of type bpe, byte_bpe or unigram.
        b: a Tokenizer of one of these types; unigram if `a` is.
        n: the number of new pieces, at most; the best of `b` come first. None: all pieces of `b`.
        only: scripts by their names in Unicode: each new piece has a letter of one of them. "new": scripts of which
            `a` has no letter. None: any.
    Returns:
        Revised: the tokenizer, a VocabMap from the ids of `a`, and why each piece is there: "a", "b", or "step", a
        merge on the way to pieces of `b`.
    Raises:
        OptionError: a wrong option, models that do not fit, or `b` has no piece that `a` lacks.
    Source: the algorithms are in the page "Prune and merge vocabularies".

    >>> import spm_lite
    >>> a = spm_lite.train(["the cat sat"] * 9, model_type="bpe", vocab_size=272)
    >>> b = spm_lite.train(["кот и кит"] * 9, model_type="bpe", vocab_size=268, hard_vocab_limit=False)
    >>> merged = spm_lite.merge(a, b)
    >>> merged.tokenizer.pieces("a cat и кот"), merged.map
    (['▁', 'a', '▁cat', '▁и', '▁к', 'от'], <VocabMap: 272 old ids, 0 gone, 8 new>)
    """
    for name, one in (("a", a), ("b", b)):
        if not isinstance(one, Tokenizer):
            raise ArgumentTypeError(f"{name} is {type(one).__name__}, not a Tokenizer: spm_lite.load reads one")
    check_can_grow(a._file)
    check_fits(a, b)
    n_most = None if n is None else checked_int("n", n)
    if n_most is not None and n_most < 1:
        raise OptionError(f"n={n_most}: must be 1 or more", remedies=[{"n": 1}])
    run = ModelTraining(a._file, 1, num_threads=as_num_threads(None), progress=as_reporter(None))
    found = foreign_pieces(a, b, run, only)
    if not found:
        raise OptionError(
            "b has no piece that a lacks and that `only` and the rules of a allow: there is nothing to merge"
        )
    n_new = min(n_most or len(found), len(found))
    pieces = scored_pieces(a, found, n_new) if a.model_type == "unigram" else merged_from(a, run, found, n_new, only)
    made = grown(a, pieces)
    reasons = dict.fromkeys(range(a.vocab_size), FIRST)
    reasons |= {i: SECOND if text_of(one.text) in found else STEP for i, one in enumerate(pieces, a.vocab_size)}
    return Revised(made, map_of(a, made, pieces), reasons)


def check_fits(a: Tokenizer, b: Tokenizer) -> None:
    """Raise OptionError for a model whose pieces the other one cannot take."""
    listed = b._file.vocab.merge_list
    if b.model_type not in (*MERGING, "unigram") or (listed is not None and listed.is_by_part()):
        raise OptionError(
            f"b is a {b.model_type} model: merge takes bpe, byte_bpe and unigram models whose pieces do not depend on "
            "their place in a word. Learn its text by a.extend(text, n)"
        )
    if a.model_type == "unigram" and b.model_type != "unigram":
        raise OptionError(
            f"a is a unigram model, and the scores of b, a {b.model_type} model, are no probabilities: train b as "
            "unigram, or learn its text by a.extend(text, n)"
        )


def foreign_pieces(a: Tokenizer, b: Tokenizer, run: ModelTraining, only: Any) -> dict[bytes, tuple[int, float]]:
    """Text in `a` -> (count, score) of each piece of `b` that may be one of `a`, the best first."""
    vocab, own = b._file.vocab, a._file.vocab
    ranks = {i: rank for rank, i in enumerate(merges_of(b._file), 1)}
    marks = not vocab.is_bytes and b._encoder.normalizer.escape_whitespaces
    space = " " if own.is_bytes or not a._encoder.normalizer.escape_whitespaces else SPACE
    taken = {own.text(i) for i in range(len(own))}
    found: dict[bytes, tuple[int, float]] = {}
    for i in range(len(vocab)):
        raw = vocab.text(i).replace(SPACE.encode(), b" ") if marks else vocab.text(i)
        text = raw.replace(b" ", space.encode())
        if vocab.type(i) != NORMAL or text in taken or not may_be_text(a, raw):
            continue
        share = 1 / ranks[i] if i in ranks else math.exp(min(vocab.score(i), 0.0)) if not ranks else 0.0
        found[text] = max(1, round(share * SCALE)), vocab.score(i)
    kept = unbroken(run, found) if own.is_cut else found
    characters = {one for text in kept for one in text.decode("utf-8", "ignore")}
    known = {one for text in taken for one in text.decode("utf-8", "ignore")}
    wanted = wanted_scripts(only, known, characters, ALL)
    if wanted is not None:
        kept = {
            text: one
            for text, one in kept.items()
            if any(script_of(character) in wanted for character in text.decode("utf-8", "ignore"))
        }
    return dict(sorted(kept.items(), key=lambda item: (-item[1][0], -item[1][1], item[0])))


def may_be_text(a: Tokenizer, raw: bytes) -> bool:
    """Whether the text of a piece can stand in a text that `a` has normalized."""
    own = a._encoder.normalizer
    if a._file.vocab.is_bytes and not own.charsmap.blob:
        return True
    try:
        raw.decode()
    except UnicodeDecodeError:
        return a._file.vocab.is_bytes
    if SPACE.encode() in raw:
        return False
    plain = copy_normalizer(own, add_dummy_prefix=False, remove_extra_whitespaces=False, protected=())
    came = plain.normalize(raw)
    return came.replace(SPACE.encode(), b" ") == raw


def unbroken(run: ModelTraining, found: dict[bytes, tuple[int, float]]) -> dict[bytes, tuple[int, float]]:
    """Those texts that a split pattern leaves whole."""
    counts = run.count(open_one([*found], None, None, Shares(), as_reading({})), 0)
    whole = {chunk for chunk, _ in counts.items()}
    return {text: one for text, one in found.items() if text in whole}


def merged_from(
    a: Tokenizer, run: ModelTraining, found: dict[bytes, tuple[int, float]], n_new: int, only: Any
) -> list[NewPiece]:
    """New merges of a BPE model, where each piece of the other one is a text of its own."""
    counts = ChunkTable.from_items((text, count) for text, (count, _) in found.items())
    return merged_pieces(run, counts, a._file.vocab, Wishes(n_new, only, 1.0, None))


def scored_pieces(a: Tokenizer, found: dict[bytes, tuple[int, float]], n_new: int) -> list[NewPiece]:
    """New pieces of a Unigram model with the scores of the other one, but none below the lowest of `a`.

    Pieces that would be dead go, and those whose cut of an old piece is better than this piece.
    """
    vocab = a._file.vocab
    least = min((vocab.score(i) for i in range(len(vocab)) if vocab.type(i) == NORMAL), default=0.0)
    best = sorted(found, key=lambda text: (-found[text][1], text))[:n_new]
    pieces = [NewPiece(text.decode(), max(found[text][1], least), TAKEN) for text in best]
    dead_before = LonePieces(a).dead()
    while pieces:
        made = grown(a, pieces)
        lone, first = LonePieces(made), a.vocab_size
        dead = lone.dead() - dead_before
        useless = {i for i in dead if i >= first}
        useless |= {i for old in dead if old < first for i in lone.ids(vocab.text(old)) if i >= first}
        if not useless:
            break
        pieces = [one for i, one in enumerate(pieces, first) if i not in useless]
    return pieces
