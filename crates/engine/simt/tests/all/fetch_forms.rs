//! Tests of every form of `tex` and `tld4`: each operand of the PTX reaches the unit, and each
//! result its register.

use crate::common::{Arg, HEADER, How, Loaded, load_text, words};
use crate::unit_common::{numbered, only_access, shape, texture};
use texunit_simt::{Watch, Watched, WatchedFetch};
use texunit_unit::{
    CoordType, Coordinates, FetchForm, FetchKind, FetchOperands, Geometry, Lod, ResultType,
    Sampler, reference,
};

/// A kernel whose thread runs `inst` on the handle `%h` and stores x, y, z, w and the predicate
/// `%p`. Registers `%f1` to `%f9` hold 1.0 to 9.0, `%r1` to `%r9` 1 to 9, `%n1` to `%n9` -1 to -9.
fn kernel(inst: &str) -> String {
    let numbers: String = (1..10)
        .map(|i| {
            let bits = (i as f32).to_bits();
            format!("mov.f32 %f{i}, 0f{bits:08x}; mov.u32 %r{i}, {i}; mov.s32 %n{i}, -{i};\n")
        })
        .collect();
    let store = if inst.contains(".f16x2") {
        "mov.u32 %o0, %a; mov.u32 %o1, %b;"
    } else if inst.contains(".f16.") {
        "cvt.u32.u16 %o0, %h0; cvt.u32.u16 %o1, %h1; cvt.u32.u16 %o2, %h2; cvt.u32.u16 %o3, %h3;"
    } else {
        ""
    };
    format!(
        "{HEADER}.visible .entry k(.param .u64 out, .param .u64 handle)
{{
.reg .u64 %out, %h; .reg .f32 %f<10>; .reg .u32 %r<10>, %o<4>, %q; .reg .s32 %n<10>;
.reg .b16 %h<4>; .reg .b32 %a, %b; .reg .pred %p, %never;
ld.param.u64 %out, [out];
ld.param.u64 %h, [handle];
{numbers}
mov.u32 %o0, 7; mov.u32 %o1, 7; mov.u32 %o2, 7; mov.u32 %o3, 7;
setp.ne.u32 %p, %r1, 1;
setp.ne.u32 %never, %r1, 1;
{inst};
{store}
st.global.v4.u32 [%out], {{%o0, %o1, %o2, %o3}};
selp.u32 %q, 1, 0, %p;
st.global.u32 [%out+16], %q;
ret;
}}"
    )
}

/// Loads the kernel with a texture of f32 texels.
fn load(inst: &str, geometry: Geometry, format: &str) -> (Loaded, u64) {
    let mut loaded = load_text(&kernel(inst));
    let shape = shape(geometry, format);
    let resource = match format {
        "f32" => numbered(&shape, "picture"),
        _ => crate::unit_common::zeros(&shape, "picture"),
    };
    let handle = texture(&mut loaded, resource, Sampler::default());
    (loaded, handle)
}

/// Runs an instruction, and returns the request to the unit and the stored results.
fn run(inst: &str, geometry: Geometry, format: &str) -> (WatchedFetch, Vec<u32>) {
    let (mut loaded, handle) = load(inst, geometry, format);
    let (access, block) = only_access(&mut loaded, inst, handle, 5);
    let Watched::Fetch(fetch) = access else { panic!("{inst}: not a fetch") };
    (fetch, words(&block))
}

const F: fn(f32) -> u32 = f32::to_bits;

/// The operands of a fetch, with the coordinate vector as written.
#[derive(Clone, Copy)]
struct Operands {
    coords: [u32; 4],
    offset: [i32; 3],
    level: u32,
    dpdx: [u32; 3],
    dpdy: [u32; 3],
    compare: u32,
}

impl Operands {
    fn of(self, geometry: Geometry) -> FetchOperands {
        let Self { coords, offset, level, dpdx, dpdy, compare } = self;
        let coords = Coordinates::of(geometry, coords, 0);
        FetchOperands { coords, offset, level, dpdx, dpdy, compare }
    }
}

const NONE: Operands =
    Operands { coords: [0; 4], offset: [0; 3], level: 0, dpdx: [0; 3], dpdy: [0; 3], compare: 0 };

