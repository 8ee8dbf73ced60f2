"""Mutations: a seed and its relatives -> the next input. The same random numbers give the same bytes."""

from __future__ import annotations

import contextlib
import json
import random
import struct
from collections.abc import Callable, Sequence
from typing import Any

from spm_lite import ModelError
from spm_lite.formats.gguf.header import Value, header_bytes, header_of_bytes

NUMBERS = (
    0, 1, 2, 3, 5, 6, 7, 8, 15, 16, 31, 32, 63, 64, 100, 127, 128, 255, 256, 511, 512, 1023, 1024, 4095, 7999, 8000,
    32767, 32768, 65535, 65536, 2**21 - 1, 2**21, 2**28, 2**29, 2**31 - 1, 2**31, 2**31 + 1, 2**32 - 1, 2**32,
    2**63 - 1, 2**63, 2**64 - 1,
)  # fmt: skip
FLOATS = tuple(struct.pack("<I", bits) for bits in (
    0, 0x80000000, 0x3F800000, 0xBF800000, 0x7F800000, 0xFF800000, 0x7FC00000, 0xFFC00001, 0x7F7FFFFF, 0xFF7FFFFF, 1,
))  # fmt: skip
MODEL_TOKENS = tuple(
    token if isinstance(token, bytes) else token.encode()
    for token in (
        "<unk>", "<s>", "</s>", "<pad>", "<0x00>", "<0xFF>", "<0xff>", "\u2581", " ", "\0", "a", "é", "日本", "🤗",
        b"\xff", b"\xe2\x96", b"\xed\xa0\x80", b"\x0a\x00", b"\x18\x02", b"\x18\x03", b"\x18\x04", b"\x18\x05",
        b"\x18\x06", b"\x18\x01", b"\x98\x02\x01", b"\x15\x00\x00\xc0\x7f", b"\x15\x00\x00\x80\x7f", b"\x3b" * 99,
        b"\x3b\x3c", b"\x0a\x80\x80\x80\x80\x08", b"\x0a" + b"\xff" * 9 + b"\x01", b"\x00\x04\x00\x00",
    )
)  # fmt: skip
TEXT_TOKENS = tuple(
    token if isinstance(token, bytes) else token.encode()
    for token in (
        " ", "  ", "\u2581", "\u3000", "\t", "\r\n", "\0", "a", "A", "e\u0301", "\u0323", "\u0301\u0323",
        "ﬁ", "㍿", "ﾊﾟ", "①", "９", "한국", "ᄒ\u1161\u11ab", "\u200d", "👩\u200d👧🏽\ufe0f", "🇯🇵", "\ufeff", "\ufffd",
        "\u0378", "\U0010ffff", "ภาษา", "\u0e33", "עברית", "日本語", "<unk>", "<s>", "</s>", "<sep>", "<0x41>",
        "[mask]", "the", " the", "ing", "2024",
        b"\xe2\x96", b"\xff", b"\xc0", b"\xed\xa0\x80", b"\xf0\x9f", b"\x80", b"\xf4\x90\x80\x80", b"\xc2",
    )
)  # fmt: skip
FORMAT_TOKENS = (
    *MODEL_TOKENS, b"GGUF", b"\n", b"\r\n", b"##", b"[UNK]", b" 0\n", b" -1\n", b" 999999999\n", b"YQ== 97\n",
    b"YQ= 1\n",
    *(struct.pack("<Q", value) for value in (0, 2**31, 2**32, 2**62, 2**63, 2**64 - 1)),
    *(struct.pack("<I", value) for value in (0, 1, 8, 9, 12, 13, 2**32 - 1)),
)  # fmt: skip
TEXT_FILES = ("arrow", "parquet", "csv", "jsonl", "gz", "bz2", "xz", "zst")  # targets: files that hold texts
FILE_TOKENS = (
    b"\xff\xff\xff\x7f", b"\0\0\0\x80", b"\xff\xff\xff\xff", b"\0\0\0\0", b"\x01\0\0\0", b"\0\0\0\x40", b'"', b"\n",
    b"\r\n", b"[", b"]", b"{", b"}", b",", b"\\", b"\\u00", b'"text"', b"null", b"\t", b"\0", b"\xef\xbb\xbf",
    b"\xff\xfe", b"\x1f\x8b", b"BZh9", b"\xfd7zXZ\0", b"\x28\xb5\x2f\xfd", b"PAR1", b"ARROW1\0\0", b"\x80", b"\xe2\x96",
)  # fmt: skip
# What may stand anywhere in a file of JSON.
JSON_VALUES = (
    None, True, False, "", "a", "\u2581", "<unk>", "\ud800", "\0", 0, -1, 1, 3, 2**31, 2**63, 2**64, -(2**63) - 1, 0.5,
    float("inf"), float("nan"), -1e308, [], {}, [[]], [""], ["a", "b"], ["a", "b", "c"], [None], {"type": "Sequence"},
    {"type": "ByteLevel"}, {"type": "Split", "pattern": {"Regex": "("}, "behavior": "Isolated", "invert": False},
    {"type": "Replace", "pattern": {"String": "a"}, "content": "b"},
    {"type": "Precompiled", "precompiled_charsmap": "AAAA"},
)  # fmt: skip
MAX_RUN = 64  # bytes that one change takes out, writes over or moves


