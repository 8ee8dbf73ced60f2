"""A look at a chat template: whether it is Jinja, and whether its markers are special tokens of the model."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from spm_lite.errors import OptionError
from spm_lite.formats.proof.conditions import Findings, examples
from spm_lite.kinds import CONTROL, UNKNOWN, USER_DEFINED

if TYPE_CHECKING:
    from spm_lite.vocab.model_file import ModelFile

TAG = re.compile(r"\{%-?\+?\s*(\w*).*?-?\+?%\}|\{\{.*?\}\}|\{#.*?#\}", re.DOTALL)
STRING = re.compile(r"'((?:[^'\\]|\\.)*)'|\"((?:[^\"\\]|\\.)*)\"")
MARKER = re.compile(r"<\|[^|<>\s]{1,60}\|>|</?[a-z][a-z0-9_]{0,40}>|\[/?[A-Z][A-Z_]{1,30}\]")
ENDS = {"for": "endfor", "if": "endif", "macro": "endmacro", "filter": "endfilter", "call": "endcall",
        "generation": "endgeneration", "raw": "endraw"}  # fmt: skip


def check_template(file: ModelFile, template: str, adds_bos: bool, findings: Findings) -> None:
    """Raise OptionError for a template that is not Jinja; report markers that are no tokens, and two tokens for bos.

    adds_bos: the tokenizer.json puts the piece for the beginning of a text before each text.
    """
    check_jinja(template)
    vocab, kinds = file.vocab, (CONTROL, UNKNOWN, USER_DEFINED)
    texts = {vocab.text(i) for i in range(vocab.size) if vocab.type(i) in kinds}
    missing = [marker for marker in markers(template) if marker.encode() not in texts]
    if missing:
        findings.add(
            "chat template",
            f"no marker of the chat template that is no special token, such as {examples(missing)}: each becomes "
            "several ids. Train with control_symbols, or call add_pieces(names, control=True)",
            lambda text: not any(marker in text for marker in missing),
        )
    bos_id = file.special_ids[1]
    if adds_bos and bos_id >= 0 and has_bos(template, file.vocab.text(bos_id).decode("utf-8", "replace")):
        findings.add(
            "two bos",
            "the chat template writes the token for the beginning of a text, and the tokenizer puts it there too: "
            "encode prompts with add_special_tokens=False, or write the folder with bos=False",
            lambda text: True,
        )


def check_jinja(template: str) -> None:
    """Raise OptionError for a template whose tags are not closed, by Jinja where it is installed."""
    rest = TAG.sub("", template)
    wrong = next((sign for sign in ("{%", "{{", "{#", "%}") if sign in rest), None)
    if wrong is not None:
        place = f"{rest[rest.index(wrong) :]!r:.60}"
        raise OptionError(f"chat_template is no Jinja template: {wrong!r} at {place} is not closed")
    open_tags: list[str] = []
    for match in TAG.finditer(template):
        word = match[1] or ""
        if word in ENDS:
            open_tags.append(word)
        elif word in ENDS.values() and (not open_tags or ENDS[open_tags.pop()] != word):
            raise OptionError(f"chat_template is no Jinja template: {match[0]!r:.60} ends nothing that is open")
    if open_tags:
        raise OptionError(f"chat_template is no Jinja template: {open_tags[-1]!r} has no {ENDS[open_tags[-1]]!r}")
    try:
        from jinja2 import Environment, TemplateSyntaxError
    except ImportError:
        return
    try:
        Environment(extensions=["jinja2.ext.loopcontrols"]).parse(
            re.sub(r"\{%-?\s*(end)?generation\s*-?%\}", "", template)
        )
    except TemplateSyntaxError as error:
        raise OptionError(f"chat_template is no Jinja template: line {error.lineno}: {error.message}") from None


def markers(template: str) -> list[str]:
    """The texts of a template that look like special tokens: between its tags, and in the strings of its tags."""
    parts = [TAG.sub("\n", template)]
    for match in TAG.finditer(template):
        if not match[0].startswith("{#"):
            parts += [one or other for one, other in STRING.findall(match[0])]
    return list(dict.fromkeys(marker for part in parts for marker in MARKER.findall(part)))


def has_bos(template: str, bos: str) -> bool:
    """Whether a template writes the piece for the beginning of a text."""
    return "bos_token" in template or bos in template
