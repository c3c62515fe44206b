//! Random graphs and captures, compared with a model of their order. They are in a separate
//! process, as a capture forbids calls of other threads.
//!
//! A program is a list of operations on a few words. If two operations access the same word and one
//! writes it, they are ordered; the final words are therefore the same for execution in one stream,
//! as a graph built by hand, or as a graph captured from several streams. Every operation also
//! notes its execution, and the order of these notes must be consistent with the edges of the
//! graph.

#![allow(unsafe_code, clippy::unwrap_used)]
#![allow(clashing_extern_declarations)]

#[path = "../common/mod.rs"]
mod common;
mod model;
#[path = "../common/world.rs"]
mod world;

use model::{Op, Program, Random, WORDS};
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::CStr;
use std::ptr::null_mut;
use std::sync::{Mutex, PoisonError};
use texunit_cuda_abi::{
    CUDA_CONDITIONAL_NODE_PARAMS, CUDA_HOST_NODE_PARAMS_v1, CUDA_KERNEL_NODE_PARAMS, CUDA_MEMCPY3D,
    CUDA_MEMSET_NODE_PARAMS_v1, CUgraphExecUpdateResultInfo, CUgraphNodeParams,
    graph_conditional_type, graph_node_type,
};
use world::*;

const KERNELS: &CStr = ptx!("../ptx/graphs.ptx");

/// Number of programs of each kind.
fn count() -> u64 {
    if std::env::var_os("TEXUNIT_LONG_TESTS").is_some() { 5000 } else { 150 }
}

/// Serialises the tests, as the notes are global.
static ONE: Mutex<()> = Mutex::new(());
/// Notes of the host functions.
static NOTES: Mutex<Vec<usize>> = Mutex::new(Vec::new());

fn notes() -> Vec<usize> {
    std::mem::take(&mut NOTES.lock().unwrap_or_else(PoisonError::into_inner))
}

unsafe extern "C" fn note(index: Ptr) {
    NOTES.lock().unwrap_or_else(PoisonError::into_inner).push(index as usize);
}

struct Machine {
    context: Ptr,
    kernel: Ptr,
    words: u64,
    streams: [Ptr; 3],
}

impl Machine {
    fn new() -> Self {
        let context = context();
        let (mut module, mut kernel, mut words) = (null_mut(), null_mut(), 0);
        ok!(cuModuleLoadData(&raw mut module, KERNELS.as_ptr().cast()));
        ok!(cuModuleGetFunction(&raw mut kernel, module, c"mix".as_ptr()));
        ok!(cuMemAlloc_v2(&raw mut words, 4 * WORDS));
        let mut streams = [null_mut(); 3];
        streams.iter_mut().for_each(|stream| ok!(cuStreamCreate(&raw mut *stream, 1)));
        Self { context, kernel, words, streams }
    }

    fn at(&self, word: usize) -> u64 {
        self.words + 4 * word as u64
    }

    fn reset(&self) {
        let start: [u32; WORDS] = std::array::from_fn(|i| i as u32 + 1);
        ok!(cuMemcpyHtoD_v2(self.words, start.as_ptr().cast(), 4 * WORDS));
        notes();
    }

    fn result(&self) -> [u32; WORDS] {
        let mut words = [0; WORDS];
        ok!(cuCtxSynchronize());
        ok!(cuMemcpyDtoH_v2(words.as_mut_ptr().cast(), self.words, 4 * WORDS));
        words
    }

    /// Executes an operation in a stream, which may be captured.
    fn enqueue(&self, index: usize, op: &Op, stream: Ptr) {
        match *op {
            Op::Mix { to, from, by } => {
                let (mut to, mut from, mut by) = (self.at(to), self.at(from), by);
                let mut params: [*mut u8; 3] =
                    [(&raw mut to).cast(), (&raw mut from).cast(), (&raw mut by).cast()];
                let (list, none) = (params.as_mut_ptr(), null_mut());
                ok!(cuLaunchKernel(self.kernel, 1, 1, 1, 1, 1, 1, 0, stream, list, none));
            }
            Op::Copy { to, from } => ok!(cuMemcpyAsync(self.at(to), self.at(from), 4, stream)),
            Op::Set { to, value } => ok!(cuMemsetD32Async(self.at(to), value, 1, stream)),
            Op::Note => ok!(cuLaunchHostFunc(stream, Some(note), index as Ptr)),
        }
    }

