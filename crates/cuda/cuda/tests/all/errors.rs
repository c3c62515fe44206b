//! Error codes of calls without a context, with a destroyed context, after a fault, and with
//! invalid handles.

use crate::table::{Needs, ROWS};
use crate::world::*;
use std::ptr::{null, null_mut};
use std::sync::mpsc::channel;
use texunit_cuda_abi::{CUDA_TEXTURE_DESC, CUresult};

/// Calls each row of the table with new objects from `world`; returns the codes that differ from
/// the expected ones.
fn differences(world: impl Fn() -> World, wanted: impl Fn(Needs) -> CUresult) -> Vec<String> {
    let mut wrong = Vec::new();
    for row in ROWS {
        let world = world();
        let (found, wanted) = ((row.call)(&world), wanted(row.needs));
        if found != wanted {
            let (family, name) = (row.family, row.name);
            wrong.push(format!("{family}: {name} answers {found:?}, not {wanted:?}"));
        }
        // SAFETY: the function takes no pointer; the context may be destroyed already.
        unsafe { cuCtxDestroy_v2(world.context) };
        // SAFETY: the function takes no pointer. A context destroyed by another thread is not
        // current.
        unsafe { cuCtxSetCurrent(null_mut()) };
    }
    wrong
}

fn none() -> Vec<String> {
    Vec::new()
}

#[test]
fn all_is_well_in_a_context() {
    assert_eq!(differences(World::new, |_| CUresult::SUCCESS), none());
}

#[test]
fn without_a_context() {
    let world = || {
        let world = World::new();
        ok!(cuCtxSetCurrent(null_mut()));
        world
    };
    let wanted = |needs| match needs {
        // A stream or an event has a context of its own; a memory address is unique.
        Needs::Owner | Needs::ContextIfAny | Needs::Init => CUresult::SUCCESS,
        Needs::Context | Needs::AnyContext => CUresult::INVALID_CONTEXT,
    };
    assert_eq!(differences(world, wanted), none());
}

#[test]
fn in_a_context_that_another_thread_has_destroyed() {
    let world = || {
        let world = World::new();
        let context = world.context as usize;
        std::thread::spawn(move || ok!(cuCtxDestroy_v2(context as Ptr))).join().unwrap();
        world
    };
    let wanted = |needs| match needs {
        Needs::Context | Needs::AnyContext => CUresult::CONTEXT_IS_DESTROYED,
        // They were destroyed with their context. The real driver's code is not documented, as it
        // uses the handle as an address; here it is a stale handle.
        Needs::Owner => CUresult::INVALID_HANDLE,
        Needs::ContextIfAny => CUresult::INVALID_VALUE,
        Needs::Init => CUresult::SUCCESS,
    };
    assert_eq!(differences(world, wanted), none());
}

#[test]
fn after_a_fault() {
    let world = || {
        let world = World::new();
        world.fault();
        world
    };
    let wanted = |needs| match needs {
        Needs::Init | Needs::AnyContext => CUresult::SUCCESS,
        _ => CUresult::ILLEGAL_ADDRESS,
    };
    assert_eq!(differences(world, wanted), none());
    // Another context is usable.
    let world = World::new();
    assert_eq!(World::launch(world.function), CUresult::SUCCESS);
    ok!(cuCtxSynchronize());
}

#[test]
fn a_callback_is_told_of_the_fault() {
    unsafe extern "C" fn note(_: Ptr, status: CUresult, data: Ptr) {
        // SAFETY: the test passes a pointer to a code.
        unsafe { data.cast::<CUresult>().write(status) }
    }
    let world = World::new();
    let mut status = CUresult::UNKNOWN;
    let data = (&raw mut status).cast();
    ok!(cuStreamAddCallback(world.stream, Some(note), data, 0));
    assert_eq!(status, CUresult::SUCCESS);
    fails!(INVALID_VALUE, cuStreamAddCallback(world.stream, None, data, 0));
    fails!(INVALID_VALUE, cuStreamAddCallback(world.stream, Some(note), data, 1));
    fails!(INVALID_VALUE, cuLaunchHostFunc(world.stream, None, null_mut()));
    world.fault();
    ok!(cuStreamAddCallback(world.stream, Some(note), data, 0));
    assert_eq!(status, CUresult::ILLEGAL_ADDRESS);
}

