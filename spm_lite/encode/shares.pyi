from typing_extensions import disjoint_base

from spm_lite.base.system.thread_tasks import Worker

@disjoint_base
class TextWorker(Worker): ...
