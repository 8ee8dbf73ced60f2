"""The public class Tokenizer: load, encode, decode. It checks arguments and hands the work to the engine.

`encode` and `count` of one text stand in encoding.pyx, since parsing their arguments in Python would take too long.
"""

from __future__ import annotations

import errno
import os
import stat

from spm_lite._typing import TYPE_CHECKING, final
from spm_lite.arguments import (
    as_cache_bytes,
    as_iterable,
    as_python,
    text_for_encoder,
)
from spm_lite.encode.encoder import DEFAULT_CACHE_BYTES
from spm_lite.errors import ArgumentTypeError, ModelError, OptionError
from spm_lite.files.open_files import as_path, as_vocab_path, read_bytes, read_stream, typed
from spm_lite.kinds import CONTROL
from spm_lite.tokenizer.batches import BatchMethods
from spm_lite.tokenizer.conversions import HuggingFaceMethods
from spm_lite.tokenizer.decoding import DecodingMethods
from spm_lite.tokenizer.foreign_arguments import EXPLAINED, explained
from spm_lite.tokenizer.foreign_names import HIDDEN, ForeignNames
from spm_lite.tokenizer.limits import LimitMethods
from spm_lite.tokenizer.views import ViewMethods

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any, BinaryIO, NoReturn

    from typing_extensions import Unpack

    from spm_lite.formats.proof.conversion import Conversion
    from spm_lite.specs import LoadOptions
    from spm_lite.tokenizer.growing_text import GrowingText
    from spm_lite.tokenizer.prefix_cache import PrefixCache
    from spm_lite.tokenizer.results import ModelInfo
    from spm_lite.tokenizer.roundtrip import RoundTripReport
    from spm_lite.tokenizer.specials import Control, Text
    from spm_lite.training.report import TrainingReport

OTHER_FORMATS = {  # ending of a name that `save` refuses -> how to get what it promises
    ".json": "save(path, format='tokenizer.json') writes it, and save(folder, format='gpt2') vocab.json and merges.txt",
    ".tiktoken": "save(path, format='tiktoken') writes a rank file",
    ".bpe": "save(path, format='tiktoken') writes a rank file",
    ".gguf": "save(path, format='gguf') writes a file of llama.cpp",
    ".txt": "save(path, format='vocab.txt') writes BERT's list of pieces, and save(path, vocab='m.txt') a list with "
    "scores",
    ".vocab": "save(path, vocab='m.vocab') writes a list of pieces and scores beside the model",
}
MODEL_STARTS = (b"\n", b"\x12", b"\x1a", b"*")  # the first byte of nearly all models: the tag of a field of the message


