//! `.version`, `.target` and `.address_size`.

use texunit_isa::floor::OPAQUE;
use texunit_syntax::{Diagnostic, Span, ast};

use crate::context::Checker;

/// Target options besides the architecture that have a meaning or had one.
const OPTIONS: &[&str] = &["texmode_unified", "texmode_independent", "debug", "map_f64_to_f32"];

impl<'a> Checker<'a> {
    pub(crate) fn header(&mut self, module: &'a ast::Module<'a>) {
        self.module.address_size = 64;
        let mut items = module.items.iter();
        let start = Span::new(0, self.source.text().find('\n').unwrap_or(0));
        match items.find_map(|i| if let ast::Item::Version(v) = i { Some(v) } else { None }) {
            Some(version) => self.version(version),
            None => self.report(
                Diagnostic::error("E0100", start, "the module has no .version")
                    .help("begin it with a line such as .version 8.0"),
            ),
        }
        let mut has_target = false;
        let (mut unified, mut independent) = (None, None);
        let mut sized = None;
        for item in &module.items {
            match item {
                ast::Item::Target(target) => {
                    has_target = true;
                    self.target(target, &mut unified, &mut independent);
                }
                ast::Item::AddressSize(size) => {
                    if let Some(first) = sized.replace(size.span) {
                        self.report(
                            Diagnostic::error("E0106", size.span, ".address_size is given twice")
                                .note(first, "first here")
                                .help("keep one of them"),
                        );
                    }
                    self.address_size(size);
                }
                _ => {}
            }
        }
        if !has_target {
            self.report(
                Diagnostic::error("E0101", start, "the module has no .target")
                    .help("write a line such as .target sm_75 after .version"),
            );
        }
        self.module.independent = independent.is_some();
    }

    fn version(&mut self, version: &ast::Version) {
        self.module.version = (version.major, version.minor);
        if version.major == 0 || version.major > 9 {
            self.report(
                Diagnostic::error(
                    "E0103",
                    version.span,
                    format!("there is no PTX ISA version {}.{}", version.major, version.minor),
                )
                .help("versions 1.0 to 9.x exist; nvcc 12.4 writes .version 8.4"),
            );
        }
    }

    fn target(
        &mut self,
        target: &ast::Target<'a>,
        unified: &mut Option<Span>,
        independent: &mut Option<Span>,
    ) {
        for option in &target.options {
            let text = option.text;
            if let Some(number) = architecture(text) {
                if self.target == 0 || number < self.target {
                    self.target = number;
                    self.module.target = text.to_string();
                }
                continue;
            }
            match text {
                "texmode_unified" => *unified = Some(option.span),
                "texmode_independent" => *independent = Some(option.span),
                _ if OPTIONS.contains(&text) => {}
                _ => self.report(
                    Diagnostic::error("E0102", option.span, format!("{text} is not a target"))
                        .help("write an architecture such as sm_75, then texmode_unified or texmode_independent if wanted"),
                ),
            }
            if text.starts_with("texmode_") && !self.has_version(OPAQUE.version) {
                self.require(OPAQUE, option.span);
            }
        }
        if let (Some(a), Some(b)) = (*unified, *independent) {
            let (first, second) = if a.start < b.start { (a, b) } else { (b, a) };
            self.report(
                Diagnostic::error("E0105", second, "the module asks for both texturing modes")
                    .note(first, "the other one is here")
                    .help("keep texmode_unified or texmode_independent"),
            );
        }
        if self.target == 0 && !target.options.iter().any(|o| architecture(o.text).is_some()) {
            self.report(
                Diagnostic::error("E0102", target.span, ".target names no architecture")
                    .help("write for instance .target sm_75"),
            );
        }
    }

    fn address_size(&mut self, size: &ast::AddressSize) {
        if matches!(size.bits, 32 | 64) {
            self.module.address_size = size.bits as u32;
        } else {
            self.report(
                Diagnostic::error(
                    "E0104",
                    size.span,
                    format!("addresses have 32 or 64 bits, not {}", size.bits),
                )
                .help("write .address_size 64"),
            );
        }
    }
}

/// The number of `sm_75`, `sm_90a`, `compute_75`.
fn architecture(text: &str) -> Option<u32> {
    let digits = text.strip_prefix("sm_").or_else(|| text.strip_prefix("compute_"))?;
    let digits = digits.strip_suffix(['a', 'f']).unwrap_or(digits);
    (digits.len() <= 3).then(|| digits.parse().ok()).flatten()
}
