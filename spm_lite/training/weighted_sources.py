"""Several sources of text in one training: each has a share of the text, by a whole factor of its counts.

The rule. Let n be the size of a source: bytes, characters or texts, as given. Its share is to be w / sum(w) of all: w
is its weight, or n ** temperature. Its counts then need the factor r = w / n, up to a common one. The factors are the
whole numbers nearest to k * r / (the smallest r). k is the first number up to MOST_STEPS with which no factor is off by
more than TOLERANCE. Small factors are better, since a trainer makes pieces of text that occurs often.
"""

from __future__ import annotations

import math
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from spm_lite.arguments import as_number, as_weights, shown_number
from spm_lite.errors import ArgumentTypeError, OptionError
from spm_lite.files.corpus import open_source
from spm_lite.files.new_files import write_atomically
from spm_lite.specs import SHARE_UNITS
from spm_lite.training.balance.fairness_options import AskedFairness, Fairness, as_fairness
from spm_lite.training.counts.chunk_table import ChunkTable
from spm_lite.training.counts.count_file import file_blocks, load_file
from spm_lite.training.counts.spill import Spill
from spm_lite.training.counts.table_rules import TableRules

if TYPE_CHECKING:
    from spm_lite.files.documents import Source
    from spm_lite.files.read_options import Reading
    from spm_lite.training.count_table import CountTable

MOST_STEPS = 100
TOLERANCE = Fraction(1, 100)
MAX_FACTOR = 10**9
Weights: TypeAlias = Mapping[str, float]
Keep: TypeAlias = Callable[[ChunkTable, TableRules], Callable[[], ChunkTable]]


@dataclass(frozen=True)
class SourceFigures:
    """What a training read of one source."""

    files: tuple[str, ...]
    bytes_read: int
    lines_used: int
    bytes_used: int  # bytes of the text that was learned from, as given
    factor: int  # of its counts
    asked: float | None  # its share by weights or temperature, 0 to 1; None: neither was given
    share: float  # the share that it has of the text that was learned from, 0 to 1


@dataclass(frozen=True)
class Sources:
    """Several sources by name, and what decides their shares."""

    inputs: dict[str, Source | list[CountTable]]
    weights: dict[str, float] | None = None
    temperature: float | None = None
    share_of: str = SHARE_UNITS[0]
    fairness: Fairness | None = None  # what decides the weights in its turn; None: they are as given

    def asked(self, sizes: Mapping[str, int]) -> dict[str, Fraction] | None:
        """The share that each source is to have; None: no shares were asked for. sizes: above 0."""
        if self.weights is not None:
            wanted = {name: Fraction(self.weights[name]) for name in sizes}
        elif self.temperature is not None:
            wanted = {name: Fraction(size**self.temperature) for name, size in sizes.items()}
        else:
            return None
        total = sum(wanted.values())
        return {name: share / total for name, share in wanted.items()}

    def factors(self, sizes: Mapping[str, int]) -> dict[str, int]:
        """The factor of each source. sizes: above 0. Raises OptionError for too large a factor."""
        asked = self.asked(sizes)
        if asked is None:
            return dict.fromkeys(sizes, 1)
        return whole_factors({name: asked[name] / size for name, size in sizes.items()})


@dataclass(frozen=True)
class CountedSources:
    """What was counted of several sources, by name, before weights: one count serves any number of trainings."""

    loads: dict[str, Callable[[], ChunkTable]]  # each gives the table of a source
    sizes: dict[str, dict[str, int]]  # in each unit of shares that is known
    n_bytes: dict[str, int]  # of text in the table, with what a memory limit left out
    figures: dict[str, tuple[tuple[str, ...], int, int, int]]  # the first four of SourceFigures


