//! Faults of a running kernel, converted to diagnostics of its source.

mod host;
mod json;

pub use host::Host;
pub use json::fault_json;
use texunit_forms::Count;

use crate::place::function_name;
use texunit_simt::runtime::Caller;
use texunit_simt::{BadHandle, End, Fault, FaultKind, SpaceKind};
use texunit_syntax::Diagnostic;
use texunit_syntax::codes::Code;

/// Addresses below this count as null pointers with an index or a member offset.
const NULL_PAGE: u64 = 64 * 1024;

/// The codes of faults ([`FaultKind::name`]), with titles and explanations.
#[rustfmt::skip]
pub const FAULTS: &[Code] = &[
    Code { code: "assert", title: "failed assertion", explanation:
        "An `assert` of the kernel does not hold. The message has the file, the line, the function and the condition." },
    Code { code: "bad-operand", title: "register value that makes no sense there", explanation:
        "The index of a `brx.idx` is past the end of its list, an indirect call goes to something that is not a function, or a barrier has a number past 15. The message has the value." },
    Code { code: "cancelled", title: "launch that was cancelled", explanation:
        "The launch was stopped before the kernel had finished: the time of `texunit run --timeout` was over, or the host program stopped it. The message says where the kernel was then. A kernel that waits for something that never comes (a flag, a lock, another CTA that cannot run beside it) is the usual cause; `--max-steps N` ends one by what it executes instead of by time." },
    Code { code: "deadlock", title: "threads that wait for each other", explanation:
        "Every thread of the CTA that has not exited must reach the same barrier, and every lane of a membermask the same instruction. The message says who waits where. Threads that wait in loops for memory to change are one, too, when nobody is left who could change it: all CTAs that can run wait so, and the program waits for the kernel (or there is no program). The message then has the loop, the address and what it holds." },
    Code { code: "freed", title: "use of memory that was freed", explanation:
        "A load, store or atomic reaches memory that was freed before the launch, or the memory of a texture or surface was freed, its array destroyed, or the registration of host memory ended (`cuMemHostUnregister`, or the program has unmapped it). The message names what was freed, with its size and the number of the allocation, which is `CU_POINTER_ATTRIBUTE_BUFFER_ID`. On a GPU such a kernel may read whatever lies there next." },
    Code { code: "handle", title: "not a texture, sampler or surface", explanation:
        "Handles come to a kernel as parameters or references and must be used unchanged. A reference that nothing is bound to has none, and a pointer to a buffer is not one either. Of an object that was destroyed it is a use after free: a card gives its number to the next one that is made, and reads that. A fetch or access by a handle that was never returned, and a fetch by a surface's, are faults with `--bad-fetch fault` alone: see `texture-bad-fetch`." },
    Code { code: "heap", title: "free of something that was not allocated", explanation:
        "`free` in a kernel takes what `malloc` in a kernel returned, once. The message has the pointer." },
    Code { code: "misaligned", title: "misaligned address", explanation:
        "Addresses of loads, stores and atomics are multiples of the access size, for vectors of the size of the whole vector." },
    Code { code: "no-access", title: "use of memory to which the device was given no access", explanation:
        "Memory is mapped at the address (`cuMemMap`, or it is of a pool of another device), but `cuMemSetAccess` or `cuMemPoolSetAccess` has not given this device access to it. Mappings begin without any access. The message has the memory with its number and size." },
    Code { code: "not-mapped", title: "use of addresses that are only reserved", explanation:
        "The address is one that `cuMemAddressReserve` has reserved, and no memory is mapped there: `cuMemMap` was not called for this part of the reservation, or `cuMemUnmap` was. The message has the reservation with its number and size." },
    Code { code: "out-of-bounds", title: "access outside of every object", explanation:
        "A load, store or atomic reaches outside of every allocation, variable, stack frame and parameter. The message names the nearest object. A GPU does not notice a few bytes past an end (it rounds the sizes of allocations up to 512 bytes, those of dynamic shared memory to 1 KiB): the help says where that is so, and `--bounds hardware` lets it pass." },
    Code { code: "peer-access", title: "use of another device's memory", explanation:
        "A kernel reaches memory of another device only after `cuCtxEnablePeerAccess` (`cudaDeviceEnablePeerAccess`) was called in the context in which the kernel runs. The message has the memory with its number and size." },
    Code { code: "read-only", title: "store to read-only memory", explanation:
        "Constant memory and the parameters of a kernel cannot be written, nor host memory that was registered to be read only." },
    Code { code: "stack-overflow", title: "more stack than a thread has", explanation:
        "Unbounded recursion, or large local arrays." },
    Code { code: "step-limit", title: "kernel that does not end", explanation:
        "A warp has executed as many instructions as `--max-steps` allows. If the kernel is only long, raise the limit." },
    Code { code: "surface", title: "surface access outside or misaligned", explanation:
        "The x coordinate of a surface access counts bytes and is a multiple of the access size; y and z count rows and slices. `.trap` faults outside of the surface, `.clamp` and `.zero` do not. The instruction's geometry is that of the surface; `.a1d` and `.a2d` also see one layer of a plain 1D or 2D surface. Another geometry is a fault with `--bad-fetch fault` alone: see `texture-bad-fetch`." },
    Code { code: "texture", title: "fetch that does not fit its texture", explanation:
        "The instruction's geometry, its result type and its kind of coordinates must go with the texture that the handle stands for: a `tex.2d` needs a two-dimensional texture. `tex.1d` also reads a 2D array of height 1, and `.a1d` and `.a2d` see one layer of a plain 1D or 2D array. Another geometry, and `.f32` coordinates on linear memory, are faults with `--bad-fetch fault` alone: see `texture-bad-fetch`." },
    Code { code: "trap", title: "the program stopped itself", explanation:
        "The kernel executed `trap` or `brkpt`." },
];

