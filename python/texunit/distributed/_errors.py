"""What goes wrong in a grid."""


class RefusedError(ValueError):
    """Ranges that depend on each other, or cannot run alone, and mistakes of jobs.

    ``errors`` has them as in the report of ``texunit launch``; ``code`` and ``line`` are those of the first one.
    """

    def __init__(self, errors):
        self.errors = errors
        first = errors[0] if errors else {}
        self.code, self.line = first.get("code"), first.get("line")
        super().__init__("\n".join(words(error) for error in errors) or "refused")

    def __reduce__(self):
        return RefusedError, (self.errors,)


def kernel_fault(report):
    """The ``texunit.KernelFault`` of a report of ``texunit launch``; counters and printf are those of the report's range of CTAs."""
    from texunit import Counters, KernelFault, LaunchResult

    fault = report["fault"]
    # Where the source says nothing, the place is that in the PTX, as in a launch by `texunit.Module`.
    here = {"file": fault["file"], "line": fault["line"], "column": fault["column"], "function": fault["kernel"]}
    source = fault["frames"][0] if fault.get("frames") else here
    place = f"{source['file']}:{source['line']}: " if source["line"] else ""
    executed = report.get("instructions") or {}
    counters = Counters(
        executed.get("warp", 0),
        executed.get("thread", 0),
        *(report.get(name) or 0 for name in ("fetches", "surface_accesses", "divisions_by_zero", "accesses_past_end")),
    )
    seconds = (report.get("times") or {}).get("launch") or 0.0
    result = LaunchResult(report.get("printf") or "", counters, seconds, [])
    return KernelFault({**fault, "source": source}, f"{place}{fault['kind']}: {fault['message']}", result)


def words(error):
    place = ":".join(str(error[key]) for key in ("file", "line") if error.get(key))
    label = f" ({error['label']})" if error.get("label") else ""
    return f"{place}{': ' if place else ''}error[{error.get('code') or error.get('kind')}]: {error.get('message')}{label}"