/// Destroys every object of a world; returns the code of each call.
fn end(w: &World) -> Vec<(&'static str, CUresult)> {
    // SAFETY: these calls take no pointers.
    unsafe {
        vec![
            ("texture", cuTexObjectDestroy(w.texture)),
            ("surface", cuSurfObjectDestroy(w.surface)),
            ("array", cuArrayDestroy(w.array)),
            ("mipmapped array", cuMipmappedArrayDestroy(w.mipmapped)),
            ("memory", cuMemFree_v2(w.memory)),
            ("module", cuModuleUnload(w.module)),
            ("library", cuLibraryUnload(w.library)),
            ("stream", cuStreamDestroy_v2(w.stream)),
            ("event", cuEventDestroy_v2(w.event)),
            ("link", cuLinkDestroy(w.link)),
        ]
    }
}

/// Code for an invalid handle. It is `CUDA_ERROR_INVALID_VALUE` for texture and surface objects,
/// which are 64-bit numbers and not pointers, and for addresses.
fn refused(kind: &str) -> CUresult {
    match kind {
        "texture" | "surface" | "memory" => CUresult::INVALID_VALUE,
        _ => CUresult::INVALID_HANDLE,
    }
}

/// NVIDIA's driver crashes for some of these handles, as it uses them as addresses; otherwise it
/// returns these codes.
#[test]
fn handles_end_once() {
    let world = World::new();
    for (kind, code) in end(&world) {
        assert_eq!(code, CUresult::SUCCESS, "{kind}");
    }
    for (kind, code) in end(&world) {
        // An NVIDIA H200 (sm_90) with driver 580.159.04, CUDA 13.0, returned this on 2026-11-28.
        let wanted = if kind == "texture" { CUresult::SUCCESS } else { refused(kind) };
        assert_eq!(code, wanted, "{kind} for the second time");
    }
    // Stale handles in calls other than those that destroy objects.
    let (w, none) = (&world, null_mut::<std::ffi::c_void>());
    let mut out = null_mut();
    let at = &raw mut out;
    fails!(INVALID_HANDLE, cuModuleGetFunction(at, w.module, c"good".as_ptr()));
    assert_eq!(World::launch(w.function), CUresult::INVALID_HANDLE);
    assert_eq!(World::launch(w.kernel), CUresult::INVALID_HANDLE);
    fails!(INVALID_HANDLE, cuKernelGetFunction(at, w.kernel));
    fails!(INVALID_HANDLE, cuStreamSynchronize(w.stream));
    fails!(INVALID_HANDLE, cuStreamQuery(w.stream));
    fails!(INVALID_HANDLE, cuEventRecord(w.event, none));
    fails!(INVALID_HANDLE, cuEventQuery(w.event));
    fails!(INVALID_HANDLE, cuStreamWaitEvent(none, w.event, 0));
    fails!(INVALID_HANDLE, cuMipmappedArrayGetLevel(at, w.mipmapped, 0));
    fails!(INVALID_VALUE, cuMemsetD8_v2(w.memory, 0, 1));
    let (resource, how) = (of_array(w.array), CUDA_TEXTURE_DESC::default());
    let (mut object, mut found) = (0_u64, resource);
    // The code for an array in a resource descriptor is not documented: it may be INVALID_VALUE.
    fails!(
        INVALID_HANDLE,
        cuTexObjectCreate(&raw mut object, &raw const resource, &raw const how, null())
    );
    fails!(INVALID_VALUE, cuTexObjectGetResourceDesc(&raw mut found, w.texture));
    fails!(INVALID_VALUE, cuSurfObjectGetResourceDesc(&raw mut found, w.surface));
    // The context is still usable.
    ok!(cuCtxSynchronize());
    World { context: w.context, ..World::nothing() }.fill();
}

