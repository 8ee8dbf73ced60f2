"""Explanation: how the pieces of a text come about, step by step, as text, HTML or SVG."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from spm_lite.errors import OptionError
from spm_lite.kinds import BYTE, UNKNOWN
from spm_lite.pictures import lattice_paths, lookups, matches, merges
from spm_lite.pictures.diagram import Diagram, diagram_text, wrapped
from spm_lite.pictures.show import LEAST_WIDTH, as_limit, counted
from spm_lite.pictures.signs import with_signs
from spm_lite.pictures.tokens import Token, groups_of, tokens_of
from spm_lite.pictures.units import Pieces, characters, units_of

if TYPE_CHECKING:
    from spm_lite.tokenizer.encoding import EncodingMethods
    from spm_lite.vocab.vocab import Vocab

PICTURES = (".svg", ".html", ".htm")  # endings of files that hold one
OTHER_PICTURES = (".png", ".pdf", ".jpg", ".jpeg", ".gif", ".webp", ".avif", ".bmp", ".tif", ".tiff", ".ps", ".eps")
MOST_CHARACTERS = 200  # of the text, unless the caller says otherwise
MERGED = "BPE: again and again, of all merges that join two neighbours, the one with the lowest number is done"
OTHER_NAMES = {  # methods that people try -> what to write
    **dict.fromkeys(("to_svg", "save_svg", "savefig", "write"), "save('x.svg'), or svg(), the text of an SVG file"),
    **dict.fromkeys(("to_html", "html"), "save('x.html'), or a notebook, which shows it as HTML"),
    **dict.fromkeys(("to_png", "save_png", "png"), "save('x.svg'): a picture is SVG or HTML, and a browser shows both"),
    **dict.fromkeys(("to_text", "text_report", "render", "show"), "print(explanation), or str(explanation)"),
}
METHODS = {  # model type -> what it does, for people
    "unigram": "Unigram: of all ways to cut the text, the one with the highest sum of scores (log-probabilities) is "
    "taken. A percentage is the share of a way in the probability of all ways",
    "bpe": MERGED,
    "byte_bpe": MERGED.replace("BPE", "BPE of bytes"),
    "wordpiece": "WordPiece: in each word the longest piece that fits, then the longest that continues it",
    "char": "Characters: each is a piece",
    "word": "Words: each is a piece",
    "byte": "Bytes: each is a piece",
}


class Explanation:
    """How a model cuts a text, made by `Tokenizer.explain`. `print` shows it as text, a notebook as HTML.

    A diagram for each word has a row for each step and the ids at the end. Words that occur again are drawn once.

    Attributes:
        text: the text, with a sign for every invisible character.
        method: what the model does, in a sentence.
        diagrams: a diagram for each different word.

    >>> import spm_lite
    >>> tok = spm_lite.train(["low lower lowest"] * 9, model_type="bpe", vocab_size=272)
    >>> print(tok.explain("low"))
    BPE: again and again, of all merges that join two neighbours, the one with
    the lowest number is done
    <BLANKLINE>
    ▁low
      The merges end in one piece.
      ▁ l o w   each unit alone
      ▁ lo  w   merge no. 1: l + o
      ▁ low     merge no. 2: lo + w
      ▁low      merge no. 3: ▁ + low
      261       ids
    """

    __module__ = "spm_lite"  # where users find it
    __slots__ = ("_note", "diagrams", "method", "text")

    text: str  # the text that is explained, with a sign for everything invisible
    method: str  # what the model does, in a sentence
    diagrams: tuple[Diagram, ...]

    def __init__(self, text: str, method: str, diagrams: Iterable[Diagram], note: str = "") -> None:
        """Made by `explain`. note: what was left out."""
        self.text = text
        self.method = method
        self.diagrams = tuple(diagrams)
        self._note = note

    def __str__(self) -> str:
        from shutil import get_terminal_size

        width = max(get_terminal_size().columns, LEAST_WIDTH)
        method, note = ("\n".join(wrapped(text, width)) for text in (self.method, self._note))
        parts = [method, *(diagram_text(diagram, width) for diagram in self.diagrams)]
        return "\n\n".join([*parts, note] if note else parts)

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> None:
            hint = f": use {OTHER_NAMES[name]}" if name in OTHER_NAMES else ""
            raise AttributeError(f"an Explanation has no attribute {name!r}{hint}")

    def __repr__(self) -> str:
        shown = f"{self.text[:40]!r}: {counted(len(self.diagrams), 'diagram')}"
        return f"<Explanation of {shown}; print it, or save it: .save('x.svg')>"

    def _repr_html_(self) -> str:
        from spm_lite.cards import FONT, escaped
        from spm_lite.pictures.diagram_html import as_html

        note = f'<div style="{FONT};opacity:.75">{escaped(self._note)}</div>' if self._note else ""
        head = f'<div style="{FONT};margin-bottom:8px">{escaped(self.method)}</div>'
        return f'<div class="spm-lite">{head}{"".join(map(as_html, self.diagrams))}{note}</div>'

    def svg(self) -> str:
        """The diagrams as a picture that stands alone: the text of an SVG file.

        Returns:
            A str, to be written as UTF-8. The picture follows the viewer's choice of light or dark.

        >>> import spm_lite
        >>> picture = spm_lite.byte_tokenizer().explain("a").svg()
        >>> picture[:4], picture[-7:]
        ('<svg', '</svg>\\n')
        """
        from spm_lite.pictures.diagram_svg import as_svg

        return as_svg(self.diagrams, f"{self.method}. The text: {self.text}")

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the picture to a file: SVG if its name ends in .svg, a page of HTML if it ends in .html.

        Args:
            path: the name of the file. It appears when it is complete.
        Raises:
            OptionError: the name ends in something else.
            FileError: the file cannot be written.

        >>> import os, spm_lite, tempfile
        >>> folder = tempfile.mkdtemp()
        >>> spm_lite.byte_tokenizer().explain("a").save(f"{folder}/a.svg")
        >>> os.listdir(folder)
        ['a.svg']
        """
        from spm_lite.files.new_files import write_atomically
        from spm_lite.files.open_files import as_path

        name = as_path(path, "path", allows_address=True)
        ending = next((kind for kind in PICTURES if name.lower().endswith(kind)), None)
        if ending is None:
            raise no_picture(name)
        write_atomically(name, self._picture(ending).encode())

    def _picture(self, ending: str) -> str:
        """The picture in the form of files that end so."""
        from spm_lite.cards import document

        return self.svg() if ending == ".svg" else document(f"Why {self.text[:40]} is split so", self._repr_html_())


