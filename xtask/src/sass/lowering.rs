//! Compares the fetches that texunit generates for `tex.grad` in random modules with those in the
//! code of ptxas.

use super::SHOWN;
use crate::generate::grammar::{Variables, expand, yes};
use crate::oracle::folder;
use crate::ptxas::{Tool, each};
use object::Endianness;
use object::read::elf::{ElfFile64, ElfSection64};
use object::read::{Object, ObjectSection};
use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use std::process::{Command, Stdio};
use texunit_check::{Options, Ptxas, check_with};
use texunit_sass::control::PHASE;
use texunit_sass::txd::{
    AOFFI, BINDLESS, COORDINATES, INDEX, LC, MASK, NODEP, PARAM, PS, PT, RD, RZ,
};
use texunit_sass::{Arch, Txd, Word, listing};
use texunit_syntax::{Diagnostic, SourceFile, parse};
use texunit_testkit::Random;
use texunit_txd::lower::{self, Form, visible_functions};

/// A random module with `tex.grad`, and the options of ptxas for it.
struct Module {
    arch: Arch,
    /// The optimisation level of ptxas.
    level: usize,
    text: String,
}

impl Module {
    /// The random module with this number.
    fn random(seed: u64, item: u64) -> Self {
        let mut random = Random::of_item(seed ^ 0x6772_6164, item);
        let arch = random.of(Arch::ALL);
        let level = random.of(&[0, 1, 2, 3, 3, 3]);
        let variables = Variables::from([
            ("arch", arch.to_string()),
            ("independent", yes(random.chance(45))),
            // Otherwise a component counts as used if any instruction names its register.
            ("optimised", yes(level > 0)),
            ("half", yes(arch > Arch::Sm52)),
            ("resident", yes(arch >= Arch::Sm60)),
        ]);
        let text = expand("grad_module", &variables, &mut random);
        // Every load and store has an address of its own, so that ptxas merges none.
        let parts = text.split('#').enumerate().map(|(n, part)| match n {
            0 => part.to_owned(),
            n => format!("{}{part}", 8 * n),
        });
        Self { arch, level, text: parts.collect() }
    }
}

/// The fetches of a module as text without registers, with their numbers.
type Shapes = BTreeMap<String, usize>;

/// The result of comparing a module.
enum Outcome {
    /// texunit and ptxas generate the same fetches: number of TXD, number of others.
    Same(usize, usize),
    /// texunit and ptxas reject the module, or ptxas crashes.
    Refused,
    Differs(String),
}

/// Compares random modules; returns the number of differences.
pub(super) fn compare(
    tools: &[Tool],
    count: usize,
    seed: u64,
    scratch: &Path,
) -> io::Result<usize> {
    let outcomes = each(count, |item, slot| {
        let module = Module::random(seed, item as u64);
        let tool = &tools[item % tools.len()];
        let outcome = one(tool, &module, scratch, slot)?;
        Ok((tool.release, module, outcome))
    })?;
    println!("ptxas     -O   modules  refused      TXD   quads  differing");
    for release in tools.iter().map(|tool| tool.release) {
        for level in 0..4 {
            let rows = outcomes.iter().filter(|(r, m, _)| (*r, m.level) == (release, level));
            table_row(release, level, rows.map(|row| &row.2));
        }
    }
    let (folder, mut differing) = (folder()?, 0);
    for (n, (release, module, outcome)) in outcomes.iter().enumerate() {
        let Outcome::Differs(how) = outcome else { continue };
        let Module { arch, level, text } = module;
        let path = folder.join(format!("sass-{seed}-{n}.ptx"));
        std::fs::write(&path, format!("{text}// ptxas {release} -O{level} -arch={arch}\n{how}"))?;
        if differing < SHOWN {
            println!("\n{} (ptxas {release} -O{level} -arch={arch})\n{how}", path.display());
        }
        differing += 1;
    }
    Ok(differing)
}

