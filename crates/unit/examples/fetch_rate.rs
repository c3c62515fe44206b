//! Fetches per second of planned fetches on one thread, for a few kinds of texture.
//!
//!     cargo run --release -p texunit-unit --example fetch_rate [PART OF A LINE]

#![allow(clippy::unwrap_used, clippy::print_stdout)]

use std::sync::Arc;
use std::time::Instant;
use texunit_memory::Block;
use texunit_texel::Format;
use texunit_unit::{
    AddressMode, ArrayShape, CoordType, Extent, FetchAnswer, FetchForm, FetchKind, FetchPlan,
    FetchRequest, Filter, Geometry, Lod, ReadMode, Resource, ResultType, Sampler, Scratch, Texture,
};

const WARPS: usize = 4096;
const ROUNDS: usize = 20;

/// What is measured.
#[derive(Clone, Copy)]
struct Row {
    format: &'static str,
    geometry: Geometry,
    normalized: bool,
    filter: Filter,
    mode: AddressMode,
    kind: FetchKind,
    /// Of the mip levels that there are, if any.
    mip_filter: Option<Filter>,
    max_anisotropy: u32,
    offset: bool,
}

const PLAIN: Row = Row {
    format: "u8x4",
    geometry: Geometry::D2,
    normalized: true,
    filter: Filter::Linear,
    mode: AddressMode::Wrap,
    kind: FetchKind::Sample(Lod::Implicit),
    mip_filter: None,
    max_anisotropy: 0,
    offset: false,
};

fn main() {
    use AddressMode::{Border, Clamp, Mirror, Wrap};
    use Filter::{Linear, Point};
    use Geometry::{A2d, Cube, D1, D2, D3};
    #[rustfmt::skip]
    let fast = [
        ("u8x4",  D2, true,  Linear, Wrap),
        ("u8x4",  D2, true,  Linear, Clamp),
        ("u8x4",  D2, true,  Linear, Border),
        ("u8x4",  D2, true,  Point,  Wrap),
        ("u8x4",  D2, false, Point,  Wrap),
        ("u8",    D2, true,  Linear, Wrap),
        ("u16x4", D2, true,  Linear, Mirror),
        ("s8x4",  D2, true,  Linear, Wrap),
        ("f16x4", D2, false, Linear, Wrap),
        ("f32",   D2, false, Linear, Wrap),
        ("f32x4", D2, false, Linear, Wrap),
        ("f32x4", D2, false, Point,  Wrap),
        ("u8x4",  D1, true,  Linear, Clamp),
        ("u8x4",  D3, true,  Linear, Wrap),
        ("f32",   D3, false, Linear, Clamp),
        ("u8x4",  A2d, true, Linear, Wrap),
    ];
    for size in [1024, 1000] {
        for (format, geometry, normalized, filter, mode) in fast {
            measure(Row { format, geometry, normalized, filter, mode, ..PLAIN }, size);
        }
    }
    let (level, grad) = (FetchKind::Sample(Lod::Level), FetchKind::Sample(Lod::Gradient));
    let (near, tri) = (Some(Point), Some(Linear));
    let floats = Row { format: "f32x4", normalized: false, ..PLAIN };
    #[rustfmt::skip]
    let general = [
        Row { kind: level, mip_filter: near, ..PLAIN },
        Row { kind: level, mip_filter: tri, ..PLAIN },
        Row { kind: level, mip_filter: tri, geometry: D3, ..PLAIN },
        Row { kind: level, mip_filter: tri, filter: Point, ..PLAIN },
        Row { kind: level, mip_filter: tri, ..floats },
        Row { kind: grad, mip_filter: tri, ..PLAIN },
        Row { kind: grad, mip_filter: tri, max_anisotropy: 4, ..PLAIN },
        Row { kind: grad, mip_filter: tri, max_anisotropy: 16, ..PLAIN },
        Row { kind: grad, mip_filter: tri, max_anisotropy: 16, ..floats },
        Row { kind: FetchKind::Gather(0), ..PLAIN },
        Row { offset: true, ..PLAIN },
        Row { geometry: Cube, ..PLAIN },
        Row { format: "bc1", ..PLAIN },
        Row { format: "bc7", ..PLAIN },
        Row { format: "rgb10a2", normalized: false, ..PLAIN },
        Row { format: "depth24", ..PLAIN },
    ];
    for row in general {
        measure(row, 1024);
    }
}

