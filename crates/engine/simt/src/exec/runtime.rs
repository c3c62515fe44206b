//! Executes calls of the device runtime (module `crate::runtime`) lane by lane: answers queries,
//! and submits work to the grid.

mod copies;

use super::builtins::give_back;
use super::context::Context;
use super::memory::space_at;
use super::outcome::{Done, PendingFault, fault_of_all};
use super::warp::{Split, Warp, lanes, lanes_where};
use crate::code::{BuiltinCall, MemSpace, Value};
use crate::fault::FaultKind;
use crate::lower::{KernelId, function_of_address};
use crate::observe::{At, CallEvent, Events};
use crate::runtime::{
    Function, KernelAttributes, Pitched, Prepared, Runtime, Shape, Target, Task, code,
};

/// `cudaStreamNonBlocking` and `cudaEventDisableTiming`, the only valid flags.
const STREAM_FLAGS: u64 = 1;
const EVENT_FLAGS: u64 = 2;
/// The number of the four-byte bank size (`cudaSharedMemBankSizeFourByte`).
const FOUR_BYTE_BANKS: u64 = 1;
/// Alignment of device-heap allocations by `cudaMalloc` and launches.
const ALIGN: u64 = 256;
/// Why a call of the device runtime fails.
enum Failed {
    /// The call returns an error code.
    Code(u32),
    /// An argument points to invalid memory, or a kernel that the call waits for has a fault.
    Fault(Box<PendingFault>),
}

impl From<u32> for Failed {
    fn from(code: u32) -> Self {
        Self::Code(code)
    }
}

impl From<Box<PendingFault>> for Failed {
    fn from(fault: Box<PendingFault>) -> Self {
        Self::Fault(fault)
    }
}

/// A call of the device runtime in one lane.
struct Call<'c, 'a, 'w> {
    context: &'c mut Context<'a>,
    warp: &'w mut Warp,
    split: Split,
    lane: usize,
    runtime: Runtime<'a>,
    is_per_thread: bool,
    /// Address and size of memory that the call has allocated, and the address of memory that it
    /// has freed.
    got: (u64, u64),
    gave: u64,
}

impl Context<'_> {
    /// Executes a call in the lanes of a split for which the guard holds.
    pub(super) fn runtime(
        &mut self,
        warp: &mut Warp,
        split: &Split,
        call: &BuiltinCall,
        mask: u32,
    ) -> Done {
        let Some(runtime) = self.launch.config.runtime else {
            let why = "a call of the device runtime, which this launch does not have";
            return fault_of_all(FaultKind::BadOperand(why.to_owned()));
        };
        self.record_side_effect();
        let (function, mut results) = (call.function.function, [0; 32]);
        let [mut got, mut sizes, mut gave] = [[0; 32]; 3];
        for lane in lanes(mask) {
            let words = self.words_of(warp, call, lane);
            let mut of = Call {
                split: *split,
                lane,
                runtime,
                is_per_thread: call.function.is_per_thread,
                got: (0, 0),
                gave: 0,
                warp: &mut *warp,
                context: &mut *self,
            };
            let answer = of.answer(function, &words);
            ((got[lane], sizes[lane]), gave[lane]) = (of.got, of.gave);
            results[lane] = match answer {
                Ok(value) => value,
                Err(Failed::Fault(fault)) => return Err(fault),
                Err(Failed::Code(failed)) => {
                    self.last_errors.insert(32 * warp.index + lane as u32, failed);
                    // The result of a failed allocation is null.
                    if function.result() == 8 { 0 } else { failed.into() }
                }
            };
        }
        if function.uses_heap() || gave != [0; 32] {
            self.notify_memory(warp, (mask, split.pc), (&sizes, &got, &gave));
        }
        give_back(warp, call.result, (&results, function.result()), mask);
        Ok(())
    }

    /// The arguments of a lane as words.
    pub(super) fn words_of(&self, warp: &Warp, call: &BuiltinCall, lane: usize) -> Vec<u64> {
        let mut words = Vec::new();
        for (&value, &size) in call.arguments.iter().zip(call.function.sizes) {
            let step = if size == 12 { 4 } else { size.min(8) };
            words.extend((0..size / step).map(|i| {
                let value = match value {
                    Value::Frame(at) => Value::Frame(at + u32::from(i * step)),
                    value => value,
                };
                let word = self.passed(warp, value, lane, step);
                if step == 4 { word & u64::from(u32::MAX) } else { word }
            }));
        }
        words
    }

    fn notify_memory(
        &mut self,
        warp: &Warp,
        (mask, pc): (u32, u32),
        (sizes, got, gave): (&[u64; 32], &[u64; 32], &[u64; 32]),
    ) {
        if !self.events.intersects(Events::CALLS | Events::HEAP) {
            return;
        }
        let those = |rows: &[u64; 32]| lanes_where(mask, |lane| rows[lane] != 0);
        let at = |lanes| At { lanes, ..self.at(warp, mask, pc) };
        let (new, old) = (at(those(got)), at(those(gave)));
        if new.lanes != 0 {
            self.notify_call(new, &CallEvent::Allocates { sizes, addresses: got });
        }
        if old.lanes != 0 {
            self.notify_call(old, &CallEvent::Frees { addresses: gave });
        }
    }

    /// Frees parameter buffers that the threads of a launch did not release.
    pub(super) fn free_buffers(config: &crate::LaunchConfig<'_>) {
        let (Some(runtime), Some(heap)) = (config.runtime, config.heap) else { return };
        // The parameter buffers are freed, because only this launch refers to them.
        runtime.grid.take_buffers().for_each(|buffer| drop(heap.free(buffer)));
    }
}

