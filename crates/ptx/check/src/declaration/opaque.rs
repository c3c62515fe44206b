//! `.texref`, `.samplerref` and `.surfref` declarations and their fields (PTX ISA 5.3).

use texunit_forms::Count;
use texunit_isa::{Attribute, ScalarType};
use texunit_syntax::ast::{self, FieldValue, Initializer};
use texunit_syntax::{Diagnostic, Span};

use crate::consts::Const;
use crate::context::Checker;

const FILTERS: &[&str] = &["nearest", "linear"];
const ADDRESS_MODES: &[&str] = &["wrap", "mirror", "clamp_ogl", "clamp_to_edge", "clamp_to_border"];

/// Whether a reference of type `ty` has a field.
fn has(ty: ScalarType, field: Attribute) -> bool {
    use Attribute::*;
    match field {
        Width | Height | Depth | ChannelDataType | ChannelOrder | ArraySize => {
            ty != ScalarType::Samplerref
        }
        NormalizedCoords | NumMipmapLevels | NumSamples => ty == ScalarType::Texref,
        FilterMode | AddrMode0 | AddrMode1 | AddrMode2 => ty != ScalarType::Surfref,
        ForceUnnormalizedCoords => ty == ScalarType::Samplerref,
        MemoryLayout => ty == ScalarType::Surfref,
    }
}

impl<'a> Checker<'a> {
    /// Values of the fields of an initialiser; for an array, of its last element. `dims` are the
    /// array's dimensions, of which the first is 0 for `[]`.
    pub(crate) fn opaque_fields(
        &mut self,
        init: &Initializer<'a>,
        ty: ScalarType,
        dims: &[u64],
    ) -> Vec<(String, i64)> {
        match init {
            Initializer::Fields(fields, span) => self.field_list(fields, *span, ty, dims),
            Initializer::List(items, span) => self.reference_list(items, *span, ty, dims),
            Initializer::Value(value) => {
                self.positional(value.span, ty);
                Vec::new()
            }
        }
    }

    fn field_list(
        &mut self,
        fields: &[(ast::Ident<'a>, FieldValue<'a>)],
        span: Span,
        ty: ScalarType,
        dims: &[u64],
    ) -> Vec<(String, i64)> {
        let braces = self.source.snippet(span).starts_with('{');
        if braces && dims.is_empty() {
            let values = fields.iter().filter_map(|(name, value)| {
                let number = self.opaque_field(name, value, ty)?;
                Some((name.text.to_string(), number))
            });
            return values.collect();
        }
        if braces && fields.is_empty() && dims == [0] {
            self.open_array(span);
        } else if braces && dims[0] != 0 && fields.len() as u64 > dims[0]
            || !braces && dims.first() == Some(&0)
        {
            self.too_many_references(span, dims[0]);
        } else if !fields.is_empty() {
            // In such fields, ptxas does not even check the names.
            let _ = self.beyond_ptxas(
                Diagnostic::error("E0140", span, "these fields belong to no element")
                    .help("write braces around the fields of each reference"),
            );
            for (_, value) in fields {
                self.field_value(value);
            }
        }
        Vec::new()
    }

    fn reference_list(
        &mut self,
        items: &[Initializer<'a>],
        span: Span,
        ty: ScalarType,
        dims: &[u64],
    ) -> Vec<(String, i64)> {
        let Some((&first, inner)) = dims.split_first() else {
            self.positional(span, ty);
            return Vec::new();
        };
        if first != 0 && items.len() as u64 > first {
            self.too_many_references(span, first);
        }
        items.iter().fold(Vec::new(), |_, item| self.opaque_fields(item, ty, inner))
    }

    fn too_many_references(&mut self, span: Span, count: u64) {
        let message = format!("the array has {}", Count(count as usize, "element"));
        self.wrong("E0136", span, message, "write a list of fields for each element, and not more");
    }

    fn positional(&mut self, span: Span, ty: ScalarType) {
        let help = "write { filter_mode = linear, ... }";
        self.wrong("E0140", span, format!("the fields of a .{ty} have names"), help);
    }

    fn opaque_field(
        &mut self,
        name: &ast::Ident<'a>,
        value: &FieldValue<'a>,
        ty: ScalarType,
    ) -> Option<i64> {
        let known = Attribute::from_name(name.text).filter(|field| has(ty, *field));
        let Some(field) = known else {
            let fields = Attribute::ALL.iter().filter(|field| has(ty, **field));
            let fields: Vec<_> = fields.map(|field| field.name()).collect();
            let help = format!("its fields are {}", fields.join(", "));
            let message = format!("a .{ty} has no field {}", name.text);
            return self.refuse("E0139", name.span, message, help);
        };
        if field.is_of_sampler() && ty == ScalarType::Texref && self.module.independent {
            let message = format!("{} of a .texref is ignored", name.text);
            self.report(
                Diagnostic::warning("W0103", name.span, message)
                    .help("with texmode_independent the .samplerref says how to sample"),
            );
        }
        let (since, words) = match field {
            Attribute::ChannelDataType | Attribute::ChannelOrder => (21, &[][..]),
            Attribute::ForceUnnormalizedCoords => (22, &[][..]),
            Attribute::FilterMode => (0, FILTERS),
            Attribute::AddrMode0 | Attribute::AddrMode1 | Attribute::AddrMode2 => {
                (0, ADDRESS_MODES)
            }
            _ => (0, &[][..]),
        };
        self.require_named(&format!("the field {}", name.text), since, 0, name.span);
        if let FieldValue::Word(word) = value {
            let position = |list: &[&str]| list.iter().position(|w| *w == word.text);
            if let Some(number) = position(words) {
                return Some(number as i64);
            }
            let help = match words {
                [] => "write a number".to_owned(),
                words => format!("write one of {}, or a number", words.join(", ")),
            };
            let message = format!("{} is not a value of {}", word.text, name.text);
            let error = Diagnostic::error("E0140", word.span, message).help(help);
            // ptxas accepts all of these words for every field: `linear` for `addr_mode_0`.
            let Some(any) = position(FILTERS).or(position(ADDRESS_MODES)) else {
                return self.refuse_with(error);
            };
            self.beyond_ptxas(error)?;
            return Some(any as i64);
        }
        self.field_value(value)
    }

    /// The value of a field as a number; reports an error for an unknown word.
    fn field_value(&mut self, value: &FieldValue<'a>) -> Option<i64> {
        let number = match value {
            FieldValue::Number(number) => number,
            FieldValue::Word(word) => {
                if !FILTERS.contains(&word.text) && !ADDRESS_MODES.contains(&word.text) {
                    let help = "write a number";
                    self.wrong("E0140", word.span, format!("{} is not a value", word.text), help);
                }
                return None;
            }
        };
        Some(match self.constant(number)? {
            Const::Int(v, _) => v as i64,
            other => other.as_f64() as i64,
        })
    }
}