fn name(row: &Row) -> String {
    let kind = match row.kind {
        FetchKind::Sample(Lod::Implicit) => "",
        FetchKind::Sample(Lod::Base) => ".base",
        FetchKind::Sample(Lod::Level) => ".level",
        FetchKind::Sample(Lod::Gradient) => ".grad",
        FetchKind::Gather(_) => ".gather",
    };
    let mut text = format!("{:7} {}{kind}", row.format, &row.geometry.name()[1..]);
    text += if row.normalized { " normalized" } else { " element" };
    text += &format!(" {:?} {:?}", row.filter, row.mode);
    if let Some(filter) = row.mip_filter {
        text += &format!(" mip {filter:?}");
    }
    if row.max_anisotropy > 0 {
        text += &format!(" anisotropy {}", row.max_anisotropy);
    }
    if row.offset {
        text += " offset";
    }
    text
}

fn texture(row: &Row, size: u32, sampler: &Sampler) -> Texture {
    let format = Format::from_name(row.format).unwrap();
    let [width, height, depth] = match row.geometry.axes() {
        1 => [size, 1, 1],
        2 => [size, size, 1],
        _ => [size / 8, size / 8, size / 8],
    };
    let extent = Extent { width, height, depth };
    let mut shape = ArrayShape::new(format, row.geometry, extent);
    shape.levels = row.mip_filter.map(|_| 1 + width.ilog2());
    let block = Arc::new(Block::new(shape.size().unwrap() as usize, "texels").unwrap());
    let resource = Resource::array(&shape, block, "t").unwrap();
    let bytes = resource.size_in_bytes();
    let texels: Vec<u8> = (0..bytes).map(|i| (i * 7 % 60) as u8).collect();
    resource.fill_packed(&texels).unwrap();
    let read_mode = if row.normalized { ReadMode::NormalizedFloat } else { ReadMode::Element };
    Texture::new(Arc::new(resource), read_mode, true, sampler).unwrap()
}

fn measure(row: Row, size: u32) {
    let name = format!("{size:4} {}", name(&row));
    if !std::env::args().nth(1).is_none_or(|part| name.contains(&part)) {
        return;
    }
    let Row { filter, mode, mip_filter, max_anisotropy, .. } = row;
    let sampler = Sampler {
        filter,
        mip_filter: mip_filter.unwrap_or_default(),
        address_mode: [mode; 3],
        max_anisotropy,
        ..Sampler::default()
    };
    let texture = Arc::new(texture(&row, size, &sampler));
    let form = FetchForm::sample(row.geometry, CoordType::F32, ResultType::F32);
    let form = FetchForm { kind: row.kind, offset: row.offset, ..form };
    let plan = FetchPlan::new(form, &texture, &sampler).unwrap();

    // A rotated picture: neighbouring lanes are neighbours in the texture.
    let layer = usize::from(row.geometry.is_array());
    let coords: Vec<[[u32; 32]; 4]> = (0..WARPS)
        .map(|warp| {
            let at = |lane: usize, dx: f32, dy: f32| {
                let (x, y) = ((warp % 64 * 32 + lane) as f32, (warp / 64 * 16) as f32);
                ((x * dx + y * dy) / 1024.0).to_bits()
            };
            let mut coords = [(0.8, -0.6), (0.6, 0.8), (0.3, 0.4), (0.0, 0.0)]
                .map(|(dx, dy)| std::array::from_fn(|lane| at(lane, dx, dy)));
            coords.rotate_right(layer);
            coords
        })
        .collect();
    let level: [u32; 32] = std::array::from_fn(|lane| (0.6 + lane as f32 / 64.0).to_bits());
    // Gradients that differ from lane to lane: a picture in perspective.
    let slope = |texels: f32| -> [u32; 32] {
        std::array::from_fn(|lane| ((texels + lane as f32 / 64.0) / 1024.0).to_bits())
    };
    let (long, short) = (slope(9.0), slope(1.5));
    let offset = [1; 32];
    let mut scratch = Scratch::new();
    let mut answer = FetchAnswer::default();
    let mut best = f64::INFINITY;
    for _ in 0..ROUNDS {
        let start = Instant::now();
        for coords in &coords {
            let request = FetchRequest {
                level: &level,
                dpdx: [&long, &short, &short],
                dpdy: [&short, &short, &short],
                offset: [&offset; 3],
                ..FetchRequest::new(u32::MAX, coords.each_ref())
            };
            plan.fetch(&request, &mut scratch, &mut answer);
            std::hint::black_box(&answer);
        }
        best = best.min(start.elapsed().as_secs_f64());
    }
    let rate = (WARPS * 32) as f64 / best;
    println!("{name}: {:.1} M fetches/s", rate / 1e6);
}
