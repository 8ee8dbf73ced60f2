"""Checkpoints: the state that a long training saves in a folder, from which the same training can continue."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import os
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any

from spm_lite._version import __version__
from spm_lite.errors import ArgumentTypeError, FileError, MissingFileError, ModelError, OptionError, TrainingError
from spm_lite.files.documents import Source, encode_text
from spm_lite.files.folder_lock import LOCK_NAME, FolderLock
from spm_lite.files.new_files import write_atomically
from spm_lite.files.open_files import AnyPath, checked_path, read_bytes, typed
from spm_lite.files.temporary_files import remove_abandoned
from spm_lite.specs import NormalizerSpec, TrainerSpec
from spm_lite.texts.arrow_texts import ArrowTexts
from spm_lite.texts.inputs import flattened
from spm_lite.training.counts.chunk_table import ChunkTable
from spm_lite.training.counts.count_file import file_blocks, load_file
from spm_lite.training.counts.table_rules import TableRules
from spm_lite.training.report import LINE_FIGURES
from spm_lite.vocab.model_file import TEXT_FIELDS

VERSION = 2
FRAME = (b'{"sha256": "', b'", "value": ', b"}")  # around the digest of a value and the value: one flipped bit shows
DIGEST_SIZE = 64
IDENTITY, FIGURES, COUNTS, STATE = "training.json", "figures.json", "table.counts", "state.json"
HAS_FAILED = "has failed"  # in the saved identity: the training that it names cannot be done
LEARNING_ONLY = {  # options that change no count, as long as no memory_limit shares the memory by them
    "vocab_size", "hard_vocab_limit", "use_all_vocab", "character_coverage", "auto_character_coverage",
    "seed_sentencepiece_size", "shrinking_factor", "num_sub_iterations", "seed_source", "prune", "min_count",
    "whole_characters", "graphemes",
}  # fmt: skip
LATER_OPTIONS = ("split_pattern", "whole_characters", "graphemes")  # not named in folders of older versions
SECONDS_BETWEEN = 30.0  # between two saved states of a trainer


def checked_folder(folder: AnyPath) -> Path:
    """The folder as a Path. Raises OptionError if its name is empty, ArgumentTypeError if it is not a path."""
    if not isinstance(folder, (str, bytes, os.PathLike)):
        raise ArgumentTypeError(f"checkpoint is str, bytes or PathLike, not {type(folder).__name__} {folder!r:.40}")
    if folder in ("", b""):
        raise OptionError("checkpoint is empty: name a folder, '.' for the one that this program runs in")
    return Path(checked_path(folder, "written"))


class Checkpoint:
    """A folder with the count table and the last state of the trainer, for one training only.

    identity: the options and the source that define the training, in types that JSON has. Raises OptionError if the
    folder belongs to another training. It and all methods raise FileError and its kinds, and ModelError for a damaged
    file. The folder belongs to a training as soon as that has something to save. It is free again if the training
    fails by its options or its corpus: then the call with better options may have the same folder.
    """

    def __init__(self, folder: AnyPath, identity: Mapping[str, Any], seconds_between: float = SECONDS_BETWEEN) -> None:
        self.folder = checked_folder(folder)
        self.seconds_between = seconds_between
        self.last = time.monotonic()
        self.identity = json.loads(json.dumps({"version": VERSION, **identity}))
        self.lock: FolderLock | None = None
        self.made = False  # whether this training has made the folder, or is done with it
        while self.lock is None:
            self.make_folder()
            self.take_lock()
        try:
            self.check_identity()
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Checkpoint:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Let other trainings use the folder, and change the options if this one cannot be done with them."""
        try:
            is_own = self.lock is not None and self.lock.is_own()
            if is_own and isinstance(error, (OptionError, TrainingError)) and (self.folder / IDENTITY).exists():
                with suppress(FileError):  # the error that is on its way matters more
                    self.save(IDENTITY, {**self.identity, HAS_FAILED: True})
        finally:
            self.close()

    def make_folder(self) -> None:
        try:
            self.made = self.made or not self.folder.exists()
            self.folder.mkdir(parents=True, exist_ok=True)
        except (FileExistsError, NotADirectoryError):
            raise OptionError(f"checkpoint={str(self.folder)!r} is a file, or is to be in one: name a folder") from None
        except OSError as error:
            raise typed(error, self.folder, "written") from error

    def take_lock(self) -> None:
        """Keep other trainings out of the folder until `close`; no lock if somebody removes the folder just now."""
        try:
            self.lock = FolderLock(self.folder)
        except FileNotFoundError:
            return
        except BlockingIOError:
            raise OptionError(
                f"checkpoint={str(self.folder)!r} is in use by another training: wait for its end, or give another "
                "folder"
            ) from None
        except OSError as error:
            raise typed(error, self.folder / LOCK_NAME, "written") from error

    def close(self) -> None:
        """Let other trainings use the folder, which goes if it is new and empty. Do nothing if it is closed."""
        if self.lock is None:
            return
        may_go = self.made and self.lock.is_own()
        self.lock.release()
        self.lock = None
        if may_go:
            with suppress(OSError):  # something is in it, or it may not be changed any more
                self.folder.rmdir()

    def remove(self) -> None:
        """Remove the saved files, after the training is done, while other trainings are still kept out."""
        if self.lock is not None and self.lock.is_own():
            self.made = True
            remove_files(self.folder)
        self.close()

    def check_identity(self) -> None:
        """Raise OptionError if the folder belongs to another training."""
        wanted, found = self.identity, self.load(IDENTITY)
        if found is None:
            others = [name for name in (STATE, FIGURES, COUNTS) if (self.folder / name).exists()]
            if others:
                raise OptionError(
                    f"checkpoint={str(self.folder)!r} holds {others[0]!r}, not files of a training: give another folder"
                )
            return
        if not isinstance(found, dict):
            raise self.damaged("it does not name a training", IDENTITY)
        has_failed = found.pop(HAS_FAILED, False)
        others = [name for name in {**found, **wanted} if found.get(name) != wanted.get(name)]
        if others and (has_failed or not self.has_work()):
            self.take_over(others)
        elif has_failed:
            self.save(IDENTITY, wanted)  # another try of the same call
        elif others:
            name = others[0]
            raise OptionError(
                f"checkpoint={str(self.folder)!r} is of another training, in which {name:.60} is "
                f"{found.get(name)!r:.200}, not {wanted.get(name)!r:.200}. Give another folder, or remove that one"
            )

    def has_work(self) -> bool:
        """Whether the folder holds anything to go on from."""
        return any((self.folder / name).exists() for name in (FIGURES, STATE))

    def take_over(self, others: list[str]) -> None:
        """Remove what another training left, but its counts if they serve this one. others: the options that differ."""
        if LEARNING_ONLY.issuperset(others) and self.identity.get("memory_limit") is None and self.has_work():
            (self.folder / STATE).unlink(missing_ok=True)
            self.save(IDENTITY, self.identity)
        else:
            remove_files(self.folder)

    def counts(
        self, count: Callable[[], ChunkTable], rules: TableRules, figures: Callable[[], Any]
    ) -> tuple[ChunkTable, Any]:
        """The saved table and reading figures. If there are none: the table of `count`, after saving it, and None."""
        saved = self.load(FIGURES)
        if saved is not None:
            try:
                table, found = load_file(self.folder / COUNTS)
            except (ModelError, MissingFileError) as error:
                raise self.damaged(f"it is not a complete count table ({error})", COUNTS) from error
            if found != rules or len(table) == 0:
                raise self.damaged("it is not of this training", COUNTS)
            is_whole = isinstance(saved, dict) and {*saved} == {*LINE_FIGURES}
            if not is_whole or not all(fits(name, figure) for name, figure in saved.items()):
                raise self.damaged("its figures differ from those of the text", FIGURES)
            return table, saved
        table = count()
        self.save(IDENTITY, self.identity)  # first: a folder with a table always tells whose it is
        write_atomically(self.folder / COUNTS, file_blocks(table, rules))
        self.save(FIGURES, figures())  # last: if this file exists, both do
        return table, None

    def load_state(self) -> Any:
        """The last saved state of the trainer; None: there is none."""
        return self.load(STATE)

    def is_due(self) -> bool:
        """Whether the last state is old enough to save another one: `seconds_between` seconds or more."""
        return time.monotonic() - self.last >= self.seconds_between

    def save_state(self, state: Mapping[str, Any]) -> None:
        """Save a state in place of the last one. The folder tells whose it is, also if it has no counts."""
        if not (self.folder / IDENTITY).exists():
            self.save(IDENTITY, self.identity)
        self.save(STATE, state)
        self.last = time.monotonic()

    def damaged(self, why: str, name: str = STATE) -> ModelError:
        """The error for a file with content that no training writes."""
        return ModelError(f"{str(self.folder / name)!r} is damaged: {why}. Remove the folder and train again")

    def save(self, name: str, value: Any) -> None:
        data = json.dumps(value).encode()
        write_atomically(self.folder / name, pack(data))

    def load(self, name: str) -> Any:
        path = self.folder / name
        if not path.exists():
            return None
        data = unpack(read_bytes(path))
        if data is None:
            raise self.damaged("its digest does not match its content", name)
        try:
            return json.loads(data)
        except (ValueError, RecursionError) as error:
            raise self.damaged(f"it is not JSON ({type(error).__name__})", name) from None


