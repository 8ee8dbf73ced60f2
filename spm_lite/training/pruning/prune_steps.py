"""`Tokenizer.prune`, step by step: check, count, choose what must stay, remove the cheapest, write, and map."""

from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING, Any, NamedTuple

from spm_lite.arguments import as_flag, as_int, as_iterable, as_number
from spm_lite.errors import OptionError
from spm_lite.files.read_options import as_reading
from spm_lite.kinds import UNUSED
from spm_lite.tokenizer.lone_pieces import LonePieces
from spm_lite.tokenizer.results import Revised
from spm_lite.training.counting import usable_threads
from spm_lite.training.pruning import kept_pieces
from spm_lite.training.pruning.cut_pruner import CutPruner
from spm_lite.training.pruning.kept_pieces import PART, ROOM, SPECIAL, SPELLS, USED, Wishes
from spm_lite.training.pruning.merge_pruner import ExactPruner, LeafPruner
from spm_lite.vocab.chosen_pieces import with_chosen_pieces
from spm_lite.vocab.vocab_map import GONE, VocabMap

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from spm_lite.tokenizer.tokenizer import Tokenizer
    from spm_lite.vocab.model_file import ModelFile
    from spm_lite.vocab.vocab import Vocab

TYPES = ("bpe", "byte_bpe", "unigram")
REMEDY = {"min_count": 1}


class Target(NamedTuple):
    """How far to prune, checked. Only one is given."""

    n: int | None
    min_count: int | None
    coverage: float | None


def pruned(
    tok: Tokenizer,
    n: Any,
    *,
    source: Any,
    keep: Any,
    min_count: Any,
    coverage: Any,
    scripts: Any,
    keep_texts: Any,
    keep_chat_template: Any,
    exactly: Any,
    num_threads: Any,
    reading: dict[str, Any],
) -> Revised:
    """What `Tokenizer.prune` returns; the arguments are its arguments as given."""
    import numpy as np

    file, is_exact = tok._file, as_flag(exactly, "exactly")
    check_can_shrink(file, is_exact)
    target = checked_target(n, min_count, coverage, source, len(file.vocab))
    names = [*as_iterable(keep, "keep", "a list of pieces, such as ['\u2581the']", False)]
    wishes = Wishes(names, scripts, keep_texts, keep_chat_template)
    if source is None and not names and all(one is None for one in wishes[1:]):
        raise OptionError("prune does not know what to keep: give `source`, the text that the model is for")
    how, threads = as_reading(reading, "Tokenizer.prune"), usable_threads(num_threads)
    asked = kept_pieces.asked_for(tok, wishes, how, threads)
    counts = np.zeros(len(file.vocab), np.int64)
    if source is not None:
        counts = kept_pieces.counted_tokens(tok, source, how, threads)
        if not counts.any():
            raise OptionError("source has no text: give the text that the model is for")
    return shrunk(tok, target, counts, asked, is_exact)


def check_can_shrink(file: ModelFile, is_exact: bool) -> None:
    """Raise OptionError for a model that cannot be pruned."""
    if file.model_type not in TYPES:
        raise OptionError(
            f"a {file.model_type} model cannot be pruned: only unigram, bpe and byte_bpe models can; train another one "
            "with a smaller vocab_size"
        )
    listed = file.vocab.merge_list
    if listed is not None and listed.is_by_part():
        raise OptionError(
            f"the model writes {(listed.continuing_prefix or listed.word_suffix)!r} at the ends of its pieces, so what "
            "they fall into depends on their place: it cannot be pruned. Train a new model"
        )
    if is_exact and (file.model_type != "bpe" or listed is not None or file.vocab.has_parts):
        raise OptionError(
            "exactly=True is for bpe models as in sentencepiece, which split unused pieces again: this "
            f"{file.model_type} model does not. Leave it out",
            remedies=[{"exactly": False}],
        )


def checked_target(n: Any, min_count: Any, coverage: Any, source: Any, size: int) -> Target:
    """How far to prune. Raises OptionError for contradictions."""
    given = {"n": n, "min_count": min_count, "coverage": coverage}
    named = [name for name, value in given.items() if value is not None]
    if len(named) > 1:
        raise OptionError(f"{' and '.join(named)} say twice how far to prune: give one", remedies=[{named[0]: None}])
    if named and source is None:
        raise OptionError(f"{named[0]} goes by the tokens of a text: give it as `source`")
    if n is not None:
        n = as_int(n, "n")
        if not 1 <= n <= size:
            raise OptionError(f"n={n}: must be 1..{size}, the pieces of the model", remedies=[{"n": size}])
    if min_count is not None:
        min_count = as_int(min_count, "min_count")
        if min_count < 1:
            raise OptionError(f"min_count={min_count}: must be 1 or more", remedies=[REMEDY])
    if coverage is not None:
        coverage = float(as_number(coverage, "coverage"))
        if not 0 < coverage <= 1:
            raise OptionError(f"coverage={coverage}: must be above 0 and at most 1", remedies=[{"coverage": 1.0}])
    return Target(n, min_count, coverage)


