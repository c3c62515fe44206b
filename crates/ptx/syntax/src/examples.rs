//! The type of examples for diagnostic codes: a text that causes the code, and a corrected text.
//! The examples themselves are in the crates that define the codes.

use texunit_forms::words;

/// An example for a diagnostic code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Example {
    /// The code, such as `E0110`.
    pub code: &'static str,
    /// The context in which `wrong` and `right` are placed.
    pub place: ExampleSite,
    /// A PTX text with the mistake.
    pub wrong: &'static str,
    /// The corrected PTX text.
    pub right: &'static str,
}

words! {
    /// The context in which the text of an example is placed.
    ExampleSite {
        /// The text is a whole file.
        File = "file",
        /// The text stands at module scope.
        Module = "module",
        /// The text stands in the body of a kernel.
        Body = "body",
        /// The text stands in the body of a kernel in a module with `texmode_independent`.
        Independent = "independent",
        /// The text is a machine instruction, not PTX.
        Machine = "machine",
    }
}

/// Declarations before the kernel that surrounds an example.
const DECLARATIONS: &str = "\
.global .texref tex_a;
.global .surfref surf_a;
.global .f32 data[64];
";
/// Header and beginning of the kernel that surrounds an example.
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
    /// The complete module with the mistake.
    pub fn wrong_module(&self) -> String {
        module(self.place, self.wrong)
    }

    /// The complete module without the mistake.
    pub fn right_module(&self) -> String {
        module(self.place, self.right)
    }
}

/// Reads a list of examples. Each has a line `== CODE CONTEXT`, the wrong text, a line `--
/// corrected`, and the corrected text.
pub fn read(table: &'static str) -> impl Iterator<Item = Example> {
    table.split("\n== ").skip(1).filter_map(|text| {
        let (head, texts) = text.split_once('\n')?;
        let (code, place) = head.split_once(' ')?;
        let place = ExampleSite::from_name(place)?;
        let (wrong, right) = texts.split_once("\n-- corrected\n")?;
        Some(Example { code, place, wrong, right: right.trim_end() })
    })
}

/// The complete module for an example's text in its context.
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
