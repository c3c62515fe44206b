//! Runs every fetch case of tests/fetch that the C interface can express; results must be
//! bit-identical.

use crate::{each, last_error, of_array, ok, zeroed};
use std::ffi::c_void;
use std::path::Path;
use std::ptr::{null, null_mut};
use texunit_capi::*;
use texunit_cases::{Access, Expected, FetchCase};
use texunit_unit::{
    AddressMode, CoordType, FetchKind, Filter, Geometry, Layout, Lod, ReadMode, ResultType,
};

/// Memory aligned to 32 bytes.
#[repr(C, align(32))]
#[derive(Clone, Copy)]
struct Line([u8; 32]);

/// The code and number of channels of a format, from a table of this test.
fn format(name: &str) -> (u32, u32) {
    let rows = texunit_cuda_abi::format::FORMATS;
    let depth = [("depth16", 0x10000, 1), ("depth24", 0x10001, 1), ("depth32f", 0x10002, 1)];
    let row = rows.into_iter().chain(depth).find(|row| row.0 == name).unwrap();
    (row.1, row.2)
}

/// A case's texture. Creating it returns `None` if the interface cannot express it, and otherwise a
/// status.
struct CaseTexture {
    status: texunit_status,
    texture: texunit_texture,
    array: texunit_array,
    /// The memory of linear and pitched textures.
    _memory: Vec<Line>,
}

fn texture_desc(case: &FetchCase) -> Option<texunit_texture_desc> {
    let s = &case.sampler;
    if s.force_unnormalized_coords
        || [s.min_level_clamp, s.max_level_clamp, s.level_bias].iter().any(|x| x.is_nan())
    {
        return None;
    }
    let format = case.resource.view.as_ref().and_then(|v| v.format);
    let format = format.unwrap_or(case.resource.shape.format);
    let read_mode = |as_integer: &bool| ReadMode::of_driver(format, *as_integer);
    let as_integer = [false, true].into_iter().find(|flag| read_mode(flag) == case.read_mode)?;
    let mode = |mode: AddressMode| match mode {
        AddressMode::Wrap => TEXUNIT_TR_ADDRESS_MODE_WRAP,
        AddressMode::Mirror => TEXUNIT_TR_ADDRESS_MODE_MIRROR,
        AddressMode::ClampOgl => TEXUNIT_TR_ADDRESS_MODE_CLAMP_OGL,
        AddressMode::Clamp => TEXUNIT_TR_ADDRESS_MODE_CLAMP,
        AddressMode::Border => TEXUNIT_TR_ADDRESS_MODE_BORDER,
    };
    let filter = |filter: Filter| u32::from(filter == Filter::Linear);
    let flag = |is: bool, flag: u32| if is { flag } else { 0 };
    Some(texunit_texture_desc {
        address_mode: s.address_mode.map(mode),
        filter_mode: filter(s.filter),
        flags: flag(as_integer, TEXUNIT_TRSF_READ_AS_INTEGER)
            | flag(case.normalized_coords, TEXUNIT_TRSF_NORMALIZED_COORDINATES)
            | flag(s.srgb, TEXUNIT_TRSF_SRGB)
            | flag(s.seamless_cube, TEXUNIT_TRSF_SEAMLESS_CUBEMAP),
        max_anisotropy: s.max_anisotropy,
        mipmap_filter_mode: filter(s.mip_filter),
        mipmap_level_bias: s.level_bias,
        min_mipmap_level_clamp: s.min_level_clamp,
        max_mipmap_level_clamp: s.max_level_clamp,
        border_color: s.border.map(f32::from_bits),
        compare_function: s.compare.map_or(0, |f| f as u32 + 1),
        reserved: [0; 11],
    })
}

