"""Selection of a limited number of corpus lines: the first ones, or a random sample (reservoir sampling)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from spm_lite.files.documents import Block, split_block


@dataclass
class Selection:
    """The settings of a selection, and counts of the lines seen and left out.

    draw: each line has the same chance (reservoir sampling, Vitter 1985). The draw for line n is the SplitMix64
    output for state seed + (n + 1) * golden ratio, scaled to n + 1: it depends only on seed and n.
    """

    size: int  # lines wanted
    draw: bool  # False: the first lines
    seed: int
    max_line_size: int | None  # bytes
    skip_marked: bool  # leave out lines with U+2585
    weighted: bool = False  # the text of a line ends before its first TAB
    read: int = 0
    empty: int = 0
    too_long: int = 0
    marked: int = 0
    usable: int = 0

    def select(self, blocks: Iterable[Block]) -> list[bytes]:
        """The lines chosen, in reservoir order."""
        chosen: list[bytes] = []
        for block in blocks:
            for line in split_block(block):
                self.read += 1
                if not self.is_usable(line):
                    continue
                self.usable += 1
                if len(chosen) < self.size:
                    chosen.append(line)
                    if len(chosen) == self.size and not self.draw:
                        return chosen
                elif (slot := scaled_draw(self.seed, self.usable - 1)) < self.size:
                    chosen[slot] = line
        return chosen

    def all_usable(self, blocks: Iterable[Block]) -> Iterator[list[bytes]]:
        """Yield all usable lines, block by block; `size` does not matter."""
        for block in blocks:
            lines = split_block(block)
            usable = [line for line in lines if self.is_usable(line)]
            self.read += len(lines)
            self.usable += len(usable)
            yield usable

    def is_usable(self, line: bytes) -> bool:
        """Whether training can use this line; counts the reason if not."""
        if self.weighted:
            line = line.partition(b"\t")[0]
        if not line:
            self.empty += 1
        elif self.max_line_size is not None and len(line) > self.max_line_size:
            self.too_long += 1
        elif self.skip_marked and b"\xe2\x96\x85" in line:
            self.marked += 1
        else:
            return True
        return False


def scaled_draw(seed: int, n: int) -> int:
    """A pseudorandom number in 0..n for line n, by SplitMix64 (Steele, Lea, Flood 2014).

    >>> [scaled_draw(0, n) for n in (0, 1, 10, 1000)]
    [0, 0, 4, 175]
    """
    mask = 2**64 - 1
    state = (seed + (n + 1) * 0x9E3779B97F4A7C15) & mask
    state = ((state ^ state >> 30) * 0xBF58476D1CE4E5B9) & mask
    state = ((state ^ state >> 27) * 0x94D049BB133111EB) & mask
    return ((state ^ state >> 31) * (n + 1)) >> 64
