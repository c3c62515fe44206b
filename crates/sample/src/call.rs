//! Fetches of whole arrays: operands are read in blocks, fetched by a plan, and written as the
//! elements of the result.

use crate::error::SampleError;
use crate::fill::Operand;
use crate::input::Dtype;
use crate::interleave::interleave;
use crate::request::{Action, Request, Slot};
use crate::texture::Texture;
use std::cell::Cell;
use std::num::NonZero;
use std::ops::Range;
use std::sync::Arc;
use texunit_unit::{
    Coordinates, FetchArrays, FetchForm, FetchOperands, FetchPlan, ResultType, Scratch,
};

/// Fetches of a block: what is read and written of it stays in the nearest cache.
const BLOCK: usize = 2048;

/// Fetches that are worth a thread.
const WORTH_A_THREAD: usize = 1 << 14;

/// Fetches that are made ready.
#[derive(Clone, Debug)]
pub struct Call<'a> {
    plan: Arc<FetchPlan>,
    operands: Vec<(Slot, Operand<'a>)>,
    fetches: usize,
    /// Of the result.
    shape: Vec<usize>,
    dtype: Dtype,
    /// Registers that are written: 1, 2 or 4.
    registers: usize,
}

impl<'a> Call<'a> {
    pub(crate) fn new(texture: &Texture, request: Request<'a>) -> Result<Self, SampleError> {
        let (result, own) = texture.result();
        let form = texture.form(&request)?;
        let dtype = match (request.registers, request.half) {
            (false, false) => own,
            (false, true) => Dtype::F16,
            // A half is the low one of its register.
            (true, true) => Dtype::U32,
            (true, false) => match result {
                ResultType::U32 => Dtype::U32,
                ResultType::S32 => Dtype::S32,
                _ => Dtype::F32,
            },
        };
        let registers = match request.action {
            _ if request.registers => 4,
            Action::Gather(_) => 4,
            _ if form.compare && texture.sampler().compare.is_some() => 1,
            _ => texture.channels(),
        };
        let (mut shape, operands) = request.operands(form)?;
        let plan = texture.plan(form)?;
        let fetches = shape.iter().product();
        if registers > 1 {
            shape.push(registers);
        }
        Ok(Self { plan, operands, fetches, shape, dtype, registers })
    }

    /// The instruction.
    pub fn form(&self) -> FetchForm {
        self.plan.form()
    }

    /// Number of fetches.
    pub fn fetches(&self) -> usize {
        self.fetches
    }

    /// Shape of the result: R1.
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// Type of its elements: R4 and R5.
    pub fn dtype(&self) -> Dtype {
        self.dtype
    }

    /// Bytes of a fetch's results.
    fn size(&self) -> usize {
        self.registers * self.dtype.size()
    }

    /// Bytes of the result.
    pub fn byte_size(&self) -> usize {
        self.fetches * self.size()
    }

