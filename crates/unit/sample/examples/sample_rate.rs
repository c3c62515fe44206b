//! The Rust side of `bench/python.py`: samples at the coordinates of an array, in the memory layout
//! that Python uses, once for each line of standard input.
//!
//!     sample_rate TEXELS.npy POINTS.npy
//!
//! After each run, its time in seconds is printed as a line. All runs write to the same
//! preallocated array. The fetches are bilinear, at normalized coordinates, clamped.

#![allow(clippy::print_stdout, reason = "a program")]

use std::error::Error;
use std::io::BufRead;
use std::path::Path;
use std::time::Instant;
use texunit_sample::{
    Action, ArrayOptions, Dtype, Input, Points, Request, Setting, Texture, TextureOptions,
};

fn main() -> Result<(), Box<dyn Error>> {
    let files: Vec<String> = std::env::args().skip(1).collect();
    let [texels, points] = &files[..] else { return Err("TEXELS.npy POINTS.npy".into()) };
    let (texels, points) = (read(texels)?, read(points)?);
    let word = |text: &str| Setting::Words(vec![text.to_owned()]);
    let options = TextureOptions::of([
        ("filter", word("linear")),
        ("read", word(if texels.1 == Dtype::U8 { "normalized" } else { "element" })),
        ("normalized_coords", Setting::Flag(true)),
    ])?;
    let texture = Texture::new(&[input(&texels)?], &ArrayOptions::default(), &options)?;
    let mut out = Vec::new();
    for line in std::io::stdin().lock().lines() {
        line?;
        let start = Instant::now();
        let call = texture.call(Request::new(Action::Sample, Points::Array(input(&points)?)))?;
        out.resize(call.byte_size(), 0);
        call.run(&mut out, 1)?;
        println!("{}", start.elapsed().as_secs_f64());
    }
    Ok(())
}

/// Shape, element type and bytes of an array.
type Owned = (Vec<usize>, Dtype, Vec<u8>);

fn read(path: &str) -> Result<Owned, Box<dyn Error>> {
    let array = texunit_files::read_array(Path::new(path))?;
    let shape = array.shape.iter().map(|&n| n as usize).collect();
    Ok((shape, array.dtype, array.bytes))
}

fn input((shape, dtype, bytes): &Owned) -> Result<Input<'_>, Box<dyn Error>> {
    Ok(Input::contiguous(shape, *dtype, bytes)?)
}
