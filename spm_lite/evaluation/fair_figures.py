"""`FairSweep`, what `spm_lite.sweep(balance=)` gives: ways to fair vocabularies at each size, and their prices."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

from spm_lite.errors import OptionError
from spm_lite.evaluation.figures.parity import FairPoint, front_of
from spm_lite.evaluation.report.parity_summary import small
from spm_lite.evaluation.report.summaries import number, percent

if TYPE_CHECKING:
    from spm_lite.tokenizer.tokenizer import Tokenizer

PLAIN = "plain"
PRICES = (0.005, 0.01, 0.02, 0.03)
WIDTH = 79
NOTE = "* on the front: no other way of this size has both fewer tokens and a lower Gini coefficient"
CAPTION = (
    "Tokens more than plain training of the same size, in percent, against Gini's coefficient: left and down are "
    "better. Lines join those of which no other of the same size is better in both."
)


@dataclass(frozen=True)
class FairFigures:
    """What one way to train gives at one size, on the held-out texts of the sweep, or else on its dev texts.

    Attributes:
        size: the number of pieces.
        way: "plain", "weights 3" (the third training of the loop over weights), or "parity" with what is special.
        tokens: of these texts in all languages.
        price: tokens more than plain training of the same size has, as a share.
        gini: Gini's coefficient of the languages' tokens; 0: all are equal.
        max_mean: the tokens of the most expensive language, as a multiple of the mean.
        options: what `train` gets besides the sources and the options of the sweep, to make this very model.
        is_on_front: no other way of this size has both fewer tokens and a lower Gini coefficient.
    """

    __module__ = "spm_lite"

    size: int
    way: str
    tokens: int
    price: float
    gini: float
    max_mean: float
    options: dict[str, Any]
    is_on_front: bool = False


@dataclass(frozen=True)
class FairChoice:
    """The best way at one size, for one price or several.

    Attributes:
        row: its figures.
        prices: the prices at which no other way has a lower Gini coefficient.
        options: what `train` gets besides the sources and the dev texts, to make this very model.
    """

    __module__ = "spm_lite"

    row: FairFigures
    prices: tuple[float, ...]
    options: dict[str, Any]

    def call(self) -> str:
        """How this way is trained, as Python.

        Returns:
            A str; `sources` and `dev` stand for what the sweep got.

        >>> row = FairFigures(8000, "weights 2", 1010, 0.01, 0.02, 1.1, {"weights": {"en": 1.0, "de": 1.2}})
        >>> FairChoice(row, (0.01,), {"balance": "tokens", "price": 0.01, "vocab_size": 8000}).call()
        "train(sources, parallel=dev, balance='tokens', price=0.01, vocab_size=8000)"
        """
        has_dev = "balance" in self.options or "objective" in self.options
        weights = f"found.best({self.row.size}, {self.prices[-1]}).options['weights']"
        given = [f"{name}={weights if name == 'weights' else repr(value)}" for name, value in self.options.items()]
        return f"train({', '.join(['sources', *(['parallel=dev'] if has_dev else []), *given])})"

    def sentence(self, plain: FairFigures, how: str) -> str:
        """What it reaches. plain: of the same size. how: it is trained."""
        limits = " to ".join(f"{100 * price:g}" for price in dict.fromkeys((self.prices[0], self.prices[-1])))
        less = f", {percent(1 - self.row.gini / plain.gini)} less than plain" if self.row.gini < plain.gini else ""
        reached = f"Gini {small(self.row.gini)}{less}, at {self.row.price:+.2%} tokens"
        return f"{self.row.size:,} pieces, at most {limits} % more tokens: {self.row.way} ({reached}). {how}"


class FairSweep:
    """Ways to fair vocabularies at several sizes, with their prices. Made by `spm_lite.sweep(balance=)`.

    `str(found)` is a table, with the best way at each price. `found[8000, 0.02]` is the best Tokenizer of 8,000
    pieces for at most 2 % more tokens. `len(found)` is the number of ways at all sizes.

    Attributes:
        rows: the FairFigures of each way, by size and price.
        sizes: the vocabulary sizes, in rising order.
    """

    __module__ = "spm_lite"

    def __init__(
        self,
        rows: Sequence[FairFigures],
        options: Mapping[str, Any],
        tokenizers: Mapping[tuple[int, str], Tokenizer],
    ) -> None:
        """rows: of all ways; those on the front are found here. options: of the sweep. tokenizers: by size and way."""
        self.sizes = sorted({row.size for row in rows})
        fronts = {size: [point.name for point in front_of(points_of(rows, size))] for size in self.sizes}
        marked = [replace(row, is_on_front=row.way in fronts[row.size]) for row in rows]
        self.rows = sorted(marked, key=lambda row: (row.size, row.price, row.gini))
        self._options = dict(options)
        self._tokenizers = tokenizers

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, key: tuple[int, float]) -> Tokenizer:
        row = self.best(*key)
        return self._tokenizers[row.size, row.way]

    def best(self, size: int, price: float) -> FairFigures:
        """The way with the lowest Gini coefficient that is not dearer than a price.

        Args:
            size: one of `sizes`.
            price: the most tokens more than plain training has, as a share: 0.02 is 2 %.
        Returns:
            The FairFigures of the way.
        Raises:
            OptionError: the size was not asked for, or no way is so cheap.

        >>> import spm_lite
        >>> sources = {"en": [f"line {n} of text" for n in range(99)], "de": [f"Zeile {n} Text" for n in range(99)]}
        >>> found = spm_lite.sweep(
        ...     sources, [290], balance="tokens", parallel=sources, model_type="bpe", hard_vocab_limit=False
        ... )
        >>> found.best(290, 0.03).price <= 0.03
        True
        """
        if size not in self.sizes:
            raise OptionError(f"size {size!r:.20}: the sizes are {', '.join(map(str, self.sizes))}")
        within = [row for row in self.rows if row.size == size and row.price <= price]
        if not within:
            raise OptionError(f"price {price!r:.20}: no way is so cheap. Plain training costs 0, so give 0 or more")
        return min(within, key=lambda row: (row.gini, row.tokens))

    @property
    def choices(self) -> list[FairChoice]:
        """The best way for 0.5, 1, 2 and 3 % more tokens, of each size; prices with the same way are one."""
        found = []
        for size in self.sizes:
            prices: dict[str, list[float]] = {}
            for price in PRICES:
                prices.setdefault(self.best(size, price).way, []).append(price)
            for allowed in prices.values():
                row = self.best(size, allowed[0])
                options = {**row.options, **self._options, "vocab_size": size}
                found.append(FairChoice(row, tuple(allowed), options))
        return found

    @property
    def reasons(self) -> list[str]:
        """The choices in sentences: what each reaches, and how it is trained."""
        return [choice.sentence(self.plain(choice.row.size), choice.call()) for choice in self.choices]

    def plain(self, size: int) -> FairFigures:
        """The figures of plain training, which prices are measured against.

        Args:
            size: one of `sizes`.
        Returns:
            A FairFigures.

        >>> import spm_lite
        >>> sources = {"en": [f"line {n} of text" for n in range(99)], "de": [f"Zeile {n} Text" for n in range(99)]}
        >>> found = spm_lite.sweep(
        ...     sources, [290], balance="tokens", parallel=sources, model_type="bpe", hard_vocab_limit=False
        ... )
        >>> found.plain(290).price
        0.0
        """
        return next(row for row in self.rows if row.size == size and row.way == PLAIN)

    def to_dict(self) -> dict[str, Any]:
        """The figures in types that JSON has.

        Returns:
            A dict with "ways" (a list of dicts, one for each row) and "choices".

        >>> import spm_lite
        >>> sources = {"en": [f"line {n} of text" for n in range(99)], "de": [f"Zeile {n} Text" for n in range(99)]}
        >>> found = spm_lite.sweep(
        ...     sources, [290], balance="tokens", parallel=sources, model_type="bpe", hard_vocab_limit=False
        ... )
        >>> list(found.to_dict())
        ['ways', 'choices']
        """
        choices = [
            {"size": one.row.size, "prices": list(one.prices), "way": one.row.way, "options": one.options}
            for one in self.choices
        ]
        return {"ways": [asdict(row) for row in self.rows], "choices": choices}

    def table(self) -> tuple[list[str], list[list[str]]]:
        """The headers and cells that `str(found)` shows.

        Returns:
            Headers, and a list of rows.

        >>> import spm_lite
        >>> sources = {"en": [f"line {n} of text" for n in range(99)], "de": [f"Zeile {n} Text" for n in range(99)]}
        >>> found = spm_lite.sweep(
        ...     sources, [290], balance="tokens", parallel=sources, model_type="bpe", hard_vocab_limit=False
        ... )
        >>> found.table()[0][:3]
        ['pieces', 'way', 'price']
        """
        cells = [
            [f"{row.size:,}", row.way, f"{row.price:+.2%}", small(row.gini) + (" *" if row.is_on_front else "  "),
             f"{row.max_mean:.3f}", number(row.tokens)]
            for row in self.rows
        ]  # fmt: skip
        return ["pieces", "way", "price", "Gini  ", "max/mean", "tokens"], cells

    def svg(self) -> str:
        """The prices and Gini's coefficients as a picture that stands alone: the text of an SVG file.

        Returns:
            A str, to be written as UTF-8. The picture follows the viewer's choice of light or dark.

        >>> import spm_lite
        >>> sources = {"en": [f"line {n} of text" for n in range(99)], "de": [f"Zeile {n} Text" for n in range(99)]}
        >>> found = spm_lite.sweep(
        ...     sources, [290], balance="tokens", parallel=sources, model_type="bpe", hard_vocab_limit=False
        ... )
        >>> found.svg()[:4]
        '<svg'
        """
        from spm_lite.evaluation.report.front_chart import front_chart, picture

        groups = {f"{size:,} pieces": points_of(self.rows, size) for size in self.sizes}
        return picture(front_chart(groups, CAPTION, "% more tokens than plain", has_own_marks=False))

    def __str__(self) -> str:
        """The report for terminals of 80 columns."""
        headers, cells = self.table()
        widths = [max(map(len, column)) for column in zip(headers, *cells, strict=True)]
        lines = ["  ".join(map(str.rjust, row, widths)).rstrip() for row in (headers, *cells)]
        return "\n".join([*lines, *(line for note in (NOTE, *self.reasons) for line in textwrap.wrap(note, WIDTH))])

    def __repr__(self) -> str:
        return f"<FairSweep over {', '.join(f'{size:,}' for size in self.sizes)} pieces: {len(self)} ways>"

    def _repr_html_(self) -> str:
        from base64 import b64encode

        from spm_lite.cards import card, escaped, table

        drawn = b64encode(self.svg().encode()).decode()
        image = f'<img alt="price against Gini" style="max-width:100%" src="data:image/svg+xml;base64,{drawn}">'
        reasons = "<br>".join(map(escaped, self.reasons))
        return card("Fair vocabularies", [], table(*self.table(), left=2, more=NOTE) + reasons + f"<br>{image}")


def points_of(rows: Sequence[FairFigures], size: int) -> list[FairPoint]:
    """The ways of one size as points of the front: the price in percent takes the place of the tokens."""
    return [FairPoint(row.way, 100 * row.price, row.gini) for row in rows if row.size == size]
