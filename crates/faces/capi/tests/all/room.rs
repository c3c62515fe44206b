//! Tests in a process with little memory that failed allocations are errors and do not abort the
//! process.
#![cfg(target_os = "linux")]

use crate::{array, fails, floats_2d, of_array, ok, texture, zeroed};
use std::process::Command;
use std::ptr::null_mut;
use texunit_capi::*;

/// The environment variable with the task of that process.
const TASK: &str = "TEXUNIT_TEST_ROOM";

#[test]
fn too_little_memory_is_an_error() {
    match std::env::var(TASK).as_deref() {
        Ok("mipmaps") => return mipmaps(),
        Ok("threads") => return threads(),
        _ => {}
    }
    let own = std::env::current_exe().unwrap();
    for (task, kibibytes) in [("mipmaps", "1000000"), ("threads", "500000"), ("threads", "300000")]
    {
        let script = "ulimit -v $0 && exec \"$@\"";
        let mut command = Command::new("sh");
        command.args(["-c", script, kibibytes]).arg(&own).env(TASK, task);
        command.args(["--exact", "room::too_little_memory_is_an_error", "--test-threads=1"]);
        let done = command.output().unwrap();
        let said = [&done.stdout[..], &done.stderr].map(String::from_utf8_lossy).concat();
        assert!(
            done.status.success() && said.contains("1 passed"),
            "{task}: {}: {said}",
            done.status
        );
    }
}

/// There is memory for the array, but not for a copy.
fn mipmaps() {
    let desc = texunit_array_desc { format: TEXUNIT_AD_FORMAT_FLOAT, ..floats_2d(12000, 12000) };
    let mut array = null_mut();
    // SAFETY: both pointers are to live variables.
    ok(unsafe { texunit_array_create(&raw mut array, &raw const desc, 14, 0) });
    fails(texunit_array_generate_mipmaps(array), TEXUNIT_ERROR_OUT_OF_MEMORY, "cannot be had");
    ok(texunit_array_destroy(array));
}

/// There is no memory for so many threads, so fewer do the work.
fn threads() {
    let array = array(floats_2d(2, 2), 0, 0, &[0.0_f32, 1.0, 2.0, 3.0]);
    let texture = texture(of_array(array), zeroed());
    let count = 200_000;
    let points = vec![1.5_f32; count];
    let mut results = vec![0.0_f32; 4 * count];
    let mut desc: texunit_fetch_desc = zeroed();
    (desc.count, desc.threads) = (count, 1024);
    for operand in &mut desc.coords[..2] {
        *operand = texunit_operand { data: points.as_ptr().cast(), stride: 4 };
    }
    // SAFETY: operands and results are live.
    ok(unsafe {
        texunit_sample(texture, &raw const desc, results.as_mut_ptr().cast(), 16 * count)
    });
    assert!(results.iter().step_by(4).all(|&value| value == 3.0));
    ok(texunit_texture_destroy(texture));
    ok(texunit_array_destroy(array));
}
