"""Lock: the digests of a tokenizer, as a JSON file that is checked before it is used."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

from spm_lite.errors import ModelError
from spm_lite.evaluation.locks.lock_data import checked
from spm_lite.printable import safe_json, visible

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import BinaryIO

    from typing_extensions import Unpack

    from spm_lite.evaluation.locks.lock_result import LockCheck
    from spm_lite.specs import LoadOptions
    from spm_lite.tokenizer.tokenizer import Tokenizer

MOST_BYTES = 1 << 22  # of a file; locks that are written have 100 kB or less


class Lock:
    """The digests of a tokenizer and of the ids that it gives. Made by `spm_lite.lock`.

    `str(lock)` says what is locked.
    """

    __module__ = "spm_lite"  # where users find it

    def __init__(self, data: Mapping[str, Any], name: str = "the lock") -> None:
        """data: what `to_dict` gives, or what was read from a file. Raises ModelError for anything else."""
        try:
            self._data = checked(data)
        except ValueError as error:
            raise ModelError(f"{name}: {error}. Lock the tokenizer again, or copy the file again") from None

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Lock:
        """Read the file that `save` or `spm-lite lock` wrote.

        Args:
            path: the file.
        Returns:
            A Lock.
        Raises:
            FileError: the file cannot be read.
            ModelError: it is no lock, damaged, or of a later version of spm_lite.

        >>> import spm_lite
        >>> tok = spm_lite.byte_tokenizer()
        >>> spm_lite.lock(tok).save("bytes.lock")
        >>> spm_lite.Lock.load("bytes.lock").check(tok).same
        True
        """
        from spm_lite.files.open_files import read_bytes

        name = os.fsdecode(path)
        data = read_bytes(path, MOST_BYTES + 1)
        if len(data) > MOST_BYTES:
            raise ModelError(f"{name} has more than {MOST_BYTES} bytes, which no lock has: name a lock")
        return cls(as_object(data, name), name)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the lock; whole or not at all. The same tokenizer and texts give the same bytes.

        Args:
            path: the file to write.
        Raises:
            FileError: the file cannot be written.

        >>> import spm_lite
        >>> spm_lite.lock(spm_lite.byte_tokenizer()).save("bytes.lock")
        """
        from spm_lite.files.new_files import write_atomically
        from spm_lite.files.open_files import as_path

        write_atomically(as_path(path, "path", allows_address=True), self._bytes())

    def _bytes(self) -> bytes:
        return (safe_json(json.dumps(self._data, ensure_ascii=False, indent=1)) + "\n").encode("utf-8", "surrogatepass")

    def to_dict(self) -> dict[str, Any]:
        """What the file holds, in types that JSON has.

        Returns:
            A dict.

        >>> import spm_lite
        >>> spm_lite.lock(spm_lite.byte_tokenizer()).to_dict()["model"]["size"]
        259
        """
        found: dict[str, Any] = json.loads(self._bytes())
        return found

    def check(
        self,
        other: Tokenizer | str | os.PathLike[str] | bytes | BinaryIO,
        *,
        texts: str | os.PathLike[str] | Iterable[str | bytes] | None = None,
        program: str | None = None,
        strict: bool = False,
        allow: str | Iterable[str] = (),
        **options: Unpack[LoadOptions],
    ) -> LockCheck:
        """Compare another tokenizer with what is locked.

        Args:
            other: a Tokenizer, or what `Tokenizer.load` takes: a model, a folder, a tokenizer.json, a GGUF file ...
            texts: the texts that were locked, or the name of their file; None: they are not compared.
            program: None: the ids are those of spm_lite. "transformers", "tokenizers", "sentencepiece", "tiktoken" or
                "llama.cpp": the ids are those of this program, which must be installed and read the file.
            strict: True: what a conversion is known to change counts as a difference.
            allow, options: as in `Tokenizer.load`.
        Returns:
            A LockCheck: whether all is the same, the texts that differ, and the likely causes.
        Raises:
            OptionError: the texts are not those that were locked, or the program does not read the file.
            ModelError: the file is no tokenizer.
            FileError: a file cannot be read.

        >>> import spm_lite
        >>> tok = spm_lite.train(["the cat sat"] * 9, model_type="bpe", vocab_size=272)
        >>> spm_lite.lock(tok).check(tok.with_vocab_size(271)).same
        False
        """
        from spm_lite.evaluation.locks.lock_check import compared

        return compared(self, other, texts, program, strict, allow, options)

    def __eq__(self, other: object) -> bool:
        return self._bytes() == other._bytes() if isinstance(other, Lock) else NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def __str__(self) -> str:
        data = self._data
        model, n = data["model"], data["texts"]["n"]
        own = f"{n:,} texts of yours" if n else "no texts of yours"
        return visible(
            f"a lock of a {data['parts']['settings']['model_type']} model of {model['size']:,} pieces, with {own}, "
            f"made by spm_lite {data['made_by']['spm_lite']}"
        )

    def __repr__(self) -> str:
        return f"<Lock: {self}>"


def as_object(data: bytes, name: str) -> dict[str, Any]:
    """The JSON object of a file. Raises ModelError for one that is no lock."""
    from spm_lite.formats.json_file import parse

    if not data.lstrip()[:1] == b"{":
        raise ModelError(f"{name} is not a lock that spm-lite lock wrote: it does not begin with '{{'")
    return parse(data, name)
