//! Tests which combinations of texture, sampler and instruction are refused, the effective state of
//! the others, and the reported overrides.

#![allow(clippy::unwrap_used)]
use super::*;
use crate::request::{Geometry, PlanError, ResultType};
use crate::resource::{ArrayShape, Extent, Resource};
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
const GATHER: FetchKind = FetchKind::Gather(0);

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
    let t = texture(2, "u32", ReadMode::NormalizedFloat, true);
    let e = resolve(f, &t, &Sampler::default()).unwrap_err().to_string();
    assert!(e.contains("u32 cannot be read as normalized floats"), "{e}");
    let linear = Sampler { filter: Filter::Linear, ..Sampler::default() };
    let t = texture(2, "u8x4", ReadMode::Element, true);
    assert!(resolve(f, &t, &linear).is_ok(), "section 2 has a sum of integers");
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
    let e = resolve(form(Geometry::D1, CoordType::F32), &t, &Sampler::default()).unwrap_err();
    assert!(matches!(e, PlanError::Floats { .. }), "{e}");
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

/// Rule 1.11 of docs/numerics.md: the number of levels with which the array was created decides
/// whether coordinates are normalized.
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
        // A view of one of two levels counts as mipmapped, because its array has several levels.
        let whole = square(geometry, "f32", Some(2));
        let view = View { levels: Some(1..2), ..View::default() };
        let resource = Arc::new(whole.resource.view(&view).unwrap());
        let part = Texture { resource, ..whole.clone() };
        assert_eq!(resolve(f, &part, &s).unwrap().coords, Coords::Normalized);
        assert!(said(&part, &s, f)[0].starts_with("1.11: "));
        // A level that is made an array of its own counts as not mipmapped.
        let resource = Arc::new(whole.resource.single_level(1).unwrap());
        let level = Texture { resource, ..whole };
        assert_eq!(resolve(f, &level, &s).unwrap().coords, Coords::Unnormalized);
    }
}

/// Rules 7.5 to 7.7 and 8.7 of docs/numerics.md: coordinates, filters and address modes of cube
/// faces.
#[test]
fn faces_of_cubes() {
    use AddressMode::{Border, Clamp, Wrap};
    use Filter::{Linear, Point};
    let (tex, tld4) = (form(Geometry::Cube, CoordType::F32), kind(GATHER, Geometry::Cube));
    let modes = [Wrap, Border, Wrap];
    for levels in [None, Some(1), Some(2)] {
        let state = |form, filter, seamless_cube| {
            let s = Sampler { filter, address_mode: modes, seamless_cube, ..Sampler::default() };
            let state = resolve(form, &square(Geometry::Cube, "f32", levels), &s).unwrap();
            assert_eq!(state.coords, Coords::Normalized);
            (state.address_mode, state.seamless_cube)
        };
        for form in [tex, tld4] {
            for filter in [Point, Linear] {
                assert_eq!(state(form, filter, false), (Some(modes), false));
            }
        }
        assert_eq!(state(tex, Point, true), (Some([Clamp; 3]), false));
        assert_eq!(state(tex, Linear, true), (Some([Clamp; 3]), true));
        assert_eq!(state(tld4, Point, true), (Some([Clamp; 3]), true));
    }
}

