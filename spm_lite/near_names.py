"""Valid names that are near a wrong one, for messages that ask whether one of them was meant.

Near are misspellings, by the edit distance of Damerau 1964, and shortened or lengthened forms. A far name gets no hint:
a wrong one costs the reader more time than none.
"""

from __future__ import annotations

from collections.abc import Iterable

MOST_HINTS = 2  # more equally near names are no hint
LEAST_LETTERS = 4  # of a shortened name
LEAST_INSERTED = 3  # letters of a name that has one too many
MOST_FILES = 10_000  # of a folder that is searched


def near_names(given: str, valid: Iterable[str]) -> list[str]:
    """The one or two valid names that may be meant; none if no name is near, or more than two are equally near.

    Capital letters, and dashes, underscores and spaces between words, do not count as mistakes.

    >>> near_names("vocab_sise", ["vocab_size", "model_type"]), near_names("min_frequency", ["vocab_size"])
    (['vocab_size'], [])
    >>> near_names("normalisation", ["normalization"]), near_names("n_threads", ["num_threads"])
    (['normalization'], ['num_threads'])
    """
    names = list(dict.fromkeys(valid))
    mistakes = {name: count_mistakes(plain(given), plain(name)) for name in names}
    least = min((n for n in mistakes.values() if n is not None), default=None)
    if least is not None:
        near = [name for name in names if mistakes[name] == least]
    else:
        near = [name for name in names if is_shortened(given, name)]
        near = [name for name in near if all(other.startswith(name) for other in near)] or near
    return near if len(near) <= MOST_HINTS else []


def near_file(path: str) -> str:
    """The one file beside a missing one whose name is near; an empty str if there is none, or several.

    The ending may be missing or misspelled, or what stands before it. `a.txt` is not meant by `b.txt`, but `en.txt` by
    `enn.txt`, which has a letter too many.
    """
    from pathlib import Path  # here, since few calls come so far

    try:
        missing = Path(path)
        there = list(missing.parent.iterdir())
    except (OSError, ValueError):
        return ""
    if len(there) > MOST_FILES or not missing.name:
        return ""
    near = [file for file in there if file.stem == missing.name]
    near = [file for file in near if len(near) == 1 or file.suffix == ".model"] or near  # M.vocab is written beside it
    near = near or [file for file in there if file.stem == missing.stem and near_names(missing.suffix, [file.suffix])]
    alike = [file for file in there if file.suffix == missing.suffix]
    near = near or [file for file in alike if near_names(missing.stem, [file.stem])]
    near = near or [file for file in alike if has_one_more(missing.stem, file.stem)]
    return str(near[0]) if len(near) == 1 else ""


def meant_file(path: str) -> str:
    """`; did you mean ...?` for a missing file; an empty str if no name beside it is near."""
    near = near_file(path)
    return f"; did you mean {near}?" if near else ""


def has_one_more(given: str, name: str) -> bool:
    """Whether a name is given with one letter too many; a name of one letter is too short to tell.

    >>> has_one_more("enn", "en"), has_one_more("en2", "en"), has_one_more("ab", "a")
    (True, False, False)
    """
    inserted = (given[i].isalpha() and given[:i] + given[i + 1 :] == name for i in range(len(given)))
    return len(given) == len(name) + 1 >= LEAST_INSERTED and any(inserted)


def plain(name: str) -> str:
    """A name without harmless differences: dashes before it, capital letters, the signs between its words."""
    return name.lower().strip("-_ ").replace("_", "-").replace(" ", "-")


def count_mistakes(given: str, name: str) -> int | None:
    """The distance of two names; None if it is more than a misspelling. In two letters any mistake is more."""
    if given == name:
        return 0 if given else None
    shorter = min(len(given), len(name))
    most = sum(shorter >= length for length in (3, 9, 14))
    if abs(len(given) - len(name)) > most:
        return None  # found without the table of distances, which is large for long texts
    found = distance(given, name)
    return found if found <= most else None


def distance(first: str, second: str) -> int:
    """The number of letters to insert, delete, replace, or swap with the next one, to make one text the other.

    >>> distance("nfck", "nfkc"), distance("windth", "width"), distance("a", "bc")
    (1, 1, 2)
    """
    before: list[int] = []
    row = list(range(len(second) + 1))
    for i, letter in enumerate(first):
        last, before, row = before, row, [i + 1]
        for j, other in enumerate(second):
            cost = min(before[j] + (letter != other), before[j + 1] + 1, row[j] + 1)
            if i and j and letter == second[j - 1] and other == first[i - 1]:
                cost = min(cost, last[j - 1] + 1)
            row.append(cost)
    return row[-1]


def is_shortened(given: str, name: str) -> bool:
    """Whether each word of `given` is the beginning of the word of `name` at its place, or begins with that word.

    Words at the end of `name` may be missing. A name of one word is not meant by a longer word: wordpiece is not word.
    """
    words, whole = plain(given).split("-"), plain(name).split("-")
    if len(words) > len(whole) or len("".join(words)) < LEAST_LETTERS:
        return False
    pairs = list(zip(words, whole, strict=False))
    return all(other.startswith(word) or (len(whole) > 1 and word.startswith(other)) for word, other in pairs)
