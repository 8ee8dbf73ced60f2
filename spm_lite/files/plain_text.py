"""Whether a file is plain text: an error for what surely is not, a note for text that looks like another format."""

from __future__ import annotations

import codecs
import os
import re
from collections.abc import Callable, Iterable, Iterator
from contextvars import ContextVar

from spm_lite.errors import FileError
from spm_lite.files import compressed
from spm_lite.files.read_options import LINE_END, SKIP, BadRecords, Reading

# What takes the notes of calls of this thread; None: the log. A filter of its logger would take those of others too.
note_taker: ContextVar[Callable[[str], None] | None] = ContextVar("note_taker", default=None)
UNPACK, EXTRACT = "unpack it first", "extract its text first"
COLUMN = "let its name end in {}, or pass input_format={!r}, and name one of its columns"
RECODE = "save it as UTF-8 first, or name its encoding, as in encoding='utf-16'"
SIGNATURES = {  # first bytes of files that are not plain text: what they are, and what to do
    **{signature: (f"{kind} data", UNPACK) for signature, kind in compressed.SIGNATURES.items()},
    b"\x04\x22\x4d\x18": ("lz4 data", UNPACK),
    b"]\0\0": ("lzma data", UNPACK),
    b"PK\x03\x04": ("zip data", f"{UNPACK} (.docx, .xlsx, .epub, .npz and .pt files are zip archives too)"),
    b"7z\xbc\xaf\x27\x1c": ("7-Zip data", UNPACK),
    b"Rar!\x1a\x07": ("RAR data", UNPACK),
    b"PAR1": ("Parquet data", COLUMN.format(".parquet", "parquet")),
    b"PARE": ("encrypted Parquet data", "write it without encryption"),
    b"ARROW1\0\0": ("Arrow data", COLUMN.format(".arrow", "arrow")),
    b"\xff\xff\xff\xff": ("Arrow data", COLUMN.format(".arrow", "arrow")),
    b"Obj\x01": ("Avro data", "read it and pass its texts"),
    b"%PDF-": ("a PDF document", EXTRACT),
    b"{\\rtf": ("an RTF document", EXTRACT),
    b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1": ("a document of Microsoft Office", EXTRACT),
    b"\x93NUMPY": ("a numpy array", "pass numpy.load(...) of it, if it holds texts"),
    **{b"\x80%c" % level: ("a Python pickle", "load it and pass its texts") for level in range(2, 6)},
    b"\x89HDF\r\n": ("HDF5 data", "read it and pass its texts"),
    b"SQLite format 3\0": ("an SQLite database", "query it and pass the texts"),
    b"GGUF": ("a GGUF model", "name a file of text"),
    b"version https://git-lfs": ("a Git LFS pointer", "fetch the file itself with 'git lfs pull'"),
    b"\x89PNG\r\n": ("a PNG image", "name a file of text"),
    b"\xff\xd8\xff": ("a JPEG image", "name a file of text"),
    b"GIF8": ("a GIF image", "name a file of text"),
    b"\x7fELF": ("a program", "name a file of text"),
    codecs.BOM_UTF16_LE: ("UTF-16 text", RECODE),
    codecs.BOM_UTF16_BE: ("UTF-16 text", RECODE),
}
START = 1 << 10  # bytes in which binary data shows
CONTROL = rb"(?s).*[\0-\x08\x0e-\x1a\x1c-\x1f]"
PRINTABLE = {  # signatures that a text may begin with: what else there must be; compiled where one is met
    b"PAR1": CONTROL,
    b"PARE": CONTROL,
    b"GGUF": CONTROL,
    b"GIF8": CONTROL,
    b"%PDF-": rb"%PDF-\d\.\d\s*[\r\n]",
    b"{\\rtf": rb"\{\\rtf\d?\s*[\\{]",
    b"version https://git-lfs": rb"version https://git-lfs\.github\.com/spec/v1\r?\n",
}
COUNT_TABLE = b"\x93spmcnt\n"  # first bytes of a count table
MODEL = re.compile(  # of SentencePiece, with two pieces; a score may be missing
    rb"\n.\n.[^\n]{1,100}(\x15.{4}|(?=\x18))(\x18[\x01-\x06])?\n", re.DOTALL
)
SAFETENSORS = re.compile(rb'.{5}\0\0\0\{"', re.DOTALL)
TAR_MARK = slice(257, 262)  # where a tar archive has "ustar"
SAMPLE = 1 << 16  # bytes examined
MOST_LINES = 20  # lines examined
JSON_START = re.compile(rb"\s*(\{\s*\"|\[\s*[\[{\"])")
JSON_SIGNS = "its keys, quotes and escapes"
NUMBER = re.compile(r"-?[0-9]{1,40}(\.[0-9]+)?(e-?[0-9]+)?")
DELIMITERS = {"\t": "TABs", ",": "commas", ";": "semicolons", "|": "vertical bars"}
ENDINGS = {"\t": ".tsv", ",": ".csv"}  # of files whose column is read
FEW_BYTES = 200  # the encoding of a shorter text is no matter
CR_NOTE = (
    "has lines that end in CR LF, as on Windows, and CR is kept as text: newline='auto' takes it for a part of the "
    "line end"
)
LONE_CR_NOTE = "has CR, but no LF, and CR is kept as text: separator='\\r' ends a text there, if it ends a line"
TAGS = "its {} are taken as text: extract its text if that is not intended"
LOOKS = {  # formats that surely are not plain text: how they begin, and what would be taken as text
    "HTML or XML": (rb"\s*(?i:<!doctype\s+html|<html|<\?xml)", "tags"),
    "WARC or WET data": (rb"WARC/\d\.\d\r?\n", "headers"),
    "FASTA": (rb"[>;][^\n]*\r?\n(?:[ACGTUNacgtun*-]{10,}|[A-Z*-]{20,})\r?\n", "names and sequences"),
    "FASTQ": (rb"@[^\n]+\n[ACGTUN]{4,}\r?\n\+", "names and qualities"),
    "CoNLL-U": (rb"(?:#[^\n]*\n)*1(?:-\d+)?\t[^\n\t]*(?:\t[^\n\t]*){8}\r?\n", "columns of tags"),
    "subtitles (SRT)": (rb"\s*\d+\r?\n\d\d:\d\d:\d\d[,.]\d{3} --> ", "numbers and times"),
    "subtitles (WebVTT)": (rb"WEBVTT[ \t\r\n]", "times"),
    "a PO file": (rb"(?:#[^\n]*\n|[ \t\r]*\n)*(?:msgctxt [^\n]*\n)?msgid \"", "keys and quotation marks"),
    "a notebook": (rb"\s*\{[^\xff]*\"(?:nbformat|cell_type)\"\s*:", "keys, outputs and escapes"),
}
FEW_LINES = 8  # a table whose file has no name in .csv or .tsv must have so many lines


