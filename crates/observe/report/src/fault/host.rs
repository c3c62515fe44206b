//! Advice in terms of what launched the kernel: keys of a job, or calls of a program.

use std::sync::LazyLock;
use texunit_simt::{BadHandle, FaultKind, SpaceKind};
use texunit_syntax::codes::{Code, read};
use texunit_unit::{Geometry, GeometryError, Layout};

/// Addresses below this count as null pointers with an index or a member offset.
const NULL_PAGE: u64 = 64 * 1024;

/// What launched a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Host {
    /// A job file (`texunit launch`), whose objects are tables with keys.
    Job,
    /// A program that calls CUDA's API (`texunit run`).
    Program,
    /// The Python module `texunit`.
    Python,
}

/// Advice and remarks, from advice.txt.
static ADVICE: LazyLock<Vec<Code>> = LazyLock::new(|| read(include_str!("advice.txt")));

/// Looks up the advice with this key in advice.txt, for the host or geometry named `of`.
fn text(key: &str, of: &str) -> Option<&'static str> {
    let is_it = |row: &&Code| row.code == key && (row.title == of || row.title == "any");
    ADVICE.iter().find(is_it).map(|row| row.explanation)
}

impl Host {
    /// The advice that advice.txt has under a key for this host.
    pub(super) fn advice(self, key: &str) -> Option<String> {
        let name = match self {
            Self::Job => "job",
            Self::Program => "program",
            Self::Python => "python",
        };
        let (option, value) =
            if key == "unnoticed" { ("bounds", "hardware") } else { ("bad-fetch", "fault") };
        let variable = option.replace('-', "_");
        let option = match self {
            Self::Job => format!("`--{option} {value}`"),
            Self::Program => {
                format!("`--{option} {value}` (TEXUNIT_{}={value})", variable.to_uppercase())
            }
            Self::Python => format!("`{variable}=\"{value}\"`"),
        };
        Some(text(key, name)?.replace("OPTION", &option))
    }

    /// Remark for a fault that only [`BadFetch::Fault`](texunit_simt::BadFetch::Fault) causes: what
    /// a GPU does instead, and the evidence for it.
    pub(super) fn of_card(self, kind: &FaultKind) -> Option<String> {
        self.advice(match kind {
            FaultKind::Handle { is: BadHandle::Surface, .. } => "card-of-surface",
            FaultKind::Handle { is: BadHandle::Unknown, wanted: "sampler", .. } => "card-sampler",
            // A handle with a single bit in its upper half may refer to an object of another kind.
            FaultKind::Handle { is: BadHandle::Unknown, handle, .. }
                if *handle as u32 != 0 && (handle >> 32).count_ones() != 1 =>
            {
                "card-number"
            }
            FaultKind::Handle { is: BadHandle::Unknown, .. }
            | FaultKind::Floats { .. }
            | FaultKind::Geometry { .. } => "card-goes-on",
            _ => return None,
        })
    }

    /// Advice that goes beyond the message of a fault.
    pub(super) fn help(self, kind: &FaultKind) -> Option<String> {
        self.advice(match kind {
            FaultKind::Geometry { surface, error } => {
                return Some(match self {
                    Self::Job => keys(error),
                    Self::Program => calls(error, *surface),
                    Self::Python => keywords(error),
                });
            }
            FaultKind::Handle { why, .. } if why.ends_with("is not bound") => "unbound",
            FaultKind::Handle { is: BadHandle::Surface, .. } => "of-surface",
            FaultKind::Handle { is: BadHandle::Destroyed, .. } => "destroyed",
            FaultKind::Floats { .. } => "floats",
            FaultKind::OutOfBounds { unnoticed: true, .. } => "unnoticed",
            FaultKind::OutOfBounds { space: SpaceKind::Global, address: 0..NULL_PAGE, .. } => {
                "null"
            }
            FaultKind::Deadlock { waiting } if waiting.contains(" in a loop at ") => "in-loop",
            FaultKind::ReadOnly { resource: Some(_), .. } => "registered",
            FaultKind::Surface(text) if text.starts_with("coordinate") => "coordinate",
            other => other.name(),
        })
    }
}

/// The `geometry` key of a job.
fn key(geometry: Geometry) -> String {
    format!("`geometry = \"{geometry}\"`")
}

