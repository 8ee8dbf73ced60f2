"""The table of formats: how each is recognized, read, proved, made and put in place. A new format is one more entry.

`Tokenizer.load`, `save`, `convert`, the command line and the table of the documentation go by it.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from spm_lite.arguments import as_int
from spm_lite.errors import ModelError, OptionError
from spm_lite.formats import vocab_txt as bert
from spm_lite.formats.byte_level import byte_level_model, entries_of_merges, model_of_ranks
from spm_lite.formats.gguf.reading import model_of_bytes, model_of_gguf
from spm_lite.formats.gpt2_files import MERGES, VOCAB, merge_pairs, read_gpt2, read_vocab_json
from spm_lite.formats.hugging_face import folder
from spm_lite.formats.hugging_face.components import TOKENIZER, spelled
from spm_lite.formats.hugging_face.folder_classes import (
    OF_BERT,
    PAIRS,
    WORDS,
    ClassRule,
    changes_texts,
    check_pair,
    class_of,
    class_of_pair,
)
from spm_lite.formats.hugging_face.folder_tokens import read_tokens
from spm_lite.formats.hugging_face.read_class_folder import read_class_folder, with_folder_tokens
from spm_lite.formats.hugging_face.read_pair_folder import pair_parts
from spm_lite.formats.hugging_face.read_specials import check_named, roles_of_config
from spm_lite.formats.hugging_face.read_tokenizer import model_of_json, model_of_parts
from spm_lite.formats.hugging_face.write_normalizer import form_parts
from spm_lite.formats.hugging_face.write_special_pieces import add_spelled
from spm_lite.formats.proof.conditions import Findings
from spm_lite.formats.proof.conversion import FILE, Conversion, Outgoing
from spm_lite.formats.proof.partner_programs import Partner, of_gpt2, of_sentencepiece, of_subword_nmt, of_tiktoken
from spm_lite.formats.proof.prove_files import (
    GPT2,
    TIKTOKEN,
    TRANSFORMERS,
    VOCAB_TXT,
    incoming,
    raw_pattern,
    to_folder,
    to_gpt2_files,
    to_json,
    to_rank_file,
    to_vocab_list,
)
from spm_lite.formats.proof.prove_gguf import GGUF, to_vocabulary_file
from spm_lite.formats.ranks.rank_file import read_ranks
from spm_lite.formats.special_tokens import names_after, special_names
from spm_lite.formats.split_patterns import FORM_OF, KNOWN_RANKS, as_pattern, check_fit, special_tokens_of
from spm_lite.formats.subword_nmt import SPACE, model_of_codes, read_codes, read_vocabulary, split_pieces
from spm_lite.formats.tekken import model_of_tekken, read_tekken
from spm_lite.kinds import CONTROL, UNKNOWN
from spm_lite.near_names import near_names
from spm_lite.vocab.model_file import read_model
from spm_lite.vocab.other_formats import recognized, refuse_others

MODEL, CODES, TEKKEN = "model", "subword-nmt", "tekken.json"


@dataclass(frozen=True)
class Source:
    """The content of a tokenizer file. name: for messages.

    path: a local file whose neighbours may be read; None: there are none. is_whole: otherwise `data` is its beginning,
    which is enough to know what it is. config: what the tokenizer_config.json of its folder says. folder: the one that
    was given, whose settings count.
    """

    data: bytes
    name: str
    path: str | None = None
    is_whole: bool = True
    config: Mapping[str, Any] = field(default_factory=dict)
    folder: str | None = None


@dataclass(frozen=True)
class Settings:
    """What a caller says about the file that is read, and the one that is written; None: nothing.

    name, pattern, special_tokens: as in `from_tiktoken`. lowercase: of a vocab.txt. findings: of the reading.
    merges, vocabulary: of GPT-2's two files the other one; of codes of subword-nmt, with
    vocabulary_threshold. folder: the chat template and others, as in `to_hf`. bos, eos, match_special: as there.
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
    vocabulary: Any = None
    vocabulary_threshold: int | None = None
    merges: Any = None