#[test]
fn handles_have_a_kind() {
    let w = World::new();
    // An odd number, a host address, an address one past the end, all bits set.
    let local = 0_u64;
    let numbers = [3, (&raw const local) as usize, usize::MAX, usize::MAX << 1];
    let pointers =
        [w.context, w.array, w.mipmapped, w.module, w.stream, w.event, w.link, w.library];
    let all = numbers.into_iter().chain(pointers.into_iter().map(|p| p as usize));
    for number in all.chain([w.memory as usize, w.function as usize, w.texture as usize]) {
        let p = number as Ptr;
        let other = |own: Ptr| if own == p { null_mut() } else { p };
        let number = |own: u64| if own == p as u64 { 0 } else { p as u64 };
        // Each handle in every call for another kind of object.
        let wrong = World {
            texture: number(w.texture),
            // Texture and surface objects have separate numbers.
            surface: number(w.surface),
            array: other(w.array),
            mipmapped: other(w.mipmapped),
            memory: number(w.memory),
            module: other(w.module),
            library: other(w.library),
            stream: other(w.stream),
            event: other(w.event),
            link: other(w.link),
            ..w
        };
        for (kind, code) in end(&wrong) {
            // Many programs destroy handle 0, which is not tested here.
            let none = match kind {
                "memory" => wrong.memory == 0,
                "texture" => wrong.texture == 0,
                "surface" => wrong.surface == 0,
                _ => false,
            };
            if none {
                continue;
            }
            assert_eq!(code, refused(kind), "{kind}: {p:?}");
        }
        if p != w.function {
            assert_eq!(World::launch(p), CUresult::INVALID_HANDLE, "{p:?}");
        }
        if p != w.context {
            fails!(INVALID_CONTEXT, cuCtxSetCurrent(p));
            fails!(INVALID_CONTEXT, cuCtxPushCurrent_v2(p));
            fails!(INVALID_CONTEXT, cuCtxDestroy_v2(p));
        }
    }
    // No object was affected.
    for (kind, code) in end(&w) {
        assert_eq!(code, CUresult::SUCCESS, "{kind}");
    }
}

