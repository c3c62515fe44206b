#!/usr/bin/env python3
"""Asks ptxas which products it fuses: random kernels, their code evaluated as expressions, and what became of each sum.

usage: ptxas.py SEED COUNT [--arch sm_86] [--tools DIR] > cases.txt

For each kernel, in the form of cases.txt: its type, and its body with a comment behind each sum without a rounding modifier
whose result is needed: 0 where it stayed apart, 1 or 2 for the operand that a product was fused into, `=` where it may be
either, `?` where that differs from path to path or round to round (loops that ptxas unrolls). No GPU is needed. Without
ptxas and nvdisasm: exit code 77.
"""
import argparse
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile

import sass
from sass import add, fma, half, joined, mul, neg

IN, OUT, SCALE, ROUND = 0x2000, 0x100000, 0x8000, 4096
# By type: prefix of registers, type of registers and memory, size.
TYPES = {"f32": ("%f", "f32", 4), "f64": ("%d", "f64", 8), "f16": ("%h", "b16", 2), "f16x2": ("%q", "b32", 4),
         "bf16": ("%h", "b16", 2), "bf16x2": ("%q", "b32", 4)}
IMMEDIATES = {"f32": ["0f406CCCCD", "0fC0A00000", "0f41200000"], "f64": ["0dC014000000000000", "0d4024000000000000"]}
CONDITIONS = [[a, b, c] for a in (0, 1, 2, 6) for b in (0, 1) for c in (0, 3)]


