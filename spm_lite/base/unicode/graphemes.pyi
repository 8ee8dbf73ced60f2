from spm_lite.base.unicode.ranges import named_ranges as named_ranges
from spm_lite.base.unicode.ranges.grapheme_ranges import RANGES as RANGES

NUMBERS: dict[str, int]

def read_ranges() -> None: ...