#[test]
fn results_need_a_place() {
    let w = World::new();
    let (resource, how) = (of_array(w.array), CUDA_TEXTURE_DESC::default());
    let (mut p, mut n, mut i) = (null_mut(), 0_u64, 0_i32);
    let none = null_mut::<u8>();
    fails!(INVALID_VALUE, cuMemAlloc_v2(none.cast(), 64));
    fails!(INVALID_VALUE, cuMemAlloc_v2(&raw mut n, 0));
    fails!(INVALID_VALUE, cuMemAllocHost_v2(none.cast(), 64));
    fails!(INVALID_VALUE, cuMemAllocManaged(none.cast(), 64, 1));
    fails!(INVALID_VALUE, cuMemAllocAsync(none.cast(), 64, w.stream));
    fails!(INVALID_VALUE, cuMemcpyHtoD_v2(w.memory, null(), 8));
    fails!(INVALID_VALUE, cuMemcpyDtoH_v2(none, w.memory, 8));
    fails!(INVALID_VALUE, cuArray3DCreate_v2(none.cast(), &raw const ARRAY));
    fails!(INVALID_VALUE, cuArray3DCreate_v2(&raw mut p, null()));
    fails!(INVALID_VALUE, cuArray3DGetDescriptor_v2(none.cast(), w.array));
    fails!(INVALID_VALUE, cuMipmappedArrayCreate(none.cast(), &raw const ARRAY, 1));
    fails!(INVALID_VALUE, cuMipmappedArrayGetLevel(none.cast(), w.mipmapped, 0));
    fails!(
        INVALID_VALUE,
        cuTexObjectCreate(none.cast(), &raw const resource, &raw const how, null())
    );
    fails!(INVALID_VALUE, cuTexObjectCreate(&raw mut n, null(), &raw const how, null()));
    fails!(INVALID_VALUE, cuTexObjectCreate(&raw mut n, &raw const resource, null(), null()));
    fails!(INVALID_VALUE, cuTexObjectGetResourceDesc(none.cast(), w.texture));
    fails!(INVALID_VALUE, cuTexObjectGetTextureDesc(none.cast(), w.texture));
    fails!(INVALID_VALUE, cuSurfObjectCreate(none.cast(), &raw const resource));
    fails!(INVALID_VALUE, cuSurfObjectCreate(&raw mut n, null()));
    fails!(INVALID_VALUE, cuSurfObjectGetResourceDesc(none.cast(), w.surface));
    fails!(INVALID_VALUE, cuModuleLoadData(none.cast(), PTX.as_ptr().cast()));
    fails!(INVALID_VALUE, cuModuleLoadData(&raw mut p, null()));
    fails!(INVALID_VALUE, cuModuleLoad(&raw mut p, null()));
    fails!(FILE_NOT_FOUND, cuModuleLoad(&raw mut p, c"/nowhere/at/all".as_ptr()));
    fails!(INVALID_VALUE, cuModuleGetFunction(none.cast(), w.module, c"good".as_ptr()));
    fails!(INVALID_VALUE, cuModuleGetFunction(&raw mut p, w.module, null()));
    fails!(NOT_FOUND, cuModuleGetFunction(&raw mut p, w.module, c"none".as_ptr()));
    fails!(INVALID_VALUE, cuFuncGetAttribute(none.cast(), 0, w.function));
    fails!(INVALID_VALUE, cuFuncGetAttribute(&raw mut i, 4000, w.function));
    fails!(INVALID_VALUE, cuStreamCreate(none.cast(), 0));
    fails!(INVALID_VALUE, cuStreamCreate(&raw mut p, 4));
    fails!(INVALID_VALUE, cuStreamGetFlags(w.stream, none.cast()));
    fails!(INVALID_VALUE, cuStreamGetPriority(w.stream, none.cast()));
    fails!(INVALID_VALUE, cuStreamGetId(w.stream, none.cast()));
    fails!(INVALID_VALUE, cuStreamGetCtx(w.stream, none.cast()));
    fails!(INVALID_VALUE, cuEventCreate(none.cast(), 0));
    fails!(INVALID_VALUE, cuEventCreate(&raw mut p, 8));
    fails!(INVALID_VALUE, cuEventElapsedTime(none.cast(), w.event, w.event));
    fails!(INVALID_VALUE, cuCtxGetCurrent(none.cast()));
    fails!(INVALID_VALUE, cuCtxGetLimit(none.cast(), 0));
    fails!(INVALID_VALUE, cuCtxGetDevice(none.cast()));
    fails!(INVALID_VALUE, cuDeviceGetCount(none.cast()));
    fails!(INVALID_VALUE, cuDevicePrimaryCtxRetain(none.cast(), 0));
    // The number of a device that does not exist.
    fails!(INVALID_DEVICE, cuDeviceGet(&raw mut i, 77));
    fails!(INVALID_DEVICE, cuDeviceGetAttribute(&raw mut i, 1, -1));
    fails!(INVALID_DEVICE, cuDevicePrimaryCtxRetain(&raw mut p, 77));
}

#[test]
fn objects_of_another_context() {
    let theirs = World::new();
    let ours = World::new();
    assert_eq!(World::launch(theirs.function), CUresult::INVALID_HANDLE);
    // An event can be recorded only in streams of its own context.
    fails!(INVALID_HANDLE, cuEventRecord(theirs.event, ours.stream));
    // Every stream can wait for it.
    ok!(cuStreamWaitEvent(ours.stream, theirs.event, 0));
    // A library has functions in every context.
    assert_eq!(World::launch(theirs.kernel), CUresult::SUCCESS);
    // A fault affects only its own context.
    theirs.memory.checked_add(1).unwrap();
    ok!(cuCtxSetCurrent(theirs.context));
    theirs.fault();
    fails!(ILLEGAL_ADDRESS, cuCtxSynchronize());
    ok!(cuCtxSetCurrent(ours.context));
    ok!(cuCtxSynchronize());
    fails!(ILLEGAL_ADDRESS, cuStreamSynchronize(theirs.stream));
    ok!(cuCtxDestroy_v2(theirs.context));
    fails!(INVALID_HANDLE, cuStreamSynchronize(theirs.stream));
    fails!(INVALID_CONTEXT, cuCtxDestroy_v2(theirs.context));
    ok!(cuCtxSynchronize());
}

