"""Where texts are cut into chunks, against all that pairs of characters tell, and against the reference."""

import random

import pytest
import sentencepiece
from oracle import native
from oracle.random_models import random_pieces, random_text
from oracle.segmentation import NORMAL, UNKNOWN, UNUSED
from oracle.small_models import tokenizer_of

from spm_lite.encode.chunks.pair_cuts import PairCuts


@pytest.mark.parametrize("model_type", ["unigram", "bpe"])
@pytest.mark.parametrize("seed", range(20))
def test_pairs_of_characters(model_type, seed):
    rng = random.Random(seed)
    pieces = [piece for piece in random_pieces(rng, False) if piece[2] != UNUSED]  # with which BPE is not cut
    tok = tokenizer_of(pieces, model_type)
    cutter, pairs = tok._encoder.chunks.cutter, PairCuts(tok._encoder.segmenter.vocab)
    for _ in range(30):
        text = random_text(rng, space=b" ") * rng.choice([1, 3, 40])
        places = native.pair_cuts(pairs, text)
        assert native.cuts(cutter, text) == places
        # The last chunk may go on.
        assert native.cuts(cutter, text, is_whole=False) == places[:-1]


@pytest.mark.parametrize("model_type", ["unigram", "bpe"])
def test_long_and_short_chunks_in_one_text(model_type):
    """Where pairs of characters tell of few cuts, others are looked for, until they tell of many again."""
    rng = random.Random(8)
    chars = [chr(0x4E00 + k) for k in range(3000)]
    letters = [chr(0x0E01 + k) for k in range(20)]
    words = {"".join(rng.choices(chars, k=rng.choice([2, 2, 3]))) for _ in range(12_000)}
    words |= {a + b for a in letters for b in letters if rng.random() < 0.8}
    words |= {"".join(rng.choices(letters, k=rng.randrange(3, 7))) for _ in range(2000)}
    texts = [*chars, *letters, *sorted(words)]
    pieces = [(text.encode(), -rng.uniform(1, 12), NORMAL) for text in texts]
    tok = tokenizer_of([(b"<unk>", 0.0, UNKNOWN), *pieces], model_type)
    ref = sentencepiece.SentencePieceProcessor(model_proto=tok.to_bytes())
    stretches = ["".join(rng.choices(rng.choice([chars, letters]), k=rng.choice([5, 300, 5000]))) for _ in range(60)]
    for text in (*stretches, "".join(stretches), " ab ".join(stretches)):
        assert tok.encode(text) == ref.encode(text)
