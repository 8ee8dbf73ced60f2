from collections.abc import Iterable
from typing import Any, final

from spm_lite.base.system.thread_tasks import Worker
from spm_lite.decode.decoder import Decoder

def decode_lists(decoder: Decoder, lists: Iterable[Iterable[Any]], num_threads: int, raw: bool) -> list[Any]: ...
def decode_flat(decoder: Decoder, ids: Any, offsets: Any, num_threads: int, raw: bool) -> list[Any]: ...

@final
class DecodeWorker(Worker): ...
