//! Explanations of surface accesses: location, and the bytes before and after.

mod svg;
mod text;

use serde_json::{Value, json as object};
use std::sync::Arc;
use texunit_texel::store_codes;
use texunit_unit::{
    AccessFault, Coordinates, PlanError, Surface, SurfaceAnswer, SurfaceForm, SurfaceKind,
    SurfaceOutcome, SurfacePlace, SurfacePlan, SurfaceRequest, SurfaceTrace,
};

/// A surface access with its trace and surface.
#[derive(Clone, Debug)]
pub struct SurfaceExplanation {
    /// The surface instruction.
    pub form: SurfaceForm,
    /// Coordinates of the access as given by the instruction, before `.clamp` moves them.
    pub coords: Coordinates<u32>,
    /// The surface that the access reads or writes.
    pub surface: Arc<Surface>,
    /// The trace of the access.
    pub trace: SurfaceTrace,
    /// The elements that were loaded, stored or combined, each zero-extended. Zeros if a load
    /// failed.
    pub elements: [u64; 4],
    /// Bytes in memory just before the access, if it was executed and the bytes are known.
    pub before: Option<Vec<u8>>,
    /// Bytes in memory just after the access, if it stored and the bytes are known.
    pub after: Option<Vec<u8>>,
    /// Where the access was executed: the name of a test case, or thread and line of a kernel.
    pub place: Option<String>,
    /// Expected result of the access, if a test case states it.
    pub expected: Option<SurfaceExpected>,
}

/// The expected result of an access.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SurfaceExpected {
    /// The load returns these bytes.
    Loads(Vec<u8>),
    /// The access faults because it is outside.
    Outside,
    /// The access faults because x is not a multiple of its size.
    Misaligned,
}

/// Whether an access loads, stores or reduces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Load,
    Store,
    Reduce,
}

fn mask(bytes: u8) -> u64 {
    u64::MAX >> (64 - 8 * u32::from(bytes.clamp(1, 8)))
}

impl SurfaceExplanation {
    /// Executes a surface access and keeps its trace. A store or reduction is given `elements`; a
    /// load ignores them.
    pub fn new(
        form: SurfaceForm,
        surface: &Arc<Surface>,
        coords: Coordinates<u32>,
        elements: [u64; 4],
    ) -> Result<Self, PlanError> {
        // Registers are truncated to the size of an element.
        let elements = elements.map(|e| e & mask(form.kind.elements().0));
        let mut explanation = Self::of_made(form, surface, coords, Ok(elements))?;
        let plan = SurfacePlan::new(form, surface)?;
        let lanes = coords.map(|c| [c; 32]);
        let request = SurfaceRequest { active: 1, coords: lanes.each_ref() };
        let made = matches!(explanation.trace.outcome, SurfaceOutcome::Made(_));
        explanation.before = made.then(|| explanation.trace.bytes.clone());
        // A fault of the access is not an error here, because the trace contains it.
        if kind_of(form) == Kind::Load {
            let mut answer = SurfaceAnswer { values: [[0; 32]; 4] };
            let _ = plan.load(&request, &mut answer);
            explanation.elements = answer.values.map(|v| v[0]);
        } else {
            let _ = plan.store(&request, &elements.map(|e| [e; 32]));
            explanation.after = made.then(|| plan.trace(coords).bytes);
        }
        Ok(explanation)
    }

    /// Describes an access that has already been executed, with the elements that it loaded, stored
    /// or combined. The bytes in memory around the access are not known any more.
    pub fn of_made(
        form: SurfaceForm,
        surface: &Arc<Surface>,
        coords: Coordinates<u32>,
        outcome: Result<[u64; 4], AccessFault>,
    ) -> Result<Self, PlanError> {
        let trace = SurfacePlan::new(form, surface)?.trace(coords);
        Ok(Self {
            form,
            coords,
            surface: Arc::clone(surface),
            trace,
            elements: outcome.unwrap_or_default(),
            before: None,
            after: None,
            place: None,
            expected: None,
        })
    }

    /// Converts bytes in memory order to elements, as the registers of an instruction of this form
    /// hold them.
    pub fn elements(form: SurfaceForm, bytes: &[u8]) -> [u64; 4] {
        let (size, _) = form.kind.elements();
        let mut elements = [0; 4];
        for (element, bytes) in elements.iter_mut().zip(bytes.chunks(size.max(1).into())) {
            *element = bytes.iter().rev().fold(0, |v, &b| v << 8 | u64::from(b));
        }
        elements
    }

