//! Explains a linear fetch: prints which texels it read, with which weights, and by which rules of
//! docs/numerics.md.
#![allow(clippy::print_stdout, reason = "a program")]

use std::error::Error;
use std::sync::Arc;
use texunit_explain::Explanation;
use texunit_unit::{
    ArrayShape, Coordinates, FetchOperands, Filter, ReadMode, Resource, Sampler, Texture,
};

fn main() -> Result<(), Box<dyn Error>> {
    let shape = ArrayShape::d2("f32".parse()?, 2, 2);
    let array = Resource::from_texels(&shape, &[0.0_f32, 1.0, 2.0, 3.0], "squares")?;
    let sampler = Sampler::default().with_filter(Filter::Linear);
    let texture = Texture::new(Arc::new(array), ReadMode::Element, false, &sampler)?;
    let coords = Coordinates::at([1.2_f32.to_bits(), 0.9_f32.to_bits(), 0], 0);
    let operands = FetchOperands { coords, ..FetchOperands::default() };
    let explanation =
        Explanation::new("tex.2d.v4.f32.f32".parse()?, &texture, &sampler, &operands)?;
    println!("{}", explanation.text());
    // The explanation is also available as a picture (SVG) and, for programs, as JSON.
    assert!(explanation.svg().starts_with("<svg "));
    assert_eq!(explanation.json()["instruction"], "tex.2d.v4.f32.f32");
    Ok(())
}