def with_whole_start(reads: Iterable[bytes], size: int = START) -> Iterator[bytes]:
    """Yield the reads of a file; the first one holds enough to tell what the file is, though a pipe gives less at once.

    After a line end no more is waited for: someone may be typing the text. size: bytes that are enough.
    """
    start = b""
    parts = iter(reads)
    for data in parts:
        start += data
        if len(start) >= size or (b"\n" in data and len(start) > 1):
            break
    if start:
        yield start
    yield from parts


def check_plain(data: bytes, path: str | os.PathLike[str]) -> None:
    """Raise FileError for a file that surely is not plain text, naming what it is. data: its first bytes."""
    name = os.fspath(path)
    if data.startswith(COUNT_TABLE):
        raise FileError(f"{name!r} is a count table, not text: give CountTable.load({name!r}) in its place")
    kind, remedy = kind_of(data)
    if kind:
        raise FileError(f"{name!r} is {kind}, not text: {remedy}")


def kind_of(data: bytes) -> tuple[str, str]:
    """What a file of these first bytes surely is, if not plain text, and what to do; two empty str: it may be text."""
    for signature, found in SIGNATURES.items():
        if data.startswith(signature) and (signature not in PRINTABLE or re.match(PRINTABLE[signature], data[:START])):
            return found
    if data[TAR_MARK] == b"ustar":
        return "a tar archive", UNPACK
    if MODEL.match(data[:400]):
        return "a model of SentencePiece", "name a file of text"
    if SAFETENSORS.match(data):
        return "a safetensors file", "name a file of text"
    if is_wide(data[:SAMPLE]):
        return "UTF-16 text", RECODE
    return "", ""


def is_wide(sample: bytes) -> bool:
    """Whether text is UTF-16 without a BOM: of each two bytes of most characters, the same one is NUL."""
    n_even, n_odd = sample[::2].count(0), sample[1::2].count(0)
    return len(sample) >= 16 and min(n_even, n_odd) == 0 and max(n_even, n_odd) > len(sample) * 0.3


