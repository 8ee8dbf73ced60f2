"""What an input is: files or texts, decided once from the caller's words, or guessed and said.

`documents.read_documents` reads what `open_source` returns.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator, KeysView, Mapping, Sequence, Set
from itertools import chain
from pathlib import Path
from typing import Any, TypeAlias

from spm_lite.arguments import as_iterable
from spm_lite.errors import ArgumentTypeError, MissingFileError, OptionError, TextError
from spm_lite.files.column_files import NestedColumns, is_nested
from spm_lite.files.documents import LOOKED_AT, Source
from spm_lite.files.paths import FILE_NAME, check_once, expand, has_wildcards, names_file, shorten
from spm_lite.files.read_options import RAW, Reading
from spm_lite.files.record_files import ROWS_AT_ONCE
from spm_lite.files.remote import AnyFile, is_remote
from spm_lite.near_names import meant_file
from spm_lite.texts.inputs import ColumnStream, column_of_texts, is_column
from spm_lite.texts.wrong_texts import refuse_counts

Files: TypeAlias = str | os.PathLike[str] | Iterable[str | os.PathLike[str]]
Input: TypeAlias = (
    str | os.PathLike[str] | Iterable[str | bytes | os.PathLike[str] | Sequence[str | bytes] | Mapping[str, Any]]
)

FILES, TEXTS = "files", "texts"  # kinds of an input
NO_TEXT = "there is no text: give source, files or texts"
SAY_WHICH = "give names of files as files=[...], and texts as texts=[...]"


def chosen_input(named: Mapping[str, Any], nothing: str) -> tuple[str, Any]:
    """The kind of the input that a call gave, as `open_source` takes it, and the input.

    named: what was given, by the names of the arguments; None: nothing. nothing: the message if all are None.
    Raises OptionError unless one is given.
    """
    given = [name for name, value in named.items() if value is not None]
    if not given:
        raise OptionError(nothing)
    if len(given) > 1:
        raise OptionError(f"{' and '.join(given)} both name text: give one of them")
    return (given[0] if given[0] in (FILES, TEXTS) else ""), named[given[0]]


def open_source(source: Input | Source, reading: Reading = RAW, kind: str = "") -> Source:
    """Decide once what an input is, and find its files. A `Source` is returned as it is.

    source: a path, a glob, a list of paths or globs, or texts (str, or bytes of UTF-8). Texts are any iterable, or a
    column with Arrow's C data interface, or a series of columns or tables. `names_or_texts` says which iterables of
    str are names. kind: FILES or TEXTS where the caller says which it is; "" decides it.
    Raises MissingFileError, FilePermissionError or FileError naming the path, ArgumentTypeError for a wrong source.
    """
    if isinstance(source, Source):
        return source
    source, guess, paths = tables_of_data_set(collected(source, reading)), "", None
    if kind == TEXTS:
        check_holds_texts(source)
    elif kind == FILES:
        paths = find_named(source)
    else:
        source, guess = names_or_texts(source)
        paths = find_paths(source)
    if paths is not None:
        if not reading.is_raw:
            check_once(paths)
        return Source(tuple(paths), None, reading, guess)
    if is_column(source):
        refuse_counts(source)
    name = reading.columns[0] if reading.has_columns else None
    if reading.has_columns:
        first, source = first_item(source)
        if is_column(first) and is_nested(first, reading):
            return Source(None, NestedColumns(source, reading), reading)
    if is_column(source) and hasattr(source, "__next__"):  # a stream, of which not all may fit into memory
        return Source(None, ColumnStream(source, name), reading)
    try:
        texts = column_of_texts(source, name)
    except (ArgumentTypeError, TextError) as error:
        if not hasattr(source, "columns"):  # it is no table
            raise
        raise type(error)(f"column {name!r:.60}: {error}") from None
    return Source(None, source if texts is None else texts, reading)


def first_item(source: Any) -> tuple[Any, Any]:
    """What a source begins with, or itself if it is one column; and the source, of which nothing is lost."""
    if is_column(source):
        return source, source
    if isinstance(source, Sequence):
        return (source[0] if len(source) else None), source
    if not hasattr(source, "__next__"):
        return None, source
    rest = iter(source)
    first = next(rest, rest)
    return (None, []) if first is rest else (first, chain((first,), rest))


def names_or_texts(source: Any) -> tuple[Any, str]:
    """An input whose kind the caller did not say, and a note if it is a guess that its texts are names of files.

    An iterable of str holds names if its first item names a file; then all items must. An iterator, a collection or an
    array of names becomes a list; of other iterators nothing is lost.
    """
    if is_column(source):
        return source, ""
    if isinstance(source, list | tuple):
        items = source
        if items and names_file(items[0]):
            items = [*names_of(iter(items))]
        else:
            check_first_texts(items)
    elif hasattr(source, "__next__") or is_collection(source) or is_array(source):
        rest = iter(source)
        first = next(rest, rest)
        if first is rest:
            return [], ""
        if not names_file(first):
            return (chain((first,), rest) if hasattr(source, "__next__") else source), ""
        items = [*names_of(chain((first,), rest))]
    else:
        return source, ""
    if not items or not names_file(items[0]) or all(isinstance(item, os.PathLike) for item in items):
        return items, ""
    return items, f"was taken for the names of {counted_files(len(items))}: say so with files=, or give texts=..."


def names_of(items: Iterator[Any]) -> Iterator[Any]:
    """The items, the first of which names a file.

    Raises, before all is read, OptionError for an item that names none or is an address, MissingFileError for one that
    is missing.
    """
    for number, item in enumerate(items):
        refuse_address(item, number)
        if isinstance(item, str) and len(item.split()) == 1 and not has_wildcards(item) and not is_there(item):
            raise MissingFileError(
                f"no file {shorten(item)!r} to read, item {number} of the input{meant_file(item)}: {SAY_WHICH}"
            )
        if not names_file(item):
            raise OptionError(
                f"input item {number} is {shorten(repr(item))}, and the first one names a file: {SAY_WHICH}"
            )
        yield item


def is_there(name: str) -> bool:
    """Whether there is a file or folder of this name."""
    try:
        return Path(name).exists()
    except (OSError, ValueError):  # no path can be this text
        return False


def refuse_address(item: Any, number: int) -> None:
    """Raise OptionError for a str that is an address: a text may be one, and nothing is fetched by mistake."""
    if isinstance(item, str) and is_remote(item):
        raise OptionError(f"input item {number} is an address, {shorten(item)!r}: {SAY_WHICH}")


def check_first_texts(items: Sequence[Any]) -> None:
    """Raise OptionError for a list that begins with a text and then names a file."""
    for number, item in enumerate(items[:LOOKED_AT]):
        if isinstance(item, os.PathLike) or (
            isinstance(item, str) and FILE_NAME.fullmatch(item) and Path(item).is_file()
        ):
            raise OptionError(f"input item {number} is {shorten(repr(item))}, and the first one is a text: {SAY_WHICH}")


def is_collection(source: Any) -> bool:
    """Whether an input is a collection in order that gives its items again, such as a deque, or the keys of a dict."""
    if isinstance(source, str | bytes | os.PathLike | Mapping) or type(source).__module__ == "numpy":
        return False
    return isinstance(source, Collection) and (isinstance(source, KeysView) or not isinstance(source, Set))


def is_array(source: Any) -> bool:
    """Whether an input is an array of numpy with one dimension, so that it has texts or names in order."""
    return type(source).__module__ == "numpy" and getattr(source, "ndim", 0) == 1


def counted_files(n: int) -> str:
    return "1 file" if n == 1 else f"{n:,} files"


def collected(source: Any, reading: Reading) -> Any:
    """The table of a query of polars that was not run yet, of which only the columns are read; others as they are."""
    if not (type(source).__module__.startswith("polars.") and hasattr(source, "collect")):
        return source
    names = source.collect_schema().names()
    wanted = [name for name in names if any(f"{c}.".replace("[]", "").startswith(f"{name}.") for c in reading.columns)]
    return (source.select(wanted) if wanted else source.head(0)).collect()


def tables_of_data_set(source: Any) -> Any:
    """The tables of a data set of the package `datasets`, part by part; any other input as it is."""
    if not type(source).__module__.startswith("datasets."):
        return source
    if hasattr(source, "with_format") and not isinstance(source, Mapping):
        return source.with_format("arrow").iter(batch_size=ROWS_AT_ONCE)
    if isinstance(source, Mapping):
        names = ", ".join(map(repr, source))
        raise ArgumentTypeError(f"the input has several data sets, {names:.120}: pass one, such as data['train']")
    return source


def find_paths(source: Any) -> list[AnyFile] | None:
    """The files that `source` names, or None when it is an iterable of texts."""
    if isinstance(source, bytes | bytearray | memoryview):
        kind = type(source).__name__
        raise ArgumentTypeError(f"the input is {kind}: give texts as a list, [data], and files as str paths")
    if isinstance(source, str):
        return expand(source, f"no file {shorten(source)!r} to read (texts are passed as a list of str: [text, ...])")
    if isinstance(source, os.PathLike):
        return expand(source, f"no file {os.fspath(source)!r} to read")
    if not isinstance(source, Iterable) and not is_column(source):
        raise ArgumentTypeError(f"the input must be a path, a list of paths, or texts, not {type(source).__name__}")
    if not is_column(source):
        as_iterable(source, "the input", "a path, or a list of texts, such as [text]")
    is_of_names = isinstance(source, list | tuple) and bool(source) and names_file(source[0])
    return find_named(source, "the input") if is_of_names else None


def find_named(files: Any, name: str = FILES, in_order: bool = True) -> list[AnyFile]:
    """The files that a path, a glob, a folder or a list of them names. name: of the argument, for messages."""
    wanted = "a path, or a list of paths"
    named = [files] if isinstance(files, str | os.PathLike) else list(as_iterable(files, name, wanted, in_order))
    if not named:
        raise OptionError(f"{name} is empty: name at least one file")
    paths: list[AnyFile] = []
    for number, item in enumerate(named):
        if not isinstance(item, str | os.PathLike):
            raise ArgumentTypeError(f"item {number} of {name} is {type(item).__name__}: files are named by str or Path")
        paths += expand(item, f"no file {shorten(os.fspath(item))!r} to read")
    return paths


def check_holds_texts(texts: Any) -> None:
    """Check that an input can hold texts."""
    if not is_column(texts):
        as_iterable(texts, "texts", "a list of texts, such as [text]")
