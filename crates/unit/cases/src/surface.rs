//! Surface cases: many accesses to one surface, in order.

use crate::engine::Wrong;
use crate::error::{CaseError, Result, Within};
use crate::op::SurfaceOp;
use crate::raw::{RawCase, RawSurface};
use crate::resource::ResourceSpec;
use std::ops::Range;
use std::sync::Arc;
use texunit_forms::{Count, words};
use texunit_spec::hex;
use texunit_spec::write::Entries;
use texunit_unit::{
    AccessFault, Coordinates, PlanError, Surface, SurfaceAnswer, SurfaceForm, SurfaceKind,
    SurfacePlan, SurfaceRequest,
};

/// One access of one thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SurfaceAccess {
    /// Size of the access in bytes, if the instruction does not state it ([`SurfaceOp::Bytes`]).
    pub size: Option<u32>,
    /// Coordinates of the access, as the bits of u32 or s32 registers.
    pub coords: Coordinates<u32>,
    /// The bytes that a store or reduction takes, or that a load must return, in memory order.
    /// `None` if the access must fault, or if the result is not known yet.
    pub bytes: Option<Vec<u8>>,
    /// The fault that the access must raise, if the case expects one.
    pub fault: Option<Fault>,
}

words! {
    /// The kinds of faults that a surface access can raise, by their names in case files.
    Fault {
        /// The access is outside the surface, and the instruction has `.trap`.
        Outside = "outside",
        /// The x coordinate in bytes is not a multiple of the access size.
        Misaligned = "misaligned",
    }
}

/// A test case of surface accesses: the surface, the instruction, and the expected results.
#[derive(Clone, Debug, PartialEq)]
pub struct SurfaceCase {
    /// The surface's resource, with its contents before the accesses.
    pub resource: Arc<ResourceSpec>,
    /// The instruction that every access of the case executes.
    pub op: SurfaceOp,
    /// The accesses of the case, in the order of execution.
    pub accesses: Vec<SurfaceAccess>,
    /// Whether the accesses are the lanes of one warp, from lane 0 on, in a single instruction.
    pub warp: bool,
    /// Contents of the surface after the accesses, in memory order; `None` if nothing may change,
    /// or if the contents are not known yet.
    pub after: Option<Vec<u8>>,
    /// If set, making the surface or planning the access fails, with a message that contains this
    /// text.
    pub error: Option<String>,
}

/// A surface case with its surface, ready to run. Running changes the surface, so it can be run
/// once.
#[derive(Clone, Debug)]
pub struct BuiltSurface {
    /// The instruction that every access of the case executes.
    pub op: SurfaceOp,
    /// The surface that the accesses read and write.
    pub surface: Arc<Surface>,
    /// The accesses of the case, in the order of execution.
    pub accesses: Vec<SurfaceAccess>,
    /// Whether the accesses are the lanes of one warp, executed by a single instruction.
    pub warp: bool,
    /// Expected contents of the surface after the accesses, as in [`SurfaceCase::after`].
    pub after: Option<Vec<u8>>,
}

/// The results of executing all accesses of a case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SurfaceRun {
    /// The bytes that each access loaded (empty for a store), or its fault.
    pub answers: Vec<Result<Vec<u8>, Fault>>,
    /// Contents of the surface after the last access.
    pub after: Vec<u8>,
}

impl SurfaceOp {
    /// Hexadecimal digits per number in `values`: bytes, or the elements of registers.
    fn digits(self) -> usize {
        match self {
            SurfaceOp::Form(SurfaceForm {
                kind: kind @ (SurfaceKind::StoreFormatted { .. } | SurfaceKind::Reduce { .. }),
                ..
            }) => 2 * usize::from(kind.elements().0),
            _ => 2,
        }
    }

    /// Whether an access of `size` bytes is a load.
    fn loads(self, size: Option<u32>) -> bool {
        self.forms(size).iter().all(|form| form.kind.loads())
    }
}

impl SurfaceCase {
    /// Allocates the resource of the case and makes its surface.
    pub fn build(&self) -> Result<BuiltSurface> {
        let surface = Surface::new(self.resource.build()?).map_err(CaseError::new)?;
        Ok(BuiltSurface {
            op: self.op,
            surface: Arc::new(surface),
            accesses: self.accesses.clone(),
            warp: self.warp,
            after: self.after.clone(),
        })
    }

    /// Replaces the expected results by the results of a run.
    pub fn record(&mut self, run: SurfaceRun) {
        for (access, answer) in self.accesses.iter_mut().zip(run.answers) {
            let loads = self.op.loads(access.size);
            access.fault = answer.as_ref().err().copied();
            match answer {
                Ok(loaded) if loads => access.bytes = Some(loaded),
                Ok(_) => {}
                Err(_) => access.bytes = None,
            }
        }
        self.after = Some(run.after);
    }

