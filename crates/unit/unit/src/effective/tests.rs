//! Which pairs are refused, what the others come to, and what is said about it.

#![allow(clippy::unwrap_used)]
use super::*;
use crate::request::{Geometry, PlanError, ResultType};
use crate::resource::{ArchLimits, ArrayShape, Extent, Resource};
use std::sync::Arc;
use texunit_memory::Block;
use texunit_texel::Format;

fn form(geometry: Geometry, coord: CoordType) -> FetchForm {
    FetchForm::sample(geometry, coord, ResultType::F32)
}

fn texture(dims: u8, format: &str, read_mode: ReadMode, normalized_coords: bool) -> Texture {
    let extent = [(4, 1, 1), (4, 4, 1), (4, 4, 4)][usize::from(dims) - 1];
    let extent = Extent { width: extent.0, height: extent.1, depth: extent.2 };
    let block = Arc::new(Block::new(2048, "b").unwrap());
    let format = Format::from_name(format).unwrap();
    let resource = Arc::new(
        Resource::array(
            &ArrayShape::new(format, Geometry::ALL[usize::from(dims) - 1], extent),
            block,
            "t",
        )
        .unwrap(),
    );
    Texture { resource, read_mode, normalized_coords }
}

/// A texture of 4 x 4 texels of any geometry.
fn square(geometry: Geometry, format: &str, levels: Option<u32>) -> Texture {
    let height = if geometry.axes() == 1 { 1 } else { 4 };
    let depth = if geometry.axes() == 3 { 4 } else { 1 };
    let extent = Extent { width: 4, height, depth };
    let format = Format::from_name(format).unwrap();
    let shape = ArrayShape { levels, ..ArrayShape::new(format, geometry, extent) };
    let block = Arc::new(Block::new(shape.size().unwrap() as usize, "b").unwrap());
    let resource = Arc::new(Resource::array(&shape, block, "t").unwrap());
    let read_mode =
        if format.is_normalized_kind() { ReadMode::NormalizedFloat } else { ReadMode::Element };
    Texture { resource, read_mode, normalized_coords: false }
}

fn kind(kind: FetchKind, geometry: Geometry) -> FetchForm {
    FetchForm { kind, ..form(geometry, CoordType::F32) }
}

const LEVEL: FetchKind = FetchKind::Sample(Lod::Level);
const GRADIENT: FetchKind = FetchKind::Sample(Lod::Gradient);

#[test]
fn unnormalized_coordinates_clamp() {
    use AddressMode::{Border, Clamp, Mirror, Wrap};
    let mut sampler = Sampler { address_mode: [Wrap, Mirror, Border], ..Sampler::default() };
    let f = form(Geometry::D3, CoordType::F32);
    let state = |normalized, sampler: &Sampler| {
        resolve(f, &texture(3, "f32", ReadMode::Element, normalized), sampler).unwrap()
    };
    assert_eq!(state(true, &sampler).address_mode, Some([Wrap, Mirror, Border]));
    assert_eq!(state(false, &sampler).address_mode, Some([Clamp, Clamp, Border]));
    sampler.force_unnormalized_coords = true;
    assert_eq!(state(true, &sampler).coords, Coords::Unnormalized);
    assert_eq!(state(true, &sampler).address_mode, Some([Clamp, Clamp, Border]));
}

#[test]
fn integer_coordinates_switch_the_sampler_off() {
    let sampler = Sampler {
        filter: Filter::Linear,
        address_mode: [AddressMode::Border; 3],
        ..Sampler::default()
    };
    let t = texture(2, "f32", ReadMode::Element, true);
    let state = resolve(form(Geometry::D2, CoordType::S32), &t, &sampler).unwrap();
    assert_eq!(
        (state.coords, state.filter, state.address_mode),
        (Coords::Integer, Filter::Point, None)
    );
}

#[test]
fn undefined_pairs_are_named() {
    let f = form(Geometry::D2, CoordType::F32);
    let linear = Sampler { filter: Filter::Linear, ..Sampler::default() };
    let t = texture(2, "u8x4", ReadMode::Element, true);
    assert!(resolve(f, &t, &Sampler::default()).is_ok());
    let e = resolve(f, &t, &linear).unwrap_err().to_string();
    assert!(e.contains("linear") && e.contains("u8x4"), "{e}");
    let e = resolve(form(Geometry::D3, CoordType::F32), &t, &linear).unwrap_err();
    assert_eq!(
        e.to_string(),
        "the instruction has .3d geometry, but texture `t` is a 2D array of 4 x 4 texels of u8x4"
    );
}

