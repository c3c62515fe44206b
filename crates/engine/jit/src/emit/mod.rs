//! Emission of machine code. [`emit`] is given a region, a mode and an instruction set, and returns
//! the code with the tables of a function.
//!
//! [`flow`] walks the blocks, [`edge`] connects them, and [`stub`] emits entries and exits after
//! them. [`vector`] emits the steps for both instruction sets, and [`memory`] loads and stores;
//! [`backend`] is the interface to the code for one instruction set.

mod affine;
mod asm;
mod atomic;
mod avx2;
mod avx512;
mod backend;
mod base_groups;
mod call;
mod choices;
mod collective;
mod construct;
mod cost;
mod count;
mod divergence;
mod edge;
mod flow;
mod graph;
mod index;
mod input;
mod instructions;
mod live;
mod memory;
mod nans;
pub(crate) mod processor;
mod rarely;
mod register_cache;
mod registers;
mod shuffle;
mod stub;
mod uniform;
mod vector;
mod warps;
mod yield_point;

use crate::Error;
use crate::code::Code;
use crate::ir::{End, Region, Routine, Space, Target};
use crate::listing::Listing;
use crate::machine::{Level, Mode, SiteAccess};
use crate::needs::Needs;
use affine::{DeferredAddress, Plan};
use asm::{Assembler, Label};
use backend::Backend;
use base_groups::BaseGroups;
pub(crate) use choices::choices;
use index::Indices;
use input::{InputCopy, PendingCopies};
use live::{Numbers, Uses};
use register_cache::RegisterCache;
use std::collections::{HashMap, HashSet};
use stub::Stub;
use texunit_flow::Set;

/// The state of the emission of a function.
struct Emitter<'a, B> {
    asm: Assembler,
    region: &'a Region,
    facts: Facts,
    mode: Mode,
    /// The current block and step.
    block: usize,
    step: usize,
    cache: RegisterCache,
    /// For each register, the next step of the block that reads or writes it.
    next: Vec<u32>,
    /// The number of counted steps that are not added to `r10` yet.
    uncounted: u32,
    /// A guard, and the number of counted steps with this guard whose skipped lanes are not added
    /// to `r11` yet.
    guarded: Option<(crate::Predicate, u32)>,
    pending: Pending,
    constants: Constants,
    /// For each [`Mode`], the labels of blocks and the register caches there. `has_both_modes` says
    /// whether the function has code for both modes.
    versions: [Version; 2],
    has_both_modes: bool,
    /// Code that is emitted after the blocks.
    stubs: Vec<Stub>,
    /// The entries of the function, and the exits of its yield points.
    entries: Vec<(Mode, u32, Label)>,
    yield_points: Vec<(u32, Label)>,
    labels: Labels,
    #[allow(dead_code, reason = "a back end may have no state")]
    back: B,
}

/// Results of the analyses of the region.
struct Facts {
    numbers: Numbers,
    /// For each block, the uses of registers.
    uses: Vec<Uses>,
    /// For each block, the registers that may have a NaN other than the canonical one where it
    /// begins.
    noncanonical: Vec<Set>,
    /// For each block that is the head of a loop, the loop's last block.
    loops: Vec<Option<usize>>,
    /// Accesses that share a bounds check.
    base_groups: BaseGroups,
    /// For each block, its affine addresses.
    plans: Vec<Plan>,
    /// Index registers whose shapes are cached.
    indices: Indices,
    /// Loads, by block and step, whose lanes are expected to have one address.
    same: HashSet<(usize, usize)>,
    /// For each block, the copies of inputs to registers that are not executed yet where it begins.
    copies: Vec<PendingCopies>,
}

/// Work that an exit or an entry at the current step must do.
#[derive(Default)]
struct Pending {
    values: PendingValues,
    /// Slots of base groups whose cached shape later steps read, and slots of index registers whose
    /// shape is known, as bits. An entry of the code clears these shapes.
    open: u8,
    open_indices: u8,
}

/// Registers whose values are not computed yet.
#[derive(Clone, Default)]
struct PendingValues {
    /// Affine addresses that an exit must compute.
    deferred: Vec<DeferredAddress>,
    /// Copies of inputs to registers that an exit must materialise, after the affine addresses.
    copies: Vec<InputCopy>,
}

/// The constant pool, and host functions by number.
#[derive(Default)]
struct Constants {
    pool: Vec<u64>,
    pooled: HashMap<Vec<u64>, usize>,
    routines: Vec<Routine>,
}