class Field:
    """One field of a message as it stands in the bytes: tag, then a value."""

    def __init__(self, number: int, wire_type: int, value: int | bytes) -> None:
        self.number = number
        self.wire_type = wire_type
        self.value = value

    def to_bytes(self) -> bytes:
        tag = varint(self.number << 3 | self.wire_type)
        if isinstance(self.value, int):
            return tag + varint(self.value)
        return tag + (varint(len(self.value)) if self.wire_type == 2 else b"") + self.value


def varint(value: int) -> bytes:
    out = bytearray()
    while value >= 128:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes([*out, value])


def read_varint(data: bytes, pos: int) -> tuple[int, int]:
    """The number at `pos` and where it ends. Raises IndexError where it is cut off."""
    value = shift = 0
    while True:
        value |= (data[pos] & 127) << shift
        shift += 7
        pos += 1
        if data[pos - 1] < 128:
            return value, pos


def read_fields(data: bytes) -> tuple[list[Field], bytes]:
    """The fields of a message, and the bytes from the first one on that is damaged or a group."""
    fields: list[Field] = []
    pos = 0
    while pos < len(data):
        try:
            tag, at = read_varint(data, pos)
            value: int | bytes
            if tag & 7 == 0:
                value, end = read_varint(data, at)
            elif tag & 7 == 2:
                size, at = read_varint(data, at)
                end = at + size
                value = data[at:end]
            elif tag & 7 in (1, 5):
                end = at + (8 if tag & 7 == 1 else 4)
                value = data[at:end]
            else:
                break
        except IndexError:
            break
        if end > len(data):
            break
        fields.append(Field(tag >> 3, tag & 7, value))
        pos = end
    return fields, data[pos:]


def number(rng: random.Random) -> int:
    """An integer near which programs go wrong."""
    return (rng.choice(NUMBERS) + rng.choice((0, 0, 0, -1, 1))) % 2**64 if rng.random() < 0.8 else rng.getrandbits(32)


def change_bytes(data: bytes, rng: random.Random, tokens: Sequence[bytes], other: bytes) -> bytes:
    """One change that knows nothing of the format."""
    pos = rng.randrange(len(data) + 1)
    size = rng.choice((1, 1, 2, 4, rng.randrange(1, MAX_RUN)))
    kind = rng.randrange(9)
    if kind == 0 and pos < len(data):
        return data[:pos] + bytes([data[pos] ^ 1 << rng.randrange(8)]) + data[pos + 1 :]
    if kind == 1:
        return data[:pos] + rng.randbytes(size) + data[pos + size :]
    if kind == 2:
        return data[:pos] + data[pos + size :]
    if kind == 3:
        return data[:pos] + rng.choice(tokens) + data[pos:]
    if kind == 4:
        token = rng.choice(tokens)
        return data[:pos] + token + data[pos + len(token) :]
    if kind == 5:
        return data[:pos] + data[pos : pos + size] * rng.choice((2, 2, 3, 9, 60)) + data[pos + size :]
    if kind == 6:
        return data[:pos] + other[rng.randrange(len(other) + 1) :]
    if kind == 7:
        begin = rng.randrange(len(other) + 1)
        return data[:pos] + other[begin : begin + size] + data[pos:]
    return data[:pos] + (data[:pos] if rng.random() < 0.1 else b"")