def no_picture(name: str) -> OptionError:
    """The error of a file whose name ends in none of PICTURES."""
    return OptionError(f"{name} ends in neither .svg nor .html: name a file that ends in one of them")


def explain(tok: EncodingMethods, text: Any, limit: Any = MOST_CHARACTERS, rivals: Any = 3) -> Explanation:
    """The Explanation of a text, as `Tokenizer.explain` says."""
    n_characters, n_rivals = as_limit(limit, "limit"), as_limit(rivals, "rivals")
    listed = tok._encoder.vocab.merge_list
    if listed is not None and not is_explained(tok._encoder.vocab):
        raise OptionError(
            "the model keeps a list of its merges, and what a character becomes depends on the text around it: pieces "
            "have a prefix or suffix, characters vanish, or whole texts are looked up. Its merges are not drawn"
        )
    if tok._encoder.vocab.has_parts:
        raise OptionError(
            "the model cuts a text by patterns, and each part becomes pieces by itself: that is not drawn"
        )
    part, note = beginning(text, n_characters)
    tokens = tokens_of(tok, part)
    model_type = tok._file.model_type
    method = METHODS[model_type]
    shown = with_signs(part.decode("utf-8", "surrogateescape") if isinstance(part, bytes) else part)
    return Explanation(shown, method, once_each(diagrams_of(tok, part, tokens, model_type, n_rivals)), note)


