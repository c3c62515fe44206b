//! What the tests of the executor share: a small loader for PTX texts and launches of them.
#![allow(dead_code, unreachable_pub, missing_docs, clippy::unwrap_used)]

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use texunit_check::ir::{self, Storage};
use texunit_memory::{Block, Heap, Memory};
use texunit_simt::debug::Debugger;
use texunit_simt::{
    Descriptors, ExecutionOptions, Fault, LaunchConfig, LaunchStats, Observer, Program, Symbols,
    Watch, function_address, lower,
};
use texunit_syntax::SourceFile;

/// A loaded module with memory around it.
pub struct Loaded {
    pub source: SourceFile,
    pub program: Program,
    pub memory: Memory,
    pub descriptors: Descriptors,
    pub watch: Option<Watch>,
    pub heap: Option<Heap>,
    /// Writers outside the launch that may change memory while it runs, such as the host.
    pub external_writers: Option<Box<dyn texunit_simt::ExternalWriters>>,
}

static STOP: AtomicBool = AtomicBool::new(true);

pub const HEADER: &str = texunit_testkit::ptx::SM_80;

/// Loads a module; every error of the front end fails the test.
pub fn load_text(text: &str) -> Loaded {
    load_bound(text, &[])
}

/// Loads a module with handles for some of its texture and surface references; the handles of other
/// references are 0.
pub fn load_bound(text: &str, handles: &[(&str, u64)]) -> Loaded {
    let source = SourceFile::new("test.ptx", text);
    let parsed = texunit_syntax::parse(&source);
    let mut errors: Vec<_> = parsed.diagnostics.iter().filter(|d| d.is_error()).cloned().collect();
    let checked = texunit_check::check(&source, &parsed.module);
    errors.extend(checked.diagnostics.iter().filter(|d| d.is_error()).cloned());
    let told: Vec<String> = errors
        .iter()
        .map(|e| {
            let line = source.location(e.primary.span.start).line;
            format!("line {line}: {} {}: {}", e.code, e.message, source.line(line))
        })
        .collect();
    assert!(errors.is_empty(), "{}", told.join("\n"));
    let module = checked.module;
    let memory = Memory::new(1 << 28);
    let mut symbols = Symbols::default();
    let mut blocks: Vec<Option<Arc<Block>>> = Vec::new();
    for v in &module.variables {
        let (address, block) = match v.storage {
            Storage::Global => memory.allocate(v.size, &v.name).map(|(a, b)| (a, Some(b))).unwrap(),
            Storage::Const => {
                memory.allocate_const(v.size, &v.name).map(|(a, b)| (a, Some(b))).unwrap()
            }
            _ => (handles.iter().find(|(n, _)| *n == v.name).map_or(0, |(_, h)| *h), None),
        };
        if let Some(block) = &block {
            block.write(0, &v.init).unwrap();
        }
        symbols.addresses.push(address);
        blocks.push(block);
    }
    for (v, block) in module.variables.iter().zip(&blocks) {
        for r in &v.relocations {
            let value = match r.target {
                ir::Symbol::Function(f) => function_address(f),
                ir::Symbol::Variable(v) => symbols.address(v),
            };
            block
                .as_ref()
                .unwrap()
                .store_u64(r.offset, value.wrapping_add_signed(r.addend))
                .unwrap();
        }
    }
    let program = lower(module, symbols, source.clone());
    Loaded {
        source,
        program,
        memory,
        descriptors: Descriptors::default(),
        watch: None,
        heap: None,
        external_writers: None,
    }
}

/// How a kernel is launched; tests change the fields for which they need other values.
#[derive(Clone, Copy)]
pub struct How {
    pub grid: [u32; 3],
    pub block: [u32; 3],
    pub dynamic_shared: u32,
    pub threads: usize,
    pub max_steps: u64,
    pub fmad: bool,
    pub bounds: texunit_simt::Bounds,
    pub bad_fetch: texunit_simt::BadFetch,
    pub stack_limit: u32,
    pub cooperative: bool,
    pub cluster: Option<[u32; 3]>,
    pub printf_limit: usize,
    /// Whether somebody has asked it to stop, before it begins.
    pub cancelled: bool,
    pub jit: Option<texunit_simt::JitMode>,
    /// Seed of a random order.
    pub schedule: Option<u64>,
    /// The CTAs that are executed; `None` for all.
    pub ctas: Option<texunit_simt::CtaRange>,
}

impl Default for How {
    fn default() -> Self {
        Self {
            grid: [1; 3],
            block: [32, 1, 1],
            dynamic_shared: 0,
            threads: 1,
            max_steps: 10_000_000,
            fmad: false,
            bounds: texunit_simt::Bounds::Exact,
            bad_fetch: texunit_simt::BadFetch::Fault,
            stack_limit: 16 * 1024,
            cooperative: false,
            cluster: None,
            printf_limit: texunit_simt::launch::PRINTF_LIMIT,
            cancelled: false,
            jit: None,
            schedule: None,
            ctas: None,
        }
    }
}

/// A kernel parameter.
pub enum Arg {
    U32(u32),
    U64(u64),
    F32(f32),
    Bytes(Vec<u8>),
}

impl Loaded {
    /// Zeroed global memory of `words` 32-bit words.
    pub fn buffer(&self, words: usize) -> (u64, Arc<Block>) {
        self.memory.allocate(words as u64 * 4, "buffer").unwrap()
    }

