//! The table of region entries, and the decision when to compile.

use super::code_bytes::CodeBytes;
use super::cut::Cut;
use super::notify::{self, LoadGroups};
use super::parts::{MAX, Part, loops, parts};
use super::setting::Setting;
use super::yield_point::{YieldKind, YieldPoint};
use crate::code::{Code, Constants, Op};
use crate::flow::{Facts, Flow, FunctionCode};
use std::collections::HashMap;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use texunit_jit::region::{Action, Function, Mode, Region, Step};

/// Flag of a table entry that holds a region number in its other bits.
const REGION: u32 = 1 << 31;
/// Value of the entry of an instruction at which no region can ever be entered.
const NEVER: u32 = REGION - 1;

/// Interpreting this number of instructions takes ten times as long as compiling one, so that
/// compilation takes at most a tenth of the time.
const PAYS: u64 = 600;
/// If more than one in this many interpreted instructions of a function were executed by diverged
/// lanes, code for arbitrary active masks is compiled immediately.
const PARTED: u64 = 16;
/// Number of interpreted instructions of a region between two decisions whether to compile it.
const ASKED: u32 = 2048;
/// Limits of the liveness analysis: registers times blocks of a function, and instructions of the
/// function per instruction of a region. Beyond them, all registers count as live.
const LIVENESS: (usize, usize) = (1 << 22, 32);

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
    cut: Cut,
    #[expect(dead_code, reason = "counted as long as it lives")]
    code_bytes: CodeBytes,
}

impl Compiled {
    /// Whether an instruction comes after the region's last one.
    #[inline]
    pub(crate) fn ends_before(&self, at: u32) -> bool {
        self.cut.insts.end <= at
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
    /// For each loop header the last branch back to it.
    loops: OnceLock<HashMap<u32, u32>>,
    facts: OnceLock<Option<Arc<Facts>>>,
    parts: OnceLock<Box<[Part]>>,
}

/// The compiled regions of a program's code for one kind of block shape.
#[derive(Debug)]
pub(crate) struct Table {
    /// For each mode and instruction: the region that is entered there, or the number of
    /// instructions that were interpreted from there.
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
        let entry = self.region_entry(mode, pc)?.load(Ordering::Acquire);
        (entry & REGION != 0).then_some(entry & !REGION)
    }

    /// The region with a number.
    #[inline(always)]
    pub(crate) fn region(&self, number: u32) -> Option<&Compiled> {
        self.regions.get(number as usize)?.get().map(|of| &**of)
    }

    /// Closes an entry whose region turned out not to be executable from there.
    #[cold]
    pub(crate) fn close(&self, mode: Mode, pc: u32) {
        self.region_entry(mode, pc)
            .into_iter()
            .for_each(|entry| entry.store(NEVER, Ordering::Relaxed));
    }

    /// Counts instructions that were interpreted from an instruction on. Returns whether the
    /// decision to compile is due.
    #[inline]
    pub(crate) fn warm(&self, code: &Code, mode: Mode, pc: u32, steps: u64) -> bool {
        let Some(entry) = self.region_entry(mode, pc) else { return false };
        if let Some(part) = self.part(code, pc) {
            part.interpreted[usize::from(mode == Mode::Some)].fetch_add(steps, Ordering::Relaxed);
        }
        let before = entry.load(Ordering::Relaxed);
        if before >= NEVER {
            return false;
        }
        let steps = u32::try_from(steps).unwrap_or(u32::MAX).max(1);
        let after = before.saturating_add(steps).min(NEVER - 1);
        // If another worker has compiled the region meanwhile, its entry is kept.
        let stored =
            entry.compare_exchange(before, after, Ordering::Relaxed, Ordering::Relaxed).is_ok();
        stored && before / ASKED != after / ASKED
    }

    /// Maximum number of instructions counted at once.
    pub(crate) const LONGEST: u64 = MAX as u64;

    /// Compiles the part of the function that begins at an instruction, if that pays. Parts that
    /// cannot be compiled stay interpreted.
    #[cold]
    #[inline(never)]
    pub(crate) fn make(&self, code: &Code, setting: Setting, mode: Mode, pc: u32) {
        let Some(entry) = self.region_entry(mode, pc) else { return };
        let making = match (self.making.try_lock(), setting.always) {
            (Ok(making), _) => making,
            (Err(_), true) => self.making.lock().unwrap_or_else(PoisonError::into_inner),
            // While another worker compiles the region, this worker goes on interpreting.
            (Err(_), false) => return,
        };
        let interpreted = entry.load(Ordering::Relaxed);
        if interpreted >= NEVER {
            return;
        }
        // Code for arbitrary active masks also contains code for converged warps, and replaces it.
        let former = self.at(Mode::Live, pc).filter(|_| mode == Mode::Some);
        let former = former.and_then(|number| self.region(number)).map(|of| of.cut.clone());
        let Some(mut cut) = former.or_else(|| self.cut(code, pc)) else {
            return self.close(mode, pc);
        };
        let mut parts = false;
        let pays = |cut: &Cut| (PAYS * cut.insts.len() as u64).min(u64::from(NEVER - 1));
        if !setting.always && u64::from(interpreted) < pays(&cut) {
            // Many instructions of the part were interpreted, but few from each of its many
            // entries.
            let Some((all, parted)) = self.all_of_part(code, pc, pays) else { return };
            (cut, parts) = (all, parted);
        }
        parts |= cut.insts.clone().any(|at| self.at(Mode::Some, at).is_some());
        let made = if parts { Mode::Some } else { mode };
        if !self.has(made, &cut) {
            self.compile(code, setting, made, cut.clone());
        }
        if made != mode && !self.has(mode, &cut) {
            // Lanes cannot diverge in this region, so that the code for some lanes does not contain
            // code for all lanes. The latter is compiled here.
            self.compile(code, setting, mode, cut);
        }
        if self.at(mode, pc).is_none() {
            self.close(mode, pc);
        }
        drop(making);
    }

