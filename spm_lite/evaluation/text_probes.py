"""Probes: what small edits, numbers and code become.

The first functions tell which tokens touch a part of a text, by the spans of the tokens. Then come stability under
edits, numbers, and code: operators, indentation and the parts of identifiers.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from spm_lite.evaluation.figures.distributions import ratio
from spm_lite.evaluation.figures.subjects import Coded
from spm_lite.normalize.rules.unicode_form import unicode_form

if TYPE_CHECKING:
    from spm_lite.evaluation.figures.subjects import Subject


Span = tuple[int, int]


def coded_texts(subject: Subject, texts: Sequence[str]) -> Coded:
    """The tokens of some texts, with their places if these are known."""
    if subject.own is None:
        return subject.coded(texts)
    batch, places = subject.own.spans_batch(list(texts), unit="char")
    return Coded(batch.ids, batch.offsets, places.reshape(-1))


def spans_in_texts(subject: Subject, texts: Sequence[str]) -> Iterator[tuple[list[int], list[Span | None]]]:
    """For each text its ids and their spans; None: the token touches nothing. The places must be known."""
    coded = coded_texts(subject, texts)
    assert coded.places is not None
    spaces = set(subject.space_ids())
    rows = coded.places.reshape(-1, 2).tolist()
    for begin, end in zip(coded.offsets[:-1].tolist(), coded.offsets[1:].tolist(), strict=True):
        ids = coded.ids[begin:end].tolist()
        yield ids, effective_spans(ids, [(row[0], row[1]) for row in rows[begin:end]], spaces)


def effective_spans(ids: Sequence[int], spans: Sequence[Span], spaces: set[int]) -> list[Span | None]:
    """Spans, an empty one being that of the next token that has one and begins at the same place.

    A lone U+2581 keeps its empty span and touches nothing.

    >>> effective_spans([5, 6, 7], [(0, 0), (0, 1), (1, 1)], set())
    [(0, 1), (0, 1), None]
    """
    result: list[Span | None] = []
    following: Span | None = None
    for token_id, span in zip(reversed(ids), reversed(spans), strict=True):
        if span[0] < span[1]:
            following = span
            result.append(span)
        elif token_id in spaces or following is None or following[0] != span[0]:
            result.append(None)
        else:
            result.append(following)
    return result[::-1]


def touching(spans: Sequence[Span | None], begin: int, end: int) -> list[int]:
    """The numbers of the tokens that overlap [begin, end) by a character or more."""
    return [i for i, span in enumerate(spans) if span is not None and span[0] < end and span[1] > begin]


MOST_TEXTS = 500
LEAST_WORD = 4  # characters; a text without such a word is left out
JOINERS = "\u200c\u200d"
WORD = re.compile("L[LM]*")


class Kinds(dict[int, str]):
    """For `str.translate`: a code point -> the first letter of its category; joiners count as marks."""

    def __missing__(self, code_point: int) -> str:
        character = chr(code_point)
        self[code_point] = kind = "M" if character in JOINERS else unicodedata.category(character)[0]
        return kind


KINDS = Kinds()


def edited_texts(texts: Sequence[str]) -> list[tuple[str, str, str]]:
    """All edits of some texts: (kind, text, edited text)."""
    return [(kind, text, edited) for text in texts for kind, edited in edits_of(text)]


def stability_figures(subject: Subject, edits: Sequence[tuple[str, str, str]]) -> dict[str, Any]:
    """For each kind of edit: how many edits, tokens removed and added by one, and the share that changed nothing.

    edits: as `edited_texts` returns them. Read `unchanged` of swap, drop and double with care: there the edit is lost.
    """
    sources = list(dict.fromkeys(text for _, text, _ in edits))
    ids = dict(zip(sources, subject.ids(sources), strict=True)) if sources else {}
    changed = subject.ids([edited for _, _, edited in edits]) if edits else []
    found: dict[str, list[tuple[int, int]]] = {}
    for (kind, text, _), after in zip(edits, changed, strict=True):
        found.setdefault(kind, []).append(difference(ids[text], after))
    return {kind: mean_figures(pairs) for kind, pairs in found.items()}


def mean_figures(pairs: Sequence[tuple[int, int]]) -> dict[str, Any]:
    """Means over edits. pairs: tokens removed and added by each."""
    n = len(pairs)
    return {
        "edits": n,
        "removed": sum(removed for removed, _ in pairs) / n,
        "added": sum(added for _, added in pairs) / n,
        "unchanged": sum(pair == (0, 0) for pair in pairs) / n,
    }


def difference(before: Sequence[int], after: Sequence[int]) -> tuple[int, int]:
    """The tokens removed and added between the beginning and the end that both have.

    >>> difference([1, 2, 3], [1, 4, 5, 3])
    (1, 2)
    """
    shorter = min(len(before), len(after))
    begin = 0
    while begin < shorter and before[begin] == after[begin]:
        begin += 1
    end = 0
    while end < shorter - begin and before[-1 - end] == after[-1 - end]:
        end += 1
    return len(before) - begin - end, len(after) - begin - end


def edits_of(text: str) -> list[tuple[str, str]]:
    """The edits of a text that change it, by kind; none if it has no word of 4 characters.

    >>> dict(edits_of("a word"))["swap"], dict(edits_of("a word"))["case"]
    ('a wrod', 'a Word')
    """
    begin, end = longest_word(text)
    if end - begin < LEAST_WORD:
        return []
    middle = (begin + end) // 2
    first, word = text[begin], text[begin:end]
    edits = {
        "space": " " + text,
        "case": text[:begin] + (first.lower() if first == first.upper() else first.upper()) + text[begin + 1 :],
        "upper": text[:begin] + word.upper() + text[end:],
        "swap": text[: middle - 1] + text[middle] + text[middle - 1] + text[middle + 1 :],
        "drop": text[:middle] + text[middle + 1 :],
        "double": text[:middle] + text[middle] + text[middle:],
        # Of Python's own, the time grows with the square of a run of marks.
        "nfd": unicode_form("NFD").normalize(text.encode()).decode(),
    }
    return [(kind, edited) for kind, edited in edits.items() if edited != text]


def longest_word(text: str) -> tuple[int, int]:
    """Where the longest run of letters, marks and joiners that begins with a letter is; the first of equals."""
    words = WORD.finditer(text.translate(KINDS))
    longest = max(words, key=lambda word: word.end() - word.start(), default=None)
    return (0, 0) if longest is None else longest.span()


LENGTHS = range(1, 13)  # digits
NUMBERS_EACH = 100
POWER = 9000  # the digits of 3 to this power are the source of the numbers
BEFORE = "x "
GROUP = 3
SHOWN_LENGTHS = (4, 7)  # for a tokenizer that cuts irregularly

Pattern = tuple[int, ...]  # digits in each token


def number_figures(subject: Subject) -> dict[str, Any]:
    """For each number of digits: the patterns of digits in tokens, and how regular they are."""
    return {str(n): pattern_figures(patterns_of(subject, n)) for n in LENGTHS}


def pattern_figures(patterns: Sequence[Pattern]) -> dict[str, Any]:
    """The most common pattern and its share; of equally common ones the smaller."""
    counts = Counter(patterns)
    pattern, count = min(counts.items(), key=lambda item: (-item[1], item[0]))
    return {
        "patterns": len(counts),
        "most_common": list(pattern),
        "regularity": count / len(patterns),
        "tokens": sum(map(len, patterns)) / len(patterns),
    }


def patterns_of(subject: Subject, n: int) -> list[Pattern]:
    """The pattern of each of the numbers of `n` digits."""
    texts = [BEFORE + number for number in numbers_of(n)]
    begin, end = len(BEFORE), len(BEFORE) + n
    patterns = []
    for _, spans in spans_in_texts(subject, texts):
        touched = [spans[i] for i in touching(spans, begin, end)]
        patterns.append(tuple(min(span[1], end) - max(span[0], begin) for span in touched if span is not None))
    return patterns


def numbers_of(n: int) -> list[str]:
    """The first 100 numbers of `n` digits that do not begin with 0, cut from the digits of 3^9000."""
    digits = source_of_digits()
    found: list[str] = []
    for number in cuts(digits, n):
        if n == 1 or number[0] != "0":
            found.append(number)
        if len(found) == NUMBERS_EACH:
            break
    return found


def source_of_digits() -> str:
    """The decimal digits of 3^9000, some 4,295; Python's limit for such long numbers is not touched."""
    value, parts = 3**POWER, []
    base = 10**18
    while value:
        value, part = divmod(value, base)
        parts.append(f"{part:018d}")
    return "".join(reversed(parts)).lstrip("0")


