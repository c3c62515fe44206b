//! Which declarations are valid in which context: state space, type, vector, array, linkage and
//! attributes of a declarator. The rules and their gaps are those of ptxas, which refuses only
//! predicates as array elements, and hardly checks parameters of prototypes.

use texunit_forms::Count;
use texunit_isa::{ScalarType, TypeKind};
use texunit_syntax::Diagnostic;
use texunit_syntax::ast::{self, Linkage, Space};

use crate::context::Checker;
use crate::declaration::layout::is_open;
use crate::options::Ptxas;

/// The place in a module at which a declaration stands, which determines what it may declare.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DeclSite {
    Module,
    Body,
    KernelParam,
    /// A parameter or result of a function with a body.
    FuncParam,
    /// A parameter or result in a prototype: of a kernel, a function or an indirect call.
    Prototype,
}

/// Types that are valid only in instructions, and the first release of ptxas that accepts arrays.
#[rustfmt::skip]
const OF_INSTRUCTIONS: &[(&str, Ptxas)] = &[
    ("e4m3x2", Ptxas::V11_8), ("e5m2x2", Ptxas::V11_8), ("e4m3", Ptxas::V12_4), ("e5m2", Ptxas::V12_4),
    ("u16x2", Ptxas::V12_4), ("s16x2", Ptxas::V12_4), ("f32x2", Ptxas::V12_9), ("e2m1x2", Ptxas::V12_9),
    ("e2m3x2", Ptxas::V12_9), ("e3m2x2", Ptxas::V12_9), ("ue8m0x2", Ptxas::V12_9), ("ue5m3x2", Ptxas::V13_5),
];

/// Instruction types that no release of ptxas accepts in a declaration.
const NEVER: &[&str] = &["bf16", "bf16x2", "tf32", "u8x4", "s8x4", "s4", "u4", "b1"];

/// Maximum alignment of a parameter in bytes.
const MAX_PARAM_ALIGN: u64 = 128;

impl<'a> Checker<'a> {
    /// The type of a declared variable; reports an error if the declaration is not valid at its
    /// [`DeclSite`].
    pub(crate) fn declared(
        &mut self,
        v: &ast::Variable<'a>,
        place: DeclSite,
    ) -> Option<ScalarType> {
        let array = !v.dimensions.is_empty();
        let ty = self.declared_type(v, array || place == DeclSite::Prototype)?;
        if let Some((count, span)) = v.count
            && u32::try_from(count).is_err()
        {
            let message = format!("{} of one name are too many", Count(count, "variable"));
            let help = "write a number below 4294967296";
            self.report(Diagnostic::error("E0133", span, message).help(help));
        }
        let opaque = ty.kind() == TypeKind::Opaque;
        if place != DeclSite::Prototype {
            if ty == ScalarType::F16x2 && v.vector == 1 {
                self.require_named("the type .f16x2", 42, 53, v.ty.span);
            }
            if ty == ScalarType::B128 && !array {
                self.require_named("the type .b128", 83, 70, v.ty.span);
            }
            if opaque && !array {
                self.require_named("opaque types", 15, 0, v.ty.span);
            }
        }
        self.vector(v, ty, opaque)?;
        if ty == ScalarType::Pred {
            self.predicate(v, array, place)?;
        }
        if place == DeclSite::Prototype {
            return Some(ty);
        }
        if opaque {
            self.opaque_place(v, ty, array, place)?;
        }
        if v.space == Space::Reg && array {
            let help = format!("write {}<n> for n registers, or use .local memory", v.name.text);
            return self.refuse("E0131", v.span, "registers cannot be arrays", help);
        }
        let packed = v.vector > 1 || ty == ScalarType::F16x2;
        if v.space == Space::Param && packed && !array {
            let what = if v.vector > 1 { "a vector" } else { "a .f16x2" };
            let name = v.name.text;
            let help = if v.vector > 1 {
                format!("write an array: .align 16 .b8 {name}[16]")
            } else {
                format!("write .b32 {name}")
            };
            return self.refuse("E0151", v.span, format!("a parameter cannot be {what}"), help);
        }
        Some(ty)
    }

    /// The type named in a declaration; if `any`, also a type that is valid only in instructions.
    fn declared_type(&mut self, v: &ast::Variable<'a>, any: bool) -> Option<ScalarType> {
        let name = v.ty.text;
        let refused = OF_INSTRUCTIONS.iter().any(|&(of, since)| {
            let alone = matches!(of, "e4m3" | "e5m2") && self.release == Ptxas::V12_4;
            of == name && if any { self.release < since } else { !alone }
        });
        if NEVER.contains(&name) || refused {
            let bits = ScalarType::from_name(name).map_or(64, ScalarType::bits);
            return self.refuse_with(
                Diagnostic::error("E0131", v.ty.span, format!("nothing is declared as .{name}"))
                    .label("a type of instructions only")
                    .help(format!("write .b{bits}"))
                    .fix(v.ty.span, format!("b{bits}")),
            );
        }
        if name == "f32x2" && any {
            return Some(ScalarType::B64);
        }
        self.scalar_type(&v.ty)
    }

    fn vector(&mut self, v: &ast::Variable<'a>, ty: ScalarType, opaque: bool) -> Option<()> {
        if v.vector <= 1 {
            return Some(());
        }
        let basic = !opaque
            && ty != ScalarType::Pred
            && !OF_INSTRUCTIONS.iter().any(|(of, _)| *of == v.ty.text);
        let wide = ty.bytes() * u32::from(v.vector) > 16;
        if basic && !wide && v.vector <= 4 {
            return Some(());
        }
        let message = if opaque || !basic {
            format!(".{} has no vectors", v.ty.text)
        } else if v.vector > 4 {
            format!("no variable is a .v{}", v.vector)
        } else {
            format!(".v{} .{ty} is larger than 16 bytes", v.vector)
        };
        let code = if opaque { "E0130" } else { "E0131" };
        self.refuse(code, v.ty.span, message, "declare an array instead")
    }

