"""Automatic character coverage for BPE: choose how many merges to keep, and which other characters.

Text that no piece covers is encoded as bytes. So a piece for a character of n bytes saves n - 1 ids at each
occurrence. A merge saves one id wherever it applies. The choice that saves most ids wins.
"""

from __future__ import annotations

from spm_lite.kinds import SPACE


def choose_pieces(
    merges: list[tuple[str, int]], characters: list[tuple[str, int]], n_pieces: int, needs_space: bool
) -> list[str]:
    """Return the pieces: the first merges, the characters in them, then the best other characters.

    merges: (text, count when made), in order. characters: (character, count) of the whole corpus.
    n_pieces: the most pieces to return. needs_space: the space mark must be a piece.
    """
    candidates = [(count * (len(character.encode()) - 1), count, character) for character, count in characters]
    candidates = sorted((item for item in candidates if item[0] > 0), key=lambda item: (-item[0], -item[1], item[2]))
    n_merges = best_number(merges, candidates, n_pieces)
    texts = [text for text, _ in merges[:n_merges]]
    used = set().union(*texts)
    others = [character for _, _, character in candidates if character not in used]
    pieces = [*texts, *sorted(used), *others][: min(n_pieces, len(texts) + len(used) + len(others))]
    if needs_space and SPACE not in pieces:
        pieces[-1:] = [SPACE]
    return pieces


def best_number(merges: list[tuple[str, int]], candidates: list[tuple[int, int, str]], n_pieces: int) -> int:
    """Return the number of merges to keep; on equal savings, the larger number.

    Each further merge leaves less room for other characters, so the worst of the chosen ones are dropped one by one.
    This takes time linear in merges and candidates.
    """
    rank = {character: i for i, (_, _, character) in enumerate(candidates)}
    used: set[str] = set()
    end = min(n_pieces, len(candidates))  # kept besides the merges: candidates[:end] without `used`
    n_others = end
    saving = sum(gain for gain, _, _ in candidates[:end])
    best, best_saving = 0, saving
    for n_merges, (text, count) in enumerate(merges, 1):
        saving += count
        for character in set(text) - used:
            used.add(character)
            i = rank.get(character)
            if i is None:
                continue  # a character of one byte saves nothing
            if i < end:
                n_others -= 1
            else:
                saving += candidates[i][0]
        room = n_pieces - n_merges - len(used)
        if room < 0:
            break
        while n_others > room:
            end -= 1
            gain, _, character = candidates[end]
            if character not in used:
                saving -= gain
                n_others -= 1
        if saving >= best_saving:
            best, best_saving = n_merges, saving
    return best
