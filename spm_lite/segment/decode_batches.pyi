from collections.abc import Iterable
from typing import Any, final

from spm_lite.segment.decoder import Decoder
from spm_lite.segment.workers import Worker

def decode_lists(decoder: Decoder, lists: Iterable[Iterable[Any]], num_threads: int, raw: bool) -> list[Any]: ...
def decode_flat(decoder: Decoder, ids: Any, offsets: Any, num_threads: int, raw: bool) -> list[Any]: ...

@final
class DecodeWorker(Worker): ...
