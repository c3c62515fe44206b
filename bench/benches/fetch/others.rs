//! Workloads that the cases of `texunit bench` do not cover.

use texunit_texel::Format;
use texunit_unit::{
    AddressMode, CompareFunction, CoordType, Coordinates, Extent, FetchKind, FetchOperands, Filter,
    Geometry, Lod, ReadMode, ResultType,
};
use texunit_workloads::cases::plane;
use texunit_workloads::points::{
    at, direction_coherent, gradient, level_coherent, plane_coherent, space_coherent,
};
use texunit_workloads::workload::Workload;

const STEP: f32 = 1.0 / 1024.0;

fn linear(name: &str, format: &str) -> Workload {
    plane(name, Format::from_name(format).unwrap(), Filter::Linear, AddressMode::Wrap)
}

/// Applies `change` to a workload.
fn with(mut workload: Workload, change: impl FnOnce(&mut Workload)) -> Workload {
    change(&mut workload);
    workload
}

fn of_geometry(
    name: &str,
    geometry: Geometry,
    [width, height, depth]: [u32; 3],
    operands: fn(u32) -> FetchOperands,
) -> Workload {
    with(linear(name, "u8x4"), |w| {
        w.form.geometry = geometry;
        w.shape.geometry = geometry;
        w.shape.extent = Extent { width, height, depth };
        w.shape.layers = if geometry.is_array() { LAYERS } else { 1 };
        w.operands = operands;
    })
}

fn of_mipmapped(name: &str, lod: Lod, operands: fn(u32) -> FetchOperands) -> Workload {
    with(linear(name, "u8x4"), |w| {
        w.form.kind = FetchKind::Sample(lod);
        w.shape.levels = Some(11);
        w.sampler.mip_filter = Filter::Linear;
        w.operands = operands;
    })
}

const LAYERS: u32 = 4;

/// Adds a layer number, which changes every 256 fetches, to the operands of fetch `i`.
fn layered(i: u32, mut operands: FetchOperands) -> FetchOperands {
    operands.coords.layer = i >> 8 & (LAYERS - 1);
    operands
}

/// Operands of fetch `i` for a plane seen at an oblique angle: gradients of 9 texels of the largest
/// level along x, and 1.5 along y.
fn oblique(i: u32) -> FetchOperands {
    let gradients = [9.0 * STEP, 1.5 * STEP].map(f32::to_bits);
    let plane = at(plane_coherent(i, STEP));
    FetchOperands { dpdx: [gradients[0], 0, 0], dpdy: [0, gradients[1], 0], ..plane }
}

fn line(i: u32) -> FetchOperands {
    at([plane_coherent(i, STEP)[0]])
}

fn formats() -> impl Iterator<Item = Workload> {
    const FORMATS: [&str; 12] = [
        "u8", "s8x4", "u16", "u16x4", "f16", "f16x4", "f32x2", "rgb10a2", "bc1", "bc3", "bc5",
        "bc7",
    ];
    FORMATS.into_iter().map(|format| linear(&format!("{format} 2d linear wrap"), format))
}

fn modes() -> impl Iterator<Item = Workload> {
    [("mirror", AddressMode::Mirror), ("border", AddressMode::Border)].into_iter().map(
        |(name, mode)| {
            with(linear(&format!("u8x4 2d linear {name}"), "u8x4"), |w| {
                w.sampler.address_mode = [mode; 3];
            })
        },
    )
}

fn geometries() -> [Workload; 6] {
    let side = [512, 512, 1];
    [
        of_geometry("u8x4 1d linear", Geometry::D1, [1024, 1, 1], line),
        of_geometry("u8x4 a1d linear", Geometry::A1d, [1024, 1, 1], |i| layered(i, line(i))),
        of_geometry("u8x4 a2d linear", Geometry::A2d, [1024, 1024, 1], |i| {
            layered(i, at(plane_coherent(i, STEP)))
        }),
        of_geometry("u8x4 3d linear", Geometry::D3, [128; 3], |i| at(space_coherent(i))),
        of_geometry("u8x4 acube linear", Geometry::Acube, side, |i| {
            layered(i, at(direction_coherent(i)))
        }),
        with(
            of_geometry("u8x4 cube linear seamless", Geometry::Cube, side, |i| {
                at(direction_coherent(i))
            }),
            |w| w.sampler.seamless_cube = true,
        ),
    ]
}

fn levels() -> [Workload; 4] {
    [
        with(of_mipmapped("u8x4 2d level, nearest mip", Lod::Level, level_coherent), |w| {
            w.sampler.mip_filter = Filter::Point;
        }),
        with(of_mipmapped("u8x4 2d grad, anisotropy 4", Lod::Gradient, oblique), |w| {
            w.sampler.max_anisotropy = 4;
        }),
        with(of_mipmapped("u8x4 2d grad, anisotropy 16", Lod::Gradient, oblique), |w| {
            w.sampler.max_anisotropy = 16;
        }),
        with(linear("u8x4 2d grad, one level", "u8x4"), |w| {
            w.form.kind = FetchKind::Sample(Lod::Gradient);
            w.operands = |i| gradient(plane_coherent(i, STEP));
        }),
    ]
}

fn forms() -> [Workload; 7] {
    [
        with(linear("u8x4 2d gather", "u8x4"), |w| w.form.kind = FetchKind::Gather(0)),
        with(linear("f32 2d gather", "f32"), |w| {
            w.form.kind = FetchKind::Gather(0);
            w.components = 0xf;
        }),
        with(linear("u8x4 2d linear offset", "u8x4"), |w| {
            w.form.offset = true;
            w.operands = |i| FetchOperands { offset: [1, -1, 0], ..at(plane_coherent(i, STEP)) };
        }),
        with(linear("depth16 2d linear compare", "depth16"), |w| {
            w.form.compare = true;
            w.sampler.compare = Some(CompareFunction::LessEqual);
            w.operands =
                |i| FetchOperands { compare: 0.5f32.to_bits(), ..at(plane_coherent(i, STEP)) };
        }),
        with(linear("u8x4 2d linear, half results", "u8x4"), |w| w.form.result = ResultType::F16),
        with(linear("u8x4 2d linear, one component", "u8x4"), |w| w.components = 1),
        with(linear("u8x4 2d integer coordinates", "u8x4"), |w| {
            w.form.coord = CoordType::S32;
            w.form.result = ResultType::U32;
            w.read_mode = ReadMode::Element;
            w.sampler.filter = Filter::Point;
            w.sampler.address_mode = [AddressMode::Clamp; 3];
            w.operands = |i| FetchOperands {
                coords: Coordinates::at([i & 1023, i >> 10 & 1023, 0], 0),
                ..FetchOperands::default()
            };
        }),
    ]
}

pub(crate) fn all() -> Vec<Workload> {
    formats().chain(modes()).chain(geometries()).chain(levels()).chain(forms()).collect()
}
