"""The formats of id files by name: which files each has, which types of ids, and what writes it."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

from spm_lite.errors import OptionError

if TYPE_CHECKING:
    from spm_lite.files.id_writer import IdWriter, OutputFile


class Form(NamedTuple):
    """One format."""

    ending: str  # of the name that the caller gives, left out or not
    suffixes: tuple[str, ...]  # of the files: that of the ids first
    dtypes: dict[str, int]  # types of an id, the first that fits being the default -> pieces that each can number
    writer: str  # its place in the package


UINT16, UINT32, INT32 = 1 << 16, 1 << 32, 1 << 31
FORMATS = {
    "npy": Form(".npy", (".npy", ".offsets.npy"), {"uint16": UINT16, "uint32": UINT32}, "id_arrays.NumpyWriter"),
    "bin": Form("", ("", ".idx"), {"uint16": UINT16, "uint32": UINT32}, "id_arrays.PlainWriter"),
    "megatron": Form(".bin", (".bin", ".idx"), {"uint16": UINT16, "int32": INT32}, "megatron_ids.MegatronWriter"),
    "datatrove": Form(
        ".ds",
        (".ds", ".ds.index", ".ds.metadata"),
        {"uint16": UINT16, "uint32": UINT32},
        "datatrove_ids.DatatroveWriter",
    ),
    "parquet": Form(".parquet", (".parquet",), {"int32": INT32}, "parquet_ids.ParquetWriter"),
}


def as_format(format: Any, out: str = "") -> str:
    """The name of a format. None: "npy" for a name in .npy, else "bin"."""
    if format is None:
        return "npy" if out.endswith(".npy") else "bin"
    if not isinstance(format, str) or format not in FORMATS:
        raise OptionError(
            f"format={format!r:.40}: must be one of {', '.join(map(repr, FORMATS))}",
            remedies=[{"format": name} for name in FORMATS],
        )
    return format


def as_dtype(dtype: Any, vocab_size: int, format: str = "bin") -> str:
    """The name of the wanted type, which must hold every id; None chooses the smallest."""
    dtypes = FORMATS[format].dtypes
    if dtype is None:
        fits = [name for name, most in dtypes.items() if vocab_size <= most]
        is_small = format != "megatron" or vocab_size < 65_500  # where Megatron's own program chooses int32
        return fits[0] if is_small else fits[-1]
    name = dtype if isinstance(dtype, str) else getattr(dtype, "__name__", str(dtype))  # of a type or dtype of numpy
    if name not in dtypes:
        known = " nor ".join(map(repr, dtypes))
        raise OptionError(
            f"dtype {name!r:.40} is {'neither ' if len(dtypes) > 1 else 'not '}{known}, which format={format!r} has; "
            "None chooses by the vocabulary",
            remedies=[{"dtype": None}],
        )
    if vocab_size > dtypes[name]:
        raise OptionError(
            f"dtype {name!r} ends at {dtypes[name] - 1}, but there are {vocab_size} pieces: pass "
            f"{list(dtypes)[-1]!r} or None",
            remedies=[{"dtype": None}],
        )
    return name


def paths_of(out: str, format: str) -> tuple[str, ...]:
    """The names of all files of a format. out: their common beginning, or the name of the file of ids.

    >>> paths_of("a", "megatron"), paths_of("a.npy", "npy")
    (('a.bin', 'a.idx'), ('a.npy', 'a.offsets.npy'))
    """
    form = FORMATS[format]
    start = out.removesuffix(form.ending)
    return tuple(start + suffix for suffix in form.suffixes)


def make_writer(files: Sequence[OutputFile], format: str, dtype: str, vocabulary: str) -> IdWriter:
    """The writer of a format. vocabulary: the name of the tokenizer."""
    module, _, name = FORMATS[format].writer.partition(".")
    writer: IdWriter = getattr(import_module(f"spm_lite.files.{module}"), name)(files, dtype, vocabulary)
    return writer


def vocabulary_name(model: bytes) -> str:
    """The name of a tokenizer in files that hold one: it tells models apart, wherever they were read from."""
    import hashlib

    return f"spm_lite-{hashlib.sha256(model).hexdigest()[:16]}"
