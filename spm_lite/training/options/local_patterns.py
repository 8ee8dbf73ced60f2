"""Whether a split pattern decides between two neighbours alone, so that a model whose file cuts no texts can keep it.

The pieces of such a model hold no cut. Were two characters cut in one text and together in another, a piece that was
learned from the second could cross the cut in the first. If each pair is always cut or never, no piece can cross a cut
in any text, and texts need not be cut. Texts of characters that the pattern tells apart show a pair that is both.
"""

from __future__ import annotations

import dataclasses
import random
import re
from collections.abc import Callable, Iterable, Iterator
from itertools import pairwise
from typing import Any

from spm_lite.base.patterns.pattern_compiler import classes_of, sets_of
from spm_lite.base.patterns.pattern_parser import parse_pattern
from spm_lite.base.patterns.text_cuts import make_cuts
from spm_lite.encode.segment.split_text import matches
from spm_lite.errors import OptionError, TrainingError
from spm_lite.formats.split_patterns import named_or_given
from spm_lite.kinds import SPACE
from spm_lite.normalize.normalizer import Normalizer
from spm_lite.specs import TrainerSpec
from spm_lite.training.counts.cut_rules import are_cut

LOCAL_PATTERN = r" ?[\p{L}\p{M}]+| ?\p{N}+| ?[^\s\p{L}\p{M}\p{N}]+|\s"  # as GPT-2's, of what pairs can decide
KINDS = "abAB1२²'.-_/(+日あก\u0301\u0937\u093f\u01c5\u02b0 \t\n\r\u00a0\u3000\u200d\u00ad👩"
LONGEST_RUN = 1001  # of one character: a pattern counts to 1,000 at most
N_TEXTS = 800
LENGTH = 50  # characters or words of each
MOST_KINDS = 6  # of characters in one text


def check_local(spec: TrainerSpec, normalizer: Normalizer) -> None:
    """Raise OptionError unless the split pattern of a spec always cuts two neighbours or never does."""
    found = undecided(spec, normalizer)
    if found is None:
        return
    first, second, together, cut = found
    changes: list[dict[str, Any]] = [{"split_digits": True}, {"split_pattern": LOCAL_PATTERN}]
    others = [one for one in changes if undecided(dataclasses.replace(spec, **one), normalizer) is None]
    words = " or ".join(f"{name}={value!r}" for one in others for name, value in one.items())
    raise OptionError(
        f"split_pattern={spec.split_pattern!r:.60} and model_type={spec.model_type!r}: files of these models do not "
        f"cut texts, so a pattern must cut two neighbours always or never. This one keeps {first!r} and {second!r} "
        f"together in {together!r:.100}, and cuts them in {cut!r:.100}. Give model_type='byte_bpe', whose files do"
        + (f", or {words}" if words else ""),
        remedies=[{"model_type": "byte_bpe"}, *others, {"split_pattern": ""}],
    )


def check_whole(pieces: Iterable[str], spec: TrainerSpec) -> None:
    """Raise TrainingError for a learned piece that the split pattern of a spec cuts where it is the whole text.

    Such a pattern decides by more than the texts of `undecided` show, as one does that names a long word.
    """
    parts_of = cutter(spec.split_pattern)
    for piece in pieces:
        parts = parts_of(piece.replace(SPACE, " "))
        if len(parts) > 1:
            raise TrainingError(
                f"split_pattern={spec.split_pattern!r:.60} and model_type={spec.model_type!r}: the piece {piece!r} was "
                f"learned, and the pattern cuts it into {parts!r:.200} where it stands alone. Files of these models do "
                "not cut texts. Give model_type='byte_bpe', whose files do",
                remedies=[{"model_type": "byte_bpe"}, {"split_pattern": ""}],
            )


def cutter(pattern: str) -> Callable[[str], list[str]]:
    """What cuts a text with real spaces into the parts that a split pattern, or the pattern of a name, makes of it."""
    cuts = named_or_given(pattern)
    if isinstance(cuts, str):
        return lambda text: [part.decode() for part in matches(text.encode(), cuts)]
    compiled = make_cuts(cuts)
    assert compiled is not None

    def parts(text: str) -> list[str]:
        data = text.encode()
        return [data[begin:end].decode() for begin, end in compiled.parts(data)]

    return parts