/// The code for a library that cannot run, independently of any kernel.
pub const LIBRARY: &Code = &Code {
    code: "library",
    title: "library that cannot run",
    explanation: "NVIDIA's CUDA runtime is linked into the library, and its symbols were stripped (cuFFT, cuBLAS, cuSOLVER and so on are built so). That runtime works on NVIDIA's driver alone, and texunit's cannot take its place. The library is named at its first call, which fails like all that follow; what it should have computed is not there, also where the program does not look at the answer. A library that is loaded and not called is not named.",
};

/// The code for a memory pool in which a Python package makes its arrays.
pub const POOL: &Code = &Code {
    code: "memory-pool",
    title: "memory of a pool",
    explanation: "CuPy and PyTorch keep memory in pools: an allocation is a block that has arrays in it, rounded up to 512 bytes or more, and stays when they are gone. An access one past the end of an array, or of an array that is gone, is one inside of an allocation then, and no fault. `texunit run --check memory` (or `all`) turns the pools off; `cupy.cuda.set_allocator(None)` and PYTORCH_NO_CUDA_MEMORY_CACHING=1 do so without it.",
};

const OF_PARENT: &str = "local and shared memory belong to the grid that has them: a pointer to some of the grid that launches \
     means nothing in the one that it launches; pass global memory";

/// Describes a thread with its kernel and CTA.
fn who((kernel, [cx, cy, cz], [tx, ty, tz]): (&str, [u32; 3], [u32; 3])) -> String {
    let kernel = function_name(kernel);
    format!("kernel `{kernel}`, CTA ({cx}, {cy}, {cz}), thread ({tx}, {ty}, {tz})")
}

/// Describes the thread that launched a grid.
pub fn who_called(caller: &Caller) -> String {
    who((&caller.kernel, caller.cta, caller.thread))
}

