//! Tests the fragments of wmma against ptxas's layout, and which bits an element of D depends on.

use std::io::Read;

use texunit_tensor::{ElementType, Evidence, Operation, Product, Shape};

fn operation(matrix: &str, shape: &str, number: ElementType) -> Operation {
    let shape = Shape::from_name(shape).unwrap();
    let factor = match (matrix, number) {
        ("a" | "b", _) | (_, ElementType::F64) => number,
        _ if shape.k == 8 => ElementType::Tf32,
        _ if shape.k == 32 => ElementType::S4,
        _ if shape.k == 128 => ElementType::B1,
        _ => ElementType::F16,
    };
    let sum = if matches!(matrix, "a" | "b") { ElementType::F32 } else { number };
    let (saturate, operation) = Default::default();
    let (sparse, wmma) = (false, true);
    Operation::wmma(Product {
        shape,
        a: factor,
        b: factor,
        c: sum,
        d: sum,
        saturate,
        operation,
        sparse,
        wmma,
    })
}

/// Compares the row and column of every element in every lane, for each of the 60 matrices.
#[test]
fn fragments_of_wmma_are_those_of_ptxas() {
    let file = std::fs::File::open(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/wmma.json.gz"));
    let mut text = String::new();
    flate2::read::GzDecoder::new(file.unwrap()).read_to_string(&mut text).unwrap();
    let data: serde_json::Value = serde_json::from_str(&text).unwrap();
    let forms = data["forms"].as_object().unwrap();
    assert_eq!(forms.len(), 60);
    for (form, places) in forms {
        let [matrix, shape, number] = form.split(' ').collect::<Vec<_>>()[..] else { panic!() };
        let number = ElementType::from_name(number).unwrap();
        let operation = operation(matrix, shape, number);
        let at = ["a", "b", "c", "d"].iter().position(|name| *name == matrix).unwrap();
        let fragment = &operation.fragments()[at];
        let mut wanted = places.as_str().unwrap().as_bytes().chunks(4).map(|place| {
            let part = |i: usize| {
                usize::from_str_radix(std::str::from_utf8(&place[i..i + 2]).unwrap(), 16).unwrap()
            };
            (part(0), part(2))
        });
        // Elements smaller than a byte are compared at the first element of a register; single bits
        // are counted in units of 32.
        let step = if number.bits() < 8 { fragment.elements() } else { 1 };
        for register in 0..fragment.registers() {
            for lane in 0..32 {
                for element in (0..fragment.elements()).step_by(step) {
                    let (y, x) = fragment.position(register, lane, element);
                    let y = if number == ElementType::B1 { 32 * y } else { y };
                    let got = if matrix == "a" { (x, y) } else { (y, x) };
                    let got = if matches!(matrix, "c" | "d") { (x, y) } else { got };
                    assert_eq!(Some(got), wanted.next(), "{form} register {register} lane {lane}");
                }
            }
        }
        assert_eq!(wanted.next(), None, "{form}");
    }
}

#[test]
fn an_element_depends_on_its_row_and_its_column() {
    let shape = Shape::from_name("m16n8k16").unwrap();
    let (saturate, operation, a) = (false, Default::default(), ElementType::F16);
    let product =
        Product { shape, a, b: a, c: a, d: a, saturate, operation, sparse: false, wmma: false };
    let operation = Operation::mma(product, Default::default(), 0);
    let [mut a, mut b, mut c] = [vec![[0; 32]; 4], vec![[0; 32]; 2], vec![[0; 32]; 2]];
    let mut d = vec![[0; 32]; 2];
    // Row 9 of A, column 2 of B, element (3, 5) of C.
    (a[1][6], b[0][8], c[0][14]) = (1 << 16, 1, 1 << 20);
    operation.dependence([&a, &b, &c], &mut d);
    for (register, lanes) in d.iter().enumerate() {
        for (lane, word) in lanes.iter().enumerate() {
            let of = |column: usize| {
                let row = lane / 4 + 8 * register;
                row == 9 || column == 2 || (row, column) == (3, 5)
            };
            let (low, high) = (of(lane % 4 * 2), of(lane % 4 * 2 + 1));
            let wanted = if low { 0xffff } else { 0 } | if high { 0xffff_0000 } else { 0 };
            assert_eq!(*word, wanted, "register {register} lane {lane}");
        }
    }
}

#[test]
fn what_was_measured_and_what_follows() {
    let of = |shape: &str, number: ElementType, sum: ElementType, sparse: bool| {
        let (shape, a) = (Shape::from_name(shape).unwrap(), number);
        let (saturate, operation) = Default::default();
        let (c, d, wmma) = (sum, sum, false);
        Product { shape, a, b: a, c, d, saturate, operation, sparse, wmma }.evidence()
    };
    assert_eq!(of("m16n8k16", ElementType::F16, ElementType::F32, false), Evidence::Measured);
    assert_eq!(of("m16n8k16", ElementType::F16, ElementType::F32, true), Evidence::Assumed);
    assert_eq!(of("m8n8k4", ElementType::F16, ElementType::F32, false), Evidence::Assumed);
    assert_eq!(of("m16n8k8", ElementType::Bf16, ElementType::F32, false), Evidence::Assumed);
    assert_eq!(of("m8n8k4", ElementType::F64, ElementType::F64, false), Evidence::Measured);
    assert_eq!(of("m16n8k32", ElementType::E5m2, ElementType::F32, false), Evidence::Assumed);
    assert_eq!(of("m16n8k64", ElementType::S4, ElementType::S32, true), Evidence::Specified);
}
