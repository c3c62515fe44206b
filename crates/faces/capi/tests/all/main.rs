//! Tests of the C interface, called from Rust, C and C++.
#![allow(unsafe_code, clippy::unwrap_used)]

mod api;
mod calls;
mod cases;
mod compiled;
mod room;
mod surfaces;
mod threads;
mod wrong;

use std::ffi::{CStr, c_void};
use std::ptr::{null, null_mut};
use texunit_capi::*;

/// A zeroed C structure.
fn zeroed<T: Copy>() -> T {
    // SAFETY: the structures of texunit.h consist of numbers and pointers, which may be all zeros.
    unsafe { std::mem::zeroed() }
}

/// The message of this thread's last error.
fn last_error() -> String {
    // SAFETY: the text is valid until this thread's next error.
    unsafe { CStr::from_ptr(texunit_last_error()) }.to_str().unwrap().to_owned()
}

/// Asserts that a call succeeded.
#[track_caller]
fn ok(status: texunit_status) {
    assert_eq!(status, TEXUNIT_SUCCESS, "{}", last_error());
}

/// Asserts that a call failed with a status and with these words in its message.
#[track_caller]
fn fails(status: texunit_status, wanted: texunit_status, words: &str) {
    assert_eq!(status, wanted, "{}", last_error());
    assert!(last_error().contains(words), "`{}` lacks `{words}`", last_error());
}

/// An array with these texels.
#[track_caller]
fn array<T>(desc: texunit_array_desc, levels: u32, samples: u32, texels: &[T]) -> texunit_array {
    let mut array = null_mut();
    // SAFETY: all pointers are to live objects.
    unsafe {
        ok(texunit_array_create(&raw mut array, &raw const desc, levels, samples));
        let size = size_of_val(texels);
        ok(texunit_array_write(array, TEXUNIT_ALL_LEVELS, texels.as_ptr().cast(), size, 0, 0));
    }
    array
}

fn of_array(array: texunit_array) -> texunit_resource_desc {
    let mut desc: texunit_resource_desc = zeroed();
    desc.res.array = texunit_resource_array { h_array: array };
    desc
}

#[track_caller]
fn texture(resource: texunit_resource_desc, desc: texunit_texture_desc) -> texunit_texture {
    let mut texture = null_mut();
    // SAFETY: all pointers are to live objects or null.
    ok(unsafe {
        texunit_texture_create(&raw mut texture, &raw const resource, &raw const desc, null())
    });
    texture
}

/// An operand with contiguous elements.
fn each<T>(elements: &[T]) -> texunit_operand {
    texunit_operand { data: elements.as_ptr().cast(), stride: size_of::<T>() }
}

/// Samples with four result registers for each fetch.
fn sampled(texture: texunit_texture, desc: &texunit_fetch_desc) -> Vec<[f32; 4]> {
    let mut results = vec![[f32::NAN; 4]; desc.count];
    let (to, size) = (results.as_mut_ptr().cast::<c_void>(), size_of_val(&results[..]));
    // SAFETY: operands and results are live.
    ok(unsafe { texunit_sample(texture, desc, to, size) });
    results
}

/// The descriptor of a 2D array of floats.
fn floats_2d(width: usize, height: usize) -> texunit_array_desc {
    texunit_array_desc {
        width,
        height,
        format: TEXUNIT_AD_FORMAT_FLOAT,
        num_channels: 1,
        ..zeroed()
    }
}

/// Random calls, as those of the fuzz target `capi`.
#[test]
fn random_calls() {
    let mut random = texunit_testkit::Random::new(20_261_125);
    let mut worked = 0;
    for _ in 0..1500 {
        worked += calls::run(&mut texunit_testkit::Choices::new(&random.bytes(600)));
    }
    assert!(worked > 4000, "{worked} calls have worked");
}
