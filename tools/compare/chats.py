"""Compare chats with transformers: text, ids, and the mask of what an assistant says, for random conversations.

    python tools/compare/chats.py [--folders FOLDER] [--strings 2000] [--only NAME...] [--shapes NAME...]

Each folder with a tokenizer.json becomes a tokenizer of transformers with the markers and the template of each shape in
tests/oracle/chat_templates.py. It is saved, and loaded here. Needs transformers 5.24 and jinja2.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from comparison import ROOT, Comparison, folders_of, parser_of_folders, run

import spm_lite

sys.path.insert(0, str(ROOT / "tests"))
from oracle.chat_templates import SHAPES, TOOLS, Shape, conversation


def tokenizer_of(folder: Path, shape: Shape) -> Any:
    """The tokenizer of a folder with the special tokens and the template of a shape."""
    from transformers import PreTrainedTokenizerFast

    config = folder / "tokenizer_config.json"
    given = json.loads(config.read_text()) if config.is_file() else {}
    roles = {"bos_token": "<s>", "eos_token": "</s>"}
    for name, value in given.items():
        if name.endswith("_token") and isinstance(value, (str, dict)):
            roles[name] = value if isinstance(value, str) else value["content"]
    found = PreTrainedTokenizerFast(tokenizer_file=str(folder / "tokenizer.json"), **roles)
    found.add_tokens(list(shape.markers), special_tokens=True)
    found.chat_template = shape.template
    return found


def compare_chats(case: Comparison, original: Any, tok: Any, folder: str, shape: Shape, n: int, seed: int) -> None:
    """Send random conversations through both."""
    rng = random.Random(seed)
    has_blocks = "generation %}" in shape.template
    for _ in range(n):
        messages = conversation(rng, shape)
        options: dict[str, Any] = {"add_generation_prompt": rng.random() < 0.5}
        if shape.has_tools and rng.random() < 0.5:
            options["tools"] = TOOLS
        if rng.random() < 0.2:
            options |= {"documents": [{"title": "t", "text": "some text"}], "enable_thinking": False}
        theirs = original.apply_chat_template(
            messages, return_dict=True, return_assistant_tokens_mask=has_blocks, **options
        )
        chat = tok.encode_chat(messages, folder, **options)
        case.counts["chats"] += 1
        case.check([messages], [chat.ids], [theirs["input_ids"]])
        if has_blocks and chat.ids == theirs["input_ids"]:
            case.counts["masks"] += 1
            case.check([messages], [chat.mask()], [theirs["assistant_masks"]], "mask")


def comparisons(args: argparse.Namespace) -> Iterator[Comparison]:
    """A case for each folder and shape."""
    for source in folders_of(args):
        for name, shape in SHAPES.items():
            if args.shapes and name not in args.shapes:
                continue
            case = Comparison(f"{source.name}, {name}")
            original = tokenizer_of(source, shape)
            with tempfile.TemporaryDirectory() as folder:
                original.save_pretrained(folder)
                try:
                    tok = spm_lite.load(folder, allow=args.allow)
                except spm_lite.SpmLiteError as error:
                    case.refused(error)
                else:
                    compare_chats(case, original, tok, folder, shape, args.strings, args.seed)
            yield case


def main() -> int:
    """Compare, and return the exit status."""
    parser = parser_of_folders(__doc__)
    parser.add_argument("--shapes", nargs="+", default=[], metavar="NAME", help="shapes of templates to compare")
    parser.add_argument("--allow", nargs="+", default=[], metavar="NAME", help="as spm_lite.load takes it")
    return run(parser, comparisons)


if __name__ == "__main__":
    sys.exit(main())
