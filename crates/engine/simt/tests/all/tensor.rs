//! Tests of tensor-core instructions: mma with registers filled according to the ISA, wmma from
//! memory to memory, and unsupported forms. The arithmetic of an element is tested by the
//! reference's crate, which compares it with a card.

use crate::common::{Arg, HEADER, How, kernel, load_text, run_fault};
use texunit_simt::FaultKind;
use texunit_tensor::{ElementType, Product, Shape};
use texunit_testkit::Random;

/// Lines of elements.
type Matrix = Vec<Vec<u64>>;

fn product(shape: &str, types: &str) -> Product {
    let number = |name| ElementType::from_name(name).unwrap();
    let [d, a, b, c] = types.split('.').map(number).collect::<Vec<_>>()[..] else { panic!() };
    Product {
        shape: Shape::from_name(shape).unwrap(),
        a,
        b,
        c,
        d,
        saturate: false,
        operation: Default::default(),
        sparse: false,
        wmma: false,
    }
}

/// Random numbers of similar magnitude, so that all of them affect the result.
fn number(random: &mut Random, number: ElementType) -> u64 {
    let any = random.u64() & u64::MAX >> (64 - number.bits());
    match number {
        ElementType::F16 => any & 0x83ff | (13 + random.below(4u64)) << 10,
        ElementType::Bf16 => any & 0x807f | (125 + random.below(4u64)) << 7,
        ElementType::Tf32 | ElementType::F32 => {
            any & 0x807f_ffff | (125 + random.below(4u64)) << 23
        }
        ElementType::F64 => any & !(0x7ff << 52) | (1021 + random.below(4u64)) << 52,
        _ => any,
    }
}

fn matrix(random: &mut Random, rows: u16, columns: u16, of: ElementType) -> Matrix {
    (0..rows).map(|_| (0..columns).map(|_| number(random, of)).collect()).collect()
}

/// The expected D by the reference, element by element. Single bits are passed in words.
fn expected(product: &Product, a: &Matrix, b: &Matrix, c: &Matrix) -> Matrix {
    let words = |bits: Vec<u64>| -> Vec<u64> {
        if product.a != ElementType::B1 {
            return bits;
        }
        let word = |bits: &[u64]| bits.iter().rev().fold(0, |word, bit| word << 1 | bit);
        bits.chunks(32).map(word).collect()
    };
    let (m, n) = (usize::from(product.shape.m), usize::from(product.shape.n));
    let element = |row: usize, column: usize| {
        let line = b.iter().map(|line| line[column]).collect();
        product.element(&words(a[row].clone()), &words(line), c[row][column])
    };
    (0..m).map(|row| (0..n).map(|column| element(row, column)).collect()).collect()
}

/// Row and column of element `i` of a lane's fragment of A or B, and of C or D: the ISA's tables
/// for each shape and type.
fn place(shape: Shape, of: ElementType, which: char, lane: usize, i: usize) -> (usize, usize) {
    let (group, thread) = (lane / 4, lane % 4);
    let Shape { m, k, .. } = shape;
    match (which, of, m, k) {
        ('c', _, 8, _) => (group, thread * 2 + i),
        ('c', ..) => (group + 8 * (i / 2), thread * 2 + i % 2),
        ('a', ElementType::F16 | ElementType::Bf16, ..) => {
            (group + 8 * (i / 2 % 2), thread * 2 + i % 2 + 8 * (i / 4))
        }
        ('b', ElementType::F16 | ElementType::Bf16, ..) => {
            (thread * 2 + i % 2 + 8 * (i / 2), group)
        }
        ('a', ElementType::Tf32, ..) | ('a', ElementType::F64, 16, _) => {
            (group + 8 * (i % 2), thread + 4 * (i / 2))
        }
        ('b', ElementType::Tf32 | ElementType::F64, ..) => (thread + 4 * i, group),
        ('a', ElementType::F64, ..) => (group, thread),
        ('a', ElementType::S8 | ElementType::U8 | ElementType::E4m3 | ElementType::E5m2, 8, _) => {
            (group, thread * 4 + i)
        }
        ('a', ElementType::S8 | ElementType::U8 | ElementType::E4m3 | ElementType::E5m2, ..) => {
            (group + 8 * (i / 4 % 2), thread * 4 + i % 4 + 16 * (i / 8))
        }
        ('b', ElementType::S8 | ElementType::U8 | ElementType::E4m3 | ElementType::E5m2, ..) => {
            (thread * 4 + i % 4 + 16 * (i / 4), group)
        }
        ('a', ElementType::S4 | ElementType::U4, 8, _) => (group, thread * 8 + i),
        ('a', ElementType::S4 | ElementType::U4, ..) => {
            (group + 8 * (i / 8 % 2), thread * 8 + i % 8 + 32 * (i / 16))
        }
        ('b', ElementType::S4 | ElementType::U4, ..) => (thread * 8 + i % 8 + 32 * (i / 8), group),
        ('a', _, 8, _) => (group, thread * 32 + i),
        ('a', ..) => (group + 8 * (i / 32 % 2), thread * 32 + i % 32 + 128 * (i / 64)),
        _ => (thread * 32 + i % 32 + 128 * (i / 32), group),
    }
}

