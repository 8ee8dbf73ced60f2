"""The texts of an audit: sources with names, the texts of each, and the documents that they belong to."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from spm_lite.errors import ArgumentTypeError, OptionError
from spm_lite.files.corpus import open_source
from spm_lite.files.documents import CorpusFigures, n_texts_of, read_documents, split_block, texts_of
from spm_lite.files.read_options import Reading
from spm_lite.files.record_files import format_of_file
from spm_lite.texts.inputs import is_column

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from spm_lite.files.documents import Block

Grouping: TypeAlias = str | Callable[[str], Any] | Sequence[Any] | None
BLANK_LINE = "blank-line"
WHOLE_FILE = "file"
USUAL = Reading()


@dataclass
class TextSource:
    """Texts of one language or kind.

    document: which texts belong together: None: each is alone; "blank-line", "file", another column of records or a
    table, a function of the text, or the key of each text.
    """

    name: str
    texts: Any
    document: Grouping = None
    keeps_empty: bool = False  # of parallel texts, so that the i-th stays the i-th
    reading: Reading = field(default_factory=Reading)
    kind: str = ""  # as in `open_source`
    figures: CorpusFigures = field(default_factory=CorpusFigures)

    def blocks(self) -> Iterator[tuple[Block, int]]:
        """Yield each block of texts, and the number of its file."""
        self.figures = CorpusFigures()
        with closing(read_documents(open_source(self.texts, self.reading, self.kind), self.figures)) as parts:
            for part in parts:
                yield part.documents, len(self.figures.files)

    def keys(self) -> Sequence[Any]:
        """The key of each text, from a list or from the column that `document` names."""
        assert self.document is not None and not callable(self.document)
        if not isinstance(self.document, str):
            return self.document
        reading = self.reading._replace(columns=(self.document,))
        opened = open_source(self.texts, reading, self.kind)
        records = is_column(self.texts) or (
            opened.paths is not None and all(format_of_file(path, reading) != "text" for path in opened.paths)
        )
        if not records:
            raise OptionError(
                f"document={self.document!r:.40} is neither 'blank-line' nor 'file', and text {self.name!r} has no "
                "columns: pass one of these, a function of the text, or a list with the key of each text",
                remedies=[{"document": BLANK_LINE}, {"document": WHOLE_FILE}, {"document": None}],
            )
        return [key for part in read_documents(opened, CorpusFigures()) for key in split_block(part.documents)]


class Documents:
    """Numbers the documents of a source, in order of first appearance."""

    def __init__(self, source: TextSource) -> None:
        self.source = source
        self.numbers: dict[Any, int] = {}
        self.parts: list[NDArray[np.int32]] = []
        self.n_texts = 0  # read so far, empty ones too
        self.n_blank = 0
        self.n_kept = 0
        check_grouping(source)
        is_named = source.document in (BLANK_LINE, WHOLE_FILE) if isinstance(source.document, str) else False
        self.keys = [] if source.document is None or callable(source.document) or is_named else source.keys()

    def add(self, block: Block, kept: NDArray[np.int32], file: int) -> None:
        """Add the texts of a block that count, by their numbers in it."""
        n_before, self.n_texts = self.n_texts, self.n_texts + n_texts_of(block)
        self.n_kept += len(kept)
        grouping = self.source.document
        if grouping is None:
            return
        keys: Any
        if grouping == WHOLE_FILE:
            keys = [file] * len(kept)
        elif grouping == BLANK_LINE:
            keys = self._paragraphs(block, kept)
        elif callable(grouping):
            texts = split_block(block)
            keys = [grouping(texts[i].decode("utf-8", "replace")) for i in kept]
        else:
            if self.n_texts > len(self.keys):
                raise too_few_keys(self.source.name, len(self.keys), self.n_texts)
            keys = [self.keys[n_before + i] for i in kept]
        self.parts.append(np.array([self._number(key) for key in keys], np.int32))

    def _number(self, key: Any) -> int:
        try:
            return self.numbers.setdefault(key, len(self.numbers))
        except TypeError:
            raise ArgumentTypeError(
                f"a document of text {self.source.name!r} has the key {key!r:.40}, which cannot be hashed: "
                "give a str or a number"
            ) from None

    def _paragraphs(self, block: Block, kept: NDArray[np.int32]) -> list[int]:
        """The number of blank lines before each text; a blank line itself belongs to what follows."""
        places = []
        for text in split_block(block):
            self.n_blank += not text.strip()
            places.append(self.n_blank)
        return [places[i] for i in kept]

    def result(self) -> NDArray[np.int32] | None:
        """The number of each text's document; None: each text is one."""
        grouping = self.source.document
        if grouping is None:
            return None
        if self.n_texts < len(self.keys):
            raise too_few_keys(self.source.name, len(self.keys), self.n_texts)
        return np.concatenate(self.parts) if self.parts else np.zeros(0, np.int32)


