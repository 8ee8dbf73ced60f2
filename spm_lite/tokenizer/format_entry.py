"""A format of tokenizer files: what it is called, how it is read, proved, made and put in place."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from spm_lite.formats.proof.conditions import Findings
from spm_lite.formats.proof.conversion import FILE, Outgoing
from spm_lite.formats.proof.partner_programs import Partner


@dataclass(frozen=True)
class Settings:
    """What a caller says about the file that is read, and the one that is written; None: nothing.

    name, pattern, special_tokens: as in `from_tiktoken`. lowercase: as in `from_vocab_txt`. findings: of the reading.
    vocabulary, vocabulary_threshold: as in `from_subword_nmt`. folder: the chat template and others, as in `to_hf`.
    bos, eos, match_special: as there.
    """

    name: str | None = None
    pattern: str | None = None
    special_tokens: Any = None
    lowercase: bool | None = None
    findings: Findings = field(default_factory=Findings)
    folder: Mapping[str, Any] = field(default_factory=dict)
    bos: bool | None = None
    eos: bool | None = None
    match_special: bool = True
    vocabulary: str | None = None
    vocabulary_threshold: int | None = None


BYTE_LEVEL = ("name", "pattern", "special_tokens")  # what no file of byte-level BPE says
READING = (*BYTE_LEVEL, "lowercase", "vocabulary", "vocabulary_threshold")
# What proves a file that was read: the conditions, and the program that reads it too; None: it is not installed.
Proof = tuple[Findings, "Partner | None"]


@dataclass(frozen=True)
class Format:
    """A format of tokenizer files.

    meaning: a line on it, for people. endings: of names of files, or whole names; of a folder, files in it.
    asks: the settings that it has a use for; "folder" where it is written, others where it is read.
    read: (path, settings) -> Tokenizer; None: it cannot be read. prove_read: (tok, path, settings) -> Proof; None: our
    reader is the only one. make: (tok, findings, settings) -> Outgoing; None: it cannot be written.
    put: (path, files) writes them, all or none.
    """

    name: str
    meaning: str
    endings: tuple[str, ...]
    is_folder: bool = False
    asks: tuple[str, ...] = ()
    read: Callable[[str, Settings], Any] | None = None
    prove_read: Callable[[Any, str, Settings], Proof] | None = None
    make: Callable[[Any, Findings, Settings], Outgoing] | None = None
    put: Callable[[str, Mapping[str, bytes]], None] | None = None


def put_file(path: str, files: Mapping[str, bytes]) -> None:
    """Write the file that stands alone."""
    from spm_lite.files.new_files import write_atomically

    write_atomically(path, files[FILE])


def put_folder(path: str, files: Mapping[str, bytes]) -> None:
    """Write the files of a folder."""
    from spm_lite.formats.hugging_face.folder import write_folder

    write_folder(path, dict(files))


def put_pair(path: str, files: Mapping[str, bytes]) -> None:
    """Write the two files of a folder."""
    from spm_lite.files.paired_files import write_pair_in

    write_pair_in(path, files)