/// Converts a fault to a diagnostic. Its code is [`FaultKind::name`], its primary position the
/// instruction, its label the thread, and its secondary positions are the calls that led there. The
/// advice depends on the host.
pub fn fault_diagnostic(fault: &Fault, host: Host) -> Diagnostic {
    let who = who((&fault.kernel, fault.cta, fault.thread));
    let mut diagnostic =
        Diagnostic::error(fault.kind.name(), fault.span, fault.kind.to_string()).label(who);
    // Innermost call first, as in code locations.
    let mut calls = fault.calls.iter().rev().peekable();
    while let Some(call @ (function, place)) = calls.next() {
        // Repeated calls of a recursion are combined.
        let mut times = 1;
        while calls.next_if(|next| *next == call).is_some() {
            times += 1;
        }
        let name = function_name(function);
        let text = match times {
            // The engine drops the middle of a long call chain.
            1 if function.ends_with(" more calls") => format!("and {function}"),
            1 => format!("`{name}` is called here"),
            _ => format!("`{name}` is called here {} in a row", Count(times, "time")),
        };
        diagnostic = diagnostic.note(*place, text);
    }
    for caller in &fault.launched_by {
        let text = format!("this grid is launched here by {}", who_called(caller));
        diagnostic = diagnostic.note(caller.span, text);
        for (function, place) in caller.calls.iter().rev() {
            let name = function_name(function);
            diagnostic = diagnostic.note(*place, format!("`{name}` is called here"));
        }
    }
    if let (FaultKind::OutOfBounds { space: SpaceKind::Local | SpaceKind::Shared, .. }, false) =
        (&fault.kind, fault.launched_by.is_empty())
    {
        return diagnostic.help(OF_PARENT);
    }
    match host.help(&fault.kind).or_else(|| help(&fault.kind).map(str::to_owned)) {
        Some(help) => diagnostic.help(help),
        None => diagnostic,
    }
}

/// A diagnostic for a fetch or access whose handle refers to no matching texture or surface, but
/// which got a result ([`texunit_simt::BadFetches`]); described by the fault that it would have
/// been.
pub fn bad_fetch_diagnostic(fault: &Fault, host: Host) -> Diagnostic {
    let mut diagnostic = fault_diagnostic(fault, host);
    diagnostic.code = "texture-bad-fetch";
    host.of_card(&fault.kind).into_iter().fold(diagnostic, Diagnostic::remark)
}

