"""LoadedModel: the model of a processor, if any, and the defaults of its calls."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from spm_lite.errors import ArgumentTypeError, ModelError, OptionError
from spm_lite.files.open_files import read_bytes
from spm_lite.sentencepiece.call_arguments import MissingFileRuntimeError, StateError, as_runtime_errors
from spm_lite.sentencepiece.processing.additions import reference_bytes
from spm_lite.sentencepiece.returns import ReturnType, resolve
from spm_lite.tokenizer.foreign_arguments import explained
from spm_lite.tokenizer.tokenizer import Tokenizer

if TYPE_CHECKING:
    from typing_extensions import Self

    from spm_lite.lattice.reference_paths import ReferencePaths


class LoadedModel:
    """Base of all parts of SentencePieceProcessor: loading, pickling, defaults."""

    _tok: Tokenizer | None = None
    _made_paths: tuple[Tokenizer, ReferencePaths] | None = None  # with their model: another thread may load a new one
    _encode_options: tuple[str, ...] = ()  # extra options of sentencepiece 0.2.1
    _decode_options: tuple[str, ...] = ()

    def __init__(
        self,
        model_file: str | bytes | os.PathLike[Any] | None = None,
        model_proto: Any = None,
        out_type: ReturnType | None = None,
        add_bos: bool = False,
        add_eos: bool = False,
        reverse: bool = False,
        emit_unk_piece: bool = False,
        enable_sampling: bool = False,
        nbest_size: int = -1,
        alpha: float = 0.1,
        num_threads: int = -1,
        return_type: ReturnType | None = None,
    ) -> None:
        """Load a model from a path or from its bytes, if given. The other arguments are defaults of the calls.

        Args:
            model_file: the path of a model.
            model_proto: instead of a path, the bytes of a model, or a ModelProto.
            out_type, return_type: what a call returns, as in `Encode`; None: ids.
            add_bos, add_eos: add the ids for the beginning and the end of a text.
            reverse: True reverses the order of the pieces.
            emit_unk_piece: True gives the string of the unknown piece instead of the unknown text.
            enable_sampling: True draws a random segmentation.
            nbest_size: draw among that many best segmentations, 2 or more; below 0: among all.
            alpha: the smoothing of a drawn segmentation, or for BPE models the probability that a merge is left out.
            num_threads: of a call with a list of texts; below 0: all CPUs that this process may use.
        Raises:
            OptionError: both a path and bytes are given.
            RuntimeError: the model cannot be used.
            OSError: the file cannot be read.
        """
        self._forget()  # an object may be initialized twice
        self._return_type = resolve(return_type, out_type, int)
        self._add_bos = add_bos
        self._add_eos = add_eos
        self._reverse = reverse
        self._emit_unk_piece = emit_unk_piece
        self._enable_sampling = enable_sampling
        self._nbest_size = nbest_size
        self._alpha = alpha
        self._num_threads = num_threads
        if model_file or model_proto:
            self.Load(model_file, model_proto)

    def Init(self, *args: Any, **kwargs: Any) -> None:
        """Initialize an existing processor again, with the arguments of the constructor."""
        LoadedModel.__init__(self, *args, **kwargs)

    @classmethod
    def from_file(cls, model_file: str | bytes | os.PathLike[Any], **kwargs: Any) -> Self:
        """Return a processor with the model of a file. kwargs: other arguments of the constructor."""
        check_no_model(kwargs)
        processor = cls(**kwargs)
        processor.LoadFromFile(model_file)  # the constructor would take None or "" for "no model"
        return processor

    @classmethod
    def from_proto(cls, model_proto: Any, **kwargs: Any) -> Self:
        """Return a processor with the model of bytes or a ModelProto. kwargs: other arguments of the constructor."""
        check_no_model(kwargs)
        processor = cls(**kwargs)
        processor.LoadFromSerializedProto(model_proto)
        return processor

    def Load(self, model_file: str | bytes | os.PathLike[Any] | None = None, model_proto: Any = None) -> bool:
        """Load a model from a file or from bytes. Always True.

        After a damaged model the processor holds none. If the file cannot be read, it keeps the model it had.
        """
        if model_file and model_proto:
            raise OptionError("model_file and model_proto must be exclusive.")
        if model_proto:
            return self.LoadFromSerializedProto(model_proto)
        if not model_file:
            raise OptionError("Either model_file or model_proto must be specified.")
        return self.LoadFromFile(model_file)

    def LoadFromFile(self, filename: str | bytes | os.PathLike[Any]) -> bool:
        """Take the model in a file instead of the present one; return True. Raises OSError, or RuntimeError."""
        if not isinstance(filename, (str, bytes, os.PathLike)):
            raise ArgumentTypeError(f"a model file is a path, not {type(filename).__name__} {filename!r:.40}")
        name = os.fsdecode(filename)
        if not name:
            raise MissingFileRuntimeError("NOT_FOUND: model file path should not be empty.")
        return self._take(name)

    def LoadFromSerializedProto(self, serialized: Any) -> bool:
        """Load a model from its bytes, or from a ModelProto."""
        if hasattr(serialized, "SerializeToString"):
            serialized = serialized.SerializeToString()
        if not isinstance(serialized, (bytes, bytearray, memoryview)):
            raise ArgumentTypeError(f"a serialized model is bytes, not {type(serialized).__name__}")
        return self._take(serialized)

    def serialized_model_proto(self) -> bytes:
        """The model as bytes; b"" if none is loaded."""
        if self._tok is None:
            return b""
        with as_runtime_errors():
            return reference_bytes(self._tok)

    def __repr__(self) -> str:
        name = type(self).__name__
        if self._tok is None:
            return f"<{name} without a model>"
        return f"<{name}: {self._tok.model_type}, {self._tok.vocab_size:,} pieces>"

    def _take(self, source: str | bytes | bytearray | memoryview) -> bool:
        """Load a model and replace the present one by a single assignment, since other threads may be using it."""
        with as_runtime_errors():
            try:
                tok = Tokenizer._from_bytes(*model_of(source))  # not `load`: other formats are errors here
                if tok._file.has_own_pieces:  # sentencepiece sees a model without pieces
                    raise ModelError(f"unk is not defined. A {tok.model_type} model is read by spm_lite.Tokenizer.load")
                self._set_model(tok)
            except ModelError:
                self._forget()
                raise
        return True

    def _forget(self) -> None:
        self._tok = self._made_paths = None

    def _set_model(self, tok: Tokenizer) -> None:
        self._tok, self._made_paths = tok, None

    def _loaded(self) -> Tokenizer:
        """The model. Raises StateError if none is loaded."""
        if self._tok is None:
            raise StateError("INTERNAL: Model is not initialized. Load one first")
        return self._tok

    def _paths(self, tok: Tokenizer) -> ReferencePaths:
        """The lattice calls of a model that `_loaded` returned; made once for each model."""
        made = self._made_paths
        if made is None or made[0] is not tok:
            from spm_lite.lattice.reference_paths import ReferencePaths

            self._made_paths = made = tok, ReferencePaths(tok._encoder)
        return made[1]

    def __getstate__(self) -> dict[str, Any]:
        state = {name: value for name, value in vars(self).items() if name not in ("_tok", "_made_paths")}
        state["model_proto"] = b"" if self._tok is None else self._tok.to_bytes()
        return state

    def __setstate__(self, state: dict[str, Any] | bytes) -> None:
        if not isinstance(state, dict):  # older versions of sentencepiece pickled the model alone
            state = {"model_proto": state}
        LoadedModel.__init__(self)
        data = state["model_proto"]
        vars(self).update({name: value for name, value in state.items() if name != "model_proto"})
        if data:
            self.LoadFromSerializedProto(data)

    # The lower-case names of sentencepiece.
    init = Init
    load = Load
    load_from_file = LoadFromFile
    load_from_serialized_proto = LoadFromSerializedProto


def check_no_model(kwargs: dict[str, Any]) -> None:
    """Raise OptionError if the keyword arguments name a second model."""
    for name in ("model_file", "model_proto"):
        if name in kwargs:
            raise OptionError(f"{name} must not be given: the model is the first argument")


def model_of(source: str | bytes | bytearray | memoryview) -> tuple[bytes, str]:
    """The content of a model file, and what messages call it."""
    if isinstance(source, str):
        return read_bytes(source), source
    return bytes(source), f"{len(source)} bytes of memory"


for _name in ("__init__",):  # a loop, so that the type stays
    setattr(LoadedModel, _name, explained(getattr(LoadedModel, _name)))
