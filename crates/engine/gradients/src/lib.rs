//! `tex.grad` by Maxwell's TXD instruction: executes the instruction that NVIDIA's assembler
//! generates, on texture and sampler headers and block-linear memory that are made from the
//! launch's textures.
//!
//! [`TxdEngine`] is an option of a launch. The texture unit computes fetches that have no TXD (3D,
//! cube and compare, which the assembler emulates), and textures and samplers that the headers
//! cannot express. [`GradientStats`] counts both.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use texunit_isa::Opcode;
use texunit_sass::Arch;
use texunit_sass::descriptor::{
    Descriptor, DescriptorError, MAX_BYTES, Place, TextureType, encode_sampler, encode_texture,
    header,
};
use texunit_simt::{Answered, GradientEngine, GradientFetch, GradientStats};
use texunit_syntax::{SourceFile, Span};
use texunit_txd::exec::{ExecError, Pool};
use texunit_txd::lower::{self, Fetch, Form};
use texunit_txd::{State, execute};
use texunit_unit::{FetchAnswer, Filter, Geometry, Layout, Resource};

/// How a `tex.grad` is computed.
#[derive(Debug)]
enum GradientInstruction {
    /// The TXD instruction, and the same instruction with all components in its mask.
    Txd(Box<[Fetch; 2]>),
    /// The texture unit computes the fetch. The text says why TXD cannot; it is the key of
    /// [`GradientStats`].
    Unit(String),
}

/// Maximum number of bytes of all [`Machine`]s of a launch; beyond it, all are dropped before the
/// next one is created.
const MAX_KEPT_BYTES: u64 = 1 << 30;
/// Bytes of a [`Machine`] besides its texels.
const MACHINE_BYTES: u64 = 64 << 10;

/// Addresses of texture headers, sampler headers and texels in the memory of a [`Machine`].
const HEADERS: u64 = 0x1_0000_0000;
const SAMPLERS: u64 = 0x2_0000_0000;
const TEXELS: u64 = 0x5_0000_0000;
/// Maximum indices in a handle: 20 bits for the header, 12 bits for the sampler.
const MAX_HEADER: u32 = 0xf_ffff;
const MAX_SAMPLER: u32 = 0xfff;

/// A Maxwell warp, with the headers and the texels of one texture and one sampler in its memory.
#[derive(Debug)]
struct Machine {
    state: State,
    /// The texels from which the warp's memory was made, if the kernel may change the texture; they
    /// show at the next fetch whether it did.
    texels: Option<Vec<u8>>,
    /// Bytes of host memory that this warp takes, which [`MAX_KEPT_BYTES`] limits.
    bytes: u64,
}

impl Machine {
    /// Creates the warp for a fetch. `changes` says whether the launch may change the texels. The
    /// error is the reason why Maxwell's texture or sampler header cannot express the texture or
    /// sampler.
    fn new(key: Key, fetch: &GradientFetch<'_>, arch: Arch, changes: bool) -> Result<Self, String> {
        let resource = &*fetch.texture.resource;
        let size = resource.size_in_bytes();
        if resource.layout() == Layout::Linear {
            return Err("TXD has no coordinates for linear memory".to_owned());
        }
        if size > MAX_BYTES {
            return Err(DescriptorError::TooLarge { bytes: size, max: MAX_BYTES }.to_string());
        }
        let sampler = fetch.sampler;
        // Rules 1.11 and 3.5: unlike the headers, the unit distinguishes a mipmapped array with one
        // level from an array without levels.
        let normalizes = sampler.force_unnormalized_coords && resource.array_levels() > 1;
        let sums = sampler.filter == Filter::Point && sampler.mip_filter == Filter::Linear;
        let one_level = resource.is_mipmapped() && resource.levels().len() == 1;
        if one_level && (normalizes || sums) {
            return Err("a header of one level is not mipmapped".to_owned());
        }
        // The texels are copied before the headers are made, so that later stores to the texture
        // are detected at the next fetch.
        let texels = changes.then(|| resource.to_packed());
        let state = state(key, fetch, arch).map_err(|error| error.to_string())?;
        let regions: u64 = state.memory.regions().map(|(_, bytes)| bytes.len() as u64).sum();
        // The texels exist three times: in `texels`, in `regions`, and in a cache in `state`.
        Ok(Self { state, texels, bytes: MACHINE_BYTES + regions + 2 * size })
    }
}

