//! Compares the texts of random texture and surface words with those of nvdisasm.

use super::SHOWN;
use crate::ptxas::each;
use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use std::process::Command;
use texunit_sass::parse::parse;
use texunit_sass::print::Style;
use texunit_sass::texture_words::{FORMS, Form};
use texunit_sass::txd::{BINDLESS, INDEX, OPCODE, PS, PT};
use texunit_sass::{Arch, Control, Word, control};
use texunit_testkit::Random;

/// Number of words that nvdisasm gets in one file.
const BATCH: usize = 500;
/// Number of words compared that texunit rejects. Each needs a run of nvdisasm of its own.
const REFUSED: usize = 300;
/// Number of words compared that texunit does not recognise as instructions.
const UNKNOWN: usize = 300;
/// The instruction word of a NOP, which fills a group.
const NOP: u64 = 0x50b0_0000_0007_0f00;
/// Names of instructions that texunit must recognise.
const OURS: [&str; 11] =
    ["TXD", "TEX", "TEXS", "TLD", "TLDS", "TLD4", "TLD4S", "TXQ", "SULD", "SUST", "SURED"];

#[derive(Clone, Copy, Debug)]
struct SampledWord {
    arch: Arch,
    word: u64,
    control: Control,
}

impl SampledWord {
    fn random(seed: u64, item: u64) -> Self {
        let mut random = Random::of_item(seed, item);
        let arch = random.of(Arch::ALL);
        let mut word = random.u64();
        // A quarter of the words are TXD; the forms of the other instructions are equally frequent.
        if random.chance(25) {
            word = OPCODE.set(word, OPCODE.absent());
        } else if random.chance(98) {
            let form = random.below(FORMS.len());
            while Form::of(word).is_none_or(|f| f.name != FORMS[form].name) {
                word = random.u64();
            }
        }
        // Often there is no predicate result, because sm_50 does not have it.
        if random.chance(40) {
            word |= PT << PS.low;
        }
        // Register fields are often set to RZ, because random ones rarely are.
        for low in [0, 8, 20, 28] {
            if random.chance(20) {
                word |= 0xff << low;
            }
        }
        let bits = random.below(1 << Control::BITS) as u32;
        let control = Control::new(bits).unwrap_or(Control::NONE);
        // Dual issue is mostly avoided, because the group has no second instruction to issue.
        let paired = control.is_dual_issue() && random.chance(90);
        let control = if paired { control.with(&control::SCHED, 1) } else { control };
        Self { arch, word, control }
    }

    fn ours(&self) -> Word {
        Word::decode(self.word, self.control, self.arch)
    }

    /// Parses the printed text of a TXD, which must give the word again; returns the error.
    fn back(&self) -> Option<String> {
        let Word::Txd(txd) = self.ours() else { return None };
        let text = self.ours().text(Style::Isa)?;
        let word = if txd.has(&BINDLESS) { INDEX.set(txd.word, 0) } else { txd.word };
        match parse(&text) {
            Ok(back) if (back.txd.word, back.txd.control) == (word, self.control) => None,
            Ok(back) => Some(format!("{text} comes back as {:#018x}", back.txd.word)),
            Err(error) => Some(format!("{text} does not come back: {}", error.message)),
        }
    }
}

/// Compares the texts of random words with those of nvdisasm; returns the number of differences.
pub(super) fn compare(tool: &Path, count: usize, seed: u64, scratch: &Path) -> io::Result<usize> {
    let asked: Vec<SampledWord> = (0..count as u64).map(|n| SampledWord::random(seed, n)).collect();
    let mut counts: BTreeMap<(&str, Arch), usize> = BTreeMap::new();
    let (mut batches, mut alone) = (Vec::new(), Vec::new());
    for &arch in Arch::ALL {
        let mut right = Vec::new();
        for asked in asked.iter().filter(|a| a.arch == arch) {
            let (kind, most) = match asked.ours() {
                Word::Txd(_) => ("TXD", None),
                Word::TextureWord(other) => (other.form.name, None),
                Word::Refused { .. } => ("refused", Some(REFUSED)),
                Word::Unknown => ("of another kind", Some(UNKNOWN)),
            };
            let count = counts.entry((kind, arch)).or_default();
            match most {
                Some(most) if *count >= most / Arch::ALL.len() => continue,
                Some(_) => alone.push(*asked),
                None => right.push(*asked),
            }
            *count += 1;
        }
        batches.extend(right.chunks(BATCH).map(<[SampledWord]>::to_vec));
    }
    let print = |name, slot| scratch.join(format!("{name}-{slot}.bin"));
    let mut wrong: Vec<String> =
        each(batches.len(), |n, slot| batch(tool, &batches[n], &print("words", slot)))?.concat();
    wrong.extend(each(alone.len(), |n, slot| one(tool, alone[n], &print("word", slot)))?.concat());
    wrong.extend(asked.iter().filter_map(SampledWord::back));
    table(&counts);
    println!("{} words, {} differ", counts.values().sum::<usize>(), wrong.len());
    wrong.iter().take(SHOWN).for_each(|line| println!("  {line}"));
    Ok(wrong.len())
}

