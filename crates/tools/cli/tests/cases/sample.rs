//! Runs `texunit sample` with the arguments of every `tests/cli/sample/*.args`, like
//! tests/explain.rs, and checks the arrays that it writes.

use crate::{Trials, golden};
use clap::CommandFactory;
use libtest_mimic::Failed;
use serde_json::{Value, json};
use std::path::Path;
use std::process::Stdio;

pub(crate) fn add(trials: &mut Trials) {
    golden::trials(trials, "sample", "sample", 15);
    trials.add("results", results);
    trials.add("arrays of one axis", rows);
    trials.add("report", report);
    trials.add("sampler options are those of explain", same_options);
    trials.add("docs", every_option_is_documented);
}

/// Runs the command. Returns its output and the array that it writes.
fn sample(arguments: &str, folder: &Path) -> (String, texunit_files::Array) {
    let out = folder.join("r.npy");
    let words = ["sample"].into_iter().chain(arguments.split_whitespace());
    let arguments: Vec<&str> = words.chain(["--out", out.to_str().unwrap()]).collect();
    let output = golden::texunit("sample", &arguments, Stdio::null());
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    (text, texunit_files::read_array(&out).unwrap())
}

fn floats(array: &texunit_files::Array) -> Vec<f32> {
    assert_eq!(array.dtype, texunit_files::Dtype::F32);
    array.bytes.as_chunks::<4>().0.iter().map(|&word| f32::from_le_bytes(word)).collect()
}

#[rustfmt::skip]
fn results() -> Result<(), Failed> {
    let folder = texunit_testkit::TempDir::new("sample");
    let cases: [(&str, &[u64], &[f32]); 9] = [
        ("--tex grid.npy --at xy.npy",                                   &[3],    &[10.0, 12.0, 3.0]),
        ("--tex grid.npy --at xy.npy --filter linear",                   &[3],    &[7.5, 12.0, 3.0]),
        ("--tex grid.npy --at xy.npy --address wrap,border --border 9,0,0,0", &[3], &[10.0, 12.0, 9.0]),
        ("--tex grid.npy --at xy.npy --unnormalized --threads 0",        &[3],    &[0.0, 0.0, 2.0]),
        ("--tex grid.npy --at xy.npy --mipmaps --lod 1",                 &[3],    &[12.5, 10.5, 4.5]),
        ("--tex grid.npy --at xy.npy --mipmaps --lod bits:3f800000",     &[3],    &[12.5, 10.5, 4.5]),
        ("--tex grid.npy --at ij.npy --fetch",                           &[2],    &[9.0, 3.0]),
        ("--tex grid.npy --at ij.npy --fetch --offset 0,1",              &[2],    &[13.0, 7.0]),
        ("--tex layers.npy --geometry a2d --at xy.npy --layer 9 --read normalized", &[3],    &[0.2, 0.0, 1.0]),
    ];
    for (arguments, shape, expected) in cases {
        let (_, array) = sample(arguments, &folder);
        assert_eq!((&array.shape[..], &floats(&array)[..]), (shape, expected), "{arguments}");
    }
    let (_, gathered) = sample("--tex grid.npy --at xy.npy --gather r", &folder);
    assert_eq!((&gathered.shape[..], &floats(&gathered)[..4]), (&[3, 4][..], &[9.0, 10.0, 6.0, 5.0][..]));
    let (_, codes) = sample("--tex layers.npy --geometry a2d --at xy.npy --layer 0 --read element", &folder);
    assert_eq!((codes.dtype, &codes.bytes[..]), (texunit_files::Dtype::U8, &[153, 102, 51][..]));
    let (_, half) = sample("--tex grid.npy --at xy.npy --half", &folder);
    assert_eq!((half.dtype.size(), &half.bytes[..2]), (2, &[0, 0x49][..]));
    Ok(())
}

/// An array of one axis is a 1D texture, whose coordinates may have one axis too, as in Python.
fn rows() -> Result<(), Failed> {
    let folder = texunit_testkit::TempDir::new("sample-rows");
    let array = |name: &str, numbers: &[f32]| {
        let header =
            format!("{{'descr': '<f4', 'fortran_order': False, 'shape': ({},), }}", numbers.len());
        let mut bytes = b"\x93NUMPY\x01\0\x76\0".to_vec();
        bytes.extend(format!("{header:117}\n").bytes());
        bytes.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
        folder.file(name, bytes);
        folder.join(name).display().to_string()
    };
    let (row, at) = (array("row.npy", &[0.0, 10.0, 20.0, 30.0]), array("x.npy", &[0.1, 0.5, 0.9]));
    let (text, values) = sample(&format!("--tex {row} --at {at}"), &folder);
    assert!(text.contains("tex.1d.v4.f32.f32 of 1D array"), "{text}");
    assert_eq!((&values.shape[..], &floats(&values)[..]), (&[3][..], &[0.0, 20.0, 30.0][..]));
    let three = format!("--tex {row} --at {at} --geometry 2d --size 4,1");
    let words = ["sample"].into_iter().chain(three.split_whitespace()).chain(["--out", "r.npy"]);
    let output = golden::texunit("sample", &words.collect::<Vec<_>>(), Stdio::null());
    assert_eq!(output.status.code(), Some(1), "what is asked for is kept");
    Ok(())
}

fn report() -> Result<(), Failed> {
    let folder = texunit_testkit::TempDir::new("sample-report");
    let arguments = "--tex grid.npy --at xy.npy --unnormalized --address wrap";
    let (text, _) = sample(arguments, &folder);
    assert!(text.contains(": (3,) of float32, tex.2d.v4.f32.f32 of 2D array `grid.npy`"), "{text}");
    assert!(text.contains("\n  [1.8] "), "{text}");
    let (text, _) = sample(&format!("{arguments} --format json"), &folder);
    let report: Value = serde_json::from_str(&text)?;
    assert_eq!(report["shape"], json!([3]));
    assert_eq!((&report["dtype"], &report["fetches"]), (&json!("float32"), &json!(3)));
    assert_eq!(report["sampler"]["address"], json!(["clamp", "clamp"]));
    assert_eq!(report["sampler"]["level_clamp"], json!([0.0, 0.0]));
    assert_eq!(report["overrides"][0]["rule"], "1.8");
    assert!(report["seconds"].as_f64().is_some());
    Ok(())
}

/// The options of a command by the headings of its help.
fn options(command: &str, heading: &str) -> Vec<String> {
    let cli = texunit::command_line::Cli::command();
    let command = cli.find_subcommand(command).unwrap();
    let of_heading = command.get_arguments().filter(|a| a.get_help_heading() == Some(heading));
    of_heading.filter_map(|a| a.get_long()).map(str::to_owned).collect()
}

fn same_options() -> Result<(), Failed> {
    for heading in ["Texture", "Sampler"] {
        let all = options("explain", heading);
        assert!(all.len() > 8 && all == options("sample", heading), "{heading}");
    }
    Ok(())
}

fn every_option_is_documented() -> Result<(), Failed> {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../docs/sample.md");
    let docs = std::fs::read_to_string(docs)?;
    let command = texunit::command_line::Cli::command();
    let sample = command.find_subcommand("sample").unwrap();
    for option in sample.get_arguments().filter_map(|a| a.get_long()) {
        if option != "help" && !docs.contains(&format!("`--{option}")) {
            return Err(format!("docs/sample.md does not name --{option}").into());
        }
    }
    Ok(())
}
