use crate::*;
use std::collections::HashSet;

fn read(text: &str) -> Result<(Modifiers, Vec<&'static Form>), ModifierError> {
    let mut words = text.split('.');
    let opcode = Opcode::from_name(words.next().unwrap()).unwrap();
    read_modifiers(opcode, &words.collect::<Vec<_>>())
}

#[test]
fn every_row_is_well_formed() {
    let mut seen = HashSet::new();
    for form in forms() {
        let row = (form.row.opcode, form.row.modifiers, form.row.operands);
        assert!(seen.insert((row, form.slots.len())));
        for slot in &form.slots {
            assert!(!slot.words.is_empty());
            for word in &slot.words {
                assert!(
                    word.chars().any(|c| !c.is_uppercase()) || ["L1", "L2"].contains(word),
                    "{word}"
                );
                if slot.class == Class::Type {
                    assert!(ScalarType::from_name(word).is_some(), "{word} in {}", form.syntax());
                }
                let mut mods = Modifiers::default();
                form::apply(slot.class, word, &mut mods);
            }
        }
        let types = form.slots.iter().filter(|s| s.class == Class::Type).count();
        for rule in &form.operands {
            if let OperandType::Word(n) | OperandType::Wide(n) = rule.ty {
                assert!(usize::from(n) < types, "{}", form.syntax());
            }
        }
        assert!(form.row.section.starts_with("9.7."));
        assert!(!form.row.doc.is_empty());
    }
    assert!(forms().len() > 250, "{}", forms().len());
}

#[test]
fn reads_words_in_any_order_but_types_in_theirs() {
    let (mods, forms) = read("tex.level.2d.v4.f32.s32").unwrap();
    assert_eq!(mods.mip, Some(MipMode::Level));
    assert_eq!(mods.types, [ScalarType::F32, ScalarType::S32]);
    assert_eq!(forms[0].shape, Shape::Texture);
    assert_eq!(read("tex.level.v4.f32.s32.2d").unwrap().0, mods);
    assert_eq!(read("tex.2d.level.v4.f32.s32").unwrap_err(), ModifierError::Misplaced { index: 1 });
    let (mods, _) = read("setp.s32.lt.and").unwrap();
    assert_eq!((mods.cmp, mods.bool_op), (Some(CmpOp::Lt), Some(BoolOp::And)));
    let (mods, _) = read("bar.red.and.pred").unwrap();
    assert_eq!(mods.red_op, Some(BoolOp::And));
    let (mods, _) = read("ld.global.nc.L1::evict_last.L2::128B.v4.f32").unwrap();
    assert!(mods.nc && mods.vector == 4 && mods.space == Some(Space::Global));
}

#[test]
fn says_what_is_wrong() {
    assert_eq!(read("add.rn.rn.f32").unwrap_err(), ModifierError::Duplicate { index: 1, first: 0 });
    let Err(ModifierError::Missing { class, .. }) = read("suld.b.2d.b32") else { panic!() };
    assert_eq!(class, Class::Clamp);
    assert!(read("prefetch.global.L1").is_ok());
    let Err(ModifierError::Unexpected { index, .. }) = read("tex.5d.v4.f32.f32") else { panic!() };
    assert_eq!(index, 0);
}

/// A row with `policy` is two forms: without a cache policy, and with the modifier and the operand.
#[test]
fn a_cache_policy_is_one_optional_operand() {
    let (plain, forms) = read("ld.shared::cta.ca.b128").unwrap();
    assert!(!plain.policy && forms[0].operands.len() == 2);
    let (with, forms) = read("ld.global.ca.L2::cache_hint.b128").unwrap();
    assert!(with.policy);
    assert_eq!(forms[0].operands.len(), 3);
    assert_eq!((forms[0].row.version, forms[0].row.target), (83, 80));
    // A cache policy is valid only for global memory.
    assert!(read("ld.shared.ca.L2::cache_hint.b32").is_err());
    assert!(read("st.global.wb.L2::cache_hint.v2.f32").is_ok());
    // A predicate may replace the size operand or the cache policy.
    let (_, forms) = read("cp.async.ca.shared.global.L2::cache_hint").unwrap();
    let taken: Vec<_> = forms[0].operands.iter().map(|rule| rule.predicate.is_some()).collect();
    assert_eq!(taken, [false, false, false, true, true]);
}

#[test]
fn marks_of_operands_are_read() {
    let first = |text| read(text).unwrap().1[0];
    let exchange = first("atom.global.exch.b32");
    assert!(exchange.operands[0].discard && exchange.operands[1].written);
    let load = first("ld.global.v2.f32");
    assert!(load.operands[1].element && !load.operands[1].written && !load.operands[0].exact);
    let matrix = first("ldmatrix.sync.aligned.m8n8.x2.shared.b16");
    assert!(matrix.operands[0].exact && matrix.operands[0].braces == Braces::Always);
    assert_eq!(matrix.operands[0].predicate, Some(AsPredicate::Miscompiled));
    let new = first("mbarrier.init.shared.b64");
    assert_eq!(new.operands[0].pointee, Some(Pointee::Mbarrier));
    assert_eq!(
        (new.operands[1].limit, new.operands[1].limit_since),
        (Some(Limit::Between { first: 1, last: 1_048_575, step: 1 }), 135)
    );
    assert!(
        first("shfl.sync.up.b32").has(Property::Macro)
            && !first("shfl.up.b32").has(Property::Macro)
    );
    assert!(
        first("cvta.global.u64").operands[1].named
            && !first("cvta.to.global.u64").operands[1].named
    );
}
