"""A BPE model with fewer merges: what a training with a smaller vocabulary would have made."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spm_lite.kinds import FAMILIES, NORMAL, UNUSED

if TYPE_CHECKING:
    from spm_lite.model.model_file import ModelFile

MERGING = ("bpe", "byte_bpe")


def merges_of(file: ModelFile) -> list[int]:
    """The ids of the pieces that merges make, in the order of the merges; none for other types of models.

    Of equal scores the lower id comes first. Single characters, or bytes in byte-level models, need no merge.
    """
    if file.model_type not in MERGING:
        return []
    vocab = file.vocab
    made = []
    for piece_id in range(len(vocab)):
        if vocab.type(piece_id) in (NORMAL, UNUSED):
            text = vocab.text(piece_id)
            if len(text if vocab.is_bytes else text.decode("utf-8", "replace")) > 1:
                made.append(piece_id)
    return sorted(made, key=lambda piece_id: (-vocab.score(piece_id), piece_id))


def with_fewer_merges(file: ModelFile, dropped: list[int]) -> bytes:
    """The bytes of the model without some pieces, those of its last merges. The pieces after them get lower ids."""
    from spm_lite.model.messages import extension_of, serialize  # here, since it takes long to import

    message = file.message()
    owner: Any = extension_of(message) if file.model_type in FAMILIES else message
    gone = set(dropped)
    kept = [piece for number, piece in enumerate(owner.pieces) if number not in gone]
    copies = [type(piece).FromString(piece.SerializeToString(deterministic=True)) for piece in kept]
    del owner.pieces[:]
    owner.pieces.extend(copies)
    message.trainer_spec.vocab_size = len(copies)
    return serialize(message)
