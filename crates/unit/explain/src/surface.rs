//! A surface access: where it went, what it found there and what it left.

mod json;
mod svg;
mod text;

use std::sync::Arc;
use texunit_texel::store_codes;
use texunit_unit::{
    AccessFault, Coordinates, PlanError, ReduceType, Surface, SurfaceAnswer, SurfaceForm,
    SurfaceKind, SurfaceOutcome, SurfacePlan, SurfaceRequest, SurfaceTrace,
};

/// A surface access with what it was done on.
#[derive(Clone, Debug)]
pub struct SurfaceExplanation {
    /// The instruction.
    pub form: SurfaceForm,
    /// Where, as the instruction has it.
    pub coords: Coordinates<u32>,
    /// The surface.
    pub surface: Arc<Surface>,
    /// How the access found its bytes.
    pub trace: SurfaceTrace,
    /// What was loaded, stored or combined, each element zero-extended. Zeros if a load failed.
    pub elements: [u64; 4],
    /// Bytes in memory just before the access, if it was made and they are known.
    pub before: Option<Vec<u8>>,
    /// Bytes in memory just after it, if it stored and they are known.
    pub after: Option<Vec<u8>>,
    /// Where the access comes from: a case, or thread and line of a kernel.
    pub place: Option<String>,
    /// What a case says must come of it.
    pub expected: Option<SurfaceExpected>,
}

/// What a case says must come of an access.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SurfaceExpected {
    /// A load returns these bytes.
    Loads(Vec<u8>),
    /// It faults outside.
    Outside,
    /// It faults because x is not a multiple of the access size.
    Misaligned,
}

/// What an access does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Load,
    Store,
    Reduce,
}

/// Size in bytes and number of the elements that the registers hold.
fn elements_of(form: SurfaceForm) -> (u8, u8) {
    match form.kind {
        SurfaceKind::Load { element_size, vector }
        | SurfaceKind::Store { element_size, vector } => (element_size, vector),
        SurfaceKind::StoreFormatted { vector } => (4, vector),
        SurfaceKind::Reduce { ty, .. } => match ty {
            ReduceType::U32 | ReduceType::S32 | ReduceType::B32 => (4, 1),
            ReduceType::U64 | ReduceType::S64 | ReduceType::B64 => (8, 1),
        },
    }
}

fn mask(bytes: u8) -> u64 {
    u64::MAX >> (64 - 8 * u32::from(bytes.clamp(1, 8)))
}

impl SurfaceExplanation {
    /// Makes the access, with these elements if it stores or reduces, and keeps what happened.
    pub fn new(
        form: SurfaceForm,
        surface: &Arc<Surface>,
        coords: Coordinates<u32>,
        elements: [u64; 4],
    ) -> Result<Self, PlanError> {
        let plan = SurfacePlan::new(form, surface)?;
        let trace = plan.trace(coords);
        // A register holds no more than an element.
        let elements = elements.map(|e| e & mask(elements_of(form).0));
        let lanes = coords.map(|c| [c; 32]);
        let request = SurfaceRequest { active: 1, coords: lanes.each_ref() };
        let mut answer = SurfaceAnswer { values: elements.map(|e| [e; 32]) };
        let made = matches!(trace.outcome, SurfaceOutcome::Made(_));
        let before = made.then(|| trace.bytes.clone());
        let mut after = None;
        // Faults are in the trace.
        let elements = if kind_of(form) == Kind::Load {
            answer.values = [[0; 32]; 4];
            let _ = plan.load(&request, &mut answer);
            answer.values.map(|v| v[0])
        } else {
            let _ = plan.store(&request, &answer.values);
            after = made.then(|| plan.trace(coords).bytes);
            elements
        };
        let surface = Arc::clone(surface);
        let (place, expected) = (None, None);
        Ok(Self { form, coords, surface, trace, elements, before, after, place, expected })
    }

    /// An access that has been made, with what it loaded, stored or combined. The bytes around it
    /// are not known any more.
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

    /// Elements of so many bytes from bytes in the order of memory, as the registers of an
    /// instruction of this form hold them.
    pub fn elements(form: SurfaceForm, bytes: &[u8]) -> [u64; 4] {
        let (size, _) = elements_of(form);
        let mut elements = [0; 4];
        for (element, bytes) in elements.iter_mut().zip(bytes.chunks(size.max(1).into())) {
            *element = bytes.iter().rev().fold(0, |v, &b| v << 8 | u64::from(b));
        }
        elements
    }

    /// Whether the access did what the case says; `None` if it says nothing.
    pub fn agrees(&self) -> Option<bool> {
        Some(match self.expected.as_ref()? {
            SurfaceExpected::Loads(bytes) => {
                self.trace.fault.is_none() && *bytes == self.element_bytes()
            }
            SurfaceExpected::Outside => {
                matches!(self.trace.fault, Some(AccessFault::Outside { .. }))
            }
            SurfaceExpected::Misaligned => {
                matches!(self.trace.fault, Some(AccessFault::Misaligned { .. }))
            }
        })
    }

    /// As text of several lines.
    pub fn text(&self) -> String {
        text::text(self)
    }

    /// As one JSON object.
    pub fn json(&self) -> serde_json::Value {
        json::json(self)
    }

    /// As an SVG document: the rows of the surface, and the bytes of the access.
    pub fn svg(&self) -> String {
        svg::svg(self)
    }

    pub(crate) fn picture(&self) -> crate::picture::Picture {
        svg::picture(self)
    }

    /// The instruction and where it goes.
    pub(crate) fn headline(&self) -> String {
        text::headline(self)
    }

    /// What came of it in one line.
    pub(crate) fn summary(&self) -> String {
        match text::way(self).into_iter().find(|line| line.starts_with("FAULT")) {
            Some(fault) => fault,
            None => format!("{} {}", verb(self.form), text::element_text(self)),
        }
    }

    /// The elements that the instruction has.
    fn own_elements(&self) -> &[u64] {
        let (_, vector) = elements_of(self.form);
        &self.elements[..usize::from(vector).min(4)]
    }

    /// The elements in the order of memory.
    fn element_bytes(&self) -> Vec<u8> {
        let size = elements_of(self.form).0.into();
        self.own_elements().iter().flat_map(|e| e.to_le_bytes().into_iter().take(size)).collect()
    }

    /// What `sust.p` makes of its registers: a code for each channel of the format.
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

/// What the bytes of the elements are called.
fn verb(form: SurfaceForm) -> &'static str {
    match kind_of(form) {
        Kind::Load => "loads",
        Kind::Store => "stores",
        Kind::Reduce => "combines with",
    }
}

/// Bytes in hexadecimal, in the order of memory.
fn hex_bytes(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect::<Vec<_>>().join(" ")
}
