//! Surfaces on arrays: checked loads, stores and reductions of texels (rules F1 to F5 of
//! docs/python-conventions.md).

use crate::error::{Result, SampleError, shape_text};
use crate::fill::{Number, Operand};
use crate::input::{Input, broadcast};
use crate::meaning::ArrayOptions;
use crate::request::{Points, index};
use crate::texture::resource;
use std::array::from_fn;
use std::sync::Arc;
use texunit_forms::Count;
use texunit_texel::Dtype;
use texunit_unit::{
    ClampMode, Coordinates, Geometry, Lanes, ReduceOp, ReduceType, Resource, Surface as Header,
    SurfaceAnswer, SurfaceForm, SurfaceKind, SurfacePlan, SurfaceRequest, ZERO_LANES,
};

/// Texels that surface accesses read and write in place.
#[derive(Clone, Debug)]
pub struct Surface {
    header: Arc<Header>,
    dtype: Dtype,
    channels: usize,
}

/// Coordinates of surface accesses.
#[derive(Clone, Debug)]
pub struct SurfaceCoordinates<'a> {
    /// Integer coordinates x, y and z of the texels.
    pub points: Points<'a>,
    /// Layer indices; for cubes `6 * cube + face`.
    pub layer: Option<Input<'a>>,
    /// What happens to accesses outside the surface: they trap, are clamped, or read zeros.
    pub boundary: ClampMode,
}

/// Surface accesses that have been checked: a plan, and operands broadcast to the shape of the
/// accesses.
struct Accesses<'a> {
    plan: SurfacePlan,
    /// The operands x, y, z, and the layer, as far as the surface has them, each with its index in
    /// the list layer, x, y, z.
    operands: Vec<(usize, Operand<'a>)>,
    shape: Vec<usize>,
    /// Size of a texel in bytes.
    texel: i64,
}

impl Surface {
    /// A surface with a copy of an array's texels.
    pub fn new(input: &Input<'_>, array: &ArrayOptions) -> Result<Self> {
        Self::of_resource(Arc::new(resource(std::slice::from_ref(input), array)?))
    }

    /// A surface over existing texels, which must have a single mip level.
    pub fn of_resource(resource: Arc<Resource>) -> Result<Self> {
        let format = resource.format();
        let channel = format.plain_channel();
        let header = Arc::new(Header::new(resource)?);
        let why = || format!("a surface of {format} has no elements of an array's type");
        let channel = channel.ok_or_else(|| SampleError::Operand(why()))?;
        let (dtype, channels) = (Dtype::of_channel(channel), format.channels().into());
        Ok(Self { header, dtype, channels })
    }

    /// The resource that holds the texels.
    pub fn resource(&self) -> &Arc<Resource> {
        &self.header.resource
    }

    /// The texture header of the texels.
    pub fn header(&self) -> &Arc<Header> {
        &self.header
    }

    /// Element type of the channels.
    pub fn dtype(&self) -> Dtype {
        self.dtype
    }

    /// Shape of an array from which this surface could be created (rules A1 to A10).
    pub fn shape(&self) -> Vec<usize> {
        let shape = self.resource().shape();
        let geometry = shape.geometry;
        let axes = shape.extent.axes();
        let mut all = Vec::new();
        all.extend(geometry.is_array().then_some(shape.layers as usize));
        all.extend(geometry.is_cube().then_some(6));
        all.extend(axes[..geometry.axes()].iter().rev().map(|&n| n as usize));
        all.extend((self.channels > 1).then_some(self.channels));
        all
    }

    /// Shape of the result of reading these coordinates.
    pub fn read_shape(&self, places: &SurfaceCoordinates<'_>) -> Result<Vec<usize>> {
        let mut shape = self.accesses(self.load(places.boundary), places.clone(), &[])?.shape;
        shape.extend((self.channels > 1).then_some(self.channels));
        Ok(shape)
    }

    /// Reads texels as stored, in C order.
    pub fn read(&self, places: SurfaceCoordinates<'_>, out: &mut [u8]) -> Result<()> {
        let accesses = self.accesses(self.load(places.boundary), places, &[])?;
        let size = self.dtype.size();
        let needed = accesses.count() * self.channels * size;
        if out.len() != needed {
            return Err(SampleError::Out { found: out.len(), needed });
        }
        let mut answer = SurfaceAnswer::default();
        accesses.each(|first, request| {
            accesses.plan.load(request, &mut answer).map_err(|fault| (first, fault))?;
            let lanes = request.active.count_ones() as usize;
            let texels = out[first * self.channels * size..].chunks_exact_mut(self.channels * size);
            for (lane, texel) in texels.take(lanes).enumerate() {
                for (element, bytes) in answer.values.iter().zip(texel.chunks_exact_mut(size)) {
                    bytes.copy_from_slice(&element[lane].to_le_bytes()[..size]);
                }
            }
            Ok(())
        })
    }