fn table_row<'a>(release: Ptxas, level: usize, rows: impl Iterator<Item = &'a Outcome>) {
    let [mut modules, mut refused, mut txd, mut quads, mut differing] = [0; 5];
    for outcome in rows {
        modules += 1;
        match outcome {
            Outcome::Same(some, others) => (txd, quads) = (txd + some, quads + others),
            Outcome::Refused => refused += 1,
            Outcome::Differs(_) => differing += 1,
        }
    }
    println!(
        "{release:<8} {level:>3} {modules:>9} {refused:>8} {txd:>8} {quads:>7} {differing:>10}"
    );
}

fn one(tool: &Tool, module: &Module, scratch: &Path, slot: usize) -> io::Result<Outcome> {
    let ours = ours(module);
    let theirs = theirs(tool, module, scratch, slot)?;
    Ok(match (ours, theirs) {
        (_, Err(None)) | (Err(_), Err(_)) => Outcome::Refused,
        (Err(why), Ok(_)) => Outcome::Differs(format!("// only texunit refuses it: {why}\n")),
        (Ok(_), Err(Some(why))) => Outcome::Differs(format!("// only ptxas refuses it: {why}\n")),
        (Ok(ours), Ok(theirs)) if ours == theirs => {
            let txd = ours.iter().filter(|(shape, _)| shape.starts_with("TXD"));
            let (all, some) = (ours.values().sum::<usize>(), txd.map(|(_, n)| n).sum());
            Outcome::Same(some, (all - some) / 4)
        }
        (Ok(ours), Ok(theirs)) => {
            let line = |who: &str, list: &Shapes, other: &Shapes| -> String {
                let differing = list.iter().filter(|(shape, n)| other.get(*shape) != Some(n));
                differing.map(|(shape, n)| format!("// {who} {n} x {shape}\n")).collect()
            };
            Outcome::Differs(line("texunit", &ours, &theirs) + &line("ptxas  ", &theirs, &ours))
        }
    })
}

fn ours(module: &Module) -> Result<Shapes, String> {
    let source = SourceFile::new("module.ptx", module.text.as_str());
    let parsed = parse(&source);
    let checked = check_with(&source, &parsed.module, Options::PTXAS);
    let mut found = parsed.diagnostics.iter().chain(&checked.diagnostics);
    if let Some(error) = found.find(|d| Diagnostic::is_error(d)) {
        return Err(error.message.clone());
    }
    let mut shapes = Shapes::new();
    for lowered in lower::module(&checked.module, &visible_functions(&parsed.module), module.arch) {
        match lowered.form {
            Form::Txd(fetch) => {
                let mut word = fetch.txd;
                if module.level == 0 {
                    word.control = word.control.with(&PHASE, 0);
                    word = word
                        .with(&BINDLESS, word.get(&BINDLESS) | u64::from(by_value(&fetch.handle)));
                }
                *shapes.entry(txd(&word)).or_default() += 1;
            }
            Form::Quad(quad) => {
                let name = quad.fetch.replace("TEX.B", "TEX").replace(".P", "");
                let index = quad.index.filter(|_| module.level > 0 || !by_value(&quad.handle));
                let at = index.map_or(".B".to_owned(), |index| format!("{index:#x}"));
                let shape = format!("{name} {at} {} {:#x}", quad.coordinates, quad.mask);
                *shapes.entry(shape).or_default() += 4;
            }
            Form::Unused => {}
            Form::Refused(why) => return Err(why),
        }
    }
    Ok(shapes)
}

/// Whether a handle is a kernel parameter, which only unoptimised code loads into a register.
/// Unoptimised code also has no phases.
fn by_value(handle: &str) -> bool {
    handle.contains("kernel parameter, through")
}

