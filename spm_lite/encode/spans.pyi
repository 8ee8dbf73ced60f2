from typing import final

from spm_lite.base.system.arrays import Int32Array, Int64Array
from spm_lite.base.system.thread_tasks import Worker
from spm_lite.encode.encoded_text import EncodedText
from spm_lite.encode.encoder import Encoder
from spm_lite.encode.shares import TextWorker
from spm_lite.texts.text_view import Texts

@final
class PiecesWorker(Worker): ...

@final
class PieceSizes: ...

@final
class SpanFinder: ...

@final
class SpanWorker(TextWorker): ...

def spans_of(encoder: Encoder, text: str | bytes, unit: int) -> list[tuple[int, int]]: ...
def spans_batch(
    encoder: Encoder, texts: Texts, unit: int, num_threads: int, is_exact: bool = False
) -> tuple[Int32Array, Int64Array, Int32Array]: ...
def encode_texts(encoder: Encoder, texts: list[str | bytes], num_threads: int) -> list[EncodedText]: ...
