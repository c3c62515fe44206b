//! Lists the fetches of a kernel, for tools that analyse them before execution.

use super::{KernelId, Program};
pub use crate::code::HandleSource;
use crate::code::{Inst, Op};
use crate::launch::Arithmetic;
use texunit_forms::sort_by_key;
use texunit_syntax::Span;
use texunit_unit::FetchForm;

/// A `tex` or `tld4` that a kernel can reach.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FetchSite {
    /// Form of the instruction.
    pub form: FetchForm,
    /// Source location of the instruction.
    pub span: Span,
    /// Origin of its texture.
    pub texture: HandleSource,
    /// Origin of its sampler, in independent texturing mode.
    pub sampler: Option<HandleSource>,
}

impl Program {
    /// All fetches that a kernel can reach, in source order.
    pub fn fetch_sites(&self, id: KernelId) -> Vec<FetchSite> {
        let insts = self.unit(id, Arithmetic::default()).code.insts.iter();
        let site = |inst: &Inst| match &inst.op {
            Op::Fetch(fetch) => Some(FetchSite {
                form: fetch.form,
                span: fetch.span,
                texture: fetch.texture.source.clone(),
                sampler: fetch.sampler.as_ref().map(|s| s.source.clone()),
            }),
            _ => None,
        };
        let mut sites: Vec<FetchSite> = insts.filter_map(site).collect();
        sort_by_key(&mut sites, |site| site.span);
        sites
    }
}
