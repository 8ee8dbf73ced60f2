# cython: binding=False, embedsignature=True, embedsignature.format=clinic
# (binding=False: methods then check the type of `self` themselves.)
"""`encode`, `count` and `decode` without options go straight to the engine; with options, to methods written in Python.

Header: encoding.pxd.
"""

from spm_lite.arguments import as_flag
from spm_lite.encode.encoder import DEFAULT_CACHE_BYTES
from spm_lite.errors import ModelError, OptionError
from spm_lite.tokenizer.foreign_arguments import refuse_arguments
from spm_lite.tokenizer.parts import Variants, make_decoder, make_encoder
from spm_lite.vocab.model_file import read_model

cdef tuple NO_NAMES = ()


cdef class EncodingMethods:
    """Base class of a loaded model: what the methods of a Tokenizer work with, and `encode`, `count`, `decode`."""

    @classmethod
    def _from_bytes(cls, data, name="a model", report=None, cache_bytes=DEFAULT_CACHE_BYTES):
        """The tokenizer of model bytes. name: the model's name in messages. report: what training says about it."""
        cdef EncodingMethods tok = cls.__new__(cls)
        tok._file = file = read_model(data, name)
        try:
            tok._encoder = make_encoder(file, cache_bytes)
            tok._decoder = make_decoder(file)
        except ModelError as error:
            raise ModelError(f"{name}: {error}") from None
        tok._report = report
        tok._variants = Variants(tok._encoder, tok._decoder, file)
        return tok

    def encode(
        self, text, *, bos=False, eos=False, prefix_space=None, allow_special=(), user_defined=True,
        errors="strict", unknown=None, **other,
    ):
        """The ids of a text, as a list.

        Args:
            text: str, or bytes of UTF-8, which may be ill-formed. Unless `allow_special` says so, it never becomes a
                control piece.
            bos: begin with the id for the beginning of a text.
            eos: end with the id for the end of a text.
            prefix_space: True puts a space before the text, False does not; None does as the model says. Pass False for
                a text that continues another one: in lossless models `encode(a) + encode(b, prefix_space=False)`
                decodes to a + b if a is not empty. Where steps of a tokenizer.json put the space, as in T5, it stays.
            allow_special: "all", or names of special pieces that this text may spell; each becomes one id. They are
                searched in the text as given: the leftmost first, of several the longest. The text between them is
                encoded as by `encode_segments`.
            user_defined: False encodes as if the model had no user-defined pieces, so that the text cannot spell them.
            errors: "surrogatepass" encodes a lone surrogate as three ill-formed bytes, U+D800 as ED A0 80. In a
                lossless model they become byte pieces, which `decode` with the same option turns back. In other models
                they become U+FFFD.
            unknown: what text becomes that no piece covers. "unk": the unknown piece. "bytes": byte pieces. "raise": a
                TextError that names the text and its place. None: what the model says.
        Returns:
            A list of int, one id for each piece.
        Raises:
            TextError: the text holds a lone surrogate, and errors is "strict"; or no piece covers some of it, and
                unknown is "raise".
            OptionError: the model lacks the id for bos or eos; a name in `allow_special` is not one of its special
                pieces; or prefix_space is False, and a step of the model puts the space.

        >>> import spm_lite
        >>> tok = spm_lite.train(["the cat sat"] * 9, model_type="bpe", vocab_size=272)
        >>> tok.encode("the cat"), tok.encode("the cat", eos=True)
        ([263, 260, 264], [263, 260, 264, 2])
        """
        if (
            bos is False and eos is False and user_defined is True and prefix_space is None
            and allow_special is NO_NAMES and errors == "strict" and unknown is None and self._encoder is not None
            and not other
        ):
            return self._encoder.encode(text)
        if other:
            refuse_arguments("encode", other)
        return self._encode_with(text, bos, eos, prefix_space, allow_special, user_defined, errors, unknown)

    def count(self, text, *, limit=None, bos=False, eos=False, prefix_space=None, user_defined=True, **other):
        """The number of ids of a text, `len(encode(text))`, without making the ids.

        Args:
            text: str, or bytes of UTF-8.
            limit: count no further: the text is read only as far as needed to reach this number. In BPE models with
                UNUSED pieces all of it is read, because ids depend on all of it. None: no limit.
            bos, eos: count these ids too.
            prefix_space, user_defined: as in `encode`.
        Returns:
            An int, at most `limit`.
        Raises:
            OptionError: the limit is negative.
            TextError: the part of the text that is read holds a lone surrogate.

        >>> import spm_lite
        >>> tok = spm_lite.byte_tokenizer()
        >>> tok.count("four"), tok.count("a long text", limit=4)
        (4, 4)
        """
        if (
            limit is None and bos is False and eos is False and prefix_space is None and user_defined is True
            and not other and self._encoder is not None
        ):
            return self._encoder.count(text)
        if other:
            refuse_arguments("count", other)
        return self._count_with(text, limit, bos, eos, prefix_space, user_defined)

    def decode(self, ids, *, prefix_space=None, errors="replace", **other):
        """The text of ids. Bytes that are not UTF-8 become U+FFFD.

        Args:
            ids: a list, tuple, range or integer array.
            prefix_space: True removes a space at the start, False does not; None does as the model says. Pass False for
                ids that continue others. In lossless models `decode(a) + decode(b, prefix_space=False)` is then
                `decode(a + b)`, if `a` decodes to some text and no character is cut in two.
            errors: "surrogatepass", in a lossless model, turns the bytes that `encode` makes of lone surrogates back;
                "replace" makes U+FFFD of them.
        Returns:
            A str.
        Raises:
            IdError: an id outside the vocabulary.
            ArgumentTypeError: an id is not an integer.

        >>> import spm_lite
        >>> tok = spm_lite.byte_tokenizer()
        >>> tok.decode(tok.encode("café"))
        'café'
        """
        if (
            type(ids) is list and prefix_space is None and errors == "replace" and self._decoder is not None
            and not other
        ):
            return self._decoder.decode(ids)
        if other:
            refuse_arguments("decode", other)
        return self._decode_with(ids, prefix_space, errors)

    @property
    def _distribution(self):
        """The distribution over segmentations; made on first use, since a BPE model has to rank its pieces for it."""
        if self._segmentations is None:
            from spm_lite.lattice.distribution import Distribution

            self._segmentations = Distribution(self._encoder)
        return self._segmentations

    def _bos_eos(self, bos, eos):
        """The ids to add before and after a text; -1: none."""
        if bos is False and eos is False:
            return -1, -1
        ids = self._file.special_ids
        bos, eos = as_flag(bos, "bos"), as_flag(eos, "eos")
        if bos and ids[1] < 0:
            raise OptionError(refused_edge(self, "bos", "begins"))
        if eos and ids[2] < 0:
            raise OptionError(refused_edge(self, "eos", "ends"))
        return (ids[1] if bos else -1), (ids[2] if eos else -1)


cdef str refused_edge(EncodingMethods tok, str option, str what):
    """The message for an option that asks for a special token that a model lacks."""
    special = tok.info.special_tokens
    message = f"{option}=True, but the model has no control piece that {what} a text"
    if not special:
        return message + ". Leave the option out"
    name = min(special, key=special.get)
    return f"{message}. Add the id of one in info.special_tokens yourself, such as {special[name]} ({name})"
