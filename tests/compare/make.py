"""Writes the jobs of this folder: instructions whose results are not settled by measurement, or were read off
machine code, for `texunit compare` to run on a card (docs/compare.md, docs/numerics.md section 13).

    python3 make.py
"""
import itertools
import pathlib

HERE = pathlib.Path(__file__).parent
EDGES = [0, 1, 2, 0x7f, 0x80, 0xff, 0x100, 0x7fff, 0x8000, 0xffff, 0x10000, 0x7fffffff, 0x80000000, 0x80000001,
         0xfffffffe, 0xffffffff, 0xff80, 0xffff8000, 31, 32, 33, 63, 64, 0x80ff7f01]
# Quiet and signalling NaNs of both signs, infinities, zeros, numbers.
DOUBLES = [0x7ff8000000000000, 0xfff8000000000001, 0x7ffc000012345678, 0xffffffffffffffff, 0x7ff0000000000001,
           0xfff4000000000042, 0x7ff0000020000000, 0xfff0040000000000, 0x7ff0000000000000, 0xfff0000000000000,
           0, 1 << 63, 0x3ff0000000000000, 0xc000000000000000, 0x7fefffffffffffff, 0x0010000000000000]


def job(name, about, ptx, block, out, tables=()):
    """A folder with kernel `k` of the address of its results and of those of its tables."""
    folder = HERE / name
    folder.mkdir(exist_ok=True)
    (folder / "kernel.ptx").write_text("// Made by make.py: %s\n%s" % (about, ptx))
    text = '# Made by make.py: %s\nptx = "kernel.ptx"\nkernel = "k"\ngrid = [1]\nblock = [%d]\n' % (about, block)
    text += '\n[params.out]\nbuffer = { zeros = %d }\noutput = { file = "out.npy", format = "u32" }\n' % out
    for param, kind, words in tables:
        text += "\n[params.%s]\nbuffer = { %s = [%s] }\n" % (param, kind, ", ".join('"%#x"' % w for w in words))
    (folder / "job.toml").write_text(text)


def head(version, target, params):
    listed = ", ".join(".param .u64 %s" % p for p in params)
    return ".version %s\n.target %s\n.address_size 64\n.visible .entry k(%s)\n{\n" % (version, target, listed)


def shuffles(name, sync):
    masks = [0xffff, 0xaaaaaaaa, 0x80000001, 0x0f0f1234, 1]
    body, count = [], 0
    for mask, mode, by in itertools.product(masks, ("up", "down", "bfly", "idx"), (0, 1, 3, 16)):
        words = "shfl.sync" if sync else "shfl"
        members = ", %#x" % mask if sync else ""
        body.append("""	mov.u32 	%%m, %#x;
	shr.u32 	%%m, %%m, %%t;
	and.b32 	%%m, %%m, 1;
	setp.eq.u32 	%%away, %%m, 0;
	mov.u32 	%%r, 55;
	@%%away bra 	$L%d;
	%s.%s.b32 	%%r|%%p, %%v, %d, %d%s;
	@%%p add.u32 	%%r, %%r, 100000;
$L%d:
	st.global.u32 	[%%at+%d], %%r;
""" % (mask, count, words, mode, by, 0 if mode == "up" else 31, members, count, 128 * count))
        count += 1
    start = """	.reg .pred 	%p, %away;
	.reg .b32 	%t, %v, %r, %m;
	.reg .b64 	%at, %w;
	ld.param.u64 	%at, [out];
	mov.u32 	%t, %tid.x;
	mul.wide.u32 	%w, %t, 4;
	add.u64 	%at, %at, %w;
	mad.lo.u32 	%v, %t, 10, 7;
"""
    text = head("6.0" if not sync else "7.0", "sm_70" if sync else "sm_60", ["out"]) + start + "".join(body) + "	ret;\n}\n"
    job(name, "shuffles from lanes that do not execute them (13.11)", text, 32, 128 * count)


