"""Texts and helpers for tests that compare a model with the files written of it, in other programs."""

import random

import spm_lite
from spm_lite.formats.hugging_face.write_tokenizer import json_text, tokenizer_parts
from spm_lite.formats.proof.conditions import Findings

WORDS = [
    "the",
    "cat",
    "sat",
    "on",
    "a",
    "mat",
    "cats",
    "caf\u00e9",
    "Caf\u00e9s",
    "M\u00e4use",
    "\u4e16\u754c",
    "12",
    "2024",
    "it's",
    "x=1;",
]
BITS = [
    " ",
    "  ",
    "    ",
    "\n",
    "\t",
    "\r\n",
    "\u3000",
    "\u2581",
    "\u2581\u2581",
    "e\u0301",
    "\u1ecd\u0301",
    "\uff76\uff9e",
]
BITS += [
    "\u3131\u314f",
    "\U0001f30d",
    "\U000f0000",
    "\U000f0001",
    "\U000f0002",
    "\0",
    "\ufb01",
    "\u2460",
    "aaaaaaaa",
    "......",
    "<s>",
    "<0x41>",
]


def corpus(n=400, seed=1):
    rng = random.Random(seed)
    return [" ".join(rng.choices(WORDS, k=rng.randrange(1, 9))) for _ in range(n)]


def texts(tok, n=600, seed=2):
    """Random texts: pieces of the model, words, and what tokenizers treat differently."""
    rng = random.Random(seed)
    pieces = [tok.id_to_piece(i).replace("\u2581", " ") for i in range(len(tok))]
    pieces = [piece for piece in pieces if not any("\ud800" <= sign <= "\udfff" for sign in piece)]
    found = ["", *corpus(50, seed)]
    for _ in range(n):
        found.append("".join(rng.choice(rng.choice((pieces, WORDS, BITS, [" "]))) for _ in range(rng.randrange(1, 10))))
    return found


def written(tok, **options):
    """(findings, text of the tokenizer.json) of a model."""
    findings = Findings(options.pop("allow", ()))
    return findings, json_text(tokenizer_parts(tok, findings, **options))


def unmet(findings, text):
    return [condition.name for condition in findings.conditions if not condition.is_met(text)]


def unexplained(tok, findings, other, many):
    """The texts that another program gives other ids, though they meet all conditions."""
    theirs = [found.ids for found in other.encode_batch(many, add_special_tokens=False)]
    ours = tok.encode_lists(many)
    return [
        text for text, own, their in zip(many, ours, theirs, strict=True) if own != their and not unmet(findings, text)
    ]


def trained(model_type="bpe", **options):
    options = {"vocab_size": 420, "hard_vocab_limit": False, **options}
    return spm_lite.train(corpus(), model_type=model_type, **options)
