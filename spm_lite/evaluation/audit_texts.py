"""The public `audit`: tokenizers and texts in, figures, faults and verdicts out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from spm_lite.arguments import as_int, as_num_threads
from spm_lite.errors import ArgumentTypeError, OptionError
from spm_lite.evaluation.audit_result import Audit
from spm_lite.evaluation.figures.audit_sources import TextSource, is_path, name_of, named_texts, objects_by_name
from spm_lite.evaluation.figures.foreign import are_ids, as_subject
from spm_lite.evaluation.figures.mixture import as_shares
from spm_lite.evaluation.judge import Judge, Settings
from spm_lite.files.corpus import FILES
from spm_lite.files.read_options import SKIP, as_reading
from spm_lite.progress.reporter import as_reporter, closing_bar

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from spm_lite.evaluation.figures.subjects import Subject
    from spm_lite.progress.meter import Progress
    from spm_lite.specs import ReadOptions

ORDERS = (1, 2, 3)


def as_tokenizer(obj: Any, name: str | None = None, *, vocab_size: int | None = None) -> Subject:
    """A tokenizer of any kind, in the form that `audit` takes it.

    Args:
        obj: one of these:
            - a Tokenizer, or a SentencePieceProcessor;
            - a path that `spm_lite.load` takes: a tokenizer file of any format, or a folder; or "tiktoken:NAME";
            - a tokenizer of the packages tokenizers, transformers or tiktoken;
            - an object with `encode_batch`; `decode`, `spans_batch`, `token_bytes`, `vocab_size` and `unk_id` are used
              if it has them;
            - a function from a text to ids;
            - ids made elsewhere: a list of ids for each text.
        name: the name in reports; None: the name of the path, or "tokenizer".
        vocab_size: the number of pieces, if `obj` does not tell it.
    Returns:
        A tokenizer as `audit` takes it.
    Raises:
        ArgumentTypeError: `obj` is anything else.
        OptionError: the tokenizer adds special ids to a text.

    >>> import spm_lite
    >>> spm_lite.as_tokenizer(lambda text: list(text.encode()), "bytes", vocab_size=256).size
    256
    """
    if name is None:
        name = own_name(obj) or "tokenizer"
    return as_subject(obj, name, vocab_size)


def own_name(obj: Any) -> str:
    """The name of a tokenizer that has one: a path, or a name such as "tiktoken:gpt2"."""
    if isinstance(obj, str) and obj.startswith("tiktoken:"):
        return obj.partition(":")[2]
    return name_of(obj) if is_path(obj) else ""


def audit(
    tokenizers: Any,
    texts: Any = None,
    *,
    files: Any = None,
    parallel: Any = None,
    reference: str | None = None,
    weights: Mapping[str, float] | None = None,
    train: Any = None,
    document: Any = None,
    orders: Sequence[int] = (2, 3),
    words: Any = None,
    ngram_bytes: int | None = None,
    num_threads: int | None = None,
    seed: int = 0,
    progress: Callable[[Progress], object] | bool | None = None,
    **reading: Unpack[ReadOptions],
) -> Audit:
    """Judge one or more tokenizers: figures on texts, faults of vocabularies, and which one is better, as an Audit.

    Args:
        tokenizers: a dict of name and tokenizer, a list of them, or one; each as `as_tokenizer` takes it. Paths are
            named after themselves.
        texts: a dict of name and source, a list of paths, or one source; each as the `input` of `train`. None: only the
            vocabularies. Use text that no tokenizer was trained on.
        files: the same in place of `texts`, of which every source is a path or a list of paths.
        parallel: the same for translations: the i-th texts of all sources say the same. They also count as texts.
        reference: the language that the others are compared with; None: "eng" or "en", else the first.
        weights: a number above 0 for each text, by name: its share of the bytes of a mixture, against the others. Each
            tokenizer then also has figures on the "mixture". None: there is no mixture.
        train: text to train the n-gram models on, a source or a dict by text; then all of a text is predicted. It must
            be text that no tokenizer was trained on, or the wrong one may win. None: the first four fifths of each text
            are trained on, and the rest is predicted.
        document: which texts belong together, for errors and for the split. None: each is alone. It may be
            "blank-line", "file", a column of records, a function of a text, or a list with a key for each text. A dict
            gives one of these for each text.
        orders: the orders of the n-gram models, among 1, 2 and 3; (): no n-gram models.
        words: the words for `single_token_words`, "frequent words in one token": a function that gives the words of a
            text, or a list of words for the only text, or a dict by text of these. None: what stands between spaces.
        ngram_bytes: how many bytes of a text the n-gram models use, from its beginning; None: all.
        num_threads: None for all CPUs that this process may use.
        seed: the seed of the draws for intervals.
        progress: as in `train`; phases "vocabulary", "encode" and "ngrams".
        reading: how the texts are read, by column, newline, separator and the other options of reading, as in `train`.
    Returns:
        An Audit.
    Raises:
        OptionError: two tokenizers or texts have one name, parallel texts are of different length, or `weights` does
            not name each of two or more texts.
        FileError: a file cannot be read.

    >>> import spm_lite
    >>> lines = [f"line {n} of a small text" for n in range(300)]
    >>> tok = spm_lite.train(lines, vocab_size=300, hard_vocab_limit=False)
    >>> report = spm_lite.audit({"tok": tok}, {"en": lines})
    >>> report.faults
    []
    """
    read = as_reading(reading, "audit", ("texts", *(audit.__kwdefaults__ or ())))
    subjects = named_subjects(tokenizers)
    if texts is not None and files is not None:
        raise OptionError("texts and files both name text: give one of them")
    given = texts if files is None else files
    sources = [] if given is None else named_texts(given, False, document_of(document, given), read)
    for source in sources if files is not None else ():
        source.kind = FILES
    several = [] if parallel is None else named_texts(parallel, True, document_of(document, parallel), read)
    check_names(sources, several, document)
    if read.on_error == SKIP and (several or isinstance(document, str | Sequence | Mapping)):
        raise OptionError(
            "on_error='skip' leaves texts out, so that those of parallel or document no longer match: leave it out, "
            "and correct the records",
            remedies=[{"on_error": "raise"}],
        )
    every = [source.name for source in (*sources, *several)]
    settings = Settings(
        orders=checked_orders(orders),
        words=as_words(words, every),
        num_threads=as_num_threads(num_threads),
        seed=as_int(seed, "seed"),
        ngram_bytes=None if ngram_bytes is None else positive(ngram_bytes, "ngram_bytes"),
        reference=reference,
        shares=as_shares(weights, every),
    )
    if reference is not None and not several:
        raise OptionError(f"reference={reference!r:.40} is for parallel texts: pass parallel, or leave out reference")
    training = {name: TextSource(name, source, reading=read) for name, source in by_text(train, every, "train").items()}
    reporter = as_reporter(progress)
    with closing_bar(reporter):
        judge = Judge(subjects, settings, reporter)
        judge.examine()
        for source in (*sources, *several):
            judge.read(source, training.get(source.name), len(every), source in several)
        return Audit(judge.finish())


def named_subjects(tokenizers: Any) -> list[Subject]:
    """What `audit` judges, each under its own name. Raises OptionError if nothing is given, or a name twice."""
    is_several = isinstance(tokenizers, (list, tuple)) and not are_ids(tokenizers)
    given = tokenizers if isinstance(tokenizers, Mapping) or is_several else [tokenizers]
    if not len(given):
        raise OptionError("there is no tokenizer to audit: pass at least one")
    if not isinstance(given, Mapping):
        pairs = [(own_name(item) or str(getattr(item, "name", "") or ""), item) for item in given]
        names = [name or ("tokenizer" if len(pairs) == 1 else f"tokenizer {i}") for i, (name, _) in enumerate(pairs, 1)]
        twice = next((name for name in names if names.count(name) > 1), None)
        if twice is not None:
            raise OptionError(f"two tokenizers are named {twice!r}: give them as a dict of name and tokenizer")
        given = dict(zip(names, given, strict=True))
    return [
        renamed(as_subject(item, name), name) for name, item in objects_by_name(given, "tokenizer", is_path, "").items()
    ]


def renamed(subject: Subject, name: str) -> Subject:
    """Give `subject` a name, that of the caller's dict; return it."""
    subject.name = name
    return subject


