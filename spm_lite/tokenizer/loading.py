"""One door in: whatever holds a tokenizer, recognized by its content, to a Tokenizer with the same ids.

`Tokenizer.load` takes models by itself, and comes here with all else. Nothing is unpickled, and nothing asks the
network unless the caller gives an address.
"""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from spm_lite.errors import ArgumentTypeError, FileError, MissingFileError, ModelError, OptionError
from spm_lite.files.open_files import as_path, checked_path, is_address, read_bytes, read_stream, typed
from spm_lite.formats.hugging_face import folder
from spm_lite.formats.hugging_face.components import TOKENIZER
from spm_lite.formats.proof.conditions import Findings
from spm_lite.formats.proof.conversion import prove
from spm_lite.formats.proof.partner_programs import Partner, module_named
from spm_lite.formats.proof.prove_files import GPT2, TRANSFORMERS, VOCAB_TXT
from spm_lite.formats.proof.prove_gguf import GGUF
from spm_lite.near_names import near_file
from spm_lite.tokenizer.foreign_arguments import hint_for
from spm_lite.tokenizer.format_table import (
    MODEL,
    READING,
    Format,
    Settings,
    Source,
    all_formats,
    content_of,
    format_named,
    verify_model,
)
from spm_lite.vocab.model_file import with_conditions
from spm_lite.vocab.other_formats import BESIDE, FOLDER, PLAIN, START, looks, recognized, refuse_others, refused

Make = Callable[..., Any]  # (bytes of a model, its name) -> Tokenizer
TAKEN = (
    "a tokenizer is a path, an address, a folder, bytes, a binary file, or the text or dict of a tokenizer.json, not"
)
MODULES = {"subword-nmt": "subword_nmt.apply_bpe"}  # package -> module, where it has another name
ENDINGS = (".json", ".model", ".spm", ".tiktoken", ".gguf", ".txt", ".codes", ".bpe")  # of files, not of names
LONGEST_PATH = 1 << 15  # characters; no system allows more
LARGE = 1 << 26  # bytes of a file that is looked at before it is read


def load(
    make: Make, given: Any, format: Any = None, allow: Iterable[str] = (), verify: Any = None,
    options: Mapping[str, Any] | None = None, name: str = "",
) -> Any:  # fmt: skip
    """The Tokenizer of whatever holds one. make: makes it of the bytes of a model, and their name.

    given: as `Tokenizer.load` takes it. format: the name of a format; None: as the content tells. name: of an open file
    whose content `given` is.
    """
    settings = as_settings(options or {}, allow)
    if name:
        given = Source(given, name)
    entry, source = opened(given, format, settings.merges is not None)
    tok = read(make, entry, source, settings)
    if verify is not None:
        check_ids(tok, entry, source, settings, verify)
    return tok


def as_settings(options: Mapping[str, Any], allow: Iterable[str] = (), others: Iterable[str] = ()) -> Settings:
    """The settings of some options of reading. Raises OptionError for an unknown name. others: names near to it."""
    for name in options:
        if name not in READING:
            hint = hint_for("load", name, (*READING, *others))
            raise OptionError(f"the option {name!r:.40} is unknown{hint}; formats of files take {', '.join(READING)}")
    found = {name: kept_content(value, name) for name, value in options.items()}
    return Settings(**found, findings=Findings(allow))


def kept_content(value: Any, option: str) -> Any:
    """The content of an open file, which can be read only once; other values as they are."""
    return content_of(value, option)[0] if callable(getattr(value, "read", None)) else value


def opened(given: Any, format: Any = None, has_merges: bool = False) -> tuple[Format, Source]:
    """Find the format and the content of a source. A folder stands for its main file.

    has_merges: as of `inner_source`.
    """
    wanted = None if format is None else format_named(format)
    if wanted is not None and wanted.name == TRANSFORMERS and isinstance(given, (str, os.PathLike)):
        return inner_source(as_path(given, "folder"), wanted, has_merges)
    source = given if isinstance(given, Source) else source_of(given)
    if source is None:
        return inner_source(as_path(given, "source"), wanted, has_merges)
    if wanted is not None:
        return wanted, source
    return recognized_format(source), source