    /// Fetches; the elements of the result lie in C order in `out`. `threads` is how many work, 0 one for
    /// each CPU; small calls take fewer.
    pub fn run(&self, out: &mut [u8], threads: usize) -> Result<(), SampleError> {
        let needed = self.byte_size();
        if out.len() != needed {
            return Err(SampleError::Out { found: out.len(), needed });
        }
        let cpus = || std::thread::available_parallelism().map_or(1, NonZero::get);
        let threads = if threads == 0 { cpus() } else { threads };
        let threads = threads.min(self.fetches.div_ceil(WORTH_A_THREAD)).max(1);
        if threads == 1 {
            return self.part(0, out);
        }
        let part = self.fetches.div_ceil(threads).next_multiple_of(BLOCK);
        std::thread::scope(|scope| {
            let parts = (0..).step_by(part).zip(out.chunks_mut(part * self.size()));
            let workers: Vec<_> =
                parts.map(|(first, out)| scope.spawn(move || self.part(first, out))).collect();
            let join = |worker: std::thread::ScopedJoinHandle<'_, _>| {
                worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
            };
            // All are waited for; the first error in the order of fetches is told.
            let results: Vec<Result<(), SampleError>> = workers.into_iter().map(join).collect();
            results.into_iter().collect()
        })
    }

    /// The operands of one fetch, by its number in C order.
    pub fn operands(&self, index: usize) -> Result<FetchOperands, SampleError> {
        let mut worker = Worker::new(self, 1);
        if index >= self.fetches {
            let rule = "there is no such fetch";
            return Err(SampleError::Range { what: "fetch", value: index as i128, rule });
        }
        worker.fill(self, index..index + 1)?;
        let arrays = worker.arrays(self, 1);
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

    /// The fetches from `first` on, as many as `out` has room for.
    fn part(&self, first: usize, out: &mut [u8]) -> Result<(), SampleError> {
        let fetches = out.len() / self.size();
        let mut worker = Worker::new(self, fetches.min(BLOCK));
        for (block, out) in out.chunks_mut(BLOCK * self.size()).enumerate() {
            let (start, count) = (first + block * BLOCK, out.len() / self.size());
            worker.fill(self, start..start + count)?;
            worker.fetch(self, count);
            let results =
                worker.results.each_ref().map(|results| &results[..results.len().min(count)]);
            interleave(out, self.dtype.size(), &results[..self.registers]);
        }
        Ok(())
    }
}

/// What a thread works with.
struct Worker {
    /// Registers of each operand.
    registers: Vec<Vec<u32>>,
    /// Whether those that are the same for all fetches are there.
    has_constants: bool,
    results: [Vec<u32>; 4],
    /// There until it is dropped.
    scratch: Option<Box<Scratch>>,
}

thread_local! {
    /// The scratch space of this thread, where no call has it: to make one takes longer than a few fetches.
    static SCRATCH: Cell<Option<Box<Scratch>>> = const { Cell::new(None) };
}

impl Drop for Worker {
    fn drop(&mut self) {
        SCRATCH.set(self.scratch.take());
    }
}

impl Worker {
    fn new(call: &Call<'_>, block: usize) -> Self {
        let room = |used: bool| vec![0; if used { block } else { 0 }];
        Self {
            registers: call.operands.iter().map(|_| room(true)).collect(),
            has_constants: false,
            results: std::array::from_fn(|register| room(register < call.registers)),
            scratch: Some(SCRATCH.take().unwrap_or_default()),
        }
    }

    fn fill(&mut self, call: &Call<'_>, range: Range<usize>) -> Result<(), SampleError> {
        for ((_, operand), registers) in call.operands.iter().zip(&mut self.registers) {
            if operand.walk.is_constant() {
                // The first block is the longest.
                if !self.has_constants {
                    operand.fill(range.clone(), &mut registers[..range.len()])?;
                }
            } else {
                operand.fill(range.clone(), &mut registers[..range.len()])?;
            }
        }
        self.has_constants = true;
        Ok(())
    }

    /// The operands of the first `count` fetches of the block.
    fn arrays(&self, call: &Call<'_>, count: usize) -> FetchArrays<'_> {
        arrays(call, &self.registers, count)
    }

    fn fetch(&mut self, call: &Call<'_>, count: usize) {
        let Self { registers, results, scratch, .. } = self;
        let out = results.each_mut().map(|results| {
            let count = count.min(results.len());
            &mut results[..count]
        });
        let scratch = scratch.get_or_insert_default();
        let fetched = call.plan.fetch_arrays(&arrays(call, registers, count), out, scratch);
        fetched.expect("all arrays have the length of the block");
    }
}

/// The operands of the first `count` fetches of a block, from the registers of each.
fn arrays<'a>(call: &Call<'_>, registers: &'a [Vec<u32>], count: usize) -> FetchArrays<'a> {
    let mut arrays = FetchArrays::new(Coordinates::at([&[][..]; 3], &[][..]));
    arrays.components = (1 << call.registers) - 1;
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
        *place = &registers[..count];
    }
    arrays
}
