"""The part of a Tokenizer that reads and writes files of other programs under names that people look for.

`ConversionMethods` has the files of tiktoken and llama.cpp. `HuggingFaceMethods` has the folders of transformers.
"""

from __future__ import annotations

from spm_lite._typing import TYPE_CHECKING
from spm_lite.tokenizer.encoding import EncodingMethods

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Mapping
    from typing import Any

    from spm_lite.formats.proof.conversion import Conversion, SplitPattern
    from spm_lite.tokenizer.tokenizer import Tokenizer


class ConversionMethods(EncodingMethods):
    """Files of tiktoken, and GGUF files of llama.cpp."""

    __slots__ = ()

    def to_tiktoken(
        self,
        path: str | os.PathLike[str],
        *,
        verify: str | os.PathLike[str] | Iterable[str | bytes] = (),
        allow: str | Iterable[str] = (),
    ) -> SplitPattern:
        """Write a byte-level BPE model as a rank file of tiktoken, and return the pattern that goes with it.

        Then tiktoken gives every text the same ids; difficult and random texts are compared first. Special pieces are
        not in such a file: pass them to tiktoken as `special_tokens`, with the ids that they have here.

        Args:
            path: the file to write, such as "model.tiktoken".
            verify: texts of your own to compare, or the name of a file or folder of them.
            allow: "other" writes the file though a text differs without a known cause.
        Returns:
            The split pattern for `pat_str`, a str. It cuts no piece. Its attribute `conversion` is the Conversion.
        Raises:
            OptionError: the model is of another type, or has pieces that a rank file cannot express.
            FileError: the file cannot be written.

        >>> import spm_lite
        >>> tok = spm_lite.train(["the cat sat"] * 9, model_type="byte_bpe", vocab_size=264)
        >>> pattern = tok.to_tiktoken("cat.tiktoken")
        >>> pattern
        ' *[^ ]+| +'
        >>> spm_lite.load("cat.tiktoken", pattern=pattern).encode("the cat") == tok.encode("the cat")
        True
        """
        from spm_lite.files.new_files import write_atomically
        from spm_lite.files.open_files import as_path
        from spm_lite.formats.proof.conditions import Findings
        from spm_lite.formats.proof.conversion import FILE, SplitPattern
        from spm_lite.formats.proof.prove_files import to_rank_file

        place = as_path(path, "path", allows_address=True)
        found = to_rank_file(self, Findings(allow))
        conversion = found.prove(self, place, verify)
        write_atomically(place, found.files[FILE])
        return SplitPattern(str(found.pattern), conversion)

    @classmethod
    def from_tiktoken(
        cls,
        path: str | os.PathLike[str],
        *,
        pattern: str | None = None,
        name: str | None = None,
        special_tokens: Iterable[str] | Mapping[str, int] | None = None,
    ) -> Tokenizer:
        """Read a rank file of tiktoken as a byte-level BPE model. Each piece has its rank as id.

        A text is cut by the pattern, and each match is encoded on its own, as tiktoken does. The classes of characters
        are as in tiktoken 0.14 (Unicode 16.0).

        Args:
            path: the file: lines of base64, a space and a rank.
            pattern: the split pattern that the file is used with, as tiktoken reads it. Text that it does not match
                gets no ids, as there.
            name: instead of a pattern, the name of a tokenizer: gpt2, r50k_base, p50k_base, cl100k_base, o200k_base,
                o200k_harmony, llama3, qwen2 or tekken. qwen2 normalizes text to NFC. OpenAI's names bring their
                special tokens.
            special_tokens: names of special tokens, which get the ids after the ranks in this order. Or a mapping of
                name to id, as tiktoken has it. An id between these without a name gets one: `<|unused 270|>`.
        Returns:
            A Tokenizer with the ids of tiktoken.
        Raises:
            ModelError: the file is damaged or of another kind; the message names the line.
            OptionError: the name is another one, or the pattern is not read or does not fit the pieces. A special
                token has the id or the text of a piece.
            FileError: the file cannot be read.

        >>> import spm_lite
        >>> tok = spm_lite.train(["the cat sat"] * 9, model_type="byte_bpe", vocab_size=264)
        >>> _ = tok.to_tiktoken("cat.tiktoken")
        >>> spm_lite.Tokenizer.from_tiktoken("cat.tiktoken", name="llama3").pieces("the cat")
        ['the', ' cat']
        """
        options = {"pattern": pattern, "name": name, "special_tokens": special_tokens}
        return cls._load_as("tiktoken", path, "path", options)

    def to_gguf(
        self,
        path: str | os.PathLike[str],
        *,
        base: str | os.PathLike[str] | None = None,
        verify: str | os.PathLike[str] | Iterable[str | bytes] = (),
        allow: str | Iterable[str] = (),
    ) -> Conversion:
        """Write a GGUF file that llama.cpp reads: the tokenizer alone, or a file whose tokenizer is replaced.

        Kinds: bpe becomes "llama", unigram "t5", byte_bpe with a split pattern "gpt2", wordpiece "bert". The file says
        that no ids are added to a text.

        Args:
            path: the file to write; it appears whole or not at all.
            base: a GGUF file whose other pairs and tensors are copied. It must have as many pieces.
            verify, allow: as in `to_hf`.
        Returns:
            A Conversion: the number of texts compared, and the conditions that a text must meet in llama.cpp.
        Raises:
            OptionError: llama.cpp would give other ids; the message says why.
            ModelError: `base` is damaged.
            FileError: a file cannot be read or written.

        >>> import spm_lite
        >>> tok = spm_lite.train(["the cat sat"] * 9, model_type="bpe", vocab_size=270)
        >>> tok.to_gguf("cat.gguf").conditions[0]
        'no U+2581 in the text'
        """
        from spm_lite.files.new_files import write_atomically
        from spm_lite.files.open_files import as_path
        from spm_lite.formats.gguf.writing import rewritten
        from spm_lite.formats.proof.conditions import Findings
        from spm_lite.formats.proof.conversion import FILE
        from spm_lite.formats.proof.prove_gguf import to_vocabulary_file

        place = as_path(path, "path", allows_address=True)
        found = to_vocabulary_file(self, Findings(allow))
        blocks = None if base is None else rewritten(self, as_path(base, "base"))
        conversion = found.prove(self, place, verify)
        write_atomically(place, found.files[FILE] if blocks is None else blocks)
        return conversion

    @classmethod
    def _load_as(
        cls, format: str, path: str | os.PathLike[str], argument: str, options: dict[str, Any], allow: Any = ()
    ) -> Tokenizer:
        """The Tokenizer of a file of a format. argument: what the caller calls the path. options: as of `load`."""
        from spm_lite.files.open_files import as_path
        from spm_lite.tokenizer.loading import load

        place = as_path(path, argument, allows_address=argument != "folder")
        tok: Tokenizer = load(cls._from_bytes, place, format, allow, None, options)
        return tok


