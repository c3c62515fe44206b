//! Draws random cases: any resource, texture, sampler and instruction.

use super::Case;
use super::operands::Operands;
use std::sync::Arc;
use texunit_memory::Block;
use texunit_testkit::Random;
use texunit_texel::Format;
use texunit_unit::{
    AddressMode, ArrayShape, CompareFunction, CoordType, Extent, FetchForm, FetchKind, Filter,
    Geometry, Lod, ReadMode, Residency, Resource, ResultType, Sampler, Texture, View,
};

/// A source of random numbers, and of words that matter to the unit.
pub(super) struct Draw(Random);

#[rustfmt::skip]
const SPECIAL: [u32; 22] = [
    0x0000_0000, 0x8000_0000, 0x0000_0001, 0x8000_0001, 0x007f_ffff, 0x807f_ffff, 0x0080_0000,
    0x8080_0000, 0x3f80_0000, 0xbf80_0000, 0x3f7f_ffff, 0x7f7f_ffff, 0xff7f_ffff, 0x7f80_0000,
    0xff80_0000, 0x7f80_0001, 0xff80_0001, 0x7fc0_0000, 0xffff_ffff, 0x4f00_0000, 0xcf00_0000,
    0x5f00_0000,
];

impl Draw {
    pub(super) fn new(seed: u64) -> Self {
        Self(Random::new(seed))
    }

    pub(super) fn bits(&mut self) -> u32 {
        self.0.u32()
    }

    /// A random number from 0 to n - 1.
    pub(super) fn below(&mut self, n: u32) -> u32 {
        self.0.below(n)
    }

    pub(super) fn in_range(&mut self, low: i32, high: i32) -> i32 {
        low + self.below((high - low) as u32) as i32
    }

    /// Returns true in one of n calls.
    pub(super) fn one_in(&mut self, n: u32) -> bool {
        self.below(n) == 0
    }

    pub(super) fn of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len() as u32) as usize]
    }

    /// The bits of a float of any kind, most often near 1.
    pub(super) fn word(&mut self) -> u32 {
        let bits = self.bits();
        match self.below(9) {
            0..4 => bits & 0x807f_ffff | (120 + self.below(15)) << 23,
            4..6 => bits & 0x8000_0fff | (1 + self.below(254)) << 23,
            6..8 => bits,
            _ => self.of(&SPECIAL),
        }
    }

    pub(super) fn float(&mut self, low: f32, high: f32) -> f32 {
        self.0.between(low, high)
    }
}

/// The kind of cases that are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Theme {
    /// All.
    Any,
    /// Float texels with few values of either sign. When these cancel, the bits that were cut from
    /// sums show.
    Cancel,
    /// Large arrays of which some tiles are not resident.
    Sparse,
    /// Fetches that the fast schedule supports.
    Plain,
    /// Fetches with gradients from mipmapped textures.
    Gradients,
    /// Fetches from block-compressed formats.
    Blocks,
    /// Cubes.
    Cubes,
    /// Fetches from resources of another geometry that the instruction can read.
    Neighbours,
}

/// Number of bytes of the largest resource.
const SPACE: usize = 1 << 22;

/// Allocates the memory that a thread reuses for the resources of its cases.
pub(super) fn space() -> Arc<Block> {
    Arc::new(Block::new(SPACE, "texels").unwrap())
}

/// Draws a case; `None` if it cannot be created. Its operands are drawn later.
pub(super) fn case(d: &mut Draw, theme: Theme, space: &Arc<Block>) -> Option<Case> {
    let form = form(d, theme);
    let of_neighbour = theme == Theme::Neighbours || d.one_in(6);
    let wanted = if of_neighbour { neighbour(d, form) } else { form.geometry };
    let resource = Arc::new(resource(d, theme, wanted, space)?);
    let mut sampler = sampler(d, theme);
    // Textures of other geometries refuse a seamless sampler.
    sampler.seamless_cube &= form.geometry.is_cube() || d.one_in(8);
    let read_mode = d.of(&[ReadMode::Element, ReadMode::NormalizedFloat]);
    let normalized = !d.one_in(3);
    // The texture may be one that the runtime API refuses, such as integers with a linear filter.
    let texture = Texture { resource, read_mode, normalized_coords: normalized };
    let made = Texture::without_sampler(Arc::clone(&texture.resource), read_mode, normalized);
    let texture = Arc::new(made.unwrap_or(texture));
    let operands = Operands::ZERO;
    Some(Case { form, texture, sampler, operands, active: u32::MAX, components: 15 })
}

