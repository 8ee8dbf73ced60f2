"""The vocabulary of a loaded model: its pieces by id, by string and by type."""

from __future__ import annotations

from spm_lite._typing import TYPE_CHECKING
from spm_lite.arguments import as_id, as_piece
from spm_lite.kinds import TYPE_NAMES
from spm_lite.tokenizer.encoding import EncodingMethods

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterable, Mapping
    from typing import Literal

    from typing_extensions import Unpack

    from spm_lite.files.corpus import Input
    from spm_lite.progress.meter import Progress
    from spm_lite.specs import ReadOptions
    from spm_lite.tokenizer.results import Extended, Revised
    from spm_lite.tokenizer.tokenizer import Tokenizer
    from spm_lite.training.count_table import Tables


class PieceMethods(EncodingMethods):
    """The methods of a Tokenizer that look up its vocabulary."""

    __slots__ = ()

    @property
    def vocab_size(self) -> int:
        """The number of pieces; ids are 0 to vocab_size - 1."""
        return self._file.vocab.size

    def id_to_piece(self, piece_id: int) -> str:
        """The string of a piece, with U+2581 for each space.

        Bytes that are not UTF-8, as in parts of characters, are lone surrogates: `piece.encode("utf-8",
        "surrogateescape")` gives the bytes. In byte-level models a space is a space, and U+2581 is text like any other.

        Args:
            piece_id: an id of the vocabulary.
        Returns:
            A str.
        Raises:
            IdError: an id outside the vocabulary.

        >>> import spm_lite
        >>> tok = spm_lite.byte_tokenizer()
        >>> tok.id_to_piece(tok.encode("a")[0])
        'a'
        """
        return self._encoder.objects.string(as_id(piece_id, self._file.vocab.size))

    def token_bytes(self, piece_id: int) -> bytes:
        """The bytes that a piece becomes in the middle of a text; a control piece has none.

        Args:
            piece_id: an id of the vocabulary.
        Returns:
            bytes.
        Raises:
            IdError: an id outside the vocabulary.

        >>> import spm_lite
        >>> tok = spm_lite.train(["café café"] * 9, model_type="byte_bpe", vocab_size=262)
        >>> [tok.token_bytes(i) for i in tok.encode("é!")]
        [b'\\xc3\\xa9', b'!']
        """
        return self._variants.decoder(False).decode_bytes([as_id(piece_id, self._file.vocab.size)], True)

    def piece_to_id(self, piece: str | bytes) -> int:
        """The id of a piece. For any other string: the id of the unknown piece, or -1 in a model without one.

        If a string is both a reserved piece (control, byte, unknown) and a plain one, the reserved piece is meant.

        Args:
            piece: str, or bytes of UTF-8.
        Returns:
            An int.
        Raises:
            TextError: the string holds a lone surrogate that no piece has.
            ArgumentTypeError: `piece` is neither str nor bytes.

        >>> import spm_lite
        >>> tok = spm_lite.train(["the cat sat"] * 9, model_type="bpe", vocab_size=272)
        >>> tok.piece_to_id("▁cat"), tok.encode("cat"), tok.piece_to_id("dog")
        (264, [264], 0)
        """
        return self._file.vocab.find_id(as_piece(piece))

    def score(self, piece_id: int) -> float:
        """The score of a piece, exact as a float32.

        Args:
            piece_id: an id of the vocabulary.
        Returns:
            A float.
        Raises:
            IdError: an id outside the vocabulary.

        >>> import spm_lite
        >>> tok = spm_lite.byte_tokenizer()
        >>> tok.score(tok.encode("a")[0])
        0.0
        """
        return self._file.vocab.score(as_id(piece_id, self._file.vocab.size))

    def piece_type(self, piece_id: int) -> Literal["normal", "unknown", "control", "user_defined", "unused", "byte"]:
        """What kind of piece an id is.

        Args:
            piece_id: an id of the vocabulary.
        Returns:
            "normal", "unknown", "control", "user_defined", "unused" or "byte". A control piece never comes from text; a
            user-defined one always stays whole; an unused one is skipped; a byte piece stands for one byte.
        Raises:
            IdError: the id is outside the vocabulary.

        >>> import spm_lite
        >>> tok = spm_lite.train(["the cat sat"] * 9, model_type="bpe", vocab_size=270)
        >>> tok.piece_type(0), [tok.piece_type(i) for i in tok.encode("é")]
        ('unknown', ['normal', 'byte', 'byte'])
        """
        return TYPE_NAMES[self._type(piece_id)].replace("-", "_")  # type: ignore[return-value]

    @property
    def unk_id(self) -> int:
        """The id of the unknown piece, or -1 if the model has none."""
        return self._file.special_ids[0]

    @property
    def bos_id(self) -> int:
        """The id of the piece that begins a text, or -1 if the model has none."""
        return self._file.special_ids[1]

    @property
    def eos_id(self) -> int:
        """The id of the piece that ends a text, or -1 if the model has none."""
        return self._file.special_ids[2]

    @property
    def pad_id(self) -> int:
        """The id of the padding piece, or -1 if the model has none."""
        return self._file.special_ids[3]

    def __len__(self) -> int:
        return self._file.vocab.size

    def __contains__(self, piece: object) -> bool:
        """Whether a string is a piece of the model."""
        if not isinstance(piece, (str, bytes)):
            return False
        text = as_piece(piece)
        i = self._file.vocab.find_id(text)
        return i >= 0 and self._file.vocab.text(i) == text

    def get_vocab(self) -> dict[str, int]:
        """All pieces as strings, as `id_to_piece` gives them, with their ids.

        Returns:
            A new dict in the order of the ids. A string of several pieces has the id that `piece_to_id` gives.

        >>> import spm_lite
        >>> tok = spm_lite.byte_tokenizer()
        >>> vocab = tok.get_vocab()
        >>> len(vocab), vocab["</s>"], vocab["a"]
        (259, 1, 100)
        """
        string, vocab = self._encoder.objects.string, self._file.vocab
        found: dict[str, int] = {}
        for i in range(vocab.size):
            piece = string(i)
            found[piece] = vocab.find_id(vocab.text(i)) if piece in found else i
        return found

    def add_pieces(self, pieces: Iterable[str | bytes], *, control: bool = False) -> Tokenizer:
        """A tokenizer with further user-defined pieces: their ids come at the end, and the old ids stay as they are.

        User-defined pieces are matched before all others, so old texts change: 2,000 frequent words, 7 to 60 % of
        English lines. To grow a vocabulary by a text, use `Tokenizer.extend`; this is for names, codes and tags.
        Write U+2581 for a space; in byte-level models, a space. In lossless models it matches spaces alone, never a
        literal U+2581, so nothing is lost. In others both are spaces, as in sentencepiece. Word models get words.

        Args:
            pieces: the texts of the pieces, in the order of their ids.
            control: True adds control pieces, which no text becomes, instead.
        Returns:
            A new Tokenizer, which can be saved. The old one does not change.
        Raises:
            OptionError: a piece is there already, is named twice, or cannot match a text or be a piece.
            ArgumentTypeError: a piece is neither str nor bytes.

        >>> import spm_lite
        >>> tok = spm_lite.train(["the cat"] * 9, model_type="bpe", vocab_size=268)
        >>> more = tok.add_pieces(["\u2581quokka"])
        >>> more.encode("cat quokka")[-1] == len(tok), more.decode(more.encode("cat\u2581quokka"))
        (True, 'cat\u2581quokka')
        """
        from spm_lite.arguments import as_flag
        from spm_lite.vocab.changed_pieces import with_pieces

        data = with_pieces(self._file, pieces, as_flag(control, "control"))
        return self._from_bytes(data, "the model with further pieces", cache_bytes=self._encoder.budget.limit)

    def restrict(
        self,
        pieces: Iterable[str | bytes] | Mapping[str | bytes, int] | str | os.PathLike[str],
        *,
        threshold: int = 1,
    ) -> Tokenizer:
        """A tokenizer with the same ids whose encoding gives only some of the pieces.

        It gives the pieces named here, single characters, and special pieces; byte pieces stay too. A model without
        loss remains so. `SetVocabulary` of sentencepiece allows the same pieces. For unigram and bpe models.

        Args:
            pieces: the pieces to use: a list of them, a mapping of piece to count, or the path of a file of lines
                piece TAB count, as `spm-lite encode --generate-vocabulary` writes it.
            threshold: the smallest count of a piece that is used; a piece without a count has 1.
        Returns:
            A new Tokenizer, whose file holds the restriction. A piece that was restricted away before is used again
            if it is named.
        Raises:
            OptionError: the numbers are scores, or no piece is left. The model is a char or word model.
            ArgumentTypeError: an item is not a piece.
            FileError: the file cannot be read.

        >>> import spm_lite
        >>> tok = spm_lite.train(["the bridge", "the mill"] * 9, vocab_size=280, model_type="bpe")
        >>> tok.restrict(["\u2581the"]).pieces("the mill")
        ['\u2581the', '\u2581', 'm', 'i', 'l', 'l']
        """
        from spm_lite.tokenizer.restriction import restricted_model

        data = restricted_model(self._file, pieces, threshold)
        return self._from_bytes(data, "the restricted model", cache_bytes=self._encoder.budget.limit)

    def with_vocab_size(self, vocab_size: int) -> Tokenizer:
        """A tokenizer with the first merges only: the one that training to this size gives. For BPE models.

        Args:
            vocab_size: pieces of the new model, special ones and characters included; at most as many as there are.
        Returns:
            A new Tokenizer, which can be saved. Ids of merges stay as they are; the ids of pieces after them change.
        Raises:
            OptionError: the model is of another type than bpe and byte_bpe, or it cannot have this size.

        >>> import spm_lite
        >>> tok = spm_lite.train(["the mill, the bridge"] * 9, vocab_size=290, model_type="bpe", hard_vocab_limit=False)
        >>> len(tok.pieces("the mill")) < len(tok.with_vocab_size(275).pieces("the mill"))
        True
        """
        from spm_lite.vocab.changed_pieces import with_vocab_size

        data = with_vocab_size(self._file, vocab_size)
        return self._from_bytes(data, "the smaller model", cache_bytes=self._encoder.budget.limit)

    def extend(
        self,
        source: Input | Tables | Mapping[str, Input | Tables],
        n_new: int,
        *,
        only: str | Iterable[str] | None = None,
        protect: Input | None = None,
        min_count: int = 2,
        max_length: int | None = None,
        coverage: float = 0.9995,
        held_out: Input | None = None,
        superwords: bool | Mapping[str, object] | None = None,
        num_threads: int | None = None,
        memory_limit: int | str | None = None,
        progress: Callable[[Progress], object] | bool | None = None,
        **reading: Unpack[ReadOptions],
    ) -> Extended:
        """A tokenizer with further pieces learned from text. The old ids stay, and each new piece can be reached.

        BPE models, byte-level ones too, go on with their merges. Unigram models learn the new scores, and the old ones
        stay. Pieces follow the rules of the model: its normalization, digits, scripts and split pattern. A text in
        whose normalized form no new piece occurs keeps its ids; in Unigram models nearly always.

        Args:
            source: the text to learn from, as the `input` of `train`. A CountTable must be counted by the model's
                rules.
            n_new: the number of new pieces.
            only: scripts by their names in Unicode, such as "Thai" or ["Khmer", "Lao"]: each new piece has a letter of
                one of them. "new": scripts of which the model has no letter. "all": any. None: "new" for Unigram
                models, "all" for others.
            protect: files or texts whose ids stay as they are. For BPE models.
            min_count: occurrences of a new piece, before weights, at least.
            max_length: characters of a new piece, at most; None: as when the model was trained.
            coverage: share of the characters that are pieces in the end, where bytes are none. New characters come
                first, and count as new pieces.
            held_out: text of which the tokens are counted with 0, 1/8, 1/4, 1/2 and all of the new pieces.
            superwords: True, or a dict as in `train` without `share`: new pieces may cross spaces.
            num_threads, memory_limit, progress: as in `train`.
            reading: how the text is read, as in `train`: column, input_format, newline, separator, paragraphs,
                on_error, delimiter, quoting, encoding, max_unpacked.
        Returns:
            Extended: the tokenizer, a VocabMap for the embeddings, and the counts of the held-out text.
        Raises:
            OptionError: a wrong option, or a model of another type.
            TrainingError: the text has too few new pieces.
        Source: the algorithms are in the page "Change a vocabulary".

        >>> import spm_lite
        >>> tok = spm_lite.train(["the cat sat"] * 9, model_type="bpe", vocab_size=272)
        >>> more = tok.extend(["the cattle"] * 9, 1)
        >>> more.tokenizer.pieces("the cattle"), more.map
        (['▁t', 'he', '▁cat', 't', 'l', 'e'], <VocabMap: 272 old ids, 0 gone, 1 new>)
        """
        from importlib import import_module  # the room of training comes after this one

        steps = import_module("spm_lite.training.extension.extension_steps")
        result: Extended = steps.extended(
            self, source, n_new, only=only, protect=protect, min_count=min_count, max_length=max_length,
            coverage=coverage, held_out=held_out, superwords=superwords, num_threads=num_threads,
            memory_limit=memory_limit, progress=progress, reading=reading,
        )  # fmt: skip
        return result

    def prune(
        self,
        n: int | None = None,
        *,
        source: Input | Mapping[str, Input] | None = None,
        keep: Iterable[str | bytes] = (),
        min_count: int | None = None,
        coverage: float | None = None,
        scripts: str | Iterable[str] | None = None,
        keep_texts: Input | None = None,
        keep_chat_template: str | os.PathLike[str] | None = None,
        exactly: bool = False,
        num_threads: int | None = None,
        **reading: Unpack[ReadOptions],
    ) -> Revised:
        """A tokenizer without the pieces that a text needs least. A text whose pieces all stay keeps its pieces.

        BPE models, byte-level ones too, lose pieces that no other piece is made of: a token becomes its two parts.
        Unigram models lose the pieces whose best other cut costs least, and all scores stay. Pieces that no text gives
        go first.

        Args:
            n: the number of ids of the new model. None: those that a text uses or an option keeps, and their parts.
            source: the text that the model is for: files, texts, or several by name.
            keep: pieces that stay.
            min_count: without `n`: the tokens of a piece in the text, at least [1].
            coverage: without `n`: the most frequent pieces stay, up to this share of all tokens.
            scripts: names such as "Latin": pieces without a letter of another script stay.
            keep_texts: texts whose pieces stay, so they keep their pieces.
            keep_chat_template: a Jinja template, or where it is: the pieces of what it writes stay.
            exactly: for BPE: any piece may go. It becomes an unused piece after the `n` ids, still merges, and then
                falls into its parts.
            num_threads: as in `encode_batch`.
            reading: how the text is read, as in `train`: column, input_format, newline, separator, paragraphs,
                on_error, delimiter, quoting, encoding, max_unpacked.
        Returns:
            Revised: the tokenizer, a VocabMap, and why each piece stays: "special", "byte", "character", "source",
            "part" (of pieces that stay or went), "room" (up to `n`), "lowest score" (unknown characters are measured
            by it), or the name of an option.
        Raises:
            OptionError: a wrong option, or a model of another type; fewer than `n` pieces must stay.
        Source: the algorithms are in the page "Prune and merge vocabularies".

        >>> import spm_lite
        >>> tok = spm_lite.train(["the cat sat", "le chat dort"] * 9, model_type="bpe", vocab_size=286)
        >>> less = tok.prune(275, source=["the cat"])
        >>> less.tokenizer.pieces("the cat"), less.map
        (['▁the', '▁cat'], <VocabMap: 286 old ids, 11 gone, 0 new>)
        """
        from importlib import import_module  # the room of training comes after this one

        steps = import_module("spm_lite.training.pruning.prune_steps")
        result: Revised = steps.pruned(
            self, n, source=source, keep=keep, min_count=min_count, coverage=coverage, scripts=scripts,
            keep_texts=keep_texts, keep_chat_template=keep_chat_template, exactly=exactly, num_threads=num_threads,
            reading=reading,
        )  # fmt: skip
        return result

    def replace(
        self,
        source: Input | Mapping[str, Input],
        n: int,
        *,
        prune_for: Input | Mapping[str, Input],
        keep: Iterable[str | bytes] = (),
        only: str | Iterable[str] | None = None,
        min_count: int = 2,
        num_threads: int | None = None,
        **reading: Unpack[ReadOptions],
    ) -> Revised:
        """A tokenizer of the same size in which new pieces take the ids of those that are needed least.

        `prune` finds the pieces that go, and `extend` learns the new ones. All other pieces keep their ids.

        Args:
            source: the text to learn from, as in `extend`.
            n: the number of pieces that are replaced.
            prune_for: the text that the model is for, with all that it must still write well; as `source` of `prune`.
            keep: pieces that stay.
            only, min_count: of the new pieces, as in `extend`.
            num_threads: as in `train`.
            reading: how the texts are read, as in `train`: column, input_format, newline, separator, paragraphs,
                on_error, delimiter, quoting, encoding, max_unpacked.
        Returns:
            Revised: the tokenizer, a VocabMap, and why each piece is there: a word of `prune`, or "character", "merge"
            or "piece", as in the map.
        Raises:
            OptionError: a wrong option, or a model of another type.
            TrainingError: the text has too few new pieces.
        Source: the algorithms are in the page "Prune and merge vocabularies".

        >>> import spm_lite
        >>> tok = spm_lite.train(["the cat sat", "le chat dort"] * 9, model_type="bpe", vocab_size=286)
        >>> other = tok.replace(["the dog"] * 9, 2, prune_for=["the cat sat"])
        >>> other.tokenizer.pieces("the dog"), other.map
        (['▁the', '▁dog'], <VocabMap: 286 old ids, 2 gone, 2 new>)
        """
        from importlib import import_module  # the room of training comes after this one

        steps = import_module("spm_lite.training.pruning.replacement")
        result: Revised = steps.replaced(
            self, source, n, prune_for=prune_for, keep=keep, only=only, min_count=min_count, num_threads=num_threads,
            reading=reading,
        )  # fmt: skip
        return result

    def rename(self, names: Mapping[str | bytes, str | bytes]) -> Revised:
        """A tokenizer in which special pieces have other names. All ids stay.

        Args:
            names: old name -> new name, of control, user-defined, unknown and spare pieces; names may be exchanged.
        Returns:
            Revised: the tokenizer, a VocabMap in which all ids stay, and "renamed" for each of these ids.
        Raises:
            OptionError: a piece of text or of bytes, or a name that is there already or cannot be one.
            ArgumentTypeError: a name is neither str nor bytes.

        >>> import spm_lite
        >>> tok = spm_lite.byte_tokenizer()
        >>> tok.rename({"</s>": "<|end|>"}).tokenizer.id_to_piece(tok.eos_id)
        '<|end|>'
        """
        from spm_lite.vocab.renamed_pieces import renamed

        return self._with_names(*renamed(self._file, names), "renamed")

    def claim_unused(self, names: Iterable[str | bytes], *, control: bool = True) -> Revised:
        """A tokenizer in which spare pieces, such as <unused0>, are special tokens. All ids stay.

        Spare are pieces that are named so, by "unused" or "reserved" in brackets, and unused pieces of models other
        than BPE. The first ones are taken. A model keeps its size, so its embeddings need no new rows.

        Args:
            names: the names of the special tokens.
            control: True makes control pieces, which no text becomes; False pieces that match wherever a text has them.
        Returns:
            Revised: the tokenizer, a VocabMap in which all ids stay, and "claimed" for each of these ids, in the order
            of the names.
        Raises:
            OptionError: there are fewer spare pieces, or a name is there already or cannot be one.
            ArgumentTypeError: a name is neither str nor bytes.

        >>> import spm_lite
        >>> tok = spm_lite.train(["the cat"] * 9, vocab_size=270, control_symbols=["<unused0>", "<unused1>"])
        >>> list(tok.claim_unused(["<tool>"]).reasons) == [tok.piece_to_id("<unused0>")]
        True
        """
        from spm_lite.arguments import as_flag
        from spm_lite.vocab.renamed_pieces import claimed

        return self._with_names(*claimed(self._file, names, as_flag(control, "control")), "claimed")

    def _with_names(self, data: bytes, ids: list[int], why: str) -> Revised:
        from spm_lite.tokenizer.results import Revised
        from spm_lite.vocab.vocab_map import VocabMap

        made = self._from_bytes(data, "the model with other names", cache_bytes=self._encoder.budget.limit)
        size = self._file.vocab.size
        return Revised(made, VocabMap(range(size), size, {}), dict.fromkeys(ids, why))

    def _type(self, piece_id: int) -> int:
        return self._file.vocab.type(as_id(piece_id, self._file.vocab.size))
