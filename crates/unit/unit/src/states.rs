//! Runs `tests/states.txt`: which resources, views, textures and surfaces exist, the effective
//! state of a fetch with the settings that have no effect, and what queries answer.
//!
//! A line is `RESOURCE / SETTINGS / QUESTION`, `RESOURCE / QUESTION` or `NAME / name`, and `{a|b}`
//! in it stands for a line with each of the words. The indented lines below a line are the answers.
//! `TEXUNIT_BLESS=1` writes them.

#![allow(clippy::unwrap_used)]
use crate::effective::layers_of_integers;
use crate::request::{CoordType, FetchForm, FetchKind, Geometry, Lod, ResultType, SurfaceForm};
use crate::resource::{
    ArchLimits, ArrayShape, Base, CreateError, Extent, Layout, Residency, Resource, TILE_BYTES,
    TexelIndex, View,
};
use crate::sampler::{AddressMode, CompareFunction, Filter, ReadMode, Sampler, Surface, Texture};
use crate::{
    NameError, QueryPlan, QueryRequest, SurfacePlan, compatible_geometry, overrides, resolve,
};
use std::fmt::{Display, Write as _};
use std::ops::Range;
use std::str::FromStr;
use std::sync::Arc;
use texunit_forms::{Attribute, Count};
use texunit_memory::Block;

/// A resource as a line describes it.
struct Description {
    layout: Layout,
    shape: ArrayShape,
    limits: ArchLimits,
    pitch: u64,
    /// Bytes of memory; for arrays, as many as they need if `None`, for others, 1024.
    bytes: Option<usize>,
    /// Byte offset of the first texel of linear and pitched memory, and the address of the block.
    offset: u64,
    address: u64,
    /// Whether the driver's checks of memory apply, instead of those of the runtime.
    of_driver: bool,
    /// Views of an array, each of the view before it; an integer stands for a mip level as a
    /// separate array.
    views: Vec<Result<View, u32>>,
}

fn number<T: FromStr>(text: &str) -> T {
    text.parse().unwrap_or_else(|_| panic!("`{text}` is not a number"))
}

fn range(text: &str) -> Option<Range<u32>> {
    let (start, end) = text.split_once("..").unwrap();
    Some(number(start)..number(end))
}

fn view(text: &str) -> View {
    let mut view = View::default();
    for word in text.split(';').filter(|word| !word.is_empty()) {
        let (key, value) = word.split_once('=').unwrap();
        match key {
            "format" => view.format = Some(value.parse().unwrap()),
            "geometry" => view.geometry = Geometry::from_name(value),
            "levels" => view.levels = range(value),
            "planes" => view.planes = range(value),
            _ => panic!("`{word}` is no part of a view"),
        }
    }
    view
}

impl Description {
    fn new(text: &str) -> Self {
        let mut words = text.split(' ');
        let (name, format) = (words.next().unwrap(), words.next().unwrap());
        let (layout, geometry) = match name {
            "linear" => (Layout::Linear, Geometry::D1),
            "pitched" => (Layout::Pitched, Geometry::D2),
            name => (Layout::Array, Geometry::from_name(name).unwrap()),
        };
        let mut size = words.next().unwrap().split('x').map(number);
        let [width, height, depth] = [(); 3].map(|()| size.next().unwrap_or(1));
        let extent = Extent { width, height, depth };
        let mut new = Self {
            layout,
            shape: ArrayShape::new(format.parse().unwrap(), geometry, extent),
            limits: ArchLimits::NEWEST,
            pitch: 32,
            bytes: None,
            offset: 0,
            address: 512,
            of_driver: false,
            views: Vec::new(),
        };
        for word in words {
            let (key, value) = word.split_once('=').unwrap_or((word, ""));
            match key {
                "layers" => new.shape.layers = number(value),
                "levels" => new.shape.levels = Some(number(value)),
                "samples" => new.shape.samples = number(value),
                "sm" => {
                    let (major, minor) = value.split_once('.').unwrap();
                    new.limits = ArchLimits::of(number(major), number(minor));
                }
                "pitch" => new.pitch = number(value),
                "bytes" => new.bytes = Some(number(value)),
                "offset" => new.offset = number(value),
                "address" => new.address = number(value),
                "driver" => new.of_driver = true,
                "view" => new.views.push(Ok(view(value))),
                "level" => new.views.push(Err(number(value))),
                _ => panic!("`{word}` is no property of a resource"),
            }
        }
        new
    }

