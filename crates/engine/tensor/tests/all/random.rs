//! Tests whole instructions on registers, at every SIMD level, against the reference of one
//! element: with random numbers, and with difficult ones (cancellation, distant exponents,
//! subnormals, infinities, NaNs).

use texunit_simd::Build;
use texunit_tensor::{
    BitOperation, ElementType, Fragment, Operation, Order, Product, Scratch, Shape,
};
use texunit_testkit::Random;

type Registers = Vec<[u64; 32]>;

/// Shapes, types of A and B, types of C and D; `sp` means sparse.
const PRODUCTS: &[(&str, &str)] = &[
    ("m16n8k8 m16n8k16", "f16 f16 f16 f16/f16 f16 f32 f32/bf16 bf16 f32 f32"),
    ("m8n8k4", "f16 f16 f16 f16/f16 f16 f16 f32/f16 f16 f32 f32/f64 f64 f64 f64"),
    ("m16n8k4 m16n8k8", "tf32 tf32 f32 f32/f64 f64 f64 f64"),
    ("m16n8k16", "f64 f64 f64 f64"),
    (
        "m16n8k16 m16n8k32",
        "e4m3 e4m3 f32 f32/e4m3 e5m2 f16 f16/e5m2 e4m3 f32 f32/e5m2 e5m2 f16 f16",
    ),
    ("m8n8k16 m16n8k16 m16n8k32", "s8 s8 s32 s32/s8 u8 s32 s32/u8 s8 s32 s32/u8 u8 s32 s32"),
    ("m8n8k32 m16n8k32 m16n8k64", "s4 s4 s32 s32/s4 u4 s32 s32/u4 s4 s32 s32/u4 u4 s32 s32"),
    ("m8n8k128 m16n8k128 m16n8k256", "b1 b1 s32 s32"),
    ("sp m16n8k16 m16n8k32", "f16 f16 f16 f16/f16 f16 f32 f32/bf16 bf16 f32 f32"),
    ("sp m16n8k8 m16n8k16", "tf32 tf32 f32 f32"),
    ("sp m16n8k32 m16n8k64", "s8 u8 s32 s32/u8 s8 s32 s32"),
    ("sp m16n8k64 m16n8k128", "s4 s4 s32 s32/u4 s4 s32 s32"),
    ("sp m16n8k64", "e4m3 e5m2 f32 f32"),
];

fn products() -> Vec<Product> {
    let mut all = Vec::new();
    for (shapes, types) in PRODUCTS {
        let sparse = shapes.starts_with("sp ");
        for shape in shapes.trim_start_matches("sp ").split(' ') {
            for types in types.split('/') {
                let types: Vec<ElementType> =
                    types.split(' ').map(|name| ElementType::from_name(name).unwrap()).collect();
                let [a, b, c, d] = types[..] else { panic!() };
                for (saturate, operation) in [(false, BitOperation::Xor), (true, BitOperation::And)]
                {
                    let shape = Shape::from_name(shape).unwrap();
                    all.push(Product {
                        shape,
                        a,
                        b,
                        c,
                        d,
                        saturate,
                        operation,
                        sparse,
                        wmma: false,
                    });
                }
            }
        }
    }
    all
}

/// A random number of one of several kinds.
fn number(random: &mut Random, number: ElementType, kind: u32) -> u64 {
    let (exponent, mantissa) = match number {
        ElementType::F16 => (5, 10),
        ElementType::Bf16 => (8, 7),
        ElementType::Tf32 | ElementType::F32 => (8, 23),
        ElementType::E4m3 => (4, 3),
        ElementType::E5m2 => (5, 2),
        ElementType::F64 => (11, 52),
        _ => return random.u64() & u64::MAX >> (64 - number.bits()),
    };
    let any = random.u64() & u64::MAX >> (64 - number.bits());
    let top = (1u64 << exponent) - 1;
    let field = match kind {
        // Exponents near one; small; arbitrary, including infinity; subnormal and zero.
        0 => top / 2 - 1 + random.below(3u64),
        1 => top / 2 - random.below(top / 3),
        2 => any >> mantissa & top,
        3 => random.below(2u64),
        _ => [0, top, top / 2, top - 1][random.below(4usize)],
    };
    let fraction = match (kind, random.below(4u32)) {
        (4, 0..3) | (3, 0) => 0,
        _ => any & ((1 << mantissa) - 1),
    };
    any >> (exponent + mantissa) << (exponent + mantissa) | field << mantissa | fraction
}

fn registers(random: &mut Random, of: &Fragment, of_number: ElementType, kind: u32) -> Registers {
    let bits = if of_number == ElementType::B1 { 32 } else { of_number.bits() };
    let mut word = |kind| {
        (0..of.elements()).fold(0, |word, i| {
            let element = match of_number {
                ElementType::B1 => random.u32().into(),
                _ => number(random, of_number, kind),
            };
            word | element << (bits as usize * i)
        })
    };
    (0..of.registers()).map(|_| std::array::from_fn(|_| word(kind))).collect()
}

