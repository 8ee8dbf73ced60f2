"""The program that gives the ids which are compared with a lock: our engine, or another one with the same file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from spm_lite.errors import ArgumentTypeError, FileError, OptionError, SpmLiteError
from spm_lite.evaluation.locks.lock_rows import Side, own_side
from spm_lite.formats.proof.conditions import REFUSALS, Condition, Findings
from spm_lite.formats.proof.llama_cpp_program import of_llama_cpp
from spm_lite.formats.proof.partner_programs import (
    Partner,
    is_failure,
    module_named,
    of_sentencepiece,
    of_tokenizers,
    version_of,
)
from spm_lite.near_names import near_names
from spm_lite.tokenizer import loading
from spm_lite.tokenizer.format_table import MODEL, Format, Settings, Source, verify_model

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from spm_lite.tokenizer.tokenizer import Tokenizer

Pair = tuple["Partner | None", "Partner | None"]  # without and with special tokens in texts


class Other:
    """A tokenizer that is compared. entry, source: the format and the file; None: a Tokenizer was given."""

    def __init__(self, given: Any, allow: str | Iterable[str], options: Mapping[str, Any]) -> None:
        from spm_lite.tokenizer.tokenizer import Tokenizer

        self.entry: Format | None = None
        if isinstance(given, Tokenizer):
            if allow or options:
                raise OptionError(f"{next(iter(options), 'allow')} is for reading a file, and a Tokenizer was given")
            self.tok: Tokenizer = given
            self.name = "the tokenizer"
            return
        self.settings = loading.as_settings(options, allow)
        self.entry, self.source = loading.opened(given, None, self.settings.merges is not None)
        self.name = self.source.folder or self.source.name
        self.tok = loading.read(Tokenizer._from_bytes, self.entry, self.source, self.settings)

    def conditions(self) -> list[Condition]:
        """What a text must meet to get the same ids in the program that the file was made for, as from our reader.

        A condition that no text meets explains no difference, so it is left out.
        """
        found: list[Condition] = []
        if self.entry is None:
            return found
        try:
            if self.entry.prove_read is not None:
                found = self.entry.prove_read(self.tok, self.source, self.settings)[0].conditions
            elif self.entry.name == MODEL:
                found = verify_model(self.tok, self.source, self.settings)[0].conditions
            elif self.entry.make is not None:
                lifted = Findings([name for name in REFUSALS if name != "other"])
                found = self.entry.make(self.tok, lifted, Settings()).findings.conditions
        except OptionError:
            found = self.settings.findings.conditions
        return [one for one in found if one.is_met("") or one.is_met("a")]

    def side(self, program: str | None) -> Side:
        """The program that gives ids. Raises OptionError for one that is not there, or does not read this file."""
        if program is None:
            return own_side(self.tok)
        if not isinstance(program, str):
            raise ArgumentTypeError(f"program is {type(program).__name__}, not the name of a program")
        if program not in PROGRAMS:
            near = " or ".join(near_names(program, PROGRAMS))
            raise OptionError(
                f"program={program!r:.40} is unknown{f' (did you mean {near}?)' if near else ''}: it is one of "
                f"{', '.join(PROGRAMS)}"
            )
        package, formats, make = PROGRAMS[program]
        if module_named(package) is None:
            raise OptionError(f"program={program!r}: the package {package} is not installed: pip install {package}")
        if self.entry is None or self.entry.name not in formats:
            is_there = "a Tokenizer was given" if self.entry is None else f"{self.name} is {self.entry.name}"
            raise OptionError(f"program={program!r} reads {' or '.join(formats)}, and {is_there}: name such a file")
        try:
            plain, special = make(self.tok, self.source, self.settings)
        except BaseException as error:  # a panic of a library in Rust is no Exception
            if isinstance(error, SpmLiteError) or not is_failure(error):
                raise
            told = f"{type(error).__name__}: {error!s:.200}"
            raise OptionError(f"program={program!r} fails with {self.name}: {told}") from None
        if plain is None:
            raise OptionError(f"program={program!r}: the installed package {package} does not read {self.name}")
        return Side(plain.name, plain.encode, None if special is None else special.encode, plain.decode)


def by_tokenizers(tok: Tokenizer, source: Source, settings: Settings) -> Pair:
    """The package tokenizers, with a tokenizer.json."""
    text = source.data.decode()
    return of_tokenizers(text, False), of_tokenizers(text)


def by_sentencepiece(tok: Tokenizer, source: Source, settings: Settings) -> Pair:
    """The package sentencepiece, which finds no special token in texts."""
    if tok._file.has_own_pieces:
        raise OptionError(f"program='sentencepiece' reads no {tok.model_type} model whose pieces are in our extension")
    return of_sentencepiece(source.data), None


def by_tiktoken(tok: Tokenizer, source: Source, settings: Settings) -> Pair:
    """The package tiktoken, with the ranks and the pattern of the file."""
    prove = loading.recognized_format(source).prove_read
    assert prove is not None
    return prove(tok, source, settings)[1], None


def by_llama_cpp(tok: Tokenizer, source: Source, settings: Settings) -> Pair:
    """The library llama.cpp, which reads files alone."""
    if source.path is None:
        raise OptionError("llama.cpp reads a GGUF file by its path: save it, and name the file")
    return of_llama_cpp(source.path, False), of_llama_cpp(source.path, True)


def by_transformers(tok: Tokenizer, source: Source, settings: Settings) -> Pair:
    """AutoTokenizer of transformers, with a folder; nothing is downloaded, and no code of the folder is run."""
    if source.folder is None and source.path is None:
        raise OptionError("transformers reads a folder: write the files into one, and name it")
    place = source.folder or str(Path(str(source.path)).parent)
    try:
        found = module_named("transformers").AutoTokenizer.from_pretrained(place, local_files_only=True)
    except (OSError, ValueError, ImportError) as error:
        raise FileError(0, f"transformers cannot load it: {error!s:.300}", place) from None

    def encode(match_special: bool) -> Callable[[list[str]], list[list[int]]]:
        options = {"add_special_tokens": False, "verbose": False, "split_special_tokens": not match_special}
        return lambda texts: found(texts, **options)["input_ids"]

    name = f"transformers {version_of('transformers')}"
    return Partner(name, encode(False), found.batch_decode), Partner(name, encode(True), None)


Make = Callable[["Tokenizer", Source, Settings], Pair]
IN_FOLDERS = ("tokenizer.json", MODEL, "vocab.txt", "gpt2")
PROGRAMS: dict[str, tuple[str, tuple[str, ...], Make]] = {  # name -> its package, the formats that it reads, its maker
    "transformers": ("transformers", IN_FOLDERS, by_transformers),
    "tokenizers": ("tokenizers", ("tokenizer.json",), by_tokenizers),
    "sentencepiece": ("sentencepiece", (MODEL,), by_sentencepiece),
    "tiktoken": ("tiktoken", ("tiktoken", "tekken.json"), by_tiktoken),
    "llama.cpp": ("xllamacpp", ("gguf",), by_llama_cpp),
}
