//! Tests the reading and writing of case files: valid files, outdated names, and the error messages
//! for invalid files.

#![allow(clippy::unwrap_used)]

use texunit_cases::{
    Access, Built, Case, Expected, SurfaceOp, Texels, compress, find_files, load, load_address,
    parse, random_unit_case, to_toml, why_no_driver,
};

const HEAD: &str = "provenance = \"by hand\"\nrules = [\"2\"]\n";
const RESOURCE: &str = r#"
[words]
four = "00000000000000013f80000040000000"
[[resource]]
name = "line"
format = "f32"
geometry = "1d"
width = 4
texels = { codes = ["@four"] }
"#;

fn file(rest: &str) -> String {
    format!("{HEAD}{RESOURCE}{rest}")
}

fn fetch(keys: &str) -> String {
    file(&format!("[[fetch]]\nname = \"f\"\nresource = \"line\"\n{keys}"))
}

#[test]
fn a_case_is_built_and_run() {
    let text = fetch(
        "op = \"tex.1d.v4.f32.f32\"\ncoords = \"40000000bf800000\"\ncomponents = 1\n\
         expected = \"3f80000000000000\"\n[fetch.sampler]\naddress_mode = [\"border\"]\nmipmap_level_bias = 0.1\nmin_mipmap_level_clamp = \"0x3f800000\"",
    );
    let parsed = parse(&text).unwrap();
    let case = &parsed.cases[0];
    assert_eq!(
        (case.name.as_str(), &case.rules[..], case.count()),
        ("f", &["2".to_owned()][..], 2)
    );
    let Built::Fetch(built) = case.build().unwrap() else { panic!("it is a fetch") };
    assert_eq!((built.sampler.level_bias, built.sampler.min_level_clamp), (0.1, 1.0));
    let answers = built.reference().unwrap();
    assert_eq!(answers, built.planned().unwrap());
    let Expected::Values(expected) = &built.expected else { panic!("two values") };
    assert!(expected.iter().zip(&answers).all(|(expected, answer)| expected.agrees(answer)));
    let mut wrong = answers;
    wrong[1].values[0] = 1;
    assert!(!expected[1].agrees(&wrong[1]));
    let again = parse(&to_toml(&parsed.cases)).unwrap();
    assert_eq!(again, parsed);
}

#[test]
fn surfaces_tell_loads_faults_and_the_end() {
    let text = file(
        r#"
[[resource]]
name = "bytes"
format = "u8"
geometry = "2d"
width = 4
height = 2
texels = { bytes = "0001020304050607" }
[[surface]]
name = "loads"
resource = "bytes"
op = "suld.b.2d.v2.b8.trap"
accesses = "2,1 3,1 4,0 2,-1"
values = "0607 misaligned outside outside"
after = "0001020304050607"
[[surface]]
name = "stores"
resource = "bytes"
op = "sust.b.2d.zero"
accesses = "2:0,0 4:0,1 4:4,1"
values = "aabb 11223344 55667788"
after = "aabb020311223344"
"#,
    );
    for case in parse(&text).unwrap().cases {
        let Built::Surface(built) = case.build().unwrap() else { panic!("it is a surface") };
        let mut run = built.run().unwrap();
        assert_eq!(built.wrong(&run), [], "{}", case.name);
        run.after[2] ^= 1;
        let [wrong] = &built.wrong(&run)[..] else { panic!("one value differs") };
        let message = wrong.to_string();
        assert!(message.contains("in byte 2 of the surface, wanted 02 in byte 2"), "{message}");
        assert_eq!(wrong.number, None);
        // In the case `stores`, the last byte belongs to the second access; in the other case, no
        // access stores to it.
        run.after[7] ^= 1;
        assert_eq!(built.wrong(&run)[0].number, case.name.eq("stores").then_some(1));
        let again = parse(&to_toml(std::slice::from_ref(&case))).unwrap();
        assert_eq!(again.cases, [case]);
    }
}

