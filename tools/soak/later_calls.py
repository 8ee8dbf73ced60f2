"""The public calls that `public_calls` has not: judging, changed vocabularies, growing texts, chats, commands."""

from __future__ import annotations

import io
import threading
import urllib.request
from pathlib import Path
from typing import Any

import numpy as np
from public_calls import Calls, Inputs

import spm_lite
from spm_lite import Audit, Batch, CountTable, Lock, Tokenizer, VocabMap
from spm_lite.cli.command_names import COMMANDS
from spm_lite.cli.main import main
from spm_lite.cli.play_answers import Played
from spm_lite.cli.play_server import PlayServer
from spm_lite.engines import shards

SMALL: dict[str, Any] = {"hard_vocab_limit": False, "num_threads": 1}
TEMPLATE = "{% for m in messages %}{% generation %}{{ m.role + ': ' + m.content }}{% endgeneration %}\n{% endfor %}"
MESSAGES = [{"role": "user", "content": "the cat"}, {"role": "assistant", "content": "sat"}]
NEW = ["where have the newer words gone", "newer words are learned by a vocabulary that is extended"] * 9
NOT_CALLED = {  # public names, and why no call is here
    "install_as_sentencepiece": "replaces a module of the process, which is what it is for",
    "Audit.to_pandas": "needs pandas",
    "Batch.to_torch": "needs torch",
    "spm-lite play": "serves until Ctrl-C; `PlayServer` stands for it",
}


class Later:
    """What these calls need besides Inputs."""

    def __init__(self, given: Inputs) -> None:
        self.texts = {"one": given.few, "two": given.few[::-1]}
        self.pair = {"a": given.tok, "b": given.bpe}
        self.audit = spm_lite.audit(self.pair, self.texts, num_threads=1)
        self.lock = spm_lite.lock(given.bpe, given.few)
        self.extended = given.bpe.extend(NEW, 5, num_threads=1)
        self.sweep = spm_lite.sweep(given.few, [350, 400], model_type="bpe", **SMALL)
        self.fair = spm_lite.sweep(
            self.texts, [400], model_type="bpe", balance=["tokens"], parallel=self.texts, **SMALL
        )
        self.balanced = spm_lite.train(
            self.texts, model_type="bpe", vocab_size=400, balance="tokens", parallel=self.texts, **SMALL
        )
        self.conversion = given.bpe.to_hf(given.folder / "of_later", overwrite=True)
        self.growing = given.bpe.growing("the cat sat")
        self.chat = given.bpe.encode_chat(MESSAGES, TEMPLATE)
        self.plan = shards.plan(given.folder / "text", given.folder / "later", given.bpe, shard_size=20_000)
        self.plan.run(num_workers=1)


def judging(given: Inputs, later: Later) -> Calls:
    """Audits, locks, alignments and sweeps."""
    audit, folder = later.audit, given.folder
    audit.to_json(folder / "audit.json")
    later.lock.save(folder / "a.lock")
    return {
        "audit": lambda: spm_lite.audit(later.pair, later.texts, num_threads=1).to_dict()["format"],
        "as_tokenizer": lambda: spm_lite.as_tokenizer(given.bpe).name,
        "align": lambda: spm_lite.align(given.tok, given.bpe, given.few, num_threads=1).kinds(),
        "Audit.load": lambda: Audit.load(folder / "audit.json").best,
        "Audit.changes_since": lambda: audit.changes_since(audit),
        "Audit.unmet": lambda: audit.unmet("unreachable<=0"),
        "Audit.to_json": lambda: audit.to_json(folder / "audit2.json"),
        "Audit.to_html": lambda: audit.to_html(folder / "audit.html"),
        "Audit.to_arrow": lambda: audit.to_arrow().num_rows,
        "Audit": lambda: (str(audit), audit._repr_html_(), [one.to_dict() for one in audit.verdicts]),
        "lock": lambda: str(spm_lite.lock(given.tok, given.few)),
        "Lock.load": lambda: Lock.load(folder / "a.lock").to_dict()["model"],
        "Lock.save": lambda: later.lock.save(folder / "b.lock"),
        "Lock.check": lambda: later.lock.check(given.tok, texts=given.few).to_dict()["same"],
        "sweep": lambda: spm_lite.sweep(given.few, [350, 400], model_type="bpe", **SMALL).to_dict(),
        "Sweep": lambda: (str(later.sweep), later.sweep.table()),
        "FairSweep": lambda: (later.fair.table(), later.fair.svg(), later.fair.to_dict(), later.fair.plain(400)),
        "FairSweep.best": lambda: later.fair.best(400, 1.0),
        "Balance": lambda: (later.balanced.report.balance.summary(), later.balanced.report.balance.table()),
    }