def change_rules(data: bytes, rng: random.Random) -> bytes:
    """A change of a normalizer's rules: size of the array, its 32-bit units, replacements."""
    units = list(struct.unpack(f"<{len(data) // 4}I", data[: len(data) // 4 * 4]))
    tail = data[len(data) // 4 * 4 :]
    used = [i for i, unit in enumerate(units) if unit >> 8]
    for _ in range(rng.choice((1, 1, 2, 4, 16))):
        i = rng.choice(used) if used and rng.random() < 0.7 else rng.randrange(len(units))
        kind = rng.randrange(6)
        if kind == 0:
            units[i] ^= 1 << rng.randrange(32)
        elif kind == 1:
            units[i] = number(rng) & 0xFFFFFFFF
        elif kind == 2:  # another offset
            units[i] = (units[i] & 0x3FF | rng.randrange(1, len(units)) << 10) & 0xFFFFFFFF
        elif kind == 3:  # the label of its place, seen from some base: a walk may come here
            units[i] = units[i] & 0xFFFFFF00 | (i - 1 ^ rng.choice((1, 0, rng.randrange(256)))) & 0xFF
        elif kind == 4:
            units[i] = units[rng.randrange(len(units))]
        else:
            units[i] = 1 << 31 | rng.randrange(64)
    changed = struct.pack(f"<{len(units)}I", *units) + tail
    return repaired_rules(changed) if rng.random() < 0.8 else changed


def repaired_rules(data: bytes) -> bytes:
    """Rules that pass the checks of loading as far as a small repair can do it: walks then take them as they are."""
    n_units = max(256, struct.unpack_from("<I", data)[0] // 1024 * 256)
    if 4 * n_units + 5 > len(data):
        n_units = (len(data) - 5) // 1024 * 256
    if n_units == 0:
        return data
    units = list(struct.unpack_from(f"<{n_units}I", data, 4))
    targets = data[4 + 4 * n_units : -1] + b"\0"
    units[0] = units[0] & 0x7FFFFC00 or 1 << 10
    for i, unit in enumerate(units):
        if unit >> 31:
            units[i] = 1 << 31 | unit % len(targets)
        elif (i ^ (unit >> 10 << (unit >> 6 & 8))) | 0xFF >= n_units:
            units[i] = unit & 0x1FF | (unit >> 10) % n_units << 10
            if (i ^ units[i] >> 10) | 0xFF >= n_units:
                units[i] = unit & 0x1FF
    for i, unit in enumerate(units):
        if not unit >> 31 and unit & 0x100 and not units[i ^ (unit >> 10 << (unit >> 6 & 8))] >> 31:
            units[i] &= ~0x100
    return struct.pack(f"<{n_units + 1}I", 4 * n_units, *units) + targets


def change_fields(data: bytes, rng: random.Random, tokens: Sequence[bytes], other: bytes) -> bytes:
    """One change of a message that keeps the lengths around it right, at any depth."""
    fields, tail = read_fields(data)
    if not fields or tail:  # a string, or damaged already
        return change_bytes(data, rng, tokens, other)
    i = rng.randrange(len(fields))
    if rng.random() < 0.4:  # pieces are many: go to the rare fields as often
        rare = [k for k, field in enumerate(fields) if field.number != 1]
        i = rng.choice(rare) if rare else i
    field = fields[i]
    kind = rng.randrange(12)
    if kind == 0:
        del fields[i]
    elif kind == 1:
        fields[i:i] = [field] * rng.choice((1, 1, 2, 300))
    elif kind == 2:
        fields[i] = fields[rng.randrange(len(fields))]
    elif kind == 3 and rng.random() < 0.2:
        field.wire_type = rng.randrange(8)
    elif kind == 4:
        field.number = rng.choice((1, 2, 3, 5, 35, 44, 45, 200, 2**29 - 1, field.number ^ 1)) or 1
    elif kind == 5:
        others = read_fields(other)[0]
        fields[i:i] = [rng.choice(others)] if others else []
    elif isinstance(field.value, int):
        field.value = number(rng)
    elif field.wire_type in (1, 5):
        field.value = rng.choice(FLOATS) if field.wire_type == 5 else rng.randbytes(8)
    elif len(field.value) > 1024 and field.number == 2 and rng.random() < 0.8:
        field.value = change_rules(field.value, rng)
    elif kind < 11:
        field.value = change_fields(field.value, rng, tokens, other)
    else:
        field.value = change_bytes(field.value, rng, tokens, other)
    return b"".join(entry.to_bytes() for entry in fields)


def mutate_model(data: bytes, rng: random.Random, other: bytes, max_size: int) -> bytes:
    """A few changes of a model file, most of them of its fields."""
    for _ in range(rng.choice((1, 1, 1, 2, 4))):
        change = change_fields if rng.random() < 0.95 else change_bytes
        data = change(data, rng, MODEL_TOKENS, other)[:max_size]
    return data


def mutate_text(data: bytes, rng: random.Random, other: bytes, max_size: int) -> bytes:
    """A few changes of a text; its first byte says which model encodes it."""
    for _ in range(rng.choice((1, 1, 2, 4, 8))):
        if rng.random() < 0.1:
            data = rng.randbytes(1) + data[1:]
        else:
            data = data[:1] + change_bytes(data[1:], rng, TEXT_TOKENS, other[1:])
        data = data[:max_size]
    return data


def mutate_file(data: bytes, rng: random.Random, other: bytes, max_size: int) -> bytes:
    """A few changes of a file of texts; its first two bytes say what it is."""
    for _ in range(rng.choice((1, 1, 1, 2, 4))):
        data = (data[:2] + change_bytes(data[2:], rng, FILE_TOKENS, other[2:]))[:max_size]
    return data


def change_pairs(data: bytes, rng: random.Random) -> bytes:
    """One change of a GGUF file that keeps it one: a value, its type or its name. Raises ModelError for others."""
    pairs = dict(header_of_bytes(data, "seed").pairs)
    if not pairs:
        return header_bytes({"tokenizer.ggml.model": Value(8, b"llama")})
    key = rng.choice(list(pairs))
    value = pairs[key]
    kind = rng.randrange(6)
    if kind == 0:
        del pairs[key]
    elif kind == 1:
        pairs[key] = pairs[rng.choice(list(pairs))]
    elif kind == 2 and isinstance(value.value, list) and value.value:
        items = list(value.value)
        at, other = rng.randrange(len(items)), rng.randrange(len(items))
        if isinstance(items[at], bytes) and rng.random() < 0.6:
            items[at] = change_bytes(items[at], rng, MODEL_TOKENS, items[other])
        elif rng.random() < 0.5:
            items[at] = items[other]
        else:
            items[at : at + rng.randrange(3)] = [items[other]] * rng.randrange(3)
        pairs[key] = Value(value.kind, items, value.item_kind)
    elif kind == 3 and isinstance(value.value, bytes):
        changed = change_bytes(value.value, rng, MODEL_TOKENS, value.value)
        is_rules = value.item_kind is not None and len(value.value) > 1024
        pairs[key] = Value(value.kind, change_rules(value.value, rng) if is_rules else changed, value.item_kind)
    elif kind == 4:
        pairs[key] = Value(4, number(rng) & 0xFFFFFFFF)
    else:
        count = len(value.value) if isinstance(value.value, (list, bytes)) else 1
        pairs[key] = Value(9, [number(rng)] * count, 10)
    return header_bytes(pairs)


def mutate_format(data: bytes, rng: random.Random, other: bytes, max_size: int) -> bytes:
    """A few changes of a file of another program; its first byte says which reader takes it."""
    for _ in range(rng.choice((1, 1, 1, 2, 4))):
        changed = None
        if data[1:5] == b"GGUF" and rng.random() < 0.8:
            with contextlib.suppress(ModelError):
                changed = change_pairs(data[1:], rng)
        elif data[1:2] == b"{" and rng.random() < 0.8:
            with contextlib.suppress(ValueError, RecursionError):
                changed = change_json(data[1:], rng)
        if changed is None:
            changed = change_bytes(data[1:], rng, FORMAT_TOKENS, other[1:])
        data = (data[:1] + changed)[:max_size]
    return data


def mutate_own(data: bytes, rng: random.Random, other: bytes, max_size: int) -> bytes:
    """A few changes of a file of our own. The first byte says which reader takes it; one more may stand before JSON."""
    for _ in range(rng.choice((1, 1, 1, 2, 4))):
        start = data[:2] if data[2:3] in (b"{", b"[") else data[:1]
        body, changed = data[len(start) :], None
        if body[:1] in (b"{", b"[") and rng.random() < 0.8:
            with contextlib.suppress(ValueError, RecursionError, TypeError):
                changed = change_json(body, rng)
        if changed is None:
            changed = change_bytes(body, rng, FORMAT_TOKENS, other[1:])
        data = (start + changed)[:max_size]
    return data


def change_json(data: bytes, rng: random.Random) -> bytes:
    """One change of a file of JSON that keeps it one: a value or a key. Raises ValueError for others."""
    root = json.loads(data.decode("utf-8", "surrogatepass"))
    place, key = root, ""
    inside: Any = root
    while isinstance(inside, (dict, list)) and inside and (place is root or rng.random() < 0.8):
        place = inside
        key = rng.choice(list(place)) if isinstance(place, dict) else rng.randrange(len(place))
        inside = place[key]
    if place is root and inside is root:
        raise ValueError("nothing to change")
    kind = rng.randrange(5)
    if kind == 0:
        del place[key]
    elif kind == 1:
        place[key] = rng.choice(JSON_VALUES)
    elif kind == 2:
        place[key] = place[rng.choice(list(place))] if isinstance(place, dict) else rng.choice(place)
    elif kind == 3 and isinstance(inside, str):
        changed = change_bytes(inside.encode("utf-8", "surrogatepass"), rng, MODEL_TOKENS, b"ab")
        place[key] = changed.decode("utf-8", "replace")
    elif isinstance(place, dict):
        place[str(rng.choice(JSON_VALUES))] = place.pop(key)
    else:
        place.insert(rng.randrange(len(place) + 1), inside)
    return json.dumps(root, ensure_ascii=rng.random() < 0.5).encode("utf-8", "surrogatepass")


Mutation = Callable[[bytes, random.Random, bytes, int], bytes]
