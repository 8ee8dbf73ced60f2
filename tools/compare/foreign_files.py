"""Compare real files of other programs, read here, with the programs that they were made for, over whole corpora.

    python tools/compare/foreign_files.py --corpus FILE... [--fixtures FOLDER] [--hostile 20000] [--only WORD...]

Each file is read, and its ids and decoded texts are compared with those of its own program: tiktoken, tokenizers,
sentencepiece, subword-nmt. Byte-level models must give back the bytes of each text. Then the model is written in every
format that holds it and read in again: the ids of all texts must stay. A difference that meets no reported condition is
wrong; those are shown and counted, and the exit status is 1 if there is one. Programs that are not installed are named.
"""

from __future__ import annotations

import argparse
import gzip
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from conversions import blocks, texts_of

import spm_lite
from spm_lite.conversions.convert import format_of_input
from spm_lite.conversions.formats import Settings, all_formats
from spm_lite.formats.proof.conditions import Condition, Findings
from spm_lite.formats.proof.partners import Partner, version_of

DATA = Path(os.environ.get("SPM_LITE_TEST_DATA", Path(__file__).resolve().parents[3] / "shared" / "data"))
SHOWN = 5
ALLOW = ("metaspace", "unused", "stranded")
FILES: dict[str, dict[str, Any]] = {
    "p50k_base.tiktoken": {"name": "p50k_base"},
    "gpt2": {"name": "gpt2"},  # the folder of gpt2.vocab.json and gpt2.merges.txt
    "llama2.tokenizer.json": {},
    "mistral01.tokenizer.json": {},
    "mistral01.model": {},
    "xlnet_base_cased.model": {},
    "xlnet_base_cased.tokenizer.json": {},
    "bert_base_cased.tokenizer.json": {},
    "bert_base_uncased.vocab.txt": {"lowercase": True},
    "sqlpilot.tokenizer.json": {},
    "hw_doc_summarizer.tokenizer.json": {},
    "botchan_600.codes": {},
    "ggml-vocab-llama-spm.gguf": {},
    "ggml-vocab-bert-bge.gguf": {},
    "tekken_240718.json": {},
    "tekken_240911.json": {},
}
READ_AS = {
    "vocab.txt": "vocab.txt",
    "gpt2": "gpt2",
    "codes": "subword-nmt",
    "tekken": "tekken.json",
}  # by a word of the name
SEPARATOR = "\n__ggml_vocab_test__\n"  # of the texts that llama.cpp publishes with a vocabulary


def place_files(fixtures: Path, folder: Path) -> None:
    """Put the fixtures into a folder, each by the name that its program knows."""
    for path in fixtures.iterdir():
        target = folder / path.name
        if path.name.endswith(".json.gz"):
            (folder / path.name[:-3]).write_bytes(gzip.decompress(path.read_bytes()))
        elif path.name.startswith("gpt2."):
            (folder / "gpt2").mkdir(exist_ok=True)
            (folder / "gpt2" / path.name.removeprefix("gpt2.")).write_bytes(path.read_bytes())
        else:
            target.symlink_to(path)
    try:
        import mistral_common
    except ImportError:
        return
    for path in Path(mistral_common.__file__).parent.glob("data/tekken_*.json"):
        (folder / path.name).symlink_to(path)


def partner_of(name: str, folder: Path, tok: Any, settings: Settings) -> tuple[list[Condition], Partner | None]:
    """The program that a file was made for, and the conditions of its reading."""
    if name == "ggml-vocab-llama-spm.gguf":
        return [], of_sentencepiece(DATA / "models" / "llama2.model")
    if name == "ggml-vocab-bert-bge.gguf":
        name, settings = "bert_base_uncased.vocab.txt", replace(settings, lowercase=True)
    if name.endswith(".model"):
        return [], of_sentencepiece(folder / name)
    found = format_of(folder / name)
    if found.prove_read is None:
        return [], None
    findings, partner = found.prove_read(tok, str(folder / name), settings)
    return findings.conditions, partner


def of_sentencepiece(path: Path) -> Partner:
    import sentencepiece

    other = sentencepiece.SentencePieceProcessor(model_file=str(path))
    return Partner(f"sentencepiece {version_of('sentencepiece')}", other.encode, other.decode)


def format_of(path: Path) -> Any:
    known = next((kind for word, kind in READ_AS.items() if word in path.name), None)
    return format_of_input(str(path)) if known is None else all_formats()[known]


class Totals:
    def __init__(self) -> None:
        self.n_wrong = 0

    def wrong(self, what: str) -> None:
        self.n_wrong += 1
        if self.n_wrong <= 4 * SHOWN:
            print(f"WRONG {what}", flush=True)


