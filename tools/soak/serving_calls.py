"""Calls of programs that serve: growing texts, kept prefixes, streams, chats, the page, engines, arrays."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np

import spm_lite
from spm_lite import Batch, BatchStream, CountTable, Tokenizer
from spm_lite.cli.play_answers import QUESTIONS, Played, answer
from spm_lite.engines import worker

if TYPE_CHECKING:
    from public_calls import Calls, Inputs

CHAT = (
    "{% for m in messages %}<{{ m.role }}>{% generation %}{{ m.content }}{% endgeneration %}"
    "{% endfor %}{% if add_generation_prompt %}<bot>{% endif %}"
)
ROLES = ("user", "bot")


def serving_calls(given: Inputs, n: int) -> Calls:
    """The calls of servers and of engines, with n threads where they use some."""
    tok, ids = given.tok, given.lists[-1]
    options: dict[str, Any] = {"vocab_size": 350, "hard_vocab_limit": False, "num_threads": 1}
    chatting = spm_lite.train(given.few, model_type="bpe", control_symbols=[f"<{role}>" for role in ROLES], **options)
    messages = [{"role": ROLES[i % 2], "content": line} for i, line in enumerate(given.few[:10])]
    calls: Calls = {
        "growing": lambda: growing(tok, given.few[:30]),
        "growing bpe": lambda: growing(given.bpe, given.few[:30]),
        "growing split": lambda: growing(given.split, given.few[:30]),
        "prefix_cache": lambda: prefixes(given.bpe, given.few[:10]),
        "BatchStream": lambda: batch_stream(tok, given.lists[-8:]),
        "stream spans": lambda: stream_spans(tok, ids),
        "encode_chat": lambda: chat(chatting, messages),
        "play": lambda: played(given.bpe, given.few[0]),
        "is_canonical": lambda: (tok.is_canonical(ids), tok.is_canonical(ids[::-1])),
        "worker": lambda: worker.tokenizer(tok.to_bytes()).encode_batch(given.few, num_threads=n),
        "shards verify": lambda: verified(given),
        "Batch.arrays": lambda: [np.asarray(one) for one in given.batch.arrays()],
        "Batch.attention_mask": lambda: given.batch.attention_mask(64, truncate=True),
        "CountTable.from_bytes": lambda: CountTable.from_bytes(given.table.to_bytes()),
        "CountTable.rules_for": lambda: str(CountTable.rules_for(model_type="bpe")),
    }
    if find_spec("pyarrow"):
        calls.update(arrow_calls(given, n))
    return calls


def growing(tok: Tokenizer, lines: list[str]) -> tuple[Any, ...]:
    """A text that grows, changes, splits into two and shrinks."""
    text = tok.growing(lines[0])
    firsts = [text.append(line) for line in lines]
    text.append_special(tok.id_to_piece(tok.unk_id)) if tok.unk_id >= 0 else None
    text.append_ids(tok.encode(lines[0]))
    other = text.branch()
    changed = text.replace(1, 3, lines[1])
    other.truncate(len(lines[0]))
    again = spm_lite.GrowingText.from_ids(tok, other.ids)
    return firsts, str(changed), list(text.ids), list(other.ids), again.text


def prefixes(tok: Tokenizer, lines: list[str]) -> tuple[Any, ...]:
    """Ids of texts that begin alike, and what the cache says."""
    cache = tok.prefix_cache(1_000_000)
    long = "".join(lines) * 20
    found = [cache.encode(long + line) for line in lines]
    info = str(cache.info)
    cache.clear()
    return np.concatenate(found), info, cache.helps


def batch_stream(tok: Tokenizer, lists: list[list[int]]) -> tuple[Any, ...]:
    """Texts that are decoded beside one another."""
    streams = BatchStream(tok.stream(), len(lists))
    size = min(map(len, lists))
    texts = [streams.push(ids) for ids in zip(*(ids[:size] for ids in lists), strict=True)]
    rest = streams.flush_one(0)
    streams.prime(0, lists[0])
    return texts, rest, streams.flush()


def stream_spans(tok: Tokenizer, ids: list[int]) -> tuple[Any, ...]:
    """The same ids through all ways of a stream, as text and as bytes."""
    found: list[Any] = []
    for as_bytes in (False, True):
        one: Any = tok.stream(as_bytes=as_bytes)
        one.prime(ids[:3])
        other = one.copy()
        found += [[one.push_spans(piece_id) for piece_id in ids], one.flush_spans()]
        found += [other.push_many(ids), other.flush()]
    return tuple(found)


def chat(tok: Tokenizer, messages: list[dict[str, str]]) -> tuple[Any, ...]:
    """A conversation, its mask and its turns."""
    found = tok.encode_chat(messages, CHAT, add_generation_prompt=True)
    return found.ids, found.mask("bot"), str(found.turns)


def played(tok: Tokenizer, text: str) -> list[Any]:
    """All answers of the page."""
    models = [Played("m.model", tok)]
    return [answer(models, question, {"text": text, "n": 3, "merges": 50}) for question in QUESTIONS]


def verified(given: Inputs) -> str:
    """What a proof of the shards finds, which are made where they are missing."""
    from public_calls import run_shards

    from spm_lite.engines import shards

    run_shards(given)
    folder = given.folder / "shards"
    shards.plan(given.folder / "text", folder, given.tok, shard_size=2000).save(given.folder / "plan.json")
    return str(shards.load(given.folder / "plan.json").verify(num_workers=1))


def arrow_calls(given: Inputs, n: int) -> Calls:
    """The calls on Arrow tables."""
    import pyarrow

    from spm_lite.engines.datasets import Encode

    table = pyarrow.table({"text": given.few})
    return {
        "datasets.Encode": lambda: Encode(given.tok, num_threads=n)(table).to_pylist(),
        "encode_batch arrow": lambda: given.tok.encode_batch(table["text"], num_threads=n),
        "CountTable.to_arrow": lambda: CountTable.from_arrow(given.table.to_arrow()),
        "CountTable.save_parquet": lambda: parquet_again(given),
        "Batch of arrow": lambda: Batch.from_lists(pyarrow.array(given.lists[-50:])),
    }


def parquet_again(given: Inputs) -> CountTable:
    """A table that went through a Parquet file."""
    given.table.save_parquet(given.folder / "c.parquet")
    return CountTable.load_parquet(given.folder / "c.parquet")
