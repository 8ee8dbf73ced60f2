"""Run by another Python: what AutoTokenizer of its transformers makes of folders.

    python ids_in_transformers.py < jobs.json > answers.json

A job: {"folder", "texts", "slow", "special", "class", "chats"}. special: with the pieces around a text. class: the one
to load it with, in place of AutoTokenizer. chats: lists of messages, for the chat template of the folder.
Its answer: {"class", "ids", "tokens", "prompts"}, or {"error"}. tokens: added tokens by id. prompts: (text, ids) of
each chat.
"""

from __future__ import annotations

import json
import os
import sys
import warnings
from typing import Any

os.environ["TRANSFORMERS_VERBOSITY"] = "critical"
os.environ["HF_HUB_OFFLINE"] = "1"


def answer(job: dict[str, Any]) -> dict[str, Any]:
    import transformers

    loader = getattr(transformers, job.get("class", "AutoTokenizer"))
    try:
        tok = loader.from_pretrained(job["folder"], use_fast=not job.get("slow"), local_files_only=True)
    except BaseException as error:  # a panic is no Exception
        return {"error": f"{type(error).__name__}: {error}"}
    found: list[Any] = []
    for text in job["texts"]:
        try:
            if "LayoutXLM" in type(tok).__name__:  # it encodes words with their places
                found.append(tok.convert_tokens_to_ids(tok.tokenize(text)))
            else:
                found.append(tok.encode(text, add_special_tokens=bool(job.get("special")), verbose=False))
        except BaseException as error:
            found.append(f"{type(error).__name__}: {error}")
    prompts = []
    for chat in job.get("chats", []):
        encoded = tok.apply_chat_template(chat, tokenize=True)
        ids = encoded if isinstance(encoded, list) else encoded["input_ids"]
        prompts.append((tok.apply_chat_template(chat, tokenize=False), ids))
    added = {int(i): token.content for i, token in tok.added_tokens_decoder.items()}
    return {"class": type(tok).__name__, "ids": found, "tokens": added, "size": len(tok), "prompts": prompts}


def main() -> None:
    import transformers

    warnings.simplefilter("ignore")
    out, sys.stdout = sys.stdout, sys.stderr
    jobs = json.load(sys.stdin)
    json.dump({"version": transformers.__version__, "answers": list(map(answer, jobs))}, out)


if __name__ == "__main__":
    main()
