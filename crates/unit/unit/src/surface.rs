//! Surface accesses `suld.b`, `sust.b`, `sust.p`, `sured.b` and `sured.p`: docs/numerics.md,
//! section 10.
//!
//! A [`SurfacePlan`] is made once per (instruction form, surface); its accesses allocate nothing.
//! Each element of an access is one memory access, and a reduction is atomic with respect to all
//! other accesses.

mod action;
mod place;

pub use place::{SurfaceOutcome, SurfacePlace};

use crate::request::{
    AccessFault, ClampMode, Coordinates, Geometry, GeometryError, PlanError, ReduceOp,
    SurfaceAnswer, SurfaceForm, SurfaceRequest, lanes,
};
use crate::resource::Resource;
use crate::sampler::Surface;
use action::Action;
use place::{Plain, Rule};
use std::sync::Arc;

/// A prepared surface access, made once per (instruction form, surface).
#[derive(Clone, Debug)]
pub struct SurfacePlan {
    surface: Arc<Surface>,
    action: Action,
    rule: Rule,
    /// The fast path for whole warps; `None` if each lane's location must be computed on its own.
    plain: Option<Plain>,
}

/// The trace of the access of one lane: its location and its bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SurfaceTrace {
    /// Layer as given by the instruction, for layered accesses.
    pub layer: Option<u32>,
    /// x, y, z as given by the instruction; axes that the geometry lacks are 0.
    pub at: [i32; 3],
    /// The x coordinate of the access in bytes.
    pub byte_x: i64,
    /// Size of the access in bytes.
    pub size: u32,
    /// The policy for accesses outside the surface: `.trap`, `.clamp` or `.zero`.
    pub policy: ClampMode,
    /// The outcome of the access.
    pub outcome: SurfaceOutcome,
    /// The bytes in memory at the access's location: those that a load returns, or those that a
    /// store replaces. Empty if the access is not executed.
    pub bytes: Vec<u8>,
    /// The fault, if the access has one. The fault names lane 0.
    pub fault: Option<AccessFault>,
}

impl SurfacePlan {
    /// Plans the accesses of an instruction of this form to a surface. `.a2d` addresses a face of a
    /// cube map as layer `6 * cube + face`.
    pub fn new(form: SurfaceForm, surface: &Arc<Surface>) -> Result<Self, PlanError> {
        let resource = &surface.resource;
        check_geometry(form, resource)?;
        let (action, unit) = Action::new(form, resource)?;
        let rule = Rule::new(resource, form.geometry, form.clamp, unit, action.size());
        if matches!(action, Action::Reduce { .. }) && !rule.is_aligned() {
            return Err(PlanError::Undefined(format!(
                "{form}: the texels of {} do not lie at multiples of 8 bytes",
                resource.describe()
            )));
        }
        Ok(Self { surface: Arc::clone(surface), action, rule, plain: Plain::new(&rule, resource) })
    }

    /// Executes `suld.b`. Inactive lanes keep their values. If the access faults, some lanes of
    /// `answer` may have been written. A plan of `sust.p` or `sured` loads nothing.
    pub fn load(
        &self,
        request: &SurfaceRequest<'_>,
        answer: &mut SurfaceAnswer,
    ) -> Result<(), AccessFault> {
        let Action::Raw { element_size, vector } = self.action else { return Ok(()) };
        let (block, (offsets, made, fault)) =
            (self.surface.resource.block(), self.offsets(request));
        for (element, values) in answer.values.iter_mut().take(vector.into()).enumerate() {
            for lane in lanes(made) {
                values[lane] = action::load(block, offsets[lane], element_size, element);
            }
            for lane in lanes(request.active & !made) {
                values[lane] = 0;
            }
        }
        fault.map_or(Ok(()), Err)
    }

    /// Executes `sust` and `sured` with the elements of each active lane; `.p` uses only the low 32
    /// bits of each element. Lanes store in passes (rule 10.6 of docs/numerics.md): if lanes of one
    /// pass store to the same bytes, the lowest lane wins, and a later pass wins over an earlier
    /// one. If the access of a lane faults, lower lanes have stored.
    pub fn store(
        &self,
        request: &SurfaceRequest<'_>,
        values: &[[u64; 32]; 4],
    ) -> Result<(), AccessFault> {
        let (block, (offsets, made, fault)) =
            (self.surface.resource.block(), self.offsets(request));
        for lane in self.in_order(made) {
            self.action.store(block, offsets[lane], values, lane);
        }
        fault.map_or(Ok(()), Err)
    }