#[test]
fn cases_have_addresses() {
    let folder = texunit_testkit::TempDir::new("cases");
    let path = folder.join("cases.toml");
    let one = fetch("op = \"tex.1d.v4.f32.s32\"\ncoords = \"0000000000000001\"");
    std::fs::write(&path, &one).unwrap();
    let at = |rest: &str| load_address(&format!("{}{rest}", path.display()));
    assert_eq!(at("").unwrap().case.name, "f");
    assert_eq!(at("#1").unwrap().case.name, "f");
    assert_eq!(at("#f").unwrap().number, None);
    assert_eq!(at("#f:1").unwrap().number, Some(1));
    for (rest, message) in [
        ("#2", "unknown case `2`; there is 1 case"),
        ("#0", "unknown case `0`"),
        ("#f:2", "it has 2 fetches, from 0 on; 2 is not one of them"),
    ] {
        let e = at(rest).unwrap_err().to_string();
        assert!(e.contains(message) && e.starts_with(&path.display().to_string()), "{e}");
    }
    std::fs::write(&path, format!("{one}\n[[fetch]]\nname = \"g\"\nresource = \"line\"\nop = \"tex.1d.v4.f32.s32\"\ncoords = \"\"")).unwrap();
    assert!(at("").unwrap_err().to_string().contains("it has 2 cases: say which"));
    assert!(load_address("nowhere.toml#1").unwrap_err().to_string().starts_with("nowhere.toml: "));
}

/// The text of a small compressed file may be large, so that the limit applies to the decompressed
/// text.
#[test]
fn compressed_files_are_read_up_to_a_limit() {
    let folder = texunit_testkit::TempDir::new("cases-gz");
    let text = fetch("op = \"tex.1d.v4.f32.s32\"\ncoords = \"0000000000000001\"");
    let good = folder.file("good.toml.gz", compress(&text));
    assert_eq!(load(&good).unwrap(), parse(&text).unwrap());
    assert_eq!(load_address(&format!("{}#f:1", good.display())).unwrap().number, Some(1));
    let long = folder.file("long.toml.gz", compress(&" ".repeat((64 << 20) + 1)));
    assert!(std::fs::metadata(&long).unwrap().len() < 1 << 20);
    let e = load(&long).unwrap_err().to_string();
    assert!(e.ends_with("the text has more than 67108864 bytes, which are not read"), "{e}");
    let other = folder.file("other.toml.gz", &text);
    assert!(load(&other).unwrap_err().to_string().contains("gzip"), "{:?}", load(&other));
}

/// mistakes.txt has files with a mistake, and the messages.
#[test]
fn errors_name_the_case_and_the_key() {
    for part in include_str!("mistakes.txt").split("\n== ").skip(1) {
        let (message, text) = part.split_once('\n').unwrap();
        let (kind, rest) = text.split_once('\n').unwrap_or((text, ""));
        let replaces = |line: &&str| line.contains(" -> ");
        let keys: Vec<&str> = rest.lines().filter(|line| !replaces(line)).collect();
        let text = match kind {
            "fetch" => fetch(&format!("op = \"tex.1d.v4.f32.f32\"\n{}", keys.join("\n"))),
            "file" => file(&keys.join("\n")),
            _ => text.to_owned(),
        };
        let text = rest.lines().filter(replaces).fold(text, |text, line| {
            let (from, to) = line.split_once(" -> ").unwrap();
            text.replace(&from.replace("\\n", "\n"), &to.replace("\\n", "\n"))
        });
        let e = parse(&text).unwrap_err().to_string();
        assert!(e.contains(message), "`{message}` is not in: {e}");
    }
}

