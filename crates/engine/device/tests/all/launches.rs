//! Tests packed parameters, cooperative launches, and the heap of device code.
#![allow(clippy::unwrap_used, missing_docs)]

use texunit_device::{
    Arg, ArgError, Device, DeviceOptions, Error, FaultKind, Kernel, LaunchError, LaunchOptions,
    Module,
};

const HEADER: &str = texunit_testkit::ptx::SM_75;

fn kernel(device: &Device, text: &str) -> Kernel {
    let module = Module::load(device, "t.ptx", &format!("{HEADER}{text}")).unwrap();
    module.kernel("k").unwrap()
}

const SUM: &str = include_str!("../ptx/launches_sum.ptx");

#[test]
fn parameters_laid_out_by_the_caller() {
    let device = Device::default();
    let text = SUM.replace("st.global.u32 [%p]", "st.shared.u32 [s], %r1;\n st.global.u32 [%p]");
    let k = kernel(&device, &text);
    let places: Vec<_> = k.params().iter().map(|p| (p.offset, p.size, p.align)).collect();
    assert_eq!(places, [(0, 1, 1), (8, 8, 8), (16, 12, 8)]);
    assert_eq!((k.param_size(), k.static_shared(), k.max_threads()), (28, 100, 64));
    let out = device.alloc(4, "out").unwrap();
    let mut buffer = vec![0; 28];
    buffer[0] = 5;
    buffer[8..16].copy_from_slice(&out.address().to_le_bytes());
    buffer[24..28].copy_from_slice(&1000_u32.to_le_bytes());
    k.launch_packed(&LaunchOptions::default(), &buffer).unwrap();
    assert_eq!(out.read(), 1005_u32.to_le_bytes());
    let wrong = |bytes: &[u8]| match k.launch_packed(&LaunchOptions::default(), bytes) {
        Err(LaunchError::Args(error)) => error,
        other => panic!("{other:?}"),
    };
    assert_eq!(wrong(&buffer[..27]), ArgError::PackedSize { given: 27, wanted: 28 });
    buffer.push(0);
    assert_eq!(wrong(&buffer), ArgError::PackedSize { given: 29, wanted: 28 });
    // Sizes are checked as in any launch.
    let block = LaunchOptions::default().with_block([65, 1, 1]);
    assert!(matches!(k.launch_packed(&block, &buffer[..28]), Err(LaunchError::Args(_))));
    let plain = kernel(&device, ".visible .entry k() { ret; }");
    assert_eq!((plain.param_size(), plain.static_shared(), plain.max_threads()), (0, 0, 1024));
    plain.launch_packed(&LaunchOptions::default(), &[]).unwrap();
}

/// A kernel in which every CTA increments a counter, and waits until all have.
const MEET: &str = include_str!("../ptx/launches_meet.ptx");

#[test]
fn cooperative_launches() {
    let device = Device::default();
    let k = kernel(&device, MEET);
    let count = device.alloc(4, "count").unwrap();
    let options = LaunchOptions::default()
        .with_grid([200, 1, 1])
        .with_threads(2)
        .with_cooperative(true)
        .with_max_steps(10_000_000);
    k.launch(&options, &[Arg::Buffer(&count)]).unwrap();
    assert_eq!(count.read(), 200_u32.to_le_bytes());
    let most = k.max_cooperative_ctas([1, 1, 1], 0);
    assert!((10_000..100_000).contains(&most), "{most}");
    let grid = [u32::try_from(most).unwrap() + 1, 1, 1];
    match k.launch(&options.with_grid(grid), &[Arg::Buffer(&count)]) {
        Err(LaunchError::Args(ArgError::CooperativeLaunchTooLarge { ctas, max })) => {
            assert_eq!((ctas, max), (most + 1, most));
        }
        other => panic!("{other:?}"),
    }
    // The workspace does not fit into memory.
    let small = Device::new(&DeviceOptions::default().with_memory_limit(16));
    let k = kernel(&small, MEET);
    let count = small.alloc(4, "count").unwrap();
    let error = k.launch(&options, &[Arg::Buffer(&count)]).unwrap_err();
    assert!(matches!(error, LaunchError::Args(ArgError::Memory(Error::Memory { .. }))), "{error}");
}

const MALLOC: &str = include_str!("../ptx/launches_malloc.ptx");
const READ: &str = include_str!("../ptx/launches_read.ptx");

#[test]
fn the_heap_lives_as_long_as_the_device() {
    let device = Device::default();
    assert_eq!(device.heap_size(), 8 << 20);
    device.set_heap_size(1 << 16).unwrap();
    let (k, read) = (kernel(&device, MALLOC), kernel(&device, READ));
    let out = device.alloc(8, "out").unwrap();
    let once = LaunchOptions::default();
    let malloc = |size: u64| {
        k.launch(&once, &[Arg::Buffer(&out), Arg::U64(size)]).unwrap();
        u64::from_le_bytes(out.read().try_into().unwrap())
    };
    let first = malloc(100);
    assert!(first != 0 && malloc(1 << 16) == 0);
    assert_eq!(device.set_heap_size(1 << 20), Err(Error::HeapInUse));
    assert_eq!(device.heap_size(), 1 << 16);
    // Another module can read the allocation, but not beyond its end.
    read.launch(&once, &[Arg::U64(first + 96)]).unwrap();
    match read.launch(&once, &[Arg::U64(first + 100)]) {
        Err(LaunchError::Fault(fault)) => {
            assert!(matches!(fault.kind, FaultKind::OutOfBounds { .. }), "{fault:?}");
        }
        other => panic!("{other:?}"),
    }
    // A heap that does not fit into memory.
    let small = Device::new(&DeviceOptions::default().with_memory_limit(1 << 20));
    let (k, out) = (kernel(&small, MALLOC), small.alloc(8, "out").unwrap());
    let error = k.launch(&once, &[Arg::Buffer(&out), Arg::U64(1)]).unwrap_err();
    assert!(error.to_string().contains("cannot allocate `device heap`"), "{error}");
}

/// Unsupported instructions are reported once for each opcode, with their number, because a kernel
/// may have thousands of them.
#[test]
fn what_is_not_executed_is_told_once_for_each_opcode() {
    let device = Device::default();
    let all =
        "multimem.red.global.add.u32 [%d], %r1;\n @%p multimem.red.global.add.u32 [%d], %r2;\n wgmma.fence.sync.aligned;\n".repeat(50);
    let text = format!(
        "{}.visible .entry k() {{\n .reg .pred %p; .reg .u64 %d; .reg .u32 %r<3>;\n {all} ret;\n}}",
        HEADER.replace("sm_75", "sm_90a").replace(".version 8.0", ".version 8.1")
    );
    let k = Module::load(&device, "t.ptx", &text).unwrap().kernel("k").unwrap();
    let Err(LaunchError::Unsupported(list)) = k.launch(&LaunchOptions::default(), &[]) else {
        panic!()
    };
    let messages: Vec<&str> = list.iter().map(|d| d.message.as_str()).collect();
    assert_eq!(
        messages,
        [
            "`multimem.red.global.add.u32` is not executed by texunit (and 99 more of `multimem`)",
            "`wgmma.fence.sync.aligned` is not executed by texunit (and 49 more of `wgmma`)"
        ]
    );
}
