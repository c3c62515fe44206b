//! Functions of regions.

#![allow(unsafe_code, reason = "code is mapped and called here")]

use crate::arena;
use crate::emit::{Frame, Needs};
use crate::machine::{Entry, Inputs, Level, Mode, Parted, Site, Sites, Use};
use crate::region::{Action, Left, Listener, Memory, Region, Routine, Until, Why};
use crate::{Error, Registers};
use std::marker::PhantomData;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use texunit_memory::Reach;

/// The number of the next function.
static NUMBERS: AtomicU64 = AtomicU64::new(1);

/// Code of a region, for a mode.
#[derive(Debug)]
pub struct Function {
    code: arena::Code,
    pub(crate) number: u64,
    mode: Mode,
    /// By mode, entries by the number of their instruction less that of the first; 0: there is none.
    entries: [Box<[u32]>; 2],
    first: u32,
    pool: Box<[u64]>,
    /// The accesses of the sites.
    uses: Box<[Option<Use>]>,
    /// Functions that it calls.
    routines: Box<[Routine]>,
    pub(crate) needs: Needs,
    /// Where warps begin that run together, if any can, and the instructions where they wait, with where they leave from there.
    pub(crate) links: Option<u32>,
    pub(crate) pauses: Box<[(u32, u32)]>,
    /// Whether lanes may part in it.
    pub(crate) parts: bool,
    /// Whether there are atomics in it.
    pub(crate) atomics: bool,
}

/// What the code is: the number of the instruction where it has ended.
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

/// Makes code of a region.
pub fn compile(region: &Region, mode: Mode, level: Level) -> Result<Function, Error> {
    if !level.is_available() {
        return Err(Error::Processor);
    }
    let code = crate::emit::emit(region, mode, level, false)?;
    let crate::emit::Code {
        bytes, entries, parts, links, pauses, pool, uses, routines, needs, ..
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
        links,
        pauses: pauses.into(),
        parts,
        atomics: has_atomics(region),
    })
}

/// Whether a region has atomics.
fn has_atomics(region: &Region) -> bool {
    let mut steps = region.blocks.iter().flat_map(|block| &block.steps);
    steps.any(|step| matches!(step.action, Action::Atomic(_)))
}

impl Function {
    /// Bytes of memory that its code takes.
    pub fn code_size(&self) -> usize {
        self.code.size()
    }

    /// The code, and the numbers that it reads: what tests compare.
    pub fn parts(&self) -> (&[u8], &[u64]) {
        (self.code.bytes(), &self.pool)
    }

    /// Whether lanes may part in it.
    #[inline]
    pub fn parts_lanes(&self) -> bool {
        self.parts
    }

    /// Where it can be entered before an instruction, by lanes of the mode that it is made for.
    #[inline]
    pub fn entry(&self, at: u32) -> Option<Entry> {
        self.entry_of(self.mode, at)
    }

    /// Where it can be entered before an instruction by lanes of a mode. One that is made for some lanes can
    /// be entered by all live ones where a branch parts lanes.
    #[inline]
    pub fn entry_of(&self, mode: Mode, at: u32) -> Option<Entry> {
        let entries = &self.entries[usize::from(mode == Mode::Some)];
        let offset = *entries.get(at.wrapping_sub(self.first) as usize)?;
        (offset != 0).then_some(Entry { function: self.number, offset, mode })
    }

    /// The code.
    #[inline]
    pub(crate) fn begin(&self) -> Begin {
        // SAFETY: `emit` has made a function of this signature begin there: these are its bytes, which are not
        // written any more, and can be executed.
        unsafe { std::mem::transmute::<*const u8, Begin>(self.code.bytes().as_ptr()) }
    }

    /// Where it goes on at an offset.
    #[inline]
    pub(crate) fn target(&self, offset: u32) -> *const u8 {
        self.code.bytes()[offset as usize..].as_ptr()
    }

    /// Whether there is an instruction in it at which warps that run together wait ([`crate::region::End::Pause`]), and they
    /// can: it accesses no local memory.
    #[inline]
    pub fn has_pauses(&self) -> bool {
        self.links.is_some() && !self.needs.local && self.needs.frame == 0
    }

    /// Sites that know no allocation yet.
    pub fn sites<'m>(&self) -> Sites<'m> {
        let all = vec![Site::default(); self.uses.len()].into();
        let frame = Box::new(Frame::new(crate::routine::call));
        Sites { function: self.number, all, frame, params: None, memory: PhantomData }
    }

