//! Caches fetch plans, one for each combination of texture header, sampler header, LOD clamp and
//! presence of offsets, until memory is written.

use super::{ExecError, Pool, State};
use std::collections::HashMap;
use std::sync::Arc;
use texunit_sass::descriptor::header::TYPE;
use texunit_sass::descriptor::{
    Descriptor, DescriptorError, SamplerHeader, Source, TextureHeader, TextureType,
};
use texunit_sass::memory::{Memory, MemoryError};
use texunit_sass::txd::{AOFFI, PARAM, Txd};
use texunit_unit::{CoordType, FetchForm, FetchKind, FetchPlan, Lod, ResultType, Texture};

/// A fetch plan of the texture unit, with the component sources of the texture header.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    pub(super) plan: FetchPlan,
    /// The sources of the result's components x, y, z, w.
    pub(super) sources: [Source; 4],
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Key {
    header: Descriptor,
    sampler: Descriptor,
    offset: bool,
    lod_clamp: u32,
}

/// Maximum size of all cached textures in bytes.
const MAX_KEPT: u64 = 512 << 20;
/// Maximum number of cached plans.
const MAX_PLANS: usize = 4096;

/// The cached plans and textures.
#[derive(Clone, Debug, Default)]
pub(super) struct Plans {
    /// Generation of the memory that the cached plans were made from.
    generation: u64,
    plans: HashMap<Key, Arc<Plan>>,
    /// Cached textures, by texture header and sRGB flag.
    textures: HashMap<(Descriptor, bool), Arc<Texture>>,
    bytes: u64,
    /// Number of textures read from memory since then.
    pub(super) textures_read: usize,
}

impl Plans {
    /// Drops all cached plans and textures if memory has changed since.
    fn renew(&mut self, memory: &Memory) {
        if self.generation != memory.generation() {
            *self = Self { generation: memory.generation(), ..Self::default() };
        }
    }

    fn texture(
        &mut self,
        words: &Descriptor,
        header: &TextureHeader,
        memory: &Memory,
        srgb: bool,
    ) -> Result<Arc<Texture>, DescriptorError> {
        if let Some(texture) = self.textures.get(&(*words, srgb)) {
            return Ok(Arc::clone(texture));
        }
        let texture = Arc::new(header.texture(memory, srgb)?);
        let size = texture.resource.block().size() as u64;
        self.bytes += size;
        if self.bytes > MAX_KEPT {
            self.plans.clear();
            self.textures.clear();
            self.bytes = size;
        }
        self.textures_read += 1;
        self.textures.insert((*words, srgb), Arc::clone(&texture));
        Ok(texture)
    }
}

/// Reads a descriptor of a pool.
fn descriptor(pool: Pool, index: u32, memory: &Memory) -> Result<Descriptor, DescriptorError> {
    let address = pool.address.checked_add(32 * u64::from(index));
    let address = address.ok_or(MemoryError::Absent { address: pool.address, bytes: 32 })?;
    let mut bytes = [[0; 4]; 8];
    memory.read(address, bytes.as_flattened_mut())?;
    Ok(Descriptor(bytes.map(u32::from_le_bytes)))
}

/// Whether the coordinate description matches the header's texture type; array and non-array types
/// of the same dimension are interchangeable. Buffers cannot be fetched with derivatives.
fn matches(txd: &Txd, header: &Descriptor) -> bool {
    use TextureType::{D1, D1Array, D2, D2Array, D2NoMipmap};
    let dimensions = match TextureType::ALL.get(TYPE.get(header) as usize) {
        Some((D1 | D1Array, _)) => 1,
        Some((D2 | D2Array | D2NoMipmap, _)) => 2,
        _ => return false,
    };
    txd.get(&PARAM) >> 1 == dimensions - 1
}

/// Converts the error for an undefined descriptor, with which a fetch returns zeros, to `None`.
fn defined<T>(found: Result<T, DescriptorError>) -> Result<Option<T>, DescriptorError> {
    match found {
        Ok(value) => Ok(Some(value)),
        Err(error) if error.is_undefined() => Ok(None),
        Err(error) => Err(error),
    }
}

/// The plan for a texture header and a sampler header; `None` if the result is zeros. Zeros are
/// decided first, so that sampler and texels need not exist then.
pub(super) fn plan(
    txd: &Txd,
    state: &mut State,
    (header_index, sampler_index): (u32, u32),
    lod_clamp: u32,
) -> Result<Option<Arc<Plan>>, ExecError> {
    let of_header = |error| ExecError::Header { index: header_index, error };
    let of_sampler = |error| ExecError::Sampler { index: sampler_index, error };
    let State { memory, plans, headers, samplers, .. } = state;
    plans.renew(memory);
    if header_index > headers.max_index || sampler_index > samplers.max_index {
        return Ok(None);
    }
    let header_words = descriptor(*headers, header_index, memory).map_err(of_header)?;
    if !matches(txd, &header_words) {
        return Ok(None);
    }
    let sampler_words = descriptor(*samplers, sampler_index, memory).map_err(of_sampler)?;
    let offset = txd.has(&AOFFI);
    let key = Key { header: header_words, sampler: sampler_words, offset, lod_clamp };
    if let Some(plan) = plans.plans.get(&key) {
        return Ok(Some(Arc::clone(plan)));
    }
    let Some(header) = defined(TextureHeader::decode(&header_words)).map_err(of_header)? else {
        return Ok(None);
    };
    let Some(sampler) = defined(SamplerHeader::decode(&sampler_words)).map_err(of_sampler)? else {
        return Ok(None);
    };
    let sampler = sampler.for_texture(&header, lod_clamp).map_err(of_sampler)?;
    let texture = plans.texture(&header_words, &header, memory, sampler.srgb).map_err(of_header)?;
    let form = FetchForm {
        kind: FetchKind::Sample(Lod::Gradient),
        geometry: header.kind.geometry(),
        coord: CoordType::F32,
        result: ResultType::F32,
        offset,
        compare: false,
    };
    let plan = FetchPlan::new(form, &texture, &sampler).map_err(|error| ExecError::Undefined {
        header: header_index,
        sampler: sampler_index,
        error,
    })?;
    let plan = Arc::new(Plan { plan, sources: header.sources });
    if plans.plans.len() >= MAX_PLANS {
        plans.plans.clear();
    }
    plans.plans.insert(key, Arc::clone(&plan));
    Ok(Some(plan))
}