    /// The load instruction for these coordinates, and the operands of one access, given its index
    /// in C order.
    pub fn load_at(
        &self,
        places: SurfaceCoordinates<'_>,
        index: usize,
    ) -> Result<(SurfaceForm, Coordinates<u32>)> {
        let form = self.load(places.boundary);
        let accesses = self.accesses(form, places, &[])?;
        if index >= accesses.count() {
            let rule = "there is no such access";
            return Err(SampleError::Range { what: "access", value: index as i128, rule });
        }
        let [layer, x, y, z] = accesses.words(index, 1)?.map(|lanes| lanes[0]);
        Ok((form, Coordinates { layer, sample: 0, point: [x, y, z] }))
    }

    /// Stores values of the surface's type, in C order.
    pub fn write(&self, places: SurfaceCoordinates<'_>, values: &Input) -> Result<()> {
        let (element_size, vector) = (self.dtype.size() as u8, self.channels as u8);
        self.store(SurfaceKind::Store { element_size, vector }, places, values)
    }

    /// Combines each texel with a value, atomically.
    pub fn reduce(
        &self,
        op: ReduceOp,
        places: SurfaceCoordinates<'_>,
        values: &Input<'_>,
    ) -> Result<()> {
        let bits = matches!(op, ReduceOp::And | ReduceOp::Or);
        let ty = match (self.dtype, self.channels) {
            (Dtype::U32 | Dtype::S32, 1) if bits => ReduceType::B32,
            (Dtype::U32, 1) => ReduceType::U32,
            (Dtype::S32, 1) => ReduceType::S32,
            (found, 1) => {
                let rule = "reductions are of uint32 and int32";
                return Err(SampleError::OperandType { what: "a surface", found, rule });
            }
            _ => {
                let why = "reductions are of surfaces of one channel".to_owned();
                return Err(SampleError::Operand(why));
            }
        };
        self.store(SurfaceKind::Reduce { op, ty, formatted: false }, places, values)
    }

    fn load(&self, clamp: ClampMode) -> SurfaceForm {
        let (element_size, vector) = (self.dtype.size() as u8, self.channels as u8);
        let kind = SurfaceKind::Load { element_size, vector };
        SurfaceForm { kind, geometry: self.geometry(), clamp }
    }

    /// Geometry of the surface instructions: the faces of a cube are layers.
    fn geometry(&self) -> Geometry {
        match self.resource().geometry() {
            Geometry::Cube | Geometry::Acube => Geometry::A2d,
            own => own,
        }
    }

    fn store(
        &self,
        kind: SurfaceKind,
        places: SurfaceCoordinates<'_>,
        values: &Input<'_>,
    ) -> Result<()> {
        if values.dtype() != self.dtype {
            return Err(SampleError::OperandType {
                what: "values",
                found: values.dtype(),
                rule: "they are of the surface's type, and stored as they are",
            });
        }
        let elements = self.elements(values)?;
        let shapes: Vec<_> = elements.iter().map(|input| ("values", input.shape())).collect();
        let form = SurfaceForm { kind, geometry: self.geometry(), clamp: places.boundary };
        let loads = SurfacePlan::new(self.load(places.boundary), &self.header)?;
        let accesses = self.accesses(form, places, &shapes)?;
        let walks: Vec<_> = elements.iter().map(|input| input.walk(&accesses.shape)).collect();
        let size = self.dtype.size();
        // If lanes of one pass store to the same bytes, the lowest lane wins (docs/numerics.md
        // 10.6), but of two writes to an array the later one in C order must stay (rule F3).
        // Therefore, the accesses of each pass are in the reverse order of its lanes.
        let lanes_of_pass = match self.channels * size {
            16 => 8,
            8 => 16,
            _ => 32,
        };
        let lane_of = |access: usize| access ^ (lanes_of_pass - 1);
        accesses.each(|first, request| {
            let mut registers = [[0; 32]; 4];
            let count = request.active.count_ones() as usize;
            for ((register, walk), input) in registers.iter_mut().zip(&walks).zip(&elements) {
                let mut lanes = register.iter_mut();
                walk.runs(first..first + count, |start, step, count| {
                    for (i, lane) in lanes.by_ref().take(count).enumerate() {
                        let at = start.wrapping_add_signed(step * i as isize);
                        let mut word = [0; 8];
                        word[..size].copy_from_slice(&input.bytes()[at..at + size]);
                        *lane = u64::from_le_bytes(word);
                    }
                });
            }
            if matches!(kind, SurfaceKind::Reduce { .. }) {
                return accesses.plan.store(request, &registers).map_err(|fault| (first, fault));
            }
            let Coordinates { layer, point: [x, y, z], .. } = request.coords;
            let [layer, x, y, z] =
                [layer, x, y, z].map(|words| -> Lanes { from_fn(|i| words[lane_of(i)]) });
            let coords = Coordinates { layer: &layer, sample: &ZERO_LANES, point: [&x, &y, &z] };
            let active = (0..count).fold(0, |mask, access| mask | 1 << lane_of(access));
            let values = registers.map(|values| from_fn(|i| values[lane_of(i)]));
            accesses.plan.store(&SurfaceRequest { active, coords }, &values).map_err(|fault| {
                // If several accesses fault, a load reports the first in C order.
                let loaded = loads.load(request, &mut SurfaceAnswer::default());
                (first, loaded.err().unwrap_or(fault))
            })
        })
    }