    /// Adds an operation to a graph.
    fn add(&self, graph: Ptr, index: usize, op: &Op, before: &[Ptr]) -> Ptr {
        let mut node = null_mut();
        let (to_node, list, count) = (&raw mut node, before.as_ptr(), before.len());
        match *op {
            Op::Mix { to, from, by } => {
                let (to, from) = (self.at(to), self.at(from));
                let params =
                    [(&raw const to) as u64, (&raw const from) as u64, (&raw const by) as u64];
                let params = CUDA_KERNEL_NODE_PARAMS {
                    func: self.kernel as usize,
                    grid: [1; 3],
                    block: [1; 3],
                    kernelParams: params.as_ptr() as u64,
                    ..CUDA_KERNEL_NODE_PARAMS::default()
                };
                ok!(cuGraphAddKernelNode_v2(to_node, graph, list, count, &raw const params));
            }
            Op::Copy { to, from } => {
                let mut copy = CUDA_MEMCPY3D {
                    width_in_bytes: 4,
                    height: 1,
                    depth: 1,
                    ..CUDA_MEMCPY3D::default()
                };
                (copy.src.memory_type, copy.src.device) = (2, self.at(from));
                (copy.dst.memory_type, copy.dst.device) = (2, self.at(to));
                ok!(cuGraphAddMemcpyNode(
                    to_node,
                    graph,
                    list,
                    count,
                    &raw const copy,
                    self.context
                ));
            }
            Op::Set { to, value } => {
                let dst = self.at(to);
                let set = CUDA_MEMSET_NODE_PARAMS_v1 {
                    dst,
                    pitch: 0,
                    value,
                    elementSize: 4,
                    width: 1,
                    height: 1,
                };
                ok!(cuGraphAddMemsetNode(
                    to_node,
                    graph,
                    list,
                    count,
                    &raw const set,
                    self.context
                ));
            }
            Op::Note => {
                let call = CUDA_HOST_NODE_PARAMS_v1 {
                    function: note as *const () as usize,
                    userData: index as u64,
                };
                ok!(cuGraphAddHostNode(to_node, graph, list, count, &raw const call));
            }
        }
        node
    }

    /// Builds the program as a graph, with some operations as child graphs, and with some empty
    /// nodes.
    fn graph(&self, program: &Program, random: &mut Random) -> Ptr {
        let mut graph = null_mut();
        ok!(cuGraphCreate(&raw mut graph, 0));
        let mut nodes: Vec<Ptr> = Vec::new();
        for (i, op) in program.ops.iter().enumerate() {
            let mut before: Vec<Ptr> = program.before[i].iter().map(|&j| nodes[j]).collect();
            if !before.is_empty() && random.below(6) == 0 {
                let mut empty = null_mut();
                ok!(cuGraphAddEmptyNode(&raw mut empty, graph, before.as_ptr(), before.len()));
                before = vec![empty];
            }
            if random.below(8) == 0 {
                let (mut child, mut node) = (null_mut(), null_mut());
                ok!(cuGraphCreate(&raw mut child, 0));
                self.add(child, i, op, &[]);
                ok!(cuGraphAddChildGraphNode(
                    &raw mut node,
                    graph,
                    before.as_ptr(),
                    before.len(),
                    child
                ));
                ok!(cuGraphDestroy(child));
                nodes.push(node);
            } else {
                nodes.push(self.add(graph, i, op, &before));
            }
        }
        graph
    }

    /// Captures the program from its streams as a graph.
    fn captured(&self, program: &Program) -> Ptr {
        let (origin, mut graph) = (self.streams[0], null_mut());
        ok!(cuStreamBeginCapture_v2(origin, 2));
        let mut events = Vec::new();
        self.streamed(program, &mut events);
        // All streams that have joined the capture rejoin the first stream.
        for &stream in &self.streams[1..] {
            let mut status = 0;
            ok!(cuStreamIsCapturing(stream, &raw mut status));
            if status == 1 {
                events.push(Self::recorded(stream));
                ok!(cuStreamWaitEvent(origin, *events.last().unwrap(), 0));
            }
        }
        ok!(cuStreamEndCapture(origin, &raw mut graph));
        events.into_iter().for_each(|event| ok!(cuEventDestroy_v2(event)));
        graph
    }

