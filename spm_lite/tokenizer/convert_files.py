"""A file of one format to one of another: read, compared, made, compared again, and then written."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from spm_lite.errors import FileError, OptionError
from spm_lite.formats.proof.conditions import Findings
from spm_lite.formats.proof.conversion import FILE, Conversion, prove
from spm_lite.tokenizer.format_entry import READING, Format, Settings
from spm_lite.tokenizer.format_table import all_formats, format_named


@dataclass(frozen=True)
class Converted:
    """The result of `convert`: the Tokenizer, and the comparisons of its ids with both files.

    read: with the ids that another program gives for the first file; None: no other program reads it.
    written: with the ids that another program gives for the new file.
    """

    tok: Any
    read: Conversion | None
    written: Conversion

    @property
    def exact(self) -> bool:
        """Whether every text gets the ids that the first file gives it."""
        return self.written.exact and (self.read is None or self.read.exact)


def format_of_input(path: str) -> Format:
    """The format of a file that is there, by its name; of a folder, by what it holds."""
    formats = all_formats()
    if Path(path).is_dir():
        folders = [entry for entry in formats.values() if entry.is_folder and entry.read is not None]
        found = (entry for entry in folders if any(Path(path, name).is_file() for name in entry.endings))
        return next(found, folders[0])
    return by_ending(path, [entry for entry in formats.values() if entry.read is not None]) or formats["model"]


def format_of_output(path: str) -> Format:
    """The format of a file that is to be written: by its ending; a name without one is a folder of transformers.

    It may be one that can only be read. Raises OptionError for an ending that no format has.
    """
    known = all_formats().values()
    formats = [entry for entry in known if entry.make is not None]
    name = Path(path).name
    if Path(path).is_dir() or path.endswith(("/", os.sep)) or not Path(name).suffix:
        return next(entry for entry in formats if entry.is_folder)
    found = by_ending(path, list(known))
    if found is None:
        endings = ", ".join(ending for entry in formats if not entry.is_folder for ending in entry.endings)
        raise OptionError(
            f"{name!r:.60} has no known ending ({endings}; none for a folder): name the format with --to, "
            f"one of {', '.join(entry.name for entry in formats)}"
        )
    return found


def by_ending(path: str, formats: list[Format]) -> Format | None:
    """The format with the longest ending of a file's name; None: no format has one."""
    name = Path(path).name.lower()
    fitting = [
        (len(ending), entry)
        for entry in formats
        for ending in entry.endings
        if not entry.is_folder and name.endswith(ending)
    ]
    return max(fitting, key=lambda pair: pair[0])[1] if fitting else None


def convert(
    source: str,
    target: str,
    settings: Settings,
    *,
    source_format: str | None = None,
    target_format: str | None = None,
    check: bool = False,
    exact: bool = False,
    overwrite: bool = False,
    verify: Iterable[str | bytes] = (),
) -> Converted:
    """Convert a file or a folder.

    source, target: paths. source_format, target_format: names of formats; None: as the names of the files say.
    check: nothing is written. exact: a conversion that is not exact is refused. overwrite: existing files are replaced.
    verify: texts to compare; they are read twice.
    Raises OptionError for a model that the format cannot express.
    """
    old = format_of_input(source) if source_format is None else format_named(source_format)
    new = format_of_output(target) if target_format is None else format_named(target_format)
    if old.read is None:
        raise OptionError(f"{old.name} can be written but not read: {source!r:.100}")
    if new.make is None or new.put is None:
        raise OptionError(f"{new.name} can be read but not written: {target!r:.100}")
    check_use(settings, old, new)
    allow = settings.findings.allow
    tok = old.read(source, settings)
    read = None
    if old.prove_read is not None:
        findings, partner = old.prove_read(tok, source, settings)
        if partner is not None:
            read = prove(tok, partner, findings, verify, source, old.name)
    outgoing = new.make(tok, Findings(allow), settings)
    if not check and not overwrite:
        refuse_present(target, outgoing.files)
    written = outgoing.prove(tok, target, verify)
    result = Converted(tok, read, written)
    if exact and not result.exact:
        sentences = [*(read.conditions if read else ()), *written.conditions] or ["decoded texts differ"]
        raise OptionError(f"not exact, so nothing is written. Conditions: {'; '.join(sentences)}")
    if not check:
        new.put(target, outgoing.files)
    return result


def check_use(settings: Settings, old: Format, new: Format) -> None:
    """Raise OptionError for a setting that neither format has a use for."""
    for name in READING:
        if getattr(settings, name) is not None and name not in old.asks:
            users = [entry.name for entry in all_formats().values() if name in entry.asks and entry.read is not None]
            raise OptionError(
                f"{name} has no meaning for a file of the format {old.name}: it is for {', '.join(users)}"
            )
    if settings.folder and "folder" not in new.asks:
        name = next(iter(settings.folder))
        raise OptionError(f"{name} has no meaning for the format {new.name}, which has no place for it: leave it out")


def refuse_present(target: str, names: Iterable[str]) -> None:
    """Raise FileError if a file is there already."""
    for name in names:
        path = target if name == FILE else str(Path(target, name))
        if os.path.lexists(path):
            raise FileError(errno.EEXIST, "exists already: choose another name, or give --overwrite", path)