#[test]
fn linear_memory_wants_integer_coordinates() {
    let block = Arc::new(Block::new(64, "b").unwrap());
    let format = Format::from_name("f32").unwrap();
    let resource = Arc::new(Resource::linear(format, 16, block, 0, 0, "l").unwrap());
    let t = Texture { resource, read_mode: ReadMode::Element, normalized_coords: false };
    assert!(resolve(form(Geometry::D1, CoordType::S32), &t, &Sampler::default()).is_ok());
    assert!(resolve(form(Geometry::D1, CoordType::F32), &t, &Sampler::default()).is_err());
}

#[test]
fn mipmapped_textures_take_normalized_coordinates() {
    let t = square(Geometry::D2, "f32", Some(3));
    let s = Sampler { address_mode: [AddressMode::Mirror; 3], ..Sampler::default() };
    let state = resolve(form(Geometry::D2, CoordType::F32), &t, &s).unwrap();
    assert_eq!(state.coords, Coords::Normalized);
    assert_eq!(state.address_mode, Some([AddressMode::Clamp; 3]), "unnormalized was asked for");
    assert_eq!((state.mip_filter, state.level_clamp), (Some(Filter::Point), [0, 512]));
}

/// Rule 1.11 (open): what counts is how many levels the array was made with.
#[test]
fn one_level_is_as_none() {
    use crate::resource::View;
    use AddressMode::{Clamp, Mirror};
    let s = Sampler { address_mode: [Mirror; 3], ..Sampler::default() };
    for geometry in [Geometry::D1, Geometry::D2, Geometry::D3, Geometry::A1d, Geometry::A2d] {
        let f = form(geometry, CoordType::F32);
        let mut t = square(geometry, "f32", Some(1));
        let state = resolve(f, &t, &s).unwrap();
        assert_eq!((state.coords, state.address_mode), (Coords::Unnormalized, Some([Clamp; 3])));
        assert!(said(&t, &s, f)[0].ends_with("because coordinates are unnormalized"));
        t.normalized_coords = true;
        assert_eq!(resolve(f, &t, &s).unwrap().address_mode, Some([Mirror; 3]));
        // A view of one of two levels is a part of what has several.
        let whole = square(geometry, "f32", Some(2));
        let view = View { levels: Some(1..2), ..View::default() };
        let resource = Arc::new(whole.resource.view(&view).unwrap());
        let part = Texture { resource, ..whole.clone() };
        assert_eq!(resolve(f, &part, &s).unwrap().coords, Coords::Normalized);
        assert!(said(&part, &s, f)[0].starts_with("1.11: "));
        // A level taken out is an array of its own.
        let resource = Arc::new(whole.resource.single_level(1).unwrap());
        let level = Texture { resource, ..whole };
        assert_eq!(resolve(f, &level, &s).unwrap().coords, Coords::Unnormalized);
    }
}

#[test]
fn faces_of_cubes() {
    use AddressMode::{Border, Clamp, Wrap};
    let f = form(Geometry::Cube, CoordType::F32);
    let state = |levels, filter, form| {
        let s = Sampler {
            filter,
            address_mode: [Wrap, Border, Wrap],
            seamless_cube: true,
            ..Sampler::default()
        };
        resolve(form, &square(Geometry::Cube, "f32", levels), &s).unwrap()
    };
    let point = state(None, Filter::Point, f);
    assert_eq!((point.coords, point.address_mode), (Coords::Normalized, Some([Clamp; 3])));
    assert!(!point.seamless_cube);
    let mipmapped = state(Some(1), Filter::Point, f);
    assert_eq!(mipmapped.address_mode, Some([Wrap, Border, Wrap]));
    let linear = state(None, Filter::Linear, f);
    assert_eq!(linear.address_mode, Some([Wrap, Border, Wrap]));
    assert!(linear.seamless_cube);
    let gather = state(None, Filter::Point, kind(FetchKind::Gather(0), Geometry::Cube));
    assert_eq!((gather.address_mode, gather.seamless_cube), (Some([Wrap, Border, Wrap]), false));
}

