"""Tasks on an executor: what they share, and those of dead workers done again."""

import concurrent.futures
import hashlib
import os
import tempfile
import threading
from collections import OrderedDict
from typing import Any

KEPT = 4  # things that a worker keeps of calls
REPEATS = 3  # how often the tasks of dead workers are done again


class Shared:
    """Bytes that a worker loads once, and keeps what it has made of them."""

    def __init__(self, content, ray, folder):
        self.key = hashlib.sha256(content).hexdigest()
        self.path = self.ref = None
        if ray is not None:
            # In a list, so that a task gets the reference and asks for its content when it does not have it.
            self.ref = [ray.put(content)]
        else:
            file, self.path = tempfile.mkstemp(prefix="texunit-", dir=folder)
            with os.fdopen(file, "wb") as file:
                file.write(content)

    def made(self, make):
        """What ``make`` makes of the bytes. The caller keeps it while it works with it."""
        with LOCK:
            if self.key in MADE:
                MADE.move_to_end(self.key)
                return MADE[self.key]
        if self.ref is not None:
            import ray

            content = ray.get(self.ref[0])
        else:
            with open(self.path, "rb") as file:
                content = file.read()
        made = make(content)
        with LOCK:
            MADE[self.key] = made
            while len(MADE) > KEPT:
                MADE.popitem(last=False)
        return made

    def close(self):
        if self.path is not None:
            os.unlink(self.path)


MADE: OrderedDict[str, Any] = OrderedDict()
LOCK = threading.Lock()


def ray_of(executor):
    """The module ``ray``, if the executor is that."""
    return executor if getattr(executor, "__name__", None) == "ray" else None


def _again(pool):
    """A pool like one that is broken."""
    if not isinstance(pool, concurrent.futures.ProcessPoolExecutor):
        raise TypeError("the executor is broken; give a function that makes one, so that tasks can be repeated")
    return concurrent.futures.ProcessPoolExecutor(
        pool._max_workers, mp_context=pool._mp_context, initializer=pool._initializer, initargs=pool._initargs
    )


def worker_count(executor, workers):
    if workers is not None:
        if workers < 1:
            raise ValueError("workers: a number from 1")
        return workers
    if (ray := ray_of(executor)) is not None:
        return max(1, int(ray.cluster_resources().get("CPU", 1)))
    return getattr(executor, "_max_workers", None) or os.cpu_count() or 1


def each(executor, function, tasks):
    """Results of all tasks in their order; the first error ends it."""
    if (ray := ray_of(executor)) is not None:
        remote = ray.remote(max_retries=REPEATS)(function)
        references = [remote.remote(*task) for task in tasks]
        try:
            return ray.get(references)
        except ray.exceptions.RayTaskError as error:
            for reference in references:
                ray.cancel(reference, force=False)
            raise (error.cause if isinstance(error.cause, Exception) else error) from None
    mine, pool = not hasattr(executor, "submit"), executor
    if mine:
        pool = executor()
    results, left, repeats = {}, list(range(len(tasks))), 0
    try:
        while left:
            futures = {}
            try:
                for number in left:
                    futures[number] = pool.submit(function, *tasks[number])
                for number in left:
                    results[number] = futures[number].result()
                left = []
            except concurrent.futures.BrokenExecutor:
                if repeats == REPEATS:
                    raise
                repeats += 1
                for number, future in futures.items():
                    if future.done() and not future.cancelled() and future.exception() is None:
                        results[number] = future.result()
                left = [number for number in left if number not in results]
                old, pool = pool, executor() if not hasattr(executor, "submit") else _again(pool)
                if mine:
                    old.shutdown(wait=False)
                mine = True
            except BaseException:
                for future in futures.values():
                    future.cancel()
                raise
    finally:
        if mine:
            pool.shutdown()
    return [results[number] for number in range(len(tasks))]


def split(total, count):
    """So many ranges, or fewer, as equal as can be."""
    count = max(1, min(total, count))
    return [(total * n // count, total * (n + 1) // count) for n in range(count)]
