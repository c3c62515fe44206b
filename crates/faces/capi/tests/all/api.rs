//! Small tests of each function.

use crate::{array, each, fails, floats_2d, of_array, ok, sampled, texture, zeroed};
use std::ffi::{CStr, CString, c_char};
use std::ptr::{null, null_mut};
use texunit_capi::*;

/// 2 x 2 floats 0, 1, 2, 3 with linear filtering.
fn square(flags: u32) -> texunit_texture {
    let array = array(floats_2d(2, 2), 0, 0, &[0.0_f32, 1.0, 2.0, 3.0]);
    let state = texunit_texture_desc {
        address_mode: [TEXUNIT_TR_ADDRESS_MODE_CLAMP; 3],
        filter_mode: TEXUNIT_TR_FILTER_MODE_LINEAR,
        flags,
        ..zeroed()
    };
    let texture = texture(of_array(array), state);
    ok(texunit_array_destroy(array));
    texture
}

fn at(points: &[[f32; 2]]) -> texunit_fetch_desc {
    let operand =
        |axis: usize| texunit_operand { data: (&raw const points[0][axis]).cast(), stride: 8 };
    let (x, y) = (operand(0), operand(1));
    texunit_fetch_desc { count: points.len(), coords: [x, y, zeroed()], ..zeroed() }
}

#[test]
fn versions_and_names() {
    // SAFETY: the library returns static strings.
    let version = unsafe { CStr::from_ptr(texunit_version()) };
    assert_eq!(version.to_str().unwrap(), env!("CARGO_PKG_VERSION"));
    assert_eq!(texunit_abi_version(), TEXUNIT_ABI_VERSION);
    // SAFETY: the library returns static strings.
    let name = unsafe { CStr::from_ptr(texunit_status_name(TEXUNIT_ERROR_SIZE)) };
    assert_eq!(name, c"TEXUNIT_ERROR_SIZE");
}

#[test]
fn samples_gathers_and_fetches() {
    let texture = square(0);
    let points = [[1.0, 1.0], [0.5, 0.5], [1.5, 0.5]];
    let results = sampled(texture, &at(&points));
    assert_eq!(results.iter().map(|r| r[0]).collect::<Vec<_>>(), [1.5, 0.0, 1.0]);
    // A channel that the format lacks reads as 0, also w.
    assert_eq!(results[0], [1.5, 0.0, 0.0, 0.0]);
    // One coordinate for all fetches, and tightly packed results.
    let one = 1.0_f32;
    let mut desc = at(&points);
    desc.coords[1] = texunit_operand { data: (&raw const one).cast(), stride: 0 };
    desc.flags = TEXUNIT_FETCH_PACKED;
    let (mut size, mut format, mut channels) = (0, 0, 0);
    // SAFETY: all pointers are to live variables.
    unsafe {
        ok(texunit_result_size(
            texture,
            TEXUNIT_OPERATION_SAMPLE,
            &raw const desc,
            &raw mut size,
            &raw mut format,
            &raw mut channels,
        ));
        assert_eq!((size, format, channels), (12, TEXUNIT_AD_FORMAT_FLOAT, 1));
        let mut packed = [0.0_f32; 3];
        ok(texunit_sample(texture, &raw const desc, packed.as_mut_ptr().cast(), size));
        assert_eq!(packed, [1.5, 1.0, 2.0]);
        desc.flags |= TEXUNIT_FETCH_HALF;
        let mut halves = [0_u16; 3];
        ok(texunit_sample(texture, &raw const desc, halves.as_mut_ptr().cast(), 6));
        assert_eq!(halves, [0x3e00, 0x3c00, 0x4000]);
        // The four texels around the middle, in the order of tld4.
        let mut four = [0.0_f32; 4];
        let middle = at(&points[..1]);
        ok(texunit_gather(texture, 0, &raw const middle, four.as_mut_ptr().cast(), 16));
        assert_eq!(four, [2.0, 3.0, 1.0, 0.0]);
        let ij = [[1_i32, 0], [0, 1], [5, 5]];
        let mut desc = at(&points);
        desc.coords[0].data = ij.as_ptr().cast();
        desc.coords[1].data = (&raw const ij[0][1]).cast();
        let mut texels = [[9.0_f32; 4]; 3];
        ok(texunit_fetch(texture, &raw const desc, texels.as_mut_ptr().cast(), 48));
        assert_eq!(texels.map(|t| t[0]), [1.0, 2.0, 0.0]);
    }
    ok(texunit_texture_destroy(texture));
}

