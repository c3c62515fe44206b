"""The JSON reports of many programs and jobs as one."""

import json
import math

# Members of reports, as crates/observe/evidence/schemas/report.schema.json has them.
COUNTERS = ("launches", "thread_instructions", "fetches", "surface_accesses", "accesses_past_end", "more_faults", "more_findings", "more_api_errors")  # fmt: skip
TIMES = ("milliseconds", "cpu_milliseconds")
LISTS = ("faults", "findings", "running", "api_errors", "allocations", "libraries", "processes")
OF_KERNELS = ("launches", "blocks", "threads", *TIMES, "warp_instructions", "thread_instructions", "fetches", "surface_accesses", "divisions_by_zero", "accesses_past_end")  # fmt: skip


def report(programs):
    """One report of ``Program``s, in their order."""
    from texunit import __version__

    merged = {"texunit": __version__, "runs": [], "devices": [], "fidelity": {"measured_on": None, "instructions": []}}
    merged |= {key: 0 for key in COUNTERS} | {key: 0.0 for key in TIMES} | {key: [] for key in LISTS}
    kernels, accesses, instructions = {}, [], {}
    for number, program in enumerate(programs):
        one = program.report
        if one is not None and "job" in one:
            one = _of_job(one)
        merged["runs"].append(_run(program, one))
        if one is None:
            continue
        for key in COUNTERS + TIMES:
            merged[key] += one[key]
        for key in LISTS:
            merged[key] += [{**item, "run": number} for item in one[key]]
        merged["devices"] += [device for device in one["devices"] if device not in merged["devices"]]
        accesses += one["accesses"]
        fidelity = one["fidelity"]
        if fidelity is not None:
            merged["fidelity"]["measured_on"] = fidelity["measured_on"]
            for row in fidelity["instructions"]:
                instructions.setdefault(_key(row, "kernel", "opcode", "class", "register"), row)
        for kernel in one["kernels"]:
            kernels.setdefault(_key(kernel, "name", "place"), []).append(kernel)
    merged["fidelity"]["instructions"] = list(instructions.values())
    merged["kernels"] = [_kernel(same) for same in kernels.values()]
    merged["accesses"] = _counted(accesses, "kind", "geometry", "format")
    for key in TIMES:
        merged[key] = round(merged[key], 3)
    return merged


def _key(item, *names):
    return json.dumps([item[name] for name in names], sort_keys=True)


def _counted(items, *names):
    """Those that agree in these members as one, whose count is the sum."""
    found = {}
    for item in items:
        same = found.setdefault(_key(item, *names), {**item, "count": 0})
        same["count"] += item["count"]
    return list(found.values())


def _kernel(same):
    """The launches of a kernel by several programs."""
    merged = dict(same[0])
    for key in OF_KERNELS:
        merged[key] = sum(kernel[key] for kernel in same)
    merged["accesses"] = _counted([row for kernel in same for row in kernel["accesses"]], "kind", "geometry", "format")
    rows = [row for kernel in same for row in kernel["interpreted"]]
    merged["interpreted"] = _counted(rows, "place", "instruction")
    older = [kernel["ptx_older_than_device"] for kernel in same]
    merged["ptx_older_than_device"] = next((text for text in older if text), None)
    return merged


def _run(program, one):
    """How a program or job ended."""
    run = dict.fromkeys(("signal", "timed_out_after_seconds", "not_executed", "evidence_lost", "schedule", *TIMES))
    run |= (one or {}).get("run") or {}
    return {**run, "command": program.program, "exit_code": program.returncode}


# A job's report (docs/jobs.md) as that of a program.


def _of_job(job):
    launched = job["instructions"] is not None
    fault = job["fault"]
    of = {key: job[key] or 0 for key in ("fetches", "surface_accesses", "accesses_past_end")}
    times = job["times"] or {}
    milliseconds = round((times.get("launch") or 0.0) * 1e3, 3)
    thread_instructions = job["instructions"]["thread"] if launched else 0
    kernels = []
    if launched:
        kernels = [
            {
                "name": job["kernel"],
                "function": job["kernel"],
                "place": None,
                "launches": 1,
                "blocks": math.prod(job["grid"]),
                "threads": math.prod(job["grid"]) * math.prod(job["block"]),
                "milliseconds": milliseconds,
                "cpu_milliseconds": milliseconds,
                "warp_instructions": job["instructions"]["warp"],
                "thread_instructions": thread_instructions,
                "divisions_by_zero": job["divisions_by_zero"] or 0,
                "fmad": job["fmad"],
                "ptx_older_than_device": None,
                "accesses": [],
                "interpreted": [
                    {"place": _place(job["job"], row), "instruction": row["instruction"], "count": row["count"]}
                    for row in job["interpreted"] or []
                ],
                **of,
            }
        ]
    # What is wrong with the job itself keeps its kernel from being executed.
    errors = [error["message"] for error in job["errors"]]
    report = {key: [] for key in LISTS} | {key: 0 for key in COUNTERS} | of
    return report | {
        "run": {"not_executed": "\n".join(errors) or None, "milliseconds": milliseconds},
        "devices": [],
        "launches": len(kernels),
        "milliseconds": milliseconds,
        "cpu_milliseconds": milliseconds,
        "thread_instructions": thread_instructions,
        "accesses": [],
        "kernels": kernels,
        "fidelity": job["fidelity"],
        "faults": [_fault(job, fault)] if fault else [],
        "findings": [{**row, "process": 0, "launch": 1, "level": "error", "code": None} for row in job["findings"] or []],
        "more_findings": job.get("findings_not_shown") or 0,
    }


def _place(file, row):
    ptx = {"file": file, "line": row["line"], "column": row["column"], "text": row.get("text") or ""}
    return {"ptx": ptx, "frames": row.get("frames") or []}


def _fault(job, fault):
    return {
        "kind": fault["kind"],
        "level": "error",
        "message": fault["message"],
        "help": fault["help"],
        "notes": [],
        "code": None,
        "count": 1,
        "process": 0,
        "kernel": fault["kernel"],
        "function": fault["kernel"],
        "launch": 1,
        "block": fault["cta"],
        "thread": fault["thread"],
        "file": fault["file"],
        "line": fault["line"],
        "column": fault["column"],
        "place": _place(fault["file"], fault),
    }
