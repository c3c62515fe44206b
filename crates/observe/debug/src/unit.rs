//! Shows textures and surfaces, and explains the fetch that a thread executes next.

use crate::expr::parts;
use crate::ptx::Instruction;
use crate::session::Live;
use crate::value::{Place, Value, basic};
use serde_json::{Value as Json, json};
use texunit_device::{Sampler, Watched};
use texunit_explain::{Explanation, Page, SurfaceExplanation};
use texunit_forms::Count;
use texunit_unit::{Channel, Resource, TexelIndex};

/// Maximum size of a preview in texels.
const PREVIEW: u32 = 8;

/// The description of a texture or surface: name, a summary, and details by name.
type Description = (String, String, Vec<(String, String)>);

impl Live<'_, '_> {
    /// The opcode of the instruction that the thread executes next.
    fn opcode(&self) -> String {
        let text = self.module.ptx(self.at());
        Instruction::of(&text).word().to_owned()
    }

    /// Whether the next instruction is a fetch or a surface access.
    pub(crate) fn is_at_fetch(&self) -> bool {
        matches!(self.opcode().as_str(), "tex" | "tld4" | "suld" | "sust" | "sured")
    }

    /// Executes the next fetch for its explanation; the launch returns to its position.
    fn fetch(&mut self) -> Result<Watched, String> {
        if !self.is_at_fetch() {
            let ptx = self.module.ptx(self.at());
            return Err(format!(
                "No fetch and no surface access is next: `{ptx}' (`until' or `break' lead to one)."
            ));
        }
        if !self.history.is_on() {
            return Err(
                "Going back is off, so a fetch cannot be tried (--checkpoint-memory).".to_owned()
            );
        }
        let (here, thread, selected) = (self.machine.position(), self.thread, self.selected);
        let answer = self.machine.answer(thread);
        self.go_to(here);
        self.focus(thread);
        self.selected = selected.min(self.frames.len().saturating_sub(1));
        let why =
            "The thread does not take part in the fetch (its guard), or the launch ended there.";
        answer.ok_or_else(|| why.to_owned())
    }

    pub(crate) fn explain(&mut self) -> Result<(), String> {
        let watched = self.fetch()?;
        let text = explained(&watched, |e| e.text(), |e| e.text())?;
        self.say(&format!("{}\n", text.trim_end()));
        Ok(())
    }

    /// The explanation of the fetch, as names and values.
    pub(crate) fn fetch_lines(&mut self) -> Result<Vec<(String, String)>, String> {
        let watched = self.fetch()?;
        let text = explained(&watched, |e| e.text(), |e| e.text())?;
        let lines = text.lines().filter(|line| !line.trim().is_empty()).enumerate();
        let split = lines.map(|(i, line)| match line.trim().split_once(": ") {
            Some((name, value)) => (name.to_owned(), value.to_owned()),
            None => (format!("{}", i + 1), line.trim().to_owned()),
        });
        Ok(split.collect())
    }

    /// The explanation of the fetch, as a picture.
    pub(crate) fn fetch_picture(&mut self) -> Result<Json, String> {
        let watched = self.fetch()?;
        let place = vec![self.module.ptx(self.at())];
        let page = std::cell::RefCell::new(Page::new("the fetch under the cursor"));
        explained(
            &watched,
            |e| page.borrow_mut().fetch(place.clone(), e),
            |e| page.borrow_mut().surface(place.clone(), e),
        )?;
        Ok(json!({ "svg": page.into_inner().svg() }))
    }

    /// All textures and surfaces of the launch.
    pub(crate) fn textures(&self) -> Vec<Description> {
        let descriptors = self.machine.config().descriptors;
        let textures = descriptors.textures.iter().enumerate().filter_map(|(i, texture)| {
            let sampler = descriptors.samplers.get(i).and_then(|s| s.as_deref());
            Some(description(format!("texture {i}"), &texture.as_ref()?.resource, sampler))
        });
        let surfaces = descriptors.surfaces.iter().enumerate().filter_map(|(i, surface)| {
            Some(description(format!("surface {i}"), &surface.as_ref()?.resource, None))
        });
        textures.chain(surfaces).collect()
    }

