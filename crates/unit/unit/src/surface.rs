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
    AccessFault, ClampMode, Coordinates, Geometry, GeometryError, Lanes, PlanError, ReduceOp,
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
        let block = self.surface.resource.block();
        if let Some(offsets) = self.plain_offsets(request) {
            let vector = vector.into();
            action::load_all(block, (request.active, &offsets), element_size, vector, answer);
            return Ok(());
        }
        for lane in lanes(request.active) {
            let offset = self.offset(request, lane)?;
            for (element, values) in answer.values.iter_mut().take(vector.into()).enumerate() {
                values[lane] =
                    offset.map_or(0, |offset| action::load(block, offset, element_size, element));
            }
        }
        Ok(())
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
        let block = self.surface.resource.block();
        if let Some(offsets) = self.plain_offsets(request) {
            for lane in self.in_order(request.active) {
                self.action.store(block, offsets[lane].into(), values, lane);
            }
            return Ok(());
        }
        let (mut offsets, mut fault, mut stores) = ([0; 32], None, 0);
        for lane in lanes(request.active) {
            match self.offset(request, lane) {
                Ok(None) => {}
                Ok(Some(offset)) => (offsets[lane], stores) = (offset, stores | 1 << lane),
                Err(at) => {
                    fault = Some(at);
                    break;
                }
            }
        }
        for lane in self.in_order(stores) {
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

    /// The byte offsets of all active lanes' accesses; `None` if the fast path does not apply.
    #[inline]
    fn plain_offsets(&self, request: &SurfaceRequest<'_>) -> Option<Lanes> {
        self.plain.as_ref()?.offsets(request)
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
            policy: rule.policy(),
            outcome,
            bytes,
            fault: rule.fault(0, coordinate, outcome, resource),
        }
    }

    /// Byte offset in the block of a lane's access; `None` if the lane loads 0 or its store is
    /// dropped.
    fn offset(&self, request: &SurfaceRequest, lane: usize) -> Result<Option<u64>, AccessFault> {
        let (rule, resource) = (&self.rule, &*self.surface.resource);
        let coordinate = rule.coordinate(request.coords.map(|c| c[lane]));
        let outcome = rule.apply(coordinate, resource);
        match outcome {
            SurfaceOutcome::Made(place) => Ok(Some(place.offset)),
            SurfaceOutcome::NotResident(_) | SurfaceOutcome::Dropped => Ok(None),
            SurfaceOutcome::Outside | SurfaceOutcome::Misaligned => {
                rule.fault(lane, coordinate, outcome, resource).map_or(Ok(None), Err)
            }
        }
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
