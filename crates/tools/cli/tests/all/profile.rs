//! `texunit launch --profile`: kernels with counts computed by hand (tests/profile/cases.toml),
//! interpreted and compiled, and the formats of the file.

use serde_json::Value as Json;
use std::path::Path;
use std::process::Command;
use texunit_profile::Profile;
use texunit_testkit::TempDir;
use toml::{Table, Value};

/// The schema of the format.
const SCHEMA: &str = include_str!("../../../../observe/profile/schemas/profile.schema.json");

/// The beginning of each kernel's body.
const SETUP: &str = "mov.u32 %r0, %tid.x;
ld.param.u64 %rd0, [out];
ld.param.u64 %rd1, [in];
mul.wide.u32 %rd2, %r0, 4;
add.u64 %rd3, %rd1, %rd2;
add.u64 %rd4, %rd0, %rd2;
mov.u32 %r31, 0;
";

fn text<'a>(case: &'a Table, key: &str) -> &'a str {
    case.get(key).and_then(Value::as_str).unwrap_or("")
}

fn number(case: &Table, key: &str, default: i64) -> i64 {
    case.get(key).and_then(Value::as_integer).unwrap_or(default)
}

/// Writes the PTX and the job of a case.
fn written(case: &Table, folder: &TempDir) {
    let object = text(case, "object");
    let (parameter, load) = match object {
        "" => ("", ""),
        _ => (", .param .u64 object", "ld.param.u64 %rd10, [object];\n"),
    };
    let local = if case.contains_key("local") { ".local .align 4 .b8 stack[64];\n" } else { "" };
    let ptx = format!(
        ".version 8.0\n.target sm_80\n.address_size 64\n{}\n.visible .entry k(.param .u64 out, .param .u64 in{parameter})\n{{\n\
         .reg .pred %p<8>;\n.reg .b32 %r<32>;\n.reg .b64 %rd<16>;\n.reg .f32 %f<8>;\n.reg .f64 %fd<4>;\n{local}{SETUP}{load}{}ret;\n}}\n",
        text(case, "declarations"),
        text(case, "body"),
    );
    let mut job = format!(
        "ptx = \"k.ptx\"\nkernel = \"k\"\ngrid = [{}]\nblock = [{}]\n[params.out]\nbuffer = {{ zeros = 4096 }}\n\
         [params.in]\nbuffer = {{ zeros = 4096 }}\n",
        number(case, "grid", 1),
        number(case, "block", 32)
    );
    if !object.is_empty() {
        job += &format!("[params.object]\n{object}\n");
    }
    std::fs::write(folder.join("k.ptx"), ptx).unwrap();
    std::fs::write(folder.join("job.toml"), job).unwrap();
}

fn launched(folder: &TempDir, jit: &str, file: &str) -> Result<String, String> {
    launched_job(&folder.join("job.toml"), folder, jit, file)
}

/// The profile of a job's launch.
fn launched_job(job: &Path, folder: &TempDir, jit: &str, file: &str) -> Result<String, String> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_texunit"));
    command.arg("launch").arg(job).args(["--quiet", "--profile"]);
    command.arg(folder.join(file)).arg("--out").arg(folder.join("out")).env("TEXUNIT_JIT", jit);
    let done = command.output().unwrap();
    let said = String::from_utf8_lossy(&done.stderr).into_owned();
    if done.status.success() {
        Ok(std::fs::read_to_string(folder.join(file)).unwrap())
    } else {
        Err(said)
    }
}

/// Differences from expected numbers; other members are ignored.
fn differences(at: &str, expected: &Table, found: &Json, out: &mut Vec<String>) {
    for (key, value) in expected {
        let there = &found[key];
        match value {
            Value::Table(inner) => differences(&format!("{at}.{key}"), inner, there, out),
            Value::Array(all)
                if there.as_array().is_some_and(|found| {
                    let numbers = all.iter().map(Value::as_integer);
                    numbers.eq(found.iter().map(Json::as_i64))
                }) => {}
            Value::String(_) if there.is_null() => {}
            Value::Integer(n) if there.as_i64() == Some(*n) => {}
            _ => out.push(format!("{at}.{key}: expected {value}, found {there}")),
        }
    }
}

/// Lists members of a value that the schema does not describe.
fn described(at: &str, value: &Json, schema: &Json, root: &Json, out: &mut Vec<String>) {
    if let Some(name) = schema["$ref"].as_str() {
        let definition = &root["definitions"][name.rsplit('/').next().unwrap()];
        return described(at, value, definition, root, out);
    }
    for key in schema["required"].as_array().into_iter().flatten() {
        if value.get(key.as_str().unwrap()).is_none() {
            out.push(format!("{at} lacks {key}"));
        }
    }
    for (key, member) in value.as_object().into_iter().flatten() {
        let (own, others) = (&schema["properties"][key], &schema["additionalProperties"]);
        let own = if own.is_null() { others } else { own };
        if own.is_object() {
            described(&format!("{at}.{key}"), member, own, root, out);
        } else {
            out.push(format!("{at}.{key} is not described"));
        }
    }
    for item in value.as_array().into_iter().flatten() {
        described(&format!("{at}[]"), item, &schema["items"], root, out);
    }
}

