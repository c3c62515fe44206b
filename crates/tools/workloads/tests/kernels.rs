//! Tests the kernels of the cases.
#![allow(clippy::unwrap_used)]

use texunit_syntax::SourceFile;
use texunit_workloads::{cases, ptx};

/// `texunit check` finds nothing in the kernels, and each kernel has a case.
#[test]
fn the_kernels() {
    let source = SourceFile::new("kernels.ptx", ptx::KERNELS);
    let said = texunit_check::check_source(&source, &texunit_check::Options::default());
    assert!(said.is_empty(), "{said:?}");
    let module = texunit_device::Module::load(
        &texunit_device::Device::default(),
        "kernels.ptx",
        ptx::KERNELS,
    );
    let mut used: Vec<_> = cases::all().iter().map(|case| case.kernel.unwrap().name).collect();
    used.sort_unstable();
    used.dedup();
    let mut there = module.unwrap().kernels();
    there.sort_unstable();
    assert_eq!(used, there);
}

/// The kernels fetch where the reference does, in a launch as long as that of `texunit bench`.
#[test]
fn kernels_agree_with_the_reference() {
    for case in cases::all() {
        let mut launch = ptx::Launch::new(&case, 1, 1 << 22).unwrap();
        launch.run();
        launch.verify().unwrap();
    }
}
