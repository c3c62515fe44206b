//! Forms of tex and tld4, by sub-operation and geometry.

use crate::Opcode::{self, Tex, Tld4};
use crate::types::Geometry::{self, *};
use crate::types::MipMode::{self, *};

/// A form of tex or tld4.
#[derive(Clone, Copy, Debug)]
pub struct Fetch {
    /// The opcode: `tex` or `tld4`.
    pub opcode: Opcode,
    /// `.base`, `.level`, `.grad`.
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

/// All forms.
#[rustfmt::skip]
pub const FETCHES: &[Fetch] = &[
    row(Tex,  None,        D1,    10,  0, PLAIN),
    row(Tex,  None,        D2,    10,  0, PLAIN),
    row(Tex,  None,        D3,    10,  0, PLAIN),
    row(Tex,  None,        A1d,   23,  0, PLAIN),
    row(Tex,  None,        A2d,   23,  0, PLAIN),
    row(Tex,  None,        Cube,  30,  0, PLAIN),
    row(Tex,  None,        Acube, 30, 20, PLAIN),
    row(Tex,  None,        D2ms,  32, 30, SAMPLE),
    row(Tex,  None,        A2dms, 32, 30, SAMPLE),
    row(Tex,  Some(Base),  D1,    31, 20, BASE),
    row(Tex,  Some(Base),  D2,    31, 20, BASE),
    row(Tex,  Some(Base),  D3,    31, 20, BASE),
    row(Tex,  Some(Base),  A1d,   31, 20, BASE),
    row(Tex,  Some(Base),  A2d,   31, 20, BASE),
    row(Tex,  Some(Base),  Cube,  31, 20, BASE),
    row(Tex,  Some(Base),  Acube, 31, 20, BASE),
    row(Tex,  Some(Base),  D2ms,  32, 30, SAMPLE),
    row(Tex,  Some(Base),  A2dms, 32, 30, SAMPLE),
    row(Tex,  Some(Level), D1,    31, 20, LEVEL),
    row(Tex,  Some(Level), D2,    31, 20, LEVEL),
    row(Tex,  Some(Level), D3,    31, 20, LEVEL),
    row(Tex,  Some(Level), A1d,   31, 20, LEVEL),
    row(Tex,  Some(Level), A2d,   31, 20, LEVEL),
    row(Tex,  Some(Level), Cube,  31, 20, LEVEL),
    row(Tex,  Some(Level), Acube, 31, 20, LEVEL),
    row(Tex,  Some(Grad),  D1,    31, 20, GRAD),
    row(Tex,  Some(Grad),  D2,    31, 20, GRAD),
    row(Tex,  Some(Grad),  D3,    31, 20, GRAD),
    row(Tex,  Some(Grad),  A1d,   31, 20, GRAD),
    row(Tex,  Some(Grad),  A2d,   31, 20, GRAD),
    row(Tex,  Some(Grad),  Cube,  43, 20, GRAD),
    row(Tex,  Some(Grad),  Acube, 43, 20, GRAD),
    row(Tld4, None,        D2,    22, 20, GATHER),
    row(Tld4, None,        A2d,   43, 30, GATHER),
    row(Tld4, None,        Cube,  43, 30, GATHER),
    row(Tld4, None,        Acube, 43, 30, GATHER),
];

const fn row(
    opcode: Opcode,
    mip: Option<MipMode>,
    geometry: Geometry,
    version: u32,
    target: u32,
    doc: &'static str,
) -> Fetch {
    Fetch { opcode, mip, geometry, version, target, doc }
}

/// The row of a form, if the form exists.
pub fn fetch_of(
    opcode: Opcode,
    mip: Option<MipMode>,
    geometry: Geometry,
) -> Option<&'static Fetch> {
    FETCHES.iter().find(|f| f.opcode == opcode && f.mip == mip && f.geometry == geometry)
}

impl Fetch {
    /// The name, such as `tex.level.2d`.
    pub fn name(&self) -> String {
        let mip = self.mip.map_or(String::new(), |m| format!(".{m}"));
        match self.opcode {
            Tld4 => format!("tld4.(r|g|b|a).{}", self.geometry),
            _ => format!("{}{mip}.{}", self.opcode, self.geometry),
        }
    }
}
