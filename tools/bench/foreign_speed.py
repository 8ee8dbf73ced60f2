"""Files of other programs: encoding beside the same pieces in our own file, and loading beside tokenizers.

Usage: python tools/bench/foreign_speed.py [TABLE ...] [--runs 7] [--peers NAME ...] [--peers-python PATH]. Needs the
shared test data. Every figure is CPU time of one thread, in a process of its own, in turn with the others of its table;
shown are medians. A peer that does not read a file says why.

    unigram    t5_base.model, and its pieces in the pipelines of the shapes t5 and xlm-roberta: MB/s, cold and warm
    patterns   GPT-2's vocabulary with each way to cut that shapes and known patterns have: in times of GPT-2's own
    loading    files tokenizer.json of each kind: milliseconds of `load`, imports done, and of tokenizers
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent / "speed"))

from harness import Harness, Result
from job import Job
from peers import PEERS
from texts import Texts

import spm_lite
from spm_lite.sentencepiece_model_pb2 import ModelProto
from spm_lite.vocab.split_pattern_names import PATTERNS

DATA = Path(os.environ.get("SPM_LITE_TEST_DATA", Path(__file__).resolve().parents[3] / "shared" / "data"))
T5 = DATA / "models" / "t5_base.model"
SIZES = {"English": 15_000_000, "Thai": 2_000_000}  # bytes of a text
LARGE = 200_000  # bytes of a shape whose loading is measured, at least
BYTES = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": False}


def shape(name: str) -> dict[str, Any]:
    parts: dict[str, Any] = json.loads((DATA / "shapes" / name / "tokenizer.json").read_text(encoding="utf-8"))
    return parts


def written(path: Path, parts: dict[str, Any]) -> str:
    path.write_text(json.dumps(parts, ensure_ascii=False), encoding="utf-8")
    return str(path)


def grafted(name: str) -> dict[str, Any]:
    """A shape with the pieces of T5; its added tokens are those pieces, or new ones at the end."""
    parts = shape(name)
    vocab = [[piece.piece, piece.score] for piece in ModelProto.FromString(T5.read_bytes()).pieces]
    ids = {piece: i for i, (piece, _) in enumerate(vocab)}
    for token in parts["added_tokens"]:
        token["id"] = ids.setdefault(token["content"], len(vocab))
        if token["id"] == len(vocab):
            vocab.append([token["content"], 0.0])
    for token in parts["post_processor"]["special_tokens"].values():
        token["ids"] = [ids[content] for content in token["tokens"]]
    parts["added_tokens"].sort(key=lambda token: token["id"])
    parts["model"] |= {"vocab": vocab, "unk_id": ids["<unk>"]}
    return parts


def unigram(folder: Path) -> dict[str, str]:
    files = {f"pipeline of {name}": written(folder / f"{name}.json", grafted(name)) for name in ("t5", "xlm-roberta")}
    return {"t5_base.model": str(T5), **files}


def patterns(folder: Path) -> dict[str, str]:
    """The vocabulary with each pre-tokenizer once, GPT-2's first."""
    for name in ("vocab.json", "merges.txt"):
        (folder / name).write_bytes((DATA / "interop" / f"gpt2.{name}").read_bytes())
    spm_lite.load(folder, format="gpt2", name="gpt2").save(folder / "tokenizer.json", format="tokenizer.json")
    parts = json.loads((folder / "tokenizer.json").read_text(encoding="utf-8"))
    names = sorted(path.parent.name for path in (DATA / "shapes").glob("*/tokenizer.json"))
    cuts = {name: shape(name)["pre_tokenizer"] for name in ["gpt2", *names]}
    for name, pattern in PATTERNS.items():
        split = {"type": "Split", "pattern": {"Regex": pattern}, "behavior": "Isolated", "invert": False}
        cuts[f"known {name}"] = {"type": "Sequence", "pretokenizers": [split, BYTES]}
    first = {json.dumps(part): name for name, part in reversed(cuts.items()) if '"ByteLevel"' in json.dumps(part)}
    return {
        name: written(folder / f"{name}.json", {**parts, "pre_tokenizer": json.loads(part)})
        for part, name in sorted(first.items(), key=lambda item: list(cuts).index(item[1]))
    }