def document_of(document: Any, sources: Any) -> Any:
    """The part of a dict of documents that names these sources."""
    if not isinstance(document, Mapping) or not isinstance(sources, Mapping):
        return document
    return {name: value for name, value in document.items() if name in sources}


def check_names(sources: Sequence[TextSource], several: Sequence[TextSource], document: Any) -> None:
    """Raise OptionError for a name of two texts, for one that `document` names without need, and for too few."""
    names = [source.name for source in (*sources, *several)]
    for name in names:
        if names.count(name) > 1:
            raise OptionError(f"two texts are named {name!r}, one of them parallel: give one another name")
    if isinstance(document, Mapping):
        unknown = next((name for name in document if name not in names), None)
        if unknown is not None:
            raise OptionError(f"document names the text {unknown!r:.40}, but the texts are {', '.join(names)}")
    if document is not None and not names:
        raise OptionError("document needs texts, and none are given: pass texts, or leave out document")
    if len(several) == 1:
        raise OptionError(f"parallel is only one text, {several[0].name!r}: pass two or more, or pass it as texts")


def by_text(value: Any, names: Sequence[str], what: str) -> dict[str, Any]:
    """A value for each text: given by name, or one for the only text. Raises OptionError for an unknown name."""
    if value is None:
        return {}
    if isinstance(value, Mapping):
        unknown = next((name for name in value if name not in names), None)
        if unknown is not None:
            raise OptionError(f"{what} names the text {unknown!r:.40}, but the texts are {', '.join(names) or 'none'}")
        return dict(value)
    if len(names) != 1:
        raise OptionError(f"{what} is one value for {len(names)} texts: pass a dict by text")
    return {names[0]: value}


