//! The forms of tex and tld4, by mip mode and geometry.

use crate::Opcode::{self, Tex, Tld4};
use crate::types::Geometry::{self, *};
use crate::types::MipMode::{self, *};
use std::sync::LazyLock;

/// A form of tex or tld4.
#[derive(Clone, Copy, Debug)]
pub struct Fetch {
    /// The opcode: `tex` or `tld4`.
    pub opcode: Opcode,
    /// The mip mode of tex: `.base`, `.level`, `.grad`; `None` if absent.
    pub mip: Option<MipMode>,
    /// The geometry, which determines the operands.
    pub geometry: Geometry,
    /// The required `.version`, times ten.
    pub version: u32,
    /// Number of the required `.target`; 0: any.
    pub target: u32,
    /// What the instruction does, for the documentation.
    pub doc: &'static str,
}

const PLAIN: &str = "Filters the texels around the coordinates, in level 0 of a mipmapped texture.";
const BASE: &str = "Filters the texels around the coordinates in the base level.";
const LEVEL: &str = "Filters the texels around the coordinates in the level that is given.";
const GRAD: &str = "Filters with a level, and anisotropy, that come from the two gradients.";
const SAMPLE: &str = "Reads one sample of a texel; nothing is filtered.";
const GATHER: &str = "One component of the four texels that a linear filter would mix, in the order (x0,y1), (x1,y1), (x1,y0), (x0,y0).";

/// Forms that differ only in geometry: opcode, mip mode, geometries, required `.version` times ten
/// and `.target`, and what the instruction does.
type Forms = (Opcode, Option<MipMode>, &'static [Geometry], u32, u32, &'static str);

#[rustfmt::skip]
const FORMS: &[Forms] = &[
    (Tex, None, &[D1, D2, D3], 10, 0, PLAIN),
    (Tex, None, &[A1d, A2d], 23, 0, PLAIN),
    (Tex, None, &[Cube], 30, 0, PLAIN),
    (Tex, None, &[Acube], 30, 20, PLAIN),
    (Tex, None, &[D2ms, A2dms], 32, 30, SAMPLE),
    (Tex, Some(Base), &[D1, D2, D3, A1d, A2d, Cube, Acube], 31, 20, BASE),
    (Tex, Some(Base), &[D2ms, A2dms], 32, 30, SAMPLE),
    (Tex, Some(Level), &[D1, D2, D3, A1d, A2d, Cube, Acube], 31, 20, LEVEL),
    (Tex, Some(Grad), &[D1, D2, D3, A1d, A2d], 31, 20, GRAD),
    (Tex, Some(Grad), &[Cube, Acube], 43, 20, GRAD),
    (Tld4, None, &[D2], 22, 20, GATHER),
    (Tld4, None, &[A2d, Cube, Acube], 43, 30, GATHER),
];

/// All forms of tex and tld4.
pub static FETCHES: LazyLock<Vec<Fetch>> = LazyLock::new(|| {
    let of_each = |&(opcode, mip, geometries, version, target, doc): &Forms| {
        let one = move |&geometry| Fetch { opcode, mip, geometry, version, target, doc };
        geometries.iter().map(one)
    };
    FORMS.iter().flat_map(of_each).collect()
});

/// The form of tex or tld4 with a mip mode and geometry, if it exists.
pub fn fetch_of(
    opcode: Opcode,
    mip: Option<MipMode>,
    geometry: Geometry,
) -> Option<&'static Fetch> {
    FETCHES.iter().find(|f| f.opcode == opcode && f.mip == mip && f.geometry == geometry)
}

impl Fetch {
    /// The name of the form, such as `tex.level.2d`.
    pub fn name(&self) -> String {
        let mip = self.mip.map_or(String::new(), |m| format!(".{m}"));
        match self.opcode {
            Tld4 => format!("tld4.(r|g|b|a).{}", self.geometry),
            _ => format!("{}{mip}.{}", self.opcode, self.geometry),
        }
    }
}