    /// Number of values that the case expects: one per access, plus one for the bytes that no
    /// access stores to.
    pub(crate) fn values(&self) -> usize {
        let known = |access: &&SurfaceAccess| {
            access.fault.is_some() || access.bytes.is_some() || !self.op.loads(access.size)
        };
        self.accesses.iter().filter(known).count() + usize::from(self.after.is_some())
    }

    pub(crate) fn from_raw(
        case: &RawCase,
        raw: &RawSurface,
        resource: Arc<ResourceSpec>,
    ) -> Result<Self> {
        let op = case.op.parse::<SurfaceOp>().within("op")?;
        let (Some(accesses), None) = (&raw.accesses, &case.error) else {
            let more = raw.accesses.is_some() || raw.values.is_some() || raw.after.is_some();
            if case.error.is_none() || more || raw.warp {
                let message = "`accesses` or `error` is needed, not both; `values`, `warp` and \
                               `after` go with `accesses`";
                return Err(CaseError::new(message));
            }
            let (accesses, error) = (Vec::new(), case.error.clone());
            return Ok(Self { resource, op, accesses, warp: false, after: None, error });
        };
        let values: Option<Vec<&str>> = raw.values.as_ref().map(|v| v.split_whitespace().collect());
        let count = accesses.split_whitespace().count();
        if values.as_ref().is_some_and(|v| v.len() != count) {
            let entries = Count(count, "entry");
            return Err(CaseError::new(format!("`values` has not {entries}, one an access")));
        }
        if raw.warp && (count > 32 || matches!(op, SurfaceOp::Bytes { .. })) {
            return Err(CaseError::new("`warp` is for 32 accesses at most, of one instruction"));
        }
        let access = |(i, text)| {
            let access = parse_access(op, text, values.as_ref().map(|v| v[i]));
            access.within(format!("access {i} (`{text}`)"))
        };
        let accesses = accesses.split_whitespace().enumerate().map(access);
        let accesses = accesses.collect::<Result<_, _>>()?;
        let after = raw.after.as_ref().map(|text| hex::bytes(text, 2)).transpose();
        let after = after.within("after")?;
        Ok(Self { resource, op, accesses, warp: raw.warp, after, error: None })
    }

    /// The keys and values with which the case is written to a file, except those that every case
    /// has.
    pub(crate) fn entries(&self) -> Entries {
        let mut entries: Entries = vec![("op", self.op.to_string().into())];
        if let Some(error) = &self.error {
            entries.push(("error", error.as_str().into()));
            return entries;
        }
        let coords = |access: &SurfaceAccess| {
            let coords = access.coords.vector(self.op.geometry());
            let numbers: Vec<_> = coords.map(|&c| (c as i32).to_string()).collect();
            access.size.map(|size| format!("{size}:")).unwrap_or_default() + &numbers.join(",")
        };
        let value = |access: &SurfaceAccess| match (&access.fault, &access.bytes) {
            (Some(fault), _) => Some(fault.name().to_owned()),
            (None, bytes) => bytes.as_ref().map(|b| hex::from_bytes(b, self.op.digits())),
        };
        let accesses: Vec<_> = self.accesses.iter().map(coords).collect();
        entries.push(("accesses", accesses.join(" ").into()));
        let values: Option<Vec<_>> = self.accesses.iter().map(value).collect();
        entries.extend(values.map(|values| ("values", values.join(" ").into())));
        if self.warp {
            entries.push(("warp", true.into()));
        }
        let after = self.after.as_ref().map(|bytes| hex::from_bytes(bytes, 2));
        entries.extend(after.map(|after| ("after", after.into())));
        entries
    }
}

