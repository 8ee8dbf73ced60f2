"""The naive twin of compiled patterns: each way through a tree is tried in its order. And of splits."""

from spm_lite.base.patterns.character_sets import OTHER, is_member


def characters(text):
    """(code points, byte offsets) of bytes. Each byte that is no part of a character is OTHER. The size comes last."""
    codes, places, pos = [], [], 0
    while pos < len(text):
        for size in (1, 2, 3, 4):
            try:
                codes.append(ord(text[pos : pos + size].decode()))
                break
            except (UnicodeDecodeError, TypeError):
                continue
        else:
            codes.append(OTHER)
            size = 1
        places.append(pos)
        pos += size
    return codes, [*places, len(text)]


def ends(node, codes, pos):
    """Yield each place where a match of `node` that begins at `pos` may end, the preferred one first."""
    kind = node[0]
    if kind == "set":
        if pos < len(codes) and is_member(node[1], codes[pos]):
            yield pos + 1
    elif kind == "all":
        if not node[1]:
            yield pos
            return
        for end in ends(node[1][0], codes, pos):
            yield from ends(("all", node[1][1:]), codes, end)
    elif kind == "any":
        for part in node[1]:
            yield from ends(part, codes, pos)
    elif kind == "look":
        _, part, is_ahead, is_negative = node
        if is_ahead:
            holds = next(ends(part, codes, pos), None) is not None
        else:
            holds = pos > 0 and is_member(part[1], codes[pos - 1])
        if holds != is_negative:
            yield pos
    else:
        yield from repeated_ends(node, codes, pos)


def repeated_ends(node, codes, pos):
    """`ends` of a repeated node."""
    _, part, least, most, how = node
    if how == "possessive":
        found = next(repeated_ends(("repeat", part, least, most, "greedy"), codes, pos), None)
        if found is not None:
            yield found
        return
    if how == "lazy" and least == 0:
        yield pos
    if most != 0:
        for end in ends(part, codes, pos):
            yield from repeated_ends(("repeat", part, max(0, least - 1), most - (most > 0), how), codes, end)
    if how == "greedy" and least == 0:
        yield pos


def matches(tree, text):
    """(begin, end) of each match in bytes; an empty one only where no match ended just before."""
    codes, places = characters(text)
    found, pos, last = [], 0, -1
    while pos <= len(codes):
        end = next(ends(tree, codes, pos), None)
        if end is None or end == pos == last:
            pos += 1
            continue
        found.append((places[pos], places[end]))
        pos = last = end
    return found


def parts(splits, text):
    """(begin, end) of each part that splits (tree, behavior, invert) make of a text, one after the other."""
    spans = [(0, len(text))]
    for tree, behavior, invert in splits:
        spans = [
            (begin + first, begin + last)
            for begin, end in spans
            for first, last in split(tree, behavior, invert, text[begin:end])
        ]
    return spans


def split(tree, behavior, invert, text):
    """The parts of one split, as tokenizers describes them."""
    items, last = [], 0
    for begin, end in matches(tree, text):
        if begin > last:
            items.append([last, begin, invert])
        items.append([begin, end, not invert])
        last = end
    if last < len(text):
        items.append([last, len(text), invert])
    if behavior == "Removed":
        items = [item for item in items if not item[2]]
    elif behavior != "Isolated":
        if behavior == "MergedWithNext":
            items.reverse()
        merged, was_match = [], False
        for begin, end, is_match in items:
            joins = is_match == was_match if behavior == "Contiguous" else is_match and not was_match
            if joins and merged:
                merged[-1] = (min(merged[-1][0], begin), max(merged[-1][1], end))
            else:
                merged.append((begin, end))
            was_match = is_match
        items = merged[::-1] if behavior == "MergedWithNext" else merged
    return [(item[0], item[1]) for item in items if item[0] < item[1]]
