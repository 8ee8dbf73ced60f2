"""Whether vocab_size has room for all that a model must hold; if not, what takes the room and which options free it."""

from __future__ import annotations

import dataclasses
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeAlias

from spm_lite.errors import OptionError, TrainingError
from spm_lite.files.documents import Source
from spm_lite.files.paths import total_size
from spm_lite.kinds import BYTE, SPACE
from spm_lite.specs import TrainerSpec
from spm_lite.texts.inputs import is_batch
from spm_lite.training.alphabet import choose_alphabet, count_characters, required_characters
from spm_lite.training.count_table import CountTable
from spm_lite.training.counts.chunk_table import ChunkTable
from spm_lite.training.options.meta_pieces import NAMED, SYMBOL_LISTS, MetaPiece, place_meta_pieces
from spm_lite.training.options.other_names import as_options
from spm_lite.training.trainer_interface import Alphabet

SMALL = 1 << 20  # bytes of text that are read in no time
MANY = 100_000  # texts
COVERAGES = [i / 10_000 for i in range(9_800, 10_001)]
NO_SIZE = 2**31  # pieces that no vocab_size holds
N_BYTES = 256  # the alphabet of byte-level BPE
AFTER_COUNTING = {"character_coverage", "auto_character_coverage", "required_chars"}
REPLACEMENT = "\ufffd"
Characters: TypeAlias = Callable[[TrainerSpec], int]  # how many characters a model of these options must hold


def check_room(
    spec: TrainerSpec,
    characters: Characters,
    *,
    must_be_lossless: bool = False,
    reference_rules: bool = False,
    is_counted: bool = False,
) -> None:
    """Raise TrainingError unless vocab_size has room for the meta pieces and the characters of the text.

    With use_all_vocab, vocab_size limits nothing; in the original it then limits the meta pieces only.
    must_be_lossless: the user asked for it. is_counted: a count table was given, so what decides how text is counted
    cannot change any more.
    """
    if not has_room(spec, characters, reference_rules):
        message, remedies = too_small(spec, characters, must_be_lossless, is_counted)
        least = pieces_needed(spec, characters)
        raise TrainingError(
            f"Vocabulary size is too small: {message}.",
            remedies=remedies,
            original=f"Vocabulary size is smaller than required_chars. {spec.vocab_size} vs {least}.",
        )


def check_room_for_any_text(spec: TrainerSpec, must_be_lossless: bool, reference_rules: bool) -> None:
    """Raise OptionError if vocab_size has no room for what a model holds whatever the text is."""

    def characters(other: TrainerSpec) -> int:
        return certain_characters(other, reference_rules)

    if not has_room(spec, characters, reference_rules):
        message, remedies = too_small(spec, characters, must_be_lossless, is_counted=False)
        more = ", and the other characters of the text" if holds_alphabet(spec) else ""
        raise OptionError(f"Vocabulary size is too small for any text: {message}{more}.", remedies=remedies)


def is_soon_read(source: Source | list[CountTable]) -> bool:
    """Whether reading a source takes no time: count tables, small files, and lists of few texts."""
    if isinstance(source, list):
        return True
    if source.paths is not None:
        return 0 < total_size(source.paths) <= SMALL
    texts = source.texts
    if type(texts) not in (list, tuple) or len(texts) > MANY or (texts and is_batch(texts[0])):
        return False
    return sum(len(text) for text in texts if isinstance(text, str | bytes)) <= SMALL


def has_room(spec: TrainerSpec, characters: Characters, reference_rules: bool) -> bool:
    """Whether vocab_size has room for the meta pieces and the characters, or does not limit them."""
    is_unlimited = spec.use_all_vocab and not reference_rules
    return is_unlimited or spec.vocab_size >= pieces_needed(spec, characters)