def nans():
    ops = ["%s.%s.f64 %%z, %%x, %%y;" % (op, mode) for op in ("add", "sub", "mul", "div") for mode in ("rn", "rz", "rm", "rp")]
    ops += ["fma.%s.f64 %%z, %s;" % (mode, order) for mode in ("rn", "rz")
            for order in ("%x, %y, %one", "%x, %one, %y", "%one, %x, %y", "%x, %y, %x", "%zero, %x, %y")]
    ops += ["%s %%z, %%x;" % op for op in ("rcp.rn.f64", "sqrt.rn.f64", "abs.f64", "neg.f64", "rsqrt.approx.f64",
                                           "cvt.rni.f64.f64", "cvt.rzi.f64.f64", "cvt.f64.f64")]
    ops += ["min.f64 %z, %x, %y;", "max.f64 %z, %x, %y;", "copysign.f64 %z, %x, %y;"]
    ops += ["cvt.%s.f32.f64 %%f, %%x; cvt.f64.f32 %%z, %%f;" % mode for mode in ("rn", "rz")]
    ops += ["cvt.rn.f32.f64 %f, %x; cvt.ftz.f64.f32 %z, %f;", "cvt.rn.f16.f64 %h, %x; cvt.f64.f16 %z, %h;",
            "cvt.u32.u64 %u, %xb; mov.b32 %f, %u; cvt.f64.f32 %z, %f;",
            "cvt.u16.u64 %h, %xb; cvt.f64.f16 %z, %h;", "cvt.u16.u64 %h, %xb; cvt.f32.bf16 %f, %h; mov.b32 %u, %f; mov.b64 %z, {%u, %t};",
            "shr.u64 %w, %xb, 32; cvt.u32.u64 %u, %w; mov.b32 %f, %u; cvt.rna.tf32.f32 %u, %f; mov.b64 %z, {%u, %t};",
            "st.global.f64 [%at], %x; atom.global.add.f64 %z, [%at], %y; ld.global.f64 %z, [%at];",
            "st.global.f64 [%at], %x; red.global.add.f64 [%at], %y; ld.global.f64 %z, [%at];"]
    body = "".join("	{ %s st.global.f64 [%%at], %%z; add.u64 %%at, %%at, 2048; }\n" % op for op in ops)
    start = """	.reg .b16 	%h;
	.reg .f32 	%f;
	.reg .b32 	%t, %u, %i;
	.reg .f64 	%x, %y, %z, %one, %zero;
	.reg .b64 	%at, %table, %w, %xb;
	ld.param.u64 	%at, [out];
	ld.param.u64 	%table, [table];
	mov.u32 	%t, %tid.x;
	mul.wide.u32 	%w, %t, 8;
	add.u64 	%at, %at, %w;
	shr.u32 	%i, %t, 4;
	mul.wide.u32 	%w, %i, 8;
	add.u64 	%w, %table, %w;
	ld.global.b64 	%xb, [%w];
	mov.b64 	%x, %xb;
	and.b32 	%i, %t, 15;
	mul.wide.u32 	%w, %i, 8;
	add.u64 	%w, %table, %w;
	ld.global.f64 	%y, [%w];
	mov.f64 	%one, 0d3FF0000000000000;
	mov.f64 	%zero, 0d0000000000000000;
"""
    text = head("7.8", "sm_80", ["out", "table"]) + start + body + "	ret;\n}\n"
    # cvt.f32.bf16 is for sm_90.
    text = text.replace(body, "".join(line + "\n" for line in body.splitlines() if "f32.bf16" not in line))
    job("nans", "NaNs of f64 and in conversions (13.2, 13.7, 13.8)", text, 256, 2048 * len(ops), [("table", "u64", DOUBLES)])


def video():
    types = ("u32", "s32")
    forms = []
    for op in ("vadd", "vsub", "vabsdiff", "vmin", "vmax", "vshl", "vshr"):
        for d, a in itertools.product(types, types):
            mode = ".clamp" if op in ("vshl", "vshr") else ""
            b = "u32" if mode else a
            for part in ("", ".b1", ".h1"):
                forms.append("%s.%s.%s.%s.sat%s %%d%s, %%a, %%b%s;" % (op, d, a, b, mode, part, ", %c" if part else ""))
            for second in ("add", "min", "max"):
                forms.append("%s.%s.%s.%s.sat%s.%s %%d, %%a, %%b, %%c;" % (op, d, a, b, mode, second))
    for a, second in itertools.product(types, ("add", "min", "max")):
        forms.append("vset.%s.%s.lt.%s %%d, %%a, %%b, %%c;" % (a, a, second))
    for a, scale in itertools.product(types, ("", ".shr7", ".shr15")):
        forms.append("vmad.%s.%s.%s.sat%s %%d, %%a, %%b, %%c;" % (a, a, a, scale))
    threads = len(EDGES) ** 2
    body = "".join("	%s st.global.u32 [%%at], %%d; add.u64 %%at, %%at, %d;\n" % (form, 4 * threads) for form in forms)
    index = lambda d, i: "	mul.wide.u32 	%%w, %s, 4;\n	add.u64 	%%w, %%table, %%w;\n	ld.global.u32 	%s, [%%w];\n" % (i, d)
    start = """	.reg .b32 	%%t, %%i, %%j, %%k, %%a, %%b, %%c, %%d;
	.reg .b64 	%%at, %%table, %%w;
	ld.param.u64 	%%at, [out];
	ld.param.u64 	%%table, [table];
	mov.u32 	%%t, %%tid.x;
	mul.wide.u32 	%%w, %%t, 4;
	add.u64 	%%at, %%at, %%w;
	div.u32 	%%i, %%t, %d;
	rem.u32 	%%j, %%t, %d;
	mad.lo.u32 	%%k, %%i, 7, %%j;
	rem.u32 	%%k, %%k, %d;
""" % ((len(EDGES),) * 3) + index("%a", "%i") + index("%b", "%j") + index("%c", "%k")
    text = head("7.0", "sm_70", ["out", "table"]) + start + body + "	ret;\n}\n"
    job("video", "scalar video instructions (13.12)", text, threads, 4 * threads * len(forms), [("table", "u32", EDGES)])


shuffles("shuffle", True)
shuffles("shuffle-without-sync", False)
nans()
video()
