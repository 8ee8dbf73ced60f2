"""Smaller models of the page: each is made once, and loses no text."""

from hypothesis import given
from hypothesis import strategies as st

from spm_lite.cli.play_answers import Played


@given(text=st.text(), share=st.floats(0, 1))
def test_decoding_gives_the_text_back(models, text, share):
    played = Played(models["byte_bpe"])
    tok = played.sized(round(share * len(played.merges)))
    assert tok.decode(tok.encode(text)) == text


def test_a_size_is_made_once(models):
    played = Played(models["bpe"])
    assert played.sized(3) is played.sized(3)
    assert played.sized(len(played.merges)) is played.tok
    for n in range(12):
        played.sized(n)
    assert len(played._smaller) == 8
