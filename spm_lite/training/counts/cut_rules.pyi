from collections.abc import Iterable
from typing import final

from spm_lite.normalize.normalizer import Normalizer
from spm_lite.specs import TrainerSpec

CUTS: dict[str, str]
SPACE: str

def is_valid_piece(text: str, spec: TrainerSpec, reference_rules: bool = False) -> bool: ...
def are_cut(first: str, second: str, spec: TrainerSpec) -> bool: ...

@final
class CutRules:
    def __new__(
        cls,
        normalizer: Normalizer,
        spec: TrainerSpec,
        meta_texts: Iterable[str],
        reference_rules: bool = False,
        are_normalized: bool = False,
        is_bert: bool = False,
    ) -> CutRules: ...
    @property
    def in_bytes(self) -> bool: ...
    def normalized_form(self, text: str) -> bytes: ...
    def marked_text(self, line: bytes) -> bytes: ...
    def why_no_chunk(self, chunk: bytes) -> str | None: ...
