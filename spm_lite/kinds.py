"""Piece types and model types, with their numbers in the model message (the protobuf of a model file).

CONTRIBUTING.md lists what a new model type needs.
"""

SPACE = "\u2581"  # a space in pieces
NORMAL, UNKNOWN, CONTROL, USER_DEFINED, UNUSED, BYTE = range(1, 7)  # piece types
TYPE_NAMES = ["", "normal", "unknown", "control", "user-defined", "unused", "byte"]  # by piece type, for people
MODEL_TYPES = {"unigram": 1, "bpe": 2, "word": 3, "char": 4}  # of SentencePiece: name -> number
FAMILIES = {"byte_bpe": 1, "wordpiece": 2, "byte": 3}  # what SentencePiece lacks: name -> number in our extension
TRAINED_TYPES = (*MODEL_TYPES, "byte_bpe", "wordpiece")
BYTE_LEVEL = ("byte_bpe",)  # of these, the types whose pieces are bytes of the text
CUTS = {  # where training cuts text
    "unigram": "pieces", "bpe": "pieces", "word": "words", "char": "characters", "byte_bpe": "bytes",
    "wordpiece": "words of BERT",
}  # fmt: skip
OTHER_TYPE_NAMES = {  # type -> names that other tools and papers have for it, without the signs between words
    "unigram": "ulm unigramlm unigramlanguagemodel unilm sentencepieceunigram kudo",
    "bpe": "bytepairencoding charbpe sentencepiecebpe subwordnmt",
    "word": "words wordlevel whitespace",
    "char": "chars character characters charlevel characterlevel",
    "byte_bpe": "bbpe bytelevel bytelevelbpe bytebpetokenizer gpt2 gpt4 tiktoken llama3 roberta bpebytes bytes byte",
    "wordpiece": "wp bert wordpieces bertwordpiece",
}
MODEL_TYPE_NAMES = {number: name for name, number in MODEL_TYPES.items()}
FAMILY_NAMES = {number: name for name, number in FAMILIES.items()}
# What becomes of the matches of a split, by number in the model file: see `Extension.Split` of the message.
BEHAVIORS = ("Isolated", "Removed", "MergedWithPrevious", "MergedWithNext", "Contiguous")


def type_meant(name: str) -> str:
    """The model type that another tool calls `name`; an empty str if none is known.

    >>> type_meant("ByteLevel"), type_meant("BPE"), type_meant("magic")
    ('byte_bpe', 'bpe', '')
    """
    letters = "".join(filter(str.isalnum, name.lower()))
    return next(
        (kind for kind, others in OTHER_TYPE_NAMES.items() if letters in (kind.replace("_", ""), *others.split())), ""
    )
