"""Audit: the result of `spm_lite.audit`, for people, for programs and for pages."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from spm_lite.errors import ArgumentTypeError, FileError, OptionError
from spm_lite.evaluation.figures.foreign import imported
from spm_lite.evaluation.prediction.verdicts import Verdict
from spm_lite.evaluation.report.standings import Ranking, n_texts
from spm_lite.evaluation.report.summaries import TABLES, columns_of
from spm_lite.printable import safe_json, visible

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spm_lite.evaluation.requirements import Change, Failure

FORMAT = 1


@dataclass(frozen=True)
class Fault:
    """Something that is wrong with a tokenizer or a text. `str(fault)` says it in words.

    Attributes:
        severity: "loss" (text is lost), "fault" or "warning".
        tokenizer: the name of the tokenizer; None: the fault is in a text.
        what: the name of the fault.
        count: how often it was found, or the share of the text that it concerns.
        examples: as in the JSON of `Audit.to_json`.
        words: the fault as a sentence.
    """

    __module__ = "spm_lite"  # where users find it; a pickle names this place

    severity: str
    tokenizer: str | None
    what: str
    count: float
    examples: Any
    words: str

    def __str__(self) -> str:
        return visible(self.words)


class Audit:
    """The figures of tokenizers on texts, what is wrong, and which tokenizer is better. Made by `spm_lite.audit`.

    `str(audit)` is a report for terminals, `audit.to_html(path)` is a page, and `audit.to_dict()` has all figures. A
    notebook shows the page.
    """

    __module__ = "spm_lite"

    def __init__(self, data: Mapping[str, Any]) -> None:
        """data: what `to_dict` gives, or what was read from the JSON. Raises OptionError for another format."""
        if not isinstance(data, dict) or data.get("format") != FORMAT:
            raise OptionError(f"this is not an audit of format {FORMAT}: {str(data)[:40]!r}")
        self._data = data

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Audit:
        """Read the JSON that `to_json` wrote.

        Args:
            path: the file.
        Returns:
            An Audit.
        Raises:
            FileError: the file cannot be read, or is not an audit.

        >>> import spm_lite
        >>> lines = [f"line {n} of a small text" for n in range(99)]
        >>> tok = spm_lite.train(lines, vocab_size=300, hard_vocab_limit=False)
        >>> report = spm_lite.audit({"tok": tok}, {"en": lines}, orders=())
        >>> _ = report.to_json("report.json")
        >>> spm_lite.Audit.load("report.json")
        <Audit of tok on 1 text: 0 faults>
        """
        from spm_lite.evaluation.report.audit_form import check_audit
        from spm_lite.files.open_files import read_bytes
        from spm_lite.files.saved_values import parse

        data = read_bytes(path)
        try:
            found = cls(parse(data))
            check_audit(found._data)
        except (ValueError, OptionError) as error:
            raise FileError(0, f"is not an audit that to_json wrote: {error}", os.fsdecode(path)) from None
        return found

    @property
    def verdicts(self) -> list[Verdict]:
        """A Verdict for each pair of tokenizers on each text and the mixture: on bits per byte, then on tokens."""
        return [
            Verdict(
                one["text"], one["a"], one["b"], one["figure"], one["verdict"], one["winner"], tuple(one["who"]),
                one["relative"], one["ci95"], one["p_holm"], one["words"],
            )
            for one in self._data["verdicts"]
        ]  # fmt: skip

    @property
    def best(self) -> str | None:
        """The name of the tokenizer to take; None: chance may explain all differences, or there is only one."""
        return Ranking(self._data).choice.best if len(self._data["tokenizers"]) > 1 else None

    @property
    def faults(self) -> list[Fault]:
        """The Faults of tokenizers and texts, the worst first."""
        return [Fault(**one) for one in self._data["faults"]]

    def unmet(self, *requirements: str) -> list[Failure]:
        """The requirements that are not met, each with its value; [] if all are.

        Args:
            requirements: such as "unreachable<=0" or "de.fertility<1.8": [TOKENIZER:][TEXT.]FIGURE, one of < <= > >=
                ==, and a number. Without the name of a tokenizer or a text, all of them must meet it.
        Returns:
            A list of the requirements that are not met.
        Raises:
            OptionError: a requirement cannot be read, or names a figure that this audit does not have.

        >>> import spm_lite
        >>> lines = [f"line {n} of a small text" for n in range(99)]
        >>> tok = spm_lite.train(lines, vocab_size=300, hard_vocab_limit=False)
        >>> report = spm_lite.audit({"tok": tok}, {"en": lines}, orders=())
        >>> report.unmet("unreachable<=0")
        []
        """
        from spm_lite.evaluation.requirements import failures

        return failures(self._data, list(requirements))

    def changes_since(self, before: Audit) -> list[Change]:
        """The figures that have moved, by more than their error, since an earlier audit of the same names.

        Args:
            before: the earlier Audit.
        Returns:
            A list of changes; [] if nothing has moved.
        Raises:
            ArgumentTypeError: `before` is not an Audit.

        >>> import spm_lite
        >>> lines = [f"line {n} of a small text" for n in range(99)]
        >>> tok = spm_lite.train(lines, vocab_size=300, hard_vocab_limit=False)
        >>> report = spm_lite.audit({"tok": tok}, {"en": lines}, orders=())
        >>> report.changes_since(report)
        []
        """
        from spm_lite.evaluation.requirements import changes

        if not isinstance(before, Audit):
            raise ArgumentTypeError(f"before is {type(before).__name__}, not an Audit: read it with Audit.load")

        return list(changes(before._data, self._data))

    def to_dict(self) -> dict[str, Any]:
        """All figures, in types that JSON has. Shares are fractions of 1; None: a figure that could not be computed.

        Returns:
            A dict.

        >>> import spm_lite
        >>> lines = [f"line {n} of a small text" for n in range(99)]
        >>> tok = spm_lite.train(lines, vocab_size=300, hard_vocab_limit=False)
        >>> report = spm_lite.audit({"tok": tok}, {"en": lines}, orders=())
        >>> list(report.to_dict()["texts"])
        ['en']
        """
        result: dict[str, Any] = json.loads(self.to_json())
        return result

    def to_json(self, path: str | os.PathLike[str] | None = None) -> str:
        """All figures as JSON; with `path` also written there. The same inputs give the same bytes.

        Args:
            path: a file to write the JSON to; None: no file.
        Returns:
            A str.
        Raises:
            FileError: the file cannot be written.

        >>> import spm_lite
        >>> lines = [f"line {n} of a small text" for n in range(99)]
        >>> tok = spm_lite.train(lines, vocab_size=300, hard_vocab_limit=False)
        >>> report = spm_lite.audit({"tok": tok}, {"en": lines}, orders=())
        >>> report.to_json()[0]
        '{'
        """
        text = safe_json(json.dumps(self._data, ensure_ascii=False, indent=1, allow_nan=False)) + "\n"
        if path is not None:
            from spm_lite.files.new_files import write_atomically

            write_atomically(path, text.encode("utf-8", "surrogatepass"))
        return text

    def to_html(self, path: str | os.PathLike[str] | None = None) -> str:
        """The report as a page of HTML; with `path` also written there.

        It has no scripts and loads nothing. It is made for light and dark screens, and for paper.

        Args:
            path: a file to write the page to; None: no file.
        Returns:
            A str.
        Raises:
            FileError: the file cannot be written.

        >>> import spm_lite
        >>> lines = [f"line {n} of a small text" for n in range(99)]
        >>> tok = spm_lite.train(lines, vocab_size=300, hard_vocab_limit=False)
        >>> report = spm_lite.audit({"tok": tok}, {"en": lines}, orders=())
        >>> report.to_html()[:15]
        '<!doctype html>'
        """
        from spm_lite.evaluation.report.page import page

        text = page(self._data)
        if path is not None:
            from spm_lite.files.new_files import write_atomically

            write_atomically(path, text.encode())
        return text

    def _repr_html_(self) -> str:
        from spm_lite.evaluation.report.audit_card import audit_card

        return audit_card(self._data)

    def to_arrow(self, table: str = "corpus") -> Any:
        """A table of figures as a pyarrow.Table.

        Args:
            table: "corpus" (a row for each text and tokenizer), "parity", "verdicts", "faults" or "unreachable".
        Returns:
            A pyarrow.Table.
        Raises:
            OptionError: the table has another name, or pyarrow is not installed.

        >>> import spm_lite
        >>> lines = [f"line {n} of a small text" for n in range(99)]
        >>> tok = spm_lite.train(lines, vocab_size=300, hard_vocab_limit=False)
        >>> report = spm_lite.audit({"tok": tok}, {"en": lines}, orders=())
        >>> report.to_arrow().num_rows
        1
        """
        return imported("pyarrow", "pyarrow").table(self._columns(table))

    def to_pandas(self, table: str = "corpus") -> Any:
        """A table of figures as a pandas.DataFrame.

        Args:
            table: "corpus" (a row for each text and tokenizer), "parity", "verdicts", "faults" or "unreachable".
        Returns:
            A pandas.DataFrame.
        Raises:
            OptionError: the table has another name, or pandas is not installed.

        >>> import spm_lite
        >>> lines = [f"line {n} of a small text" for n in range(99)]
        >>> tok = spm_lite.train(lines, vocab_size=300, hard_vocab_limit=False)
        >>> report = spm_lite.audit({"tok": tok}, {"en": lines}, orders=())
        >>> len(report.to_pandas())
        1
        """
        return imported("pandas", "pandas").DataFrame(self._columns(table))

    def _columns(self, table: str) -> dict[str, list[Any]]:
        if table not in TABLES:
            raise OptionError(
                f"table={table!r:.40} must be one of {', '.join(TABLES)}", remedies=[{"table": name} for name in TABLES]
            )
        return columns_of(list(TABLES[table](self._data)))

    def __str__(self) -> str:
        """The report for terminals, without colours, as wide as the terminal or 80 columns."""
        from spm_lite.evaluation.report.audit_terminal import text_report

        return text_report(self._data)

    def __repr__(self) -> str:
        names, n_faults = visible(", ".join(self._data["tokenizers"])), len(self._data["faults"])
        return f"<Audit of {names} on {n_texts(len(self._data['texts']))}: {n_faults} fault{'s' * (n_faults != 1)}>"
