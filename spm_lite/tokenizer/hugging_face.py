"""The part of a Tokenizer that writes for tokenizers and transformers."""

from __future__ import annotations

from spm_lite._typing import TYPE_CHECKING
from spm_lite.tokenizer.conversions import ConversionMethods

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable
    from typing import Any

    from spm_lite.formats.proof.conditions import Findings
    from spm_lite.formats.proof.conversion import Conversion
    from spm_lite.tokenizer.tokenizer import Tokenizer


class HuggingFaceMethods(ConversionMethods):
    """tokenizer.json and the folders of transformers."""

    __slots__ = ()

    def to_tokenizer_json(
        self,
        *,
        bos: bool | None = None,
        eos: bool | None = None,
        match_special: bool = True,
        allow: str | Iterable[str] = (),
    ) -> str:
        """The text of a tokenizer.json, which `tokenizers.Tokenizer.from_str` reads.

        The ids are the same as from `encode`, under the conditions that `to_hf` reports.

        Args:
            bos, eos: whether the template of the file adds these pieces to a text. None: as BERT does in wordpiece
                models, and not in others.
            match_special: whether text that spells a special piece becomes it, as is usual there. False: the file
                names no special tokens, and text stays text.
            allow: names of differences that are allowed, as in `to_hf`.
        Returns:
            The text of the file.
        Raises:
            OptionError: the format cannot express what the model does; the message names it.

        >>> import spm_lite
        >>> tok = spm_lite.train(["the cat sat"] * 9, model_type="bpe", vocab_size=270)
        >>> tok.to_tokenizer_json()[:20]
        '{\\n  "version": "1.0"'
        """
        from spm_lite.arguments import as_flag
        from spm_lite.formats.hugging_face.write_tokenizer import json_text, tokenizer_parts
        from spm_lite.formats.proof.conditions import Findings

        is_matched = as_flag(match_special, "match_special")
        return json_text(
            tokenizer_parts(self, Findings(allow), bos=bos, eos=eos, match_special=is_matched, lists_special=is_matched)
        )

    def to_hf(
        self,
        folder: str | os.PathLike[str],
        *,
        overwrite: bool = False,
        verify: str | os.PathLike[str] | Iterable[str | bytes] = (),
        allow: str | Iterable[str] = (),
        bos: bool | None = None,
        eos: bool | None = None,
        match_special: bool = True,
        chat_template: str | None = None,
        model_max_length: int | None = None,
        padding_side: str | None = None,
    ) -> Conversion:
        """Write a folder that `AutoTokenizer.from_pretrained` of transformers 4 and 5 loads, and prove that ids agree.

        If the package tokenizers is installed, its ids of difficult texts, random strings and the texts of `verify` are
        compared. The folder appears whole or not at all, and only after that.

        Args:
            folder: where to write tokenizer.json, tokenizer_config.json and special_tokens_map.json. Other files in it
                stay.
            overwrite: whether these files are replaced if they are there.
            verify: texts of your own to compare, or the name of a file or folder of them. The result counts the
                texts that differ, and names the first 200.
            allow: names of differences that are allowed though they are provable: "unused", "stranded",
                "denormalizer", "other". The message of an error says which.
            bos, eos: whether the template adds these pieces to a text. None: as BERT does in wordpiece models, and not
                in others. `add_special_tokens=False` leaves them out there.
            match_special: whether text that spells a special piece becomes it, as is usual in transformers. False:
                text stays text, as in `encode`; chat templates do not work then.
            chat_template: the Jinja template of chats.
            model_max_length: the ids that the model reads, at which `truncation=True` cuts.
            padding_side: "left" or "right".
        Returns:
            A Conversion: `exact`, or `conditions` that a text must meet for its ids to be the same.
        Raises:
            OptionError: the format cannot express what the model does, or a text differs without a known cause.
            FileError: a file is there already, or cannot be written.

        >>> import spm_lite
        >>> tok = spm_lite.train(["the cat sat"] * 9, model_type="bpe", vocab_size=270, lossless="strict")
        >>> tok.to_hf("cat", overwrite=True).conditions
        ["no text that spells a special piece: '<unk>', '<s>', '</s>'"]
        """
        from spm_lite.arguments import as_flag
        from spm_lite.files.open_files import as_path
        from spm_lite.formats.hugging_face.write_folder import check_free, write_folder
        from spm_lite.formats.proof.conditions import Findings
        from spm_lite.formats.proof.prove_transformers import to_folder

        place = as_path(folder, "folder")
        settings = {
            "chat_template": chat_template, "model_max_length": model_max_length, "padding_side": padding_side,
        }  # fmt: skip
        found = to_folder(
            self, Findings(allow), bos=bos, eos=eos, match_special=as_flag(match_special, "match_special"),
            settings=settings,
        )  # fmt: skip
        check_free(place, found.files, as_flag(overwrite, "overwrite"))
        conversion = found.prove(self, place, verify)
        write_folder(place, dict(found.files))
        return conversion

    @classmethod
    def from_tokenizer_json(cls, path: str | os.PathLike[str], *, allow: str | Iterable[str] = ()) -> Tokenizer:
        """Read a tokenizer.json as a model: BPE and Unigram with SentencePiece's ways, byte-level BPE, WordPiece.

        Each component of the file must be one that a model can do, so that ids are the same. Any other is refused by
        its name. Truncation and padding in the file do not count. Where its decoder cleans up the text of WordPiece
        (no space before . ? ! , and n't), so does the model. The model can be saved.

        Args:
            path: the file.
            allow: names of differences that are allowed. "metaspace": a space or U+2581 at the start of a text is kept
                here, and swallowed there. "added": text around added tokens that are not special. "unknown": unknown
                words side by side, which are one id here, in models of whole words.
        Returns:
            A Tokenizer. Its `encode` does not add the special ids of the template in the file: `bos=True` and
            `eos=True` add the first one on each side of the text.
        Raises:
            ModelError: the file is damaged, or has a component that no model does; the message names it.
            OptionError: ids differ on some texts, which `allow` lifts.
            FileError: the file cannot be read.

        >>> import spm_lite
        >>> tok = spm_lite.train(["the cat sat"] * 9, model_type="bpe", vocab_size=270)
        >>> _ = tok.to_hf("cat", overwrite=True)
        >>> spm_lite.Tokenizer.from_tokenizer_json("cat/tokenizer.json").encode("the cat") == tok.encode("the cat")
        True
        """
        from spm_lite.files.open_files import as_path, read_bytes
        from spm_lite.formats.proof.conditions import Findings

        name = as_path(path, "path")
        return cls._from_json(read_bytes(name), name, Findings(allow))

    @classmethod
    def _from_json(cls, data: bytes, name: str, findings: Findings, config: dict[str, Any] | None = None) -> Tokenizer:
        """The tokenizer of the bytes of a tokenizer.json. config: the tokenizer_config.json beside it."""
        from spm_lite.formats.hugging_face.read_specials import check_named, roles_of_config
        from spm_lite.formats.hugging_face.read_tokenizer import model_of_json
        from spm_lite.tokenizer.tokenizer import Tokenizer

        beside = config or {}
        tok = Tokenizer._from_bytes(model_of_json(data, name, findings, roles_of_config(beside)), name)
        check_named(tok, beside, findings)
        return tok

    @classmethod
    def from_hf(cls, folder: str | os.PathLike[str], *, allow: str | Iterable[str] = ()) -> Tokenizer:
        """Read the tokenizer of a folder of transformers: tokenizer.json, or a model, vocab.txt or files of GPT-2.

        Args:
            folder: the folder with these files. Its tokenizer_config.json names the special tokens.
            allow: as in `from_tokenizer_json`. "config": special tokens of tokenizer_config.json that tokenizer.json
                lacks; transformers adds them.
        Returns:
            A Tokenizer. Of several files the first counts: tokenizer.json, tokenizer.model or another model of
            SentencePiece, vocab.txt, vocab.json with merges.txt.
        Raises:
            ModelError: a file is damaged, or has a component that no model does; the message names it.
            OptionError: ids differ on some texts, which `allow` lifts.
            FileError: the folder does not exist, or has none of these files.

        >>> import spm_lite
        >>> tok = spm_lite.train(["the cat sat"] * 9, model_type="bpe", vocab_size=270)
        >>> _ = tok.to_hf("cat", overwrite=True)
        >>> spm_lite.Tokenizer.from_hf("cat").encode("the cat") == tok.encode("the cat")
        True
        """
        from spm_lite.files.open_files import as_path, read_bytes
        from spm_lite.formats.hugging_face.folder_files import GPT2, JSON, VOCAB, find_file, read_config
        from spm_lite.formats.proof.conditions import Findings
        from spm_lite.tokenizer.tokenizer import Tokenizer

        place, findings = as_path(folder, "folder"), Findings(allow)
        kind, path = find_file(place)
        if kind == JSON:
            return cls._from_json(read_bytes(path), path, findings, read_config(place))
        if kind == VOCAB:
            return cls.from_vocab_txt(path)
        return cls.from_gpt2(place, name="gpt2") if kind == GPT2 else Tokenizer.load(path)
