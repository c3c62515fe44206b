//! Fetches of whole arrays: reads the operands in blocks, fetches each block with a plan, and
//! writes the results as array elements.

use crate::error::{Result, SampleError};
use crate::fill::Operand;
use crate::request::{Action, Request, Slot};
use crate::texture::Texture;
use std::cell::Cell;
use std::ops::Range;
use std::sync::Arc;
use texunit_memory::hint;
use texunit_texel::Dtype;
use texunit_unit::{
    Coordinates, FetchArrays, FetchForm, FetchOperands, FetchPlan, ResultType, Scratch,
};

/// Fetches per block, chosen so that the operands and results of a block stay in the L1 cache.
const BLOCK: usize = 4096;

/// Results of at least this many bytes are written around the caches, which could not hold them
/// anyway.
const AROUND_CACHES: usize = 32 << 20;

/// Minimum number of fetches per thread.
const WORTH_A_THREAD: usize = 1 << 14;

/// A prepared call: a plan, its operands, and the shape and type of the result.
#[derive(Clone, Debug)]
pub struct Call<'a> {
    plan: Arc<FetchPlan>,
    operands: Vec<(Slot, Operand<'a>)>,
    fetches: usize,
    /// Shape of the result.
    shape: Vec<usize>,
    dtype: Dtype,
    /// Registers that each fetch writes: 1, 2 or 4.
    registers: usize,
}

impl Texture {
    /// Checks a request and prepares its fetches; shape and type of the result are known, and
    /// nothing has been fetched.
    pub fn call<'a>(&self, request: Request<'a>) -> Result<Call<'a>> {
        Call::new(self, request)
    }
}

impl<'a> Call<'a> {
    pub(crate) fn new(texture: &Texture, request: Request<'a>) -> Result<Self> {
        let (result, own) = texture.result();
        let form = texture.form(&request)?;
        let dtype = match (request.registers, request.half) {
            (false, false) => own,
            (false, true) => Dtype::F16,
            // With `registers`, an f16 result stays in the low half of a 32-bit element.
            (true, true) => Dtype::U32,
            (true, false) => match result {
                ResultType::U32 => Dtype::U32,
                ResultType::S32 => Dtype::S32,
                _ => Dtype::F32,
            },
        };
        let action = request.action;
        let all = request.registers;
        let (mut shape, operands) = request.operands(form)?;
        let plan = texture.plan(form)?;
        let registers = match action {
            _ if all => 4,
            Action::Gather(_) => 4,
            _ if plan.effective().compare.is_some() => 1,
            _ => texture.channels(),
        };
        let fetches = shape.iter().product();
        if registers > 1 {
            shape.push(registers);
        }
        Ok(Self { plan, operands, fetches, shape, dtype, registers })
    }

    /// The instruction that the call executes.
    pub fn form(&self) -> FetchForm {
        self.plan.form()
    }

    /// Number of fetches that the call executes.
    pub fn fetches(&self) -> usize {
        self.fetches
    }

    /// Shape of the result (rule R1).
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// Element type of the result (rules R4 and R5).
    pub fn dtype(&self) -> Dtype {
        self.dtype
    }

    /// Size in bytes of the result of one fetch.
    fn size(&self) -> usize {
        self.registers * self.dtype.size()
    }

    /// Size in bytes of the results of all fetches.
    pub fn byte_size(&self) -> usize {
        self.fetches * self.size()
    }

    /// Executes all fetches and writes the elements of the results to `out` in C order. `threads`
    /// is the number of threads, 0 for one per CPU; small calls use fewer.
    pub fn run(&self, out: &mut [u8], threads: usize) -> Result<()> {
        let needed = self.byte_size();
        if out.len() != needed {
            return Err(SampleError::Out { found: out.len(), needed });
        }
        self.run_from(0, out, threads)
    }

    /// As [`Self::run`], but executes only as many fetches as `out` has room for, beginning with
    /// number `first`: a part of a long call.
    pub fn run_from(&self, first: usize, out: &mut [u8], threads: usize) -> Result<()> {
        let (found, size) = (out.len(), self.size());
        let needed = self.fetches.saturating_sub(first) * size;
        if found > needed || !found.is_multiple_of(size) {
            return Err(SampleError::Out { found, needed });
        }
        let fetches = found / size;
        let threads = if threads == 0 { texunit_threads::cores() } else { threads };
        let threads = threads.min(fetches.div_ceil(WORTH_A_THREAD)).max(1);
        if threads == 1 {
            return self.part(first, out);
        }
        let part = fetches.div_ceil(threads).next_multiple_of(BLOCK);
        let parts = (first..).step_by(part).zip(out.chunks_mut(part * size));
        let results = texunit_threads::each(parts, |(first, out)| self.part(first, out));
        // If several threads fail, the first error in the order of fetches is returned.
        results.into_iter().collect()
    }

