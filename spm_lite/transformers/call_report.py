"""What an accelerated tokenizer did so far: how many texts, by which program, and why."""

from __future__ import annotations

from typing import NamedTuple

WIDTH = 78


class Report(NamedTuple):
    """Counts of an accelerated tokenizer.

    Attributes:
        engine: "spm_lite", or "tokenizers" if the file is not read.
        refusal: why it is not read, or "".
        conditions: the sentences about texts; one that does not meet them is encoded by tokenizers.
        encoded: inputs that our engine encoded.
        decoded: lists of ids that our engine decoded.
        others: what tokenizers did, by reason.
    """

    engine: str
    refusal: str
    conditions: tuple[str, ...]
    encoded: int
    decoded: int
    others: dict[str, int]

    def __str__(self) -> str:
        from textwrap import fill

        lines = [f"texts are encoded by {self.engine}"]
        if self.refusal:
            lines.append(f"spm_lite does not read the tokenizer: {self.refusal}")
        lines += [f"condition of spm_lite: {sentence}" for sentence in self.conditions]
        lines.append(f"by spm_lite: {self.encoded} inputs encoded, {self.decoded} lists decoded")
        lines += [f"by tokenizers: {n} x {reason}" for reason, n in sorted(self.others.items())]
        return "\n".join(fill(line, WIDTH, subsequent_indent="    ", break_on_hyphens=False) for line in lines)
