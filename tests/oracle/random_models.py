"""Small random vocabularies with every kind of piece, ties, and texts that hit them."""

from __future__ import annotations

import random

from oracle.segmentation import BYTE, CONTROL, NORMAL, UNKNOWN, UNUSED, USER_DEFINED, Pieces

from spm_lite import ModelError, Tokenizer
from spm_lite.kinds import MODEL_TYPES
from spm_lite.normalize.rules.named_rules import compile_rules
from spm_lite.specs import NormalizerSpec, TrainerSpec
from spm_lite.vocab.model_writer import write_model

TYPES = list(MODEL_TYPES)
WELL_FORMED = ["a", "b", "c", "é", "漢", "\u2581", "x", "🤗"]
ILL_FORMED = [b"\xe3", b"\x81", b"\xe2\x96", b"\xf0", b"\xc3"]


def random_pieces(rng: random.Random, byte_fallback: bool, ill_formed: bool = False, space: bool = False) -> Pieces:
    """Pieces with unique texts: `<unk>` (maybe missing under byte fallback), controls, bytes, plain ones."""
    units = [c.encode() for c in WELL_FORMED] + (ILL_FORMED if ill_formed else []) + ([b" "] if space else [])
    pieces: Pieces = [] if byte_fallback and rng.random() < 0.3 else [(b"<unk>", 0.0, UNKNOWN)]
    pieces += [(b"<s>", 0.0, CONTROL), (b"</s>", 0.0, CONTROL)]
    if byte_fallback:
        pieces += [(b"<0x%02X>" % byte, 0.0, BYTE) for byte in range(256)]
    texts = {c for c in units if rng.random() < 0.7}
    while len(texts) < rng.randrange(3, 30):
        texts.add(b"".join(rng.choices(units, k=rng.randrange(1, 6))))
    scores = rng.choice([[-1.0, -2.0], [-0.0, 0.0, -1.0, -2.0, -3.0], [float(-k) / 3 for k in range(20)]])
    weights = rng.choice([(1, 0, 0, 0), (8, 1, 1, 0.3), (3, 0, 3, 0.5)])
    kinds = [NORMAL, USER_DEFINED, UNUSED, CONTROL]
    plain = [(text, rng.choice(scores), rng.choices(kinds, weights)[0]) for text in sorted(texts)]
    rng.shuffle(plain)
    if not any(kind != CONTROL for _, _, kind in plain):
        plain.append((b"zz", -1.0, NORMAL))
    return pieces + plain


def random_text(rng: random.Random, ill_formed: bool = False, space: bytes = "\u2581".encode()) -> bytes:
    """A text of up to some 20 characters, most of them known to the models above."""
    units = [c.encode() for c in WELL_FORMED] + [b"z", "☃".encode(), b"\0"] + (ILL_FORMED if ill_formed else [])
    few = rng.sample(units, rng.randrange(1, len(units)))
    return b"".join(rng.choices(few, k=rng.randrange(0, 20))).replace("\u2581".encode(), space)


def random_rules(rng: random.Random) -> bytes:
    """A few compiled rules over the characters of these models: deletions, spaces, longer and shorter targets."""
    units = [*WELL_FORMED, " ", "z", "\u3000"]
    rules = {}
    for _ in range(rng.randrange(1, 8)):
        source = "".join(rng.choices(units, k=rng.randrange(1, 4)))
        target = "".join(rng.choices(units, k=rng.randrange(0, 4)))
        if source != target:
            rules[source] = target
    return compile_rules(rules) if rules else b""


def random_normalizer(rng: random.Random) -> NormalizerSpec:
    """Any rules and flags."""
    return NormalizerSpec(
        precompiled_charsmap=random_rules(rng) if rng.random() < 0.4 else b"",
        add_dummy_prefix=rng.random() < 0.5,
        remove_extra_whitespaces=rng.random() < 0.5,
        escape_whitespaces=rng.random() < 0.8,
    )


def random_model(rng: random.Random, model_type: str) -> bytes:
    """A model file of any settings: rules both ways, odd names of special pieces, ill-formed pieces, suffix mode."""
    byte_fallback = rng.random() < 0.4
    pieces = random_pieces(rng, byte_fallback, ill_formed=rng.random() < 0.2, space=rng.random() < 0.3)
    names = ["<unk>", "<s>", "</s>", "<pad>", "a", "zz", "none", ""]
    trainer = TrainerSpec(
        model_type=model_type,
        vocab_size=len(pieces),
        byte_fallback=byte_fallback,
        treat_whitespace_as_suffix=rng.random() < 0.3,
        unk_surface=rng.choice([" \u2047 ", "", "?", "\u2581"]),
        bos_piece=rng.choice(names) if rng.random() < 0.2 else "<s>",
        eos_piece=rng.choice(names) if rng.random() < 0.2 else "</s>",
        unk_piece=rng.choice(names) if rng.random() < 0.2 else "<unk>",
        pad_piece=rng.choice(names) if rng.random() < 0.2 else "<pad>",
    )
    denormalizer = random_normalizer(rng) if rng.random() < 0.3 else None
    return write_model(pieces, trainer, random_normalizer(rng), denormalizer)


def random_tokenizer(rng: random.Random, model_type: str) -> Tokenizer:
    """The first of such models that is valid: a random name of a special piece may make one that is not."""
    while True:
        try:
            return Tokenizer.load(random_model(rng, model_type))
        except ModelError:
            continue