    fn create(&self) -> Result<Arc<Resource>, CreateError> {
        let (limits, shape) = (&self.limits, &self.shape);
        let base = || Base {
            block: Arc::new(Block::new(self.bytes.unwrap_or(1024), "b").unwrap()),
            offset: self.offset,
            address: self.address,
        };
        let [width, height, _] = shape.extent.axes();
        let (rows, format) = ([width, height], shape.format);
        let mut made = match (self.layout, self.of_driver) {
            (Layout::Linear, false) => Resource::linear_for(limits, format, width, base(), "t"),
            (Layout::Linear, _) => Resource::linear_as_driver(limits, format, width, base(), "t"),
            (Layout::Pitched, of_driver) => {
                let make =
                    if of_driver { Resource::pitched_as_driver } else { Resource::pitched_for };
                make(limits, format, rows, self.pitch, base(), "t")
            }
            (Layout::Array, _) => {
                let bytes = self.bytes.unwrap_or(shape.size()? as usize);
                Resource::array_for(limits, shape, Arc::new(Block::new(bytes, "b").unwrap()), "t")
            }
        }?;
        for view in &self.views {
            made = match view {
                Ok(view) => made.view(view)?,
                Err(level) => made.single_level(*level)?,
            };
        }
        Ok(Arc::new(made))
    }
}

/// The texture and the sampler of a line.
fn settings(text: &str, resource: Arc<Resource>) -> (Texture, Sampler) {
    let read_mode = match resource.format().is_normalized_kind() {
        true => ReadMode::NormalizedFloat,
        false => ReadMode::Element,
    };
    let resource = resource.for_texture();
    let mut texture = Texture { resource, read_mode, normalized_coords: false };
    let mut sampler = Sampler::default();
    for word in text.split(' ').filter(|word| !word.is_empty()) {
        let (key, value) = word.split_once('=').unwrap_or((word, ""));
        match key {
            "normalized" => texture.normalized_coords = true,
            "read" => texture.read_mode = ReadMode::from_name(value).unwrap(),
            "linear" | "point" => sampler.filter = Filter::from_name(key).unwrap(),
            "mip" => sampler.mip_filter = Filter::from_name(value).unwrap(),
            "modes" => {
                let mut modes = value.split(',').map(|mode| AddressMode::from_name(mode).unwrap());
                sampler.address_mode = [(); 3].map(|()| modes.next().unwrap());
            }
            "min" => sampler.min_level_clamp = number(value),
            "max" => sampler.max_level_clamp = number(value),
            "bias" => sampler.level_bias = number(value),
            "aniso" => sampler.max_anisotropy = number(value),
            "unnormalized" => sampler.force_unnormalized_coords = true,
            "srgb" => sampler.srgb = true,
            "seamless" => sampler.seamless_cube = true,
            "compare" => sampler.compare = CompareFunction::from_name(value),
            _ => panic!("`{word}` is no setting"),
        }
    }
    (texture, sampler)
}

/// The effective state of a fetch in words.
fn state(form: FetchForm, texture: &Texture, sampler: &Sampler) -> String {
    let state = match resolve(form, texture, sampler) {
        Ok(state) => state,
        Err(e) => return format!("refused: {e}"),
    };
    let mut text = format!("{} {}", state.coords.name(), state.filter);
    if let Some([x, y, z]) = state.address_mode {
        write!(text, " {x},{y},{z}").unwrap();
    }
    if let Some(filter) = state.mip_filter {
        let [low, high] = state.level_clamp;
        write!(text, " levels={low}..{high} mip={filter}").unwrap();
    }
    if state.max_anisotropy > 1 {
        write!(text, " aniso={}", state.max_anisotropy).unwrap();
    }
    if let Some(function) = state.compare {
        write!(text, " compare={function}").unwrap();
    }
    for (holds, word) in [
        (state.anisotropic, " taps"),
        (state.sums, " sums"),
        (state.srgb, " srgb"),
        (state.seamless_cube, " seamless"),
    ] {
        text += if holds { word } else { "" };
    }
    text
}

/// The settings that have no effect.
fn changes(form: FetchForm, texture: &Texture, sampler: &Sampler) -> String {
    let changes = overrides(texture, sampler, form);
    let texts = changes.iter().map(|c| format!("\n    {}: {}", c.rule, c.text));
    format!("{}{}", Count(changes.len() as u64, "change"), texts.collect::<String>())
}

/// The form of an instruction, and the operands that its name does not show.
fn form(text: &str) -> Result<FetchForm, NameError> {
    let mut words = text.split(' ');
    let mut form: FetchForm = words.next().unwrap().parse()?;
    for word in words {
        match word {
            "compare" => form.compare = true,
            "offset" => form.offset = true,
            _ => panic!("`{word}` is no operand"),
        }
    }
    Ok(form)
}

/// The name that is written for the instruction of a name.
fn renamed(name: &str) -> String {
    let made = match name.starts_with("su") {
        true => name.parse::<SurfaceForm>().map(|form| form.to_string()),
        false => name.parse::<FetchForm>().map(|form| form.to_string()),
    };
    made.unwrap_or_else(|e| format!("refused: {e}"))
}