    /// Allocates global memory that contains these words.
    pub fn filled(&self, words: &[u32]) -> (u64, Arc<Block>) {
        let (address, block) = self.buffer(words.len());
        for (i, &w) in words.iter().enumerate() {
            block.store_u32(i as u64 * 4, w).unwrap();
        }
        (address, block)
    }

    /// Runs a kernel.
    pub fn run(&self, kernel: &str, how: How, args: &[Arg]) -> Result<LaunchStats, Box<Fault>> {
        let watch = self.watch.as_ref().map(|watch| watch as &dyn Observer);
        self.run_observed(kernel, how, args, watch)
    }

    /// Runs a kernel with an observer.
    pub fn run_observed(
        &self,
        kernel: &str,
        how: How,
        args: &[Arg],
        observer: Option<&dyn Observer>,
    ) -> Result<LaunchStats, Box<Fault>> {
        self.launched(kernel, how, args, (observer, None))
    }

    /// Runs a kernel under a debugger.
    pub fn run_debugged(
        &self,
        kernel: &str,
        how: How,
        args: &[Arg],
        debugger: &dyn Debugger,
    ) -> Result<LaunchStats, Box<Fault>> {
        self.launched(kernel, how, args, (None, Some(debugger)))
    }

    fn launched(
        &self,
        kernel: &str,
        how: How,
        args: &[Arg],
        (observer, debugger): (Option<&dyn Observer>, Option<&dyn Debugger>),
    ) -> Result<LaunchStats, Box<Fault>> {
        let id = self.program.kernel(kernel).unwrap();
        let unsupported = self.program.unsupported(id);
        assert!(unsupported.is_empty(), "{unsupported:?}");
        let mut params = vec![0; self.program.param_size(id) as usize];
        for (param, arg) in self.program.kernel_params(id).iter().zip(args) {
            let at = param.offset as usize;
            match arg {
                Arg::U32(v) => params[at..at + 4].copy_from_slice(&v.to_le_bytes()),
                Arg::Bytes(v) => params[at..at + v.len()].copy_from_slice(v),
                Arg::F32(v) => params[at..at + 4].copy_from_slice(&v.to_le_bytes()),
                Arg::U64(v) => params[at..at + 8].copy_from_slice(&v.to_le_bytes()),
            }
        }
        // The size of the workspace, and the barrier.
        let workspace = how.cooperative.then(|| self.filled(&[16, 0, 0, 0]));
        let map = self.memory.map();
        let mut config = LaunchConfig::new(how.grid, how.block, &map, &self.descriptors);
        config.options = ExecutionOptions {
            ctas: how.ctas,
            dynamic_shared: how.dynamic_shared,
            threads: how.threads,
            max_steps: how.max_steps,
            fmad: how.fmad,
            bounds: how.bounds,
            bad_fetch: how.bad_fetch,
            stack_limit: how.stack_limit,
            cooperative: how.cooperative,
            cluster: how.cluster,
            external_writers: self.external_writers.as_deref(),
            printf_limit: how.printf_limit,
            cancel: how.cancelled.then_some(&STOP),
            observer,
            schedule: how.schedule,
            ..config.options
        };
        config.params = &params;
        config.grid_id = 7;
        config.grid_workspace = workspace.map_or(0, |(address, _)| address);
        config.heap = self.heap.as_ref();
        config.jit = how.jit;
        match debugger {
            Some(debugger) => texunit_simt::debug::debug(&self.program, id, &config, debugger),
            None => texunit_simt::launch(&self.program, id, &config),
        }
    }

    /// The line (from 1) of a fault and its text.
    pub fn line(&self, fault: &Fault) -> String {
        self.source.line(self.source.location(fault.span.start).line).trim().to_owned()
    }
}

/// The words of a block.
pub fn words(block: &Block) -> Vec<u32> {
    (0..block.size() as u64 / 4).map(|i| block.load_u32(i * 4).unwrap()).collect()
}

/// A module with one kernel `k` of one parameter `out`, whose address is in %out, %out + 4 * thread
/// in %my, the thread's number in the grid in %t, %ctaid.x in %cta. The body must end with `ret;`.
pub fn kernel(declarations: &str, body: &str) -> String {
    kernel_with("", declarations, body)
}

/// The text of a module with a kernel, and with other text before the kernel.
pub fn kernel_with(before: &str, declarations: &str, body: &str) -> String {
    let head = format!("{HEADER}{before}\n");
    texunit_testkit::ptx::threads(&head, declarations, body)
}

/// Runs a kernel with one parameter, the address of `count` words of output, and returns these
/// words.
pub fn run_words(text: &str, how: How, count: usize) -> Vec<u32> {
    let loaded = load_text(text);
    let (address, block) = loaded.buffer(count);
    match loaded.run("k", how, &[Arg::U64(address)]) {
        Ok(_) => words(&block),
        Err(fault) => panic!("{fault:?} at {}", loaded.line(&fault)),
    }
}

/// Runs a kernel as [`run_words`] does, and compares what each thread has stored.
pub fn expect(text: &str, how: How, count: usize, stored: impl Fn(u32) -> u32) {
    let wanted: Vec<u32> = (0..count as u32).map(stored).collect();
    assert_eq!(run_words(text, how, count), wanted);
}

/// Runs a kernel that must fault; gives the fault and the text of its line.
pub fn run_fault(text: &str, how: How, count: usize) -> (Fault, String) {
    let loaded = load_text(text);
    let (address, _) = loaded.buffer(count);
    let fault = loaded.run("k", how, &[Arg::U64(address)]).unwrap_err();
    let line = loaded.line(&fault);
    (*fault, line)
}
