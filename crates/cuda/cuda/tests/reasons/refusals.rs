//! Every exported function with arguments is called with invalid arguments in many combinations:
//! each refusal must have a useful reason.
//!
//! The argument types are those of `cuda-abi/data/driver-functions.txt`. Each argument in turn is
//! invalid, while the others are valid.

use crate::common::*;
use crate::reason::{ready, why};
use crate::world::World;
use std::collections::{BTreeMap, BTreeSet};
use texunit_cuda::functions::{Address, FUNCTIONS};
use texunit_cuda_abi::{CU_DEV_RESOURCE_TYPE_SM, CUdevResource, CUresult};

functions! {
    cuUserObjectCreate(
        object: *mut Ptr, of: Ptr, destroy: Option<unsafe extern "C" fn(Ptr)>, count: u32, flags: u32,
    );
}

fn descriptor() -> Ptr {
    let (mut all, mut descriptor) = (CUdevResource::default(), std::ptr::null_mut());
    ok!(cuDeviceGetDevResource(0, &raw mut all, CU_DEV_RESOURCE_TYPE_SM));
    ok!(cuDevResourceGenerateDesc(&raw mut descriptor, &raw const all, 1));
    descriptor
}

unsafe extern "C" fn nothing(_: Ptr) {}

fn graph() -> Ptr {
    let mut graph = std::ptr::null_mut();
    ok!(cuGraphCreate(&raw mut graph, 0));
    graph
}

fn node(graph: Ptr) -> Ptr {
    let mut node = std::ptr::null_mut();
    ok!(cuGraphAddEmptyNode(&raw mut node, graph, std::ptr::null(), 0));
    node
}

/// Maximum number of arguments of a function.
const MAX_ARGUMENTS: usize = 14;
/// Bytes after each pointer; sizes passed are so small that no function accesses more.
const BYTES: usize = 16 << 20;
/// A number that is not an enumerator, a count or a size.
const ODD: u64 = 0x7777;
/// A handle that was never returned.
const WRONG: u64 = 0x1234_5678;

/// A function with the maximum number of arguments: a function ignores those that it does not have.
type AnyFunction = unsafe extern "C" fn(
    u64,
    u64,
    u64,
    u64,
    u64,
    u64,
    u64,
    u64,
    u64,
    u64,
    u64,
    u64,
    u64,
    u64,
) -> CUresult;

/// Kind of an argument.
#[derive(Clone, Debug, PartialEq)]
enum ArgumentKind {
    Pointer,
    /// A handle, with the type of its object.
    Handle(String),
    Callback,
    /// A device address.
    Address,
    Number,
}

fn kind(ty: &str) -> ArgumentKind {
    let is = |names: &[&str]| names.iter().any(|name| ty.starts_with(name));
    match ty {
        "CUdeviceptr" => ArgumentKind::Address,
        _ if is(&["Out<", "InOut<", "In<", "Text", "Raw", "*"]) => ArgumentKind::Pointer,
        _ if is(&["CUhostFn", "CUlogs", "CUasync", "CUgraphRecapture", "CUstreamCallback"])
            || ty == "CUoccupancyB2DSize" =>
        {
            ArgumentKind::Callback
        }
        _ if HANDLES.lines().any(|line| line.split(' ').next() == Some(ty)) => {
            ArgumentKind::Handle(ty.to_owned())
        }
        _ => ArgumentKind::Number,
    }
}

/// The handles of `cuda.h`.
const HANDLES: &str = include_str!("../../data/handles.txt");
/// The functions with the types of their parameters.
const SIGNATURES: &str = include_str!("../../../cuda-abi/data/driver-functions.txt");

fn all_signatures() -> BTreeMap<&'static str, Vec<ArgumentKind>> {
    let function = |line: &'static str| {
        let (name, parameters) = line.split_once("fn ")?.1.strip_suffix(')')?.split_once('(')?;
        let types = parameters.split(", ").filter_map(|parameter| parameter.split_once(": "));
        Some((name, types.map(|(_, ty)| kind(ty)).collect()))
    };
    SIGNATURES.lines().filter_map(function).collect()
}

/// A handle of an object of this type.
fn handle(world: &World, object: &str) -> u64 {
    let made = match object {
        "CUcontext" => world.context,
        "CUgraph" => graph(),
        "CUgraphNode" => node(graph()),
        "CUgraphExec" => {
            let (mut exec, graph) = (std::ptr::null_mut(), graph());
            ok!(cuGraphInstantiateWithFlags(&raw mut exec, graph, 0));
            exec
        }
        "CUuserObject" => {
            let mut object = std::ptr::null_mut();
            let none = std::ptr::null_mut();
            ok!(cuUserObjectCreate(&raw mut object, none, Some(nothing), 1, 1));
            object
        }
        "CUarray" => world.array,
        "CUmipmappedArray" => world.mipmapped,
        "CUmodule" => world.module,
        "CUfunction" => world.function,
        "CUlibrary" => world.library,
        "CUkernel" => world.kernel,
        "CUstream" => world.stream,
        "CUevent" => world.event,
        "CUlinkState" => world.link,
        "CUmemoryPool" => {
            let mut pool = std::ptr::null_mut();
            ok!(cuDeviceGetDefaultMemPool(&raw mut pool, 0));
            pool
        }
        "CUdevResourceDesc" => descriptor(),
        "CUgreenCtx" => {
            let mut context = std::ptr::null_mut();
            ok!(cuGreenCtxCreate(&raw mut context, descriptor(), 0, 0));
            context
        }
        "CUtexref" => {
            let mut reference = std::ptr::null_mut();
            ok!(cuTexRefCreate(&raw mut reference));
            reference
        }
        "CUsurfref" | "CUmemGenericAllocationHandle" | "CUexternalMemory" => 0x77 as Ptr,
        other => panic!("no object of type {other}"),
    };
    made as u64
}

