//! The table of region entries, and the decision when to compile.

use super::chunks::Chunks;
use super::cut::Cut;
use super::parts::{MAX, Part, loops, parts};
use super::pause::{Pause, Wait};
use super::room::Room;
use super::setting::Setting;
use super::told::{self, Together};
use crate::code::{Code, Constants, Op};
use crate::flow::{Facts, Flow, FunctionCode};
use std::collections::HashMap;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use texunit_jit::region::{Action, Function, Mode, Region, Step};

/// Bit of an entry with a region, whose number is in the other bits.
const REGION: u32 = 1 << 31;
/// An entry that never gets a region.
const NEVER: u32 = REGION - 1;

/// Interpreted instructions that take ten times as long as compiling one: compilation never takes more than a tenth of the
/// time.
const PAYS: u64 = 600;
/// If more than one in this many interpreted instructions of a function were executed by diverged lanes, code for an active mask
/// is made at once.
const PARTED: u64 = 16;
/// Interpreted instructions after which the decision is made again.
const ASKED: u32 = 2048;
/// Limits of the analysis of liveness: registers times blocks of a function, and instructions of the function per instruction
/// of a region. Beyond, all registers count as live.
const LIVENESS: (usize, usize) = (1 << 22, 32);

/// A region with code.
#[derive(Debug)]
pub(crate) struct Compiled {
    pub(crate) function: Function,
    /// Whether there are atomics in it.
    pub(crate) atomics: bool,
    /// Marks that are reported with others.
    pub(crate) together: Together,
    /// Its yield points, in order.
    pub(crate) pauses: Box<[Pause]>,
    cut: Cut,
    #[expect(dead_code, reason = "counted as long as it lives")]
    room: Room,
}

impl Compiled {
    /// Whether an instruction lies after its last one.
    #[inline]
    pub(crate) fn ends_before(&self, at: u32) -> bool {
        self.cut.insts.end <= at
    }

    /// Whether its code can pass barriers itself: each has a valid number.
    pub(crate) fn barriers_are_plain(&self, code: &Code, constants: &Constants) -> bool {
        let mut barriers = self.pauses.iter().filter(|pause| matches!(pause.what, Wait::Barrier));
        barriers.all(|pause| match &code.insts[pause.at as usize].op {
            Op::Barrier(of) => of.plain(constants).is_some(),
            _ => false,
        })
    }

    /// Whether warps that run together wait in it for what an observer hears of.
    pub(crate) fn fetches(&self) -> bool {
        self.has_yield_points(|wait| !matches!(wait, Wait::Barrier))
    }

    /// Whether it has yield points of a kind.
    #[inline]
    pub(crate) fn has_yield_points(&self, is_one: impl Fn(Wait) -> bool) -> bool {
        self.function.has_yield_points() && self.pauses.iter().any(|pause| is_one(pause.what))
    }
}

/// The analysed part of a function.
#[derive(Debug, Default)]
struct Of {
    /// The last backward jump to each instruction that has some.
    loops: OnceLock<HashMap<u32, u32>>,
    facts: OnceLock<Option<Arc<Facts>>>,
    parts: OnceLock<Box<[Part]>>,
}

/// The compiled regions of a code.
#[derive(Debug)]
pub(crate) struct Table {
    /// By mode and instruction: the region that is entered there, or the number of instructions that have been interpreted from
    /// there on.
    doors: [Box<[AtomicU32]>; 2],
    regions: Chunks<Compiled>,
    functions: Box<[Of]>,
    /// Held during compilation.
    making: Mutex<()>,
    /// Whether the threads of a warp are beside each other in x.
    in_line: bool,
}

impl Table {
    /// For blocks whose warps have threads beside each other in x, or for any blocks.
    pub(super) fn new(code: &Code, in_line: bool) -> Self {
        let doors = || code.insts.iter().map(|_| AtomicU32::new(0)).collect();
        Self {
            doors: [doors(), doors()],
            regions: Chunks::default(),
            functions: code.funcs.iter().map(|_| Of::default()).collect(),
            making: Mutex::default(),
            in_line,
        }
    }

    /// How many instructions the code has.
    pub(crate) fn len(&self) -> usize {
        self.doors[0].len()
    }

    #[inline(always)]
    fn region_entry(&self, mode: Mode, pc: u32) -> Option<&AtomicU32> {
        self.doors[usize::from(mode == Mode::Some)].get(pc as usize)
    }

    /// The number of the region that can be entered at an instruction.
    #[inline(always)]
    pub(crate) fn at(&self, mode: Mode, pc: u32) -> Option<u32> {
        // The region is stored before its number.
        let door = self.region_entry(mode, pc)?.load(Ordering::Acquire);
        (door & REGION != 0).then_some(door & !REGION)
    }

    /// The region of a number.
    #[inline(always)]
    pub(crate) fn region(&self, number: u32) -> Option<&Compiled> {
        self.regions.get(number)
    }

    /// Closes an entry: the region cannot be entered there after all.
    #[cold]
    pub(crate) fn close(&self, mode: Mode, pc: u32) {
        self.region_entry(mode, pc)
            .into_iter()
            .for_each(|door| door.store(NEVER, Ordering::Relaxed));
    }

