//! Architectures: the PTX version that introduced each architecture, the releases of ptxas that
//! accept it in `.target` and that can assemble for it, and the GPUs for which a module can be
//! assembled. The data were measured with all four releases of ptxas.

use crate::options::{Architecture, Ptxas};
use std::sync::LazyLock;

/// Properties of an architecture.
struct ArchitectureRow {
    number: u32,
    /// First PTX version (times ten) of `sm_N`, `sm_Na`, `sm_Nf`; 0 if the variant does not exist.
    versions: [u32; 3],
    /// First release of ptxas that accepts the architecture in `.target`.
    read: Ptxas,
    /// First and last release of ptxas that assemble for the architecture.
    assembled: Option<(Ptxas, Ptxas)>,
    /// Family number: modules for `sm_Nf` can be assembled for later members of the family.
    family: u32,
}

use Ptxas::{V12_4, V12_9, V13_5};

static ROWS: LazyLock<Vec<ArchitectureRow>> = LazyLock::new(|| {
    let row = |line: &str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let [number, plain, exact, family, read, first, last, of_family] = words.try_into().ok()?;
        Some(ArchitectureRow {
            number: number.parse().ok()?,
            versions: [plain.parse().ok()?, exact.parse().ok()?, family.parse().ok()?],
            read: read.parse().ok()?,
            assembled: first.parse().ok().zip(last.parse().ok()),
            family: of_family.parse().ok()?,
        })
    };
    let lines = include_str!("architectures.txt").lines().filter(|line| !line.starts_with('#'));
    lines.map(|line| row(line).unwrap_or_else(|| panic!("no architecture: {line}"))).collect()
});

/// An architecture as ptxas parses it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Read {
    pub(crate) architecture: Architecture,
    /// Whether the number is followed by letters that ptxas ignores.
    pub(crate) junk: bool,
}

/// Why a module of one architecture cannot be assembled for another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mismatch {
    /// The GPU is older than the module's target.
    Older,
    /// The target is `sm_Na`, whose modules can be assembled only for `sm_Na`.
    Exact,
    /// The target is `sm_Nf`, whose modules can be assembled only for its family.
    Family,
}

fn find(number: u32) -> Option<&'static ArchitectureRow> {
    ROWS.iter().find(|r| r.number == number)
}

/// First PTX version (times ten) of an architecture; 0 if the architecture does not exist.
pub fn first_version(architecture: Architecture) -> u32 {
    let column = match architecture.suffix {
        None => 0,
        Some('a') => 1,
        Some(_) => 2,
    };
    find(architecture.number).map_or(0, |r| r.versions[column])
}

/// Parses `sm_75`, `compute_90a` as a release of ptxas does: only the last letter counts, and 11.8
/// recognises no letter.
pub(crate) fn read(text: &str, release: Ptxas) -> Option<Read> {
    let rest = text.strip_prefix("sm_").or_else(|| text.strip_prefix("compute_"))?;
    let end = rest.bytes().position(|b| !b.is_ascii_digit()).unwrap_or(rest.len());
    let (digits, letters) = rest.split_at(end);
    let row = find(digits.parse().ok()?).filter(|r| r.read <= release)?;
    let suffix = letters.chars().last().filter(|c| match c {
        'a' => release >= V12_4,
        'f' => release >= V12_9,
        _ => false,
    });
    let architecture = Architecture { number: row.number, suffix };
    let junk = letters.len() > suffix.map_or(0, char::len_utf8);
    (first_version(architecture) > 0).then_some(Read { architecture, junk })
}

/// Whether a release of ptxas can assemble for a GPU.
pub fn assembles(arch: Architecture, release: Ptxas) -> bool {
    let known = find(arch.number).and_then(|r| r.assembled);
    let suffixed = match arch.suffix {
        None => true,
        Some('a') => release >= V12_4,
        Some(_) => release >= V12_9,
    };
    suffixed
        && first_version(arch) > 0
        && known.is_some_and(|(first, last)| (first..=last).contains(&release))
}

/// Whether a module for `target` can be assembled for `arch`.
pub(crate) fn compatible(
    target: Architecture,
    arch: Architecture,
    release: Ptxas,
) -> Result<(), Mismatch> {
    // sm_101 has been renamed to sm_110 since 13.5.
    let renamed = |n: u32| if n == 101 && release >= V13_5 { 110 } else { n };
    if target.number > arch.number {
        return Err(Mismatch::Older);
    }
    let family = |a: Architecture| match find(a.number) {
        Some(r) if r.number == 101 && release < V13_5 => 101,
        Some(r) => r.family,
        None => 0,
    };
    match target.suffix {
        Some('a') if renamed(target.number) != arch.number || arch.suffix != Some('a') => {
            Err(Mismatch::Exact)
        }
        Some('f') if family(target) != family(arch) => Err(Mismatch::Family),
        _ => Ok(()),
    }
}