def whole_factors(wanted: Mapping[str, Fraction]) -> dict[str, int]:
    """The whole numbers that are nearest to the wanted ratios.

    >>> whole_factors({"en": Fraction(1), "ja": Fraction(5, 2)})
    {'en': 2, 'ja': 5}
    """
    least = min(wanted.values())
    ratios = {name: ratio / least for name, ratio in wanted.items()}
    for k in range(1, MOST_STEPS + 1):
        factors = {name: math.floor(k * ratio + Fraction(1, 2)) for name, ratio in ratios.items()}
        if all(abs(factors[name] - k * ratio) <= k * ratio * TOLERANCE for name, ratio in ratios.items()):
            break
    common = math.gcd(*factors.values())
    factors = {name: factor // common for name, factor in factors.items()}
    largest = max(factors, key=lambda name: factors[name])
    if factors[largest] > MAX_FACTOR:
        raise OptionError(
            f"the source {largest!r:.60} would count {factors[largest]:,} times, more than {MAX_FACTOR:,}: it has too "
            "little text for its share; give it a smaller weight, a higher temperature or more text",
            remedies=[{"weights": None, "temperature": None}],
        )
    return factors


def as_sources(
    sources: Mapping[Any, Any],
    weights: Any,
    temperature: Any,
    share_of: Any,
    open_input: Callable[[Any], Source | list[CountTable]],
    asked: AskedFairness,
    reading: Reading,
) -> Sources:
    """The sources of a call of `train`. Raises ArgumentTypeError and OptionError for what is wrong with them.

    asked: the options of fairness, as given. reading: of dev texts.
    """
    if not sources:
        raise OptionError("the dict of sources is empty: name at least one source")
    for name in sources:
        if not isinstance(name, str) or not name:
            raise ArgumentTypeError(f"a source is named {name!r:.40}: a name is a str that is not empty")
    if weights is not None and temperature is not None:
        raise OptionError(
            "weights and temperature both decide the shares of the sources: give one of them",
            remedies=[{"weights": None}, {"temperature": None}],
        )
    weighed = None if weights is None else as_weights(weights, sources, "source")
    given = {"weights": weights, "temperature": temperature}
    lines = reading._replace(input_format="auto") if reading.is_weighted else reading
    fairness = as_fairness(asked, sources, given, lambda texts: open_source(texts, lines))
    checked = Sources({}, weighed, as_temperature(temperature), as_unit(share_of), fairness)
    for name, value in sources.items():
        try:
            checked.inputs[name] = open_input(value)
        except ArgumentTypeError as error:
            raise ArgumentTypeError(f"the source {name!r:.60}: {error}") from None
    check_no_file_twice(checked.inputs)
    return checked


def as_temperature(temperature: Any) -> float | None:
    """The exponent of the sizes, 0 to 1."""
    if temperature is None:
        return None
    temperature = as_number(temperature, "temperature")
    if not 0 <= temperature <= 1:
        raise OptionError(
            f"temperature={shown_number(temperature)}: must be from 0 (all sources have the same share) to 1 (each has "
            "the share of its size)",
            remedies=[{"temperature": 0.5}, {"temperature": None}],
        )
    return float(temperature)


def as_unit(share_of: Any) -> str:
    """The unit of the shares. Raises OptionError for another one."""
    if share_of not in SHARE_UNITS:
        raise OptionError(
            f"share_of={share_of!r:.40}: must be one of {', '.join(SHARE_UNITS)}",
            remedies=[{"share_of": unit} for unit in SHARE_UNITS],
        )
    return str(share_of)


def check_no_file_twice(inputs: Mapping[str, Source | list[CountTable]]) -> None:
    """Raise OptionError for a file that stands in two sources."""
    from spm_lite.files.paths import check_once

    check_once([path for source in inputs.values() if not isinstance(source, list) for path in source.paths or ()])


@contextmanager
def kept_tables(is_limited: bool) -> Iterator[Keep]:
    """What keeps tables until all are counted: in memory, or, if that is limited, in temporary files.

    Yields a function that takes a table and its rules, and returns one that gives the table back.
    """
    if not is_limited:
        yield lambda table, rules: lambda: table
        return
    with tempfile.TemporaryDirectory(prefix="spm-lite-") as folder:
        paths = (Path(folder, f"{number}.counts") for number in range(2**31))

        def keep(table: ChunkTable, rules: TableRules) -> Callable[[], ChunkTable]:
            path = next(paths)
            write_atomically(path, file_blocks(table, rules))
            return lambda: load_file(path)[0]

        yield keep


def added(tables: Iterator[ChunkTable], spill: Spill | None) -> ChunkTable:
    """The sum of tables, within the memory limit if there is one."""
    if spill is None:
        return ChunkTable.sum(tables)
    left_out = []
    with spill:
        for table in tables:
            if table.left_out is not None:
                left_out.append(table.left_out)
            spill.spill([table])
        total = spill.finish([])
    for each in left_out:
        total.leave_out(each)
    return total
