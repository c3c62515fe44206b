//! Reads recorded launches: their textures with previews, and the lines that fetch from them.

use crate::effective;
use base64::Engine as _;
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::Path;
use texunit_device::{BoundTexture, Device, Module};
use texunit_job::{bind, load};
use texunit_spec::Problems;
use texunit_texel::{Reading, readings};
use texunit_unit::{Resource, TexelIndex};

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
        picture: preview(&texture),
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

/// Maximum edge length of a preview in texels; larger textures are subsampled.
const SIDE: u32 = 96;

/// A preview.
#[derive(Debug, Serialize)]
pub(super) struct Preview {
    /// The image as a `data:` URL.
    pub(super) data: String,
    pub(super) width: u32,
    pub(super) height: u32,
    /// The values shown as black and white.
    pub(super) range: String,
}

/// The value of a texel code.
fn value(reading: Reading, code: u32) -> f32 {
    let bits = reading.point(code);
    match reading {
        Reading::Uint { .. } => bits as f32,
        Reading::Sint { .. } => bits as i32 as f32,
        _ => f32::from_bits(bits),
    }
}

fn readings_of(resource: &Resource) -> Option<[Reading; 4]> {
    let of = |normalized, srgb| readings(resource.format(), normalized, srgb);
    of(true, false).or_else(|| of(false, false)).or_else(|| of(true, true))
}

/// The preview of level 0 of the first layer; `None` if it cannot be shown.
fn preview(texture: &BoundTexture) -> Option<Preview> {
    let resource = &*texture.texture.resource;
    let readings = readings_of(resource)?;
    let extent = resource.extent();
    let (width, height) = (extent.width.min(SIDE), extent.height.min(SIDE));
    let channels = usize::from(resource.format().channels()).min(4);
    let mut values: Vec<[f32; 4]> = Vec::with_capacity((width * height) as usize);
    for y in 0..height {
        for x in 0..width {
            let scaled =
                |i: u32, n: u32, of: u32| (u64::from(i) * u64::from(of) / u64::from(n)) as u32;
            let at = [scaled(x, width, extent.width), scaled(y, height, extent.height), 0];
            let codes = resource.texel(TexelIndex { at, ..TexelIndex::default() })?;
            values.push(std::array::from_fn(|c| value(readings[c], codes[c])));
        }
    }
    let colours = channels.min(3);
    let all =
        || values.iter().flat_map(|texel| &texel[..colours]).copied().filter(|v| v.is_finite());
    let (least, most) =
        all().fold((f32::INFINITY, f32::NEG_INFINITY), |(a, b), v| (a.min(v), b.max(v)));
    let (low, high) = match least >= 0.0 && most <= 1.0 {
        true => (0.0, 1.0),
        false if most > least => (least, most),
        false => (least.min(0.0), least.max(0.0) + 1.0),
    };
    let byte = |v: f32| ((v - low) / (high - low) * 255.0 + 0.5) as u8;
    let mut bytes = Vec::with_capacity(values.len() * 3);
    for texel in &values {
        let rgb = match channels {
            1 => [texel[0]; 3],
            2 => [texel[0], texel[1], low],
            _ => [texel[0], texel[1], texel[2]],
        };
        bytes.extend(rgb.map(byte));
    }
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, width, height);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.write_header().ok()?.write_image_data(&bytes).ok()?;
    let data = base64::engine::general_purpose::STANDARD.encode(&file);
    let range = if (low, high) == (0.0, 1.0) {
        String::new()
    } else {
        format!("black is {low}, white {high}")
    };
    Some(Preview { data: format!("data:image/png;base64,{data}"), width, height, range })
}
