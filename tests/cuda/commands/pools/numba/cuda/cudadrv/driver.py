"""A stand-in for Numba's linker, which returns PTX in place of machine code."""


class ObjectCode:
    def __init__(self, code, name):
        self.code, self.name = code, name

    from_cubin = classmethod(lambda cls, code, *, name="": cls(code, name))


class _Linker:
    def complete(self):
        return ObjectCode(b'.file 1 "/nowhere/<cell 1>"\n.file\t2 "' + __file__.encode() + b'"\n', "scatter")
