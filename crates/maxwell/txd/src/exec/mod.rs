//! Executes TXD: what the instruction's page says, with the texture unit of `texunit-unit`.
//!
//! [`State`] is a warp (registers, predicates, which lanes are there) and what the texture unit
//! reads: constant bank, pools of headers and samplers, memory. [`execute`] runs an instruction.
//! Scheduling (barriers, phases) has no effect. A handle may differ from lane to lane.

mod operands;
mod plans;

use operands::Operands;
use plans::Plans;
use std::sync::Arc;
use texunit_forms::Count;
use texunit_sass::Arch;
use texunit_sass::descriptor::{DescriptorError, Source};
use texunit_sass::memory::Memory;
use texunit_sass::parse::Places;
use texunit_sass::rules;
use texunit_sass::txd::{BINDLESS, GUARD, GUARD_NOT, INDEX, MASK, NODEP, PS, PT, RD, RZ, Txd};
use texunit_unit::{
    FetchAnswer, FetchForm, FetchOperands, Lanes, PlanError, Sampler, Scratch, Texture, ZERO_LANES,
    lanes,
};

/// A table of descriptors in memory (SetTexHeaderPool, SetSamplerPool).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pool {
    /// Address of the first one; each has 32 bytes.
    pub address: u64,
    /// Largest index that is valid.
    pub max_index: u32,
}

/// Where the index of a sampler comes from (SetSamplerBinding).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SamplerBinding {
    /// From the upper bits of the handle.
    #[default]
    Independently,
    /// It is the index of the texture header.
    ViaHeader,
}

/// Registers of a thread: R0 to R254.
pub const REGISTERS: usize = RZ as usize;

/// A warp and what its texture fetches read.
#[derive(Clone, Debug)]
pub struct State {
    /// The architecture.
    pub arch: Arch,
    /// R0 to R254, each of all lanes.
    pub registers: Box<[Lanes; REGISTERS]>,
    /// P0 to P6: a bit for each lane.
    pub predicates: [u32; 7],
    /// Lanes that execute the instruction.
    pub active: u32,
    /// Lanes that the program has killed, and that go on for the derivatives of others only.
    pub killed: u32,
    /// The constant bank that handles are fetched from.
    pub constants: Vec<u8>,
    /// Texture headers.
    pub headers: Pool,
    /// Samplers.
    pub samplers: Pool,
    /// Where the index of a sampler comes from.
    pub binding: SamplerBinding,
    /// What descriptors and texels are in.
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
    /// A warp of active lanes whose registers are 0, without constants, memory and pools.
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

    /// How many textures have been read from memory so far, since memory was last written to.
    pub fn textures_read(&self) -> usize {
        self.plans.textures_read()
    }

    /// A word of the constant bank.
    fn constant(&self, index: u64) -> Option<u32> {
        let at = usize::try_from(index).ok()?.checked_mul(4)?;
        let bytes = self.constants.get(at..at.checked_add(4)?)?;
        Some(u32::from_le_bytes(bytes.try_into().ok()?))
    }

    /// Indices of header and sampler that a handle stands for.
    fn indices(&self, handle: u32) -> (u32, u32) {
        let header = handle & 0xf_ffff;
        match self.binding {
            SamplerBinding::Independently => (header, handle >> 20),
            SamplerBinding::ViaHeader => (header, header),
        }
    }

    /// Lanes whose guard lets them execute.
    fn guarded(&self, txd: &Txd) -> u32 {
        let guard = txd.get(&GUARD);
        let set = self.predicates.get(guard as usize).copied().unwrap_or(u32::MAX);
        if txd.has(&GUARD_NOT) { !set } else { set }
    }
}