def as_words(words: Any, names: Sequence[str]) -> dict[str, Any]:
    """A list of words, or a function that gives those of a text, for each text that `words` is about."""
    found = dict.fromkeys(names, words) if callable(words) else by_text(words, names, "words")
    for name, given in found.items():
        if callable(given):
            continue
        is_list = isinstance(given, Iterable) and not isinstance(given, str | bytes | Mapping)
        listed = list(given) if is_list else []
        if not listed or not all(isinstance(word, str) and word for word in listed):
            raise ArgumentTypeError(
                f"words for the text {name!r:.40} is {given!r:.40}: pass a list of words, such as ['mill', 'wheel'], "
                "or a function that gives the words of a text"
            )
        found[name] = listed
    return found


def checked_orders(orders: Any) -> tuple[int, ...]:
    """The orders of n-gram models. Raises OptionError for a name that none of them has."""
    if not isinstance(orders, Iterable) or isinstance(orders, (str, bytes)):
        raise ArgumentTypeError(f"orders is {type(orders).__name__}: pass a tuple of 1, 2 and 3, such as (2, 3)")
    found = tuple(orders)
    for order in found:
        if as_int(order, "orders") not in ORDERS:
            raise OptionError(
                f"orders has {order}: n-gram models are of order 1, 2 or 3", remedies=[{"orders": (2, 3)}]
            )
    return tuple(sorted(set(found)))


def positive(value: Any, name: str) -> int:
    number = as_int(value, name)
    if number <= 0:
        raise OptionError(f"{name} {number} is not above 0: pass a number of bytes, or None for all")
    return number