def too_small(
    spec: TrainerSpec, characters: Characters, must_be_lossless: bool, is_counted: bool
) -> tuple[str, list[dict[str, Any]]]:
    """What is missing and what helps, in words; and the remedies."""
    least = pieces_needed(spec, characters)
    possible = [change for change in savings(spec, must_be_lossless) if not is_counted or {*change} <= AFTER_COUNTING]
    ways = [(as_options(changes), size) for changes, size in ways_to_fit(spec, characters, possible)]
    others = "".join(f", or give {in_words(changes, n_needed, spec.lossless)}" for changes, n_needed in ways)
    return (
        f"{spec.vocab_size} vs {least}. Increase vocab_size to at least {least}{others}. It must hold "
        f"{contents(spec, characters)}",
        [{"vocab_size": least}, *(changes for changes, _ in ways)],
    )


def check_not_empty(alphabet: Alphabet, spec: TrainerSpec) -> None:
    """Raise TrainingError for a Unigram model without any piece of text: no library would load it."""
    if len(alphabet) or spec.model_type != "unigram" or spec.user_defined_symbols:
        return
    if alphabet.n_other_characters:
        raise TrainingError(
            f"character_coverage={spec.character_coverage} leaves no characters to learn from: special pieces and "
            "delimiters count too, and nearly all of the text is such pieces. Give character_coverage=1.0",
            remedies=[{"character_coverage": 1.0}],
        )
    raise TrainingError("the corpus has no characters to learn from besides special pieces: give it other text")


def certain_characters(spec: TrainerSpec, reference_rules: bool = False) -> int:
    """How many characters a model holds whatever the text is: the required ones and, if it is lossless, the space."""
    if spec.model_type == "byte_bpe":
        return N_BYTES
    certain = {SPACE} if spec.lossless else set()
    if spec.model_type == "wordpiece":
        certain = {spec.continuation_prefix + character for character in required_characters(spec, reference_rules)}
    if spec.model_type != "word" and not reference_rules:  # the original drops required characters that are rare
        certain |= required_characters(spec, reference_rules)
    return len(certain)


def characters_in(counts: ChunkTable, spec: TrainerSpec, reference_rules: bool = False) -> Characters:
    """How many characters a model holds that learns from these counts, under options like the ones of the counting.

    A special piece that is left out becomes text again, as do U+2581 and ill-formed bytes in a model that is not
    lossless. The counts do not tell how often, so all characters are taken in that may come so.
    """
    if spec.model_type == "wordpiece":
        return lambda other: first_pieces(counts, other)
    has_boundaries = count_characters(counts)[1] > 0
    counted = {piece.text for piece in all_meta(spec)}

    def characters(other: TrainerSpec) -> int:
        if not holds_alphabet(other):
            return certain_characters(other, reference_rules)
        kept = {character for character, _ in choose_alphabet(counts, other, reference_rules).items()}
        if has_boundaries:
            kept |= set("".join(counted - {piece.text for piece in all_meta(other)}))
            if other.lossless != spec.lossless:
                kept |= {SPACE, REPLACEMENT}
        return len(kept)

    return characters


def first_pieces(counts: ChunkTable, spec: TrainerSpec) -> int:
    """How many characters a WordPiece model holds, at the beginning of words and inside them."""
    from spm_lite.training.wordpiece.wordpiece_trainer import WordPieceTrainer  # here: other models do not need it

    return WordPieceTrainer().first_pieces(counts, choose_alphabet(counts, spec), spec)


def holds_alphabet(spec: TrainerSpec) -> bool:
    """Whether every character of the alphabet must be a piece."""
    return spec.model_type in ("unigram", "bpe", "wordpiece") and not spec.auto_character_coverage


def all_meta(spec: TrainerSpec) -> list[MetaPiece]:
    """The meta pieces, also where vocab_size has no room for them."""
    return list(place_meta_pieces(dataclasses.replace(spec, vocab_size=2**31 - 1)).values())


def pieces_needed(spec: TrainerSpec, characters: Characters) -> int:
    """The smallest vocab_size."""
    return len(all_meta(spec)) + characters(spec)