fn floats<const N: usize>(values: [u8; N]) -> [u32; N] {
    values.map(|v| F(v.into()))
}

fn form(lod: Lod, geometry: Geometry, coord: CoordType) -> FetchForm {
    let kind = FetchKind::Sample(lod);
    FetchForm { kind, ..FetchForm::sample(geometry, coord, ResultType::F32) }
}

/// Checks form and operands, and that the registers hold the unit's results.
fn check(inst: &str, form: FetchForm, wanted: Operands) {
    let format = if form.compare { "depth32f" } else { "f32" };
    // `.1d` with integer coordinates sees layered 1D arrays (docs/numerics.md 1.13).
    let of = match (form.geometry, form.coord) {
        (Geometry::D1, CoordType::S32) => Geometry::A1d,
        (geometry, _) => geometry,
    };
    let (seen, stored) = run(inst, of, format);
    assert_eq!(seen.form, form, "{inst}");
    assert_eq!(seen.operands, wanted.of(form.geometry), "{inst}");
    assert_eq!(seen.texture.resource.name(), "picture");
    assert_eq!(stored[..4], seen.values, "{inst}");
    let predicate = inst.contains("|%p");
    assert_eq!(stored[4], u32::from(predicate && seen.resident), "{inst}");
    assert!(seen.resident, "{inst}: all of it is there");
    // The recorded data suffices to explain the fetch.
    let again = reference::fetch(seen.form, &seen.texture, &seen.sampler, &seen.operands).unwrap();
    assert_eq!((again.values, again.resident), (seen.values, seen.resident), "{inst}");
}

const D: &str = "{%o0, %o1, %o2, %o3}";

/// Coordinates of each geometry, with and without padding.
#[test]
fn coordinates() {
    use CoordType::{F32, S32};
    use Geometry as G;
    let f = |n: usize| {
        let mut all = floats([1, 2, 3, 4]);
        all[n..].fill(0);
        all
    };
    #[rustfmt::skip]
    let rows: &[(&str, Geometry, CoordType, &str, [u32; 4])] = &[
        ("1d",    G::D1,    F32, "%f1",                     f(1)),
        ("1d",    G::D1,    F32, "{%f1}",                   f(1)),
        ("1d",    G::D1,    F32, "{%f1, %f2}",              f(1)),
        ("1d",    G::D1,    F32, "{%f1, %f2, %f3, %f4}",    f(1)),
        ("1d",    G::D1,    S32, "%r1",                     [1, 0, 0, 0]),
        ("1d",    G::D1,    S32, "{-1}",                    [!0, 0, 0, 0]),
        ("2d",    G::D2,    F32, "{%f1, %f2}",              f(2)),
        ("2d",    G::D2,    F32, "{%f1, 2.0, %f3, %f4}",    f(2)),
        ("2d",    G::D2,    S32, "{%r1, %n2}",              [1, !1, 0, 0]),
        ("2d",    G::D2,    S32, "{%tid.x, %tid.y}",        [0, 0, 0, 0]),
        ("3d",    G::D3,    F32, "{%f1, %f2, %f3, %f4}",    f(3)),
        ("3d",    G::D3,    S32, "{%r1, %r2, %r3, %r4}",    [1, 2, 3, 0]),
        ("a1d",   G::A1d,   F32, "{%r2, %f2}",              [2, F(2.0), 0, 0]),
        ("a1d",   G::A1d,   F32, "{%r2, %f2, %f3, %f4}",    [2, F(2.0), 0, 0]),
        ("a1d",   G::A1d,   S32, "{2, %r3}",                [2, 3, 0, 0]),
        ("a2d",   G::A2d,   F32, "{%r2, %f2, %f3, %f4}",    [2, F(2.0), F(3.0), 0]),
        ("a2d",   G::A2d,   S32, "{%r1, %r2, %r3, %r4}",    [1, 2, 3, 0]),
        ("cube",  G::Cube,  F32, "{%f1, %f2, %f3, %f4}",    f(3)),
        ("acube", G::Acube, F32, "{%r2, %f2, %f3, %f4}",    [2, F(2.0), F(3.0), F(4.0)]),
        ("2dms",  G::D2ms,  S32, "{%r1, %r2, %r3, %r4}",    [1, 2, 3, 0]),
        ("a2dms", G::A2dms, S32, "{%r1, %r2, %r3, %r4}",    [1, 2, 3, 4]),
    ];
    for &(geometry, g, coord, text, coords) in rows {
        let ctype = if coord == F32 { "f32" } else { "s32" };
        for (mip, lod) in [("", Lod::Implicit), (".base", Lod::Base)] {
            let inst = format!("tex{mip}.{geometry}.v4.f32.{ctype} {D}, [%h, {text}]");
            check(&inst, form(lod, g, coord), Operands { coords, ..NONE });
        }
    }
}