#[test]
fn anisotropy_acts_on_levels_and_gradients() {
    let acts = |kind_, geometry, filter, mip_filter, max_anisotropy| {
        let s = Sampler { filter, mip_filter, max_anisotropy, ..Sampler::default() };
        let t = square(geometry, "f32", Some(3));
        resolve(kind(kind_, geometry), &t, &s).unwrap().max_anisotropy
    };
    use Filter::{Linear, Point};
    use Geometry::{D2, D3};
    assert_eq!(acts(LEVEL, D2, Point, Linear, 4), 4);
    assert_eq!(acts(LEVEL, D3, Linear, Linear, 99), 16);
    assert_eq!(acts(LEVEL, D2, Linear, Point, 4), 1);
    assert_eq!(acts(GRADIENT, D2, Linear, Point, 4), 4);
    assert_eq!(acts(GRADIENT, D2, Point, Linear, 4), 1);
    assert_eq!(acts(GRADIENT, D3, Linear, Linear, 4), 1);
    assert_eq!(acts(FetchKind::Sample(Lod::Implicit), D2, Linear, Linear, 4), 1);
    assert_eq!(acts(LEVEL, D2, Linear, Linear, 0), 1);
}

#[test]
fn srgb_acts_on_8_bit_unorm() {
    let srgb = Sampler { srgb: true, ..Sampler::default() };
    let f = form(Geometry::D2, CoordType::F32);
    for (format, acts) in [("unorm8x4", true), ("unorm16", false), ("u8", false), ("f32", false)] {
        let t = square(Geometry::D2, format, None);
        assert_eq!(effective_sampler(&t, &srgb, f).srgb, acts, "{format}");
        assert!(!effective_sampler(&t, &Sampler::default(), f).srgb);
    }
}

#[test]
fn forms_that_do_not_exist_are_refused() {
    let s = Sampler { compare: Some(CompareFunction::Less), ..Sampler::default() };
    let refused = |form: FetchForm| {
        let t = square(form.geometry, "f32", None);
        resolve(form, &t, &s).map(|_| ()).unwrap_err().to_string()
    };
    let base = |geometry| form(geometry, CoordType::F32);
    let integer = |geometry| form(geometry, CoordType::S32);
    let gather = FetchKind::Gather(0);
    #[rustfmt::skip]
    let rows = [
        (integer(Geometry::Cube),                                 "tex.cube.v4.f32.s32: cube maps take .f32 coordinates"),
        (FetchForm { offset: true, ..base(Geometry::Acube) },     "tex.acube.v4.f32.f32: fetches from cube maps have no offset"),
        (base(Geometry::D2ms),                                    "tex.2dms.v4.f32.f32: multi-sample textures take .s32 coordinates"),
        (FetchForm { compare: true, ..base(Geometry::D3) },       "tex.3d.v4.f32.f32: 3D fetches have no compare operand"),
        (FetchForm { compare: true, ..integer(Geometry::D2) },    "tex.2d.v4.f32.s32: a compare operand needs .f32 coordinates"),
        (kind(gather, Geometry::A1d),                             "tld4.r.a1d.v4.f32.f32: tld4 has the geometries .2d, .a2d, .cube and .acube"),
        (kind(FetchKind::Gather(4), Geometry::D2),                "tld4.r.2d.v4.f32.f32: tld4 gathers one of four components"),
        (FetchForm { kind: GRADIENT, ..integer(Geometry::D2) },   "tex.grad.2d.v4.f32.s32: gradients need .f32 coordinates"),
    ];
    for (form, message) in rows {
        assert_eq!(refused(form), message, "{form:?}");
    }
    let compare = FetchForm { compare: true, ..base(Geometry::D2) };
    let e = resolve(compare, &square(Geometry::D2, "u16", None), &s).unwrap_err().to_string();
    assert!(e.contains("no depth compare"), "{e}");
    let half = FetchForm { result: ResultType::F16, ..base(Geometry::D2) };
    let plain = Sampler::default();
    let e = resolve(half, &square(Geometry::D2, "u16", None), &plain).unwrap_err().to_string();
    assert!(e.contains("not as .f16"), "{e}");
    assert!(resolve(compare, &square(Geometry::D2, "depth24", None), &s).is_ok());
    assert!(resolve(half, &square(Geometry::D2, "f16", None), &s).is_ok());
}

