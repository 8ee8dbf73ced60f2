"""The cleanup of WordPiece decoders against the decoder of tokenizers."""

import random

import pytest

from spm_lite.vocab.derived import REPLACEMENTS, cleaned


def test_each_piece_as_in_tokenizers():
    decoder = pytest.importorskip("tokenizers").decoders.WordPiece("##", cleanup=True)
    rng = random.Random(2)
    parts = [*(found.decode() for found, _ in REPLACEMENTS), "a", "do", " ", "'", ".", "not"]
    for _ in range(5000):
        piece = "".join(rng.choices(parts, k=rng.randrange(1, 6)))
        assert cleaned(b" " + piece.encode()).decode() == decoder.decode(["", piece])


@pytest.mark.parametrize(
    ("text", "clean"), [(b" .", b"."), (b" n't", b"n't"), (b" a", b" a"), (b" ' x", b"'x"), (b"", b"")]
)
def test_spaces_that_go(text, clean):
    assert cleaned(text) == clean