def is_explained(vocab: Vocab) -> bool:
    """Whether the parts of a text that a list of merges gives can be drawn."""
    listed = vocab.merge_list
    if listed is None:
        return True
    vanish = vocab.unknown_index < 0 and not vocab.byte_fallback and (not vocab.is_bytes or vocab.lacks_bytes)
    return not (listed.is_by_part() or vanish or (listed.whole_pieces and vocab.split_pattern is None))


def beginning(text: Any, limit: int) -> tuple[Any, str]:
    """The first `limit` characters of a text, and a note if there are more. Anything but text is returned as it is."""
    if isinstance(text, str) and len(text) > limit:
        return text[:limit], f"Only the first {limit:,} of {len(text):,} characters are explained."
    if isinstance(text, bytes) and len(text) > limit:
        part = text[: 4 * limit].decode("utf-8", "surrogateescape")[:limit].encode("utf-8", "surrogateescape")
        if len(part) < len(text):
            return part, f"Only the first {len(part):,} of {len(text):,} bytes are explained."
    return text, ""


def diagrams_of(
    tok: EncodingMethods, text: str | bytes, tokens: Sequence[Token], model_type: str, n_rivals: int
) -> Iterable[Diagram]:
    """The diagrams of a text, in its order."""
    vocab = tok._encoder.vocab
    if model_type in lookups.REASONS or not (vocab.is_well_formed or vocab.is_bytes):
        return lookups.diagrams(list(groups_of(tok, tokens)), model_type)
    pieces = Pieces(vocab, tok._file.lossless)
    if model_type == "unigram":
        return lattice_paths.diagrams(units_of(tokens, pieces, False), sizes_of(tokens), pieces, n_rivals)
    if model_type == "wordpiece":
        from spm_lite.encode.segment.wordpiece import WordPieceSegmenter, words_of

        segmenter: Any = tok._encoder.segmenter
        assert isinstance(segmenter, WordPieceSegmenter) and vocab.word_rules is not None
        return matches.diagrams(words_of(as_utf8(text), tok._encoder.normalizer, segmenter), pieces, vocab.word_rules)
    chunks = None
    if vocab.split_pattern is not None:
        from spm_lite.encode.segment.split_text import matches as chunks_of

        chunks = chunks_of(tok._encoder.normalize(text), vocab.split_pattern)
    elif vocab.splits:
        from spm_lite.base.patterns.text_cuts import make_cuts

        cuts, normalized = make_cuts(vocab.splits), tok._encoder.normalize(text)
        chunks = [normalized[begin:end] for begin, end in cuts.parts(normalized)] if cuts is not None else None
    return merges.diagrams(tokens, pieces, chunks)


def as_utf8(text: str | bytes) -> bytes:
    return text if isinstance(text, bytes) else text.encode()


def sizes_of(tokens: Iterable[Token]) -> list[int]:
    """The number of characters of each piece; characters of unknown text and of byte pieces count one by one."""
    sizes: list[int] = []
    spelled = b""
    for token in tokens:
        if token.kind == BYTE:
            spelled += token.text
            continue
        sizes += [1] * len(characters(spelled))
        spelled = b""
        n = len(characters(token.text))
        sizes += [1] * n if token.kind == UNKNOWN else [n]
    return sizes + [1] * len(characters(spelled))


def once_each(diagrams: Iterable[Diagram]) -> Iterable[Diagram]:
    """Each diagram once, with a note of how often it occurs if that is more."""
    counts = Counter(diagrams)
    return [
        diagram._replace(note=f"{count} times in the text") if count > 1 else diagram
        for diagram, count in counts.items()
    ]
