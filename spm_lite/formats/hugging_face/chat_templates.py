"""Chat templates: where they are found, whether they are Jinja, whether their markers are special tokens of a model."""

from __future__ import annotations

import errno
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from spm_lite.errors import FileError, OptionError
from spm_lite.files.open_files import as_path, read_bytes
from spm_lite.files.saved_values import SPELLED, TEXT, Maybe
from spm_lite.formats.hugging_face.read_specials import NAMED
from spm_lite.formats.json_file import check_form
from spm_lite.formats.proof.conditions import Findings, examples
from spm_lite.formats.vocab_txt import CONFIG, read_config
from spm_lite.kinds import CONTROL, UNKNOWN, USER_DEFINED

if TYPE_CHECKING:
    from spm_lite.vocab.model_file import ModelFile

TAG = re.compile(r"\{%-?\+?\s*(\w*).*?-?\+?%\}|\{\{.*?\}\}|\{#.*?#\}", re.DOTALL)
STRING = re.compile(r"'((?:[^'\\]|\\.)*)'|\"((?:[^\"\\]|\\.)*)\"")
MARKER = re.compile(r"<\|[^|<>\s]{1,60}\|>|</?[a-z][a-z0-9_]{0,40}>|\[/?[A-Z][A-Z_]{1,30}\]")
TEMPLATE_FILE = "chat_template.jinja"
TOOLS_FILE = "additional_chat_templates/tool_use.jinja"
NO_TEMPLATE = "chat_template is no Jinja template"
ENDS = {"for": "endfor", "if": "endif", "macro": "endmacro", "filter": "endfilter", "call": "endcall",
        "generation": "endgeneration", "raw": "endraw"}  # fmt: skip


def open_template(source: Any, has_tools: bool = False) -> tuple[str, dict[str, str]]:
    """(text, special tokens) of a template: the text itself, or the path of its file or of a folder of transformers.

    has_tools: of several templates in a folder the one for tools is wanted. The special tokens are those that the
    folder names, by their role: bos_token and others; {} without a folder.
    Raises ArgumentTypeError for another value, MissingFileError if nothing is there.
    """
    if isinstance(source, str) and ("{{" in source or "{%" in source):
        return source, {}
    if isinstance(source, str) and ("\n" in source or not source.strip()):
        raise OptionError(
            f"template is {source!r:.40}, which has no {{{{ }}}} or {{% %}}: give a Jinja template, or a path"
        )
    path = as_path(source, "template")
    if not os.path.isdir(path):  # noqa: PTH112
        return as_text(read_bytes(path), path), {}
    files = {name: os.path.join(path, name) for name in (TEMPLATE_FILE, TOOLS_FILE)}  # noqa: PTH118
    data = {name: read_bytes(file) for name, file in files.items() if os.path.exists(file)}  # noqa: PTH110
    config = read_config(Path(path))
    name = TOOLS_FILE if has_tools and TOOLS_FILE in data else TEMPLATE_FILE
    if name in data:
        text: str | None = as_text(data[name], files[name])
    else:
        text = template_of(config.get("chat_template"), has_tools, os.path.join(path, CONFIG))  # noqa: PTH118
    if text is None:
        raise OptionError(f"template: {path!r:.100} holds no {TEMPLATE_FILE}, and no chat_template in {CONFIG}")
    given = {name: config.get(name) for name in NAMED}
    contents = {name: one.get("content") if isinstance(one, dict) else one for name, one in given.items()}
    return text, {name: one for name, one in contents.items() if isinstance(one, str)}


def as_text(data: bytes, path: str) -> str:
    """The text of a file. Raises FileError if it is not UTF-8."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise FileError(errno.EILSEQ, f"is not UTF-8 at byte {error.start}: a template is text", path) from None


def template_of(value: Any, has_tools: bool, file: str) -> str | None:
    """The template that a setting holds: a text, or a list of named ones. Raises ModelError for another value."""
    form = [{"name": TEXT, "template": SPELLED}] if isinstance(value, list) else Maybe(SPELLED)
    check_form(value, form, f"{file}: chat_template")
    if isinstance(value, list):
        named = {one["name"]: one["template"] for one in value}
        value = (named.get("tool_use") if has_tools else None) or named.get("default")
    return value if isinstance(value, str) else None


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
        raise OptionError(f"{NO_TEMPLATE}: {wrong!r} at {place} is not closed")
    open_tags: list[str] = []
    for match in TAG.finditer(template):
        word = match[1] or ""
        if word in ENDS:
            open_tags.append(word)
        elif word in ENDS.values() and (not open_tags or ENDS[open_tags.pop()] != word):
            raise OptionError(f"{NO_TEMPLATE}: {match[0]!r:.60} ends nothing that is open")
    if open_tags:
        raise OptionError(f"{NO_TEMPLATE}: {open_tags[-1]!r} has no {ENDS[open_tags[-1]]!r}")
    try:
        from jinja2 import Environment, TemplateSyntaxError
    except ImportError:
        return
    try:
        Environment(extensions=["jinja2.ext.loopcontrols"]).parse(
            re.sub(r"\{%-?\s*(end)?generation\s*-?%\}", "", template)
        )
    except TemplateSyntaxError as error:
        raise OptionError(f"{NO_TEMPLATE}: line {error.lineno}: {error.message}") from None
    except (RecursionError, ValueError) as error:  # nested too deep, or a number of too many digits
        raise OptionError(f"{NO_TEMPLATE} that can be read: {error!s:.200}") from None


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
