"""The commands of spm-lite as calls: each runs in the process that asks."""

from __future__ import annotations

from pathlib import Path

from public_calls import Calls, Inputs

from spm_lite.cli.command_names import COMMANDS
from spm_lite.cli.main import main

NEW = ["where have the newer words gone", "newer words are learned by a vocabulary that is extended"] * 9


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