fn parse_access(op: SurfaceOp, text: &str, value: Option<&str>) -> Result<SurfaceAccess> {
    let (size, coords) = match (op, text.split_once(':')) {
        (SurfaceOp::Form(_), None) => (None, text),
        (SurfaceOp::Bytes { .. }, Some((size, coords))) => {
            let size: u32 = size.parse().map_err(CaseError::new)?;
            if op.forms(Some(size)).is_empty() {
                let size = Count(size, "byte");
                return Err(CaseError::new(format!("no instruction accesses {size}")));
            }
            (Some(size), coords)
        }
        (SurfaceOp::Form(_), Some(_)) => {
            return Err(CaseError::new("the instruction says the size already"));
        }
        (SurfaceOp::Bytes { .. }, None) => {
            return Err(CaseError::new("the bytes of the access are missing (`4:0,0`)"));
        }
    };
    let number = |n: &str| {
        let number: i64 = n.parse().map_err(CaseError::new)?;
        let fits = (i64::from(i32::MIN)..=i64::from(u32::MAX)).contains(&number);
        fits.then_some(number as u32).ok_or_else(|| CaseError::new(format!("{n} has not 32 bits")))
    };
    let numbers = coords.split(',').map(number).collect::<Result<Vec<u32>, _>>()?;
    let needed = op.geometry().coordinates();
    if numbers.len() != needed {
        return Err(CaseError::new(format!("{needed} coordinates are needed")));
    }
    let (bytes, fault) = match value {
        None => (None, None),
        Some("outside") => (None, Some(Fault::Outside)),
        Some("misaligned") => (None, Some(Fault::Misaligned)),
        Some(value) => {
            let bytes = hex::bytes(value, op.digits()).map_err(CaseError::new)?;
            let form = op.forms(size).into_iter().next();
            let (size, count) = form.map_or((0, 0), |form| form.kind.elements());
            let wanted = usize::from(size) * usize::from(count);
            if bytes.len() != wanted {
                let own = Count(bytes.len(), "byte");
                return Err(CaseError::new(format!("`{value}` has {own}, not {wanted}")));
            }
            (Some(bytes), None)
        }
    };
    Ok(SurfaceAccess { size, coords: Coordinates::of(op.geometry(), numbers, 0), bytes, fault })
}

impl BuiltSurface {
    /// Executes all accesses, one after the other and each in another lane, or together if they are
    /// the lanes of a warp. An access that stands for several instructions loads with each of them,
    /// and stores with one after the other. Fails if their loads differ, or if the surface does not
    /// support the access.
    pub fn run(&self) -> Result<SurfaceRun> {
        // A case that expects an error has no accesses, so that the instruction is planned here,
        // which must fail.
        if let (SurfaceOp::Form(form), true) = (self.op, self.accesses.is_empty()) {
            SurfacePlan::new(form, &self.surface).map_err(CaseError::new)?;
        }
        let mut answers = Vec::with_capacity(self.accesses.len());
        if let (true, SurfaceOp::Form(form)) = (self.warp, self.op) {
            answers = self.at_once(form, &self.accesses, 0).map_err(CaseError::new)?;
        } else {
            for (i, access) in self.accesses.iter().enumerate() {
                answers.push(self.one(i, access).within(format!("access {i}"))?);
            }
        }
        Ok(SurfaceRun { answers, after: self.surface.resource.to_packed() })
    }

    /// Executes access `i` as a warp instruction with one active lane.
    fn one(&self, i: usize, access: &SurfaceAccess) -> Result<Result<Vec<u8>, Fault>> {
        let forms = self.op.forms(access.size);
        let loads = forms.iter().all(|form| form.kind.loads());
        let picked = if loads { &forms[..] } else { &forms[i % forms.len()..][..1] };
        let mut answer = None;
        for &form in picked {
            let all = self.at_once(form, std::slice::from_ref(access), i % 32);
            let one = all.map_err(CaseError::new)?.remove(0);
            if answer.as_ref().is_some_and(|first| *first != one) {
                let message = format!("{} and {form} differ: {answer:x?}, {one:x?}", forms[0]);
                return Err(CaseError::new(message));
            }
            answer = Some(one);
        }
        answer.ok_or_else(|| CaseError::new("no instruction makes this access"))
    }

