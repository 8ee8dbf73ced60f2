from typing import final

from spm_lite.segment.arrays import Int32Array, Int64Array
from spm_lite.segment.encoder import Encoder
from spm_lite.segment.texts import Texts
from spm_lite.segment.workers import Worker

def encode_batch(
    encoder: Encoder, texts: Texts, num_threads: int, bos_id: int, eos_id: int
) -> tuple[Int32Array, Int64Array]: ...
def encode_lists(encoder: Encoder, texts: Texts, num_threads: int, bos_id: int, eos_id: int) -> list[list[int]]: ...
def count_batch(encoder: Encoder, texts: Texts, num_threads: int) -> Int64Array: ...

@final
class EncodeJob: ...

@final
class EncodeWorker(Worker): ...