/// The digits of a texel's value tell whether it was the right one: the array index precedes the
/// coordinates, the sample the layer.
#[test]
fn texels_by_integer_coordinates() {
    use Geometry as G;
    #[rustfmt::skip]
    let rows: &[(&str, Geometry, &str, f32)] = &[
        ("1d",    G::A1d,   "{%r3}",                3.0),
        ("2d",    G::D2,    "{%r3, %r4}",           43.0),
        ("3d",    G::D3,    "{%r3, %r4, %r5, 0}",   543.0),
        ("a1d",   G::A1d,   "{%r2, %r3}",           20003.0),
        ("a2d",   G::A2d,   "{%r2, %r3, %r4, 0}",   20043.0),
        ("2dms",  G::D2ms,  "{%r1, %r3, %r4, 0}",   1043.0),
        ("a2dms", G::A2dms, "{%r1, %r2, %r3, %r4}", 21043.0),
    ];
    for &(geometry, g, text, wanted) in rows {
        let inst = format!("tex.{geometry}.v4.f32.s32 {D}, [%h, {text}]");
        let (_, stored) = run(&inst, g, "f32");
        assert_eq!(f32::from_bits(stored[0]), wanted, "{inst}");
    }
}

#[test]
fn levels_and_gradients() {
    use CoordType::{F32, S32};
    use Geometry as G;
    let level = |level, coords| Operands { coords, level, ..NONE };
    let (xy, layer) = ([F(1.0), F(2.0), 0, 0], [1, F(2.0), F(3.0), 0]);
    #[rustfmt::skip]
    let rows: &[(&str, Geometry, CoordType, Operands)] = &[
        ("1d.v4.f32.f32 D, [%h, {%f1}], %f5",                  G::D1,   F32, level(F(5.0), [F(1.0), 0, 0, 0])),
        ("2d.v4.f32.f32 D, [%h, {%f1, %f2}], %f5",             G::D2,   F32, level(F(5.0), xy)),
        ("2d.v4.f32.f32 D, [%h, {%f1, %f2}], {%f5}",           G::D2,   F32, level(F(5.0), xy)),
        ("2d.v4.f32.f32 D, [%h, {%f1, %f2}], 0.25",            G::D2,   F32, level(F(0.25), xy)),
        ("2d.v4.f32.s32 D, [%h, {%r1, %r2}], %n1",             G::D2,   S32, level(!0, [1, 2, 0, 0])),
        ("2d.v4.f32.s32 D, [%h, {%r1, %r2}], 3",               G::D2,   S32, level(3, [1, 2, 0, 0])),
        ("3d.v4.f32.f32 D, [%h, {%f1, %f2, %f3, %f4}], %f5",   G::D3,   F32, level(F(5.0), [F(1.0), F(2.0), F(3.0), 0])),
        ("a1d.v4.f32.f32 D, [%h, {%r1, %f2}], %f5",            G::A1d,  F32, level(F(5.0), [1, F(2.0), 0, 0])),
        ("a2d.v4.f32.f32 D, [%h, {%r1, %f2, %f3, %f4}], %f5",  G::A2d,  F32, level(F(5.0), layer)),
        ("cube.v4.f32.f32 D, [%h, {%f1, %f2, %f3, %f4}], %f5", G::Cube, F32, level(F(5.0), [F(1.0), F(2.0), F(3.0), 0])),
        ("acube.v4.f32.f32 D, [%h, {%r1, %f2, %f3, %f4}], 1.0", G::Acube, F32, level(F(1.0), [1, F(2.0), F(3.0), F(4.0)])),
    ];
    for &(text, g, coord, wanted) in rows {
        let inst = format!("tex.level.{}", text.replace("D,", &format!("{D},")));
        check(&inst, form(Lod::Level, g, coord), wanted);
    }
    let gradients = |coords, dpdx, dpdy| Operands { coords, dpdx, dpdy, ..NONE };
    let g3 = (floats([4, 5, 6]), floats([7, 8, 9]));
    #[rustfmt::skip]
    let rows: &[(&str, Geometry, Operands)] = &[
        ("1d.v4.f32.f32 D, [%h, {%f1}], {%f5}, {%f6}", G::D1,
            gradients([F(1.0), 0, 0, 0], [F(5.0), 0, 0], [F(6.0), 0, 0])),
        ("2d.v4.f32.f32 D, [%h, {%f1, %f2}], {%f5, 0.5}, {%f7, %f8}", G::D2,
            gradients(xy, [F(5.0), F(0.5), 0], [F(7.0), F(8.0), 0])),
        ("3d.v4.f32.f32 D, [%h, {%f1, %f2, %f3, %f4}], {%f4, %f5, %f6, %f1}, {%f7, %f8, %f9, %f2}", G::D3,
            gradients([F(1.0), F(2.0), F(3.0), 0], g3.0, g3.1)),
        ("a1d.v4.f32.f32 D, [%h, {%r1, %f2}], {%f5}, {%f6}", G::A1d,
            gradients([1, F(2.0), 0, 0], [F(5.0), 0, 0], [F(6.0), 0, 0])),
        ("a2d.v4.f32.f32 D, [%h, {%r1, %f2, %f3, %f4}], {%f5, %f6}, {%f7, %f8}", G::A2d,
            gradients(layer, [F(5.0), F(6.0), 0], [F(7.0), F(8.0), 0])),
        ("cube.v4.f32.f32 D, [%h, {%f1, %f2, %f3, %f4}], {%f4, %f5, %f6, %f1}, {%f7, %f8, %f9, %f2}", G::Cube,
            gradients([F(1.0), F(2.0), F(3.0), 0], g3.0, g3.1)),
        ("acube.v4.f32.f32 D, [%h, {%r1, %f2, %f3, %f4}], {%f4, %f5, %f6, %f1}, {%f7, %f8, %f9, %f2}", G::Acube,
            gradients([1, F(2.0), F(3.0), F(4.0)], g3.0, g3.1)),
        // TXD interprets the bits of integer coordinates as floats; layers stay integers.
        ("2d.v4.f32.s32 D, [%h, {%r1, %r2}], {%f5, %f6}, {%f7, %f8}", G::D2,
            gradients([1, 2, 0, 0], [F(5.0), F(6.0), 0], [F(7.0), F(8.0), 0])),
        ("a2d.v4.f32.s32 D, [%h, {%r1, %r2, %r3, %r3}], {%f5, %f6}, {%f7, %f8}", G::A2d,
            gradients([1, 2, 3, 0], [F(5.0), F(6.0), 0], [F(7.0), F(8.0), 0])),
    ];
    for &(text, g, wanted) in rows {
        let inst = format!("tex.grad.{}", text.replace("D,", &format!("{D},")));
        check(&inst, form(Lod::Gradient, g, F32), wanted);
    }
}

