//! Every exported function with arguments is called with invalid arguments in many combinations:
//! each refusal must have a useful reason.
//!
//! The argument types are read from the sources (`driver_api!` in `src/api`). Each argument in turn
//! is invalid, while the others are valid.

use crate::common::*;
use crate::reason::{ready, why};
use crate::world::World;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
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

/// Arguments that a macro of graph functions adds before those written in its invocation.
fn implied(text: &str, at: usize) -> Vec<ArgumentKind> {
    let handle = |object: &str| ArgumentKind::Handle(object.to_owned());
    let line = text[..at].lines().rfind(|line| line.ends_with("! {") && !line.starts_with(' '));
    match line {
        Some("adds! {") => {
            let pointer = ArgumentKind::Pointer;
            vec![pointer.clone(), handle("Graph"), pointer, ArgumentKind::Number]
        }
        Some("gets! {") => vec![handle("Node")],
        _ => Vec::new(),
    }
}

/// The functions of a file: names, and arguments of each.
fn signatures(text: &str) -> Vec<(Vec<String>, Vec<ArgumentKind>)> {
    let mut found = Vec::new();
    let functions = text.match_indices("\n    fn cu").chain(text.match_indices("\n    fn [cu"));
    for (at, _) in functions {
        let rest = &text[at + "\n    fn ".len()..];
        let (names, rest) = rest.split_once('(').expect("arguments");
        if names.matches(',').count() == 2 {
            found.extend(of_kind_of_node(names, rest));
            continue;
        }
        let implied = implied(text, at);
        // In a row of `gets!`, the kind of node follows.
        let end = [") {", ") =", ") \""].into_iter().filter_map(|end| rest.find(end)).min();
        let arguments = &rest[..end.expect("a body")];
        let (mut depth, mut one, mut all) = (0_i32, String::new(), Vec::new());
        for c in arguments.chars().chain([',']) {
            depth += i32::from("<([".contains(c)) - i32::from(">)]".contains(c));
            if c == ',' && depth == 0 {
                all.push(std::mem::take(&mut one));
            } else {
                one.push(c);
            }
        }
        // A parameter in brackets, with the value that it has in the version named in brackets.
        let of = |one: &String| {
            let one = one.trim().trim_start_matches('[');
            Some(kind(one.split_once(':')?.1.split(" = ").next()?.trim()))
        };
        let names = match names.strip_prefix('[').and_then(|names| names.split_once("] ")) {
            None => names,
            Some((short, names)) => {
                let less = all.iter().filter(|one| !one.trim().starts_with('['));
                found.push((vec![short.to_owned()], less.filter_map(of).collect()));
                names
            }
        };
        let kinds = all.iter().filter_map(of);
        let mut kinds: Vec<ArgumentKind> = implied.into_iter().chain(kinds).collect();
        if text[..at].lines().rfind(|line| line.ends_with("! {") && !line.starts_with(' '))
            == Some("gets! {")
        {
            kinds.truncate(1);
            kinds.push(ArgumentKind::Pointer);
        }
        let trimmed =
            |names: &str, by| names.split(by).map(|name| name.trim().to_owned()).collect();
        match names.split_once(',') {
            None => found.push((trimmed(names, '|'), kinds)),
            // A row of `copies!`: the function takes a structure, or pointers and a size; the
            // second function takes a stream, too.
            Some((now, in_stream)) => {
                match arguments.starts_with("pCopy:") {
                    true => kinds = vec![ArgumentKind::Pointer],
                    false => kinds.push(ArgumentKind::Number),
                }
                found.push((trimmed(now, '|'), kinds.clone()));
                kinds.push(ArgumentKind::Handle("Stream".to_owned()));
                found.push((trimmed(in_stream, '|'), kinds));
            }
        }
    }
    let handle = |object: &str| ArgumentKind::Handle(object.to_owned());
    let pointer = || ArgumentKind::Pointer;
    for line in text.lines() {
        // Rows of `by_descriptor!` and of `members!`.
        if let Some((create, get)) = line.strip_suffix(':').and_then(|row| row.split_once(", cuA"))
        {
            found.push((vec![create.trim().to_owned()], vec![pointer(), pointer()]));
            found.push((vec![format!("cuA{get}")], vec![pointer(), handle("ArrayObject")]));
        }
        let Some(at) = line.find("cuTexRef").filter(|_| !line.contains("fn ")) else { continue };
        let Some((name, rest)) = line[at..].split_once('(') else { continue };
        let reference = handle("TextureReference");
        match rest.split_once(": ").and_then(|(_, rest)| rest.split_once(") ")) {
            Some((ty, _)) if name.contains("Set") => {
                found.push((vec![name.to_owned()], vec![reference, kind(ty)]));
            }
            Some(_) => found.push((vec![name.to_owned()], vec![pointer(), reference])),
            None => {}
        }
    }
    for (at, _) in text.match_indices("\nmemset!(") {
        let row = text[at..].split_once(": ").and_then(|(_, rest)| rest.split_once(')'));
        let names: Vec<&str> = row.expect("names").0.split(", ").collect();
        let stream = || ArgumentKind::Handle("Stream".to_owned());
        let (line, rows) =
            (vec![ArgumentKind::Address, ArgumentKind::Number, ArgumentKind::Number], {
                let mut rows = vec![ArgumentKind::Number; 5];
                rows[0] = ArgumentKind::Address;
                rows
            });
        for (name, kinds) in names.into_iter().zip([
            line.clone(),
            rows.clone(),
            line.into_iter().chain([stream()]).collect(),
            rows.into_iter().chain([stream()]).collect(),
        ]) {
            found.push((vec![name.to_owned()], kinds));
        }
    }
    found
}