/// Draws the fetches of a warp.
pub(super) fn fetches(d: &mut Draw, case: &mut Case) {
    case.operands.draw(d, case.form, &case.texture, &case.sampler);
    case.active = if d.one_in(3) { d.bits() } else { u32::MAX };
    case.components = if d.one_in(3) { d.below(16) as u8 } else { 15 };
}

fn form(d: &mut Draw, theme: Theme) -> FetchForm {
    use Geometry::{A1d, A2d, Acube, Cube, D1, D2, D3};
    let geometry = match theme {
        Theme::Plain => d.of(&[D1, D2, D3, A1d, A2d]),
        Theme::Cancel => d.of(&[D2, D3]),
        Theme::Sparse => d.of(&[D2, D3, A2d, Cube]),
        Theme::Blocks => d.of(&[D2, D3, A2d, Cube, Acube]),
        Theme::Cubes => d.of(&[Cube, Acube]),
        Theme::Gradients => d.of(&[D1, D2, D3, A1d, A2d, Cube, Acube]),
        Theme::Neighbours => d.of(&[D1, D2, A1d, A2d, Cube, Acube]),
        Theme::Any => d.of(Geometry::ALL),
    };
    let lod = match theme {
        Theme::Plain | Theme::Cancel => Lod::Implicit,
        Theme::Gradients => Lod::Gradient,
        _ => d.of(&[Lod::Implicit, Lod::Base, Lod::Level, Lod::Gradient]),
    };
    let gathers = matches!(geometry, D2 | A2d | Cube | Acube);
    let any = !matches!(theme, Theme::Plain | Theme::Cancel | Theme::Gradients);
    let gather = any && gathers && d.one_in(4);
    let kind = if gather { FetchKind::Gather(d.below(4) as u8) } else { FetchKind::Sample(lod) };
    let floats = gather || geometry.is_cube() || theme == Theme::Gradients;
    let integer = geometry.is_multisample() || !floats && d.one_in(6);
    FetchForm {
        kind,
        geometry,
        coord: if integer { CoordType::S32 } else { CoordType::F32 },
        result: match d.below(8) {
            0 => ResultType::F16,
            1 => ResultType::F16x2,
            2 => ResultType::S32,
            3 => ResultType::U32,
            _ => ResultType::F32,
        },
        offset: any && d.one_in(3),
        compare: any && d.one_in(4),
    }
}

fn size(d: &mut Draw) -> u32 {
    match d.below(4) {
        0 => 1,
        1 => 1 << d.below(5),
        _ => 1 + d.below(20),
    }
}

/// Draws a geometry other than that of the instruction that the instruction can read (rule 1.13 of
/// docs/numerics.md).
fn neighbour(d: &mut Draw, form: FetchForm) -> Geometry {
    use Geometry::{A1d, A2d, Acube, Cube, D1, D2};
    match form.geometry {
        D1 if form.coord == CoordType::S32 => A1d,
        D1 | D2 | A2d => d.of(&[D1, D2, A2d]),
        Cube | Acube => d.of(&[Cube, Acube]),
        // The geometry is that of linear memory, or one that reads 0.
        A1d => D1,
        own => own,
    }
}