class FormatNotes:
    """Notes on texts that look like another format than plain text: one for each format, with the first file."""

    def __init__(self) -> None:
        self.bad = BadRecords()
        self.crlf_lines = 0  # lines whose CR LF was taken as one line end
        self.boms = 0  # files whose BOM was left out
        self._keeps_cr = False  # CR is text, which most users of files with CR LF do not expect
        self._has_counts = False  # each line is a text, TAB and its count, so that such lines need no note
        self._found: dict[str, tuple[str, str, int]] = {}  # format -> first file, its note, number of files

    def begin(self, reading: Reading) -> None:
        """Take over what a reading says."""
        self.bad.skips = reading.on_error == SKIP
        self._keeps_cr = not reading.is_raw and (reading.newline == "lf" or reading.separator != LINE_END)
        self._has_counts = reading.is_weighted

    def look_at_file(self, data: bytes, path: str | os.PathLike[str]) -> None:
        """Examine the first bytes of a file that is read as plain text."""
        name = os.fspath(path) if isinstance(path, os.PathLike) else str(path)
        if self._keeps_cr and has_mostly_crlf(data[:SAMPLE]):
            self._add("CR LF", repr(name), CR_NOTE)
        elif b"\r" in data[:SAMPLE] and b"\n" not in data:
            self._add("CR", repr(name), LONE_CR_NOTE)
        self._look(data, repr(name), name.lower().endswith((".csv", ".tsv")), True)

    def look_at_records(self, data: bytes, path: str | os.PathLike[str]) -> None:
        """Examine the first bytes of a file of records."""
        kind, note = ill_formed_note(data[:SAMPLE])
        if kind:
            self._add(kind, repr(str(path)), note)

    def _look(self, data: bytes, name: str, is_table: bool, is_file: bool) -> None:
        """Examine the first bytes of a text. name: for the note. is_table: the name says that it is a table."""
        kind, note = format_of(data, is_table, self._has_counts, is_file)
        if kind:
            self._add(kind, name, note)

    def _add(self, kind: str, name: str, note: str) -> None:
        """Add a note on a file, or count it if there is one of that kind."""
        first, note, number = self._found.get(kind, (name, note, 0))
        self._found[kind] = (first, note, number + 1)

    def add_encoding(self, path: str | os.PathLike[str], encoding: str) -> None:
        """Add that a file was read in another encoding, which its BOM told."""
        self._add(encoding, repr(str(path)), f"begins with the BOM of {encoding.upper()}, and was read as that")

    def add_column(self, path: str | os.PathLike[str], column: str) -> None:
        """Add that a file has no columns, though the caller named one."""
        note = (
            f"is plain text by its name, so that column={column!r:.60} has no part in it; input_format names a format"
        )
        self._add("column", repr(str(path)), note)

    def add_guess(self, note: str) -> None:
        """Add what the input was taken for."""
        self._add("guess", "the input", note)

    def add_all(self, other: FormatNotes) -> None:
        """Add the notes on other files, and their bad records."""
        self.bad.n += other.bad.n
        self.crlf_lines += other.crlf_lines
        self.boms += other.boms
        self.bad.first = self.bad.first or other.bad.first
        for kind, (name, note, number) in other._found.items():
            first, known, before = self._found.get(kind, (name, note, 0))
            self._found[kind] = (first, known, before + number)

    def look_at_texts(self, texts: list[bytes], name: str) -> None:
        """Examine the first texts of an iterable: as lines of a file, and whether each is a line with its end."""
        if len(texts) >= FEW_LINES and all(text.find(b"\n") == len(text) - 1 >= 0 for text in texts):
            note = (
                "has a line feed at the end of each text, which is taken as text: if that is not intended, pass the "
                "path of the file, or text.removesuffix('\\n') for each"
            )
            self._found["line ends"] = (name, note, 1)
        self._look(b"\n".join(text.removesuffix(b"\n") for text in texts), name, False, False)

    @property
    def formats(self) -> tuple[str, ...]:
        """A sentence for each kind of oddity found: the first place, how many more, and what it means."""
        found = (
            f"{first}{f' (and {number - 1:,} more)' if number > 1 else ''} {note}"
            for first, note, number in self._found.values()
        )
        return (*found, *self.bad.notes)

    @property
    def texts(self) -> tuple[str, ...]:
        """The same, and line ends and BOMs."""
        found = []
        if self.crlf_lines:
            lines = "1 line ends" if self.crlf_lines == 1 else f"{self.crlf_lines:,} lines end"
            found.append(f"{lines} in CR LF, a line end; newline='lf' keeps CR as text")
        if self.boms:
            files = "1 file begins" if self.boms == 1 else f"{self.boms:,} files begin"
            found.append(f"{files} with a BOM, left out; newline='lf' keeps it")
        return (*self.formats, *found)


def has_mostly_crlf(sample: bytes) -> bool:
    """Whether more than half of the lines end in CR LF."""
    n_lines = sample.count(b"\n")
    return n_lines > 1 and 2 * sample.count(b"\r\n") > n_lines