/// Files with key names of earlier versions are read as those with the present names, and each
/// outdated name gets a note.
#[test]
fn earlier_names_are_read_with_a_note() {
    let old = include_str!("earlier-names.toml").replacen(
        "[\"TEXELS\"]",
        &format!("[\"{}\"]", "07".repeat(65536)),
        1,
    );
    let new = include_str!("present-names.toml");
    let (mut read, new) = (parse(&old).unwrap(), parse(new).unwrap());
    assert_eq!(new.notes, []);
    let notes: Vec<_> = read.notes.iter().map(|note| note.message.as_str()).collect();
    for note in [
        "`size` is `width`, `height` and `depth`",
        "`texels` is a table, and strings of digits are its `codes`",
        "`missing_tiles` is called `nonresident`",
        "a region is a table, `{ level = 0, layer = 0, tile = [0, 0, 0] }`",
        "the layout `pitched` is called `pitch`",
        "`ramp` is a key of `texels`",
        "`filter` is called `filter_mode`",
        "`min_level_clamp` is called `min_mipmap_level_clamp`",
        "a border colour is a list of four numbers",
        "`force_unnormalized` is called `force_unnormalized_coords`",
    ] {
        assert!(notes.contains(&note), "{note}: {notes:?}");
    }
    assert_eq!(notes.len(), 16, "{notes:?}");
    if let Access::Fetch(fetch) = &mut read.cases[0].access {
        let resource = std::sync::Arc::make_mut(&mut fetch.resource);
        assert_eq!(resource.texels, Texels::Bytes(vec![7; 65536]));
        resource.texels = Texels::Fill(vec![7]);
    }
    assert_eq!(read.cases, new.cases);
    // A file must not have a key under its present and its earlier name.
    let both = new_name_too("filter = \"point\"\nfilter_mode = \"linear\"");
    let e = parse(&both).unwrap_err().to_string();
    assert!(e.contains("`filter` and `filter_mode` are the same key"), "{e}");
}

fn new_name_too(sampler: &str) -> String {
    fetch(&format!("op = \"tex.1d.v4.f32.s32\"\ncoords = \"\"\n[fetch.sampler]\n{sampler}"))
}

/// A file that describes a huge resource is refused without a large allocation and without a panic.
#[test]
fn greedy_resources_are_refused() {
    let resource = |keys: &str| {
        format!(
            "{HEAD}[[resource]]\nname = \"big\"\n{keys}\n[[fetch]]\nname = \"f\"\nresource = \"big\"\n\
             op = \"tex.1d.v4.f32.s32\"\ncoords = \"00000000\""
        )
    };
    for keys in [
        "format = \"f32x4\"\ngeometry = \"3d\"\nwidth = 16384\nheight = 16384\ndepth = 16384\ntexels = { random = 1 }",
        "format = \"f32x4\"\ngeometry = \"3d\"\nwidth = 4294967295\nheight = 4294967295\ndepth = 4294967295\ntexels = { fill = \"00000000000000000000000000000000\" }",
        "format = \"f32\"\ngeometry = \"1d\"\nwidth = 0\ntexels = { ramp = [0, 1] }",
        "format = \"f32\"\ngeometry = \"1d\"\nwidth = 1\nlevels = 4294967295\ntexels = { published = 0 }",
        "format = \"f32\"\ngeometry = \"2d\"\nlayout = \"pitched\"\nwidth = 4294967295\nheight = 4294967295\ntexels = { random = 0 }",
        "format = \"f32\"\ngeometry = \"2d\"\nlayout = \"pitched\"\npitch = 9223372036854775807\nwidth = 1\nheight = 4\ntexels = { random = 0 }",
        "format = \"f32\"\ngeometry = \"a2d\"\nlayers = 4294967295\nwidth = 1\nheight = 1\ntexels = { random = 0 }",
        "format = \"f32\"\ngeometry = \"acube\"\nlayers = 4294967295\nwidth = 1\nheight = 1\ntexels = { random = 0 }",
        "format = \"f32\"\ngeometry = \"2dms\"\nsamples = 4294967295\nwidth = 1\nheight = 1\ntexels = { random = 0 }",
        "format = \"bc1\"\ngeometry = \"2d\"\nwidth = 4\nheight = 4\ntexels = { ramp = [0, 1] }",
        "format = \"u8\"\ngeometry = \"2d\"\nwidth = 4\nheight = 4\ntexels = { published = 0 }",
        "format = \"u8\"\ngeometry = \"2d\"\nwidth = 4\nheight = 4\ntexels = { fill = \"\" }",
        "format = \"u8\"\ngeometry = \"2d\"\nwidth = 4\nheight = 4\ntexels = { random = 0 }\nview = { levels = [3, 1] }",
        "format = \"u8\"\ngeometry = \"2d\"\nwidth = 4\nheight = 4\ntexels = { random = 0 }\nview = { layers = [0, 4294967295] }",
        "format = \"f32\"\ngeometry = \"2d\"\nwidth = 4\nheight = 4\ntexels = { random = 0 }\nnonresident = [{ level = 9, layer = 9, tile = [9, 9, 9] }]",
    ] {
        let parsed = parse(&resource(keys)).unwrap_or_else(|e| panic!("{e}: {keys}"));
        let e = parsed.cases[0].build().unwrap_err().to_string();
        assert!(e.starts_with("f: resource `big`: "), "{e}");
    }
}

