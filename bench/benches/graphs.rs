//! Benchmark of graphs: the time to add, instantiate and launch 10,000 kernel nodes, and to make
//! the same launches in a stream.
//!
//! Prints a table with the best of several runs; time never makes it fail. docs/performance.md has
//! measured numbers, with the machine.
#![allow(clippy::print_stdout, clippy::unwrap_used, missing_docs, unsafe_code, non_snake_case)]

use std::ffi::{CStr, c_char, c_void};
use std::ptr::{null, null_mut};
// Links the crate that defines the functions declared below.
use texunit_cuda as _;
use texunit_cuda_abi::{CUDA_KERNEL_NODE_PARAMS, CUresult};

type Ptr = *mut c_void;

unsafe extern "C" {
    fn cuInit(flags: u32) -> CUresult;
    fn cuCtxCreate_v2(context: *mut Ptr, flags: u32, device: i32) -> CUresult;
    fn cuModuleLoadData(module: *mut Ptr, image: *const c_char) -> CUresult;
    fn cuModuleGetFunction(function: *mut Ptr, module: Ptr, name: *const c_char) -> CUresult;
    fn cuMemAlloc_v2(address: *mut u64, size: usize) -> CUresult;
    fn cuStreamCreate(stream: *mut Ptr, flags: u32) -> CUresult;
    fn cuStreamSynchronize(stream: Ptr) -> CUresult;
    fn cuLaunchKernel(
        f: Ptr,
        gx: u32,
        gy: u32,
        gz: u32,
        bx: u32,
        by: u32,
        bz: u32,
        shared: u32,
        stream: Ptr,
        params: *mut Ptr,
        extra: *mut Ptr,
    ) -> CUresult;
    fn cuGraphCreate(graph: *mut Ptr, flags: u32) -> CUresult;
    fn cuGraphDestroy(graph: Ptr) -> CUresult;
    fn cuGraphAddKernelNode_v2(
        node: *mut Ptr,
        graph: Ptr,
        before: *const Ptr,
        count: usize,
        params: *const CUDA_KERNEL_NODE_PARAMS,
    ) -> CUresult;
    fn cuGraphInstantiateWithFlags(exec: *mut Ptr, graph: Ptr, flags: u64) -> CUresult;
    fn cuGraphExecDestroy(exec: Ptr) -> CUresult;
    fn cuGraphLaunch(exec: Ptr, stream: Ptr) -> CUresult;
}

const NODES: usize = 10_000;
const RUNS: usize = 9;

const TEXT: &CStr = c"
.version 8.0
.target sm_75
.address_size 64
.visible .entry add(.param .u64 data)
{
    .reg .u64 %rd<2>;
    .reg .u32 %r<2>;
    ld.param.u64 %rd1, [data];
    ld.global.u32 %r1, [%rd1];
    add.u32 %r1, %r1, 1;
    st.global.u32 [%rd1], %r1;
    ret;
}
";

fn ok(code: CUresult) {
    assert_eq!(code, CUresult::SUCCESS);
}

/// Best time of several runs, in milliseconds.
fn best(mut work: impl FnMut()) -> f64 {
    texunit_bench::best(RUNS, &mut work).0 * 1e3
}

fn main() {
    let (mut context, mut module, mut function, mut stream) =
        (null_mut(), null_mut(), null_mut(), null_mut());
    let mut memory = 0_u64;
    // SAFETY: all pointers are to live local variables of the declared types, or to texts with a
    // terminating zero.
    unsafe {
        ok(cuInit(0));
        ok(cuCtxCreate_v2(&raw mut context, 0, 0));
        ok(cuModuleLoadData(&raw mut module, TEXT.as_ptr()));
        ok(cuModuleGetFunction(&raw mut function, module, c"add".as_ptr()));
        ok(cuMemAlloc_v2(&raw mut memory, 4));
        ok(cuStreamCreate(&raw mut stream, 1));
    }
    let mut args = [(&raw mut memory).cast::<c_void>()];
    let list = args.as_mut_ptr();
    let launches = best(|| {
        for _ in 0..NODES {
            // SAFETY: the kernel has one parameter, whose value the first pointer of the list
            // points to.
            unsafe { ok(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, stream, list, null_mut())) };
        }
        // SAFETY: the stream was created above and is not destroyed.
        unsafe { ok(cuStreamSynchronize(stream)) };
    });
    let params = CUDA_KERNEL_NODE_PARAMS {
        func: function as usize,
        grid: [1; 3],
        block: [1; 3],
        kernelParams: list as u64,
        ..CUDA_KERNEL_NODE_PARAMS::default()
    };
    println!(
        "| {NODES} kernel nodes | add, ms | instantiate, ms | launch, ms | beyond launches in a stream, ms per 1,000 |"
    );
    println!("|---|--:|--:|--:|--:|");
    for (name, width) in [("one behind the other", 1), ("a hundred beside each other", 100)] {
        let mut graph: Ptr = null_mut();
        let added = best(|| {
            if !graph.is_null() {
                // SAFETY: the graph was created in an earlier run, and is destroyed only here.
                unsafe { ok(cuGraphDestroy(graph)) };
            }
            // SAFETY: the pointer is to a live local variable.
            unsafe { ok(cuGraphCreate(&raw mut graph, 0)) };
            let mut nodes: Vec<Ptr> = Vec::with_capacity(NODES);
            for i in 0..NODES {
                let mut node = null_mut();
                let before = i.checked_sub(width).map(|i| nodes[i]);
                let (list, count) =
                    before.as_ref().map_or((null(), 0), |before| (std::ptr::from_ref(before), 1));
                // SAFETY: the pointers are to live local variables, and the graph was created
                // above.
                unsafe {
                    ok(cuGraphAddKernelNode_v2(
                        &raw mut node,
                        graph,
                        list,
                        count,
                        &raw const params,
                    ))
                };
                nodes.push(node);
            }
        });
        let mut exec: Ptr = null_mut();
        let instantiated = best(|| {
            if !exec.is_null() {
                // SAFETY: the instance was created in an earlier run, and is destroyed only here.
                unsafe { ok(cuGraphExecDestroy(exec)) };
            }
            // SAFETY: the pointer is to a live local variable, and the graph was created above.
            unsafe { ok(cuGraphInstantiateWithFlags(&raw mut exec, graph, 0)) };
        });
        let launched = best(|| {
            // SAFETY: the instance and the stream were created above and are not destroyed.
            unsafe {
                ok(cuGraphLaunch(exec, stream));
                ok(cuStreamSynchronize(stream));
            }
        });
        let beyond = (launched - launches) / (NODES as f64 / 1000.0);
        println!("| {name} | {added:.1} | {instantiated:.1} | {launched:.1} | {beyond:.2} |");
    }
    println!("The launches in a stream took {launches:.1} ms.");
}
