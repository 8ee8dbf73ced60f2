"""Reading: how the texts of a source are found, decided once from what the caller says, and the same for every caller.

`specs.ReadOptions` are the arguments of the public calls that read text; `as_reading` checks them. `documents` reads by
the Reading that it returns.
"""

from __future__ import annotations

import codecs
from collections.abc import Iterable, Iterator

from spm_lite._typing import TYPE_CHECKING, NamedTuple
from spm_lite.arguments import as_flag, as_size
from spm_lite.errors import ArgumentTypeError, OptionError
from spm_lite.files.compressed import DamagedData

if TYPE_CHECKING:
    from typing import Any

LINE_END = b"\n"
WHOLE_FILES = b""  # in place of a separator: each file is one text
PARAGRAPHS = b"\0paragraph"  # blank lines end a text
AS_USUAL = ({"separator": "\n"}, {"separator": None})  # remedies
COLUMN = "text"  # the usual name
NEWLINES = ("auto", "lf")
OLD_NEWLINES = "keep_newlines"
SKIP = "skip"
LEAVE_OUT = "on_error='skip' leaves such rows out"  # for messages
WAYS = ("raise", SKIP)
FORMATS = ("auto", "text", "tsv", "jsonl", "csv", "parquet", "arrow")


class Reading(NamedTuple):
    """How the texts of a source are found. The fields are checked ReadOptions, and what kind of caller reads."""

    columns: tuple[str, ...] = (COLUMN,)
    is_column_said: bool = False
    input_format: str = "auto"
    newline: str = "auto"
    separator: bytes = LINE_END
    on_error: str = "raise"
    delimiter: str = ""  # "": by the name of the file
    quoting: bool | None = None
    encoding: str = ""  # "": UTF-8
    max_unpacked: int = 0  # bytes; 0: by the size of each file
    keeps_bytes: bool = False  # of callers that map texts to ids: no text is cut, CR LF is not noted as a line end
    nulls_are_empty: bool = False
    is_raw: bool = False  # every file is read as it stands, files of records and compressed ones too

    @property
    def is_weighted(self) -> bool:
        """Whether each line is a text, TAB and its count."""
        return self.input_format == "tsv"

    @property
    def has_columns(self) -> bool:
        """Whether rows and tables in memory have columns that hold the texts."""
        return not self.is_raw and self.input_format not in ("text", "tsv")

    @property
    def column(self) -> str:
        """The column, for messages."""
        return self.columns[0] if len(self.columns) == 1 else ", ".join(self.columns)

    def identity(self) -> dict[str, Any]:
        """The options that decide what is read, by name, as values of JSON; most are left out if they are usual."""
        form = {"auto": "text"}.get(self.input_format, self.input_format)
        ends = self.separator.decode("latin-1")
        found: dict[str, Any] = {"separator": ends, "input_format": form, "newline": self.newline}
        usual = Reading(newline="lf")
        for name in ("on_error", "delimiter", "quoting", "encoding", "max_unpacked"):
            value = getattr(self, name)
            found |= {name: value} if value != getattr(usual, name) else {}
        if self.is_column_said:  # a file may be read as records for that alone
            is_one = len(self.columns) == 1 and self.column != COLUMN
            found["column"] = self.column if is_one else list(self.columns)
        if self.newline == "lf":
            del found["newline"]
        return found


RAW = Reading(newline="lf", is_raw=True)  # sentencepiece's rules