#[test]
fn levels_layers_cubes_and_mip_levels_that_are_made() {
    // Two levels of one layer each: 4, then 8.
    let desc = texunit_array_desc { flags: TEXUNIT_ARRAY3D_LAYERED, depth: 2, ..floats_2d(2, 2) };
    let texels: Vec<f32> = (0..8).map(|n| n as f32).chain([100.0, 200.0]).collect();
    let array = array(desc, 2, 0, &texels);
    let (mut own, mut levels, mut samples, mut size) = (zeroed(), 9, 9, 0);
    // SAFETY: all pointers are to live variables.
    unsafe {
        ok(texunit_array_describe(array, &raw mut own, &raw mut levels, &raw mut samples));
        assert_eq!((own, levels, samples), (desc, 2, 1));
        ok(texunit_array_size(array, 1, &raw mut size));
        assert_eq!(size, 8);
        let mut level = null_mut();
        ok(texunit_array_level(&raw mut level, array, 1));
        let mut top = [0.0_f32; 2];
        ok(texunit_array_read(level, 0, top.as_mut_ptr().cast(), 8, 0, 0));
        assert_eq!(top, [100.0, 200.0]);
        // Both arrays share memory.
        ok(texunit_array_generate_mipmaps(array));
        ok(texunit_array_read(level, 0, top.as_mut_ptr().cast(), 8, 0, 0));
        assert_eq!(top, [1.5, 5.5]);
        ok(texunit_array_destroy(level));
    }
    let state = texunit_texture_desc {
        mipmap_filter_mode: TEXUNIT_TR_FILTER_MODE_LINEAR,
        max_mipmap_level_clamp: 1.0,
        flags: TEXUNIT_TRSF_NORMALIZED_COORDINATES,
        ..zeroed()
    };
    let texture = texture(of_array(array), state);
    let (layers, levels) = ([0_u32, 1, 1], [0.5_f32, 0.5, 0.0]);
    let mut desc = at(&[[0.25, 0.25]; 3]);
    desc.layer = each(&layers);
    desc.level = each(&levels);
    // A stride of 0 instead of 8 uses the first point for all fetches.
    desc.coords[0].stride = 0;
    desc.coords[1].stride = 0;
    let results = sampled(texture, &desc);
    assert_eq!(results.iter().map(|r| r[0]).collect::<Vec<_>>(), [0.75, 4.75, 4.0]);
    let mut value = 0;
    // SAFETY: all pointers are to live variables.
    unsafe {
        ok(texunit_texture_query(texture, TEXUNIT_QUERY_WIDTH, 1, &raw mut value));
        assert_eq!(value, 1);
        ok(texunit_texture_query(texture, TEXUNIT_QUERY_ARRAY_SIZE, 0, &raw mut value));
        assert_eq!(value, 2);
        ok(texunit_texture_query(texture, TEXUNIT_QUERY_NUM_MIPMAP_LEVELS, 0, &raw mut value));
        assert_eq!(value, 2);
    }
    ok(texunit_texture_destroy(texture));
    ok(texunit_array_destroy(array));
}

#[test]
fn rows_and_slices_have_pitches() {
    // 2 x 2 x 2 bytes, with a row pitch of 4 bytes and a slice pitch of 16.
    let desc = texunit_array_desc {
        width: 2,
        height: 2,
        depth: 2,
        format: TEXUNIT_AD_FORMAT_UNSIGNED_INT8,
        num_channels: 1,
        flags: 0,
    };
    let mut array = null_mut();
    let spread: Vec<u8> = (0..22).collect();
    let mut packed = [0_u8; 8];
    // SAFETY: all pointers are to live variables.
    unsafe {
        ok(texunit_array_create(&raw mut array, &raw const desc, 0, 0));
        ok(texunit_array_write(array, 0, spread.as_ptr().cast(), 22, 4, 16));
        ok(texunit_array_read(array, 0, packed.as_mut_ptr().cast(), 8, 0, 0));
        assert_eq!(packed, [0, 1, 4, 5, 16, 17, 20, 21]);
        let mut back = [0xff_u8; 22];
        ok(texunit_array_read(array, 0, back.as_mut_ptr().cast(), 22, 4, 16));
        assert_eq!(back[..6], [0, 1, 0xff, 0xff, 4, 5]);
        assert_eq!(back[20..], [20, 21]);
        let write = |size, row, slice| {
            texunit_array_write(array, 0, spread.as_ptr().cast(), size, row, slice)
        };
        fails(write(21, 4, 16), TEXUNIT_ERROR_SIZE, "22 are needed");
        fails(write(22, 1, 16), TEXUNIT_ERROR_INVALID_VALUE, "a row has 2 bytes");
        fails(write(22, 4, 5), TEXUNIT_ERROR_INVALID_VALUE, "a slice 6");
        fails(write(9, 0, 0), TEXUNIT_ERROR_SIZE, "the texels have 8 bytes");
        fails(write(22, usize::MAX, usize::MAX), TEXUNIT_ERROR_INVALID_VALUE, "a slice");
        fails(write(22, 1 << 60, 1 << 62), TEXUNIT_ERROR_SIZE, "are needed");
    }
    ok(texunit_array_destroy(array));
}

