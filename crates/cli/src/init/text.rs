//! A job as text: every parameter with what is known of it, and remarks where a person must choose.

use super::uses::{Access, Accessed, Fetched, Use, Uses};
use std::fmt::Write;
use texunit_check::ir::{Function, Module, Param, Storage};
use texunit_isa::{Geometry, ScalarType, TypeKind};

/// Threads along each axis of a block that nothing says, by the number of axes.
const BLOCKS: [[u32; 3]; 3] = [[256, 1, 1], [16, 16, 1], [8, 8, 4]];
/// Bytes of a buffer of which nothing is known but that it is there: room for indices that need not be those of
/// threads.
const LEAST: u64 = 64 << 10;
/// Texels along each axis of a texture that nothing says.
const SIZE: u64 = 64;

/// What the job's text is made of.
pub(super) struct Skeleton<'a> {
    pub(super) module: &'a Module,
    pub(super) kernel: &'a Function,
    pub(super) uses: &'a Uses,
    /// The PTX file, as the job names it.
    pub(super) ptx: &'a str,
    /// The job file, for its first line.
    pub(super) job: &'a str,
}

impl Skeleton<'_> {
    pub(super) fn text(&self) -> String {
        let mut out = String::new();
        let (block, why) = self.block();
        let axes =
            self.uses.axes.max(block.iter().rposition(|&n| n > 1).map_or(1, |axis| axis + 1));
        let shape = |numbers: &[u32]| {
            let numbers: Vec<String> = numbers.iter().take(axes).map(u32::to_string).collect();
            format!("[{}]", numbers.join(", "))
        };
        let _ = writeln!(
            out,
            "# Made by `texunit init`. `texunit launch {}` runs it; docs/jobs.md describes every key.\n\
             # A line that begins with `# choose` is a guess: the PTX does not say it.\n\n\
             ptx = {}\nkernel = {}\n\
             # choose: CTAs along x, y, z\ngrid = {}\n# {why}\nblock = {}",
            self.job,
            quoted(self.ptx),
            quoted(&self.kernel.name),
            shape(&[1; 3]),
            shape(&block),
        );
        let threads: u64 = block.iter().map(|&n| u64::from(n)).product();
        if self.uses.dynamic_shared {
            let bytes = 16 * threads.min(1024);
            let _ = writeln!(
                out,
                "# choose: bytes of the `.extern .shared` array (here 16 for each thread)\ndynamic_shared = {bytes}"
            );
        }
        for (index, param) in self.kernel.params.iter().enumerate() {
            self.param(&mut out, index as u32, param, threads, block);
        }
        self.references(&mut out, block);
        out
    }

    /// Threads of a CTA, and where that is from.
    fn block(&self) -> ([u32; 3], &'static str) {
        let of = |name: &str| {
            let (_, numbers) = self.kernel.directives.iter().find(|(known, _)| known == name)?;
            let axis =
                |a: usize| numbers.get(a).map_or(1, |&n| u32::try_from(n).unwrap_or(1).max(1));
            Some([axis(0), axis(1), axis(2)])
        };
        if let Some(block) = of("reqntid") {
            return (block, "threads of a CTA: what .reqntid demands");
        }
        let guess = BLOCKS[self.uses.axes.clamp(1, 3) - 1];
        match of("maxntid") {
            Some(most) if most[1..] == [1, 1] => {
                // `__launch_bounds__` says how many there are in all, not along which axis.
                let fits = |block: &[u32; 3]| block.iter().product::<u32>() <= most[0];
                let mut block = guess;
                while !fits(&block) {
                    let longest = (0..3).max_by_key(|&a| block[a]).unwrap_or(0);
                    block[longest] /= 2;
                }
                (block, "choose: threads of a CTA; .maxntid says how many there may be")
            }
            Some(most) => (most, "choose: threads of a CTA, at most these of .maxntid"),
            None => (guess, "choose: threads of a CTA"),
        }
    }

    fn param(&self, out: &mut String, index: u32, param: &Param, threads: u64, block: [u32; 3]) {
        let declared = format!(".{} {}", param.ty, param.name);
        let whole = param.is_array || param.size != param.ty.bytes();
        if !whole {
            let used = self.uses.params.get(&(index, 0)).cloned().unwrap_or_default();
            let key = key(&param.name);
            let value =
                Value { used: &used, ty: param.ty, size: param.size, number: index, part: None };
            let _ = write!(out, "\n# {declared}\n[params.{key}]\n{}", value.text(threads, block));
            return;
        }
        let members: Vec<(u32, Access)> = self
            .uses
            .loaded
            .range((index, 0)..=(index, u32::MAX))
            .map(|((_, offset), access)| (*offset, *access))
            .filter(|(offset, access)| {
                u64::from(*offset) + u64::from(access.bytes()) <= param.size.into()
            })
            .collect();
        let _ = writeln!(out, "\n# {declared}[{0}], a structure of {0} bytes", param.size);
        if members.is_empty() {
            let _ = writeln!(
                out,
                "# choose: its members by their offsets; the others are 0\n[params.{}]\nscalar = {{ u8 = 0 }}",
                quoted(&format!("{}+0", param.name))
            );
        }
        let mut end = 0;
        for (offset, access) in members {
            // An access in another size to the same bytes.
            if offset < end {
                continue;
            }
            end = offset + access.bytes();
            let used = self.uses.params.get(&(index, offset)).cloned().unwrap_or_default();
            let value = Value {
                used: &used,
                ty: access.ty,
                size: access.bytes(),
                number: index,
                part: Some(offset),
            };
            let name = quoted(&format!("{}+{offset}", param.name));
            let _ = write!(out, "[params.{name}]\n{}", value.text(threads, block));
        }
    }

    /// The `.texref`, `.samplerref` and `.surfref` variables that the kernel uses.
    fn references(&self, out: &mut String, block: [u32; 3]) {
        for (variable, used) in &self.uses.references {
            let Some(variable) = self.module.variables.get(*variable as usize) else { continue };
            let name = key(&variable.name);
            match variable.storage {
                Storage::Opaque(ScalarType::Texref) => {
                    let Some(texture) = &used.texture else { continue };
                    let (remark, keys) = texture_keys(texture);
                    let _ =
                        write!(out, "\n# .texref {}: {remark}\n[textures.{name}]\n", variable.name);
                    keys.iter().for_each(|key| *out += &format!("{key}\n"));
                }
                Storage::Opaque(ScalarType::Samplerref) => {
                    // Where there is an initialiser, it says all.
                    if variable.fields.is_empty() {
                        let _ = write!(
                            out,
                            "\n# .samplerref {}\n# choose: filter, address\n[samplers.{name}]\nfilter = \"point\"\naddress = \"clamp\"\n",
                            variable.name
                        );
                    }
                }
                Storage::Opaque(ScalarType::Surfref) => {
                    let Some(surface) = &used.surface else { continue };
                    let (remark, keys) = surface_keys(surface, block);
                    let _ = write!(
                        out,
                        "\n# .surfref {}: {remark}\n[surfaces.{name}]\n",
                        variable.name
                    );
                    keys.iter().for_each(|key| *out += &format!("{key}\n"));
                    if surface.written {
                        let _ = writeln!(
                            out,
                            "output = {{ file = {} }}",
                            quoted(&file_name(&variable.name))
                        );
                    }
                }
                _ => {}
            }
        }
    }
}