    /// `texel(1, x, y)`: a texel of a surface, which is given by its number in `info textures` or
    /// its handle; for arrays the layer comes last.
    pub(crate) fn texel(&mut self, arguments: &str) -> Result<Value, String> {
        let mut numbers = Vec::new();
        for argument in parts(arguments) {
            let value = self.evaluate(argument)?;
            let number = value.number(&self.types).and_then(|n| u64::try_from(n.as_int()).ok());
            numbers.push(number.ok_or_else(|| format!("`{argument}' is not a coordinate."))?);
        }
        let (surface, at) = numbers.split_first().ok_or("`texel(SURFACE, X, Y)' wants numbers.")?;
        // Bits 19:0 of a handle are the index.
        let surface = (*surface & 0xf_ffff) as usize;
        let at: Vec<u32> = at.iter().map(|&n| u32::try_from(n).unwrap_or(u32::MAX)).collect();
        let surfaces = &self.machine.config().descriptors.surfaces;
        let found = surfaces.get(surface).and_then(Option::as_ref);
        let resource = &found.ok_or_else(|| format!("There is no surface {surface}."))?.resource;
        let geometry = resource.geometry();
        let wanted = geometry.axes() + usize::from(geometry.is_array());
        if at.len() != wanted {
            let coordinates = Count(wanted as u64, "coordinate");
            return Err(format!("{} has {coordinates}.", resource.describe()));
        }
        let mut index = TexelIndex::default();
        index.at[..geometry.axes()].copy_from_slice(&at[..geometry.axes()]);
        index.plane = if geometry.is_array() { at[wanted - 1] } else { 0 };
        let offset = resource.texel_offset(index);
        let offset = offset.ok_or_else(|| format!("{} has no such texel.", resource.describe()))?;
        let format = resource.format();
        let name = match format.plain_channel() {
            Some(Channel::U8) | None => "unsigned char",
            Some(Channel::S8) => "signed char",
            Some(Channel::U16) => "unsigned short",
            Some(Channel::S16) => "short",
            Some(Channel::U32) => "unsigned int",
            Some(Channel::S32) => "int",
            Some(Channel::F16) => "__half",
            Some(Channel::F32) => "float",
        };
        let of = basic(&mut self.types, name);
        let count = u64::from(format.texel_size()) / self.types.size(of);
        let ty = if count == 1 { of } else { self.types.array(of, count) };
        let mut bytes = vec![0; format.texel_size() as usize];
        resource.block().read(offset, &mut bytes).map_err(|_| "The texel is gone.")?;
        Ok(Value { ty, bytes, place: Some(Place::Texel(surface, offset)), bits: None })
    }

    pub(crate) fn info_textures(&mut self) -> Result<(), String> {
        let all = self.textures();
        if all.is_empty() {
            self.say("No textures and no surfaces.\n");
        }
        for (name, value, lines) in all {
            let line = |(name, value): &_| format!("    {name} = {value}\n");
            let lines: String = lines.iter().map(line).collect();
            self.say(&format!("{name}: {value}\n{lines}"));
        }
        Ok(())
    }
}

fn description(name: String, resource: &Resource, sampler: Option<&Sampler>) -> Description {
    let extent = resource.extent();
    let mut lines = vec![
        ("format".to_owned(), resource.format().to_string()),
        ("size".to_owned(), format!("{} x {} x {}", extent.width, extent.height, extent.depth)),
        ("levels".to_owned(), resource.levels().len().to_string()),
    ];
    if let Some(sampler) = sampler {
        lines.push(("filter".to_owned(), format!("{:?}", sampler.filter)));
        lines.push(("address".to_owned(), format!("{:?}", sampler.address_mode)));
    }
    let texels = (0..PREVIEW)
        .map_while(|x| resource.texel(TexelIndex { at: [x, 0, 0], ..TexelIndex::default() }));
    let texels: Vec<String> = texels.map(|texel| format!("{texel:x?}")).collect();
    lines.push(("first texels".to_owned(), texels.join(" ")));
    (name, resource.describe(), lines)
}

/// The explanation of the next fetch or access, as `fetch_lines` or `fetch_picture` need it.
fn explained<T>(
    watched: &Watched,
    fetch: impl Fn(&Explanation<'_>) -> T,
    surface: impl Fn(&SurfaceExplanation) -> T,
) -> Result<T, String> {
    let view = match watched {
        Watched::Fetch(f) => Explanation::new(f.form, &f.texture, &f.sampler, &f.operands)
            .map(|explanation| fetch(&explanation.with_launch(f.values, f.resident))),
        Watched::Surface(s) => {
            SurfaceExplanation::of_made(s.form, &s.surface, s.coords, s.outcome.clone())
                .map(|explanation| surface(&explanation))
        }
    };
    view.map_err(|error| error.to_string())
}
