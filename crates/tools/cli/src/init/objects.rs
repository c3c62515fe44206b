//! Writes the lines of a job for a parameter's object, inferred from its uses, with remarks for the
//! user.

use std::fmt::Write;
use texunit_check::uses::{Access, Accessed, Fetched, Use};
use texunit_forms::Count;
use texunit_isa::{Geometry, ScalarType, TypeKind};
use texunit_spec::write::quoted;

/// Default size of a buffer in bytes, when indices are unknown.
const MIN: u64 = 64 << 10;
/// Default size of a texture along each axis.
const SIZE: u64 = 64;

/// A value of a job.
pub(super) struct Value<'a> {
    pub(super) used: &'a Use,
    pub(super) ty: ScalarType,
    pub(super) size: u32,
    /// Index of the parameter, and byte offset of a member.
    pub(super) number: u32,
    pub(super) part: Option<u32>,
}

impl Value<'_> {
    /// The lines of its table.
    pub(super) fn text(&self, threads: u64, block: [u32; 3]) -> String {
        let used = self.used;
        let table = |kind: &str, remark: &str, keys: &[String]| {
            format!("# {remark}\n{kind} = {{ {} }}\n", keys.join(", "))
        };
        match self.ty {
            ScalarType::Samplerref => return sampler(),
            ScalarType::Surfref if used.surface.is_none() => {
                let (remark, keys) = surface_keys(&unknown_surface(), block);
                return table("surface", &remark, &keys);
            }
            ScalarType::Texref if used.texture.is_none() => {
                let (remark, keys) = texture_keys(&unknown_texture());
                return table("texture", &remark, &keys);
            }
            _ => {}
        }
        if let Some(texture) = &used.texture {
            let (remark, keys) = texture_keys(texture);
            return table("texture", &remark, &keys);
        }
        if let Some(surface) = &used.surface {
            let (remark, keys) = surface_keys(surface, block);
            let mut text = table("surface", &remark, &keys);
            if surface.written {
                let _ = writeln!(text, "output = {{ file = {} }}", quoted(&self.file("npy")));
            }
            return text;
        }
        if used.is_sampler {
            return sampler();
        }
        if self.size == 8 && (used.is_pointer || used.read.is_some() || used.written.is_some()) {
            return self.buffer(threads);
        }
        self.scalar()
    }

    fn file(&self, extension: &str) -> String {
        match self.part {
            Some(offset) => format!("param-{}-{offset}.{extension}", self.number),
            None => format!("param-{}.{extension}", self.number),
        }
    }

    fn buffer(&self, threads: u64) -> String {
        let Use { read, written, .. } = self.used;
        let element = written.or(*read);
        let bytes = element.map_or(4, Access::bytes);
        let largest =
            [*read, *written].into_iter().flatten().map(Access::bytes).max().unwrap_or(bytes);
        let size = (threads * u64::from(largest)).max(MIN);
        let what = match (read, written) {
            (Some(_), Some(_)) => "read and written",
            (None, Some(_)) => "written",
            (Some(_), None) => "only read; `file` gives it contents",
            (None, None) => "not seen to be read or written",
        };
        let of = element.map_or_else(String::new, |e| match e.vector {
            1 => format!(" of .{}", e.ty),
            n => format!(" of .v{n}.{}", e.ty),
        });
        let mut text = format!(
            "# memory{of}, {what}\n# choose: its bytes ({} with {largest} each are a CTA)\nbuffer = {{ zeros = {size} }}\n",
            Count(threads, "thread")
        );
        if let Some(written) = written {
            let format = texel_format(*written);
            let output = match &format {
                Some(format) => {
                    format!("file = {}, format = {}", quoted(&self.file("npy")), quoted(format))
                }
                None => format!("file = {}", quoted(&self.file("raw"))),
            };
            let _ = writeln!(text, "output = {{ {output} }}");
        }
        text
    }

    fn scalar(&self) -> String {
        let bits = 8 * self.size;
        let choose = "# choose: its value";
        let value = match (self.ty.kind(), bits) {
            (TypeKind::Float, 16 | 32 | 64) => format!("f{bits} = 1.0"),
            (TypeKind::Signed, 8 | 16 | 32 | 64) => format!("s{bits} = 1"),
            (_, 8 | 16 | 32 | 64) => format!("u{bits} = 1"),
            _ => format!("u8 = [{}]", vec!["0"; self.size.min(4096) as usize].join(", ")),
        };
        let remark = if bits == 64 && self.ty.kind() != TypeKind::Float {
            " (nothing uses it as a pointer or a handle)"
        } else {
            ""
        };
        format!("{choose}{remark}\nscalar = {{ {value} }}\n")
    }
}

fn sampler() -> String {
    "# choose: filter_mode, address_mode\nsampler = { filter_mode = \"point\", address_mode = \"clamp\" }\n".to_owned()
}

