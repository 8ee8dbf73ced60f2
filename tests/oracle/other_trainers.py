"""The merges of other trainers of byte-level BPE, and our trainer with their rule for equally frequent pairs.

Sources: the trainer of tokenizers; rustbpe 0.1.0, `train_core_incremental`; gigabpe 0.1.0, which does as tokenizers.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any
from unittest import mock

import spm_lite
from spm_lite.formats.byte_spelling import unspell
from spm_lite.formats.split_patterns import NAMED
from spm_lite.training import steps

BY_BYTE = bytes(range(256))
BY_SIGN = b"".join(filter(None, (unspell(chr(sign)) for sign in range(0x144))))  # of the signs that GPT-2 writes


def trained_by_ids(texts: Any, by_ids: bytes, **options: Any) -> spm_lite.Tokenizer:
    """A byte-level model; of equally frequent pairs the one of smaller ids is merged first. by_ids: bytes by id."""
    make = steps.Training.new_trainer

    def new_trainer(run: steps.Training) -> Any:
        trainer: Any = make(run)
        trainer.by_ids = by_ids
        return trainer

    with mock.patch.object(steps.Training, "new_trainer", new_trainer):
        return spm_lite.train(texts, **{"model_type": "byte_bpe", **options})


def patterns_of(name: str) -> list[str]:
    """The patterns of a name, one after the other."""
    found = NAMED[name]
    return [found] if isinstance(found, str) else [pattern for pattern, _, _ in found]


def learned(tok: spm_lite.Tokenizer) -> list[bytes]:
    """The bytes of the merges of a model, in order."""
    found = (tok.token_bytes(i) for i in range(len(tok)) if tok.piece_type(i) == "normal")
    return [piece for piece in found if len(piece) > 1]


def of_tokenizers(texts: Iterable[str], n_pieces: int, patterns: Sequence[str]) -> list[bytes]:
    """The merges that BpeTrainer makes, in order. patterns: one after the other."""
    from tokenizers import Regex, Tokenizer, models, pre_tokenizers, trainers

    other = Tokenizer(models.BPE())
    # After a number of times, Oniguruma takes + for one more repetition; here nothing follows that could be given back.
    splits = [pre_tokenizers.Split(Regex(pattern.replace("3}+", "3}")), "isolated") for pattern in patterns]
    byte_level = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    other.pre_tokenizer = pre_tokenizers.Sequence([*splits, byte_level])
    trainer = trainers.BpeTrainer(
        vocab_size=n_pieces, initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), show_progress=False
    )
    other.train_from_iterator(texts, trainer)
    ids: dict[str, int] = json.loads(other.to_str())["model"]["vocab"]
    return [unspell(piece) or b"" for piece in sorted(ids, key=ids.__getitem__)][256:]


def of_rustbpe(texts: Iterable[str], n_pieces: int, pattern: str) -> list[bytes]:
    """The merges that rustbpe makes, in order."""
    import rustbpe

    other = rustbpe.Tokenizer()
    other.train_from_iterator(iter(texts), vocab_size=n_pieces, pattern=pattern)
    return [bytes(piece) for piece, _ in other.get_mergeable_ranks()][256:]


def of_gigabpe(path: Any, n_pieces: int) -> list[bytes]:
    """The merges that gigabpe makes of the lines of a file, with the pattern of GPT-2, in order."""
    import gigabpe

    _, merges = gigabpe.train_bpe([str(path)], n_pieces, pretokenizer="bytelevel")
    return [unspell(left + right) or b"" for left, right in merges]
