"""BPE models with the first merges only: what training to a smaller size gives."""

from __future__ import annotations

from typing import Any

from spm_lite._typing import TYPE_CHECKING
from spm_lite.arguments import as_int
from spm_lite.errors import OptionError
from spm_lite.kinds import BYTE_LEVEL, FAMILIES, NORMAL, UNUSED

if TYPE_CHECKING:
    from spm_lite.vocab.model_file import ModelFile

MERGING = ("bpe", "byte_bpe")  # types of models
NAMED_IDS = ("unk_id", "bos_id", "eos_id", "pad_id")


def with_vocab_size(file: ModelFile, vocab_size: Any) -> bytes:
    """The bytes of a model of `vocab_size` pieces, without the last merges. Raises OptionError if there is none."""
    size = as_int(vocab_size, "vocab_size")
    if file.model_type not in MERGING:
        raise OptionError(
            f"a {file.model_type} model has no merges to leave out: only bpe and byte_bpe models can be made smaller; "
            "train with another vocab_size"
        )
    merges = merges_of(file)
    least = file.vocab.size - len(merges)
    if not least <= size <= file.vocab.size:
        raise OptionError(
            f"vocab_size={size}: this model can have {least} to {file.vocab.size} pieces: {least} are not merges",
            remedies=[{"vocab_size": min(max(size, least), file.vocab.size)}],
        )
    return without(file, set(merges[size - least :]))


def merges_of(file: ModelFile) -> list[int]:
    """The ids of the pieces that are merges, the first merge first; none for other methods than BPE.

    Of equal scores the lower id comes first. Single characters, or bytes in byte-level models, need no merge.
    """
    if file.model_type not in MERGING:
        return []
    vocab, in_bytes = file.vocab, file.vocab.is_bytes
    found = [
        i
        for i in range(vocab.size)
        if vocab.type(i) in (NORMAL, UNUSED)
        and len(vocab.text(i) if in_bytes else vocab.text(i).decode("utf-8", "surrogateescape")) > 1
    ]
    return sorted(found, key=lambda i: (-vocab.score(i), i))


def without(file: ModelFile, dropped: set[int]) -> bytes:
    """The bytes of a model without some merges. Characters that came after all merges keep their places after them."""
    from spm_lite.vocab.messages import extension_of, serialize  # here, since it takes long to import

    message = file.message()
    pieces = extension_of(message).pieces if file.model_type in FAMILIES else message.pieces
    lowest = min((file.vocab.score(i) for i in dropped), default=0.0)
    kept = [pieces[i] for i in range(len(pieces)) if i not in dropped]
    for piece in kept:
        if piece.type == NORMAL and piece.score < lowest:
            piece.score += len(dropped)
    if dropped and file.model_type in BYTE_LEVEL:
        for name in NAMED_IDS:
            before = getattr(message.trainer_spec, name)
            if before >= 0:
                setattr(message.trainer_spec, name, before - sum(i < before for i in dropped))
    message.trainer_spec.vocab_size = len(kept)
    copies = [type(piece).FromString(piece.SerializeToString(deterministic=True)) for piece in kept]
    del pieces[:]
    pieces.extend(copies)
    return serialize(message)