#[test]
fn offsets_and_compares() {
    use CoordType::{F32, S32};
    use Geometry as G;
    let xy = [F(1.0), F(2.0), 0, 0];
    let offset = |coords, offset| Operands { coords, offset, ..NONE };
    let of = |lod, g, coord| FetchForm { offset: true, ..form(lod, g, coord) };
    let plain = Lod::Implicit;
    #[rustfmt::skip]
    let rows: &[(&str, FetchForm, Operands)] = &[
        ("tex.1d.v4.f32.f32 D, [%h, {%f1}], {%r5}", of(plain, G::D1, F32), offset([F(1.0), 0, 0, 0], [5, 0, 0])),
        ("tex.1d.v4.f32.s32 D, [%h, {%r1}], {%n5, %r6, %r7, %r8}", of(plain, G::D1, S32), offset([1, 0, 0, 0], [-5, 0, 0])),
        ("tex.2d.v4.f32.f32 D, [%h, {%f1, %f2}], {-8, 7}", of(plain, G::D2, F32), offset(xy, [-8, 7, 0])),
        ("tex.2d.v4.f32.f32 D, [%h, {%f1, %f2}], {%r9, 100}", of(plain, G::D2, F32), offset(xy, [9, 100, 0])),
        ("tex.base.2d.v4.f32.f32 D, [%h, {%f1, %f2}], {%n1, %r2, %r3, %r4}", of(Lod::Base, G::D2, F32), offset(xy, [-1, 2, 0])),
        ("tex.3d.v4.f32.s32 D, [%h, {%r1, %r2, %r3, %r4}], {%r5, %r6, %n7, %r8}", of(plain, G::D3, S32), offset([1, 2, 3, 0], [5, 6, -7])),
        ("tex.a1d.v4.f32.s32 D, [%h, {%r1, %r2}], {%r5}", of(plain, G::A1d, S32), offset([1, 2, 0, 0], [5, 0, 0])),
        ("tex.a2d.v4.f32.s32 D, [%h, {%r1, %r2, %r3, %r4}], {%r5, 6}", of(plain, G::A2d, S32), offset([1, 2, 3, 0], [5, 6, 0])),
        ("tex.2dms.v4.f32.s32 D, [%h, {%r1, %r2, %r3, %r4}], {%n5, 6}", of(plain, G::D2ms, S32), offset([1, 2, 3, 0], [-5, 6, 0])),
        ("tex.a2dms.v4.f32.s32 D, [%h, {%r1, %r2, %r3, %r4}], {%r5, 6}", of(plain, G::A2dms, S32), offset([1, 2, 3, 4], [5, 6, 0])),
        ("tex.level.2d.v4.f32.f32 D, [%h, {%f1, %f2}], %f3, {%r5, %r6}", of(Lod::Level, G::D2, F32),
            Operands { level: F(3.0), ..offset(xy, [5, 6, 0]) }),
        ("tex.grad.2d.v4.f32.f32 D, [%h, {%f1, %f2}], {%f3, %f4}, {%f5, %f6}, {%r7, %r8}", of(Lod::Gradient, G::D2, F32),
            Operands { dpdx: [F(3.0), F(4.0), 0], dpdy: [F(5.0), F(6.0), 0], ..offset(xy, [7, 8, 0]) }),
    ];
    for &(text, form, wanted) in rows {
        check(&text.replace("D,", &format!("{D},")), form, wanted);
    }
    let compare = |coords| Operands { coords, compare: F(9.0), ..NONE };
    let of = |lod, g| FetchForm { compare: true, ..form(lod, g, F32) };
    #[rustfmt::skip]
    let rows: &[(&str, FetchForm, Operands)] = &[
        ("tex.1d.v4.f32.f32 D, [%h, {%f1}], %f9", of(plain, G::D1), compare([F(1.0), 0, 0, 0])),
        ("tex.2d.v4.f32.f32 D, [%h, {%f1, %f2}], 9.0", of(plain, G::D2), compare(xy)),
        ("tex.a1d.v4.f32.f32 D, [%h, {%r1, %f2}], %f9", of(plain, G::A1d), compare([1, F(2.0), 0, 0])),
        ("tex.a2d.v4.f32.f32 D, [%h, {%r1, %f2, %f3, %f4}], %f9", of(plain, G::A2d), compare([1, F(2.0), F(3.0), 0])),
        ("tex.cube.v4.f32.f32 D, [%h, {%f1, %f2, %f3, %f4}], %f9", of(plain, G::Cube), compare([F(1.0), F(2.0), F(3.0), 0])),
        ("tex.acube.v4.f32.f32 D, [%h, {%r1, %f2, %f3, %f4}], %f9", of(plain, G::Acube), compare([1, F(2.0), F(3.0), F(4.0)])),
        ("tex.2d.v4.f32.f32 D, [%h, {%f1, %f2}], {3, %n4}, %f9", FetchForm { offset: true, ..of(plain, G::D2) },
            Operands { offset: [3, -4, 0], ..compare(xy) }),
        ("tex.level.2d.v4.f32.f32 D, [%h, {%f1, %f2}], 0.0, %f9", of(Lod::Level, G::D2), compare(xy)),
        ("tex.level.2d.v4.f32.f32 D, [%h, {%f1, %f2}], %f3, {%r5, %r6}, %f9", FetchForm { offset: true, ..of(Lod::Level, G::D2) },
            Operands { level: F(3.0), offset: [5, 6, 0], ..compare(xy) }),
        ("tex.grad.2d.v4.f32.f32 D, [%h, {%f1, %f2}], {%f3, %f4}, {%f5, %f6}, %f9", of(Lod::Gradient, G::D2),
            Operands { dpdx: [F(3.0), F(4.0), 0], dpdy: [F(5.0), F(6.0), 0], ..compare(xy) }),
    ];
    for &(text, form, wanted) in rows {
        check(&text.replace("D,", &format!("{D},")), form, wanted);
    }
}

