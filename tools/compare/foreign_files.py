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
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

from comparison import DATA, Comparison, blocks, parser_of, read_lines, run
from random_texts import hostile

import spm_lite
from spm_lite.formats.proof.conditions import Condition, Findings
from spm_lite.formats.proof.partner_programs import Partner, version_of
from spm_lite.tokenizer import loading
from spm_lite.tokenizer.format_table import Format, Settings, Source, all_formats

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
    entry, source = opened(folder / name)
    if entry.prove_read is None:
        return [], None
    findings, partner = entry.prove_read(tok, source, settings)
    return findings.conditions, partner


def of_sentencepiece(path: Path) -> Partner:
    import sentencepiece

    other = sentencepiece.SentencePieceProcessor(model_file=str(path))
    return Partner(f"sentencepiece {version_of('sentencepiece')}", other.encode, other.decode)


def opened(path: Path) -> tuple[Format, Source]:
    """The format and the content of a file."""
    return loading.opened(path, next((kind for word, kind in READ_AS.items() if word in path.name), None))


def read(path: Path, settings: Settings) -> Any:
    """The Tokenizer of a file."""
    return loading.read(spm_lite.Tokenizer._from_bytes, *opened(path), settings)


def comparisons_of(path: Path, options: dict[str, Any], args: argparse.Namespace) -> Iterator[Comparison]:
    """One file with its program, with its own bytes, and with what is written of it."""
    case = Comparison(path.name)
    settings = Settings(findings=Findings(ALLOW), **options)
    try:
        tok = read(path, settings)
    except spm_lite.SpmLiteError as error:
        case.refused(str(error).replace(f"{path}: ", ""))
        yield case
        return
    conditions, partner = partner_of(path.name, path.parent, tok, settings)
    case.name += f" against {partner.name if partner else 'no program'}"
    case.note = "; ".join(condition.sentence for condition in conditions) or "no condition"
    case.allowed = partial(unmet_of, conditions)
    back = Comparison(f"{path.name} back by bytes")
    again = list(read_again(path.name, tok))
    for block in blocks(chain(hostile(tok, args.hostile, 1), read_lines(args.corpus, args.every))):
        ours = tok.encode_lists(block)
        if partner is not None:
            case.counts["texts"] += len(block)
            case.check(block, ours, partner.encode(block))
            decoded = partner.decode(ours)
            if decoded is not None:
                case.check(block, tok.decode_batch(ours), decoded, "decoded text")
        if tok.info.is_lossless:
            back.counts["texts"] += len(block)
            back.check(block, [text.encode() for text in block], list(map(tok.decode_bytes, ours)), "bytes")
        for other, of_other in again:
            of_other.counts["texts"] += len(block)
            of_other.check(block, ours, other.encode_lists(block))
    yield case
    if tok.info.is_lossless:
        yield back
    yield from (of_other for _, of_other in again)


def read_again(name: str, tok: Any) -> Iterator[tuple[Any, Comparison]]:
    """For each format, the model that a file of it gives, and a case for it."""
    for kind, entry in all_formats().items():
        if entry.make is None:
            continue
        findings = Findings(ALLOW)
        try:
            again = entry.make(tok, findings, Settings()).make_own()
        except spm_lite.SpmLiteError as error:
            print(f"  not by {kind}: {error!s:.140}")
            continue
        yield again, Comparison(f"{name} by {kind} and back", partial(unmet_of, findings.conditions))


def unmet_of(conditions: list[Condition], text: str) -> list[str]:
    """The conditions that a text does not meet."""
    return [condition.sentence for condition in conditions if not condition.is_met(text)]


def published(fixtures: Path, folder: Path) -> Iterator[Comparison]:
    """The ids that llama.cpp publishes with its vocabularies."""
    for name, file, rules in (
        ("llama-spm", "ggml-vocab-llama-spm.gguf", None),
        ("bert-bge", "ggml-vocab-bert-bge.gguf", None),
        ("gpt-2", "gpt2", "gpt2"),
    ):
        tok = read(folder / file, Settings(name=rules))
        texts = (fixtures / f"ggml-vocab-{name}.gguf.inp").read_text(encoding="utf-8").split(SEPARATOR)
        lines = (fixtures / f"ggml-vocab-{name}.gguf.out").read_text(encoding="utf-8").split("\n")
        case = Comparison(f"published ids of {name}")
        case.counts["texts"] = len(texts)
        case.check(texts, list(map(tok.encode, texts)), [list(map(int, line.split())) for line in lines[: len(texts)]])
        yield case


def comparisons(args: argparse.Namespace) -> Iterator[Comparison]:
    """Those with published ids, and one for each file."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        place_files(args.fixtures, folder)
        yield from published(args.fixtures, folder)
        for file, options in FILES.items():
            if args.only and not any(word in file for word in args.only):
                continue
            if (folder / file).exists():
                yield from comparisons_of(folder / file, options, args)
            else:
                print(f"{file}: not here")


if __name__ == "__main__":
    parser = parser_of(__doc__, needs_corpus=True, hostile=20_000, every=1)
    parser.add_argument("--fixtures", type=Path, default=DATA / "interop", metavar="FOLDER")
    parser.add_argument("--only", nargs="*", default=[], help="files whose name holds one of these words")
    sys.exit(run(parser, comparisons))
