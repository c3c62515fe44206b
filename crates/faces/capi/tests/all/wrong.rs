//! Tests of invalid arguments.

use crate::{array, each, fails, floats_2d, of_array, ok, texture, zeroed};
use std::ptr::{null, null_mut, without_provenance_mut};
use texunit_capi::*;

#[test]
fn null_pointers() {
    let array = array(floats_2d(2, 2), 0, 0, &[0.0_f32; 4]);
    let texture = texture(of_array(array), zeroed());
    let desc = floats_2d(2, 2);
    let mut made = null_mut();
    const NULL: texunit_status = TEXUNIT_ERROR_NULL_POINTER;
    // SAFETY: all pointers are to live variables or null.
    unsafe {
        fails(texunit_array_create(null_mut(), &raw const desc, 0, 0), NULL, "array is null");
        fails(texunit_array_create(&raw mut made, null(), 0, 0), NULL, "desc is null");
        fails(texunit_array_open(&raw mut made, null(), null_mut()), NULL, "file is null");
        fails(texunit_array_size(array, 0, null_mut()), NULL, "size is null");
        fails(texunit_array_write(array, 0, null(), 16, 0, 0), NULL, "texels is null");
        fails(texunit_array_read(array, 0, null_mut(), 16, 0, 0), NULL, "texels is null");
        let state: texunit_texture_desc = zeroed();
        let mut other = null_mut();
        fails(
            texunit_texture_create(&raw mut other, null(), &raw const state, null()),
            NULL,
            "resDesc is null",
        );
        fails(texunit_sample(texture, null(), null_mut(), 0), NULL, "desc is null");
        let x = [0.5_f32];
        let mut fetch: texunit_fetch_desc = zeroed();
        fetch.count = 1;
        fetch.coords = [each(&x), each(&x), zeroed()];
        fails(texunit_sample(texture, &raw const fetch, null_mut(), 16), NULL, "results is null");
        fails(texunit_texture_query(texture, 0, 0, null_mut()), NULL, "value is null");
        let mut memory: texunit_resource_desc = zeroed();
        memory.res_type = TEXUNIT_RESOURCE_TYPE_LINEAR;
        memory.res.linear = texunit_resource_linear {
            dev_ptr: null_mut(),
            format: TEXUNIT_AD_FORMAT_FLOAT,
            num_channels: 1,
            size_in_bytes: 64,
        };
        fails(
            texunit_texture_create(&raw mut other, &raw const memory, &raw const state, null()),
            NULL,
            "devPtr is null",
        );
        // Results that the caller does not need may be null.
        ok(texunit_array_describe(array, null_mut(), null_mut(), null_mut()));
    }
    assert!(made.is_null(), "results are written only on success");
    // Destroying null succeeds, as with `free`.
    ok(texunit_array_destroy(null_mut()));
    ok(texunit_texture_destroy(null_mut()));
    ok(texunit_texture_destroy(texture));
    ok(texunit_array_destroy(array));
}

#[test]
fn handles_of_another_kind_destroyed_or_made_up() {
    const HANDLE: texunit_status = TEXUNIT_ERROR_INVALID_HANDLE;
    let array = array(floats_2d(2, 2), 0, 0, &[0.0_f32; 4]);
    let texture = texture(of_array(array), zeroed());
    let mut value = 0;
    let mut size = 0;
    // SAFETY: all pointers are to live variables; handles are never dereferenced.
    unsafe {
        fails(texunit_texture_query(null_mut(), 0, 0, &raw mut value), HANDLE, "is null");
        let query = texunit_texture_query(array.cast(), 0, 0, &raw mut value);
        fails(query, HANDLE, "is the handle of an array, not of a texture");
        fails(texunit_array_size(texture.cast(), 0, &raw mut size), HANDLE, "not of an array");
        for number in [1, 7, 8, 0x1234_5678, usize::MAX, (&raw const value).addr()] {
            let made_up = without_provenance_mut(number);
            fails(texunit_array_size(made_up, 0, &raw mut size), HANDLE, "is not a handle");
        }
    }
    ok(texunit_texture_destroy(texture));
    fails(
        texunit_texture_destroy(texture),
        HANDLE,
        "was the handle of a texture, which is destroyed",
    );
    ok(texunit_array_destroy(array));
    let resource = of_array(array);
    let (mut made, state) = (null_mut(), zeroed::<texunit_texture_desc>());
    // SAFETY: all pointers are to live variables.
    let status = unsafe {
        texunit_texture_create(&raw mut made, &raw const resource, &raw const state, null())
    };
    fails(status, HANDLE, "destroyed");
}

