//! The operands of an instruction: a list in source order, or, of texture, surface and query instructions, each
//! by its name. Which element of a vector is what is decided when these are made ([`FetchOperands`],
//! [`SurfaceOperands`]), and nobody counts after that.

use std::ops::Deref;
use std::slice::from_ref;

use super::Operand;
use texunit_isa::{Coordinates, Geometry};

/// The operands of an instruction. As a slice they are the list, and nothing if they have names.
#[derive(Clone, Debug, PartialEq)]
pub enum Operands {
    /// In source order, destinations first. `d|p` are two consecutive operands, the second [`Operand::Discard`]
    /// when only `d` is written and the form allows `d|p` (setp, shfl, match, lop3 with a boolean).
    Listed(Vec<Operand>),
    /// Of tex and tld4.
    Fetch(Box<FetchOperands>),
    /// Of suld, sust and sured.
    Surface(Box<SurfaceOperands>),
    /// Of txq and suq.
    Query(Box<QueryOperands>),
}

/// The operands of a fetch.
#[derive(Clone, Debug, PartialEq)]
pub struct FetchOperands {
    /// Registers of the result, as many as `.v2` or `.v4` says; `Discard` for `_`.
    pub destination: Vec<Operand>,
    /// The destination predicate: whether all texels are resident.
    pub resident: Option<Operand>,
    /// The texture: a `Handle`.
    pub texture: Operand,
    /// The sampler of independent mode: a `Handle`.
    pub sampler: Option<Operand>,
    /// Layer, sample and point; `None` for what the geometry lacks. An instruction that ptxas garbles may lack
    /// others.
    pub coords: Coordinates<Option<Operand>>,
    /// What says which mip level is read.
    pub lod: Lod,
    /// Texels along each axis.
    pub offset: Option<Vec<Operand>>,
    /// Reference of a depth compare.
    pub compare: Option<Operand>,
    /// Elements of vectors that stand behind those that count: read for nothing.
    pub padding: Vec<Operand>,
}

/// What says which mip level a fetch reads.
#[derive(Clone, Debug, PartialEq)]
pub enum Lod {
    /// Plain `tex`, and `tld4`.
    Implicit,
    /// `tex.base`
    Base,
    /// `tex.level`
    Level(Operand),
    /// `tex.grad`: an element for each coordinate of the point.
    Gradient {
        /// Along x of the screen.
        dx: Vec<Operand>,
        /// Along y.
        dy: Vec<Operand>,
    },
}

/// The operands of a surface access.
#[derive(Clone, Debug, PartialEq)]
pub struct SurfaceOperands {
    /// The surface: a `Handle`.
    pub surface: Operand,
    /// Layer and point; `None` for what the geometry lacks.
    pub coords: Coordinates<Option<Operand>>,
    /// Registers that `suld` writes, also one; `Discard` for `_`. None of sust and sured.
    pub destination: Vec<Operand>,
    /// What sust and sured take, also one. None of suld.
    pub source: Vec<Operand>,
    /// Elements of the coordinate vector that are read for nothing.
    pub padding: Vec<Operand>,
}

/// The operands of a query.
#[derive(Clone, Debug, PartialEq)]
pub struct QueryOperands {
    /// The register of the answer.
    pub destination: Operand,
    /// What is asked: a `Handle`, or `Discard` of an instruction that ptxas garbles.
    pub handle: Operand,
    /// The level of `txq.level`.
    pub level: Option<Operand>,
}

/// Takes a coordinate vector apart as the geometry says; what it has more is padding.
pub(crate) fn coordinates(
    geometry: Geometry,
    vector: Vec<Operand>,
    padding: &mut Vec<Operand>,
) -> Coordinates<Option<Operand>> {
    let vector = first(geometry.coordinates(), vector, padding);
    Coordinates::of(geometry, vector.into_iter().map(Some), None)
}

/// The first elements of a vector; the others are padding.
pub(crate) fn first(
    count: usize,
    mut vector: Vec<Operand>,
    padding: &mut Vec<Operand>,
) -> Vec<Operand> {
    padding.extend(vector.drain(count.min(vector.len())..));
    vector
}

