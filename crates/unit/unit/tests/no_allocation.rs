//! Fetches of any kind must not allocate: the memory that plans need is in a `Scratch`.

#![allow(unsafe_code, reason = "an allocator that counts")]
#![allow(clippy::unwrap_used)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::Arc;
use texunit_memory::Block;
use texunit_texel::Format;
use texunit_unit::{
    AddressMode, ArrayShape, CompareFunction, CoordType, Coordinates, Extent, FetchAnswer,
    FetchForm, FetchKind, FetchPlan, FetchRequest, Filter, Geometry, Lod, ReadMode, Residency,
    Resource, ResultType, Sampler, Scratch, Texture,
};

thread_local! {
    static COUNT: Cell<u64> = const { Cell::new(0) };
}

struct Counting;

// SAFETY: all calls are passed to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        COUNT.set(COUNT.get() + 1);
        // SAFETY: as the caller promises.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        COUNT.set(COUNT.get() + 1);
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// An array of 16 x 16 texels, or as many as the geometry has. If it can be sparse, half of its
/// tiles are not resident.
fn texture(
    format: Format,
    geometry: Geometry,
    read_mode: ReadMode,
    sampler: &Sampler,
) -> Option<Texture> {
    let [height, depth] = [[1, 1], [16, 1], [16, 16]][geometry.axes() - 1];
    let extent = Extent { width: 16, height, depth };
    let mut shape = ArrayShape::new(format, geometry, extent);
    shape.levels = (!geometry.is_multisample()).then_some(5);
    let block = Arc::new(Block::new(shape.size().ok()? as usize, "texels")?);
    let resource = Resource::array(&shape, block, "t").ok()?;
    let bytes = (0..resource.size_in_bytes()).map(|i| (i * 37 % 251) as u8).collect::<Vec<_>>();
    resource.fill_packed(&bytes).ok()?;
    let resource = match Residency::new(&shape) {
        Ok(map) => resource.clone().with_residency(Arc::new(map)).unwrap_or(resource),
        Err(_) => resource,
    };
    Texture::new(Arc::new(resource), read_mode, true, sampler).ok()
}

fn kinds(geometry: Geometry) -> Vec<(FetchKind, CoordType)> {
    use FetchKind::{Gather, Sample};
    let mut kinds = Vec::new();
    for lod in [Lod::Implicit, Lod::Base, Lod::Level, Lod::Gradient] {
        kinds.push((Sample(lod), CoordType::F32));
        kinds.push((Sample(lod), CoordType::S32));
    }
    if matches!(geometry, Geometry::D2 | Geometry::A2d | Geometry::Cube | Geometry::Acube) {
        kinds.push((Gather(0), CoordType::F32));
    }
    kinds
}

/// The number of allocations during fetches of a plan.
fn allocations(plan: &FetchPlan, scratch: &mut Scratch) -> u64 {
    let lanes =
        |from: f32, step: f32| std::array::from_fn(|lane| (from + step * lane as f32).to_bits());
    let point = [lanes(1.0, -0.11), lanes(-0.4, 0.05), lanes(0.3, 0.02)];
    let coords = Coordinates { layer: lanes(0.0, 0.07), sample: lanes(0.0, 0.07), point };
    let (offset, level) = (std::array::from_fn(|lane| lane as u32), lanes(-0.5, 0.2));
    let (dpdx, dpdy, compare) = (lanes(0.01, 0.03), lanes(0.3, -0.01), lanes(0.0, 0.03));
    let request = FetchRequest {
        offset: [&offset; 3],
        level: &level,
        dpdx: [&dpdx, &dpdy, &dpdy],
        dpdy: [&dpdy, &dpdy, &dpdx],
        compare: &compare,
        ..FetchRequest::new(0x7fff_fffe, coords.each_ref())
    };
    let mut answer = FetchAnswer::default();
    let before = COUNT.get();
    plan.fetch(&request, scratch, &mut answer);
    COUNT.get() - before
}

#[test]
fn fetches_allocate_nothing() {
    assert_ne!(
        {
            let before = COUNT.get();
            drop(std::hint::black_box(Box::new(1)));
            COUNT.get() - before
        },
        0,
        "allocations are counted"
    );
    let mut scratch = Scratch::new();
    let mut plans = 0;
    let samplers =
        [(Filter::Point, 0, false), (Filter::Linear, 0, false), (Filter::Linear, 16, true)];
    for &geometry in Geometry::ALL {
        for format in Format::all() {
            for (filter, max_anisotropy, rich) in samplers {
                let sampler = Sampler::default()
                    .with_filter(filter)
                    .with_mip_filter(filter)
                    .with_address_mode(AddressMode::Border)
                    .with_max_anisotropy(max_anisotropy)
                    .with_srgb(true)
                    .with_seamless_cube(rich)
                    .with_compare((rich && format.is_depth()).then_some(CompareFunction::Less));
                for read_mode in [ReadMode::Element, ReadMode::NormalizedFloat] {
                    let Some(texture) = texture(format, geometry, read_mode, &sampler) else {
                        continue;
                    };
                    let texture = Arc::new(texture);
                    for (kind, coord) in kinds(geometry) {
                        let result = if rich { ResultType::F16x2 } else { ResultType::F32 };
                        let form = FetchForm::sample(geometry, coord, result);
                        let form = FetchForm { kind, offset: rich, compare: rich, ..form };
                        let Ok(plan) = FetchPlan::new(form, &texture, &sampler) else { continue };
                        let count = allocations(&plan, &mut scratch);
                        assert_eq!(count, 0, "{form:?} of {}", texture.resource.describe());
                        plans += 1;
                    }
                }
            }
        }
    }
    assert!(plans > 3000, "{plans} plans");
}
