"""The rows of the table: what is measured, against what, and the ratio that it must reach."""

from __future__ import annotations

from dataclasses import dataclass, replace

from job import LENGTHS, SHORT_LINE, Job
from texts import ADVERSARIAL, SIZE

LLAMA, T5, LLMJP = "Llama 2, BPE", "T5, Unigram", "llm-jp, Unigram"
CHAR, WORD = "English, char", "English, word"
CJK, MULTI_BPE, MULTI_UNIGRAM = "CJK, BPE", "multilingual, BPE", "multilingual, Unigram"
DECODED = 5_000_000  # bytes of text that are decoded
TENTH = 10**6  # bytes of an adversarial text that the reference encodes
FLAT = 1 / 1.5  # cost by the byte may grow by half


@dataclass(frozen=True)
class Row:
    """Jobs name their models and texts; ratio = the reference's cost by the byte / ours."""

    name: str
    ours: Job
    reference: Job
    at_least: tuple[float | None, ...] = (None, None)  # one for each figure
    figures: tuple[str, ...] = ("cold", "warm")
    reference_figures: tuple[str, ...] = ()  # where they bear other names
    unit: str = "MB/s"
    against: str = "sentencepiece"
    peers: bool = False
    sample: Job | None = None  # ours on as much text as the reference had: ids are compared there
    prose: Job | None = None  # reached also if the ratio to this is
    group: str = ""  # rows of a group that follow one another are measured in the same rounds
    hidden: bool = False  # measured only when asked for by its name

    @property
    def key(self) -> tuple[str, str, str]:
        return self.group, self.ours.model, self.ours.text


def encoding(
    model: str,
    text: str,
    least: tuple[float | None, float | None],
    result: str = "lists",
    shape: str = "lines",
    name: str = "",
) -> Row:
    """Texts to ids against the reference's lists."""
    ours = Job("spm_lite", "encode", model, text, SIZE, shape, result)
    name = name or ("one document" if shape == "document" else "lines") + f" -> {result}"
    return Row(name, ours, replace(ours, engine="sentencepiece", result="lists"), least, peers=True)


def decoding(model: str, text: str, least: float) -> Row:
    ours = Job("spm_lite", "decode", model, text, DECODED)
    return Row("decode lists -> str", ours, replace(ours, engine="sentencepiece"), (least, least), peers=True)


def counting(model: str) -> Row:
    """Numbers of ids against our arrays of them."""
    arrays = Job("spm_lite", "encode", model, "English", SIZE, result="arrays")
    return Row("count", replace(arrays, result="count"), arrays, (1.0, 1.0), against="arrays")


def two_threads(model: str, result: str, least: float | None = None, shape: str = "lines") -> Row:
    one = Job("spm_lite", "encode", model, "English", SIZE, shape, result)
    name = ("one document, " if shape == "document" else "") + f"two threads -> {result}"
    return Row(name, replace(one, threads=2), one, (None, least), against="one thread")


def calls(model: str, least: tuple[float, ...]) -> list[Row]:
    ours = Job("spm_lite", "calls", model, "English", SIZE)
    reference = replace(ours, engine="sentencepiece")
    return [
        Row(f"one call, {n} characters", ours, reference, (x,), (str(n),), unit="µs", peers=True, group="calls")
        for n, x in zip(LENGTHS, least, strict=True)
    ]


def loading(model: str, least: float) -> list[Row]:
    ours = Job("spm_lite", "load", model)
    program = Job("spm_lite", "process", model)
    rows = [(ours, "load", least), (ours, "load and first call", None), (program, "process", None)]
    return [
        Row(
            "load, process" if figure == "process" else figure,
            job, replace(job, engine="sentencepiece"), (bound,), (figure,), unit="ms", group="load",
        )
        for job, figure, bound in rows
    ]  # fmt: skip


def remembering(model: str) -> list[Row]:
    """Resident memory: at most a fifth more than the reference; the cache adds no more than it may."""
    ours = Job("spm_lite", "memory", model, "English", SIZE)
    held = Row("memory after load", ours, replace(ours, engine="sentencepiece"), (1 / 1.2,), ("loaded",), unit="MB")
    added = replace(held, name="memory, cache", reference=ours, at_least=(1.0,), figures=("added",))
    added = replace(added, reference_figures=("limit",), against="cache limit")
    return [replace(row, group="memory") for row in (held, added)]