#[test]
fn gathers() {
    use Geometry as G;
    let xy = [F(1.0), F(2.0), 0, 0];
    let of = |component, g| FetchForm {
        kind: FetchKind::Gather(component),
        ..form(Lod::Implicit, g, CoordType::F32)
    };
    for (component, letter) in ["r", "g", "b", "a"].into_iter().enumerate() {
        let inst = format!("tld4.{letter}.2d.v4.f32.f32 {D}, [%h, {{%f1, %f2}}]");
        check(&inst, of(component as u8, G::D2), Operands { coords: xy, ..NONE });
    }
    let coords = |coords| Operands { coords, ..NONE };
    #[rustfmt::skip]
    let rows: &[(&str, FetchForm, Operands)] = &[
        ("tld4.r.a2d.v4.f32.f32 D, [%h, {%r1, %f2, %f3, %f4}]", of(0, G::A2d), coords([1, F(2.0), F(3.0), 0])),
        ("tld4.r.cube.v4.f32.f32 D, [%h, {%f1, %f2, %f3, %f4}]", of(0, G::Cube), coords([F(1.0), F(2.0), F(3.0), 0])),
        ("tld4.r.acube.v4.f32.f32 D, [%h, {%r1, %f2, %f3, %f4}]", of(0, G::Acube), coords([1, F(2.0), F(3.0), F(4.0)])),
        ("tld4.r.2d.v4.f32.f32 D, [%h, {%f1, %f2}], {31, %n9}", FetchForm { offset: true, ..of(0, G::D2) },
            Operands { offset: [31, -9, 0], ..coords(xy) }),
        ("tld4.r.a2d.v4.f32.f32 D, [%h, {%r1, %f2, %f3, %f4}], {%r5, %r6}, %f9",
            FetchForm { offset: true, compare: true, ..of(0, G::A2d) },
            Operands { offset: [5, 6, 0], compare: F(9.0), ..coords([1, F(2.0), F(3.0), 0]) }),
        ("tld4.r.2d.v4.f32.f32 {%o0, %o1, %o2, %o3}|%p, [%h, {%f1, %f2}]", of(0, G::D2), coords(xy)),
    ];
    for &(text, form, wanted) in rows {
        check(&text.replace("D,", &format!("{D},")), form, wanted);
    }
}