    /// Counts steps that have been interpreted from an instruction on. True if the decision is due.
    #[inline]
    pub(crate) fn warm(&self, code: &Code, mode: Mode, pc: u32, steps: u64) -> bool {
        let Some(door) = self.region_entry(mode, pc) else { return false };
        if let Some(part) = self.part(code, pc) {
            part.interpreted[usize::from(mode == Mode::Some)].fetch_add(steps, Ordering::Relaxed);
        }
        let before = door.load(Ordering::Relaxed);
        if before >= NEVER {
            return false;
        }
        let steps = u32::try_from(steps).unwrap_or(u32::MAX).max(1);
        let after = before.saturating_add(steps).min(NEVER - 1);
        // If another worker has opened the entry meanwhile, it stays open.
        let stored =
            door.compare_exchange(before, after, Ordering::Relaxed, Ordering::Relaxed).is_ok();
        stored && before / ASKED != after / ASKED
    }

    /// The limit of the count of one entry.
    pub(crate) const LONGEST: u64 = MAX as u64;

    /// Compiles the part of the function that begins at an instruction, if that pays. Parts that cannot be compiled stay
    /// interpreted.
    #[cold]
    #[inline(never)]
    pub(crate) fn make(&self, code: &Code, setting: Setting, mode: Mode, pc: u32) {
        let Some(door) = self.region_entry(mode, pc) else { return };
        let making = match (self.making.try_lock(), setting.always) {
            (Ok(making), _) => making,
            (Err(_), true) => self.making.lock().unwrap_or_else(PoisonError::into_inner),
            // Another worker compiles: interpretation continues meanwhile.
            (Err(_), false) => return,
        };
        let warmth = door.load(Ordering::Relaxed);
        if warmth >= NEVER {
            return;
        }
        // Code for an active mask includes code for all lanes, and replaces it.
        let former = self.at(Mode::Live, pc).filter(|_| mode == Mode::Some);
        let former = former.and_then(|number| self.regions.get(number)).map(|of| of.cut.clone());
        let Some(mut cut) = former.or_else(|| self.cut(code, pc)) else {
            return self.close(mode, pc);
        };
        let mut parts = false;
        let pays = |cut: &Cut| (PAYS * cut.insts.len() as u64).min(u64::from(NEVER - 1));
        if !setting.always && u64::from(warmth) < pays(&cut) {
            // Much of it is interpreted, a little from each of many entries.
            let Some((all, parted)) = self.all_of_part(code, pc, pays) else { return };
            (cut, parts) = (all, parted);
        }
        parts |= cut.insts.clone().any(|at| self.at(Mode::Some, at).is_some());
        let made = if parts { Mode::Some } else { mode };
        if !self.has(made, &cut) {
            self.compile(code, setting, made, cut.clone());
        }
        if made != mode && !self.has(mode, &cut) {
            // Lanes cannot diverge in it.
            self.compile(code, setting, mode, cut);
        }
        if self.at(mode, pc).is_none() {
            self.close(mode, pc);
        }
        drop(making);
    }

    /// Whether all of a cut is compiled for a mode: then its other instructions never become entries.
    fn has(&self, mode: Mode, cut: &Cut) -> bool {
        let numbers = cut.insts.clone().filter_map(|at| self.at(mode, at));
        numbers.filter_map(|number| self.regions.get(number)).any(|of| cut.is_within(&of.cut))
    }

    /// The region that begins at `pc`: a loop, or the sequence that follows.
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

    /// The part of a function that an instruction is in.
    fn part(&self, code: &Code, pc: u32) -> Option<&Part> {
        let function = code.function_at(pc)?;
        let insts = code.range(function)?;
        let loops = self.loops(code, function)?;
        let parts = self.functions.get(function)?.parts.get_or_init(|| parts(loops, insts));
        parts.get(parts.partition_point(|part| part.insts.start <= pc).checked_sub(1)?)
    }

    /// The part of a function around an instruction, if enough of it has been interpreted to compile all of it, and whether
    /// lanes diverge in it. Each part is returned once.
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
        let (region, pauses, together) = region_of(code, &cut, facts.as_ref());
        let function = texunit_jit::region::compile(&region, mode, setting.level).ok()?;
        let room = Room::take(function.code_size())?;
        let is_atomic = |step: &Step| matches!(step.action, Action::Atomic(_));
        let atomics = region.blocks.iter().any(|block| block.steps.iter().any(is_atomic));
        let made = Compiled { function, atomics, together, pauses, cut: cut.clone(), room };
        let number = self.regions.push(made)?;
        let Compiled { function, together, .. } = self.regions.get(number)?;
        for mode in [Mode::Live, Mode::Some] {
            let is_entry = |&at: &u32| function.entry_of(mode, at).is_some();
            for at in cut.insts.clone().filter(|at| is_entry(at) && !together.closes(*at)) {
                let wider = self.at(mode, at).and_then(|old| self.regions.get(old));
                let stays = wider.is_some_and(|old| !old.cut.is_within(&cut));
                if let (Some(door), false) = (self.region_entry(mode, at), stays) {
                    door.store(REGION | number, Ordering::Release);
                }
            }
        }
        Some(())
    }
}

/// The region of a cut, with its yield points and the marks that are reported together.
fn region_of(
    code: &Code,
    cut: &Cut,
    facts: Option<&Arc<Facts>>,
) -> (Region, Box<[Pause]>, Together) {
    let pauses = cut.pauses(code, facts);
    let mut region = cut.region(code, facts, &pauses);
    let together = told::gather(&mut region, code);
    (region, pauses, together)
}

/// The regions of a whole function, as if no part of it had been compiled alone, for blocks whose warps have consecutive threads in
/// x.
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
