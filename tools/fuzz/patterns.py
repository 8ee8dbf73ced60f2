"""Random patterns of the grammar on random strings, against the package regex and against Split of tokenizers.

    python tools/fuzz/patterns.py [--patterns 20000] [--strings 100] [--seed 1]

Each pattern is written for each program in its own spelling. What differs is shown (the first few) and counted; the
exit status is 1 if anything does. regex is wrong about some sets in sets. Where tokenizers agrees with spm_lite there,
that is counted apart. A pattern that spm_lite refuses, because it needs too many states, is counted too.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections import Counter
from typing import Any

import regex
import tokenizers

from spm_lite.base.patterns.character_sets import ANY
from spm_lite.base.patterns.pattern_compiler import compile_pattern
from spm_lite.base.patterns.pattern_parser import parse_pattern
from spm_lite.base.patterns.text_cuts import make_cuts
from spm_lite.errors import ModelError

SIGNS = [*"aabbAB s1٣²'.-_ \n\r\t", "\u00a0", "é", "É", "ſ", "K", "中", "\u0301", "ー", "あ", "😀", "ª"]
SETS = [
    r"\s", r"\S", r"\d", r"\D", r"\w", r"\W", r"\p{L}", r"\p{N}", r"\P{L}", r"\p{Lu}", r"\p{Ll}", r"\p{M}", r"\p{P}",
    r"\p{Han}", r"\p{Latin}", r"\p{Nd}", r"\P{N}", r"\p{Zs}",
]  # fmt: skip
Tree = tuple[Any, ...]


def random_set(rng: random.Random, depth: int = 0) -> str:
    """A set in brackets, which all programs spell alike."""
    parts = []
    for _ in range(rng.randrange(1, 4)):
        kind = rng.randrange(6 if depth < 2 else 5)
        if kind == 0:
            parts.append(rng.choice(SETS))
        elif kind == 1:
            parts.append(rng.choice(("a-b", "A-Z", "0-9", "a-z", "一-龥", r"\x{41}-\x{5A}")))
        elif kind == 5:
            parts.append(random_set(rng, depth + 1))
        else:
            sign = rng.choice(SIGNS)
            parts.append({"\n": r"\n", "\r": r"\r", "\t": r"\t", "-": r"\-"}.get(sign, sign))
    if any(part[:2].swapcase() + part[2:] in parts for part in parts if part[0] == "\\"):
        parts = parts[:1]  # regex makes a wrong set of both a set and its complement
    body = "".join(parts)
    if depth < 2 and rng.random() < 0.15:
        body += f"&&{random_set(rng, depth + 1)}"
    found = f"[{'^' if rng.random() < 0.3 else ''}{body}]"
    try:
        is_all = parse_pattern(found)[1] == ANY
    except ModelError:
        is_all = True
    return "[ab]" if is_all else found  # regex looks for wrong characters where sets in a set make all of them


def random_tree(rng: random.Random, size: int) -> Tree:
    """A random pattern with about `size` parts."""
    if size <= 1:
        kind = rng.randrange(12)
        if kind < 5:
            return ("text", rng.choice(SIGNS))
        if kind < 7:
            return ("set", rng.choice(SETS))
        if kind < 10:
            return ("set", random_set(rng))
        return ("set", ".") if kind == 10 else ("place", rng.choice(("^", "$", r"\A", r"\z", r"\Z", r"\b", r"\B")))
    kind = rng.randrange(12)
    if kind < 5:
        left = rng.randrange(1, size)
        return ("all", random_tree(rng, left), random_tree(rng, size - left))
    if kind < 7:
        left = rng.randrange(1, size)
        return ("any", random_tree(rng, left), random_tree(rng, size - left))
    if kind == 7:
        return ("look", random_tree(rng, size - 1), rng.random() < 0.5)
    if kind == 8 and size <= 3:
        return ("behind", ("set", rng.choice((rng.choice(SETS), random_set(rng)))), rng.random() < 0.5)
    if kind == 9 and size <= 4:
        return ("case", "".join(rng.choice("abABsé'") for _ in range(rng.randrange(1, 4))))
    part = random_tree(rng, 1 if rng.random() < 0.6 else size - 1)
    how = rng.choice(("", "", "?", "+"))
    count = rng.choice(("*", "+", "?", "{2}", "{1,3}", "{0,2}", "{2,}"))
    if part[0] in ("place", "look", "behind"):
        return part
    if how == "+" and part[0] != "set":
        how = ""
    return ("repeat", part, count, how)


def spelled(tree: Tree, program: str) -> str:
    """A tree as a program writes it: "oniguruma" or "regex"."""
    kind = tree[0]
    if kind == "text":
        sign: str = tree[1]
        return {"\n": r"\n", "\r": r"\r", "\t": r"\t", ".": r"\."}.get(sign, sign)
    if kind == "set":
        if program == "regex":
            return WORDS.get(tree[1], str(tree[1]).replace(r"\x{41}-\x{5A}", "A-Z"))
        return str(tree[1])
    if kind == "place":
        return PLACES.get(tree[1], tree[1]) if program == "regex" else str(tree[1])
    if kind in ("all", "any"):
        both = [spelled(part, program) for part in tree[1:]]
        if program == "regex" and kind == "any":  # which unites sets, and has no set of all characters
            both = [f"(?>{text})" if part[0] == "set" else text for part, text in zip(tree[1:], both, strict=True)]
        return f"(?:{'|'.join(both)})" if kind == "any" else f"(?:{''.join(both)})"
    if kind in ("look", "behind"):
        sign = ("<" if kind == "behind" else "") + ("!" if tree[2] else "=")
        return f"(?{sign}{spelled(tree[1], program)})"
    if kind == "case":
        if program == "regex":  # which forgets a negated set beside such a group
            return "".join(f"[{CASES[sign.lower()]}]" for sign in tree[1])
        return f"(?i:{tree[1]})"
    part, count, how = tree[1:]
    inner = spelled(part, program)
    if len(inner) > 1 and part[0] != "set":
        inner = f"(?:{inner})"
    if count[0] == "{" and how == "+":  # a brace with a plus is another count in Oniguruma
        return f"(?>{inner}{count})"
    if count == "{2}" and how == "?":
        how = ""
    return inner + count + how


CASES = {"a": "aA", "b": "bB", "s": "sSſ", "é": "éÉ", "'": "'"}
WORDS = {r"\w": "[\\w²]", r"\W": "[^\\w²]"}  # the sign is in a word of Oniguruma, but not in brackets
PLACES = {
    r"\b": r"(?:(?<=[\w²])(?![\w²])|(?<![\w²])(?=[\w²]))", r"\B": r"(?:(?<=[\w²])(?=[\w²])|(?<![\w²])(?![\w²]))",
    "^": r"(?:\A|(?<=\n)(?=[\s\S]))", "$": r"(?:\Z|(?=\n))", r"\z": r"\Z", r"\Z": r"(?=\n?\Z)",
}  # fmt: skip


def expected(compiled: Any, text: str) -> list[tuple[int, int]]:
    """The matches, searched for as Rust and Oniguruma go on after an empty one."""
    found: list[tuple[int, int]] = []
    pos, last = 0, -1
    while pos <= len(text):
        match = compiled.search(text, pos)
        if match is None:
            break
        begin, end = match.span()
        if begin == end == last:
            pos = end + 1
            continue
        found.append((begin, end))
        pos = last = end
    return found


def parts(matches: list[tuple[int, int]], size: int) -> list[tuple[int, int]]:
    """What Isolated makes of matches."""
    found, last = [], 0
    for begin, end in matches:
        found += [(last, begin), (begin, end)]
        last = end
    return [span for span in [*found, (last, size)] if span[0] < span[1]]


def in_characters(text: str, spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Places in bytes as places in characters."""
    place, at = {0: 0}, 0
    for i, sign in enumerate(text):
        at += len(sign.encode())
        place[at] = i + 1
    return [(place[begin], place[end]) for begin, end in spans]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--patterns", type=int, default=20_000)
    parser.add_argument("--strings", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    rng, counts, n_shown = random.Random(args.seed), Counter[str](), 0
    while counts["patterns"] < args.patterns:
        tree = random_tree(rng, rng.randrange(1, 9))
        ours, theirs = spelled(tree, "oniguruma"), spelled(tree, "regex")
        try:
            scanner = compile_pattern(ours)
        except ModelError as error:
            reason = str(error).split(" holds ")[-1].split(" at character")[0][:60]
            counts[f"refused: {reason if ' holds ' in str(error) else str(error).split('...')[-1][-70:]}"] += 1
            continue
        try:
            compiled = regex.compile(theirs, regex.V1)
            split = tokenizers.pre_tokenizers.Split(tokenizers.Regex(ours), "isolated")
        except Exception as error:
            counts[f"not compiled there: {str(error)[:60]}"] += 1
            continue
        counts["patterns"] += 1
        cuts = make_cuts(((ours, "Isolated", False),))
        assert cuts is not None
        texts = ["".join(rng.choice(SIGNS) * rng.choice((1, 1, 1, 2, 3)) for _ in range(rng.choice((3, 9, 9, 16))))
                 for _ in range(args.strings)]  # fmt: skip
        for text in texts:
            counts["strings"] += 1
            found = in_characters(text, scanner.matches(text.encode()))
            cut = in_characters(text, cuts.parts(text.encode()))
            try:
                there = [span for _, span in split.pre_tokenize_str(text)]
            except BaseException as error:
                if type(error).__name__ != "PanicException":
                    raise
                counts["given up there: it would try more than 10,000,000 ways"] += 1
                break
            for name, here, wanted in (("regex", found, expected(compiled, text)), ("tokenizers", cut, there)):
                if here == wanted:
                    continue
                if name == "regex" and cut == there != parts(wanted, len(text)):
                    counts["regex alone, against tokenizers too"] += 1
                    continue
                counts[f"different from {name}"] += 1
                if n_shown < 12:
                    n_shown += 1
                    print(f"{name}: {ours!r} on {text!r}: {here}, there {wanted}")
    for what, n in sorted(counts.items()):
        print(f"{what}: {n}")
    return 1 if any(what.startswith("different") for what in counts) else 0


if __name__ == "__main__":
    sys.exit(main())
