"""What a lock holds, as JSON has it: written, and checked where it is read."""

from __future__ import annotations

import base64
import re
from dataclasses import asdict
from typing import Any

from spm_lite.evaluation.locks.lock_digests import SHORT, WHOLE, Grid, unpack
from spm_lite.evaluation.locks.lock_texts import CORPUS
from spm_lite.evaluation.locks.model_parts import ROLES, Parts, fields_of
from spm_lite.files.saved_values import SPELLED, TEXT, Kind, check, whole

FORMAT = 1  # of the file; a later one holds what this version does not know
MOST_UNPACKED = 1 << 24  # bytes of the ids of the corpus
MOST_TEXTS = 1 << 40
MOST_PIECES = 1 << 24


def in_base_64(data: bytes | bytearray) -> str:
    """Bytes as a text of JSON."""
    return base64.b64encode(data).decode()


def parts_as_json(parts: Parts) -> dict[str, Any]:
    """The parts of a tokenizer, in types that JSON has."""
    found = {
        name: grid_as_json(value) if isinstance(value, Grid) else value for name, value in fields_of(parts).items()
    }
    return {**found, "special": [*map(list, parts.special)]}


def grid_as_json(grid: Grid) -> dict[str, Any]:
    """A grid, with its digests as texts."""
    found = asdict(grid)
    return {**found, "rows": in_base_64(grid.rows), "columns": in_base_64(grid.columns), "whole": grid.whole.hex()}


def is_base_64(value: Any) -> bool:
    """Whether a value is a text of bytes in base 64."""
    try:
        return type(value) is str and base64.b64decode(value, validate=True) is not None
    except ValueError:
        return False


def in_hex(n: int) -> Kind:
    """Texts of n bytes in hex."""
    form = re.compile(rf"[0-9a-f]{{{2 * n}}}")
    return Kind(f"{n} bytes in hex", lambda value: type(value) is str and form.fullmatch(value) is not None)


BASE_64 = Kind("a text in base 64", is_base_64)
DIGESTS = Kind("digests in base 64", lambda value: is_base_64(value) and len(from_base_64(value)) % SHORT == 0)
SETTING = Kind("a text, true or false, or a list", lambda value: type(value) in (str, bool, list))
MODEL_TYPE = {"model_type": SPELLED, "*": SETTING}
ROW = {"each": DIGESTS, "all": in_hex(WHOLE)}
PLACE = whole(-1, MOST_PIECES)  # an id, or -1: none
GRID = {"n": whole(0, MOST_PIECES), "rows": DIGESTS, "columns": DIGESTS, "whole": in_hex(WHOLE)}
FORM = {
    "spm_lite_lock": whole(1),
    "made_by": {"spm_lite": TEXT, "unicode": TEXT},
    "model": {"size": whole(1, MOST_PIECES), "model_digest": TEXT},
    "conditions": [TEXT],
    "parts": {
        "form": TEXT, "pieces": GRID, "kinds": GRID, "weight_form": TEXT, "weights": GRID,
        "roles": dict.fromkeys(ROLES, PLACE), "special": [(PLACE, SPELLED, TEXT, [TEXT])], "special_digest": TEXT,
        "settings": MODEL_TYPE,
    },
    "corpus": whole(1),
    "texts": {"n": whole(0, MOST_TEXTS), "digest": TEXT},
    "rows": {"hard.ids": ROW, "*": ROW},
    "ids": BASE_64,
    "special_ids": BASE_64,
    "conversions": {
        "*": {
            "conditions": [TEXT],
            "rows": {"*": {"*": (in_hex(SHORT), whole(-1))}},
            "parts": {"settings?": {"*": SETTING}},
        },
    },
}  # fmt: skip


def checked(data: Any) -> dict[str, Any]:
    """The data of a lock. Raises ValueError, naming the place, for what is not of the form that `lock` writes."""
    if not isinstance(data, dict) or not isinstance(data.get("spm_lite_lock"), int):
        raise ValueError("this is not a lock that spm-lite lock wrote")
    corpus, maker = data.get("corpus"), str(data.get("made_by"))
    if data["spm_lite_lock"] > FORMAT or (type(corpus) is int and corpus > CORPUS):
        raise ValueError(f"a later version of spm_lite made this lock ({maker:.80}): install that version")
    check(data, FORM, "the lock")
    if data["model"]["size"] != data["parts"]["pieces"]["n"]:
        raise ValueError("the number of pieces is not the same in all places")
    n_hard = len(from_base_64(data["rows"]["hard.ids"]["each"])) // SHORT
    unpack(data["ids"], n_hard, MOST_UNPACKED)
    unpack(data["special_ids"], None, MOST_UNPACKED)
    for one in data["conversions"].values():
        for rows in one["rows"].values():
            if not all(number.isdecimal() and row[1] < len(one["conditions"]) for number, row in rows.items()):
                raise ValueError("a row of a conversion is damaged")
    return data


def from_base_64(text: str) -> bytes:
    """What such a text holds, once `checked` has seen it."""
    return base64.b64decode(text)


def parts_of_json(data: Any) -> Parts:
    """The parts of a tokenizer, as `parts_as_json` writes them."""
    found = {name: data[name] for name in Parts.__dataclass_fields__}
    found |= {name: grid_of_json(data[name]) for name in ("pieces", "kinds", "weights")}
    return Parts(**{**found, "special": [tuple(row) for row in data["special"]]})


def grid_of_json(data: Any) -> Grid:
    """A grid, as `grid_as_json` writes it."""
    return Grid(data["n"], from_base_64(data["rows"]), from_base_64(data["columns"]), bytes.fromhex(data["whole"]))