def files_to_load(folder: Path) -> Iterator[tuple[str, str]]:
    """Large shapes, published files, and models of ours as a tokenizer.json."""
    for path in sorted((DATA / "shapes").glob("*/tokenizer.json")):
        if path.stat().st_size >= LARGE:
            yield f"shape {path.parent.name}", str(path)
    for path in sorted((DATA / "interop").glob("*.tokenizer.json")):
        yield f"published {path.name.partition('.')[0]}", str(path)
    yield from [*unigram(folder).items()][1:]
    texts = Texts(DATA, folder).everything()
    bytes_of_all = spm_lite.train(texts, model_type="byte_bpe", vocab_size=200_000, hard_vocab_limit=False)
    bert = spm_lite.load(DATA / "interop" / "bert_base_uncased.vocab.txt", format="vocab.txt", lowercase=True)
    models = {path.stem: spm_lite.load(path) for path in (T5, *sorted((DATA / "models").glob("ll*.model")))}
    for name, tok in {**models, "byte-level 200,000": bytes_of_all, "BERT uncased": bert}.items():
        tok.save(folder / f"{name}.json", format="tokenizer.json")
        yield f"ours {name}", str(folder / f"{name}.json")


def encoding(harness: Harness, files: dict[str, str], folder: Path, peers: list[str]) -> None:
    """A line for each file and text: MB/s, and times of the first file, both cold and warm."""
    for text, size in SIZES.items():
        path = str(Texts(DATA, folder).path(text))
        usual = Job("spm_lite", "encode", "", path, size, result="arrays", compared=False, clock="process_time")
        jobs = {name: replace(usual, model=file, tokenizer_json=file) for name, file in files.items()}
        harness.measure(jobs.values())
        base = harness.results[next(iter(jobs.values()))]
        for name, job in jobs.items():
            print(line(f"{text}, {name}", harness.results[job], base), flush=True)
            for peer in peers if job.model.endswith(".json") else ():
                result = "arrays" if hasattr(PEERS[peer], "arrays") else "lists"
                harness.measure([other := replace(job, engine=peer, result=result)], few=True)
                print(line(f"    {peer}", harness.results[other], base), flush=True)


def line(name: str, found: Result, base: Result) -> str:
    if found.error:
        return f"{name:40} {found.error:.150}"
    times = (f"{1e-6 / found.cost(k):8.1f}{found.cost(k) / base.cost(k):7.2f}" for k in ("cold", "warm"))
    return f"{name:40}{''.join(times)}"


def loading(harness: Harness, files: Iterable[tuple[str, str]]) -> None:
    for name, path in files:
        job = Job("spm_lite", "load", path, tokenizer_json=path, clock="process_time")
        harness.measure(jobs := [job, replace(job, engine="tokenizers")])
        ours, theirs = (1000 * harness.results[one].cost("load") for one in jobs)
        print(f"{name:40}{ours:8.1f}{theirs:8.1f}{ours / theirs:7.2f}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tables", nargs="*", metavar="TABLE", help="unigram, patterns, loading; all")
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--peers", nargs="*", default=[], choices=list(PEERS), metavar="NAME")
    parser.add_argument("--peers-python", default=sys.executable, metavar="PATH")
    options = parser.parse_args()
    harness = Harness(options.runs, 120, options.peers_python)
    for table in options.tables or ["unigram", "patterns", "loading"]:
        print(table)
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            if table == "loading":
                loading(harness, files_to_load(folder))
            else:
                encoding(harness, {"unigram": unigram, "patterns": patterns}[table](folder), folder, options.peers)


if __name__ == "__main__":
    main()