#[test]
fn descriptors_that_say_nothing() {
    let mut made = null_mut();
    let create = |desc: texunit_array_desc, levels, samples| {
        let mut made = null_mut();
        // SAFETY: both pointers are to live variables.
        unsafe { texunit_array_create(&raw mut made, &raw const desc, levels, samples) }
    };
    const VALUE: texunit_status = TEXUNIT_ERROR_INVALID_VALUE;
    let plain = floats_2d(2, 2);
    fails(create(texunit_array_desc { width: 0, ..plain }, 0, 0), VALUE, "at least one element");
    fails(create(texunit_array_desc { format: 77, ..plain }, 0, 0), VALUE, "Format 0x4d");
    fails(create(texunit_array_desc { num_channels: 3, ..plain }, 0, 0), VALUE, "1, 2 or 4");
    fails(create(texunit_array_desc { flags: 0x400, ..plain }, 0, 0), VALUE, "0x400");
    fails(create(texunit_array_desc { width: usize::MAX, ..plain }, 0, 0), VALUE, "Width");
    fails(create(plain, 9, 0), VALUE, "number of levels");
    fails(create(plain, 0, 3), VALUE, "2, 4, 8 or 16 samples");
    let cube = texunit_array_desc { flags: TEXUNIT_ARRAY3D_CUBEMAP, depth: 5, ..plain };
    fails(create(cube, 0, 0), VALUE, "6 faces");
    fails(create(cube, 0, 4), VALUE, "arrays with samples");
    // More than an address space can hold.
    let huge = texunit_array_desc {
        width: 32_768,
        height: 32_768,
        depth: 2048,
        num_channels: 4,
        flags: TEXUNIT_ARRAY3D_LAYERED,
        ..plain
    };
    fails(create(huge, 0, 16), TEXUNIT_ERROR_OUT_OF_MEMORY, "cannot be had");

    let integers = array(
        texunit_array_desc { format: TEXUNIT_AD_FORMAT_UNSIGNED_INT32, ..plain },
        0,
        0,
        &[0_u32; 4],
    );
    let mut texture_of = |resource: texunit_resource_desc, state: texunit_texture_desc| {
        // SAFETY: all pointers are to live variables.
        unsafe {
            texunit_texture_create(&raw mut made, &raw const resource, &raw const state, null())
        }
    };
    let resource = of_array(integers);
    let linear = texunit_texture_desc { filter_mode: 1, ..zeroed() };
    let filter = TEXUNIT_ERROR_INVALID_FILTER_SETTING;
    fails(texture_of(resource, linear), filter, "no linear filter");
    for (state, words) in [
        (texunit_texture_desc { filter_mode: 2, ..zeroed() }, "filterMode 2"),
        (texunit_texture_desc { mipmap_filter_mode: 9, ..zeroed() }, "mipmapFilterMode 9"),
        (texunit_texture_desc { address_mode: [0, 5, 0], ..zeroed() }, "addressMode 5"),
        (texunit_texture_desc { flags: 4, ..zeroed() }, "0x4"),
        (texunit_texture_desc { flags: 0x10000, ..zeroed() }, "a flag of samplers"),
        (texunit_texture_desc { compare_function: 9, ..zeroed() }, "compareFunction 9"),
        (texunit_texture_desc { reserved: [1; 11], ..zeroed() }, "reserved"),
        (texunit_texture_desc { flags: 0x40, ..zeroed() }, "seamless"),
    ] {
        fails(texture_of(resource, state), VALUE, words);
    }
    let other = texunit_resource_desc { res_type: 4, ..resource };
    fails(texture_of(other, zeroed()), VALUE, "resType 4");
    let other = texunit_resource_desc { flags: 1, ..resource };
    fails(texture_of(other, zeroed()), VALUE, "flags of the resource");
    assert!(made.is_null());
    ok(texunit_array_destroy(integers));
}

