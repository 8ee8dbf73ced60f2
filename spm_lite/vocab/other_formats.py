"""Recognition of tokenizer files by their content, and of files that people take for one.

Every reader refuses what it cannot read in the words of this table. Nothing is unpickled or unpacked to look inside.
"""

from __future__ import annotations

import os
import re

from spm_lite._typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from typing import Any


class Kind(NamedTuple):
    """What a file is.

    format: its name in the table of formats; empty: no tokenizer. remedy: what to do with it. is_sure: no reader takes
    such a file; otherwise it may be a damaged one of the format that the caller names.
    """

    format: str
    what: str
    remedy: str
    is_sure: bool = True


MODEL, TOKENIZER, TEKKEN, PAIR = "model", "tokenizer.json", "tekken.json", "gpt2"
RANKS, PIECES, GGUF, CODES = "tiktoken", "vocab.txt", "gguf", "subword-nmt"
MERGES_TXT = "a merges.txt of byte-level BPE"
WHAT = {  # format -> what a file of it is
    MODEL: "a model of SentencePiece or spm_lite",
    TOKENIZER: "a Hugging Face tokenizer.json",
    TEKKEN: "a tekken.json of mistral-common",
    PAIR: "a vocab.json of pieces and ids",
    RANKS: "a rank file of tiktoken",
    PIECES: "a vocab.txt of BERT",
    GGUF: "a GGUF file",
    CODES: "codes of subword-nmt",
}
LOADS = "spm_lite.load(path) reads it"
PLAIN = "plain text"
UNPACK, FETCH = "unpack it first", "fetch the file itself, with `git lfs pull`"
BESIDE = "name the tokenizer file, which is often beside it"
UNSAFE = "it is not read, since that would run the program in it; " + BESIDE
SIGNATURES = (
    (b"\x1f\x8b", "gzip-compressed data", UNPACK),
    (b"PK\x03\x04", "a zip archive", UNPACK),
    (b"BZh", "bzip2-compressed data", UNPACK),
    (b"\xfd7zXZ\x00", "xz-compressed data", UNPACK),
    (b"\x28\xb5\x2f\xfd", "zstd-compressed data", UNPACK),
    (b"version https://git-lfs", "a Git LFS pointer", FETCH),
    (b"# xet version ", "a pointer of Xet", "download the file itself"),
    (b"/annex/objects/", "a pointer of git-annex", "fetch the file itself, with `git annex get`"),
    *((b"\x80%c" % level, "a Python pickle", UNSAFE) for level in range(2, 6)),
    (b"\x89HDF", "an HDF5 file", BESIDE),
    (b"\xff\xfe", "UTF-16 text", "save it as UTF-8"),
    (b"\xfe\xff", "UTF-16 text", "save it as UTF-8"),
    (b"\x93spmcnt\n", "a count table of spm_lite", "train(CountTable.load(path)) makes a model of it"),
)
START = 1 << 16  # bytes in which a kind shows
PATH_BYTES = 4096  # longer data is not a path
N_LINES = 60  # lines that are looked at
MOST = 0.75  # of these lines have the form of the format, so that some may be damaged
RANK_LINE = re.compile(rb"((?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?) (\d{1,9})")
VOCAB_LINE = re.compile(rb"[^\t]+\t-?(?:\d[-+.e\d]*|inf)")
PAIR_LINE = re.compile(rb"[^ \t]+ [^ \t]+")
COUNTED_PAIR = re.compile(rb"[^ \t]+ [^ \t]+ \d+")
COUNTED_LINE = re.compile(rb"[^ \t]+ \d+")
HEADER = re.compile(rb"#version:|\"[\w.]+#version:")
BERT_LINES = re.compile(rb"^\[(PAD|UNK|CLS)\]\r?$", re.MULTILINE)
OLD_PICKLE = re.compile(rb"\((?:dp|lp|ip)\d*\n|c[a-z_]\w*\n\w+\n|\(c[a-z_]\w*\n")
SAFETENSORS = re.compile(rb'.{5}\0\0\0\{"', re.DOTALL)
SENTENCEPIECE = re.compile(  # the first piece: its text, score and type, of which the last two may be missing
    rb"\n.\n.[^\n]{1,100}(\x15.{4}|(?=\x18))(\x18[\x01-\x06])?\n", re.DOTALL
)
OWN = re.compile(rb"\x12.{1,3}\x18[\x01-\x04]\x20", re.DOTALL)  # the pieces stand behind the trainer's settings
TEMPLATE = re.compile(rb"\{[%#{]")
MOST_JSON = 1 << 20  # bytes of JSON that is parsed here; of a longer file its ends are looked at
JSON_SIGNS = {
    TOKENIZER: re.compile(
        rb'"(?:added_tokens"\s*:\s*\[|(?:pre_tokenizer|post_processor)"\s*:\s*(?:\{|null)'
        rb'|model"\s*:\s*\{\s*"(?:type|vocab|dropout|unk_token|unk_id)")'
    ),
    TEKKEN: re.compile(rb'"(?:token_bytes|default_num_special_tokens)"\s*:'),
    PAIR: re.compile(rb'\A\s*\{\s*(?:"(?:[^"\\]|\\.)*"\s*:\s*\d+\s*,\s*){2}'),
}
TOKENIZER_KEYS = {"added_tokens", "pre_tokenizer", "post_processor", "decoder", "normalizer", "truncation", "padding"}
ROLE_KEYS = {f"{role}_token" for role in ("bos", "eos", "unk", "sep", "pad", "cls", "mask")}
ROLE_KEYS |= {"additional_special_tokens", "extra_special_tokens"}
FOLDER = "load its folder, or the tokenizer file beside it"
OTHER_JSON = (  # keys of which one is there, what the file is, and what to do
    ({"nbformat"}, "a notebook", BESIDE),
    ({"weight_map"}, "an index of tensors (model.safetensors.index.json)", FOLDER),
    ({"error", "errors", "message"}, "an error message of a server, in JSON", "download the file again"),
    ({"feature_extractor_type", "image_processor_type", "processor_class"}, "a preprocessor_config.json", FOLDER),
    ({"architectures", "model_type", "hidden_size"}, "a config.json, which describes a neural network", FOLDER),
    ({"_from_model_config", "do_sample", "temperature", "max_new_tokens"}, "a generation_config.json", FOLDER),
)
CONFIG_KEYS = {
    "tokenizer_class", "added_tokens_decoder", "chat_template", "model_max_length", "clean_up_tokenization_spaces",
    "do_lower_case", "add_bos_token", "tokenizer_file",
}  # fmt: skip


