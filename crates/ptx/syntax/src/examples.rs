//! Texts that give a code, beside what to write instead: what an example is. The examples themselves stand in the crates
//! of the codes.

/// What gives a code, and what does not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Example {
    /// `E0110`
    pub code: &'static str,
    /// Where both texts stand.
    pub place: ExampleSite,
    /// A text with the mistake.
    pub wrong: &'static str,
    /// The text without that mistake.
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
