"""What `engines.spark` and `engines.ray` offer, with one signature for both, and what an engine must do for it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from spm_lite.arguments import as_flag
from spm_lite.engines.tasks import Failure, raised_in_worker, run_all
from spm_lite.engines.work.columns import ColumnEncoder, ColumnJudge, add_qualities, as_column_of, as_new_column
from spm_lite.engines.work.kept_tokenizers import checked_model, model_bytes
from spm_lite.engines.work.partial_counts import PartialCounter, make_counter, needs, tell

if TYPE_CHECKING:
    import os

    from typing_extensions import Unpack

    from spm_lite.engines.shards import Manifest, Plan, ShardOptions
    from spm_lite.evaluation.quality import Quality
    from spm_lite.specs import CutOptions
    from spm_lite.tokenizer.tokenizer import Tokenizer
    from spm_lite.training.count_table import CountTable
    from spm_lite.training.options.checks import Rules


class Engine(ABC):
    """An engine, whose public methods are the functions of its module.

    A table is what the engine calls so: a DataFrame of Spark, a Dataset of Ray.
    """

    # -- what users call -------------------------------------------------------------------------------------------

    def count(
        self,
        table: Any,
        *,
        column: str = "text",
        sample: float | None = None,
        seed: int = 0,
        nulls: str = "error",
        memory_limit: int | str | None = None,
        quiet: bool = False,
        normalization: Rules | None = None,
        denormalization: Rules | None = None,
        lossless: bool | str | None = None,
        **options: Unpack[CutOptions],
    ) -> CountTable:
        """Count the chunks of a column: the table that `CountTable.count` makes of all its texts.

        Workers count their parts, the engine adds equal chunks up, and the rows come to the caller's machine. Before
        they come, a line on standard error says what that machine needs to hold the table and to learn from it.

        Args:
            table: a DataFrame of Spark, or a Dataset of Ray.
            column: the name of its column of texts, strings or binary.
            sample: the share of documents to count, above 0 and at most 1; None: all.
            seed: chooses the sample. The choice depends on the bytes of a document alone.
            nulls: what a null is: "error", or "empty", a document without text.
            memory_limit: the limit of the caller's process, as in `CountTable.count`. The rarest chunks of the whole
                text are left out once, so the result does not depend on partitions.
            quiet: True leaves out the line on standard error.
            normalization, denormalization, lossless, options: as in `CountTable.count`.
        Returns:
            A CountTable, ready for `train`.
        Raises:
            OptionError: a wrong option, or the engine's package is missing.
            FileError: a null or a column without texts; the message names the row, and on Spark the partition.
        """
        self.start()
        chosen = as_column_of(self.columns_of(table), column, nulls)
        counter = make_counter(chosen, sample, seed, (normalization, denormalization, lossless, dict(options)))
        is_quiet = as_flag(quiet, "quiet")

        def announce(chunks: int, n_bytes: int, remark: str = "") -> None:
            if not is_quiet:
                tell(remark + needs(chunks, n_bytes, counter.counting().spec.model_type, memory_limit))

        with self.worker_errors():
            return self.count_column(table, counter, memory_limit, announce)

    def encode(
        self,
        table: Any,
        tokenizer: Tokenizer | str | os.PathLike[str] | bytes,
        *,
        column: str = "text",
        out: str = "ids",
        bos: bool = False,
        eos: bool = False,
        nulls: str = "error",
    ) -> Any:
        """A lazy table with a new column at its end: the ids of each text, lists of int32.

        Rows keep their other columns. An engine may change the order of rows, Ray even with `preserve_order`.

        Args:
            table, column, nulls: as in `count`.
            out: the name of the new column.
            tokenizer: a Tokenizer, the path of a model, or its bytes.
            bos, eos: as in `Tokenizer.encode`.
        Returns:
            A DataFrame of Spark, or a Dataset of Ray.
        Raises:
            OptionError: a wrong option, a column that is missing or there already, or the engine's package is missing.

        The table is lazy, so an error of a worker comes from the action that runs it.
        """
        self.start()
        names = self.columns_of(table)
        chosen, name = as_column_of(names, column, nulls), as_new_column(names, out)
        return self.encode_column(table, ColumnEncoder(checked_model(tokenizer, bos, eos), chosen, name, bos, eos))

    def evaluate(
        self,
        table: Any,
        tokenizer: Tokenizer | str | os.PathLike[str] | bytes,
        *,
        column: str = "text",
        nulls: str = "error",
    ) -> Quality:
        """The figures that `evaluate` gives for all texts of a column; sums are exact, the log-likelihood to 1e-12.

        Args:
            table, column, nulls: as in `count`.
            tokenizer: a Tokenizer, the path of a model, or its bytes.
        Returns:
            A Quality.
        Raises:
            OptionError: as in `count`.
            FileError: as in `count`.
            TrainingError: there is no text.
        """
        self.start()
        judge = ColumnJudge(model_bytes(tokenizer), as_column_of(self.columns_of(table), column, nulls))
        with self.worker_errors():
            return add_qualities(self.judge_column(table, judge))

    def encode_shards(
        self,
        paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
        out: str | os.PathLike[str],
        tokenizer: Tokenizer | str | os.PathLike[str] | bytes,
        **options: Unpack[ShardOptions],
    ) -> Manifest:
        """Encode files to shards of ids by tasks of the engine, and finish the job.

        Args:
            paths, out, tokenizer, options: as in `shards.plan`; all workers must see these paths.
        Returns:
            The figures of the job. A job that is finished already starts no task.
        Raises:
            SpmLiteError: a task failed; the message names file, row and column. Its shard is missing, and the others
                are there. Another call goes on.
        """
        from spm_lite.engines import shards

        return self.run(shards.plan(paths, out, tokenizer, **options))

    def run(self, plan: Plan) -> Manifest:
        """Run the missing tasks of a plan, and finish it, as `encode_shards` does.

        Args:
            plan: a plan of `shards.plan` or `shards.load`.
        Returns:
            The figures of the job.
        Raises:
            SpmLiteError: as in `encode_shards`.
        """

        def tasks(numbers: Sequence[int]) -> Iterable[Failure]:
            self.start()
            with self.worker_errors():
                return list(self.run_tasks(plan, numbers))

        return run_all(plan, tasks)

    @contextmanager
    def worker_errors(self) -> Iterator[None]:
        """Raise an error of ours that a worker raised as itself, without the text of the engine around it."""
        try:
            yield
        except self.error_class() as error:
            found = raised_in_worker(str(error))
            if found is None:
                raise
            raise found from None

    # -- what an engine does ---------------------------------------------------------------------------------------

    @abstractmethod
    def start(self) -> None:
        """Raise OptionError if the engine's package is missing or too old."""

    @abstractmethod
    def error_class(self) -> type[Exception]:
        """The class of the engine's errors, some of which tell what a worker raised."""

    @abstractmethod
    def columns_of(self, table: Any) -> list[str]:
        """The columns of a table. Raises ArgumentTypeError for anything else."""

    @abstractmethod
    def count_column(
        self,
        table: Any,
        counter: PartialCounter,
        memory_limit: int | str | None,
        announce: Callable[..., None],
    ) -> CountTable:
        """Count a column. announce: takes the chunks and bytes to come, and a remark, before they come."""

    @abstractmethod
    def encode_column(self, table: Any, encoder: ColumnEncoder) -> Any:
        """A lazy table with the column of ids."""

    @abstractmethod
    def judge_column(self, table: Any, judge: ColumnJudge) -> Iterable[Quality]:
        """The figures of the parts of a column."""

    @abstractmethod
    def run_tasks(self, plan: Plan, numbers: Sequence[int]) -> Iterable[Failure]:
        """How some tasks of a plan ended."""
