//! The kernel's parameters as tables of a job.

use crate::Refused;
use crate::text::{digits, f32, f64, hex, quoted};
use std::collections::HashMap;
use texunit_device::{ParamInfo, ParamType};
use texunit_isa::{ScalarType, TypeKind};

/// The table of each parameter. `objects` has the names of objects by address and handle.
pub(crate) fn tables(
    params: &[ParamInfo],
    bytes: &[u8],
    objects: &HashMap<u64, String>,
) -> Result<String, Refused> {
    let mut text = String::new();
    for param in params {
        let place = param.offset as usize..(param.offset + param.size) as usize;
        let Some(bytes) = bytes.get(place) else { continue };
        text += &format!("\n[params.{}]\n", quoted(&param.name));
        text += &value(param, bytes, objects)?;
    }
    Ok(text)
}

fn value(
    param: &ParamInfo,
    bytes: &[u8],
    objects: &HashMap<u64, String>,
) -> Result<String, Refused> {
    use ScalarType as T;
    let as_bytes = || format!("scalar = {{ bytes = {} }}\n", digits(bytes));
    let ParamType::Scalar(ty) = param.ty else { return Ok(as_bytes()) };
    let mut word = [0; 8];
    let Some(own) = word.get_mut(..bytes.len()) else { return Ok(as_bytes()) };
    own.copy_from_slice(bytes);
    let bits = u64::from_le_bytes(word);
    let object = objects.get(&bits).filter(|_| param.size == 8 && !ty.is_float());
    if let Some(name) = object {
        return Ok(format!("use = {}\n", quoted(name)));
    }
    if matches!(ty, T::Texref | T::Samplerref | T::Surfref) {
        let name = &param.name;
        let why =
            format!("its parameter `{name}` is a .{ty}, but {bits:#x} is not the handle of one");
        return Err(Refused::Launch(why));
    }
    let signed = || (bits << (64 - 8 * param.size)) as i64 >> (64 - 8 * param.size);
    let size = 8 * param.size;
    Ok(match (ty.kind(), size) {
        (TypeKind::Float, 32) => format!("scalar = {{ f32 = {} }}\n", f32(bits as u32)),
        (TypeKind::Float, 64) => format!("scalar = {{ f64 = {} }}\n", f64(bits)),
        (TypeKind::Float, 16) => format!("scalar = {{ f16 = \"{bits:#06x}\" }}\n"),
        (TypeKind::Signed, _) => format!("scalar = {{ s{size} = {} }}\n", signed()),
        (TypeKind::Unsigned | TypeKind::Bits, 64) if bits > 1 << 40 => {
            format!("scalar = {{ u64 = {} }}\n", hex(bits))
        }
        (TypeKind::Unsigned | TypeKind::Bits, _) => format!("scalar = {{ u{size} = {bits} }}\n"),
        _ => as_bytes(),
    })
}
