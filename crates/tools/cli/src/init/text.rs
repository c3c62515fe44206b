//! Writes a job: every parameter with what its uses reveal, and remarks where the user must choose;
//! finds values in a job that the user has not chosen yet.

use super::objects::{Value, surface_keys, texture_keys};
use super::uses;
use std::collections::HashSet;
use std::fmt::Write;
use texunit_check::ir::{Function, Module, Param, Storage};
use texunit_check::uses::{Access, Uses};
use texunit_check::{Options, check_with};
use texunit_isa::ScalarType;
use texunit_spec::write::quoted;
use texunit_syntax::{SourceFile, parse};

/// The beginning of every job that `texunit init` writes.
pub(super) const MADE: &str = "# Made by `texunit init`.";

/// Default block sizes by number of axes.
const BLOCKS: [[u32; 3]; 3] = [[256, 1, 1], [16, 16, 1], [8, 8, 4]];

/// The parts of a job's text.
pub(super) struct Skeleton<'a> {
    pub(super) module: &'a Module,
    pub(super) kernel: &'a Function,
    pub(super) uses: &'a Uses,
    /// The path of the PTX file in the job.
    pub(super) ptx: &'a str,
    /// The job file's name, for its first line.
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
            "{MADE} `texunit launch {}` runs it; docs/jobs.md describes every key.\n\
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

    /// Block size, and where it comes from.
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
                // `__launch_bounds__` limits the product, not each axis.
                let fits = |block: &[u32; 3]| block.iter().product::<u32>() <= most[0];
                let mut block = guess;
                while !fits(&block) {
                    block[(0..3).max_by_key(|&a| block[a]).unwrap_or(0)] /= 2;
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
            // An access with another size to the same bytes.
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
                // An initialiser describes the sampler completely.
                Storage::Opaque(ScalarType::Samplerref) if variable.fields.is_empty() => {
                    let _ = write!(
                        out,
                        "\n# .samplerref {}\n# choose: filter_mode, address_mode\n[samplers.{name}]\nfilter_mode = \"point\"\naddress_mode = \"clamp\"\n",
                        variable.name
                    );
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

/// A file name for a reference, without characters that PTX names may have and file names should
/// not.
fn file_name(name: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
    let stem: String = name.chars().take(60).map(plain).collect();
    format!("{stem}.npy")
}

/// A TOML key.
fn key(name: &str) -> String {
    let bare = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    if !name.is_empty() && name.chars().all(bare) { name.to_owned() } else { quoted(name) }
}

/// The keys with placeholder values: lines after `# choose` that are still as `texunit init` writes
/// them for this kernel. Empty for other jobs.
pub(crate) fn left(job: &str, ptx: &SourceFile, kernel: &str) -> Vec<String> {
    if !job.starts_with(MADE) {
        return Vec::new();
    }
    let parsed = parse(ptx);
    let checked = check_with(ptx, &parsed.module, Options::default());
    let module = &checked.module;
    let is_kernel = |id: &u32| module.functions[*id as usize].name == kernel;
    let Some(id) = (0..module.functions.len() as u32).find(is_kernel) else { return Vec::new() };
    let (id, kernel) = (texunit_check::ir::FuncId(id), &module.functions[id as usize]);
    let uses = uses::uses(module, id);
    let made = Skeleton { module, kernel, uses: &uses, ptx: "", job: "" }.text();
    let made: HashSet<(String, &str)> = chosen(&made).into_iter().collect();
    chosen(job).into_iter().filter(|guess| made.contains(guess)).map(|(key, _)| key).collect()
}

/// The keys and lines after each `# choose`.
fn chosen(job: &str) -> Vec<(String, &str)> {
    let (mut table, mut is_open, mut found) = ("", false, Vec::new());
    for line in job.lines().map(str::trim) {
        if let Some(header) = line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            table = header;
        } else if line.starts_with('#') {
            is_open |= line.starts_with("# choose");
        } else if let Some((key, _)) = line.split_once('=')
            && std::mem::take(&mut is_open)
        {
            let name = if table.is_empty() { key.trim() } else { table };
            found.push((name.to_owned(), line));
        }
    }
    found
}
