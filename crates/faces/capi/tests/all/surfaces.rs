//! Tests of surfaces.

use crate::{array, each, fails, of_array, ok, texture, zeroed};
use std::ffi::c_char;
use std::ptr::null_mut;
use texunit_capi::*;

fn integers(width: usize, height: usize, channels: u32) -> texunit_array_desc {
    texunit_array_desc {
        width,
        height,
        format: TEXUNIT_AD_FORMAT_UNSIGNED_INT32,
        num_channels: channels,
        ..zeroed()
    }
}

fn surface(of: texunit_array) -> texunit_surface {
    let (mut surface, desc) = (null_mut(), of_array(of));
    // SAFETY: both pointers are to live variables.
    ok(unsafe { texunit_surface_create(&raw mut surface, &raw const desc) });
    surface
}

fn at(x: &[i32], y: &[i32], boundary: u32) -> texunit_access_desc {
    let coords = [each(x), each(y), zeroed()];
    texunit_access_desc { count: x.len(), coords, boundary, ..zeroed() }
}

#[test]
fn texels_are_written_combined_and_read() {
    let array = array(integers(3, 2, 1), 0, 0, &[1_u32, 2, 3, 4, 5, 6]);
    let surface = surface(array);
    let (x, y) = ([0, 2, 1], [1, 0, 1]);
    let desc = at(&x, &y, TEXUNIT_BOUNDARY_TRAP);
    let mut values = [0_u32; 3];
    // SAFETY: all pointers are to live variables.
    unsafe {
        let read = |values: &mut [u32; 3]| {
            ok(texunit_surface_read(surface, &raw const desc, values.as_mut_ptr().cast(), 12));
        };
        read(&mut values);
        assert_eq!(values, [4, 3, 5]);
        let new = [40_u32, 30, 50];
        ok(texunit_surface_write(surface, &raw const desc, new.as_ptr().cast(), 12));
        let add = [1_u32, 2, 3];
        let reduce =
            |op| texunit_surface_reduce(surface, op, &raw const desc, add.as_ptr().cast(), 12);
        ok(reduce(TEXUNIT_REDUCE_ADD));
        read(&mut values);
        assert_eq!(values, [41, 32, 53]);
        for (op, wanted) in [
            (TEXUNIT_REDUCE_OR, [41, 34, 55]),
            (TEXUNIT_REDUCE_AND, [1, 2, 3]),
            (TEXUNIT_REDUCE_MAX, [1, 2, 3]),
            (TEXUNIT_REDUCE_MIN, [1, 2, 3]),
        ] {
            ok(reduce(op));
            read(&mut values);
            assert_eq!(values, wanted, "{op}");
        }
        fails(reduce(9), TEXUNIT_ERROR_INVALID_VALUE, "op 9");
        let mut width = 0;
        ok(texunit_surface_query(surface, TEXUNIT_QUERY_WIDTH, &raw mut width));
        assert_eq!(width, 3);
        // The array contains the stored texels.
        let mut all = [0_u32; 6];
        ok(texunit_array_read(array, 0, all.as_mut_ptr().cast(), 24, 0, 0));
        assert_eq!(all, [1, 2, 2, 1, 3, 6]);
    }
    ok(texunit_surface_destroy(surface));
    ok(texunit_array_destroy(array));
}

#[test]
fn outside_is_as_the_boundary_says() {
    let array = array(integers(2, 1, 2), 0, 0, &[[1_u32, 2], [3, 4]]);
    let surface = surface(array);
    let (x, y) = ([1, 2, -1], [0, 0, 0]);
    let mut values = [[9_u32; 2]; 3];
    let mut text = vec![0_u8; 4096];
    // SAFETY: all pointers are to live variables.
    unsafe {
        let mut read = |boundary| {
            let desc = at(&x, &y, boundary);
            texunit_surface_read(surface, &raw const desc, values.as_mut_ptr().cast(), 24)
        };
        fails(read(TEXUNIT_BOUNDARY_TRAP), TEXUNIT_ERROR_ILLEGAL_ADDRESS, "access 1:");
        ok(read(TEXUNIT_BOUNDARY_CLAMP));
        assert_eq!(values, [[3, 4], [3, 4], [1, 2]]);
        let mut read = |boundary| {
            let desc = at(&x, &y, boundary);
            texunit_surface_read(surface, &raw const desc, values.as_mut_ptr().cast(), 24)
        };
        ok(read(TEXUNIT_BOUNDARY_ZERO));
        assert_eq!(values, [[3, 4], [0, 0], [0, 0]]);
        let desc = at(&x, &y, 7);
        let status = texunit_surface_read(surface, &raw const desc, values.as_mut_ptr().cast(), 24);
        fails(status, TEXUNIT_ERROR_INVALID_VALUE, "boundary 7");

        let desc = at(&x, &y, TEXUNIT_BOUNDARY_TRAP);
        let to = text.as_mut_ptr().cast::<c_char>();
        let explain = |index, format| {
            let mut length = 0;
            let status = texunit_surface_explain(
                surface,
                &raw const desc,
                index,
                format,
                to,
                4096,
                &raw mut length,
            );
            (status, length)
        };
        let (status, length) = explain(0, TEXUNIT_EXPLAIN_JSON);
        ok(status);
        let json: serde_json::Value = serde_json::from_slice(&text[..length]).unwrap();
        assert_eq!(json["instruction"], "suld.b.2d.v2.b32.trap");
        ok(explain(1, TEXUNIT_EXPLAIN_TEXT).0);
        assert!(String::from_utf8_lossy(&text).contains("outside"));
        fails(explain(3, 0).0, TEXUNIT_ERROR_INVALID_VALUE, "index 3");
    }
    ok(texunit_surface_destroy(surface));
    ok(texunit_array_destroy(array));
}

#[test]
fn some_arrays_have_no_surfaces() {
    let levels = array(integers(2, 2, 1), 2, 0, &[1_u32, 2, 3, 4, 5]);
    let (mut none, desc) = (null_mut(), of_array(levels));
    // SAFETY: both pointers are to live variables.
    let status = unsafe { texunit_surface_create(&raw mut none, &raw const desc) };
    fails(status, TEXUNIT_ERROR_INVALID_VALUE, "one mip level");
    let mut level = null_mut();
    // SAFETY: the pointer is to a live variable.
    ok(unsafe { texunit_array_level(&raw mut level, levels, 1) });
    ok(texunit_surface_destroy(surface(level)));
    // A texture of the same array can exist beside the surface.
    ok(texunit_texture_destroy(texture(of_array(levels), zeroed())));
    ok(texunit_array_destroy(level));
    ok(texunit_array_destroy(levels));
}