/// Advice that goes beyond the message.
fn help(kind: &FaultKind) -> Option<&'static str> {
    Some(match kind {
        FaultKind::StepLimit { .. } => {
            "if the kernel is only long, raise the limit (`--max-steps N`)"
        }
        FaultKind::Deadlock { waiting } if waiting.contains(" in a loop at ") => {
            "what a kernel waits for is set before its launch, or by a thread of the program or a launch that is \
             there while it runs"
        }
        FaultKind::Deadlock { .. } => {
            "every thread of the CTA that has not exited must reach the same barrier, and every \
             lane of a membermask the same instruction"
        }
        FaultKind::Misaligned { .. } => {
            "PTX addresses must be multiples of the access size, for vectors of the whole vector"
        }
        FaultKind::OutOfBounds { space: SpaceKind::Global, address: 0..NULL_PAGE, .. } => {
            "the pointer is null, or an offset was used as a pointer"
        }
        FaultKind::Freed { .. } => {
            "free memory, and destroy arrays, after the last launch that uses them, and textures and \
             surfaces of them before"
        }
        FaultKind::Unreachable { how: End::Reserved, .. } => {
            "map memory there (`cuMemMap`) and give the device access to it (`cuMemSetAccess`)"
        }
        FaultKind::Unreachable { how: End::Peer, .. } => {
            "call `cudaDeviceEnablePeerAccess` (`cuCtxEnablePeerAccess`) in the context of the kernel"
        }
        FaultKind::Unreachable { .. } => {
            "give the device access to the memory (`cuMemSetAccess`, of a pool `cuMemPoolSetAccess`)"
        }
        FaultKind::ReadOnly { resource: Some(_), .. } => {
            "memory that was registered with CU_MEMHOSTREGISTER_READ_ONLY, or that the program itself may \
             not write, is only read"
        }
        FaultKind::ReadOnly { .. } => "constant memory and kernel parameters cannot be written",
        FaultKind::Handle { is: BadHandle::Destroyed, .. } => {
            "destroy textures and surfaces after the last launch that uses them; a card gives the \
             number to the next object that is made, and reads that one"
        }
        FaultKind::Handle { .. } => {
            "handles come to a kernel as parameters or references, unchanged; a buffer is not a texture"
        }
        FaultKind::Surface(text) if text.starts_with("coordinate") => {
            "x counts bytes, y and z rows and slices; `.clamp` and `.zero` do not fault outside"
        }
        FaultKind::StackOverflow { .. } => "unbounded recursion, or large local arrays",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use texunit_syntax::{SourceFile, Span};
    use texunit_unit::Geometry;

    fn fault(kind: FaultKind) -> Fault {
        Fault {
            kind,
            kernel: "k".into(),
            cta: [1, 2, 3],
            thread: [4, 5, 6],
            span: Span::new(1, 20),
            calls: vec![("f".into(), Span::new(22, 29))],
            launched_by: Vec::new(),
            sources: Default::default(),
            stats: texunit_simt::LaunchStats::default(),
        }
    }

    /// Every fault name is in the table; a new kind does not compile without an entry here.
    #[test]
    fn every_fault_is_explained() {
        let space = SpaceKind::Global;
        let text = String::new;
        let unreachable = |how| FaultKind::Unreachable { user: text(), memory: text().into(), how };
        let all = [
            FaultKind::OutOfBounds {
                access: "",
                space,
                address: 0,
                size: 1,
                nearest: text().into(),
                unnoticed: false,
            },
            FaultKind::Freed { user: text(), memory: text().into() },
            unreachable(End::Reserved),
            unreachable(End::NoAccess),
            unreachable(End::Peer),
            FaultKind::Misaligned { access: "", space, address: 0, size: 1, resource: None },
            FaultKind::ReadOnly { space, address: 0, resource: None },
            FaultKind::Surface(text()),
            FaultKind::Handle { handle: 0, wanted: "", is: BadHandle::Unknown, why: text() },
            FaultKind::Texture(text()),
            FaultKind::Floats { resource: text() },
            host::tests::geometry(Geometry::D1, Geometry::D2, false),
            host::tests::geometry(Geometry::D1, Geometry::D2, true),
            FaultKind::Deadlock { waiting: text() },
            FaultKind::StepLimit { limit: 1 },
            FaultKind::StackOverflow { limit: 1 },
            FaultKind::Assert { message: text(), file: text(), line: 1, function: text() },
            FaultKind::Heap(text()),
            FaultKind::Trap { message: None },
            FaultKind::BadOperand(text()),
            FaultKind::Cancelled,
        ];
        for kind in &all {
            match kind {
                FaultKind::OutOfBounds { .. }
                | FaultKind::Freed { .. }
                | FaultKind::Unreachable { .. }
                | FaultKind::Misaligned { .. }
                | FaultKind::ReadOnly { .. }
                | FaultKind::Surface(_)
                | FaultKind::Handle { .. }
                | FaultKind::Texture(_)
                | FaultKind::Floats { .. }
                | FaultKind::Geometry { .. }
                | FaultKind::Deadlock { .. }
                | FaultKind::StepLimit { .. }
                | FaultKind::StackOverflow { .. }
                | FaultKind::Assert { .. }
                | FaultKind::Heap(_)
                | FaultKind::Trap { .. }
                | FaultKind::BadOperand(_)
                | FaultKind::Cancelled => {}
            }
            assert!(FAULTS.iter().any(|row| row.code == kind.name()), "{}", kind.name());
        }
        let names: std::collections::HashSet<_> = all.iter().map(FaultKind::name).collect();
        assert_eq!(FAULTS.len(), names.len());
        assert!(FAULTS.windows(2).all(|pair| pair[0].code < pair[1].code));
    }

    #[test]
    fn helps_where_the_message_cannot() {
        let space = SpaceKind::Global;
        let outside = |address, unnoticed| FaultKind::OutOfBounds {
            access: "load",
            space,
            address,
            size: 4,
            nearest: String::new().into(),
            unnoticed,
        };
        let handle = |why: &str| {
            let is =
                if why.contains("destroyed") { BadHandle::Destroyed } else { BadHandle::Unknown };
            FaultKind::Handle { handle: 1, wanted: "texture", is, why: why.to_owned() }
        };
        assert!(help(&outside(12, false)).is_some_and(|h| h.contains("null")));
        assert_eq!(help(&outside(0x7000_0000_0000, false)), None);
        let passes = |host: Host| host.help(&outside(0x7000_0000_0000, true)).unwrap_or_default();
        assert!(
            passes(Host::Program).contains("`--bounds hardware` (TEXUNIT_BOUNDS=hardware) lets")
        );
        assert!(passes(Host::Job).contains("`--bounds hardware` lets"));
        assert!(passes(Host::Python).contains("`bounds=\"hardware\"` lets"));
        let hosts = [
            (Host::Job, "[textures.NAME]"),
            (Host::Program, "cuTexRefSetArray"),
            (Host::Python, "module.bind"),
        ];
        for (host, words) in hosts {
            let bound = host.help(&handle("texref `t` is not bound"));
            assert!(bound.is_some_and(|h| h.contains(words)));
            assert_eq!(host.help(&handle("the handle is zero")), None);
        }
        assert!(help(&handle("the handle is zero")).is_some_and(|h| h.contains("parameters")));
        assert!(help(&handle("it was destroyed")).is_some_and(|h| h.contains("the next object")));
    }

    #[test]
    fn what_a_card_makes_of_bad_fetches() {
        let handle =
            |handle, wanted, is| FaultKind::Handle { handle, wanted, is, why: "no".into() };
        for (kind, does) in [
            (FaultKind::Floats { resource: "texture `t`".into() }, "a fetch or load gives 0"),
            (host::tests::geometry(Geometry::D1, Geometry::D3, true), "a fetch or load gives 0"),
            (handle(0, "texture", BadHandle::Unknown), "a fetch or load gives 0"),
            (handle(1 << 63 | 5, "surface", BadHandle::Unknown), "a fetch or load gives 0"),
            (handle(5, "texture", BadHandle::Unknown), "the lower half"),
            (handle(5, "sampler", BadHandle::Unknown), "that of the texture"),
            (handle(1 << 63, "texture", BadHandle::Surface), "fetches from the surface"),
        ] {
            let diagnostic = bad_fetch_diagnostic(&fault(kind), Host::Python);
            let [remark] = &diagnostic.remarks[..] else { panic!("{diagnostic:?}") };
            assert!(remark.contains(does) && remark.contains("`bad_fetch=\"fault\"`"), "{remark}");
            assert!(diagnostic.help.is_some() && diagnostic.code == "texture-bad-fetch");
        }
        let gone = fault(handle(1 << 61 | 5, "texture", BadHandle::Destroyed));
        assert!(bad_fetch_diagnostic(&gone, Host::Job).remarks.is_empty());
    }

    #[test]
    fn a_recursion_is_shown_once() {
        let source = SourceFile::new("k.ptx", "\tld.u32 %r1, [%rd1];\n\tcall f;\n");
        let mut fault = fault(FaultKind::StackOverflow { limit: 9 });
        fault.calls = vec![fault.calls[0].clone(); 100];
        let text = crate::human(&source, &[fault_diagnostic(&fault, Host::Job)], false);
        assert_eq!(text.matches("is called here").count(), 1, "{text}");
        assert!(text.contains("`f` is called here 100 times in a row"), "{text}");
    }

    #[test]
    fn names_everything() {
        let source = SourceFile::new("k.ptx", "\tld.u32 %r1, [%rd1];\n\tcall f;\n");
        let fault = fault(FaultKind::Misaligned {
            access: "load",
            space: SpaceKind::Global,
            address: 0x1001,
            size: 4,
            resource: Some("`b` (64 bytes at 0x1000)".into()),
        });
        let text = crate::human(&source, &[fault_diagnostic(&fault, Host::Job)], false);
        for part in [
            "error[misaligned]: load of 4 bytes at .global address 0x1001, which is not a multiple",
            "k.ptx:1:2",
            "kernel `k`, CTA (1, 2, 3), thread (4, 5, 6)",
            "`f` is called here",
            "help: PTX addresses must be multiples",
        ] {
            assert!(text.contains(part), "no {part:?} in:\n{text}");
        }
    }
}
