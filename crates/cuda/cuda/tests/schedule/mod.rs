//! Random sequences of driver API calls on several devices, generated from choices: contexts,
//! memory, streams, copies between devices, launches and cooperative launches, and calls that must
//! be refused. A model predicts the result of every call and the contents of all memory. The test
//! `devices` and the fuzz target `driver` share this code.

mod kernels;
mod launches;
mod memory;

use super::common::*;
use kernels::{Kernels, PTX};
use std::ptr::null_mut;
use texunit_cuda_abi::CUresult;
use texunit_testkit::Choices;

functions! {
    cuMemcpyHtoDAsync_v2(to: u64, from: *const u8, size: usize, stream: Ptr);
}

/// The devices, to be set as `TEXUNIT_DEVICE` before the first call.
pub(crate) const DEVICES: &str = "sm_86,sm_75,sm_61";

/// Number of calls, by category.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Tally {
    pub(crate) copies_between: u32,
    pub(crate) launches: u32,
    pub(crate) cooperative: u32,
    pub(crate) too_large: u32,
    pub(crate) refused: u32,
    pub(crate) faults: u32,
}

/// A context with its objects.
#[derive(Debug)]
struct Context {
    handle: Ptr,
    device: i32,
    module: Ptr,
    kernels: Kernels,
    streams: Vec<Ptr>,
    memory: Vec<Memory>,
}

/// Device memory with its expected contents.
#[derive(Debug)]
struct Memory {
    address: u64,
    bytes: Vec<u8>,
}

/// State of the model.
#[derive(Debug, Default)]
pub(crate) struct World {
    contexts: Vec<Context>,
    /// Index in [`Self::contexts`].
    current: Option<usize>,
    tally: Tally,
    /// Whether execution is deferred (`TEXUNIT_SCHEDULE`): then events put all work in the order of
    /// the calls.
    is_late: bool,
    /// Stale handles and addresses.
    gone: Vec<Gone>,
}

/// A stale handle or address.
#[derive(Clone, Copy, Debug)]
enum Gone {
    Context(Ptr),
    Stream(Ptr),
    Memory(u64),
    Function(Ptr),
}

/// Makes the calls that the choices determine, in this thread, which has no current context
/// afterwards.
pub(crate) fn play(choices: &mut Choices<'_>) -> Tally {
    ok!(cuInit(0));
    let is_late = std::env::var_os("TEXUNIT_SCHEDULE").is_some();
    let mut world = World { is_late, ..World::default() };
    let mut count = 0;
    ok!(cuDeviceGetCount(&raw mut count));
    assert_eq!(count, 3, "TEXUNIT_DEVICE is {DEVICES}");
    for _ in 0..120 {
        if choices.is_done() {
            break;
        }
        world.order();
        world.step(choices);
    }
    while !world.contexts.is_empty() {
        world.order();
        world.compare(0);
        world.end(0, true);
    }
    world.tally
}

impl World {
    fn step(&mut self, choices: &mut Choices<'_>) {
        match choices.below(16) {
            0 => self.create(choices),
            1 if choices.once_in(3) && !self.contexts.is_empty() => {
                let which = self.any(choices);
                self.compare(which);
                self.end(which, true);
            }
            1 => self.refused(choices),
            _ if self.contexts.is_empty() => self.create(choices),
            2 => self.switch(Some(self.any(choices))),
            3 | 4 => self.allocate(choices),
            5 => self.free(choices),
            6 | 7 => self.fill_from_host(choices),
            8 => self.set(choices),
            9 | 10 => self.copy(choices),
            11 => self.streams(choices),
            12 => self.compare(self.any(choices)),
            13 | 14 => self.launch(choices),
            _ => self.cooperative(choices),
        }
    }

    /// If execution is deferred, makes every stream wait for all others.
    pub(super) fn order(&mut self) {
        if !self.is_late || self.contexts.is_empty() {
            return;
        }
        let (before, mut events) = (self.current, Vec::new());
        // One stream waits for all others, which then wait for it.
        for which in 0..self.contexts.len() {
            self.switch(Some(which));
            for stream in self.contexts[which].streams.clone().into_iter().chain([null_mut()]) {
                events.push(Self::recorded(stream));
            }
        }
        let last = self.contexts.len() - 1;
        events.iter().for_each(|&event| ok!(cuStreamWaitEvent(null_mut(), event, 0)));
        let all = Self::recorded(null_mut());
        for which in 0..=last {
            self.switch(Some(which));
            for stream in self.contexts[which].streams.clone().into_iter().chain([null_mut()]) {
                ok!(cuStreamWaitEvent(stream, all, 0));
            }
        }
        events.into_iter().chain([all]).for_each(|event| ok!(cuEventDestroy_v2(event)));
        self.switch(before);
    }

