//! The job and its files.

use crate::arrays::Texels;
use crate::bytes::Pieces;
use crate::files::{Files, Written};
use crate::memory::{self, Held};
use crate::resources::{self, Places, array_name};
use crate::text::{comment, digits, hex, quoted};
use crate::{Before, Ended, Launch, Refused, params};
use std::collections::{HashMap, HashSet};
use std::fmt::Write;
use std::path::Path;
use texunit_device::{Bounds, End, LaunchOptions, Module, OpaqueKind, Sampler, State, Stored};
use texunit_unit::Resource;

/// Bytes that are written into the job itself, and into no file.
const SHORT: usize = 64;
/// Name of the PTX file.
const PTX: &str = "kernel.ptx";

pub(crate) fn job(
    before: Before,
    launch: &Launch<'_>,
    folder: &Path,
    ended: Ended<'_>,
) -> Result<Written, Refused> {
    let mut files = Files::new(folder)?;
    let module = launch.kernel.module();
    files.write(PTX, module.source().text().as_bytes())?;
    let after = match ended {
        Ended::Done => Some(After::of(&before, launch)?),
        Ended::Fault(_) => None,
    };
    let (names, gone) = (HashMap::new(), gone(&before.state));
    let fault = match ended {
        Ended::Fault(fault) => fault.kind.allocation(),
        Ended::Done => None,
    };
    let lost = fault.into_iter().collect();
    let mut job = Job { before: &before, module, after, files, names, gone, lost };
    let head = job.head(launch, ended);
    let objects = job.objects()?;
    let references = job.references()?;
    let variables = job.variables()?;
    let params = params::tables(&launch.kernel.params(), launch.params, &job.names)?;
    let text = [head, job.places(), params, objects, job.ended(), references, variables].concat();
    let path = job.files.write("job.toml", text.as_bytes())?;
    Ok(job.files.done(path))
}

/// What the launch has changed, of memory and of arrays.
struct After {
    memory: Vec<Pieces>,
    texels: Vec<Pieces>,
}

impl After {
    fn of(before: &Before, launch: &Launch<'_>) -> Result<Self, Refused> {
        let mut budget = before.budget;
        let now = launch.kernel.module().device().state();
        let memory = memory::changes(&before.memory, &now.memory, &mut budget)?;
        let texels = before.texels.iter().map(|texels| texels.changes(&mut budget));
        Ok(Self { memory, texels: texels.collect::<Result<_, _>>()? })
    }
}

/// Memory that is gone, as the device remembers it.
struct Gone {
    address: u64,
    size: u64,
    number: u64,
    name: String,
    how: End,
}

fn gone(state: &State) -> Vec<Gone> {
    let all = state.memory.graves().into_iter();
    all.map(|(address, gone)| {
        let texunit_device::Gone { size, number, name, how, .. } = gone;
        Gone { address, size, number, name, how }
    })
    .collect()
}

/// A job that is being written.
struct Job<'a> {
    before: &'a Before,
    module: &'a Module,
    after: Option<After>,
    files: Files,
    /// Objects that parameters can name, by address or handle.
    names: HashMap<u64, String>,
    gone: Vec<Gone>,
    /// The numbers of those that something is made of, or that the fault is about.
    lost: HashSet<u64>,
}