/// The keys that give an array the geometry that the instruction reads.
fn keywords(error: &GeometryError) -> String {
    let of = |geometry: Geometry| {
        let axes = geometry.axes();
        let shape = if geometry.is_cube() { "cube=True" } else { &format!("dim={axes}") };
        let layered = if geometry.is_array() { ", layered=True" } else { "" };
        let multisample = if geometry.is_multisample() { ", multisample=True" } else { "" };
        format!("{shape}{layered}{multisample}")
    };
    let (wanted, own) = (of(error.instruction), of(error.own));
    match error.layout {
        Layout::Array => {
            format!("{wanted} makes an object for this instruction; this one has {own}")
        }
        Layout::Linear | Layout::Pitched => {
            format!("{wanted} without copy=False makes an object for this instruction")
        }
    }
}

fn keys(error: &GeometryError) -> String {
    let (wanted, own) = (key(error.instruction), key(error.own));
    let makes = "makes an object for this instruction";
    match error.layout {
        Layout::Array => format!("in the job, {wanted} {makes}; this one has {own}"),
        Layout::Linear | Layout::Pitched => {
            format!("in the job, {wanted} without `layout` {makes}")
        }
    }
}

/// The API calls that create an object of the geometry that the instruction reads, and the
/// functions that read the existing object.
fn calls(error: &GeometryError, surface: bool) -> String {
    let made = text("made", &error.instruction.to_string()).unwrap_or_default();
    match (functions(error, surface), error.instruction, error.own) {
        (None, ..) => made.to_owned(),
        (Some(own), Geometry::D1, Geometry::D2) if !surface && error.layout == Layout::Array => {
            format!("{made}, and tex1D reads a 2D array of height 1; this one is for {own}")
        }
        (Some(own), ..) => format!("{made}; this object is for {own}"),
    }
}

/// The CUDA C++ functions for an object of this geometry.
fn functions(error: &GeometryError, surface: bool) -> Option<String> {
    let stem = match error.own {
        Geometry::D1 if error.layout == Layout::Linear && !surface => "1Dfetch",
        own => text("function", &own.to_string())?,
    };
    Some(match surface {
        true => format!("surf{stem}read and surf{stem}write"),
        false => format!("tex{stem}"),
    })
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub(in crate::fault) fn geometry(
        instruction: Geometry,
        own: Geometry,
        surface: bool,
    ) -> FaultKind {
        let (layout, resource) = (Layout::Array, "texture `t` is another".to_owned());
        FaultKind::Geometry { surface, error: GeometryError { instruction, own, layout, resource } }
    }

    fn help(host: Host, instruction: Geometry, own: Geometry, surface: bool) -> String {
        host.help(&geometry(instruction, own, surface)).unwrap_or_default()
    }

    #[test]
    fn jobs_have_keys_and_programs_have_calls() {
        use Geometry as G;
        assert_eq!(
            help(Host::Job, G::D1, G::D2, false),
            "in the job, `geometry = \"1d\"` makes an object for this instruction; this one has \
             `geometry = \"2d\"`"
        );
        assert_eq!(
            help(Host::Program, G::D1, G::D2, false),
            "cudaMallocArray with height 0 (cuArrayCreate with Height 0) makes a 1D array, and \
             tex1D reads a 2D array of height 1; this one is for tex2D"
        );
        assert_eq!(
            help(Host::Python, G::Acube, G::D2, false),
            "cube=True, layered=True makes an object for this instruction; this one has dim=2"
        );
        assert_eq!(
            help(Host::Program, G::D2, G::A2d, true),
            "cudaMallocArray with a height (cuArrayCreate) makes a 2D array; this object is for \
             surf2DLayeredread and surf2DLayeredwrite"
        );
        for &instruction in G::ALL {
            for own in G::ALL.iter().copied().filter(|&own| own != instruction) {
                for surface in [false, true] {
                    let job = help(Host::Job, instruction, own, surface);
                    let program = help(Host::Program, instruction, own, surface);
                    assert!(job.contains("in the job") && !job.contains("cuda"), "{job}");
                    let is_of_job = program.contains("job") || program.contains("geometry =");
                    assert!(!is_of_job, "{program}");
                    assert!(program.contains("array") || program.contains("cube"), "{program}");
                }
            }
        }
    }

    #[test]
    fn memory_has_a_layout() {
        let of = |layout| GeometryError {
            instruction: Geometry::A1d,
            own: Geometry::D1,
            layout,
            resource: String::new(),
        };
        assert!(keys(&of(Layout::Linear)).contains("without `layout`"));
        assert!(calls(&of(Layout::Linear), false).ends_with("this object is for tex1Dfetch"));
    }
}
