//! Runs `texunit isa`.

use std::process::{Command, Output};

fn isa(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_texunit")).arg("isa").args(arguments).output().unwrap()
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

#[test]
fn forms_operands_and_floors() {
    let output = isa(&["tex.grad.cube", "suq.memory_layout"]);
    assert_eq!(output.status.code(), Some(0));
    let out = text(&output.stdout);
    for part in [
        "tex (PTX ISA 9.7.10.3)",
        "tex.grad.cube(.v4.(u32|s32|f32|f16)|.v2.f16x2).f32",
        "independent: d{|p}, [a, b, c], dPdx, dPdy{, f}",
        "PTX ISA 4.3, sm_20",
        "c of .cube: {x, y, z}, a vector of 4",
        "suq.memory_layout.b32",
        "PTX ISA 4.2",
    ] {
        assert!(out.contains(part), "{part}\n{out}");
    }
    assert!(!out.contains("tex.level") && !out.contains("suq.width"), "{out}");
}

#[test]
fn a_list_of_all() {
    let output = isa(&[]);
    assert_eq!(output.status.code(), Some(0));
    let out = text(&output.stdout);
    assert!(out.lines().count() > 80, "{out}");
    assert!(out.lines().any(|l| l.starts_with("tld4 ") && l.contains("9.7.10.4")), "{out}");
}

#[test]
fn json() {
    let output = isa(&["--format", "json", "txq.level", "fma"]);
    assert_eq!(output.status.code(), Some(0));
    let value: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(value[0]["forms"].as_array().unwrap().len(), 3);
    assert_eq!(value[0]["forms"][0]["version"], "4.3");
    assert_eq!(value[0]["forms"][0]["target"], "sm_30");
    assert_eq!(value[1]["name"], "fma");
    assert!(!value[1]["forms"][0]["fidelity"].as_array().unwrap().is_empty());
}

#[test]
fn a_name_that_does_not_exist() {
    for (name, near) in [
        ("texx", "`tex`"),
        ("suld.x", "`suld.x`"),
        ("tex.level.2dms", "`tex`"),
        ("tex.levle", "did you mean `level`?"),
        ("qqqqqq", "lists all instructions"),
    ] {
        let output = isa(&[name]);
        assert_eq!(output.status.code(), Some(1), "{name}");
        assert!(output.stdout.is_empty());
        assert!(text(&output.stderr).contains(near), "{}", text(&output.stderr));
    }
    // The remaining instructions are printed all the same.
    let output = isa(&["nothing", "tld4"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stdout).contains("tld4 (PTX ISA"));
}
