//! Generates random modules to be judged by ptxas and by texunit, by family. A seed determines all
//! of them.

mod family;
pub(crate) mod grammar;
mod instruction;
mod mutation;
mod setup;

use setup::Setup;
use texunit_check::Ptxas;
use texunit_testkit::Random;

/// Number of instructions that one module contains.
const TOGETHER: usize = 40;

/// Modules that differ in one line: prefix, one of the lines, suffix. A whole module is a single
/// line without prefix and suffix.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Question {
    pub(crate) family: &'static str,
    pub(crate) release: Ptxas,
    /// The architecture that ptxas assembles for, without `sm_`: `75`, `90a`.
    pub(crate) arch: String,
    /// Whether ptxas also generates code, since it counts references only then.
    pub(crate) assemble: bool,
    pub(crate) prefix: String,
    pub(crate) lines: Vec<String>,
    pub(crate) suffix: String,
}

impl Question {
    /// The module that contains these lines of the question.
    pub(crate) fn module(&self, lines: &[usize]) -> String {
        let mut text = self.prefix.clone();
        for &n in lines {
            text += &self.lines[n];
            text.push('\n');
        }
        text + &self.suffix
    }

    /// A question about a whole module.
    fn of_module(family: &'static str, release: Ptxas, arch: String, module: String) -> Self {
        let (prefix, suffix) = (String::new(), String::new());
        Self { family, release, arch, assemble: false, prefix, lines: vec![module], suffix }
    }

    /// Questions about the lines of a text. Each module has the given head, such as `8.8 75,
    /// texmode_independent`.
    pub(crate) fn of_lines(release: Ptxas, head: &str, text: &str) -> Vec<Self> {
        let setup = Setup::read(release, head);
        let lines: Vec<String> = text.lines().map(str::to_owned).collect();
        lines.chunks(TOGETHER).map(|c| setup.clone().question(c.to_vec())).collect()
    }

    /// The line number in a module of the first line after the prefix.
    pub(crate) fn first_line(&self) -> usize {
        self.prefix.matches('\n').count() + 1
    }
}

/// The selected families, and the material that they draw random modules from.
pub(crate) struct Families {
    releases: Vec<Ptxas>,
    only: Option<usize>,
    examples: Vec<mutation::Example>,
}

impl Families {
    /// The names of all families.
    #[rustfmt::skip]
    pub(crate) const NAMES: [&'static str; 12] = [
        "texture", "declaration", "ordinary", "mutation", "control", "array", "directive", "call", "item", "constant",
        "name", "spelling",
    ];

    /// The weight of each family, in the order of [`Families::NAMES`].
    const WEIGHTS: [usize; 12] = [30, 20, 20, 20, 10, 10, 5, 5, 5, 5, 5, 5];

    /// Reads the bundled examples, which mutations start from.
    pub(crate) fn new(only: Option<&str>, releases: &[Ptxas]) -> std::io::Result<Self> {
        let only = only.and_then(|name| Self::NAMES.iter().position(|n| *n == name));
        Ok(Self { releases: releases.to_vec(), only, examples: mutation::examples()? })
    }

    /// Generates `count` modules; instructions with the same head are in one question.
    pub(crate) fn questions(&self, seed: u64, count: usize) -> Vec<Question> {
        let mut questions = Vec::new();
        // Families are scheduled so that any prefix of the sequence has them in proportion to their
        // weights.
        let weights = Self::WEIGHTS.map(|w| count * w / Self::WEIGHTS.iter().sum::<usize>());
        let mut owed = weights;
        owed[0] += count - weights.iter().sum::<usize>();
        if let Some(only) = self.only {
            owed = [0; Self::NAMES.len()];
            owed[only] = count;
        }
        for (family, mut left) in owed.into_iter().enumerate() {
            while left > 0 {
                let mut random = Random::of_item(seed, questions.len() as u64);
                let question = self.question(family, left.min(TOGETHER), &mut random);
                left -= question.lines.len().min(left);
                questions.push(question);
            }
        }
        questions
    }

    fn question(&self, family: usize, most: usize, random: &mut Random) -> Question {
        let release = random.of(&self.releases);
        let name = Self::NAMES[family];
        if name == "mutation" {
            return mutation::question(&self.examples, release, name, random);
        }
        let setup = Setup::new(name, release, random);
        match name {
            "texture" => instruction::textures(setup, most, random),
            "ordinary" => instruction::ordinary(setup, most, random),
            "declaration" => family::declaration(setup, random),
            "directive" => family::directive(setup, random),
            "control" => family::control(setup, random),
            "array" => family::array(setup, most, random),
            "call" => family::call(setup, most, random),
            "item" => family::items(setup, most, random),
            "name" => family::names(setup, most, random),
            // Instructions with constants, or with white space and comments in random places.
            _ => family::lines_of(&format!("{name}_line"), ".func g0();\n", setup, most, random),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_seed_decides_everything() {
        let families = Families::new(None, Ptxas::ALL).unwrap();
        let first = families.questions(7, 400);
        assert_eq!(first, families.questions(7, 400));
        assert_ne!(first, families.questions(8, 400));
        let lines: usize = first.iter().map(|q| q.lines.len()).sum();
        assert_eq!(lines, 400);
        for name in Families::NAMES {
            assert!(first.iter().any(|q| q.family == name), "{name}");
        }
        for &release in Ptxas::ALL {
            assert!(first.iter().any(|q| q.release == release), "{release}");
        }
    }

    #[test]
    fn lines_are_found_again() {
        let families = Families::new(Some("ordinary"), Ptxas::ALL).unwrap();
        for question in families.questions(1, 200) {
            let module = question.module(&[0]);
            let line = module.lines().nth(question.first_line() - 1);
            assert_eq!(line, Some(question.lines[0].as_str()));
            assert!(question.lines.iter().all(|l| !l.contains('\n')));
        }
    }

    #[test]
    fn a_family_alone() {
        for name in Families::NAMES {
            let families = Families::new(Some(name), &[Ptxas::V12_9]).unwrap();
            let questions = families.questions(3, 50);
            assert!(questions.iter().all(|q| q.family == name && q.release == Ptxas::V12_9));
        }
    }
}
