//! Many threads: launches, copies, events, texture objects and modules in one context and in
//! several, callbacks that call the API, threads that end with contexts on their stacks.

use crate::world::*;
use std::ffi::CStr;
use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::channel;
use std::time::Duration;
use texunit_cuda_abi::{CUDA_TEXTURE_DESC, CUresult};
use texunit_testkit::Random;

const THREADS: u64 = 8;

/// `add` adds the texels of an 8 x 8 texture to 64 numbers.
const ADD: &CStr = ptx!("../ptx/threads_add.ptx");

/// Runs work in many threads. It fails if one of them fails or does not end.
fn all_at_once(work: impl Fn(u64) + Clone + Send + 'static) {
    let (done, all) = channel();
    for thread in 0..THREADS {
        let (work, done) = (work.clone(), done.clone());
        std::thread::spawn(move || {
            work(thread);
            done.send(()).unwrap();
        });
    }
    drop(done);
    for _ in 0..THREADS {
        let end = all.recv_timeout(Duration::from_secs(300));
        end.expect("a thread failed, or waits forever");
    }
}

fn rounds(normal: u64) -> u64 {
    if std::env::var_os("TEXUNIT_LONG_TESTS").is_some() { 50 * normal } else { normal }
}

unsafe extern "C" fn record(event: Ptr) {
    // A callback calls the API, which texunit allows; NVIDIA's driver forbids most calls.
    ok!(cuEventRecord(event, null_mut()));
}

unsafe extern "C" fn count(_: Ptr, status: CUresult, counter: Ptr) {
    assert_eq!(status, CUresult::SUCCESS);
    ok!(cuCtxSynchronize());
    // SAFETY: the test passes a counter that outlives the call.
    unsafe { &*counter.cast::<AtomicU32>() }.fetch_add(1, Ordering::Relaxed);
}

/// One round: objects are created, used and destroyed, and the results are compared.
fn round(random: &mut Random, shared_texture: Option<(u64, &[f32])>) {
    let none = null_mut::<std::ffi::c_void>();
    let (mut stream, mut event, mut array, mut module, mut f) = (none, none, none, none, none);
    let (mut memory, mut texture) = (0_u64, 0_u64);
    ok!(cuStreamCreate(&raw mut stream, 1));
    ok!(cuEventCreate(&raw mut event, 0));
    ok!(cuEventRecord(event, stream));
    ok!(cuMemAllocAsync(&raw mut memory, 256, stream));
    let start: Vec<f32> = (0..64).map(|_| random.below(1000) as f32).collect();
    let texels: Vec<f32> = (0..64).map(|_| random.below(1000) as f32).collect();
    ok!(cuMemcpyHtoD_v2(memory, start.as_ptr().cast(), 256));
    ok!(cuArray3DCreate_v2(&raw mut array, &raw const ARRAY));
    upload(array, &texels);
    let (resource, how) = (of_array(array), CUDA_TEXTURE_DESC::default());
    ok!(cuTexObjectCreate(&raw mut texture, &raw const resource, &raw const how, null()));
    ok!(cuModuleLoadData(&raw mut module, ADD.as_ptr().cast()));
    ok!(cuModuleGetFunction(&raw mut f, module, c"add".as_ptr()));
    let mut launch = |mut texture: u64| {
        let mut params = [(&raw mut memory).cast::<u8>(), (&raw mut texture).cast()];
        let params = params.as_mut_ptr();
        ok!(cuLaunchKernel(f, 1, 1, 1, 8, 8, 1, 0, stream, params, null_mut()));
    };
    launch(texture);
    if let Some((shared, _)) = shared_texture {
        launch(shared);
    }
    let counter = AtomicU32::new(0);
    ok!(cuLaunchHostFunc(stream, Some(record), event));
    ok!(cuStreamAddCallback(stream, Some(count), (&raw const counter).cast_mut().cast(), 0));
    ok!(cuStreamWaitEvent(stream, event, 0));
    let mut found = vec![0_f32; 64];
    ok!(cuMemcpyDtoHAsync_v2(found.as_mut_ptr().cast(), memory, 256, stream));
    ok!(cuStreamSynchronize(stream));
    assert_eq!(counter.into_inner(), 1);
    for i in 0..64 {
        let shared = shared_texture.map_or(0.0, |(_, texels)| texels[i]);
        assert_eq!(found[i], start[i] + texels[i] + shared);
    }
    ok!(cuModuleUnload(module));
    ok!(cuTexObjectDestroy(texture));
    ok!(cuArrayDestroy(array));
    ok!(cuMemFreeAsync(memory, stream));
    ok!(cuEventDestroy_v2(event));
    ok!(cuStreamDestroy_v2(stream));
}

#[test]
fn threads_share_a_context() {
    let context = context() as usize;
    let texels: &'static [f32] = Vec::leak((0..64).map(|i| i as f32).collect());
    let (mut array, mut texture) = (null_mut(), 0);
    ok!(cuArray3DCreate_v2(&raw mut array, &raw const ARRAY));
    upload(array, texels);
    let (resource, how) = (of_array(array), CUDA_TEXTURE_DESC::default());
    ok!(cuTexObjectCreate(&raw mut texture, &raw const resource, &raw const how, null()));
    all_at_once(move |thread| {
        ok!(cuCtxSetCurrent(context as Ptr));
        let mut random = Random::for_test(0x9e37 + thread);
        for _ in 0..rounds(250) {
            round(&mut random, Some((texture, texels)));
        }
        // The context stays on the thread's stack.
    });
    ok!(cuCtxDestroy_v2(context as Ptr));
}

#[test]
fn threads_have_contexts_of_their_own() {
    all_at_once(|thread| {
        let mut random = Random::for_test(0x517c + thread);
        for _ in 0..rounds(60) {
            let own = context();
            for _ in 0..4 {
                round(&mut random, None);
            }
            // Remaining objects are destroyed with the context, and a fault affects only that
            // context.
            let world = World { context: own, ..World::nothing() }.fill();
            world.fault();
            fails!(ILLEGAL_ADDRESS, cuCtxSynchronize());
            ok!(cuCtxDestroy_v2(own));
            fails!(INVALID_VALUE, cuMemFree_v2(world.memory));
            fails!(INVALID_HANDLE, cuStreamQuery(world.stream));
        }
    });
}

#[test]
fn one_handle_is_destroyed_by_one_thread() {
    for _ in 0..rounds(200) {
        let world = World::new();
        let numbers = [world.context, world.stream, world.event, world.module].map(|p| p as usize);
        // Textures may be destroyed by several threads.
        let (memory, surface) = (world.memory, world.surface);
        let won: [_; 5] = std::array::from_fn(|_| AtomicU32::new(0));
        std::thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|| {
                    let [context, stream, event, module] = numbers.map(|n| n as Ptr);
                    ok!(cuCtxSetCurrent(context));
                    // SAFETY: the calls take no pointers.
                    let codes = unsafe {
                        [
                            cuStreamDestroy_v2(stream),
                            cuEventDestroy_v2(event),
                            cuModuleUnload(module),
                            cuMemFree_v2(memory),
                            cuSurfObjectDestroy(surface),
                        ]
                    };
                    for (won, code) in won.iter().zip(codes) {
                        won.fetch_add(u32::from(code == CUresult::SUCCESS), Ordering::Relaxed);
                    }
                });
            }
        });
        assert_eq!(won.map(AtomicU32::into_inner), [1; 5]);
        ok!(cuCtxDestroy_v2(world.context));
    }
}
