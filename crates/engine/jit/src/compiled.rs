//! Compiled functions: their code, entries and sites, and how they are entered.

#![allow(unsafe_code, reason = "code is mapped and called here")]

use crate::arena;
use crate::emit::{Frame, Needs};
use crate::machine::{DivergedLanes, Entry, Inputs, Level, Mode, Site, Sites, Use};
use crate::region::{Action, Budget, Exit, ExitReason, Listener, Memory, Region, Routine};
use crate::{Error, Registers};
use std::marker::PhantomData;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use texunit_memory::Reach;

/// Each function has its own number, by which entries and sites are matched with it.
static NUMBERS: AtomicU64 = AtomicU64::new(1);

/// Machine code of a region.
#[derive(Debug)]
pub struct Function {
    code: arena::Code,
    pub(crate) number: u64,
    mode: Mode,
    /// By mode, code offsets of entries by instruction number minus `first`; 0: no entry.
    entries: [Box<[u32]>; 2],
    first: u32,
    pool: Box<[u64]>,
    /// By site, the access.
    uses: Box<[Option<Use>]>,
    /// Host functions that the code calls.
    routines: Box<[Routine]>,
    pub(crate) needs: Needs,
    /// Offset of the code that starts the first warp of a table, if the region has yield points; and these: their
    /// instructions, with the offsets of their exits.
    pub(crate) batch_entry: Option<u32>,
    pub(crate) yield_points: Box<[(u32, u32)]>,
    /// Whether lanes can diverge inside.
    pub(crate) can_diverge: bool,
    /// Whether the region has atomics.
    pub(crate) atomics: bool,
}

/// Signature of the code: takes the frame and the address of an entry, returns the instruction at which it exited.
pub(crate) type Begin = unsafe extern "sysv64" fn(*mut Frame, *const u8) -> u32;

impl Level {
    /// Whether this processor has the instructions.
    pub fn is_available(self) -> bool {
        if cfg!(miri) {
            return false;
        }
        let of_256 = is_x86_feature_detected!("avx2")
            && is_x86_feature_detected!("fma")
            && is_x86_feature_detected!("f16c")
            && is_x86_feature_detected!("popcnt")
            && is_x86_feature_detected!("bmi1")
            && is_x86_feature_detected!("bmi2");
        match self {
            Self::Avx2 => of_256,
            Self::Avx512 => {
                of_256
                    && is_x86_feature_detected!("avx512f")
                    && is_x86_feature_detected!("avx512dq")
                    && is_x86_feature_detected!("avx512bw")
                    && is_x86_feature_detected!("avx512vl")
                    && is_x86_feature_detected!("avx512cd")
            }
        }
    }
}

/// Compiles a region.
pub fn compile(region: &Region, mode: Mode, level: Level) -> Result<Function, Error> {
    if !level.is_available() {
        return Err(Error::Processor);
    }
    let code = crate::emit::emit(region, mode, level, false)?;
    let crate::emit::Code {
        bytes,
        entries,
        can_diverge,
        batch_entry,
        yield_points,
        pool,
        uses,
        routines,
        needs,
        ..
    } = code;
    let code = arena::Code::new(&bytes).map_err(|e| Error::Memory(e.to_string()))?;
    let first = entries.iter().map(|e| e.1).min().unwrap_or(0);
    let last = entries.iter().map(|e| e.1).max().unwrap_or(0);
    let mut tables = [(); 2].map(|()| vec![0; (last - first) as usize + 1]);
    for (mode, at, offset) in entries {
        tables[usize::from(mode == Mode::Some)][(at - first) as usize] = offset;
    }
    Ok(Function {
        code,
        number: NUMBERS.fetch_add(1, Relaxed),
        mode,
        entries: tables.map(Vec::into),
        first,
        pool: pool.into(),
        uses: uses.into(),
        routines: routines.into(),
        needs,
        batch_entry,
        yield_points: yield_points.into(),
        can_diverge,
        atomics: has_atomics(region),
    })
}

fn has_atomics(region: &Region) -> bool {
    let mut steps = region.blocks.iter().flat_map(|block| &block.steps);
    steps.any(|step| matches!(step.action, Action::Atomic(_)))
}

impl Function {
    /// Bytes of executable memory.
    pub fn code_size(&self) -> usize {
        self.code.size()
    }

