//! Compiled functions. [`compile`] is given a region, a mode and an instruction set, and returns a
//! [`Function`]: its code, its entries, and the lengths that its inputs must have.
//! [`Function::with`] binds inputs and access sites to a function, which gives a [`Running`] that
//! warp tables run on.

#![allow(unsafe_code, reason = "code is mapped and called here")]

use crate::Error;
use crate::code::Code;
use crate::diverged::DivergedLanes;
use crate::frame::{EntryPoint, Frame};
use crate::ir::{Listener, Region, Routine};
use crate::machine::{Entry, Inputs, Level, Mode, Site, SiteAccess};
use crate::mapping;
use crate::needs::Needs;
use crate::run::{Exit, ExitReason};
use std::marker::PhantomData;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use texunit_memory::Reach;

/// The number of the next compiled function. Entries and sites carry the number of their function,
/// so that a function rejects entries and sites of another.
static NUMBERS: AtomicU64 = AtomicU64::new(1);

/// Machine code of a region.
#[derive(Debug)]
pub struct Function {
    code: mapping::Code,
    pub(crate) number: u64,
    mode: Mode,
    /// For each mode, the code offset of the entry before instruction `first + i`; 0 if there is no
    /// entry.
    entries: [Box<[u32]>; 2],
    first: u32,
    pool: Box<[u64]>,
    /// For each access site, the access that uses the site.
    uses: Box<[Option<SiteAccess>]>,
    /// Host functions that the code calls.
    routines: Box<[Routine]>,
    pub(crate) needs: Needs,
    /// For each yield point, the number of its instruction and the code offset of its exit.
    pub(crate) yield_points: Box<[(u32, u32)]>,
    /// Whether lanes can diverge inside the function.
    pub(crate) can_diverge: bool,
}

/// Compiles a region.
pub fn compile(region: &Region, mode: Mode, level: Level) -> Result<Function, Error> {
    if !level.is_available() {
        return Err(Error::Processor);
    }
    let code = crate::emit::emit(region, mode, level, false)?;
    let Code { bytes, entries, can_diverge, yield_points, pool, uses, routines, needs, .. } = code;
    let code = mapping::Code::new(&bytes).map_err(|e| Error::Memory(e.to_string()))?;
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
        yield_points: yield_points.into(),
        can_diverge,
    })
}

impl Function {
    /// Bytes of executable memory that the function occupies.
    pub fn code_size(&self) -> usize {
        self.code.size()
    }

    /// Whether lanes can diverge inside the function.
    #[inline]
    pub fn can_diverge(&self) -> bool {
        self.can_diverge
    }

    /// The entry before the instruction `at`, in the mode that the function was compiled for.
    #[inline]
    pub fn entry(&self, at: u32) -> Option<Entry> {
        self.entry_of(self.mode, at)
    }

    /// The entry before the instruction `at`, in the given mode. A function for [`Mode::Some`]
    /// whose branches can diverge has entries for both modes.
    #[inline]
    pub fn entry_of(&self, mode: Mode, at: u32) -> Option<Entry> {
        let entries = &self.entries[usize::from(mode == Mode::Some)];
        let offset = *entries.get(at.wrapping_sub(self.first) as usize)?;
        (offset != 0).then_some(Entry { function: self.number, offset, mode })
    }

    #[inline]
    pub(crate) fn begin(&self) -> EntryPoint {
        // SAFETY: `emit` puts a function of this signature at the start of the code, which is
        // executable and is not written any more.
        unsafe { std::mem::transmute::<*const u8, EntryPoint>(self.code.bytes().as_ptr()) }
    }

    /// The address of a code offset.
    #[inline]
    pub(crate) fn target(&self, offset: u32) -> *const u8 {
        self.code.bytes()[offset as usize..].as_ptr()
    }

    /// Whether the region has yield points.
    #[inline]
    pub fn has_yield_points(&self) -> bool {
        !self.yield_points.is_empty()
    }

    /// Access sites for this function that are not filled yet.
    pub fn sites<'m>(&self) -> Sites<'m> {
        let all = vec![Site::default(); self.uses.len()].into();
        let frame = Box::new(Frame::new(crate::routine::CALL));
        Sites { function: self.number, all, frame, params: None, memory: PhantomData }
    }

    /// Fills the site of an access with the bounds and the host address of an allocation, for
    /// launches with these parameters ([`Inputs::bytes`]). Returns false, and changes nothing, if
    /// the allocation is too small or is not writable.
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