    /// Whether the access did what the case expects; `None` without an expected result.
    pub fn agrees(&self) -> Option<bool> {
        Some(match (self.expected.as_ref()?, &self.trace.fault) {
            (SurfaceExpected::Loads(bytes), None) => *bytes == self.element_bytes(),
            (SurfaceExpected::Outside, Some(AccessFault::Outside { .. }))
            | (SurfaceExpected::Misaligned, Some(AccessFault::Misaligned { .. })) => true,
            _ => false,
        })
    }

    /// The explanation as text, for a terminal.
    pub fn text(&self) -> String {
        text::text(self)
    }

    /// The explanation as one JSON object, for programs.
    pub fn json(&self) -> Value {
        let t = &self.trace;
        let place = |p: &SurfacePlace| {
            object!({
                "layer": p.layer, "x": p.x, "y": p.y, "z": p.z, "moved": p.moved, "offset": p.offset,
            })
        };
        let (outcome, found) = match &t.outcome {
            SurfaceOutcome::Made(p) => ("made", Some(place(p))),
            SurfaceOutcome::NotResident(p) => ("not_resident", Some(place(p))),
            SurfaceOutcome::Dropped => ("dropped", None),
            SurfaceOutcome::Outside => ("outside", None),
            SurfaceOutcome::Misaligned => ("misaligned", None),
        };
        object!({
            "instruction": self.form.to_string(),
            "from": self.place,
            "surface": self.surface.resource.describe(),
            "layer": t.layer,
            "at": t.at[..self.form.geometry.axes()],
            "byte_x": t.byte_x,
            "size": t.size,
            "policy": t.policy.name(),
            "outcome": outcome,
            "place": found,
            "fault": t.fault.as_ref().map(ToString::to_string),
            "elements": self.own_elements().iter().map(|v| format!("{v:x}")).collect::<Vec<_>>(),
            "codes": self.codes(),
            "before": self.before.as_deref().map(hex_bytes),
            "after": self.after.as_deref().map(hex_bytes),
            "expected": self.expected.as_ref().map(|expected| match expected {
                SurfaceExpected::Loads(bytes) => object!(hex_bytes(bytes)),
                SurfaceExpected::Outside => object!("outside"),
                SurfaceExpected::Misaligned => object!("misaligned"),
            }),
            "agrees": self.agrees(),
        })
    }

    /// The explanation as an SVG document: the rows of the surface, and the bytes of the access.
    pub fn svg(&self) -> String {
        svg::svg(self)
    }

    pub(crate) fn picture(&self) -> crate::picture::Picture {
        svg::picture(self)
    }

    /// The instruction with its coordinates, as a heading.
    pub(crate) fn headline(&self) -> String {
        text::headline(self)
    }

    /// The fault of the access, or the elements that it loaded, stored or combined, in one line.
    pub(crate) fn summary(&self) -> String {
        let fault = text::address_steps(self).into_iter().find(|line| line.starts_with("FAULT"));
        fault.unwrap_or_else(|| format!("{} {}", verb(self.form), text::element_text(self)))
    }

    /// The elements that the instruction's registers hold: 1, 2 or 4.
    fn own_elements(&self) -> &[u64] {
        let (_, vector) = self.form.kind.elements();
        &self.elements[..usize::from(vector).min(4)]
    }

    /// The bytes of the elements in memory order.
    fn element_bytes(&self) -> Vec<u8> {
        let size = self.form.kind.elements().0.into();
        self.own_elements().iter().flat_map(|e| e.to_le_bytes().into_iter().take(size)).collect()
    }

    /// The channel codes to which `sust.p` converts its registers, one for each channel of the
    /// format; `None` for other instructions.
    fn codes(&self) -> Option<Vec<u32>> {
        let SurfaceKind::StoreFormatted { vector } = self.form.kind else { return None };
        let format = self.surface.resource.format();
        let codes = store_codes(format, self.elements.map(|e| e as u32), vector)?;
        Some(codes[..usize::from(format.channels())].to_vec())
    }
}

fn kind_of(form: SurfaceForm) -> Kind {
    match form.kind {
        SurfaceKind::Load { .. } => Kind::Load,
        SurfaceKind::Store { .. } | SurfaceKind::StoreFormatted { .. } => Kind::Store,
        SurfaceKind::Reduce { .. } => Kind::Reduce,
    }
}

/// The verb that says what the access does with the bytes, such as `loads`.
fn verb(form: SurfaceForm) -> &'static str {
    match kind_of(form) {
        Kind::Load => "loads",
        Kind::Store => "stores",
        Kind::Reduce => "combines with",
    }
}

/// Formats bytes as hexadecimal, in memory order.
fn hex_bytes(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect::<Vec<_>>().join(" ")
}
