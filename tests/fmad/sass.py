"""What the code of a kernel computes, as expressions: one thread, integers as numbers, floats as symbols.

An expression is a tuple: ('in', address), ('neg', x), ('imm', bits, width), or an operation with its modifiers in its name:
('mul.f32', a, b), ('add.f32.ftz', a, b), ('sub.f32', a, b), ('fma.f32', a, b, c, whether c is subtracted). Operands that may
be exchanged are sorted, signs are moved outwards, so that equal results have equal expressions.
"""
import re
import struct
import subprocess


def sections(listing):
    """The instructions of each kernel of nvdisasm's output, with its labels."""
    kernels, current = {}, None
    for line in listing.splitlines():
        if m := re.match(r"\.text\.(\w+):", line):
            current = kernels.setdefault(m[1], [])
        elif current is not None:
            if m := re.match(r"\s*/\*[0-9a-f]+\*/\s+(.*?)\s*;?\s*$", line):
                current.append(m[1].rstrip("; "))
            elif m := re.match(r"(\.L_x_\d+):", line):
                current.append(m[1] + ":")
    return kernels


def code(nvdisasm, cubin):
    listing = subprocess.run([nvdisasm, "-c", cubin], capture_output=True, text=True, check=True)
    return sections(listing.stdout)


def neg(e):
    if e[0] == "neg":
        return e[1]
    if e[0] == "imm":
        return ("imm", e[1] ^ (1 << (e[2] - 1)), e[2])
    return ("neg", e)


def strip(e):
    """The sign and the rest."""
    if e[0] == "neg" or e[0] == "imm" and e[1] >> (e[2] - 1):
        return 1, neg(e)
    return 0, e


def is_minus_zero(e):
    return e[0] == "imm" and e[1] == 1 << (e[2] - 1)


def one(ty):
    return {"f16": 0x3C00, "bf16": 0x3F80}.get(ty)


def mul(ty, a, b, mods=""):
    (s, a), (t, b) = strip(a), strip(b)
    r = ("mul." + ty + mods,) + tuple(sorted((a, b), key=repr))
    return neg(r) if s ^ t else r


def add(ty, a, b, mods=""):
    for x, y in ((a, b), (b, a)):
        if is_minus_zero(x) and not mods:
            return y
    a, b = sorted((a, b), key=repr)
    signs = strip(a)[0], strip(b)[0]
    if ".sat" not in mods and signs == (1, 1):
        return neg(("add." + ty + mods,) + tuple(sorted((neg(a), neg(b)), key=repr)))
    if ".sat" not in mods and signs[0] != signs[1]:
        p, n = (a, neg(b)) if signs[1] else (b, neg(a))
        return ("sub." + ty + mods, p, n) if repr(p) <= repr(n) else neg(("sub." + ty + mods, n, p))
    return ("add." + ty + mods, a, b)


def fma(ty, a, b, c, mods=""):
    for x, y in ((a, b), (b, a)):
        if x[0] == "imm" and one(ty) is not None and x[1] & 0x7FFF == one(ty):
            return add(ty, neg(y) if x[1] >> 15 else y, c, mods)
    if is_minus_zero(c):
        return mul(ty, a, b, mods)
    (s, a), (t, b) = strip(a), strip(b)
    a, b = sorted((a, b), key=repr)
    u, c = strip(c)
    if ".sat" in mods:
        return ("fma." + ty + mods, a, b, s ^ t, c, u)
    r = ("fma." + ty + mods, a, b, c, s ^ t ^ u)
    return neg(r) if s ^ t else r


def half(v, which):
    """A half of a register."""
    if isinstance(v, int):
        return ("imm", v >> (16 * which) & 0xFFFF, 16)
    return v[1 + which] if v[0] == "pack" else ("half", which, v)


def packed(low, high):
    if low[0] == high[0] == "half" and (low[1], high[1]) == (0, 1) and low[2] == high[2]:
        return low[2]
    return ("pack", low, high)


