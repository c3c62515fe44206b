//! What an NVIDIA H200 (sm_90, driver 580.159.04, CUDA 13.0, 2026-11-28) answered: 168 elements of each of ten kinds of
//! `mma`. `TEXUNIT_MMA_DATA`: a folder of more of them, `mma_KIND.txt`, a line each: `... A hex... B hex... C hex D hex`.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

use std::io::Read;

use texunit_tensor::{Number, Product, Shape};

/// An element of D and what it was made of: a row of A, a column of B, C, D.
type Row = (Vec<u64>, Vec<u64>, u64, u64);

fn product(kind: &str) -> Product {
    use Number::*;
    let (shape, a, b, sum) = match kind {
        "h_f32" => ("m16n8k16", F16, F16, F32),
        "h_f16" => ("m16n8k16", F16, F16, F16),
        "b_f32" => ("m16n8k16", Bf16, Bf16, F32),
        "h8_f32" => ("m16n8k8", F16, F16, F32),
        "t_f32" => ("m16n8k8", Tf32, Tf32, F32),
        "t4_f32" => ("m16n8k4", Tf32, Tf32, F32),
        "e4_f32" => ("m16n8k32", E4m3, E4m3, F32),
        "s8" => ("m16n8k32", S8, S8, S32),
        "s8sat" => ("m16n8k32", S8, U8, S32),
        "d_f64" => ("m8n8k4", F64, F64, F64),
        other => panic!("no kind {other}"),
    };
    Product {
        shape: Shape::from_name(shape).unwrap(),
        a,
        b,
        c: sum,
        d: sum,
        saturate: kind == "s8sat",
        operation: Default::default(),
        sparse: false,
        wmma: false,
    }
}

fn numbers(text: &str) -> Vec<u64> {
    text.split_whitespace().map(|word| u64::from_str_radix(word, 16).unwrap()).collect()
}

fn compare(kind: &str, rows: &[Row]) {
    let product = product(kind);
    let wrong = rows.iter().filter(|(a, b, c, d)| product.element(a, b, *c) != *d).count();
    println!("{kind}: {} of {}", rows.len() - wrong, rows.len());
    assert!(wrong == 0 && !rows.is_empty(), "{kind}: {wrong} of {} differ", rows.len());
}

#[test]
fn every_element_is_the_cards() {
    let mut text = String::new();
    let file = std::fs::File::open(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/mma.json.gz"));
    flate2::read::GzDecoder::new(file.unwrap()).read_to_string(&mut text).unwrap();
    let data: serde_json::Value = serde_json::from_str(&text).unwrap();
    let kinds = data["rows"].as_object().unwrap();
    assert_eq!(kinds.len(), 10);
    for (kind, rows) in kinds {
        let rows = rows.as_array().unwrap().iter().map(|row| {
            let part = |i: usize| numbers(row[i].as_str().unwrap());
            (part(0), part(1), part(2)[0], part(3)[0])
        });
        compare(kind, &rows.collect::<Vec<_>>());
    }
    let Some(folder) = std::env::var_os("TEXUNIT_MMA_DATA") else { return };
    for kind in kinds.keys() {
        let path = std::path::Path::new(&folder).join(format!("mma_{kind}.txt"));
        let rows: Vec<Row> = std::fs::read_to_string(path)
            .unwrap()
            .lines()
            .map(|line| {
                let (_, rest) = line.split_once(" A ").unwrap();
                let (a, rest) = rest.split_once(" B ").unwrap();
                let (b, rest) = rest.split_once(" C ").unwrap();
                let (c, d) = rest.split_once(" D ").unwrap();
                (numbers(a), numbers(b), numbers(c)[0], numbers(d)[0])
            })
            .collect();
        compare(kind, &rows);
    }
}
