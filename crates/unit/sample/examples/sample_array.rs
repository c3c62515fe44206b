//! Makes a texture from an array of numbers, and fetches from it at an array of points.
#![allow(clippy::print_stdout, reason = "a program")]

use std::error::Error;
use texunit_sample::{
    Action, ArrayOptions, Dtype, Input, Points, Request, Setting, Texture, TextureOptions,
};

fn main() -> Result<(), Box<dyn Error>> {
    let bytes = |values: &[f32]| values.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<u8>>();
    let (texels, points) = (bytes(&[0.0, 1.0, 2.0, 3.0]), bytes(&[1.0, 1.0, 0.5, 1.5]));
    let options = TextureOptions::of([("filter", Setting::Words(vec!["linear".to_owned()]))])?;
    let input = Input::contiguous(&[2, 2], Dtype::F32, &texels)?;
    let texture = Texture::new(&[input], &ArrayOptions::default(), &options)?;

    let points = Points::Array(Input::contiguous(&[2, 2], Dtype::F32, &points)?);
    let call = texture.call(Request::new(Action::Sample, points))?;
    println!("{} {:?}, shape {:?}", call.form(), call.dtype(), call.shape());
    let mut result = vec![0; call.byte_size()];
    call.run(&mut result, 1)?;
    assert_eq!(result, bytes(&[1.5, 2.0]));
    Ok(())
}