def joined(low, high):
    """Two registers as a double."""
    if isinstance(low, int) and isinstance(high, int):
        return ("imm", high << 32 | low, 64)
    if isinstance(low, int) or isinstance(high, int):
        return ("join", low, high)
    flipped = high[0] == "neg"
    top = high[1] if flipped else high
    if low[0] == top[0] == "in" and top[1] == low[1] + 4:
        e = ("in8", low[1])
    elif low[0] == "low" and top[0] == "high" and low[1] == top[1]:
        e = low[1]
    else:
        return ("join", low, high)
    return neg(e) if flipped else e


class Unknown(Exception):
    """Something that is not interpreted here."""


class Thread:
    """Runs the code of a kernel."""

    def __init__(self, code, load, param):
        self.code, self.labels = [], {}
        for line in code:
            if line.endswith(":"):
                self.labels[line[:-1]] = len(self.code)
            else:
                self.code.append(line)
        self.registers, self.predicates, self.stored = {}, {}, {}
        self.load, self.param = load, param

    def run(self):
        at = 0
        for _ in range(20000):
            line = self.code[at]
            at += 1
            if m := re.match(r"@(!?U?P[T\d]+)\s+(.*)", line):
                if not self.predicate(m[1]):
                    continue
                line = m[2]
            op, _, rest = line.partition(" ")
            operands = [x.strip().replace(".reuse", "").replace("] [", "][") for x in re.split(r",(?![^\[(]*[\])])", rest)]
            if op == "EXIT":
                return self.stored
            if op == "BRA":
                if len(operands) == 1 or self.predicate(operands[0]):
                    at = self.labels[re.search(r"\((\.L_x_\d+)\)", operands[-1])[1]]
                continue
            self.step(op.split("."), operands, line)
        raise Unknown("it does not end")

    def predicate(self, name):
        value = True if name.lstrip("!") in ("PT", "UPT") else self.predicates[name.lstrip("!")]
        return value != name.startswith("!")

    def get(self, name):
        return 0 if name in ("RZ", "URZ") else self.registers.get(name, ("undefined", name))

    def set(self, name, value):
        if name not in ("RZ", "URZ"):
            self.registers[name] = value

    def next(self, name, by=1):
        m = re.match(r"(U?R)(\d+)$", name)
        return m[1] + str(int(m[2]) + by) if m else name

    def word(self, x):
        """An operand as 32 bits: a number or an expression."""
        x = x.replace(".64", "")
        if x.startswith("~"):
            return self.word(x[1:]) ^ 0xFFFFFFFF
        if x.startswith("-"):
            return -self.word(x[1:]) & 0xFFFFFFFF
        if m := re.match(r"c\[0x0\]\[(0x[0-9a-f]+)\]$", x):
            return self.param(int(m[1], 16))
        if re.match(r"U?R(Z|\d+)$", x):
            return self.get(x)
        if re.match(r"(0x[0-9a-f]+|\d+)$", x):
            return int(x, 0)
        raise Unknown(x)

    def signed(self, x, value):
        """An operand with its sign and its bars."""
        minus = x[0] == "-" and not re.match(r"-([\d.I]|Q)", x)
        x = x[1:] if minus else x
        e = ("abs", value(x.strip("|"))) if x[0] == "|" else value(x)
        return neg(e) if minus else e

    def number(self, x, pack, width):
        if re.match(r"^[+-]?(\d|INF|QNAN)", x) and not x.startswith("0x"):
            value = float(x.replace("INF", "inf").replace("QNAN", "nan"))
            return ("imm", int.from_bytes(struct.pack("<" + pack, value), "little"), width)
        return None

    def single(self, x):
        def value(x):
            e = self.number(x, "f", 32) or self.word(x)
            return ("imm", e, 32) if isinstance(e, int) else e

        return self.signed(x, value)

    def double(self, x):
        def value(x):
            if m := re.match(r"c\[0x0\]\[(0x[0-9a-f]+)\]$", x):
                return joined(self.param(int(m[1], 16)), self.param(int(m[1], 16) + 4))
            return self.number(x, "d", 64) or joined(self.get(x), self.get(self.next(x)))

        return self.signed(x, value)

    def halves(self, x, which):
        swizzle = None
        if m := re.match(r"(.*?)\.(H0_H0|H1_H1|H0_NH1)(\|?)$", x):
            x, swizzle = m[1] + m[3], m[2]
        which = {"H0_H0": 0, "H1_H1": 1, "H0_NH1": 1 - which}.get(swizzle, which)
        e = self.signed(x, lambda x: half(self.word(x), which))
        # Written high half first.
        return neg(e) if swizzle == "H0_NH1" and which == 1 else e

    def address(self, x):
        x = re.sub(r"desc\[UR\d+\]", "", x)
        m = re.search(r"\[(U?R\d+)(?:\.64)?(?:\+(-?0x[0-9a-f]+))?\]", x)
        low, high = self.get(m[1]), self.get(self.next(m[1]))
        return (high << 32 | low) + int(m[2] or "0", 16)

    def step(self, op, a, line):
        name = op[0]
        mods = "".join(f".{m.lower()}" for m in ("FTZ", "SAT", "RM", "RP", "RZ") if m in op)
        if name in ("NOP", "BSSY", "BSYNC", "WARPSYNC", "YIELD"):
            pass
        elif name == "FADD":
            self.set(a[0], add("f32", self.single(a[1]), self.single(a[2]), mods))
        elif name in ("FMUL", "FMUL32I"):
            self.set(a[0], mul("f32", self.single(a[1]), self.single(a[2]), mods))
        elif name == "FFMA":
            self.set(a[0], fma("f32", *map(self.single, a[1:4]), mods))
        elif name in ("DADD", "DMUL", "DFMA"):
            v = [self.double(x) for x in a[1:]]
            e = {"DADD": lambda: add("f64", v[0], v[-1]), "DMUL": lambda: mul("f64", *v[:2]), "DFMA": lambda: fma("f64", *v[:3])}[name]()
            self.set(a[0], ("low", e))
            self.set(self.next(a[0]), ("high", e))
        elif name in ("HADD2", "HMUL2", "HFMA2"):
            self.packed_halves(name, op, a, mods)
        elif name in ("MOV", "UMOV") or name in ("IMAD", "UIMAD") and "MOV" in op:
            self.set(a[0], self.word(a[1] if name.endswith("MOV") else a[3]))
        elif name == "CS2R":
            self.set(a[0], 0)
            self.set(self.next(a[0]), 0)
        elif name in ("LDC", "ULDC"):
            offset = int(re.match(r"c\[0x0\]\[(0x[0-9a-f]+)\]", a[1])[1], 16)
            for k in range(2 if "64" in op else 1):
                self.set(self.next(a[0], k), self.param(offset + 4 * k))
        elif name == "LDG":
            at = self.address(a[1])
            if "U16" in op:
                self.set(a[0], self.load(at, 2))
            for k in range(0 if "U16" in op else 4 if "128" in op else 2 if "64" in op else 1):
                self.set(self.next(a[0], k), self.load(at + 4 * k, 4))
        elif name == "STG":
            at = self.address(a[0])
            if "U16" in op:
                self.stored[at] = half(self.word(a[1]), 0)
            for k in range(0 if "U16" in op else 4 if "128" in op else 2 if "64" in op else 1):
                self.stored[at + 4 * k] = self.word(self.next(a[1], k))
        elif name == "PRMT":
            first, selector, second = self.word(a[1]), self.word(a[2]), self.word(a[3])
            parts = []
            for shift in (0, 8):
                low, high = selector >> shift & 15, selector >> shift + 4 & 15
                if low & 1 or high != low + 1:
                    raise Unknown(line)
                parts.append(half(first if low < 4 else second, (low & 3) // 2))
            self.set(a[0], packed(*parts))
        elif name in ("SEL", "FSEL"):
            value = self.single if name == "FSEL" else self.word
            self.set(a[0], value(a[1] if self.predicate(a[3]) else a[2]))
        elif name in ("ISETP", "UISETP"):
            self.compare(op, a)
        elif name in ("PLOP3", "UPLOP3"):
            x, y, z = map(self.predicate, a[2:5])
            for d, table in ((a[0], a[5]), (a[1], a[6])):
                self.predicates[d] = bool(int(table, 16) >> (x << 2 | y << 1 | z) & 1)
        elif name in ("IADD3", "UIADD3", "VIADD", "UVIADD"):
            self.carry_add(op, a)
        elif name in ("IMAD", "UIMAD"):
            self.multiply(op, a)
        elif name in ("LOP3", "ULOP3") and a[-2 if a[-1][-1] == "T" else -1] == "0x3c" and self.word(a[2]) in (1 << 31, 0x80008000):
            v = self.word(a[1])
            both = ("pack", neg(half(v, 0)), neg(half(v, 1)))
            self.set(a[0], neg(v) if self.word(a[2]) == 1 << 31 else both)
        else:
            raise Unknown(line)

    def packed_halves(self, name, op, a, mods):
        ty = "bf16" if "BF16_V2" in op else "f16"
        operands, rest = [], a[1:]
        while rest:
            # A constant is two numbers, the high one first.
            is_pair = re.match(r"^[+-]?(\d|INF|QNAN)", rest[0]) and not rest[0].startswith("0x")
            operands.append(tuple(rest[:2]) if is_pair else rest[0])
            rest = rest[2 if is_pair else 1:]

        def value(x, which):
            if not isinstance(x, tuple):
                return self.halves(x, which)
            e = self.number(x[1 - which], "e" if ty == "f16" else "f", 16)
            return e if ty == "f16" else ("imm", e[1] >> 16, 16)

        results = []
        for which in (0, 1):
            v = [value(x, which) for x in operands]
            results.append({"HADD2": add, "HMUL2": mul, "HFMA2": fma}[name](ty, *v, mods))
        self.set(a[0], packed(*results))

    def compare(self, op, a):
        x, y = self.word(a[2]), self.word(a[3])
        if "U32" not in op:
            x, y = (v - (1 << 32) if v >> 31 else v for v in (x, y))
        holds = {"EQ": x == y, "NE": x != y, "LT": x < y, "LE": x <= y, "GT": x > y, "GE": x >= y}[op[1]]
        other = self.predicate(a[4])
        how = {"AND": lambda v: v and other, "OR": lambda v: v or other, "XOR": lambda v: v != other}
        how = next(f for word, f in how.items() if word in op)
        self.predicates[a[0]], self.predicates[a[1]] = how(holds), how(not holds)

    def carry_add(self, op, a):
        outs = [x for x in a[1:] if re.match(r"U?P[T\d]", x)]
        ins = [x for x in a[1:] if x.startswith("!")]
        if "X" in op:
            outs, ins = outs[:-1] if not ins else outs, outs[-1:] + ins
        values = [self.word(x) for x in a[1:] if not re.match(r"!?U?P[T\d]", x)]
        carries = sum(self.predicate(x) for x in ins) if "X" in op else 0
        total = sum(values) + carries
        self.set(a[0], total & 0xFFFFFFFF)
        for d in outs[:1]:
            self.predicates[d] = total >> 32 != 0

    def multiply(self, op, a):
        x, y = self.word(a[1]), self.word(a[2])
        z = self.word(a[3])
        if "WIDE" in op:
            top = self.get(self.next(a[3])) if re.match(r"U?R\d", a[3]) else self.param(int(a[3][7:-1], 16) + 4) if a[3][0] == "c" else 0
            total = x * y + (top << 32 | z)
            self.set(self.next(a[0]), total >> 32 & 0xFFFFFFFF)
        else:
            total = x * y + z
        self.set(a[0], total & 0xFFFFFFFF)
