"""SentencePieceNormalizer: normalization rules and whitespace handling without a vocabulary."""

from __future__ import annotations

import operator
from collections.abc import Iterable
from typing import Any, Literal, NoReturn, overload

from spm_lite.errors import ArgumentTypeError, ModelError, OptionError
from spm_lite.files.open_files import AnyPath, read_bytes
from spm_lite.normalize.from_settings import make_normalizer
from spm_lite.normalize.normalizer import Normalizer
from spm_lite.sentencepiece.call_arguments import StateError, as_runtime_errors
from spm_lite.sentencepiece.normalized import Aligned, AlignedBytes, normalize_input
from spm_lite.sentencepiece.normalizer_rules import TABLE_NAME, named_rules, paired_rules, table_rules
from spm_lite.vocab import messages


class SentencePieceNormalizer:
    """Normalizes text without a vocabulary, as a processor with the same spec does, with two differences.

    User-defined symbols are not protected, and the added space always comes first.

    >>> normalizer = SentencePieceNormalizer(norm_map=[("colour", "color")], add_dummy_prefix=False)
    >>> normalizer.normalize("two  colours", with_offsets=True)
    ('two▁colors', [0, 1, 2, 3, 5, 5, 5, 5, 5, 11, 12])
    """

    __module__ = "spm_lite"  # where users find it; a pickle names this place

    def __init__(
        self,
        model_file: AnyPath | None = None,
        model_proto: Any = None,
        normalizer_spec: Any = None,
        rule_tsv: AnyPath | None = None,
        rule_name: str | bytes | None = None,
        norm_map: Iterable[Any] | None = None,
        add_dummy_prefix: bool | None = None,
        escape_whitespaces: bool | None = None,
        remove_extra_whitespaces: bool | None = None,
    ) -> None:
        """Read the rules from the first source that is neither None nor empty. The three flags override its own.

        Args:
            model_file: the path of a model.
            model_proto, normalizer_spec: such messages, or their bytes.
            rule_tsv: the path of a table of rules.
            rule_name: the name of a rule set.
            norm_map: (source, target) pairs.
            add_dummy_prefix, escape_whitespaces, remove_extra_whitespaces: the flags; None: as in the source.
        Raises:
            OptionError: there is no source, or a name or a pair is invalid.
            RuntimeError: a file, a model or rules cannot be used.
            ArgumentTypeError: an argument has a wrong type.
        """
        if model_file:
            with as_runtime_errors():
                spec = spec_of_model(read_bytes(model_file), repr(model_file))
        elif model_proto:
            spec = spec_of_model(serialized(model_proto, "model_proto"), "model_proto")
        elif normalizer_spec:
            spec = parse("NormalizerSpec", serialized(normalizer_spec, "normalizer_spec"), "normalizer_spec")
        elif rule_tsv:
            spec = spec_with_rules(table_rules(rule_tsv, "rule_tsv"), TABLE_NAME)
            spec.normalization_rule_tsv = as_name(rule_tsv, "rule_tsv")
        elif rule_name:
            name = as_name(rule_name, "rule_name")
            spec = spec_with_rules(named_rules(name), name)
        elif norm_map:
            spec = spec_with_rules(paired_rules(norm_map))
        else:
            raise OptionError(
                "no model is specified: give model_file, model_proto, normalizer_spec, rule_tsv, rule_name or norm_map"
            )
        flags = {
            "add_dummy_prefix": add_dummy_prefix,
            "escape_whitespaces": escape_whitespaces,
            "remove_extra_whitespaces": remove_extra_whitespaces,
        }
        for flag, value in flags.items():
            if value is not None:
                setattr(spec, flag, as_bool(value, flag))
        self._use(spec)

    _spec: Any  # the NormalizerSpec message; unknown fields of a model stay in it
    _normalizer: Normalizer | None = None

    def _use(self, spec: Any) -> None:
        """Use the rules and flags of this NormalizerSpec from now on."""
        self._normalizer = None
        with as_runtime_errors():
            self._normalizer = make_normalizer(spec, may_be_compact=True)
        self._spec = spec

    def _loaded(self) -> Normalizer:
        if self._normalizer is None:
            raise StateError(
                "INTERNAL: the normalizer has no rules: it was not made, or the last model could not be loaded"
            )
        return self._normalizer

    @overload
    def normalize(self, input: str, with_offsets: Literal[False] | None = None) -> str: ...
    @overload
    def normalize(self, input: bytes, with_offsets: Literal[False] | None = None) -> bytes: ...
    @overload
    def normalize(self, input: list[str], with_offsets: Literal[False] | None = None) -> list[str]: ...
    @overload
    def normalize(self, input: list[bytes], with_offsets: Literal[False] | None = None) -> list[bytes]: ...
    @overload
    def normalize(self, input: str, with_offsets: Literal[True]) -> Aligned: ...
    @overload
    def normalize(self, input: bytes, with_offsets: Literal[True]) -> AlignedBytes: ...
    @overload
    def normalize(self, input: list[str], with_offsets: Literal[True]) -> list[Aligned]: ...
    @overload
    def normalize(self, input: list[bytes], with_offsets: Literal[True]) -> list[AlignedBytes]: ...
    @overload
    def normalize(self, input: Any, with_offsets: Any = None) -> Any: ...
    def normalize(self, input: Any, with_offsets: Any = None) -> Any:
        """The normalized text, of the input's type; a list gives a list.

        with_offsets: return (text, offsets). Entry k is the position in the input from which character k of the text
        (byte k, for bytes) comes; one more entry is the end of the used input.
        Raises ArgumentTypeError for other input, TextRuntimeError on a lone surrogate.
        """
        return normalize_input(self._loaded(), input, bool(with_offsets))

    def decompile(self) -> list[tuple[str, str]]:
        """All rules as (source, target) pairs, sorted by source. Raises StateError if there are none."""
        charsmap = self._loaded().charsmap
        if not charsmap.blob:
            raise StateError("INTERNAL: No precompiled charsmap found in model.")
        with as_runtime_errors():
            return charsmap.decompile()

    def serialized_normalizer_spec(self) -> bytes:
        """The NormalizerSpec message, flags included, as bytes."""
        self._loaded()
        return messages.serialize(self._spec)

    def serialized_model_proto(self) -> bytes:
        """A model message that holds only the spec, as bytes."""
        self._loaded()
        model = messages.message_class("ModelProto")()
        model.normalizer_spec.CopyFrom(self._spec)
        return messages.serialize(model)

    def LoadFromFile(self, filename: AnyPath) -> bool:
        """Use the normalizer of a model file from now on. Always True, as are the three methods below."""
        self.Init(model_file=filename)
        return True

    def LoadFromSerializedProto(self, serialized: Any) -> bool:
        """Use the normalizer of a model given as bytes."""
        self.Init(model_proto=serialized)
        return True

    def LoadFromRuleTSV(self, filename: AnyPath) -> bool:
        """Use the rules of a table."""
        self.Init(rule_tsv=filename)
        return True

    def LoadFromRuleName(self, name: str | bytes) -> bool:
        """Use a named set of rules."""
        self.Init(rule_name=name)
        return True

    def __getstate__(self) -> bytes:
        return self.serialized_model_proto()

    def __setstate__(self, serialized_model_proto: bytes) -> None:
        self._normalizer = None
        self._use(spec_of_model(serialized(serialized_model_proto, "the state"), "the state"))

    Init = init = __init__  # this and the names below: of version 0.2.1
    load_from_file = LoadFromFile
    load_from_serialized_proto = LoadFromSerializedProto
    load_from_rule_t_s_v = LoadFromRuleTSV
    load_from_rule_name = LoadFromRuleName
    Normalize = normalize
    Decompile = decompile