#[test]
fn fetches_that_do_not_fit() {
    let array = array(floats_2d(2, 2), 0, 0, &[0.0_f32; 4]);
    let texture = texture(of_array(array), zeroed());
    let (x, mut results) = ([0.5_f32; 4], [[0.0_f32; 4]; 4]);
    let mut plain: texunit_fetch_desc = zeroed();
    plain.count = 4;
    plain.coords = [each(&x), each(&x), zeroed()];
    let mut sample = |desc: texunit_fetch_desc, size: usize| {
        // SAFETY: operands and results are live, or the sizes are refused.
        unsafe { texunit_sample(texture, &raw const desc, results.as_mut_ptr().cast(), size) }
    };
    const VALUE: texunit_status = TEXUNIT_ERROR_INVALID_VALUE;
    const SIZE: texunit_status = TEXUNIT_ERROR_SIZE;
    ok(sample(plain, 64));
    fails(sample(plain, 63), SIZE, "4 fetches give 64 bytes");
    fails(sample(plain, usize::MAX), SIZE, "4 fetches give 64 bytes");
    fails(sample(texunit_fetch_desc { count: usize::MAX, ..plain }, 64), SIZE, "no memory");
    let mut wide = plain;
    wide.coords[0].stride = usize::MAX / 2;
    fails(sample(wide, 64), SIZE, "no memory");
    let [one, _, none] = plain.coords;
    for (desc, words) in [
        (texunit_fetch_desc { coords: [none; 3], ..plain }, "at least x"),
        (texunit_fetch_desc { coords: [one, none, none], ..plain }, "2 arrays expected"),
        (texunit_fetch_desc { coords: [one; 3], ..plain }, "2 arrays expected"),
        (texunit_fetch_desc { coords: [none, one, none], ..plain }, "an axis is left out"),
        (texunit_fetch_desc { layer: one, ..plain }, "no layers"),
        (texunit_fetch_desc { sample: one, ..plain }, "no samples"),
        (texunit_fetch_desc { dPdx: [one, one, none], ..plain }, "without the other"),
        (texunit_fetch_desc { level: one, flags: TEXUNIT_FETCH_BASE, ..plain }, "base is level 0"),
        (texunit_fetch_desc { flags: 8, ..plain }, "flags"),
        (texunit_fetch_desc { reserved: [1; 6], ..plain }, "reserved"),
    ] {
        fails(sample(desc, 64), VALUE, words);
    }
    // A call with zero fetches succeeds.
    ok(sample(texunit_fetch_desc { count: 0, ..plain }, 0));
    // SAFETY: nothing is written.
    unsafe {
        let x = x.as_ptr().cast_mut().cast();
        fails(texunit_sample(texture, &raw const plain, x, 64), VALUE, "overlap");
        let size = &raw mut plain.count;
        fails(
            texunit_result_size(texture, 6, &raw const plain, size, null_mut(), null_mut()),
            VALUE,
            "operation 6",
        );
        fails(texunit_gather(texture, 4, &raw const plain, null_mut(), 0), VALUE, "component 4");
        let mut value = 0;
        fails(texunit_texture_query(texture, 15, 0, &raw mut value), VALUE, "attribute 15");
    }
    ok(texunit_texture_destroy(texture));
    ok(texunit_array_destroy(array));
}