BYTE_LEVEL = ("name", "pattern", "special_tokens")  # options that files of byte-level BPE do not hold
READING = (*BYTE_LEVEL, "lowercase", "merges", "vocabulary", "vocabulary_threshold")
TEMPLATE = ("bos", "eos", "match_special")  # what a tokenizer.json has a place for
# What proves a file that was read: the conditions, and the program that reads it too; None: it is not installed.
Proof = tuple[Findings, "Partner | None"]


@dataclass(frozen=True)
class Format:
    """A format of tokenizer files.

    meaning: a line on it, for people. endings: of names of files, or whole names; of a folder, files in it.
    asks: the settings that it has a use for; "folder" where it is written, others where it is read.
    read: (source, settings) -> the bytes of a model. prove_read: (tok, source, settings) -> Proof; None: our
    reader is the only one. partner: the package that the proof needs. make: (tok, findings, settings) -> Outgoing;
    None: it cannot be written. put: (path, files) writes them, all or none.
    """

    name: str
    meaning: str
    endings: tuple[str, ...]
    read: Callable[[Source, Settings], bytes]
    is_folder: bool = False
    asks: tuple[str, ...] = ()
    prove_read: Callable[[Any, Source, Settings], Proof] | None = None
    partner: str = ""
    make: Callable[[Any, Findings, Settings], Outgoing] | None = None
    put: Callable[[str, Mapping[str, bytes]], None] | None = None

    @property
    def options(self) -> tuple[str, ...]:
        """The options of reading that it has a use for."""
        return tuple(name for name in READING if name in self.asks)


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


def content_of(given: Any, option: str) -> tuple[bytes, str]:
    """The content and the name of a file that an option gives: as a path, bytes or an open file.

    Raises ModelError for one that no reader of any format takes, such as a Git LFS pointer.
    """
    from spm_lite.files.open_files import as_path, read_bytes, read_stream

    if isinstance(given, (bytes, bytearray, memoryview)):
        data, name = bytes(given), option
    elif callable(getattr(given, "read", None)):
        data, name = read_stream(given)
    else:
        name = as_path(given, option, allows_address=True)
        data = read_bytes(name)
    if data:  # an empty file may be right: a model without merges
        refuse_others(data, name)
    return data, name


def read_model_file(source: Source, settings: Settings) -> bytes:
    """A model as it is; in a folder of transformers, with the ids of its class."""
    if source.folder is None:
        return source.data
    config = bert.read_config(Path(source.folder))
    return read_class_folder(source.data, source.name, source.folder, config, settings.findings)


def make_model(tok: Any, findings: Findings, settings: Settings) -> Outgoing:
    """Our own file, which SentencePiece reads too if the model is of one of its types."""
    data = tok.to_bytes()
    return Outgoing(MODEL, {FILE: data}, findings, lambda: None, lambda: type(tok)._from_bytes(data))


def verify_model(tok: Any, source: Source, settings: Settings) -> Proof:
    """sentencepiece with the same model. Raises OptionError for a model that it does not read."""
    file, findings = tok._file, settings.findings
    if file.settings.family:
        raise OptionError(f"verify: sentencepiece reads no {file.model_type} model: leave it out")
    if file.lossless and not file.strict:
        findings.add("U+2581", "no U+2581 in the text", lambda text: SPACE not in text)
    return findings, of_sentencepiece(source.data)


def named_ranks(source: Source, settings: Settings) -> str | None:
    """The name of the tokenizer of a rank file: as the caller says, or as the digest of its lines tells."""
    if settings.name is not None or settings.pattern is not None:
        return settings.name
    lines = source.data.replace(b"\r\n", b"\n").rstrip(b"\n") + b"\n"
    return KNOWN_RANKS.get(hashlib.sha256(lines).hexdigest())


def read_rank_file(source: Source, settings: Settings) -> bytes:
    """A rank file, with the pattern or the name that the caller gives or that its ranks are known to have."""
    name = named_ranks(source, settings)
    wanted = as_pattern(settings.pattern, name)
    pieces = read_ranks(source.data, source.name)
    special = names_after(special_tokens_of(name, settings.special_tokens), "special_tokens", pieces)
    return model_of_ranks(pieces, special, wanted, FORM_OF.get(name or "", ""), source.name)