/// All architectures that `.target` can name, in ascending order, with and without suffixes.
pub fn architectures() -> impl Iterator<Item = Architecture> {
    let suffixes = [None, Some('a'), Some('f')];
    let all = ROWS
        .iter()
        .flat_map(move |row| suffixes.map(|suffix| Architecture { number: row.number, suffix }));
    all.filter(|&architecture| first_version(architecture) > 0)
}

/// The architecture numbers that a release of ptxas knows, for a help text.
pub(crate) fn known(release: Ptxas) -> String {
    let numbers = ROWS.iter().filter(|r| r.read <= release).map(|r| r.number.to_string());
    numbers.collect::<Vec<_>>().join(", ")
}

/// Versions of the PTX ISA (times ten): first and last of each major version.
#[rustfmt::skip]
const VERSIONS: &[(u32, u32)] = &[
    (10, 15), (20, 23), (30, 32), (40, 43), (50, 51), (60, 65), (70, 78), (80, 88), (90, 95),
];

/// All versions of the PTX ISA in order: major, minor.
pub fn versions() -> impl Iterator<Item = (u32, u32)> {
    VERSIONS.iter().flat_map(|&(first, last)| (first..=last).map(|v| (v / 10, v % 10)))
}

/// A `.version` as a release of ptxas parses it: as 10 * major + minor, so that 2.10 is 3.0.
pub(crate) fn version(major: u32, minor: u32, release: Ptxas) -> Option<(u32, u32)> {
    let joined = major.checked_mul(10)?.checked_add(minor)?;
    let (newest, last) = release.newest_version();
    let known = VERSIONS.iter().any(|(a, b)| (*a..=*b).contains(&joined));
    (known && joined <= newest * 10 + last).then_some((joined / 10, joined % 10))
}

#[cfg(test)]
mod tests {
    use super::Ptxas::V11_8;
    use super::*;

    fn arch(text: &str) -> Architecture {
        text.parse().unwrap()
    }

    #[test]
    fn numbers_ascend() {
        assert!(ROWS.is_sorted_by(|a, b| a.number < b.number));
    }

    #[test]
    fn letters() {
        let suffix = |text, release| read(text, release).map(|r| (r.architecture.suffix, r.junk));
        assert_eq!(suffix("sm_90a", V11_8), Some((None, true)));
        assert_eq!(suffix("sm_90a", V12_4), Some((Some('a'), false)));
        assert_eq!(suffix("sm_90ab", V12_4), Some((None, true)));
        assert_eq!(suffix("sm_75a", V12_4), None);
        assert_eq!(suffix("sm_75f", V12_4), Some((None, true)));
        assert_eq!(suffix("sm_75f", V12_9), None);
        assert_eq!(suffix("sm_120f", V12_9), Some((Some('f'), false)));
        assert_eq!(suffix("sm_110", V12_9), None);
        assert_eq!(suffix("sm_99999999999", V13_5), None);
    }

    #[test]
    fn machines() {
        let check = |t, a, release| compatible(arch(t), arch(a), release);
        assert_eq!(check("sm_80", "sm_75", V12_9), Err(Mismatch::Older));
        assert_eq!(check("sm_90a", "sm_100a", V12_9), Err(Mismatch::Exact));
        assert_eq!(check("sm_90a", "sm_90", V12_9), Err(Mismatch::Exact));
        assert_eq!(check("sm_100f", "sm_103", V12_9), Ok(()));
        assert_eq!(check("sm_100f", "sm_101", V12_9), Err(Mismatch::Family));
        assert_eq!(check("sm_101a", "sm_110a", V13_5), Ok(()));
        assert_eq!(check("sm_101f", "sm_103", V12_9), Err(Mismatch::Family));
        assert!(assembles(arch("sm_50"), V12_9) && !assembles(arch("sm_50"), V13_5));
        assert!(!assembles(arch("sm_82"), V12_9) && !assembles(arch("sm_90a"), V11_8));
    }

    #[test]
    fn versions_are_joined() {
        assert_eq!(version(2, 10, V11_8), Some((3, 0)));
        assert_eq!(version(1, 6, V13_5), None);
        assert_eq!(version(8, 0, V11_8), None);
        assert_eq!(version(u32::MAX, 1, V13_5), None);
    }
}
