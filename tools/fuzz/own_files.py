"""Files of our own, read back: a seed of each kind, and a use of all that its reader gives.

A use raises SpmLiteError for what it refuses; what it takes must be written as it was read.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import random
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import spm_lite
from spm_lite import Audit, CountTable, Lock, SpmLiteError, VocabMap
from spm_lite.engines import shards
from spm_lite.evaluation.report.summaries import TABLES
from spm_lite.formats.hugging_face.chat_templates import TEMPLATE_FILE
from spm_lite.training.checkpoint import COUNTS, FIGURES, IDENTITY, STATE, Checkpoint, pack, unpack
from spm_lite.training.counts.count_file import DIGEST

TEXTS = ["the cat sat on the mat", "a dog ran to the mat", "cats and dogs sat", "東京で 日本語 é e\u0301"] * 4
FILES = (IDENTITY, FIGURES, COUNTS, STATE)  # of a checkpoint
TRAININGS: dict[str, dict[str, Any]] = {
    "bpe": {"model_type": "bpe", "vocab_size": 310},
    "bpe_bytes": {"model_type": "byte_bpe", "vocab_size": 290, "graphemes": True},
    "unigram": {"model_type": "unigram", "vocab_size": 320},
    "wordpiece": {"model_type": "wordpiece", "vocab_size": 90},
    "parity": {"model_type": "bpe", "vocab_size": 310, "objective": "parity"},
}


class Reader(NamedTuple):
    """seed: the bytes of sound files. use: reads bytes, and looks at all that they give."""

    seeds: dict[str, bytes]
    use: Callable[[bytes], None]


class Unlike(Exception):
    """What was read is written otherwise."""


def expect(is_so: bool, what: str) -> None:
    """Raise Unlike unless it is so."""
    if not is_so:
        raise Unlike(what)


def readers(folder: Path, wanted: Iterable[str] | None = None) -> dict[str, Reader]:
    """The readers of all kinds of files. folder: for the files; it is filled. wanted: names of readers; None: all.

    Seeds of audits and locks take minutes under sanitizers, so others are made without them.
    """
    makers: dict[Callable[[Path], dict[str, Reader]], tuple[str, ...]] = {
        audits: ("audit",),
        locks: ("lock",),
        maps: ("map",),
        plans: ("plan",),
        manifests: ("record", "manifest"),
        tables: ("table", "table_tsv", "table_parquet", "arrow_rules"),
        lists: ("vocab", "counts", "seeds", "rules"),
        trainings: ("checkpoint",),
        ids_of_shards: ("ids",),
        templates: ("template", "chat_config", "messages"),
    }
    names = {name for known in makers.values() for name in known} if wanted is None else {*wanted}
    made = [make(folder) for make, known in makers.items() if names.intersection(known)]
    found = {name: reader for one in made for name, reader in one.items()}
    expect(found.keys() <= {name for known in makers.values() for name in known}, "a reader is missing in the table")
    return {name: reader for name, reader in found.items() if name in names}


def given_tokenizers() -> dict[str, spm_lite.Tokenizer]:
    """Two small tokenizers."""
    small: dict[str, Any] = {"hard_vocab_limit": False, "num_threads": 1}
    return {
        "a": spm_lite.train(TEXTS, model_type="bpe", vocab_size=300, **small),
        "b": spm_lite.train(TEXTS, model_type="unigram", vocab_size=290, **small),
    }


def audits(folder: Path) -> dict[str, Reader]:
    """Audits of two tokenizers with parallel texts and a mixture, and of one without text."""
    two = given_tokenizers()
    parallel = {"en": TEXTS, "de": [text.upper() for text in TEXTS], "ja": ["東京で日本語"] * len(TEXTS)}
    seeds = {
        "parallel": spm_lite.audit(two, parallel=parallel, weights={"en": 2, "de": 1, "ja": 1}, num_threads=1),
        "texts": spm_lite.audit(two, {"en": TEXTS}, orders=(), num_threads=1),
        "no_text": spm_lite.audit({"a": two["a"]}, num_threads=1),
    }
    data = {name: audit.to_json().encode() for name, audit in seeds.items()}
    sound = seeds["parallel"]

    def use(given: bytes) -> None:
        (folder / "audit.json").write_bytes(given)
        audit = Audit.load(folder / "audit.json")
        str(audit)
        repr(audit)
        audit.to_html()
        audit._repr_html_()
        for one in [*audit.verdicts, *audit.faults]:
            str(one)
        expect(audit.best is None or audit.best in audit.to_dict()["tokenizers"], "the best is no tokenizer")
        for table in TABLES:
            audit._columns(table)
        audit.unmet("unreachable<=0", "size<1e9", "fertility<2", "bytes_per_token>0") if audit.to_dict()["texts"] else 0
        [str(one) for one in [*audit.changes_since(sound), *sound.changes_since(audit)]]
        expect(audit.to_json() == Audit(audit.to_dict()).to_json(), "an audit is written otherwise")

    return {"audit": Reader(data, use)}


def locks(folder: Path) -> dict[str, Reader]:
    """Locks of two types of models, with texts and without."""
    two = given_tokenizers()
    data = {name: spm_lite.lock(tok, TEXTS if name == "a" else ())._bytes() for name, tok in two.items()}

    def use(given: bytes) -> None:
        (folder / "lock.json").write_bytes(given)
        lock = Lock.load(folder / "lock.json")
        str(lock)
        expect(Lock(lock.to_dict()) == lock, "a lock is written otherwise")
        for name, tok in two.items():
            with contextlib.suppress(spm_lite.OptionError):  # other texts
                str(lock.check(tok, texts=TEXTS if name == "a" else None))
            str(lock.check(tok).to_dict())

    return {"lock": Reader(data, use)}


def maps(folder: Path) -> dict[str, Reader]:
    """The map of a vocabulary that lost pieces and got others."""
    tok = given_tokenizers()["a"]
    more = tok.extend(["newer words were learned"] * 9, 3, num_threads=1)
    fewer = tok.prune(len(tok) - 5, source=TEXTS, num_threads=1)

    def use(given: bytes) -> None:
        found = VocabMap.from_json(given)
        repr(found)
        found.rows("overlap", pad_to_multiple_of=8)
        for new_id in range(min(found.n_new, 400)):
            found.old_ids(new_id)
        expect(VocabMap.from_json(found.to_json()) == found, "a map is written otherwise")

    return {"map": Reader({"more": more.map.to_json().encode(), "fewer": fewer.map.to_json().encode()}, use)}


def job(folder: Path, name: str, **options: Any) -> shards.Plan:
    """A finished job of three shards."""
    inputs = [folder / "lines.txt", folder / "rows.jsonl"]
    if not inputs[0].exists():  # a job remembers when its inputs were written
        inputs[0].write_text("\n".join(TEXTS), encoding="utf-8")
        inputs[1].write_text("".join(json.dumps({"text": text}) + "\n" for text in TEXTS), encoding="utf-8")
    made = shards.plan(inputs, folder / name, given_tokenizers()["a"], shard_size=400, input_format="auto", **options)
    made.run(num_workers=1)
    return made


def plans(folder: Path) -> dict[str, Reader]:
    """Plans, whose jobs go on in a folder of their own."""
    made = job(folder, "planned")
    made.save(folder / "plan.json")
    out = str(folder / "planned")

    def use(given: bytes) -> None:
        (folder / "plan.json").write_bytes(given)
        plan = shards.load(folder / "plan.json")
        repr(plan)
        if not plan.out.startswith(out) or len(plan) > 20:  # no fault, but it is not to write elsewhere
            return
        shutil.rmtree(out, ignore_errors=True)
        plan.missing()
        plan.run(num_workers=1)
        plan.verify(num_workers=1)
        plan.save(folder / "again.json")
        expect(shards.load(folder / "again.json").tasks == plan.tasks, "a plan is written otherwise")

    return {"plan": Reader({"plan": (folder / "plan.json").read_bytes()}, use)}


def manifests(folder: Path) -> dict[str, Reader]:
    """Records of shards, and the manifest of a job."""
    made = job(folder, "done", format="npy")
    record, manifest = folder / "done" / "00001.json", folder / "done" / "manifest.json"
    sound = {"record": record.read_bytes(), "manifest": manifest.read_bytes()}

    def use_record(given: bytes) -> None:
        record.write_bytes(given)
        try:
            made.missing()
            with contextlib.suppress(SpmLiteError):
                made.verify(num_workers=1)
            made.run(num_workers=1)
            made.finish()
        finally:
            record.write_bytes(sound["record"])

    def use_manifest(given: bytes) -> None:
        manifest.write_bytes(given)
        try:
            shards.merge(folder / "done", folder / "joined")
            shards.plan(folder / "lines.txt", folder / "done", made.model, shard_size=400, format="npy")
        finally:
            manifest.write_bytes(sound["manifest"])

    return {
        "record": Reader({"record": sound["record"]}, use_record),
        "manifest": Reader({"manifest": sound["manifest"]}, use_manifest),
    }


def ids_of_shards(folder: Path) -> dict[str, Reader]:
    """The files of ids of each format, as `verify` reads them. A number before the bytes says which file it is."""
    jobs, files, seeds = [], [], {}
    for form in ("megatron", "datatrove", "npy", "bin", "parquet"):
        made = job(folder, form, format=form)
        for path in sorted((folder / form).glob("00001*")):
            if path.suffix != ".json":
                seeds[f"{form}_{path.name}"] = bytes([len(files)]) + path.read_bytes()
                files.append(path)
                jobs.append(made)

    def use(given: bytes) -> None:
        number = given[0] % len(files) if given else 0
        sound = seeds[f"{jobs[number].options['format']}_{files[number].name}"][1:]
        files[number].write_bytes(given[1:])
        try:
            found = jobs[number].verify(num_workers=1)
            str(found)
            if found.is_right and not files[number].name.endswith(".parquet"):
                expect(given[1:] == sound, "a changed file of ids is right")
        finally:
            files[number].write_bytes(sound)

    return {"ids": Reader(seeds, use)}


def tables(folder: Path) -> dict[str, Reader]:
    """Count tables in each of their forms. Digests are made anew: no chance finds one."""
    made = {
        "words": CountTable.count(TEXTS, num_threads=1),
        "bytes": CountTable.count(TEXTS, model_type="byte_bpe", num_threads=1),
        "phrases": CountTable.count(TEXTS, model_type="bpe", superwords=0.8, num_threads=1),
    }
    seeds = {name: table.to_bytes()[:-DIGEST] for name, table in made.items()}
    made["words"].save_tsv(folder / "t.tsv", escapes=True, leave_out=True)

    def use(given: bytes) -> None:
        table = CountTable.from_bytes(given + hashlib.sha256(given).digest())
        expect(CountTable.from_bytes(table.to_bytes()) == table, "a table is written otherwise")
        repr(table)
        list(table.chunks.items())[:50]
        expect((table + table) + table == table + (table + table), "sums differ")
        with contextlib.suppress(spm_lite.OptionError):  # phrases have no rows
            table.to_arrow()
        with contextlib.suppress(spm_lite.OptionError):  # chunks of another type of model
            spm_lite.train(table, vocab_size=300, hard_vocab_limit=False, num_threads=1, model_type="bpe")

    def use_tsv(given: bytes) -> None:
        (folder / "t.tsv").write_bytes(given)
        table = CountTable.load_tsv(folder / "t.tsv", escapes=True)
        expect(CountTable.from_bytes(table.to_bytes()) == table, "a table is written otherwise")

    tsv = Reader({"tsv": (folder / "t.tsv").read_bytes()}, use_tsv)
    return {"table": Reader(seeds, use), "table_tsv": tsv, **arrow_tables(folder, made)}


def arrow_tables(folder: Path, made: dict[str, CountTable]) -> dict[str, Reader]:
    """Count tables as Parquet, if pyarrow is there."""
    try:
        import pyarrow
    except ImportError:
        return {}
    seeds = {}
    for name, table in made.items():
        if name != "phrases":
            table.save_parquet(folder / "t.parquet")
            seeds[name] = (folder / "t.parquet").read_bytes()
    rows = made["words"].to_arrow()
    metadata = rows.schema.metadata if hasattr(rows, "schema") else {}

    def use(given: bytes) -> None:
        (folder / "t.parquet").write_bytes(given)
        repr(CountTable.load_parquet(folder / "t.parquet"))

    def use_rules(given: bytes) -> None:
        key = next(iter(metadata))
        found = pyarrow.table({"text": [b"ab"], "count": [3]}).replace_schema_metadata({key: given})
        repr(CountTable.from_arrow(found))

    rules = {"arrow_rules": Reader({"rules": next(iter(metadata.values()))}, use_rules)} if metadata else {}
    return {"table_parquet": Reader(seeds, use), **rules}


def lists(folder: Path) -> dict[str, Reader]:
    """Lists of pieces with scores or counts, and of texts for options."""
    tok = given_tokenizers()["b"]
    tok.save(folder / "m.model", vocab=True)
    scores = (folder / "m.vocab").read_bytes()
    counts = b"".join(b"%s\t%d\n" % (tok.id_to_piece(i).encode(), i) for i in range(270, 290))
    seeds_of_pieces = b"\xe2\x96\x81the\t9\nca\t7\nat\t5\n"
    rules = b"41\t61\n212B\tC5\n66 69\tFB01\t# fi\n"

    def use_scores(given: bytes) -> None:
        (folder / "m.vocab").write_bytes(given)
        spm_lite.read_vocab(folder / "m.vocab")

    def use_counts(given: bytes) -> None:
        (folder / "names").write_bytes(given)
        tok.restrict(folder / "names")

    def use_seeds(given: bytes) -> None:
        (folder / "seeds").write_bytes(given)
        spm_lite.SentencePieceTrainer.train(
            sentence_iterator=iter(TEXTS), model_prefix=str(folder / "seeded"), vocab_size=60,
            seed_sentencepieces_file=str(folder / "seeds"), hard_vocab_limit=False, minloglevel=3,
        )  # fmt: skip

    def use_rules(given: bytes) -> None:
        (folder / "rules.tsv").write_bytes(given)
        spm_lite.train(TEXTS, vocab_size=280, normalization=folder / "rules.tsv", hard_vocab_limit=False, num_threads=1)

    return {
        "vocab": Reader({"vocab": scores}, use_scores),
        "counts": Reader({"counts": counts}, use_counts),
        "seeds": Reader({"seeds": seeds_of_pieces}, use_seeds),
        "rules": Reader({"rules": rules}, use_rules),
    }


def trainings(folder: Path) -> dict[str, Reader]:
    """Checkpoints of each trainer: its state, and the other files. Digests are made anew: no chance finds one."""
    states = {name: checkpoints_of(folder / f"of_{name}", name) for name in TRAININGS}
    names = [(training, file) for training, files in states.items() for file in files]
    seeds = {f"{name}_{file}": bytes([i]) + states[name][file] for i, (name, file) in enumerate(names)}

    def use(given: bytes) -> None:
        name, file = names[given[0] % len(names) if given else 0]
        place = folder / f"of_{name}"
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir()
        for other, data in states[name].items():
            content = given[1:] if other == file else data
            (place / other).write_bytes(content if other.endswith(".counts") else pack(content))
        made = continued(place, name)
        expect(made.vocab_size > 0 and str(made.report) != "", "nothing was trained")

    return {"checkpoint": Reader(seeds, use)}


def continued(place: Path, name: str) -> spm_lite.Tokenizer:
    """The model of a training that goes on from the checkpoint in a folder."""
    source: Any = {"one": TEXTS, "two": TEXTS[::-1]} if name == "parity" else TEXTS
    parallel: dict[str, Any] = {"parallel": source} if name == "parity" else {}
    options = {**TRAININGS[name], **parallel, "hard_vocab_limit": False, "num_threads": 1}
    return spm_lite.train(source, checkpoint=place, **options)


def checkpoints_of(place: Path, name: str) -> dict[str, bytes]:
    """The files of the last checkpoint of a training, without the digests around them."""
    found: dict[str, bytes] = {}
    usual_init, usual_save = Checkpoint.__init__.__defaults__, Checkpoint.save

    def save(own: Checkpoint, file: str, value: Any) -> None:
        usual_save(own, file, value)
        found.update({path.name: path.read_bytes() for path in own.folder.iterdir() if path.name in FILES})

    Checkpoint.__init__.__defaults__ = (0.0,)  # a state as often as there can be one
    Checkpoint.save = save  # type: ignore[method-assign]
    try:
        continued(place, name)
    finally:
        Checkpoint.__init__.__defaults__, Checkpoint.save = usual_init, usual_save  # type: ignore[method-assign]
    return {file: data if file == COUNTS else unpack(data) or b"" for file, data in found.items()}


def templates(folder: Path) -> dict[str, Reader]:
    """Chat templates, and the settings of a folder that name its tokens."""
    tok = given_tokenizers()["a"]
    messages = [{"role": "user", "content": "the cat"}, {"role": "assistant", "content": "sat"}]
    text = (
        "{% for m in messages %}{{ bos_token }}{% if m.role == 'user' %}{{ m.content | trim }}{% else %}"
        "{% generation %}{{ m['content'] }}{% endgeneration %}{% endif %}"
        "{{ '\\n' }}{% endfor %}{{ tools | tojson if tools else '' }}"
    )
    config = {
        "bos_token": "<s>",
        "eos_token": {"content": "</s>"},
        "chat_template": [{"name": "default", "template": text}],
    }
    place = folder / "chat"
    place.mkdir(exist_ok=True)

    def use_template(given: bytes) -> None:
        (folder / TEMPLATE_FILE).write_bytes(given)
        tok.encode_chat(messages, folder / TEMPLATE_FILE).mask()

    def use_config(given: bytes) -> None:
        (place / "tokenizer_config.json").write_bytes(given)
        tok.encode_chat(messages, place).mask()

    def use_messages(given: bytes) -> None:
        try:
            said = json.loads(given)
        except (ValueError, RecursionError):
            return
        tok.encode_chat(said, text).mask()

    return {
        "template": Reader({"template": text.encode()}, use_template),
        "chat_config": Reader({"config": json.dumps(config).encode()}, use_config),
        "messages": Reader({"messages": json.dumps(messages).encode()}, use_messages),
    }


@contextlib.contextmanager
def own_folder() -> Iterator[Path]:
    """A folder for the files of the readers, in memory where the system has such a place; the work is done in it."""
    shared = Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=shared if shared.is_dir() and os.access(shared, os.W_OK) else None) as name:
        yield Path(name)


def random_values(rng: random.Random, depth: int = 0) -> Any:
    """Any value of JSON, and what Python's reader takes besides."""
    kinds: list[Callable[[], Any]] = [
        lambda: rng.choice([None, True, False, "", "\0", "\ud800", "a" * 99, "NaN", -1, 0, 1, 2**31, 2**63, 10**400]),
        lambda: rng.choice([float("nan"), float("inf"), -float("inf"), 1e308, -0.0, 0.5]),
    ]
    if depth < 3:
        kinds += [
            lambda: [random_values(rng, depth + 1) for _ in range(rng.randrange(4))],
            lambda: {str(random_values(rng, 3)): random_values(rng, depth + 1) for _ in range(rng.randrange(4))},
        ]
    return rng.choice(kinds)()