    /// The code and its constant pool, for tests that compare code.
    pub fn parts(&self) -> (&[u8], &[u64]) {
        (self.code.bytes(), &self.pool)
    }

    /// Whether lanes can diverge inside the function.
    #[inline]
    pub fn can_diverge(&self) -> bool {
        self.can_diverge
    }

    /// The entry before an instruction, for the mode that the function was compiled for.
    #[inline]
    pub fn entry(&self, at: u32) -> Option<Entry> {
        self.entry_of(self.mode, at)
    }

    /// The entry before an instruction, for a mode. A function for [`Mode::Some`] whose branches can diverge has entries of
    /// both modes.
    #[inline]
    pub fn entry_of(&self, mode: Mode, at: u32) -> Option<Entry> {
        let entries = &self.entries[usize::from(mode == Mode::Some)];
        let offset = *entries.get(at.wrapping_sub(self.first) as usize)?;
        (offset != 0).then_some(Entry { function: self.number, offset, mode })
    }

    #[inline]
    pub(crate) fn begin(&self) -> Begin {
        // SAFETY: `emit` puts a function of this signature at the start of the code, which is executable and no longer
        // written.
        unsafe { std::mem::transmute::<*const u8, Begin>(self.code.bytes().as_ptr()) }
    }

    /// The address of a code offset.
    #[inline]
    pub(crate) fn target(&self, offset: u32) -> *const u8 {
        self.code.bytes()[offset as usize..].as_ptr()
    }

    /// Whether warps can run in a [`crate::region::WarpTable`]: there are yield points, and no accesses to local memory, which
    /// slots do not hold.
    #[inline]
    pub fn has_yield_points(&self) -> bool {
        self.batch_entry.is_some() && !self.needs.local && self.needs.frame == 0
    }

    /// Empty sites.
    pub fn sites<'m>(&self) -> Sites<'m> {
        let all = vec![Site::default(); self.uses.len()].into();
        let frame = Box::new(Frame::new(crate::routine::call));
        Sites { function: self.number, all, frame, params: None, memory: PhantomData }
    }

    /// Makes the site of an access refer to an allocation, for launches with these parameters ([`Inputs::bytes`]). False, and no
    /// change, if the allocation is too small or not writable.
    pub fn fill<'m>(
        &self,
        sites: &mut Sites<'m>,
        site: u32,
        reach: Reach<'m>,
        params: &'m [u8],
    ) -> bool {
        let to = self.uses.get(site as usize).copied().flatten();
        let (Some(to), true) = (to, sites.function == self.number) else { return false };
        sites.are_of(params);
        sites.params = Some(params);
        let new = Site::of(to, &reach, params);
        if new.limit != 0 {
            sites.all[site as usize] = new;
        }
        new.limit != 0
    }

    /// Prepares a run with these inputs and sites. `None` if an input is shorter than the code needs, or the sites are of another
    /// function.
    #[inline]
    pub fn with<'a>(&'a self, inputs: Inputs<'a>, sites: &'a mut Sites<'_>) -> Option<Running<'a>> {
        sites.are_of(inputs.bytes);
        let Sites { function, all, frame, .. } = sites;
        if *function != self.number || !self.needs.hold(&inputs) {
            return None;
        }
        frame.pool = self.pool.as_ptr();
        frame.routines = self.routines.as_ptr();
        frame.sites = all.as_mut_ptr();
        frame.constants = inputs.constants.as_ptr();
        frame.wide_constants = inputs.wide_constants.as_ptr();
        frame.words = inputs.words.as_ptr();
        frame.bytes = inputs.bytes.as_ptr();
        frame.counts = inputs.counts.as_ptr();
        frame.ahead = crate::emit::processor::ahead(inputs.ahead, inputs.is_line);
        frame.listener = None;
        Some(Running { function: self, frame, inputs: PhantomData })
    }
}

impl Sites<'_> {
    /// Invalidates affine sites that were filled for other parameters. The parameters are borrowed while sites depend on them.
    #[inline]
    fn are_of(&mut self, params: &[u8]) {
        if self.params.is_some_and(|known| !std::ptr::eq(known, params)) {
            self.params = None;
            self.all.iter_mut().for_each(|site| (site.indices, site.rows) = (0, 0));
        }
    }
}

