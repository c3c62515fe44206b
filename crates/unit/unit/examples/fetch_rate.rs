//! Measures planned fetches per second on one thread, for many kinds of texture.
//!
//!     cargo run --release -p texunit-unit --example fetch_rate [--reference] [PART OF A LINE]
//!
//! `--reference` also measures the reference sampler, and prints how many times faster the plan is.

#![allow(clippy::unwrap_used, clippy::print_stdout)]

use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;
use texunit_memory::Block;
use texunit_texel::Format;
use texunit_unit::reference;
use texunit_unit::{
    AddressMode, ArrayShape, ClampMode, CompareFunction, CoordType, Coordinates, Extent,
    FetchAnswer, FetchForm, FetchKind, FetchPlan, FetchRequest, Filter, Geometry, Lanes, Lod,
    ReadMode, Residency, Resource, ResultType, Sampler, Scratch, Surface, SurfaceAnswer,
    SurfaceForm, SurfaceKind, SurfacePlan, SurfaceRequest, Texture, ZERO_LANES,
};

/// Number of warps per measurement, and number of warps that are timed together. These take a
/// shorter time than a scheduler's time slice, so that the best times are undisturbed.
const WARPS: usize = 1024;
const AT_ONCE: usize = 64;
const ROUNDS: usize = 12;

/// One configuration to measure.
#[derive(Clone, Copy)]
struct Configuration {
    format: &'static str,
    geometry: Geometry,
    normalized: bool,
    filter: Filter,
    mode: AddressMode,
    kind: FetchKind,
    /// Filter between mip levels; `None` for a texture without mip levels.
    mip_filter: Option<Filter>,
    max_anisotropy: u32,
    offset: bool,
    integer: bool,
    srgb: bool,
    compare: bool,
    sparse: bool,
    seamless: bool,
    points: Points,
}

/// Pattern of the fetched coordinates.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Points {
    /// Lines of 32 points, far from each other: a rotated picture at low resolution.
    Lines,
    /// Rows of 2048 points at a distance of one texel, rotated by 5 degrees: the coherent points of
    /// the benchmarks.
    Scan,
    /// Random points.
    Random,
}

const PLAIN: Configuration = Configuration {
    format: "u8x4",
    geometry: Geometry::D2,
    normalized: true,
    filter: Filter::Linear,
    mode: AddressMode::Wrap,
    kind: FetchKind::Sample(Lod::Implicit),
    mip_filter: None,
    max_anisotropy: 0,
    offset: false,
    integer: false,
    srgb: false,
    compare: false,
    sparse: false,
    seamless: false,
    points: Points::Lines,
};

/// The command-line arguments.
struct Arguments {
    reference: bool,
    part: String,
}

fn main() {
    let mut wish = Arguments { reference: false, part: String::new() };
    for argument in std::env::args().skip(1) {
        match argument.as_str() {
            "--reference" => wish.reference = true,
            part => part.clone_into(&mut wish.part),
        }
    }
    for size in [1024, 1000] {
        for row in plain() {
            measure(row, size, &wish);
        }
        for row in gradients() {
            measure(row, size, &wish);
        }
    }
    for row in others() {
        measure(row, 1024, &wish);
    }
    surfaces(&wish);
}

