//! Computes the expected results of a case by its plain C loop, which this machine's C compiler
//! compiles for one thread; compares the buffers that kernels have written with them.

use super::{Case, Data, Value};
use std::fmt::Write as _;
use std::io::Write as _;
use std::process::{Command, Output, Stdio};
use texunit_testkit::TempDir;
use texunit_texel::Dtype;

/// Headers that plain loops include, with their names.
const HEADERS: [(&str, &str); 2] =
    [("matmul.h", include_str!("../matmul.h")), ("threads.h", include_str!("../threads.h"))];

/// Reads a buffer from standard input.
const READ: &str = "static void *contents(size_t size) {
    void *all = malloc(size);
    return fread(all, 1, size, stdin) == size ? all : (exit(1), all);
}";

/// A C program that reads all buffers of a case, calls the case's plain loop, and writes the
/// buffers that are compared.
fn program(case: &Case) -> String {
    let value = |value: &Value| match *value {
        Value::Buffer(number) => format!("b{number}"),
        Value::Texture => format!("b{}", case.texture.map_or(0, |texture| texture.buffer)),
        Value::U32(value) => format!("{value}u"),
        Value::F32(value) => format!("{value:?}f"),
    };
    let (mut read, mut write) = (String::new(), String::new());
    for (number, buffer) in case.buffers.iter().enumerate() {
        let size = buffer.data.bytes.len();
        let _ = writeln!(read, "void *b{number} = contents({size});");
        if is_compared(buffer.written) {
            let _ = writeln!(write, "fwrite(b{number}, 1, {size}, stdout);");
        }
    }
    let arguments: Vec<String> = case.plain.iter().map(value).collect();
    format!(
        "#include <stdio.h>\n#include <stdlib.h>\n{}\n{READ}\nint main(void) {{\n\
         {read}{}({});\n{write}return 0;\n}}\n",
        case.plain_loop,
        case.name,
        arguments.join(", ")
    )
}

fn is_compared(written: Option<Check>) -> bool {
    written.is_some_and(|check| check != Check::Scratch)
}

/// The expected contents of the compared buffers, from the initial contents of all.
pub(crate) fn expected(case: &Case) -> Result<Vec<Data>, String> {
    let folder = TempDir::new("expected");
    HEADERS.iter().for_each(|(name, text)| drop(folder.file(name, text)));
    let (source, built) = (folder.file("case.c", program(case)), folder.join("case"));
    let mut cc = Command::new("cc");
    cc.args(["-O2", "-march=native", "-w", "-o"]).arg(&built).arg(source).arg("-lm");
    done(case, cc.output())?;
    let run = Command::new(&built).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
    let output = run.and_then(|mut child| {
        let mut input = child.stdin.take().ok_or(std::io::ErrorKind::BrokenPipe)?;
        case.buffers.iter().try_for_each(|buffer| input.write_all(&buffer.data.bytes))?;
        drop(input);
        child.wait_with_output()
    });
    let bytes = done(case, output)?;
    let mut rest = bytes.as_slice();
    let contents = case.buffers.iter().filter(|buffer| is_compared(buffer.written)).map(|buffer| {
        let (own, others) = rest.split_at_checked(buffer.data.bytes.len())?;
        rest = others;
        Some(buffer.data.with_bytes(own.to_vec()))
    });
    contents.collect::<Option<_>>().ok_or_else(|| format!("{}: the loop ends early", case.name))
}

/// The output of a process that has succeeded.
fn done(case: &Case, output: std::io::Result<Output>) -> Result<Vec<u8>, String> {
    let output = output.map_err(|e| format!("{}, plain loop: {e}", case.name))?;
    let said = String::from_utf8_lossy(&output.stderr);
    let failed = || format!("{}, plain loop: {}: {said}", case.name, output.status);
    if output.status.success() { Ok(output.stdout) } else { Err(failed()) }
}

/// How the contents of a buffer are compared with the expected ones.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Check {
    /// The buffer is not compared, since it is temporary memory between launches.
    Scratch,
    /// All elements must be bit-exact.
    Equal,
    /// Each element must be within an absolute and a relative tolerance.
    Close(f64, f64),
    /// All elements must be exact except for this share of them, in kernels where rounding decides
    /// when a loop ends.
    Mostly(f64),
}

fn numbers(data: &Data) -> Vec<f64> {
    let (words, doubles) = (data.bytes.as_chunks().0, data.bytes.as_chunks().0);
    match data.dtype {
        Dtype::U32 => words.iter().map(|&v| u32::from_le_bytes(v).into()).collect(),
        Dtype::F32 => words.iter().map(|&v| f32::from_le_bytes(v).into()).collect(),
        Dtype::F64 => doubles.iter().map(|&v| f64::from_le_bytes(v)).collect(),
        _ => data.bytes.iter().map(|&v| v.into()).collect(),
    }
}

/// Describes how the contents of a buffer differ from the expected ones; `None` if they pass the
/// check.
pub(crate) fn differences(
    name: &str,
    check: Check,
    found: &Data,
    expected: &Data,
) -> Option<String> {
    let (found, expected) = (numbers(found), numbers(expected));
    if found.len() != expected.len() {
        return Some(format!("{name}: {} elements and not {}", found.len(), expected.len()));
    }
    let is_wrong = |found: f64, expected: f64| match check {
        Check::Scratch => false,
        Check::Equal | Check::Mostly(_) => found != expected,
        Check::Close(absolute, relative) => {
            let is_close = (found - expected).abs() <= absolute + relative * expected.abs();
            // The comparison is negated, so that NaN counts as different.
            !is_close
        }
    };
    let wrong = || (0..found.len()).filter(|&i| is_wrong(found[i], expected[i]));
    let allowed = match check {
        Check::Mostly(share) => (share * found.len() as f64) as usize,
        _ => 0,
    };
    let (count, first) = (wrong().count(), wrong().next()?);
    (count > allowed).then(|| {
        let (found, expected) = (found[first], expected[first]);
        format!("{name}: {count} elements are wrong; [{first}] is {found} and not {expected}")
    })
}