def spec_of_model(data: bytes, name: str) -> Any:
    """The normalizer spec in the bytes of a model. name: the source, for error messages."""
    return parse("ModelProto", data, name).normalizer_spec


def spec_with_rules(blob: bytes, name: str | None = None) -> Any:
    """A NormalizerSpec message with these compiled rules."""
    spec = messages.message_class("NormalizerSpec")()
    if name is not None:
        spec.name = name
    spec.precompiled_charsmap = blob
    return spec


def parse(kind: str, data: bytes, name: str) -> Any:
    """Parse a message from bytes. Raises ModelRuntimeError."""
    with as_runtime_errors():
        try:
            return messages.parse(kind, data)
        except (messages.decode_error(), UnicodeDecodeError) as error:
            raise ModelError(f"{name} is not a {kind} message: {error}") from None


def serialized(value: Any, name: str) -> bytes:
    """The bytes of a message that is given as bytes or as an object."""
    if hasattr(value, "SerializeToString"):
        value = value.SerializeToString()
    if not isinstance(value, bytes):
        raise ArgumentTypeError(f"{name} is {type(value).__name__}: must be bytes or a message")
    return value


def as_name(value: Any, name: str) -> str:
    """A name or path as str."""
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    if hasattr(value, "__fspath__"):
        return as_name(value.__fspath__(), name)
    if not isinstance(value, str):
        refuse(value, name, "str")
    return str(value)


def as_bool(value: Any, name: str) -> bool:
    """A flag as bool; numbers are accepted, text is not."""
    if isinstance(value, float):
        return bool(int(value))
    try:
        return bool(operator.index(value))
    except TypeError:
        refuse(value, name, "True, False or None")


def refuse(value: Any, name: str, expected: str) -> NoReturn:
    """Raise ArgumentTypeError for a value of a wrong type."""
    raise ArgumentTypeError(f"{name}={value!r:.80}: must be {expected}, not {type(value).__name__}")
