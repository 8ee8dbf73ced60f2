"""Makes any amount of text for measurements, from the words of Python's own library.

    python tools/bench/make_text.py SIZE > text.txt           (SIZE: bytes, or 200MB, 2GB: powers of ten)

Words are drawn as often as the library's source files hold them, and the vocabulary grows with the text as in natural
language (Heaps 1978: V = K * n ** BETA distinct words among n): new ones are made of the beginning of one word and the
end of another. The same version of Python and the same seed give the same text, of SIZE bytes up to the end of a line.
"""

from __future__ import annotations

import argparse
import random
import re
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path

WORDS_PER_BLOCK = 1 << 17
WORDS_PER_LINE = (3, 24)
HEAPS_K, HEAPS_BETA = 30.0, 0.62
KINDS = {".py", ".txt", ".rst", ".md", ".h"}
UNITS = {"": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9}
SKIPPED = re.compile(r"site-packages|__pycache__|lib-dynload|config-|_sysconfigdata")


def library_words() -> list[str]:
    """All words of the library, in the order of its files, as often as they occur."""
    folder = Path(sysconfig.get_paths()["stdlib"])
    words: list[str] = []
    for path in sorted(folder.rglob("*"), key=lambda path: path.relative_to(folder).as_posix()):
        name = path.relative_to(folder).as_posix()
        if path.suffix in KINDS and not SKIPPED.search(name) and path.is_file():
            words += path.read_text(encoding="utf-8", errors="ignore").split()
    return [word for word in words if len(word) <= 60]


def blocks(seed: int) -> Iterator[bytes]:
    """Lines of text without end, about a megabyte at a time."""
    draw = random.Random(seed)
    pool = library_words()
    n_library = len(pool)
    n_words = n_coined = 0
    while True:
        n_words += WORDS_PER_BLOCK
        n_new = int(HEAPS_K * n_words**HEAPS_BETA) - n_coined
        n_coined += n_new
        first, second = draw.choices(pool, k=n_new), draw.choices(pool, k=n_new)
        coined = [a[: (len(a) + 2) // 2] + b[len(b) // 2 :] for a, b in zip(first, second, strict=True)]
        pool += coined  # to be met again; the library's words stay the frequent ones
        words = draw.choices(pool, k=WORDS_PER_BLOCK - n_new) + coined
        draw.shuffle(words)
        yield "".join(lines(words, draw)).encode()
        if len(pool) > 8 * n_library:
            raise SystemExit("the vocabulary has outgrown the library: this is more text than the tool can make")


def lines(words: list[str], draw: random.Random) -> Iterator[str]:
    """The words as lines of varied length."""
    begin = 0
    while begin < len(words):
        end = begin + draw.randint(*WORDS_PER_LINE)
        yield " ".join(words[begin:end]) + "\n"
        begin = end


def size_of(text: str) -> int:
    """A number of bytes, as on the command line."""
    match = re.fullmatch(r"(\d+)([KMG]B)?", text)
    if match is None:
        raise argparse.ArgumentTypeError(f"{text!r} is no size: bytes, or such as 200MB")
    return int(match[1]) * UNITS[match[2] or ""]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("size", type=size_of, metavar="SIZE")
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    n_left = args.size
    for block in blocks(args.seed):
        if len(block) >= n_left:
            sys.stdout.buffer.write(block[: block.find(b"\n", n_left - 1) + 1])
            break
        sys.stdout.buffer.write(block)
        n_left -= len(block)


if __name__ == "__main__":
    main()