def cuts(digits: str, n: int) -> Iterator[str]:
    """The digits in groups of `n`, without a shorter rest."""
    for begin in range(0, len(digits) - n + 1, n):
        yield digits[begin : begin + n]


def kind_of_numbers(figures: Mapping[str, Any]) -> str:
    """How a tokenizer cuts numbers, in words."""
    regular = all(figure["regularity"] == 1 for figure in figures.values())
    patterns = {int(n): figure["most_common"] for n, figure in figures.items()}
    if regular and all(pattern == [1] * n for n, pattern in patterns.items()):
        return "single digits"
    if regular and all(pattern == groups(n) for n, pattern in patterns.items()):
        return "groups of three from the left"
    if regular and all(pattern == groups(n)[::-1] for n, pattern in patterns.items()):
        return "groups of three from the right"
    shares = ", ".join(f"{figures[str(n)]['regularity']:.2g} at {n} digits" for n in SHOWN_LENGTHS)
    return f"irregular ({shares})"


def groups(n: int) -> list[int]:
    """`n` digits in groups of three, the rest last.

    >>> groups(7)
    [3, 3, 1]
    """
    return [GROUP] * (n // GROUP) + ([n % GROUP] if n % GROUP else [])


OPERATORS = (  # noqa: SIM905  (easier to read)
    "== != <= >= -> => :: := += -= *= /= && || // ** << >> ++ -- /* */ ... ?. ?? <!-- --> </ ${ #{ ;; |> <-"
).split()
DEPTHS = (*range(1, 17), 20, 24, 32)  # spaces
IDENTIFIER = re.compile(r"[A-Za-z_]\w*", re.ASCII)
PART_ENDS = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Za-z])(?=[0-9])|(?<=[0-9])(?=[A-Za-z])|(?<=\w)_+(?=\w)", re.ASCII)
MOST_IDENTIFIERS = 1000
LEAST_IDENTIFIERS = 20  # of a source of code