    fn recorded(stream: Ptr) -> Ptr {
        let mut event = null_mut();
        ok!(cuEventCreate(&raw mut event, 2));
        ok!(cuEventRecord(event, stream));
        event
    }

    /// Executes the program in its streams, with events for dependencies between streams.
    fn streamed(&self, program: &Program, events: &mut Vec<Ptr>) {
        let mut after: Vec<Ptr> = Vec::new();
        let mut joined = [true, false, false];
        for (i, op) in program.ops.iter().enumerate() {
            let stream = program.streams[i];
            if !joined[stream] {
                events.push(Self::recorded(self.streams[0]));
                ok!(cuStreamWaitEvent(self.streams[stream], *events.last().unwrap(), 0));
                joined[stream] = true;
            }
            for &j in &program.before[i] {
                if program.streams[j] != stream {
                    ok!(cuStreamWaitEvent(self.streams[stream], after[j], 0));
                }
            }
            self.enqueue(i, op, self.streams[stream]);
            events.push(Self::recorded(self.streams[stream]));
            after.push(*events.last().unwrap());
        }
    }

    fn launched(&self, graph: Ptr) -> ([u32; WORDS], Vec<usize>) {
        let mut exec = null_mut();
        ok!(cuGraphInstantiateWithFlags(&raw mut exec, graph, 0));
        let result = self.launched_exec(exec);
        ok!(cuGraphExecDestroy(exec));
        result
    }

    fn launched_exec(&self, exec: Ptr) -> ([u32; WORDS], Vec<usize>) {
        self.reset();
        ok!(cuGraphLaunch(exec, self.streams[1]));
        (self.result(), notes())
    }
}

fn check_notes(program: &Program, notes: &[usize], seed: u64) {
    let wanted: BTreeSet<usize> =
        (0..program.ops.len()).filter(|&i| matches!(program.ops[i], Op::Note)).collect();
    assert_eq!(notes.iter().copied().collect::<BTreeSet<_>>(), wanted, "seed {seed}");
    assert_eq!(notes.len(), wanted.len(), "seed {seed}");
    let all = program.all_before();
    for (at, &i) in notes.iter().enumerate() {
        assert!(notes[at..].iter().all(|j| !all[i].contains(j)), "seed {seed}: {notes:?}");
    }
}

#[test]
fn graphs_do_what_streams_do() {
    let _one = ONE.lock().unwrap_or_else(PoisonError::into_inner);
    let machine = Machine::new();
    for seed in 0..count() {
        let mut random = Random(seed);
        let program = Program::random(&mut random, 1);
        let wanted = program.result();
        machine.reset();
        for (i, op) in program.ops.iter().enumerate() {
            machine.enqueue(i, op, machine.streams[0]);
        }
        assert_eq!(machine.result(), wanted, "seed {seed}: the model is wrong");
        let graph = machine.graph(&program, &mut random);
        let (result, notes) = machine.launched(graph);
        assert_eq!(result, wanted, "seed {seed}");
        check_notes(&program, &notes, seed);
        // A clone has the same results; an executable graph is updated to another program of the
        // same shape.
        let (mut clone, mut exec) = (null_mut(), null_mut());
        ok!(cuGraphClone(&raw mut clone, graph));
        ok!(cuGraphDestroy(graph));
        assert_eq!(machine.launched(clone).0, wanted, "seed {seed}: clone");
        ok!(cuGraphInstantiateWithFlags(&raw mut exec, clone, 0));
        ok!(cuGraphDestroy(clone));
        let other = program.with_other_numbers(&mut random);
        let mut info = CUgraphExecUpdateResultInfo::default();
        let again = machine.graph(&other, &mut Random(seed).after(&program));
        ok!(cuGraphExecUpdate_v2(exec, again, &raw mut info));
        ok!(cuGraphDestroy(again));
        let (result, notes) = machine.launched_exec(exec);
        assert_eq!(result, other.result(), "seed {seed}: update");
        check_notes(&other, &notes, seed);
        ok!(cuGraphExecDestroy(exec));
    }
}

