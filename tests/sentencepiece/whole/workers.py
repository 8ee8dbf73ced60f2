"""Workers of a data loader, which sample each in a process or thread of its own. Run by test_workers.

Usage: python workers.py MODULE MODEL START [SEED]. MODULE: spm_lite or sentencepiece. START: fork, spawn, forkserver,
threads, grandchildren or fork_in_threads. Writes what is drawn as JSON: the parent's draws before each epoch and at the
end, and those of 4 workers in each of 3 epochs.
"""

import importlib
import json
import multiprocessing
import queue
import sys
import threading

TEXT = "hello world this is the test hello world this is the test"
N_EPOCHS, N_WORKERS, N_DRAWS = 3, 4, 3


def draw(sp):
    """Some segmentations: the chance that two workers draw the same ones is below one in a million."""
    return [sp.encode(TEXT, enable_sampling=True, alpha=0.05, nbest_size=-1) for _ in range(N_DRAWS)]


def work(results, sp):
    results.put(draw(sp))


def parent(results, sp, context):
    """A worker whose own child draws."""
    child = context.Process(target=work, args=(results, sp))
    child.start()
    child.join()


def forking_thread(results, sp, context):
    """A thread that draws, then forks a process that draws for it."""
    draw(sp)
    parent(results, sp, context)


def epoch(sp, start):
    """The draws of the workers, in the order in which they come."""
    context = multiprocessing.get_context(start if start in ("spawn", "forkserver") else "fork")
    results = queue.Queue() if start == "threads" else context.Queue()
    make = threading.Thread if start in ("threads", "fork_in_threads") else context.Process
    target, more = {"grandchildren": (parent, (context,)), "fork_in_threads": (forking_thread, (context,))}.get(
        start, (work, ())
    )
    workers = [make(target=target, args=(results, sp, *more)) for _ in range(N_WORKERS)]
    for worker in workers:
        worker.start()
        if start == "fork_in_threads":
            worker.join()
    drawn = [results.get(timeout=500) for _ in workers]
    for worker in workers:
        worker.join()
    return drawn


def main(module, path, start, seed=None):
    library = importlib.import_module(module)
    sp = library.SentencePieceProcessor(model_file=path)
    if seed is not None:
        library.SetRandomGeneratorSeed(int(seed))
    parents, epochs = [], [epoch(sp, start)]
    for _ in range(N_EPOCHS - 1):
        parents.append(draw(sp))
        epochs.append(epoch(sp, start))
    parents.append(draw(sp))
    print(json.dumps({"parents": parents, "epochs": epochs}))


if __name__ == "__main__":
    main(*sys.argv[1:])