def characters_of(pattern: str, normalizer: Normalizer) -> list[str]:
    """Characters of all kinds, with one of each class that the pattern tells apart and the normalizer leaves alone."""
    cuts = named_or_given(pattern)
    found = {*KINDS}
    for one in [cuts] if isinstance(cuts, str) else [one for one, _, _ in cuts]:
        runs, _ = classes_of(sets_of(parse_pattern(one))[0])
        known: set[int] = set()
        for point, number in runs:
            if number not in known and not 0xD800 <= point <= 0xDFFF and is_kept(chr(point), normalizer):
                known.add(number)
                found.add(chr(point))
    return sorted(found)


def is_kept(character: str, normalizer: Normalizer) -> bool:
    """Whether a character between two others is the same in normalized text."""
    text = f"a{character}b".encode()
    return normalizer.normalize(text, shows_spaces=False).endswith(text)


def sample_texts(pattern: str, characters: list[str]) -> Iterator[str]:
    """The same texts each time: words of the pattern, a run of each character, random texts of some of both."""
    rng = random.Random(0)
    found = re.findall(r"\w+|[^\w\s()\[\]{}|?*+^$\\]+", pattern)
    words = [*dict.fromkeys(part for word in found for part in (word, word[1:], word[:-1]) if part)]
    yield from words
    for character in characters:
        yield character * LONGEST_RUN
    words = [word for word in words if len(word) <= LENGTH]
    for _ in range(N_TEXTS):
        some = rng.sample(characters, rng.randrange(2, MOST_KINDS)) + rng.sample(words, min(2, len(words)))
        yield "".join(rng.choices(some, k=LENGTH))


def undecided(spec: TrainerSpec, normalizer: Normalizer) -> tuple[str, str, str, str] | None:
    """Two characters that the split pattern cuts, but not everywhere; a text where they are together, and one cut.

    None: there are none. Pairs that no piece may hold under the other options of `spec` do not count.
    """
    parts_of = cutter(spec.split_pattern)
    together: dict[tuple[str, str], str] = {}
    cut: dict[tuple[str, str], str] = {}
    for text in sample_texts(spec.split_pattern, characters_of(spec.split_pattern, normalizer)):
        data = normalizer.normalize(text.encode(), shows_spaces=False)
        text = data.decode("utf-8", "replace").replace(SPACE, " ")
        parts = parts_of(text)
        for part in parts:
            for pair in pairwise(part):
                together.setdefault(pair, text)
        for pair in borders(parts):
            cut.setdefault(pair, text)
    for pair in sorted(together.keys() & cut.keys(), key=ease_of_reading):
        if not are_cut(*pair, spec):
            return (*pair, example(pair, together[pair], False, parts_of), example(pair, cut[pair], True, parts_of))
    return None


def borders(parts: list[str]) -> list[tuple[str, str]]:
    """The last character of each part and the first of the next."""
    return [(left[-1], right[0]) for left, right in pairwise(parts)]


def ease_of_reading(pair: tuple[str, str]) -> tuple[bool, bool, str]:
    """Sorts letters and digits first, then other signs, then what is not ASCII."""
    text = "".join(pair)
    return not (text.isascii() and text.isprintable()), not text.isalnum(), text


def example(pair: tuple[str, str], text: str, is_cut: bool, parts_of: Callable[[str], list[str]]) -> str:
    """A short text in which two neighbours are cut, or together. text: one that shows it."""
    both = "".join(pair)

    def shows(text: str) -> bool:
        parts = parts_of(text)
        return pair in borders(parts) if is_cut else any(both in part for part in parts)

    if shows(both):
        return both
    size = len(text) // 2
    while size:
        shorter = next((one for one in (text[size:], text[:-size]) if shows(one)), "")
        text, size = (shorter, min(size, len(shorter) // 2)) if shorter else (text, size // 2)
    return text
