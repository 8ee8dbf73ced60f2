"""Garbage collection is rare in a program, and unchanged for a call within another one."""

import gc
import subprocess
import sys

import pytest

from spm_lite.cli.main import main
from spm_lite.cli.termination import NEW_OBJECTS, few_collections


@pytest.fixture
def usual():
    threshold = gc.get_threshold()
    yield threshold
    gc.set_threshold(*threshold)
    gc.unfreeze()


def test_a_program_collects_rarely_and_not_at_its_end(usual):
    with few_collections(True):
        assert gc.get_threshold()[0] == NEW_OBJECTS
    assert gc.get_freeze_count() > 0


def test_another_program_keeps_its_collector(usual, capsys):
    before = gc.get_freeze_count()
    with few_collections(False):
        assert gc.get_threshold() == usual
    assert main(["--version"]) == 0
    assert (gc.get_threshold(), gc.get_freeze_count()) == (usual, before)


def test_the_program_itself_does_it(tmp_path):
    code = "import gc, sys; from spm_lite.cli.main import main; sys.argv[1:] = ['--version']; main(); "
    command = [sys.executable, "-c", code + "print(gc.get_freeze_count() > 0)"]
    shown = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)  # not beside the sources
    assert shown.stdout.split()[-1] == "True"