def as_reading(
    given: Any, call: str = "", own: Iterable[str] = (), *, keeps_bytes: bool = False, reference_rules: bool = False
) -> Reading:
    """Check the ReadOptions of a call, a mapping by name. call: the function, if it has no other keywords.

    own: its arguments beside these, for messages. keeps_bytes: as in `Reading`; then CR LF and a BOM are text unless
    `newline` says otherwise. reference_rules: the same. Raises OptionError or ArgumentTypeError for a wrong value, and
    for values that contradict each other.
    """
    if call:
        check_names(given, call, own or BESIDE)
    column = given.get("column")
    form = one_of(given.get("input_format", "auto"), "input_format", FORMATS)
    if column == "":
        column, form = None, "text"
    if column is not None and form == "text":
        raise OptionError(
            f"column={column!r:.60} and input_format='text' contradict each other: plain text has no columns",
            remedies=[{"column": None}, {"input_format": "auto"}],
        )
    newline = one_of(given.get("newline", "lf" if keeps_bytes else "auto"), "newline", NEWLINES)
    separator = as_separator(given.get("separator", "\n"), given.get("paragraphs", False))
    if OLD_NEWLINES in given and keeps_newlines(given[OLD_NEWLINES]) and separator == LINE_END:
        separator = WHOLE_FILES
    if form == "tsv" and separator != LINE_END:
        raise OptionError(
            "input_format='tsv' has a text and its count in each line: leave out separator and paragraphs",
            remedies=[{"separator": "\n", "paragraphs": False}, {"input_format": "text"}],
        )
    if form == "tsv" and (keeps_bytes or call):
        raise OptionError(
            "input_format='tsv' is for training, where each line has a text and its count: for a table, let the name "
            "end in .tsv, or pass input_format='csv', delimiter='\\t'",
            remedies=[{"input_format": "auto"}],
        )
    quoting = given.get("quoting")
    return Reading(
        columns=(COLUMN,) if column is None else as_columns(column),
        is_column_said=column is not None,
        input_format=form,
        newline="lf" if reference_rules else newline,
        separator=separator,
        on_error=one_of(given.get("on_error", "raise"), "on_error", WAYS),
        delimiter=as_delimiter(given.get("delimiter")),
        quoting=None if quoting is None else as_flag(quoting, "quoting"),
        encoding=as_encoding(given.get("encoding")),
        max_unpacked=as_max_unpacked(given.get("max_unpacked")),
        keeps_bytes=keeps_bytes,
    )


def take_reading(options: dict[str, Any]) -> dict[str, Any]:
    """Move the ReadOptions out of the options of a call, and return them."""
    from spm_lite.specs import ReadOptions

    return {name: options.pop(name) for name in (*ReadOptions.__annotations__, OLD_NEWLINES) if name in options}


def keeps_newlines(value: Any) -> bool:
    """The value of `keep_newlines`, an option of the older version. Warns of it."""
    import warnings

    text = f"the option {OLD_NEWLINES} is gone after this version: write separator=None, with which a file is one text"
    warnings.warn(text, DeprecationWarning, 4)
    return as_flag(value, OLD_NEWLINES)


BESIDE = ("num_threads", "progress")  # arguments that calls have beside the options of reading
OTHER_NAMES = {  # option -> names that other programs have for it
    "column": "field key text_column text_field text_key column_name",
    "separator": "sep line_separator",
    "encoding": "charset",
    "on_error": "errors skip_errors ignore_errors on_bad_lines",
    "num_threads": "threads n_threads num_workers workers n_jobs",
    "progress": "show_progress progress_bar verbose",
}


def check_names(given: Any, call: str, own: Iterable[str]) -> None:
    """Raise TypeError, as Python does, for a keyword that is no ReadOption. call, own: as in `as_reading`."""
    from spm_lite.near_names import near_names
    from spm_lite.specs import ReadOptions

    for name in given:
        if name not in ReadOptions.__annotations__ and name != OLD_NEWLINES:
            options = ReadOptions.__annotations__
            near = " or ".join(near_names(name, own))
            hint = (
                f" (did you mean {near}?)" if near else f"{meant(name, options)}: text is read by {', '.join(options)}"
            )
            raise TypeError(f"{call}() got an unexpected keyword argument {name!r}{hint}")


def meant(name: str, options: Iterable[str]) -> str:
    """` (did you mean ...?)` for a name that other programs have for an option of reading, or a misspelled one."""
    from spm_lite.near_names import near_names

    named = [option for option, others in OTHER_NAMES.items() if name in others.split()]
    near = " or ".join(named or near_names(name, (*options, *BESIDE)))
    return f" (did you mean {near}?)" if near else ""


def one_of(value: Any, name: str, known: tuple[str, ...]) -> str:
    """A value among those known. Raises OptionError."""
    if not isinstance(value, str) or value not in known:
        shown = ", ".join(map(repr, known))
        raise OptionError(f"{name}={value!r:.40}: must be one of {shown}", remedies=[{name: each} for each in known])
    return value


def as_columns(column: Any) -> tuple[str, ...]:
    """The names of one or several columns. Raises ArgumentTypeError for something else."""
    names = tuple(column) if isinstance(column, (list, tuple)) else (column,)
    if not names or not all(isinstance(name, str) and name for name in names):
        raise ArgumentTypeError(
            f"column={column!r:.40}: must be the name of a column, such as {COLUMN!r}, or a list of names"
        )
    if len(set(names)) < len(names):
        raise OptionError(f"column={column!r:.40} names a column twice: name each once")
    return names


