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


class FaultError(RuntimeError):
    """A fault of the kernel; ``fault`` has its fields, as the report of ``texunit launch``."""

    def __init__(self, fault):
        self.fault = fault
        place = f"{fault.get('file')}:{fault.get('line')}: " if fault.get("line") else ""
        super().__init__(f"{place}{fault['kind']}: {fault['message']}")

    def __reduce__(self):
        return FaultError, (self.fault,)


def words(error):
    place = ":".join(str(error[key]) for key in ("file", "line") if error.get(key))
    label = f" ({error['label']})" if error.get("label") else ""
    return f"{place}{': ' if place else ''}error[{error.get('code')}]: {error.get('message')}{label}"