    /// A new event of the current context, recorded in one of its streams.
    fn recorded(stream: Ptr) -> Ptr {
        let mut event = null_mut();
        ok!(cuEventCreate(&raw mut event, 0));
        ok!(cuEventRecord(event, stream));
        event
    }

    fn any(&self, choices: &mut Choices<'_>) -> usize {
        choices.below(self.contexts.len() as u32) as usize
    }

    /// Makes a context current, or none.
    fn switch(&mut self, which: Option<usize>) {
        self.current = which;
        let (handle, device) =
            which.map_or((null_mut(), -1), |i| (self.contexts[i].handle, self.contexts[i].device));
        ok!(cuCtxSetCurrent(handle));
        let (mut found, mut on) = (null_mut(), -1);
        ok!(cuCtxGetCurrent(&raw mut found));
        assert_eq!(found, handle);
        if which.is_some() {
            ok!(cuCtxGetDevice(&raw mut on));
        }
        assert_eq!(on, device);
    }

    fn create(&mut self, choices: &mut Choices<'_>) {
        if self.contexts.len() > 4 {
            return;
        }
        let device = choices.below(4) as i32;
        let mut handle = null_mut();
        if device == 3 {
            // SAFETY: the pointer is to a local variable.
            let code = unsafe { cuCtxCreate_v2(&raw mut handle, 0, device) };
            assert_eq!(code, CUresult::INVALID_DEVICE);
            return;
        }
        ok!(cuCtxCreate_v2(&raw mut handle, 0, device));
        let mut popped = null_mut();
        ok!(cuCtxPopCurrent_v2(&raw mut popped));
        assert_eq!(popped, handle);
        ok!(cuCtxSetCurrent(handle));
        let mut module = null_mut();
        ok!(cuModuleLoadData(&raw mut module, PTX.as_ptr().cast()));
        let kernels = Kernels::of(module);
        let (streams, memory) = (Vec::new(), Vec::new());
        self.contexts.push(Context { handle, device, module, kernels, streams, memory });
        self.current = Some(self.contexts.len() - 1);
    }

    /// Destroys a context with its objects; for a usable context, sometimes unloads its module
    /// first.
    fn end(&mut self, which: usize, works: bool) {
        let context = self.contexts.remove(which);
        if works && self.gone.len().is_multiple_of(2) {
            ok!(cuCtxSetCurrent(context.handle));
            ok!(cuModuleUnload(context.module));
        }
        ok!(cuCtxDestroy_v2(context.handle));
        self.gone.push(Gone::Context(context.handle));
        self.gone.push(Gone::Function(context.kernels.add));
        self.gone.extend(context.streams.iter().map(|&stream| Gone::Stream(stream)));
        self.gone.extend(context.memory.iter().map(|memory| Gone::Memory(memory.address)));
        let last = self.contexts.len().checked_sub(1);
        self.switch(last);
    }

    /// A stream of a context, or its default stream.
    fn stream(&self, choices: &mut Choices<'_>, which: usize) -> Ptr {
        let streams = &self.contexts[which].streams;
        let at = choices.below(streams.len() as u32 + 1) as usize;
        at.checked_sub(1).map_or(null_mut(), |at| streams[at])
    }

    /// Creates or destroys a stream, or makes one wait for another of any device.
    fn streams(&mut self, choices: &mut Choices<'_>) {
        let which = self.any(choices);
        self.switch(Some(which));
        let count = self.contexts[which].streams.len();
        match choices.below(3) {
            0 if count < 4 => {
                let mut stream = null_mut();
                ok!(cuStreamCreate(&raw mut stream, choices.below(2)));
                self.contexts[which].streams.push(stream);
            }
            1 if count > 0 => {
                let at = choices.below(count as u32) as usize;
                let stream = self.contexts[which].streams.remove(at);
                ok!(cuStreamSynchronize(stream));
                ok!(cuStreamDestroy_v2(stream));
                self.gone.push(Gone::Stream(stream));
            }
            _ => {
                let mut event = null_mut();
                ok!(cuEventCreate(&raw mut event, 0));
                ok!(cuEventRecord(event, self.stream(choices, which)));
                let other = self.any(choices);
                let waiting = self.stream(choices, other);
                self.switch(Some(other));
                ok!(cuStreamWaitEvent(waiting, event, 0));
                ok!(cuEventDestroy_v2(event));
            }
        }
    }
}
