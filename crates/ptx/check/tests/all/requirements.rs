//! Every form of a texture or surface instruction is accepted exactly from the `.version` and the
//! `.target` on that its row says, in both texturing modes; so is every option.

use texunit_check::check_source;
use texunit_isa::ScalarType;
use texunit_isa::texture::{FETCHES, Fetch, OPTIONS, geometry, handles};
use texunit_isa::{Class, Element, Form, Geometry, MipMode, Opcode, forms_of};
use texunit_syntax::SourceFile;

const REGISTERS: &str = "\
.reg .f32 %f<8>;\n.reg .b32 %r<8>;\n.reg .u64 %rd<8>;\n.reg .pred %p<2>;\n";

/// Versions, times ten.
const VERSIONS: [u32; 27] = [
    10, 11, 12, 13, 14, 15, 20, 21, 22, 23, 30, 31, 32, 40, 41, 42, 43, 50, 60, 63, 70, 71, 78, 80,
    81, 88, 90,
];
const TARGETS: [u32; 16] = [10, 11, 12, 13, 20, 21, 30, 35, 50, 52, 53, 60, 61, 75, 90, 100];

fn module(version: u32, target: u32, independent: bool, instruction: &str) -> String {
    let mode = if independent { ", texmode_independent" } else { "" };
    let sampler = if independent { ".global .samplerref smp;\n" } else { "" };
    let (major, minor) = (version / 10, version % 10);
    format!(
        ".version {major}.{minor}\n.target sm_{target}{mode}\n.global .texref tex;\n\
         .global .surfref srf;\n{sampler}.entry k()\n{{\n{REGISTERS}{instruction}\nexit;\n}}\n"
    )
}

/// Whether this code is reported of the instruction.
fn has(code: &str, version: u32, target: u32, independent: bool, instruction: &str) -> bool {
    let text = module(version, target, independent, instruction);
    let at = text.find(instruction).unwrap() as u32;
    let source = SourceFile::new("requirement", text);
    let all = check_source(&source, &texunit_check::Options::default());
    let inside = |d: &&texunit_syntax::Diagnostic| {
        d.is_error() && (at..=at + instruction.len() as u32).contains(&d.primary.span.start)
    };
    let other = all.iter().filter(inside).find(|d| !["E0230", "E0231"].contains(&d.code));
    assert!(other.is_none(), "{instruction}: {other:?}");
    all.iter().filter(inside).any(|d| d.code == code)
}

/// Asks around the requirement, far above it and, if there is something below, just below.
fn exact(version: u32, target: u32, independent: bool, instruction: &str) {
    // Opaque types begin with 1.5.
    for at in VERSIONS.into_iter().filter(|v| *v >= 15) {
        let late = has("E0230", at, 90, independent, instruction);
        assert_eq!(late, at < version, "{instruction} at version {at}, requirement {version}");
    }
    for at in TARGETS {
        let low = has("E0231", 90, at, independent, instruction);
        assert_eq!(low, at < target, "{instruction} at sm_{at}, requirement {target}");
    }
}

fn coordinates(of: Geometry, float: bool) -> String {
    let row = geometry(of);
    let register = if float { "%f1" } else { "%r1" };
    let word = |element: &Element| if element.is_index() { "%r1" } else { register };
    let mut list: Vec<&str> = row.geometry.elements().iter().map(word).collect();
    while !row.coordinate_sizes().contains(&list.len()) {
        list.push(register);
    }
    format!("{{{}}}", list.join(", "))
}

fn gradient(of: Geometry) -> String {
    format!("{{{}}}", vec!["%f1"; geometry(of).gradient_size()].join(", "))
}

fn fetch(row: &Fetch, independent: bool, handle: &str, result: &str, rest: &str) -> String {
    let float = geometry(row.geometry).float;
    let name = match row.opcode {
        Opcode::Tld4 => format!("tld4.r.{}", row.geometry),
        _ => row.name(),
    };
    let coordinates = coordinates(row.geometry, float);
    let sampler = if independent { " smp," } else { "" };
    let lod = match row.mip {
        Some(MipMode::Level) => ", %f1".to_owned(),
        Some(MipMode::Grad) => format!(", {0}, {0}", gradient(row.geometry)),
        _ => String::new(),
    };
    let ty = if float { "f32" } else { "s32" };
    format!("{name}{result}.{ty} [DEST], [{handle},{sampler} {coordinates}]{lod}{rest};")
        .replace(".v4.f32.f32 [DEST]", ".v4.f32.f32 {%f2, %f3, %f4, %f5}")
        .replace(".v4.f32.s32 [DEST]", ".v4.f32.s32 {%f2, %f3, %f4, %f5}")
        .replace(".v2.f16x2.f32 [DEST]", ".v2.f16x2.f32 {%r2, %r3}")
        .replace(".v2.f16x2.s32 [DEST]", ".v2.f16x2.s32 {%r2, %r3}")
}

