//! Code of a region.
//!
//! [`flow`] goes through the blocks, [`edge`] from block to block, [`stub`] ways in and out; [`backend`] says what
//! they want of the instructions of a processor.

mod affine;
mod asm;
mod atomic;
mod avx2;
mod avx512;
mod backend;
mod begin;
mod call;
mod choices;
mod collective;
mod count;
mod edge;
mod ends;
mod flow;
mod frame;
mod index;
mod input;
mod live;
mod needs;
mod part;
mod pause;
pub(crate) mod processor;
mod same_base;
mod slots;
mod stub;
mod tables;
mod values;

use crate::Error;
use crate::machine::{Level, Mode, Use};
use crate::region::{Action, End, Region, Routine, Space, Target};
use affine::{Late, Plan};
use asm::{Assembler, Label};
use backend::Backend;
pub(crate) use choices::choices;
pub(crate) use frame::{Frame, Linked};
use index::Indices;
use input::{Input, Owed};
use live::{Numbers, Uses};
pub(crate) use needs::Needs;
use same_base::Near;
use std::collections::HashMap;
use stub::Stub;
use values::Values;

/// Code and what goes with it.
pub(crate) struct Code {
    pub(crate) bytes: Vec<u8>,
    /// Offsets of entries, with their modes and the numbers of their instructions.
    pub(crate) entries: Vec<(Mode, u32, u32)>,
    /// Whether lanes may part in it.
    pub(crate) parts: bool,
    /// Where warps begin that run together, and the instructions where they wait, with where they leave from there.
    pub(crate) links: Option<u32>,
    pub(crate) pauses: Vec<(u32, u32)>,
    /// Numbers that the code reads.
    pub(crate) pool: Vec<u64>,
    /// How sites are used, by number.
    pub(crate) uses: Vec<Option<Use>>,
    /// Functions that are called.
    pub(crate) routines: Vec<Routine>,
    /// What the files and inputs must have.
    pub(crate) needs: Needs,
    /// Lines of text, by their offsets in the code.
    pub(crate) marks: Vec<(u64, String)>,
}

/// Makes code that is hardly ever reached, with everything where it is when it is asked for.
type Rare<B> = Box<dyn FnOnce(&mut Emitter<'_, B>)>;

/// State of the making of a function.
struct Emitter<'a, B: Backend> {
    asm: Assembler,
    region: &'a Region,
    mode: Mode,
    /// The block and the step that are emitted.
    block: usize,
    step: usize,
    numbers: Numbers,
    /// By block.
    uses: Vec<Uses>,
    values: Values,
    /// By register: the step of the block that mentions it next.
    next: Vec<u32>,
    /// Steps of the block that count and that `r10` does not have yet.
    pending: u32,
    /// A guard, and how many steps of it are to be counted.
    guarded: Option<(crate::Predicate, u32)>,
    pool: Vec<u64>,
    pooled: HashMap<Vec<u64>, usize>,
    routines: Vec<Routine>,
    /// The code for all live lanes, and for some; `both`: there are both.
    versions: [Version; 2],
    both: bool,
    /// By block: the last block of the loop that begins there.
    loops: Vec<Option<usize>>,
    stubs: Vec<Stub>,
    /// What is behind the blocks and goes back to them.
    rare: Vec<(Label, Rare<B>)>,
    /// Accesses whose bounds are checked together.
    near: Near,
    /// By block: addresses that are not computed; and registers that are, if the region is left here.
    plans: Vec<Plan>,
    late: Vec<Late>,
    /// By block: registers that have inputs and are not filled; and those that are filled if the region is left here.
    owed: Vec<Owed>,
    owes: Vec<Input>,
    /// Slots of `near` that a later step looks up, as bits.
    open: u8,
    /// Registers that are indices, and of which of them something is known that steps behind here look at.
    indices: Indices,
    open_indices: u16,
    entries: Vec<(Mode, u32, Label)>,
    pauses: Vec<(u32, Label)>,
    /// What a warp comes to that waits for those it runs together with, and where one of these begins.
    waits: Label,
    next_link: Label,
    links: Label,
    /// Where it begins with a warp, and what all ways out lead to.
    again: Label,
    exit: Label,
    /// What parts lanes, and what lanes call that come where they meet.
    parts: Label,
    arrives: Label,
    /// Whether NaNs may stand for others from block to block, and whether that has led to a contradiction.
    any_nans: bool,
    contradiction: bool,
    #[allow(dead_code, reason = "a back end may have no state")]
    back: B,
}