def as_delimiter(delimiter: Any) -> str:
    """The character between fields; "" for None. Raises OptionError."""
    if delimiter is None:
        return ""
    if not isinstance(delimiter, str) or len(delimiter) != 1 or delimiter in '\r\n"\0' or is_surrogate(delimiter):
        raise OptionError(
            f"delimiter={delimiter!r:.40}: must be one character, such as ';' or '\\t', and no line end or quotation "
            "mark",
            remedies=[{"delimiter": None}],
        )
    return delimiter


def is_surrogate(character: str) -> bool:
    """Whether a character is a surrogate, which UTF-8 cannot spell."""
    return 0xD800 <= ord(character) < 0xE000


def as_encoding(encoding: Any) -> str:
    """The name of an encoding of text; "" for UTF-8. Raises OptionError for an unknown one."""
    if encoding is None:
        return ""
    try:
        found = codecs.lookup(encoding)
        "".encode(encoding)
    except (LookupError, TypeError, ValueError):
        raise OptionError(
            f"encoding={encoding!r:.40}: there is no such encoding of text; the names are Python's, such as 'cp1252', "
            "'utf-16' or 'shift_jis'",
            remedies=[{"encoding": None}],
        ) from None
    return "" if found.name == "utf-8" else found.name


def as_max_unpacked(size: Any) -> int:
    """The bytes that one file may unpack to; 0 for None. Raises OptionError for less than one."""
    found = 0 if size is None else as_size(size, "max_unpacked", [{"max_unpacked": None}])
    if size is not None and found < 1:
        raise OptionError(
            f"max_unpacked={size!r:.40}: must be at least 1 byte, such as '10GB', or None",
            remedies=[{"max_unpacked": None}],
        )
    return found


def as_separator(separator: Any, paragraphs: Any = False) -> bytes:
    r"""The bytes that end a document; b"": each file is one document.

    separator: str or bytes; None: each file is one document. paragraphs: blank lines end a document.

    >>> as_separator("\n"), as_separator("\n\n"), as_separator(None)
    (b'\n', b'\n\n', b'')
    """
    if as_flag(paragraphs, "paragraphs"):
        if separator not in ("\n", LINE_END):
            raise OptionError(
                "paragraphs=True and separator both say where a document ends: give one of them",
                remedies=[{"paragraphs": False}, {"separator": "\n"}],
            )
        return PARAGRAPHS
    if separator is None:
        return WHOLE_FILES
    if isinstance(separator, str):
        try:
            separator = separator.encode()
        except UnicodeEncodeError as error:
            raise OptionError(
                f"separator={separator!r:.40} holds a lone surrogate at position {error.start}: pass bytes",
                remedies=AS_USUAL,
            ) from None
    if not isinstance(separator, bytes):
        raise ArgumentTypeError(
            f"separator is {type(separator).__name__} {separator!r:.40}, not str or bytes; None makes "
            "each file a document",
            remedies=AS_USUAL,
        )
    if not separator:
        raise OptionError(
            "separator is empty: pass at least one byte, or None if each file is a document", remedies=AS_USUAL
        )
    return bytes(separator)


class BadRecords:
    """The bad records of a corpus: lines that are not JSON, rows without the column, nulls, ends of cut-off files."""

    def __init__(self, on_error: str = "raise") -> None:
        self.skips = on_error == SKIP
        self.n = 0
        self.first = ""

    def meet(self, error: Exception, number: int = 1) -> None:
        """Raise the error, or count its records and go on."""
        if not self.skips:
            raise error
        self.first = self.first or str(error)
        self.n += number

    @property
    def notes(self) -> tuple[str, ...]:
        """A note with their number and the first of them."""
        records = "1 record" if self.n == 1 else f"{self.n:,} records"
        first = self.first.partition(f": {LEAVE_OUT}")[0]  # the advice is followed already
        return (f"{records} left out (on_error='skip'); the first: {first}",) if self.n else ()


def readable(reads: Iterable[bytes], bad: BadRecords) -> Iterator[bytes]:
    """Yield the parts of a file up to where its compressed data are damaged."""
    try:
        yield from reads
    except DamagedData as error:
        bad.meet(error)
