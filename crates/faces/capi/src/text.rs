//! What a fetch or an access did, as text, JSON and a picture.

use crate::caller::{Out, bytes_mut, read};
use crate::fetch::{request, texunit_fetch_desc};
use crate::handle::{SurfaceObject, find, texunit_surface, texunit_texture};
use crate::query::form;
use crate::status::{Failure, TEXUNIT_ERROR_SIZE, guard, texunit_status};
use crate::surface::{places, texunit_access_desc};
use std::ffi::c_char;
use std::sync::Arc;
use texunit_explain::{Explanation, SurfaceExplanation};
use texunit_forms::Count;
use texunit_sample::Texture;

/// Lines of text, with the numbers of the rules of docs/numerics.md.
pub const TEXUNIT_EXPLAIN_TEXT: u32 = 0;
/// One JSON object. Bits are strings of eight hexadecimal digits.
pub const TEXUNIT_EXPLAIN_JSON: u32 = 1;
/// A picture: the texels around the point with their weights.
pub const TEXUNIT_EXPLAIN_SVG: u32 = 2;

/// What one of these fetches does, the one with the number index: every step with its rule. format is a TEXUNIT_EXPLAIN_*.
///
/// text gets it with a zero byte at its end; length, if it is not null, its bytes without that. Where capacity is not enough
/// the answer is TEXUNIT_ERROR_SIZE, length says what is needed, and text, if it is not null, has the beginning. With text
/// null and capacity 0, only the length is asked for.
///
/// # Safety
/// Pointers are null or as their types say; operands as of texunit_sample; text has room for capacity bytes.
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
        // SAFETY: as the caller promises.
        let desc = unsafe { read("desc", desc)? };
        if index >= desc.count {
            let all = Count(desc.count, "fetch");
            return Err(Failure::value(format!("index {index}: there {} {all}", all.are())));
        }
        // SAFETY: as the caller promises.
        let call = texture.call(unsafe { request(operation, &desc)? })?;
        let operands = call.operands(index)?;
        let explained =
            Explanation::new(call.form(), texture.header(), texture.sampler(), &operands)?;
        let said = match format {
            TEXUNIT_EXPLAIN_TEXT => explained.text(),
            TEXUNIT_EXPLAIN_JSON => explained.json().to_string(),
            TEXUNIT_EXPLAIN_SVG => explained.svg(),
            other => return Err(no_format(other)),
        };
        // SAFETY: as the caller promises.
        unsafe { give(&said, text, capacity, length) }
    })
}

/// What the hardware makes of a texture's state, as one JSON object: the instruction, overrides (rule and text of each), and
/// why such a fetch has no defined answer, or null. operation and desc are as of texunit_texture_effective, text, capacity
/// and length as of texunit_explain.
///
/// # Safety
/// As of texunit_explain.
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
        // SAFETY: as the caller promises.
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
        // SAFETY: as the caller promises.
        unsafe { give(&said.to_string(), text, capacity, length) }
    })
}

/// How the read of a surface with the number index finds its bytes, and what they are. Nothing is written. format, text,
/// capacity and length are as of texunit_explain.
///
/// # Safety
/// As of texunit_explain.
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
        // SAFETY: as the caller promises.
        let desc = unsafe { read("desc", desc)? };
        if index >= desc.count {
            let all = Count(desc.count, "access");
            return Err(Failure::value(format!("index {index}: there {} {all}", all.are())));
        }
        // SAFETY: as the caller promises.
        let (form, coords) = surface.load_at(unsafe { places(&desc)? }, index)?;
        let explained = SurfaceExplanation::new(form, surface.header(), coords, [0; 4])?;
        let said = match format {
            TEXUNIT_EXPLAIN_TEXT => explained.text(),
            TEXUNIT_EXPLAIN_JSON => explained.json().to_string(),
            TEXUNIT_EXPLAIN_SVG => explained.svg(),
            other => return Err(no_format(other)),
        };
        // SAFETY: as the caller promises.
        unsafe { give(&said, text, capacity, length) }
    })
}

fn no_format(format: u32) -> Failure {
    Failure::value(format!("format {format} is not 0 (text), 1 (JSON) or 2 (SVG)"))
}

/// Hands a text out.
///
/// # Safety
/// Pointers are null, or there is room for `capacity` bytes and for a number.
unsafe fn give(
    said: &str,
    text: *mut c_char,
    capacity: usize,
    length: *mut usize,
) -> Result<(), Failure> {
    if !length.is_null() {
        // SAFETY: as the caller promises.
        unsafe { Out::new("length", length)? }.set(said.len());
    }
    if text.is_null() && capacity == 0 {
        return Ok(());
    }
    // SAFETY: as the caller promises.
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
