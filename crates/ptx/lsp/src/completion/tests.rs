use super::*;
use texunit_syntax::SourceFile;

/// The labels that are offered at `|`, and the text that they would replace.
fn at(statement: &str) -> (Vec<String>, String) {
    let text = format!(
        ".version 8.0\n.target sm_75\n.address_size 64\n.global .texref pic;\n\
         .global .u32 counter;\n.func helper {{ ret; }}\n\
         .entry k(.param .u64 p) {{\n.reg .f32 %f<12>;\n.reg .pred %p, %q;\n{statement}\nDONE: ret;\n}}\n"
    );
    let offset = text.find('|').unwrap();
    let text = text.replacen('|', "", 1);
    let found = complete(&text, &Index::new(&SourceFile::new("t", text.clone())), offset);
    (found.items.into_iter().map(|i| i.label).collect(), text[found.span.range()].to_string())
}

fn labels(statement: &str) -> Vec<String> {
    at(statement).0
}

#[test]
fn modifiers() {
    assert_eq!(labels("tex.|")[..4], ["base", "level", "grad", "1d"]);
    assert_eq!(labels("@%p tex.2d.v4.f|").first().map(String::as_str), Some("f32"));
    assert_eq!(
        at("tex.2|d.v4.f32.f32 {}, [pic, {}];"),
        (vec!["2d".into(), "2dms".into()], "2d".into())
    );
    assert_eq!(labels("tld4.r.2d.uni.v4.f32.f32.|").len(), 0);
    assert_eq!(labels("nothing.|").len(), 0);
}

#[test]
fn words_of_a_body() {
    assert_eq!(labels("te|")[0], "testp");
    for (statement, label) in [("te|", "tex"), ("|", "tld4"), ("@!%p |", "bra")] {
        assert!(labels(statement).contains(&label.into()), "{statement}");
    }
    assert_eq!(labels("@%|")[..2], ["%p", "%q"]);
    assert_eq!(labels("tex.2d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [|")[0], "pic");
    assert_eq!(labels("mov.u64 %f0, counter[|")[..2], ["%f0", "%f1"]);
    assert!(!labels("mov.u64 %f0, counter[|").iter().any(|l| l == "counter" || l == "%p"));
    for (statement, all) in [
        ("@|", "%p %q"),
        ("bra |", "DONE"),
        ("add.f32 %f1|, %f2, %f3;", "%f1 %f10 %f11"),
        ("call hel|", "helper"),
        ("mov.u32 %f0, %ti|", "%tid"),
        ("mov.u32 %f0, %tid.|", "x y z w"),
        ("mov.u32 %f0, coun|ter;", "counter"),
        // A subscript is a register; an address may be a variable.
        ("ld.global.u32 %f0, counter[%f1|];", "%f1 %f10 %f11"),
        ("ld.global.u32 %f0, [coun|];", "counter"),
        ("st.global.u32 counter[%f1], coun|;", "counter"),
        ("mov.u32 %f0, 1|;", ""),
        ("// te|", ""),
    ] {
        assert_eq!(labels(statement).join(" "), all, "{statement}");
    }
}

#[test]
fn members_of_a_group() {
    let of = |count, typed| members("%r", count, typed);
    assert_eq!(of(12, "%r1"), ["%r1", "%r10", "%r11"]);
    assert_eq!(of(12, "%r12"), Vec::<String>::new());
    assert_eq!(of(9, "%r0"), ["%r0"]);
    assert_eq!(of(9, "%r00").len() + of(9, "%rd").len() + of(9, "%f").len() + of(0, "%r").len(), 0);
    assert_eq!(of(3, "%"), ["%r0", "%r1", "%r2"]);
    assert_eq!(of(u64::MAX, "%r18446744073709551614"), ["%r18446744073709551614"]);
    assert_eq!(of(u64::MAX, "%r123456789").len(), MAX_MEMBERS);
}

#[test]
fn directives_and_types() {
    assert_eq!(labels(".re|"), ["reg"]);
    assert!(labels(".reg .|").contains(&"pred".into()));
    assert!(!labels(".reg .|").contains(&"texref".into()));
    assert!(labels(".shared .|").contains(&"align".into()));
    let module = |text: &str| labels(&format!("ret; }}\n{text}\n.entry l() {{"));
    assert_eq!(module(".vis|"), ["visible"]);
    assert_eq!(module(".visible .en|"), ["entry"]);
    assert_eq!(module(".global .texr|"), ["texref"]);
    assert!(module(".target sm_7|").contains(&"sm_75".into()));
    assert_eq!(module(".global .u64 a = cou|"), ["counter"]);
    assert_eq!(module(".global .texref t = { filt|"), ["filter_mode"]);
}

#[test]
fn every_target_exists() {
    for item in targets() {
        let option = if item.rank == 1 { "sm_75, " } else { "" };
        let version = if item.label == "map_f64_to_f32" { "1.4" } else { "9.0" };
        let text = format!(".version {version}\n.target {option}{}\n", item.label);
        let found = texunit_check::check_source(&SourceFile::new("t", text), &Default::default());
        assert!(found.iter().all(|d| d.code != "E0102"), "{}: {found:?}", item.label);
    }
}
