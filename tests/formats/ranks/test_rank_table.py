"""A table of pieces by rank: a mapping that also finds pieces, and writes them."""

import random

import pytest

from spm_lite.formats.ranks.rank_table import RankTable
from spm_lite.kinds import CONTROL, NORMAL
from spm_lite.vocab.wire import write_pieces


def test_a_mapping_in_the_order_of_ranks():
    rng = random.Random(1)
    pieces = {rng.randrange(10**6): rng.randbytes(rng.randrange(1, 20)) + b"%d" % i for i in range(3000)}
    table = RankTable(pieces)
    assert dict(table.items()) == pieces and list(table) == sorted(pieces)
    assert len(table) == len(table.values()) == len(pieces) and table.last == max(pieces)
    assert list(table.values()) == [pieces[rank] for rank in sorted(pieces)]
    assert all(rank in table for rank in pieces) and all(piece in table.values() for piece in pieces.values())
    for absent in (-1, 10**6, 2**40, "1", None):
        assert absent not in table
    for absent in (b"", b"no such piece", "1", 7):
        assert absent not in table.values()


def test_empty():
    table = RankTable()
    assert len(table) == 0 and table.last == -1 and 0 not in table and b"" not in table.values()
    assert table.write({}, 4) == b""


def test_a_piece_twice():
    with pytest.raises(ValueError, match="twice"):
        RankTable({0: b"a", 1: b"a"})


def test_write():
    table = RankTable({1: b"a", 2: b"ab", 4: b"b" * 300, 5: b"c"})
    expected = [("<s>", 0.0, CONTROL), (b"a", -2.0, NORMAL), (b"ab", -0.0, NORMAL), ("é", 0.0, CONTROL)]
    expected += [(b"b" * 300, -1.0, NORMAL), (b"c", -3.0, NORMAL), ("</s>", 0.0, CONTROL)]
    assert table.write({0: "<s>", 3: "é", 6: "</s>"}, 4) == write_pieces(expected, 4)