/// The words of each lane's fragment of a matrix: elements in order, from the low bits up.
fn held(shape: Shape, of: ElementType, which: char, matrix: &Matrix) -> Vec<Vec<u32>> {
    let bits = of.bits() as usize;
    let elements = matrix.len() * matrix[0].len() / 32;
    (0..32)
        .map(|lane| {
            let mut words = vec![0u32; elements * bits / 32];
            for i in 0..elements {
                let (row, column) = place(shape, of, which, lane, i);
                let element = matrix[row][column];
                match bits {
                    64 => {
                        words[2 * i] = element as u32;
                        words[2 * i + 1] = (element >> 32) as u32;
                    }
                    _ => words[i * bits / 32] |= (element as u32) << (i * bits % 32),
                }
            }
            words
        })
        .collect()
}

fn braces(name: &str, count: usize) -> String {
    let names: Vec<String> = (0..count).map(|i| format!("%{name}{i}")).collect();
    format!("{{{}}}", names.join(","))
}

/// Loads each lane's words, executes an `mma`, and stores D's words.
fn run_mma(
    instruction: &str,
    wide: bool,
    inputs: &[Vec<Vec<u32>>],
    results: usize,
) -> Vec<Vec<u32>> {
    let (ty, bytes) = if wide { ("b64", 8) } else { ("b32", 4) };
    let words: usize = inputs.iter().map(|of| of[0].len()).sum();
    let mut body = format!(
        ".reg .b32 %t; .reg .b64 %in, %out, %at; .reg .{ty} %a<17>, %b<17>, %c<17>, %d<17>;
         mov.u32 %t, %laneid; ld.param.u64 %in, [in]; ld.param.u64 %out, [out];
         mul.wide.u32 %at, %t, {}; add.u64 %in, %in, %at;
         mul.wide.u32 %at, %t, {}; add.u64 %out, %out, %at;\n",
        4 * words,
        4 * results
    );
    let mut at = 0;
    let mut operands = vec![braces("d", 4 * results / bytes)];
    for (name, of) in ["a", "b", "c"].iter().zip(inputs) {
        let registers = 4 * of[0].len() / bytes;
        for i in 0..registers {
            body += &format!("ld.global.{ty} %{name}{i}, [%in+{}];\n", at + i * bytes);
        }
        at += registers * bytes;
        operands.push(braces(name, registers));
    }
    body += &format!("{instruction} {};\n", operands.join(", "));
    for i in 0..4 * results / bytes {
        body += &format!("st.global.{ty} [%out+{}], %d{i};\n", i * bytes);
    }
    let text = format!(
        ".version 8.7\n.target sm_90\n.address_size 64\n\
         .visible .entry k(.param .u64 in, .param .u64 out) {{ {body} ret; }}"
    );
    let loaded = load_text(&text);
    let lanes = (0..32).flat_map(|lane| inputs.iter().flat_map(move |of| of[lane].clone()));
    let (from, _) = loaded.filled(&lanes.collect::<Vec<u32>>());
    let (to, block) = loaded.buffer(32 * results);
    loaded.run("k", How::default(), &[Arg::U64(from), Arg::U64(to)]).unwrap();
    let word = |i: usize| block.load(4 * i as u64, 4).unwrap() as u32;
    (0..32).map(|lane| (0..results).map(|i| word(lane * results + i)).collect()).collect()
}

