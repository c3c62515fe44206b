//! Requests for fetches: which instruction they map to, and their operands (rules C1 to C11 of
//! docs/python-conventions.md).

use crate::error::{Result, SampleError, shape_text};
use crate::fill::{Number, Operand};
use crate::input::{Input, broadcast};
use texunit_forms::Count;
use texunit_unit::{CoordType, FetchForm, FetchKind, Geometry, Lod, ResultType};

/// A vector operand of many fetches.
#[derive(Clone, Debug)]
pub enum Points<'a> {
    /// Components x, y, z in the last axis; for a 1D texture, the array is x itself.
    Array(Input<'a>),
    /// One array per component; the arrays are broadcast to a common shape.
    Separate(Vec<Input<'a>>),
}

/// The kind of fetch that is executed at each point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// `tex` with float coordinates.
    Sample,
    /// `tex` with integer coordinates.
    Fetch,
    /// `tld4` of the component with this index.
    Gather(u8),
}

/// A request for many fetches.
#[derive(Clone, Debug)]
pub struct Request<'a> {
    /// The kind of fetch.
    pub action: Action,
    /// Coordinates of the fetches.
    pub points: Points<'a>,
    /// Levels of detail.
    pub lod: Option<Input<'a>>,
    /// Gradients along the screen axes x and y.
    pub grad: Option<[Points<'a>; 2]>,
    /// Layer indices, or cube indices for arrays of cube maps.
    pub layer: Option<Input<'a>>,
    /// Sample indices.
    pub sample: Option<Input<'a>>,
    /// Texel offsets.
    pub offset: Option<Points<'a>>,
    /// Reference values of a depth comparison.
    pub compare: Option<Input<'a>>,
    /// Whether the results are f16 instead of f32.
    pub half: bool,
    /// Whether a float64 coordinate that is not exactly a float32 is an error.
    pub strict: bool,
    /// Whether level 0 is read regardless of the sampler (`tex.base`).
    pub base: bool,
    /// Whether results are the four 32-bit registers of PTX's `.v4`, not elements by R2 and R4.
    pub registers: bool,
}

impl<'a> Request<'a> {
    /// A request without optional operands.
    pub fn new(action: Action, points: Points<'a>) -> Self {
        Self {
            action,
            points,
            lod: None,
            grad: None,
            layer: None,
            sample: None,
            offset: None,
            compare: None,
            half: false,
            strict: false,
            base: false,
            registers: false,
        }
    }

    /// The instruction, for a texture of this geometry and result type.
    pub(crate) fn form(&self, geometry: Geometry, result: ResultType) -> Result<FetchForm> {
        let wrong = |text: &str| Err(SampleError::Operand(text.to_owned()));
        let lod = match (&self.lod, &self.grad, self.base) {
            (None, None, false) => Lod::Implicit,
            (None, None, true) => Lod::Base,
            (Some(_), None, false) => Lod::Level,
            (None, Some(_), false) => Lod::Gradient,
            (Some(_), Some(_), false) => {
                return wrong("lod and grad: one of the two says the level");
            }
            (_, _, true) => return wrong("base is level 0: it has no lod and no grad"),
        };
        let kind = match self.action {
            Action::Gather(_) if lod != Lod::Implicit => {
                return wrong("a gather reads level 0: it has no lod, no grad and no base");
            }
            Action::Gather(component) => FetchKind::Gather(component),
            Action::Sample | Action::Fetch => FetchKind::Sample(lod),
        };
        let result = match (self.half, result) {
            (true, ResultType::F32) => ResultType::F16,
            (true, _) => return wrong("integers read as elements have no float16 results"),
            (false, result) => result,
        };
        let coord = if self.action == Action::Fetch { CoordType::S32 } else { CoordType::F32 };
        let (offset, compare) = (self.offset.is_some(), self.compare.is_some());
        let form = FetchForm { kind, geometry, coord, result, offset, compare };
        let Some(why) = form.why_impossible() else { return Ok(form) };
        let of = match (self.action, geometry.is_cube(), geometry.is_multisample()) {
            (Action::Fetch, true, _) => "; `sample` takes directions",
            (Action::Sample, _, true) => "; `fetch` takes those",
            _ => "",
        };
        Err(SampleError::Operand(format!("{why}{of}")))
    }