def contents(spec: TrainerSpec, characters: Characters) -> str:
    """What a model of the smallest size holds, in words."""
    meta = all_meta(spec)
    n_bytes = sum(piece.type == BYTE for piece in meta)
    unit = "byte" if spec.model_type == "byte_bpe" else "character"
    parts = [(n_bytes, "byte piece"), (len(meta) - n_bytes, "special piece"), (characters(spec), unit)]
    words = [f"{n} {what}{'s' if n > 1 else ''}" for n, what in parts if n]
    if spec.model_type == "wordpiece":
        words[-1] += f": each at the beginning of words, inside them with {spec.continuation_prefix!r}, or both"
    return " and ".join(filter(None, [", ".join(words[:-1]), words[-1]]))


def ways_to_fit(
    spec: TrainerSpec, characters: Characters, possible: Iterable[dict[str, Any]]
) -> Iterator[tuple[dict[str, Any], int]]:
    """Those of the possible changes of options with which vocab_size suffices, and the pieces then needed.

    Single changes and, if none is enough, several together. Leaving out the byte pieces is always among them, with
    another vocab_size if need be.
    """

    def needed(changes: dict[str, Any]) -> int:
        changed = dataclasses.replace(spec, **changes)
        changed = dataclasses.replace(changed, lossless=spec.lossless and changed.byte_fallback)
        try:
            return pieces_needed(changed, characters)
        except OptionError:  # the changed options contradict each other: no vocab_size is enough
            return NO_SIZE

    def adapted(saving: dict[str, Any], others: dict[str, Any]) -> dict[str, Any]:
        """A saving in which the coverage is as low as it must be, together with the others."""
        is_coverage = "character_coverage" in saving
        return {"character_coverage": best_coverage(spec, needed, others)} if is_coverage else saving

    is_enough = False
    together: dict[str, Any] = {}
    for saving in possible:
        single = adapted(saving, {})
        n_needed = needed(single)
        if n_needed >= needed({}):
            continue
        if n_needed <= spec.vocab_size:
            is_enough = True
            yield single, n_needed
        elif "byte_fallback" in single:
            yield {**single, "vocab_size": n_needed}, n_needed
        more = together | adapted(saving, together)
        if needed(more) < needed(together) and needed(together) > spec.vocab_size:
            together = more
    if not is_enough and needed(together) <= spec.vocab_size:
        yield together, needed(together)


def savings(spec: TrainerSpec, must_be_lossless: bool) -> Iterator[dict[str, Any]]:
    """Single changes of options after which a model may hold fewer pieces, those first that change it least."""
    if spec.byte_fallback and spec.unk_id >= 0 and not spec.auto_character_coverage:
        yield {"byte_fallback": False, **({"lossless": False} if must_be_lossless else {})}
    if holds_alphabet(spec):
        if spec.character_coverage > COVERAGES[0]:
            yield {"character_coverage": COVERAGES[0]}
        if spec.model_type == "bpe" and spec.byte_fallback and not spec.required_chars:
            yield {"auto_character_coverage": True}
    if spec.required_chars and spec.model_type != "word":
        yield {"required_chars": ""}
    for name in SYMBOL_LISTS:
        if getattr(spec, name):
            yield {name: []}
    named = {f"{name}_id": -1 for name in NAMED[1:] if getattr(spec, f"{name}_id") >= 0}
    if named:
        yield named


def best_coverage(spec: TrainerSpec, needed: Callable[[dict[str, Any]], int], others: dict[str, Any]) -> float:
    """The highest character_coverage that is low enough, together with the other changes; else the lowest there is."""
    low, high = 0, bisect_left(COVERAGES, spec.character_coverage)
    while high - low > 1:
        middle = (low + high) // 2
        if needed({**others, "character_coverage": COVERAGES[middle]}) <= spec.vocab_size:
            low = middle
        else:
            high = middle
    return COVERAGES[low]


def in_words(changes: dict[str, Any], n_needed: int, is_lossless: bool) -> str:
    """`byte_fallback=False and no control_symbols (then 23 are enough)`."""
    words = [f"no {name}" if value in ("", []) else f"{name}={value!r}" for name, value in changes.items()]
    loss = ", and the model is not lossless" if is_lossless and "byte_fallback" in changes else ""
    return f"{' and '.join(words)} (then {n_needed} are enough{loss})"