#[test]
fn samplers_that_come_separately_are_checked() {
    let refused = |t: &Texture, s: &Sampler, coord| {
        let form = form(t.resource.geometry(), coord);
        resolve(form, t, s).map(|_| ()).unwrap_err().to_string()
    };
    let plain = Sampler::default();
    let t = square(Geometry::A2d, "f32", None);
    let seamless = Sampler { seamless_cube: true, ..plain };
    let e = refused(&t, &seamless, CoordType::F32);
    assert!(e.contains("seamless filtering is for cube maps"), "{e}");
    let nan = Sampler { max_level_clamp: f32::NAN, ..plain };
    let e = refused(&t, &nan, CoordType::S32);
    assert!(e.contains("max_level_clamp is a number, not NaN"), "{e}");
    let e = refused(&square(Geometry::D2, "bc7_srgb", None), &plain, CoordType::F32);
    assert!(e.contains("set the sRGB flag"), "{e}");
    let linear = Sampler { filter: Filter::Linear, ..plain };
    let e = refused(&square(Geometry::D2, "u8", None), &linear, CoordType::F32);
    assert!(e.contains("no linear filter"), "{e}");
    let mip = Sampler { mip_filter: Filter::Linear, ..plain };
    let t = square(Geometry::D2, "u8", Some(2));
    let level = FetchForm { kind: LEVEL, ..form(Geometry::D2, CoordType::F32) };
    let e = resolve(level, &t, &mip).unwrap_err().to_string();
    assert!(e.contains("no linear mip filter"), "{e}");
    assert!(resolve(form(Geometry::D2, CoordType::F32), &t, &mip).is_ok(), "level 0 alone");
}

#[test]
fn gathers_have_limits_of_their_own() {
    let format = Format::from_name("u8").unwrap();
    let texture = |width, limits| {
        let shape = ArrayShape::new(format, Geometry::D2, Extent { width, height: 1, depth: 1 });
        let block = Arc::new(Block::new(shape.size().unwrap() as usize, "b").unwrap());
        let resource = Arc::new(Resource::array_for(&limits, &shape, block, "t").unwrap());
        Texture { resource, read_mode: ReadMode::Element, normalized_coords: true }
    };
    let (newest, old) = (ArchLimits::NEWEST, ArchLimits::of(5, 2));
    let gather = kind(FetchKind::Gather(0), Geometry::D2);
    for (width, limits, most) in [(32_768, newest, 32_768), (32_768, old, 16_384)] {
        let s = Sampler::default();
        let t = texture(width, limits);
        assert!(resolve(form(Geometry::D2, CoordType::F32), &t, &s).is_ok(), "tex reads it");
        assert_eq!(resolve(gather, &t, &s).is_ok(), width <= most);
    }
    let e = resolve(gather, &texture(32_769, newest), &Sampler::default()).unwrap_err();
    assert_eq!(
        e.to_string(),
        "texture `t` is a 2D array of 32769 x 1 texels of u8: tld4 cannot read it: width is \
         32769, but must be 1 to 32768"
    );
}

#[test]
fn nothing_is_said_where_nothing_is_changed() {
    let s = Sampler { filter: Filter::Linear, ..Sampler::default() };
    for geometry in [Geometry::D1, Geometry::D2, Geometry::D3, Geometry::A2d] {
        let t = square(geometry, "f32", None);
        assert_eq!(overrides(&t, &s, form(geometry, CoordType::F32)), []);
    }
}

/// Rule 1.13 (open).
#[test]
fn neighbouring_geometries() {
    use Geometry as G;
    let s = Sampler::default();
    let mut row = square(G::D2, "f32", None);
    let extent = Extent { width: 4, height: 1, depth: 1 };
    let shape = ArrayShape::new(Format::from_name("f32").unwrap(), G::D2, extent);
    let block = Arc::new(Block::new(64, "b").unwrap());
    row.resource = Arc::new(Resource::array(&shape, Arc::clone(&block), "row").unwrap());
    let f = |geometry| form(geometry, CoordType::F32);
    let texts = [
        (&row, G::D1, "1.13: the 2D array of height 1 is read as a 1D texture"),
        (&row, G::A2d, "1.13: the 2D array is one layer, which every array index reads"),
        (
            &square(G::D1, "f32", Some(3)),
            G::A1d,
            "1.13: the 1D array is one layer, which every array index reads",
        ),
    ];
    for (t, geometry, text) in texts {
        assert!(resolve(f(geometry), t, &s).is_ok());
        assert_eq!(said(t, &s, f(geometry))[0], text);
    }
    let format = Format::from_name("f32").unwrap();
    let pitched = Resource::pitched(format, 4, 1, 32, block, 0, 512, "p").unwrap();
    let pitched = Texture { resource: Arc::new(pitched), ..row.clone() };
    let plane = square(G::D2, "f32", None);
    let line = square(G::D1, "f32", None);
    for (t, geometry) in [
        (&plane, G::D1),
        (&pitched, G::D1),
        (&pitched, G::A2d),
        (&row, G::A1d),
        (&line, G::D2),
        (&line, G::A2d),
        (&square(G::A1d, "f32", None), G::D1),
        (&square(G::A2d, "f32", None), G::D2),
        (&square(G::D3, "f32", None), G::A2d),
        (&square(G::Cube, "f32", None), G::A2d),
    ] {
        let e = resolve(f(geometry), t, &s).unwrap_err();
        let PlanError::Geometry(error) = &e else { panic!("{e}") };
        assert_eq!((error.instruction, error.own), (geometry, t.resource.geometry()));
        assert!(!sees(geometry, &t.resource));
    }
}

