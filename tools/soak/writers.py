"""What kills and full disks are tried on: functions that write files from one of two inputs, and these inputs."""

from __future__ import annotations

import contextlib
import functools
import io
import random
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import spm_lite
from spm_lite import CountTable, Tokenizer
from spm_lite.engines import shards
from spm_lite.tokenizer.conversions import write_gpt2

N_LINES = 3000
SIZES = "300,340"  # of a sweep


def made_lines(seed: int) -> list[str]:
    """Lines of made-up words."""
    rng = random.Random(seed)
    stems = ["".join(rng.choices("abcdefghij", k=rng.randint(1, 4))) for _ in range(90)]
    return [" ".join(rng.choice(stems) + rng.choice(stems) for _ in range(8)) for _ in range(N_LINES)]


class Inputs:
    """The texts and models that the writers read, in a folder: two of each, numbered 0 and 1."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def make(self) -> None:
        """Write two texts, their models and the plans of shards."""
        lines = made_lines(5)
        for k in range(2):
            self.text(k).write_text("\n".join(lines[k :: 2 - k]), encoding="utf-8")
            for model_type in ("bpe", "byte_bpe", "wordpiece"):
                spm_lite.train(lines, model_type=model_type, vocab_size=400 + 100 * k).save(self.model(k, model_type))
            plan = shards.plan(self.text(k), self.shards(k), self.model(k), shard_size="28KB")
            plan.run(num_workers=1)

    def text(self, k: int) -> Path:
        return self.folder / f"{k}.txt"

    def model(self, k: int, model_type: str = "bpe") -> Path:
        return self.folder / f"{k}.{model_type}.model"

    def shards(self, k: int) -> Path:
        return self.folder / f"shards{k}"

    def load(self, k: int, model_type: str = "bpe") -> Tokenizer:
        return Tokenizer.load(self.model(k, model_type))


class CommandError(Exception):
    """A command that failed, with what it said."""


def command(*arguments: str) -> None:
    """Run the command line within this process. Raises CommandError."""
    from spm_lite.cli.main import main as run_command

    said, shown = io.StringIO(), io.TextIOWrapper(io.BytesIO())
    with contextlib.redirect_stderr(said), contextlib.redirect_stdout(shown):
        try:
            code = run_command(list(arguments))
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else 1
    if code:
        raise CommandError(said.getvalue())


def encode_files(inputs: Inputs, out: Path, k: int, name: str, **options: Any) -> None:
    inputs.load(0).encode_files(inputs.text(k), out / name, **options)


def write_shards(inputs: Inputs, out: Path, k: int) -> None:
    plan = shards.plan(inputs.text(0), out / "out", inputs.model(0), shard_size="28KB", eos=k == 1)
    plan.run(num_workers=1)


def to_gpt2(inputs: Inputs, out: Path, k: int) -> None:
    (out / "out").mkdir(exist_ok=True)
    write_gpt2(inputs.load(k, "byte_bpe"), out / "out")


@functools.cache
def audited(model: Path) -> Any:
    """An audit, which takes longer than all writing."""
    return spm_lite.audit({"tok": Tokenizer.load(model)}, {"en": made_lines(6)[:40]}, orders=())


def write_audit(inputs: Inputs, out: Path, k: int) -> None:
    report = audited(inputs.model(k))
    report.to_html(out / "out.html")
    report.to_json(out / "out.json")


@functools.cache
def locked(model: Path) -> spm_lite.Lock:
    """A lock, which takes longer than its writing."""
    return spm_lite.lock(model, made_lines(6)[:40])


def table_of(inputs: Inputs, k: int) -> CountTable:
    return CountTable.count(inputs.text(k), num_threads=1)


def plan_of(inputs: Inputs, k: int) -> shards.Plan:
    return shards.plan(inputs.text(k), inputs.folder / "planned", inputs.model(k), shard_size="28KB")


def edit(inputs: Inputs, out: Path, k: int) -> None:
    files = ["-o", str(out / "out.model"), "--map", str(out / "out.map")]
    command("edit", "prune", str(inputs.model(0)), str(inputs.text(k)), "-n", str(360 + k), *files, "--quiet")


def sweep(inputs: Inputs, out: Path, k: int) -> None:
    text = str(inputs.text(k))
    command("sweep", text, "--model-type", "bpe", "--sizes", SIZES, "--save", str(out / "out"), "--quiet")


def convert(inputs: Inputs, out: Path, k: int, name: str, target_format: str) -> None:
    command("convert", str(inputs.model(k)), str(out / name), "--to", target_format, "--overwrite", "--quiet")


# name -> (inputs, folder to write into, number of the input) writes the files, over older ones.
WRITERS: dict[str, Callable[[Inputs, Path, int], object]] = {
    "save": lambda inputs, out, k: inputs.load(k).save(out / "out.model", vocab=True),
    "encode_files": lambda inputs, out, k: encode_files(inputs, out, k, "out.npy"),
    "encode_files bin": lambda inputs, out, k: encode_files(inputs, out, k, "out.bin", format="bin"),
    "encode_files megatron": lambda inputs, out, k: encode_files(inputs, out, k, "out", format="megatron"),
    "encode_files datatrove": lambda inputs, out, k: encode_files(inputs, out, k, "out.ds", format="datatrove"),
    "encode_files parquet": lambda inputs, out, k: encode_files(inputs, out, k, "out.parquet", format="parquet"),
    "count": lambda inputs, out, k: table_of(inputs, k).save(out / "out.counts"),
    "save_parquet": lambda inputs, out, k: table_of(inputs, k).save_parquet(out / "out.parquet"),
    "plan": lambda inputs, out, k: plan_of(inputs, k).save(out / "out.json"),
    "to_gpt2": to_gpt2,
    "to_tiktoken": lambda inputs, out, k: inputs.load(k, "byte_bpe").to_tiktoken(out / "out.tiktoken"),
    "to_vocab_txt": lambda inputs, out, k: inputs.load(k, "wordpiece").to_vocab_txt(out / "out.txt"),
    "to_gguf": lambda inputs, out, k: inputs.load(k).to_gguf(out / "out.gguf"),
    "to_hf": lambda inputs, out, k: inputs.load(k).to_hf(out / "out", model_max_length=100 + k, overwrite=True),
    "shards": write_shards,
    "shards.merge": lambda inputs, out, k: shards.merge(inputs.shards(k), out / "out"),
    "audit": write_audit,
    "sweep": sweep,
    "convert": lambda inputs, out, k: convert(inputs, out, k, "out.gguf", "gguf"),
    "lock": lambda inputs, out, k: locked(inputs.model(k)).save(out / "out.lock"),
    "edit": lambda inputs, out, k: edit(inputs, out, k),
    "explain": lambda inputs, out, k: inputs.load(k).explain("abba cde ghij").save(out / "out.svg"),
    "convert call": lambda inputs, out, k: spm_lite.convert(inputs.model(k), out / "out.json", overwrite=True),
    "convert to a folder": lambda inputs, out, k: convert(inputs, out, k, "out", "transformers"),
}
if find_spec("pyarrow") is None:
    del WRITERS["encode_files parquet"], WRITERS["save_parquet"]
SINGLE = {"audit", "edit"}  # each file stands alone
IN_STEPS = {"shards"}  # until the end, files may be of an older job


def sets_of(kind: str, names: set[str]) -> list[set[str]]:
    """Which of the files belong together: all, or none is missing."""
    if kind in SINGLE:
        return [{name} for name in names]
    if kind == "sweep":
        starts = {name.rpartition(".")[0] for name in names}
        return [{name for name in names if name.rpartition(".")[0] == start} for start in sorted(starts)]
    return [names]


def always_there(names: set[str]) -> set[str]:
    """The files of a set that no kill may take away: the only one, and a model beside its list of pieces."""
    return names if len(names) == 1 else {name for name in names if name.endswith(".model")}


def files_below(folder: Path) -> dict[str, bytes]:
    """Name -> content of the files in a folder and below."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}
