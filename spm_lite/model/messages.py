"""The message classes, made from the descriptors in `schema` in a pool of their own.

The pool is private, so the classes clash with no other library's in the same process. protobuf is imported when
the first class is asked for; by name, since its own typing needs a package that nothing else here does.
"""

from __future__ import annotations

import copyreg
from contextlib import suppress
from functools import cache
from importlib import import_module
from threading import Lock
from typing import Any

from spm_lite.errors import ModelError, TextError
from spm_lite.model import schema

PACKAGE = "spm_lite"
classes: dict[str, Any] = {}  # message name -> class, made when first asked for
one_at_a_time = Lock()  # two threads that need their first messages must not make two pools, nor see half a class


@cache
def make_pool() -> Any:
    """The DescriptorPool with all our messages; there is one as soon as there is a class."""
    pool = import_module("google.protobuf.descriptor_pool").DescriptorPool()
    for file in (schema.MODEL, schema.TEXT):
        pool.AddSerializedFile(file)
    return pool


def message_class(name: str) -> Any:
    """The class of a message: "ModelProto", "TrainerSpec", "SentencePieceText.SentencePiece" ...

    Raises KeyError on a name that the .proto files do not hold.
    """
    if name not in classes:
        with one_at_a_time:
            if name not in classes:
                classes[name] = make_class(name)
    return classes[name]


def make_class(name: str) -> Any:
    """The class of a message that has none yet; one thread at a time."""
    pool = make_pool()
    descriptor = pool.FindMessageTypeByName(f"{PACKAGE}.{name}")
    factories = import_module("google.protobuf.message_factory")
    if hasattr(factories, "GetMessageClass"):
        return factories.GetMessageClass(descriptor)
    return factories.MessageFactory(pool).GetPrototype(descriptor)  # protobuf before 4.22


def public_class(name: str, module: str) -> Any:
    """The class of a message as a name of `module`; its messages, and those inside them, can be pickled."""
    kind = message_class(name)
    publish(kind, name, module)
    return kind


def publish(kind: Any, name: str, module: str) -> None:
    """Let a class, and those inside it, look as if defined in `module`, and tell pickle how to make its messages."""
    kind.__module__, kind.__qualname__ = module, name
    copyreg.pickle(kind, lambda message: (read_message, (name, message.SerializePartialToString())))
    for inner in kind.DESCRIPTOR.nested_types:
        inner_kind = message_class(f"{name}.{inner.name}")
        publish(inner_kind, f"{name}.{inner.name}", module)
        if not hasattr(kind, inner.name):  # the pure Python version leaves that to generated code
            setattr(kind, inner.name, inner_kind)


def read_message(name: str, data: bytes) -> Any:
    """A message of class `name` from its bytes.

    Raises ModelError or, for what is no model, TextError where protobuf is in pure Python and a string is not UTF-8.
    """
    try:
        return message_class(name).FromString(data)
    except UnicodeDecodeError as error:
        kind = ModelError if name == "ModelProto" else TextError
        raise kind(
            f"{error.reason}: protobuf in pure Python, which is in use here, holds no such string. "
            "Install protobuf with its compiled part"
        ) from None


def decode_error() -> type[Exception]:
    """What protobuf raises on bytes that are no message."""
    error: type[Exception] = import_module("google.protobuf.message").DecodeError
    return error


def has_extension(model: Any) -> bool:
    """Whether a ModelProto has our extension."""
    return bool(model.HasExtension(extension_field()))


def extension_of(model: Any) -> Any:
    """What only spm_lite knows about a model: the `Extension` message in a ModelProto, defaults where there is none."""
    return model.Extensions[extension_field()]


@cache
def extension_field() -> Any:
    """The descriptor of our extension of ModelProto."""
    model_class = message_class("ModelProto")
    message_class("Extension")
    field = make_pool().FindExtensionByName(f"{PACKAGE}.extension")
    if not hasattr(import_module("google.protobuf.message_factory"), "GetMessageClass"):
        with suppress(NotImplementedError):  # before 4.22 the pure Python version must be told, the other cannot be
            model_class.RegisterExtension(field)
    return field
