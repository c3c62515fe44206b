//! An example for every code: text that gives it, and what to write instead. `texunit
//! explain-code` and docs/diagnostics.md show them; a test checks each.
//!
//! What it leaves out: codes that only mistakes of absurd length give, and those of trees that no
//! text can give ([`WITHOUT`] lists them with the reason).

mod declarations;
mod instructions;
mod lints;
mod not_run;
mod syntax;
mod texture;
mod warnings;

/// What gives a code, and what does not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Example {
    /// `E0110`
    pub code: &'static str,
    /// Where both texts stand.
    pub place: ExampleSite,
    /// A text with the mistake.
    pub wrong: &'static str,
    /// The text without the mistake.
    pub right: &'static str,
}

/// Where the text of an example stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExampleSite {
    /// It is a whole file.
    File,
    /// At module scope.
    Module,
    /// In the body of a kernel.
    Body,
    /// In the body of a kernel of a module with `texmode_independent`.
    Independent,
    /// It is a machine instruction, not PTX.
    Machine,
}

/// Codes without an example, and why.
#[rustfmt::skip]
pub const WITHOUT: &[(&str, &str)] = &[
    ("E0060", "the example would be too long"),
    ("E0061", "the example would be too long"),
    ("E0100", "in a file the parser finds this mistake first, as E0003"),
    ("E0101", "in a file the parser finds this mistake first, as E0005"),
    ("E0104", "in a file the parser finds this mistake first, as E0007"),
    ("E0106", "in a file the parser finds this mistake first, as E0006"),
    ("E0108", "no file is wrong: the machine that is assembled for (`--arch`) is another one"),
    ("E0120", "in a file the parser finds this mistake first, as E0041 or E0047"),
    ("E0122", "in a file the parser finds this mistake first, as E0060"),
    ("E0150", "in a file the parser finds this mistake first, as E0050"),
    ("E0501", "no file is wrong: the device's memory is full"),
];

/// The declarations around a text that stands in a body.
const DECLARATIONS: &str = "\
.global .texref tex_a;
.global .surfref surf_a;
.global .f32 data[64];
";
/// The kernel around it.
const KERNEL: &str = "\
.visible .entry kernel(.param .u64 out)
{
\t.reg .pred %p<8>;
\t.reg .b16 %h<8>;
\t.reg .b32 %r<8>;
\t.reg .f32 %f<8>;
\t.reg .b64 %rd<8>;
\t.reg .f64 %fd<8>;
";

impl Example {
    /// The whole module with the mistake.
    pub fn wrong_module(&self) -> String {
        module(self.place, self.wrong)
    }

    /// The whole module without it.
    pub fn right_module(&self) -> String {
        module(self.place, self.right)
    }
}

/// The module in which a text stands.
fn module(place: ExampleSite, text: &str) -> String {
    let header = |options| format!(".version 8.8\n.target sm_90{options}\n.address_size 64\n");
    let body = |samplers| format!("{DECLARATIONS}{samplers}{KERNEL}{text}\n\tret;\n}}\n");
    match place {
        ExampleSite::File | ExampleSite::Machine => text.to_owned(),
        ExampleSite::Module => format!("{}{text}\n", header("")),
        ExampleSite::Body => header("") + &body(""),
        ExampleSite::Independent => {
            header(", texmode_independent") + &body(".global .samplerref sampler_a;\n")
        }
    }
}

/// The example of a code.
pub fn example(code: &str) -> Option<&'static Example> {
    all().find(|e| e.code == code)
}

/// Every example, in the order of the codes of each part.
pub fn all() -> impl Iterator<Item = &'static Example> {
    let parts = [
        syntax::EXAMPLES,
        declarations::EXAMPLES,
        instructions::EXAMPLES,
        texture::EXAMPLES,
        not_run::EXAMPLES,
        warnings::EXAMPLES,
        lints::EXAMPLES,
    ];
    parts.into_iter().flatten()
}

const fn new(
    code: &'static str,
    place: ExampleSite,
    wrong: &'static str,
    right: &'static str,
) -> Example {
    Example { code, place, wrong, right }
}