def too_few_keys(name: str, n_keys: int, n_texts: int) -> OptionError:
    return OptionError(
        f"document has {n_keys:,} keys for the {n_texts:,} or more texts of {name!r}"
        if n_keys < n_texts
        else f"document has {n_keys:,} keys for the {n_texts:,} texts of {name!r}: give one for each text"
    )


def check_grouping(source: TextSource) -> None:
    """Raise an error for a `document` that says nothing."""
    grouping = source.document
    if grouping is None or callable(grouping) or isinstance(grouping, str):
        return
    if not isinstance(grouping, Sequence) and not hasattr(grouping, "__getitem__"):
        raise ArgumentTypeError(
            f"document is {type(grouping).__name__}: pass 'blank-line', 'file', a function of the text, or a list with "
            "the key of each text"
        )


def name_of(path: str | os.PathLike[str]) -> str:
    """The name of a file in reports: without its folder and its ending.

    >>> name_of("texts/de.txt"), name_of("models/gpt2/tokenizer.json")
    ('de', 'gpt2')
    """
    plain = Path(os.fsdecode(path))
    name = plain.name
    for ending in (".gz", ".bz2", ".xz", ".zst"):
        name = name.removesuffix(ending)
    stem = name.rsplit(".", 1)[0] or name
    return plain.parent.name or stem if name in ("tokenizer.json", "tokenizer.model") else stem


def objects_by_name(given: Any, kind: str, is_one: Callable[[Any], bool], default: str) -> dict[str, Any]:
    """Objects by name. given: a mapping, one object, or several in a list; paths are named after themselves.

    is_one: whether something is one object, not several. default: the name of one that has none.
    Raises OptionError for two of one name, ArgumentTypeError for a name that is not a str.
    """
    if isinstance(given, Mapping):
        for name in given:
            if not isinstance(name, str) or not name:
                raise ArgumentTypeError(f"{kind} {name!r:.40} has no name: a name is a str with at least one character")
        return dict(given)
    items = [given] if is_one(given) else list(given)
    result: dict[str, Any] = {}
    for number, item in enumerate(items, 1):
        if isinstance(item, (str, os.PathLike)):
            name = name_of(item)
        else:
            name = str(getattr(item, "name", "")) or (default if len(items) == 1 else f"{default} {number}")
        if name in result:
            raise OptionError(
                f"two of the {kind}s are named {name!r}: {result[name]!r:.60} and {item!r:.60}. Give them as a dict of "
                f"name and {kind}"
            )
        result[name] = item
    return result


def is_path(item: Any) -> bool:
    return isinstance(item, (str, os.PathLike))


def named_texts(given: Any, keeps_empty: bool, document: Any, reading: Reading = USUAL) -> list[TextSource]:
    """What `audit` reads its texts from, each under a name. Raises OptionError for a name that occurs twice.

    given: a dict of name and source; a path; a list of paths, each a source; or one source, such as a list of texts.
    document: for all of them, or a dict by name.
    """
    are_paths = isinstance(given, (list, tuple)) and bool(given) and all(map(is_file, given))
    is_several = isinstance(given, Mapping) or are_paths
    sources = objects_by_name(given, "text", is_path if is_several else lambda _: True, "text")
    if isinstance(document, Mapping):
        for name in document:
            if name not in sources:
                raise OptionError(f"document names the text {name!r}, but the texts are {', '.join(sources)}")
    return [
        TextSource(name, texts, document.get(name) if isinstance(document, Mapping) else document, keeps_empty, reading)
        for name, texts in sources.items()
    ]


def is_file(item: Any) -> bool:
    """Whether something is the path of a file."""
    if not is_path(item):
        return False
    try:
        return Path(os.fsdecode(item)).is_file()
    except (OSError, ValueError):  # too long for a path, or with a NUL
        return False


def decoded_texts(block: Block) -> list[str]:
    """The texts of a block as str, empty ones too; ill-formed bytes become U+FFFD."""
    return [text.decode("utf-8", "replace") for text in split_block(block)]


__all__ = ["Documents", "TextSource", "decoded_texts", "named_texts", "objects_by_name", "texts_of"]
