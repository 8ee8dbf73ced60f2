"""One shard: the documents of its slices to ids, and the ids to its files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spm_lite.engines.shards.readers import BLOCK_SIZE, Block, Reading, bounds_of, read_slice
from spm_lite.engines.shards.shard_files import shard_files
from spm_lite.engines.shards.sources import JSONL, TEXT, is_whole
from spm_lite.errors import TextError
from spm_lite.files.documents import LINE_END
from spm_lite.files.id_forms import vocabulary_name
from spm_lite.texts.delimited_texts import Documents
from spm_lite.texts.wrong_texts import raise_first

if TYPE_CHECKING:
    from spm_lite.encode.encoder import Encoder
    from spm_lite.engines.shards.plans import Plan
    from spm_lite.tokenizer.tokenizer import Tokenizer


def make_shard(plan: Plan, task: int, tok: Tokenizer, threads: int) -> dict[str, Any]:
    """Write the files of a shard and return what its record tells of them.

    Spans are the bytes of text that were read, so that `finish` can tell that none is lost or read twice.
    """
    options, n_bytes, spans = plan.options, 0, []
    reading = Reading(options["separator"].encode("latin-1"), options["column"], options["nulls"] == "empty")
    ends = tok._bos_eos(options["bos"], options["eos"])
    given = plan.key(task)[:8], options["format"], options["dtype"], vocabulary_name(plan.model)
    with shard_files(plan.folder(), task, *given) as files:
        for part in plan.tasks[task]:
            source = plan.sources[part.source]
            if not is_whole(source) and source.kind in (TEXT, JSONL):
                separator = reading.separator if source.kind == TEXT else LINE_END
                spans.append([part.source, *bounds_of(source.file(), part, separator)])
            for block in read_slice(source, part, reading, BLOCK_SIZE * threads):
                files.writer.write(*encode_block(tok._encoder, block, threads, ends))
                n_bytes += block.n_bytes
        written = files.finish()
        figures = {"documents": files.writer.n_documents, "ids": files.writer.n_ids, "bytes": n_bytes}
    return {**figures, "spans": spans, "files": written}


def encode_block(encoder: Encoder, block: Block, threads: int, bos_eos: tuple[int, int]) -> tuple[Any, Any]:
    """(ids, offsets) of the documents of a block. Raises TextError naming the document that cannot be encoded."""
    from spm_lite.encode.encode_batch import encode_batch

    try:
        return encode_batch(encoder, block.texts, threads, *bos_eos)
    except TextError:
        found: Any = block.texts
        texts = found.to_list() if isinstance(found, Documents) else getattr(found, "items", found)
        raise_first(texts, encoder.encode, block.name)
        raise