/// Shapes and types D, A, B and C of `mma`, with the modifiers that follow.
const MMA: &[(&str, &str, &str)] = &[
    ("m16n8k8 m16n8k16", "f16.f16.f16.f16 f32.f16.f16.f32 f32.bf16.bf16.f32", ""),
    ("m16n8k4 m16n8k8", "f32.tf32.tf32.f32", ""),
    ("m8n8k4 m16n8k4 m16n8k8 m16n8k16", "f64.f64.f64.f64", ""),
    ("m16n8k16 m16n8k32", "f32.e4m3.e5m2.f32 f16.e5m2.e4m3.f16", ""),
    ("m8n8k16 m16n8k16 m16n8k32", "s32.s8.u8.s32 s32.u8.s8.s32", ""),
    ("m8n8k32 m16n8k32 m16n8k64", "s32.s4.u4.s32 s32.u4.s4.s32", ""),
    ("m8n8k128 m16n8k128 m16n8k256", "s32.b1.b1.s32", ".xor.popc"),
];

#[test]
fn mma_of_every_shape() {
    let mut random = Random::for_test(0x33a);
    for (shapes, types, behind) in MMA {
        for shape in shapes.split(' ') {
            for types in types.split(' ') {
                let product = product(shape, types);
                let Shape { m, n, k } = product.shape;
                let a = matrix(&mut random, m, k, product.a);
                let b = matrix(&mut random, k, n, product.b);
                let c = matrix(&mut random, m, n, product.c);
                let inputs = [
                    held(product.shape, product.a, 'a', &a),
                    held(product.shape, product.b, 'b', &b),
                    held(product.shape, product.c, 'c', &c),
                ];
                let d = expected(&product, &a, &b, &c);
                let wanted = held(product.shape, product.d, 'c', &d);
                let name = format!("mma.sync.aligned.{shape}.row.col.{types}{behind}");
                let wide = product.a == ElementType::F64;
                let got = run_mma(&name, wide, &inputs, wanted[0].len());
                assert_eq!(got, wanted, "{name}");
            }
        }
    }
}

#[test]
fn doubles_are_rounded_in_directions() {
    let one = 1f64.to_bits();
    let tiny = (0.5f64).powi(80).to_bits();
    for (rounding, wanted) in
        [("", 1.0), (".rn", 1.0), (".rz", 1.0), (".rm", 1.0), (".rp", 1.0 + f64::EPSILON)]
    {
        let lane = |words: &[u64]| -> Vec<u32> {
            words.iter().flat_map(|word| [*word as u32, (word >> 32) as u32]).collect()
        };
        let inputs = [vec![lane(&[one]); 32], vec![lane(&[tiny]); 32], vec![lane(&[one; 2]); 32]];
        let name = format!("mma.sync.aligned.m8n8k4.row.col{rounding}.f64.f64.f64.f64");
        // Four products, each too small: rounded up, the first moves the sum by one unit in the
        // last place, and so do the others.
        let wanted = if rounding == ".rp" { 1.0 + 4.0 * f64::EPSILON } else { wanted };
        assert_eq!(
            run_mma(&name, true, &inputs, 4),
            vec![lane(&[wanted.to_bits(); 2]); 32],
            "{name}"
        );
    }
}

