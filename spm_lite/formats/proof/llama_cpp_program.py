"""The tokenizer of llama.cpp itself, called in a shared library that exports its C functions.

The extension module of the package xllamacpp is such a library. Of the parameters of a model only `vocab_only` is set.
Its place in the structure follows from the default of the flag two bytes after it.
"""

from __future__ import annotations

import ctypes
import os

from spm_lite.errors import ModelError
from spm_lite.formats.proof.partner_programs import Partner, module_named, version_of

SIZE = 96  # bytes; more than the structure of parameters has
FLAGS_AT = 48  # no flag is before it


def of_llama_cpp(path: str, match_special: bool) -> Partner | None:
    """llama.cpp with a GGUF file; None: xllamacpp is not installed. match_special: text becomes special tokens."""
    if module_named("xllamacpp") is None:
        return None
    found = Library().load(path)
    return Partner(
        f"llama.cpp of xllamacpp {version_of('xllamacpp')}",
        lambda texts: [found.encode(text, match_special) for text in texts],
        None,
    )


class Parameters(ctypes.Structure):
    """llama_model_params."""

    data: ctypes.Array[ctypes.c_uint8]
    _fields_ = [("data", ctypes.c_uint8 * SIZE)]


class Library:
    """llama.cpp. path: of the shared library; None: the one of the package xllamacpp."""

    def __init__(self, path: str | None = None) -> None:
        if path is None:
            path = module_named("xllamacpp").xllamacpp.__file__
        self.c = ctypes.CDLL(path)
        self.quiet = ctypes.CFUNCTYPE(None, ctypes.c_int, ctypes.c_char_p, ctypes.c_void_p)(lambda *_: None)
        self.c.llama_backend_init()
        self.c.llama_log_set(self.quiet, None)
        self.c.llama_model_default_params.restype = Parameters
        self.c.llama_model_load_from_file.argtypes = [ctypes.c_char_p, Parameters]
        self.c.llama_model_load_from_file.restype = ctypes.c_void_p
        self.c.llama_model_get_vocab.argtypes = [ctypes.c_void_p]
        self.c.llama_model_get_vocab.restype = ctypes.c_void_p
        self.c.llama_model_free.argtypes = [ctypes.c_void_p]
        self.c.llama_tokenize.argtypes = [
            ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int32, ctypes.c_void_p, ctypes.c_int32, ctypes.c_bool,
            ctypes.c_bool,
        ]  # fmt: skip

    def load(self, path: str | os.PathLike[str]) -> Vocabulary:
        """The vocabulary of a GGUF file. Raises ModelError for one that llama.cpp refuses."""
        parameters = self.c.llama_model_default_params()
        flags = bytes(parameters.data)
        parameters.data[flags.index(b"\0\0\1", FLAGS_AT)] = 1
        model = self.c.llama_model_load_from_file(os.fsencode(path), parameters)
        if not model:
            raise ModelError(f"llama.cpp does not load {os.fspath(path)}: its version may lack this kind of tokenizer")
        return Vocabulary(self, model)


class Vocabulary:
    """A tokenizer of llama.cpp."""

    def __init__(self, library: Library, model: int) -> None:
        self.library, self.model = library, model
        self.vocab = library.c.llama_model_get_vocab(model)

    def encode(self, text: str, match_special: bool = False) -> list[int]:
        """Ids of a text, without special pieces around it. match_special: text becomes special pieces."""
        data = text.encode()
        size = 2 * len(data) + 16
        ids = (ctypes.c_int32 * size)()
        n = self.library.c.llama_tokenize(self.vocab, data, len(data), ids, size, False, match_special)
        if n < 0:
            raise ValueError(f"llama.cpp gives more than {size} ids for {text!r:.60}")
        return list(ids[:n])

    def __del__(self) -> None:
        self.library.c.llama_model_free(self.model)