/// Names the instruction forms that read texels of the texture's resource (`+c` stands for a
/// compare operand), and asserts that all others are refused.
fn instructions_that_read(texture: &Texture) -> String {
    use FetchKind::{Gather, Sample};
    let mut read = Vec::new();
    for &geometry in Geometry::ALL {
        for coord in [CoordType::F32, CoordType::S32] {
            for kind in
                [Sample(Lod::Implicit), Sample(Lod::Level), Sample(Lod::Gradient), Gather(0)]
            {
                for compare in [false, true] {
                    let form = FetchForm::sample(geometry, coord, ResultType::F32);
                    let form = FetchForm { kind, compare, ..form };
                    if form.why_impossible().is_some() {
                        continue;
                    }
                    let reads = compatible_geometry(form, &texture.resource);
                    let resolved = resolve(form, texture, &Sampler::default());
                    assert_eq!(resolved.is_ok(), reads, "{form}");
                    if reads {
                        let name = form.to_string().replace(".v4.f32", "");
                        read.push(if compare { format!("{name}+c") } else { name });
                    }
                }
            }
        }
    }
    read.join(" ")
}

/// Width, height and depth, and without a level all other attributes that are not 0.
fn attributes(level: Option<u32>, plan: impl Fn(Attribute) -> QueryPlan) -> String {
    use Attribute as A;
    let levels = level.map(|level| [level; 32]);
    let value = |attribute| {
        let mut values = [7; 32];
        plan(attribute).answer(&QueryRequest { active: 2, level: levels.as_ref() }, &mut values);
        assert_eq!((values[0], values[2]), (7, 7), "inactive lanes");
        values[1]
    };
    let sizes = [A::Width, A::Height, A::Depth];
    let mut text = sizes.map(|size| value(size).to_string()).join("x");
    for &attribute in A::ALL.iter().filter(|a| level.is_none() && !sizes.contains(a)) {
        let value = value(attribute);
        if value != 0 {
            write!(text, " {}={value:#x}", attribute.name()).unwrap();
        }
    }
    text
}

fn describe(resource: &Resource) -> String {
    let sizes = resource.levels().iter().map(|level| level.extent.axes().map(|n| n.to_string()));
    let sizes: Vec<String> = sizes.map(|size| size.join("x")).collect();
    let mipmapped = if resource.is_mipmapped() { ", mipmapped" } else { "" };
    let others = if resource.has_other_layers() { ", with other layers as a texture" } else { "" };
    let ArrayShape { layers, samples, .. } = resource.shape();
    let (text, sizes) = (resource.describe(), sizes.join(" "));
    format!("{text}; layers={layers}, samples={samples}, levels {sizes}{mipmapped}{others}")
}

/// The tiles of a sparse array, then the result of each word: `tile=LEVEL,PLANE,X,Y,Z`,
/// `tail=PLANE`, `region=LEVEL,PLANE,X,Y,Z,W,H,D` and `all` make tiles resident, or with a `-` not
/// resident, and `at=LEVEL,PLANE,X,Y,Z` is whether a texel is.
fn sparse(shape: &ArrayShape, words: &str) -> String {
    let map = match Residency::new(shape) {
        Ok(map) => map,
        Err(e) => return e.to_string(),
    };
    let sizes = |sizes: [u32; 3]| sizes.map(|n| n.to_string()).join("x");
    let block = u64::from(shape.format.block_extent().pow(2));
    let texels: u64 = map.tile().0.iter().map(|&n| u64::from(n)).product();
    assert_eq!(texels / block * u64::from(shape.format.texel_size()), TILE_BYTES);
    let levels: Vec<String> = (0..map.tail_first_level().min(shape.level_count()))
        .map(|level| sizes(map.tiles(level).unwrap()))
        .collect();
    let (tile, levels) = (sizes(map.tile().0), levels.join(" "));
    let mut text = format!("{} of {tile}, levels {levels}", Count(map.count(), "tile"));
    for word in words.split(' ').filter(|word| !word.is_empty()) {
        let (change, resident) = (word.trim_start_matches('-'), !word.starts_with('-'));
        let (change, numbers) = change.split_once('=').unwrap_or((change, ""));
        let n: Vec<u32> = numbers.split(',').filter(|text| !text.is_empty()).map(number).collect();
        let three = |at: usize| [n[at], n[at + 1], n[at + 2]];
        let done = match change {
            "tile" => map.set_tile(n[0], n[1], three(2), resident).map(u64::from),
            "tail" => map.set_tail(n[0], resident).map(u64::from),
            "region" => map.set_region(n[0], n[1], three(2), three(5), resident),
            "all" => {
                map.set_all(resident);
                Ok(map.resident_count())
            }
            _ => {
                let index = TexelIndex { level: n[0], plane: n[1], sample: 0, at: three(2) };
                Ok(map.is_resident(index).into())
            }
        };
        let done = done.map_or_else(|e| e.to_string(), |changed| changed.to_string());
        write!(text, "\n    {word}: {done}; {}", map.resident_count()).unwrap();
    }
    text
}