@final
class Tokenizer(ViewMethods, BatchMethods, DecodingMethods, LimitMethods, HuggingFaceMethods, ForeignNames):
    """A loaded model: it encodes text to ids, and decodes ids to text. `load` and `spm_lite.train` make it::

        encode encode_batch encode_lists   the ids of a text, of many as a Batch, or as lists; bos=, eos=
        sample sample_batch nbest          other segmentations, at random or the best
        encode_files                       the ids of files, for training a model
        encode_segments                    special tokens from the program, and texts that cannot spell them
        encode_chat                        messages by a chat template: ids, turns, loss masks
        decode decode_batch decode_bytes   the text of ids
        stream                             the text of ids that come one at a time
        growing prefix_cache               texts that grow, are edited or begin alike: only what is new is encoded
        is_canonical                       whether ids are those that their text has
        spans spans_batch                  the place of each id in the text: offsets
        decode_spans decode_spans_batch    the place of each id in the decoded text
        pieces normalize                   the pieces of a text, and what it becomes before it is cut
        count count_batch count_files      the number of ids of a text, of each of many, and of files
        truncate chunks                    text that has at most so many ids

        load from_hf from_tiktoken         a tokenizer of any file or folder; `load` takes all formats
        save to_bytes                      the model file, or a file of another format
        to_hf to_tiktoken to_gguf          files of transformers, tiktoken and llama.cpp, with a proof of equal ids

        vocab_size model_type info report  what the model is, and how it was trained
        bos_id eos_id pad_id unk_id        ids of special tokens; -1: there is none
        piece_to_id id_to_piece            from a piece (a token's text) to its id, and back
        piece_type score token_bytes       what is known of a piece
        get_vocab                          all pieces with their ids
        add_pieces restrict                a new tokenizer with more pieces, or with some alone
        with_vocab_size                    a new tokenizer with fewer merges
        extend prune replace               a new tokenizer for other text, and a map of ids for embeddings
        rename claim_unused                a new tokenizer with other names of special or spare pieces

        explain show                       pictures of how a text is cut
        lattice                            sums over all segmentations of a text
        roundtrip_report                   which texts change when they are decoded again
        clear_cache                        frees memory

    Padding, masks and tensors are methods of the Batch: `tok.encode_batch(texts).to_torch()`, `.to_padded()`.
    Text never becomes a special token, unless `allow_special=` of `encode` names it.
    It is immutable, safe to share between threads, and picklable. Two tokenizers are equal if their model bytes are.
    Source: Kudo and Richardson 2018.
    """

    __module__ = "spm_lite"  # where users find it; a pickle names this place

    __slots__ = ()

    def __init__(self, *_: object, **__: object) -> None:
        raise ArgumentTypeError("a Tokenizer comes from Tokenizer.load(...) or spm_lite.train(...)")

    def __init_subclass__(cls) -> NoReturn:
        raise ArgumentTypeError(
            f"{cls.__name__} cannot be a subclass of Tokenizer: keep a Tokenizer in an attribute instead"
        )

    # -- the model ----------------------------------------------------------------------------------------------

    @classmethod
    def load(
        cls,
        source: str | os.PathLike[str] | bytes | bytearray | memoryview | BinaryIO | Mapping[str, Any],
        *,
        format: str | None = None,
        allow: str | Iterable[str] = (),
        verify: str | os.PathLike[str] | Iterable[str | bytes] | None = None,
        cache_bytes: int = DEFAULT_CACHE_BYTES,
        **options: Unpack[LoadOptions],
    ) -> Tokenizer:
        """Load the tokenizer of a file of any format, and return it. Its content says what it is.

        It may be a model of SentencePiece or spm_lite, a tokenizer.json, a folder of transformers, a rank file of
        tiktoken, a tekken.json, a GGUF file, vocab.json with merges.txt, a vocab.txt, or codes of subword-nmt. The ids
        are those of the program that the file was made for; a file that cannot be read so is refused.

        Args:
            source: a path, an address such as "s3://bucket/m.model", a folder, the bytes of a file, or a binary file
                open for reading. Also the text of a tokenizer.json (a str that begins with "{"), or its dict.
            format: the name of the format, such as "tiktoken"; None: as the content tells.
            allow: names of differences that are allowed; the error about one says its name.
            verify: texts, or the name of a file or folder of them. The ids are compared with those of the program that
                reads this format, which must be installed.
            cache_bytes: memory limit, in bytes, for all threads together; 0: keep nothing. The cache holds the ids of
                text seen before, and buffers of large batches, which are given up first. Ids never depend on it.
            options: what the file does not hold. `name`, `pattern` and `special_tokens`: as in `from_tiktoken`; known
                rank files need none. `lowercase`: of a vocab.txt, whether case and accents go. `merges`: the
                merges.txt of a vocab.json that is elsewhere; of codes, how many are used. `vocabulary` and
                `vocabulary_threshold`: as in `get-vocab` of subword-nmt; of a merges.txt, its vocab.json.
        Returns:
            A Tokenizer.
        Raises:
            FileError: the file cannot be read.
            ModelError: it is damaged, no tokenizer, or has a component that no model does; the message says which.
            OptionError: the format needs an option, or does not take one; or ids differ on some texts, which `allow`
                lifts.

        >>> import spm_lite
        >>> spm_lite.byte_tokenizer().save("bytes.model")
        >>> spm_lite.load("bytes.model").encode("ab")
        [100, 101]
        """
        limit, name = as_cache_bytes(cache_bytes), ""
        if callable(getattr(source, "read", None)):
            source, name = read_stream(source)
        elif isinstance(source, (str, os.PathLike)) and is_pipe(source):  # it can be read only once
            source, name = read_bytes(source), os.fsdecode(source)
        if format is None and verify is None and not allow and not options:
            data = model_in(source)
            if data is not None:
                try:
                    return cls._from_bytes(data, name or name_of(source), cache_bytes=limit)
                except ModelError:
                    if not is_of_another_kind(data):
                        raise
        from functools import partial

        from spm_lite.tokenizer import loading

        make = partial(cls._from_bytes, cache_bytes=limit)
        tok: Tokenizer = loading.load(make, source, format, allow, verify, options, name)
        return tok

    def to_bytes(self) -> bytes:
        """The bytes of the model file: as it was loaded, or as training made it.

        Returns:
            bytes.

        >>> import spm_lite
        >>> tok = spm_lite.byte_tokenizer()
        >>> spm_lite.Tokenizer.load(tok.to_bytes()) == tok
        True
        """
        return self._file.data

    def save(
        self,
        path: str | os.PathLike[str],
        vocab: bool | str | os.PathLike[str] | None = False,
        *,
        format: str | None = None,
        verify: str | os.PathLike[str] | Iterable[str | bytes] = (),
        allow: str | Iterable[str] = (),
    ) -> Conversion | None:
        """Write the model file, or a file of another format; whole or not at all.

        Args:
            path: the file to write, or the folder. A name such as `m.json` that promises another format needs `format`.
            vocab: a path: also write a list of pieces and scores there, line i for piece i, which
                `spm_lite.read_vocab` reads. True: beside the model, in `.vocab`. Bytes that no line can hold are
                written as `\\xHH`. The list is never that of another model, even if the process is killed.
            format: None: a model file. Or the name of a format: "tokenizer.json", "transformers", "tiktoken", "gpt2",
                "vocab.txt", "gguf". The ids of the file are compared first, as in `to_hf`.
            verify, allow: as in `to_hf`.
        Returns:
            None for a model file. For another format the Conversion: what was compared, and what a text must meet.
        Raises:
            FileError: a file cannot be written.
            OptionError: the name promises another format, or the format cannot express what the model does.

        >>> import spm_lite
        >>> tok = spm_lite.byte_tokenizer()
        >>> tok.save("bytes.model")
        >>> spm_lite.load("bytes.model").vocab_size
        259
        """
        vocab = as_python(vocab)
        if format is not None and format != "model":
            from spm_lite.tokenizer.format_table import save_as

            if vocab is not None and vocab is not False:
                raise OptionError("vocab: the list of pieces and scores stands beside a model file alone: leave it out")
            return save_as(self, as_path(path, "path", allows_address=True), format, verify, allow)
        for name, given in (("verify", verify), ("allow", allow)):
            if given != ():
                raise OptionError(f"{name} is for files of other formats, and a model file keeps all: leave it out")
        model_path = as_path(path, "path", allows_address=vocab is None or vocab is False)
        vocab_path = as_vocab_path(vocab, model_path)
        if format is None:
            check_name(model_path)
        if vocab_path is None:
            from spm_lite.files.new_files import write_atomically

            write_atomically(model_path, self.to_bytes())
            return None
        from spm_lite.files.paired_files import check_two_files, write_with_companion
        from spm_lite.vocab.vocab_file import vocab_lines

        check_two_files(model_path, vocab_path)
        write_with_companion(model_path, self.to_bytes(), vocab_path, b"".join(vocab_lines(self._file.vocab)))
        return None

    @property
    def _conditions(self) -> tuple[str, ...]:
        """What a text must meet to get the ids of the file of another format that the model was read from."""
        return self._file.conditions

    @property
    def report(self) -> TrainingReport | None:
        """The TrainingReport: what training read, used and left out. None for a model that was loaded."""
        return self._report

    @property
    def model_type(self) -> str:
        """The type of the model: "unigram", "bpe", "byte_bpe", "wordpiece", "word", "char" or "byte"."""
        return self._file.model_type

    @property
    def info(self) -> ModelInfo:
        """A ModelInfo: whether it is lossless, its split pattern, special tokens, conditions of reading, and cache."""
        from spm_lite.tokenizer.results import ModelInfo

        file, name_of = self._file, self._encoder.objects.string
        special = {name_of(i): i for i in range(file.vocab.size) if file.vocab.type(i) == CONTROL}
        pattern = file.vocab.split_pattern
        if pattern is None and file.vocab.splits:
            pattern = "\n".join([pattern for pattern, _, _ in file.vocab.splits])
        return ModelInfo(
            file.model_type, file.vocab.size, file.lossless, file.strict, pattern, special,
            self._conditions, *self._encoder.cache_bytes,
        )  # fmt: skip

    # -- text -> ids --------------------------------------------------------------------------------------------

    def clear_cache(self) -> None:
        """Free the memory that `info` counts as used, unless it is in use right now. Ids never depend on it.

        >>> import spm_lite
        >>> tok = spm_lite.byte_tokenizer()
        >>> tok.clear_cache()
        """
        self._variants.clear_cache()
        if self._segmentations is not None:
            self._segmentations.clear_cache()

    def _encode_with(
        self,
        text: str | bytes,
        bos: Any,
        eos: Any,
        prefix_space: Any,
        allow_special: Any,
        user_defined: Any,
        errors: Any,
        unknown: Any,
    ) -> list[int]:
        """The ids of a text, for a call of `encode` with options."""
        if errors != "strict":
            text = text_for_encoder(text, errors)
        added = self._bos_eos(bos, eos)
        if unknown is not None:
            from spm_lite.tokenizer import unknown_words

            if not isinstance(allow_special, tuple) or allow_special:
                raise OptionError("unknown and allow_special: give one of them")
            encoder = unknown_words.encoder_for(unknown, self._variants, self._file.vocab, prefix_space, user_defined)
            if unknown == "raise":
                unknown_words.check_known(encoder, text)
            return add_bos_eos(encoder.encode(text), added)
        if isinstance(allow_special, tuple) and not allow_special:
            ids = self._variants.encoder(prefix_space, user_defined).encode(text)
        else:
            from spm_lite.tokenizer import specials

            names = specials.special_ids(self._file.vocab, allow_special)
            ids = specials.encode_prompt(self._variants, self._file, text, names, prefix_space, user_defined)
        return add_bos_eos(ids, added)

    def encode_chat(
        self,
        messages: Iterable[Any],
        template: str | os.PathLike[str],
        *,
        add_generation_prompt: bool = False,
        continue_final_message: bool = False,
        tools: Iterable[Any] | None = None,
        documents: Iterable[Mapping[str, Any]] | None = None,
        trust_text: bool = False,
        **variables: Any,
    ) -> Any:
        """The ids of a chat by a Jinja template, with the place of each message and a loss mask for each role.

        The template is rendered as transformers does it: in a sandbox, with its filters, its functions and its tag
        `generation`. Special tokens come from the template only: a message that spells one stays text. Needs jinja2.

        Args:
            messages: a list of dicts with "role" and "content", or of dataclasses or pydantic models with such fields.
                A list of such lists gives a list of chats.
            template: the text of a template, or the path of its file, or of a folder of transformers. A folder also
                says what bos_token and its like are.
            add_generation_prompt: end with what begins a reply.
            continue_final_message: end where the last message ends, without what ends a turn.
            tools: JSON schemas as dicts, or functions, whose schemas transformers makes.
            documents: dicts with "title" and "text".
            trust_text: True lets messages spell special tokens, as transformers does. They are then ids like those that
                the template writes. Give it only for texts that you wrote or checked.
            variables: what else the template reads. bos_token, eos_token and their like are those of the model.
        Returns:
            An `EncodedChat` with `ids`, `text`, `turns` and `mask(roles)`; or a list of them.
        Raises:
            OptionError: the template is no Jinja, or refuses the messages, or fails with them; jinja2 is missing.
            ArgumentTypeError: a message is of no such type.
            TextError: a message holds a lone surrogate.
        Source: `apply_chat_template` of transformers 5.24, whose ids these are if no message spells a special token.

        >>> import spm_lite
        >>> tok = spm_lite.train(["hi you"] * 9, vocab_size=270, model_type="bpe", control_symbols=["<user>", "<bot>"])
        >>> template = "{% for m in messages %}<{{ m.role }}>{{ m.content }}{% endfor %}"
        >>> tok.decode(tok.encode_chat([{"role": "user", "content": "hi <bot>"}], template).ids)
        'hi <bot>'
        """
        from spm_lite.tokenizer.chats import encode_chats

        variables["add_generation_prompt"] = add_generation_prompt
        return encode_chats(self, messages, template, tools, documents, trust_text, continue_final_message, variables)

    def encode_segments(
        self,
        segments: Iterable[Control | Text],
        *,
        bos: bool = False,
        eos: bool = False,
        prefix_space: bool | None = None,
        user_defined: bool = True,
    ) -> list[int]:
        """The ids of a sequence of segments: special tokens from the program, and texts from any source.

        The ids are those of the folder of `to_hf` in transformers: the model puts its space before a text with nothing
        before it. Where the model removes extra spaces, a later text keeps one of the spaces that it begins with. Of a
        file that puts a space before each text, such as Llama 2's, each text gets it.

        Args:
            segments: `Control(name)` becomes the id of that piece. `Text(text)` is encoded by itself and never becomes
                a control piece.
            bos, eos, prefix_space, user_defined: as in `encode`.
        Returns:
            A list of int.
        Raises:
            OptionError: a name that is not a special piece of the model.
            TextError: a lone surrogate.

        >>> import spm_lite
        >>> tok = spm_lite.train(["the cat sat"] * 9, model_type="bpe", vocab_size=272)
        >>> tok.encode_segments([spm_lite.Control("<s>"), spm_lite.Text("the </s>")])
        [1, 265, 260, 266, 63, 50, 271, 65]
        """
        added = self._bos_eos(bos, eos)
        parts = list(as_iterable(segments, "segments", "a list of Text(...) and Control(...)"))
        ids = self._encode_all(parts, prefix_space, user_defined)
        return add_bos_eos(ids, added)

    def growing(self, text: str = "", *, prefix_space: bool | None = None, user_defined: bool = True) -> GrowingText:
        """A GrowingText: a text that grows and is edited, with its ids, of which only a few are made anew each time.

        Args:
            text: to begin with.
            prefix_space, user_defined: as in `encode`.
        Returns:
            A GrowingText. Its methods: `append`, `append_ids`, `append_special`, `replace`, `truncate`, `branch`; and
            `ids`, `text`, `spans`, `drift`.
        Raises:
            TextError: the text holds a lone surrogate.

        >>> import spm_lite
        >>> tok = spm_lite.train(["the cat sat"] * 9, model_type="bpe", vocab_size=272)
        >>> growing = tok.growing("the cat")
        >>> growing.append(" sat"), growing.ids.tolist() == tok.encode("the cat sat")
        (3, True)
        """
        from spm_lite.tokenizer.growing_text import GrowingText

        return GrowingText(self, text, prefix_space=prefix_space, user_defined=user_defined)

    def prefix_cache(self, max_bytes: int = 256_000_000) -> PrefixCache:
        """A PrefixCache, which encodes texts that begin as earlier ones did from there on.

        Args:
            max_bytes: of memory. Texts that were not used for the longest time are forgotten first.
        Returns:
            A PrefixCache. Its methods: `encode`, `clear`; and `info`, `helps`.
        Raises:
            OptionError: max_bytes is below 65,536.

        >>> import spm_lite
        >>> tok = spm_lite.byte_tokenizer()
        >>> cache = tok.prefix_cache()
        >>> cache.encode("a prompt").tolist() == tok.encode("a prompt")
        True
        """
        from spm_lite.tokenizer.prefix_cache import PrefixCache

        return PrefixCache(self, max_bytes)

    def is_canonical(self, ids: Iterable[int]) -> bool:
        """Whether encoding the text of ids gives these ids again. Control pieces are left out, and cut the text.

        Generated ids often are not: `GrowingText.from_ids(tok, ids).drift` tells where.

        Args:
            ids: a list, tuple, range or integer array.
        Returns:
            A bool.
        Raises:
            IdError: an id is outside the vocabulary.

        >>> import spm_lite
        >>> tok = spm_lite.train(["the cat sat"] * 9, model_type="bpe", vocab_size=272)
        >>> tok.is_canonical(tok.encode("the cat")), tok.is_canonical(map(tok.piece_to_id, "tcat"))
        (True, False)
        """
        from spm_lite.tokenizer.growing_text import GrowingText

        found = GrowingText.from_ids(self, ids)
        return next(found._drifting(), None) is None and not found._n_pending()

    def _encode_all(self, segments: list[Any], prefix_space: Any, user_defined: Any) -> list[int]:
        from spm_lite.tokenizer import specials

        return specials.encode_segments(self._variants, self._file, segments, prefix_space, user_defined)

    def roundtrip_report(
        self, texts: Iterable[str | bytes], *, n_examples: int = 20, num_threads: int | None = None
    ) -> RoundTripReport:
        """Encode and decode texts, and report which of them change, where, and why.

        Args:
            texts: as in `encode_batch`. A str is compared with `decode`, bytes with `decode_bytes`.
            n_examples: how many changes, at most, the report keeps with their places.
            num_threads: None for all CPUs that this process may use.
        Returns:
            A RoundTripReport.
        Raises:
            OptionError: `n_examples` is negative.
            ArgumentTypeError: a text is neither str nor bytes.

        >>> import spm_lite
        >>> tok = spm_lite.byte_tokenizer()
        >>> tok.roundtrip_report(["a", "é"]).is_lossless
        True
        """
        from spm_lite.tokenizer import roundtrip

        return roundtrip.roundtrip_report(self, texts, n_examples, num_threads)

    # -- an immutable value -------------------------------------------------------------------------------------

    def __eq__(self, other: object) -> bool:
        return self.to_bytes() == other.to_bytes() if isinstance(other, Tokenizer) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.to_bytes())

    def __repr__(self) -> str:
        return (
            f"Tokenizer(model_type={self.model_type!r}, vocab_size={self.vocab_size}, "
            f"byte_fallback={self._file.vocab.byte_fallback}, lossless={self._file.lossless})"
        )

    def _repr_html_(self) -> str:
        from spm_lite.tokenizer.card import model_card

        return model_card(self)

    def __reduce__(self) -> tuple[Any, ...]:
        return Tokenizer._from_bytes, (self.to_bytes(), "a pickled model", None, self._encoder.budget.limit)

    def __copy__(self) -> Tokenizer:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Tokenizer:
        return self

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"a Tokenizer does not change: {name!r} cannot be set")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"a Tokenizer does not change: {name!r} cannot be deleted")