def changing(given: Inputs, later: Later) -> Calls:
    """Vocabularies that are changed, and their files."""
    bpe, few, folder = given.bpe, given.few, given.folder
    table = CountTable.count(few, num_threads=1)
    table.save_parquet(folder / "c.parquet")
    unused = spm_lite.train(few, model_type="bpe", vocab_size=400, control_symbols=["<|reserved_1|>"], **SMALL)
    return {
        "extend": lambda: bpe.extend(NEW, 5, num_threads=1).tokenizer,
        "prune": lambda: bpe.prune(source=few, n=len(bpe) - 9, num_threads=1).tokenizer,
        "replace": lambda: bpe.replace(NEW, 3, prune_for=few, num_threads=1).tokenizer,
        "rename": lambda: unused.rename({"<|reserved_1|>": "<new>"}).tokenizer,
        "claim_unused": lambda: unused.claim_unused(["<claimed>"]).tokenizer,
        "merge": lambda: spm_lite.merge(bpe, later.extended.tokenizer, n=2).tokenizer,
        "VocabMap": lambda: VocabMap.from_json(later.extended.map.to_json()).rows().indptr,
        "VocabMap.old_ids": lambda: later.extended.map.old_ids(3),
        "train superwords": lambda: spm_lite.train(few, model_type="bpe", vocab_size=400, superwords=0.9, **SMALL),
        "train parity": lambda: spm_lite.train(
            later.texts, model_type="bpe", vocab_size=400, objective="parity", parallel=later.texts, **SMALL
        ),
        "train checkpoint": lambda: spm_lite.train(
            few, model_type="bpe", vocab_size=400, checkpoint=folder / "state", **SMALL
        ),
        "convert": lambda: str(
            spm_lite.convert(folder / "m.model", folder / "converted", to="transformers", overwrite=True)
        ),
        "to_gguf": lambda: bpe.to_gguf(folder / "x.gguf").conditions,
        "load": lambda: spm_lite.load(folder / "of_later"),
        "from_hf": lambda: Tokenizer.from_hf(folder / "of_later"),
        "Conversion.unmet": lambda: later.conversion.unmet("the cat"),
        "CountTable.sum": lambda: CountTable.sum([table, table]),
        "CountTable.to_arrow": lambda: CountTable.from_arrow(table.to_arrow()),
        "CountTable.from_bytes": lambda: CountTable.from_bytes(table.to_bytes()),
        "CountTable.save_parquet": lambda: table.save_parquet(folder / "d.parquet"),
        "CountTable.load_parquet": lambda: CountTable.load_parquet(folder / "c.parquet"),
        "CountTable.rules_for": lambda: str(CountTable.rules_for()),
        "shards.load": lambda: saved_plan(later.plan, folder / "plan.json"),
        "shards.merge": lambda: tuple(shards.merge(folder / "later", folder / "joined")),
        "Plan.verify": lambda: later.plan.verify(num_workers=1).is_right,
    }


def using(given: Inputs, later: Later) -> Calls:
    """Growing texts, prefixes, chats, streams, pictures and places in a vocabulary."""
    tok, bpe, folder = given.tok, given.bpe, given.folder
    ids = bpe.encode("the cat sat")
    names = [bpe.id_to_piece(i) for i in range(9)]
    return {
        "growing": lambda: grown(bpe),
        "GrowingText.from_ids": lambda: spm_lite.GrowingText.from_ids(bpe, ids).text,
        "prefix_cache": lambda: prefixes(bpe, given.few),
        "encode_chat": lambda: bpe.encode_chat(MESSAGES, TEMPLATE).ids,
        "EncodedChat.mask": lambda: later.chat.mask(),
        "BatchStream": lambda: batch_stream(bpe, ids),
        "TextStream": lambda: streams(bpe, ids, as_bytes=False),
        "ByteStream": lambda: streams(bpe, ids, as_bytes=True),
        "count_files": lambda: bpe.count_files(folder / "text", num_threads=1).rows(),
        "explain": lambda: (bpe.explain("the cat").svg(), bpe.explain("the cat").save(folder / "x.svg")),
        "show": lambda: bpe.show("the cat", file=io.StringIO()),
        "get_vocab": lambda: len(tok.get_vocab()),
        "is_canonical": lambda: bpe.is_canonical(ids),
        "one id": lambda: [(bpe.piece_type(i), bpe.token_bytes(i), bpe.score(i)) for i in range(9)],
        "piece_to_id": lambda: [*map(bpe.piece_to_id, names)],
        "Batch.arrays": lambda: [*map(np.asarray, given.batch.arrays())][1],
        "Batch.attention_mask": lambda: given.batch.attention_mask(64, truncate=True),
        "Batch.from_lists": lambda: Batch.from_lists([[1], []]),
        "PlayServer": lambda: played(bpe),
    }


