use super::*;

const TEXT: &str = include_str!("names.ptx");

fn index() -> Index {
    Index::new(&SourceFile::new("t", TEXT))
}

/// The line of the declaration to which the n-th occurrence of a name refers.
fn declared(name: &str, nth: usize) -> Option<usize> {
    let index = index();
    let symbol = index.resolve(name, TEXT.match_indices(name).nth(nth).unwrap().0)?;
    let name = index.decls[symbol.decl as usize].name;
    Some(TEXT[..name.start as usize].matches('\n').count() + 1)
}

#[test]
fn names_in_scopes() {
    assert_eq!([0, 1, 2].map(|nth| declared("%r5", nth)), [11, 11, 10].map(Some));
    assert_eq!([0, 2].map(|nth| declared("%in", nth)), [7, 20].map(Some));
    assert_eq!(["%r4", "L"].map(|name| declared(name, 0)), [10, 16].map(Some));
    assert_eq!(declared("late", 0), Some(14), "a later declaration, where there is no other");
    assert_eq!(index().resolve("nothing", 0), None);
    assert_eq!(
        index().resolve("f", 0).map(|s| index().decls[s.decl as usize].is_definition),
        Some(true)
    );
    assert_eq!(index().resolve("%r10", TEXT.find("ret").unwrap()), None);
}

#[test]
fn occurrences() {
    let index = index();
    let count = |name: &str, nth: usize| {
        let at = TEXT.match_indices(name).nth(nth).unwrap().0;
        index.occurrences(TEXT, index.resolve(name, at).unwrap()).len()
    };
    assert_eq!(count("%r5", 0), 2);
    assert_eq!(count("%r5", 2), 3, "two uses and the declaration");
    assert_eq!(count("%r", 0), 5, "%r4, %r6, %r5 twice, the declaration");
    assert_eq!(count("add", 1), 1, "the label; the opcode is another word");
    assert_eq!(count("linear", 1), 1, "the variable; the value of the field is another word");
    assert_eq!(count("L", 0), 2);
}

#[test]
fn broken_text_keeps_its_names() {
    let text = TEXT.replace("bra L;", "bra L; tex. %r5, ; bra +;");
    let index = Index::new(&SourceFile::new("t", text.clone()));
    assert!(index.has_errors);
    let at = text.find("tex. %r5").unwrap() + 5;
    assert_eq!(index.occurrences(&text, index.resolve("%r5", at).unwrap()).len(), 4);
}

#[test]
fn subscripts_and_numbered_variables() {
    let text = include_str!("groups.ptx");
    let index = Index::new(&SourceFile::new("t", text));
    assert!(!index.has_errors);
    let count = |name: &str| {
        let symbol = index.resolve(name, text.find(name).unwrap()).unwrap();
        index.occurrences(text, symbol).len()
    };
    // The declaration of a group `%r<10>` counts as an occurrence of each of its registers.
    assert_eq!(["table", "%r1", "l1", "s3", "%P1"].map(count), [4, 4, 3, 2, 2]);
}
