//! Fetches per second of planned fetches on one thread, for a few kinds of texture.
//!
//!     cargo run --release -p texunit-unit --example fetch_rate

#![allow(clippy::unwrap_used, clippy::print_stdout)]

use std::sync::Arc;
use std::time::Instant;
use texunit_memory::Block;
use texunit_texel::Format;
use texunit_unit::{
    AddressMode, ArrayShape, CoordType, Extent, FetchAnswer, FetchForm, FetchPlan, FetchRequest,
    Filter, Geometry, ReadMode, Resource, ResultType, Sampler, Scratch, Texture,
};

const WARPS: usize = 4096;
const ROUNDS: usize = 20;

fn main() {
    use AddressMode::{Border, Clamp, Mirror, Wrap};
    use Filter::{Linear, Point};
    #[rustfmt::skip]
    let rows = [
        ("u8x4",  2, true,  Linear, Wrap),
        ("u8x4",  2, true,  Linear, Clamp),
        ("u8x4",  2, true,  Linear, Border),
        ("u8x4",  2, true,  Point,  Wrap),
        ("u8x4",  2, false, Point,  Wrap),
        ("u8",    2, true,  Linear, Wrap),
        ("u16x4", 2, true,  Linear, Mirror),
        ("s8x4",  2, true,  Linear, Wrap),
        ("f16x4", 2, false, Linear, Wrap),
        ("f32",   2, false, Linear, Wrap),
        ("f32x4", 2, false, Linear, Wrap),
        ("f32x4", 2, false, Point,  Wrap),
        ("u8x4",  1, true,  Linear, Clamp),
        ("u8x4",  3, true,  Linear, Wrap),
        ("f32",   3, false, Linear, Clamp),
    ];
    for size in [1024, 1000] {
        for (format, dims, normalized, filter, mode) in rows {
            let rate = measure(format, dims, size, normalized, filter, mode);
            println!(
                "{format:6} {dims}d {size:4} {} {filter:?} {mode:?}: {:.1} M fetches/s",
                if normalized { "normalized" } else { "element" },
                rate / 1e6
            );
        }
    }
}

fn measure(
    format: &str,
    dims: u8,
    size: u32,
    normalized: bool,
    filter: Filter,
    mode: AddressMode,
) -> f64 {
    let format = Format::from_name(format).unwrap();
    let [width, height, depth] = match dims {
        1 => [size, 1, 1],
        2 => [size, size, 1],
        _ => [size / 8, size / 8, size / 8],
    };
    let extent = Extent { width, height, depth };
    let geometry = [Geometry::D1, Geometry::D2, Geometry::D3][usize::from(dims) - 1];
    let shape = ArrayShape::new(format, geometry, extent);
    let bytes = shape.size().unwrap() as usize;
    let block = Arc::new(Block::new(bytes, "texels").unwrap());
    let texels: Vec<u8> = (0..bytes).map(|i| (i * 7 % 60) as u8).collect();
    block.write(0, &texels).unwrap();
    let resource = Arc::new(Resource::array(&shape, block, "t").unwrap());
    let sampler = Sampler { filter, address_mode: [mode; 3], ..Sampler::default() };
    let read_mode = if normalized { ReadMode::NormalizedFloat } else { ReadMode::Element };
    let texture = Arc::new(Texture::new(resource, read_mode, true, &sampler).unwrap());
    let form = FetchForm::sample(geometry, CoordType::F32, ResultType::F32);
    let plan = FetchPlan::new(form, &texture, &sampler).unwrap();

    // A rotated picture: neighbouring lanes are neighbours in the texture.
    let coords: Vec<[[u32; 32]; 4]> = (0..WARPS)
        .map(|warp| {
            let at = |lane: usize, dx: f32, dy: f32| {
                let (x, y) = ((warp % 64 * 32 + lane) as f32, (warp / 64 * 16) as f32);
                ((x * dx + y * dy) / 1024.0).to_bits()
            };
            [(0.8, -0.6), (0.6, 0.8), (0.3, 0.4), (0.0, 0.0)]
                .map(|(dx, dy)| std::array::from_fn(|lane| at(lane, dx, dy)))
        })
        .collect();
    let mut scratch = Scratch::new();
    let mut answer = FetchAnswer::default();
    let mut best = f64::INFINITY;
    for _ in 0..ROUNDS {
        let start = Instant::now();
        for coords in &coords {
            let request = FetchRequest::new(u32::MAX, coords.each_ref());
            plan.fetch(&request, &mut scratch, &mut answer);
            std::hint::black_box(&answer);
        }
        best = best.min(start.elapsed().as_secs_f64());
    }
    (WARPS * 32) as f64 / best
}