fn made(case: &FetchCase) -> Option<CaseTexture> {
    let spec = &case.resource;
    let desc = texture_desc(case)?;
    let mut view: Option<texunit_view_desc> = None;
    if let Some(own) = &spec.view {
        let (levels, planes) = (own.levels.clone(), own.planes.clone());
        let format = own.format.map(|f| f.name());
        let number = texunit_cuda_abi::format::VIEW_FORMATS.iter().position(|n| Some(*n) == format);
        if own.geometry.is_some() || format.is_some() != number.is_some() {
            return None;
        }
        let levels = levels.unwrap_or(0..spec.shape.level_count());
        let planes = planes.unwrap_or(0..spec.shape.planes());
        view = Some(texunit_view_desc {
            format: number.map_or(0, |n| n as u32 + 1),
            first_mipmap_level: levels.start,
            last_mipmap_level: levels.end.checked_sub(1)?,
            first_layer: planes.start,
            last_layer: planes.end.checked_sub(1)?,
            ..zeroed()
        });
    }
    if spec.missing_tiles.is_some() {
        return None;
    }
    let packed = spec.packed().ok()?;
    let (number, channels) = format(spec.shape.format.name());
    let extent = spec.shape.extent;
    let mut memory = Vec::new();
    let (mut array, mut resource) = (null_mut(), zeroed::<texunit_resource_desc>());
    match spec.layout {
        Layout::Array => {
            let geometry = spec.shape.geometry;
            let layered = if geometry.is_array() { TEXUNIT_ARRAY3D_LAYERED } else { 0 };
            let cube = if geometry.is_cube() { TEXUNIT_ARRAY3D_CUBEMAP } else { 0 };
            let shape = texunit_array_desc {
                width: extent.width as usize,
                height: if geometry.axes() == 1 { 0 } else { extent.height as usize },
                depth: match geometry {
                    Geometry::D3 => extent.depth as usize,
                    _ if layered | cube != 0 => spec.shape.planes() as usize,
                    _ => 0,
                },
                format: number,
                num_channels: channels,
                flags: layered | cube,
            };
            let (levels, samples) = (spec.shape.levels.unwrap_or(0), spec.shape.samples);
            // SAFETY: all pointers are to live objects.
            let status =
                unsafe { texunit_array_create(&raw mut array, &raw const shape, levels, samples) };
            if status != TEXUNIT_SUCCESS {
                return Some(CaseTexture { status, texture: null_mut(), array, _memory: memory });
            }
            // SAFETY: all pointers are to live objects.
            ok(unsafe {
                let texels = packed.as_ptr().cast();
                texunit_array_write(array, TEXUNIT_ALL_LEVELS, texels, packed.len(), 0, 0)
            });
            if let Some(level) = spec.level {
                let whole = std::mem::replace(&mut array, null_mut());
                // SAFETY: the pointer is to a live object.
                ok(unsafe { texunit_array_level(&raw mut array, whole, level) });
                ok(texunit_array_destroy(whole));
            }
            resource = of_array(array);
        }
        layout => {
            let row = extent.width as usize * spec.shape.format.texel_size() as usize;
            let pitch = spec.pitch.map_or(row.next_multiple_of(32), |pitch| pitch as usize);
            if pitch > 1 << 20 || pitch < row {
                return None;
            }
            memory = vec![Line([0; 32]); (pitch * extent.height as usize).div_ceil(32) + 1];
            // SAFETY: the slice is all of `memory`.
            let all = unsafe {
                std::slice::from_raw_parts_mut(memory.as_mut_ptr().cast::<u8>(), memory.len() * 32)
            };
            for (y, texels) in packed.chunks(row.max(1)).enumerate() {
                all[y * pitch..][..texels.len()].copy_from_slice(texels);
            }
            let dev_ptr = memory.as_mut_ptr().cast::<c_void>();
            if layout == Layout::Linear {
                resource.res_type = TEXUNIT_RESOURCE_TYPE_LINEAR;
                resource.res.linear = texunit_resource_linear {
                    dev_ptr,
                    format: number,
                    num_channels: channels,
                    size_in_bytes: packed.len(),
                };
            } else {
                resource.res_type = TEXUNIT_RESOURCE_TYPE_PITCH2D;
                resource.res.pitch2D = texunit_resource_pitch2d {
                    dev_ptr,
                    format: number,
                    num_channels: channels,
                    width: extent.width as usize,
                    height: extent.height as usize,
                    pitch_in_bytes: pitch,
                };
            }
        }
    }
    let mut texture = null_mut();
    let view = view.as_ref().map_or(null(), std::ptr::from_ref);
    // SAFETY: all pointers are to live objects or null; `CaseTexture` owns the memory.
    let status = unsafe {
        texunit_texture_create(&raw mut texture, &raw const resource, &raw const desc, view)
    };
    Some(CaseTexture { status, texture, array, _memory: memory })
}

