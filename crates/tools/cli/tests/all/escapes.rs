//! Text from files is escaped in output to a terminal or the log of a CI service: no control
//! characters (C0, C1), no marks that change the direction of writing, and no lines of its own.

use std::process::Command;
use texunit_testkit::TempDir;

/// Characters that a terminal would obey, in names and texts.
const HOSTILE: &str = "\u{1b}[31m\u{7}\u{9b}32m\u{202e}\u{7f}";

fn said(folder: &TempDir, arguments: &[&str]) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_texunit"));
    let done = command.current_dir(folder.path()).args(arguments).output().unwrap();
    assert_ne!(done.status.code(), None, "{arguments:?}: {done:?}");
    let said = String::from_utf8([done.stdout, done.stderr].concat()).unwrap();
    let obeyed = |c: char| c != '\n' && c != '\t' && texunit_report::is_obeyed(c);
    assert!(!said.contains(obeyed), "{arguments:?}: {said:?}");
    assert!(said.lines().all(|line| !line.starts_with("::")), "{arguments:?}: {said}");
    said
}

fn npy(descr: &str) -> Vec<u8> {
    let header = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': (2, 2), }}\n");
    [b"\x93NUMPY\x01\0", &(header.len() as u16).to_le_bytes()[..], header.as_bytes(), &[0; 16]]
        .concat()
}

#[test]
fn nothing_of_a_file_is_obeyed() {
    let folder = TempDir::new("escapes");
    let at = |name: &str| folder.join(name);
    let write = |name: &str, bytes: &[u8]| std::fs::write(at(name), bytes).unwrap();
    for name in ["escape.exr", "newline.exr"] {
        let from = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../tests/cli/hostile/");
        std::fs::copy(format!("{from}{name}"), at(name)).unwrap();
    }
    write("at.npy", &npy("<f4"));
    write("dtype.npy", &npy(HOSTILE));
    for tex in ["escape.exr", "newline.exr", "dtype.npy"] {
        let said = said(&folder, &["sample", "--tex", tex, "--at", "at.npy", "--out", "o.npy"]);
        assert!(said.contains(tex) && said.lines().count() == 1, "{said}");
    }

    let ptx = format!(
        ".version 7.0\n.target sm_70\n.address_size 64\n// {HOSTILE}\n.entry k(){{ {HOSTILE} }}\n"
    );
    write("k.ptx", ptx.as_bytes());
    for format in ["human", "short", "json", "sarif"] {
        said(&folder, &["check", "--format", format, "k.ptx"]);
    }
    said(&folder, &["init", "k.ptx"]);
    said(&folder, &["reduce", "k.ptx"]);

    write("case.toml", format!("[[case]]\nname = \"{HOSTILE}").as_bytes());
    said(&folder, &["cases", "run", "case.toml"]);
    said(&folder, &["cases", "run", "--format", "json", "case.toml"]);
    said(&folder, &["explain", "case.toml#1"]);

    let fine = ".version 7.0\n.target sm_70\n.address_size 64\n.entry k()\n{\n\tret;\n}\n";
    write("fine.ptx", fine.as_bytes());
    write("job.toml", b"ptx = \"fine.ptx\"\nkernel = \"k\"\ngrid = 1\nblock = 1\n");
    write("suppressions", format!("{{\n x\n rule: {HOSTILE}\n{HOSTILE}\n}}\n").as_bytes());
    said(&folder, &["launch", "job.toml", "--check", "all", "--suppressions", "suppressions"]);
    write("wrong.toml", format!("ptx = \"{}\"\n", "\\u001b[31m\\u009b\\n::error::x").as_bytes());
    said(&folder, &["launch", "wrong.toml"]);
    said(&folder, &["launch", "--format", "json", "wrong.toml"]);
    said(&folder, &["reduce", "wrong.toml"]);
}
