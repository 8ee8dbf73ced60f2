"""Other programs that read files back: what they need is there before they begin."""

import pytest

from spm_lite.formats.proof import partner_programs


def test_too_little_memory_is_an_error_before_the_program_begins():
    partner_programs.check_room(1 << 20)
    with pytest.raises(MemoryError, match="reads a file back needs"):
        partner_programs.check_room(1 << 62)


def test_a_lack_of_memory_is_no_failure_of_the_program(monkeypatch):
    monkeypatch.setattr(partner_programs, "ROOM", 1 << 62)
    partner = partner_programs.Partner("none", lambda texts: [[1]] * len(texts), None)
    with pytest.raises(MemoryError):
        partner.encode(["a"])
