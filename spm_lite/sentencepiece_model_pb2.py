"""The messages of a model file: ModelProto, TrainerSpec and NormalizerSpec.

For programs that import sentencepiece's module of this name to look into models and to edit them. The classes are our
own, in a pool of their own; messages of sentencepiece and these are exchanged as bytes (`SerializeToString`,
`FromString`).
"""

from typing import Any

from spm_lite.vocab.messages import public_class

TrainerSpec: Any = public_class("TrainerSpec", __name__)
NormalizerSpec: Any = public_class("NormalizerSpec", __name__)
ModelProto: Any = public_class("ModelProto", __name__)
DESCRIPTOR: Any = ModelProto.DESCRIPTOR.file

__all__ = ["DESCRIPTOR", "ModelProto", "NormalizerSpec", "TrainerSpec"]
