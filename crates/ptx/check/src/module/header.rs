//! Checks of `.version`, `.target` and `.address_size`.

use texunit_syntax::{Diagnostic, Span, ast};

use crate::context::Checker;
use crate::module::architecture::{self, Mismatch};
use crate::options::{Architecture, Ptxas, Verdicts};

/// The first architecture with `.f64`, which does not need `map_f64_to_f32`.
const FIRST_WITH_F64: u32 = 13;

/// The contents of a module's `.target` lines.
#[derive(Default)]
pub(crate) struct Target {
    /// The architectures named in the lines; the last one is effective.
    architectures: Vec<(Architecture, Span)>,
    unified: Option<Span>,
    independent: Option<Span>,
    debug: Option<Span>,
    /// Whether an error in the lines was reported.
    failed: bool,
}

impl<'a> Checker<'a> {
    /// Checks the module header, except whether the version supports the target.
    pub(crate) fn header(&mut self, module: &'a ast::Module<'a>) -> Target {
        self.module.address_size = 64;
        let start = Span::new(0, self.source.text().find('\n').unwrap_or(0));
        self.version(module, start);
        let mut target = Target::default();
        if let Some(architecture) = self.options.target {
            self.replaced_target(architecture, start, &mut target);
        }
        let mut lines = 0;
        for item in &module.items {
            match item {
                ast::Item::Target(line) => {
                    lines += 1;
                    self.target_line(line, lines == 1, &mut target);
                }
                ast::Item::AddressSize(size) => {
                    self.require_named(".address_size", 23, 0, size.span);
                    self.module.address_size = size.bits as u32;
                }
                _ => {}
            }
        }
        if lines == 0 && self.options.target.is_none() {
            let help = "write a line such as .target sm_75 after .version";
            self.wrong("E0101", start, "the module has no .target", help);
        }
        self.module.independent = target.independent.is_some();
        self.debug_has_sections(module, &target);
        self.machine(&target);
        target
    }

    /// Reads `.version`, or its replacement from the options, and selects the ptxas whose rules
    /// apply.
    fn version(&mut self, module: &ast::Module, start: Span) {
        let line = module.items.iter().find_map(|i| match i {
            ast::Item::Version(v) => Some(v),
            _ => None,
        });
        let span = line.map_or(start, |v| v.span);
        self.version_place = line.map(|v| v.span);
        let (major, minor) = match (self.options.version, line) {
            (Some(version), _) => version,
            (None, Some(v)) => (v.major, v.minor),
            (None, None) => return,
        };
        let newest = Ptxas::ALL[Ptxas::ALL.len() - 1];
        let any = architecture::version(major, minor, newest);
        self.module.version = any.unwrap_or((major, minor));
        self.release = self.options.release(self.module.version);
        if architecture::version(major, minor, self.release).is_some() {
            return;
        }
        if any.is_none() {
            let message = format!("unknown PTX ISA version {major}.{minor}");
            let help = "versions are 1.0 to 1.5, 2.0 to 2.3, 3.0 to 3.2, 4.0 to 4.3, 5.0, 5.1, 6.0 to 6.5, 7.0 to 7.8, 8.0 to 8.8 and 9.0 to 9.5";
            return self.wrong("E0103", span, message, help);
        }
        let (last, last_minor) = self.release.newest_version();
        let message =
            format!("ptxas {} does not know PTX ISA version {major}.{minor}", self.release);
        let help =
            format!("its newest is {last}.{last_minor}; write that, or choose a newer release");
        self.wrong("E0103", span, message, help);
    }

    fn replaced_target(&mut self, architecture: Architecture, span: Span, target: &mut Target) {
        self.target = architecture.number;
        self.module.target = architecture.to_string();
        match architecture::read(&architecture.to_string(), self.release) {
            Some(_) => target.architectures.push((architecture, span)),
            None => {
                target.failed = true;
                self.unknown_target(&architecture.to_string(), span);
            }
        }
    }

    fn target_line(&mut self, line: &ast::Target<'a>, first: bool, target: &mut Target) {
        let is_architecture =
            |o: &ast::Ident| o.text.starts_with("sm_") || o.text.starts_with("compute_");
        if first && self.options.target.is_none() {
            match line.options.iter().position(is_architecture) {
                Some(0) => {}
                Some(at) => self.architecture_first(line, at),
                None => {
                    target.failed = true;
                    let help = "write .target sm_75, for example";
                    self.wrong("E0102", line.span, ".target names no architecture", help);
                }
            }
        }
        for option in &line.options {
            if !is_architecture(option) {
                self.target_option(option, target);
            } else if self.options.target.is_none() {
                self.target_architecture(option, target);
            }
        }
        if let (Some(a), Some(b)) = (target.unified, target.independent) {
            let (first, second) = if a.start < b.start { (a, b) } else { (b, a) };
            if line.span.start <= second.start {
                self.report(
                    Diagnostic::error("E0105", second, "the module asks for both texturing modes")
                        .note(first, "the other one is here")
                        .help("keep texmode_unified or texmode_independent"),
                );
            }
        }
    }

    fn architecture_first(&mut self, line: &ast::Target<'a>, at: usize) {
        let mut words: Vec<&str> = line.options.iter().map(|o| o.text).collect();
        words[..=at].rotate_right(1);
        let options = line.options[0].span.to(line.options[line.options.len() - 1].span);
        let message = format!("{} must come first in .target", words[0]);
        self.report(
            Diagnostic::error("E0102", line.options[at].span, message)
                .help(format!("write .target {}", words.join(", ")))
                .fix(options, words.join(", ")),
        );
    }