/// Edges of a graph, by creation order of the nodes.
fn edges(graph: Ptr) -> BTreeMap<usize, BTreeSet<usize>> {
    let mut count = 0;
    ok!(cuGraphGetNodes(graph, null_mut(), &raw mut count));
    let mut nodes = vec![null_mut(); count];
    ok!(cuGraphGetNodes(graph, nodes.as_mut_ptr(), &raw mut count));
    let index = |node: &Ptr| nodes.iter().position(|other| other == node).unwrap();
    let before = |node: &Ptr| {
        let mut count = 0;
        ok!(cuGraphNodeGetDependencies(*node, null_mut(), &raw mut count));
        let mut all = vec![null_mut(); count];
        ok!(cuGraphNodeGetDependencies(*node, all.as_mut_ptr(), &raw mut count));
        all.iter().map(index).collect()
    };
    nodes.iter().map(|node| (index(node), before(node))).collect()
}

#[test]
fn captures_become_what_streams_would_do() {
    let _one = ONE.lock().unwrap_or_else(PoisonError::into_inner);
    let machine = Machine::new();
    for seed in 0..count() {
        let program = Program::random(&mut Random(seed ^ 0x5eed), 3);
        machine.reset();
        let mut events = Vec::new();
        machine.streamed(&program, &mut events);
        assert_eq!(machine.result(), program.result(), "seed {seed}: streams");
        events.into_iter().for_each(|event| ok!(cuEventDestroy_v2(event)));
        machine.reset();
        let graph = machine.captured(&program);
        assert_eq!(
            machine.result(),
            Program::start(),
            "seed {seed}: the capture has done something"
        );
        let wanted: BTreeMap<_, BTreeSet<_>> =
            program.captured_edges().into_iter().enumerate().collect();
        assert_eq!(edges(graph), wanted, "seed {seed}");
        let (result, notes) = machine.launched(graph);
        assert_eq!(result, program.result(), "seed {seed}");
        check_notes(&program, &notes, seed);
        ok!(cuGraphDestroy(graph));
    }
}

/// Sets a condition, in the code that nvrtc generates; no device runtime is linked.
const DECIDES: &CStr = ptx!("../ptx/graphs_decides.ptx");

#[test]
fn a_driver_defines_itself_what_kernels_of_graphs_call() {
    let _one = ONE.lock().unwrap_or_else(PoisonError::into_inner);
    let machine = Machine::new();
    let (mut module, mut decide) = (null_mut(), null_mut());
    ok!(cuModuleLoadData(&raw mut module, DECIDES.as_ptr().cast()));
    ok!(cuModuleGetFunction(&raw mut decide, module, c"decide".as_ptr()));
    for value in [0_u32, 1] {
        let (mut graph, mut handle) = (null_mut(), 0_u64);
        ok!(cuGraphCreate(&raw mut graph, 0));
        ok!(cuGraphConditionalHandleCreate(&raw mut handle, graph, machine.context, 0, 0));
        let args = [(&raw const handle) as u64, (&raw const value) as u64];
        let kernel = CUDA_KERNEL_NODE_PARAMS {
            func: decide as usize,
            grid: [1; 3],
            block: [1; 3],
            kernelParams: args.as_ptr() as u64,
            ..CUDA_KERNEL_NODE_PARAMS::default()
        };
        let (mut first, mut choice) = (null_mut(), null_mut());
        ok!(cuGraphAddKernelNode_v2(&raw mut first, graph, null_mut(), 0, &raw const kernel));
        let condition = CUDA_CONDITIONAL_NODE_PARAMS {
            handle,
            kind: graph_conditional_type::IF,
            size: 1,
            ..CUDA_CONDITIONAL_NODE_PARAMS::default()
        };
        let mut params = CUgraphNodeParams::new(graph_node_type::CONDITIONAL, condition);
        ok!(cuGraphAddNode(&raw mut choice, graph, &raw const first, 1, &raw mut params));
        let bodies = params.get::<CUDA_CONDITIONAL_NODE_PARAMS>().phGraph_out;
        // SAFETY: the driver's array has one graph.
        let body = unsafe { *(bodies as *const Ptr) };
        machine.add(body, 0, &Op::Set { to: 2, value: 99 }, &[]);
        let wanted = if value == 0 { Program::start()[2] } else { 99 };
        assert_eq!(machine.launched(graph).0[2], wanted, "{value}");
        ok!(cuGraphDestroy(graph));
    }
    ok!(cuModuleUnload(module));
}