#[test]
fn destinations() {
    let coords = [F(1.0), F(2.0), 0, 0];
    let xy = Operands { coords, ..NONE };
    let of = |result| FetchForm { result, ..form(Lod::Implicit, Geometry::D2, CoordType::F32) };
    let at = "[%h, {%f1, %f2}]";
    check(&format!("tex.2d.v4.f32.f32 {D}|%p, {at}"), of(ResultType::F32), xy);
    check(&format!("tex.2d.v4.s32.f32 {D}, {at}"), of(ResultType::S32), xy);
    check(&format!("tex.2d.v4.u32.f32 {D}, {at}"), of(ResultType::U32), xy);
    // Texel (1, 2) is 21.0, in halves 0x4d40; what the format lacks is 0.
    let inst = format!("tex.2d.v4.f16.f32 {{%h0, %h1, %h2, %h3}}, {at}");
    let (seen, stored) = run(&inst, Geometry::D2, "f32");
    assert_eq!((seen.form, seen.operands), (of(ResultType::F16), xy.of(Geometry::D2)));
    assert_eq!(seen.values, [0x4d40, 0, 0, 0], "as the unit gives them");
    assert_eq!(stored[..4], seen.values);
    let inst = format!("tex.2d.v2.f16x2.f32 {{%a, %b}}, {at}");
    let (seen, stored) = run(&inst, Geometry::D2, "f32");
    assert_eq!((seen.form, seen.operands), (of(ResultType::F16x2), xy.of(Geometry::D2)));
    assert_eq!(stored[..2], [0x4d40, 0]);
    assert_eq!(stored[..2], seen.values[..2]);
    // Components without a destination leave other registers unchanged.
    let inst = format!("tex.2d.v4.f32.f32 {{_, %o2, _, _}}, {at}");
    let (_, stored) = run(&inst, Geometry::D2, "f32");
    assert_eq!(stored[..4], [7, 7, 0, 7]);
    let inst = format!("tex.2d.v4.f32.f32 {{%o1, _, _, _}}, {at}");
    let (_, stored) = run(&inst, Geometry::D2, "f32");
    assert_eq!(stored[..4], [7, F(21.0), 7, 7]);
}