def compare(name: str, path: Path, options: dict[str, Any], args: argparse.Namespace, totals: Totals) -> None:
    """Compare one file with its program, and what is written of it with itself."""
    start = time.process_time()
    settings = Settings(findings=Findings(ALLOW), **options)
    try:
        tok = format_of(path).read(str(path), settings)
    except spm_lite.SpmLiteError as error:
        print(f"{name}: refused: {error!s:.200}".replace(f"{path}: ", ""), flush=True)
        return
    conditions, partner = partner_of(name, path.parent, tok, settings)
    again = dict(read_again(tok, options))
    n_texts = n_differ = n_decoded = n_back = 0
    for block in blocks(texts_of(tok, args.corpus, args.every, args.hostile, 1)):
        ours = tok.encode_lists(block)
        n_texts += len(block)
        theirs = ours if partner is None else partner.encode(block)
        decoded = None if partner is None else partner.decode(ours)
        texts = tok.decode_batch(ours)
        for i, (text, own, other) in enumerate(zip(block, ours, theirs, strict=True)):
            if own != other:
                n_differ += 1
                if all(condition.is_met(text) for condition in conditions):
                    totals.wrong(f"{name}: {text!r:.300}\n  {own!r:.200}\n  {other!r:.200}")
            elif decoded is not None and decoded[i] != texts[i]:
                n_decoded += 1
                if all(condition.is_met(text) for condition in conditions):
                    totals.wrong(f"{name}: {text!r:.100} is decoded to {texts[i]!r:.100}, there to {decoded[i]!r:.100}")
        if tok.is_lossless:
            for text, own in zip(block, ours, strict=True):
                n_back += 1
                if tok.decode_bytes(own) != text.encode():
                    totals.wrong(f"{name}: {text!r:.300} does not come back")
        for kind, (other_tok, unmet) in again.items():
            if other_tok.encode_lists(block) == ours:
                continue
            for text, own, other in zip(block, ours, other_tok.encode_lists(block), strict=True):
                if own != other and not unmet(text):
                    totals.wrong(f"{name} by {kind} and back: {text!r:.300}\n  {own!r:.200}\n  {other!r:.200}")
    print(
        f"{name}: {n_texts:,} texts against {partner.name if partner else 'no program'}: {n_differ:,} other ids "
        f"({'; '.join(condition.sentence for condition in conditions) or 'no condition'}), {n_decoded:,} other decoded "
        f"texts, {n_back:,} back by bytes; out and in again by {', '.join(again) or 'nothing'}: wrong so far "
        f"{totals.n_wrong} ({time.process_time() - start:.0f} CPU seconds)",
        flush=True,
    )


def read_again(tok: Any, options: dict[str, Any]) -> Iterator[tuple[str, tuple[Any, Any]]]:
    """(format, (the model that a file of this format gives, text -> conditions that it does not meet)) for each."""
    for kind, entry in all_formats().items():
        if entry.make is None or entry.read is None:
            continue
        findings = Findings(ALLOW)
        try:
            outgoing = entry.make(tok, findings, Settings())
            again = outgoing.make_own()
        except spm_lite.SpmLiteError as error:
            print(f"  not by {kind}: {error!s:.140}")
            continue
        yield kind, (again, partial(unmet_of, findings.conditions))


def unmet_of(conditions: list[Condition], text: str) -> list[str]:
    """The conditions that a text does not meet."""
    return [condition.sentence for condition in conditions if not condition.is_met(text)]


def compare_published(fixtures: Path, folder: Path, totals: Totals) -> None:
    """The ids that llama.cpp publishes with its vocabularies."""
    for name, path in (
        ("llama-spm", folder / "ggml-vocab-llama-spm.gguf"),
        ("bert-bge", folder / "ggml-vocab-bert-bge.gguf"),
        ("gpt-2", folder / "gpt2"),
    ):
        tok = format_of(path).read(str(path), Settings(name="gpt2" if name == "gpt-2" else None))
        texts = (fixtures / f"ggml-vocab-{name}.gguf.inp").read_text(encoding="utf-8").split(SEPARATOR)
        lines = (fixtures / f"ggml-vocab-{name}.gguf.out").read_text(encoding="utf-8").split("\n")
        n_differ = 0
        for text, line in zip(texts, lines, strict=False):
            if tok.encode(text) != list(map(int, line.split())):
                n_differ += 1
                totals.wrong(f"{name}: {text!r} {tok.encode(text)} {line}")
        print(f"published ids of {name}: {len(texts)} texts, {n_differ} differ", flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpus", type=Path, nargs="+", required=True)
    parser.add_argument("--fixtures", type=Path, default=DATA / "interop")
    parser.add_argument("--hostile", type=int, default=20_000)
    parser.add_argument("--every", type=int, default=1, help="compare every N-th line")
    parser.add_argument("--only", nargs="*", default=[], help="files whose name holds one of these words")
    args = parser.parse_args()
    totals = Totals()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        place_files(args.fixtures, folder)
        compare_published(args.fixtures, folder, totals)
        for name, options in FILES.items():
            if args.only and not any(word in name for word in args.only):
                continue
            if not (folder / name).exists():
                print(f"{name}: not here")
                continue
            compare(name, folder / name, options, args, totals)
    print(f"{totals.n_wrong} wrong")
    return int(totals.n_wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