fn compare(case: &Table, folder: &TempDir, jit: &str, out: &mut Vec<String>) {
    let name = format!("{} ({jit})", text(case, "name"));
    let json = match launched(folder, jit, "profile.json") {
        Ok(json) => json,
        Err(said) => return out.push(format!("{name}: {said}")),
    };
    let profile: Json = serde_json::from_str(&json).unwrap();
    let schema: Json = serde_json::from_str(SCHEMA).unwrap();
    described(&name, &profile, &schema, &schema, out);
    let kernel = &profile["kernels"][0];
    differences(&name, case["expect"].as_table().unwrap(), &kernel["totals"], out);
    for (begin, expected) in case.get("at").and_then(Value::as_table).into_iter().flatten() {
        let instructions = kernel["instructions"].as_array().unwrap();
        let mut those =
            instructions.iter().filter(|i| i["text"].as_str().unwrap().starts_with(begin));
        match (those.next(), those.next()) {
            (Some(found), None) => {
                differences(&format!("{name}: {begin}"), expected.as_table().unwrap(), found, out);
            }
            _ => out.push(format!("{name}: no or several instructions `{begin}`")),
        }
    }
    // The written profile can be read again.
    assert_eq!(Profile::parse(&json).unwrap().to_json(), json);
}

#[test]
fn counts_are_those_worked_out_by_hand() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../tests/profile/cases.toml");
    let cases: Table = std::fs::read_to_string(file).unwrap().parse().unwrap();
    let cases = cases["case"].as_array().unwrap();
    assert!(cases.len() >= 30);
    let mut wrong = Vec::new();
    for case in cases {
        let (case, folder) = (case.as_table().unwrap(), TempDir::new("profile"));
        written(case, &folder);
        for jit in ["off", "always"] {
            compare(case, &folder, jit, &mut wrong);
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Compiled code counts accesses of whole warps in rows and points by itself, CTAs follow each
/// other within it, and it reports fetches.
#[test]
fn examples_count_the_same_interpreted_and_compiled() {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../examples");
    let folder = TempDir::new("profile-examples");
    for name in ["bicubic", "half", "histogram", "layers", "rotate", "surface-blur", "volume"] {
        let job = examples.join(name).join("job.toml");
        let with = |jit: &str| launched_job(&job, &folder, jit, &format!("{name}-{jit}.json"));
        let [interpreted, compiled] = ["off", "always"].map(|jit| with(jit).unwrap());
        assert!(interpreted == compiled, "{name}: other counts in code");
    }
}

#[test]
fn callgrind_has_lines_with_their_costs() {
    let case: Table = "body = \"ld.global.b32 %r2, [%rd3];\\n\"".parse().unwrap();
    let folder = TempDir::new("callgrind");
    written(&case, &folder);
    let text = launched(&folder, "on", "callgrind.out.k").unwrap();
    assert!(text.starts_with("# callgrind format\nversion: 1\n"), "{text}");
    assert!(text.contains("\nevents: Threads Warps "), "{text}");
    let ptx = std::fs::read_to_string(folder.join("k.ptx")).unwrap();
    let line = ptx.lines().position(|line| line.contains("ld.global")).unwrap() + 1;
    assert!(text.contains(&format!("\n{line} 32 1 0 4 4 0 0 0 0 0 0\n")), "{text}");
    assert!(text.contains("\nsummary: 288 9 0 4 4 0 0 0 0 0 0\n"), "{text}");
}

/// Code from CUDA's headers counts at the line outside of them into which it is inlined.
#[test]
fn headers_of_cuda_count_where_they_are_called() {
    let folder = TempDir::new("headers");
    let ptx = ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k()\n{\n.reg .b32 %r<4>;\n\
               .loc 1 5 1\nmov.u32 %r0, %tid.x;\n.loc 1 7 9\nmov.u32 %r3, %r0;\n\
               .loc 2 99 3, function_name $name, inlined_at 1 7 9\nadd.u32 %r1, %r0, 1;\nadd.u32 %r2, %r1, 1;\n\
               .loc 1 9 1\nret;\n}\n.file 1 \"/home/me/k.cu\"\n\
               .file 2 \"/usr/local/cuda/include/crt/device.hpp\"\n\
               .section .debug_str\n{\n$name:\n.b8 102, 0\n}\n";
    std::fs::write(folder.join("k.ptx"), ptx).unwrap();
    std::fs::write(
        folder.join("job.toml"),
        "ptx = \"k.ptx\"\nkernel = \"k\"\ngrid = 1\nblock = 32\n",
    )
    .unwrap();
    let profile = Profile::parse(&launched(&folder, "on", "p.json").unwrap()).unwrap();
    let lines = profile.kernels.values().next().unwrap().all_lines();
    let mut found: Vec<_> =
        lines.iter().map(|l| (&*l.file, l.line, l.counts.thread_instructions)).collect();
    found.sort_unstable();
    let file = "/home/me/k.cu";
    assert_eq!(found, [(file, 5, 32), (file, 7, 96), (file, 9, 32)]);
}