def operator_figures(subject: Subject) -> dict[str, Any]:
    """Which operators are one token between spaces; `unknown`: those touched by an unknown token, which loses them."""
    single, unknown = [], []
    texts = [f"x {operator} y" for operator in OPERATORS]
    for operator, (ids, spans) in zip(OPERATORS, spans_in_texts(subject, texts), strict=True):
        touched = [ids[i] for i in touching(spans, 2, 2 + len(operator))]
        if len(touched) == 1:
            single.append(operator)
        if any(i in (-1, subject.unknown_id) for i in touched):
            unknown.append(operator)
    return {"tested": len(OPERATORS), "single": len(single), "which": single, "unknown": unknown}


def indentation_figures(subject: Subject) -> dict[str, Any]:
    """For each depth: the tokens that the spaces add, and whether decoding gives them back."""
    texts = ["x\ny", *(f"x\n{' ' * depth}y" for depth in DEPTHS)]
    plain, *rows = subject.ids(texts)
    return {
        str(depth): {
            "extra_tokens": len(ids) - len(plain),
            "kept": subject.decode(ids) == text if subject.has_decoding else None,
        }
        for depth, ids, text in zip(DEPTHS, rows, texts[1:], strict=True)
    }


def identifiers_in(texts: Sequence[str]) -> list[str]:
    """The most frequent identifiers that have parts.

    Parts end at `_`, between a small and a capital letter, and between letters and digits.
    """
    counts = Counter(name for text in texts for name in IDENTIFIER.findall(text) if PART_ENDS.search(name))
    return sorted(counts, key=lambda name: (-counts[name], name))[:MOST_IDENTIFIERS]


def identifier_figures(subject: Subject, names: Sequence[str]) -> dict[str, Any] | None:
    """How many of the places where identifiers have parts are places between tokens; None: there are too few."""
    if len(names) < LEAST_IDENTIFIERS:
        return None
    n_places = n_cut = 0
    for name, (_, spans) in zip(names, spans_in_texts(subject, [f"x {name}" for name in names]), strict=True):
        begins = {span[0] - 2 for span in spans if span is not None}
        for found in PART_ENDS.finditer(name):
            n_places += 1
            n_cut += bool({found.start(), found.end()} & begins)
    return {"identifiers": len(names), "places": n_places, "cut": n_cut, "rate": ratio(n_cut, n_places)}