    /// All operands with their register positions, and the shape to which they broadcast.
    pub(crate) fn operands(self, form: FetchForm) -> Result<Broadcast<'a>> {
        let geometry = form.geometry;
        let coord = match form.coord {
            CoordType::F32 => Number::Float { strict: self.strict },
            CoordType::S32 => Number::Signed,
        };
        let float = Number::Float { strict: self.strict };
        let mut all = Vec::new();
        let names = ["x", "y", "z"];
        for (axis, input) in
            self.points.axes("coordinates", geometry.gradients())?.into_iter().enumerate()
        {
            all.push((Slot::Point(axis), names[axis], input, coord));
        }
        let layer = index("layer", "layers", self.layer, geometry.is_array())?;
        all.extend(layer.map(|input| (Slot::Layer, "layer", input, Number::Unsigned)));
        let sample = index("sample", "samples", self.sample, geometry.is_multisample())?;
        all.extend(sample.map(|input| (Slot::Sample, "sample", input, Number::Unsigned)));
        all.extend(self.lod.map(|input| (Slot::Level, "lod", input, coord)));
        if let Some([x, y]) = self.grad {
            for (axis, input) in x.axes("grad", geometry.gradients())?.into_iter().enumerate() {
                all.push((Slot::Dpdx(axis), "grad", input, float));
            }
            for (axis, input) in y.axes("grad", geometry.gradients())?.into_iter().enumerate() {
                all.push((Slot::Dpdy(axis), "grad", input, float));
            }
        }
        if let Some(offset) = self.offset {
            for (axis, input) in offset.axes("offset", geometry.axes())?.into_iter().enumerate() {
                all.push((Slot::Offset(axis), "offset", input, Number::Signed));
            }
        }
        all.extend(self.compare.map(|input| (Slot::Compare, "compare", input, float)));
        let shape = broadcast(all.iter().map(|row| (row.1, row.2.shape())))?;
        let operand = |(slot, what, input, number)| {
            Operand::new(what, input, &shape, number).map(|operand| (slot, operand))
        };
        let operands = all.into_iter().map(operand).collect::<Result<_, _>>()?;
        Ok((shape, operands))
    }
}

/// Rules C8 and C9: an index operand must be given exactly if the texture has the indexed property
/// (layers, samples).
pub(crate) fn index<'a>(
    name: &str,
    things: &str,
    given: Option<Input<'a>>,
    has: bool,
) -> Result<Option<Input<'a>>> {
    let why = match (&given, has) {
        (None, true) => format!("the texture has {things}: {name} says which is read"),
        (Some(_), false) => format!("the texture has no {things}: leave {name} out"),
        _ => return Ok(given),
    };
    Err(SampleError::Operand(why))
}

/// The shape to which the operands of a request broadcast, and the operands, each with its position
/// among the registers of a fetch.
type Broadcast<'a> = (Vec<usize>, Vec<(Slot, Operand<'a>)>);

/// Position of an operand among the registers of a fetch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Slot {
    Point(usize),
    Layer,
    Sample,
    Level,
    Dpdx(usize),
    Dpdy(usize),
    Offset(usize),
    Compare,
}

impl<'a> Points<'a> {
    /// Splits a vector operand into one array per axis (rules C1 and C2).
    pub(crate) fn axes(self, what: &'static str, wanted: usize) -> Result<Vec<Input<'a>>> {
        match self {
            Self::Separate(all) if all.len() == wanted => Ok(all),
            Self::Separate(all) => Err(SampleError::Operand(format!(
                "{what}: {} expected, one for each axis, found {}",
                if wanted == 1 { "1 array".to_owned() } else { Count(wanted, "array").to_string() },
                all.len()
            ))),
            Self::Array(array) if wanted == 1 => Ok(vec![array]),
            Self::Array(array) if array.shape().last() == Some(&wanted) => {
                Ok((0..wanted).map(|axis| array.of_last(axis)).collect())
            }
            Self::Array(array) => Err(SampleError::Shape {
                shape: shape_text(array.shape()),
                rule: format!(
                    "{what} are {} in a last axis of {wanted}, or separate arrays",
                    ["x", "x, y", "x, y, z"][wanted - 1]
                ),
            }),
        }
    }
}
