# cython: binding=False, embedsignature=True, embedsignature.format=clinic
# (Methods that look at the type of what they are called on.)
cdef tuple NO_NAMES = ()


cdef class SingleCalls:
    """What the class of a loaded model begins with."""

    def encode(
        self, text, *, bos=False, eos=False, prefix_space=None, allow_special=(), user_defined=True,
        errors="strict",
    ):
        """The ids of a text. bos, eos: begin or end with the model's id for that.

        prefix_space: True or False to put a space before the text or not, whatever the model does. A text that goes
        on where another ended is encoded with False: in lossless models `encode(a) + encode(b, prefix_space=False)`
        decodes to a + b if a is not empty.
        No text becomes a control piece. allow_special: names of special pieces that this text may spell, each then
        being one id; they are looked for in the text as given, the leftmost first and of several the longest. What
        stands between them is encoded as by `encode_segments`.
        user_defined: False for a text that shall not spell the user-defined pieces of the model either: it is encoded
        as if there were none.

        Bytes are taken as UTF-8, ill-formed ones included. Raises TextError on a lone surrogate, OptionError if
        the model lacks the wanted id or a name is none of its special pieces.
        errors: "surrogatepass" takes a lone surrogate as three ill-formed bytes, U+D800 as ED A0 80: byte pieces in a
        lossless model, out of which `decode` with the same option makes it again; U+FFFD in others.
        """
        if (
            bos is False and eos is False and user_defined is True and prefix_space is None
            and allow_special is NO_NAMES and errors == "strict" and self._encoder is not None
        ):
            return self._encoder.encode(text)
        return self._encode_with(text, bos, eos, prefix_space, allow_special, user_defined, errors)

    def count(self, text, *, prefix_space=None, user_defined=True):
        """The number of ids of a text, `len(encode(text))`; they are not made."""
        if prefix_space is None and user_defined is True and self._encoder is not None:
            return self._encoder.count(text)
        return self._count_with(text, prefix_space, user_defined)
