from spm_lite.base.unicode.ranges import bert_ranges as bert_ranges
from spm_lite.base.unicode.ranges import ranges_of as ranges_of

def fill_kinds() -> None: ...
