//! Compares random CUDA C programs, compiled by nvcc without and with optimisation and for
//! debuggers, with the same source compiled by g++: the output bytes are equal, interpreted and
//! compiled, at every SIMD level. The programs use integers of all widths, floats without
//! contraction, structures, pointers to members and into different memories, functions, loops,
//! divergent branches, atomics, shuffles and votes. The programs in tests/cuda_c/kept are stored as
//! PTX; `.ci/full cuda-c` generates new ones.

mod compilers;
mod maker;
mod statements;
mod types;

use crate::common::{Arg, How, load_text};
use compilers::{FORMS, compile, compile_for_host, workspace};
use flate2::{Compression, GzBuilder, read::GzDecoder};
use std::fmt::Write as _;
use std::fs::File;
use std::io::{Read, Write};
use std::ops::Range;
use std::path::Path;
use std::process::Command;
use texunit_simt::JitMode;
use texunit_testkit::{Random, TempDir};
use texunit_unit::SimdLevel;

/// Numbers that often expose errors.
fn input(random: &mut Random) -> Vec<u32> {
    let one = |random: &mut Random| match random.below(6_u32) {
        0 => random.of(&[0, 1, 2, 0x7fff_ffff, 0x8000_0000, u32::MAX, 0xff, 0x8000]),
        1 => random.below(64_u32),
        2 => random.of(&[f32::INFINITY, -0.0, 1e-40, 1e10, 0.5]).to_bits(),
        3 => random.between(-1000.0, 1000.0).to_bits(),
        _ => random.u32(),
    };
    (0..maker::INPUT).map(|_| one(random)).collect()
}

/// Writes a source with some programs to a folder, and the input.
fn write_source(folder: &Path, seed: u64, numbers: Range<u32>) {
    let mut text = include_str!("../../../../../../tests/cuda_c/prelude.h").to_owned();
    let input = input(&mut Random::of_item(seed, u64::MAX));
    let words: String = input.iter().map(|word| format!("{word:#x}, ")).collect();
    let mut main =
        format!("#ifndef __CUDACC__\nstatic const u32 INPUT[] = {{{words}}};\nint main() {{\n");
    for number in numbers {
        let program = maker::program(seed, number);
        let maker::Program { number, grid, block, .. } = program;
        text += &program.text;
        write!(
            main,
            "    {{\n        static G{number} all;\n        const u32 head[4] = {{{number}, {grid}, {block}, \
             sizeof all}};\n        k{number}(INPUT, &all);\n        fwrite(head, 1, sizeof head, stdout);\n        \
             fwrite(&all, 1, sizeof all, stdout);\n    }}\n"
        )
        .unwrap();
    }
    std::fs::create_dir_all(folder).unwrap();
    std::fs::write(folder.join("batch.cu"), text + &main + "}\n#endif\n").unwrap();
    let bytes: Vec<u8> = input.iter().flat_map(|word| word.to_le_bytes()).collect();
    std::fs::write(folder.join("input.bin"), bytes).unwrap();
}

/// Writes the source of `count` programs to a folder, and compiles it.
fn write(folder: &Path, seed: u64, count: u32) {
    write_source(folder, seed, 0..count);
    compile(folder);
}

/// The output of g++ for a program.
struct Expected {
    number: u32,
    grid: u32,
    block: u32,
    bytes: Vec<u8>,
}

fn words(bytes: &[u8]) -> Vec<u32> {
    bytes.chunks_exact(4).map(|b| u32::from_le_bytes(b.try_into().unwrap())).collect()
}

fn expected(folder: &Path) -> Vec<Expected> {
    let bytes = std::fs::read(folder.join("expected.bin")).unwrap();
    let mut rest = &bytes[..];
    let mut all = Vec::new();
    while !rest.is_empty() {
        let (head, behind) = rest.split_at(16);
        let [number, grid, block, size] = words(head)[..] else { unreachable!() };
        let (bytes, behind) = behind.split_at(size as usize);
        all.push(Expected { number, grid, block, bytes: bytes.to_vec() });
        rest = behind;
    }
    assert!(!all.is_empty(), "{}", folder.display());
    all
}

/// A compiled form of the programs of a folder. The stored ones are compressed.
fn ptx(folder: &Path, form: &str) -> String {
    let path = folder.join(form).with_extension("ptx");
    let mut text = String::new();
    match File::open(path.with_extension("ptx.gz")) {
        Ok(packed) => GzDecoder::new(packed).read_to_string(&mut text),
        Err(_) => File::open(path).unwrap().read_to_string(&mut text),
    }
    .unwrap();
    text
}

