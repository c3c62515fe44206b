//! The fetches of a kernel, for tools that tell what they do before it runs.

use super::{KernelId, Program};
pub use crate::code::HandleSource;
use crate::code::Op;
use texunit_syntax::Span;
use texunit_unit::FetchForm;

/// A `tex` or `tld4` that a kernel can reach.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FetchSite {
    /// Which instruction.
    pub form: FetchForm,
    /// Its place in the source.
    pub span: Span,
    /// Its texture.
    pub texture: HandleSource,
    /// Its sampler, in independent texturing mode.
    pub sampler: Option<HandleSource>,
}

impl Program {
    /// All fetches that a kernel can reach, in source order.
    pub fn fetch_sites(&self, id: KernelId) -> Vec<FetchSite> {
        let code = self.code(false);
        let mut sites = Vec::new();
        for function in self.reachable(id.0) {
            let Some(function) = code.funcs.get(function as usize).filter(|f| f.has_body) else {
                continue;
            };
            let start = function.entry;
            // Functions lie one after the other.
            let next = code.funcs.iter().filter(|f| f.has_body && f.entry > start);
            let end = next.map(|f| f.entry as usize).min().unwrap_or(code.insts.len());
            for inst in code.insts.get(start as usize..end).unwrap_or_default() {
                if let Op::Fetch(fetch) = &inst.op {
                    sites.push(FetchSite {
                        form: fetch.form,
                        span: fetch.span,
                        texture: fetch.texture.source.clone(),
                        sampler: fetch.sampler.as_ref().map(|s| s.source.clone()),
                    });
                }
            }
        }
        sites.sort_by_key(|site| site.span);
        sites
    }
}
