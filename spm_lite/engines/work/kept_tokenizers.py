"""What a worker process keeps between tasks: the last tokenizers, by the digest of their model.

`partner` imports packages that only some users have, when they are needed, and names our extra if one is missing.
"""

from __future__ import annotations

import hashlib
import os
from importlib import import_module
from threading import Lock
from typing import Any

from spm_lite.arguments import as_flag
from spm_lite.errors import ArgumentTypeError, OptionError
from spm_lite.tokenizer.tokenizer import Tokenizer

PACKAGES = {"spark": "pyspark.sql", "ray": "ray", "datatrove": "datatrove", "datasets": "datasets"}


def partner(extra: str, module: str = "") -> Any:
    """The package of an extra, or one of its modules. Raises OptionError naming the extra if it is not installed."""
    name = module or PACKAGES[extra]
    try:
        return import_module(name)
    except ImportError as error:
        raise OptionError(
            f"{name} cannot be imported ({error}): install it with pip install 'spm_lite[{extra}]'"
        ) from None


def arrow() -> Any:
    """The package pyarrow. Raises OptionError naming an extra."""
    from spm_lite.files.parquet_ids import parquet_modules

    return parquet_modules()[0]


KEPT = 2
_kept: dict[bytes, Tokenizer] = {}  # SHA-256 of the model -> tokenizer, the last used at the end
_lock = Lock()


def tokenizer(model: bytes) -> Tokenizer:
    """The tokenizer of these model bytes: one for all tasks of the process, as long as it is among the last two.

    Each task of an engine brings its model along, but a tokenizer that was loaded anew would begin with an empty
    cache of chunks. Raises ModelError if the bytes are damaged.

    >>> import spm_lite
    >>> model = spm_lite.train(["a b c d"] * 9, vocab_size=300, hard_vocab_limit=False).to_bytes()
    >>> tokenizer(model) is tokenizer(bytes(model))
    True
    """
    if not isinstance(model, (bytes, bytearray, memoryview)):
        raise ArgumentTypeError(f"model is {type(model).__name__}: pass the bytes of a model, such as tok.to_bytes()")
    digest = hashlib.sha256(model).digest()
    with _lock:
        found = _kept.pop(digest, None)
        if found is None:
            found = Tokenizer.load(bytes(model))
        _kept[digest] = found
        while len(_kept) > KEPT:
            del _kept[next(iter(_kept))]
    return found


def model_bytes(model: object) -> bytes:
    """The bytes of a model: of a Tokenizer, of a tokenizer file of any format, or bytes."""
    if isinstance(model, Tokenizer):
        return model.to_bytes()
    if isinstance(model, bytes):
        return model
    if isinstance(model, (str, os.PathLike)):
        return Tokenizer.load(model).to_bytes()
    raise ArgumentTypeError(
        f"the tokenizer is {type(model).__name__}: pass a Tokenizer, the path of a model, or its bytes"
    )


def checked_model(model: object, bos: Any, eos: Any) -> bytes:
    """The bytes of a model that has the ids asked for. Raises OptionError."""
    data = model_bytes(model)
    tokenizer(data)._bos_eos(as_flag(bos, "bos"), as_flag(eos, "eos"))
    return data
