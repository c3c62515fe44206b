//! The head of a module and the environment of a kernel: version, target, texturing mode, variables
//! and registers; random registers by type.

use super::Question;
use std::fmt::Write as _;
use texunit_check::{Architecture, Ptxas, architectures, assembles, first_version, versions};
use texunit_testkit::Random;

/// Targets that most modules name, if the release assembles for them.
const COMMON: &[u32] = &[50, 60, 70, 75, 75, 75, 80, 86, 89, 90, 90, 100, 103, 120];

/// The architectures that a ptxas release assembles for, without variants with a suffix letter.
pub(super) fn machines(release: Ptxas) -> Vec<u32> {
    numbers(|architecture| assembles(architecture, release))
}

/// The numbers of architectures without a suffix letter for which `is_wanted` is true.
fn numbers(is_wanted: impl Fn(Architecture) -> bool) -> Vec<u32> {
    let plain = architectures().filter(|a| a.suffix.is_none() && is_wanted(*a));
    plain.map(|architecture| architecture.number).collect()
}

/// Version, target and texturing mode of a module, and the ptxas release that judges it.
#[derive(Clone, Debug)]
pub(super) struct Setup {
    /// The family of the modules.
    family: &'static str,
    pub(super) release: Ptxas,
    /// The architecture that ptxas assembles for, without `sm_`.
    pub(super) arch: String,
    pub(super) target: u32,
    /// The letter at the end of the target's name, `a` or `f`, or an empty text.
    suffix: &'static str,
    /// The PTX version times ten.
    pub(super) version: u32,
    /// The text that follows the target, such as a texturing mode.
    pub(super) options: &'static str,
}

impl Setup {
    pub(super) fn new(family: &'static str, release: Ptxas, random: &mut Random) -> Self {
        let (major, minor) = release.newest_version();
        let newest = major * 10 + minor;
        let all: Vec<u32> = versions().map(|(major, minor)| 10 * major + minor).collect();
        let version = if random.chance(55) { newest } else { random.of(&all).min(newest) };
        let common: Vec<u32> =
            COMMON.iter().copied().filter(|t| machines(release).contains(t)).collect();
        let target =
            if random.chance(65) { random.of(&common) } else { random.of(&numbers(|_| true)) };
        let suffix = match target {
            // ptxas 12.4 has no `compute_90a`.
            90 if release >= Ptxas::V12_9 => random.of(&["", "a"]),
            100.. if release >= Ptxas::V12_9 => random.of(&["", "a", "f"]),
            _ => "",
        };
        let least = first_version(Architecture { number: target, suffix: suffix.chars().next() });
        let version =
            if version < least && random.chance(90) { least.min(newest) } else { version };
        let machine = machine(release, target, random);
        // Code for `sm_90a` runs on that machine only.
        let arch = match random.chance(90) && !suffix.is_empty() {
            true => format!("{target}{suffix}"),
            false => machine.to_string(),
        };
        let options = match random.below(10) {
            _ if version < 15 => "",
            0..=3 => ", texmode_independent",
            4 => ", texmode_unified",
            _ => "",
        };
        Self { family, release, arch, target, suffix, version, options }
    }

    /// Parses a head, such as `8.8 75` or `7.8 80, texmode_independent`.
    pub(super) fn read(release: Ptxas, head: &str) -> Self {
        let (version, rest) = head.split_once(' ').unwrap_or((head, "75"));
        let (target, options) = rest.split_once(',').unwrap_or((rest, ""));
        let digits: String = version.chars().filter(char::is_ascii_digit).collect();
        let (target, suffix) = match target.trim() {
            t if t.ends_with('a') => (&t[..t.len() - 1], "a"),
            t if t.ends_with('f') => (&t[..t.len() - 1], "f"),
            t => (t, ""),
        };
        let target = target.parse().unwrap_or(75);
        let least = machines(release).into_iter().find(|m| *m >= target);
        Self {
            family: "given",
            release,
            arch: match suffix {
                "" => least.or(machines(release).pop()).unwrap_or(target).to_string(),
                _ => format!("{target}{suffix}"),
            },
            target,
            suffix,
            version: digits.parse().unwrap_or(78),
            options: if options.contains("independent") { ", texmode_independent" } else { "" },
        }
    }

    pub(super) fn independent(&self) -> bool {
        self.options.contains("independent")
    }

    /// The directives `.version`, `.target` and `.address_size`.
    pub(super) fn head(&self) -> String {
        let (major, minor) = (self.version / 10, self.version % 10);
        let mut text = format!(
            ".version {major}.{minor}\n.target sm_{}{}{}\n",
            self.target, self.suffix, self.options
        );
        if self.version >= 23 {
            text += ".address_size 64\n";
        }
        text
    }