/// All elements, each as a slice.
fn elements(coords: &Coordinates<Option<Operand>>) -> [&[Operand]; 5] {
    let Coordinates { layer, sample, point: [x, y, z] } = coords;
    [layer, sample, x, y, z].map(Option::as_slice)
}

impl Lod {
    /// The operands, those of gradients as two vectors.
    fn parts(&self) -> [&[Operand]; 2] {
        match self {
            Self::Implicit | Self::Base => [&[], &[]],
            Self::Level(level) => [from_ref(level), &[]],
            Self::Gradient { dx, dy } => [dx, dy],
        }
    }
}

impl Operands {
    /// The list; nothing if the operands have names.
    pub fn as_slice(&self) -> &[Operand] {
        match self {
            Self::Listed(list) => list,
            _ => &[],
        }
    }

    /// Whether there are none at all.
    pub fn is_empty(&self) -> bool {
        matches!(self, Self::Listed(list) if list.is_empty())
    }

    /// Those of a tex or tld4.
    pub fn fetch(&self) -> Option<&FetchOperands> {
        match self {
            Self::Fetch(fetch) => Some(fetch),
            _ => None,
        }
    }

    /// Those of a suld, sust or sured.
    pub fn surface(&self) -> Option<&SurfaceOperands> {
        match self {
            Self::Surface(surface) => Some(surface),
            _ => None,
        }
    }

    /// Those of a txq or suq.
    pub fn query(&self) -> Option<&QueryOperands> {
        match self {
            Self::Query(query) => Some(query),
            _ => None,
        }
    }

    /// Operands that the instruction writes: of a list the first `listed`.
    pub fn written(&self, listed: usize) -> impl Iterator<Item = &Operand> {
        let parts: [&[Operand]; 2] = match self {
            Self::Listed(list) => [&list[..listed.min(list.len())], &[]],
            Self::Fetch(fetch) => [&fetch.destination, fetch.resident.as_slice()],
            Self::Surface(surface) => [&surface.destination, &[]],
            Self::Query(query) => [from_ref(&query.destination), &[]],
        };
        parts.into_iter().flatten()
    }

    /// Elements of vectors that have no meaning.
    pub fn padding(&self) -> &[Operand] {
        match self {
            Self::Fetch(fetch) => &fetch.padding,
            Self::Surface(surface) => &surface.padding,
            Self::Listed(_) | Self::Query(_) => &[],
        }
    }

    /// Operands that the instruction reads: of a list those behind the first `listed`.
    pub fn read(&self, listed: usize) -> impl Iterator<Item = &Operand> {
        let mut parts: [&[Operand]; 12] = [&[]; 12];
        match self {
            Self::Listed(list) => parts[0] = &list[listed.min(list.len())..],
            Self::Fetch(fetch) => {
                let [layer, sample, x, y, z] = elements(&fetch.coords);
                let [level, dy] = fetch.lod.parts();
                let offset = fetch.offset.as_deref().unwrap_or_default();
                parts = [
                    from_ref(&fetch.texture),
                    fetch.sampler.as_slice(),
                    layer,
                    sample,
                    x,
                    y,
                    z,
                    level,
                    dy,
                    offset,
                    fetch.compare.as_slice(),
                    &fetch.padding,
                ];
            }
            Self::Surface(surface) => {
                parts[0] = from_ref(&surface.surface);
                parts[1..6].copy_from_slice(&elements(&surface.coords));
                parts[6] = &surface.padding;
                parts[7] = &surface.source;
            }
            Self::Query(query) => {
                parts[0] = from_ref(&query.handle);
                parts[1] = query.level.as_slice();
            }
        }
        parts.into_iter().flatten()
    }
}

impl Deref for Operands {
    type Target = [Operand];

    fn deref(&self) -> &[Operand] {
        self.as_slice()
    }
}

impl From<Vec<Operand>> for Operands {
    fn from(list: Vec<Operand>) -> Self {
        Self::Listed(list)
    }
}
