from collections.abc import Iterable
from typing import Any

from spm_lite.decode.decoder import Decoder
from spm_lite.encode.encoder import DEFAULT_CACHE_BYTES as DEFAULT_CACHE_BYTES
from spm_lite.encode.encoder import Encoder
from spm_lite.lattice.distribution import Distribution
from spm_lite.tokenizer.parts import Variants
from spm_lite.tokenizer.tokenizer import Tokenizer
from spm_lite.training.report import TrainingReport
from spm_lite.vocab.model_file import ModelFile

class EncodingMethods:
    _encoder: Encoder
    _decoder: Decoder
    _file: ModelFile
    _report: TrainingReport | None
    _variants: Variants
    _segmentations: Distribution | None
    @classmethod
    def _from_bytes(
        cls, data: bytes, name: str = "a model", report: TrainingReport | None = None, cache_bytes: int = ...
    ) -> Tokenizer: ...
    def encode(
        self,
        text: str | bytes,
        *,
        bos: bool = False,
        eos: bool = False,
        prefix_space: bool | None = None,
        allow_special: str | Iterable[str | bytes] = (),
        user_defined: bool = True,
        errors: str = "strict",
        unknown: str | None = None,
    ) -> list[int]: ...
    def count(
        self,
        text: str | bytes,
        *,
        limit: int | None = None,
        bos: bool = False,
        eos: bool = False,
        prefix_space: bool | None = None,
        user_defined: bool = True,
    ) -> int: ...
    def decode(self, ids: Iterable[Any], *, prefix_space: bool | None = None, errors: str = "replace") -> str: ...
    @property
    def _distribution(self) -> Distribution: ...
    def _bos_eos(self, bos: bool, eos: bool) -> tuple[int, int]: ...