    fn predicate(&mut self, v: &ast::Variable<'a>, array: bool, place: DeclSite) -> Option<()> {
        if !array && (v.space == Space::Reg || place == DeclSite::Prototype) {
            return Some(());
        }
        let message =
            if array { "predicates cannot be arrays" } else { "predicates live in registers only" };
        let help = match place {
            DeclSite::Module | DeclSite::Body => "use .u8 or .b32 and setp",
            _ => "pass a .u32 and use setp",
        };
        self.refuse("E0131", v.ty.span, message, help)
    }

    fn opaque_place(
        &mut self,
        v: &ast::Variable<'a>,
        ty: ScalarType,
        array: bool,
        place: DeclSite,
    ) -> Option<()> {
        let allowed = match place {
            DeclSite::Module if array => {
                matches!(v.space, Space::Global | Space::Const | Space::Shared)
            }
            DeclSite::Module => v.space == Space::Global,
            DeclSite::Body => false,
            DeclSite::KernelParam => true,
            DeclSite::FuncParam => array && v.space == Space::Param,
            DeclSite::Prototype => true,
        };
        let common = v.linkage.is_some_and(|(l, _)| l == Linkage::Common);
        if !allowed || common && !array {
            let help = "declare it .global at module scope, or .param of an .entry";
            return self.refuse("E0130", v.span, format!("a .{ty} cannot be declared here"), help);
        }
        if ty == ScalarType::Samplerref && !array && !self.module.independent {
            let help =
                "add texmode_independent to .target, or set the sampler fields of the .texref";
            return self.refuse("E0303", v.ty.span, ".samplerref needs texmode_independent", help);
        }
        Some(())
    }

    /// Checks the linkage of a variable.
    pub(crate) fn linkage(&mut self, v: &ast::Variable<'a>) -> Option<()> {
        let linkage = v.linkage.map(|(l, _)| l);
        match linkage {
            Some(Linkage::Weak) => self.require_named(".weak", 31, 0, v.span),
            Some(Linkage::Common) => {
                self.require_named(".common", 50, 0, v.span);
                if v.space != Space::Global {
                    let help = "write .weak, or declare it .global";
                    let message = "only .global variables are .common";
                    return self.refuse("E0130", v.span, message, help);
                }
            }
            _ => {}
        }
        Some(())
    }

    /// Checks the attributes of a variable or parameter.
    pub(crate) fn attributes(
        &mut self,
        v: &ast::Variable<'a>,
        place: DeclSite,
        is_entry: bool,
    ) -> Option<()> {
        for attribute in &v.attributes {
            let unified = attribute.text.starts_with("unified");
            let (feature, version, target) = match unified {
                true => (".attribute(.unified)", 80, 90),
                false => (".attribute(.managed)", 40, 30),
            };
            self.require_named(feature, version, target, attribute.span);
            let allowed = match place {
                DeclSite::Module | DeclSite::Body => v.space == Space::Global,
                DeclSite::KernelParam => false,
                DeclSite::FuncParam => unified,
                DeclSite::Prototype => !(unified && is_entry),
            };
            if !allowed {
                let space = v.space;
                let message = format!("a .{space} variable cannot be .{}", attribute.text);
                let help = "declare it .global, or remove the attribute";
                return self.refuse("E0130", attribute.span, message, help);
            }
        }
        Some(())
    }

    /// Checks that version and target support a function's linkage and attributes.
    pub(crate) fn function_requirements(&mut self, f: &ast::Function<'a>) {
        if let Some((Linkage::Weak, span)) = f.linkage {
            self.require_named(".weak", 31, 0, span);
        }
        for attribute in &f.attributes {
            self.require_named(".attribute(.unified)", 80, 90, attribute.span);
        }
    }

    /// Checks dimensions, alignment and requirements of a parameter. `last`: whether it is the last
    /// parameter of its list.
    pub(crate) fn parameter_shape(
        &mut self,
        v: &ast::Variable<'a>,
        is_entry: bool,
        place: DeclSite,
        last: bool,
    ) -> Option<()> {
        if v.space == Space::Param && !is_entry {
            self.require_named(".param of a .func", 20, 20, v.span);
        }
        if !v.dimensions.is_empty() {
            self.require_named("array parameters", 14, 0, v.span);
        }
        if v.dimensions.len() > 1 {
            let help = "write the product of the dimensions";
            return self.refuse("E0134", v.span, "a parameter has one dimension at most", help);
        }
        if v.dimensions.first().is_some_and(is_open) {
            self.require_named("a parameter without size", 60, 30, v.span);
            if is_entry || !last || v.space != Space::Param {
                let message = "only the last .param of a .func can be left without a size";
                return self.refuse("E0134", v.span, message, "write the number of elements");
            }
        }
        if place == DeclSite::FuncParam { self.parameter_alignment(v) } else { Some(()) }
    }

    /// Checks the alignment of a `.param` variable of a call or of a function with a body; the
    /// maximum is [`MAX_PARAM_ALIGN`].
    pub(crate) fn parameter_alignment(&mut self, v: &ast::Variable<'a>) -> Option<()> {
        let Some((align, span)) = v.align else { return Some(()) };
        if v.space == Space::Param && align > MAX_PARAM_ALIGN && align.is_power_of_two() {
            let message = format!("a parameter cannot have an alignment of {align}");
            return self.refuse("E0132", span, message, "write 128 or less");
        }
        Some(())
    }
}