/// Every combination of arguments for calls, with a state for each argument.
fn ways(kinds: &[ArgumentKind]) -> Vec<[u64; MAX_ARGUMENTS]> {
    // 0: valid, 1: null or 0, 2: invalid.
    let mut all = vec![[0; MAX_ARGUMENTS], [1; MAX_ARGUMENTS]];
    for i in 0..kinds.len() {
        for how in [1, 2] {
            let mut one = [0; MAX_ARGUMENTS];
            one[i] = how;
            all.push(one);
            // The numbers are invalid, too, such as a size with a null pointer.
            for (other, kind) in one.iter_mut().zip(kinds).filter(|(other, _)| **other == 0) {
                *other = if *kind == ArgumentKind::Number { 2 } else { 0 };
            }
            all.push(one);
        }
    }
    all
}

fn argument(world: &World, kind: &ArgumentKind, how: u64, buffer: u64) -> u64 {
    match (kind, how) {
        (ArgumentKind::Callback, _) | (_, 1) => 0,
        (ArgumentKind::Pointer, _) => buffer,
        (ArgumentKind::Handle(object), 0) => handle(world, object),
        (ArgumentKind::Handle(_), _) => WRONG,
        (ArgumentKind::Address, 0) => world.memory,
        // A device address far from all allocations.
        (ArgumentKind::Address, _) => world.memory + (1 << 33),
        (ArgumentKind::Number, 0) => 1,
        (ArgumentKind::Number, _) => ODD,
    }
}

/// Why a reason is not useful, if it is not.
fn complaint(name: &str, code: CUresult, reason: &str) -> Option<String> {
    let text = code.code().map_or("", |code| code.text);
    let poor = reason.len() < 9
        || reason.trim() != reason
        || reason.contains("a member of a structure")
        || reason.eq_ignore_ascii_case(text)
        || !reason.contains(' ');
    poor.then(|| format!("{name} = {code:?}: {reason:?}"))
}

#[test]
fn every_refused_call_says_why() {
    ready();
    let signatures = all_signatures();
    let mut complaints = BTreeSet::new();
    let (mut reasons, mut tried) = (BTreeSet::new(), 0);
    for function in FUNCTIONS.iter().filter(|function| function.provided) {
        let name = function.symbol;
        let kinds = signatures.get(name).unwrap_or_else(|| panic!("{name} is not found"));
        assert!(kinds.len() <= MAX_ARGUMENTS, "{name}");
        for way in ways(kinds) {
            let world = World::new();
            let mut buffer = vec![0_u64; BYTES / 8];
            let at = buffer.as_mut_ptr() as u64;
            let mut a = [0; MAX_ARGUMENTS];
            for ((a, kind), how) in a.iter_mut().zip(kinds).zip(way) {
                *a = argument(&world, kind, how, at);
            }
            // SAFETY: each pointer has more bytes behind it than sizes of `ODD` ask for; a function
            // is called with more integers than it takes, which the calling convention of C leaves
            // alone.
            let (code, reason) = why(|| unsafe {
                let call = std::mem::transmute::<Address, AnyFunction>(function.address);
                call(
                    a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9], a[10], a[11],
                    a[12], a[13],
                )
            });
            tried += 1;
            if code != CUresult::SUCCESS {
                complaints.extend(complaint(name, code, &reason));
                reasons.insert(format!("{name}: {reason}"));
            }
            if code == CUresult::SUCCESS && name.starts_with("cuStreamWaitValue") {
                // The stream may wait for another stream, without which its context cannot be
                // destroyed.
                let mut other = std::ptr::null_mut();
                ok!(cuStreamCreate(&raw mut other, 1));
                ok!(cuStreamWriteValue64_v2(other, a[1], a[2], 0));
            }
            // SAFETY: a number; the call may have ended the context.
            unsafe { cuCtxDestroy_v2(world.context) };
            // SAFETY: the call takes no pointer.
            unsafe { cuCtxSetCurrent(std::ptr::null_mut()) };
        }
    }
    if let Some(file) = std::env::var_os("TEXUNIT_REASONS") {
        std::fs::write(file, reasons.iter().map(|r| format!("{r}\n")).collect::<String>()).unwrap();
    }
    let complaints: Vec<String> = complaints.into_iter().collect();
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
    assert!(tried > 3000 && reasons.len() > 700, "{tried} {}", reasons.len());
}

#[test]
fn what_is_not_provided_says_so() {
    ready();
    for function in FUNCTIONS.iter().filter(|function| !function.provided) {
        // SAFETY: the function takes no arguments.
        let (code, reason) = why(|| unsafe { (function.address)() });
        assert_eq!(code, CUresult::NOT_SUPPORTED);
        assert!(reason.contains(function.symbol), "{}: {reason}", function.symbol);
    }
}