/// Why an instruction cannot be executed. The state is as it was.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ExecError {
    /// The instruction's page forbids it.
    #[error("{message} ({code})")]
    Forbidden {
        /// Code of the diagnostic.
        code: &'static str,
        /// What is wrong.
        message: String,
    },
    /// The index is past the end of the constant bank.
    #[error(
        "word {index:#x} of the constant bank is asked for, but the bank has {}",
        Count(bytes, "byte")
    )]
    Constant {
        /// tsPtrIdxU13.
        index: u64,
        /// Size of the bank.
        bytes: usize,
    },
    /// A texture header that the unit cannot do justice to, or memory that is not there.
    #[error("texture header {index}: {error}")]
    Header {
        /// Its index.
        index: u32,
        /// What is wrong.
        error: DescriptorError,
    },
    /// Likewise a sampler.
    #[error("sampler {index}: {error}")]
    Sampler {
        /// Its index.
        index: u32,
        /// What is wrong.
        error: DescriptorError,
    },
    /// The unit has no defined answer for header and sampler together.
    #[error("texture header {header} with sampler {sampler}: {error}")]
    Undefined {
        /// Index of the header.
        header: u32,
        /// Index of the sampler.
        sampler: u32,
        /// Why.
        error: PlanError,
    },
}

/// What an instruction did, as masks of lanes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// Lanes that took part.
    pub lanes: u32,
    /// Those of them that got zeros, because the texture is invalid or of another type than
    /// paramA.
    pub invalid: u32,
    /// Those of them that met a tile that is not resident.
    pub missing: u32,
}

/// What is written once every lane has been fetched for: components that stay 0 are those of
/// invalid textures.
struct Results {
    values: [Lanes; 4],
    outcome: Outcome,
}

/// What a lane fetches: for explanations.
#[derive(Clone, Debug)]
pub struct Fetched {
    /// The instruction as the unit has it: `tex.grad`.
    pub form: FetchForm,
    /// What its header stands for.
    pub texture: Arc<Texture>,
    /// What its sampler stands for.
    pub sampler: Sampler,
    /// The lane's operands.
    pub operands: FetchOperands,
    /// Indices of header and sampler.
    pub indices: (u32, u32),
}

/// What a lane fetches; `None` if it takes no part, or gets zeros because the texture is invalid or of another type.
pub fn fetched(txd: &Txd, state: &mut State, lane: usize) -> Result<Option<Fetched>, ExecError> {
    let killed = if txd.has(&NODEP) { state.killed } else { 0 };
    let takes_part = state.active & state.guarded(txd) & !killed;
    if lane >= 32 || takes_part >> lane & 1 == 0 {
        return Ok(None);
    }
    let operands = Operands::read(txd, state);
    let handle = handle(txd, state, &operands, lane)?;
    let indices = state.indices(handle);
    let Some(plan) = plans::plan(txd, state, indices, operands.lod_clamp[lane])? else {
        return Ok(None);
    };
    let (form, texture) = (plan.plan.form(), Arc::clone(plan.plan.texture()));
    let (sampler, operands) = (*plan.plan.sampler(), operands.request(1 << lane).lane(lane));
    Ok(Some(Fetched { form, texture, sampler, operands, indices }))
}

/// Executes an instruction. On failure nothing has changed.
pub fn execute(txd: &Txd, state: &mut State) -> Result<Outcome, ExecError> {
    if let Some(found) = rules::check(txd, &Places::default(), state.arch).into_iter().next() {
        return Err(ExecError::Forbidden { code: found.code, message: found.message });
    }
    let mut lanes = state.active & state.guarded(txd);
    if txd.has(&NODEP) {
        lanes &= !state.killed;
    }
    let outcome = Outcome { lanes, ..Outcome::default() };
    let mut results = Results { values: [ZERO_LANES; 4], outcome };
    if lanes != 0 {
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
    }
    write(txd, state, &results);
    Ok(results.outcome)
}

/// The handle of a lane.
fn handle(txd: &Txd, state: &State, operands: &Operands, lane: usize) -> Result<u32, ExecError> {
    if txd.has(&BINDLESS) {
        return Ok(operands.handle[lane]);
    }
    let index = txd.get(&INDEX);
    let bytes = state.constants.len();
    state.constant(index).ok_or(ExecError::Constant { index, bytes })
}

/// Fetches for lanes that have handle and LOD clamp in common.
fn fetch(
    txd: &Txd,
    state: &mut State,
    operands: &Operands,
    (handle, clamp): (u32, u32),
    group: u32,
    results: &mut Results,
) -> Result<(), ExecError> {
    let indices = state.indices(handle);
    let Some(plan) = plans::plan(txd, state, indices, clamp)? else {
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

/// Writes the components of the mask to registers that follow each other, and the predicate.
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
