"""The number of merges to keep, against trying every number."""

from hypothesis import given
from hypothesis import strategies as st

from spm_lite.training.bpe.auto_coverage import choose_pieces

CHARACTERS = "abéжあ漢\u2581\U0001f600"


def choose_naively(merges: list[tuple[str, int]], characters: list[tuple[str, int]], n_pieces: int) -> list[str]:
    gains = {c: count * (len(c.encode()) - 1) for c, count in characters}
    counts = dict(characters)
    order = sorted((c for c in gains if gains[c] > 0), key=lambda c: (-gains[c], -counts[c], c))
    best: tuple[int, list[str]] = (-1, [])
    for k in range(len(merges) + 1):
        used = {c for text, _ in merges[:k] for c in text}
        room = n_pieces - k - len(used)
        if room < 0:
            continue
        others = [c for c in order if c not in used][:room]
        saving = sum(count for _, count in merges[:k]) + sum(gains[c] for c in [*others, *used])
        if saving >= best[0]:
            best = (saving, [*(text for text, _ in merges[:k]), *sorted(used), *others])
    return best[1]


@given(
    st.lists(st.tuples(st.text(CHARACTERS, min_size=2, max_size=4), st.integers(0, 9)), max_size=12),
    st.lists(st.integers(1, 9), min_size=len(CHARACTERS), max_size=len(CHARACTERS)),
    st.integers(0, 20),
)
def test_equals_naive(merges: list[tuple[str, int]], counts: list[int], n_pieces: int) -> None:
    characters = list(zip(CHARACTERS, counts, strict=True))
    assert choose_pieces(merges, characters, n_pieces, False) == choose_naively(merges, characters, n_pieces)


def test_space_mark_of_lossless_models() -> None:
    characters = [("\u2581", 1), ("あ", 50), ("漢", 40)]
    assert choose_pieces([], characters, 2, False) == ["あ", "漢"]
    assert choose_pieces([], characters, 2, True) == ["あ", "\u2581"]
