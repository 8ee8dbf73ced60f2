"""The writer without protobuf gives the bytes of the one with it."""

import pytest

from spm_lite.kinds import CONTROL, NORMAL
from spm_lite.specs import NormalizerSpec, TrainerSpec
from spm_lite.vocab.byte_model_writer import TRAINER, write_byte_model
from spm_lite.vocab.messages import message_class
from spm_lite.vocab.model_writer import OWN_PIECES, write_model
from spm_lite.vocab.wire import write_pieces

ENTRIES = [("<s>", 0.0, CONTROL), *((bytes([b]), -float(b), NORMAL) for b in range(256)), (b"ab", 0.5, NORMAL)]
SETTINGS = {"allow_whitespace_only_pieces": True, "unk_id": -1, "bos_id": -1, "eos_id": -1}


@pytest.mark.parametrize("pattern", [None, r"\s+(?!\S)|\p{L}+"])
@pytest.mark.parametrize("form", ["", "NFC", "NFKD 9.0"])
@pytest.mark.parametrize(
    "others",
    [
        {},
        {"split_by_whitespace": False},
        {"treat_whitespace_as_suffix": True, "bos_id": 0, "bos_piece": "<s>"},
        {"unk_id": 3, "unk_piece": "é", "eos_id": 2, "eos_piece": "</s>", "pad_id": 7, "pad_piece": "[PAD]"},
    ],
)
def test_bytes_are_those_of_protobuf(pattern, form, others):
    settings = SETTINGS | others
    spec = TrainerSpec(model_type="byte_bpe", vocab_size=len(ENTRIES), byte_fallback=False, **settings)
    name = form.partition(" ")[0].lower() or "identity"
    normalizer = NormalizerSpec(name, b"", False, False, unicode_form=form)
    expected = write_model(ENTRIES, spec, normalizer, None, not form, pattern)
    pieces = write_pieces(ENTRIES, OWN_PIECES)
    assert write_byte_model(pieces, len(ENTRIES), settings, pattern, form) == expected


def test_fields_are_those_of_the_message():
    fields = message_class("TrainerSpec").DESCRIPTOR.fields_by_name
    for name, (number, default) in TRAINER.items():
        assert (fields[name].number, fields[name].default_value) == (number, default)