#[test]
fn other_ways_to_say_texels() {
    let packed = |format: &str, keys: &str| {
        let text = format!(
            "{HEAD}[[resource]]\nname = \"r\"\nformat = \"{format}\"\ngeometry = \"1d\"\nwidth = 4\n{keys}\n\
             [[fetch]]\nname = \"f\"\nresource = \"r\"\nop = \"tex.1d.v4.f32.s32\"\ncoords = \"\""
        );
        let case = parse(&text).unwrap().cases.remove(0);
        let again = parse(&to_toml(std::slice::from_ref(&case))).unwrap();
        assert_eq!(again.cases.first(), Some(&case));
        assert!(matches!(&case.access, Access::Fetch(f) if f.expected == Expected::Nothing));
        case.resource().build().unwrap().to_packed()
    };
    assert_eq!(packed("u8", "texels = { ramp = [254, 1] }"), [254, 255, 0, 1]);
    assert_eq!(
        packed("u16", "texels = { fill = \"1234\" }"),
        [0x34, 0x12, 0x34, 0x12, 0x34, 0x12, 0x34, 0x12]
    );
    assert_eq!(packed("f16", "texels = { ramp = [1, 1] }"), [0, 0x3c, 0, 0x40, 0, 0x42, 0, 0x44]);
    assert_eq!(
        packed("u8", "layout = \"linear\"\ntexels = { bytes = \"01020304\" }"),
        [1, 2, 3, 4]
    );
    assert_eq!(packed("u8", "levels = 3\ntexels = { by_level = [7, 2] }"), [7, 7, 7, 7, 9, 9, 11]);
    let random = packed("f32", "texels = { random = 1 }");
    assert_eq!((random.len(), &random), (16, &packed("f32", "texels = { random = 1 }")));
    let published = packed("f32", "texels = { published = 0 }");
    // 1013904223 >> 8 & 0xffff = 28403.
    assert_eq!(published[..4], (28403.0_f32 / 64.0).to_le_bytes());
}

#[test]
fn an_access_stands_for_all_instructions_of_its_size() {
    let text = file(
        "[[surface]]\nname = \"s\"\nresource = \"line\"\nop = \"suld.b.1d.clamp\"\naccesses = \"8:0\"",
    );
    let Access::Surface(case) = &parse(&text).unwrap().cases[0].access.clone() else {
        panic!("it is a surface")
    };
    assert!(matches!(case.op, SurfaceOp::Bytes { store: false, .. }));
    let forms = case.op.forms(case.accesses[0].size);
    // An access of 8 bytes stands for three instructions: `v4.b16`, `v2.b32` and `b64`.
    assert_eq!(forms.len(), 3);
}

