//! Compares the reference with results of an NVIDIA H200 (sm_90, driver 580.159.04, CUDA 13.0,
//! 2026-11-28): 168 elements of each of ten kinds of `mma`. `TEXUNIT_MMA_DATA` names a file with
//! more of them, in the format of [`texunit_tensor::H200_ELEMENTS`].

use std::io::Read;

use texunit_tensor::{ElementType, Product, Shape};

/// Parses a line `product SHAPE A B D [satfinite]`.
fn product(line: &str) -> Product {
    let words: Vec<_> = line.split(' ').collect();
    let number = |i: usize| ElementType::from_name(words[i]).unwrap();
    Product {
        shape: Shape::from_name(words[1]).unwrap(),
        a: number(2),
        b: number(3),
        c: number(4),
        d: number(4),
        saturate: words.get(5) == Some(&"satfinite"),
        operation: Default::default(),
        sparse: false,
        wmma: false,
    }
}

/// Compares every element in a text, and returns the number of kinds.
fn compare(text: &str) -> usize {
    let lines = text.lines().filter(|line| !line.starts_with('#')).collect::<Vec<_>>();
    let kinds = lines.chunk_by(|_, next| !next.starts_with("product "));
    kinds.fold(0, |count, kind| {
        let product = product(kind[0]);
        let wrong = kind[1..].iter().filter(|row| {
            let numbers = row.split(' ').map(|word| u64::from_str_radix(word, 16).unwrap());
            let numbers: Vec<_> = numbers.collect();
            let [a @ .., c, d] = &numbers[..] else { panic!("{row}") };
            let (a, b) = a.split_at(a.len() / 2);
            product.element(a, b, *c) != *d
        });
        let (wrong, all) = (wrong.count(), kind.len() - 1);
        println!("{}: {} of {all}", kind[0], all - wrong);
        assert!(wrong == 0 && all > 0, "{}: {wrong} of {all} differ", kind[0]);
        count + 1
    })
}

#[test]
fn every_element_is_the_cards() {
    let mut text = String::new();
    flate2::read::GzDecoder::new(texunit_tensor::H200_ELEMENTS).read_to_string(&mut text).unwrap();
    assert_eq!(compare(&text), 10);
    if let Some(path) = std::env::var_os("TEXUNIT_MMA_DATA") {
        compare(&std::fs::read_to_string(path).unwrap());
    }
}