    fn target_architecture(&mut self, option: &ast::Ident<'a>, target: &mut Target) {
        let Some(read) = architecture::read(option.text, self.release) else {
            target.failed = true;
            self.unknown_target(option.text, option.span);
            return;
        };
        let architecture = read.architecture;
        if read.junk {
            let message = format!("{} is read as {architecture}", option.text);
            self.report(
                Diagnostic::warning("W0104", option.span, message)
                    .help(format!("write {architecture}"))
                    .fix(option.span, architecture.to_string()),
            );
        }
        self.target = architecture.number;
        self.module.target = architecture.to_string();
        target.architectures.push((architecture, option.span));
    }

    fn unknown_target(&mut self, text: &str, span: Span) {
        let message = match self.options.verdicts {
            Verdicts::Texunit => format!("{text} is not a target"),
            Verdicts::Ptxas(_) => format!("ptxas {} does not know the target {text}", self.release),
        };
        let known = architecture::known(self.release);
        self.report(Diagnostic::error("E0102", span, message).help(format!(
            "architectures are sm_ and one of {known}; a follows from 90 on, f from 100 on"
        )));
    }

    fn target_option(&mut self, option: &ast::Ident<'a>, target: &mut Target) {
        match option.text {
            "texmode_unified" => target.unified = target.unified.or(Some(option.span)),
            "texmode_independent" => {
                target.independent = target.independent.or(Some(option.span));
                self.require_named("texmode_independent", 15, 0, option.span);
            }
            "debug" => {
                target.debug = Some(option.span);
                self.require_named(".target debug", 30, 0, option.span);
            }
            "map_f64_to_f32" if self.target < FIRST_WITH_F64 => {}
            "map_f64_to_f32" => self.wrong(
                "E0109",
                option.span,
                format!("map_f64_to_f32 is not possible with {}", self.module.target),
                "remove it: only architectures before sm_13 have no .f64",
            ),
            text => {
                let help = "write an architecture such as sm_75, then texmode_unified or texmode_independent if wanted";
                self.wrong("E0102", option.span, format!("{text} is not a target"), help);
                target.failed = true;
            }
        }
    }

    /// Checks that the version supports the architecture. Empty modules are not checked.
    pub(crate) fn version_has_target(&mut self, module: &ast::Module, target: &Target) {
        let header = |i: &ast::Item| {
            matches!(i, ast::Item::Version(_) | ast::Item::Target(_) | ast::Item::AddressSize(_))
        };
        let Some(&(last, _)) = target.architectures.last() else { return };
        let unread = self.has_routine && self.release < Ptxas::V12_9;
        if target.failed
            || self.module.version == (0, 0)
            || unread
            || module.items.iter().all(header)
        {
            return;
        }
        // Since 12.9, ptxas checks every named architecture, not only the last.
        let counted = match self.release {
            Ptxas::V11_8 | Ptxas::V12_4 => &target.architectures[target.architectures.len() - 1..],
            Ptxas::V12_9 | Ptxas::V13_5 => &target.architectures[..],
        };
        let newest = counted.iter().max_by_key(|(a, _)| architecture::first_version(*a));
        let &(architecture, span) = newest.unwrap_or(&(last, Span::default()));
        let needed = architecture::first_version(architecture);
        if self.has_version(needed) {
            return;
        }
        let (major, minor) = self.module.version;
        let needed = format!("{}.{}", needed / 10, needed % 10);
        let message = format!("PTX ISA version {major}.{minor} does not have {architecture}");
        self.report(
            Diagnostic::error("E0107", span, message)
                .label(self.version_said())
                .help(format!("write .version {needed} or later")),
        );
    }

    fn debug_has_sections(&mut self, module: &ast::Module, target: &Target) {
        let section =
            |i: &ast::Item| matches!(i, ast::Item::Directive(d) if d.name.text == "section");
        let Some(span) = target.debug else { return };
        if !module.items.iter().any(section) {
            let help = "remove debug from .target, or add the sections";
            self.wrong("E0109", span, "the module has no .section of debug information", help);
        }
    }

    /// Checks that the module can be assembled for the GPU in [`crate::Options::arch`].
    fn machine(&mut self, target: &Target) {
        let Some(arch) = self.options.arch else { return };
        let span = target.architectures.last().map_or(Span::default(), |(_, span)| *span);
        let (known, message) = match (self.options.verdicts, self.release) {
            (Verdicts::Texunit, _) => {
                (architecture::first_version(arch) > 0, format!("unknown architecture {arch}"))
            }
            (Verdicts::Ptxas(_), release) => (
                architecture::assembles(arch, release),
                format!("ptxas {release} does not assemble for {arch}"),
            ),
        };
        if !known {
            self.wrong("E0108", span, message, "choose another machine, or another release");
            return;
        }
        let Some(&(target, _)) = target.architectures.last() else { return };
        let Err(why) = architecture::compatible(target, arch, self.release) else { return };
        let runs_on = |machines: &str| {
            let number = target.number;
            format!("code for {target} runs on {machines} only; write .target sm_{number}")
        };
        let help = match why {
            Mismatch::Older => {
                format!("assemble for {target} or a newer machine, or write .target {arch}")
            }
            Mismatch::Exact => runs_on("that machine"),
            Mismatch::Family => runs_on("its family"),
        };
        let message = format!("a module for {target} cannot be assembled for {arch}");
        self.wrong("E0108", span, message, help);
    }
}
