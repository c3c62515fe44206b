//! The benchmark cases `a-wrap-coh` to `g-rand`, which cover the common uses of software samplers.

use crate::points::{
    at, direction_coherent, direction_random, gradient, level_coherent, level_random,
    plane_coherent, plane_random, space_coherent, space_random,
};
use crate::workload::{KernelCall, Workload};
use texunit_texel::{Channel, Format};
use texunit_unit::{
    AddressMode, ArrayShape, CoordType, Extent, FetchForm, FetchKind, FetchOperands, Filter,
    Geometry, Lod, ReadMode, ResultType, Sampler,
};

/// Fetches of a run.
pub const FETCHES: u32 = 1 << 22;
/// Fetches of a batch, whose results fit into a core's second-level cache beside other data.
pub const BATCH: u32 = 1 << 13;
/// The distance of points within a row, and of rows, in normalized coordinates.
const STEP: f32 = 1.0 / 1024.0;

/// Texture, sampler and instruction of a case.
#[derive(Clone, Copy)]
enum Kind {
    /// 2D, bilinear.
    Plane(&'static str, AddressMode),
    /// 3D, f32, trilinear.
    Volume,
    /// 2D, u8x4, all mip levels, linear between them.
    Mipmapped(Lod),
    /// Cube map, u8x4, bilinear.
    Cube,
    /// 2D, u8x4, nearest.
    Nearest,
}

/// A case: its name, kind, kernel, scale, and the operands of its fetches.
type CaseRow = (&'static str, Kind, &'static str, f32, fn(u32) -> FetchOperands);

#[rustfmt::skip]
const ROWS: [CaseRow; 18] = {
    use AddressMode::{Clamp, Wrap};
    use Kind::{Cube, Mipmapped, Nearest, Plane, Volume};
    use Lod::{Gradient, Level};
    [
        ("a-wrap-coh",   Plane("u8x4", Wrap),  "rgba_coherent",     STEP,       plane_coh),
        ("a-wrap-rand",  Plane("u8x4", Wrap),  "rgba_random",       STEP,       plane_rand),
        // This scan covers the texture once, not twice.
        ("a-clamp-coh",  Plane("u8x4", Clamp), "rgba_coherent",     STEP / 2.0, plane_once),
        ("a-clamp-rand", Plane("u8x4", Clamp), "rgba_random",       STEP,       plane_rand),
        ("b-coh",        Plane("f32", Wrap),   "r_coherent",        STEP,       plane_coh),
        ("b-rand",       Plane("f32", Wrap),   "r_random",          STEP,       plane_rand),
        ("c-coh",        Plane("f32x4", Wrap), "rgba_coherent",     STEP,       plane_coh),
        ("c-rand",       Plane("f32x4", Wrap), "rgba_random",       STEP,       plane_rand),
        ("d-coh",        Volume,               "volume_coherent",   STEP,       |i| at(space_coherent(i))),
        ("d-rand",       Volume,               "volume_random",     STEP,       |i| at(space_random(i))),
        ("e-level-coh",  Mipmapped(Level),     "level_coherent",    STEP,       level_coherent),
        ("e-level-rand", Mipmapped(Level),     "level_random",      STEP,       level_random),
        ("e-grad-coh",   Mipmapped(Gradient),  "gradient_coherent", STEP,       |i| gradient(plane_coherent(i, STEP))),
        ("e-grad-rand",  Mipmapped(Gradient),  "gradient_random",   STEP,       |i| gradient(plane_random(i))),
        ("f-coh",        Cube,                 "cube_coherent",     STEP,       |i| at(direction_coherent(i))),
        ("f-rand",       Cube,                 "cube_random",       STEP,       |i| at(direction_random(i))),
        ("g-coh",        Nearest,              "rgba_coherent",     STEP,       plane_coh),
        ("g-rand",       Nearest,              "rgba_random",       STEP,       plane_rand),
    ]
};

fn plane_coh(i: u32) -> FetchOperands {
    at(plane_coherent(i, STEP))
}

fn plane_once(i: u32) -> FetchOperands {
    at(plane_coherent(i, STEP / 2.0))
}

fn plane_rand(i: u32) -> FetchOperands {
    at(plane_random(i))
}

/// Names of all cases, in order.
pub fn names() -> [&'static str; 18] {
    ROWS.map(|row| row.0)
}

/// All cases, in order.
pub fn all() -> Vec<Workload> {
    ROWS.iter().map(workload).collect()
}

/// A bilinear or nearest fetch from a 2D array, from which other workloads are derived.
pub fn plane(name: &str, format: Format, filter: Filter, mode: AddressMode) -> Workload {
    let size = Extent { width: 1024, height: 1024, depth: 1 };
    let is_small = |channel: Channel| channel.is_integer() && channel.size() < 4;
    let normalized = format.plain_channel().is_some_and(is_small) || format.is_normalized_kind();
    Workload {
        name: name.to_owned(),
        form: FetchForm::sample(Geometry::D2, CoordType::F32, ResultType::F32),
        shape: ArrayShape::new(format, Geometry::D2, size),
        is_sparse: false,
        read_mode: if normalized { ReadMode::NormalizedFloat } else { ReadMode::Element },
        sampler: Sampler::default().with_filter(filter).with_address_mode(mode),
        components: ((1u32 << format.channels()) - 1) as u8,
        operands: plane_coh,
        kernel: None,
    }
}

fn workload(&(name, kind, kernel, scale, operands): &CaseRow) -> Workload {
    let format = |name| Format::from_name(name).expect("a name of the table of formats");
    let (rgba8, r32f) = (format("u8x4"), format("f32"));
    let linear = |format, mode| plane(name, format, Filter::Linear, mode);
    let workload = match kind {
        Kind::Plane(texels, mode) => linear(format(texels), mode),
        Kind::Nearest => plane(name, rgba8, Filter::Point, AddressMode::Wrap),
        Kind::Volume => {
            let mut volume = linear(r32f, AddressMode::Wrap);
            volume.form.geometry = Geometry::D3;
            volume.shape.geometry = Geometry::D3;
            volume.shape.extent = Extent { width: 128, height: 128, depth: 128 };
            volume
        }
        Kind::Mipmapped(lod) => {
            let mut mipmapped = linear(rgba8, AddressMode::Wrap);
            mipmapped.form.kind = FetchKind::Sample(lod);
            mipmapped.shape.levels = Some(11);
            mipmapped.sampler.mip_filter = Filter::Linear;
            mipmapped
        }
        Kind::Cube => {
            let mut cube = linear(rgba8, AddressMode::Clamp);
            cube.form.geometry = Geometry::Cube;
            cube.shape.geometry = Geometry::Cube;
            cube.shape.extent = Extent { width: 512, height: 512, depth: 1 };
            cube
        }
    };
    Workload { operands, kernel: Some(KernelCall { name: kernel, scale }), ..workload }
}

/// The cases whose names begin with one of these words, in order; all cases if there are no words.
/// A word without a case is an error, and returned.
pub fn select(words: &[String]) -> Result<Vec<Workload>, String> {
    let begins_none = |w: &str| w.is_empty() || !names().iter().any(|name| name.starts_with(w));
    if let Some(word) = words.iter().find(|w| begins_none(w)) {
        return Err(word.clone());
    }
    let wanted =
        |case: &Workload| words.is_empty() || words.iter().any(|w| case.name.starts_with(w));
    Ok(all().into_iter().filter(wanted).collect())
}