def source_of(given: Any) -> Source | None:
    """The content of what a caller gives; None: it is a folder. A long file that is no model is not read whole."""
    if isinstance(given, (bytes, bytearray, memoryview)):
        return Source(bytes(given), f"{len(given)} bytes of memory")
    if isinstance(given, Mapping):
        try:
            return Source(json.dumps(dict(given)).encode(), "the dict")
        except (TypeError, ValueError) as error:
            raise ArgumentTypeError(f"the dict is not the content of a tokenizer.json: {error}") from None
    if isinstance(given, str) and not is_there(given):
        if given.lstrip("\ufeff \t\r\n")[:1] == "{":
            return Source(given.encode("utf-8", "surrogatepass"), "the text")
        if len(given) > LONGEST_PATH or "\n" in given:
            raise ArgumentTypeError(
                f"{TAKEN} a text of {len(given)} characters: pass the content of another file as bytes, text.encode()"
            )
    if isinstance(given, (str, os.PathLike)):
        return source_of_path(checked_path(given, "read", allows_address=True))
    if not callable(getattr(given, "read", None)):
        raise ArgumentTypeError(f"{TAKEN} {type(given).__name__} {given!r:.40}")
    return Source(*read_stream(given))


def is_there(name: str) -> bool:
    """Whether a text is the name of a file."""
    try:
        return len(name) <= LONGEST_PATH and os.path.lexists(name)
    except ValueError:  # a NUL, say
        return False


def source_of_path(name: str) -> Source | None:
    """The content of a file or an address; None: it is a folder."""
    if is_address(name):
        return Source(read_bytes(name), name)
    try:
        if Path(name).is_dir():
            return None
        with open(name, "rb") as file:  # noqa: PTH123
            head = file.read(START)
            is_long = file.seekable() and os.fstat(file.fileno()).st_size > LARGE
            kind = recognized(head, name) if is_long or head.startswith(b"GGUF") else None
            if file.seekable() and kind is not None and (kind.format == GGUF or (not kind.format and kind.is_sure)):
                return Source(head, name, name, is_whole=False)
            return Source(head + file.read(), name, name)
    except OSError as error:
        if isinstance(error, FileNotFoundError) and Path(name).suffix not in ENDINGS and not near_file(name):
            raise MissingFileError(error.errno, f"{error.strerror}. {folder.BY_NAME}", name) from None
        raise typed(error, name, "read") from error


def recognized_format(source: Source) -> Format:
    """The format of a file by its content. Raises ModelError for a file that is no tokenizer, saying what it is."""
    kind = recognized(source.data, source.name)
    if kind is None:  # a model of an unusual form, or a damaged one: reading it says what is wrong
        return format_named(MODEL)
    if not kind.format:
        raise ModelError(refused(kind, source.name))
    return format_named(kind.format)


KINDS = {folder.JSON: TOKENIZER, folder.MODEL: None, folder.VOCAB: VOCAB_TXT, folder.GPT2: GPT2}
OTHERS = ("*.tiktoken", "*.model", "*.spm", "*.gguf", "*.codes", "*.json", "*.txt", "*.bpe")  # files of other names


def inner_source(place: str, wanted: Format | None = None, has_merges: bool = False) -> tuple[Format, Source]:
    """The format and the content of the file of a folder that holds the tokenizer. wanted: as the caller says.

    has_merges: the caller gives the merges.txt of a vocab.json.
    """
    if wanted is not None and not wanted.is_folder:
        raise FileError(
            errno.EISDIR, f"is a folder, and the format {wanted.name} is a file: name the file in it", place
        )
    if wanted is not None and wanted.name == GPT2:
        return wanted, pair_source(place, None, has_merges)
    try:
        kind, path = folder.find_file(place)
    except MissingFileError:
        if wanted is not None:
            raise
        return other_file(place)
    if kind == folder.GPT2:
        return format_named(GPT2), pair_source(place, folder.read_config(place), has_merges)
    source = whole(path, folder.read_config(place), place)
    format = KINDS[kind]
    return (recognized_format(source) if format is None else format_named(format)), source


def pair_source(place: str, config: Mapping[str, Any] | None = None, has_merges: bool = False) -> Source:
    """The vocab.json of a folder that holds GPT-2's two files. Raises FileError if one is missing."""
    from spm_lite.files.paired_files import settle_files
    from spm_lite.formats.gpt2_files import MERGES, VOCAB

    paths = [str(Path(place, name)) for name in (VOCAB, MERGES)]
    settle_files(*paths)
    if not has_merges:
        read_bytes(paths[1])
    return whole(paths[0], config, place)


def whole(path: str, config: Mapping[str, Any] | None = None, place: str | None = None) -> Source:
    """The content of a file of a folder. place: that folder, if its settings count."""
    return Source(read_bytes(path), path, path, config=config or {}, folder=place)