/// The blocks as code of a mode.
struct Version {
    /// By block: where edges lead to, and where it is behind the question whether lanes meet there.
    labels: Vec<Label>,
    bodies: Vec<Label>,
    /// By block: where it can be entered with all values at home.
    doors: Vec<Option<Label>>,
    /// By block: what is where when it begins.
    states: Vec<Option<Values>>,
    /// By block: how many edges lead there.
    edges: Vec<u32>,
}

/// Steps and blocks that a region may have, so that code is made in no time.
const MAX_STEPS: usize = 1 << 14;

/// Makes the code of a region.
///
/// `marked`: with lines that say what becomes of which step.
pub(crate) fn emit(region: &Region, mode: Mode, level: Level, marked: bool) -> Result<Code, Error> {
    let steps = region.blocks.iter().map(|b| b.steps.len() + 1).sum::<usize>();
    if steps > MAX_STEPS || region.sites as usize > MAX_STEPS {
        return Err(Error::Size);
    }
    for block in &region.blocks {
        let targets = match block.end {
            End::Jump(to) | End::Pause { next: to, .. } => [Some(to), None],
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
        Level::Avx512 => made::<avx512::Avx512>(region, mode, marked),
        Level::Avx2 => made::<avx2::Avx2>(region, mode, marked),
    }
}

fn made<B: Backend>(region: &Region, mode: Mode, marked: bool) -> Result<Code, Error> {
    let needs = Needs::of(region)?;
    let mut uses = sites(region)?;
    let (region, owed) = input::read_in_place(region);
    let mut e = Emitter::<B>::new(&region, owed, mode, true);
    e.asm.marks = marked.then(Vec::new);
    e.function()?;
    if e.contradiction {
        let owed = std::mem::take(&mut e.owed);
        e = Emitter::new(&region, owed, mode, false);
        e.asm.marks = marked.then(Vec::new);
        e.function()?;
    }
    for &(site, lowest, span) in &e.near.sites {
        if let Some(Some(to)) = uses.get_mut(site as usize) {
            to.near = (lowest, span);
        }
    }
    for (site, add) in index::sites(&e.indices, &region, &e.plans) {
        if let Some(Some(to)) = uses.get_mut(site as usize) {
            to.index = Some(add);
        }
    }
    let marks = e.asm.marks.take().unwrap_or_default();
    let bytes = e.asm.finish()?;
    let entries = e.entries.iter();
    let entries = entries.map(|&(mode, at, label)| (mode, at, e.asm.place(label))).collect();
    let parts = e.both;
    let pauses: Vec<_> = e.pauses.iter().map(|&(at, label)| (at, e.asm.place(label))).collect();
    let links = (!pauses.is_empty()).then(|| e.asm.place(e.links));
    Ok(Code {
        bytes,
        entries,
        parts,
        links,
        pauses,
        pool: e.pool,
        uses,
        routines: e.routines,
        needs,
        marks,
    })
}

/// How sites are used. A site is of one access alone.
fn sites(region: &Region) -> Result<Vec<Option<Use>>, Error> {
    let mut uses = vec![None; region.sites as usize];
    for step in region.blocks.iter().flat_map(|block| &block.steps) {
        let (access, stores) = match &step.action {
            Action::Load(load) => (&load.access, false),
            Action::Store(store) => (&store.access, true),
            Action::Atomic(atomic) => (&atomic.access, true),
            _ => continue,
        };
        if access.space == Space::Global {
            match uses.get_mut(access.site as usize) {
                Some(site @ None) => *site = Some(Use::of(access, stores)),
                _ => return Err(Error::Site(access.site)),
            }
        }
    }
    Ok(uses)
}

impl<B: Backend> Emitter<'_, B> {
    /// The version that is being made.
    fn version(&mut self) -> &mut Version {
        &mut self.versions[usize::from(self.mode == Mode::Some)]
    }

    /// Where numbers are in the pool: one, or as many as fill a vector.
    fn pooled(&mut self, numbers: &[u64]) -> usize {
        if let Some(&place) = self.pooled.get(numbers) {
            return 8 * place;
        }
        let place = self.pool.len();
        self.pool.extend(numbers);
        self.pooled.insert(numbers.to_vec(), place);
        8 * place
    }
}
