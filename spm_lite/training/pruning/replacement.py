"""`Tokenizer.replace`: pieces that a text does not need make room for new ones, and all others keep their ids."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from spm_lite.errors import OptionError, TrainingError
from spm_lite.tokenizer.lone_pieces import LonePieces
from spm_lite.tokenizer.results import Revised
from spm_lite.training.options.checks import checked_int
from spm_lite.vocab.chosen_pieces import with_chosen_pieces
from spm_lite.vocab.vocab_map import GONE, VocabMap

if TYPE_CHECKING:
    from spm_lite.tokenizer.tokenizer import Tokenizer


def replaced(
    tok: Tokenizer, source: Any, n: Any, *, prune_for: Any, keep: Any, num_threads: Any, reading: Any, **wishes: Any
) -> Revised:
    """What `Tokenizer.replace` returns; the arguments are its arguments as given. wishes: of the new pieces."""
    n_new, size = checked_int("n", n), tok.vocab_size
    if not 1 <= n_new < size:
        raise OptionError(f"n={n_new}: must be 1..{size - 1}, below the pieces of the model")
    less = room_for(tok, n_new, prune_for, keep, num_threads, reading)
    try:
        more = less.tokenizer.extend(source, n_new, num_threads=num_threads, **wishes, **reading)
    except TrainingError as error:
        remedies = [{"n": value} for one in error.remedies for value in one.values()]
        raise TrainingError(str(error).replace("n_new=", "n="), remedies=remedies) from None
    free = [i for i, new in enumerate(less.map.new_ids) if new == GONE]
    order = list(less.map.new_ids)
    for place, new in zip(free, more.map.grown, strict=True):
        order[place] = new
    data = with_chosen_pieces(more.tokenizer._file, order)
    made = tok._from_bytes(data, "the model with other pieces", cache_bytes=tok._encoder.budget.limit)
    before, news = LonePieces(tok), more.map.grown.values()
    grown = {place: before.grown(made, place, one.why) for place, one in zip(free, news, strict=True)}
    reasons = {old: less.reasons[new] for old, new in enumerate(less.map.new_ids) if new != GONE}
    reasons |= {place: one.why for place, one in grown.items()}
    new_ids = [GONE if new == GONE else old for old, new in enumerate(less.map.new_ids)]
    return Revised(made, VocabMap(new_ids, size, grown), dict(sorted(reasons.items())))


def room_for(tok: Tokenizer, n: int, prune_for: Any, keep: Any, num_threads: Any, reading: Any) -> Revised:
    """The model without `n` pieces. Raises OptionError if fewer may go."""
    if prune_for is None:
        raise OptionError("prune_for is None: give the text that the model must still write well")
    try:
        return tok.prune(tok.vocab_size - n, source=prune_for, keep=keep, num_threads=num_threads, **reading)
    except OptionError as error:
        least = next((one["n"] for one in error.remedies if "n" in one), None)
        if least is None:
            message = re.sub("^source ", "prune_for ", str(error))
            raise OptionError(message, remedies=error.remedies) from None
        most = tok.vocab_size - least
        if not most:
            raise OptionError(f"n={n}: all {least} pieces must stay, so none can be replaced. Use extend") from None
        raise OptionError(
            f"n={n}: only {most} pieces may go, as {least} of {tok.vocab_size} must stay: special ones, bytes, and "
            f"those that are kept. Give n={most}",
            remedies=[{"n": most}],
        ) from None