fn round_trip(cases: &[Case]) {
    let text = to_toml(cases);
    let again = parse(&text).unwrap_or_else(|e| panic!("{e}\n{text}")).cases;
    // Fetches come before surface accesses in a file.
    let (mut fetches, surfaces): (Vec<Case>, Vec<Case>) =
        cases.iter().cloned().partition(|case| matches!(case.access, Access::Fetch(_)));
    fetches.extend(surfaces);
    for (case, again) in fetches.iter().zip(&again) {
        // The cases are compared as text, because a bias may be a NaN, which is not equal to
        // itself.
        assert_eq!(format!("{case:?}"), format!("{again:?}"), "{}", case.name);
    }
    assert_eq!(fetches.len(), again.len());
}

/// A case that has been written and read again equals the original.
#[test]
fn every_kind_of_case_is_written_and_read() {
    let answered: Vec<Case> =
        (0..300).filter_map(|index| random_unit_case(11, index).answered().unwrap()).collect();
    assert!(answered.len() > 200);
    answered.iter().for_each(|case| round_trip(std::slice::from_ref(case)));
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../tests/fetch");
    let files = find_files(folder.as_ref(), 1).unwrap();
    files.iter().for_each(|path| round_trip(&load(path).unwrap().cases));
    let compressed = files.iter().filter(|path| path.extension().is_some_and(|e| e == "gz"));
    assert!(files.len() > 40 && compressed.count() > 10, "{files:?}");
}

#[test]
fn strange_cases_are_written_and_read_too() {
    let none = fetch("op = \"tex.1d.v4.f32.s32\"\noffset = [1]\ncoords = \"\"");
    let resource = |keys: &str| {
        fetch("op = \"tex.1d.v4.f32.s32\"\ncoords = \"00000000\"")
            .replace("texels = { codes = [\"@four\"] }", keys)
    };
    for (text, reason) in [
        (none, Some("no fetches")),
        (resource("texels = { bytes = \"00\" }"), None),
        (resource("texels = { codes = [\"@four\", \"@four\"] }"), None),
        (resource("texels = { ramp = [-9223372036854775808, 9223372036854775807] }"), None),
        (
            resource(
                "texels = { random = 4294967295 }\npitch = 9223372036854775807\nlayout = \"linear\"",
            ),
            None,
        ),
        (
            resource(
                "texels = { fill = \"3f800000\" }\nview = { levels = [5, 2], layers = [0, 4294967294] }",
            ),
            None,
        ),
        (resource("texels = { fill = \"3f800000\" }\nlevels = 2\nlevel = 4294967295"), None),
        (
            fetch(
                "op = \"tex.1d.v4.f32.f32\"\ncoords = \"7fc00001\"\n[fetch.sampler]\nmin_mipmap_level_clamp = -0.0\nmax_mipmap_level_clamp = inf\nmipmap_level_bias = 3.4e38\nmax_anisotropy = 4294967295\nborder_color = [\"0x7fc00001\", \"0xffffffff\", 0, -0.0]",
            ),
            None,
        ),
    ] {
        let parsed = parse(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
        round_trip(&parsed.cases);
        let why = why_no_driver(&parsed.cases[0]);
        assert_eq!(why.is_some(), reason.is_some(), "{why:?}");
        assert!(why.unwrap_or_default().contains(reason.unwrap_or_default()));
    }
    // A case that a program can make, but that no file of the repository contains.
    let mut case =
        parse(&fetch("op = \"tex.1d.v4.f32.s32\"\ncoords = \"00000000\"")).unwrap().cases.remove(0);
    if let Access::Fetch(fetch) = &mut case.access {
        let resource = std::sync::Arc::make_mut(&mut fetch.resource);
        (resource.pitch, resource.texels) = (Some(u64::MAX), Texels::Random(u32::MAX));
    }
    assert!(parse(&to_toml(&[case])).is_ok());
}