    /// Binds inputs and sites for a run. Returns `None` if an input is shorter than the code needs,
    /// or the sites belong to another function.
    #[inline]
    pub fn with<'a>(&'a self, inputs: Inputs<'a>, sites: &'a mut Sites<'_>) -> Option<Running<'a>> {
        sites.are_of(inputs.bytes);
        let Sites { function, all, frame, .. } = sites;
        if *function != self.number || !self.needs.hold(&inputs) {
            return None;
        }
        let of = &mut frame.inputs;
        of.pool = self.pool.as_ptr();
        of.routines = self.routines.as_ptr();
        of.sites = all.as_mut_ptr();
        of.constants = inputs.constants.as_ptr();
        of.wide_constants = inputs.wide_constants.as_ptr();
        of.uniforms = inputs.uniforms.as_ptr();
        of.bytes = inputs.bytes.as_ptr();
        of.counts = inputs.counts.as_ptr();
        of.prefetch_distance = crate::emit::processor::prefetch_distance(
            inputs.prefetch_distance,
            inputs.is_contiguous,
            inputs.is_stream,
        );
        frame.listener = None;
        Some(Running { function: self, frame, len: 0, stopped: None, inputs: PhantomData })
    }
}

/// The access sites of a function, and the frame with which its code is called. A worker keeps both
/// for a launch.
#[derive(Debug)]
pub struct Sites<'m> {
    function: u64,
    all: Box<[Site]>,
    /// The frame of compiled code. It is reused by later runs because it is large and mostly stays
    /// the same.
    frame: Box<Frame>,
    /// The kernel parameters for which affine sites were filled.
    params: Option<&'m [u8]>,
    memory: PhantomData<Reach<'m>>,
}

impl Sites<'_> {
    /// Invalidates the limits of affine addresses in sites that were filled for other parameters.
    /// The parameters stay borrowed while sites depend on them.
    #[inline]
    fn are_of(&mut self, params: &[u8]) {
        if self.params.is_some_and(|known| !std::ptr::eq(known, params)) {
            self.params = None;
            self.all.iter_mut().for_each(|site| (site.indices, site.rows) = (0, 0));
        }
    }
}

/// A function with its inputs bound, ready to run.
#[derive(Debug)]
pub struct Running<'a> {
    pub(crate) function: &'a Function,
    pub(crate) frame: &'a mut Frame,
    /// The number of warps in the last table, and the last warp that stopped a run early.
    pub(crate) len: usize,
    pub(crate) stopped: Option<usize>,
    inputs: PhantomData<Inputs<'a>>,
}

impl<'a> Running<'a> {
    /// Sets the listener that following runs notify ([`Routine::Notify`]).
    #[inline]
    pub fn listen(&mut self, listener: &'a mut (dyn Listener + 'a)) {
        let listener = NonNull::from(listener);
        // SAFETY: only the lifetime changes. `self` owns the frame while the listener lives, and
        // `Function::with` clears the field before the next run with this frame.
        let listener = unsafe {
            std::mem::transmute::<NonNull<dyn Listener + 'a>, NonNull<dyn Listener + 'static>>(
                listener,
            )
        };
        self.frame.listener = Some(listener);
    }

    /// The exit record of warp `i` of the last table; `None` if the warp has not run.
    #[inline]
    pub fn exit(&self, i: usize) -> Option<Exit> {
        let (at, why) = self.reason(i)?;
        let slot = &self.frame.slots[i];
        // A build without POPCNT needs fifteen instructions to count bits.
        let lanes = if slot.mask == u32::MAX { 32 } else { u64::from(slot.mask.count_ones()) };
        let threads = slot.threads + (slot.steps - slot.counted) * lanes;
        Some(Exit {
            at,
            why,
            steps: slot.steps,
            threads: threads.wrapping_sub(slot.missed),
            atomics_left: slot.atomics_left,
            last_atomic: slot.last_atomic,
            mask: slot.mask,
            diverged: self.stopped == Some(i) && self.has_diverged(),
            limit: slot.limit,
        })
    }

    /// The instruction before which warp `i` of the last table stopped, and the reason.
    #[inline(always)]
    pub fn reason(&self, i: usize) -> Option<(u32, ExitReason)> {
        let slot = self.frame.slots[..self.len].get(i)?;
        (slot.at != Frame::NO_INSTRUCTION).then(|| (slot.at, ExitReason::of_code(slot.why)))
    }

    /// Whether the warp that stopped last has diverged lanes.
    #[inline(always)]
    pub(crate) fn has_diverged(&self) -> bool {
        self.function.can_diverge && self.frame.divergence.has_diverged()
    }

    /// The inactive lanes of the warp that stopped last ([`Exit::diverged`]).
    pub fn diverged_lanes(&self) -> DivergedLanes {
        self.frame.divergence.lanes()
    }

    /// The sum of [`crate::region::Action::CountZeros`] over the warps of the last table.
    #[inline]
    pub fn zeros(&self) -> u64 {
        self.frame.zeros
    }
}
