//! Executes TXD as its page describes, with the texture unit of `texunit-unit`.
//!
//! [`State`] has the state of a warp (registers, predicates, active lanes) and what the texture
//! unit reads: constant bank, pools of texture and sampler headers, memory. [`execute`] runs an
//! instruction. Scheduling (barriers, phases) has no effect. The handle may differ between lanes.

mod operands;
mod plans;

use operands::Operands;
use plans::Plans;
use std::sync::Arc;
use texunit_forms::Count;
use texunit_sass::Arch;
use texunit_sass::descriptor::{DescriptorError, Source};
use texunit_sass::memory::Memory;
use texunit_sass::parse::FieldPositions;
use texunit_sass::rules;
use texunit_sass::txd::{BINDLESS, GUARD, GUARD_NOT, INDEX, MASK, NODEP, PS, PT, RD, RZ, Txd};
use texunit_unit::{
    FetchAnswer, FetchForm, FetchOperands, Lanes, PlanError, Sampler, Scratch, Texture, ZERO_LANES,
    lanes,
};

/// A pool of descriptors in memory (SetTexHeaderPool, SetSamplerPool).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pool {
    /// Address of the first descriptor; each has 32 bytes.
    pub address: u64,
    /// Maximum valid index.
    pub max_index: u32,
}

/// The part of a handle that gives the sampler index (SetSamplerBinding).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SamplerBinding {
    /// The upper bits of the handle are the sampler index.
    #[default]
    Independently,
    /// The index of the texture header is also the sampler index.
    ViaHeader,
}

/// Number of registers of a thread: R0 to R254.
pub const REGISTERS: usize = RZ as usize;

/// The state of a warp, and the memory and pools that its texture fetches read.
#[derive(Clone, Debug)]
pub struct State {
    /// The architecture that the warp runs on.
    pub arch: Arch,
    /// Registers R0 to R254, each with the values of all lanes.
    pub registers: Box<[Lanes; REGISTERS]>,
    /// Predicates P0 to P6, each with a bit for each lane.
    pub predicates: [u32; 7],
    /// A mask of the active lanes.
    pub active: u32,
    /// A mask of lanes that the program has killed. They continue only to provide derivatives for
    /// other lanes.
    pub killed: u32,
    /// The constant bank that handles are fetched from.
    pub constants: Vec<u8>,
    /// The pool of texture headers.
    pub headers: Pool,
    /// The pool of sampler headers.
    pub samplers: Pool,
    /// The part of a handle that gives the sampler index.
    pub binding: SamplerBinding,
    /// The memory that contains descriptors and texels.
    pub memory: Memory,
    plans: Plans,
    scratch: Box<Scratch>,
}

impl Default for State {
    fn default() -> Self {
        Self::new(Arch::Sm52)
    }
}

impl State {
    /// An active warp with zero registers, and without constants, memory and pools.
    pub fn new(arch: Arch) -> Self {
        Self {
            arch,
            registers: Box::new([ZERO_LANES; REGISTERS]),
            predicates: [0; 7],
            active: u32::MAX,
            killed: 0,
            constants: Vec::new(),
            headers: Pool::default(),
            samplers: Pool::default(),
            binding: SamplerBinding::default(),
            memory: Memory::new(),
            plans: Plans::default(),
            scratch: Box::default(),
        }
    }

    /// Number of textures read from memory since memory was last written.
    pub fn textures_read(&self) -> usize {
        self.plans.textures_read
    }

    /// The word of the constant bank with this index; `None` if it is outside of the bank.
    fn constant(&self, index: u64) -> Option<u32> {
        let at = usize::try_from(index).ok()?.checked_mul(4)?;
        let bytes = self.constants.get(at..at.checked_add(4)?)?;
        Some(u32::from_le_bytes(bytes.try_into().ok()?))
    }

    /// The indices of texture header and sampler header in a handle.
    fn indices(&self, handle: u32) -> (u32, u32) {
        let header = handle & 0xf_ffff;
        match self.binding {
            SamplerBinding::Independently => (header, handle >> 20),
            SamplerBinding::ViaHeader => (header, header),
        }
    }

    /// A mask of the lanes that take part in the fetch, according to the active mask, the
    /// instruction's predicate, and .NODEP.
    fn taking_part(&self, txd: &Txd) -> u32 {
        let set = self.predicates.get(txd.get(&GUARD) as usize).copied().unwrap_or(u32::MAX);
        let guarded = if txd.has(&GUARD_NOT) { !set } else { set };
        self.active & guarded & if txd.has(&NODEP) { !self.killed } else { u32::MAX }
    }
}

/// Why an instruction cannot be executed. The state is unchanged after such an error.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ExecError {
    /// The instruction violates a restriction of its page.
    #[error("{message} ({code})")]
    Forbidden {
        /// Code of the diagnostic for the restriction.
        code: &'static str,
        /// Message of the diagnostic.
        message: String,
    },
    /// The index of the handle's word exceeds the constant bank.
    #[error(
        "word {index:#x} of the constant bank is asked for, but the bank has {}",
        Count(bytes, "byte")
    )]
    Constant {
        /// The index of the word (tsPtrIdxU13).
        index: u64,
        /// Size of the constant bank in bytes.
        bytes: usize,
    },
    /// The texture unit does not support the texture header, or the header refers to missing
    /// memory.
    #[error("texture header {index}: {error}")]
    Header {
        /// Index of the texture header in its pool.
        index: u32,
        /// Why the header cannot be used.
        error: DescriptorError,
    },
    /// The texture unit does not support the sampler header, or the header is in missing memory.
    #[error("sampler {index}: {error}")]
    Sampler {
        /// Index of the sampler header in its pool.
        index: u32,
        /// Why the header cannot be used.
        error: DescriptorError,
    },
    /// The texture unit defines no result for this combination of texture and sampler.
    #[error("texture header {header} with sampler {sampler}: {error}")]
    Undefined {
        /// Index of the texture header.
        header: u32,
        /// Index of the sampler header.
        sampler: u32,
        /// Why the result is undefined.
        error: PlanError,
    },
}