/// Rules 3.6 and 4.12 of docs/numerics.md: the fetches whose levels anisotropy sharpens, and those
/// that can have several taps.
#[test]
fn anisotropy_acts_on_levels_and_gradients() {
    use Filter::{Linear, Point};
    use Geometry::{A1d, A2d, Acube, Cube, D1, D2, D3};
    let acts = |of, geometry, levels, max_anisotropy| {
        let all = [(Point, Point), (Point, Linear), (Linear, Point), (Linear, Linear)];
        let [first, others @ ..] = all.map(|(filter, mip_filter)| {
            let s = Sampler { filter, mip_filter, max_anisotropy, ..Sampler::default() };
            let t = square(geometry, "f32", levels);
            let state = resolve(kind(of, geometry), &t, &s).unwrap();
            (state.max_anisotropy, state.anisotropic)
        });
        assert_eq!(others, [first; 3], "{of:?} {geometry:?}: filters do not matter");
        first
    };
    for geometry in [D1, D2, A2d, Cube, Acube] {
        assert_eq!(acts(GRADIENT, geometry, Some(3), 4), (4, true));
        assert_eq!(acts(GRADIENT, geometry, None, 4), (4, true));
        assert_eq!(acts(GRADIENT, geometry, None, 1), (1, false));
    }
    for geometry in [A1d, D3] {
        assert_eq!(acts(GRADIENT, geometry, Some(3), 4), (4, false));
        assert_eq!(acts(GRADIENT, geometry, None, 4), (1, false));
    }
    for geometry in [D1, D2, D3, A1d, Cube] {
        assert_eq!(acts(LEVEL, geometry, Some(3), 99), (16, false));
        assert_eq!(acts(LEVEL, geometry, None, 99), (1, false));
        assert_eq!(acts(LEVEL, geometry, Some(3), 0), (1, false));
        assert_eq!(acts(FetchKind::Sample(Lod::Implicit), geometry, Some(3), 4), (1, false));
    }
    assert_eq!(acts(GATHER, D2, Some(3), 4), (1, false));
}

/// Rule 3.5 of docs/numerics.md: a linear filter, a linear mip filter or anisotropy makes even a
/// single texel go through the sum.
#[test]
fn fetches_that_go_through_a_sum() {
    use Filter::{Linear, Point};
    let sums = |of, levels, filter, mip_filter, max_anisotropy| {
        let s = Sampler { filter, mip_filter, max_anisotropy, ..Sampler::default() };
        resolve(kind(of, Geometry::D2), &square(Geometry::D2, "f32", levels), &s).unwrap().sums
    };
    let implicit = FetchKind::Sample(Lod::Implicit);
    for of in [implicit, FetchKind::Sample(Lod::Base), LEVEL, GRADIENT] {
        for levels in [None, Some(1), Some(3)] {
            let is_gradient = of == GRADIENT;
            assert!(sums(of, levels, Linear, Point, 1));
            assert!(!sums(of, levels, Point, Point, 1));
            assert_eq!(sums(of, levels, Point, Linear, 1), levels.is_some());
            assert_eq!(sums(of, levels, Point, Point, 2), levels.is_some() || is_gradient);
        }
    }
    assert!(!sums(GATHER, Some(3), Linear, Linear, 16));
    // Fetches with integer coordinates never use the sum.
    let s = Sampler { filter: Linear, mip_filter: Linear, ..Sampler::default() };
    let t = square(Geometry::D2, "f32", Some(3));
    assert!(!resolve(form(Geometry::D2, CoordType::S32), &t, &s).unwrap().sums);
}

/// Rule 9.2 of docs/numerics.md: the formats that support a depth compare.
#[test]
fn formats_that_are_compared() {
    let s = Sampler { compare: Some(CompareFunction::Less), ..Sampler::default() };
    let form = FetchForm { compare: true, ..form(Geometry::D2, CoordType::F32) };
    for (format, compares) in [
        ("depth16", true),
        ("depth24", true),
        ("depth32f", true),
        ("f32", true),
        ("f16", true),
        ("unorm16", true),
        ("snorm16", true),
        ("f32x2", false),
        ("f16x2", false),
        ("unorm16x2", false),
        ("unorm8", false),
        ("snorm8x4", false),
        ("rgb10a2", false),
        ("bc4", false),
    ] {
        let t = square(Geometry::D2, format, None);
        assert_eq!(resolve(form, &t, &s).unwrap().compare.is_some(), compares, "{format}");
    }
}