fn said(t: &Texture, s: &Sampler, form: FetchForm) -> Vec<String> {
    overrides(t, s, form).into_iter().map(|o| format!("{}: {}", o.rule, o.text)).collect()
}

const MIXED: [AddressMode; 3] = [AddressMode::Wrap, AddressMode::Border, AddressMode::Wrap];

#[test]
fn every_change_is_told() {
    let t = square(Geometry::D2, "f32", None);
    let s = Sampler {
        filter: Filter::Linear,
        mip_filter: Filter::Linear,
        address_mode: MIXED,
        min_level_clamp: 1.0,
        level_bias: 0.5,
        max_anisotropy: 8,
        srgb: true,
        seamless_cube: true,
        compare: Some(CompareFunction::Less),
        ..Sampler::default()
    };
    assert_eq!(
        said(&t, &s, form(Geometry::D2, CoordType::F32)),
        [
            "1.8: address mode of x: wrap acts as clamp, because coordinates are unnormalized",
            "3.7: the mip filter has no effect: the texture has no mip levels",
            "3.7: level clamps have no effect: the texture has no mip levels",
            "3.7: the level bias has no effect: the texture has no mip levels",
            "3.6: max_anisotropy 8 has no effect: the instruction has neither level nor gradients",
            "5: the sRGB flag has no effect: it acts on 8-bit unorm texels read as normalized \
             floats",
            "9.2: the compare function has no effect: the instruction has no compare operand",
        ]
    );
    let linear = Sampler { filter: Filter::Linear, ..Sampler::default() };
    let integer = said(&t, &linear, form(Geometry::D2, CoordType::S32));
    assert!(integer[0].starts_with("1.9: integer coordinates name a texel: the linear filter"));
}

#[test]
fn changes_of_cubes_and_mipmaps_are_told() {
    let linear = Sampler { filter: Filter::Linear, ..Sampler::default() };
    let cube = square(Geometry::Cube, "f32", None);
    let point = Sampler { address_mode: MIXED, ..Sampler::default() };
    let said_of_cube = said(&cube, &point, form(Geometry::Cube, CoordType::F32));
    assert_eq!(said_of_cube.len(), 3, "{said_of_cube:?}");
    assert!(said_of_cube[1].contains("stays on its face"), "{said_of_cube:?}");
    let mipmapped = square(Geometry::D2, "f32", Some(2));
    let crossed = Sampler { min_level_clamp: 2.0, max_level_clamp: 1.0, ..point };
    let said_of_mips = said(&mipmapped, &crossed, kind(FetchKind::Gather(0), Geometry::D2));
    assert_eq!(
        said_of_mips,
        [
            "1.11: a mipmapped texture takes normalized coordinates, though unnormalized ones are \
             asked for",
            "1.11: address mode of x: wrap acts as clamp, because unnormalized coordinates are \
             asked for",
            "8.6: a gather reads level 0 of a mipmapped texture",
        ]
    );
    let said_of_level = said(&mipmapped, &crossed, kind(LEVEL, Geometry::D2));
    assert_eq!(
        said_of_level.last().unwrap(),
        "3.3: level clamps 2 and 1 are in the wrong order: 2 wins"
    );
    let form = FetchForm { compare: true, ..kind(LEVEL, Geometry::D2) };
    let said_of_operand = said(&mipmapped, &linear, form);
    assert_eq!(
        said_of_operand.last().unwrap(),
        "9.1: the compare operand has no effect: the sampler has no compare function"
    );
}