#[test]
fn samplers_apart_from_textures() {
    let texture = square(TEXUNIT_TRSF_NORMALIZED_COORDINATES);
    let desc = texunit_texture_desc {
        flags: TEXUNIT_TRSF_FORCE_UNNORMALIZED_COORDINATES,
        address_mode: [TEXUNIT_TR_ADDRESS_MODE_BORDER; 3],
        border_color: [7.0; 4],
        ..zeroed()
    };
    let (mut sampler, mut both) = (null_mut(), null_mut());
    // SAFETY: all pointers are to live variables.
    unsafe {
        ok(texunit_sampler_create(&raw mut sampler, &raw const desc));
        ok(texunit_texture_with_sampler(&raw mut both, texture, sampler));
    }
    ok(texunit_sampler_destroy(sampler));
    let points = [[1.5, 1.5], [-1.0, 0.0]];
    let results = sampled(both, &at(&points));
    assert_eq!(results.iter().map(|r| r[0]).collect::<Vec<_>>(), [3.0, 7.0]);
    // The first texture is unchanged.
    assert_eq!(sampled(texture, &at(&[[0.5, 0.5]]))[0][0], 1.5);
    ok(texunit_texture_destroy(both));
    ok(texunit_texture_destroy(texture));
}

#[test]
fn state_and_explanations() {
    let array = array(floats_2d(2, 2), 0, 0, &[0.0_f32, 1.0, 2.0, 3.0]);
    // Wrap mode with coordinates in texels: the hardware clamps.
    let texture = texture(of_array(array), texunit_texture_desc { filter_mode: 1, ..zeroed() });
    let mut state: texunit_effective_state = zeroed();
    let points = [[1.0, 1.0], [0.5, 0.5]];
    let desc = at(&points);
    let operation = TEXUNIT_OPERATION_SAMPLE;
    let mut text = vec![0_u8; 1 << 16];
    let mut length = 0;
    // SAFETY: all pointers are to live variables.
    unsafe {
        ok(texunit_texture_effective(texture, operation, null(), &raw mut state));
        assert_eq!(state.address_mode[..2], [TEXUNIT_TR_ADDRESS_MODE_CLAMP; 2]);
        assert_eq!(state.coordinates, TEXUNIT_COORDINATES_UNNORMALIZED);
        assert_eq!((state.filter_mode, state.mipmap_filter_mode), (1, TEXUNIT_NONE));
        assert_eq!((state.num_overrides > 0, state.is_defined), (true, 1));
        ok(texunit_texture_effective(texture, TEXUNIT_OPERATION_FETCH, null(), &raw mut state));
        assert_eq!((state.coordinates, state.address_mode), (0, [TEXUNIT_NONE; 3]));

        let to = text.as_mut_ptr().cast::<c_char>();
        ok(texunit_explain_state(texture, operation, null(), to, 1 << 16, &raw mut length));
        let json: serde_json::Value = serde_json::from_slice(&text[..length]).unwrap();
        assert_eq!(json["instruction"], "tex.2d.v4.f32.f32");
        assert_eq!(json["overrides"][0]["rule"], "1.8");

        let explain = |index, format, to: *mut c_char, capacity, length: *mut usize| {
            texunit_explain(
                texture,
                operation,
                &raw const desc,
                index,
                format,
                to,
                capacity,
                length,
            )
        };
        // The first call asks for the length.
        ok(explain(0, TEXUNIT_EXPLAIN_JSON, null_mut(), 0, &raw mut length));
        ok(explain(0, TEXUNIT_EXPLAIN_JSON, to, length + 1, null_mut()));
        let json: serde_json::Value = serde_json::from_slice(&text[..length]).unwrap();
        assert_eq!(json["result"][0], "3fc00000");
        assert_eq!(text[length], 0);
        fails(
            explain(0, TEXUNIT_EXPLAIN_JSON, to, length, null_mut()),
            TEXUNIT_ERROR_SIZE,
            "bytes are needed",
        );
        assert_eq!(text[length - 1], 0, "the beginning ends with a zero byte");
        ok(explain(1, TEXUNIT_EXPLAIN_SVG, to, 1 << 16, &raw mut length));
        let picture = String::from_utf8_lossy(&text[..length]);
        assert!(picture.contains("<svg") && picture.trim_end().ends_with("</svg>"));
        ok(explain(1, TEXUNIT_EXPLAIN_TEXT, to, 1 << 16, &raw mut length));
        assert!(String::from_utf8_lossy(&text[..length]).contains("tex.2d.v4.f32.f32"));
        fails(explain(2, 0, to, 9, null_mut()), TEXUNIT_ERROR_INVALID_VALUE, "index 2");
        fails(explain(0, 7, to, 9, null_mut()), TEXUNIT_ERROR_INVALID_VALUE, "format 7");
    }
    ok(texunit_texture_destroy(texture));
    ok(texunit_array_destroy(array));
}

