//! The table of region entries, and the decision when to compile.

use super::code_bytes::CodeBytes;
use super::cut::Cut;
use super::notify::{self, LoadGroups};
use super::parts::{COMPILED, MAX, Part, parts_of};
use super::setting::Setting;
use super::yield_point::{YieldKind, YieldPoint};
use crate::code::{Code, Constants, Op};
use crate::flow::{Facts, Flow};
use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use texunit_jit::region::{Action, Function, Mode, Region, Step};

/// Interpreting this number of instructions takes five times as long as compiling one, so that
/// compilation takes at most a fifth of the time.
const PAYS: u64 = 300;
/// If more than one in this many interpreted instructions of a part were executed by diverged
/// lanes, code for arbitrary active masks is compiled immediately.
const PARTED: u64 = 16;
/// Number of interpreted instructions of a part between two decisions whether to compile it.
const ASKED: u64 = 2048;
/// Limit of the liveness analysis: registers times blocks of a function. Beyond it, all registers
/// count as live.
const LIVENESS: usize = 1 << 22;

/// A compiled region.
#[derive(Debug)]
pub(crate) struct Compiled {
    pub(crate) function: Function,
    /// Whether the region has atomics.
    pub(crate) atomics: bool,
    /// Marks whose loads are reported together.
    pub(crate) load_groups: LoadGroups,
    /// The region's yield points, in code order.
    pub(crate) yield_points: Box<[YieldPoint]>,
    /// The end of the region's instructions.
    end: u32,
    #[expect(dead_code, reason = "counted as long as it lives")]
    code_bytes: CodeBytes,
}

impl Compiled {
    /// Whether an instruction comes after the region's last one.
    #[inline]
    pub(crate) fn ends_before(&self, at: u32) -> bool {
        self.end <= at
    }

    /// Whether compiled code can execute all barriers of the region, because each has a constant,
    /// valid number.
    pub(crate) fn barriers_are_plain(&self, code: &Code, constants: &Constants) -> bool {
        let mut barriers = self
            .yield_points
            .iter()
            .filter(|yield_point| matches!(yield_point.what, YieldKind::Barrier));
        barriers.all(|yield_point| match &code.insts[yield_point.at as usize].op {
            Op::Barrier(of) => of.plain(constants).is_some(),
            _ => false,
        })
    }

    /// Whether the region has yield points that an observer is notified of.
    pub(crate) fn fetches(&self) -> bool {
        self.has_yield_points(|wait| !matches!(wait, YieldKind::Barrier))
    }

    /// Whether the region has yield points of a kind.
    #[inline]
    pub(crate) fn has_yield_points(&self, is_one: impl Fn(YieldKind) -> bool) -> bool {
        self.function.has_yield_points()
            && self.yield_points.iter().any(|yield_point| is_one(yield_point.what))
    }
}

/// Analysis results of a function, computed on demand.
#[derive(Debug, Default)]
struct FunctionAnalysis {
    facts: OnceLock<Option<Arc<Facts>>>,
    parts: OnceLock<Box<[Part]>>,
}

/// The compiled regions of a program's code for one kind of block shape.
#[derive(Debug)]
pub(crate) struct Table {
    /// For each mode and instruction: the number of the region that is entered there, plus one.
    entries: [Box<[AtomicU32]>; 2],
    /// The regions by number, at most one for each instruction, and how many there are. A region is
    /// read without a lock while another thread adds one.
    regions: Box<[OnceLock<Box<Compiled>>]>,
    made: AtomicU32,
    functions: Box<[FunctionAnalysis]>,
    /// Lock that a thread holds while it compiles a region, so that a region is compiled once.
    making: Mutex<()>,
    /// Whether the threads of each warp are consecutive in x.
    in_line: bool,
}

impl Table {
    /// Creates the table for shapes whose warps have threads that are consecutive in x, or for any
    /// shape.
    pub(super) fn new(code: &Code, in_line: bool) -> Self {
        let entries = || code.insts.iter().map(|_| AtomicU32::new(0)).collect();
        Self {
            entries: [entries(), entries()],
            regions: code.insts.iter().map(|_| OnceLock::new()).collect(),
            made: AtomicU32::new(0),
            functions: code.funcs.iter().map(|_| FunctionAnalysis::default()).collect(),
            making: Mutex::default(),
            in_line,
        }
    }

    /// Number of instructions of the code.
    pub(crate) fn len(&self) -> usize {
        self.entries[0].len()
    }

    #[inline(always)]
    fn region_entry(&self, mode: Mode, pc: u32) -> Option<&AtomicU32> {
        self.entries[usize::from(mode == Mode::Some)].get(pc as usize)
    }

    /// The number of the region that can be entered at an instruction.
    #[inline(always)]
    pub(crate) fn at(&self, mode: Mode, pc: u32) -> Option<u32> {
        // The acquire load makes the region itself visible, which was stored before its number.
        self.region_entry(mode, pc)?.load(Ordering::Acquire).checked_sub(1)
    }

    /// The region with a number.
    #[inline(always)]
    pub(crate) fn region(&self, number: u32) -> Option<&Compiled> {
        self.regions.get(number as usize)?.get().map(|of| &**of)
    }

    /// Closes an entry whose region turned out not to be executable from there.
    #[cold]
    pub(crate) fn close(&self, mode: Mode, pc: u32) {
        self.region_entry(mode, pc).iter().for_each(|entry| entry.store(0, Ordering::Relaxed));
    }

