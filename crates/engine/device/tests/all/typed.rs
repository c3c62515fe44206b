//! Tests copies of numbers, arguments of all types, launch sizes, and suggestions for wrong names.

use texunit_device::{Device, Dim, LaunchOptions, Module, args};

const PTX: &str = include_str!("../ptx/typed.ptx");

#[test]
fn numbers_go_in_and_come_out() {
    let device = Device::default();
    let module = Module::load(&device, "scale.ptx", PTX).unwrap();
    let values = device.alloc_from(&[1.0_f32, 2.0, 3.0, 4.0], "values").unwrap();
    let kernel = module.kernel("scale").unwrap();
    kernel.launch(&LaunchOptions::new(2, 2), &args![&values, 10.0_f32, &[[0.0_f32, 0.5]]]).unwrap();
    assert_eq!(values.read_as::<f32>(), [10.5, 20.5, 30.5, 40.5]);
    assert_eq!(values.read_as::<[f32; 2]>()[1], [30.5, 40.5]);
    // Trailing bytes that do not make up an element are left out.
    assert_eq!(values.read_as::<[f32; 3]>().len(), 1);
    assert_eq!(values.read_as::<()>(), []);
    values.write_from(2, &[7.0_f32]).unwrap();
    assert_eq!(values.read_as::<f32>()[1..], [20.5, 7.0, 40.5]);
    let outside = values.write_from(3, &[7.0_f32; 2]).unwrap_err().to_string();
    assert!(outside.contains("8 bytes at offset 12"), "{outside}");
    assert!(values.write_from(u64::MAX, &[7.0_f32]).is_err());
    let wrong = kernel.launch(&LaunchOptions::default(), &args![&values, 3_u64, &[0_u64]]);
    assert!(wrong.unwrap_err().to_string().contains("was given a u64"));
}

#[test]
fn sizes_along_one_to_three_axes() {
    let options = LaunchOptions::new((2, 3), [4, 5, 6]);
    assert_eq!((options.grid, options.block), ([2, 3, 1], [4, 5, 6]));
    let options = LaunchOptions::covering((100, 33), (32, 8)).with_threads(2).with_max_steps(9);
    assert_eq!((options.grid, options.block), ([4, 5, 1], [32, 8, 1]));
    assert_eq!((options.threads, options.max_steps), (2, 9));
    assert_eq!(LaunchOptions::covering(1, 0).block, [0, 1, 1]);
    assert_eq!(Dim::from([2, 3]), Dim([2, 3, 1]));
    assert_eq!(Dim::from((2, 3, 4)), Dim([2, 3, 4]));
}

#[test]
fn a_kernel_that_is_not_there() {
    let device = Device::default();
    let module = Module::load(&device, "scale.ptx", PTX).unwrap();
    let said = |name: &str| module.kernel(name).unwrap_err().to_string();
    assert_eq!(said("scales"), "`scale.ptx` has no kernel `scales`; did you mean `scale`?");
    // The plain name of a mangled name.
    assert_eq!(said("square"), "`scale.ptx` has no kernel `square`; did you mean `_Z6squarePi`?");
    assert_eq!(
        said("nothing_like_it"),
        "`scale.ptx` has no kernel `nothing_like_it`; it has `scale`, `_Z6squarePi`, `_Z4cubePi`"
    );
    assert!(said(&"x".repeat(1 << 20)).contains("it has `scale`"));
    let empty = Module::load(&device, "e.ptx", ".version 8.0\n.target sm_75\n.address_size 64\n");
    let error = empty.unwrap().kernel("k").unwrap_err();
    assert_eq!(error.to_string(), "`e.ptx` has no kernel `k`: it has no `.entry` at all");
    assert_eq!((error.kernels.len(), error.nearest), (0, None));
}
