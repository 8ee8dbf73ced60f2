from collections.abc import Iterable
from typing import final

from spm_lite.counts.chunk_table import ChunkTable
from spm_lite.counts.spill import Spill
from spm_lite.normalize.normalizer import Normalizer
from spm_lite.specs import TrainerSpec

SPACE: str

@final
class CutRules:
    def __init__(
        self,
        normalizer: Normalizer,
        spec: TrainerSpec,
        meta_texts: Iterable[str],
        reference_rules: bool = False,
        are_normalized: bool = False,
    ) -> None: ...
    def normalized_form(self, text: str) -> bytes: ...
    def marked_text(self, line: bytes) -> bytes: ...
    def why_no_chunk(self, chunk: bytes) -> str | None: ...

@final
class LineCutter:
    def __init__(self, rules: CutRules) -> None: ...

@final
class ChunkCounter:
    def __init__(self, rules: CutRules, num_threads: int = 1, spill: Spill | None = None) -> None: ...
    def add_block(self, block: bytes, weighted: bool = False) -> None: ...
    def add_texts(self, texts: list[bytes], weighted: bool = False) -> None: ...
    def finish(self) -> ChunkTable: ...
    def figures(self) -> dict[str, int]: ...
