//! Explanations of fetches and accesses, as text, JSON and pictures.

use crate::caller::{bytes_mut, read, set};
use crate::constants::*;
use crate::fetch::{request, texunit_fetch_desc};
use crate::handle::{SurfaceObject, find, texunit_surface, texunit_texture};
use crate::query::form;
use crate::status::{Failure, guard, texunit_status};
use crate::surface::{places, texunit_access_desc};
use std::ffi::c_char;
use std::sync::Arc;
use texunit_explain::{Explanation, SurfaceExplanation};
use texunit_forms::Count;
use texunit_sample::Texture;

/// An explanation as text, JSON or picture, as the caller's format says.
macro_rules! said {
    ($format:expr, $explained:expr) => {
        match $format {
            TEXUNIT_EXPLAIN_TEXT => $explained.text(),
            TEXUNIT_EXPLAIN_JSON => $explained.json().to_string(),
            TEXUNIT_EXPLAIN_SVG => $explained.svg(),
            other => {
                let text = format!("format {other} is not 0 (text), 1 (JSON) or 2 (SVG)");
                return Err(Failure::value(text));
            }
        }
    };
}

/// Explains one of the fetches, the one with the given index: every step with its rule. format is a
/// TEXUNIT_EXPLAIN_*.
///
/// text receives the explanation with a terminating zero byte; length, if it is not null, receives
/// its number of bytes without that. If capacity is too small the result is TEXUNIT_ERROR_SIZE,
/// length has the required size, and text, if it is not null, has the beginning. With text null and
/// capacity 0, only the length is returned.
///
/// # Safety
/// Pointers are null or as their types say; operands as for texunit_sample; text has room for
/// capacity bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn texunit_explain(
    texture: texunit_texture,
    operation: u32,
    desc: *const texunit_fetch_desc,
    index: usize,
    format: u32,
    text: *mut c_char,
    capacity: usize,
    length: *mut usize,
) -> texunit_status {
    guard(|| {
        let texture: Arc<Texture> = find(texture)?;
        // SAFETY: guaranteed by the caller.
        let desc = unsafe { read("desc", desc)? };
        check_index(index, Count(desc.count, "fetch"))?;
        // SAFETY: guaranteed by the caller.
        let call = texture.call(unsafe { request(operation, &desc)? })?;
        let operands = call.operands(index)?;
        let explained =
            Explanation::new(call.form(), texture.header(), texture.sampler(), &operands)?;
        let said = said!(format, explained);
        // SAFETY: guaranteed by the caller.
        unsafe { give(&said, text, capacity, length) }
    })
}

/// The sampling state that takes effect for a texture, as one JSON object: the instruction,
/// overrides (rule and text of each), and why such a fetch has no defined result, or null.
/// operation and desc are as for texunit_texture_effective, text, capacity and length as for
/// texunit_explain.
///
/// # Safety
/// As for texunit_explain.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn texunit_explain_state(
    texture: texunit_texture,
    operation: u32,
    desc: *const texunit_fetch_desc,
    text: *mut c_char,
    capacity: usize,
    length: *mut usize,
) -> texunit_status {
    guard(|| {
        let texture: Arc<Texture> = find(texture)?;
        // SAFETY: guaranteed by the caller.
        let form = unsafe { form(&texture, operation, desc)? };
        let effective = texture.effective(form);
        let overrides = effective.overrides.iter();
        let said = serde_json::json!({
            "instruction": form.to_string(),
            "overrides": overrides
                .map(|o| serde_json::json!({ "rule": o.rule, "text": o.text }))
                .collect::<Vec<_>>(),
            "refused": effective.refused,
        });
        // SAFETY: guaranteed by the caller.
        unsafe { give(&said.to_string(), text, capacity, length) }
    })
}

/// Explains how the surface read with the given index finds its bytes, and their values. Nothing is
/// written. format, text, capacity and length are as for texunit_explain.
///
/// # Safety
/// As for texunit_explain.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn texunit_surface_explain(
    surface: texunit_surface,
    desc: *const texunit_access_desc,
    index: usize,
    format: u32,
    text: *mut c_char,
    capacity: usize,
    length: *mut usize,
) -> texunit_status {
    guard(|| {
        let surface: Arc<SurfaceObject> = find(surface)?;
        // SAFETY: guaranteed by the caller.
        let desc = unsafe { read("desc", desc)? };
        check_index(index, Count(desc.count, "access"))?;
        // SAFETY: guaranteed by the caller.
        let (form, coords) = surface.load_at(unsafe { places(&desc)? }, index)?;
        let explained = SurfaceExplanation::new(form, surface.header(), coords, [0; 4])?;
        let said = said!(format, explained);
        // SAFETY: guaranteed by the caller.
        unsafe { give(&said, text, capacity, length) }
    })
}

fn check_index(index: usize, all: Count<usize>) -> Result<(), Failure> {
    if index < all.0 {
        return Ok(());
    }
    Err(Failure::value(format!("index {index}: there {} {all}", all.are())))
}

/// Copies a text to the caller.
///
/// # Safety
/// Pointers are null, or there is room for `capacity` bytes and for a number.
unsafe fn give(
    said: &str,
    text: *mut c_char,
    capacity: usize,
    length: *mut usize,
) -> Result<(), Failure> {
    // SAFETY: guaranteed by the caller.
    unsafe { set(length, said.len()) };
    if text.is_null() && capacity == 0 {
        return Ok(());
    }
    // SAFETY: guaranteed by the caller.
    let room = unsafe { bytes_mut("text", text.cast(), capacity)? };
    if let Some(last) = capacity.checked_sub(1) {
        let mut end = said.len().min(last);
        while !said.is_char_boundary(end) {
            end -= 1;
        }
        room[..end].copy_from_slice(&said.as_bytes()[..end]);
        room[end] = 0;
        if end == said.len() {
            return Ok(());
        }
    }
    let text =
        format!("text: capacity is {capacity}, but {} are needed", Count(said.len() + 1, "byte"));
    Err(Failure::new(TEXUNIT_ERROR_SIZE, text))
}
