from typing import Any

from spm_lite.base.system.arrays import Int32Array, Int64Array

def lists_of(ids: Int32Array | memoryview | Any, offsets: Int64Array | memoryview | Any) -> list[list[int]]: ...