/// A fetch without active lanes changes nothing, including its predicate.
#[test]
fn guards() {
    let at = "[%h, {%f1, %f2}]";
    let (mut loaded, handle) =
        load(&format!("@%never tex.2d.v4.f32.f32 {D}|%p, {at}"), Geometry::D2, "f32");
    loaded.watch = Some(Watch::new([0; 3]));
    let (out, block) = loaded.buffer(5);
    let how = How { block: [1; 3], ..How::default() };
    loaded.run("k", how, &[Arg::U64(out), Arg::U64(handle)]).unwrap();
    assert_eq!(words(&block), [7, 7, 7, 7, 0]);
    assert!(loaded.watch.unwrap().take().0.is_empty());
}

/// Accesses of a watched thread beyond the limit are only counted. Other threads are not recorded.
#[test]
fn a_watch_has_a_limit() {
    let text = format!(
        "{HEADER}.visible .entry k(.param .u64 handle, .param .u32 count)
{{
.reg .u64 %h; .reg .u32 %i, %n, %v; .reg .pred %p;
ld.param.u64 %h, [handle];
ld.param.u32 %n, [count];
mov.u32 %i, 0;
again:
tex.1d.v4.u32.s32 {{%v, _, _, _}}, [%h, {{%i}}];
add.u32 %i, %i, 1;
setp.lt.u32 %p, %i, %n;
@%p bra again;
ret;
}}"
    );
    let mut loaded = load_text(&text);
    let handle =
        texture(&mut loaded, numbered(&shape(Geometry::A1d, "f32"), "picture"), Sampler::default());
    loaded.watch = Some(Watch::new([70, 1, 0]));
    let how = How { grid: [3, 2, 1], block: [32, 1, 1], threads: 2, ..How::default() };
    for (count, kept, more) in [(3, 3, 0), (10_000, 10_000, 0), (10_011, 10_000, 11)] {
        loaded.run("k", how, &[Arg::U64(handle), Arg::U32(count)]).unwrap();
        let (seen, rest) = loaded.watch.as_ref().unwrap().take();
        assert_eq!((seen.len(), rest), (kept, more));
        for (i, access) in seen.iter().enumerate() {
            let Watched::Fetch(fetch) = &access.what else { panic!("{access:?}") };
            assert_eq!(fetch.operands.coords, Coordinates::at([i as u32, 0, 0], 0));
            // The kernel reads x only, and never uses it.
            let wanted = if i < 8 { F(i as f32) } else { 0 };
            assert_eq!((fetch.values, fetch.resident), ([wanted, 0, 0, 0], true));
        }
    }
}