/// Draws a resource of this geometry, perhaps a view of another resource.
fn resource(d: &mut Draw, theme: Theme, wanted: Geometry, space: &Arc<Block>) -> Option<Resource> {
    use Geometry::{A1d, A2d, Acube, Cube, D1, D2};
    let geometry = match wanted {
        _ if !d.one_in(6) => wanted,
        D1 => A1d,
        D2 => d.of(&[A2d, Cube]),
        A2d => d.of(&[Cube, Acube]),
        Cube | Acube => A2d,
        other => other,
    };
    let format = match theme {
        Theme::Cancel => Format::from_name(d.of(&["f16", "f16x2", "f32", "f32x4"]))?,
        Theme::Blocks => {
            let blocks: Vec<Format> = Format::all().filter(|f| f.is_block()).collect();
            d.of(&blocks)
        }
        _ => d.of(&Format::all().collect::<Vec<_>>()),
    };
    let mut extent = Extent { width: size(d), height: size(d), depth: size(d).min(9) };
    if theme == Theme::Sparse {
        let axis = |d: &mut Draw| 1 << (5 + d.below(4));
        extent = Extent { width: axis(d), height: axis(d), depth: axis(d).min(32) };
    }
    // The texture has more blocks than the cache of decoded blocks has entries.
    if theme == Theme::Blocks && d.one_in(4) {
        extent = Extent { width: 1 + d.below(700), height: 1 + d.below(300), depth: 1 };
    }
    // Rule 1.2 of docs/numerics.md: coordinates over these sizes are floored, some to finer steps.
    if !geometry.is_cube() && !wanted.is_cube() && theme != Theme::Sparse && d.one_in(10) {
        let width = d.of(&[4097, 8192, 16_383, 16_384, 20_000, 32_768, 65_535, 131_072]);
        extent = Extent { width, height: 1 + d.below(2), depth: 1 };
        if d.one_in(4) {
            std::mem::swap(&mut extent.width, &mut extent.height);
        }
    }
    match geometry.axes() {
        1 => (extent.height, extent.depth) = (1, 1),
        2 => extent.depth = 1,
        _ => {}
    }
    if geometry.is_cube() || wanted.is_cube() {
        extent.height = extent.width;
    }
    let memory = d.one_in(4) && theme != Theme::Sparse;
    let block = Arc::clone(space);
    let resource = match geometry {
        Geometry::D1 if memory => {
            Resource::linear(format, extent.width, block, 48, 1 << 40, "t").ok()?
        }
        Geometry::D2 if memory => {
            let (width, height) = (extent.width, extent.height);
            Resource::pitched(format, width, height, 320, block, 16, 1 << 40, "t").ok()?
        }
        _ => {
            let mut shape = ArrayShape::new(format, geometry, extent);
            shape.layers = match geometry {
                _ if wanted.is_cube() && geometry == A2d => 6 + d.below(13),
                _ if geometry.is_array() => 1 + d.below(4),
                _ => 1,
            };
            let full = 32 - (extent.width | extent.height | extent.depth).leading_zeros();
            let wanted = theme == Theme::Gradients || d.one_in(2);
            shape.levels = wanted.then(|| if d.one_in(2) { full } else { 1 + d.below(full) });
            if geometry.is_multisample() {
                (shape.levels, shape.samples) = (None, d.of(&[2, 4, 8, 16]));
            }
            shape.size().ok().filter(|&n| n <= SPACE as u64)?;
            Resource::array(&shape, block, "t").ok()?
        }
    };
    refill(d, theme, &resource);
    let mut seen = view(d, resource, wanted);
    // Rule 1.11 level array of docs/numerics.md: such a texture mostly reads other layers than
    // those it names.
    if seen.geometry() == A2d && seen.is_mipmapped() && d.one_in(4) {
        seen = seen.single_level(d.below(seen.levels().len() as u32)).unwrap();
    }
    sparse(d, theme, seen)
}

/// Draws all texels of a resource.
pub(super) fn refill(d: &mut Draw, theme: Theme, resource: &Resource) {
    let bytes: Vec<u8> = texels(d, theme).iter().flat_map(|w| w.to_le_bytes()).collect();
    let size = resource.size_in_bytes() as usize;
    let mut all = bytes.repeat(size.div_ceil(bytes.len()));
    all.truncate(size);
    resource.fill_packed(&all).unwrap();
}

