"""Model files with some pieces of another one, in a new order: all that names pieces by their ids follows them."""

from __future__ import annotations

from array import array

from spm_lite._typing import TYPE_CHECKING
from spm_lite.kinds import UNUSED
from spm_lite.vocab.merge_list import MergeList

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from typing import Any

    from spm_lite.vocab.model_file import ModelFile

NAMED_IDS = ("unk_id", "bos_id", "eos_id", "pad_id")


def with_chosen_pieces(file: ModelFile, order: Sequence[int], unused: Collection[int] = ()) -> bytes:
    """The bytes of a model whose pieces are these old ids, in this order. unused: those that become UNUSED."""
    from spm_lite.vocab.messages import serialize  # here, since it takes long to import

    message = file.message()
    pieces = pieces_of(message, file)
    for i in unused:
        pieces[i].type = UNUSED
    choose(message, file, order)
    return serialize(message)


def pieces_of(message: Any, file: ModelFile) -> Any:
    """The pieces of a message, wherever they stand."""
    from spm_lite.vocab.messages import extension_of

    return extension_of(message).pieces if file.has_own_pieces else message.pieces


def choose(message: Any, file: ModelFile, order: Sequence[int]) -> None:
    """Leave only these ids of a message, in this order, and renumber what names them."""
    from spm_lite.vocab.messages import extension_of

    new_ids = {old: new for new, old in enumerate(order)}
    pieces = pieces_of(message, file)
    copies = [type(pieces[i]).FromString(pieces[i].SerializeToString(deterministic=True)) for i in order]
    del pieces[:]
    pieces.extend(copies)
    trainer = message.trainer_spec
    trainer.vocab_size = len(copies)
    for name in NAMED_IDS:
        before = getattr(trainer, name)
        if 0 <= before < len(file.vocab) and new_ids.get(before, -1) != before:
            setattr(trainer, name, new_ids.get(before, -1))
    if not file.has_own_pieces:
        return
    own = extension_of(message)
    kept = [(token, new_ids[token.id]) for token in own.added_tokens if token.id in new_ids]
    for token, new_id in kept:
        token.id = new_id
    tokens = [type(token).FromString(token.SerializeToString(deterministic=True)) for token, _ in kept]
    del own.added_tokens[:]
    own.added_tokens.extend(tokens)
    if own.exact_scores:
        own.exact_scores = chosen_scores(file, order)
    if file.vocab.merge_list is not None:
        renumbered = chosen_merges(file.vocab.merge_list, new_ids).serialize()
        own.ClearField("merge_list")
        own.merge_list.MergeFromString(renumbered)


def chosen_scores(file: ModelFile, order: Sequence[int]) -> bytes:
    """The scores in double precision of these ids. Those of the last pieces may be in single precision before."""
    exact = memoryview(file.vocab.exact_scores).cast("d")
    return array("d", [exact[i] if i < len(exact) else file.vocab.score(i) for i in order]).tobytes()


def chosen_merges(listed: MergeList, new_ids: Mapping[int, int]) -> MergeList:
    """The merges among the pieces that are left."""
    ids = [new_ids[i] for merge in listed if all(one in new_ids for one in merge) for i in merge]
    return MergeList(ids, listed.fuse_unknown, listed.whole_pieces, listed.continuing_prefix, listed.word_suffix)
