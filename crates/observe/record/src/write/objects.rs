//! Writes the TOML tables of the job file that describe memory, arrays, textures and module
//! variables.

use super::{Job, SHORT};
use crate::Refused;
use crate::memory::{SavedBlock, Texels};
use crate::resources::{self, TexelHolders, array_name};
use crate::text::{digits, hex, quoted};
use std::collections::HashSet;
use std::fmt::Write;
use texunit_device::{End, OpaqueKind, Sampler, WithHandle};
use texunit_unit::Resource;

impl Job<'_> {
    /// Writes the table of each object that is not a variable of the module: allocations, arrays,
    /// textures, surfaces and samplers.
    pub(super) fn objects(&mut self) -> Result<String, Refused> {
        let (before, mut text) = (self.before, String::new());
        let own = self.module.globals().into_iter();
        let own: HashSet<u64> =
            own.filter_map(|name| Some(self.module.global(&name)?.address())).collect();
        for (i, held) in before.memory.iter().enumerate() {
            if !own.contains(&held.address) {
                text += &self.memory(i, held)?;
            }
        }
        let texels = self.texels()?;
        let handles: HashSet<u64> =
            self.module.opaque_variables().iter().map(|variable| variable.handle()).collect();
        let mut others = String::new();
        for (i, WithHandle { handle, value, .. }) in before.state.textures.iter().enumerate() {
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
        for (i, WithHandle { handle, value, .. }) in before.state.surfaces.iter().enumerate() {
            let source = resources::surface_source(&value.resource, &self.where_texels_are())?;
            if let Some(source) = source.filter(|_| !handles.contains(handle)) {
                let keys = format!("{source}, handle = {}", hex(*handle));
                others += &self.object(format!("surface-{}", i + 1), *handle, "surface", &keys);
            }
        }
        for (i, WithHandle { handle, value, .. }) in before.state.samplers.iter().enumerate() {
            if !handles.contains(handle) {
                let keys = format!("{}, handle = {}", sampler_alone(value), hex(*handle));
                others += &self.object(format!("sampler-{}", i + 1), *handle, "sampler", &keys);
            }
        }
        Ok(text + &texels + &others)
    }

    /// Writes the freed memory that textures or pointers still refer to, so that its use causes the
    /// same fault when the job is repeated.
    pub(super) fn ended(&self) -> String {
        let mut text = String::new();
        for (address, gone) in self.gone.iter().filter(|(_, gone)| self.lost.contains(&gone.number))
        {
            let how = match gone.how {
                End::Freed => "freed",
                End::Unregistered => "unregistered",
                End::Unmapped => "unmapped",
                End::Removed => "removed",
                // An address that is invalid for one of these reasons is not in freed memory, and
                // the job has no key for it.
                End::Destroyed | End::Reserved | End::NoAccess | End::Peer => continue,
            };
            let _ = write!(
                text,
                "\n[objects.\"gone-{}\"]\nbuffer = {{ size = {}, address = {}, name = {}, number = {}, ended = \"{how}\" }}\n",
                gone.number,
                gone.size.max(1),
                hex(*address),
                quoted(&gone.name),
                gone.number
            );
        }
        text
    }

    /// Writes the table that describes an allocation in the job file: address, size, contents.
    fn memory(&mut self, index: usize, held: &SavedBlock) -> Result<String, Refused> {
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

    /// Writes the tables of the arrays that textures and surfaces refer to.
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

    /// Writes what is bound to the module's `.texref`, `.surfref` and `.samplerref` variables.
    pub(super) fn references(&mut self) -> Result<String, Refused> {
        let (state, mut tables) = (&self.before.state, [const { String::new() }; 3]);
        for variable in self.module.opaque_variables() {
            let handle = variable.handle();
            let found = match variable.kind {
                OpaqueKind::Texture => {
                    let bound = state.textures.iter().find(|texture| texture.handle == handle);
                    bound.and_then(|WithHandle { value, .. }| {
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

    /// Writes the contents of the module's `.global` and `.const` variables.
    pub(super) fn variables(&mut self) -> Result<String, Refused> {
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

    fn where_texels_are(&self) -> TexelHolders<'_> {
        TexelHolders { texels: &self.before.texels, memory: &self.before.memory, gone: &self.gone }
    }

    /// The keys for a texture's texels; freed texel memory is recorded for [`Self::ended`].
    fn source(&mut self, resource: &Resource) -> Option<String> {
        let source = resources::source(resource, &self.where_texels_are());
        if resource.block().ended().is_some() && source.is_some() {
            self.lost.insert(resource.block().number());
        }
        source
    }
}

fn sampler_alone(sampler: &Sampler) -> String {
    texunit_spec::write::inline(&texunit_spec::write::independent_sampler(sampler))
}
