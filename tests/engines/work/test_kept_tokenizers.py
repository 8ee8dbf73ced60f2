"""Packages of the engines: one that is missing is named with its extra."""

import re
import sys

import pytest
from oracle.repository import ROOT

from spm_lite import OptionError
from spm_lite.engines.work.kept_tokenizers import PACKAGES, partner


@pytest.mark.parametrize("extra", PACKAGES)
def test_a_missing_package_is_named_with_its_extra(extra: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (PACKAGES[extra], PACKAGES[extra].partition(".")[0]):  # another test may have imported it
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(OptionError, match=rf"pip install 'spm_lite\[{extra}\]'"):
        partner(extra)


def test_pandas_of_spark_is_pinned() -> None:
    """Its `mapInArrow` needs pandas 2.2 or newer, and warns on pandas 3."""
    settings = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    (line,) = re.findall(r"^spark = .*", settings, re.MULTILINE)
    assert '"pandas>=2.2,<3"' in line
