r"""Text of a pattern -> its tree, in the dialect of tokenizers (Oniguruma) or of tiktoken (Rust); or in the other one.

A tree is made of five kinds of nodes:

- ("set", SET): one character of a set
- ("all", NODES): one after the other
- ("any", NODES): the first of these with which the rest of the pattern matches
- ("repeat", NODE, LEAST, MOST, HOW): HOW is "greedy", "lazy" or "possessive", MOST -1 means any number
- ("look", NODE, IS_AHEAD, IS_NEGATIVE): whether NODE matches here, or before here

Anchors are looks: `\z` is a negative look ahead at any character.
"""

from __future__ import annotations

from functools import reduce
from itertools import chain, islice

from spm_lite._typing import TYPE_CHECKING
from spm_lite.base.patterns.character_sets import (
    ANY,
    NONE,
    cases,
    early_scripts,
    is_member,
    named,
    negated,
    of_ranges,
    shared,
    single,
    united,
    white,
    without_case,
    word,
)
from spm_lite.errors import ModelError

if TYPE_CHECKING:
    from typing import Any, NoReturn, TypeAlias

    from spm_lite.base.patterns.character_sets import CharacterSet

    Node: TypeAlias = tuple[Any, ...]

ONIGURUMA, RUST = "oniguruma", "rust"
MOST_REPEATS = 1000
MOST_RUNS = 100  # characters that a number of a group may stand for
DEEPEST = 100  # groups in groups
NEW_LINE = single(0x0A)
NO_ASCII = of_ranges([(0x80, 0x10FFFF)])
EMPTY: Node = ("all", ())
END: Node = ("look", ("set", ANY), True, True)
BEGIN: Node = ("look", ("set", ANY), False, True)
CONTROLS = {"t": 0x09, "n": 0x0A, "v": 0x0B, "f": 0x0C, "r": 0x0D, "a": 0x07, "e": 0x1B, "0": 0x00}
HEX = of_ranges([(0x30, 0x39), (0x41, 0x46), (0x61, 0x66)])
JOINERS = r"\x{200C}\x{200D}"  # in a word of Rust alone
FRACTIONS = r"\x{B2}\x{B3}\x{B9}\x{BC}-\x{BE}"  # in a word of Oniguruma alone, outside brackets

SCRIPT_RUNS = r"\p{UnicodeScripts}"  # what `UnicodeScripts` keeps; as a pattern it would be longer than a megabyte


def parse_pattern(text: str, dialect: str = ONIGURUMA) -> Node:
    """The tree of a pattern. Raises ModelError for a construct that is not read, with its place.

    >>> parse_pattern("a+")
    ('repeat', ('set', (97, 98)), 1, -1, 'greedy')
    """
    if text == SCRIPT_RUNS:
        return script_runs()
    return Parser(text, dialect).whole()


def script_runs() -> Node:
    """The tree of a run of one script, with characters that have none within it and after it."""
    some = early_scripts()
    others = negated(united(some))
    return (
        "any",
        tuple(("all", (("set", one), ("repeat", ("set", united([one, others])), 0, -1, "greedy"))) for one in some),
    )


def respelled(text: str, dialect: str, other: str) -> str:
    r"""A pattern of one dialect as the other one writes it.

    >>> respelled(r"\d{1,3}+$", "rust", "oniguruma")
    '(?>\\d{1,3})\\z'
    """
    if dialect == other:
        parse_pattern(text, dialect)
        return text
    parser = Parser(text, dialect)
    parser.whole()
    # Outer changes of a place come after inner ones, which they hold: each is a text before and one after.
    parts: list[str] = []
    opened: dict[int, list[str]] = {}
    closed: dict[int, list[str]] = {}
    dropped: set[int] = set()
    for begin, end, before, after, is_replaced in parser.changes:
        opened.setdefault(begin, []).insert(0, before)
        closed.setdefault(end, []).append(after)
        if is_replaced:
            dropped.update(range(begin, end))
    for i in range(len(text) + 1):
        parts += [*closed.get(i, ()), *opened.get(i, ())]
        if i < len(text) and i not in dropped:
            parts.append(text[i])
    return "".join(parts)