/// Draws texels as words, which are repeated as often as needed.
fn texels(d: &mut Draw, theme: Theme) -> Vec<u32> {
    if theme == Theme::Cancel || d.one_in(4) {
        let few: Vec<u32> = (0..1 + d.below(3)).map(|_| d.word()).collect();
        let negated = |d: &mut Draw| if d.one_in(2) { 0x8000_8080 } else { 0 };
        return (0..1 + d.below(80)).map(|_| d.of(&few) ^ negated(d)).collect();
    }
    (0..1 + d.below(300)).map(|_| d.word()).collect()
}

/// Returns the resource, a view of a part of it, or a view of its bytes in another format.
fn view(d: &mut Draw, resource: Resource, wanted: Geometry) -> Resource {
    let other = wanted != resource.geometry();
    if !other && !d.one_in(4) {
        return resource;
    }
    let range = |d: &mut Draw, n: u32| {
        let start = d.below(n);
        start..start + 1 + d.below(n - start)
    };
    let planes = resource.shape().planes();
    let some = |d: &mut Draw, n: u32| {
        let start = d.below(planes.saturating_sub(n) + 1);
        Some(start..start + n)
    };
    let view = View {
        format: d.one_in(2).then(|| d.of(&Format::all().collect::<Vec<_>>())),
        geometry: other.then_some(wanted),
        levels: d.one_in(2).then(|| range(d, resource.levels().len() as u32)),
        planes: match wanted {
            Geometry::D1 | Geometry::D2 if other => some(d, 1),
            Geometry::Cube if other => some(d, 6),
            Geometry::Acube if other => some(d, planes / 6 * 6),
            Geometry::A2d if d.one_in(2) => Some(range(d, planes)),
            _ => None,
        },
    };
    resource.view(&view).unwrap_or(resource)
}

/// Makes the resource sparse in some cases, with tiles that are not resident.
fn sparse(d: &mut Draw, theme: Theme, resource: Resource) -> Option<Resource> {
    if theme != Theme::Sparse && !d.one_in(10) {
        return Some(resource);
    }
    let Ok(map) = Residency::new(resource.shape()) else {
        return (theme != Theme::Sparse).then_some(resource);
    };
    map.set_all(true);
    for plane in 0..resource.shape().planes() {
        for level in 0..resource.levels().len() as u32 {
            let Some(tiles) = map.tiles(level) else {
                let _ = map.set_tail(plane, !d.one_in(4));
                continue;
            };
            for _ in 0..1 + tiles.iter().product::<u32>() / 3 {
                let tile = tiles.map(|n| d.below(n));
                let _ = map.set_tile(level, plane, tile, false);
            }
        }
    }
    resource.clone().with_residency(Arc::new(map)).ok().or(Some(resource))
}

fn sampler(d: &mut Draw, theme: Theme) -> Sampler {
    use AddressMode::{Border, Clamp, ClampOgl, Mirror, Wrap};
    use CompareFunction as C;
    let modes = [Wrap, Mirror, Clamp, Border, ClampOgl];
    let filters = [Filter::Point, Filter::Linear, Filter::Linear];
    let level = |d: &mut Draw| match d.below(5) {
        0 => f32::from_bits(d.word()),
        _ => d.float(-1.0, 5.0),
    };
    let all = [
        C::Never,
        C::Less,
        C::Equal,
        C::LessEqual,
        C::Greater,
        C::NotEqual,
        C::GreaterEqual,
        C::Always,
    ];
    Sampler::default()
        .with_filter(if theme == Theme::Cancel { Filter::Linear } else { d.of(&filters) })
        .with_mip_filter(d.of(&filters))
        .with_address_modes([d.of(&modes), d.of(&modes), d.of(&modes)])
        .with_border_bits([d.word(), d.word(), d.word(), d.word()])
        .with_min_level_clamp(if d.one_in(4) { level(d) } else { 0.0 })
        .with_max_level_clamp(if d.one_in(4) { level(d) } else { 99.0 })
        .with_level_bias(if d.one_in(3) { level(d) } else { 0.0 })
        .with_max_anisotropy(if d.one_in(2) { d.below(18) } else { 0 })
        .with_force_unnormalized_coords(d.one_in(6))
        .with_srgb(d.one_in(2))
        .with_seamless_cube(d.one_in(2))
        .with_compare(d.one_in(2).then(|| d.of(&all)))
}
