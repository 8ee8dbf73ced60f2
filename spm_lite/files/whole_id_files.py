"""The files of one call: all appear together at the end, or none does."""

from __future__ import annotations

from contextlib import ExitStack

from spm_lite.files.id_forms import make_writer
from spm_lite.files.id_writer import IdWriter, OutputFile
from spm_lite.files.new_files import NewFile, new_file
from spm_lite.files.paired_files import commit_files, naming, settle_files
from spm_lite.files.temporary_files import new_tag


class WholeFiles:
    """A context manager around a writer: `finish` puts its files in their places; leaving without it removes them."""

    writer: IdWriter

    def __init__(self, paths: tuple[str, ...], format: str, dtype: str, vocabulary: str) -> None:
        self._paths = paths
        self._given = format, dtype, vocabulary
        self._files: list[NewFile] = []
        self._stack = ExitStack()
        self._is_finished = False

    def __enter__(self) -> WholeFiles:
        settle_files(*self._paths)
        tag = new_tag()
        try:
            outputs = []
            for path in self._paths:
                file = new_file(path, tag)
                self._files.append(file)
                self._stack.push(file)  # before it is opened: Ctrl-C may come at any moment
                with naming(path):
                    file.__enter__()
                outputs.append(OutputFile(file.stream, file.path, path))
            self.writer = make_writer(outputs, *self._given)
        except BaseException:
            self._stack.close()
            raise
        return self

    def __exit__(self, *error: object) -> None:
        if not self._is_finished:
            self.writer.forget()
        self._stack.close()

    def finish(self) -> None:
        """Complete all files and put them in their places."""
        self.writer.finish()
        self._is_finished = True
        for file, path in zip(self._files, self._paths, strict=True):
            with naming(path):
                file.complete()
        commit_files(self._files, self._paths)
