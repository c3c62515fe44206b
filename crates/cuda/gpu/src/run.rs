//! Runs fetches and surface accesses on the GPU: given are their operands, the result is what the
//! GPU returns.

use crate::driver::{Gpu, GpuError, LaunchShape, Module};
use crate::mirror::{CardResource, Uses};
use crate::object::CardObject;
use crate::ptx::{self, ACCESS_WORDS, ANSWER_WORDS, OPERAND_WORDS};
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use texunit_unit::reference::trace::FetchValue;
use texunit_unit::{
    Coordinates, FetchForm, FetchKind, FetchOperands, Geometry, Resource, Sampler, SurfaceForm,
    Texture,
};

/// A GPU with the kernels that have been compiled so far.
#[derive(Debug)]
pub struct Runner {
    gpu: Gpu,
    modules: RefCell<HashMap<String, Rc<Module>>>,
}

/// A surface access: its instruction, its coordinates, and the bytes that it stores.
pub(crate) type CardAccess = (SurfaceForm, Coordinates<u32>, [u8; 16]);

/// Threads of a CTA.
const BLOCK: u32 = 128;
/// Fetches per launch, which take 96 MiB of the GPU's memory.
const LAUNCH: usize = 1 << 20;

impl Runner {
    /// A runner for this GPU.
    pub fn new(gpu: Gpu) -> Self {
        Self { gpu, modules: RefCell::default() }
    }

    /// The GPU.
    pub fn gpu(&self) -> &Gpu {
        &self.gpu
    }

    fn module(&self, ptx: String) -> Result<Rc<Module>, GpuError> {
        if let Some(module) = self.modules.borrow().get(&ptx) {
            return Ok(Rc::clone(module));
        }
        let module = Rc::new(self.gpu.module(&ptx)?);
        self.modules.borrow_mut().insert(ptx, Rc::clone(&module));
        Ok(module)
    }

    /// Runs fetches of a texture, one per thread.
    ///
    /// # Errors
    /// CUDA cannot express the resource or state, or the driver's error.
    pub fn fetch(
        &self,
        form: FetchForm,
        texture: &Texture,
        sampler: &Sampler,
        fetches: &[FetchOperands],
    ) -> Result<Vec<FetchValue>, GpuError> {
        let uses = Uses { gather: matches!(form.kind, FetchKind::Gather(_)), surface: false };
        let resource = CardResource::new(&self.gpu, &texture.resource, uses)?;
        let card = CardObject::texture(&resource, texture, sampler)?;
        let module = self.module(ptx::fetch_kernel(&form))?;
        let mut answers = Vec::with_capacity(fetches.len());
        for fetches in fetches.chunks(LAUNCH) {
            answers.extend(self.launch(&module, card.handle(), (form.geometry, fetches))?);
        }
        Ok(answers)
    }

    /// Runs the fetches of one launch.
    fn launch(
        &self,
        module: &Module,
        texture: u64,
        (geometry, fetches): (Geometry, &[FetchOperands]),
    ) -> Result<Vec<FetchValue>, GpuError> {
        let operands = fetches.iter().flat_map(|o| operand_bytes(geometry, o));
        let operands = self.gpu.buffer(&operands.collect::<Vec<_>>())?;
        let answers = self.gpu.buffer(&vec![0; fetches.len() * ANSWER_WORDS * 4])?;
        let count = fetches.len() as u32;
        let shape =
            LaunchShape { grid: [count.div_ceil(BLOCK), 1, 1], block: [BLOCK, 1, 1], shared: 0 };
        let arguments = [
            texture.to_le_bytes().to_vec(),
            operands.address().to_le_bytes().to_vec(),
            answers.address().to_le_bytes().to_vec(),
            count.to_le_bytes().to_vec(),
        ];
        module.launch("fetch", shape, &arguments)?;
        Ok(self::answers(&answers.read()?))
    }

    /// Runs accesses to a surface, one after the other, or, for a warp, all at once with the first
    /// access's instruction. Returns the bytes at each access's location afterwards (for a load,
    /// the loaded bytes), and all texels at the end.
    pub fn surface(
        &self,
        resource: &Resource,
        accesses: &[CardAccess],
        warp: bool,
    ) -> Result<(Vec<[u8; 16]>, Vec<u8>), GpuError> {
        let card = CardResource::new(&self.gpu, resource, Uses { surface: true, gather: false })?;
        let surface = CardObject::surface(&card)?;
        let together = if warp { accesses.len().max(1) } else { 1 };
        let data = self.gpu.buffer(&vec![0; together * ACCESS_WORDS * 4])?;
        let arguments =
            [surface.handle().to_le_bytes().to_vec(), data.address().to_le_bytes().to_vec()];
        let shape = LaunchShape { grid: [1; 3], block: [together as u32, 1, 1], shared: 0 };
        let mut results = Vec::with_capacity(accesses.len());
        for together in accesses.chunks(together) {
            let module = self.module(ptx::surface_kernel(&together[0].0))?;
            let words = together.iter().flat_map(|(form, coords, bytes)| {
                let coords: [u32; 4] = coords.padded(form.geometry);
                coords.into_iter().flat_map(u32::to_le_bytes).chain(*bytes)
            });
            data.write(&words.collect::<Vec<_>>())?;
            module.launch("access", shape, &arguments)?;
            let after = data.read()?;
            let (after, _) = after.as_chunks::<{ ACCESS_WORDS * 4 }>();
            results.extend(after.iter().map(|access| std::array::from_fn(|i| access[16 + i])));
        }
        Ok((results, card.read()?))
    }
}

/// The results that a kernel has written.
pub(crate) fn answers(bytes: &[u8]) -> Vec<FetchValue> {
    let answer = |answer: &[u8; ANSWER_WORDS * 4]| {
        let (words, _) = answer.as_chunks::<4>();
        let word = |i: usize| u32::from_le_bytes(words[i]);
        FetchValue { values: [0, 1, 2, 3].map(word), resident: word(4) != 0 }
    };
    bytes.as_chunks().0.iter().map(answer).collect()
}

/// A fetch's operands in the layout that the kernel reads, with coordinates in the order of the
/// instruction.
pub(crate) fn operand_bytes(
    geometry: Geometry,
    operands: &FetchOperands,
) -> [u8; OPERAND_WORDS * 4] {
    let FetchOperands { coords, offset, level, dpdx, dpdy, compare } = *operands;
    let all = coords
        .padded::<4>(geometry)
        .into_iter()
        .chain(offset.map(|o| o as u32))
        .chain([level])
        .chain(dpdx)
        .chain(dpdy)
        .chain([compare, 0]);
    let mut bytes = [0; OPERAND_WORDS * 4];
    for (place, word) in bytes.chunks_exact_mut(4).zip(all) {
        place.copy_from_slice(&word.to_le_bytes());
    }
    bytes
}