class HuggingFaceMethods(ConversionMethods):
    """tokenizer.json and the folders of transformers."""

    __slots__ = ()

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

        If the package tokenizers is installed, its ids of difficult and random texts are compared first. The folder
        appears whole or not at all.

        Args:
            folder: where to write tokenizer.json, tokenizer_config.json and special_tokens_map.json. Other files in it
                stay.
            overwrite: whether these files are replaced if they are there.
            verify: texts of your own to compare, or the name of a file or folder of them.
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
        from spm_lite.formats.hugging_face.folder import check_free, chosen_class, write_folder
        from spm_lite.formats.proof.conditions import Findings
        from spm_lite.formats.proof.prove_files import to_folder

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
        return conversion._with_condition(chosen_class(place))

    @classmethod
    def from_hf(cls, folder: str | os.PathLike[str], *, allow: str | Iterable[str] = ()) -> Tokenizer:
        """Read the tokenizer of a folder of transformers: tokenizer.json, or a model, vocab.txt or files of GPT-2.

        Args:
            folder: the folder with these files. Its tokenizer_config.json names the special tokens.
            allow: as in `load`. "config": special tokens of tokenizer_config.json that tokenizer.json
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
        return cls._load_as("transformers", folder, "folder", {}, allow)


def write_gpt2(
    tok: Any,
    folder: str | os.PathLike[str],
    *,
    verify: str | os.PathLike[str] | Iterable[str | bytes] = (),
    allow: str | Iterable[str] = (),
) -> SplitPattern:
    """Write vocab.json and merges.txt, and return the pattern that goes with them, as `to_gpt2` of version 0.1 did."""
    from spm_lite.files.open_files import as_path
    from spm_lite.files.paired_files import write_pair_in
    from spm_lite.formats.proof.conditions import Findings
    from spm_lite.formats.proof.conversion import SplitPattern
    from spm_lite.formats.proof.prove_files import to_gpt2_files

    target = as_path(folder, "folder")
    found = to_gpt2_files(tok, Findings(allow))
    conversion = found.prove(tok, target, verify)
    write_pair_in(target, found.files)
    return SplitPattern(str(found.pattern), conversion)


def json_of(
    tok: Any,
    *,
    bos: bool | None = None,
    eos: bool | None = None,
    match_special: bool = True,
    allow: str | Iterable[str] = (),
) -> str:
    """The text of a tokenizer.json, which `tokenizers.Tokenizer.from_str` reads."""
    from spm_lite.arguments import as_flag
    from spm_lite.formats.hugging_face.write_tokenizer import json_text, tokenizer_parts
    from spm_lite.formats.proof.conditions import Findings

    is_matched = as_flag(match_special, "match_special")
    return json_text(
        tokenizer_parts(tok, Findings(allow), bos=bos, eos=eos, match_special=is_matched, lists_special=is_matched)
    )