    /// Lanes of a mask in the order in which they store. A pass has 32 lanes, but 16 for accesses
    /// of 8 bytes and 8 for accesses of 16 bytes. Within a pass, the lowest lane stores last.
    fn in_order(&self, mask: u32) -> impl Iterator<Item = usize> {
        let at_once = match self.rule.size {
            16 => 8,
            8 => 16,
            _ => 32,
        };
        let all = (0..32).step_by(at_once).flat_map(move |first| (first..first + at_once).rev());
        all.filter(move |lane| mask >> lane & 1 == 1)
    }

    /// The surface that the plan accesses.
    pub fn surface(&self) -> &Arc<Surface> {
        &self.surface
    }

    /// The byte offset in the block, and the size in bytes, of an access at these coordinates;
    /// `None` if no bytes are accessed.
    pub fn bytes(&self, coords: Coordinates<u32>) -> Option<(u64, u32)> {
        self.place(coords).map(|(place, size)| (place.offset, size))
    }

    /// The location, and the size in bytes, of an access at these coordinates; `None` if no bytes
    /// are accessed.
    pub fn place(&self, coords: Coordinates<u32>) -> Option<(SurfacePlace, u32)> {
        match self.rule.apply(self.rule.coordinate(coords), &self.surface.resource) {
            SurfaceOutcome::Made(place) => Some((place, self.rule.size)),
            _ => None,
        }
    }

    /// The operation of a reduction, and whether its operands are signed; `None` for other
    /// instructions.
    pub fn reduction(&self) -> Option<(ReduceOp, bool)> {
        match self.action {
            Action::Reduce { op, number } => Some((op, number.is_signed())),
            _ => None,
        }
    }

    /// The trace of an access at these coordinates. The access is not executed.
    pub fn trace(&self, coords: Coordinates<u32>) -> SurfaceTrace {
        let (rule, resource) = (&self.rule, &*self.surface.resource);
        let coordinate = rule.coordinate(coords);
        let outcome = rule.apply(coordinate, resource);
        let mut bytes = Vec::new();
        if let SurfaceOutcome::Made(place) = outcome {
            bytes.resize(rule.size as usize, 0);
            resource.block().read(place.offset, &mut bytes).expect("as `load` does");
        }
        SurfaceTrace {
            layer: coordinate.layer,
            at: coordinate.at,
            byte_x: rule.byte_x(coordinate),
            size: rule.size,
            policy: rule.clamp,
            outcome,
            bytes,
            fault: rule.fault(0, coordinate, outcome, resource),
        }
    }

    /// The byte offsets in the block of the lanes' accesses, the mask of the active lanes that make
    /// an access, and the first fault. The mask ends below the lane of the fault.
    #[inline]
    fn offsets(&self, request: &SurfaceRequest<'_>) -> ([u64; 32], u32, Option<AccessFault>) {
        let (rule, resource) = (&self.rule, &*self.surface.resource);
        if let Some(offsets) = self.plain.as_ref().and_then(|plain| plain.offsets(request)) {
            return (offsets.map(u64::from), request.active, None);
        }
        let (mut offsets, mut made) = ([0; 32], 0);
        for lane in lanes(request.active) {
            let coordinate = rule.coordinate(request.coords.map(|c| c[lane]));
            match rule.apply(coordinate, resource) {
                SurfaceOutcome::Made(place) => {
                    (offsets[lane], made) = (place.offset, made | 1 << lane);
                }
                SurfaceOutcome::NotResident(_) | SurfaceOutcome::Dropped => {}
                outcome => return (offsets, made, rule.fault(lane, coordinate, outcome, resource)),
            }
        }
        (offsets, made, None)
    }
}

/// Rule 10.10 of docs/numerics.md: checks that the instruction can access the surface. `.1d` and
/// `.a1d` access 1D surfaces and their layers. `.2d` and `.a2d` access 2D surfaces and their
/// layers, including faces of cubes, and slice 0 of 3D surfaces.
fn check_geometry(form: SurfaceForm, resource: &Resource) -> Result<(), GeometryError> {
    use Geometry::{A1d, A2d, Acube, Cube, D1, D2, D3};
    let reaches = match form.geometry {
        D1 | A1d => matches!(resource.geometry(), D1 | A1d),
        D2 | A2d => matches!(resource.geometry(), D2 | A2d | Cube | Acube | D3),
        D3 => resource.geometry() == D3,
        _ => false,
    };
    if reaches {
        return Ok(());
    }
    let mut sentence = resource.sentence("surface");
    if resource.geometry().is_cube() {
        sentence += ", whose faces are layers of .a2d";
    }
    let (own, layout) = (resource.geometry(), resource.layout());
    Err(GeometryError { instruction: form.geometry, own, layout, resource: sentence })
}

#[cfg(test)]
mod tests;
