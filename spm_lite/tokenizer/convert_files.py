"""A file of one format to one of another: read, compared, made, compared again, and then written."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from spm_lite.arguments import as_flag
from spm_lite.errors import FileError, ModelError, OptionError
from spm_lite.files.open_files import is_address
from spm_lite.formats.hugging_face.components import TOKENIZER
from spm_lite.formats.hugging_face.folder import LONGEST, chosen_class
from spm_lite.formats.hugging_face.read_specials import edge_tokens
from spm_lite.formats.json_file import parse
from spm_lite.formats.proof.conditions import Findings
from spm_lite.formats.proof.conversion import FILE, Conversion, prove
from spm_lite.formats.proof.prove_files import TRANSFORMERS
from spm_lite.tokenizer import loading
from spm_lite.tokenizer.format_table import Format, Settings, Source, all_formats, format_named

if TYPE_CHECKING:
    from spm_lite.tokenizer.tokenizer import Tokenizer

FOLDER = ("chat_template", "model_max_length", "padding_side")  # options of a folder of transformers
WRITING = (*FOLDER, "bos", "eos", "match_special")


@dataclass(frozen=True)
class Converted:
    """The result of `convert`. `str(result)` is a summary for people.

    Attributes:
        tok: the Tokenizer that was read.
        read: the Conversion of the first file: the comparison with the ids that another program gives for it. None: no
            other program reads it, or it is not installed.
        written: the Conversion of the new file.
    """

    __module__ = "spm_lite"  # where users find it
    tok: Tokenizer
    read: Conversion | None
    written: Conversion

    @property
    def exact(self) -> bool:
        """Whether every text gets the ids that the first file gives it."""
        return self.written.exact and (self.read is None or self.read.exact)

    def __str__(self) -> str:
        return "\n".join(str(one) for one in (self.read, self.written) if one is not None)


def format_of_output(path: str) -> Format:
    """The format of a file that is to be written: by its ending; a name without one is a folder of transformers.

    It may be one that can only be read. Raises OptionError for an ending that no format has.
    """
    known = all_formats().values()
    formats = [entry for entry in known if entry.make is not None]
    name = Path(path).name
    meant = [entry.name for entry in formats if entry.name not in (TRANSFORMERS, "tokenizer.json", "vocab.txt")]
    if path in meant and not Path(path).is_dir():
        raise OptionError(
            f"{path!r} is the name of a format: write to={path!r} for this format under this name, or "
            f"to='transformers' for a folder of this name",
            remedies=[{"to": path}, {"to": "transformers"}],
        )
    if Path(path).is_dir() or path.endswith(("/", os.sep)) or not Path(name).suffix:
        return next(entry for entry in formats if entry.is_folder)
    found = by_ending(path, list(known))
    if found is None:
        endings = ", ".join(ending for entry in formats if not entry.is_folder for ending in entry.endings)
        raise OptionError(
            f"{name!r:.60} has no known ending ({endings}; none for a folder): name the format with to=NAME, "
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
    source: Any,
    target: str | os.PathLike[str],
    *,
    format: str | None = None,
    to: str | None = None,
    check: bool = False,
    exact: bool = False,
    overwrite: bool = False,
    verify: str | os.PathLike[str] | Iterable[str | bytes] = (),
    allow: str | Iterable[str] = (),
    **options: Any,
) -> Converted:
    """Turn a tokenizer file into a file of another format with the same ids.

    The ids are compared with those of the programs that read both files, where they are installed.

    Args:
        source: what `Tokenizer.load` takes.
        target: the file or folder to write.
        format: the name of the format of `source`; None: as its content tells.
        to: the name of the format of `target`; None: as the ending of the name says. A name without an ending is a
            folder of transformers.
        check: compare only, and write nothing.
        exact: refuse a conversion that is exact only under conditions.
        overwrite: whether files that are there already are replaced.
        verify: texts of your own to compare, or the name of a file or folder of them.
        allow: names of differences that are allowed; the error about one says its name.
        options: what `source` does not hold, as in `Tokenizer.load`; for a folder of transformers also what `to_hf`
            takes, such as `chat_template`.
    Returns:
        A Converted, with the Tokenizer and both comparisons.
    Raises:
        OptionError: the format cannot express the model, or has no use for an option.
        ModelError: `source` is no tokenizer, or damaged.
        FileError: a file cannot be read or written, or is there already.

    >>> import spm_lite
    >>> spm_lite.train(["the cat sat"] * 9, model_type="byte_bpe", vocab_size=264).save("cat.model")
    >>> spm_lite.convert("cat.model", "cat.tiktoken", overwrite=True).written.pattern
    ' *[^ ]+| +'
    """
    from spm_lite.files.open_files import as_path
    from spm_lite.tokenizer.tokenizer import Tokenizer

    check, exact, overwrite = as_flag(check, "check"), as_flag(exact, "exact"), as_flag(overwrite, "overwrite")
    if not isinstance(verify, (str, os.PathLike, bytes)) and isinstance(verify, Iterator):
        verify = [*verify]  # it is read twice
    place = as_path(target, "target", allows_address=True) if target != "" or not check else ""
    new = format_of_output(place) if to is None else format_named(to)
    if new.make is None or new.put is None:
        raise OptionError(f"{new.name} can be read but not written: {place!r:.100}")
    given = {name: value for name, value in options.items() if value is not None}
    writing = {name: given.pop(name) for name in WRITING if name in given}
    settings = loading.as_settings(given, allow, WRITING)
    entry, content = loading.opened(source, format, settings.merges is not None)
    loading.check_use(entry, settings)
    if new.name in (TOKENIZER, TRANSFORMERS) and entry.name == TOKENIZER:
        writing = carried(content, new.is_folder) | writing
    outgoing_settings = written_settings(new, writing)
    tok = loading.read(Tokenizer._from_bytes, entry, content, settings)
    proof = loading.proof(tok, entry, content, settings)
    read = None if proof is None else prove(tok, proof[1], proof[0], verify, content.name, entry.name)
    outgoing = new.make(tok, Findings(allow), outgoing_settings)
    if not check and not overwrite:
        refuse_present(place, outgoing.files)
    if entry.prove_read is None and settings.findings.conditions:
        sentences = [one.sentence for one in settings.findings.conditions]
        read = Conversion(content.name, entry.name, False, sentences, 0, "no other program", [], 0)
    written = outgoing.prove(tok, place, verify)
    if new.name == TRANSFORMERS and place:
        written = written._with_condition(chosen_class(place))
    result = Converted(tok, read, written)
    if exact and not result.exact:
        told = dict.fromkeys([*(read.conditions if read else ()), *result.written.conditions])
        raise OptionError(f"not exact, so nothing is written. Conditions: {'; '.join(told) or 'decoded texts differ'}")
    if not check:
        new.put(place, outgoing.files)
    return result


def carried(source: Source, has_config: bool) -> dict[str, Any]:
    """What a tokenizer.json and its folder say besides the model, for the file that is made of it.

    has_config: the new file has a tokenizer_config.json beside it.
    """
    with suppress(ModelError):  # reading the model says what is wrong
        edges = edge_tokens(parse(source.data, "the file").get("post_processor"))
        found: dict[str, Any] = {role: role in edges for role in ("bos", "eos")}
        if has_config:
            found |= {name: source.config[name] for name in FOLDER if usable(name, source.config.get(name))}
        return found
    return {}


def usable(name: str, value: Any) -> bool:
    """Whether a setting of a tokenizer_config.json is one that `to_hf` takes."""
    if name == "model_max_length":
        return isinstance(value, int) and not isinstance(value, bool) and 0 < value <= LONGEST
    return isinstance(value, str) and (name == "chat_template" or value in ("left", "right"))


def written_settings(new: Format, given: Mapping[str, Any]) -> Settings:
    """The settings of the file that is written. Raises OptionError for one that its format has no place for."""
    in_folder = {name: value for name, value in given.items() if name in FOLDER}
    if in_folder and "folder" not in new.asks:
        name = next(iter(in_folder))
        raise OptionError(f"{name} has no meaning for the format {new.name}, which has no place for it: leave it out")
    for name in ("bos", "eos", "match_special"):
        if name in given and name not in new.asks:
            raise OptionError(f"{name} has no meaning for the format {new.name}, which holds no template: leave it out")
    if "match_special" in given:
        given = {**given, "match_special": as_flag(given["match_special"], "match_special")}
    return Settings(folder=in_folder, **{name: value for name, value in given.items() if name not in FOLDER})


def refuse_present(target: str, names: Iterable[str]) -> None:
    """Raise FileError if a file is there already."""
    for name in names:
        path = target if name == FILE else str(Path(target, name))
        if not is_address(path) and os.path.lexists(path):
            raise FileError(errno.EEXIST, "exists already: choose another name, or give overwrite=True", path)