    /// Counts instructions that were interpreted from an instruction on. Returns whether the
    /// decision to compile its part is due.
    #[inline]
    pub(crate) fn warm(&self, code: &Code, mode: Mode, pc: u32, steps: u64) -> bool {
        let Some((part, _)) = self.part(code, pc) else { return false };
        let before = part.interpreted_in(mode).fetch_add(steps, Ordering::Relaxed);
        before < COMPILED && before / ASKED != (before + steps) / ASKED
    }

    /// Maximum number of instructions counted at once.
    pub(crate) const LONGEST: u64 = MAX as u64;

    /// Compiles the part of the function that contains an instruction, if that pays. Parts that
    /// cannot be compiled stay interpreted.
    #[cold]
    #[inline(never)]
    pub(crate) fn make(&self, code: &Code, setting: Setting, mode: Mode, pc: u32) {
        let Some((part, function)) = self.part(code, pc) else { return };
        let making = match (self.making.try_lock(), setting.always) {
            (Ok(making), _) => making,
            (Err(_), true) => self.making.lock().unwrap_or_else(PoisonError::into_inner),
            // While another worker compiles the region, this worker goes on interpreting.
            (Err(_), false) => return,
        };
        let interpreted = |mode| part.interpreted_in(mode).load(Ordering::Relaxed);
        let [live, some] = [Mode::Live, Mode::Some].map(interpreted);
        // If the part was compiled for the other mode, only diverged lanes count, or only warps.
        let counted = |steps: u64| if steps < COMPILED { steps } else { 0 };
        let pays = PAYS * part.insts.len() as u64;
        if interpreted(mode) >= COMPILED || !setting.always && counted(live) + counted(some) < pays
        {
            return;
        }
        let cut = Cut::new(code, function, part.insts.clone(), self.facts(code, function));
        // Code for arbitrary active masks also contains code for converged warps, and replaces it,
        // unless lanes cannot diverge in the region.
        let parts = mode == Mode::Some || some > live / PARTED;
        if parts && some < COMPILED {
            self.compile(setting, Mode::Some, &cut);
            part.interpreted_in(Mode::Some).store(COMPILED, Ordering::Relaxed);
        }
        if mode == Mode::Live && !cut.insts.clone().any(|at| self.at(mode, at).is_some()) {
            self.compile(setting, mode, &cut);
        }
        part.interpreted_in(mode).store(COMPILED, Ordering::Relaxed);
        drop(making);
    }

    /// The part of a function that contains an instruction, and the number of the function.
    fn part(&self, code: &Code, pc: u32) -> Option<(&Part, usize)> {
        let function = code.function_at(pc)?;
        let parts = &self.functions.get(function)?.parts;
        let parts = parts.get_or_init(|| parts_of(code, function));
        let number = parts.partition_point(|part| part.insts.start <= pc).checked_sub(1)?;
        Some((parts.get(number)?, function))
    }

    /// The analysis results of a function.
    fn facts(&self, code: &Code, function: usize) -> Option<&Arc<Facts>> {
        let flow = || Flow::of(code, function, LIVENESS, self.in_line);
        let of = self.functions.get(function)?;
        of.facts.get_or_init(|| flow().map(|flow| flow.facts)).as_ref()
    }

    fn compile(&self, setting: Setting, mode: Mode, cut: &Cut<'_>) -> Option<()> {
        let (region, yield_points, load_groups) = region_of(cut);
        let function = texunit_jit::region::compile(&region, mode, setting.level).ok()?;
        let code_bytes = CodeBytes::take(function.code_size())?;
        let is_atomic = |step: &Step| matches!(step.action, Action::Atomic(_));
        let atomics = region.blocks.iter().any(|block| block.steps.iter().any(is_atomic));
        let Range { end, .. } = cut.insts;
        let made = Compiled { function, atomics, load_groups, yield_points, end, code_bytes };
        // `make` holds the lock of compilation.
        let number = self.made.load(Ordering::Relaxed);
        let Compiled { function, load_groups, .. } =
            &**self.regions.get(number as usize)?.get_or_init(|| Box::new(made));
        self.made.store(number + 1, Ordering::Relaxed);
        for mode in [Mode::Live, Mode::Some] {
            let is_entry = |&at: &u32| function.entry_of(mode, at).is_some();
            for at in cut.insts.clone().filter(|at| is_entry(at) && !load_groups.closes(*at)) {
                if let Some(entry) = self.region_entry(mode, at) {
                    entry.store(number + 1, Ordering::Release);
                }
            }
        }
        Some(())
    }
}

/// The region of a range, with its yield points and the marks that are reported together.
fn region_of(cut: &Cut<'_>) -> (Region, Box<[YieldPoint]>, LoadGroups) {
    let yield_points = cut.yield_points();
    let mut region = cut.region(&yield_points);
    let load_groups = notify::gather(&mut region, cut.code);
    (region, yield_points, load_groups)
}

/// The regions of a whole function, for block shapes whose warps have threads that are consecutive
/// in x, as if no part had been compiled separately.
#[cfg(all(feature = "jit", target_arch = "x86_64"))]
pub(crate) fn regions_of(code: &Code, function: usize) -> Vec<Region> {
    let facts = Flow::of(code, function, LIVENESS, true).map(|flow| flow.facts);
    let parts = parts_of(code, function).into_iter();
    let cuts = parts.map(|part| Cut::new(code, function, part.insts, facts.as_ref()));
    cuts.map(|cut| region_of(&cut).0).collect()
}