/// Whether something is created; if not, the error.
fn outcome<T>(made: Result<T, impl Display>) -> String {
    made.map_or_else(|e| e.to_string(), |_| "ok".to_owned())
}

fn answer(line: &str) -> String {
    let parts: Vec<&str> = line.split(" / ").collect();
    let (resource, with, question) = match parts[..] {
        [instruction, "name"] => return renamed(instruction),
        [resource, question] => (resource, "", question),
        [resource, with, question] => (resource, with, question),
        _ => panic!("`{line}` is not RESOURCE / SETTINGS / QUESTION"),
    };
    let description = Description::new(resource);
    if question == "size" {
        let shape = &description.shape;
        return shape.check_for(&description.limits).map_or_else(
            |e| e.to_string(),
            |()| format!("{} packed {}", shape.size().unwrap(), shape.packed_size().unwrap()),
        );
    }
    if let Some(words) = question.strip_prefix("sparse") {
        return sparse(&description.shape, words);
    }
    let resource = match description.create() {
        Ok(resource) => resource,
        Err(e) => return e.to_string(),
    };
    let (texture, sampler) = settings(with, Arc::clone(&resource));
    let (read_mode, normalized) = (texture.read_mode, texture.normalized_coords);
    let level = |text: &str| text.split_once(' ').map(|(_, level)| number(level));
    match question {
        "describe" => describe(&resource),
        "layers" => layers_of_integers(&resource).to_string(),
        "texture" => outcome(Texture::new(resource, read_mode, normalized, &sampler)),
        "code" => match Texture::new(resource, read_mode, normalized, &sampler) {
            Ok(_) => "0".to_owned(),
            Err(e) => (e.cuda() as u32).to_string(),
        },
        "header" => outcome(Texture::without_sampler(resource, read_mode, normalized)),
        "surface" => outcome(Surface::new(resource)),
        "gather" => outcome(resource.limits().check_gather(&resource)),
        "reads" => instructions_that_read(&texture),
        q if q.starts_with("txq") => {
            attributes(level(q), |a| QueryPlan::texture(a, &texture, &sampler))
        }
        "sampler" => attributes(None, |a| QueryPlan::sampler(a, &sampler)),
        "suq" => {
            let surface = Surface::new(resource).unwrap();
            attributes(None, |a| QueryPlan::surface(a, &surface))
        }
        q if q.starts_with("su") => {
            let surface = Arc::new(Surface::new(resource).unwrap());
            outcome(SurfacePlan::new(q.parse().unwrap(), &surface))
        }
        instruction => {
            let changed = instruction.strip_prefix("changes ");
            match (form(changed.unwrap_or(instruction)), changed) {
                (Ok(form), None) => state(form, &texture, &sampler),
                (Ok(form), Some(_)) => changes(form, &texture, &sampler),
                (Err(e), _) => e.to_string(),
            }
        }
    }
}

/// Expands `{a|b}` in a line. Returns the resulting lines, each with the words chosen for it.
fn expand(line: &str) -> Vec<(String, String)> {
    let Some((before, rest)) = line.split_once('{') else {
        return vec![(String::new(), line.to_owned())];
    };
    let (words, after) = rest.split_once('}').unwrap();
    let lines = words.split('|').flat_map(|word| {
        expand(after).into_iter().map(move |(chosen, after)| {
            (format!("{word} {chosen}").trim().to_owned(), format!("{before}{word}{after}"))
        })
    });
    lines.collect()
}

#[test]
fn states() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/states.txt");
    let file = std::fs::read_to_string(path).unwrap();
    let mut wanted = String::new();
    for line in file.lines().filter(|line| !line.starts_with("  ")) {
        writeln!(wanted, "{line}").unwrap();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let mut answers: Vec<(String, Vec<String>)> = Vec::new();
        for (chosen, line) in expand(line) {
            let answer = answer(&line);
            match answers.iter_mut().find(|(other, _)| *other == answer) {
                Some((_, of)) => of.push(chosen),
                None => answers.push((answer, vec![chosen])),
            }
        }
        let differ = answers.len() > 1;
        for (answer, of) in &answers {
            let of = if differ { format!("{}: ", of.join(", ")) } else { String::new() };
            writeln!(wanted, "  {of}{answer}").unwrap();
        }
    }
    if std::env::var_os("TEXUNIT_BLESS").is_some() {
        std::fs::write(path, &wanted).unwrap();
    }
    assert!(wanted == file, "tests/states.txt differs; TEXUNIT_BLESS=1 writes what it is now");
}