#[test]
fn srgb_acts_on_8_bit_unorm() {
    let srgb = Sampler { srgb: true, ..Sampler::default() };
    let f = form(Geometry::D2, CoordType::F32);
    for (format, acts) in [
        ("unorm8x4", true),
        ("unorm8", true),
        ("bc1", true),
        ("bc7_srgb", true),
        ("bc4", false),
        ("snorm8", false),
        ("unorm16", false),
        ("u8", false),
        ("f32", false),
    ] {
        let t = square(Geometry::D2, format, None);
        assert_eq!(effective_sampler(&t, &srgb, f).srgb, acts, "{format}");
        let plain = effective_sampler(&t, &Sampler::default(), f);
        assert!(!plain.srgb, "the flag decides");
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
    assert!(resolve(half, &square(Geometry::D2, "u16", None), &plain).is_ok(), "rule 2.6");
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
    let e = refused(&square(Geometry::D2, "bc7_srgb", None), &plain, CoordType::F32);
    assert!(e.contains("set the sRGB flag"), "{e}");
    // The driver creates these samplers, although the runtime does not.
    for s in [
        Sampler { max_level_clamp: f32::NAN, level_bias: f32::NAN, ..plain },
        Sampler { filter: Filter::Linear, mip_filter: Filter::Linear, ..plain },
    ] {
        let level = FetchForm { kind: LEVEL, ..form(Geometry::D2, CoordType::F32) };
        assert!(resolve(level, &square(Geometry::D2, "u8", Some(2)), &s).is_ok());
    }
}

#[test]
fn nothing_is_said_where_nothing_is_changed() {
    let s = Sampler { filter: Filter::Linear, ..Sampler::default() };
    for geometry in [Geometry::D1, Geometry::D2, Geometry::D3, Geometry::A2d] {
        let t = square(geometry, "f32", None);
        assert_eq!(overrides(&t, &s, form(geometry, CoordType::F32)), []);
    }
}

/// The instruction forms that rule 1.13 of docs/numerics.md puts into each class.
fn instructions() -> [(&'static str, Vec<FetchForm>); 5] {
    use CoordType::{F32, S32};
    use Geometry as G;
    let compared = FetchForm { compare: true, ..kind(GRADIENT, G::D1) };
    [
        (
            "plane",
            vec![
                form(G::D1, F32),
                kind(GRADIENT, G::D1),
                FetchForm { compare: true, ..form(G::D1, F32) },
                form(G::D2, F32),
                form(G::D2, S32),
                form(G::A2d, F32),
                form(G::A2d, S32),
                kind(LEVEL, G::A2d),
                kind(GATHER, G::D2),
                kind(GATHER, G::A2d),
            ],
        ),
        ("line", vec![form(G::D1, S32), form(G::A1d, F32), form(G::A1d, S32), compared]),
        ("solid", vec![form(G::D3, F32), form(G::D3, S32)]),
        (
            "cube",
            vec![
                form(G::Cube, F32),
                form(G::Acube, F32),
                kind(GATHER, G::Cube),
                kind(GATHER, G::Acube),
            ],
        ),
        ("samples", vec![form(G::D2ms, S32), form(G::A2dms, S32)]),
    ]
}

/// Rule 1.13 of docs/numerics.md: instructions read the resources of their class, and no others.
#[test]
fn classes_of_instructions_and_resources() {
    use Geometry as G;
    let memory = || Arc::new(Block::new(1024, "b").unwrap());
    let f32_format = Format::from_name("f32").unwrap();
    let of = |resource| Texture { resource: Arc::new(resource), ..square(G::D2, "f32", None) };
    let linear = of(Resource::linear(f32_format, 4, memory(), 0, 0, "l").unwrap());
    let pitched = of(Resource::pitched(f32_format, 4, 4, 32, memory(), 0, 512, "p").unwrap());
    let plane = [G::D1, G::D2, G::A2d];
    let mut resources = vec![("plane", pitched)];
    for levels in [None, Some(1), Some(2)] {
        resources.extend(plane.map(|g| ("plane", square(g, "f32", levels))));
        resources.push(("line", square(G::A1d, "f32", levels)));
        resources.push(("solid", square(G::D3, "f32", levels)));
        resources.extend([G::Cube, G::Acube].map(|g| ("cube", square(g, "f32", levels))));
    }
    resources.extend([G::D2ms, G::A2dms].map(|g| ("samples", square(g, "f32", None))));
    let s = Sampler::default();
    for (class, t) in &resources {
        for (of, forms) in instructions() {
            for form in forms {
                let own = t.resource.geometry();
                assert_eq!(compatible_geometry(form, &t.resource), of == *class, "{form} {own:?}");
                match resolve(form, t, &s) {
                    Ok(_) => assert_eq!(of, *class, "{form} {own:?}"),
                    Err(PlanError::Geometry(e)) => {
                        assert_eq!((e.instruction, e.own), (form.geometry, own));
                        assert_ne!(of, *class, "{form} {own:?}");
                    }
                    Err(e) => panic!("{form} {own:?}: {e}"),
                }
            }
        }
    }
    // Linear memory supports only integer coordinates.
    for (of, forms) in instructions() {
        for form in forms {
            let integer = form.coord == CoordType::S32;
            assert_eq!(
                compatible_geometry(form, &linear.resource),
                of == "line" && integer,
                "{form}"
            );
            let e = resolve(form, &linear, &s).err();
            let is_line = matches!(form.geometry, Geometry::D1 | Geometry::A1d);
            let floats = matches!(e, Some(PlanError::Floats { .. }));
            assert_eq!(floats, is_line && !integer, "{form}");
        }
    }
}

/// Rules 1.9 and 1.13 of docs/numerics.md: the number of layers that integer coordinates can
/// address depends on the layout and on mip levels.
#[test]
fn layers_of_resources_without_layers() {
    use Geometry as G;
    let layers = |geometry, levels| layers_of_integers(&square(geometry, "f32", levels).resource);
    for geometry in [G::D1, G::D2, G::D3, G::A1d, G::A2d] {
        assert_eq!(layers(geometry, None), 1);
    }
    for geometry in [G::D1, G::D2] {
        assert_eq!([1, 2].map(|n| layers(geometry, Some(n))), [65_536; 2]);
    }
    assert_eq!(layers(G::A2d, Some(2)), 1, "it has one");
    let block = || Arc::new(Block::new(512, "b").unwrap());
    let format = Format::from_name("f32").unwrap();
    let pitched = Resource::pitched(format, 4, 4, 32, block(), 0, 512, "p").unwrap();
    let linear = Resource::linear(format, 4, block(), 0, 0, "l").unwrap();
    assert_eq!([pitched, linear].map(|r| layers_of_integers(&r)), [1, 65_536]);
}

#[test]
fn other_geometries_are_told() {
    use Geometry as G;
    let s = Sampler::default();
    for (own, geometry, text) in [
        (G::D2, G::D1, "of the 2D array the first row is read"),
        (G::D2, G::A2d, "the 2D array is one layer, which every array index reads"),
        (G::D1, G::D2, "the 1D array has one row"),
        (G::A2d, G::D2, "of the layered 2D array the first layer is read"),
        (G::Acube, G::Cube, "of the layered cube array the first layer is read"),
    ] {
        let t = square(own, "f32", None);
        let said = said(&t, &s, form(geometry, CoordType::F32));
        assert_eq!(said[0], format!("1.13: {text}"));
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
    let seamless = Sampler { seamless_cube: true, ..point };
    let of_cube = |s| said(&cube, &s, form(Geometry::Cube, CoordType::F32));
    let normalized = "7.5: face coordinates are normalized, though unnormalized ones are asked for";
    assert_eq!(of_cube(point), [normalized]);
    assert_eq!(
        of_cube(seamless),
        [
            normalized,
            "7.6: address mode of x: wrap acts as clamp, because seamless footprints stay on the \
             cube",
            "7.6: address mode of y: border acts as clamp, because seamless footprints stay on \
             the cube",
            "7.7: seamless filtering has no effect: the filter is point",
        ]
    );
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
