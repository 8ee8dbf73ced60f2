"""Calls that judge tokenizers: audits and their reports, locks, alignments, conversions, pictures."""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING, Any

import spm_lite
from spm_lite import Audit, Tokenizer
from spm_lite.pictures.explanation import Explanation

if TYPE_CHECKING:
    from public_calls import Calls, Inputs


def judging_calls(given: Inputs, n: int) -> Calls:
    """The calls that look at models, with n threads."""
    few, folder = given.few[:40], given.folder
    pair = {"bpe": given.bpe, "byte_bpe": given.byte_level}
    texts = {"a": few[:20], "b": few[20:]}
    locked = spm_lite.lock(given.bpe, few)
    found = spm_lite.audit(pair, texts, orders=(2,), num_threads=1)
    found.to_json(folder / "audit.json")
    return {
        "audit": lambda: figures(spm_lite.audit(pair, texts, orders=(2,), num_threads=n)),
        "audit parallel": lambda: figures(
            spm_lite.audit(pair, parallel={"a": few[:20], "b": few[20:]}, orders=(), num_threads=n)
        ),
        "audit reports": lambda: reports(found, folder),
        "Audit.load": lambda: figures(Audit.load(folder / "audit.json")),
        "as_tokenizer": lambda: spm_lite.as_tokenizer(given.bpe.encode, "one", vocab_size=len(given.bpe)).name,
        "lock": lambda: spm_lite.lock(given.bpe, few).to_dict(),
        "lock and check": lambda: check(locked, given, folder),
        "align": lambda: aligned(given, few, n),
        "count_files": lambda: [row[1] for row in given.tok.count_files(folder / "text", num_threads=n).rows()],
        "convert": lambda: converted(given, folder),
        "convert foreign": lambda: (
            spm_lite.convert(
                folder / "tokenizer.json", folder / "converted.gguf", to="gguf", overwrite=True, verify=few
            ).exact
        ),
        "to_gguf": lambda: gguf_again(given.bpe, folder),
        "from_hf": lambda: hf_again(given.bpe, folder),
        "show": lambda: shown(given.bpe, few[0]),
        "explain svg": lambda: pictures(given.bpe.explain(few[0]), folder),
        "report": lambda: len(str(given.bpe.report)) > 0,  # which has seconds
    }


def figures(found: Audit) -> dict[str, Any]:
    """The figures of an audit, without what depends on the day."""
    return {name: value for name, value in found.to_dict().items() if name not in ("seconds", "made", "versions")}


def reports(found: Audit, folder: Path) -> tuple[Any, ...]:
    """All forms of an audit's report."""
    found.to_html(folder / "audit.html")
    failures = found.unmet("bytes_per_token >= 1")
    return str(found), repr(found), failures, found.changes_since(found), found.to_arrow().num_rows


def check(locked: spm_lite.Lock, given: Inputs, folder: Path) -> tuple[Any, ...]:
    """A lock that is written, read and held against two models."""
    locked.save(folder / "bpe.lock")
    again = spm_lite.Lock.load(folder / "bpe.lock")
    texts = given.few[:40]
    return again.check(given.bpe, texts=texts).to_dict(), again.check(given.tok, texts=texts).to_dict()


def aligned(given: Inputs, texts: list[str], n: int) -> tuple[Any, ...]:
    """The kinds and the groups of an alignment."""
    found = spm_lite.align(given.bpe, given.byte_level, texts, num_threads=n)
    return found.kinds(), [list(one) for one in found]


def converted(given: Inputs, folder: Path) -> bool:
    """Whether a folder of transformers keeps all."""
    data = given.bpe.to_bytes()
    return spm_lite.convert(data, folder / "converted", to="transformers", overwrite=True, verify=given.few[:40]).exact


def gguf_again(tok: Tokenizer, folder: Path) -> Tokenizer:
    """A model that went through a GGUF file."""
    tok.to_gguf(folder / "m.gguf")
    return Tokenizer.load(folder / "m.gguf")


def hf_again(tok: Tokenizer, folder: Path) -> Tokenizer:
    """A model that went through a folder of transformers."""
    tok.to_hf(folder / "hf_again", overwrite=True)
    return Tokenizer.from_hf(folder / "hf_again")


def shown(tok: Tokenizer, text: str) -> str:
    """A text in pieces, as terminals show it."""
    file = io.StringIO()
    tok.show(text, width=80, color=True, file=file)
    return file.getvalue()


def pictures(found: Explanation, folder: Path) -> tuple[str, str]:
    """An explanation as a picture, and its file."""
    found.save(folder / "why.svg")
    return found.svg(), (folder / "why.svg").read_text(encoding="utf-8")