def folds_to_many(text: str) -> bool:
    """Whether a text, in lower case, holds what one character is in another case: `ss` of the sharp s."""
    return any(item in text for item in long_folds())


def long_folds() -> set[str]:
    """The texts of several characters that one character is in another case."""
    if not LONG_FOLDS:
        LONG_FOLDS.update(chr(code).casefold() for code in FOLDED if len(chr(code).casefold()) > 1)
    return LONG_FOLDS


LONG_FOLDS: set[str] = set()
FOLDED = (0xDF, 0x130, 0x149, 0x1F0, 0x390, 0x3B0, 0x587, *range(0x1E96, 0x1E9F), *range(0x1F50, 0x2000),
          *range(0xFB00, 0xFB18))  # fmt: skip


class Parser:
    """Reads one pattern from left to right."""

    def __init__(self, text: str, dialect: str) -> None:
        self.text = text
        self.dialect = dialect
        self.pos = 0
        self.depth = 0
        self.n_groups = 0  # that have numbers
        self.ignores_case = False
        self.dot_is_all = False
        self.lines = dialect == ONIGURUMA  # `^` and `$` are the ends of lines
        self.literals: dict[int, str] = {}  # place of a character whose case does not count -> it in lower case
        self.changes: list[tuple[int, int, str, str, bool]] = []  # begin, end, text before and after, whether replaced

    def fail(self, what: str, pos: int | None = None) -> NoReturn:
        place = self.pos if pos is None else pos
        raise ModelError(
            f"the pattern {self.text!r:.100}{'...' if len(self.text) > 100 else ''} holds {what} at character {place}, "
            "which spm_lite does not read with the same ids"
        )

    def rest(self, n: int) -> str:
        return self.text[self.pos : self.pos + n]

    def take(self, text: str) -> bool:
        if self.text.startswith(text, self.pos):
            self.pos += len(text)
            return True
        return False

    def whole(self) -> Node:
        node = self.alternatives()
        if self.pos < len(self.text):
            self.fail("an unopened )")
        return node

    def alternatives(self) -> Node:
        found = [self.sequence(True)]
        while self.take("|"):
            found.append(self.sequence(False))
        return found[0] if len(found) == 1 else ("any", tuple(found))

    def sequence(self, is_first: bool) -> Node:
        """One alternative. is_first: of its group."""
        items: list[Node] = []
        while self.pos < len(self.text) and self.text[self.pos] not in "|)":
            begin = self.pos
            if self.is_flags():
                flags = self.flags()
                if self.dialect == ONIGURUMA:  # the rest is a group of its own, with its alternatives
                    saved, self.ignores_case, self.dot_is_all = (self.ignores_case, self.dot_is_all), *flags[:2]
                    items.append(self.alternatives())
                    self.ignores_case, self.dot_is_all = saved
                    self.changes += [(begin, self.pos, "", ")", False), (begin, begin, "(?:", "", False)]
                elif items or not is_first:
                    self.fail("flags after the start of a group", begin)
                else:
                    self.ignores_case, self.dot_is_all, self.lines = flags
                continue
            n_before = self.n_groups
            node = self.atom()
            if node[0] == "set" and self.n_groups > n_before and self.rest(2) == f"\\{self.n_groups}":
                node = self.runs_of(node[1], begin)
            items.append(self.repeated(node, begin))
        self.check_folds()
        return items[0] if len(items) == 1 else ("all", tuple(items))

    def is_flags(self) -> bool:
        """Whether flags for the rest of the group stand here, as in (?i)."""
        if self.rest(2) != "(?":
            return False
        end = self.pos + 2
        while end < len(self.text) and (self.text[end].isalpha() or self.text[end] == "-"):
            end += 1
        return end > self.pos + 2 and self.text[end : end + 1] == ")" and self.text[self.pos + 2] not in "P"

    def flags(self) -> tuple[bool, bool, bool]:
        """Read `(?i-m` with the sign after it; return (ignores_case, dot_is_all, lines)."""
        begin = self.pos
        self.pos += 2
        case, dot, lines, value = self.ignores_case, self.dot_is_all, self.lines, True
        kept = {True: "", False: ""}  # set and cleared ones, as the other dialect writes them
        while self.pos < len(self.text) and self.text[self.pos] not in ":)":
            sign = self.text[self.pos]
            if sign == "-":
                value = False
            elif sign == "i":
                case = value
                kept[value] += sign
            elif sign == ("m" if self.dialect == ONIGURUMA else "s"):
                dot = value
                kept[value] += "s" if self.dialect == ONIGURUMA else "m"
            elif sign == "m" and self.dialect == RUST:
                lines = value
            elif not (sign == "u" and value and self.dialect == RUST):
                self.fail(f"the flag {sign!r}", begin)
            self.pos += 1
        if self.pos >= len(self.text):
            self.fail("an open group", begin)
        flags = kept[True] + ("-" + kept[False] if kept[False] else "")
        if not flags and self.text[self.pos] == ")":  # (?m) alone: the anchors are written out
            self.changes.append((begin, self.pos + 1, "", "", True))
        else:
            self.changes.append((begin + 2, self.pos, flags, "", True))
        self.pos += 1
        return case, dot, lines

    def atom(self) -> Node:
        begin = self.pos
        sign = self.text[self.pos]
        self.pos += 1
        if sign == "(":
            self.pos = begin
            return self.group()
        if sign == "[":
            self.pos = begin
            return ("set", self.bracket())
        if sign == ".":
            return ("set", ANY if self.dot_is_all else negated(NEW_LINE))
        if sign in "^$":
            return self.anchor(sign, begin)
        if sign == "\\":
            return self.escape(begin)
        if sign in "*+?" or (sign == "{" and self.count_at(begin) is not None):
            self.fail(f"a {sign} that repeats nothing", begin)
        if sign in "{}" and self.dialect == RUST:
            self.fail(f"a {sign} that is no count", begin)
        return self.literal(ord(sign), begin)

    def literal(self, code: int, begin: int) -> Node:
        some = single(code)
        if self.ignores_case:
            self.literals[begin] = chr(code).casefold()
            if len(chr(code).casefold()) > 1 and self.dialect == ONIGURUMA:
                self.fail("a character that is several in another case, where case is ignored,", begin)
            some = of_ranges([(one, one) for one in cases().get(code, (code,))])
        return ("set", some)

    def check_folds(self) -> None:
        """Fail where case is ignored and a run of literals is one character in another case, as `ss` is."""
        if self.literals and self.dialect == ONIGURUMA and folds_to_many("".join(self.literals.values())):
            self.fail("letters that are one character in another case, where case is ignored,", min(self.literals))

    def anchor(self, sign: str, begin: int) -> Node:
        line = self.lines
        if sign == "^":
            if not line:
                self.changes.append((begin, begin + 1, r"\A", "", True))
                return BEGIN
            after: Node = ("look", ("set", NEW_LINE), False, False)
            if self.dialect == ONIGURUMA:  # not after the last line end of a text
                after = ("all", (after, ("look", ("set", ANY), True, False)))
                self.changes.append((begin, begin + 1, r"(?:\A|(?<=\n)(?=[\s\S]))", "", True))
            else:
                self.changes.append((begin, begin + 1, r"(?:\A|(?<=\n))", "", True))
            return ("any", (BEGIN, after))
        if not line:
            self.changes.append((begin, begin + 1, r"\z", "", True))
            return END
        self.changes.append((begin, begin + 1, r"(?:\z|(?=\n))", "", True))
        return ("any", (END, ("look", ("set", NEW_LINE), True, False)))

    def escape(self, begin: int) -> Node:
        """What a backslash stands for. It is read already."""
        sign = self.text[self.pos : self.pos + 1]
        if sign in ("A", "z"):
            self.pos += 1
            return BEGIN if sign == "A" else END
        if sign == "Z" and self.dialect == ONIGURUMA:
            self.pos += 1
            self.changes.append((begin, self.pos, r"(?=\n?\z)", "", True))
            return ("any", (END, ("look", ("all", (("set", NEW_LINE), END)), True, False)))
        if sign in ("b", "B"):
            self.pos += 1
            here = self.other_word(False, False)
            pairs = (("=", "!"), ("!", "=")) if sign == "b" else (("=", "="), ("!", "!"))
            both = "|".join(f"(?<{before}{here})(?{after}{here})" for before, after in pairs)
            self.changes.append((begin, self.pos, f"(?:{both})", "", True))
            return self.boundary(sign == "b")
        some = self.escaped_set(begin)
        if some is not None:
            return ("set", some)
        return self.literal(self.escaped_code(begin), begin)

    def other_word(self, is_inside: bool, is_negated: bool) -> str:
        """What the other dialect writes for the characters of a word here, or for all others."""
        if self.dialect == RUST:
            return rf"[^\w{JOINERS}]" if is_negated else rf"\w{JOINERS}" if is_inside else rf"[\w{JOINERS}]"
        inner = rf"[\w&&[^{JOINERS}]]"
        return f"[{'^' if is_negated else ''}{inner}{'' if is_inside else FRACTIONS}]"

    def boundary(self, is_there: bool) -> Node:
        """The place between a character of a word and another one, or any other place."""
        letters = word(self.dialect)
        here = [("look", ("set", letters), is_ahead, False) for is_ahead in (False, True)]
        none = [("look", ("set", letters), is_ahead, True) for is_ahead in (False, True)]
        pairs = ((here[0], none[1]), (none[0], here[1])) if is_there else ((here[0], here[1]), (none[0], none[1]))
        return ("any", tuple(("all", pair) for pair in pairs))

    def escaped_set(self, begin: int, is_inside: bool = False) -> CharacterSet | None:
        """The set that an escape names; None: it is a character. The backslash is read already.

        is_inside: of brackets, where a word of Oniguruma has fewer signs.
        """
        sign = self.text[self.pos : self.pos + 1]
        if sign and sign in "sSdDwWhH":
            self.pos += 1
            lower = sign.lower()
            some = white() if lower == "s" else HEX
            if lower == "w":
                some = word("brackets" if is_inside and self.dialect == ONIGURUMA else self.dialect)
                self.changes.append((begin, self.pos, self.other_word(is_inside, sign != lower), "", True))
            if lower == "d":
                some = named("nd") or NONE
            return some if sign == lower else negated(some)
        if sign and sign in "pP":
            self.pos += 1
            return self.property(begin, sign == "P")
        return None

    def property(self, begin: int, is_negated: bool) -> CharacterSet:
        if self.take("{"):
            end = self.text.find("}", self.pos)
            if end < 0:
                self.fail("an open {", begin)
            name = self.text[self.pos : end]
            self.pos = end + 1
        elif self.dialect == RUST and self.pos < len(self.text):
            name = self.text[self.pos]
            self.pos += 1
            self.changes.append((self.pos - 1, self.pos, "{", "}", False))
        else:
            self.fail("a property without a name", begin)
        if name.startswith("^"):
            name, is_negated = name[1:], not is_negated
            if self.dialect == RUST:
                self.fail("a property with ^", begin)
        kind, has_kind, value = name.partition("=")
        if has_kind and self.dialect == RUST and kind.lower() in ("sc", "script", "gc", "general_category"):
            name = value
        some = named(name)
        if some is None:
            self.fail(f"the property {name!r:.40}", begin)
        if self.ignores_case and self.dialect == RUST:
            self.fail("a property where case is ignored", begin)
        return negated(some) if is_negated else some

    def escaped_code(self, begin: int) -> int:
        """The code point of an escaped character. The backslash is read already."""
        sign = self.text[self.pos : self.pos + 1]
        self.pos += 1
        if sign == "":
            self.fail("a \\ at its end", begin)
        if sign == "0" and self.rest(1).isdigit():
            self.fail("an octal number", begin)
        if sign in CONTROLS and not (self.dialect == RUST and sign in "0e"):
            return CONTROLS[sign]
        if sign in "xuU":
            return self.number(sign, begin)
        if sign.isalnum() or (sign == "_" and self.dialect == RUST):
            self.fail(f"the escape \\{sign}", begin)
        return ord(sign)

    def number(self, sign: str, begin: int) -> int:
        if self.rest(1) == "{" and (sign == "x" or self.dialect == RUST):
            end = self.text.find("}", self.pos)
            digits = self.text[self.pos + 1 : end] if end > 0 else ""
            self.pos = end + 1
            if sign != "x":
                self.changes.append((begin, self.pos, f"\\x{{{digits}}}", "", True))
        else:
            size = {"x": 2, "u": 4, "U": 8}[sign]
            digits = self.rest(size)
            self.pos += size
            if len(digits) < size or (sign == "U" and self.dialect == ONIGURUMA):
                self.fail(f"the escape \\{sign}", begin)
            if sign == "x" and digits > "7f" and self.dialect == ONIGURUMA:
                self.fail("a number of a byte", begin)
        if not digits or len(digits) > 8 or any(digit not in "0123456789abcdefABCDEF" for digit in digits):
            self.fail(f"the escape \\{sign} without a number", begin)
        code = int(digits, 16)
        if sign == "x" and code > 0x7F and self.dialect == ONIGURUMA and self.text[begin + 2] != "{":
            self.fail("a number of a byte", begin)
        if code > 0x10FFFF or 0xD800 <= code < 0xE000:
            self.fail("the number of no character", begin)
        return code

    def group(self) -> Node:
        begin = self.pos
        self.depth += 1
        if self.depth > DEEPEST:
            self.fail(f"more than {DEEPEST} groups in one another", begin)
        saved = (self.ignores_case, self.dot_is_all, self.lines)
        node = self.group_within(begin)
        self.ignores_case, self.dot_is_all, self.lines = saved
        self.depth -= 1
        return node

    def group_within(self, begin: int) -> Node:
        for opening, is_ahead, is_negative in (
            ("(?=", True, False), ("(?!", True, True), ("(?<=", False, False), ("(?<!", False, True),
        ):  # fmt: skip
            if self.take(opening):
                node = self.closed(begin)
                if not is_ahead and node[0] != "set":
                    self.fail("a look behind at other than one character", begin)
                return ("look", node, is_ahead, is_negative)
        if self.take("(?#"):
            end = self.text.find(")", self.pos)
            if end < 0 or "\\" in self.text[self.pos : end]:
                self.fail("a comment", begin)
            self.pos = end + 1
            return EMPTY
        if self.take("(?>"):
            return self.atomic(self.closed(begin), begin)
        if self.take("(?:"):
            return self.closed(begin)
        if self.rest(2) == "(?":
            is_name = self.rest(3) == "(?<" or (self.rest(4) == "(?P<" and self.dialect == RUST)
            if is_name:
                end = self.text.find(">", self.pos)
                name = self.text[self.text.index("<", self.pos) + 1 : end]
                if end < 0 or not name.isidentifier():
                    self.fail("a group with a name", begin)
                self.changes.append((begin, end + 1, "(?:", "", True))
                self.n_groups = 10**6  # a number means a group with a name then
                self.pos = end + 1
                return self.closed(begin)
            if self.pos + 2 < len(self.text) and (self.text[self.pos + 2].isalpha() or self.text[self.pos + 2] == "-"):
                self.ignores_case, self.dot_is_all, self.lines = self.flags()
                return self.closed(begin)
            self.fail(f"the group {self.rest(3)}", begin)
        self.pos += 1
        self.n_groups += 1
        return self.closed(begin)

    def runs_of(self, some: CharacterSet, begin: int) -> Node:
        r"""Runs of one character of a set, as in `([ab])\1*`, whose group is read already."""
        ranges = map(range, some[::2], some[1::2])
        codes = [*islice(chain.from_iterable(ranges), MOST_RUNS)]
        end = self.pos + 3
        sign = self.text[self.pos + 2 : end]
        is_plain = sign in ("*", "+") and self.text[end : end + 1] not in ("?", "+", "*", "{")
        if not is_plain or len(codes) == MOST_RUNS or self.ignores_case or self.dialect == RUST:
            return ("set", some)  # the escape fails
        self.pos = end
        least = 1 if sign == "*" else 2
        runs = "|".join(f"\\x{{{code:x}}}{{{least},}}" for code in codes)
        self.changes.append((begin, end, f"(?:{runs})", "", True))
        return ("any", tuple(("repeat", ("set", single(code)), least, -1, "greedy") for code in codes))

    def closed(self, begin: int) -> Node:
        """What stands up to the end of a group, and the end."""
        node = self.alternatives()
        if not self.take(")"):
            self.fail("an open group", begin)
        return node

    def atomic(self, node: Node, begin: int) -> Node:
        """A group that gives nothing back once it has matched."""
        if node[0] == "set" or node == EMPTY:
            return node
        if node[0] != "repeat" or node[1][0] != "set" or node[4] == "lazy":
            self.fail("an atomic group around more than one repeated character", begin)
        return ("repeat", *node[1:4], "possessive")

    def count_at(self, pos: int) -> tuple[int, int, int] | None:
        """(least, most, end) of a count in braces; None: it is none."""
        end = self.text.find("}", pos)
        if end < 0:
            return None
        least, comma, most = self.text[pos + 1 : end].partition(",")
        if self.dialect == RUST and not least:
            return None
        if not (least + most).isdecimal() or not (least + most).isascii() or (comma and not least and not most):
            return None
        low = int(least or 0)
        high = low if not comma else int(most) if most else -1
        if high != -1 and low > high:
            self.fail("a count whose least is above its most", pos)
        if max(low, high) > MOST_REPEATS:
            self.fail(f"a count above {MOST_REPEATS}", pos)
        return low, high, end + 1

    def repeated(self, node: Node, begin: int) -> Node:
        """A node with the quantifiers after it."""
        while self.pos < len(self.text):
            at = self.pos
            sign = self.text[self.pos]
            if sign in "*+?":
                least, most = {"*": (0, -1), "+": (1, -1), "?": (0, 1)}[sign]
                self.pos += 1
                is_count = False
            elif sign == "{" and (found := self.count_at(self.pos)) is not None:
                least, most, self.pos = found
                is_count = True
            else:
                break
            if node[0] == "look" or node == EMPTY:
                self.fail("a quantifier of what has no characters", at)
            how = "greedy"
            if self.rest(1) == "?" and not (is_count and least == most and self.dialect == ONIGURUMA):
                self.pos += 1
                if is_count and least == most:  # the other dialect reads {2}? as none or two
                    self.changes += [(begin, self.pos - 1, "(?:", "", False), (self.pos - 1, self.pos, ")", "", True)]
                else:
                    how = "lazy"
            elif self.rest(1) == "+":
                if not (is_count and self.dialect == ONIGURUMA):
                    self.pos += 1
                    how = "possessive"
                    if is_count:
                        self.changes += [
                            (begin, self.pos - 1, "(?>", "", False),
                            (self.pos - 1, self.pos, ")", "", True),
                        ]
                else:
                    self.changes.append((begin, self.pos, "(?:", ")", False))
            elif self.rest(1) == "?":
                self.changes.append((begin, self.pos, "(?:", ")", False))
            if is_count and least == 0 and self.text[at + 1] == ",":
                self.changes.append((at + 1, at + 1, "0", "", False))
            node = self.repeat(node, least, most, how, at)
        return node

    def repeat(self, node: Node, least: int, most: int, how: str, at: int) -> Node:
        if how == "possessive" and node[0] != "set":
            self.fail("a possessive quantifier of more than one character", at)
        if most not in (0, 1) and is_nullable(node):  # programs leave such a loop at different times
            self.fail("a repeated group that may be empty", at)
        if (least, most) == (1, 1):
            return node
        return ("repeat", node, least, most, how)

    def bracket(self) -> CharacterSet:
        """A set in brackets."""
        begin = self.pos
        self.depth += 1
        if self.depth > DEEPEST:
            self.fail(f"more than {DEEPEST} brackets in one another", begin)
        self.pos += 1
        is_negated = self.take("^")
        operands: list[CharacterSet] = []
        parts: list[CharacterSet] = []
        is_plain = True
        if self.rest(1) == "]":
            self.fail("a ] right after [", begin)
        while not self.take("]"):
            if self.pos >= len(self.text):
                self.fail("an open [", begin)
            if self.rest(2) == "[:":
                self.fail("a bracket of POSIX")
            if self.take("&&"):
                if not parts:
                    self.fail("a && with nothing before it", self.pos - 2)
                operands.append(united(parts))
                parts, is_plain = [], False
            elif self.rest(1) == "[":
                parts.append(self.bracket())
                is_plain = False
            else:
                some, is_single = self.item(begin)
                is_plain = is_plain and is_single
                parts.append(some)
        if not parts:
            self.fail("a && with nothing after it", self.pos - 1)
        self.depth -= 1
        operands.append(united(parts))
        some = reduce(shared, operands)
        wide = [operand for operand in operands if shared(operand, NO_ASCII)]
        if len(wide) > 1 and not shared(some, NO_ASCII) and self.dialect == ONIGURUMA:  # negated wrongly there
            self.fail("a && of sets that share no character beyond ASCII", begin)
        if self.ignores_case:
            if not is_plain:
                self.fail("a set of sets where case is ignored", begin)
            if self.dialect == ONIGURUMA and not is_negated and any(is_member(some, code) for code in FOLDED):
                self.fail("a set with a character that is several in another case, where case is ignored,", begin)
            some = without_case(some)
        some = negated(some) if is_negated else some
        if not some:
            self.fail("a set of no characters", begin)  # which Oniguruma fills with others if it is negated again
        return some

    def item(self, begin: int) -> tuple[CharacterSet, bool]:
        """A character, a range of them, or a set that an escape names; and whether it is no such set."""
        at = self.pos
        first = self.code_or_set(begin)
        if not isinstance(first, int):
            if self.rest(1) == "-" and self.rest(2) != "-]":
                self.fail("a - after a set")
            return first, False
        is_first = self.text[at - 1] == "[" or self.text[at - 2 : at] == "[^"
        if self.text[at] == "-" and not is_first and self.rest(1) != "]":
            self.fail("a - that is neither first nor last nor in a range", at)
        if self.rest(1) != "-" or self.rest(2) == "-]":
            return single(first), True
        if self.dialect == RUST and self.rest(2) == "--":
            self.fail("a difference of sets")
        self.pos += 1
        if self.rest(1) == "[" or self.rest(2) == "&&":
            self.fail("a - before a set", self.pos - 1)
        last = self.code_or_set(begin)
        if not isinstance(last, int) or last < first:
            self.fail("a range that ends before it begins", at)
        return of_ranges([(first, last)]), True

    def code_or_set(self, begin: int) -> int | CharacterSet:
        at = self.pos
        if self.pos >= len(self.text):
            self.fail("an open [", begin)
        sign = self.text[self.pos]
        self.pos += 1
        if sign != "\\":
            if self.dialect == RUST and sign == "~" and self.rest(1) == "~":
                self.fail("a difference of sets", at)
            return ord(sign)
        some = self.escaped_set(at, True)
        return self.escaped_code(at) if some is None else some


def is_nullable(node: Node) -> bool:
    """Whether a node may match the empty text."""
    kind = node[0]
    if kind == "set":
        return False
    if kind == "all":
        return all(map(is_nullable, node[1]))
    if kind == "any":
        return any(map(is_nullable, node[1]))
    return True if kind == "look" else node[2] == 0 or is_nullable(node[1])