def commands(given: Inputs) -> Calls:
    """Each command of the shell, in this process. They write to standard output and standard error."""
    folder = given.folder
    model, text, out = str(folder / "m.model"), str(folder / "text"), str(folder / "of_a_command")
    given.bpe.save(folder / "bpe.model")
    bpe = str(folder / "bpe.model")
    few = str(folder / "few")
    Path(few).write_text("\n".join(given.few), encoding="utf-8")
    new = str(folder / "new")
    Path(new).write_text("\n".join(NEW), encoding="utf-8")
    main(["encode", "--model", model, text, "-o", str(folder / "ids"), "--quiet"])
    main(["lock", model, "-o", str(folder / "c.lock"), "--quiet"])
    lines = {
        "train": [few, "--vocab-size", "350", "--model-prefix", out, "--no-hard-vocab-limit", "--quiet"],
        "encode": ["--model", model, text, "-o", out],
        "decode": ["--model", model, str(folder / "ids"), "-o", out],
        "normalize": ["--model", model, few],
        "convert": [model, str(folder / "by_command"), "--to", "transformers", "--overwrite"],
        "count": ["--model", model, few],
        "edit": ["extend", bpe, new, "-n", "3", "-o", out, "--quiet"],
        "inspect": [model],
        "vocab": [model],
        "show": [model, "the cat"],
        "explain": [bpe, "the cat"],
        "compare": [model, bpe, few],
        "lock": [model, "-o", out],
        "check": [str(folder / "c.lock"), model],
        "audit": [model, bpe, "--text", f"en={few}", "--quiet"],
        "sweep": [few, "--sizes", "350,400", "--quiet", "--no-hard-vocab-limit"],
        "bench": [model, few],
        "shards": ["plan", few, "-o", str(folder / "by_shards"), "-m", model],
        "demo": [],
        "completion": ["bash"],
        "help": ["train"],
    }
    assert {*lines, "play"} == {*COMMANDS}
    return {f"spm-lite {name}": lambda name=name, line=line: main([name, *line]) for name, line in lines.items()}


def later_calls(given: Inputs) -> Calls:
    """The calls of all these kinds, by name; the commands are by themselves, since they write."""
    later = Later(given)
    return {**judging(given, later), **changing(given, later), **using(given, later)}


def saved_plan(plan: Any, path: Path) -> int:
    """The number of tasks of a plan that was saved and loaded."""
    plan.save(path)
    return len(shards.load(path))


def grown(tok: Tokenizer) -> str:
    """A text that is appended to, branched, replaced and cut."""
    text = tok.growing("the cat")
    text.append(" sat")
    branch = text.branch()
    branch.append_ids(tok.encode(" on"))
    branch.replace(0, 3, "a")
    branch.truncate(5)
    specials = [tok.id_to_piece(i) for i in range(9) if tok.piece_type(i) == "control"]
    for name in specials[:1]:
        branch.append_special(name)
    return text.text + branch.text


def prefixes(tok: Tokenizer, texts: list[str]) -> list[int]:
    """The sizes of texts that begin alike."""
    cache = tok.prefix_cache()
    sizes = [len(cache.encode("the cat " + text)) for text in texts[:9]]
    cache.clear()
    return sizes


def batch_stream(tok: Tokenizer, ids: list[int]) -> list[str]:
    """Two texts at once, id by id."""
    stream = spm_lite.BatchStream(tok.stream(), 2)
    stream.prime(0, ids[:2])
    found = [part for one in ids for part in stream.push([one, one])]
    return [*found, stream.flush_one(0), *stream.flush()]


def streams(tok: Tokenizer, ids: list[int], as_bytes: bool) -> list[Any]:
    """Every way to use a stream."""
    stream = tok.stream(as_bytes=as_bytes)
    stream.prime(ids[:1])
    other = stream.copy()
    return [stream.push_many(ids), stream.flush(), other.push_spans(ids), other.flush_spans(), other.push(ids[0])]


def played(tok: Tokenizer) -> int:
    """The size of the page of `spm-lite play`."""
    server = PlayServer([Played("m", tok)], 0)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        with urllib.request.urlopen(server.url, timeout=60) as page:
            return len(page.read())
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
