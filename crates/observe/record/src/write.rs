//! Writes the job file and its data files.

mod objects;

use crate::bytes::Pieces;
use crate::files::{Files, Written};
use crate::text::{comment, digits, hex, param_tables, quoted};
use crate::{Before, Ended, Launch, Refused, memory};
use std::collections::{HashMap, HashSet};
use std::path::Path;
use texunit_device::{BadFetch, Bounds, ExecutionOptions, FreedBlock, Module};

/// Maximum number of bytes in the job file itself; an object with more gets a data file.
const SHORT: usize = 64;
/// The name of the job's PTX file.
const PTX: &str = "kernel.ptx";

impl Before {
    /// Writes the job into a folder, which is created. On an error no file is left there.
    ///
    /// # Errors
    /// The folder cannot be written, or a job cannot express the launch.
    pub fn write(
        self,
        launch: &Launch<'_>,
        folder: &Path,
        ended: Ended<'_>,
    ) -> Result<Written, Refused> {
        let mut files = Files::new(folder)?;
        let module = launch.kernel.module();
        files.write(PTX, module.source().text().as_bytes())?;
        let (after, fault) = match ended {
            Ended::Done => (Some(After::of(&self, launch)?), None),
            Ended::Fault(fault) => (None, fault.kind.allocation()),
        };
        let (names, gone) = (HashMap::new(), self.state.memory.freed());
        let lost = fault.into_iter().collect();
        let mut job = Job { before: &self, module, after, files, names, gone, lost };
        let head = job.head(launch, ended);
        let objects = job.objects()?;
        let (references, variables) = (job.references()?, job.variables()?);
        let params = param_tables(&launch.kernel.params(), launch.params, &job.names)?;
        let tables = [head, job.places(), params, objects, job.ended(), references, variables];
        let path = job.files.write("job.toml", tables.concat().as_bytes())?;
        Ok(job.files.done(path))
    }
}

/// The changes that the launch has made to memory and arrays, which the job expects.
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

/// A job that is being written.
struct Job<'a> {
    before: &'a Before,
    module: &'a Module,
    after: Option<After>,
    files: Files,
    /// Names of the objects that parameters can refer to, by address or handle.
    names: HashMap<u64, String>,
    gone: Vec<(u64, FreedBlock)>,
    /// Numbers of freed allocations that textures or the fault refer to.
    lost: HashSet<u64>,
}

impl Job<'_> {
    /// The keys at the top of the job: kernel, grid, device, options.
    fn head(&self, launch: &Launch<'_>, ended: Ended<'_>) -> String {
        let mut text = String::new();
        for remark in launch.remarks {
            text += &comment(remark);
        }
        if let Ended::Fault(fault) = ended {
            text += &comment(&format!("It ended with a fault: {}", fault.kind));
        }
        let ExecutionOptions {
            grid,
            block,
            dynamic_shared,
            max_steps,
            stack_limit,
            fmad,
            approximate,
            bounds,
            bad_fetch,
            cooperative,
            cluster,
            printf_limit,
            ..
        } = launch.options.execution;
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
        if let Some(cluster) = cluster {
            line("cluster", format!("{cluster:?}"));
        }
        line("arch", quoted(&device.architecture().to_string()));
        line("memory_limit", device.memory().limit().to_string());
        line("max_steps", max_steps.min(i64::MAX as u64).to_string());
        line("stack_limit", stack_limit.max(1).to_string());
        line("printf_limit", printf_limit.clamp(1, 1 << 30).to_string());
        line("fmad", fmad.to_string());
        line("approx", quoted(approximate.name()));
        if bounds == Bounds::Hardware {
            line("bounds", quoted("hardware"));
        }
        if bad_fetch == BadFetch::Fault {
            line("bad_fetch", quoted("fault"));
        }
        line("grid_id", self.before.state.launches.to_string());
        if self.after.is_some() {
            line("check", "true".to_owned());
        }
        text
    }

    /// The table `[places]` of the job: the addresses and handles of the module's variables.
    fn places(&self) -> String {
        let line = |name: &str, at| format!("{} = {}\n", quoted(name), hex(at));
        let memory = self.module.globals().into_iter();
        let memory = memory.filter_map(|n| Some(line(&n, self.module.global(&n)?.address())));
        let opaque = self.module.opaque_variables().into_iter();
        let lines: String = memory.chain(opaque.map(|v| line(&v.name, v.handle()))).collect();
        if lines.is_empty() { lines } else { format!("\n[places]\n{lines}") }
    }

    /// Writes an object's table in `[objects]`, and records the object's name for parameters.
    fn object(&mut self, name: String, place: u64, kind: &str, keys: &str) -> String {
        let table = format!("\n[objects.{}]\n{kind} = {{ {keys} }}\n", quoted(&name));
        self.names.insert(place, name);
        table
    }

    /// The keys for an object's bytes; `None` if they are all zero.
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

    /// The keys for the bytes that the job expects in an object afterwards, if the launch has
    /// changed them.
    fn expected(&mut self, name: &str, of: impl Fn(&After) -> &Pieces) -> Result<String, Refused> {
        let Some(pieces) = self.after.as_ref().map(|after| of(after).clone()) else {
            return Ok(String::new());
        };
        let keys = self.contents(&format!("{name}.after"), &pieces)?;
        Ok(keys.map_or_else(String::new, |k| format!("expected = {{ {} }}\n", k.join(", "))))
    }
}
