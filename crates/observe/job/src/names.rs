//! Resolves the keys of a job to parameters of the kernel and their members.

use crate::spec::{Job, Param};
use texunit_device::ParamInfo;

/// The kernel parameter that a key refers to: by name, or by number from 0.
pub(crate) fn kernel_param(key: &str, params: &[ParamInfo]) -> Option<usize> {
    params.iter().position(|p| p.name == key).or_else(|| {
        let digits = !key.is_empty() && key.bytes().all(|b| b.is_ascii_digit());
        key.parse().ok().filter(|&i: &usize| digits && i < params.len())
    })
}

/// The job parameter that a reference names: by its key, or by the kernel parameter that it belongs
/// to.
pub(crate) fn job_param(key: &str, job: &Job, params: &[ParamInfo]) -> Option<usize> {
    job.params.iter().position(|p| p.name.value == key).or_else(|| {
        let wanted = kernel_param(key, params)?;
        let is_it = |p: &Param| kernel_param(&p.name.value, params) == Some(wanted);
        job.params.iter().position(|p| p.table == "params" && is_it(p))
    })
}

/// Resolves a key: a name or a number from 0, optionally with `+offset`. Returns the index of the
/// kernel parameter, and the byte offset of a member; `None` for the whole parameter.
pub(crate) fn place(key: &str, params: &[ParamInfo]) -> Option<(usize, Option<u32>)> {
    if let Some(slot) = kernel_param(key, params) {
        return Some((slot, None));
    }
    let (name, offset) = key.rsplit_once('+')?;
    let digits = offset.bytes().all(|b| b.is_ascii_digit());
    let offset = offset.parse().ok().filter(|_| digits)?;
    Some((kernel_param(name.trim_end(), params)?, Some(offset)))
}

/// The job parameters, by index, that provide a kernel parameter's value.
#[derive(Clone, Debug, Default)]
pub(crate) struct Assignment {
    /// The one for the whole parameter.
    pub(crate) whole: Option<usize>,
    /// The values for members, with byte offsets; they overwrite parts of the whole.
    pub(crate) members: Vec<(u32, usize)>,
}