    /// Executes accesses as lanes of a warp, from a given lane on. A fault applies to all of these
    /// accesses.
    fn at_once(
        &self,
        form: SurfaceForm,
        accesses: &[SurfaceAccess],
        first: usize,
    ) -> Result<Vec<Result<Vec<u8>, Fault>>, PlanError> {
        let ((size, vector), loads) = (form.kind.elements(), form.kind.loads());
        let (size, vector) = (usize::from(size), usize::from(vector));
        let plan = match SurfacePlan::new(form, &self.surface) {
            Err(error) if error.reads_zero() => {
                let zeros = vec![0; if loads { size * vector } else { 0 }];
                return Ok(vec![Ok(zeros); accesses.len()]);
            }
            plan => plan?,
        };
        let (mut values, mut active) = ([[0; 32]; 4], 0_u32);
        let mut coords = Coordinates::at([[0; 32]; 3], [0; 32]);
        for (lane, access) in (first..32).zip(accesses) {
            active |= 1 << lane;
            coords.layer[lane] = access.coords.layer;
            for (coord, value) in coords.point.iter_mut().zip(access.coords.point) {
                coord[lane] = value;
            }
            let bytes = access.bytes.as_deref().unwrap_or_default();
            for (value, element) in values.iter_mut().zip(bytes.chunks(size)) {
                value[lane] = element.iter().rev().fold(0, |v, &b| v << 8 | u64::from(b));
            }
        }
        let request = SurfaceRequest { active, coords: coords.each_ref() };
        let mut answer = SurfaceAnswer { values: [[u64::MAX; 32]; 4] };
        let done = match loads {
            true => plan.load(&request, &mut answer),
            false => plan.store(&request, &values),
        };
        let done = done.map_err(|fault| match fault {
            AccessFault::Outside { .. } => Fault::Outside,
            AccessFault::Misaligned { .. } => Fault::Misaligned,
        });
        let loaded = |lane: usize| {
            let elements = answer.values.iter().take(if loads { vector } else { 0 });
            elements.flat_map(|v| v[lane].to_le_bytes().into_iter().take(size)).collect()
        };
        let lanes = (first..32).zip(accesses).map(|(lane, _)| lane);
        Ok(lanes.map(|lane| done.map(|()| loaded(lane))).collect())
    }

    /// The differences between the results of a run and the expected results.
    pub fn wrong(&self, run: &SurfaceRun) -> Vec<Wrong> {
        let mut wrong = Vec::new();
        for (i, (access, got)) in self.accesses.iter().zip(&run.answers).enumerate() {
            let expected = match (&access.fault, &access.bytes) {
                (Some(fault), _) => Err(*fault),
                (None, bytes) if self.op.loads(access.size) => match bytes {
                    Some(bytes) => Ok(bytes.clone()),
                    None => continue,
                },
                (None, _) => Ok(Vec::new()),
            };
            if *got != expected {
                let text = |answer: &Result<Vec<u8>, Fault>| match answer {
                    Ok(bytes) if bytes.is_empty() => "no fault".to_owned(),
                    Ok(bytes) => hex::from_bytes(bytes, 2),
                    Err(fault) => fault.name().to_owned(),
                };
                wrong.push(Wrong::new(Some(i), 1, text(&expected)).got(&[], text(got)));
            }
        }
        let Some(after) = &self.after else { return wrong };
        if after.len() != run.after.len() {
            let bytes = |bytes: &[u8]| format!("a surface of {}", Count(bytes.len(), "byte"));
            wrong.push(Wrong::new(None, 1, bytes(after)).got(&[], bytes(&run.after)));
            return wrong;
        }
        // A wrong byte that an access stores to counts as a difference of that access, and only the
        // other bytes count as a difference of the surface.
        let mut rest: Vec<bool> = after.iter().zip(&run.after).map(|(a, b)| a != b).collect();
        for (i, bytes) in self.stored() {
            let is_wrong = after[bytes.clone()] != run.after[bytes.clone()];
            if is_wrong && wrong.iter().all(|w| w.number != Some(i)) {
                let text = |all: &[u8]| hex::from_bytes(&all[bytes.clone()], 2);
                wrong.push(Wrong::new(Some(i), 1, text(after)).got(&[], text(&run.after)));
            }
            rest[bytes].fill(false);
        }
        if let Some(at) = rest.iter().position(|differs| *differs) {
            let text = |all: &[u8]| format!("{:02x} in byte {at} of the surface", all[at]);
            wrong.push(Wrong::new(None, 1, text(after)).got(&[], text(&run.after)));
        }
        wrong.sort_by_key(|w| w.number.unwrap_or(usize::MAX));
        wrong
    }

    /// The byte ranges, in the order of `after`, that each access stores to.
    fn stored(&self) -> Vec<(usize, Range<usize>)> {
        let mut next = 0;
        let placed = |row: Range<u64>| {
            let first = next;
            next += row.end - row.start;
            (row, first)
        };
        let rows: Vec<(Range<u64>, u64)> = self.surface.resource.rows().map(placed).collect();
        let bytes = |(i, access): (usize, &SurfaceAccess)| {
            let forms = self.op.forms(access.size);
            let form = *forms.get(i % forms.len().max(1))?;
            if form.kind.loads() {
                return None;
            }
            let plan = SurfacePlan::new(form, &self.surface).ok()?;
            let (offset, size) = plan.bytes(access.coords)?;
            let (row, first) = rows.iter().find(|(row, _)| row.contains(&offset))?;
            let end = row.end.min(offset + u64::from(size));
            let at = |offset: u64| (offset - row.start + first) as usize;
            Some((i, at(offset)..at(end)))
        };
        self.accesses.iter().enumerate().filter_map(bytes).collect()
    }
}
