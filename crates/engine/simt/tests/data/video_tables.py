"""Makes video.txt: what ptxas 13.5 makes for sm_86 of the scalar video instructions, run.

    python3 video_tables.py PTXAS NVDISASM

No GPU of today has these instructions: ptxas writes code of several machine instructions, which does
not do in all cases what the PTX ISA says (docs/numerics.md, 13.12). This script writes a kernel for
each form, assembles it, and runs the machine code that nvdisasm shows, instruction by instruction, on
words of its own. Nothing here knows what a video instruction is to compute. Rows are those of
form_tables.py.
"""
import itertools
import random
import re
import subprocess
import sys

M = 0xffffffff
TYPES = ("u32", "s32")
PARTS = ["", ".b0", ".b1", ".b2", ".b3", ".h0", ".h1"]
EDGES = [0, 1, 2, 0x7f, 0x80, 0xff, 0x100, 0x7fff, 0x8000, 0xffff, 0x10000, 0x7fffffff, 0x80000000, 0x80000001,
         0xfffffffe, 0xffffffff, 0xff80, 0xffff8000, 31, 32, 33, 63, 64, 0x80ff7f01]
COMPARE = {"LT": lambda x, y: x < y, "LE": lambda x, y: x <= y, "GT": lambda x, y: x > y,
           "GE": lambda x, y: x >= y, "EQ": lambda x, y: x == y, "NE": lambda x, y: x != y}


def signed(x):
    return x - (1 << 32) if x >> 31 else x


