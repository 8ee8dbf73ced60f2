"""Recognition of files that are not models (by signature and syntax), for error messages."""

from __future__ import annotations

import os
import re
from pathlib import Path

SIGNATURES = (
    (b"\x1f\x8b", "gzip-compressed data: unpack it first"),
    (b"PK\x03\x04", "a zip archive: unpack it first"),
    (b"BZh", "bzip2-compressed data: unpack it first"),
    (b"\xfd7zXZ\x00", "xz-compressed data: unpack it first"),
    (b"\x28\xb5\x2f\xfd", "zstd-compressed data: unpack it first"),
    (b"GGUF", "a GGUF file"),
    (b"version https://git-lfs", "a Git LFS pointer: fetch the file itself, with `git lfs pull`"),
    (b"\x80\x02", "a Python pickle"),
    (b"\x80\x03", "a Python pickle"),
    (b"\x80\x04", "a Python pickle"),
    (b"\x80\x05", "a Python pickle"),
    (b"\x89HDF", "an HDF5 file"),
    (b"\xff\xfe", "UTF-16 text"),
    (b"\xfe\xff", "UTF-16 text"),
)
PATH_BYTES = 4096  # longer data is not a path
TIKTOKEN_LINE = re.compile(rb"[A-Za-z0-9+/]+={0,2} \d+\r?\n")
VOCAB_LINE = re.compile(rb"[^\t\n]+\t-?\d[-+.e\d]*\r?\n")
CODES_HEAD = re.compile(rb"#version: 0\.\d+\r?\n")
BERT_LINES = re.compile(rb"^\[(PAD|UNK|CLS)\]\r?$", re.MULTILINE)
IDS = re.compile(rb'\s*\{\s*"[^"]*"\s*:\s*\d+\s*,')
SAFETENSORS = re.compile(rb'.{8}\{"', re.DOTALL)


def guess_kind(data: bytes) -> str | None:
    """The kind of file that `data`, no usable model, seems to be; None: unknown. Only its beginning is examined."""
    for signature, kind in SIGNATURES:
        if data.startswith(signature):
            return kind
    head = data[:4096]
    if not head.strip(b"\0"):
        return "all NUL bytes: the file was not written to its end"
    if SAFETENSORS.match(head):
        return "a safetensors file"
    text = head.lstrip(b"\xef\xbb\xbf \t\r\n")
    if text[:1] == b"{":
        return json_kind(head)
    if text[:14].lower() == b"<!doctype html" or text[:5].lower() == b"<html":
        return "a web page: the download gave an error page or a view of the file, not the file"
    if TIKTOKEN_LINE.match(head):
        return "tiktoken ranks (base64 and a number on each line): use Tokenizer.from_tiktoken(path, name=...)"
    if CODES_HEAD.match(head):
        return (
            "merges of subword-nmt or GPT-2: read them with Tokenizer.from_subword_nmt(codes) or from_gpt2(folder, ...)"
        )
    if VOCAB_LINE.match(head):
        return "a vocabulary list (piece and score on each line): load the .model file beside it"
    if BERT_LINES.search(head):
        return "BERT's vocab.txt (a piece on each line): read it with Tokenizer.from_vocab_txt(path)"
    if is_text(head):
        return "the path of a file: pass it as str" if is_path(data) else "plain text"
    return None


def is_path(data: bytes) -> bool:
    """Whether `data` is the path of an existing file."""
    try:
        return len(data) < PATH_BYTES and Path(os.fsdecode(data)).exists()
    except OSError:  # a name in it is too long, say
        return False


def json_kind(head: bytes) -> str:
    """The kind of JSON file that begins with `head`."""
    if b'"added_tokens"' in head or b'"truncation"' in head or b'"pre_tokenizer"' in head:
        return "a Hugging Face tokenizer.json: read it with Tokenizer.from_tokenizer_json(path)"
    if b'"token_bytes"' in head or b'"default_num_special_tokens"' in head:
        return "a tekken.json of mistral-common: read it with Tokenizer.from_tekken(path)"
    if b'"tokenizer_class"' in head:
        return "a tokenizer_config.json: read the folder with Tokenizer.from_hf(folder)"
    if IDS.match(head):
        return "a vocab.json of pieces and ids: read the folder with Tokenizer.from_gpt2(folder, name=...)"
    return "JSON"


def is_text(head: bytes) -> bool:
    """Whether `head` is UTF-8 without control characters; its last character may be cut off."""
    try:
        text = head.decode("utf-8")
    except UnicodeDecodeError as error:
        if len(head) - error.start > 3:
            return False
        text = head[: error.start].decode("utf-8")
    return not re.search("[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f]", text)
