"""The message classes, made from the descriptors in `schema` in a pool of their own.

The pool is private, so the classes clash with no other library's in the same process. protobuf is imported when
the first class is asked for.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from spm_lite.io import schema

if TYPE_CHECKING:
    from google.protobuf.descriptor_pool import DescriptorPool
    from google.protobuf.message import Message

PACKAGE = "spm_lite"


@cache
def descriptor_pool() -> DescriptorPool:
    """The pool with the descriptors of all our messages."""
    from google.protobuf import descriptor_pool as pools

    pool = pools.DescriptorPool()
    for file in (schema.MODEL, schema.TEXT):
        pool.AddSerializedFile(file)
    return pool


@cache
def message_class(name: str) -> type[Any]:
    """The class of a message: "ModelProto", "TrainerSpec", "SentencePieceText.SentencePiece" ...

    Raises KeyError on a name that the .proto files do not hold.
    """
    descriptor = descriptor_pool().FindMessageTypeByName(f"{PACKAGE}.{name}")
    try:
        from google.protobuf.message_factory import GetMessageClass
    except ImportError:  # protobuf before 4.22
        return message_factory().GetPrototype(descriptor)  # type: ignore[no-any-return]
    return GetMessageClass(descriptor)


@cache
def message_factory() -> Any:
    """Maker of classes in protobuf before 4.22; one for all, which knows the extensions too."""
    from google.protobuf.message_factory import MessageFactory

    factory = MessageFactory(descriptor_pool())  # type: ignore[call-arg]
    factory.GetMessages(["spm_lite_model.proto", "spm_lite_text.proto"])  # type: ignore[attr-defined]
    return factory


def extension_of(model: Message) -> Any:
    """What only spm_lite knows about a model: the `Extension` message of a ModelProto, made when asked for.

    To see whether there is one use `has_extension`.
    """
    return model.Extensions[extension_field()]


def has_extension(model: Message) -> bool:
    """Whether a ModelProto has our extension."""
    return bool(model.HasExtension(extension_field()))


@cache
def extension_field() -> Any:
    """The descriptor of our extension of ModelProto."""
    message_class("ModelProto"), message_class("Extension")  # older protobuf links an extension to existing classes
    return descriptor_pool().FindExtensionByName(f"{PACKAGE}.extension")
