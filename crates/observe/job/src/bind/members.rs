//! Members of structure parameters: the job's key `camera+8` specifies bytes from offset 8 on of
//! the parameter `camera`, which the kernel takes by value.

use super::{Binder, Object};
use crate::problem::{Problem, codes};
use crate::spec::{Job, ParamValue};
use texunit_device::{ParamInfo, ParamType};
use texunit_forms::Count;

/// Bytes that a value takes in a structure.
fn size(value: &ParamValue) -> u64 {
    match value {
        ParamValue::Scalar(s) => s.value.bytes.len() as u64,
        // Addresses and handles have 8 bytes.
        _ => 8,
    }
}

/// Checks the members of a parameter. `targets` has for each member its offset, the job parameter
/// that names it, and the job parameter whose object it gets.
pub(super) fn check_members(
    targets: &[(u32, usize, usize)],
    param: &ParamInfo,
    job: &Job,
    mut push: impl FnMut(Problem),
) {
    let problem =
        |index: usize, code, message: String| job.params[index].name.problem(code, message);
    let mut last: Option<(u64, usize)> = None;
    for &(offset, index, target) in targets {
        let value = &job.params[target].value;
        let end = u64::from(offset) + size(value);
        if param.ty != ParamType::Bytes {
            let message = format!("parameter `{param}` is not a structure and has no members");
            push(problem(index, codes::PARAMETER, message));
        } else if end > u64::from(param.size) {
            let message = format!(
                "{} at offset {offset} does not fit into the {} of parameter `{param}`",
                value.what(),
                Count(param.size, "byte")
            );
            push(problem(index, codes::PARAMETER, message));
        } else if let Some((end, before)) = last
            && end > u64::from(offset)
        {
            let before = &job.params[before].name.value;
            let message = format!("`{before}` reaches to offset {end} and over this member");
            push(problem(index, codes::CONFLICT, message));
        }
        last = Some((end, index));
    }
}

impl Binder<'_> {
    /// Builds the bytes of parameters with members.
    pub(super) fn structures(&mut self) {
        for (slot, assignment) in self.bound.order.iter().enumerate() {
            if assignment.members.is_empty() {
                continue;
            }
            let whole = assignment.whole.and_then(|i| self.bound.objects.get(&i));
            let mut bytes = match whole {
                Some(Object::Bytes(bytes)) => bytes.clone(),
                _ => vec![0; self.params[slot].size as usize],
            };
            for &(offset, index) in &assignment.members {
                let Some(object) = self.bound.objects.get(&index) else { continue };
                let member = object.arg().bytes();
                let at = offset as usize;
                // Members that do not fit are reported already.
                if let Some(place) = bytes.get_mut(at..at + member.len()) {
                    place.copy_from_slice(&member);
                }
            }
            self.bound.structures.insert(slot, bytes);
        }
    }
}
