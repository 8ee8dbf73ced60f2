"""The protobuf message classes, made from the descriptors in `schema` in a private pool.

With a private pool the classes clash with no other library's in the same process. protobuf is imported when the first
class is needed. It is imported by name, since its type stubs are an extra package.
"""

from __future__ import annotations

import copyreg
from contextlib import suppress
from functools import cache
from importlib import import_module
from threading import RLock
from typing import Any

from spm_lite.base.system.imports_at_fork import hold_at_fork
from spm_lite.errors import ModelError, TextError
from spm_lite.vocab import schema

PACKAGE = "spm_lite"
classes: dict[str, Any] = {}  # message name -> class, made when first asked for
one_at_a_time = RLock()  # no two threads may make two pools, or see a class half made
hold_at_fork(one_at_a_time)  # a fork waits for a class in the making: its thread would be missing in the child


@cache
def make_pool() -> Any:
    """The one DescriptorPool with all our messages; made with the first class."""
    pool = import_module("google.protobuf.descriptor_pool").DescriptorPool()
    for file in (schema.MODEL, schema.TEXT):
        pool.AddSerializedFile(file)
    return pool


def message_class(name: str) -> Any:
    """The class of a message: "ModelProto", "TrainerSpec", "SentencePieceText.SentencePiece" ...

    Raises KeyError for a name that is not in the .proto files.
    """
    if name not in classes:
        with one_at_a_time:
            if name not in classes:
                classes[name] = make_class(name)
    return classes[name]


def make_class(name: str) -> Any:
    """Make the class of a message. The caller holds `one_at_a_time`."""
    pool = make_pool()
    descriptor = pool.FindMessageTypeByName(f"{PACKAGE}.{name}")
    factories = import_module("google.protobuf.message_factory")
    if hasattr(factories, "GetMessageClass"):
        return factories.GetMessageClass(descriptor)
    return factories.MessageFactory(pool).GetPrototype(descriptor)  # protobuf before 4.22


def public_class(name: str, module: str) -> Any:
    """The class of a message, published as a name of `module`, so that it and its nested classes can be pickled."""
    kind = message_class(name)
    publish(kind, name, module)
    return kind


def publish(kind: Any, name: str, module: str) -> None:
    """Name `module` as the home of a class and its nested classes, and register how pickle makes their messages."""
    kind.__module__, kind.__qualname__ = module, name
    copyreg.pickle(kind, lambda message: (read_message, (name, serialize(message))))
    for inner in kind.DESCRIPTOR.nested_types:
        inner_kind = message_class(f"{name}.{inner.name}")
        publish(inner_kind, f"{name}.{inner.name}", module)
        if not hasattr(kind, inner.name):  # the pure Python version leaves that to generated code
            setattr(kind, inner.name, inner_kind)


def parse(name: str, data: bytes) -> Any:
    """Parse a message of class `name`. Raises what protobuf raises, but MemoryError where it says so in words only."""
    try:
        return message_class(name).FromString(data)
    except decode_error() as error:
        if "alloc failed" in str(error):
            raise MemoryError(f"not enough memory for a message {name} of {len(data)} bytes") from None
        raise


def serialize(message: Any) -> bytes:
    """The bytes of a message: equal messages have equal ones. Raises MemoryError, which protobuf calls EncodeError."""
    try:
        data: bytes = message.SerializeToString(deterministic=True)
    except import_module("google.protobuf.message").EncodeError:  # our messages have no fields that must be set
        raise MemoryError(f"not enough memory for the bytes of a message {message.DESCRIPTOR.name}") from None
    return data


def read_message(name: str, data: bytes) -> Any:
    """Parse a message of class `name`.

    Pure-Python protobuf cannot hold a string that is not UTF-8: raises ModelError for a model, TextError for other
    messages.
    """
    try:
        return parse(name, data)
    except UnicodeDecodeError as error:
        kind = ModelError if name == "ModelProto" else TextError
        raise kind(
            f"{error.reason}: protobuf in pure Python, which is in use here, holds no such string. "
            "Install protobuf with its compiled part"
        ) from None


def decode_error() -> type[Exception]:
    """The exception class of protobuf for bytes that are not a message."""
    error: type[Exception] = import_module("google.protobuf.message").DecodeError
    return error


def has_extension(model: Any) -> bool:
    """Whether a ModelProto has our extension."""
    return bool(model.HasExtension(extension_field()))


def extension_of(model: Any) -> Any:
    """The `Extension` message of a ModelProto, which only spm_lite knows; with defaults if absent."""
    return model.Extensions[extension_field()]


@cache
def extension_field() -> Any:
    """The descriptor of our extension of ModelProto."""
    model_class = message_class("ModelProto")
    message_class("Extension")
    field = make_pool().FindExtensionByName(f"{PACKAGE}.extension")
    if not hasattr(import_module("google.protobuf.message_factory"), "GetMessageClass"):
        with suppress(NotImplementedError):  # before 4.22: pure Python needs the registration, compiled code refuses it
            model_class.RegisterExtension(field)
    return field