/// Runs the programs of a folder in all forms at the SIMD level of this process, interpreted and
/// compiled.
fn check(folder: &Path) {
    let input = words(&std::fs::read(folder.join("input.bin")).unwrap());
    let all = expected(folder);
    let mut wrong = Vec::new();
    for (form, _) in FORMS {
        let loaded = load_text(&ptx(folder, form));
        let (from, _) = loaded.filled(&input);
        for Expected { number, grid, block, bytes } in &all {
            let (address, out) = loaded.buffer(bytes.len() / 4);
            let (mut zeros, mut found) = (vec![0; bytes.len()], vec![0; bytes.len()]);
            for jit in [JitMode::Off, JitMode::Always] {
                zeros.fill(0);
                out.write(0, &zeros).unwrap();
                let how = How {
                    grid: [*grid, 1, 1],
                    block: [*block, 1, 1],
                    jit: Some(jit),
                    max_steps: 100_000_000,
                    ..How::default()
                };
                let args = [Arg::U64(from), Arg::U64(address)];
                let result = loaded.run(&format!("k{number}"), how, &args);
                out.read(0, &mut found).unwrap();
                let at = found.iter().zip(bytes).position(|(a, b)| a != b);
                if let Err(fault) = &result {
                    wrong.push(format!(
                        "k{number} {form} {jit:?}: {fault:?} {}",
                        loaded.line(fault)
                    ));
                } else if let Some(at) = at {
                    wrong.push(format!("k{number} {form} {jit:?}: byte {at} of {}", bytes.len()));
                }
            }
        }
    }
    let level = SimdLevel::detected();
    assert!(wrong.is_empty(), "{level:?}, {}:\n{}", folder.display(), wrong.join("\n"));
}

/// Checks the programs of a folder in this process, and in a separate process for each lower SIMD
/// level.
fn check_levels(folder: &Path) {
    check(folder);
    for level in ["avx2", "portable"] {
        let mut child = Command::new(std::env::current_exe().unwrap());
        child.args(["cuda_c::programs_of_a_folder", "--exact", "--ignored"]);
        let output =
            child.env("TEXUNIT_SIMD", level).env("TEXUNIT_CUDA_C", folder).output().unwrap();
        let told = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success() && told.contains("1 passed"), "{level}: {told}");
    }
}

#[test]
#[ignore = "a child process of others"]
fn programs_of_a_folder() {
    check(Path::new(&std::env::var_os("TEXUNIT_CUDA_C").unwrap()));
}

#[test]
fn programs_that_are_kept() {
    check_levels(&workspace().join("tests/cuda_c/kept"));
}

/// Programs with lvalues chosen by a condition, which g++'s sanitizer considered null references.
#[test]
fn the_sanitizer_stops_no_program() {
    if Command::new("g++").arg("--version").output().is_err() {
        eprintln!("!!\n!! SKIPPED: there is no g++\n!!");
        return;
    }
    for (seed, number) in [(8, 13), (104, 17)] {
        let folder = TempDir::new("cuda-c-host");
        write_source(&folder, seed, number..number + 1);
        compile_for_host(&folder);
        assert_eq!(expected(&folder).len(), 1);
    }
}

/// `TEXUNIT_CUDA_C_BATCHES` batches of 25.
#[test]
#[ignore = "compiles with nvcc: .ci/full cuda-c"]
fn random_programs() {
    let mut random = Random::for_test(22);
    let batches = std::env::var("TEXUNIT_CUDA_C_BATCHES").map_or(20, |n| n.parse().unwrap());
    for batch in 0..batches {
        let seed = random.u64();
        let folder = TempDir::new("cuda-c");
        write(&folder, seed, 25);
        if std::panic::catch_unwind(|| check_levels(&folder)).is_err() {
            let kept = workspace().join(format!("target/cuda-c/{seed:016x}"));
            std::fs::create_dir_all(&kept).unwrap();
            for file in std::fs::read_dir(&folder).unwrap().map(Result::unwrap) {
                std::fs::copy(file.path(), kept.join(file.file_name())).unwrap();
            }
            panic!("batch {batch}, of seed {seed:#x}, is in {}", kept.display());
        }
    }
}

#[test]
#[ignore = "writes tests/cuda_c/kept with nvcc"]
fn write_those_that_are_kept() {
    let folder = workspace().join("tests/cuda_c/kept");
    write(&folder, 22, 12);
    for (form, _) in FORMS {
        let path = folder.join(form).with_extension("ptx");
        let packed = File::create(path.with_extension("ptx.gz")).unwrap();
        let mut packed = GzBuilder::new().write(packed, Compression::best());
        packed.write_all(&std::fs::read(&path).unwrap()).unwrap();
        packed.finish().unwrap();
        std::fs::remove_file(path).unwrap();
    }
}
