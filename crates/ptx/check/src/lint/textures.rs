//! Lints W0210 to W0217: texture fetches for which a static initialiser has no effect, or makes an
//! operand useless. Fields that an initialiser omits are nearest, clamp_to_edge and unnormalized;
//! references without an initialiser are set by the host, and nothing is reported for them.

use std::collections::{HashMap, HashSet};

use texunit_isa::{Geometry, MipMode, Opcode, ScalarType};
use texunit_syntax::ast::{self, Initializer, Item};
use texunit_syntax::{Diagnostic, Span};

use super::Bodies;
use super::body::Body;
use crate::ir::{Base, Operand, Symbol, VarId, Variable};

/// A fetch from a named texture.
struct Fetch<'b, 'a> {
    body: &'b Body<'a>,
    at: usize,
    texture: VarId,
    /// The reference with the sampler state: with `texmode_unified`, the texture reference itself.
    sampler: Option<VarId>,
    geometry: Geometry,
    /// Whether the coordinates are integers.
    integer: bool,
}

/// The references of a module that have an initialiser, and the fetches from them.
struct Textures<'b, 'a> {
    bodies: &'b Bodies<'a>,
    fetches: Vec<Fetch<'b, 'a>>,
    /// References whose handle has uses other than fetches, so that not all fetches are known.
    handed_on: HashSet<VarId>,
    /// The declarations of references, by position.
    declared: HashMap<Span, &'a ast::Variable<'a>>,
    /// The value of each field of each initialiser; the last value, if a field is given twice.
    fields: HashMap<(VarId, &'b str), i64>,
    /// Positions of the fields, by declaration and name.
    places: HashMap<(Span, &'a str), Span>,
}

/// Checks all fetches from references with a static initialiser in a module.
pub(super) fn lint(bodies: &Bodies, out: &mut Vec<Diagnostic>) {
    if bodies.checked.module.variables.iter().all(|v| v.fields.is_empty()) {
        return;
    }
    let textures = Textures::new(bodies);
    let mut said = HashSet::new();
    for fetch in &textures.fetches {
        textures.linear_integers(fetch, out);
        textures.compare(fetch, out);
        textures.levels(fetch, out);
        textures.shape(fetch, out);
        textures.addressing(fetch, &mut said, out);
    }
    if bodies.complete {
        textures.integers_only(out);
    }
}

const AXES: [&str; 3] = ["addr_mode_0", "addr_mode_1", "addr_mode_2"];

impl<'b, 'a> Textures<'b, 'a> {
    fn new(bodies: &'b Bodies<'a>) -> Self {
        let (mut declared, mut places) = (HashMap::new(), HashMap::new());
        for item in &bodies.module.items {
            let Item::Variable(v) = item else { continue };
            declared.insert(v.span, v);
            if let Some(Initializer::Fields(fields, _)) = &v.initializer {
                let place = |(name, value): &(ast::Ident<'a>, ast::FieldValue)| {
                    ((v.span, name.text), name.span.to(value.span()))
                };
                places.extend(fields.iter().map(place));
            }
        }
        let mut fields = HashMap::new();
        for (n, variable) in bodies.checked.module.variables.iter().enumerate() {
            let id = VarId(n as u32);
            fields
                .extend(variable.fields.iter().map(|(name, value)| ((id, name.as_str()), *value)));
        }
        let mut fetches = Vec::new();
        let mut handed_on = HashSet::new();
        for variable in &bodies.checked.module.variables {
            handed_on.extend(variable.relocations.iter().filter_map(|r| match r.target {
                Symbol::Variable(id) => Some(id),
                Symbol::Function(_) => None,
            }));
        }
        for body in &bodies.list {
            for (at, i) in body.code.iter().enumerate() {
                match i.opcode {
                    Opcode::Tex | Opcode::Tld4 => fetches.extend(Fetch::new(body, at)),
                    // Queries do not access texels.
                    Opcode::Txq => {}
                    _ => handed_on.extend(i.operands.read(0).filter_map(|o| match o {
                        Operand::AddressOf(Base::Variable(id), _)
                        | Operand::Handle(Base::Variable(id)) => Some(*id),
                        Operand::Element(element) => match element.base {
                            Base::Variable(id) => Some(id),
                            _ => None,
                        },
                        _ => None,
                    })),
                }
            }
        }
        Self { bodies, fetches, handed_on, declared, fields, places }
    }

    fn variable(&self, id: VarId) -> &'b Variable {
        &self.bodies.checked.module.variables[id.0 as usize]
    }

    /// The value of a reference's field, if an initialiser gives it.
    fn field(&self, id: VarId, name: &str) -> Option<i64> {
        self.fields.get(&(id, name)).copied()
    }

    /// The position of a field in its initialiser; without the field, the declared name.
    fn place(&self, id: VarId, name: &str) -> Span {
        let span = self.variable(id).span;
        self.places.get(&(span, name)).copied().unwrap_or_else(|| self.name(id))
    }

    /// The position in an initialiser that makes a fetch's coordinates unnormalized, if any.
    fn unnormalized(&self, fetch: &Fetch) -> Option<Span> {
        if let Some(sampler) = fetch.sampler
            && self.field(sampler, "force_unnormalized_coords").is_some_and(|v| v != 0)
        {
            return Some(self.place(sampler, "force_unnormalized_coords"));
        }
        if self.variable(fetch.texture).fields.is_empty() {
            return None;
        }
        match self.field(fetch.texture, "normalized_coords") {
            Some(0) | None => Some(self.place(fetch.texture, "normalized_coords")),
            Some(_) => None,
        }
    }

    fn linear_integers(&self, fetch: &Fetch, out: &mut Vec<Diagnostic>) {
        let Some(sampler) = fetch.sampler else { return };
        let i = &fetch.body.code[fetch.at];
        let integers = matches!(i.mods.ty(), Some(ScalarType::S32 | ScalarType::U32));
        let linear = self.field(sampler, "filter_mode") == Some(1);
        if !integers || fetch.integer || !linear || i.opcode == Opcode::Tld4 {
            return;
        }
        let message =
            "the integers of the texture are blended: the initialiser says filter_mode = linear";
        out.push(
            Diagnostic::warning("W0212", fetch.body.head(fetch.at), message)
                .label("the result is an integer")
                .note(self.place(sampler, "filter_mode"), "the filter")
                .help("write filter_mode = nearest, or .f32 for the result of a texture of floats"),
        );
    }

    fn compare(&self, fetch: &Fetch, out: &mut Vec<Diagnostic>) {
        let Some(sampler) = fetch.sampler else { return };
        let operands = fetch.body.code[fetch.at].operands.fetch();
        let compares = operands.is_some_and(|operands| operands.compare.is_some());
        if self.variable(sampler).fields.is_empty() || !compares {
            return;
        }
        // The reference value of the depth compare is the last operand.
        let syntax = fetch.body.syntax[fetch.at];
        let span = syntax.operands.last().map_or(syntax.span, |o| o.span);
        out.push(
            Diagnostic::warning("W0214", span, "this texture does not compare depths")
                .label("read and ignored")
                .note(self.name(sampler), "no field of an initialiser makes it compare")
                .help("compare with set.ge.f32 after the fetch, or leave the operand out"),
        );
    }

    fn levels(&self, fetch: &Fetch, out: &mut Vec<Diagnostic>) {
        let levels = self.field(fetch.texture, "num_mipmap_levels");
        let place = self.place(fetch.texture, "num_mipmap_levels");
        let idle = match fetch.body.code[fetch.at].mods.mip {
            Some(MipMode::Level) => Some("level has"),
            Some(MipMode::Grad) => Some("gradients have"),
            _ => None,
        };
        if let Some(idle) = idle.filter(|_| levels.is_some_and(|n| n <= 1)) {
            let message = format!("the {idle} no effect: the texture has one level");
            let help = "leave .level or .grad and its operands out, or give the texture mipmaps";
            out.push(
                Diagnostic::warning("W0215", fetch.body.head(fetch.at), message)
                    .label("reads the only level")
                    .note(place, "the number of levels")
                    .help(help),
            );
        }
        let explicit = self.field(fetch.texture, "normalized_coords") == Some(0);
        if levels.is_some_and(|n| n > 1) && explicit && !fetch.integer {
            let message = "a texture with mipmaps takes normalized coordinates whatever it says";
            out.push(
                Diagnostic::warning("W0217", fetch.body.head(fetch.at), message)
                    .label("coordinates count as normalized")
                    .note(self.place(fetch.texture, "normalized_coords"), "this has no effect")
                    .help("write normalized_coords = 1, and coordinates from 0 to 1"),
            );
        }
    }

    /// Checks whether the sizes in the initialiser belong to another geometry.
    fn shape(&self, fetch: &Fetch, out: &mut Vec<Diagnostic>) {
        let geometry = fetch.geometry;
        let sizes = [
            ("height", geometry.axes() >= 2, 1),
            ("depth", geometry.axes() >= 3, 1),
            ("array_size", geometry.is_array(), 0),
            ("num_samples", geometry.is_multisample(), 1),
        ];
        for (name, has, most) in sizes {
            let Some(size) = self.field(fetch.texture, name) else { continue };
            if if has { size != 0 } else { size <= most } {
                continue;
            }
            let message = format!("a .{geometry} texture has no {name} of {size}");
            out.push(
                Diagnostic::warning("W0216", fetch.body.head(fetch.at), message)
                    .label("fetched as another kind of texture")
                    .note(self.place(fetch.texture, name), "declared with this size")
                    .help("write the geometry of the texture, or correct the initialiser"),
            );
        }
    }

    /// Checks for wrap and mirror with unnormalized coordinates.
    fn addressing(
        &self,
        fetch: &Fetch,
        said: &mut HashSet<(VarId, &'static str)>,
        out: &mut Vec<Diagnostic>,
    ) {
        let Some(sampler) = fetch.sampler.filter(|_| !fetch.integer) else { return };
        let Some(unnormalized) = self.unnormalized(fetch) else { return };
        if fetch.geometry.is_cube() || fetch.geometry.is_multisample() {
            return;
        }
        for axis in &AXES[..fetch.geometry.axes()] {
            let Some(mode @ (0 | 1)) = self.field(sampler, axis) else { continue };
            if !said.insert((sampler, axis)) {
                continue;
            }
            let mode = if mode == 0 { "wrap" } else { "mirror" };
            let message = format!("{mode} with unnormalized coordinates acts as clamp_to_edge");
            out.push(
                Diagnostic::warning("W0210", self.place(sampler, axis), message)
                    .note(
                        unnormalized,
                        "coordinates are unnormalized unless normalized_coords is 1",
                    )
                    .note(fetch.body.head(fetch.at), "fetched here")
                    .help("write normalized_coords = 1, or wrap the coordinates in the kernel"),
            );
        }
    }

    /// Checks the sampler state of references whose fetches all have integer coordinates.
    fn integers_only(&self, out: &mut Vec<Diagnostic>) {
        let mut by_sampler: HashMap<VarId, (bool, &Fetch)> = HashMap::new();
        for fetch in &self.fetches {
            let Some(sampler) = fetch.sampler else { continue };
            let entry = by_sampler.entry(sampler).or_insert((true, fetch));
            entry.0 &= fetch.integer;
        }
        for (sampler, (integer, fetch)) in by_sampler {
            if !integer || self.handed_on.contains(&sampler) {
                continue;
            }
            let note = (fetch.body.head(fetch.at), "every fetch has .s32 coordinates, as this one");
            if self.field(sampler, "filter_mode") == Some(1) {
                let message = "linear has no effect on fetches with integer coordinates";
                out.push(
                    Diagnostic::warning("W0211", self.place(sampler, "filter_mode"), message)
                        .note(note.0, note.1)
                        .help("write filter_mode = nearest, or fetch with .f32 coordinates"),
                );
            }
            for axis in AXES {
                let Some(mode @ (0 | 1)) = self.field(sampler, axis) else { continue };
                let mode = if mode == 0 { "wrap" } else { "mirror" };
                let message = format!("{mode} has no effect on fetches with integer coordinates");
                out.push(
                    Diagnostic::warning("W0213", self.place(sampler, axis), message)
                        .label("outside of the texture they read 0")
                        .note(note.0, note.1)
                        .help("fetch with .f32 coordinates, or wrap the coordinates in the kernel"),
                );
            }
        }
    }

    fn name(&self, id: VarId) -> Span {
        let span = self.variable(id).span;
        self.declared.get(&span).map_or(span, |d| d.name.span)
    }
}

impl<'b, 'a> Fetch<'b, 'a> {
    fn new(body: &'b Body<'a>, at: usize) -> Option<Self> {
        let i = &body.code[at];
        if i.mods.unexecuted.is_some() || !body.is_reachable(at) {
            return None;
        }
        let operands = i.operands.fetch()?;
        let Operand::Handle(Base::Variable(texture)) = &operands.texture else { return None };
        let sampler = match &operands.sampler {
            Some(Operand::Handle(Base::Variable(sampler))) => Some(*sampler),
            None => Some(*texture),
            _ => None,
        };
        // With gradients, integer coordinates are reinterpreted as floats.
        let integer =
            i.mods.types.get(1) == Some(&ScalarType::S32) && i.mods.mip != Some(MipMode::Grad);
        Some(Self { body, at, texture: *texture, sampler, geometry: i.mods.geometry?, integer })
    }
}