def digest_of(data: bytes) -> bytes:
    """The SHA-256 of some bytes as 64 hexadecimal digits."""
    return hashlib.sha256(data).hexdigest().encode()


def pack(data: bytes) -> bytes:
    """The bytes of a file that holds some JSON and its digest."""
    return b"".join((FRAME[0], digest_of(data), FRAME[1], data, FRAME[2]))


def unpack(file: bytes) -> bytes | None:
    """The JSON within the bytes of a saved file; None: the file is damaged."""
    begin = len(FRAME[0]) + DIGEST_SIZE + len(FRAME[1])
    data = file[begin : -len(FRAME[2])]
    return data if file == pack(data) else None


def remove_files(folder: Path) -> None:
    """Remove the files of a checkpoint, whose lock the caller holds. Those that cannot be removed stay."""
    for name in (STATE, FIGURES, COUNTS, IDENTITY):  # the identity last: nothing is ever there without it
        with suppress(OSError):
            remove_abandoned(folder / name)
            (folder / name).unlink(missing_ok=True)


def remove_states(folder: AnyPath) -> None:
    """Remove the files of a checkpoint, after its model is saved, and the folder if nothing else is in it.

    If another training has taken up the folder meanwhile, they are left to that one.
    """
    path = Path(checked_path(folder, "removed"))
    try:
        lock = FolderLock(path)
    except OSError:  # taken, removed, or not to be changed any more
        return
    try:
        remove_files(path)
    finally:
        lock.release()
    with suppress(OSError):  # other files are in it
        path.rmdir()