def check_name(path: str) -> None:
    """Raise OptionError for a name of another format: the reader of such a file would meet protobuf."""
    ending = os.path.splitext(path)[1].lower()  # noqa: PTH122
    if ending in OTHER_FORMATS:
        raise OptionError(
            f"save writes a model file of SentencePiece's format (protobuf), and {path!r:.200} is the name of "
            f"another format: name it ...model, or name the format: {OTHER_FORMATS[ending]}"
        )


PIPES = (stat.S_IFIFO, stat.S_IFCHR)


def is_pipe(path: str | os.PathLike[str]) -> bool:
    """Whether a path is that of a named pipe or a device."""
    try:
        return stat.S_IFMT(os.stat(path).st_mode) in PIPES  # noqa: PTH116  (pathlib takes longer to import)
    except (OSError, ValueError):
        return False


def model_in(source: Any) -> bytes | None:
    """The bytes of a file or of memory that begin as a model does; None: they do not, or there is no such file."""
    if isinstance(source, (bytes, bytearray, memoryview)):
        data = bytes(source)
        return data if data[:1] in MODEL_STARTS else None
    if not isinstance(source, (str, os.PathLike)):
        return None
    try:
        with open(source, "rb", buffering=0) as file:  # noqa: PTH123  (pathlib takes longer to import than a model)
            if not file.seekable() or file.read(1) not in MODEL_STARTS:
                return None
            file.seek(0)
            return file.readall()
    except OSError as error:
        if error.errno in (errno.EMFILE, errno.ENFILE):  # the slow way imports modules, and each is a file
            raise typed(error, source, "read") from error
        return None  # the slow way says what is wrong
    except (ValueError, TypeError):
        return None


