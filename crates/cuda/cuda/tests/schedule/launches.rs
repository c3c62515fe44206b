//! Launches of the random schedules, and launches that must be refused.

use super::kernels::Kernels;
use super::*;
use texunit_cuda_abi::{CUlaunchAttribute, CUlaunchConfig, launch_attribute};

/// `CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT`
const MULTIPROCESSORS: u32 = 16;
/// Upper bound of the threads per block of all [`DEVICES`].
const MAX_THREADS: u32 = 1024;

/// A kernel with its grid, block and parameters.
struct Launch {
    function: Ptr,
    grid: [u32; 2],
    threads: u32,
    shared: u32,
    stream: Ptr,
    at: u64,
    words: [u32; 2],
}

impl Launch {
    fn blocks(&self) -> u32 {
        self.grid[0].saturating_mul(self.grid[1])
    }

    fn plain(&self) -> CUresult {
        let ([x, y], [mut a, mut b], mut at) = (self.grid, self.words, self.at);
        let mut params = [(&raw mut at).cast::<u8>(), (&raw mut a).cast(), (&raw mut b).cast()];
        let (f, stream, params) = (self.function, self.stream, params.as_mut_ptr());
        // SAFETY: the array has the maximum number of parameters of a kernel here.
        unsafe {
            cuLaunchKernel(f, x, y, 1, self.threads, 1, 1, self.shared, stream, params, null_mut())
        }
    }

    /// Launches it cooperatively, by the function for it or by an attribute.
    fn cooperative(&self, by_attribute: bool) -> CUresult {
        let ([x, y], [mut a, mut b], mut at) = (self.grid, self.words, self.at);
        let mut params = [(&raw mut at).cast::<u8>(), (&raw mut a).cast(), (&raw mut b).cast()];
        let (f, stream, params) = (self.function, self.stream, params.as_mut_ptr());
        if !by_attribute {
            // SAFETY: the pointers are to local variables, and the parameters are those of the
            // kernel.
            return unsafe {
                cuLaunchCooperativeKernel(
                    f,
                    x,
                    y,
                    1,
                    self.threads,
                    1,
                    1,
                    self.shared,
                    stream,
                    params,
                )
            };
        }
        let mut value = [0; 16];
        value[0] = 1;
        let attribute = CUlaunchAttribute { id: launch_attribute::COOPERATIVE, pad: 0, value };
        let config = CUlaunchConfig {
            gridDimX: x,
            gridDimY: y,
            gridDimZ: 1,
            blockDimX: self.threads,
            blockDimY: 1,
            blockDimZ: 1,
            sharedMemBytes: self.shared,
            hStream: stream as usize,
            attrs: (&raw const attribute) as u64,
            numAttrs: 1,
        };
        // SAFETY: the pointers are to local variables, the parameters are those of the kernel, and
        // the array has one attribute.
        unsafe { cuLaunchKernelEx(&raw const config, f, params, null_mut()) }
    }
}

impl World {
    /// Target of a launch: a context and a stream. For a default stream, the context is made
    /// current.
    fn target(&mut self, choices: &mut Choices<'_>, which: usize) -> Ptr {
        let stream = self.stream(choices, which);
        let current = if stream.is_null() { which } else { self.any(choices) };
        self.switch(Some(current));
        stream
    }

    /// Launches `add` on memory of its context, or sometimes of another device, which it cannot
    /// access.
    pub(super) fn launch(&mut self, choices: &mut Choices<'_>) {
        let Some(place) = self.memory(choices) else { return };
        let (first, count) = self.part(choices, place);
        let elsewhere = choices.once_in(6).then(|| self.any(choices));
        let device = self.contexts[place.0].device;
        let which = elsewhere.filter(|&w| self.contexts[w].device != device).unwrap_or(place.0);
        let stream = self.target(choices, which);
        let threads = 1 + choices.below(200);
        let by = choices.word();
        let launch = Launch {
            function: self.contexts[which].kernels.add,
            grid: [(count as u32).div_ceil(threads), 1],
            threads,
            shared: 0,
            stream,
            at: self.contexts[place.0].memory[place.1].address + 4 * first as u64,
            words: [count as u32, by],
        };
        let code = launch.plain();
        assert_eq!(code, CUresult::SUCCESS);
        self.tally.launches += 1;
        if which != place.0 {
            self.fault(which);
            return;
        }
        for word in
            self.contexts[which].memory[place.1].bytes[4 * first..][..4 * count].chunks_mut(4)
        {
            let value = u32::from_le_bytes(word.try_into().expect("four bytes"));
            word.copy_from_slice(&value.wrapping_add(by).to_le_bytes());
        }
    }

    /// Registers a fault of a context: every call returns it until the context is destroyed.
    fn fault(&mut self, which: usize) {
        self.tally.faults += 1;
        // SAFETY: a handle.
        assert_eq!(unsafe { cuCtxSetCurrent(self.contexts[which].handle) }, CUresult::SUCCESS);
        let mut address = 0;
        // SAFETY: the only pointer is to a local variable.
        let codes = unsafe { [cuCtxSynchronize(), cuMemAlloc_v2(&raw mut address, 16)] };
        assert_eq!(codes, [CUresult::ILLEGAL_ADDRESS; 2]);
        self.end(which, false);
    }

