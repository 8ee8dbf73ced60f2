"""The part of a Tokenizer that reads and writes vocabularies of other programs.

`ConversionMethods` has the files of tiktoken, GPT-2 and BERT. `HuggingFaceMethods` writes for tokenizers and
transformers.
"""

from __future__ import annotations

import os

from spm_lite._typing import TYPE_CHECKING
from spm_lite.tokenizer.encoding import EncodingMethods

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Mapping
    from typing import Any

    from spm_lite.formats.proof.conversion import Conversion, SplitPattern
    from spm_lite.tokenizer.tokenizer import Tokenizer


class ConversionMethods(EncodingMethods):
    """Files of tiktoken and of GPT-2, for byte-level BPE; of BERT, for WordPiece."""

    __slots__ = ()

    def to_tiktoken(
        self,
        path: str | os.PathLike[str],
        *,
        verify: str | os.PathLike[str] | Iterable[str | bytes] = (),
        allow: str | Iterable[str] = (),
    ) -> SplitPattern:
        """Write a byte-level BPE model as a rank file of tiktoken, and return the pattern that goes with it.

        Then tiktoken gives every text the same ids. Difficult texts, random strings and the texts of `verify` are
        compared first. Special pieces are not in such a file: pass them to tiktoken as `special_tokens`, with the ids
        that they have here.

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
        >>> pattern.conversion.exact
        True
        >>> again = spm_lite.Tokenizer.from_tiktoken("cat.tiktoken", pattern=" *[^ ]+| +")
        >>> again.encode("the cat") == tok.encode("the cat")
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
            pattern: the split pattern that the file is used with. It is a pattern that `to_tiktoken` returns, or the
                pattern of one of the names below, as tiktoken or tokenizer.json writes it.
            name: instead of a pattern, the name of a tokenizer: gpt2, r50k_base, p50k_base, cl100k_base, o200k_base,
                llama3, qwen2 or tekken. qwen2 normalizes text to NFC. OpenAI's names bring their special tokens.
            special_tokens: names of special tokens, which get the ids after the ranks in this order. Or a mapping of
                name to id, as tiktoken has it. An id between these without a name gets one: `<|unused 270|>`. Text
                becomes a special token only where `allow_special` of `encode` names it.
        Returns:
            A Tokenizer with the ids of tiktoken.
        Raises:
            ModelError: the file is damaged or of another kind; the message names the line.
            OptionError: the pattern or name is another one, or does not fit the pieces. A special token has the id or
                the text of a piece.
            ArgumentTypeError: a special token is not a str.
            FileError: the file cannot be read.

        >>> import spm_lite
        >>> tok = spm_lite.train(["the cat sat"] * 9, model_type="byte_bpe", vocab_size=264)
        >>> _ = tok.to_tiktoken("cat.tiktoken")
        >>> llama3 = spm_lite.Tokenizer.from_tiktoken("cat.tiktoken", name="llama3", special_tokens=["<|end|>"])
        >>> llama3.pieces("the cat")
        ['the', ' cat']
        """
        options = {"pattern": pattern, "name": name, "special_tokens": special_tokens}
        return cls._load_as("tiktoken", path, "path", options)

    def to_gpt2(
        self,
        folder: str | os.PathLike[str],
        *,
        verify: str | os.PathLike[str] | Iterable[str | bytes] = (),
        allow: str | Iterable[str] = (),
    ) -> SplitPattern:
        """Write a byte-level BPE model as `vocab.json` and `merges.txt`, and return the pattern that goes with them.

        Args:
            folder: where to write the two files; it is made if it does not exist. Both are written or none.
            verify, allow: as in `to_tiktoken`; tokenizers reads the files for the comparison.
        Returns:
            The split pattern with its `conversion`, as from `to_tiktoken`. The files do not hold it: GPT-2's own
            pattern gives other ids.
        Raises:
            OptionError: the model is of another type, or has pieces that the files cannot express.
            FileError: a file cannot be written.

        >>> import spm_lite
        >>> tok = spm_lite.train(["the cat sat"] * 9, model_type="byte_bpe", vocab_size=264)
        >>> pattern = tok.to_gpt2("cat-gpt2")
        >>> spm_lite.Tokenizer.from_gpt2("cat-gpt2", pattern=pattern).pieces("the cat")
        ['the', ' cat']
        """
        from spm_lite.files.open_files import as_path
        from spm_lite.files.paired_files import write_pair_in
        from spm_lite.formats.proof.conditions import Findings
        from spm_lite.formats.proof.conversion import SplitPattern
        from spm_lite.formats.proof.prove_files import to_gpt2_files

        target = as_path(folder, "folder")
        found = to_gpt2_files(self, Findings(allow))
        conversion = found.prove(self, target, verify)
        write_pair_in(target, found.files)
        return SplitPattern(str(found.pattern), conversion)

    @classmethod
    def from_gpt2(
        cls,
        folder: str | os.PathLike[str],
        *,
        pattern: str | None = None,
        name: str | None = None,
        special_tokens: Iterable[str] = (),
    ) -> Tokenizer:
        """Read `vocab.json` and `merges.txt` of a folder as a byte-level BPE model. The ids are as in vocab.json.

        Pieces that no merge makes are special tokens, if they are written as such: <|endoftext|>, [PAD].

        Args:
            folder: the folder with the two files.
            pattern: the split pattern that they are used with, as in `from_tiktoken`.
            name: instead of a pattern, a name as in `from_tiktoken`: "gpt2" for GPT-2's own files.
            special_tokens: the names of other special tokens in vocab.json.
        Returns:
            A Tokenizer.
        Raises:
            ModelError: a file is damaged or of another kind; the message names the line.
            OptionError: the pattern is another one, or does not fit the pieces; or pieces have no merge, so that
                merges.txt may be cut off.
            FileError: a file cannot be read.

        >>> import spm_lite
        >>> tok = spm_lite.train(["the cat sat"] * 9, model_type="byte_bpe", vocab_size=264)
        >>> pattern = tok.to_gpt2("cat-gpt2")
        >>> spm_lite.Tokenizer.from_gpt2("cat-gpt2", pattern=pattern).encode("the cat") == tok.encode("the cat")
        True
        """
        options = {"pattern": pattern, "name": name, "special_tokens": special_tokens}
        return cls._load_as("gpt2", folder, "folder", options)

    def to_vocab_txt(
        self,
        path: str | os.PathLike[str],
        *,
        verify: str | os.PathLike[str] | Iterable[str | bytes] = (),
        allow: str | Iterable[str] = (),
    ) -> Conversion:
        """Write the pieces of a WordPiece model as BERT's vocab.txt: line i is the piece with id i.

        The file does not say whether the text is lowercased: `from_vocab_txt` and other programs must be told.

        Args:
            path: the file to write, such as "vocab.txt".
            verify, allow: as in `to_tiktoken`; tokenizers reads the file for the comparison.
        Returns:
            A Conversion: programs that read the file make special tokens of text that spells them.
        Raises:
            OptionError: the model is of another type, or has rules that the file cannot express; the message names it.
            FileError: the file cannot be written.

        >>> import spm_lite
        >>> tok = spm_lite.train(["play playing plays"] * 9, model_type="wordpiece", vocab_size=20)
        >>> tok.to_vocab_txt("vocab.txt").conditions
        ["no text that spells a special piece: '[PAD]', '[UNK]', '[CLS]', '[SEP]', '[MASK]'"]
        >>> again = spm_lite.Tokenizer.from_vocab_txt("vocab.txt", lowercase=False)
        >>> again.encode("playing") == tok.encode("playing")
        True
        """
        from spm_lite.files.new_files import write_atomically
        from spm_lite.files.open_files import as_path
        from spm_lite.formats.proof.conditions import Findings
        from spm_lite.formats.proof.conversion import FILE
        from spm_lite.formats.proof.prove_files import to_vocab_list

        place = as_path(path, "path", allows_address=True)
        found = to_vocab_list(self, Findings(allow))
        conversion = found.prove(self, place, verify)
        write_atomically(place, found.files[FILE])
        return conversion

    @classmethod
    def from_vocab_txt(cls, path: str | os.PathLike[str], *, lowercase: bool | None = None) -> Tokenizer:
        """Read BERT's vocab.txt as a WordPiece model. The number of a line is the id, from 0.

        Args:
            path: the file. A `tokenizer_config.json` beside it is read too.
            lowercase: True loses case and accents first (uncased), False keeps them (cased); None: as the
                tokenizer_config.json says.
        Returns:
            A Tokenizer with the ids of BERT's tokenizer, without [CLS] and [SEP]: `encode(text, bos=True, eos=True)`
            adds those.
        Raises:
            ModelError: the file is damaged or of another kind; the message names the line.
            OptionError: neither the caller nor a tokenizer_config.json says whether to lowercase.
            FileError: the file cannot be read.

        >>> import spm_lite
        >>> with open("vocab.txt", "w", encoding="utf-8") as file:
        ...     _ = file.write("[PAD]\\n[UNK]\\n[CLS]\\n[SEP]\\n[MASK]\\nplay\\n##ing\\n")
        >>> tok = spm_lite.Tokenizer.from_vocab_txt("vocab.txt", lowercase=True)
        >>> tok.encode("Playing", bos=True, eos=True)
        [2, 5, 6, 3]
        """
        return cls._load_as("vocab.txt", path, "path", {"lowercase": lowercase})

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
            verify: texts of your own to compare, or the name of a file or folder of them.
            allow: names of differences that are allowed, as in `to_hf`.
        Returns:
            A Conversion: the number of texts compared, and the conditions that a text must meet in llama.cpp. The
            comparison reads the file with this package.
        Raises:
            OptionError: llama.cpp would give other ids; the message says why.
            ModelError: `base` is damaged.
            FileError: a file cannot be read or written.

        >>> import spm_lite
        >>> tok = spm_lite.train(["the cat sat"] * 9, model_type="bpe", vocab_size=270)
        >>> tok.to_gguf("cat.gguf").conditions
        ['no U+2581 in the text']
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
    def from_gguf(cls, path: str | os.PathLike[str]) -> Tokenizer:
        """Read the tokenizer of a GGUF file of llama.cpp: kinds llama, t5, gpt2 and bert. Tensors are not read.

        Args:
            path: the file, with or without tensors.
        Returns:
            A Tokenizer with the ids of llama.cpp, except the special ids that it adds to a text.
        Raises:
            ModelError: the file is damaged, holds no tokenizer, or one of another kind; the message says which.
            FileError: the file cannot be read.

        >>> import spm_lite
        >>> tok = spm_lite.train(["the cat sat"] * 9, model_type="bpe", vocab_size=270)
        >>> _ = tok.to_gguf("cat.gguf")
        >>> spm_lite.Tokenizer.from_gguf("cat.gguf").encode("the cat") == tok.encode("the cat")
        True
        """
        return cls._load_as("gguf", path, "path", {})

    @classmethod
    def from_tekken(cls, path: str | os.PathLike[str]) -> Tokenizer:
        """Read a tekken.json of Mistral as a byte-level BPE model. Special tokens have the first ids, pieces the next.

        Args:
            path: the file; it holds the split pattern and the special tokens.
        Returns:
            A Tokenizer with the ids of mistral-common, except bos and eos, which it adds to a text. Text becomes a
            special token only where `allow_special` of `encode` names it.
        Raises:
            ModelError: the file is damaged, of another kind, or has a split pattern that no model can use; the message
                names the place.
            FileError: the file cannot be read.

        >>> import base64, json, spm_lite
        >>> tok = spm_lite.train(["the cat sat"] * 9, model_type="byte_bpe", vocab_size=264)
        >>> _ = tok.to_tiktoken("cat.tiktoken")
        >>> pattern = spm_lite.Tokenizer.from_tiktoken("cat.tiktoken", name="tekken").split_pattern
        >>> pieces = [bytes([i]) for i in range(256)] + [b"ca", b"cat"]
        >>> vocab = [{"rank": i, "token_bytes": base64.b64encode(p).decode()} for i, p in enumerate(pieces)]
        >>> config = {"default_vocab_size": 1258, "default_num_special_tokens": 1000, "version": "v3"}
        >>> with open("tekken.json", "w", encoding="utf-8") as file:
        ...     json.dump({"config": config | {"pattern": pattern}, "vocab": vocab}, file)
        >>> spm_lite.Tokenizer.from_tekken("tekken.json").encode("cats", bos=True)
        [1, 1257, 1115]
        """
        return cls._load_as("tekken.json", path, "path", {})

    @classmethod
    def from_subword_nmt(
        cls,
        codes: str | os.PathLike[str],
        *,
        merges: int | None = None,
        vocabulary: str | os.PathLike[str] | None = None,
        vocabulary_threshold: int | None = None,
    ) -> Tokenizer:
        """Read the codes of subword-nmt as a BPE model. A space ends a piece where a word ends.

        The file has no ids. Here <unk>, <s> and </s> are 0 to 2, then come the 256 bytes, the characters and the
        merges. Characters that the codes lack become bytes, so nothing is unknown.

        Args:
            codes: the file that `subword-nmt learn-bpe` has written.
            merges: how many lines are used, from the first on; None: all.
            vocabulary: the file that `subword-nmt get-vocab` has written for text cut by these codes; a line has a
                piece and its count. Pieces that it lacks are split again into the parts they are merged from, and their
                type is UNUSED. None: every piece is used.
            vocabulary_threshold: the least count with which a piece is used; None: any.
        Returns:
            A Tokenizer that cuts words as subword-nmt does. Several spaces count as one, and decoded text ends in one.
        Raises:
            ModelError: a file is damaged, has merges by other rules, or is a vocabulary beside codes of version 0.1.
                The message names the line.
            OptionError: `merges` is below 1, no piece reaches the threshold, or there is one without a vocabulary.
            FileError: a file cannot be read.

        >>> import spm_lite
        >>> with open("cat.codes", "w", encoding="utf-8") as file:
        ...     _ = file.write("#version: 0.2\\nc a\\nca t</w>\\n")
        >>> spm_lite.Tokenizer.from_subword_nmt("cat.codes").pieces("cat act")
        ['cat▁', 'a', 'c', 't▁']
        """
        options = {"merges": merges, "vocabulary": vocabulary, "vocabulary_threshold": vocabulary_threshold}
        return cls._load_as("subword-nmt", codes, "codes", options)

    @classmethod
    def _load_as(
        cls, format: str, path: str | os.PathLike[str], argument: str, options: dict[str, Any], allow: Any = ()
    ) -> Tokenizer:
        """The Tokenizer of a file of a format. argument: what the caller calls the path. options: as of `load`."""
        from spm_lite.files.open_files import as_path
        from spm_lite.tokenizer.loading import load

        is_local = argument == "folder" or format == "gguf"  # a GGUF file may be too long to be fetched
        place = as_path(path, argument, allows_address=not is_local)
        tok: Tokenizer = load(cls._from_bytes, place, format, allow, None, options)
        return tok


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
        from spm_lite.formats.hugging_face.folder import check_free, write_folder
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
        return cls._load_as("tokenizer.json", path, "path", {}, allow)

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
        return cls._load_as("transformers", folder, "folder", {}, allow)