/// The element at a position of a matrix, from registers.
fn element(of: &Fragment, number: ElementType, from: &Registers, at: (usize, usize)) -> u64 {
    let bits = if number == ElementType::B1 { 32 } else { number.bits() };
    for (register, lanes) in from.iter().enumerate() {
        for (lane, word) in lanes.iter().enumerate() {
            for i in 0..of.elements() {
                if of.position(register, lane, i) == at {
                    return word >> (bits as usize * i) & u64::MAX >> (64 - bits);
                }
            }
        }
    }
    panic!("no lane holds {at:?}");
}

/// The columns of A that are stored in a row, by the figures of the ISA (9.7.14.5.19): for each
/// shape, which thread of a group of four has which columns' metadata, and at which bit it begins.
fn stored(product: &Product, selector: usize, metadata: &[u64; 32], row: usize) -> Vec<usize> {
    let k = usize::from(product.shape.k);
    let group = 4 * (row % 8);
    let (low, high) = (row / 8 == 0, row / 8 == 1);
    let word = |thread: usize, half: Option<bool>| {
        let word = metadata[group + thread] as u32;
        match half {
            None => u64::from(word),
            Some(high) => u64::from(word >> if high { 16 } else { 0 } & 0xffff),
        }
    };
    let bits: u64 = match (product.a, k) {
        (ElementType::F16 | ElementType::Bf16, 16) | (ElementType::Tf32, 8) => {
            word(selector, Some(high))
        }
        (ElementType::F16 | ElementType::Bf16, _) | (ElementType::Tf32, _) => {
            word(2 * selector, Some(high)) | word(2 * selector + 1, Some(high)) << 16
        }
        (ElementType::S8 | ElementType::U8, 32) | (ElementType::S4 | ElementType::U4, 64) => {
            word(2 * selector + usize::from(high), None)
        }
        _ if low => word(0, None) | word(2, None) << 32,
        _ => word(1, None) | word(3, None) << 32,
    };
    let mut columns = Vec::new();
    for at in 0..16 {
        let (first, second) =
            ((bits >> (4 * at) & 3) as usize, (bits >> (4 * at + 2) & 3) as usize);
        match product.a {
            // 0100 selects the first of two elements, 1110 the second.
            ElementType::Tf32 => columns.push(2 * at + first / 2),
            ElementType::S4 | ElementType::U4 => {
                columns.extend(
                    [first, second].iter().flat_map(|p| [8 * at + 2 * p, 8 * at + 2 * p + 1]),
                );
            }
            _ => columns.extend([4 * at + first, 4 * at + second]),
        }
    }
    columns.truncate(k / 2);
    columns
}

#[test]
fn fast_and_reference_agree_at_every_level() {
    let mut random = Random::for_test(0x7e45);
    let mut scratch = Scratch::default();
    for product in products() {
        let orders = [Order::Row, Order::Column];
        let orders = (orders[random.below(2usize)], orders[random.below(2usize)]);
        let selector = u8::from(product.shape.k == 16 && product.sparse) * random.below(2u8);
        let operation = Operation::mma(product, orders, selector);
        let [a_of, b_of, c_of, d_of] = operation.fragments();
        for kind in 0..10 {
            let mut kinds = || if kind < 5 { kind } else { random.below(5) };
            let kinds = [kinds(), kinds(), kinds()];
            let a = registers(&mut random, a_of, product.a, kinds[0]);
            let b = registers(&mut random, b_of, product.b, kinds[1]);
            let mut c = registers(&mut random, c_of, product.c, kinds[2]);
            if kind % 3 == 1 {
                c.as_flattened_mut().fill(0);
            }
            let metadata: [u64; 32] = std::array::from_fn(|_| random.u32().into());
            let mut results = Vec::new();
            for build in Build::all() {
                let mut d = vec![[0; 32]; d_of.registers()];
                operation.run(build, &mut scratch, [&a, &b, &c], &metadata, &mut d);
                results.push((build, d));
            }
            for column in 0..8 {
                for row in 0..if product.a == ElementType::F16 && product.shape.k == 4 {
                    32
                } else {
                    product.shape.m.into()
                } {
                    // Each group of lanes of m8n8k4 has separate columns.
                    let b_column = if product.shape.k == 4 && product.a == ElementType::F16 {
                        row / 8 * 8 + column
                    } else {
                        column
                    };
                    let lines = if product.a == ElementType::B1 {
                        product.terms() / 32
                    } else {
                        product.terms()
                    };
                    let ks: Vec<usize> = match product.sparse {
                        true => stored(&product, selector.into(), &metadata, row),
                        false => (0..lines).collect(),
                    };
                    let of_a: Vec<u64> =
                        (0..lines).map(|k| element(a_of, product.a, &a, (k, row))).collect();
                    let of_b: Vec<u64> =
                        ks.iter().map(|&k| element(b_of, product.b, &b, (k, b_column))).collect();
                    let of_c = element(c_of, product.c, &c, (column, row));
                    let wanted = product.element(&of_a, &of_b, of_c);
                    for (build, d) in &results {
                        let got = element(d_of, product.d, d, (column, row));
                        assert_eq!(
                            got, wanted,
                            "{product:?} {build:?} kind {kind} ({row}, {column}): {got:x}, not {wanted:x}\n{of_a:x?}\n{of_b:x?}\n{of_c:x}"
                        );
                    }
                }
            }
        }
    }
}
