"""A tokenizer that needs no training: its tokens are bytes."""

from __future__ import annotations

from spm_lite._typing import TYPE_CHECKING
from spm_lite.kinds import CONTROL, NORMAL

if TYPE_CHECKING:
    from collections.abc import Iterable

    from spm_lite.tokenizer.tokenizer import Tokenizer


def byte_tokenizer(
    before: Iterable[str] = ("<pad>", "</s>", "<unk>"), after: Iterable[str] = (), *, unk_piece: str = "<unk>"
) -> Tokenizer:
    """A Tokenizer whose tokens are the bytes of the text, as ByT5 has them. It needs no training.

    By default it has the 259 ids of ByT5: pad 0, eos 1, unk 2, and byte b has the id b + 3. No text becomes a special
    token, and every text comes back.

    Args:
        before: the special tokens with the first ids. "<s>", "</s>" and "<pad>" are bos, eos and pad.
        after: the special tokens after the bytes, such as ByT5's 125 "<extra_id_...>".
        unk_piece: which of them is the unknown token; no text becomes it.
    Returns:
        A Tokenizer of type "byte".
    Raises:
        OptionError: two special tokens have the same name, or one has no name.
        ArgumentTypeError: a special token is not a str.

    >>> import spm_lite
    >>> tok = spm_lite.byte_tokenizer()
    >>> tok.encode("hé", eos=True)
    [107, 198, 172, 1]
    >>> tok.patches(tok.encode("hello"), 4).tolist()
    [[107, 104, 111, 111], [114, 0, 0, 0]]
    """
    from spm_lite.formats.special_tokens import special_names
    from spm_lite.kinds import UNKNOWN
    from spm_lite.specs import NormalizerSpec, TrainerSpec
    from spm_lite.tokenizer.tokenizer import Tokenizer
    from spm_lite.vocab.model_writer import write_model

    every_byte = {bytes([byte]) for byte in range(256)}
    first = special_names(before, "before", every_byte)
    last = special_names(after, "after", every_byte | set(first))
    names = [*first, *last]
    kinds = {name: UNKNOWN if name == unk_piece else CONTROL for name in names}
    entries: list[tuple[str | bytes, float, int]] = [(name, 0.0, kinds[name]) for name in first]
    entries += [(bytes([byte]), 0.0, NORMAL) for byte in range(256)]
    entries += [(name, 0.0, kinds[name]) for name in last]
    spec = TrainerSpec(model_type="byte", vocab_size=len(entries), byte_fallback=False, unk_piece=unk_piece)
    data = write_model(entries, spec, NormalizerSpec(add_dummy_prefix=False), None, True)
    return Tokenizer._from_bytes(data, "the byte model")