/// A warp whose memory has the headers of a texture and a sampler at the handle's indices.
fn state(key: Key, fetch: &GradientFetch<'_>, arch: Arch) -> Result<State, DescriptorError> {
    let mut state = State::new(arch);
    let resource = &fetch.texture.resource;
    let encoded = encode_texture(fetch.texture, fetch.sampler.srgb, place(resource))?;
    let (mut texture, sampler) = (encoded.header, encode_sampler(fetch.sampler)?);
    if key.flat {
        header::TYPE.set(&mut texture, TextureType::D2 as u32);
    }
    let headers = [(HEADERS, key.header, texture), (SAMPLERS, key.sampler, sampler)];
    let headers = headers.map(|(pool, n, words)| (pool + 32 * u64::from(n), bytes(&words)));
    for (address, bytes) in encoded.regions.into_iter().chain(headers) {
        state.memory.map(address, bytes).map_err(DescriptorError::from)?;
    }
    state.headers = Pool { address: HEADERS, max_index: MAX_HEADER };
    state.samplers = Pool { address: SAMPLERS, max_index: MAX_SAMPLER };
    Ok(state)
}

/// The location of a texture's texels: blocks of at most 16 GOBs, no higher than necessary.
fn place(resource: &Resource) -> Place {
    let rows = resource.extent().height.div_ceil(resource.format().block_extent());
    let gobs = rows.div_ceil(8).next_power_of_two();
    Place { address: TEXELS, log2_height: gobs.trailing_zeros().min(4), log2_depth: 0 }
}