class Machine:
    """Registers and predicates of a thread, and what the machine instructions do that such code has."""

    def __init__(self, sources):
        self.registers, self.predicates, self.sources, self.result = {"RZ": 0}, {"PT": True}, sources, None

    def term(self, text):
        """The bits of an operand, and what a minus sign adds to them."""
        text = text.replace(".reuse", "")
        if re.match(r"-R|~R", text):
            return ~self.registers[text[1:]] & M, int(text[0] == "-")
        if re.fullmatch(r"-?0x[0-9a-f]+", text):
            return int(text, 16) & M, 0
        if text.startswith("c["):
            return 0, 0
        return self.registers[text], 0

    def value(self, text):
        return sum(self.term(text)) & M

    def predicate(self, text):
        return not self.predicates[text[1:]] if text[0] == "!" else self.predicates[text]

    def put(self, to, x):
        if to != "RZ":
            self.registers[to] = x & M

    def put_predicate(self, to, x):
        if to != "PT":
            self.predicates[to] = bool(x)

    def step(self, text):
        guard = re.match(r"@(!?P\d) (.*)", text)
        if guard:
            if not self.predicate(guard[1]):
                return
            text = guard[2]
        name, _, rest = text.partition(" ")
        words, ops = name.split("."), rest.split(", ") if rest else []
        make = getattr(self, "op_" + words[0].lower())
        make(words[1:], ops)

    def op_exit(self, words, ops):
        pass

    op_uldc = op_exit

    def op_ldg(self, words, ops):
        at = re.search(r"\+0x([0-9a-f]+)\]", ops[1])
        self.put(ops[0], self.sources[int(at[1], 16) // 4 if at else 0])

    def op_stg(self, words, ops):
        assert "+0xc]" in ops[0]
        self.result = self.value(ops[1])

    def op_mov(self, words, ops):
        self.put(ops[0], self.value(ops[1]))

    def op_prmt(self, words, ops):
        a, choice, c = (self.value(o) for o in ops[1:])
        pair, result = c << 32 | a, 0
        for i in range(4):
            n = choice >> 4 * i & 15
            byte = pair >> 8 * (n & 7) & 255
            result |= ((255 if byte & 128 else 0) if n & 8 else byte) << 8 * i
        self.put(ops[0], result)

    def op_sel(self, words, ops):
        self.put(ops[0], self.value(ops[1] if self.predicate(ops[3]) else ops[2]))

    def op_imnmx(self, words, ops):
        assert words == ["U32"]
        pair = self.value(ops[1]), self.value(ops[2])
        self.put(ops[0], min(pair) if self.predicate(ops[3]) else max(pair))

    def op_shf(self, words, ops):
        low, by, high = (self.value(o) for o in ops[1:])
        pair, kind = high << 32 | low, words[1]
        if words[0] == "L":
            pair <<= min(by, 32 if kind == "U32" else 64)
        else:
            if kind[0] == "S" and pair >> 63:
                pair -= 1 << 64
            pair >>= min(by, 32 if kind[1:] == "32" else 64)
        self.put(ops[0], pair >> 32 if "HI" in words else pair)

    def op_lop3(self, words, ops):
        to = None
        if re.fullmatch(r"P\d|PT", ops[0]):
            to, ops = ops[0], ops[1:]
        d, a, b, c, table, last = ops
        assert last == "!PT"
        a, b, c, table = self.value(a), self.value(b), self.value(c), int(table, 16)
        x = sum((table >> ((a >> k & 1) << 2 | (b >> k & 1) << 1 | c >> k & 1) & 1) << k for k in range(32))
        self.put(d, x)
        if to:
            self.put_predicate(to, x)

    def op_isetp(self, words, ops):
        assert "AND" in words
        a, b = self.value(ops[2]), self.value(ops[3])
        if "U32" not in words:
            a, b = signed(a), signed(b)
        if "EX" not in words:
            x = COMPARE[words[0]](a, b)
        elif words[0] == "NE":
            x = a != b or self.predicate(ops[5])
        else:
            # The upper words decide, and where they are equal the lower ones.
            above = words[0] != "EQ" and COMPARE[words[0][0] + "T"](a, b)
            x = above or (a == b and self.predicate(ops[5]))
        self.put_predicate(ops[0], x and self.predicate(ops[4]))
        self.put_predicate(ops[1], not x and self.predicate(ops[4]))

    def add(self, ops, extended):
        d, ops, carries, more = ops[0], ops[1:], [], 0
        while re.fullmatch(r"P\d|PT", ops[0]):
            carries.append(ops.pop(0))
        while re.fullmatch(r"!?P\d|!?PT", ops[-1]):
            assert extended
            more += self.predicate(ops.pop())
        total = more + sum(sum(self.term(o)) for o in ops)
        assert not carries or total >> 32 <= len(carries)
        for k, carry in enumerate(carries):
            self.put_predicate(carry, total >> 32 > k)
        self.put(d, total)

    def op_iadd3(self, words, ops):
        self.add(ops, "X" in words)

    def op_imad(self, words, ops):
        if words[:1] == ["WIDE"]:
            n, c = int(ops[0][1:]), 0
            if ops[3] != "RZ":
                k = int(ops[3].replace(".reuse", "")[1:])
                c = self.registers["R%d" % k] | self.registers["R%d" % (k + 1)] << 32
            x = signed(self.value(ops[1])) * signed(self.value(ops[2])) + c
            self.put("R%d" % n, x)
            self.put("R%d" % (n + 1), x >> 32)
        elif words in (["X"], ["IADD"]):
            assert ops[2] == "0x1" or ops[1] == ops[2] == "RZ"
            first = [ops[1]] if ops[2] == "0x1" else []
            self.add([ops[0]] + first + ops[3:], words == ["X"])
        else:
            assert words in ([], ["MOV"], ["MOV", "U32"])
            self.put(ops[0], self.value(ops[1]) * self.value(ops[2]) + self.value(ops[3]))

    def op_lea(self, words, ops):
        assert words == ["HI", "X", "SX32"]
        a = signed(self.value(ops[1])) << int(ops[3], 16)
        self.put(ops[0], (a >> 32) + self.value(ops[2]) + self.predicate(ops[4]))


def forms():
    """Instructions with D32, A32, B32 and C32 in the place of registers."""
    def ways(words):
        yield "%s D32, A32, B32;" % words
        for second in ("add", "min", "max"):
            yield "%s.%s D32, A32, B32, C32;" % (words, second)
        for part in PARTS[1:]:
            yield "%s D32%s, A32, B32, C32;" % (words, part)

    for op in ("vadd", "vsub", "vabsdiff", "vmin", "vmax"):
        for d, a, b, sat in itertools.product(TYPES, TYPES, TYPES, ("", ".sat")):
            yield from ways("%s.%s.%s.%s%s" % (op, d, a, b, sat))
    for op, d, a, sat, mode in itertools.product(("vshl", "vshr"), TYPES, TYPES, ("", ".sat"), (".clamp", ".wrap")):
        yield from ways("%s.%s.%s.u32%s%s" % (op, d, a, sat, mode))
    for a, b, how in itertools.product(TYPES, TYPES, ("eq", "ne", "lt", "le", "gt", "ge")):
        yield from ways("vset.%s.%s.%s" % (a, b, how))
    for a, b, minus, sat, scale in itertools.product(
            TYPES, TYPES, ("", "A", "B", "AB", "C", "po"), ("", ".sat"), ("", ".shr7", ".shr15")):
        d = "s32" if "s32" in (a, b) or minus in ("A", "B", "C") else "u32"
        po = ".po" if minus == "po" else ""
        sign = lambda name: "-" if name in minus else ""
        yield "vmad.%s.%s.%s%s%s%s D32, %sA32, %sB32, %sC32;" % (d, a, b, po, sat, scale, sign("A"), sign("B"), sign("C"))


def code(instructions, ptxas, nvdisasm):
    """The machine instructions of each, without those behind the exit."""
    text = ".version 8.8\n.target sm_86\n.address_size 64\n"
    for n, instruction in enumerate(instructions):
        named = re.sub(r"\b([ABCD]32)", r"%\1", instruction)
        text += """.visible .entry k%d(.param .u64 p) {
.reg .u64 %%p; .reg .u32 %%A32, %%B32, %%C32, %%D32;
ld.param.u64 %%p, [p];
ld.global.u32 %%A32, [%%p]; ld.global.u32 %%B32, [%%p+4]; ld.global.u32 %%C32, [%%p+8];
%s
st.global.u32 [%%p+12], %%D32;
ret; }\n""" % (n, named)
    with open("/tmp/video.ptx", "w") as out:
        out.write(text)
    subprocess.run([ptxas, "-arch=sm_86", "/tmp/video.ptx", "-o", "/tmp/video.cubin"], check=True)
    shown = subprocess.run([nvdisasm, "-c", "/tmp/video.cubin"], check=True, capture_output=True, text=True).stdout
    found = {}
    for line in shown.splitlines():
        section = re.match(r"\s*\.section\s+\.text\.k(\d+)", line)
        machine = re.match(r"\s*/\*[0-9a-f]{4,}\*/\s+(.*?)\s*;", line)
        if section:
            here = found.setdefault(int(section[1]), [])
        elif machine and "EXIT" not in here:
            here.append(re.sub(r"\s+", " ", machine[1]))
    return [found[n] for n in range(len(instructions))]


def with_parts(form):
    """The form with parts of its sources."""
    for name in ("A32", "B32"):
        form = form.replace(name, name + random.choice(PARTS))
    return form


def word():
    return random.choice(EDGES) if random.random() < 0.6 else random.getrandbits(random.choice([5, 8, 16, 32, 32, 32]))


def main():
    random.seed(20261123)
    every = list(forms())
    every += [with_parts(random.choice(every)) for _ in range(500)]
    rows = set()
    for instruction, machine in zip(every, code(every, *sys.argv[1:])):
        for _ in range(6):
            m = Machine([word(), word(), word()])
            for step in machine:
                m.step(step)
            rows.add("%s | %x %x %x = %x\n" % (instruction, *m.sources, m.result))
    with open("video.txt", "w") as out:
        out.write("# Made by video_tables.py\n")
        out.writelines(sorted(rows))
    print(len(rows), "rows")


main()