def recognized(data: bytes, name: str = "") -> Kind | None:
    """The kind of file that `data` is; None: unknown, or a model whose form is unusual.

    data: the file, or START bytes of it. name: of the file, which decides only where the content fits two formats.
    """
    head = data[:START]
    if not data:
        return Kind("", "empty (0 bytes)", "copy it or download it again")
    if head.startswith(b"GGUF"):
        return own_kind(GGUF)
    for signature, what, remedy in SIGNATURES:
        if head.startswith(signature):
            return Kind("", what, remedy, not what.startswith("UTF-16"))
    if not head.strip(b"\0"):
        return Kind("", "all NUL bytes", "the file was not written to its end: copy it or download it again")
    if SAFETENSORS.match(head):
        return Kind("", "a safetensors file, which holds tensors", BESIDE)
    if SENTENCEPIECE.match(head) or OWN.match(head):
        return own_kind(MODEL)
    text = head.removeprefix(b"\xef\xbb\xbf").lstrip(b" \t\r\n")
    if TEMPLATE.match(text) and b"%}" in text + b"}}":
        return Kind("", "a Jinja template, as chats have", BESIDE)
    if text[:1] in (b"{", b"[") and not BERT_LINES.match(text):
        return kind_of_json(data)
    if re.match(rb"(?i)<!doctype html|<html", text):
        return Kind("", "a web page", "the download gave an error page or a view of the file, not the file")
    if text.startswith(b"<?xml"):
        return Kind("", "an XML document", BESIDE)
    if OLD_PICKLE.match(head):
        return Kind("", "a Python pickle", UNSAFE)
    return kind_of_lines(head, name, len(data) > len(head)) or other_kind(data)


def own_kind(format: str, what: str = "") -> Kind:
    """The kind of a tokenizer file."""
    return Kind(format, what or WHAT[format], LOADS)


def kind_of_lines(head: bytes, name: str = "", is_cut: bool = False) -> Kind | None:
    """The kind of a text file of a line for each piece or merge; None: it has other lines. is_cut: its end is."""
    lines = [line.rstrip(b"\r") for line in head.split(b"\n")]
    if is_cut or not lines[-1]:
        lines.pop()
    has_header = bool(lines) and HEADER.match(lines[0]) is not None
    lines = [line for line in lines[has_header:] if line]
    some = lines[:N_LINES]
    if not some or not is_text(head):
        return None
    has_mark = b"</w>" in head

    def most(form: re.Pattern[bytes]) -> bool:
        return sum(form.fullmatch(line) is not None for line in some) >= MOST * len(some)

    if most(RANK_LINE) and not has_header and not has_mark and are_ranks(some):
        return own_kind(RANKS)
    if has_mark and most(COUNTED_PAIR):
        return own_kind(CODES, "codes of fastBPE (two symbols and a count on each line)")
    if most(PAIR_LINE) and not most(COUNTED_LINE) and (has_header or has_mark or base_name(name) == "merges.txt"):
        return own_kind(CODES) if has_mark else own_kind(PAIR, MERGES_TXT)
    if most(VOCAB_LINE):
        return Kind("", "a vocabulary list (piece and score on each line)", "load the .model file beside it", False)
    if most(COUNTED_LINE):
        return Kind(
            "", "a list of pieces and counts", "give it as vocabulary= with the codes that it belongs to", False
        )
    is_list = sum(b" " not in line and b"\t" not in line for line in some) >= MOST * len(some)
    if is_list and (BERT_LINES.search(head) or b"\n##" in head or base_name(name) == "vocab.txt"):
        return own_kind(PIECES)
    return None