impl Call<'_, '_, '_> {
    fn answer(&mut self, function: Function, words: &[u64]) -> Result<u64, Failed> {
        use Function as F;
        let at = |i: usize| words.get(i).copied().unwrap_or(0);
        let row = |i, row| Pitched { address: at(i), row, slice: 0 };
        let (runtime, number) = (self.runtime, self.thread());
        let host = runtime.host;
        match function {
            F::Printf | F::AssertFail | F::Allocate | F::Deallocate => {}
            F::GetLastError => {
                return Ok(self.context.last_errors.remove(&number).unwrap_or(0).into());
            }
            F::PeekAtLastError => {
                let last = self.context.last_errors.get(&number);
                return Ok(last.copied().unwrap_or(0).into());
            }
            F::GetErrorName => return self.text(&host.error(at(0) as u32).0),
            F::GetErrorString => return self.text(&host.error(at(0) as u32).1),
            F::GetParameterBuffer => return self.buffer(at(1), at(0), None),
            F::GetParameterBufferV2 => {
                let shape = shape(&words[1..]);
                let kernel = self.kernel(at(0))?;
                host.accepts(kernel, &shape)?;
                runtime.grid.check_depth()?;
                let size = self.context.launch.program.param_size(kernel);
                return self.buffer(size.into(), ALIGN, Some((kernel, shape)));
            }
            F::LaunchDeviceV2 => self.launch(at(0), None, at(1))?,
            F::LaunchDevice => {
                let launch = (self.kernel(at(0))?, shape(&words[2..]));
                self.launch(at(1), Some(launch), at(9))?;
            }
            F::DeviceSynchronize => self.synchronize()?,
            F::DeviceGetAttribute => {
                let value = host.attribute(at(2) as i32, at(1) as i32)?;
                self.store(at(0), 4, value as u64)?;
            }
            F::DeviceGetLimit => {
                let value = host.limit(at(1) as u32)?;
                self.store(at(0), 8, value)?;
            }
            F::DeviceGetCacheConfig => self.store(at(0), 4, 0)?,
            F::DeviceGetSharedMemConfig => self.store(at(0), 4, FOUR_BYTE_BANKS)?,
            F::GetDevice => self.store(at(0), 4, host.device().0 as u64)?,
            F::GetDeviceCount => self.store(at(0), 4, host.device().1 as u64)?,
            F::RuntimeGetVersion => self.store(at(0), 4, host.version() as u64)?,
            F::FuncGetAttributes => {
                let kernel = self.kernel(at(1))?;
                self.attributes(at(0), &host.kernel(kernel))?;
            }
            F::Occupancy => {
                let kernel = self.kernel(at(1))?;
                let threads = u32::try_from(at(2) as i32).map_err(|_| code::INVALID_VALUE)?;
                self.store(at(0), 4, host.occupancy(kernel, threads, at(3)) as u64)?;
            }
            F::StreamCreateWithFlags if at(1) != STREAM_FLAGS => {
                return Err(code::INVALID_VALUE.into());
            }
            F::StreamCreateWithFlags => {
                let stream = runtime.grid.create_stream()?;
                self.store(at(0), 8, stream)?;
            }
            F::StreamDestroy => runtime.grid.destroy_stream(at(0))?,
            F::StreamWaitEvent => runtime.grid.wait(self.target(at(0)), at(1))?,
            F::EventCreateWithFlags if at(1) != EVENT_FLAGS => {
                return Err(code::INVALID_VALUE.into());
            }
            F::EventCreateWithFlags => {
                let event = runtime.grid.create_event()?;
                self.store(at(0), 8, event)?;
            }
            F::EventDestroy => runtime.grid.destroy_event(at(0))?,
            F::EventRecord => runtime.grid.record(at(0), self.target(at(1)))?,
            F::Malloc => {
                let pointer = match at(1) {
                    0 => 0,
                    size => self.allocate(size, ALIGN).ok_or(code::MEMORY_ALLOCATION)?,
                };
                self.store(at(0), 8, pointer)?;
            }
            F::Free => self.free(at(0))?,
            F::MemcpyAsync => {
                self.copy((row(0, 0), row(1, 0)), [at(2), 1, 1], (at(3), at(4)))?;
            }
            F::Memcpy2DAsync => {
                let extent = [at(4), at(5), 1];
                self.copy((row(0, at(1)), row(2, at(3))), extent, (at(6), at(7)))?;
            }
            F::Memcpy3DAsync => self.copy_box(at(0), at(1))?,
            F::MemsetAsync => self.fill(row(0, 0), at(1), [at(2), 1, 1], at(3))?,
            F::Memset2DAsync => self.fill(row(0, at(1)), at(2), [at(3), at(4), 1], at(5))?,
            F::Memset3DAsync => {
                let slice = at(1).saturating_mul(at(3));
                let to = Pitched { address: at(0), row: at(1), slice };
                self.fill(to, at(4), [at(5), at(6), at(7)], at(8))?;
            }
        }
        Ok(0)
    }

    fn thread(&self) -> u32 {
        32 * self.warp.index + self.lane as u32
    }

    fn target(&self, stream: u64) -> Target {
        let (cta, thread) = (self.context.cta_number(), self.thread());
        Target { stream, is_per_thread: self.is_per_thread, cta, thread }
    }

    /// The kernel that a function pointer refers to.
    fn kernel(&self, address: u64) -> Result<KernelId, u32> {
        let program = self.context.launch.program;
        let function = function_of_address(address).and_then(|f| program.kernel_of(f));
        function.ok_or(code::INVALID_DEVICE_FUNCTION)
    }

    fn load(&mut self, address: u64, size: u8) -> Result<u64, Failed> {
        let place = (MemSpace::Generic, address);
        Ok(self.context.load_one(self.warp, self.lane, place, (size, size.into()))?)
    }

    /// Stores a result of the call at an address that one of its arguments gives.
    fn store(&mut self, address: u64, size: u8, value: u64) -> Result<(), Failed> {
        let (lane, place) = (self.lane, (MemSpace::Generic, address));
        self.context.store_one(self.warp, lane, place, (size, size.into()), value)?;
        let place = space_at(MemSpace::Generic, address);
        self.context.put_shadow(self.warp, self.lane, place, (size, 0));
        Ok(())
    }

    fn attributes(&mut self, address: u64, of: &KernelAttributes) -> Result<(), Failed> {
        let mut at = address;
        for size in of.sizes {
            self.store(at, 8, size)?;
            at = at.wrapping_add(8);
        }
        for number in of.numbers {
            self.store(at, 4, number as u64)?;
            at = at.wrapping_add(4);
        }
        Ok(())
    }

    fn allocate(&mut self, size: u64, align: u64) -> Option<u64> {
        let address = self.context.launch.config.heap?.allocate(size, align)?;
        self.context.undefine_heap(address, size);
        self.got = (address, size);
        Some(address)
    }

    fn free(&mut self, address: u64) -> Result<(), Failed> {
        if address != 0 {
            let heap = self.context.launch.config.heap.ok_or(code::INVALID_VALUE)?;
            heap.free(address).map_err(|_| code::INVALID_VALUE)?;
            self.gave = address;
        }
        Ok(())
    }

    /// The address of a text in the device heap. The heap never frees the text.
    fn text(&mut self, text: &str) -> Result<u64, Failed> {
        let heap = self.context.launch.config.heap;
        Ok(heap.and_then(|heap| heap.text(text)).ok_or(code::MEMORY_ALLOCATION)?)
    }

    /// Allocates a parameter buffer.
    fn buffer(&mut self, size: u64, align: u64, launch: Prepared) -> Result<u64, Failed> {
        let buffer =
            self.allocate(size.max(1), align.max(1)).ok_or(code::LAUNCH_OUT_OF_RESOURCES)?;
        self.runtime.grid.prepare(buffer, launch);
        Ok(buffer)
    }

    /// Launches the given kernel, or the kernel for which the parameter buffer was prepared. The
    /// buffer is released.
    fn launch(&mut self, buffer: u64, given: Prepared, stream: u64) -> Result<(), Failed> {
        let prepared = self.runtime.grid.take_buffer(buffer);
        let (kernel, shape) = given.or(prepared.flatten()).ok_or(code::INVALID_VALUE)?;
        let size = u64::from(self.context.launch.program.param_size(kernel));
        if buffer == 0 && size > 0 {
            return Err(code::INVALID_VALUE.into());
        }
        let byte = |i: u64| Ok(self.load(buffer.wrapping_add(i), 1)? as u8);
        let params = (0..size).map(byte).collect::<Result<Vec<u8>, Failed>>()?;
        if prepared.is_some() {
            self.free(buffer)?;
        }
        self.runtime.host.accepts(kernel, &shape)?;
        self.runtime.grid.check_depth()?;
        self.submit(stream, Task::Launch { kernel, shape, params })
    }

    fn submit(&mut self, stream: u64, task: Task) -> Result<(), Failed> {
        let caller = self.context.caller(self.warp, self.split, self.lane);
        let work = self.runtime.grid.submit(self.target(stream), caller, task)?;
        if self.context.events.intersects(Events::CALLS | Events::HEAP) {
            let at = self.context.at(self.warp, 1 << self.lane, self.split.pc);
            self.context.notify_call(at, &CallEvent::Launches { work });
        }
        Ok(())
    }

    /// Executes the work submitted by the CTA immediately.
    fn synchronize(&mut self) -> Result<(), Failed> {
        let grid = self.runtime.grid;
        if grid.depth() >= self.runtime.host.sync_depth() {
            return Err(code::SYNC_DEPTH_EXCEEDED.into());
        }
        let work = grid.take_of(self.context.cta_number());
        if !work.is_empty() {
            let printed = self.runtime.host.run_now(work);
            let printed =
                printed.map_err(|kind| Box::new(PendingFault { kind, lane: Some(self.lane) }))?;
            self.context.output.text.extend_from_slice(&printed);
            self.context.output.trim(self.context.launch.config.printf_limit);
        }
        Ok(())
    }
}

/// The launch shape (grid, CTA, shared memory) that the argument words of a call encode.
fn shape(words: &[u64]) -> Shape {
    let at = |i: usize| words.get(i).copied().unwrap_or(0) as u32;
    Shape { grid: [at(0), at(1), at(2)], block: [at(3), at(4), at(5)], dynamic_shared: at(6) }
}