    /// Tells the site of an access which allocation to look in, where it is run with these parameters
    /// ([`Inputs::bytes`]). What it cannot use, because it is too small or cannot be written, leaves it as it was. False: it
    /// was of no use.
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

    /// Makes ready to run with these inputs and sites. None: an input is shorter than what the code looks at, or
    /// the sites are those of another function.
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
    /// Sites that have been filled with other parameters know no indices any more. As long as they are known, the bytes
    /// are borrowed, so that they stay what they were.
    #[inline]
    fn are_of(&mut self, params: &[u8]) {
        if self.params.is_some_and(|known| !std::ptr::eq(known, params)) {
            self.params = None;
            self.all.iter_mut().for_each(|site| (site.indices, site.rows) = (0, 0));
        }
    }
}

/// A function with its inputs.
#[derive(Debug)]
pub struct Running<'a> {
    pub(crate) function: &'a Function,
    pub(crate) frame: &'a mut Frame,
    inputs: PhantomData<Inputs<'a>>,
}

/// Why a function has been left that was called with this frame.
#[inline(always)]
pub(crate) fn why_of(frame: &Frame) -> Why {
    match frame.why {
        0 => Why::Instruction,
        1 => Why::Site(frame.site),
        2 => Why::Divides,
        3 => Why::Meets,
        4 => Why::Limit,
        _ => Why::Outside,
    }
}

impl<'a> Running<'a> {
    /// Who hears of steps from now on ([`Routine::Tell`]).
    #[inline]
    pub fn listen(&mut self, listener: &'a mut (dyn Listener + 'a)) {
        let listener = NonNull::from(listener);
        // SAFETY: only the lifetime becomes another one. The frame belongs to this for as long as the listener lives, and
        // `Function::with` forgets it before anybody else runs with the frame.
        let listener = unsafe {
            std::mem::transmute::<NonNull<dyn Listener + 'a>, NonNull<dyn Listener + 'static>>(
                listener,
            )
        };
        self.frame.listener = Some(listener);
    }

    /// The number of the warp that is run next, as listeners are told it.
    #[inline(always)]
    pub fn of_warp(&mut self, warp: u32) {
        self.frame.warp = warp;
    }
}

impl Running<'_> {
    /// Runs the region for some lanes of a warp, of those that have not exited (`live`), from an entry on. None:
    /// a file is shorter than what the code looks at, the entry is that of another function, or there are no lanes,
    /// or not those of the mode; nothing has been done.
    #[inline]
    pub fn run(
        &mut self,
        registers: Registers<'_>,
        memory: Memory<'_>,
        (mask, live): (u32, u32),
        entry: Entry,
        until: Until,
    ) -> Option<Left> {
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
        (frame.limit, frame.group.meets) = (until.steps, until.meets);
        (frame.atomics_left, frame.mask, frame.live) = (until.atomics, mask, live);
        (frame.last_atomic, frame.zeros) = (0, 0);
        if function.parts {
            let all = entry.mode == Mode::Live;
            frame.begin_parts(if all { mask } else { 0 }, until.apart);
        }
        let (begin, target) = (function.begin(), function.target(entry.offset));
        // SAFETY: the processor has the instructions (`compile` has asked it), and the target is an entry of this
        // code. It reads and writes registers and inputs of the frame's files below the lengths of `needs`, which
        // have been compared; bytes of shared and local memory and of the allocations of sites whose offsets it
        // compares with the limits of the frame and of the site; its own pool and the frame. All live until it
        // returns: the allocations as the `Reach` of each site promises, which has made it for this very access
        // (`fill`). It keeps the registers that a caller relies on, and returns at the latest at the first
        // backward jump behind the limit of steps.
        let at = unsafe { begin(&raw mut **frame, target) };
        let why = why_of(frame);
        Some(Left {
            at,
            why,
            steps: frame.steps,
            threads: frame.all_lanes(function.parts),
            atomics: until.atomics - frame.atomics_left,
            last_atomic: frame.last_atomic,
            zeros: frame.zeros,
            mask: frame.mask,
            parted: function.parts && frame.has_parted(),
            limit: frame.limit,
        })
    }

    /// How the lanes stand where it has been left last, if some of them have parted ([`Left::parted`]).
    pub fn parted(&mut self) -> Parted<'_> {
        self.frame.parted()
    }
}
