//! Operands of an instruction: a list in source order or, for texture, surface and query
//! instructions, named fields. Vector elements are assigned to their roles in [`FetchOperands`] and
//! [`SurfaceOperands`], so that later code need not count elements.

use std::ops::Deref;
use std::slice::from_ref;

use super::Operand;
use texunit_isa::{Coordinates, Geometry};

/// The operands of an instruction: a list, or named fields.
#[derive(Clone, Debug, PartialEq)]
pub enum Operands {
    /// A list in source order, destinations first. `d|p` is two consecutive operands; if only `d`
    /// is written in a form that allows `d|p` (setp, shfl, match, lop3 with a boolean), the second
    /// operand is [`Operand::Discard`].
    Listed(Vec<Operand>),
    /// Operands of tex and tld4.
    Fetch(Box<FetchOperands>),
    /// Operands of suld, sust and sured.
    Surface(Box<SurfaceOperands>),
    /// Operands of txq and suq.
    Query(Box<QueryOperands>),
}

/// The operands of a texture fetch, tex or tld4.
#[derive(Clone, Debug, PartialEq)]
pub struct FetchOperands {
    /// Result registers, as many as `.v2` or `.v4` states; `Discard` for `_`.
    pub destination: Vec<Operand>,
    /// The destination predicate: whether all texels are resident.
    pub resident: Option<Operand>,
    /// The texture, a `Handle`.
    pub texture: Operand,
    /// The sampler in independent mode, a `Handle`.
    pub sampler: Option<Operand>,
    /// Layer, sample and point; `None` for roles that the geometry lacks. In an instruction that
    /// ptxas miscompiles, further coordinates may be missing.
    pub coords: Coordinates<Option<Operand>>,
    /// The selection of the mip level.
    pub lod: Lod,
    /// Texel offsets along each axis.
    pub offset: Option<Vec<Operand>>,
    /// Reference value of a depth compare.
    pub compare: Option<Operand>,
    /// Vector elements beyond those that the geometry needs, which are read but not used.
    pub padding: Vec<Operand>,
}

/// How a texture fetch selects its mip level.
#[derive(Clone, Debug, PartialEq)]
pub enum Lod {
    /// `tex` without a level, and `tld4`.
    Implicit,
    /// `tex.base`: the base level.
    Base,
    /// `tex.level`, with the level operand.
    Level(Operand),
    /// `tex.grad`, with gradients of one element per point coordinate.
    Gradient {
        /// Derivatives of the coordinates along screen x.
        dx: Vec<Operand>,
        /// Derivatives of the coordinates along screen y.
        dy: Vec<Operand>,
    },
}

/// The operands of a surface access.
#[derive(Clone, Debug, PartialEq)]
pub struct SurfaceOperands {
    /// The surface, a `Handle`.
    pub surface: Operand,
    /// Layer and point; `None` for roles that the geometry lacks.
    pub coords: Coordinates<Option<Operand>>,
    /// Destination registers of `suld`, even if there is only one; `Discard` for `_`. Empty for
    /// sust and sured.
    pub destination: Vec<Operand>,
    /// Source operands of sust and sured, even if there is only one. Empty for suld.
    pub source: Vec<Operand>,
    /// Unused elements of the coordinate vector, which are read but not used.
    pub padding: Vec<Operand>,
}

/// The operands of a query, txq or suq.
#[derive(Clone, Debug, PartialEq)]
pub struct QueryOperands {
    /// The destination register of txq or suq.
    pub destination: Operand,
    /// The queried object: a `Handle`, or `Discard` in an instruction that ptxas miscompiles.
    pub handle: Operand,
    /// The level of `txq.level`.
    pub level: Option<Operand>,
}

/// Assigns the elements of a coordinate vector to their roles; further elements are padding.
pub(crate) fn coordinates(
    geometry: Geometry,
    vector: Vec<Operand>,
    padding: &mut Vec<Operand>,
) -> Coordinates<Option<Operand>> {
    let vector = first(geometry.coordinates(), vector, padding);
    Coordinates::of(geometry, vector.into_iter().map(Some), None)
}

/// The first `count` elements of a vector; further elements are appended to the padding.
pub(crate) fn first(
    count: usize,
    mut vector: Vec<Operand>,
    padding: &mut Vec<Operand>,
) -> Vec<Operand> {
    padding.extend(vector.drain(count.min(vector.len())..));
    vector
}

/// All coordinates, each as a slice of at most one operand.
fn elements(coords: &Coordinates<Option<Operand>>) -> [&[Operand]; 5] {
    let Coordinates { layer, sample, point: [x, y, z] } = coords;
    [layer, sample, x, y, z].map(Option::as_slice)
}

impl Lod {
    /// The operands that select the mip level: none, a level, or two gradient vectors.
    fn parts(&self) -> [&[Operand]; 2] {
        match self {
            Self::Implicit | Self::Base => [&[], &[]],
            Self::Level(level) => [from_ref(level), &[]],
            Self::Gradient { dx, dy } => [dx, dy],
        }
    }
}

impl Operands {
    /// The operand list of the instruction; empty if its operands are named fields.
    pub fn as_slice(&self) -> &[Operand] {
        if let Self::Listed(list) = self { list } else { &[] }
    }

    /// Whether there are no operands.
    pub fn is_empty(&self) -> bool {
        matches!(self, Self::Listed(list) if list.is_empty())
    }

    /// The operands of a tex or tld4.
    pub fn fetch(&self) -> Option<&FetchOperands> {
        if let Self::Fetch(fetch) = self { Some(fetch) } else { None }
    }

    /// The operands of a suld, sust or sured.
    pub fn surface(&self) -> Option<&SurfaceOperands> {
        if let Self::Surface(surface) = self { Some(surface) } else { None }
    }

    /// The operands of a txq or suq.
    pub fn query(&self) -> Option<&QueryOperands> {
        if let Self::Query(query) = self { Some(query) } else { None }
    }

    /// Operands that the instruction writes; of an operand list, the first `listed` operands.
    pub fn written(&self, listed: usize) -> impl Iterator<Item = &Operand> {
        let parts: [&[Operand]; 2] = match self {
            Self::Listed(list) => [&list[..listed.min(list.len())], &[]],
            Self::Fetch(fetch) => [&fetch.destination, fetch.resident.as_slice()],
            Self::Surface(surface) => [&surface.destination, &[]],
            Self::Query(query) => [from_ref(&query.destination), &[]],
        };
        parts.into_iter().flatten()
    }

    /// Padding elements of all vector operands.
    pub fn padding(&self) -> &[Operand] {
        match self {
            Self::Fetch(fetch) => &fetch.padding,
            Self::Surface(surface) => &surface.padding,
            Self::Listed(_) | Self::Query(_) => &[],
        }
    }

    /// Operands that the instruction reads; of an operand list, the operands from `listed` on.
    pub fn read(&self, listed: usize) -> impl Iterator<Item = &Operand> {
        let mut parts: [&[Operand]; 12] = [&[]; 12];
        match self {
            Self::Listed(list) => parts[0] = &list[listed.min(list.len())..],
            Self::Fetch(fetch) => {
                parts[0] = from_ref(&fetch.texture);
                parts[1] = fetch.sampler.as_slice();
                parts[2..7].copy_from_slice(&elements(&fetch.coords));
                parts[7..9].copy_from_slice(&fetch.lod.parts());
                parts[9] = fetch.offset.as_deref().unwrap_or_default();
                parts[10] = fetch.compare.as_slice();
                parts[11] = &fetch.padding;
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