/// A function with its inputs, ready to run.
#[derive(Debug)]
pub struct Running<'a> {
    pub(crate) function: &'a Function,
    pub(crate) frame: &'a mut Frame,
    inputs: PhantomData<Inputs<'a>>,
}

/// The reason for which the code exited that was called with this frame.
#[inline(always)]
pub(crate) fn why_of(frame: &Frame) -> ExitReason {
    ExitReason::of_code(frame.why, frame.site)
}

impl<'a> Running<'a> {
    /// Sets the listener of the following runs ([`Routine::Tell`]).
    #[inline]
    pub fn listen(&mut self, listener: &'a mut (dyn Listener + 'a)) {
        let listener = NonNull::from(listener);
        // SAFETY: only the lifetime changes. `self` owns the frame as long as the listener lives, and `Function::with` resets
        // the field before the next run with the frame.
        let listener = unsafe {
            std::mem::transmute::<NonNull<dyn Listener + 'a>, NonNull<dyn Listener + 'static>>(
                listener,
            )
        };
        self.frame.listener = Some(listener);
    }

    /// Sets the warp number that listeners are told.
    #[inline(always)]
    pub fn set_warp(&mut self, warp: u32) {
        self.frame.warp = warp;
    }
}

impl Running<'_> {
    /// Runs the region for the active lanes (`mask`) of a warp with the live lanes `live`, from an entry until it exits. `None`
    /// if a file is shorter than the code needs, the entry is of another function, or the lanes do not fit its mode; nothing
    /// has run then.
    #[inline]
    pub fn run(
        &mut self,
        registers: Registers<'_>,
        memory: Memory<'_>,
        (mask, live): (u32, u32),
        entry: Entry,
        until: Budget,
    ) -> Option<Exit> {
        let Self { function, frame, .. } = self;
        let lanes = mask != 0 && mask & !live == 0 && (entry.mode == Mode::Some || mask == live);
        let ours = entry.function == function.number;
        if !ours || !lanes || !function.needs.hold_files(&registers, &memory) {
            return None;
        }
        frame.narrow = registers.narrow.as_mut_ptr();
        frame.wide = registers.wide.as_mut_ptr();
        frame.predicates = registers.predicates.as_mut_ptr();
        frame.rows = registers.rows.as_ptr();
        if function.needs.shared {
            frame.reach_shared(memory.shared);
        }
        if function.needs.local || function.needs.frame != 0 {
            frame.reach_local(memory.local, &memory.frame);
        }
        frame.frame_at = memory.frame.start;
        (frame.limit, frame.group.reconverge_at) = (until.steps, until.reconverge_at);
        (frame.atomics_left, frame.mask, frame.live) = (until.atomics, mask, live);
        (frame.last_atomic, frame.zeros) = (0, 0);
        if function.can_diverge {
            let all = entry.mode == Mode::Live;
            frame.begin_divergence(if all { mask } else { 0 }, until.divergence);
        }
        let (begin, target) = (function.begin(), function.target(entry.offset));
        // SAFETY: `compile` has checked that the processor has the instructions, and the target is an entry of this code. The
        // code accesses the register files and inputs below the lengths of `needs`, which have been compared; shared and
        // local memory and the allocations of sites after comparing offsets with the limits in the frame and the site; its
        // constant pool; and the frame. All live until it returns: allocations as the `Reach` promises with which `fill` has
        // made the site for this access. The code preserves the callee-saved registers, and returns at the latest at the
        // first backward jump after the step limit.
        let at = unsafe { begin(&raw mut **frame, target) };
        let why = why_of(frame);
        Some(Exit {
            at,
            why,
            steps: frame.steps,
            threads: frame.all_lanes(function.can_diverge),
            atomics: until.atomics - frame.atomics_left,
            last_atomic: frame.last_atomic,
            zeros: frame.zeros,
            mask: frame.mask,
            diverged: function.can_diverge && frame.has_diverged(),
            limit: frame.limit,
        })
    }

    /// Lanes that were not active at the last exit ([`Exit::diverged`]).
    pub fn diverged_lanes(&mut self) -> DivergedLanes<'_> {
        self.frame.diverged_lanes()
    }
}
