//! Tests the initial contents of memory: zeros, or the pattern that a device is created with.

use texunit_device::{
    Arg, ArrayDescriptor, Device, DeviceOptions, Extent, Fill, Format, Geometry, InitialContents,
    LaunchOptions, Module,
};

/// A kernel whose threads each store an uninitialised element of shared memory, of local memory and
/// of the device heap, and add 1 to a fourth element.
const PTX: &str = include_str!("../ptx/fill.ptx");

/// The results of a launch of 64 threads. With `is_cleared`, the buffer has been set to zeros
/// explicitly.
fn words(fill: Option<Fill>, is_cleared: bool) -> Vec<[u32; 4]> {
    let fresh = InitialContents { fill, is_tracked: false };
    let device = Device::new(&DeviceOptions::default().with_initial_contents(fresh));
    let out = device.alloc(64 * 16, "out").unwrap();
    if is_cleared {
        out.clear();
    }
    let kernel = Module::load(&device, "fill.ptx", PTX).unwrap().kernel("k").unwrap();
    let options = LaunchOptions::default().with_block([64, 1, 1]).with_threads(1);
    kernel.launch(&options, &[Arg::Buffer(&out)]).unwrap();
    let word = |bytes: &[u8]| u32::from_le_bytes(bytes.try_into().unwrap());
    let row = |row: &[u8]| std::array::from_fn(|i| word(&row[4 * i..4 * i + 4]));
    out.read().chunks(16).map(row).collect()
}

#[test]
fn kernels_read_what_memory_is_filled_with() {
    assert_eq!(words(None, false), [[0, 0, 0, 1]; 64]);
    let byte = 0xabab_abab;
    assert_eq!(words(Some(Fill::Byte(0xab)), false), [[byte, byte, byte, byte + 1]; 64]);
    let word = 0x0123_4567;
    assert_eq!(words(Some(Fill::Word(word)), true), [[word, word, word, 1]; 64]);
}

#[test]
fn random_memory_follows_from_its_seed() {
    let [a, b, c] = [7, 7, 8].map(|seed| words(Some(Fill::Random(seed)), true));
    // Heap addresses, and so their contents, depend on the order of threads; here a single worker
    // runs all.
    let own = |words: &[[u32; 4]]| words.iter().map(|w| [w[0], w[1]]).collect::<Vec<_>>();
    assert_eq!(own(&a), own(&b));
    assert_ne!(own(&a), own(&c));
    let mut all: Vec<u32> = a.iter().flat_map(|w| [w[0], w[1], w[2]]).collect();
    all.sort_unstable();
    all.dedup();
    assert!(all.len() > 150, "no two places are alike: {}", all.len());
    assert!(a.iter().all(|w| w[3] == 1));
}

#[test]
fn arrays_are_filled_and_variables_are_not() {
    let fresh = InitialContents { fill: Some(Fill::Byte(0x5a)), is_tracked: true };
    let device = Device::new(&DeviceOptions::default().with_initial_contents(fresh));
    let extent = Extent { width: 5, height: 3, depth: 1 };
    let format = Format::from_name("u8").unwrap();
    let array =
        device.create_array(&ArrayDescriptor::new(format, Geometry::D2, extent, "a")).unwrap();
    assert_eq!(array.read(), [0x5a; 15]);
    // Written rows are initialised, others are not; copies of rows copy this state.
    array.write_row([1, 1, 0], &[1, 2, 3]).unwrap();
    let mut states = [1; 5];
    assert!(array.row_states([0, 1, 0], &mut states));
    assert_eq!(states, [0xff, 0, 0, 0, 0xff]);
    array.set_row_states([0, 2, 0], &[0, 0, 0, 0xff, 0]);
    assert!(array.row_states([0, 2, 0], &mut states));
    assert_eq!(states, [0, 0, 0, 0xff, 0]);
    array.clear();
    assert_eq!(array.read(), [0; 15]);
    assert!(!array.row_states([0, 0, 0], &mut states));
    let text = ".version 8.0\n.target sm_75\n.address_size 64\n.global .u32 zero;\n.global .u32 one = 1;\n";
    let module = Module::load(&device, "variables.ptx", text).unwrap();
    for (name, value) in [("zero", 0_u32), ("one", 1)] {
        assert_eq!(module.global(name).unwrap().read(), value.to_le_bytes(), "{name}");
    }
}
