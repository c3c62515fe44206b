//! Measures the errors of the unit's functions: the table and the figure of
//! docs/special-functions.md. `TEXUNIT_BLESS=1` writes both instead of comparing them.
//!
//! The f64 function of Rust's standard library serves as the exact value. Its relative error is
//! below 2^-50, which can decide the rounding of one operand in ten million.

mod figure;
mod rows;

use rows::{Row, rows};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

/// A summary of the errors of many operands.
#[derive(Clone, Copy, Default)]
struct Errors {
    count: u64,
    /// Number of results that are correctly rounded.
    equal: u64,
    /// The largest error, in units of the last place of the exact value.
    largest: f64,
    absolute: f64,
}

/// The unit of the last place of a number with `bits` significant bits.
fn ulp(exact: f64, bits: i32) -> f64 {
    let exponent = (exact.abs().to_bits() >> 52) as i32 - 1023;
    2f64.powi(exponent - bits + 1)
}

impl Errors {
    fn of(row: &Row) -> Self {
        let mut errors = Self::default();
        for n in 0..row.operands.count() {
            let (x, result) = row.operands.nth(n, row.function);
            let exact = (row.exact)(x);
            let ulp = ulp(exact, row.bits);
            let error = (result - exact).abs();
            errors.count += 1;
            errors.equal += u64::from((exact / ulp).round_ties_even() * ulp == result);
            errors.largest = errors.largest.max(error / ulp);
            errors.absolute = errors.absolute.max(error);
        }
        errors
    }
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..")
}

/// Compares a text with that of a file, or writes the file if `TEXUNIT_BLESS` is set.
fn check(path: &Path, found: &str) {
    if std::env::var_os("TEXUNIT_BLESS").is_some() {
        std::fs::write(path, found).expect("a file that can be written");
    }
    let kept = std::fs::read_to_string(path).unwrap_or_default();
    assert!(kept == found, "{} is out of date: run with TEXUNIT_BLESS=1", path.display());
}

const HEAD: &str = "| function | operands | number | correctly rounded | largest error, ulp | largest error, absolute |\n|---|---|--:|--:|--:|--:|\n";

/// Groups digits by three: 1234567 becomes 1,234,567.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (n, digit) in digits.chars().enumerate() {
        if n > 0 && (digits.len() - n).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

fn table() -> String {
    let rows = rows();
    let next = AtomicUsize::new(0);
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let mut measured = vec![];
    std::thread::scope(|scope| {
        let work = || {
            let mut done = vec![];
            while let Some((n, row)) =
                Some(next.fetch_add(1, Ordering::Relaxed)).and_then(|n| Some((n, rows.get(n)?)))
            {
                done.push((n, Errors::of(row)));
            }
            done
        };
        let all: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        measured.extend(all.into_iter().flat_map(|thread| thread.join().expect("no panic")));
    });
    measured.sort_by_key(|(n, _)| *n);
    let mut text = HEAD.to_owned();
    for (row, (_, errors)) in rows.iter().zip(measured) {
        let share = 100.0 * errors.equal as f64 / errors.count as f64;
        // Near a zero of a function, its error in ulp has no bound.
        let largest = match errors.largest {
            ..1000.0 => format!("{:.2}", errors.largest),
            _ => "-".to_owned(),
        };
        let (name, operands, count) = (row.name, row.text, grouped(errors.count));
        let exponent = errors.absolute.log2();
        let _ = writeln!(
            text,
            "| {name} | {operands} | {count} | {share:.2} % | {largest} | 2^{exponent:.2} |"
        );
    }
    text
}

#[test]
fn the_table_of_the_page() {
    let path = root().join("docs/special-functions.md");
    let page = std::fs::read_to_string(&path).expect("the page");
    let (before, rest) = page.split_once(HEAD).expect("the table");
    let rows = rest.split_inclusive('\n').take_while(|line| line.starts_with('|')).map(str::len);
    let after = &rest[rows.sum()..];
    check(&path, &format!("{before}{}{after}", table()));
}

#[test]
fn the_figure_of_the_page() {
    check(&root().join("docs/special-functions.svg"), &figure::svg());
}