fn table(counts: &BTreeMap<(&str, Arch), usize>) {
    let row =
        |cell: &dyn Fn(Arch) -> String| Arch::ALL.iter().copied().map(cell).collect::<String>();
    println!("word         {}", row(&|arch| format!("{arch:>7}")));
    let mut names: Vec<&str> = counts.keys().map(|(name, _)| *name).collect();
    names.dedup();
    for name in names {
        let count = |arch| counts.get(&(name, arch)).copied().unwrap_or(0);
        println!("{name:<13}{}", row(&|arch| format!("{:>7}", count(arch))));
    }
}

/// The texts that nvdisasm prints for words, each in a group of its own, or the address of the
/// first rejected word.
fn disassembled(
    tool: &Path,
    words: &[SampledWord],
    file: &Path,
) -> io::Result<Result<Vec<String>, usize>> {
    let mut code = Vec::with_capacity(32 * words.len());
    for asked in words {
        let group = Control::group([asked.control, Control::NONE, Control::NONE]);
        for word in [group, asked.word, NOP, NOP] {
            code.extend_from_slice(&word.to_le_bytes());
        }
    }
    std::fs::write(file, code)?;
    let arch = words.first().map_or(Arch::Sm52, |asked| asked.arch);
    let name = arch.name().replace("sm_", "SM");
    let output = Command::new(tool).args(["-b", &name, "-raw"]).arg(file).output()?;
    let (out, err) =
        (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    if !output.status.success() {
        let digits = err.rsplit_once("0x").map(|(_, rest)| rest.trim());
        let address = digits.and_then(|hex| usize::from_str_radix(hex, 16).ok());
        return address.map(|at| Err(at / 32)).ok_or_else(|| {
            io::Error::other(format!("nvdisasm: {}", err.lines().next().unwrap_or_default()))
        });
    }
    Ok(Ok(texts(&out)))
}

/// The texts of the first instruction of each group in a listing of nvdisasm.
fn texts(listing: &str) -> Vec<String> {
    let text = |line: &str| {
        let (address, text) = line.trim().strip_prefix("/*")?.split_once("*/")?;
        let first = usize::from_str_radix(address, 16).ok()? % 32 == 8;
        let text = text.trim().trim_end_matches(['}', ' ']).trim_end_matches(';');
        // White space is normalised, because nvdisasm aligns the text after a brace to a column.
        first.then(|| text.split_whitespace().collect::<Vec<_>>().join(" "))
    };
    listing.lines().filter_map(text).collect()
}

/// The texts of the valid words, which nvdisasm gets in one file. A word that nvdisasm rejects is
/// left out in the next attempt.
fn batch(tool: &Path, words: &[SampledWord], file: &Path) -> io::Result<Vec<String>> {
    let mut words = words.to_vec();
    let mut wrong = Vec::new();
    loop {
        match disassembled(tool, &words, file)? {
            Ok(texts) => {
                if texts.len() != words.len() {
                    let message = format!("{} texts of {} words", texts.len(), words.len());
                    return Err(io::Error::other(message));
                }
                for (asked, theirs) in words.iter().zip(&texts) {
                    let ours = asked.ours().text(Style::Nvidia).unwrap_or_default();
                    if ours != *theirs {
                        wrong.push(difference(asked, &ours, theirs));
                    }
                }
                return Ok(wrong);
            }
            Err(n) if n < words.len() => {
                let asked = words.remove(n);
                let ours = asked.ours().text(Style::Nvidia).unwrap_or_default();
                wrong.push(difference(&asked, &ours, "refused"));
            }
            Err(n) => return Err(io::Error::other(format!("there is no word {n}"))),
        }
    }
}

fn difference(asked: &SampledWord, ours: &str, theirs: &str) -> String {
    let SampledWord { arch, word, control } = asked;
    format!("{arch} {word:#018x} {:#08x}: {ours} | nvdisasm: {theirs}", control.bits())
}

/// Describes the difference if nvdisasm accepts a word that texunit rejects or does not recognise.
fn one(tool: &Path, asked: SampledWord, file: &Path) -> io::Result<Vec<String>> {
    let Ok(texts) = disassembled(tool, &[asked], file)? else { return Ok(Vec::new()) };
    let theirs = texts.concat();
    let bare = theirs.trim_start_matches("{ ");
    let bare = if bare.starts_with('@') { bare.split_once(' ').map_or("", |b| b.1) } else { bare };
    let known = OURS.contains(&bare.split(['.', ' ']).next().unwrap_or_default());
    // The modifier says that both phases are set, which is invalid although nvdisasm prints it.
    let invalid = bare.starts_with("TXD") && bare.contains(".INVALIDPHASE3");
    let wrong = !invalid && (known || matches!(asked.ours(), Word::Refused { .. }));
    Ok(wrong.then(|| difference(&asked, "refused", &theirs)).into_iter().collect())
}

#[cfg(test)]
mod tests {
    use super::texts;

    #[test]
    fn the_listing() {
        let listing = "\t.headerflags\t@\"EF\"\n        /*0008*/                   TXD R0, R2, R4, 0x105, 2D, 0xf;\n        \
                       /*0010*/   NOP;\n  /*0018*/  NOP;\n  /*0028*/  {     @P0 TEX R0, R2, 0x1, 1D, 0xf;\n /*0030*/ NOP; }\n";
        assert_eq!(
            texts(listing),
            ["TXD R0, R2, R4, 0x105, 2D, 0xf", "{ @P0 TEX R0, R2, 0x1, 1D, 0xf"]
        );
    }
}