/// Labels of code that all blocks share.
struct Labels {
    /// Labels of the code that starts the warp of a slot, the code that starts a warp whose state
    /// is in the frame and the fixed registers, and the code that saves a warp.
    start: Label,
    restart: Label,
    exit: Label,
    /// The routines that are called by a divergence, by an arrival at a reconvergence point, and at
    /// the end of a turn of diverged lanes.
    diverge_routine: Label,
    arrive_routine: Label,
    turn_routine: Label,
}

/// The labels and block states of the code for one [`Mode`].
struct Version {
    /// For each block, the label that edges jump to, and the label of the body after the test for
    /// reconvergence.
    labels: Vec<Label>,
    bodies: Vec<Label>,
    /// For each block, the entry where all values are in the register files.
    block_entries: Vec<Label>,
    /// For each block, the register cache at its beginning, once it is chosen.
    states: Vec<Option<RegisterCache>>,
    /// For each block, the number of edges to it.
    edges: Vec<u32>,
}

/// The maximum number of steps and of sites, which bounds the time of compilation.
const MAX_STEPS: usize = 1 << 14;

/// Emits the code of a region. `listed` says that the instructions are recorded for a disassembly.
pub(crate) fn emit(region: &Region, mode: Mode, level: Level, listed: bool) -> Result<Code, Error> {
    let steps = region.blocks.iter().map(|b| b.steps.len() + 1).sum::<usize>();
    if steps > MAX_STEPS || region.sites as usize > MAX_STEPS {
        return Err(Error::Size);
    }
    for block in &region.blocks {
        let targets = match block.end {
            End::Jump(to) | End::Yield { next: to, .. } => [Some(to), None],
            End::Branch { to, next, .. } => [Some(to), Some(next)],
            End::Leave { .. } => [None; 2],
        };
        for target in targets.into_iter().flatten() {
            if let Target::Block(i) = target
                && i as usize >= region.blocks.len()
            {
                return Err(Error::Target(i));
            }
        }
    }
    match level {
        Level::Avx512 => emit_for::<avx512::Avx512>(region, mode, listed),
        Level::Avx2 => emit_for::<avx2::Avx2>(region, mode, listed),
    }
}

fn emit_for<B: Backend>(region: &Region, mode: Mode, listed: bool) -> Result<Code, Error> {
    let needs = Needs::of(region)?;
    let mut uses = sites(region)?;
    let original = region;
    let (region, copies, plans) = input::prepared(original);
    let mut e = Emitter::<B>::new(original, &region, copies, plans, mode);
    e.asm.listing = listed.then(Listing::default);
    e.function()?;
    for (site, add) in index::sites(&region, &e.facts.plans) {
        if let Some(Some(to)) = uses.get_mut(site as usize) {
            to.index = Some(add);
        }
    }
    let bytes = e.asm.finish()?;
    let listing = e.asm.listing.take();
    let entries = e.entries.iter();
    let entries = entries.map(|&(mode, at, label)| (mode, at, e.asm.offset(label))).collect();
    let can_diverge = e.has_both_modes;
    let yield_points: Vec<_> =
        e.yield_points.iter().map(|&(at, label)| (at, e.asm.offset(label))).collect();
    Ok(Code {
        bytes,
        entries,
        can_diverge,
        yield_points,
        pool: e.constants.pool,
        uses,
        routines: e.constants.routines,
        needs,
        listing,
    })
}

/// The access of each site. A site that two accesses use is an error.
fn sites(region: &Region) -> Result<Vec<Option<SiteAccess>>, Error> {
    let mut uses = vec![None; region.sites as usize];
    for step in region.blocks.iter().flat_map(|block| &block.steps) {
        if let Some((access, stores)) = step.access().filter(|of| of.0.space == Space::Global) {
            match uses.get_mut(access.site as usize) {
                Some(site @ None) => *site = Some(SiteAccess::of(access, stores)),
                _ => return Err(Error::Site(access.site)),
            }
        }
    }
    Ok(uses)
}

impl<B: Backend> Emitter<'_, B> {
    /// The labels and block states of the current mode.
    fn version(&mut self) -> &mut Version {
        &mut self.versions[usize::from(self.mode == Mode::Some)]
    }

    /// The offset of consecutive constants in the constant pool, to which they are added if
    /// necessary.
    fn pooled(&mut self, numbers: &[u64]) -> usize {
        if let Some(&index) = self.constants.pooled.get(numbers) {
            return 8 * index;
        }
        let index = self.constants.pool.len();
        self.constants.pool.extend(numbers);
        self.constants.pooled.insert(numbers.to_vec(), index);
        8 * index
    }
}
