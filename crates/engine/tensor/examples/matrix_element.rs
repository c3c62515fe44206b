//! An element of a matrix product as a tensor core computes it: exact sums, cut once.
#![allow(clippy::print_stdout, reason = "a program")]

use texunit_tensor::{ElementType, Product, Shape};

fn main() {
    let shape = Shape::from_name("m16n8k16").expect("a shape of mma");
    let product = Product {
        shape,
        a: ElementType::F16,
        b: ElementType::F16,
        c: ElementType::F32,
        d: ElementType::F32,
        saturate: false,
        operation: Default::default(),
        sparse: false,
        wmma: false,
    };
    // The factors are halves: 16 times 1.0 * 2.0, and 0.5.
    let d = product.element(&[0x3c00; 16], &[0x4000; 16], 0.5_f32.to_bits().into());
    println!("{}, which is {:?}", f32::from_bits(d as u32), product.evidence());
    assert_eq!(f32::from_bits(d as u32), 32.5);
    // Sixteen ones beside 2^24: sums of f32, one after the other, would lose all of them.
    let d = product.element(&[0x3c00; 16], &[0x3c00; 16], 16_777_216_f32.to_bits().into());
    assert_eq!(f32::from_bits(d as u32), 16_777_232.0);
}