def name_of(source: Any) -> str:
    """What error messages call a source."""
    if isinstance(source, (bytes, bytearray, memoryview)):
        return f"{len(source)} bytes of memory"
    return os.fsdecode(source)


def is_of_another_kind(data: bytes) -> bool:
    """Whether bytes that are no usable model are those of a file of another kind."""
    from spm_lite.vocab.other_formats import MODEL, recognized

    kind = recognized(data)
    return kind is not None and kind.format != MODEL


def add_bos_eos(ids: list[int], bos_eos: tuple[int, int]) -> list[int]:
    """Add to `ids`, in place, the ids that begin and end a text (-1: none), and return it."""
    bos_id, eos_id = bos_eos
    if bos_id >= 0:
        ids.insert(0, bos_id)
    if eos_id >= 0:
        ids.append(eos_id)
    return ids


# The parts of the class stand in other modules; help shows one list, and errors of Python name this class.
for _part in Tokenizer.__mro__[1:-1]:
    for _name, _value in vars(_part).items():
        if not _name.startswith("_") and _name not in HIDDEN and _name not in vars(Tokenizer):
            setattr(Tokenizer, _name, _value)
            _function = getattr(_value, "__func__", _value)
            if hasattr(_function, "__code__"):
                _function.__qualname__ = f"Tokenizer.{_name}"
for _name in EXPLAINED:
    _value = vars(Tokenizer)[_name]
    _call = explained(getattr(_value, "__func__", _value))
    setattr(Tokenizer, _name, classmethod(_call) if isinstance(_value, classmethod) else _call)

load = Tokenizer.load  # of the package
