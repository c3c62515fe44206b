//! Tests that docs/jobs.md and docs/resources.md name every key and every code of jobs, and that
//! their examples are valid jobs.

use texunit_job::{Problems, codes};

fn documentation() -> String {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../docs");
    ["jobs.md", "resources.md"]
        .map(|page| std::fs::read_to_string(folder.join(page)).unwrap())
        .concat()
}

/// The keys of a table, from the help of an error about an unknown key.
fn keys(job: &str) -> Vec<String> {
    let problems = Problems::default();
    texunit_job::parse(&job.replace("???", "qqqqqqqqqqqq = 1"), &problems);
    let problems = problems.take();
    let unknown = problems.iter().find(|p| p.code == codes::UNKNOWN_KEY).unwrap();
    let list = unknown.help.as_ref().unwrap().strip_prefix("expected ").unwrap();
    list.split(", ").map(|k| k.trim_matches('`').to_owned()).collect()
}

#[test]
fn every_key() {
    let docs = documentation();
    let mut count = 0;
    for job in [
        "???",
        "[params.a]\n???",
        "params.a.texture = { ??? }",
        "params.a.surface = { ??? }",
        "params.a.texture = { texels = { ??? } }",
        "params.a.texture = { view = { ??? } }",
        "params.a.texture = { resident = [{ ??? }] }",
        "params.a.sampler = { ??? }",
        "params.a.buffer = { file = 'x', ??? }",
        "params.a.scalar = { ??? }",
        "params.a = { buffer = { zeros = 4 }, output = { ??? } }",
        "objects.a = { buffer = { zeros = 4 }, expected = { ??? } }",
        "objects.a.array = { ??? }",
        "globals.a = { ??? }",
    ] {
        for key in keys(job) {
            let named = docs.contains(&format!("`{key}`")) || docs.contains(&format!("`{key} "));
            let number = ["u", "s", "f"]
                .iter()
                .any(|t| key.starts_with(t) && key[1..].parse::<u8>().is_ok());
            assert!(named || number, "docs/jobs.md does not name `{key}` of {job}");
            count += 1;
        }
    }
    assert!(count > 120, "the keys were not found");
}

#[test]
fn every_code() {
    let docs = documentation();
    #[rustfmt::skip]
    let list = [
        codes::SYNTAX, codes::UNKNOWN_KEY, codes::MISSING_KEY, codes::TYPE, codes::VALUE,
        codes::CONFLICT, codes::FILE, codes::NAME, codes::PARAMETER, codes::REFUSED,
        codes::DIFFERENT, codes::OLD_NAME,
    ];
    for code in list {
        assert!(docs.contains(&format!("| {code} |")), "{code}");
    }
}

/// The first example of the page is a valid job.
#[test]
fn the_examples_are_jobs() {
    let docs = documentation();
    let blocks: Vec<_> =
        docs.split("```toml\n").skip(1).map(|b| b.split("```").next().unwrap()).collect();
    assert!(blocks.len() >= 4);
    for (i, block) in blocks.iter().enumerate() {
        let head = if i == 0 { "" } else { "ptx = 'a'\nkernel = 'k'\ngrid = 1\nblock = 1\n" };
        let problems = Problems::default();
        let job = texunit_job::parse(&format!("{head}{block}"), &problems);
        assert_eq!(problems.take(), [], "{block}");
        assert!(job.is_some());
    }
}

#[test]
fn a_misspelt_key_is_one_mistake() {
    let problems = Problems::default();
    texunit_job::parse("ptx = \"a.ptx\"\nkernle = \"k\"\ngrid = [1]\nblock = [1]\n", &problems);
    let problems = problems.take();
    let [problem] = &problems[..] else { panic!("{problems:?}") };
    assert_eq!(problem.code, codes::UNKNOWN_KEY);
    assert_eq!(problem.help.as_deref(), Some("did you mean `kernel`?"));
}
