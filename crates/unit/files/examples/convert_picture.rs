//! A PNG file as texels of halves, in the layout of a CUDA array.
#![allow(clippy::print_stdout, reason = "a program")]

use std::error::Error;
use texunit_files::{Kind, TexelRequest, Texels, decode, encode};

fn main() -> Result<(), Box<dyn Error>> {
    let bytes = vec![255, 0, 0, 255, 0, 0, 255, 255];
    let format = "u8x4".parse()?;
    let picture = Texels { format, dims: 2, width: 2, height: 1, depth: 1, bytes };
    let file = encode(Kind::Png, &picture)?;
    println!("{} bytes of PNG", file.len());

    // Programs read files by name: `read_texels`. Unsigned bytes become halves from 0 to 1.
    let wanted = TexelRequest { format: "f16x4".parse()?, dims: Some(2), extent: None };
    let halves = decode(Kind::Png, &file, &wanted)?;
    assert_eq!((halves.width, halves.height), (2, 1));
    assert_eq!(halves.bytes[..8], [0x00, 0x3c, 0, 0, 0, 0, 0x00, 0x3c]);

    // Other sizes than those that were asked for are an error, not a scaled picture.
    let wanted = TexelRequest { extent: Some([4, 4, 1]), ..wanted };
    println!("{}", decode(Kind::Png, &file, &wanted).expect_err("the picture has 2 x 1 texels"));
    Ok(())
}