fn bytes(words: &Descriptor) -> Vec<u8> {
    words.0.iter().flat_map(|word| word.to_le_bytes()).collect()
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Key {
    /// The two fields of a texture handle: the indices of the texture header and of the sampler
    /// header.
    header: u32,
    sampler: u32,
    /// The geometry of the instruction, because a handle may be fetched with two geometries
    /// (docs/numerics.md 1.13).
    geometry: Geometry,
    /// Whether a 1D texture is fetched as one row of a 2D texture, as `1d` in unified mode is.
    flat: bool,
}

/// The state of a [`TxdEngine`] that fetches change.
#[derive(Debug, Default)]
struct EngineState {
    /// For each texture and sampler, the Maxwell warp, or the reason why TXD cannot fetch from
    /// them.
    machines: HashMap<Key, Result<Machine, String>>,
    bytes: u64,
    stats: GradientStats,
}

impl EngineState {
    fn left_to_unit(&mut self, why: &str, lanes: u32) -> Answered {
        match self.stats.unit.get_mut(why) {
            Some(count) => *count += u64::from(lanes),
            None => {
                self.stats.unit.insert(why.to_owned(), lanes.into());
            }
        }
        Answered::Unit
    }

    /// The Maxwell warp for a texture and a sampler. It is created again if the texels have
    /// changed.
    fn machine(
        &mut self,
        key: Key,
        fetch: &GradientFetch<'_>,
        engine: &TxdEngine,
    ) -> Result<&mut Machine, &str> {
        let resource = &*fetch.texture.resource;
        let made = match self.machines.get(&key) {
            Some(Ok(Machine { texels: Some(texels), .. })) => resource.holds(texels),
            Some(_) => true,
            None => false,
        };
        if !made {
            let changes = engine.stores || resource.layout() != Layout::Array;
            let machine = Machine::new(key, fetch, engine.arch, changes);
            let bytes = machine.as_ref().map_or(MACHINE_BYTES, |machine| machine.bytes);
            if self.bytes + bytes > MAX_KEPT_BYTES {
                self.machines.clear();
                self.bytes = 0;
            }
            self.bytes += bytes;
            if let Some(Ok(old)) = self.machines.insert(key, machine) {
                self.bytes -= old.bytes;
            }
        }
        match self.machines.get_mut(&key) {
            Some(Ok(machine)) => Ok(machine),
            Some(Err(why)) => Err(why),
            None => Err("there is no machine"),
        }
    }
}

/// The engine for the gradient fetches of a module's kernels.
#[derive(Debug)]
pub struct TxdEngine {
    arch: Arch,
    /// All `tex.grad` instructions of the module.
    by_place: HashMap<Span, GradientInstruction>,
    /// Whether the module stores to surfaces, which may change the texels of arrays.
    stores: bool,
    kept: Mutex<EngineState>,
}

impl TxdEngine {
    /// Analyses the PTX of a loaded module. The counts of [`GradientEngine::stats`] are those of
    /// all launches with this engine.
    pub fn new(source: &SourceFile) -> Self {
        let parsed = texunit_syntax::parse(source);
        let module = texunit_check::check(source, &parsed.module).module;
        let arch = lower::arch_of(&module).unwrap_or(Arch::Sm62);
        let instruction = |form| match form {
            Form::Txd(fetch) => {
                GradientInstruction::Txd(Box::new([*fetch.clone(), fetch.with_all_components()]))
            }
            Form::Quad(quad) => GradientInstruction::Unit(quad.why),
            Form::Unused => {
                GradientInstruction::Unit("no result is used, so no TXD is needed".to_owned())
            }
            Form::Refused(why) => GradientInstruction::Unit(why),
        };
        let list = lower::module(&module, &lower::visible_functions(&parsed.module), arch);
        let by_place = list.into_iter().map(|l| (l.span, instruction(l.form))).collect();
        let mut body = module.functions.iter().filter_map(|f| f.body.as_ref()).flatten();
        let stores = body.any(|i| matches!(i.opcode, Opcode::Sust | Opcode::Sured));
        Self { arch, by_place, stores, kept: Mutex::default() }
    }
}

impl GradientEngine for TxdEngine {
    fn fetch(&self, fetch: &GradientFetch<'_>, to: &mut FetchAnswer) -> Result<Answered, String> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let lanes = fetch.request.active.count_ones();
        // Observers also receive components that no instruction reads.
        let all = fetch.request.components == 0xf;
        let made = match self.by_place.get(&fetch.span) {
            Some(GradientInstruction::Txd(_)) if fetch.form.compare => {
                return Ok(kept.left_to_unit("TXD has no depth compare", lanes));
            }
            Some(GradientInstruction::Txd(made)) => &made[usize::from(all)],
            Some(GradientInstruction::Unit(why)) => return Ok(kept.left_to_unit(why, lanes)),
            None => return Err("no machine code was made of this tex.grad".to_owned()),
        };
        let flat = fetch.form.geometry == Geometry::D1 && made.txd.dimensions() == 2;
        let key = Key {
            header: fetch.texture_handle as u32 & MAX_HEADER,
            sampler: (fetch.sampler_handle >> 20) as u32 & MAX_SAMPLER,
            geometry: fetch.form.geometry,
            flat,
        };
        let machine = match kept.machine(key, fetch, self) {
            Ok(machine) => machine,
            Err(why) => {
                let why = why.to_owned();
                return Ok(kept.left_to_unit(&why, lanes));
            }
        };
        let handle = key.sampler << 20 | key.header;
        made.load(&mut machine.state, handle, fetch.form, fetch.request);
        match execute(&made.txd, &mut machine.state) {
            Ok(outcome) if outcome.invalid != 0 => {
                Err("TXD: the texture is invalid for the instruction's coordinates".to_owned())
            }
            Ok(outcome) => {
                made.take(&machine.state, fetch.form.result, outcome, to);
                kept.stats.engine += u64::from(lanes);
                Ok(Answered::Engine)
            }
            Err(ExecError::Header { error, .. } | ExecError::Sampler { error, .. }) => {
                Ok(kept.left_to_unit(&error.to_string(), lanes))
            }
            Err(error) => Err(format!("TXD: {error}")),
        }
    }

    fn stats(&self) -> GradientStats {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner).stats.clone()
    }
}