def fits(name: str, figure: Any) -> bool:
    """Whether a saved figure has the type and range of this figure of the report."""
    if name == "files":
        return isinstance(figure, list) and all(isinstance(file, str) for file in figure)
    return type(figure) is int and 0 <= figure < 2**63


def identity_of(
    spec: TrainerSpec, normalizer: NormalizerSpec, call: Mapping[str, Any], source: Source | None
) -> dict[str, Any]:
    """What defines a training. call: the arguments of `train`, besides the options, that decide what is read.

    source: None: `call` says what it is.
    """
    rules = dataclasses.asdict(normalizer)
    rules["precompiled_charsmap"] = hashlib.sha256(normalizer.precompiled_charsmap).hexdigest()
    for name in TEXT_FIELDS:
        if not rules[name]:
            del rules[name]  # as in folders of older versions
    options = {name: value for name, value in dataclasses.asdict(spec).items() if value or name not in LATER_OPTIONS}
    last = {"the version": __version__, "the input": None if source is None else describe_source(source)}
    return {**options, **rules, **call, **last}


def describe_source(source: Source) -> Any:
    """Identify a source: files by name, size and modification time, a list or column by digest, others not at all."""
    if source.paths is None:
        texts = source.texts
        columns = source.reading.columns if source.reading.has_columns else None
        return digest_of_texts(texts, columns) if isinstance(texts, (list, tuple, ArrowTexts)) else "texts"
    try:
        return [[os.fspath(path), path.stat().st_size, path.stat().st_mtime_ns] for path in source.paths]
    except OSError as error:
        raise FileError(f"a file to train on cannot be looked at: {error}") from error


def digest_of_texts(texts: list[Any] | tuple[Any, ...] | ArrowTexts, columns: tuple[str, ...] | None) -> list[Any]:
    """The number of items and the SHA-256 of their texts, after the word "texts". columns: as in `flattened`."""
    digest = hashlib.sha256()
    for number, text in enumerate(flattened(texts, columns)):
        data = encode_text(text, number)
        digest.update(len(data).to_bytes(8, "little"))
        digest.update(data)
    return ["texts", len(texts), digest.hexdigest()]
