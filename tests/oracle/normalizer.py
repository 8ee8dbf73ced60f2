"""The normalizer as its description reads, byte by byte; rules are a dict, nothing is fast.

Gives the form that users see (U+2581 for an escaped space), with the byte alignment.
"""

from collections.abc import Mapping, Sequence

SPACE = b" "
MARK = "\u2581".encode()


def char_size(data: bytes) -> int:
    """Bytes of the well-formed character at the start; 0: none."""
    for size in range(1, 5):
        try:
            data[:size].decode()
        except UnicodeDecodeError:
            continue
        return min(size, len(data))
    return 0


class Normalizer:
    """rules, protected: bytes; the other arguments as in spm_lite.normalize.normalizer."""

    def __init__(
        self,
        rules: Mapping[bytes, bytes],
        dummy: bool = True,
        squeeze: bool = True,
        escape: bool = True,
        suffix: bool = False,
        lossless: bool = False,
        protected: Sequence[bytes] = (),
    ) -> None:
        self.rules, self.protected, self.lossless = rules, frozenset(protected), lossless
        self.dummy, self.squeeze, self.suffix = dummy, squeeze, suffix
        self.symbol = MARK if escape else SPACE
        self.longest = max([len(key) for key in (*rules, *self.protected)], default=0)

    def step(self, rest: bytes) -> tuple[bytes, int]:
        """What the unread rest starts with -> (run, bytes read)."""
        prefixes = [rest[:size] for size in range(1, min(self.longest, len(rest)) + 1)]
        protected = [prefix for prefix in prefixes if prefix in self.protected][:64]
        if protected:
            return protected[-1], len(protected[-1])
        sources = [prefix for prefix in prefixes if prefix in self.rules][:32]
        if sources:
            return self.rules[sources[-1]], len(sources[-1])
        size = char_size(rest[:4])
        if size:
            return rest[:size], size
        return (rest[:1] if self.lossless else "\ufffd".encode()), 1

    def normalize(self, text: bytes) -> tuple[bytes, list[int]]:
        """(normalized text, alignment)."""
        pos = 0
        while self.squeeze and pos < len(text):
            run, used = self.step(text[pos:])
            if run != SPACE:
                break
            pos += used
        if pos == len(text):
            return b"", []
        out: list[tuple[int, int]] = []  # (byte, where its run began)

        def emit(symbol: bytes) -> None:
            out.extend((byte, pos) for byte in symbol)

        if self.dummy and not self.suffix:
            emit(self.symbol)
        after_space = self.squeeze
        while pos < len(text):
            run, used = self.step(text[pos:])
            while after_space and run.startswith(SPACE):
                run = run[1:]
            for byte in run:
                emit(self.symbol if byte == SPACE[0] else bytes([byte]))
            if run:
                after_space = run.endswith(SPACE)
            pos += used
            after_space = after_space and self.squeeze
        while self.squeeze and self.ends_with_space(out):
            pos = out[-len(self.symbol)][1]
            del out[-len(self.symbol) :]
        if self.dummy and self.suffix:
            emit(self.symbol)
        return bytes(byte for byte, _ in out), [start for _, start in out] + [pos]

    def ends_with_space(self, out: list[tuple[int, int]]) -> bool:
        """Whether the space symbol is last; a lossless text cannot tell by its bytes, and is not squeezed."""
        return bytes(byte for byte, _ in out[-len(self.symbol) :]) == self.symbol


def char_alignment(text: bytes, normalized: bytes, align: Sequence[int]) -> list[int]:
    """Byte alignment -> code point alignment, characters as long as their lead byte's high nibble says."""

    def begins(data: bytes) -> list[int]:
        found, pos = [], 0
        while pos < len(data):
            found.append(pos)
            lead = data[pos]
            pos += 1 if lead < 0xC0 else 2 if lead < 0xE0 else 3 if lead < 0xF0 else 4
        return found

    if not align:
        return [0]
    starts = begins(text)
    return [sum(start < align[begin] for start in starts) for begin in [*begins(normalized), len(normalized)]]
