//! A kernel around a single surface instruction, and its results.

use super::{only_access, surface};
use crate::common::{HEADER, Loaded, load_text};
use std::sync::Arc;
use texunit_simt::{Watched, WatchedSurface};
use texunit_unit::{ClampMode, Geometry, Resource, SurfaceForm, SurfaceKind};

/// A kernel that runs `inst` on the handle `%h` and stores four 64-bit words: registers `%d0` to
/// `%d3`, or, whichever `inst` names, `%w0` to `%w3` and `%h0` to `%h3` widened. `%r1` to `%r9`
/// hold 1 to 9, `%l1` to `%l4` 0x1111111111111111 times their number.
pub fn kernel(inst: &str) -> String {
    let numbers: String = (1..10).map(|i| format!("mov.u32 %r{i}, {i};\n")).collect();
    let long: String =
        (1..5).map(|i| format!("mov.u64 %l{i}, 0x{0};\n", i.to_string().repeat(16))).collect();
    let widen: String = (0..4)
        .map(|i| match inst {
            _ if inst.contains("%w0") => format!("cvt.u64.u32 %d{i}, %w{i};\n"),
            _ if inst.contains("%h0") => format!("cvt.u64.u16 %d{i}, %h{i};\n"),
            _ => String::new(),
        })
        .collect();
    let start: String = (0..4)
        .map(|i| format!("mov.u64 %d{i}, 7; mov.u32 %w{i}, 7; mov.u16 %h{i}, 7;\n"))
        .collect();
    format!(
        "{}.visible .entry k(.param .u64 out, .param .u64 handle)
{{
.reg .u64 %out, %h, %l<5>, %d<4>; .reg .u32 %r<10>, %w<4>, %t, %x4, %x16; .reg .f32 %f; .reg .b16 %h<4>;
ld.param.u64 %out, [out];
ld.param.u64 %h, [handle];
mov.u32 %t, %tid.x; mov.u32 %x4, 4; mov.u32 %x16, 16; mov.f32 %f, -1.0;
{numbers}{long}{start}
{inst};
{widen}
st.global.v2.u64 [%out], {{%d0, %d1}};
st.global.v2.u64 [%out+16], {{%d2, %d3}};
ret;
}}",
        HEADER.replace("8.0", "8.1")
    )
}

pub struct Ran {
    pub seen: WatchedSurface,
    pub stored: [u64; 4],
    pub resource: Arc<Resource>,
}

pub fn load(inst: &str, resource: &Arc<Resource>) -> (Loaded, u64) {
    let mut loaded = load_text(&kernel(inst));
    let handle = surface(&mut loaded, Arc::clone(resource));
    (loaded, handle)
}

/// Runs an instruction on a surface.
pub fn run(inst: &str, resource: Arc<Resource>) -> Ran {
    let (mut loaded, handle) = load(inst, &resource);
    let (access, block) = only_access(&mut loaded, inst, handle, 8);
    let Watched::Surface(seen) = access else { panic!("{inst}: not a surface") };
    let stored = std::array::from_fn(|i| block.load(i as u64 * 8, 8).unwrap());
    Ran { seen, stored, resource }
}

pub fn form(kind: SurfaceKind, geometry: Geometry) -> SurfaceForm {
    SurfaceForm { kind, geometry, clamp: ClampMode::Trap }
}

pub const GEOMETRIES: [(&str, Geometry); 5] = [
    ("1d", Geometry::D1),
    ("2d", Geometry::D2),
    ("3d", Geometry::D3),
    ("a1d", Geometry::A1d),
    ("a2d", Geometry::A2d),
];

pub fn name(geometry: Geometry) -> &'static str {
    GEOMETRIES.iter().find(|(_, g)| *g == geometry).unwrap().0
}
