"""What a lock holds, as JSON has it: written, and checked where it is read."""

from __future__ import annotations

import base64
from dataclasses import asdict
from typing import Any

from spm_lite.evaluation.locks.lock_digests import SHORT, WHOLE, Grid, unpack
from spm_lite.evaluation.locks.lock_texts import CORPUS
from spm_lite.evaluation.locks.model_parts import Parts, fields_of

FORMAT = 1  # of the file; a later one holds what this version does not know
MOST_UNPACKED = 1 << 24  # bytes of the ids of the corpus
MOST_TEXTS = 1 << 40
MOST_PIECES = 1 << 24
TEXT_PARTS = ("form", "weight_form", "special_digest")


def in_base_64(data: bytes | bytearray) -> str:
    """Bytes as a text of JSON."""
    return base64.b64encode(data).decode()


def parts_as_json(parts: Parts) -> dict[str, Any]:
    """The parts of a tokenizer, in types that JSON has."""
    return {name: grid_as_json(value) if isinstance(value, Grid) else value for name, value in fields_of(parts).items()}


def grid_as_json(grid: Grid) -> dict[str, Any]:
    """A grid, with its digests as texts."""
    found = asdict(grid)
    return {**found, "rows": in_base_64(grid.rows), "columns": in_base_64(grid.columns), "whole": grid.whole.hex()}


def checked(data: Any) -> dict[str, Any]:
    """The data of a lock. Raises KeyError, TypeError or ValueError for what is not of the form that `lock` writes."""
    if not isinstance(data, dict) or not isinstance(data.get("spm_lite_lock"), int):
        raise ValueError("this is not a lock that spm-lite lock wrote")
    maker = str(data.get("made_by"))
    if data["spm_lite_lock"] > FORMAT or of_type(data["corpus"], int, "corpus") > CORPUS:
        raise ValueError(f"a later version of spm_lite made this lock ({maker:.80}): install that version")
    if data["spm_lite_lock"] < 1 or data["corpus"] < 1:
        raise ValueError("the version of the lock is less than 1")
    for key, kind in (("spm_lite", str), ("unicode", str)):
        of_type(data["made_by"][key], kind, key)
    parts = parts_of_json(data["parts"])
    if not 0 < of_type(data["model"]["size"], int, "size") == parts.pieces.n <= MOST_PIECES:
        raise ValueError("the number of pieces is out of range")
    if not 0 <= parts.weights.n <= MOST_PIECES:
        raise ValueError("the number of merges or scores is out of range")
    of_type(data["model"]["model_digest"], str, "model_digest")
    list_of(data["conditions"], str, "conditions")
    if not 0 <= of_type(data["texts"]["n"], int, "texts") < MOST_TEXTS:
        raise ValueError("the number of texts is out of range")
    of_type(data["texts"]["digest"], str, "digest")
    for key, row in of_type(data["rows"], dict, "rows").items():
        if len(from_base_64(row["each"])) % SHORT or len(bytes.fromhex(row["all"])) != WHOLE:
            raise ValueError(f"the digests of {key!r:.40} are damaged")
    n_hard = len(from_base_64(data["rows"]["hard.ids"]["each"])) // SHORT
    unpack(of_type(data["ids"], str, "ids"), n_hard, MOST_UNPACKED)
    unpack(of_type(data["special_ids"], str, "special_ids"), None, MOST_UNPACKED)
    for one in of_type(data["conversions"], dict, "conversions").values():
        check_conversion(one)
    return data


def check_conversion(one: Any) -> None:
    """Raise an error for a damaged entry of what a conversion changes."""
    n = len(list_of(one["conditions"], str, "conditions"))
    of_type(one["parts"], dict, "parts")
    of_type(one["parts"].get("settings", {}), dict, "settings")
    for rows in of_type(one["rows"], dict, "rows").values():
        for number, (short, condition) in of_type(rows, dict, "rows").items():
            if not number.isdecimal() or len(bytes.fromhex(short)) != SHORT or not -1 <= condition < n:
                raise ValueError("a row of a conversion is damaged")


def of_type(value: Any, kind: type, name: str) -> Any:
    """A value, if it is of a type. Raises TypeError."""
    if type(value) is not kind:
        raise TypeError(f"{name} is {type(value).__name__}, not {kind.__name__}")
    return value


def list_of(value: Any, kind: type, name: str) -> list[Any]:
    """A list whose items are all of a type. Raises TypeError."""
    return [of_type(item, kind, name) for item in of_type(value, list, name)]


def from_base_64(text: Any) -> bytes:
    """The bytes of a text in base 64. Raises ValueError."""
    return base64.b64decode(of_type(text, str, "digests"), validate=True)


def parts_of_json(data: Any) -> Parts:
    """The parts of a tokenizer, as `parts_as_json` writes them. Raises KeyError, TypeError or ValueError."""
    pieces, kinds, weights = (grid_of_json(data[name]) for name in ("pieces", "kinds", "weights"))
    roles = {name: of_type(data["roles"][name], int, name) for name in ("unk", "bos", "eos", "pad")}
    special = [
        (of_type(i, int, "id"), of_type(text, str, "text"), of_type(kind, str, "kind"), list_of(rules, str, "rules"))
        for i, text, kind, rules in of_type(data["special"], list, "special")
    ]
    form, weight_form, special_digest = (of_type(data[name], str, name) for name in TEXT_PARTS)
    settings = of_type(data["settings"], dict, "settings")
    of_type(settings["model_type"], str, "model_type")
    return Parts(form, pieces, kinds, weight_form, weights, roles, special, special_digest, settings)


def grid_of_json(data: Any) -> Grid:
    """A grid, as `grid_as_json` writes it."""
    n = of_type(data["n"], int, "n")
    return Grid(n, from_base_64(data["rows"]), from_base_64(data["columns"]), bytes.fromhex(data["whole"]))