class Kernel:
    """The body of a kernel, made at random: a list of instructions as dictionaries."""

    def __init__(self, rng, ty):
        self.rng, self.ty, self.body = rng, ty, []
        self.inputs = rng.randint(3, 6)
        self.registers, self.labels, self.stores, self.seen = self.inputs, 0, 0, set()
        # What this kernel is about.
        self.guards = rng.choice([0, 0, 0, 0.25])
        self.again = rng.choice([0, 0, 0.25])
        self.copies = rng.choice([0, 0, 1])
        self.immediates = rng.choice([0, 0, 0.2]) if ty in IMMEDIATES else 0
        self.scaled = rng.random() < 0.3
        packed_b = ty.startswith("bf16")
        flush = [""] if packed_b or ty == "f64" else ["", ".ftz"]
        self.mul_mods = rng.choice([[""], [""], flush, ["", ".rn"] + ([] if packed_b or ty == "f64" else [".sat"])])
        self.add_mods = rng.choice([[""], [""], flush, ["", ".rn"] + ([] if packed_b or ty == "f64" else [".sat", ".rn.sat"])])
        self.kinds = rng.choice([[], [], ["if"], ["diamond"], ["label", "jump"], ["if", "diamond", "loop"], ["loop"]])
        if self.copies and packed_b:
            self.copies = 0
        self.block(list(range(self.inputs)), [], rng.choice([1, 1, 2]))

    def emit(self, op, **fields):
        self.body.append({"op": op, "guard": None, "mods": "", **fields})

    def arithmetic(self, visible, products):
        visible, products, rng = list(visible), list(products), self.rng

        def source(likely=0.5, constant=0.0):
            if rng.random() < constant:
                return rng.choice(IMMEDIATES[self.ty])
            if not products or rng.random() >= likely:
                return rng.choice(visible if rng.random() < 0.3 else visible[: self.inputs])
            return products[-1] if rng.random() < 0.5 else rng.choice(products)

        for _ in range(rng.randint(1, 8 if not self.kinds else 5)):
            guard = (rng.randrange(3), rng.random() < 0.5) if rng.random() < self.guards else None
            own = visible[self.inputs:]
            if own and rng.random() < self.again:
                d = rng.choice(own)
            else:
                d = self.registers
                self.registers += 1
                if guard:
                    self.emit("mov", d=d, s=[rng.choice(visible[: self.inputs])])
            what = rng.random()
            if what < 0.45:
                # The same product twice is a matter of common subexpressions.
                for _ in range(20):
                    s = [source(0.1), source(0.1, self.immediates)]
                    if tuple(sorted(map(str, s))) not in self.seen:
                        break
                self.seen.add(tuple(sorted(map(str, s))))
                self.emit("mul", d=d, s=s, guard=guard, mods=rng.choice(self.mul_mods))
                products += [d] if d not in products else []
            elif what < 0.9:
                s = [source(0.8, self.immediates), source(0.3)] if rng.random() < 0.5 else [source(0.3), source(0.8, self.immediates)]
                self.emit(rng.choice(["add", "sub"]), d=d, s=s, guard=guard, mods=rng.choice(self.add_mods), at=self.stores)
                self.store(d, guard)
                # Most products are read once.
                products = [p for p in products if p != d and (p not in s or rng.random() < 0.3)]
            elif what < 0.95 and self.copies:
                s = source(0.8)
                self.emit(rng.choice(["mov", "neg"]), d=d, s=[s], guard=guard)
                products += [d] if s in products and d not in products else []
            else:
                self.store(source(0.3), guard)
                continue
            visible += [d] if d not in visible else []
        self.store(rng.choice([v for v in visible if v not in products]), None)
        return visible, products

    def store(self, register, guard):
        self.emit("st", s=[register], guard=guard, at=self.stores)
        self.stores += 1

    def label(self):
        self.labels += 1
        return self.labels

    def block(self, visible, products, depth, in_loop=False):
        visible, products = self.arithmetic(visible, products)
        if depth == 0 or not self.kinds:
            return
        for _ in range(self.rng.randint(1, 2)):
            kind = self.rng.choice(self.kinds)
            guard = (self.rng.randrange(3), self.rng.random() < 0.5)
            if kind == "loop" and not in_loop:
                label = self.label()
                self.emit("begin", label=label)
                self.block(visible, products, depth - 1, True)
                self.emit("end", label=label, condition=self.rng.randrange(3))
            elif kind == "if":
                label = self.label()
                self.emit("bra", label=label, guard=guard)
                self.block(visible, products, depth - 1, in_loop)
                self.emit("label", label=label)
            elif kind == "diamond":
                other, end = self.label(), self.label()
                self.emit("bra", label=other, guard=guard)
                self.block(visible, products, depth - 1, in_loop)
                self.emit("bra", label=end)
                self.emit("label", label=other)
                self.block(visible, products, depth - 1, in_loop)
                self.emit("label", label=end)
            else:
                label = self.label()
                if kind == "jump":
                    self.emit("bra", label=label)
                self.emit("label", label=label)
            visible, products = self.arithmetic(visible, products)

    def lines(self, marks):
        r, memory, size = TYPES[self.ty]
        for i, q in enumerate(self.body):
            guard = "" if q["guard"] is None else f"@{'' if q['guard'][1] else '!'}%p{q['guard'][0]} "
            operands = ",".join(r + str(x) if isinstance(x, int) else x for x in ([q["d"]] if "d" in q else []) + q.get("s", []))
            op = q["op"]
            if op == "label":
                yield f"L{q['label']}:"
            elif op == "bra":
                yield f"{guard}bra L{q['label']};"
            elif op == "begin":
                yield f"mov.u32 %n,0; L{q['label']}:"
            elif op == "end":
                yield f"add.u32 %n,%n,1; add.u64 %o,%o,{ROUND}; setp.lt.u32 %p3,%n,%c{q['condition']}; @%p3 bra L{q['label']}; mov.b64 %o,%out;"
            elif op == "st":
                yield f"{guard}st.global.{memory} [%o+{q['at'] * size}],{operands};"
            elif op == "mov":
                yield f"{guard}mov.{memory} {operands};"
            else:
                mark = f" // {marks[i]}" if i in marks else ""
                yield f"{guard}{op}{q['mods']}.{self.ty} {operands};{mark}"

    def text(self, name):
        r, memory, size = TYPES[self.ty]
        yield f".visible .entry {name}(.param .u64 in, .param .u64 out, .param .u64 scale) {{"
        yield f".reg .{memory} {r}<{self.registers}>; .reg .pred %p<4>; .reg .u32 %n, %c<3>; .reg .u64 %in, %out, %o;"
        yield "ld.param.u64 %in,[in]; ld.param.u64 %out,[out]; mov.b64 %o,%out;"
        for i in range(self.inputs):
            if i == 0 and self.scaled:
                yield f"ld.param.{memory} {r}0,[scale];"
                continue
            yield f"ld.global.{memory} {r}{i},[%in+{i * size}];"
        for i in range(3):
            yield f"ld.global.u32 %c{i},[%in+{ROUND + 4 * i}]; setp.ne.u32 %p{i},%c{i},0;"
        yield from self.lines({})
        yield "ret; }"