#[test]
fn files_become_arrays() {
    let folder = texunit_testkit::TempDir::new("capi");
    // An NPY file of 1 x 2 floats.
    let head = "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 2), }";
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    let head = format!("{head:<117}\n");
    bytes.extend((head.len() as u16).to_le_bytes());
    bytes.extend(head.as_bytes());
    bytes.extend([1.0_f32, 2.0].iter().flat_map(|x| x.to_le_bytes()));
    let path = folder.file("a.npy", &bytes);
    let path = CString::new(path.to_str().unwrap()).unwrap();
    let (mut array, mut srgb, mut texels) = (null_mut(), 7, [0.0_f32; 2]);
    // SAFETY: all pointers are to live variables.
    unsafe {
        ok(texunit_array_open(&raw mut array, path.as_ptr(), &raw mut srgb));
        ok(texunit_array_read(array, 0, texels.as_mut_ptr().cast(), 8, 0, 0));
        assert_eq!((texels, srgb), ([1.0, 2.0], 0));
        ok(texunit_array_destroy(array));
        let none = texunit_array_open(&raw mut array, c"/there/is/no.npy".as_ptr(), null_mut());
        fails(none, TEXUNIT_ERROR_FILE, "/there/is/no.npy");
    }
}

#[test]
fn memory_of_the_program_is_read_as_it_is_now() {
    #[repr(C, align(32))]
    struct Memory([f32; 16]);
    let mut memory = Memory([0.0; 16]);
    let start = (&raw mut memory).cast::<std::ffi::c_void>();
    let mut desc: texunit_resource_desc = zeroed();
    desc.res_type = TEXUNIT_RESOURCE_TYPE_PITCH2D;
    desc.res.pitch2D = texunit_resource_pitch2d {
        dev_ptr: start,
        format: TEXUNIT_AD_FORMAT_FLOAT,
        num_channels: 1,
        width: 3,
        height: 2,
        pitch_in_bytes: 32,
    };
    let texture = texture(desc, zeroed());
    let point = [[1.5_f32, 1.5]];
    assert_eq!(sampled(texture, &at(&point))[0][0], 0.0);
    // SAFETY: within the texture's memory, through a pointer, as C would write it.
    unsafe { start.cast::<f32>().add(9).write(5.0) };
    assert_eq!(sampled(texture, &at(&point))[0][0], 5.0);
    // The results overlap the texture's memory, which is refused. SAFETY: all pointers are to live
    // variables.
    let status = unsafe { texunit_sample(texture, &at(&point), start, 16) };
    fails(status, TEXUNIT_ERROR_INVALID_VALUE, "overlap");
    ok(texunit_texture_destroy(texture));
    assert_eq!(memory.0[9], 5.0);
}
