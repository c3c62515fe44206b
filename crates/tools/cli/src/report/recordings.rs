//! Reads recorded launches: their textures, and the lines that fetch from them.

use super::preview::{self, Preview};
use crate::effective;
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::Path;
use texunit_device::{BoundTexture, Device, Module};
use texunit_job::{bind, load};
use texunit_spec::Problems;

/// A recorded launch.
#[derive(Debug, Serialize)]
pub(super) struct Recording {
    /// The job file of the recorded launch.
    pub(super) job: String,
    /// The kernel, demangled.
    pub(super) kernel: String,
    pub(super) grid: [u32; 3],
    pub(super) block: [u32; 3],
    pub(super) textures: Vec<Texture>,
}

/// A texture of a launch.
#[derive(Debug, Serialize)]
pub(super) struct Texture {
    pub(super) name: String,
    /// The description `f32, 64 x 48`, and the sampler.
    pub(super) what: String,
    pub(super) sampler: String,
    pub(super) picture: Option<Preview>,
    /// Instruction and position of each fetch.
    pub(super) fetches: Vec<(String, String)>,
}

/// Reads a job and creates its objects.
pub(super) fn read(path: &Path) -> Result<Recording, String> {
    let folder = path.parent().unwrap_or(Path::new(""));
    let file = load::read_job(path).map_err(|unreadable| unreadable.message)?;
    if let Some(problem) = file.problems.first() {
        return Err(problem.message.clone());
    }
    let job = file.job.ok_or("it is not a job")?;
    let (name, text) = load::read_ptx(&job, folder).map_err(|problem| problem.message)?;
    let device = Device::new(&job.settings.device());
    let module = Module::load_at(&device, &name, &text, &load::places(&job)).map_err(|error| {
        let first = error.diagnostics.first().map_or("", |diagnostic| &*diagnostic.message);
        format!("{name}: {first}")
    })?;
    let kernel = load::kernel(&job, &module).map_err(|problem| problem.message)?;
    let problems = Problems::default();
    let bound = bind(&job, folder, &device, &kernel, &problems);
    if let Some(problem) = problems.take().into_iter().next() {
        return Err(problem.message);
    }
    let lines = effective::lines(&kernel, &bound);
    let mut fetches: BTreeMap<String, Vec<(String, String)>> = BTreeMap::new();
    for line in lines {
        let place = line.from.unwrap_or_else(|| format!("{name}:{}", line.line));
        let all = fetches.entry(line.texture).or_default();
        let fetch = (line.form.to_string(), place);
        if !all.contains(&fetch) {
            all.push(fetch);
        }
    }
    let texture = |(name, texture): (String, BoundTexture)| Texture {
        what: texture.texture.resource.describe(),
        sampler: sampler(&texture),
        picture: preview::of(&texture),
        fetches: fetches.remove(&name).unwrap_or_default(),
        name,
    };
    Ok(Recording {
        job: path.display().to_string(),
        kernel: texunit_report::place::function_name(kernel.name()),
        grid: job.grid.value,
        block: job.block.value,
        textures: bound.textures().into_iter().map(texture).collect(),
    })
}

fn sampler(texture: &BoundTexture) -> String {
    let sampler = &texture.sampler;
    let modes = sampler.address_mode.map(|mode| mode.name());
    format!("{} filter, address modes {}", sampler.filter.name(), modes.join(", "))
}