/// Half-precision products of groups of lanes, and sparse ones.
#[test]
fn other_fragments_of_mma() {
    // Lane l has row (or column) l % 4 (+ 4 from lane 16 on) of product l % 16 / 4, whose A is 2^q
    // I.
    let identity = |lane: usize, value: u32| {
        let word = |i: usize| if lane % 4 / 2 == i { value << (16 * (lane % 2)) } else { 0 };
        vec![word(0), word(1)]
    };
    let a: Vec<_> =
        (0..32).map(|lane| identity(lane, 0x3c00 + ((lane as u32 % 16 / 4) << 10))).collect();
    // Column l % 4 of B: rows 0 to 3 are 1 to 4, plus 4 times the column.
    let half = |value: u32| {
        [
            0x3c00, 0x4000, 0x4200, 0x4400, 0x4500, 0x4600, 0x4700, 0x4800, 0x4880, 0x4900, 0x4980,
            0x4a00, 0x4a80, 0x4b00, 0x4b80, 0x4c00,
        ][value as usize]
    };
    let b: Vec<_> = (0..32u32)
        .map(|lane| {
            let first = 4 * (lane % 4);
            vec![half(first) | half(first + 1) << 16, half(first + 2) | half(first + 3) << 16]
        })
        .collect();
    let c = vec![vec![0; 4]; 32];
    let got = run_mma("mma.sync.aligned.m8n8k4.row.col.f16.f16.f16.f16", false, &[a, b, c], 4);
    for (lane, words) in got.iter().enumerate() {
        let scale = (lane as u32 % 16 / 4) << 10;
        // Row lane % 4 of B, times 2^q; columns 4 to 7 are those of lanes 16 and up, which are
        // equal.
        let column = |n: u32| half(4 * (n % 4) + lane as u32 % 4) + scale;
        let wanted: Vec<u32> = (0..4).map(|i| column(2 * i) | column(2 * i + 1) << 16).collect();
        assert_eq!(*words, wanted, "lane {lane}");
    }
    // Of each group of four columns of A, elements 1 and 3 are stored: 0b1101; all are one, and so
    // is B but in row 3.
    let ones = vec![vec![0x3c00_3c00; 2]; 32];
    let b: Vec<_> = (0..32)
        .map(|lane| vec![if lane % 4 == 1 { 0x4400_3c00 } else { 0x3c00_3c00 }, 0x3c00_3c00])
        .collect();
    let c = vec![vec![0; 4]; 32];
    let text = "mov.b32 %t, 0xdddddddd;\nmma.sp::ordered_metadata.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32";
    // The metadata and the selector follow C.
    let got = run_mma_with(text, ", %t, 2", &[ones, b, c], 4);
    assert!(got.iter().flatten().all(|&word| f32::from_bits(word) == 11.0), "{got:?}");
}

fn run_mma_with(
    instruction: &str,
    behind: &str,
    inputs: &[Vec<Vec<u32>>],
    results: usize,
) -> Vec<Vec<u32>> {
    // The last operand includes the text that follows it.
    let (before, name) = instruction.rsplit_once('\n').unwrap();
    let whole = format!("{{ {before} {name}");
    let last = braces("c", inputs[2][0].len());
    let operands = [
        braces("d", results),
        braces("a", inputs[0][0].len()),
        braces("b", inputs[1][0].len()),
        last,
    ];
    let body = format!("{whole} {}{behind}; }}\n//", operands.join(", "));
    run_mma(&body, false, inputs, results)
}

/// Elements of a matrix in memory, in words.
fn stored(matrix: &Matrix, bits: usize, by_rows: bool, stride: usize) -> Vec<u32> {
    let (rows, columns) = (matrix.len(), matrix[0].len());
    let (lines, length) = if by_rows { (rows, columns) } else { (columns, rows) };
    let mut words = vec![0u32; (lines - 1) * stride * bits / 32 + length * bits / 32 + 1];
    let elements = matrix.iter().enumerate();
    let elements =
        elements.flat_map(|(y, line)| line.iter().enumerate().map(move |(x, e)| (y, x, e)));
    for (row, column, &element) in elements {
        let (line, at) = if by_rows { (row, column) } else { (column, row) };
        let bit = (line * stride + at) * bits;
        words[bit / 32] |= (element as u32) << (bit % 32);
        if bits == 64 {
            words[bit / 32 + 1] = (element >> 32) as u32;
        }
    }
    words
}