def prove_rank_file(tok: Any, source: Source, settings: Settings) -> Proof:
    """tiktoken with the same ranks; it does not normalize, whatever the name says."""
    findings = settings.findings
    if tok._file.settings.normalizer.has_rules:
        findings.add("normalized", "the text is in NFC", lambda text: tok.normalize(text) == text)
    ranks = {piece: rank for rank, piece in read_ranks(source.data, source.name).items()}
    return findings, of_tiktoken(ranks, settings.pattern or raw_pattern(tok, ranks, "a rank file of tiktoken"))


def read_vocab_list(source: Source, settings: Settings) -> bytes:
    """A vocab.txt, and the tokenizer_config.json beside it."""
    pieces = bert.read_vocab_txt(source.data, source.name)
    config = {} if source.path is None else bert.read_config(Path(source.path).parent)
    is_lower = bert.is_lowercase(config, settings.lowercase)
    if source.folder is not None:
        roles = read_tokens(source.folder, config).roles
        config |= {f"{role}_token": token.text for role, token in roles.items() if token is not None}
    data = bert.bert_model(pieces, is_lower, config, source.name)
    if source.folder is None:
        return data
    rule = ClassRule(WORDS.get(class_of(source.folder, config), OF_BERT))
    return with_folder_tokens(data, source.name, source.folder, config, rule, settings.findings)


def prove_vocab_list(tok: Any, source: Source, settings: Settings) -> Proof:
    """tokenizers with the same pieces; with other special tokens, as they stand in a tokenizer.json."""
    vocab = tok._file.vocab
    special = {vocab.text(i).decode() for i in range(vocab.size) if vocab.type(i) in (CONTROL, UNKNOWN)}
    if source.folder is not None and not special <= set(bert.SPECIAL):
        made = to_json(tok, settings.findings)
        return made.findings, made.make_partner()
    found = to_vocab_list(tok, settings.findings)
    return found.findings, found.make_partner()


def read_gguf(source: Source, settings: Settings) -> bytes:
    """The tokenizer of a GGUF file, of which a local one is not read whole."""
    if source.is_whole or source.path is None:
        return model_of_bytes(source.data, source.name)
    return model_of_gguf(source.path)


def read_code_file(source: Source, settings: Settings) -> bytes:
    """Codes of subword-nmt, with a vocabulary or without."""
    merges, vocabulary, threshold = settings.merges, settings.vocabulary, settings.vocabulary_threshold
    if merges is not None and as_int(merges, "merges") < 1:
        raise OptionError(f"merges={merges}: at least 1 is needed; None uses all")
    if threshold is not None and vocabulary is None:
        raise OptionError(f"vocabulary_threshold={threshold} has no meaning without a vocabulary: pass vocabulary too")
    found = read_codes(source.data, source.name, merges)
    unused: set[str] = set()
    if vocabulary is not None:
        least = None if threshold is None else as_int(threshold, "vocabulary_threshold")
        unused = split_pieces(found, read_vocabulary(*content_of(vocabulary, "vocabulary"), least), source.name)
    return model_of_codes(found, source.name, unused)


def prove_codes(tok: Any, source: Source, settings: Settings) -> Proof:
    """subword-nmt with the same codes; its symbols as our ids."""
    findings = settings.findings
    findings.add("space", "no U+2581 in the text", lambda text: SPACE not in text)
    findings.add("ends", "no CR or LF at the ends of the text", lambda text: text.strip(" ") == text.strip("\r\n "))
    if settings.vocabulary is None:
        return findings, of_subword_nmt(tok, source.data)
    known = read_vocabulary(*content_of(settings.vocabulary, "vocabulary"), settings.vocabulary_threshold)
    return findings, of_subword_nmt(tok, source.data, known)


def read_json(source: Source, settings: Settings) -> bytes:
    """What tokenizers of Hugging Face writes, and what the tokenizer_config.json of its folder names."""
    config = dict(source.config)
    data = model_of_json(source.data, source.name, settings.findings, roles_of_config(config))
    if config:
        check_named(read_model(data, source.name).vocab, config, settings.findings)
    return data


