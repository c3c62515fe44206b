use super::*;
use texunit_syntax::SourceFile;

/// The words that completion offers at the cursor `|`, and the text that they would replace.
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

#[test]
fn labels() {
    for row in include_str!("tests.txt").lines().filter(|row| !row.starts_with('#')) {
        let (statement, wanted) = row.rsplit_once("=>").unwrap();
        let (which, statement) = statement.split_once(' ').unwrap();
        let (found, _) = at(&statement.replace("\\n", "\n"));
        let wanted: Vec<&str> = wanted.split_whitespace().collect();
        let holds = match which {
            "all" => found == wanted,
            "first" => found.len() >= wanted.len() && found[..wanted.len()] == wanted,
            "some" => wanted.iter().all(|label| found.iter().any(|l| l == label)),
            _ => !wanted.iter().any(|label| found.iter().any(|l| l == label)),
        };
        assert!(holds, "{row}: {found:?}");
    }
    assert_eq!(at("tex.2|d.v4.f32.f32 {}, [pic, {}];").1, "2d");
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
fn every_target_exists() {
    for item in targets() {
        let option = if item.rank == 1 { "sm_75, " } else { "" };
        let version = if item.label == "map_f64_to_f32" { "1.4" } else { "9.0" };
        let text = format!(".version {version}\n.target {option}{}\n", item.label);
        let found = texunit_check::check_source(&SourceFile::new("t", text), &Default::default());
        assert!(found.iter().all(|d| d.code != "E0102"), "{}: {found:?}", item.label);
    }
}