/// The functions of a row of `kinds!`: one adds a node, the others change it in a graph and in an
/// executable graph.
fn of_kind_of_node(names: &str, row: &str) -> Vec<(Vec<String>, Vec<ArgumentKind>)> {
    let handle = |object: &str| ArgumentKind::Handle(object.to_owned());
    let arguments = row.split(") {").next().expect("arguments");
    let mut given = arguments.split(": ").nth(1).expect("a type").split(", ");
    let own = kind(given.next().expect("a type").trim());
    let context = given.next().map(|_| handle("Context"));
    let pointer = ArgumentKind::Pointer;
    let first = [
        vec![pointer.clone(), handle("Graph"), pointer, ArgumentKind::Number],
        vec![handle("Node")],
        vec![handle("Exec"), handle("Node")],
    ];
    let all = names.split(',').zip(first).enumerate().map(|(i, (name, mut kinds))| {
        kinds.push(own.clone());
        kinds.extend(context.clone().filter(|_| i != 1));
        (vec![name.trim().to_owned()], kinds)
    });
    all.collect()
}

fn kind(ty: &str) -> ArgumentKind {
    let object = ty.strip_prefix("Handle<").and_then(|rest| rest.strip_suffix('>'));
    let is = |names: &[&str]| names.iter().any(|name| ty.starts_with(name));
    match object {
        Some(object) => ArgumentKind::Handle(object.to_owned()),
        None if is(&["Out<", "InOut<", "In<", "Text", "Raw", "*"]) => ArgumentKind::Pointer,
        None if is(&[
            "HostFunction",
            "StreamCallback",
            "SharedOfBlock",
            "Option<",
            "CUhostFn",
            "CUlogs",
            "CUasync",
            "CUgraphRecapture",
        ]) =>
        {
            ArgumentKind::Callback
        }
        None if ty == "CUdeviceptr" => ArgumentKind::Address,
        None => ArgumentKind::Number,
    }
}

fn all_signatures() -> BTreeMap<String, Vec<ArgumentKind>> {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut all = BTreeMap::new();
    for folder in [src.join("api"), src.join("api/graph"), src.join("tables")] {
        let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        for file in files.filter(|file| file.is_file()) {
            let text = std::fs::read_to_string(file).unwrap();
            for (names, kinds) in signatures(&text) {
                all.extend(names.into_iter().map(|name| (name, kinds.clone())));
            }
        }
    }
    all
}

/// A handle of an object of this type.
fn handle(world: &World, object: &str) -> u64 {
    let made = match object {
        "Context" | "context::Context" => world.context,
        "Graph" => graph(),
        "Node" => node(graph()),
        "Exec" => {
            let (mut exec, graph) = (std::ptr::null_mut(), graph());
            ok!(cuGraphInstantiateWithFlags(&raw mut exec, graph, 0));
            exec
        }
        "UserObject" => {
            let mut object = std::ptr::null_mut();
            let none = std::ptr::null_mut();
            ok!(cuUserObjectCreate(&raw mut object, none, Some(nothing), 1, 1));
            object
        }
        "ArrayObject" => world.array,
        "MipmapObject" => world.mipmapped,
        "Module" => world.module,
        "Function" => world.function,
        "Library" => world.library,
        "Kernel" => world.kernel,
        "Stream" => world.stream,
        "Event" | "stream::Event" => world.event,
        "LinkState" => world.link,
        "Pool" => {
            let mut pool = std::ptr::null_mut();
            ok!(cuDeviceGetDefaultMemPool(&raw mut pool, 0));
            pool
        }
        "Descriptor" => descriptor(),
        "GreenContext" => {
            let mut context = std::ptr::null_mut();
            ok!(cuGreenCtxCreate(&raw mut context, descriptor(), 0, 0));
            context
        }
        "TextureReference" => {
            let mut reference = std::ptr::null_mut();
            ok!(cuTexRefCreate(&raw mut reference));
            reference
        }
        "SurfaceReference" | "Physical" | "ExternalMemory" => 0x77 as Ptr,
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
