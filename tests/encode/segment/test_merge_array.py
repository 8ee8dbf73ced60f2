"""BPE of short chunks on the stack and of longer ones by a heap, at the sizes where one takes over from the other."""

import random

import pytest
from oracle import native
from oracle.segmentation import NORMAL, SEGMENTERS, UNKNOWN, USER_DEFINED
from oracle.slow import slow_after
from oracle.small_models import tokenizer_of

from spm_lite.encode.segment.segmenter import make_segmenter

ALPHABETS = ["ab", "aé", "漢字", "a漢🤗", "🤗👍"]
N_SYMBOLS = [1, 2, 3, 4, 5, 8, 9, 31, 59, 60, 61, 64, 65]
MAX_BYTES = 40  # of a piece: 15 is what a key holds


def grown_pieces(rng, alphabet):
    """Pieces that are made of smaller ones, many with the same score; some characters may have none."""
    texts = dict.fromkeys(alphabet[: rng.randrange(1, len(alphabet) + 1)])
    pool = list(alphabet)
    for _ in range(60):
        text = rng.choice(pool) + rng.choice(pool)
        if len(text.encode()) <= MAX_BYTES:
            texts[text] = None
            pool.append(text)
    scores = rng.choice([[0.0], [-1.0, -2.0, -3.0], None])
    kinds = rng.choice([[NORMAL], [NORMAL] * 20 + [USER_DEFINED]])
    return [
        (b"<unk>", 0.0, UNKNOWN),
        *(
            (text.encode(), -float(i) if scores is None else rng.choice(scores), rng.choice(kinds))
            for i, text in enumerate(texts)
        ),
    ]


@pytest.mark.parametrize("alphabet", ALPHABETS)
@pytest.mark.parametrize("seed", slow_after(20, range(12)))
def test_equals_twin(alphabet, seed):
    rng = random.Random(f"{alphabet} {seed}")
    pieces = grown_pieces(rng, alphabet)
    segmenter = make_segmenter(native.build_vocab(pieces, "bpe"), "bpe", True)
    guessing = make_segmenter(native.build_vocab(pieces, "bpe"), "bpe", True)
    native.forget_bits(guessing)
    tok = tokenizer_of(pieces, "bpe")
    for n in [*N_SYMBOLS, *(rng.randrange(1, 80) for _ in range(20))]:
        text = "".join(rng.choices(alphabet, k=n)).encode()
        wanted = SEGMENTERS["bpe"](pieces, text)
        assert [(text[begin:end], i) for i, begin, end in native.tokens(segmenter, text)] == wanted
        assert native.tokens(guessing, text) == native.tokens(segmenter, text)
        ids = tok.encode(text)
        assert ids == tok._encoder.encode_text(text).ids()
        assert tok.encode(text) == ids  # remembered
        if all(i > 0 for _, i in wanted):
            assert ids == [i for _, i in wanted]


def test_characters_that_share_a_slot_with_a_piece():
    """Each is compared with the piece, at the end as well as in merging."""
    chars = [chr(0x4E00 + i) for i in range(256)]
    pieces = [(b"<unk>", 0.0, UNKNOWN), *((char.encode(), -float(i), NORMAL) for i, char in enumerate(chars[::2]))]
    tok = tokenizer_of(pieces, "bpe")
    native.forget_bits(tok._encoder.segmenter)
    assert [tok.encode(char) for char in chars] == [[0 if i % 2 else 1 + i // 2] for i in range(256)]
