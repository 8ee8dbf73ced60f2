from collections.abc import Iterable
from typing import Any, final

from spm_lite.base.system.arrays import Int32Array
from spm_lite.base.system.thread_tasks import Worker
from spm_lite.decode.decoder import Decoder

@final
class DecodedSpanWorker(Worker): ...

def decoded_spans(decoder: Decoder, ids: Iterable[Any], unit: int) -> list[tuple[int, int]]: ...
def decoded_spans_flat(decoder: Decoder, ids: Any, offsets: Any, unit: int, num_threads: int) -> Int32Array: ...
