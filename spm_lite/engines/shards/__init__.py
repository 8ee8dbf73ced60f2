"""Files to shards of ids: a plan of independent tasks, which any engine may run in any order, and more than once.

`plan` cuts the input. `run_task(i)` makes shard i, whole or not at all. `missing` tells which are still to do, and
`finish` checks that all are there. `verify` reads them back, and compares them with the input. The bytes of all shards
depend on inputs, model and options alone.
"""

from spm_lite.engines.shards.comparison import Problem
from spm_lite.engines.shards.finishing import Manifest
from spm_lite.engines.shards.plans import Plan, ShardOptions, load, merge, plan
from spm_lite.engines.shards.verifying import Verification

__all__ = ["Manifest", "Plan", "Problem", "ShardOptions", "Verification", "load", "merge", "plan"]
