from typing import final

from typing_extensions import disjoint_base

@disjoint_base
class Worker: ...

@final
class Board: ...

@final
class Helper:
    def __new__(cls, board: Board, worker: Worker) -> Helper: ...
    def __call__(self, *args: object, **kwargs: object) -> None: ...

@final
class TaskWorker(Worker): ...
