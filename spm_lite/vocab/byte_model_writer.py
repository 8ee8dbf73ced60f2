"""Model writer for byte-level BPE alone, without protobuf: importing that takes longer than reading 100,000 pieces."""

from __future__ import annotations

from spm_lite._typing import TYPE_CHECKING
from spm_lite.kinds import BEHAVIORS, FAMILIES, MODEL_TYPES
from spm_lite.vocab.model_file import FAMILY_VERSION, PATTERN_VERSION, TEXT_VERSION
from spm_lite.vocab.wire import write_fields, write_message

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import TypeAlias

    Setting: TypeAlias = int | str  # a bool is an int
    Field: TypeAlias = tuple[int, int | str | bytes]
    Split: TypeAlias = tuple[str, str, bool]  # pattern, behavior, invert

SPLITS = 21  # number of the field `splits` of the extension
OWN_PIECES = 4  # number of the field `pieces` of the extension
EXTENSION = 29552  # number of the extension, which is the last field of a model
TRAINER: dict[str, tuple[int, Setting]] = {  # the fields of the trainer spec that matter here: number, default
    "split_by_whitespace": (22, True),
    "treat_whitespace_as_suffix": (24, False),
    "allow_whitespace_only_pieces": (26, False),
    "unk_id": (40, 0),
    "bos_id": (41, 1),
    "eos_id": (42, 2),
    "pad_id": (43, -1),
    "unk_piece": (45, "<unk>"),
    "bos_piece": (46, "<s>"),
    "eos_piece": (47, "</s>"),
    "pad_piece": (48, "<pad>"),
}


def split_fields(split: Split) -> bytes:
    """The fields of one way to cut a text."""
    pattern, behavior, invert = split
    fields: list[Field] = [(1, pattern)]
    fields += [(number, value) for number, value in ((2, BEHAVIORS.index(behavior)), (3, int(invert))) if value]
    return write_fields(fields)


def write_byte_model(
    pieces: bytes,
    n: int,
    settings: Mapping[str, Setting],
    pattern: str | None,
    form: str = "",
    splits: Sequence[Split] = (),
    merges: bytes | None = None,
    is_lossless: bool = True,
    has_empty: bool = False,
) -> bytes:
    """The bytes that `write_model` gives for such a model.

    pieces: n of them, as `write_pieces` writes them for OWN_PIECES. settings: fields of TRAINER. pattern: the split
    pattern; None: the raw bytes merge. form: of Unicode, which a text gets first; empty: the model is lossless, unless
    `is_lossless` is False, or `splits`, the ways to cut a text in place of a pattern, remove some of it. merges: a
    message `MergeList`; None: pieces merge by their scores. has_empty: some ids have no piece, or an empty one.
    """
    trainer: list[Field] = [(3, MODEL_TYPES["bpe"]), (4, n)]
    trainer += [(TRAINER[name][0], value) for name, value in settings.items() if value != TRAINER[name][1]]
    normalizer: list[Field] = [
        (1, form.partition(" ")[0].lower() or "identity"),
        (3, False),
        (4, False),
    ]  # no prefix, spaces stay
    is_new = form or splits or merges is not None or has_empty
    head: list[Field] = [
        (1, TEXT_VERSION if is_new else FAMILY_VERSION if pattern is None else PATTERN_VERSION),
        (2, not form and is_lossless and not any(behavior == "Removed" for _, behavior, _ in splits)),
        (3, FAMILIES["byte_bpe"]),
    ]
    tail: list[Field] = [(number, value) for number, value in ((10, pattern), (17, form)) if value]
    tail += [(SPLITS, split_fields(split)) for split in splits]
    tail += [] if merges is None else [(22, merges)]
    extension = b"".join((write_fields(head), pieces, write_fields(tail)))
    return b"".join(
        (
            write_message(2, write_fields(sorted(trainer))),
            write_message(3, write_fields(normalizer)),
            write_message(EXTENSION, extension),
        )
    )