def prove_json(tok: Any, source: Source, settings: Settings) -> Proof:
    """tokenizers with the same file."""
    return incoming(tok, source.data, settings.findings)


def make_json(tok: Any, findings: Findings, settings: Settings) -> Outgoing:
    """The tokenizer.json of a model."""
    return to_json(tok, findings, bos=settings.bos, eos=settings.eos, match_special=settings.match_special)


def make_folder(tok: Any, findings: Findings, settings: Settings) -> Outgoing:
    """The folder of a model."""
    return to_folder(
        tok, findings, bos=settings.bos, eos=settings.eos, match_special=settings.match_special,
        settings=settings.folder,
    )  # fmt: skip


def two_files(source: Source, settings: Settings) -> tuple[bytes, bytes, tuple[str, str]]:
    """vocab.json, merges.txt and their names, if one of them is given. Raises an error that says what is missing."""
    is_vocab = source.data.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{")
    option, name = ("merges", MERGES) if is_vocab else ("vocabulary", VOCAB)
    given, unused = (settings.merges, settings.vocabulary) if is_vocab else (settings.vocabulary, settings.merges)
    if unused is not None:
        wrong = "vocabulary" if is_vocab else "merges"
        raise OptionError(f"{source.name} is the {VOCAB if is_vocab else MERGES} itself: leave out {wrong}")
    if given is None:
        given = beside(source, VOCAB if is_vocab else MERGES, name)
    if given is None:
        kind = recognized(source.data, source.name)
        if kind is not None and kind.format not in ("", GPT2):
            raise ModelError(f"{source.name} is {kind.what}, not one of {VOCAB} and {MERGES}: {kind.remedy}")
        what = f"the ids of pieces, and not their merges ({MERGES})" if is_vocab else "merges, and not ids of pieces"
        raise OptionError(f"{source.name} holds {what}: give the other file too, as {option}=PATH")
    other, other_name = content_of(given, option)
    if other.startswith(b"#version") if not is_vocab else other.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{"):
        raise OptionError(f"{option}: {other_name} is not the {name} that belongs to {source.name}")
    if is_vocab:
        return source.data, other, (source.name, other_name)
    return other, source.data, (other_name, source.name)


def beside(source: Source, own: str, other: str) -> str | None:
    """The path of the other one of two files, by its name; None: it is not there."""
    if source.path is None:
        return None
    place = Path(source.path)
    begin = place.name.removesuffix(own) if place.name.endswith(own) else ""
    found = next((place.with_name(name) for name in (begin + other, other) if place.with_name(name).is_file()), None)
    return None if found is None else str(found)


def named_pair(source: Source, merges: bytes, settings: Settings) -> str | None:
    """The name of the tokenizer of two files: as the caller says, as their digest or their folder tells."""
    if settings.name is not None or settings.pattern is not None:
        return settings.name
    known = KNOWN_RANKS.get(hashlib.sha256(merges.replace(b"\r\n", b"\n").rstrip(b"\n") + b"\n").hexdigest())
    return known or PAIRS.get(class_of_pair(source.path), ("", {}))[0] or None


def read_pair(source: Source, settings: Settings) -> bytes:
    """vocab.json and merges.txt, of which one is given."""
    special = special_names(settings.special_tokens or (), "special_tokens")
    if settings.name is not None or settings.pattern is not None:
        as_pattern(settings.pattern, settings.name)  # a mistake there is said before one of the files
    vocab, merges, names = two_files(source, settings)
    is_told = settings.name is not None or settings.pattern is not None
    own_class = check_pair(source.path, source.name, is_told, settings.findings)
    if is_built(source, own_class):
        return model_of_parts(parts_of_pair(source, settings), settings.findings, {})
    name = named_pair(source, merges, settings)
    wanted = as_pattern(settings.pattern, name)
    pieces, ranks = read_gpt2(vocab, merges, names, special)
    check_fit(wanted, ((i, piece) for i, piece in enumerate(pieces) if piece and isinstance(piece, bytes)))
    data = byte_level_model(entries_of_merges(pieces, ranks), wanted, FORM_OF.get(name or "", ""))
    if source.folder is None:
        return data
    form_parts(read_model(data, source.name), settings.findings)
    roles = PAIRS.get(own_class, ("", {}))[1]
    rule = ClassRule(roles, wrapped=tuple(roles), stripping=("mask",))
    texts = {i: text for text, i in read_vocab_json(vocab, names[0]).items()}
    config = bert.read_config(Path(source.folder))
    return with_folder_tokens(data, source.name, source.folder, config, rule, settings.findings, texts)


def is_built(source: Source, own_class: str) -> bool:
    """Whether two files are read by the parts of a tokenizer.json that their class builds.

    Raises OptionError for such a class if the caller names a file of its folder, whose settings count.
    """
    if source.path is None or not changes_texts(own_class, str(Path(source.path).parent)):
        return False
    if source.folder is None:
        raise OptionError(f"the class {own_class}Tokenizer changes texts first, as its folder says: load the folder")
    return True


def parts_of_pair(source: Source, settings: Settings) -> dict[str, Any]:
    """The parts of the tokenizer.json that the class of a folder builds of its two files."""
    vocab, merges, _ = two_files(source, settings)
    place = str(source.folder)
    return pair_parts(vocab, merges, place, class_of_pair(source.path), settings.findings)


def prove_pair(tok: Any, source: Source, settings: Settings) -> Proof:
    """tokenizers with the same two files, and with their special tokens."""
    vocab = tok._file.vocab
    if is_built(source, class_of_pair(source.path)):
        parts = parts_of_pair(source, replace(settings, findings=Findings(settings.findings.allow)))
        return incoming(tok, json.dumps(parts).encode(), settings.findings)
    form = ""
    if source.folder is not None and settings.name is None and tok._file.settings.normalizer.unicode_form:
        form = tok._file.settings.normalizer.unicode_form  # as the class says
    elif tok._file.settings.normalizer.has_rules:
        raise OptionError("GPT-2's files do not say that a text is normalized first: read them without name='qwen2'")
    special = {i: vocab.text(i).decode() for i in range(vocab.size) if vocab.type(i) == CONTROL}
    add_spelled(tok._file, special, False, tok.normalize, settings.findings)
    ids_file, merges, _ = two_files(source, settings)
    ids = read_vocab_json(ids_file, VOCAB)
    pieces = {vocab.text(i): i for i in range(vocab.size) if i not in special and vocab.text(i)}
    if any(behavior != "Isolated" for _, behavior, _ in vocab.splits):
        raise OptionError("tokenizers gives ids to text that the pattern leaves out: read the files without verify=")
    given = raw_pattern(tok, pieces, "GPT-2's files")
    pattern = vocab.splits[0][0] if vocab.splits else spelled(settings.pattern or given)
    return settings.findings, of_gpt2(ids, merge_pairs(merges), pattern, form)


def prove_tekken(tok: Any, source: Source, settings: Settings) -> Proof:
    """tiktoken with the same pieces, as mistral-common has it."""
    found = read_tekken(source.data, source.name)
    return settings.findings, of_tiktoken({piece: i for i, piece in found.pieces.items()}, found.pattern)


def of_inner(source: Source, settings: Settings) -> bytes:
    """The tokenizer of a folder is read from a file in it: see `loading.inner_source`."""
    raise OptionError(f"{source.name} is a file: the format transformers is a folder")


FORMATS = (
    Format(
        MODEL,
        "a model of spm_lite or SentencePiece",
        (".model",),
        read=read_model_file,
        make=make_model,
        put=put_file,
    ),
    Format(
        TIKTOKEN,
        "a rank file of tiktoken; reading needs a name or a pattern, unless its ranks are known",
        (".tiktoken",),
        asks=BYTE_LEVEL,
        read=read_rank_file,
        prove_read=prove_rank_file,
        partner="tiktoken",
        make=lambda tok, findings, settings: to_rank_file(tok, findings),
        put=put_file,
    ),
    Format(
        VOCAB_TXT,
        "BERT's list of pieces; reading needs to know whether text is lowercased",
        (".txt",),
        asks=("lowercase",),
        read=read_vocab_list,
        prove_read=prove_vocab_list,
        partner="tokenizers",
        make=lambda tok, findings, settings: to_vocab_list(tok, findings),
        put=put_file,
    ),
    Format(
        GGUF,
        "a file of llama.cpp; only its tokenizer is read, and none of its tensors are written",
        (".gguf",),
        read=read_gguf,
        make=lambda tok, findings, settings: to_vocabulary_file(tok, findings),
        put=put_file,
    ),
    Format(
        CODES,
        "codes of subword-nmt, with its vocabulary or without",
        (".codes",),
        asks=("merges", "vocabulary", "vocabulary_threshold"),
        read=read_code_file,
        prove_read=prove_codes,
        partner="subword-nmt",
    ),
    Format(
        TRANSFORMERS,
        "a folder that AutoTokenizer of transformers loads",
        (TOKENIZER, *folder.MODELS, folder.VOCAB),
        is_folder=True,
        asks=(*BYTE_LEVEL, "lowercase", "merges", "folder", *TEMPLATE),
        read=of_inner,
        make=make_folder,
        put=put_folder,
    ),
    Format(
        TOKENIZER,
        "the file of tokenizers alone",
        (".json",),
        asks=TEMPLATE,
        read=read_json,
        prove_read=prove_json,
        partner="tokenizers",
        make=make_json,
        put=put_file,
    ),
    Format(
        GPT2,
        "vocab.json and merges.txt of a folder; reading needs a name or a pattern, unless they are GPT-2's own",
        (VOCAB, MERGES),
        is_folder=True,
        asks=(*BYTE_LEVEL, "merges", "vocabulary"),
        read=read_pair,
        prove_read=prove_pair,
        partner="tokenizers",
        make=lambda tok, findings, settings: to_gpt2_files(tok, findings),
        put=put_pair,
    ),
    Format(
        TEKKEN,
        "the file of mistral-common",
        ("tekken.json",),
        read=lambda source, settings: model_of_tekken(read_tekken(source.data, source.name)),
        prove_read=prove_tekken,
        partner="tiktoken",
    ),
)


def all_formats() -> dict[str, Format]:
    """The formats by name."""
    return {entry.name: entry for entry in FORMATS}


OTHER_FORMATS = {  # format -> what people call it
    "model": "sentencepiece spm sp",
    TRANSFORMERS: "huggingface hf autotokenizer pretrained",
    "tokenizer.json": "tokenizers json fast",
    GGUF: "llamacpp ggml llama",
    VOCAB_TXT: "bert wordpiece",
    TEKKEN: "tekken mistral",
}


def format_named(name: Any) -> Format:
    """The format with a name. Raises OptionError for one that is unknown."""
    known = all_formats()
    if not isinstance(name, str) or name not in known:
        letters = "".join(filter(str.isalnum, str(name).lower()))
        named = [entry for entry, others in OTHER_FORMATS.items() if letters in others.split()]
        near = " or ".join(named or near_names(str(name), known))
        raise OptionError(f"the format {name!r:.60} is unknown{f' (did you mean {near}?)' if near else ''}: "
                          f"the formats are {', '.join(known)}")  # fmt: skip
    return known[name]


def save_as(
    tok: Any, path: str, format: str, verify: str | os.PathLike[str] | Iterable[str | bytes],
    allow: str | Iterable[str],
) -> Conversion:  # fmt: skip
    """Write a model as a file of a format, or as its folder; files of the same names are replaced."""
    entry = format_named(format)
    if entry.make is None or entry.put is None:
        raise OptionError(f"{entry.name} can be read but not written: {path!r:.100}")
    outgoing: Outgoing = entry.make(tok, Findings(allow), Settings())
    conversion = outgoing.prove(tok, path, verify)
    entry.put(path, outgoing.files)
    return conversion._with_condition(folder.chosen_class(path) if entry.name == TRANSFORMERS else "")