def growing(model: str) -> list[Row]:
    """Time by the byte as one line gets longer, and as there are more lines, against the middle of the scale."""
    line = Job("spm_lite", "encode", model, "English", shape="long line", result="arrays", compared=False)
    lines = replace(line, shape="short lines")
    sizes = [("bytes in one line", line, 10**power, 10**6, 10**power) for power in range(3, 9)]
    sizes += [("lines", lines, 10**power, 10**4 * SHORT_LINE, 10**power * SHORT_LINE) for power in range(7)]
    return [
        Row(
            f"{count:,} {what}".replace("1 lines", "1 line"), replace(job, size=size), replace(job, size=middle),
            (FLAT, FLAT) if size > middle else (None, None), unit="ns/byte", group="growth", against="the middle",
        )
        for what, job, count, middle, size in sizes
    ]  # fmt: skip


def adversarial(model: str) -> list[Row]:
    """Within four times the time of prose by the byte, or of the reference's on the beginning of the text."""
    prose = Job("spm_lite", "encode", model, "English", SIZE, "document", "arrays")
    rows = []
    for text in ADVERSARIAL:
        ours = replace(prose, text=text, size=0, compared=False)
        sample = replace(prose, text=text, size=TENTH)
        reference = replace(sample, engine="sentencepiece", result="lists")
        row = Row("one document", ours, reference, (0.25, 0.25), unit="ns/byte", sample=sample, prose=prose)
        rows.append(replace(row, group="adversarial"))
    return rows


ROWS = [
    encoding(LLAMA, "English", (20, 40)),
    encoding(LLAMA, "English", (25, 65), "arrays"),
    encoding(LLAMA, "English", (60, 180), "arrays", "document"),
    counting(LLAMA),
    two_threads(LLAMA, "arrays", 1.6),
    two_threads(LLAMA, "lists", 1.3),
    two_threads(LLAMA, "arrays", shape="document"),
    encoding(LLAMA, "source code", (13, 18)),
    *(encoding(LLAMA, language, (5, 6)) for language in ("Japanese", "Chinese", "Korean")),
    *(encoding(CJK, language, (4, 6)) for language in ("Japanese", "Chinese")),
    encoding(MULTI_BPE, "Thai", (3, 4)),
    encoding(T5, "English", (8, 12)),
    encoding(T5, "English", (8, 16), "arrays"),
    counting(T5),
    two_threads(T5, "arrays"),
    two_threads(T5, "arrays", shape="document"),
    encoding(LLMJP, "English and Japanese", (7, 10)),
    encoding(T5, "source code", (4.5, 6)),
    *(encoding(MULTI_UNIGRAM, language, (2.2, 3)) for language in ("Japanese", "Chinese", "Korean")),
    encoding(MULTI_UNIGRAM, "Thai", (2.3, 2.7)),  # without cuts by context: cold a tenth slower, warm a tenth faster
    encoding(MULTI_UNIGRAM, "Hindi", (2.5, 2.7)),
    *(encoding(model, "English", (None, None)) for model in (CHAR, WORD)),
    *calls(LLAMA, (5, 12, 25)),
    *calls(T5, (5, 6, 9)),
    decoding(LLAMA, "English", 10),
    decoding(T5, "English", 10),
    *(decoding(LLAMA, language, 5) for language in ("Japanese", "Chinese", "Korean")),
    decoding(MULTI_BPE, "Thai", 5),
    *(decoding(MULTI_UNIGRAM, language, 5) for language in ("Japanese", "Hindi")),
    *loading(LLAMA, 1.0),
    *loading(T5, 1.5),
    *loading(LLMJP, 2.0),
    *(row for model in (LLAMA, T5, LLMJP) for row in remembering(model)),
    *growing(LLAMA),
    *growing(T5),
    *adversarial(LLAMA),
    *adversarial(T5),
    replace(encoding("tiny, BPE", "source code", (1, 1), name="smoke"), hidden=True),
]


def chosen(names: list[str]) -> list[Row]:
    """The rows that a name occurs in; without names all but the hidden ones."""
    if not names:
        return [row for row in ROWS if not row.hidden]
    return [
        row for row in ROWS if (row.name in names if row.hidden else any(name.lower() in label(row) for name in names))
    ]


def label(row: Row) -> str:
    return f"{row.name}, {row.ours.text}, {row.ours.model}".lower()