fn plain() -> Vec<Configuration> {
    use AddressMode::{Border, Clamp, Mirror, Wrap};
    use Filter::{Linear, Point};
    use Geometry::{A2d, D1, D2, D3};
    #[rustfmt::skip]
    let rows = [
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
    let row = |(format, geometry, normalized, filter, mode)| Configuration {
        format,
        geometry,
        normalized,
        filter,
        mode,
        ..PLAIN
    };
    rows.map(row).to_vec()
}

const LEVEL: FetchKind = FetchKind::Sample(Lod::Level);
const GRADIENT: FetchKind = FetchKind::Sample(Lod::Gradient);
const FLOATS: Configuration = Configuration { format: "f32x4", normalized: false, ..PLAIN };

fn gradients() -> Vec<Configuration> {
    use Geometry::{Cube, D1, D3};
    let trilinear = Some(Filter::Linear);
    let gradient = Configuration { kind: GRADIENT, mip_filter: trilinear, ..PLAIN };
    vec![
        Configuration { kind: LEVEL, mip_filter: Some(Filter::Point), ..PLAIN },
        Configuration { kind: LEVEL, mip_filter: trilinear, ..PLAIN },
        Configuration { kind: LEVEL, mip_filter: trilinear, geometry: D3, ..PLAIN },
        Configuration { kind: LEVEL, mip_filter: trilinear, filter: Filter::Point, ..PLAIN },
        Configuration { kind: LEVEL, mip_filter: trilinear, ..FLOATS },
        gradient,
        Configuration { geometry: D1, ..gradient },
        Configuration { geometry: D3, ..gradient },
        Configuration { geometry: Cube, ..gradient },
        Configuration { max_anisotropy: 2, ..gradient },
        Configuration { max_anisotropy: 16, ..gradient },
        Configuration { kind: GRADIENT, mip_filter: trilinear, max_anisotropy: 16, ..FLOATS },
    ]
}

fn others() -> Vec<Configuration> {
    use AddressMode::{Border, Clamp, ClampOgl};
    use Geometry::{A2dms, Cube, D2ms};
    let blocks = ["bc1", "bc1_srgb", "bc2", "bc3", "bc4", "bc5", "bc5_snorm", "bc6h", "bc7"];
    let block = |(format, points): (&'static str, Points)| Configuration {
        format,
        normalized: format != "bc6h",
        srgb: format.ends_with("srgb"),
        points,
        ..PLAIN
    };
    let mut rows = vec![
        Configuration { kind: FetchKind::Gather(0), ..PLAIN },
        Configuration { offset: true, ..PLAIN },
        Configuration { geometry: Cube, ..PLAIN },
        Configuration { geometry: Cube, seamless: true, ..PLAIN },
        Configuration { mode: ClampOgl, ..PLAIN },
        Configuration { integer: true, filter: Filter::Point, mode: Clamp, ..PLAIN },
        Configuration {
            geometry: D2ms,
            integer: true,
            filter: Filter::Point,
            mode: Border,
            ..PLAIN
        },
        Configuration {
            geometry: A2dms,
            integer: true,
            filter: Filter::Point,
            mode: Border,
            ..PLAIN
        },
        Configuration { srgb: true, ..PLAIN },
        Configuration { srgb: true, filter: Filter::Point, ..PLAIN },
        Configuration { sparse: true, ..PLAIN },
        Configuration { format: "rgb10a2", normalized: false, ..PLAIN },
        Configuration { format: "depth24", ..PLAIN },
        Configuration { format: "depth32f", compare: true, ..PLAIN },
        Configuration { format: "depth24", compare: true, filter: Filter::Point, ..PLAIN },
        Configuration { format: "bc7", kind: LEVEL, mip_filter: Some(Filter::Linear), ..PLAIN },
        Configuration { format: "bc1", kind: FetchKind::Gather(1), ..PLAIN },
        Configuration { format: "bc1", filter: Filter::Point, ..PLAIN },
    ];
    for points in [Points::Scan, Points::Random] {
        rows.extend(blocks.map(|format| block((format, points))));
    }
    rows
}

fn name(row: &Configuration) -> String {
    let kind = match row.kind {
        FetchKind::Sample(Lod::Implicit) => "",
        FetchKind::Sample(Lod::Base) => ".base",
        FetchKind::Sample(Lod::Level) => ".level",
        FetchKind::Sample(Lod::Gradient) => ".grad",
        FetchKind::Gather(_) => ".gather",
    };
    let mut text = format!("{:8} {}{kind}", row.format, row.geometry);
    text += if row.normalized { " normalized" } else { " element" };
    text += &format!(" {:?} {:?}", row.filter, row.mode);
    if let Some(filter) = row.mip_filter {
        text += &format!(" mip {filter:?}");
    }
    if row.max_anisotropy > 0 {
        text += &format!(" anisotropy {}", row.max_anisotropy);
    }
    for (flag, word) in [
        (row.offset, " offset"),
        (row.integer, " integer coordinates"),
        (row.srgb, " sRGB"),
        (row.compare, " compare"),
        (row.sparse, " sparse"),
        (row.seamless, " seamless"),
        (row.points == Points::Scan, " coherent"),
        (row.points == Points::Random, " random"),
    ] {
        text += if flag { word } else { "" };
    }
    text
}

/// Fills the texture with texels that do not repeat.
fn fill(resource: &Resource) {
    let word = |i: u64| (i.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40) as u8;
    let texels: Vec<u8> = (0..resource.size_in_bytes()).map(|i| word(i) >> 2).collect();
    resource.fill_packed(&texels).unwrap();
}

fn texture(row: &Configuration, size: u32, sampler: &Sampler) -> Texture {
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
    let mut resource = Resource::array(&shape, block, "t").unwrap();
    fill(&resource);
    if row.sparse {
        let residency = Residency::new(&shape).unwrap();
        residency.set_all(true);
        resource = resource.with_residency(Arc::new(residency)).unwrap();
    }
    let read_mode = if row.normalized { ReadMode::NormalizedFloat } else { ReadMode::Element };
    Texture::new(Arc::new(resource), read_mode, true, sampler).unwrap()
}

/// The operands of all warps.
struct Operands {
    coords: Vec<[Lanes; 3]>,
    level: Lanes,
    long: Lanes,
    short: Lanes,
    offset: Lanes,
    compare: Lanes,
}

impl Operands {
    /// A rotated picture: neighbouring lanes are neighbours in the texture.
    fn new(row: &Configuration) -> Self {
        let warp = |warp: usize| {
            let at = |lane: usize, dx: f32, dy: f32| {
                let texels = match row.points {
                    Points::Lines => {
                        (warp % 32 * 32 + lane) as f32 * dx + (warp / 32 * 16) as f32 * dy
                    }
                    Points::Scan => {
                        (warp % 64 * 32 + lane) as f32 * dx + (warp / 64) as f32 * dy + 0.5
                    }
                    Points::Random => {
                        let number = (warp * 32 + lane) as f32;
                        (number * (dx + 2.0) * 0.618_034).fract() * 1024.0
                    }
                };
                if row.integer { texels as i32 as u32 } else { (texels / 1024.0).to_bits() }
            };
            let (cos, sin) = (0.996_194_7, 0.087_155_74);
            let axes = match row.points {
                Points::Scan => [(cos, -sin), (sin, cos), (0.3, 0.4)],
                _ => [(0.8, -0.6), (0.6, 0.8), (0.3, 0.4)],
            };
            axes.map(|(dx, dy)| std::array::from_fn(|lane| at(lane, dx, dy)))
        };
        // Gradients that differ from lane to lane, as in a picture in perspective.
        let slope = |texels: f32| {
            std::array::from_fn(|lane| ((texels + lane as f32 / 64.0) / 1024.0).to_bits())
        };
        Self {
            coords: (0..WARPS).map(warp).collect(),
            level: std::array::from_fn(|lane| (0.6 + lane as f32 / 64.0).to_bits()),
            long: slope(9.0),
            short: slope(1.5),
            offset: [1; 32],
            compare: [0.3_f32.to_bits(); 32],
        }
    }

    fn request<'a>(&'a self, point: &'a [Lanes; 3]) -> FetchRequest<'a> {
        let Self { long, short, .. } = self;
        FetchRequest {
            level: &self.level,
            dpdx: [long, short, short],
            dpdy: [short, short, short],
            offset: [&self.offset; 3],
            compare: &self.compare,
            ..FetchRequest::new(u32::MAX, Coordinates::at(point.each_ref(), &ZERO_LANES))
        }
    }
}

/// Million fetches per second: the best time of each group of warps over many rounds.
fn best(rounds: usize, warps: usize, at_once: usize, mut warp: impl FnMut(usize)) -> f64 {
    let mut seconds = 0.0;
    for first in (0..warps).step_by(at_once) {
        let round = |_| {
            let start = Instant::now();
            (first..first + at_once).for_each(&mut warp);
            start.elapsed().as_secs_f64()
        };
        seconds += (0..rounds).map(round).fold(f64::INFINITY, f64::min);
    }
    (warps * 32) as f64 / seconds / 1e6
}

fn measure(row: Configuration, size: u32, wish: &Arguments) {
    let name = format!("{size:4} {}", name(&row));
    if !name.contains(&wish.part) {
        return;
    }
    let Configuration { filter, mode, mip_filter, max_anisotropy, .. } = row;
    let sampler = Sampler::default()
        .with_filter(filter)
        .with_mip_filter(mip_filter.unwrap_or_default())
        .with_address_mode(mode)
        .with_max_anisotropy(max_anisotropy)
        .with_srgb(row.srgb)
        .with_seamless_cube(row.seamless)
        .with_compare(row.compare.then_some(CompareFunction::Less));
    let texture = Arc::new(texture(&row, size, &sampler));
    let coord = if row.integer { CoordType::S32 } else { CoordType::F32 };
    let form = FetchForm {
        kind: row.kind,
        offset: row.offset,
        compare: row.compare,
        ..FetchForm::sample(row.geometry, coord, ResultType::F32)
    };
    let plan = FetchPlan::new(form, &texture, &sampler).unwrap();
    let operands = Operands::new(&row);
    let mut scratch = Scratch::new();
    let mut answer = FetchAnswer::default();
    // All rows of a scan are timed together, so that the cache contents for a row come from the row
    // before, not from an earlier round of the same row.
    let at_once = if row.points == Points::Scan { WARPS } else { AT_ONCE };
    let rate = best(ROUNDS, WARPS, at_once, |warp| {
        plan.fetch(&operands.request(&operands.coords[warp]), &mut scratch, &mut answer);
        black_box(&answer);
    });
    if !wish.reference {
        println!("{name}: {rate:.1} M fetches/s");
        return;
    }
    let slow = best(3, 8, 1, |warp| {
        let request = operands.request(&operands.coords[warp * WARPS / 8]);
        for lane in 0..32 {
            let value = reference::fetch(form, &texture, &sampler, &request.lane(lane));
            black_box(value).unwrap();
        }
    });
    let times = rate / slow;
    println!("{name}: {rate:.1} M fetches/s, reference {slow:.3}, {times:.0} times");
}

/// Measures `suld.b` and `sust.b` of rows of texels, which have no slower form to compare with.
fn surfaces(wish: &Arguments) {
    for (format, element_size, vector) in [("u8x4", 4, 1), ("f32x4", 4, 4)] {
        let extent = Extent { width: 1024, height: 1024, depth: 1 };
        let shape = ArrayShape::new(Format::from_name(format).unwrap(), Geometry::D2, extent);
        let block = Arc::new(Block::new(shape.size().unwrap() as usize, "texels").unwrap());
        let resource = Arc::new(Resource::array(&shape, block, "t").unwrap());
        let surface = Arc::new(Surface { resource });
        let bytes = u32::from(element_size) * u32::from(vector);
        let rows: Vec<[Lanes; 3]> = (0..WARPS)
            .map(|warp| {
                let x = |lane: usize| (warp % 32 * 32 + lane) as u32 * bytes;
                [std::array::from_fn(x), [warp as u32 / 32; 32], [0; 32]]
            })
            .collect();
        let (mut answer, values) = (SurfaceAnswer::default(), [[7; 32]; 4]);
        for (name, kind) in [
            ("suld.b", SurfaceKind::Load { element_size, vector }),
            ("sust.b", SurfaceKind::Store { element_size, vector }),
        ] {
            let name = format!("1024 {format:8} {name} 2d");
            if !name.contains(&wish.part) {
                continue;
            }
            let form = SurfaceForm { kind, geometry: Geometry::D2, clamp: ClampMode::Trap };
            let plan = SurfacePlan::new(form, &surface).unwrap();
            let rate = best(ROUNDS, WARPS, AT_ONCE, |warp| {
                let coords = Coordinates::at(rows[warp].each_ref(), &ZERO_LANES);
                let request = SurfaceRequest { active: u32::MAX, coords };
                match kind {
                    SurfaceKind::Load { .. } => plan.load(&request, &mut answer).unwrap(),
                    _ => plan.store(&request, &values).unwrap(),
                }
                black_box(&answer);
            });
            println!("{name}: {rate:.1} M accesses/s");
        }
    }
}
