from typing import final

from spm_lite.base.system.arrays import Int32Array, Int64Array
from spm_lite.base.system.thread_tasks import Worker
from spm_lite.encode.encoder import Encoder
from spm_lite.texts.text_view import Texts

def encode_batch(
    encoder: Encoder, texts: Texts, num_threads: int, bos_id: int, eos_id: int
) -> tuple[Int32Array, Int64Array]: ...
def encode_lists(encoder: Encoder, texts: Texts, num_threads: int, bos_id: int, eos_id: int) -> list[list[int]]: ...
def count_batch(encoder: Encoder, texts: Texts, num_threads: int) -> Int64Array: ...

@final
class EncodeJob: ...

@final
class EncodeWorker(Worker): ...