    /// Whether a whole range is compiled for a mode; its other instructions then never become
    /// entries.
    fn has(&self, mode: Mode, cut: &Cut) -> bool {
        let numbers = cut.insts.clone().filter_map(|at| self.at(mode, at));
        numbers.filter_map(|number| self.region(number)).any(|of| cut.is_within(&of.cut))
    }

    /// The range to compile for an entry at `pc`: the loop that begins there, or the code that
    /// follows.
    fn cut(&self, code: &Code, pc: u32) -> Option<Cut> {
        let function = code.function_at(pc)?;
        let next = code.range(function)?.end;
        let end = self.loops(code, function)?.get(&pc).map_or(next, |&last| last + 1);
        let insts = pc..end.min(pc + MAX);
        (pc < insts.end).then_some(Cut { function, insts })
    }

    fn loops(&self, code: &Code, function: usize) -> Option<&HashMap<u32, u32>> {
        let of = self.functions.get(function)?;
        let code = FunctionCode::new(code, function)?;
        Some(of.loops.get_or_init(|| loops(&code)))
    }

    /// The part of the function that contains an instruction.
    fn part(&self, code: &Code, pc: u32) -> Option<&Part> {
        let function = code.function_at(pc)?;
        let insts = code.range(function)?;
        let loops = self.loops(code, function)?;
        let parts = self.functions.get(function)?.parts.get_or_init(|| parts(loops, insts));
        parts.get(parts.partition_point(|part| part.insts.start <= pc).checked_sub(1)?)
    }

    /// The part of the function that contains an instruction, if enough of it was interpreted to
    /// compile all of it, and whether lanes diverge in it. Each part is returned once.
    fn all_of_part(&self, code: &Code, pc: u32, pays: impl Fn(&Cut) -> u64) -> Option<(Cut, bool)> {
        let part = self.part(code, pc)?;
        let cut = Cut { function: code.function_at(pc)?, insts: part.insts.clone() };
        let [live, some] = [0, 1].map(|mode| part.interpreted[mode].load(Ordering::Relaxed));
        if live.saturating_add(some) < pays(&cut) {
            return None;
        }
        part.interpreted.iter().for_each(|steps| steps.store(0, Ordering::Relaxed));
        Some((cut, some > live / PARTED))
    }

    fn compile(&self, code: &Code, setting: Setting, mode: Mode, cut: Cut) -> Option<()> {
        let of = self.functions.get(cut.function)?;
        let facts = if code.range(cut.function)?.len() / LIVENESS.1 > cut.insts.len() {
            &None
        } else {
            let flow = || Flow::of(code, cut.function, LIVENESS.0, self.in_line);
            let find = || flow().map(|flow| flow.facts);
            of.facts.get_or_init(find)
        };
        let (region, yield_points, load_groups) = region_of(code, &cut, facts.as_ref());
        let function = texunit_jit::region::compile(&region, mode, setting.level).ok()?;
        let code_bytes = CodeBytes::take(function.code_size())?;
        let is_atomic = |step: &Step| matches!(step.action, Action::Atomic(_));
        let atomics = region.blocks.iter().any(|block| block.steps.iter().any(is_atomic));
        let made =
            Compiled { function, atomics, load_groups, yield_points, cut: cut.clone(), code_bytes };
        // `make` holds the lock of compilation.
        let number = self.made.load(Ordering::Relaxed);
        let Compiled { function, load_groups, .. } =
            &**self.regions.get(number as usize)?.get_or_init(|| Box::new(made));
        self.made.store(number + 1, Ordering::Relaxed);
        for mode in [Mode::Live, Mode::Some] {
            let is_entry = |&at: &u32| function.entry_of(mode, at).is_some();
            for at in cut.insts.clone().filter(|at| is_entry(at) && !load_groups.closes(*at)) {
                let wider = self.at(mode, at).and_then(|old| self.region(old));
                let stays = wider.is_some_and(|old| !old.cut.is_within(&cut));
                if let (Some(entry), false) = (self.region_entry(mode, at), stays) {
                    entry.store(REGION | number, Ordering::Release);
                }
            }
        }
        Some(())
    }
}

/// The region of a range, with its yield points and the marks that are reported together.
fn region_of(
    code: &Code,
    cut: &Cut,
    facts: Option<&Arc<Facts>>,
) -> (Region, Box<[YieldPoint]>, LoadGroups) {
    let yield_points = cut.yield_points(code, facts);
    let mut region = cut.region(code, facts, &yield_points);
    let load_groups = notify::gather(&mut region, code);
    (region, yield_points, load_groups)
}

/// The regions of a whole function, for block shapes whose warps have threads that are consecutive
/// in x, as if no part had been compiled separately.
#[cfg(all(feature = "jit", target_arch = "x86_64"))]
pub(crate) fn regions_of(code: &Code, function: usize) -> Vec<Region> {
    let (Some(insts), Some(of)) = (code.range(function), FunctionCode::new(code, function)) else {
        return Vec::new();
    };
    let facts = Flow::of(code, function, LIVENESS.0, true).map(|flow| flow.facts);
    let parts = parts(&loops(&of), insts);
    let cuts = parts.iter().map(|part| Cut { function, insts: part.insts.clone() });
    cuts.map(|cut| region_of(code, &cut, facts.as_ref()).0).collect()
}
