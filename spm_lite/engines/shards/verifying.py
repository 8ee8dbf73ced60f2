"""Finished shards read back: their files, their ids, and the texts that these are decoded to.

Each document of the sources is encoded again, and the shard must have these ids. The ids are decoded too, since a model
may not give a text back. All documents of a shard are compared, or some, which are spread evenly over all shards.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from contextlib import closing, nullcontext
from itertools import accumulate
from typing import TYPE_CHECKING, Any, NamedTuple

from spm_lite.decode.decode_batch import decode_flat
from spm_lite.engines.shards.comparison import LOST, NORMALIZED, SHOWN, Block, Comparison, Problem
from spm_lite.engines.shards.records import read_records, shard_name
from spm_lite.engines.shards.shard_files import digest_of
from spm_lite.engines.shards.slices import FilePart, Slice, file_of
from spm_lite.engines.shards.sources import JSONL, PARQUET, check_unchanged, opened_parquet, reading_of
from spm_lite.engines.work.kept_tokenizers import tokenizer
from spm_lite.errors import FileError, OptionError
from spm_lite.files.documents import READ_SIZE, CorpusFigures, Part, Source, n_texts_of, read_documents, split_block
from spm_lite.files.id_forms import paths_of, vocabulary_name
from spm_lite.files.read_options import BadRecords, Reading
from spm_lite.files.record_files import json_rows, lines_of, place_name
from spm_lite.files.remote import as_file
from spm_lite.files.written_ids import READERS, UnreadableIds
from spm_lite.texts.batch import as_numpy
from spm_lite.tokenizer.id_files import BLOCK_SIZE, encode_parts, gathered
from spm_lite.tokenizer.roundtrip import escaped_str, narrowed, normalized_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from spm_lite.engines.shards import sources
    from spm_lite.engines.shards.plans import Plan
    from spm_lite.tokenizer.tokenizer import Tokenizer


class Verification(NamedTuple):
    """What `Plan.verify` found; `str(found)` is a report for people.

    Attributes:
        shards: the number of shards.
        documents: the number of documents of the shards that were read and compared.
        ids: the number of their ids.
        special: how many of these ids are the unknown piece, or a control piece, by name.
        begins: the number of documents that begin with the beginning-of-text id.
        ends: the number of documents that end with the end-of-text id.
        empty: the number of documents without other ids than these two.
        outside: the number of ids outside the vocabulary.
        changed: of the documents with the right ids, how many are not decoded to the text as it was.
        lost: how many of these are not decoded to the normalized text either, as with unknown pieces.
        wrong: the number of problems.
        problems: the first 20 of them, each a Problem.
    """

    shards: int
    documents: int
    ids: int
    special: dict[str, int]
    begins: int
    ends: int
    empty: int
    outside: int
    changed: int
    lost: int
    wrong: int
    problems: tuple[Problem, ...]

    @property
    def is_right(self) -> bool:
        """Whether there are no problems."""
        return self.wrong == 0

    def __str__(self) -> str:
        special = ", ".join(f"{name} {count:,}" for name, count in self.special.items() if count)
        lines = [
            f"{self.shards:,} shards: {self.documents:,} documents and {self.ids:,} ids were compared",
            f"special ids: {special or 'none'}; {self.outside:,} ids are outside the vocabulary",
            f"boundaries: {self.begins:,} documents begin with the beginning-of-text id, {self.ends:,} end with the "
            f"end-of-text id, {self.empty:,} are empty",
            f"decoded: {self.changed:,} documents do not give back their text, and {self.lost:,} of them not even its "
            "normalized form",
            f"problems: {self.wrong:,}",
            *(f"    {problem}" for problem in self.problems),
        ]
        more = self.wrong - len(self.problems)
        lines += [f"    and {more:,} more"] * (more > 0)
        lines += ["to make a shard again, remove its record, such as 00000.json, and run its task"] * (self.wrong > 0)
        return "\n".join(lines)


class Item(NamedTuple):
    """The work on one shard."""

    shard: int
    record: dict[str, Any] | None  # None: it is missing
    wanted: list[int] | None  # the documents to compare; None: all


def items_to_verify(plan: Plan, sample: int | None) -> list[Item]:
    """What is to be done for each shard. Raises OptionError."""
    if sample is not None and sample < 1:
        raise OptionError(f"sample={sample}: must be at least 1 document, or None for all")
    records = list(read_records(plan.folder(), [plan.key(i) for i in range(len(plan))], any_size=True))
    counts = [0 if record is None else int(record["documents"]) for record in records]
    chosen: Sequence[list[int] | None] = [None] * len(records)
    if sample is not None and sample < sum(counts):
        chosen = spread(counts, sample)
    return [Item(i, *pair) for i, pair in enumerate(zip(records, chosen, strict=True))]


def spread(counts: Sequence[int], n: int) -> list[list[int]]:
    """For each shard with so many documents, the numbers of those that are chosen, `n` in all.

    >>> spread([4, 0, 4], 2)
    [[2], [], [2]]
    """
    total, first = sum(counts), 0
    chosen = [(2 * i + 1) * total // (2 * n) for i in range(n)]
    found = []
    for end in accumulate(counts):
        found.append([i - first for i in chosen[bisect_left(chosen, first) : bisect_left(chosen, end)]])
        first = end
    return found


def verify_shard(plan: Plan, item: Item, threads: int) -> Verification:
    """Compare one shard with its sources. Raises FileError for a source that cannot be read."""
    number, record, wanted = item
    if record is None:
        return result(number, [f"it is missing, or belongs to another plan: run task {number}"], None)
    folder, form = plan.folder(), plan.options["format"]
    names = paths_of(shard_name(number, form), form)
    faults = [wrong_size(folder.path_of(file["name"]), folder.size(file["name"]), file) for file in record["files"]]
    faults = [fault for fault in faults if fault]
    if [file["name"] for file in record["files"]] != [*names]:
        return result(number, [*faults, "its record names other files than a shard of this format has"], None)
    if wanted == [] or any(folder.size(name) is None for name in names):
        return result(number, faults, None)
    for part in plan.tasks[number]:
        check_unchanged(plan.sources[part.source])
    shown = [folder.path_of(name) for name in names]
    here = folder.files(names) if wanted is None else nullcontext([as_file(name) for name in shown])
    with here as files:
        found = READERS[form](files, shown, plan.options["dtype"], vocabulary_name(plan.model))
        comparison = Comparison(number, found, tokenizer(plan.model))
        try:
            with found:
                compare(plan, comparison, wanted, threads)
            if wanted is not None and found.n_documents != record["documents"]:
                faults.append(f"it has {found.n_documents:,} documents, expected {record['documents']:,}")
        except UnreadableIds as error:
            faults.append(str(error))
        faults += found.remarks
        if wanted is None and not faults and not comparison.wrong:
            digests = [digest_of(file) for file in files]  # type: ignore[arg-type]  # copies here
            pairs = zip(record["files"], digests, strict=True)
            faults += [
                f"the bytes of {file['name']!r} are not those that were written"
                for file, digest in pairs
                if file["sha256"] != digest
            ]
    return result(number, faults, comparison)


def wrong_size(path: str, size: int | None, file: dict[str, Any]) -> str:
    """What is wrong with the size of a file; "": nothing."""
    if size is None:
        return f"{path!r} is missing"
    return "" if size == file["size"] else f"{path!r} has {size:,} bytes, expected {file['size']:,}"


def result(shard: int, faults: Sequence[str], comparison: Comparison | None) -> Verification:
    """The result for one shard. faults: of its files. comparison: None: its documents were not read."""
    problems = [Problem(shard, -1, "", fault) for fault in faults]
    if comparison is None:
        return Verification(1, 0, 0, {}, 0, 0, 0, 0, 0, 0, len(problems), tuple(problems[:SHOWN]))
    comparison.count()
    tok, done = comparison.tok, comparison
    names = {**({tok.id_to_piece(tok.unk_id): tok.unk_id} if tok.unk_id >= 0 else {}), **tok.info.special_tokens}
    special = {name: int(done.counts[i]) if done.ids else 0 for name, i in names.items()}
    changed, lost = done.outcomes[NORMALIZED] + done.outcomes[LOST], done.outcomes[LOST]
    return Verification(
        1,
        done.documents,
        done.ids,
        special,
        done.begins,
        done.ends,
        done.empty,
        done.outside,
        changed,
        lost,
        len(problems) + done.wrong,
        tuple([*problems, *done.problems][:SHOWN]),
    )


def sum_up(parts: Iterable[Verification]) -> Verification:
    """The result for all shards."""
    found, special = list(parts), Counter[str]()
    for part in found:
        special.update(part.special)
    problems = tuple(problem for part in found for problem in part.problems)
    numbers = [name for name in Verification._fields if name not in ("special", "problems")]
    sums = {name: sum(getattr(part, name) for part in found) for name in numbers}
    return Verification(special=dict(special), problems=problems[:SHOWN], **sums)


def compare(plan: Plan, comparison: Comparison, wanted: list[int] | None, threads: int) -> None:
    """Give the documents of the sources to a comparison."""
    tok, rest = comparison.tok, iter(wanted or [])
    ends = tok._bos_eos(plan.options["bos"], plan.options["eos"])
    try:
        for places, parts in parts_of_shard(plan, comparison.shard, wanted, BLOCK_SIZE * threads):
            block = encoded(tok, places, parts, threads, ends)
            if wanted is None:
                comparison.take(block)
            else:
                comparison.take_at(block, next(rest))
    except OptionError as error:  # a row without the column, as in `make_shard`
        raise FileError(str(error)) from None
    if wanted is None:
        comparison.finish()
    for number in rest:
        comparison.note(number, None, lambda: "it is too many: the sources have fewer documents")


def parts_of_shard(
    plan: Plan, shard: int, wanted: list[int] | None, size: int
) -> Iterator[tuple[SourcePlaces, list[Part]]]:
    """Yield the documents of the sources of a shard, some at once, each time those of one slice.

    wanted: the numbers of the documents in the shard, which come one by one; None: all, `size` bytes at once.
    """
    reading, first = reading_of(plan.options), 0
    for part in plan.tasks[shard] if wanted is None else row_groups(plan, shard):
        if wanted is not None and part.rows >= 0 and not within(wanted, first, part.rows):
            first += part.rows
            continue
        places = SourcePlaces(plan.sources[part.source], part, reading)
        with closing(read_documents(Source((places.file,), None, reading), CorpusFigures())) as documents:
            if wanted is None:
                for parts in gathered(documents, size):
                    yield places, parts
                continue
            for found in documents:
                n_texts = n_texts_of(found.documents)
                chosen = within(wanted, first, n_texts)
                texts = split_block(found.documents) if chosen else []
                for i in chosen:
                    yield places, [found._replace(documents=[texts[i - first]], first=found.first + i - first)]
                first += n_texts
                if first > wanted[-1]:
                    return


def within(wanted: list[int], first: int, n: int) -> list[int]:
    """Those of rising numbers that are in [first, first + n)."""
    return wanted[bisect_left(wanted, first) : bisect_left(wanted, first + n)]


def row_groups(plan: Plan, shard: int) -> Iterator[Slice]:
    """Yield the slices of a shard; of Parquet files whose rows are documents, one for each row group."""
    for part in plan.tasks[shard]:
        source = plan.sources[part.source]
        if source.kind != PARQUET or part.rows < 0:
            yield part
            continue
        with opened_parquet(source.file()) as file:
            rows = [file.metadata.row_group(i).num_rows for i in range(part.begin, part.end)]
        for i, n_rows in enumerate(rows, part.begin):
            yield part._replace(begin=i, end=i + 1, rows=n_rows)


def encoded(tok: Tokenizer, places: SourcePlaces, parts: list[Part], threads: int, bos_eos: tuple[int, int]) -> Block:
    """The ids that a shard must have for some documents, and what these are decoded to."""
    vectors = encode_parts(tok._encoder, parts, threads, bos_eos)
    ids, bounds = as_numpy(vectors[0], "int32"), as_numpy(vectors[1], "int64")
    texts = [text for part in parts for text in split_block(part.documents)]
    decoded = decode_flat(tok._decoder, ids, bounds, threads, True)
    outcomes, faults = bytearray(len(texts)), {}
    if decoded != texts:
        is_lossless = tok.info.is_lossless
        for i, (text, back) in enumerate(zip(texts, decoded, strict=True)):
            if text == back:
                continue
            outcomes[i] = NORMALIZED if back == normalized_text(tok, text) else LOST
            if is_lossless and tok.unk_id not in ids[bounds[i] : bounds[i + 1]]:
                begin, _, given, became = narrowed(0, escaped_str(text), escaped_str(back))
                faults[i] = (
                    f"it is decoded to another text: from byte {begin:,} on {became!r:.60}, expected {given!r:.60}"
                )
    return Block(ids, bounds, outcomes, faults, lambda i: places.name_in(parts, i))


class SourcePlaces:
    """Names the documents of one slice of a source, in their order: by line, row or record of the file."""

    def __init__(self, source: sources.Source, part: Slice, reading: Reading) -> None:
        self.file: Any = file_of(source, part, reading)
        self._kind, self._reading = source.kind, reading
        self._before: dict[str, int] = {}  # unit -> how many come before the slice
        self._lines = self.lines_of_records()
        self._n_records, self._line = 0, 0

    def name_in(self, parts: Iterable[Part], i: int) -> str:
        """The name of a document of some parts."""
        for part in parts:
            n_texts = n_texts_of(part.documents)
            if i < n_texts:
                return self.name(part.unit, part.first + i)
            i -= n_texts
        raise IndexError(i)

    def name(self, unit: str, number: int) -> str:
        """The name of a document of the slice, from 1."""
        if unit == "record" and self._kind == JSONL:
            unit, number = "line", self.line_of(number)
        if not unit or not isinstance(self.file, FilePart):
            return place_name(self.file, unit, number)
        if unit not in self._before:
            self._before[unit] = self.file.n_before(unit)
        before = self._before[unit]
        if unit == "record" and before:  # several texts of a row
            return f"{str(self.file)!r}, record {number} from row {before + 1} on"
        return f"{str(self.file)!r}, {unit} {number + before}"

    def line_of(self, record: int) -> int:
        """The line in the slice of a record, from 1; records are asked for in their order."""
        while self._n_records < record:
            self._line = next(self._lines, self._line)
            self._n_records += 1
        return self._line

    def lines_of_records(self) -> Iterator[int]:
        """Yield the line of each record of JSON lines."""
        n_lines = 0

        def one_by_one() -> Iterator[bytes]:
            nonlocal n_lines
            with self.file.open() as stream:
                for line in lines_of(iter(lambda: stream.read(READ_SIZE), b"")):
                    n_lines += 1
                    yield line + b"\n"

        for text in json_rows(one_by_one(), self.file, "jsonl", self._reading, BadRecords(self._reading.on_error)):
            if text is not None:
                yield n_lines
