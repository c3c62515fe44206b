//! Limits for the number of textures, samplers and surfaces that a kernel may use (PTX ISA table
//! 34, with the 32 surfaces that ptxas allows from sm_70 on).

use texunit_forms::Count;
use texunit_isa::ScalarType;
use texunit_syntax::{Diagnostic, Span};

use crate::context::Checker;
use crate::ir::{Base, FuncId, Operand};
use crate::names::{Map, Set};

/// The limit of each type below sm_30, below sm_70, and from sm_70 on. In unified mode, textures
/// include samplers.
#[rustfmt::skip]
const LIMITS: &[(ScalarType, [usize; 3])] = &[
    (ScalarType::Texref,     [128, 256, 256]),
    (ScalarType::Samplerref, [ 16,  32,  32]),
    (ScalarType::Surfref,    [  8,  16,  32]),
];

/// Work limit for all kernels together, because every kernel may reach every function. If it is
/// exceeded, as in no real module, kernels are not checked.
const MAX_STEPS: usize = 20_000_000;

/// The references and functions that a function body names.
#[derive(Default)]
struct Mentions {
    references: Set<Base>,
    functions: Vec<FuncId>,
}

impl Checker<'_> {
    /// Checks how many references each kernel and its callees name. As in ptxas, handles in
    /// registers and in initialisers do not count.
    pub(crate) fn resource_limits(&mut self) {
        let kernels = std::mem::take(&mut self.kernels);
        if !self.may_exceed(&kernels) {
            return;
        }
        let mentions = self.mentions();
        let machine = match self.options.arch {
            Some(arch) => arch.number,
            // No measured release of ptxas assembles for GPUs before sm_30.
            None if self.options.ptxas_compat() => self.target.max(30),
            None => self.target,
        };
        let column = match machine {
            1..30 => 0,
            30..70 => 1,
            _ => 2,
        };
        let mut steps = 0;
        for (kernel, span) in kernels {
            let used = reachable(kernel, &mentions, &mut steps);
            if steps > MAX_STEPS {
                return;
            }
            for (ty, limits) in LIMITS {
                let n = used.iter().filter(|base| self.kind(kernel, base) == Some(*ty)).count();
                let limit = limits[column];
                if n > limit {
                    let name = &self.module.functions[kernel.0 as usize].name;
                    let message = format!("{name} uses {} of type .{ty}", Count(n, "variable"));
                    let error = Diagnostic::error("E0316", span, message)
                        .label(format!("a kernel for sm_{machine} can name {limit}"))
                        .help("pass handles as .u64 parameters instead");
                    self.report(error);
                }
            }
        }
    }

    /// Whether the module declares enough references to exceed any limit. Nearly no module does, so
    /// the call graphs need not be walked.
    fn may_exceed(&self, kernels: &[(FuncId, Span)]) -> bool {
        let functions = &self.module.functions;
        let params = |id: FuncId| functions.get(id.0 as usize).map_or(&[][..], |f| &f.params);
        LIMITS.iter().any(|(ty, limits)| {
            let variables = self.module.variables.iter().filter(|v| v.ty == *ty).count();
            let params =
                kernels.iter().map(|(k, _)| params(*k).iter().filter(|p| p.ty == *ty).count());
            variables + params.max().unwrap_or(0) > limits[0]
        })
    }

    /// The type of a reference that a kernel or a callee names; only kernels have references as
    /// parameters.
    fn kind(&self, kernel: FuncId, base: &Base) -> Option<ScalarType> {
        match base {
            Base::Variable(id) => self.module.variables.get(id.0 as usize).map(|v| v.ty),
            Base::Param(id) => {
                let params = &self.module.functions.get(kernel.0 as usize)?.params;
                params.get(id.0 as usize).map(|p| p.ty)
            }
            _ => None,
        }
    }

    fn mentions(&self) -> Map<FuncId, Mentions> {
        let mut all = Map::default();
        for (id, function) in (0..).map(FuncId).zip(&self.module.functions) {
            let mut mentions = Mentions::default();
            mentions.functions.extend(function.alias_of);
            let body = function.body.iter().flatten();
            for operand in body.flat_map(|instruction| instruction.operands.read(0)) {
                let base = match operand {
                    Operand::Handle(base) | Operand::AddressOf(base, _) => *base,
                    Operand::Element(element) => element.base,
                    Operand::Function(callee) => {
                        mentions.functions.push(*callee);
                        continue;
                    }
                    _ => continue,
                };
                if matches!(base, Base::Variable(_))
                    || function.is_entry && matches!(base, Base::Param(_))
                {
                    mentions.references.insert(base);
                }
            }
            all.insert(id, mentions);
        }
        all
    }
}

/// References that a kernel and all its callees name.
fn reachable(kernel: FuncId, mentions: &Map<FuncId, Mentions>, steps: &mut usize) -> Set<Base> {
    let (mut seen, mut used) = (Set::default(), Set::default());
    let mut stack = vec![kernel];
    while let Some(function) = stack.pop() {
        if let Some(of) = mentions.get(&function).filter(|_| seen.insert(function)) {
            *steps += 1 + of.references.len() + of.functions.len();
            if *steps > MAX_STEPS {
                break;
            }
            used.extend(&of.references);
            stack.extend(&of.functions);
        }
    }
    used
}