def other_file(place: str) -> tuple[Format, Source]:
    """The only file of a folder that holds a tokenizer, whatever its name. Raises FileError for none, or several.

    Raises ModelError if the file of such a name has to be fetched or unpacked first.
    """
    paths = sorted({str(path) for pattern in OTHERS for path in Path(place).glob(pattern) if path.is_file()})
    found: list[tuple[Format, Source]] = []
    unusable = ""
    for path in paths:
        source = source_of_path(path)
        kind = None if source is None else recognized(source.data, path)
        if source is not None and kind is not None and kind.format:
            found.append((format_named(kind.format), source))
        elif kind is not None and kind.is_sure and kind.remedy not in (BESIDE, FOLDER):
            unusable = unusable or refused(kind, path)
    if len(found) > 1:
        names = ", ".join(Path(source.name).name for _, source in found[:3])
        raise FileError(errno.EISDIR, f"holds several tokenizers, such as {names}: name one of them", place)
    if found:
        return found[0][0], replace(found[0][1], folder=place, config=folder.read_config(place))
    if unusable:
        raise ModelError(unusable)
    there = sorted(path.name for path in Path(place).iterdir())[:5]
    raise MissingFileError(
        errno.ENOENT,
        f"holds none of tokenizer.json, {', '.join(folder.MODELS)}, vocab.txt and vocab.json, nor another tokenizer: "
        f"there is {', '.join(there) or 'nothing'} in it",
        place,
    )


def read(make: Make, entry: Format, source: Source, settings: Settings) -> Any:
    """The Tokenizer of a file of a format, with the conditions of its reading."""
    check_use(entry, settings)
    kind = refuse_others(source.data, source.name)
    try:
        data = entry.read(source, settings)
    except OptionError as error:
        what = str(error) if str(error).startswith(source.name) else f"{source.name}: {error}"
        raise OptionError(what, remedies=error.remedies) from None
    except ModelError as error:
        seems = looks(kind, entry.name)
        raise ModelError(f"{error}. It looks like {seems}") if seems not in ("", PLAIN) else error from None
    return make(with_conditions(data, [one.sentence for one in settings.findings.conditions]), source.name)


def check_use(entry: Format, settings: Settings) -> None:
    """Raise OptionError for an option of reading that a format has no use for, with those that it has."""
    for name in READING:
        if getattr(settings, name) is not None and name not in entry.asks:
            users = [other.name for other in all_formats().values() if name in other.asks]
            own = ", ".join(entry.options)
            raise OptionError(
                f"{name} has no meaning for a file of the format {entry.name}, which takes {own or 'no options'}: it "
                f"is for {', '.join(users)}"
            )


def check_ids(tok: Any, entry: Format, source: Source, settings: Settings, verify: Any) -> None:
    """Compare the ids with those of the program that reads the format. Raises OptionError for other ids, or none."""
    is_model = entry.name == MODEL  # converting one compares it where it is written alone
    prove_read, package = (verify_model, "sentencepiece") if is_model else (entry.prove_read, entry.partner)
    if prove_read is None:
        raise OptionError(f"verify: no package gives ids of a file of the format {entry.name}: leave it out")
    if module_named(MODULES.get(package, package)) is None:
        raise OptionError(
            f"verify: the ids of {entry.name} are compared with those of the package {package}, which is not "
            f"installed: pip install {package}, or leave verify out"
        )
    findings, partner = prove_read(tok, source, settings)
    if partner is not None:
        prove(tok, partner, findings, verify, source.name, entry.name)


def proof(tok: Any, entry: Format, source: Source, settings: Settings) -> tuple[Findings, Partner] | None:
    """The conditions of a file that was read, and the program that reads it too; None: there is none here."""
    if entry.prove_read is None:
        return None
    findings, partner = entry.prove_read(tok, source, settings)
    return None if partner is None else (findings, partner)


def load_several(make: Make, paths: Iterable[str], options: Mapping[str, Any], allow: Iterable[str] = ()) -> list[Any]:
    """The Tokenizers of several files, each read once; an option is for those whose format takes it.

    Raises OptionError for an option that none takes.
    """
    found, used = [], set[str]()
    for path in paths:
        entry, source = opened(path)
        own = {name: value for name, value in options.items() if name in entry.asks}
        used |= own.keys()
        found.append((entry, source, own))
    for name in options:
        if name not in used:
            raise OptionError(f"{name} has no meaning for any of {', '.join(paths)}: leave it out")
    return [read(make, entry, source, as_settings(own, allow)) for entry, source, own in found]