    /// The operands of one fetch, given its index in C order.
    pub fn operands(&self, index: usize) -> Result<FetchOperands> {
        let mut worker = Worker::new(self, 1);
        if index >= self.fetches {
            let rule = "there is no such fetch";
            return Err(SampleError::Range { what: "fetch", value: index as i128, rule });
        }
        worker.fill(self, index..index + 1)?;
        let arrays = arrays(self, &worker.registers, index..index + 1);
        let first = |array: &[u32]| array.first().copied().unwrap_or(0);
        Ok(FetchOperands {
            coords: arrays.coords.map(first),
            offset: arrays.offset.map(|array| first(array) as i32),
            level: first(arrays.level),
            dpdx: arrays.dpdx.map(first),
            dpdy: arrays.dpdy.map(first),
            compare: first(arrays.compare),
        })
    }

    /// Mask of the requested components, bit 0 for x.
    fn components(&self) -> u8 {
        (1 << self.registers) - 1
    }

    /// The points of all fetches as a slice, if x and y are the only operands and are stored as
    /// adjacent pairs.
    fn pairs(&self) -> Option<&'a [[u32; 2]]> {
        match &self.operands[..] {
            [(Slot::Point(0), x), (Slot::Point(1), y)] => x.pairs(y),
            _ => None,
        }
    }

    /// Executes the fetches from `first` on, as many as `out` has room for.
    fn part(&self, first: usize, out: &mut [u8]) -> Result<()> {
        let mut worker = Worker::new(self, (out.len() / self.size()).min(BLOCK));
        worker.pairs = self.pairs();
        let is_staged = self.byte_size() >= AROUND_CACHES;
        let mut staged = vec![0; if is_staged { BLOCK * self.size() } else { 0 }];
        for (block, out) in out.chunks_mut(BLOCK * self.size()).enumerate() {
            let start = first + block * BLOCK;
            let range = start..start + out.len() / self.size();
            if worker.pairs.is_none() {
                worker.fill(self, range.clone())?;
            }
            if is_staged {
                let staged = &mut staged[..out.len()];
                worker.fetch(self, range, staged);
                hint::copy_around_caches(out, staged);
            } else {
                worker.fetch(self, range, out);
            }
        }
        Ok(())
    }
}

/// The buffers with which one thread executes blocks of fetches.
struct Worker<'a> {
    /// The registers of each operand of the call.
    registers: Vec<Registers<'a>>,
    /// The coordinates x and y of each fetch as adjacent numbers, if the fetches read these instead
    /// of `registers`.
    pairs: Option<&'a [[u32; 2]]>,
    results: [Vec<u32>; 4],
    scratch: Borrowed,
}

/// The registers of an operand, one for each fetch.
enum Registers<'a> {
    /// The registers of all fetches: the operand's array itself, whose elements are the registers.
    There(&'a [u32]),
    /// The registers of the current block of fetches, converted from the operand's array.
    Filled(Vec<u32>),
    /// The registers of a block of an operand that has one value for all fetches, and whether they
    /// have been filled.
    Constant(Vec<u32>, bool),
}

impl Registers<'_> {
    /// The operand's registers for a range of fetches.
    fn of(&self, range: &Range<usize>) -> &[u32] {
        match self {
            Self::There(all) => &all[range.clone()],
            Self::Filled(block) | Self::Constant(block, _) => &block[..range.len()],
        }
    }
}

impl<'a> Worker<'a> {
    fn new(call: &Call<'a>, block: usize) -> Self {
        let registers = |(_, operand): &(Slot, Operand<'a>)| match operand.registers() {
            Some(all) => Registers::There(all),
            None if operand.walk.is_constant() => Registers::Constant(vec![0; block], false),
            None => Registers::Filled(vec![0; block]),
        };
        let results = |register| vec![0; if register < call.registers { block } else { 0 }];
        Self {
            registers: call.operands.iter().map(registers).collect(),
            pairs: None,
            results: std::array::from_fn(results),
            scratch: Borrowed::new(),
        }
    }

    fn fill(&mut self, call: &Call<'_>, range: Range<usize>) -> Result<()> {
        for ((_, operand), registers) in call.operands.iter().zip(&mut self.registers) {
            let block = match registers {
                Registers::There(_) | Registers::Constant(_, true) => continue,
                Registers::Filled(block) => block,
                // The first block is the longest, so its contents serve all blocks.
                Registers::Constant(block, is_filled) => {
                    *is_filled = true;
                    block
                }
            };
            operand.fill(range.clone(), &mut block[..range.len()])?;
        }
        Ok(())
    }

    /// Executes the fetches of one block and writes their elements to `out`.
    fn fetch(&mut self, call: &Call<'_>, range: Range<usize>, out: &mut [u8]) {
        let Self { registers, pairs, results, scratch } = self;
        let (count, size) = (range.len(), call.dtype.size());
        let mut fetch = |results: [&mut [u32]; 4]| {
            let (plan, scratch, range) = (&call.plan, scratch.get(), range.clone());
            let fetched = match pairs {
                Some(pairs) => plan.fetch_pairs(&pairs[range], call.components(), results, scratch),
                None => plan.fetch_arrays(&arrays(call, registers, range), results, scratch),
            };
            fetched.expect("all arrays have the length of the block");
        };
        // If a register is an element and `out` is aligned, results are written to `out` directly.
        if call.registers == 1
            && size == 4
            && cfg!(target_endian = "little")
            && let Ok(elements) = bytemuck::try_cast_slice_mut(out)
        {
            return fetch([elements, &mut [], &mut [], &mut []]);
        }
        fetch(results.each_mut().map(|results| {
            let count = count.min(results.len());
            &mut results[..count]
        }));
        let results = results.each_ref().map(|results| &results[..results.len().min(count)]);
        interleave(out, size, &results[..call.registers]);
    }
}

