"""`Tokenizer.extend`, step by step: check, count, learn, append, prove that each new piece is one id, and map."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spm_lite.errors import OptionError, TrainingError
from spm_lite.files.corpus import open_source
from spm_lite.files.documents import all_texts
from spm_lite.files.read_options import as_reading
from spm_lite.progress.reporter import as_reporter, closing_bar
from spm_lite.tokenizer.results import Extended
from spm_lite.training.count_table import tables_of
from spm_lite.training.counting import usable_threads
from spm_lite.training.extension.continued_merges import NewPiece, Wishes, merged_pieces
from spm_lite.training.extension.grown_models import grown, map_of
from spm_lite.training.extension.model_training import ModelTraining
from spm_lite.training.extension.new_unigram_pieces import learned_pieces
from spm_lite.training.extension.superword_pieces import superword_pieces
from spm_lite.training.options.checks import LARGEST, check_value, checked_float, checked_int
from spm_lite.training.options.memory_limit import check_least
from spm_lite.training.options.superword_options import for_extension
from spm_lite.training.run import Shares, open_one

if TYPE_CHECKING:
    from spm_lite.files.documents import Source
    from spm_lite.files.read_options import Reading
    from spm_lite.tokenizer.tokenizer import Tokenizer
    from spm_lite.training.counts.chunk_table import ChunkTable
    from spm_lite.vocab.model_file import ModelFile

REMEDIES = {  # type of a model that cannot be extended -> what to do
    "wordpiece": "its pieces depend on their place in a word; train a new wordpiece model, or add special tokens by "
    "add_pieces(..., control=True)",
    "word": "each of its pieces is a word: add_pieces adds further ones",
    "char": "each of its pieces is a character: add_pieces adds further ones",
    "byte": "each of its pieces is a byte; train a byte_bpe model",
}
CURVE = (8, 4, 2)  # parts of n_new at which held-out text is counted


def extended(
    tok: Tokenizer,
    source: Any,
    n_new: Any,
    *,
    only: Any,
    protect: Any,
    min_count: Any,
    max_length: Any,
    coverage: Any,
    held_out: Any,
    superwords: Any,
    num_threads: Any,
    memory_limit: Any,
    progress: Any,
    reading: dict[str, Any],
) -> Extended:
    """What `Tokenizer.extend` returns; the arguments are its arguments as given."""
    file = tok._file
    check_can_grow(file)
    n = checked_int("n_new", n_new)
    most = LARGEST - len(file.vocab)
    if not 1 <= n <= most:
        raise OptionError(f"n_new={n}: must be 1..{most}", remedies=[{"n_new": min(max(n, 1), most)}])
    least = check_value("min_count", min_count)
    length = None if max_length is None else checked_int("max_length", max_length, "int or None")
    share = checked_float("coverage", coverage)
    how = as_reading(reading, "Tokenizer.extend")
    settings: dict[str, Any] = {
        "num_threads": usable_threads(num_threads), "progress": as_reporter(progress), "memory_limit": memory_limit,
    }  # fmt: skip
    if protect is not None and file.model_type == "unigram":
        raise OptionError(
            "protect is for bpe and byte_bpe models: in a unigram model the scores of new pieces decide. Name the "
            "scripts of the new pieces by only",
            remedies=[{"protect": None}],
        )
    run = ModelTraining(file, n, least, length, superwords=for_extension(superwords), **settings)
    check_least(run.memory_limit, run.spec)
    run.reading = how
    opened = open_one(source, None, None, Shares(), how)
    guarded = None if protect is None else as_text(protect, how)
    texts = None if held_out is None else open_source(held_out, how)
    with closing_bar(run.progress):
        stays = None if guarded is None else ModelTraining(file, n, as_encoded=True, **settings).whole(guarded)
        counts = run.count(opened, 0)
        divisor = counts.common_divisor()
        counts = counts.divided(divisor) if divisor > 1 else counts
        wishes = Wishes(n, only, share, stays)
        pieces = new_pieces(run, counts, file, wishes)
        made = grown(tok, pieces)
        curve = {}
        if texts is not None:
            held = all_texts(texts)
            curve = {0: tokens_of(tok, held), n: tokens_of(made, held)}
            for fewer in {n // part for part in CURVE} - curve.keys():
                first = pieces[:fewer]
                if file.model_type == "unigram":  # its pieces depend on their number
                    first = new_pieces(run, counts, file, wishes._replace(n_new=fewer))
                curve[fewer] = tokens_of(grown(tok, first), held)
    return Extended(made, map_of(tok, made, pieces), dict(sorted(curve.items())))


def as_text(protect: Any, how: Reading) -> Source:
    """The text that must keep its ids. A count table lacks the names of special pieces, which are text in encoding."""
    if tables_of(protect) is not None:
        raise OptionError("protect is a count table, which no longer has all of its text: give the files or texts")
    return open_source(protect, how)


def check_can_grow(file: ModelFile) -> None:
    """Raise OptionError for a model that cannot be extended."""
    if file.model_type in REMEDIES:
        raise OptionError(f"a {file.model_type} model cannot be extended: {REMEDIES[file.model_type]}")
    if not file.vocab.is_bytes and not file.vocab.is_well_formed:
        raise OptionError(
            "the model has pieces that are parts of characters, and it is not byte-level: train a new model"
        )
    listed = file.vocab.merge_list
    if listed is not None and listed.is_by_part():
        raise OptionError(
            f"the model writes {(listed.continuing_prefix or listed.word_suffix)!r} at the ends of its pieces, so a "
            "text is more than one piece: it cannot be extended. Train a new model"
        )


def new_pieces(run: ModelTraining, counts: ChunkTable, file: ModelFile, wishes: Wishes) -> list[NewPiece]:
    """The new pieces. Raises TrainingError if the text has fewer than wanted."""
    n_asked, is_unigram = wishes.n_new, file.model_type == "unigram"
    learn = superword_pieces if run.counting.phrases else learned_pieces if is_unigram else merged_pieces
    pieces = learn(run, counts, file.vocab, wishes)
    if len(pieces) == wishes.n_new:
        return pieces
    possible = len(pieces)
    while is_unigram and 0 < possible < wishes.n_new:  # its pieces depend on their number: fewer may be fewer again
        wishes = wishes._replace(n_new=possible)
        possible = len(learn(run, counts, file.vocab, wishes))
    advice = f"give n_new={possible}, or more text" if possible else "give other text, or another `only`"
    raise TrainingError(
        f"n_new={n_asked}: the text has only {possible} new pieces that occur min_count={run.spec.min_count} times: "
        + advice,
        remedies=[{"n_new": possible}] if possible else [],
    )


def tokens_of(tok: Tokenizer, texts: list[bytes]) -> int:
    """How many ids they have in all."""
    return int(tok.count_batch(texts).sum())
