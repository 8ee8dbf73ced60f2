from typing_extensions import disjoint_base

from spm_lite.base.system.workers import Worker

@disjoint_base
class TextWorker(Worker): ...