/// A value of a job.
struct Value<'a> {
    used: &'a Use,
    ty: ScalarType,
    size: u32,
    /// Number of the parameter, and byte offset of a member.
    number: u32,
    part: Option<u32>,
}

impl Value<'_> {
    /// The lines of its table.
    fn text(&self, threads: u64, block: [u32; 3]) -> String {
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
        let size = (threads * u64::from(largest)).max(LEAST);
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
            "# memory{of}, {what}\n# choose: its bytes ({} threads with {largest} each are a CTA)\nbuffer = {{ zeros = {size} }}\n",
            threads
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
    "# choose: filter, address\nsampler = { filter = \"point\", address = \"clamp\" }\n".to_owned()
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

/// `width`, `height`, `depth`, `layers` and so on of a geometry.
fn sizes(geometry: Geometry, least: [u64; 3]) -> Vec<String> {
    let mut keys = vec![format!("geometry = \"{geometry}\"")];
    let axes = geometry.axes();
    for (axis, name) in ["width", "height", "depth"].iter().enumerate().take(axes) {
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

fn texture_keys(texture: &Fetched) -> (String, Vec<String>) {
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
        keys.push(format!("read = \"{read}\""));
    }
    if *levels && !geometry.is_multisample() {
        keys.push("levels = 4".to_owned());
    }
    if !integers {
        keys.push("filter = \"point\"".to_owned());
        keys.push("address = \"clamp\"".to_owned());
        // Levels and cubes have normalized coordinates in any case.
        let normalized = *levels || geometry.is_cube();
        keys.push(format!("normalized = {normalized}"));
    }
    if *compares {
        keys.push("compare = \"less_equal\"".to_owned());
    }
    let more = if *integers { "" } else { ", filter, address, normalized" };
    let remark = format!(
        "texture, fetched by {form}\n# choose: file = \"picture.png\" in place of zeros and the size, format, read{more}"
    );
    (remark, keys)
}

fn surface_keys(surface: &Accessed, block: [u32; 3]) -> (String, Vec<String>) {
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
        Some(2) => "u16",
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
    let remark =
        format!("surface, {what} by {form}\n# choose: file in place of zeros, size, format");
    (remark, keys)
}

/// The format of an array with these elements; `None` if textures have none.
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

/// A file for what a reference holds: names of PTX have characters that files better have not.
fn file_name(name: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
    let stem: String = name.chars().take(60).map(plain).collect();
    format!("{stem}.npy")
}

/// A key of TOML.
fn key(name: &str) -> String {
    let bare = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    if !name.is_empty() && name.chars().all(bare) { name.to_owned() } else { quoted(name) }
}

/// A string of TOML.
pub(super) fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            c if c.is_control() => {
                let _ = write!(out, "\\u{:04X}", c as u32);
            }
            c => out.push(c),
        }
    }
    out + "\""
}