#[test]
fn contexts_are_a_stack_of_each_thread() {
    let current = || {
        let mut now = null_mut();
        ok!(cuCtxGetCurrent(&raw mut now));
        now
    };
    let (first, second) = (context(), context());
    let mut popped = null_mut();
    ok!(cuCtxPushCurrent_v2(first));
    ok!(cuCtxPushCurrent_v2(first));
    ok!(cuCtxPopCurrent_v2(&raw mut popped));
    assert_eq!((popped, current()), (first, first));
    ok!(cuCtxPopCurrent_v2(null_mut()));
    assert_eq!(current(), second);
    // Another thread has no current context, takes one from its stack, and destroys the one that is
    // current here.
    let numbers = (first as usize, second as usize);
    std::thread::spawn(move || {
        let (first, second) = (numbers.0 as Ptr, numbers.1 as Ptr);
        assert!(current().is_null());
        fails!(INVALID_CONTEXT, cuCtxPopCurrent_v2(null_mut()));
        ok!(cuCtxPushCurrent_v2(first));
        ok!(cuCtxDestroy_v2(second));
        assert_eq!(current(), first);
        // It ends with `first` on its stack.
    })
    .join()
    .unwrap();
    assert_eq!(current(), second);
    fails!(CONTEXT_IS_DESTROYED, cuCtxSynchronize());
    fails!(INVALID_CONTEXT, cuCtxPushCurrent_v2(second));
    fails!(INVALID_CONTEXT, cuCtxSetCurrent(second));
    ok!(cuCtxPopCurrent_v2(&raw mut popped));
    assert_eq!((popped, current()), (second, first));
    ok!(cuCtxSynchronize());
    // Destroying the current context removes it from the stack; destroying another one does not.
    ok!(cuCtxDestroy_v2(first));
    assert!(current().is_null());
    fails!(INVALID_CONTEXT, cuCtxPopCurrent_v2(null_mut()));
    // The code for a null context is not documented: it may be INVALID_VALUE.
    fails!(INVALID_CONTEXT, cuCtxDestroy_v2(null_mut()));
    fails!(INVALID_CONTEXT, cuCtxPushCurrent_v2(null_mut()));
}

#[test]
fn the_primary_context_is_counted_and_reset() {
    ok!(cuInit(0));
    let (mut primary, mut again) = (null_mut(), null_mut());
    ok!(cuDevicePrimaryCtxRetain(&raw mut primary, 0));
    ok!(cuDevicePrimaryCtxRetain(&raw mut again, 0));
    assert_eq!(primary, again);
    fails!(INVALID_CONTEXT, cuCtxDestroy_v2(primary));
    ok!(cuCtxSetCurrent(primary));
    let world = World { context: primary, ..World::nothing() }.fill();
    world.fault();
    fails!(ILLEGAL_ADDRESS, cuCtxSynchronize());
    ok!(cuDevicePrimaryCtxReset_v2(0));
    // The same handle is a new context, without the objects of the old one.
    ok!(cuCtxSynchronize());
    assert_eq!(World::launch(world.function), CUresult::INVALID_HANDLE);
    fails!(INVALID_VALUE, cuMemFree_v2(world.memory));
    let world = World { context: primary, ..World::nothing() }.fill();
    assert_eq!(World::launch(world.function), CUresult::SUCCESS);
    // Many threads retain and release the context, so that it is destroyed and created repeatedly,
    // while none loses its objects.
    ok!(cuDevicePrimaryCtxRelease_v2(0));
    ok!(cuDevicePrimaryCtxRelease_v2(0));
    fails!(INVALID_CONTEXT, cuDevicePrimaryCtxRelease_v2(0));
    let (done, all) = channel();
    for _ in 0..8 {
        let done = done.clone();
        std::thread::spawn(move || {
            for _ in 0..300 {
                let (mut primary, mut memory) = (null_mut(), 0);
                ok!(cuDevicePrimaryCtxRetain(&raw mut primary, 0));
                ok!(cuCtxSetCurrent(primary));
                ok!(cuMemAlloc_v2(&raw mut memory, 64));
                ok!(cuMemsetD8_v2(memory, 1, 64));
                ok!(cuMemFree_v2(memory));
                ok!(cuDevicePrimaryCtxRelease_v2(0));
            }
            done.send(()).unwrap();
        });
    }
    for _ in 0..8 {
        all.recv_timeout(std::time::Duration::from_secs(120)).unwrap();
    }
    let (mut flags, mut active) = (1, 1);
    ok!(cuDevicePrimaryCtxGetState(0, &raw mut flags, &raw mut active));
    assert_eq!(active, 0);
}