    /// A cooperative launch, whose grid may be too large.
    pub(super) fn cooperative(&mut self, choices: &mut Choices<'_>) {
        let which = self.any(choices);
        self.switch(Some(which));
        let Kernels { spin, sync, .. } = self.contexts[which].kernels;
        let function = choices.of(&[spin, sync]);
        let threads = choices.of(&[1, 32, 33, 64, 128, 256, 1024]);
        let shared = choices.of(&[0, 0, 1024, 16 * 1024, 48 * 1024]);
        let most = self.most_blocks(which, function, threads, shared);
        let x = match choices.below(5) {
            0 => most,
            1 => most + 1,
            2 => choices.of(&[most + 100, 65_535, 1 << 20]),
            _ => 1 + choices.below(most.min(60)),
        };
        let grid = if x.is_multiple_of(2) && choices.once_in(2) { [x / 2, 2] } else { [x, 1] };
        let rounds = 1 + choices.below(3);
        // Memory for a counter and one word per block.
        let room = 4 * (1 + x.min(most) as usize);
        let mut at = 0;
        ok!(cuMemAlloc_v2(&raw mut at, room));
        ok!(cuMemsetD8_v2(at, 0, room));
        self.order();
        let stream = self.target(choices, which);
        let launch = Launch { function, grid, threads, shared, stream, at, words: [rounds, 0] };
        let code = launch.cooperative(choices.once_in(2));
        let fits = launch.blocks() <= most;
        let expected =
            if fits { CUresult::SUCCESS } else { CUresult::COOPERATIVE_LAUNCH_TOO_LARGE };
        assert_eq!(code, expected, "{grid:?} of {threads}, {shared} bytes: {most} at a time");
        self.order();
        let mut words = vec![0_u32; room / 4];
        ok!(cuMemcpyDtoH_v2(words.as_mut_ptr().cast(), at, room));
        let all = if fits { rounds * launch.blocks() } else { 0 };
        assert!(words.iter().all(|&word| word == all), "{all}: {words:?}");
        ok!(cuMemFree_v2(at));
        self.tally.cooperative += u32::from(fits);
        self.tally.too_large += u32::from(!fits);
    }

    /// Maximum number of simultaneous blocks, computed as programs do.
    fn most_blocks(&self, which: usize, function: Ptr, threads: u32, shared: u32) -> u32 {
        let (mut each, mut processors) = (0, 0);
        ok!(cuOccupancyMaxActiveBlocksPerMultiprocessor(
            &raw mut each,
            function,
            threads as i32,
            shared as usize
        ));
        let device = self.contexts[which].device;
        ok!(cuDeviceGetAttribute(&raw mut processors, MULTIPROCESSORS, device));
        assert!(each > 0 && processors > 0);
        (each * processors) as u32
    }

    /// Stale handles, functions of another context, invalid shapes.
    pub(super) fn refused(&mut self, choices: &mut Choices<'_>) {
        self.tally.refused += 1;
        if choices.once_in(2) && !self.contexts.is_empty() {
            let which = self.any(choices);
            self.switch(Some(which));
            let (grid, threads) = choices.of(&[
                ([0, 1], 32),
                ([1, 0], 32),
                ([1, 1], 0),
                ([1, 1], MAX_THREADS + 1),
                ([1, 65_536], 1),
            ]);
            let (function, stream, words) = (self.contexts[which].kernels.add, null_mut(), [0; 2]);
            let launch = Launch { function, grid, threads, shared: 0, stream, at: 0, words };
            assert_eq!(launch.plain(), CUresult::INVALID_VALUE, "{grid:?} of {threads}");
            let code = launch.cooperative(false);
            // A grid that is too large in both respects: which code has precedence is not
            // documented.
            let may = [CUresult::INVALID_VALUE, CUresult::COOPERATIVE_LAUNCH_TOO_LARGE];
            let is_huge = grid[1] > 65_535;
            assert!(
                may[..1 + usize::from(is_huge)].contains(&code),
                "{grid:?}, {threads}: {code:?}"
            );
            let other = self.any(choices);
            if other != which {
                let function = self.contexts[other].kernels.add;
                let launch = Launch { function, grid: [1, 1], threads: 1, ..launch };
                assert_eq!(launch.plain(), CUresult::INVALID_HANDLE);
                assert_eq!(launch.cooperative(true), CUresult::INVALID_HANDLE);
            }
            return;
        }
        if self.gone.is_empty() {
            return;
        }
        let gone = choices.of(&self.gone);
        let (function, stream, at, words) = (null_mut(), null_mut(), 0, [0; 2]);
        let launch = Launch { function, grid: [1, 1], threads: 1, shared: 0, stream, at, words };
        let has_current = self.current.is_some();
        // SAFETY: stale handles are only numbers.
        let (code, expected) = unsafe {
            match gone {
                Gone::Context(handle) => (cuCtxSetCurrent(handle), CUresult::INVALID_CONTEXT),
                // Without a current context the code is for that.
                _ if !has_current => return,
                Gone::Stream(stream) => (cuStreamDestroy_v2(stream), CUresult::INVALID_HANDLE),
                Gone::Memory(address) => (cuMemFree_v2(address), CUresult::INVALID_VALUE),
                Gone::Function(function) => {
                    (Launch { function, ..launch }.plain(), CUresult::INVALID_HANDLE)
                }
            }
        };
        assert_eq!(code, expected, "{gone:?}");
    }
}
