//! Fetches from an array of four texels with a linear filter, and prints how the reference computes
//! the value.
#![allow(clippy::print_stdout, reason = "a program")]

use std::error::Error;
use std::sync::Arc;
use texunit_unit::{
    ArrayShape, Coordinates, FetchOperands, Filter, ReadMode, Resource, Sampler, Texture,
    reference, sample,
};

fn main() -> Result<(), Box<dyn Error>> {
    let shape = ArrayShape::d2("f32".parse()?, 2, 2);
    let array = Resource::from_texels(&shape, &[0.0_f32, 1.0, 2.0, 3.0], "squares")?;
    let sampler = Sampler::default().with_filter(Filter::Linear);
    let texture = Arc::new(Texture::new(Arc::new(array), ReadMode::Element, false, &sampler)?);

    // Fetches as a kernel does with tex2D<float>(t, 1.0, 1.0).
    let results = sample(&texture, &sampler, &[[1.0, 1.0]])?;
    assert_eq!(results, [[1.5, 0.0, 0.0, 0.0]]);

    let coords = Coordinates::at([1.0_f32.to_bits(), 1.0_f32.to_bits(), 0], 0);
    let operands = FetchOperands { coords, ..FetchOperands::default() };
    let form = "tex.2d.v4.f32.f32".parse()?;
    let trace = reference::trace(form, &texture, &sampler, &operands)?;
    println!("{:?}", trace.answer);
    assert_eq!(f32::from_bits(trace.answer.values[0]), 1.5);
    Ok(())
}