impl Job<'_> {
    /// What stands at the top.
    fn head(&self, launch: &Launch<'_>, ended: Ended<'_>) -> String {
        let mut text = String::new();
        for remark in launch.remarks {
            text += &comment(remark);
        }
        if let Ended::Fault(fault) = ended {
            text += &comment(&format!("It ended with a fault: {}", fault.kind));
        }
        let LaunchOptions {
            grid,
            block,
            dynamic_shared,
            max_steps,
            stack_limit,
            fmad,
            bounds,
            cooperative,
            printf_limit,
            ..
        } = *launch.options;
        let device = self.module.device();
        let mut line = |key: &str, value: String| text += &format!("{key} = {value}\n");
        line("ptx", quoted(PTX));
        line("kernel", quoted(launch.kernel.name()));
        line("grid", format!("{grid:?}"));
        line("block", format!("{block:?}"));
        if dynamic_shared > 0 {
            line("dynamic_shared", dynamic_shared.to_string());
        }
        if cooperative {
            line("cooperative", "true".to_owned());
        }
        line("arch", quoted(&device.architecture().to_string()));
        line("memory_limit", device.memory_limit().to_string());
        line("max_steps", max_steps.min(i64::MAX as u64).to_string());
        line("stack_limit", stack_limit.max(1).to_string());
        line("printf_limit", printf_limit.clamp(1, 1 << 30).to_string());
        if fmad {
            line("fmad", "true".to_owned());
        }
        if bounds == Bounds::Hardware {
            line("bounds", quoted("hardware"));
        }
        line("grid_id", self.before.state.launches.to_string());
        if self.after.is_some() {
            line("check", "true".to_owned());
        }
        text
    }

    /// Where the variables of the module are.
    fn places(&self) -> String {
        let memory = self.module.globals().into_iter();
        let memory = memory.filter_map(|n| Some((n.clone(), self.module.global(&n)?.address())));
        let opaque =
            self.module.opaque_variables().into_iter().map(|v| (v.name.clone(), v.handle()));
        let lines: String = memory
            .chain(opaque)
            .map(|(name, at)| format!("{} = {}\n", quoted(&name), hex(at)))
            .collect();
        if lines.is_empty() { lines } else { format!("\n[places]\n{lines}") }
    }

    /// Everything that no variable of the module is.
    fn objects(&mut self) -> Result<String, Refused> {
        let (before, mut text) = (self.before, String::new());
        let own: HashSet<u64> = self.own_addresses();
        for (i, held) in before.memory.iter().enumerate() {
            if !own.contains(&held.address) {
                text += &self.memory(i, held)?;
            }
        }
        let texels = self.texels()?;
        let handles: HashSet<u64> =
            self.module.opaque_variables().iter().map(|variable| variable.handle()).collect();
        let mut others = String::new();
        for (i, Stored { handle, value }) in before.state.textures.iter().enumerate() {
            if handles.contains(handle) {
                continue;
            }
            if let Some(source) = self.source(&value.texture.resource) {
                let keys = format!(
                    "{source}, handle = {}, {}",
                    hex(*handle),
                    resources::texture_keys(value)
                );
                others += &self.object(format!("texture-{}", i + 1), *handle, "texture", &keys);
            }
        }
        for (i, Stored { handle, value }) in before.state.surfaces.iter().enumerate() {
            let source = resources::surface_source(&value.resource, &self.where_texels_are())?;
            if let Some(source) = source.filter(|_| !handles.contains(handle)) {
                let keys = format!("{source}, handle = {}", hex(*handle));
                others += &self.object(format!("surface-{}", i + 1), *handle, "surface", &keys);
            }
        }
        for (i, Stored { handle, value }) in before.state.samplers.iter().enumerate() {
            if !handles.contains(handle) {
                let keys = alone(value, *handle);
                others += &self.object(format!("sampler-{}", i + 1), *handle, "sampler", &keys);
            }
        }
        Ok(text + &texels + &others)
    }

    /// Memory that something is still made of or points to, and that is gone: so that its use is the same fault.
    fn ended(&self) -> String {
        let mut text = String::new();
        for gone in self.gone.iter().filter(|gone| self.lost.contains(&gone.number)) {
            let how = match gone.how {
                End::Freed => "freed",
                End::Unregistered => "unregistered",
                End::Unmapped => "unmapped",
                End::Destroyed => continue,
            };
            let _ = write!(
                text,
                "\n[objects.\"gone-{}\"]\nbuffer = {{ size = {}, address = {}, name = {}, number = {}, ended = \"{how}\" }}\n",
                gone.number,
                gone.size.max(1),
                hex(gone.address),
                quoted(&gone.name),
                gone.number
            );
        }
        text
    }

    fn own_addresses(&self) -> HashSet<u64> {
        let globals = self.module.globals().into_iter();
        globals.filter_map(|name| Some(self.module.global(&name)?.address())).collect()
    }

    /// An allocation.
    fn memory(&mut self, index: usize, held: &Held) -> Result<String, Refused> {
        let name = format!("memory-{}", held.block.number());
        let mut keys = format!(
            "size = {}, address = {}, name = {}, number = {}",
            held.size(),
            hex(held.address),
            quoted(held.block.name()),
            held.block.number()
        );
        if held.block.is_read_only() {
            keys += ", read_only = true";
        }
        if let Some(contents) = self.contents(&name, &held.before)? {
            keys = format!("{}, {keys}", contents.join(", "));
        }
        let table = self.object(name.clone(), held.address, "buffer", &keys);
        Ok(table + &self.expected(&name, |after| &after.memory[index])?)
    }

    /// Arrays, which textures and surfaces are made of.
    fn texels(&mut self) -> Result<String, Refused> {
        let mut text = String::new();
        for (i, Texels { array, before }) in self.before.texels.iter().enumerate() {
            let name = array_name(i);
            let is_zero = before.iter().all(|&b| b == 0);
            let contents = if is_zero {
                "zeros = true".to_owned()
            } else if before.len() <= SHORT {
                format!("texels = {{ bytes = {} }}", digits(before))
            } else {
                let file = self.files.data(&format!("{name}.bin"), before.clone())?;
                format!("file = {}", quoted(&file))
            };
            let keys = format!("{contents}, {}", resources::array_keys(array));
            let _ = write!(text, "\n[objects.{}]\narray = {{ {keys} }}\n", quoted(&name));
            text += &self.expected(&name, |after| &after.texels[i])?;
        }
        Ok(text)
    }

    /// `.texref`, `.surfref` and `.samplerref` variables of the module, as far as something is bound to them.
    fn references(&mut self) -> Result<String, Refused> {
        let (state, mut tables) = (&self.before.state, [const { String::new() }; 3]);
        for variable in self.module.opaque_variables() {
            let handle = variable.handle();
            let found = match variable.kind {
                OpaqueKind::Texture => {
                    let bound = state.textures.iter().find(|texture| texture.handle == handle);
                    bound.and_then(|Stored { value, .. }| {
                        let source = self.source(&value.texture.resource)?;
                        Some((0, format!("{source}, {}", resources::texture_keys(value))))
                    })
                }
                OpaqueKind::Surface => {
                    let bound = state.surfaces.iter().find(|surface| surface.handle == handle);
                    let places = self.where_texels_are();
                    let source =
                        bound.map(|s| resources::surface_source(&s.value.resource, &places));
                    source.transpose()?.flatten().map(|source| (1, source))
                }
                OpaqueKind::Sampler => {
                    let bound = self.module.bound_sampler(&variable.name);
                    bound.map(|sampler| (2, sampler_alone(&sampler)))
                }
            };
            if let Some((table, keys)) = found {
                tables[table] += &format!("{} = {{ {keys} }}\n", quoted(&variable.name));
            }
        }
        let titles = ["textures", "surfaces", "samplers"].into_iter().zip(tables);
        let filled = titles.filter(|(_, lines)| !lines.is_empty());
        Ok(filled.map(|(title, lines)| format!("\n[{title}]\n{lines}")).collect())
    }

    /// `.global` and `.const` variables of the module.
    fn variables(&mut self) -> Result<String, Refused> {
        let (before, mut text) = (self.before, String::new());
        for name in self.module.globals() {
            let address = self.module.global(&name).map(|global| global.address());
            let index = before.memory.iter().position(|held| Some(held.address) == address);
            let Some(index) = index else { continue };
            let file = format!("variable-{}", index + 1);
            let contents = self.contents(&file, &before.memory[index].before)?;
            let contents = contents.unwrap_or_else(|| vec!["zeros = true".to_owned()]);
            let contents = contents.join("\n");
            let _ = write!(text, "\n[globals.{}]\n{contents}\n", quoted(&name));
            text += &self.expected(&file, |after| &after.memory[index])?;
        }
        Ok(text)
    }

    /// A table of `[objects]`, which parameters may name from now on.
    fn object(&mut self, name: String, place: u64, kind: &str, keys: &str) -> String {
        let table = format!("\n[objects.{}]\n{kind} = {{ {keys} }}\n", quoted(&name));
        self.names.insert(place, name);
        table
    }

    /// The keys of bytes; `None` if there are none.
    fn contents(&mut self, name: &str, pieces: &Pieces) -> Result<Option<Vec<String>>, Refused> {
        if pieces.is_empty() {
            return Ok(None);
        }
        let bytes = pieces.joined();
        let mut keys = vec![if bytes.len() <= SHORT {
            format!("bytes = {}", digits(&bytes))
        } else {
            format!("file = {}", quoted(&self.files.data(&format!("{name}.bin"), bytes)?))
        }];
        if let Some(parts) = pieces.parts() {
            let parts: Vec<String> =
                parts.iter().map(|(at, len)| format!("[{at}, {len}]")).collect();
            keys.push(format!("parts = [{}]", parts.join(", ")));
        }
        Ok(Some(keys))
    }

    /// What an object is to hold after the launch, if it has changed.
    fn expected(&mut self, name: &str, of: impl Fn(&After) -> &Pieces) -> Result<String, Refused> {
        let Some(pieces) = self.after.as_ref().map(|after| of(after).clone()) else {
            return Ok(String::new());
        };
        let keys = self.contents(&format!("{name}.after"), &pieces)?;
        Ok(keys.map_or_else(String::new, |k| format!("expected = {{ {} }}\n", k.join(", "))))
    }

    fn where_texels_are(&self) -> Places<'_> {
        Places { texels: &self.before.texels, memory: &self.before.memory, gone: &[] }
    }

    /// Where the texels of a texture are; memory that is gone is noted.
    fn source(&mut self, resource: &Resource) -> Option<String> {
        let gone: Vec<(u64, u64)> =
            self.gone.iter().map(|gone| (gone.address, gone.number)).collect();
        let places = Places { gone: &gone, ..self.where_texels_are() };
        let source = resources::source(resource, &places);
        if resource.block().ended().is_some() && source.is_some() {
            self.lost.insert(resource.block().number());
        }
        source
    }
}

fn alone(sampler: &Sampler, handle: u64) -> String {
    format!("{}, handle = {}", sampler_alone(sampler), hex(handle))
}

fn sampler_alone(sampler: &Sampler) -> String {
    let keys = resources::sampler_keys(sampler);
    format!("{keys}, force_unnormalized = {}", sampler.force_unnormalized_coords)
}
