"""The files of a folder of transformers that hold its tokenizer."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import Any

from spm_lite.errors import FileError, MissingFileError
from spm_lite.formats.vocab_txt import read_config as read_config_of

JSON, MODEL, VOCAB, GPT2 = "tokenizer.json", "model", "vocab.txt", "vocab.json"
MODELS = ("tokenizer.model", "spiece.model", "sentencepiece.bpe.model", "spm.model", "source.spm")


def find_file(folder: str) -> tuple[str, str]:
    """(kind, path) of the file that holds the tokenizer. Raises FileError if there is none."""
    place = Path(folder)
    if not os.path.lexists(place):
        raise MissingFileError(errno.ENOENT, "there is no such folder", folder)
    if not place.is_dir():
        raise FileError(errno.ENOTDIR, "is a file: from_hf reads a folder, and from_tokenizer_json a file", folder)
    for kind, names in ((JSON, (JSON,)), (MODEL, MODELS), (VOCAB, (VOCAB,)), (GPT2, (GPT2,))):
        for name in names:
            if (place / name).is_file():
                return kind, str(place / name)
    raise MissingFileError(
        errno.ENOENT, f"holds none of tokenizer.json, {', '.join(MODELS)}, vocab.txt and vocab.json", folder
    )


def read_config(folder: str) -> dict[str, Any]:
    """The tokenizer_config.json of a folder, with what special_tokens_map.json says besides; empty without them."""
    found: dict[str, Any] = read_config_of(Path(folder), "special_tokens_map.json")
    return found | read_config_of(Path(folder))
