"""The texts that are measured, each a file in the work folder, made when it is first asked for."""

from __future__ import annotations

import random
import sys
import sysconfig
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

SIZE = 15_000_000  # bytes of a text at most
LONG = 10**7  # characters of an adversarial text

# Corpora by language; those of `parallel` are tables of an id and a sentence.
LANGUAGES = {
    "English": ["en-novels.txt"],
    "Japanese": ["ja-wagahaiwa_nekodearu.txt", "ja-commonvoice.txt", "parallel/ntrex.jpn.tsv"],
    "Chinese": ["zh-CN-commonvoice.txt", "zh-TW-commonvoice.txt", "parallel/ntrex.zho-CN.tsv"],
    "Korean": ["ko-nsmc-social.txt", "ko-commonvoice.txt", "parallel/ntrex.kor.tsv"],
    "Thai": ["th-wisesight-social.txt", "parallel/ntrex.tha.tsv"],
    "Hindi": ["hi-commonvoice.txt", "parallel/ntrex.hin.tsv"],
}


class Texts:
    """Paths of texts by name. data: the folder of corpora; work: where files are made.

    A text that the corpora do not have is a FileNotFoundError.
    """

    def __init__(self, data: Path, work: Path) -> None:
        self.corpora, self.folder = data / "corpora", work / "texts"
        self.made: dict[str, Path] = {}

    def path(self, name: str) -> Path:
        if name not in self.made:
            content = self.content(name)
            self.folder.mkdir(parents=True, exist_ok=True)
            path = self.folder / (name.replace(" ", "-") + (".txt" if isinstance(content, str) else ".bin"))
            path.write_bytes(content.encode() if isinstance(content, str) else content)
            self.made[name] = path
        return self.made[name]

    def content(self, name: str) -> str | bytes:
        if name in ADVERSARIAL:
            return ADVERSARIAL[name]()
        if name == "source code":
            return "\n".join(source_code())
        if name == "English and Japanese":
            return "\n".join(self.mixed("Japanese", "English"))
        return "\n".join(self.lines(name))[:SIZE]

    def lines(self, language: str) -> list[str]:
        """Every line of all corpora in `language`."""
        return [line for name in LANGUAGES[language] for line in read_lines(self.corpora / name)]

    def mixed(self, one: str, other: str) -> Iterator[str]:
        """The lines of one language, and of another as many bytes, one in between wherever its turn has come."""
        lines = iter(self.lines(other))
        due = 0
        for line in self.lines(one):
            yield line
            due += len(line.encode())
            while due > 0 and (between := next(lines, None)) is not None:
                yield between
                due -= len(between.encode())

    def everything(self) -> Iterator[str]:
        """The lines of all corpora, at most 2 MB of each."""
        paths = sorted(self.corpora.glob("**/*.t[xs][tv]"))
        if not paths:
            raise FileNotFoundError(f"no corpora in {self.corpora}")
        for path in paths:
            room = 2_000_000
            for line in read_lines(path):
                room -= len(line.encode())
                if room < 0:
                    break
                yield line


def read_lines(path: Path) -> list[str]:
    lines = path.read_text(encoding="utf-8").split("\n")
    return [line.partition("\t")[2] for line in lines] if path.suffix == ".tsv" else lines


def source_code(size: int = SIZE) -> Iterator[str]:
    """The files of Python's standard library, by name, what is not UTF-8 left out."""
    folder = Path(sysconfig.get_path("stdlib"))
    for path in sorted(folder.rglob("*.py")):
        if {"site-packages", "dist-packages"} & set(path.parts):
            continue
        try:
            text = path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
        size -= len(text.encode())
        if size < 0:
            return
        yield text


def all_distinct() -> str:
    """Every character once, in an order that no range explains."""
    surrogates = range(0xD800, 0xE000)
    characters = [chr(code) for code in range(sys.maxunicode + 1) if code not in surrogates]
    random.Random(0).shuffle(characters)
    return "".join(characters)


def repeat(period: str) -> str:
    return (period * (LONG // len(period) + 1))[:LONG]


ADVERSARIAL: dict[str, Callable[[], str | bytes]] = {
    "10^7 letters a": partial(repeat, "a"),
    "10^7 random bytes": lambda: random.Random(0).randbytes(LONG),
    "all distinct characters": all_distinct,
    "alternating scripts": partial(repeat, "aあбกक한"),
    "10^7 spaces": partial(repeat, " "),
    "10^7 of nine letters": lambda: "".join(random.Random(0).choices("aehinorst", k=LONG)),
    "emoji": lambda: "".join(random.Random(0).choices([chr(code) for code in range(0x1F600, 0x1F650)], k=LONG // 4)),
}