fn unknown_texture() -> Fetched {
    Fetched {
        form: "no instruction".to_owned(),
        geometry: Geometry::D2,
        result: ScalarType::F32,
        integers: false,
        levels: false,
        compares: false,
    }
}

fn unknown_surface() -> Accessed {
    let form = "no instruction".to_owned();
    Accessed { form, geometry: Geometry::D2, bytes: Some(4), ty: ScalarType::B32, written: false }
}

/// `width`, `height`, `depth`, `layers` etc. for a geometry.
fn sizes(geometry: Geometry, least: [u64; 3]) -> Vec<String> {
    let mut keys = vec![format!("geometry = \"{geometry}\"")];
    for (axis, name) in ["width", "height", "depth"].iter().enumerate().take(geometry.axes()) {
        let size = if geometry == Geometry::D3 { SIZE / 4 } else { SIZE };
        let own = if geometry.is_cube() { least[0].max(least[1]) } else { least[axis] };
        keys.push(format!("{name} = {}", size.max(own)));
    }
    if geometry.is_array() {
        keys.push("layers = 2".to_owned());
    }
    if geometry.is_multisample() {
        keys.push("samples = 4".to_owned());
    }
    keys
}

/// A remark and the keys for a texture.
pub(super) fn texture_keys(texture: &Fetched) -> (String, Vec<String>) {
    let Fetched { form, geometry, result, integers, levels, compares } = texture;
    let (format, read) = match result {
        _ if *compares => ("depth32f", ""),
        ScalarType::U32 => ("u8x4", "element"),
        ScalarType::S32 => ("s32x4", "element"),
        ScalarType::F16 | ScalarType::F16x2 => ("f16x4", ""),
        _ => ("u8x4", "normalized"),
    };
    let mut keys = vec!["zeros = true".to_owned()];
    keys.extend(sizes(*geometry, [0; 3]));
    keys.push(format!("format = \"{format}\""));
    if !read.is_empty() {
        keys.push(format!("read_mode = \"{read}\""));
    }
    if *levels && !geometry.is_multisample() {
        keys.push("levels = 4".to_owned());
    }
    if !integers {
        keys.push("filter_mode = \"point\"".to_owned());
        keys.push("address_mode = \"clamp\"".to_owned());
        // Levels and cubes always have normalized coordinates.
        let normalized = *levels || geometry.is_cube();
        keys.push(format!("normalized_coords = {normalized}"));
    }
    if *compares {
        keys.push("compare = \"less_equal\"".to_owned());
    }
    let more = if *integers { "" } else { ", filter_mode, address_mode, normalized_coords" };
    let remark = format!(
        "texture, fetched by {form}\n# choose: file = \"picture.png\" instead of zeros and the size, format, read_mode{more}"
    );
    (remark, keys)
}

/// A remark and the keys for a surface.
pub(super) fn surface_keys(surface: &Accessed, block: [u32; 3]) -> (String, Vec<String>) {
    let Accessed { form, geometry, bytes, ty, written } = surface;
    let float = ty.kind() == TypeKind::Float;
    let format = match bytes {
        _ if form.starts_with("sured") => {
            if ty.kind() == TypeKind::Signed {
                "s32"
            } else {
                "u32"
            }
        }
        Some(1) => "u8",
        // Elements of one byte suggest an image.
        Some(2) if ty.bytes() == 1 => "u8x2",
        Some(4) if ty.bytes() == 1 => "u8x4",
        Some(2) => "u16",
        Some(4) if ty.bytes() == 2 => "u16x2",
        Some(8) if ty.bytes() == 2 => "u16x4",
        Some(4) if float => "f32",
        Some(4) => "u32",
        Some(8) => "u32x2",
        Some(16) => "f32x4",
        _ => "u8x4",
    };
    let mut keys = vec!["zeros = true".to_owned()];
    keys.extend(sizes(*geometry, block.map(u64::from)));
    keys.push(format!("format = \"{format}\""));
    let what = if *written { "written" } else { "read" };
    (format!("surface, {what} by {form}\n# choose: file instead of zeros, size, format"), keys)
}

/// The texel format for elements of this type; `None` if there is none.
fn texel_format(access: Access) -> Option<String> {
    let channel = match (access.ty.kind(), access.ty.bytes()) {
        (TypeKind::Float, 2) => "f16",
        (TypeKind::Float, 4) => "f32",
        (TypeKind::Signed, 1) => "s8",
        (TypeKind::Signed, 2) => "s16",
        (TypeKind::Signed, 4) => "s32",
        (TypeKind::Unsigned | TypeKind::Bits, 1) => "u8",
        (TypeKind::Unsigned | TypeKind::Bits, 2) => "u16",
        (TypeKind::Unsigned | TypeKind::Bits, 4) => "u32",
        _ => return None,
    };
    Some(match access.vector {
        1 => channel.to_owned(),
        n @ (2 | 4) => format!("{channel}x{n}"),
        _ => return None,
    })
}