const WMMA: &[(&str, &str, &str)] = &[
    (
        "m16n16k16 m8n32k16 m32n8k16",
        "f16.f16.f16.f16 f32.f16.f16.f32 f16.f16.f16.f32 f32.f16.f16.f16",
        "row col",
    ),
    ("m16n16k16 m8n32k16 m32n8k16", "f32.bf16.bf16.f32 s32.s8.s8.s32 s32.u8.u8.s32", "row col"),
    ("m16n16k8", "f32.tf32.tf32.f32", "row col"),
    ("m8n8k4", "f64.f64.f64.f64", "row col"),
    ("m8n8k32", "s32.s4.s4.s32 s32.u4.u4.s32", ""),
    ("m8n8k128", "s32.b1.b1.s32", ""),
];

/// From memory to memory, in each order, in global, shared and generic memory, with and without a
/// stride.
#[test]
fn wmma_of_every_shape() {
    let mut random = Random::for_test(0x33b);
    for (shapes, types, orders) in WMMA {
        for (shape, types) in shapes.split(' ').flat_map(|s| types.split(' ').map(move |t| (s, t)))
        {
            let mut product = product(shape, types);
            product.wmma = true;
            let Shape { m, n, k } = product.shape;
            let orders: Vec<(&str, &str)> = match orders.is_empty() {
                true => vec![("row", "col")],
                false => {
                    orders.split(' ').flat_map(|a| orders.split(' ').map(move |b| (a, b))).collect()
                }
            };
            for (i, (a_order, b_order)) in orders.into_iter().enumerate() {
                let a = matrix(&mut random, m, k, product.a);
                let b = matrix(&mut random, k, n, product.b);
                let c = matrix(&mut random, m, n, product.c);
                let (c_order, d_order) = ([a_order, b_order][i % 2], [b_order, a_order][i % 2]);
                let line = |order: &str, rows: u16, columns: u16| {
                    usize::from(if order == "row" { columns } else { rows })
                };
                let (a_line, b_line, c_line) =
                    (line(a_order, m, k), line(b_order, k, n), line(c_order, m, n));
                let a_words = stored(&a, product.a.bits() as usize, a_order == "row", a_line);
                let b_stride = b_line + 32;
                let b_words = stored(&b, product.b.bits() as usize, b_order == "row", b_stride);
                let c_words = stored(&c, product.c.bits() as usize, c_order == "row", c_line);
                let d = expected(&product, &a, &b, &c);
                let d_stride = line(d_order, m, n) + 8;
                let wanted = stored(&d, product.d.bits() as usize, d_order == "row", d_stride);
                let registers = |elements: u16, number: ElementType, doubled: bool| match number {
                    ElementType::F16 if doubled => 8,
                    _ => {
                        usize::from(elements) * number.bits() as usize
                            / if number == ElementType::F64 { 2048 } else { 1024 }
                    }
                };
                let (a_of, b_of) =
                    (registers(m * k, product.a, true), registers(n * k, product.b, true));
                let (c_of, d_of) =
                    (registers(m * n, product.c, false), registers(m * n, product.d, false));
                let (name_a, name_d, name_c) =
                    (product.a.name(), product.d.name(), product.c.name());
                let middle = if product.a == ElementType::F16 {
                    String::new()
                } else {
                    format!(".{name_a}.{name_a}")
                };
                let bits = if product.a == ElementType::B1 { "xor.popc." } else { "" };
                let ty = if product.a == ElementType::F64 { "b64" } else { "b32" };
                // B goes to shared memory, or C is loaded by a generic address.
                let body = format!(
                    ".reg .b32 %i, %w, %s; .reg .b64 %a, %b, %c, %d, %at; .reg .pred %p; .reg .{ty} %ra<9>, %rb<9>, %rc<9>, %rd<9>;
                     .shared .align 128 .b8 sh[8192];
                     ld.param.u64 %a, [a]; ld.param.u64 %b, [b]; ld.param.u64 %c, [c]; ld.param.u64 %d, [d];
                     mov.u32 %i, %laneid; mov.u32 %s, sh;
COPY:                mul.wide.u32 %at, %i, 4; add.u64 %at, %at, %b; ld.global.b32 %w, [%at];
                     shl.b32 %w, %w, 0; mad.lo.u32 %s, %i, 4, 0; mov.u32 %s, sh; mad.lo.u32 %s, %i, 4, %s; st.shared.b32 [%s], %w;
                     add.u32 %i, %i, 32; setp.lt.u32 %p, %i, {words}; @%p bra COPY;
                     bar.sync 0;
                     mov.u32 %s, {b_stride};
                     wmma.load.a.sync.aligned.{a_order}.{shape}.global.{name_a} {ra}, [%a];
                     wmma.load.b.sync.aligned.{b_order}.{shape}.shared.{name_a} {rb}, [sh], %s;
                     wmma.load.c.sync.aligned.{c_order}.{shape}.{name_c} {rc}, [%c], {c_line};
                     wmma.mma.{bits}sync.aligned.{a_order}.{b_order}.{shape}.{name_d}{middle}.{name_c} {rd}, {ra}, {rb}, {rc};
                     wmma.store.d.sync.aligned.{d_order}.{shape}.global.{name_d} [%d+16], {rd}, {d_stride};",
                    words = b_words.len(),
                    ra = braces("ra", a_of),
                    rb = braces("rb", b_of),
                    rc = braces("rc", c_of),
                    rd = braces("rd", d_of),
                );
                let text = format!(
                    "{}.visible .entry k(.param .u64 a, .param .u64 b, .param .u64 c, .param .u64 d) {{ {body} ret; }}",
                    HEADER
                );
                let loaded = load_text(&text);
                // Reads of whole words may extend past the last used byte.
                let mut b_words = b_words;
                b_words.resize(b_words.len().next_multiple_of(32), 0);
                let [a, b, c] = [&a_words, &b_words, &c_words].map(|words| loaded.filled(words).0);
                let (to, block) = loaded.buffer(wanted.len() + 4);
                let how = How {
                    jit: [None, Some(texunit_simt::JitMode::Always)][i % 2],
                    ..How::default()
                };
                let args = [a, b, c, to].map(Arg::U64);
                let label = format!("{shape} {types} {a_order} {b_order}");
                loaded.run("k", how, &args).unwrap_or_else(|fault| panic!("{label}: {fault:?}"));
                let got: Vec<u32> = (0..wanted.len())
                    .map(|i| block.load(16 + 4 * i as u64, 4).unwrap() as u32)
                    .collect();
                assert_eq!(got, wanted, "{label}");
            }
        }
    }
}

#[test]
fn all_lanes_are_needed_and_addresses_are_checked() {
    let declarations = ".reg .b32 %r<8>; .reg .f32 %f<8>; .shared .align 16 .b8 sh[512];";
    let mma = "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%f0,%f1,%f2,%f3}, {%r0,%r1}, {%r2}, {%f0,%f1,%f2,%f3}; ret;";
    let few = How { block: [31, 1, 1], ..How::default() };
    let (fault, _) = run_fault(&kernel(declarations, mma), few, 32);
    assert!(
        matches!(&fault.kind, FaultKind::BadOperand(what) if what.contains("lane 31")),
        "{fault:?}"
    );
    let load = |place: &str| {
        let body = format!(
            "wmma.load.a.sync.aligned.row.m16n16k16.shared.s8 {{%r0,%r1}}, [sh+{place}], 16; ret;"
        );
        run_fault(&kernel(declarations, &body), How::default(), 32).0.kind
    };
    assert!(matches!(load("2"), FaultKind::Misaligned { size: 4, .. }));
    assert!(matches!(load("300"), FaultKind::OutOfBounds { .. }));
}