/// The result of executing an instruction, as masks of lanes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// Lanes that took part in the fetch.
    pub lanes: u32,
    /// Lanes that took part but got zeros, because the texture is invalid or does not match the
    /// instruction's coordinate description (paramA).
    pub invalid: u32,
    /// Lanes that took part and accessed a non-resident tile.
    pub missing: u32,
}

/// The results of all lanes, which are collected before registers are written. For invalid textures
/// they stay 0.
struct Results {
    values: [Lanes; 4],
    outcome: Outcome,
}

/// The fetch that one lane makes, for explanations.
#[derive(Clone, Debug)]
pub struct Fetched {
    /// The texture unit's instruction, which for TXD is `tex.grad`.
    pub form: FetchForm,
    /// The texture that the texture header describes.
    pub texture: Arc<Texture>,
    /// The sampler that the sampler header describes.
    pub sampler: Sampler,
    /// The operands of the lane.
    pub operands: FetchOperands,
    /// Indices of the texture header and the sampler header.
    pub indices: (u32, u32),
}

/// The fetch that a lane makes; `None` if the lane does not take part, or if it gets zeros because
/// the texture is invalid or does not match the instruction.
pub fn fetched(txd: &Txd, state: &mut State, lane: usize) -> Result<Option<Fetched>, ExecError> {
    if lane >= 32 || state.taking_part(txd) >> lane & 1 == 0 {
        return Ok(None);
    }
    let operands = Operands::read(txd, state);
    let indices = state.indices(handle(txd, state, &operands, lane)?);
    let Some(plan) = plans::plan(txd, state, indices, operands.lod_clamp[lane])? else {
        return Ok(None);
    };
    let (form, texture) = (plan.plan.form(), Arc::clone(plan.plan.texture()));
    let (sampler, operands) = (*plan.plan.sampler(), operands.request(1 << lane).lane(lane));
    Ok(Some(Fetched { form, texture, sampler, operands, indices }))
}

/// Executes an instruction. After an error the state is unchanged.
pub fn execute(txd: &Txd, state: &mut State) -> Result<Outcome, ExecError> {
    if let Some(found) =
        rules::check(txd, &FieldPositions::default(), state.arch).into_iter().next()
    {
        return Err(ExecError::Forbidden { code: found.code, message: found.message });
    }
    let lanes = state.taking_part(txd);
    let outcome = Outcome { lanes, ..Outcome::default() };
    let mut results = Results { values: [ZERO_LANES; 4], outcome };
    let operands = Operands::read(txd, state);
    let mut rest = lanes;
    while rest != 0 {
        let first = rest.trailing_zeros() as usize;
        let handle = handle(txd, state, &operands, first)?;
        let clamp = operands.lod_clamp[first];
        let same = |&lane: &usize| {
            operands.lod_clamp[lane] == clamp
                && (!txd.has(&BINDLESS) || operands.handle[lane] == handle)
        };
        let group = self::lanes(rest).filter(same).fold(0, |mask, lane| mask | 1 << lane);
        rest &= !group;
        fetch(txd, state, &operands, (handle, clamp), group, &mut results)?;
    }
    write(txd, state, &results);
    Ok(results.outcome)
}

/// The handle that a lane uses, from a register or the constant bank.
fn handle(txd: &Txd, state: &State, operands: &Operands, lane: usize) -> Result<u32, ExecError> {
    if txd.has(&BINDLESS) {
        return Ok(operands.handle[lane]);
    }
    let index = txd.get(&INDEX);
    state.constant(index).ok_or(ExecError::Constant { index, bytes: state.constants.len() })
}

/// Fetches for the lanes that have the same handle and level clamp.
fn fetch(
    txd: &Txd,
    state: &mut State,
    operands: &Operands,
    (handle, clamp): (u32, u32),
    group: u32,
    results: &mut Results,
) -> Result<(), ExecError> {
    let Some(plan) = plans::plan(txd, state, state.indices(handle), clamp)? else {
        results.outcome.invalid |= group;
        return Ok(());
    };
    let request = operands.request(group);
    let mut answer = FetchAnswer::default();
    plan.plan.fetch(&request, &mut state.scratch, &mut answer);
    results.outcome.missing |= group & !answer.resident;
    for lane in lanes(group) {
        let texel = answer.values.map(|component| component[lane]);
        for (component, source) in results.values.iter_mut().zip(plan.sources) {
            component[lane] = Source::of(source, texel);
        }
    }
    Ok(())
}

/// Writes the components that the write mask selects to consecutive registers, and writes the
/// predicate result.
fn write(txd: &Txd, state: &mut State, Results { values, outcome }: &Results) {
    let mut to = txd.get(&RD);
    for (_, component) in values.iter().enumerate().filter(|(c, _)| txd.get(&MASK) >> c & 1 == 1) {
        if let Some(register) = state.registers.get_mut(to as usize) {
            for lane in lanes(outcome.lanes) {
                register[lane] = component[lane];
            }
            to += 1;
        }
    }
    let ps = txd.get(&PS);
    if ps != PT {
        let predicate = &mut state.predicates[ps as usize];
        *predicate = *predicate & !outcome.lanes | outcome.missing;
    }
}
