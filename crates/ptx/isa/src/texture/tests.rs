use super::*;
use crate::describe::{describe, instructions};
use crate::{Opcode, forms_of, read_modifiers};

/// All spellings of a syntax with choices `(a|b)` and options `{.a}`.
fn expand(syntax: &str) -> Vec<String> {
    if let Some(open) = syntax.find(['(', '{']) {
        let optional = syntax.as_bytes()[open] == b'{';
        let mut depth = 0;
        let mut cuts = vec![open];
        let mut close = syntax.len();
        for (at, c) in syntax.char_indices().skip(open) {
            match c {
                '(' | '{' => depth += 1,
                ')' | '}' => depth -= 1,
                '|' if depth == 1 => cuts.push(at),
                _ => {}
            }
            if depth == 0 {
                close = at;
                break;
            }
        }
        cuts.push(close);
        let mut list: Vec<&str> = cuts.windows(2).map(|w| &syntax[w[0] + 1..w[1]]).collect();
        if optional {
            list.push("");
        }
        let make = |middle: &str| format!("{}{middle}{}", &syntax[..open], &syntax[close + 1..]);
        return list.into_iter().flat_map(|middle| expand(&make(middle))).collect();
    }
    vec![syntax.to_owned()]
}

/// The instruction table accepts every form of the texture tables, and nothing else except
/// combinations that the geometry excludes.
#[test]
fn both_tables_have_the_same_forms() {
    let mut count = 0;
    for opcode in [Opcode::Tex, Opcode::Tld4] {
        let description = describe(opcode.name()).unwrap();
        let mut forms: Vec<String> = Vec::new();
        for form in &description.forms {
            forms.extend(expand(&form.syntax));
        }
        let total = forms.len();
        forms.sort();
        forms.dedup();
        assert_eq!(forms.len(), total, "{opcode}: a form has two rows");
        for form in &forms {
            let words: Vec<&str> = form.split('.').skip(1).collect();
            let (mods, rows) =
                read_modifiers(opcode, &words).unwrap_or_else(|error| panic!("{form}: {error:?}"));
            assert!(requirement_of(rows[0], &mods).is_some(), "{form}");
        }
        // The reverse: the texture tables have every form of the instruction table.
        let mut readable = 0;
        for row in forms_of(opcode) {
            let mut products = vec![Vec::new()];
            for slot in &row.slots {
                let mut longer = Vec::new();
                for product in &products {
                    if slot.optional {
                        longer.push(product.clone());
                    }
                    for word in slot.words.iter().filter(|w| **w != "uni") {
                        let mut product: Vec<&str> = product.clone();
                        product.push(word);
                        longer.push(product);
                    }
                }
                products = longer;
            }
            for words in products {
                let (mods, _) = read_modifiers(opcode, &words).unwrap();
                let float = mods.types.get(1).map(|ty| ty.is_float());
                let of = geometry(mods.geometry.unwrap());
                let legal = if float == Some(true) { of.float } else { of.integer };
                readable += usize::from(legal && requirement_of(row, &mods).is_some());
            }
        }
        assert_eq!(readable, total, "{opcode}");
        count += total;
    }
    assert!(count > 300, "{count}");
}

#[test]
fn the_lowest_floor_of_the_forms_is_that_of_the_instruction() {
    for opcode in [Opcode::Tex, Opcode::Tld4] {
        let lowest = forms_of(opcode).iter().map(|f| f.row.version).min();
        let forms = describe(opcode.name()).unwrap().forms;
        assert_eq!(lowest, forms.iter().map(|f| f.requirement.version).min(), "{opcode}");
    }
}

#[test]
fn vectors_have_the_sizes_of_their_numbers() {
    for row in GEOMETRIES {
        let n = row.geometry.elements().len();
        assert!(row.coordinate_sizes().iter().all(|size| *size >= n && [1, 2, 4].contains(size)));
        assert!(row.apart() <= 2);
        assert!(row.float || row.integer);
        assert!(!row.doc.is_empty());
    }
    let sizes = |of| (geometry(of).coordinate_sizes(), geometry(of).offset_sizes());
    assert_eq!(sizes(crate::Geometry::A1d), (&[2, 4][..], &[1, 2, 4][..]));
    assert_eq!(sizes(crate::Geometry::Cube), (&[4][..], &[][..]));
}

#[test]
fn everything_has_words() {
    for description in instructions() {
        for form in &description.forms {
            assert!(!form.doc.is_empty() && form.syntax.starts_with(description.name));
            assert!(form.section.starts_with("9.7."));
        }
        for operand in &description.operands {
            assert!(!operand.doc.is_empty() && !operand.shape.is_empty());
        }
    }
    for option in OPTIONS {
        assert!(!option.doc.is_empty() && option.requirement.version > 0);
    }
}