def are_ranks(lines: list[bytes]) -> bool:
    """Whether lines are base64 and ranks, not words and their counts, which fall."""
    found = [match for match in map(RANK_LINE.fullmatch, lines) if match is not None]
    ranks = [int(match[2]) for match in found]
    return ranks == sorted(ranks) or any(match[1].endswith(b"=") for match in found)


def base_name(name: str) -> str:
    """The last part of a path or an address."""
    return re.split(r"[/\\]", name)[-1].lower()


def other_kind(data: bytes) -> Kind | None:
    """The kind of a file that is neither JSON nor lines of pieces."""
    from spm_lite.files.plain_text import kind_of

    what, _ = kind_of(data)
    if what:
        return Kind(MODEL, WHAT[MODEL], LOADS) if "SentencePiece" in what else Kind("", what, BESIDE)
    if is_text(data[:START]):
        is_name = is_path(data)
        return Kind("", "the path of a file" if is_name else PLAIN, "pass it as str" if is_name else BESIDE, False)
    return None


def is_path(data: bytes) -> bool:
    """Whether `data` is the path of an existing file."""
    try:
        return len(data) < PATH_BYTES and b"\0" not in data and os.path.exists(os.fsdecode(data))  # noqa: PTH110
    except OSError:  # a name in it is too long, say
        return False


def kind_of_json(data: bytes) -> Kind:
    """The kind of a file that begins like JSON. A long one is not parsed, since a hostile one takes much memory."""
    import json

    ends = data[:START] + b"\n" + data[-START:] if len(data) > START else data
    if JSON_SIGNS[TOKENIZER].search(ends):
        return own_kind(TOKENIZER)
    try:
        return kind_of_parts(json.loads(data if len(data) <= MOST_JSON else b""))
    except (ValueError, RecursionError):
        found = next((format for format, signs in JSON_SIGNS.items() if signs.search(ends)), "")
    if found:
        return own_kind(found)
    if len(data) > MOST_JSON:
        return Kind("", "JSON of another kind", BESIDE, False)
    try:
        json.loads(data[:START].lstrip().split(b"\n")[0])
    except (ValueError, RecursionError):
        return Kind("", "JSON that is damaged or cut off", "copy it or download it again", False)
    return Kind("", "JSON lines", BESIDE, False)


def kind_of_parts(parts: Any) -> Kind:
    """The kind of a JSON file by its keys."""
    if not isinstance(parts, dict):
        return Kind("", "JSON of another kind (no object)", BESIDE, False)
    keys = parts.keys()
    if isinstance(parts.get("model"), dict) and (keys & TOKENIZER_KEYS or "vocab" in parts["model"]):
        return own_kind(TOKENIZER)
    if len(keys & TOKENIZER_KEYS) > 2:
        return own_kind(TOKENIZER)
    if isinstance(parts.get("vocab"), list) and ("config" in keys or "special_tokens" in keys):
        return own_kind(TEKKEN)
    if parts and all(type(value) is int for value in parts.values()):
        if 0 in parts.values():
            return own_kind(PAIR)
        return Kind("", "JSON of added tokens and their ids (added_tokens.json)", FOLDER, False)
    if keys & CONFIG_KEYS:
        return Kind("", "a tokenizer_config.json, which holds settings alone", FOLDER)
    if parts and keys <= ROLE_KEYS:
        return Kind("", "a special_tokens_map.json, which holds names alone", FOLDER)
    for signs, what, remedy in OTHER_JSON:
        if keys & signs:
            return Kind("", what, remedy)
    some = ", ".join(f"{key!r:.30}" for key in list(parts)[:3])
    return Kind("", f"JSON of another kind ({f'with the keys {some}' if parts else 'an empty object'})", BESIDE, False)


def is_text(head: bytes) -> bool:
    """Whether `head` is UTF-8 without control characters; its last character may be cut off."""
    try:
        text = head.decode("utf-8")
    except UnicodeDecodeError as error:
        if len(head) - error.start > 3:
            return False
        text = head[: error.start].decode("utf-8")
    return not re.search("[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f]", text)


def guess_kind(data: bytes) -> str | None:
    """What `data`, no usable model, seems to be, and what to do; None: unknown."""
    return looks(recognized(data), MODEL) or None


def looks(kind: Kind | None, wanted: str) -> str:
    """What a file seems to be that cannot be read as the wanted format, and what to do; empty: nothing is known."""
    if kind is None or kind.format == wanted:
        return ""
    return kind.what if kind.what == PLAIN else f"{kind.what}: {kind.remedy}"


def refused(kind: Kind, name: str) -> str:
    """The message for a file that is no tokenizer. name: of the file."""
    return f"{name} is {kind.what}, not a tokenizer: {kind.remedy}"


def refuse_others(data: bytes, name: str) -> Kind | None:
    """The kind of a file. Raises ModelError for one that no reader of any format takes, such as a Git LFS pointer."""
    from spm_lite.errors import ModelError

    kind = recognized(data, name)
    if kind is not None and not kind.format and kind.is_sure:
        raise ModelError(refused(kind, name))
    return kind
