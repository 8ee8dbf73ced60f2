"""Fields of protobuf messages, byte for byte."""

from spm_lite.vocab.wire import write_fields


def test_fields_of_all_kinds():
    assert write_fields([(1, True), (2, "é"), (3, b"\xff"), (40, -1)]) == (
        b"\x08\x01\x12\x02\xc3\xa9\x1a\x01\xff\xc0\x02" + b"\xff" * 9 + b"\x01"
    )
    assert write_fields([]) == b""