#[test]
fn forms_of_tex_and_tld4() {
    for row in FETCHES.iter() {
        for independent in [false, true] {
            let plain = fetch(row, independent, "tex", ".v4.f32", "");
            exact(row.version, row.target, independent, &plain);
        }
    }
}

/// What an option needs, by how it is written.
fn option(syntax: &str, opcode: Opcode) -> (u32, u32) {
    let row = OPTIONS.iter().find(|o| o.syntax == syntax && o.opcodes.contains(&opcode));
    let requirement = row.unwrap().requirement;
    (requirement.version, requirement.target)
}

#[test]
fn options_of_tex_and_tld4() {
    for row in FETCHES.iter() {
        let facts = geometry(row.geometry);
        let beyond =
            |(version, target): (u32, u32)| (version.max(row.version), target.max(row.target));
        for independent in [false, true] {
            let ask = |syntax: &str, instruction: String| {
                let (version, target) = beyond(option(syntax, row.opcode));
                exact(version, target, independent, &instruction);
            };
            let make = |rest: &str| fetch(row, independent, "tex", ".v4.f32", rest);
            if row.opcode == Opcode::Tex {
                ask(".f16, .f16x2", fetch(row, independent, "tex", ".v2.f16x2", ""));
            }
            ask("d|p", make("").replace("%f5}", "%f5}|%p1"));
            if let Some(n) = facts.offset_sizes().first() {
                ask("offset e", make(&format!(", {{{}}}", vec!["1"; *n].join(", "))));
            }
            if facts.compare {
                ask("depth reference f", make(", %f1"));
            }
            let mode = if independent { "independent" } else { "unified" };
            let syntax = format!("handle in a register, {mode}");
            ask(&syntax, fetch(row, independent, "%rd1", ".v4.f32", ""));
        }
    }
}

#[test]
fn queries() {
    for form in forms_of(Opcode::Txq).iter().chain(forms_of(Opcode::Suq)) {
        let (name, row) = (form.syntax(), form.row);
        let level = if name.contains(".level") { ", %r2" } else { "" };
        for independent in [false, true] {
            let handle = match handles(form, independent).first() {
                Some(ScalarType::Samplerref) if independent => "smp",
                // There are no samplers in unified mode.
                Some(ScalarType::Samplerref) => continue,
                Some(ScalarType::Surfref) => "srf",
                _ => "tex",
            };
            let instruction = format!("{name} %r1, [{handle}]{level};");
            exact(row.version, row.target, independent, &instruction);
        }
        let (version, target) = (row.version.max(31), row.target.max(20));
        exact(version, target, false, &format!("{name} %r1, [%rd1]{level};"));
    }
    exact(40, 30, false, "istypep.texref %p1, %rd1;");
}

#[test]
fn forms_of_surface_instructions() {
    for form in [Opcode::Suld, Opcode::Sust, Opcode::Sured].into_iter().flat_map(forms_of) {
        let words = |class| {
            let slot = form.slots.iter().find(|slot| slot.class == class);
            slot.map_or(vec![""], |slot| slot.words.clone())
        };
        for operation in words(Class::Reduce) {
            for of in words(Class::Geometry) {
                for ty in words(Class::Type) {
                    surface(form, words(Class::Surface)[0], operation, (of, ty));
                }
            }
        }
    }
}

fn surface(form: &Form, kind: &str, operation: &str, (of, ty): (&str, &str)) {
    let row = form.row;
    let operation = if operation.is_empty() { "" } else { &format!(".{operation}") };
    let register = if ty.ends_with("64") { "%rd2" } else { "%r2" };
    let of = Geometry::from_name(of).unwrap();
    let make = |hint: &str, clamp: &str, handle: &str| {
        let name = format!("{}.{kind}{operation}.{of}{hint}.{ty}.{clamp}", row.opcode);
        let inside = format!("[{handle}, {}]", coordinates(of, false));
        match row.opcode {
            Opcode::Suld => format!("{name} {register}, {inside};"),
            _ => format!("{name} {inside}, {register};"),
        }
    };
    let (version, target) = (row.version, row.target);
    exact(version, target, false, &make("", "trap", "srf"));
    exact(version.max(31), target.max(20), true, &make("", "trap", "%rd1"));
    if row.opcode != Opcode::Sured {
        exact(version.max(20), target, false, &make("", "zero", "srf"));
        exact(version.max(20), target.max(20), true, &make(".cg", "trap", "srf"));
    } else {
        exact(version, target, false, &make("", "clamp", "srf"));
    }
}