def loader(conditions):
    def load(at, size):
        at -= IN
        if at >= ROUND:
            return conditions[(at - ROUND) // 4]
        return ("pack", ("half", at >> 1 & 1, ("in", at & ~3)), ("imm", 0, 16)) if size == 2 else ("in", at)

    return load


def params(arch):
    base = 0x160 if arch < "sm_90" else 0x210
    scale = {base + 16: ("in", SCALE), base + 20: ("in", SCALE + 4)}
    return lambda offset: scale.get(offset) or {base: IN, base + 8: OUT}.get(offset, 0)


class Model:
    """Executes a kernel beside its code: what each sum became is seen where it is stored."""

    def __init__(self, kernel, conditions, stored):
        self.kernel, self.conditions, self.stored = kernel, conditions, stored
        self.base = kernel.ty.removesuffix("x2")
        size = TYPES[kernel.ty][2]
        inputs = range(kernel.inputs)
        self.r = {
            "f32": lambda: {i: [("in", i * size)] for i in inputs},
            "f64": lambda: {i: [("in8", i * size)] for i in inputs},
            "f16": lambda: {i: [("half", i & 1, ("in", i * 2 & ~3))] for i in inputs},
            "f16x2": lambda: {i: [("half", h, ("in", i * 4)) for h in (0, 1)] for i in inputs},
        }[kernel.ty.removeprefix("b")]()
        if kernel.scaled:
            self.r[0] = {"f32": lambda: [("in", SCALE)], "f64": lambda: [("in8", SCALE)],
                         "f16": lambda: [("half", 0, ("in", SCALE))],
                         "f16x2": lambda: [("half", h, ("in", SCALE)) for h in (0, 1)]}[kernel.ty.removeprefix("b")]()
        # By register that holds a product: its factors, and whether its sign is changed.
        self.factors = {}

    def value(self, x):
        if isinstance(x, int):
            return self.r[x]
        return [("imm", int(x[2:], 16), 32 if x[1] == "f" else 64)]

    def seen(self, at, round_):
        ty, size = self.kernel.ty, TYPES[self.kernel.ty][2]
        at = OUT + at * size + round_ * ROUND
        v = self.stored.get(at)
        if v is None:
            raise sass.Unknown("not stored")
        if ty == "f32":
            return [("imm", v, 32) if isinstance(v, int) else v]
        if ty == "f64":
            return [joined(v, self.stored[at + 4])]
        return [half(v, 0), half(v, 1)] if ty.endswith("x2") else [v]

    def run(self):
        """What became of each sum, each time, by instruction."""
        body, found, at, round_ = self.kernel.body, {}, 0, 0
        labels = {q["label"]: i for i, q in enumerate(body) if q["op"] in ("label", "begin")}
        while at < len(body):
            i, q = at, body[at]
            at += 1
            if q["guard"] is not None and bool(self.conditions[q["guard"][0]]) != q["guard"][1]:
                continue
            op = q["op"]
            if op == "bra":
                at = labels[q["label"]]
            elif op == "begin":
                round_ = 0
            elif op == "end":
                round_ += 1
                if round_ < self.conditions[q["condition"]]:
                    at = labels[q["label"]] + 1
                else:
                    round_ = 0
            elif op == "st":
                if self.value(q["s"][0]) != self.seen(q["at"], round_):
                    raise sass.Unknown(f"{self.value(q['s'][0])} is stored as {self.seen(q['at'], round_)}")
            elif op in ("mov", "neg"):
                source = q["s"][0]
                self.r[q["d"]] = self.r[source] if op == "mov" else [neg(x) for x in self.r[source]]
                factors = self.factors.pop(source, None) if source == q["d"] else self.factors.get(source)
                self.factors.pop(q["d"], None)
                if factors:
                    self.factors[q["d"]] = (factors[0], factors[1] != (op == "neg"))
            elif op == "mul":
                s = [self.value(x) for x in q["s"]]
                self.r[q["d"]] = [mul(self.base, a, b, self.mods(q)) for a, b in zip(*s)]
                self.factors[q["d"]] = (s, False)
            elif op in ("add", "sub"):
                forms = self.forms(q)
                result = self.seen(q["at"], round_)
                of = [form for form, e in forms.items() if e == result]
                if not of:
                    raise sass.Unknown(f"{forms} is {result}")
                if ".rn" not in q["mods"]:
                    found.setdefault(i, set()).add("=" if len(of) > 1 else str(of[0]))
                elif of[0] != 0:
                    raise sass.Unknown("a rounding modifier")
                self.r[q["d"]] = result
                self.factors.pop(q["d"], None)
        return found

    def mods(self, q):
        return "".join(m for m in (".ftz", ".sat") if m in q["mods"])

    def forms(self, q):
        (a, b), sub = [self.value(x) for x in q["s"]], q["op"] == "sub"
        signed = [neg(x) for x in b] if sub else b
        forms = {0: [add(self.base, x, y, self.mods(q)) for x, y in zip(a, signed)]}
        for operand in (1, 2):
            held = self.factors.get(q["s"][operand - 1])
            if held is None:
                continue
            minus = held[1] != (sub and operand == 2)
            rest = a if operand == 2 else signed
            forms[operand] = [fma(self.base, neg(x) if minus else x, y, z, self.mods(q)) for x, y, z in zip(*held[0], rest)]
        return forms


def tools(folder):
    places = ["cu13/nvidia/cu13/bin/ptxas", "cu124/nvdisasm"]
    found = [pathlib.Path(folder) / place for place in places]
    missing = [str(path) for path in found if not path.exists()]
    if missing:
        print("SKIPPED: no", " and no ".join(missing), file=sys.stderr)
        sys.exit(77)
    return found


def main():
    root = pathlib.Path(__file__).resolve().parents[2]
    parser = argparse.ArgumentParser()
    parser.add_argument("seed", type=int)
    parser.add_argument("count", type=int)
    parser.add_argument("--arch", default="sm_86")
    parser.add_argument("--tools", default=os.environ.get("TEXUNIT_NVIDIA", root / "target/nvidia"))
    args = parser.parse_args()
    ptxas, nvdisasm = tools(args.tools)
    version = subprocess.run([ptxas, "--version"], capture_output=True, text=True).stdout
    release = re.search(r"release ([\d.]+)", version)[1]
    print(f"# ptxas {release}, {args.arch}, -O3: tests/fmad/ptxas.py {args.seed} {args.count}")
    types = [ty for ty in TYPES if args.arch >= "sm_90" or not ty.startswith("bf16")]
    rng, left_out = random.Random(args.seed), 0
    with tempfile.TemporaryDirectory() as folder:
        ptx, cubin = pathlib.Path(folder) / "k.ptx", pathlib.Path(folder) / "k.cubin"
        for first in range(0, args.count, 50):
            kernels = [Kernel(rng, rng.choice(types)) for _ in range(min(50, args.count - first))]
            target = "sm_90" if args.arch >= "sm_90" else "sm_80"
            lines = [f".version 8.0\n.target {target}\n.address_size 64"]
            for n, kernel in enumerate(kernels):
                lines += kernel.text(f"k{n}")
            ptx.write_text("\n".join(lines) + "\n")
            subprocess.run([ptxas, f"-arch={args.arch}", ptx, "-o", cubin], check=True)
            code = sass.code(nvdisasm, cubin)
            for n, kernel in enumerate(kernels):
                found = {}
                try:
                    for conditions in CONDITIONS:
                        thread = sass.Thread(code[f"k{n}"], loader(conditions), params(args.arch))
                        for i, marks in Model(kernel, conditions, thread.run()).run().items():
                            found.setdefault(i, set()).update(marks)
                except (sass.Unknown, KeyError, TypeError, IndexError, ValueError) as why:
                    left_out += 1
                    if "-v" in os.environ.get("FMAD_FLAGS", ""):
                        print(f"# {type(why).__name__} {str(why)[:300]}", *("#  " + x for x in kernel.lines({})), sep="\n")
                    continue
                marks = {i: next(iter(m)) if len(m) == 1 else "?" for i, m in found.items()}
                print(f"kernel {kernel.ty} {kernel.inputs} {kernel.registers} {int(kernel.scaled)}", *kernel.lines(marks), sep="\n")
    print(f"{args.count - left_out} kernels; {left_out} left out, whose code does more than is interpreted", file=sys.stderr)


if __name__ == "__main__":
    main()
