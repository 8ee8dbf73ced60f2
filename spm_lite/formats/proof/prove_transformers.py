"""tokenizer.json, and the folders of transformers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from spm_lite.formats.hugging_face.read_vocabulary import read_added
from spm_lite.formats.hugging_face.write_folder import folder_files
from spm_lite.formats.hugging_face.write_special_pieces import add_normalized
from spm_lite.formats.hugging_face.write_tokenizer import TOKENIZER, json_text, tokenizer_parts
from spm_lite.formats.json_file import parse
from spm_lite.formats.proof.conditions import REFUSALS, Findings
from spm_lite.formats.proof.outgoing import FILE, Outgoing
from spm_lite.formats.proof.partner_programs import Partner, of_tokenizers

TRANSFORMERS = "transformers"


def to_json(
    tok: Any, findings: Findings, *, bos: bool | None = None, eos: bool | None = None, match_special: bool = True
) -> Outgoing:
    """The tokenizer.json of a model. The arguments are the same as of `to_tokenizer_json`."""
    parts = tokenizer_parts(
        tok, findings, bos=bos, eos=eos, match_special=match_special, lists_special=match_special
    )  # fmt: skip
    return outgoing(tok, TOKENIZER, json_text(parts), None, match_special, findings)


def to_folder(
    tok: Any,
    findings: Findings,
    *,
    bos: bool | None = None,
    eos: bool | None = None,
    match_special: bool = True,
    settings: Mapping[str, Any] | None = None,
) -> Outgoing:
    """The folder of a model. settings: the chat template and others, as `folder_files` takes them."""
    wanted = {"chat_template": None, "model_max_length": None, "padding_side": None, **(settings or {})}
    text = json_text(tokenizer_parts(tok, findings, bos=bos, eos=eos, match_special=match_special))
    files = folder_files(tok._file, text, match_special=match_special, **wanted)
    return outgoing(tok, TRANSFORMERS, text, files, match_special, findings)


def outgoing(
    tok: Any, format: str, text: str, files: Mapping[str, bytes] | None, match_special: bool, findings: Findings
) -> Outgoing:
    """The files with the text of their tokenizer.json. files: None: that file alone."""
    data = text.encode()
    return Outgoing(
        format,
        {FILE: data} if files is None else files,
        findings,
        lambda: of_tokenizers(text, match_special),
        lambda: type(tok)._from_json(data, TOKENIZER, Findings(findings.allow)),
    )


def incoming(tok: Any, data: bytes, read: Findings) -> tuple[Findings, Partner | None]:
    """What proves a tokenizer.json that was read: (conditions of reading and of such a model, the program).

    read: what reading found.
    """
    findings = Findings([name for name in REFUSALS if name != "other" or name in read.allow])
    tokenizer_parts(tok, findings)
    findings.conditions[:0] = read.conditions
    added = read_added(parse(data, "the file"))
    add_normalized(tok, list(dict.fromkeys(added.normalized + added.others)), findings)
    findings.allow = read.allow
    return findings, of_tokenizers(data.decode())
