//! Short descriptions of PTX words: modifiers, directives and special registers, read from doc.txt,
//! and types, generated.

use texunit_isa::{Class, Geometry, ScalarType, texture};

/// The words of a section of doc.txt, each with its description.
fn part(number: usize) -> impl Iterator<Item = (&'static str, &'static str)> {
    let part = include_str!("doc.txt").split("\n== ").nth(number).unwrap_or_default();
    part.lines().skip(1).filter_map(|line| line.split_once(": "))
}

/// The description of a modifier.
pub(crate) fn word(class: Class, word: &str) -> Option<String> {
    let find = |name: &str| part(1).find(|row| row.0 == name).map(|row| row.1);
    let text = match class {
        Class::Type | Class::Pack => return ScalarType::from_name(word).map(ty),
        Class::Geometry => Geometry::from_name(word).map(|g| texture::geometry(g).doc),
        _ => find(&format!("{class:?}.{word}")).or_else(|| find(word)),
    };
    text.map(str::to_owned)
}

/// The description of a type.
pub(crate) fn ty(ty: ScalarType) -> String {
    use texunit_isa::TypeKind::*;
    let bits = ty.bits();
    match ty.kind() {
        Unsigned => format!("unsigned integer, {bits} bits"),
        Signed => format!("signed integer, {bits} bits"),
        Bits => format!("{bits} bits without a type"),
        Float => match ty {
            ScalarType::Bf16 => "floating-point number, 16 bits, with the range of f32".into(),
            ScalarType::Tf32 => {
                "floating-point number with the range of f32 and 10 bits of fraction".into()
            }
            _ => format!("floating-point number, {bits} bits"),
        },
        Packed if matches!(ty, ScalarType::U8x4 | ScalarType::S8x4) => {
            format!("four values packed into {bits} bits")
        }
        Packed => format!("two values packed into {bits} bits"),
        Predicate => "predicate: true or false".into(),
        Opaque => match ty {
            ScalarType::Texref => "reference to a texture".into(),
            ScalarType::Samplerref => "reference to a sampler".into(),
            _ => "reference to a surface".into(),
        },
    }
}

/// Directives and other words that follow a dot outside instructions, with their descriptions.
pub(crate) fn directives() -> impl Iterator<Item = (&'static str, &'static str)> {
    part(2)
}

/// The description of a directive.
pub(crate) fn directive(name: &str) -> Option<&'static str> {
    directives().find(|row| row.0 == name).map(|row| row.1)
}

/// Special registers with their type and description. `<n>` in a name stands for a number below n.
pub(crate) fn specials() -> impl Iterator<Item = (&'static str, &'static str, &'static str)> {
    part(3).filter_map(|(register, meaning)| {
        let (name, ty) = register.split_once(' ')?;
        Some((name.strip_prefix('%')?, ty, meaning))
    })
}

/// Type and description of a special register, given with its `%`.
pub(crate) fn special(name: &str) -> Option<(&'static str, &'static str)> {
    let name = name.strip_prefix('%')?;
    let row = specials().find(|row| match row.0.split_once('<') {
        None => row.0 == name,
        Some((before, rest)) => numbered(name, before, rest).is_some(),
    });
    row.map(|row| (row.1, row.2))
}

/// Some if a name without its prefix `before` matches the pattern `before<N>after`, with a number
/// below N; `rest` is `N>after`.
fn numbered(name: &str, before: &str, rest: &str) -> Option<()> {
    let (count, after) = rest.split_once('>')?;
    let digits = name.strip_prefix(before)?.strip_suffix(after)?;
    let number: u32 = digits.parse().ok()?;
    (number.to_string() == digits && number < count.parse().ok()?).then_some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use texunit_isa::{Opcode, SpecialReg, forms_of};

    #[test]
    fn every_special_register_is_explained() {
        for reg in SpecialReg::ALL {
            assert!(special(&format!("%{reg}")).is_some(), "{reg}");
        }
        assert!(special("%envreg31").is_some() && special("%envreg32").is_none());
        assert!(special("%pm7_64").is_some() && special("%pm07").is_none());
        assert!(special("tid").is_none() && special("%r1").is_none());
    }

    #[test]
    fn every_word_of_textures_and_surfaces_is_explained() {
        use Opcode::*;
        for opcode in [Tex, Tld4, Txq, Istypep, Suld, Sust, Sured, Suq] {
            for slot in forms_of(opcode).iter().flat_map(|f| &f.slots) {
                for text in &slot.words {
                    assert!(word(slot.class, text).is_some(), "{opcode}.{text}");
                }
            }
        }
    }

    #[test]
    fn every_class_means_its_own() {
        assert_ne!(word(Class::Clamp, "clamp"), word(Class::Wrap, "clamp"));
        assert_ne!(word(Class::Part, "lo"), word(Class::Compare, "lo"));
        assert_eq!(word(Class::Type, "u32").as_deref(), Some("unsigned integer, 32 bits"));
        assert_eq!(word(Class::Flag, "nothing"), None);
    }
}