/// The four result registers of each fetch as words, or an error; `None` if the interface cannot
/// express the fetch.
fn fetched(case: &FetchCase, texture: texunit_texture) -> Option<Result<Vec<[u32; 4]>, String>> {
    let (form, g, all) = (case.form, case.form.geometry, &case.operands);
    let mut desc: texunit_fetch_desc = zeroed();
    desc.count = all.len();
    let coords: Vec<Vec<u32>> =
        (0..3).map(|axis| all.iter().map(|o| o.coords.point[axis]).collect()).collect();
    let word = |f: &dyn Fn(&texunit_unit::FetchOperands) -> u32| -> Vec<u32> {
        all.iter().map(f).collect()
    };
    let (layer, sample) = (word(&|o| o.coords.layer), word(&|o| o.coords.sample));
    let (level, compare) = (word(&|o| o.level), word(&|o| o.compare));
    // The other operands as an array of structures.
    for (operand, words) in desc.coords.iter_mut().zip(&coords).take(g.gradients()) {
        *operand = each(words);
    }
    let member = |place: *const u32| texunit_operand {
        data: place.cast(),
        stride: size_of::<texunit_unit::FetchOperands>(),
    };
    let first = all.first()?;
    if g.is_array() {
        desc.layer = each(&layer);
    }
    if g.is_multisample() {
        desc.sample = each(&sample);
    }
    match form.kind {
        FetchKind::Sample(Lod::Level) => desc.level = each(&level),
        FetchKind::Sample(Lod::Gradient) => {
            for axis in 0..g.gradients() {
                desc.dPdx[axis] = member(&raw const first.dpdx[axis]);
                desc.dPdy[axis] = member(&raw const first.dpdy[axis]);
            }
        }
        FetchKind::Sample(Lod::Base) => desc.flags |= TEXUNIT_FETCH_BASE,
        _ => {}
    }
    if form.offset {
        for axis in 0..g.axes() {
            desc.offset[axis] = member((&raw const first.offset[axis]).cast());
        }
    }
    if form.compare {
        desc.compare = each(&compare);
    }
    if form.result == ResultType::F16 {
        desc.flags |= TEXUNIT_FETCH_HALF;
    }
    let operation = match (form.kind, form.coord) {
        (FetchKind::Gather(component), _) => TEXUNIT_OPERATION_GATHER_R + u32::from(component),
        (_, CoordType::F32) => TEXUNIT_OPERATION_SAMPLE,
        (_, CoordType::S32) => TEXUNIT_OPERATION_FETCH,
    };
    let mut text = vec![0_u8; 4096];
    // SAFETY: the text buffer has the given size; operands are as below.
    let said = unsafe {
        let to = text.as_mut_ptr().cast();
        texunit_explain_state(texture, operation, &raw const desc, to, text.len(), null_mut())
    };
    // For each kind, a texture has one instruction: that of its geometry and result type.
    let instruction = format!("{{\"instruction\":\"{form}\"");
    if said == TEXUNIT_SUCCESS && !text.starts_with(instruction.as_bytes()) {
        return None;
    }
    let mut results = vec![[0xaaaa_aaaa_u32; 4]; desc.count];
    let (to, size) = (results.as_mut_ptr().cast(), size_of_val(&results[..]));
    // SAFETY: operands and results are live.
    let status = unsafe {
        match form.kind {
            FetchKind::Gather(component) => {
                texunit_gather(texture, component.into(), &raw const desc, to, size)
            }
            _ if form.coord == CoordType::F32 => texunit_sample(texture, &raw const desc, to, size),
            _ => texunit_fetch(texture, &raw const desc, to, size),
        }
    };
    Some(if status == TEXUNIT_SUCCESS { Ok(results) } else { Err(last_error()) })
}

#[test]
fn cases_give_their_bits() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../tests/fetch");
    let (mut done, mut fetches, mut refused, mut left) = (0, 0, 0, 0);
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|e| e != "toml") {
            continue;
        }
        for case in texunit_cases::load(&path).unwrap().cases {
            let Access::Fetch(fetch) = &case.access else { continue };
            let at = format!("{} {}", path.display(), case.name);
            let Some(made) = made(fetch) else {
                left += 1;
                continue;
            };
            if made.status != TEXUNIT_SUCCESS {
                // The unit filters integers, and the API does not let a texture ask for it.
                let is_filter = last_error().contains("cudaErrorInvalidFilterSetting");
                let is_error = matches!(fetch.expected, Expected::Error(_));
                assert!(is_error || is_filter, "{at}: {}", last_error());
                if is_error {
                    refused += 1
                } else {
                    left += 1
                }
                ok(texunit_array_destroy(made.array));
                continue;
            }
            // The texture keeps the texels alive.
            ok(texunit_array_destroy(made.array));
            match (fetched(fetch, made.texture), &fetch.expected) {
                (None, _) => left += 1,
                (Some(Ok(results)), Expected::Values(values)) => {
                    for (n, (is, value)) in results.iter().zip(values).enumerate() {
                        let count = usize::from(fetch.components);
                        assert_eq!(is[..count], value.values[..count], "{at}, fetch {n}");
                        fetches += 1;
                    }
                    done += 1;
                }
                // The instruction exists in PTX, but not in the interface.
                (Some(Err(why)), _) if why.contains("have no float16 results") => left += 1,
                // The interface reports a wrong result type, where a kernel would get zeros.
                (Some(Err(why)), Expected::Values(values)) => {
                    let says_so =
                        why.contains(" geometry, but ") || why.contains(" is fetched with ");
                    let zeros = values.iter().all(|value| value.values == [0; 4]);
                    assert!(says_so && zeros, "{at}: {why}");
                    refused += 1;
                }
                (Some(Err(_)), Expected::Error(_)) => refused += 1,
                // An instruction that the interface does not have.
                (Some(_), _) => left += 1,
            }
            ok(texunit_texture_destroy(made.texture));
        }
    }
    assert!(
        done > 1600 && fetches > 150_000 && refused >= 15,
        "{done} done, {fetches} fetches, {refused} refused, {left} left out"
    );
}