/// The text of a TXD without registers. Its phase is left out, because it depends on dual issue.
fn txd(txd: &Txd) -> String {
    let mut shape = "TXD".to_owned();
    for flag in [&LC, &AOFFI, &NODEP] {
        if txd.has(flag) {
            shape += &format!(".{}", flag.name);
        }
    }
    if !txd.control.phase_p() && !txd.control.phase_t() {
        shape += " without phase";
    }
    let at = if txd.has(&BINDLESS) { ".B".to_owned() } else { format!("{:#x}", txd.get(&INDEX)) };
    shape += &format!(" {at} {} {:#x}", COORDINATES[txd.get(&PARAM) as usize], txd.get(&MASK));
    for (is, what) in [(txd.get(&PS) != PT, " Ps"), (txd.get(&RD) == RZ, " to RZ")] {
        shape += if is { what } else { "" };
    }
    shape
}

/// The text of a fetch that is part of a quad emulation; `None` for other fetches.
fn tex(word: &texunit_sass::texture_words::TextureWord) -> Option<String> {
    let parts = word.parts();
    let part = |name: &str| parts.iter().find(|p| p.0 == name).map_or(0, |p| p.1);
    let name = word.form.name;
    if !name.starts_with("TEX") || part("NDV") == 0 {
        return None;
    }
    let flags = ["LC", "AOFFI", "DC", "NDV", "NODEP"].into_iter().filter(|f| part(f) != 0);
    let flags: String = flags.map(|flag| format!(".{flag}")).collect();
    let lod = if part("lod") == 0 { "" } else { " with lod" };
    let at = if name == "TEX.B" { ".B".to_owned() } else { format!("{:#x}", part("index")) };
    let coordinates = COORDINATES[part("coordinates") as usize];
    Some(format!("TEX{flags}{lod} {at} {coordinates} {:#x}", part("mask")))
}

/// The fetches in the code of ptxas, or the beginning of its error; `None` if ptxas crashes.
fn theirs(
    tool: &Tool,
    module: &Module,
    scratch: &Path,
    slot: usize,
) -> io::Result<Result<Shapes, Option<String>>> {
    let (file, out) =
        (scratch.join(format!("module-{slot}.ptx")), scratch.join(format!("module-{slot}.cubin")));
    std::fs::write(&file, &module.text)?;
    let mut ptxas = Command::new(&tool.path);
    ptxas.args([format!("-arch={}", module.arch), format!("-O{}", module.level)]);
    let output = ptxas.arg(&file).arg("-o").arg(&out).stdin(Stdio::null()).output()?;
    if !output.status.success() {
        let text = String::from_utf8_lossy(&output.stderr);
        let first = text.lines().next().unwrap_or_default().to_owned();
        return Ok(Err(output.status.code().map(|_| first)));
    }
    let file = std::fs::read(&out)?;
    let cubin = ElfFile64::<Endianness>::parse(&*file).map_err(io::Error::other)?;
    let mut shapes = Shapes::new();
    let is_code = |section: &ElfSection64<'_, '_>| {
        section.name().is_ok_and(|name| name.starts_with(".text."))
    };
    for section in cubin.sections().filter(is_code) {
        let code = section.data().map_err(io::Error::other)?;
        for line in listing::lines(code).map_err(io::Error::other)? {
            let shape = match Word::decode(line.word, line.control, module.arch) {
                Word::Txd(word) => Some(txd(&word)),
                Word::TextureWord(word) => tex(&word),
                _ => None,
            };
            if let Some(shape) = shape {
                *shapes.entry(shape).or_default() += 1;
            }
        }
    }
    Ok(Ok(shapes))
}

#[cfg(test)]
mod tests {
    use super::{Module, ours};

    /// Random modules have fetches and no errors, because texunit and ptxas would both reject a
    /// module with errors, and nothing would be compared.
    #[test]
    fn random_modules_have_fetches_and_no_errors() {
        let modules: Vec<Module> = (0..200).map(|item| Module::random(3, item)).collect();
        assert!(modules.iter().all(|module| module.text.contains("tex.grad.")));
        assert!(modules.iter().filter(|module| ours(module).is_err()).count() < 20);
        assert_eq!(modules[7].text, Module::random(3, 7).text);
    }
}