def shrunk(tok: Tokenizer, target: Target, counts: NDArray[np.int64], asked: dict[int, str], is_exact: bool) -> Revised:
    """The model without its cheapest pieces. asked: ids that stay, with the reason."""
    file, vocab = tok._file, tok._file.vocab
    is_unigram = file.model_type == "unigram"
    reasons = asked | kept_pieces.always_kept(vocab, is_unigram)
    used = used_ids(counts, target)
    if not vocab.byte_fallback and not vocab.is_bytes:  # without them, the text would have unknown characters
        reasons = dict.fromkeys(kept_pieces.characters_of_text(vocab, counts), SPELLS) | reasons
    stays = reasons if target.n is not None else dict.fromkeys(used, USED) | reasons
    dead = dead_ids(tok)
    may_go = [i for i in range(len(vocab)) if i not in stays]
    kind = CutPruner if is_unigram else ExactPruner if is_exact else LeafPruner
    pruner = kind(vocab, counts.tolist(), may_go, dead)
    gone = {*pruner.prune(target.n or 0)}
    if target.n is not None and pruner.n_left > target.n:
        raise OptionError(
            f"n={target.n}: at least {pruner.n_left} pieces must stay: special ones, bytes, what the options keep, and "
            f"parts of these. Give n={pruner.n_left}",
            remedies=[{"n": pruner.n_left}],
        )
    rest = residue(vocab, gone - dead) if is_exact else []
    kept = sorted({*range(len(vocab))} - gone - {*rest})
    order = placed(kept, {i for i in kept if reasons.get(i) == SPECIAL})
    data = with_chosen_pieces(file, [*order, *rest], rest)
    made = tok._from_bytes(data, "the pruned model", cache_bytes=tok._encoder.budget.limit)
    why = dict.fromkeys(kept, ROOM) | dict.fromkeys(pruner.needed(), PART) | dict.fromkeys(used, USED) | stays
    return Revised(made, map_of(len(vocab), order), {new: why[old] for new, old in enumerate(order)})


def used_ids(counts: NDArray[np.int64], target: Target) -> list[int]:
    """The ids whose use in the text is a reason to stay: all tokens, or those that `min_count` or `coverage` takes."""
    used: list[int] = counts.nonzero()[0].tolist()
    if target.min_count is not None:
        return [i for i in used if counts[i] >= target.min_count]
    if target.coverage is not None:
        used.sort(key=lambda i: (-counts[i], i))
        total = target.coverage * float(counts.sum())
        before = [0, *accumulate(int(counts[i]) for i in used)]
        return sorted(i for i, n in zip(used, before, strict=False) if n < total)
    return used


def dead_ids(tok: Tokenizer) -> set[int]:
    """The ids that no text gives. UNUSED pieces of a BPE model are steps of merging, so they are none of these."""
    vocab, found = tok._file.vocab, LonePieces(tok).dead()
    listed = vocab.merge_list is not None
    is_step = tok.model_type != "unigram" and not listed
    return found | {i for i in range(len(vocab)) if vocab.type(i) == UNUSED and not (is_step and vocab.text(i))}


def residue(vocab: Vocab, gone: Collection[int]) -> list[int]:
    """The ids that stay as unused pieces, so that they merge and fall into their parts; a character needs no piece."""
    unused = {i for i in range(len(vocab)) if vocab.type(i) == UNUSED}
    return sorted(unused | {i for i in gone if len(vocab.text(i).decode("utf-8", "replace")) > 1})


def placed(kept: Sequence[int], special: Collection[int]) -> list[int]:
    """The old ids in their new order: special pieces keep their ids if there are so many, the others their order."""
    stay = {i for i in special if i < len(kept)}
    others = iter([i for i in kept if i not in stay])
    return [i if i in stay else next(others) for i in range(len(kept))]


def map_of(n_old: int, order: Sequence[int]) -> VocabMap:
    """The map to the ids of an order of old ones."""
    new_ids = [GONE] * n_old
    for new, old in enumerate(order):
        new_ids[old] = new
    return VocabMap(new_ids, len(order), {})