    /// Splits the values to store into one array for each channel.
    fn elements<'a>(&self, values: &Input<'a>) -> Result<Vec<Input<'a>>> {
        if self.channels == 1 {
            return Ok(vec![values.clone()]);
        }
        if values.shape().last() != Some(&self.channels) {
            return Err(SampleError::Shape {
                shape: shape_text(values.shape()),
                rule: format!("values have a last axis of {}", Count(self.channels, "channel")),
            });
        }
        Ok((0..self.channels).map(|channel| values.of_last(channel)).collect())
    }

    fn accesses<'a>(
        &self,
        form: SurfaceForm,
        places: SurfaceCoordinates<'a>,
        others: &[(&'static str, &[usize])],
    ) -> Result<Accesses<'a>> {
        let geometry = self.geometry();
        let layer = index("layer", "layers", places.layer, geometry.is_array())?;
        let points = places.points.axes("coordinates", geometry.axes())?;
        let mut all: Vec<(usize, Input<'a>)> = (1..).zip(points).collect();
        all.extend(layer.map(|input| (0, input)));
        let names = ["layer", "x", "y", "z"];
        let own = all.iter().map(|(slot, input)| (names[*slot], input.shape()));
        let shape = broadcast(own.chain(others.iter().copied()))?;
        let operand = |(slot, input): (usize, Input<'a>)| {
            let number = if slot == 0 { Number::Unsigned } else { Number::Signed };
            Operand::new(names[slot], input, &shape, number).map(|operand| (slot, operand))
        };
        let operands = all.into_iter().map(operand).collect::<Result<_, _>>()?;
        let plan = SurfacePlan::new(form, &self.header)?;
        Ok(Accesses { plan, operands, shape, texel: (self.dtype.size() * self.channels) as i64 })
    }
}

impl Accesses<'_> {
    fn count(&self) -> usize {
        self.shape.iter().product()
    }

    /// The coordinates of a warp's accesses: layer, x in bytes, y and z.
    fn words(&self, first: usize, lanes: usize) -> Result<[Lanes; 4]> {
        let mut words = [ZERO_LANES; 4];
        for (slot, operand) in &self.operands {
            operand.fill(first..first + lanes, &mut words[*slot][..lanes])?;
        }
        for x in &mut words[1] {
            // The product is clamped to the range of s32, so that it does not wrap around to a
            // position in the surface, and x stays a multiple of the texel size.
            let bytes = i64::from(*x as i32) * self.texel;
            *x = bytes.clamp(i32::MIN.into(), (i32::MAX - 15).into()) as i32 as u32;
        }
        Ok(words)
    }

    /// Calls `access` for each warp, with the index of its first access.
    fn each(
        &self,
        mut access: impl FnMut(
            usize,
            &SurfaceRequest<'_>,
        ) -> Result<(), (usize, texunit_unit::AccessFault)>,
    ) -> Result<()> {
        let count = self.count();
        for first in (0..count).step_by(32) {
            let lanes = (count - first).min(32);
            let [layer, x, y, z] = &self.words(first, lanes)?;
            let coords = Coordinates { layer, sample: &ZERO_LANES, point: [x, y, z] };
            let request = SurfaceRequest { active: u32::MAX >> (32 - lanes), coords };
            access(first, &request).map_err(|(first, fault)| SampleError::Access {
                index: first + fault.lane(),
                fault,
            })?;
        }
        Ok(())
    }
}