    /// The text of a module before the instructions of a kernel.
    pub(super) fn prefix(&self) -> String {
        let mut variables = String::new();
        if self.version >= 15 {
            variables += ".global .texref tex_a;\n.global .surfref surf_a;\n";
        }
        if self.independent() {
            variables += ".global .samplerref smp_a;\n";
        }
        variables +=
            ".global .u32 gi;\n.global .align 16 .b8 ga[64];\n.shared .align 16 .b32 sh[16];\n";
        variables += ".const .f32 cf;\n";
        let text = self.prefix_with(&variables, ".param .u64 pa, .param .u32 pb");
        text + ".local .align 16 .b32 lo[8];\n"
    }

    /// The text of a module before its registers, with the variables and parameters of a family.
    pub(super) fn prefix_with(&self, variables: &str, params: &str) -> String {
        let mut text = self.head() + variables;
        let _ = match self.version {
            // Kernels have no list of parameters yet.
            ..14 => writeln!(text, ".entry k()\n{{\n{};", params.replace(", ", ";\n")),
            _ => writeln!(text, ".entry k({params})\n{{"),
        };
        for (ty, name, since) in REGISTERS {
            let target = match *ty {
                "f16x2" => 53,
                "b128" => 70,
                _ => 0,
            };
            if self.version >= *since && self.target >= target {
                let _ = writeln!(text, ".reg .{ty} {name}<6>;");
            }
        }
        text + VECTORS
    }

    /// Makes a question about instructions in a kernel.
    pub(super) fn question(self, lines: Vec<String>) -> Question {
        let (prefix, suffix) = (self.prefix(), "here:\nret;\n}\n".to_owned());
        Question { prefix, lines, suffix, ..self.of_module(String::new()) }
    }

    /// Makes a question about a whole module.
    pub(super) fn of_module(self, module: String) -> Question {
        Question::of_module(self.family, self.release, self.arch, module)
    }
}

/// A random architecture that runs code for `target`: usually the lowest that ptxas assembles for,
/// or a later one.
pub(super) fn machine(release: Ptxas, target: u32, random: &mut Random) -> u32 {
    let later: Vec<u32> = machines(release).into_iter().filter(|m| *m >= target).collect();
    match later.first() {
        Some(first) if random.chance(60) => *first,
        Some(_) => random.of(&later),
        None => random.of(&machines(release)),
    }
}

/// Type, name and first version (times ten) of the registers; every kernel has six of each.
#[rustfmt::skip]
pub(super) const REGISTERS: &[(&str, &str, u32)] = &[
    ("pred", "%p", 10),
    ("b8", "%qb", 10), ("u8", "%qu", 10), ("s8", "%qs", 10),
    ("b16", "%hb", 10), ("u16", "%hu", 10), ("s16", "%hs", 10), ("f16", "%h", 10),
    ("b32", "%r", 10), ("u32", "%u", 10), ("s32", "%s", 10), ("f32", "%f", 10), ("f16x2", "%hh", 42),
    ("b64", "%bd", 10), ("u64", "%rd", 10), ("s64", "%sd", 10), ("f64", "%fd", 10),
    ("b128", "%bq", 83),
];

/// Declarations of vector registers.
const VECTORS: &str = "\
.reg .v4 .f32 %vf;\n.reg .v4 .b32 %vr;\n.reg .v2 .f32 %wf;\n.reg .v2 .s32 %ws;\n.reg .v4 .s32 %vs;\n.reg .v2 .b64 %wd;\n";

/// Width of a type in bits; 0 for a word that is not a type.
pub(super) fn bits(ty: &str) -> u32 {
    match ty {
        "pred" => 1,
        "f16x2" | "bf16x2" | "u16x2" | "s16x2" | "tf32" => 32,
        "e4m3x2" | "e5m2x2" => 16,
        "texref" | "samplerref" | "surfref" => 64,
        _ => ty.trim_start_matches(|c: char| c.is_ascii_alphabetic()).parse().unwrap_or(0),
    }
}

/// A random register whose type satisfies `fits`, or any register if none does.
fn register_that(random: &mut Random, fits: impl Fn(&str) -> bool) -> String {
    let fitting: Vec<&str> =
        REGISTERS.iter().filter(|(ty, ..)| fits(ty)).map(|(_, name, _)| *name).collect();
    let name = if fitting.is_empty() { "%r" } else { random.of(&fitting) };
    format!("{name}{}", random.below(6))
}

/// A random register of this type, or an untyped one of the same width.
pub(super) fn good(ty: &str, random: &mut Random) -> String {
    let plain = random.chance(40);
    let width = bits(ty);
    let exact = REGISTERS.iter().any(|(t, ..)| *t == ty);
    register_that(random, |t| match exact && !plain {
        true => t == ty,
        false => t == ty || t.starts_with('b') && bits(t) == width,
    })
}

/// A random register of any type with this type's width.
pub(super) fn near(ty: &str, random: &mut Random) -> String {
    register_that(random, |t| bits(t) == bits(ty))
}

/// A random register of any type.
pub(super) fn any_register(random: &mut Random) -> String {
    register_that(random, |_| true)
}