/// The operands of a range of fetches, from the registers of each operand.
fn arrays<'a>(call: &Call, registers: &'a [Registers<'_>], range: Range<usize>) -> FetchArrays<'a> {
    let mut arrays = FetchArrays::new(Coordinates::at([&[][..]; 3], &[][..]));
    arrays.components = call.components();
    for ((slot, _), registers) in call.operands.iter().zip(registers) {
        let place = match *slot {
            Slot::Point(axis) => &mut arrays.coords.point[axis],
            Slot::Layer => &mut arrays.coords.layer,
            Slot::Sample => &mut arrays.coords.sample,
            Slot::Level => &mut arrays.level,
            Slot::Dpdx(axis) => &mut arrays.dpdx[axis],
            Slot::Dpdy(axis) => &mut arrays.dpdy[axis],
            Slot::Offset(axis) => &mut arrays.offset[axis],
            Slot::Compare => &mut arrays.compare,
        };
        *place = registers.of(&range);
    }
    arrays
}

thread_local! {
    /// The thread's scratch space, which calls borrow, because allocating it takes longer than a
    /// few fetches.
    static SCRATCH: Cell<Option<Box<Scratch>>> = const { Cell::new(None) };
}

/// Scratch space borrowed from the thread, and returned on drop.
#[derive(Debug)]
pub(crate) struct Borrowed(Option<Box<Scratch>>);

impl Borrowed {
    pub(crate) fn new() -> Self {
        Self(SCRATCH.try_with(Cell::take).unwrap_or_default())
    }

    pub(crate) fn get(&mut self) -> &mut Scratch {
        self.0.get_or_insert_default()
    }
}

impl Drop for Borrowed {
    fn drop(&mut self) {
        let _ = SCRATCH.try_with(|scratch| scratch.set(self.0.take()));
    }
}

/// Writes the low `size` bytes of each result register to `out`, with the registers of one fetch
/// adjacent. `from` has one slice per register, with an element for each fetch.
fn interleave(out: &mut [u8], size: usize, from: &[&[u32]]) {
    match (from, size) {
        (&[x], 4) => texels::<1, 4>(out, [x]),
        (&[x, y], 4) => two(out, x, y),
        (&[x, y, z, w], 4) => four(out, [x, y], [z, w]),
        (&[x], 2) => texels::<1, 2>(out, [x]),
        (&[x, y], 2) => texels::<2, 2>(out, [x, y]),
        (&[x, y, z, w], 2) => texels::<4, 2>(out, [x, y, z, w]),
        (&[x], _) => texels::<1, 1>(out, [x]),
        (&[x, y], _) => texels::<2, 1>(out, [x, y]),
        (&[x, y, z, w], _) => texels::<4, 1>(out, [x, y, z, w]),
        _ => unreachable!("formats have 1, 2 or 4 channels"),
    }
}

fn texels<const C: usize, const SIZE: usize>(out: &mut [u8], from: [&[u32]; C]) {
    let (elements, _) = out.as_chunks_mut::<SIZE>();
    let (texels, _) = elements.as_chunks_mut::<C>();
    // Slices of equal length let the compiler drop the bounds checks.
    let from = from.map(|register| &register[..texels.len()]);
    for (i, texel) in texels.iter_mut().enumerate() {
        for (element, register) in texel.iter_mut().zip(&from) {
            element.copy_from_slice(&register[i].to_le_bytes()[..SIZE]);
        }
    }
}

/// The bytes of two 32-bit words as of one 64-bit word, which the compiler vectorizes to shuffles.
fn pair(low: u32, high: u32) -> [u8; 8] {
    (u64::from(low) | u64::from(high) << 32).to_le_bytes()
}

/// Interleaves two registers per fetch into texels of two 32-bit words.
fn two(out: &mut [u8], x: &[u32], y: &[u32]) {
    let (texels, _) = out.as_chunks_mut::<8>();
    for ((texel, &x), &y) in texels.iter_mut().zip(x).zip(y) {
        *texel = pair(x, y);
    }
}

/// Interleaves four registers per fetch into texels of four 32-bit words.
fn four(out: &mut [u8], [x, y]: [&[u32]; 2], [z, w]: [&[u32]; 2]) {
    let (halves, _) = out.as_chunks_mut::<8>();
    let (texels, _) = halves.as_chunks_mut::<2>();
    let low = x.iter().zip(y);
    let high = z.iter().zip(w);
    for ((texel, (&x, &y)), (&z, &w)) in texels.iter_mut().zip(low).zip(high) {
        *texel = [pair(x, y), pair(z, w)];
    }
}