def format_of(data: bytes, is_table: bool = False, has_counts: bool = False, is_file: bool = True) -> tuple[str, str]:
    """The name of another format that a text may be, and the end of a note; two empty str: none.

    is_file: otherwise it is the first of a list of texts, for which no option names a format.
    """
    sample = data[:SAMPLE].removeprefix(b"\xef\xbb\xbf")
    if len(data) > SAMPLE and b"\n" in sample:
        sample = sample[: sample.rfind(b"\n") + 1]
    for kind, (pattern, parts) in LOOKS.items():
        if re.match(pattern, sample):
            return kind, f"looks like {kind}, and {TAGS.format(parts)}"
    if JSON_START.match(sample):
        note = json_lines_note(sample, is_file)
        if note:
            return "JSON lines", note
        if b'":' in sample or b'" :' in sample:
            remedy = (
                "input_format='jsonl' reads the objects of an array, and column names their texts"
                if sample.lstrip().startswith(b"[") and is_file
                else "pass the texts in it, read with json.load"
            )
            return "JSON", (f"looks like JSON, and {JSON_SIGNS} are taken as text: if that is not intended, {remedy}")
    kind, note = ill_formed_note(sample)
    return (kind, note) if kind else table_note(sample.decode("utf-8", "replace"), is_table, has_counts, is_file)


def ill_formed_note(sample: bytes) -> tuple[str, str]:
    """The note on text that is not UTF-8; two empty str if it is."""
    lost = len(sample) - len(sample.decode("utf-8", "ignore").encode())
    if len(sample) <= FEW_BYTES or lost <= len(sample) * 0.01:
        return "", ""
    return "ill-formed", (
        f"does not look like UTF-8 ({lost:,} of its first {len(sample):,} bytes are not): if it is text in another "
        "encoding, name it, as in encoding='cp1252'"
    )


def json_lines_note(sample: bytes, is_file: bool) -> str:
    """The note on JSON lines; "" if a line is not a JSON object or list."""
    import json

    rows = []
    for line in [line for line in sample.split(b"\n")[:MOST_LINES] if line.strip()]:
        try:
            rows.append(json.loads(line))
        except (ValueError, RecursionError):
            return ""
    kinds = set(map(type, rows))
    if kinds not in ({dict}, {list}) or (kinds == {list} and len(rows) < 3):
        return ""
    row = rows[0]
    places = row if isinstance(row, dict) else range(len(row))
    texts = [place for place in places if isinstance(row[place], str)]
    place = max(texts, key=lambda place: len(row[place]), default="text")
    remedy = (
        f"pass input_format='jsonl', column={place!r}, or let the name of the file end in .jsonl"
        if kinds == {dict} and is_file
        else f"pass its texts, json.loads(line)[{place!r}] for each line"
    )
    return (
        f"looks like JSON lines, and its keys, quotes and escapes are taken as text: if that is not intended, {remedy}"
    )


def table_note(sample: str, is_table: bool, has_counts: bool, is_file: bool) -> tuple[str, str]:
    """The name of a table format and the note on it; two empty str if the text is not a table."""
    lines = [line for line in sample.split("\n")[:MOST_LINES] if line.strip()]
    if len(set(lines)) < 2 or (len(lines) < FEW_LINES and not is_table):
        return "", ""
    for delimiter, name in DELIMITERS.items():
        rows = list(read_rows(lines, delimiter))
        n_columns = len(rows[0]) if rows else 0
        if any(len(row) != n_columns for row in rows) or n_columns < (2 if is_table or delimiter == "\t" else 3):
            continue
        if has_counts:
            return "", ""
        if delimiter == "\t" and n_columns == 2 and all(NUMBER.fullmatch(row[1].strip()) for row in rows):
            if not all(row[1].strip().isdecimal() and int(row[1]) > 0 for row in rows):
                return "scores", "looks like the list of pieces and scores that training writes: name a file of text"
            return "counts", (
                "looks like lines of text, TAB and count, and the counts are taken as text: input_format='tsv' of "
                "train reads them"
            )
        usual = "" if delimiter == "," else f", delimiter={delimiter!r}"
        renamed = (
            f", or let the name of the file end in {ENDINGS[delimiter]}"
            if delimiter in ENDINGS and not is_table
            else ""
        )
        remedy = (
            f"pass input_format='csv'{usual} and the column of the texts{renamed}" if is_file else "pass one column"
        )
        return "table", (
            f"looks like a table of {n_columns} columns between {name}, and all of it is taken as text: if that is not "
            f"intended, {remedy}"
        )
    return "", ""


def read_rows(lines: list[str], delimiter: str) -> Iterator[list[str]]:
    """Yield the rows of a table; none if a field is too long, or quotation marks do not match."""
    import csv
    import io

    try:
        yield from csv.reader(io.StringIO("\n".join(lines)), delimiter=delimiter, strict=True)
    except csv.Error:
        yield []


def log_notes(notes: Iterable[str]) -> None:
    """Give notes to the function in `note_taker`, or write them to the logger "spm_lite", as warnings."""
    take = note_taker.get()
    for note in notes:
        if take is not None:
            take(note)
        else:
            import logging  # here, since importing it takes longer than loading most models

            logging.getLogger("spm_lite").warning("%s", note)
