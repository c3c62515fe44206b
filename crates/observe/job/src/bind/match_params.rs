//! Assigns the job's parameters to those of the kernel, checks their types, and builds structure
//! parameters.
//!
//! A key of the job is the name or number of a parameter, or a member: `camera+8` specifies bytes
//! from offset 8 on of the parameter `camera`, which the kernel takes by value.

use super::{Binder, Object};
use crate::problem::{Problem, codes, listed, nearest};
use crate::spec::{Job, Param, ParamValue};
use texunit_device::{ParamInfo, ParamType};
use texunit_forms::{Count, sort_by_key};
use texunit_isa::{ScalarType, TypeKind};
use texunit_spec::Problems;
use texunit_spec::number::{NumberType, Scalar};

/// The kernel parameter that a key refers to: by name, or by number from 0.
pub(super) fn kernel_param(key: &str, params: &[ParamInfo]) -> Option<usize> {
    params.iter().position(|p| p.name == key).or_else(|| {
        let digits = !key.is_empty() && key.bytes().all(|b| b.is_ascii_digit());
        key.parse().ok().filter(|&i: &usize| digits && i < params.len())
    })
}

/// The job parameter that a reference names: by its key, or by the kernel parameter that it belongs
/// to.
pub(super) fn job_param(key: &str, job: &Job, params: &[ParamInfo]) -> Option<usize> {
    let is_named = |p: &Param| p.name.value == key && !p.is_reference();
    job.params.iter().position(is_named).or_else(|| {
        let wanted = kernel_param(key, params)?;
        let is_it = |p: &Param| kernel_param(&p.name.value, params) == Some(wanted);
        job.params.iter().position(|p| p.table == "params" && is_it(p))
    })
}

/// Resolves a key: a name or a number from 0, optionally with `+offset`. Returns the index of the
/// kernel parameter, and the byte offset of a member; `None` for the whole parameter.
fn place(key: &str, params: &[ParamInfo]) -> Option<(usize, Option<u32>)> {
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
pub(super) struct Assignment {
    /// The job parameter with a value for the whole kernel parameter.
    pub(super) whole: Option<usize>,
    /// The job parameters with values for members, after the members' byte offsets; members
    /// overwrite bytes of the whole value.
    pub(super) members: Vec<(u32, usize)>,
}

/// For each kernel parameter, the job parameters whose objects it gets.
pub(super) fn match_params(
    job: &Job,
    params: &[ParamInfo],
    kernel: &str,
    problems: &Problems,
) -> Vec<Assignment> {
    let push = |problem| problems.borrow_mut().push(problem);
    let mut given = vec![Assignment::default(); params.len()];
    for (index, param) in job.params.iter().enumerate().filter(|(_, p)| p.table == "params") {
        let Some((slot, offset)) = place(&param.name.value, params) else {
            push(no_such_parameter(param, params, kernel));
            continue;
        };
        if let Some(offset) = offset {
            given[slot].members.push((offset, index));
        } else if let Some(first) = given[slot].whole.replace(index) {
            let message = format!(
                "parameter `{}` of the kernel is given twice: as `{}` and as `{}`",
                params[slot].name, job.params[first].name.value, param.name.value
            );
            push(param.name.problem(codes::CONFLICT, message));
        }
    }
    let unread: Vec<usize> =
        job.unread.iter().filter_map(|key| Some(place(key, params)?.0)).collect();
    let is_missing = |&slot: &usize| {
        given[slot].whole.is_none() && given[slot].members.is_empty() && !unread.contains(&slot)
    };
    let missing: Vec<_> =
        (0..params.len()).filter(is_missing).map(|slot| params[slot].to_string()).collect();
    if !missing.is_empty() {
        let message = format!(
            "the job gives no value for the parameter{} {} of kernel `{kernel}`",
            if missing.len() == 1 { "" } else { "s" },
            listed(&missing)
        );
        let example = missing[0].rsplit(' ').next().unwrap_or("0");
        let example = example.split('[').next().unwrap_or("0");
        let problem = job.kernel.problem(codes::PARAMETER, message);
        push(problem.help(format!("add a table `[params.{example}]`")));
    }
    for (slot, assignment) in given.iter_mut().enumerate() {
        resolve(assignment, &params[slot], job, params, &push);
    }
    given
}

/// Replaces each parameter with `use` by the parameter that it refers to, and checks types.
fn resolve(
    assignment: &mut Assignment,
    param: &ParamInfo,
    job: &Job,
    params: &[ParamInfo],
    push: &impl Fn(Problem),
) {
    let found = |index| target(index, job, params).map_err(push).ok();
    if let Some(index) = assignment.whole {
        assignment.whole = found(index);
        if let Some(target) = assignment.whole
            && let Err(message) = fits(&job.params[target].value, param)
        {
            let given = &job.params[index];
            push(match &given.value {
                ParamValue::Scalar(scalar) => {
                    let problem = scalar.problem(codes::PARAMETER, message);
                    match rewritten(&scalar.value, param) {
                        Some(text) => problem.help(format!("write `scalar = {text}`")),
                        None => problem,
                    }
                }
                _ => given.name.problem(codes::PARAMETER, message),
            });
        }
    }
    sort_by_key(&mut assignment.members, |&member| member);
    let members = assignment.members.iter();
    let targets: Vec<_> =
        members.filter_map(|&(offset, index)| Some((offset, index, found(index)?))).collect();
    check_members(&targets, param, job, push);
    assignment.members = targets.iter().map(|&(offset, _, target)| (offset, target)).collect();
}

/// The job parameter whose object a parameter gets: itself, or the one that `use` refers to.
fn target(index: usize, job: &Job, params: &[ParamInfo]) -> Result<usize, Problem> {
    let ParamValue::Use(other) = &job.params[index].value else { return Ok(index) };
    let own = job.params.iter().filter(|p| !p.is_reference());
    let names: Vec<_> = own.map(|p| p.name.value.as_str()).collect();
    let Some(target) = job_param(&other.value, job, params) else {
        let message = format!("the job has no parameter `{}`", other.value);
        return Err(other.problem(codes::NAME, message).suggest(&other.value, &names));
    };
    if matches!(job.params[target].value, ParamValue::Array(_)) {
        let message = format!("`{}` is an array: name a texture or a surface of it", other.value);
        return Err(other.problem(codes::CONFLICT, message));
    }
    if matches!(job.params[target].value, ParamValue::Use(_)) {
        let message =
            format!("`{}` has `use` itself: name the parameter that has the object", other.value);
        return Err(other.problem(codes::CONFLICT, message));
    }
    Ok(target)
}

fn no_such_parameter(param: &Param, params: &[ParamInfo], kernel: &str) -> Problem {
    let (name, what) = (&param.name.value, param.value.what());
    let message = format!("kernel `{kernel}` has no parameter `{name}`, which is given {what}");
    let problem = param.name.problem(codes::NAME, message);
    if params.is_empty() {
        return problem.help("the kernel has no parameters");
    }
    let names: Vec<_> = params.iter().map(|p| p.name.as_str()).collect();
    let list = params.iter().map(|p| format!("`{p}`")).collect::<Vec<_>>().join(", ");
    problem.help(match nearest(name, &names) {
        Some(near) => format!("did you mean `{near}`? The parameters are {list}"),
        None => format!("the parameters are {list}"),
    })
}

/// Describes the values that a kernel parameter accepts.
fn takes(param: &ParamInfo) -> String {
    use ScalarType as T;
    let ParamType::Scalar(ty) = param.ty else {
        let ParamInfo { name, size, .. } = param;
        return format!("a scalar of {size} `bytes`, or members by offset (`{name}+0`)");
    };
    match ty {
        T::Texref => "a texture".into(),
        T::Samplerref => "a sampler".into(),
        T::Surfref => "a surface".into(),
        _ => {
            let bits = 8 * param.size;
            let scalar = match ty.kind() {
                TypeKind::Float if bits == 8 => "u8".to_owned(),
                TypeKind::Float => format!("f{bits}"),
                TypeKind::Bits if bits > 8 => format!("u{bits}, s{bits} or f{bits}"),
                _ => format!("u{bits} or s{bits}"),
            };
            if bits == 64 && !ty.is_float() {
                format!("a texture, a surface, a buffer, or a scalar of type {scalar}")
            } else {
                format!("a scalar of type {scalar}")
            }
        }
    }
}

/// A number of the job, written for the type of a kernel parameter: `{ u32 = 256 }`; `None` if the
/// type cannot hold it.
fn rewritten(scalar: &Scalar, param: &ParamInfo) -> Option<String> {
    let ParamType::Scalar(ty) = param.ty else { return None };
    let bits = 8 * param.size;
    let (value, whole) = scalar.number()?;
    let (letter, fits) = match ty.kind() {
        TypeKind::Float => ('f', true),
        TypeKind::Signed => ('s', whole && bits <= 64 && value.abs() < f64::from(bits - 1).exp2()),
        _ if value < 0.0 => ('s', whole && value.abs() < f64::from(bits - 1).exp2()),
        _ => ('u', whole && value < f64::from(bits).exp2()),
    };
    let text = if letter == 'f' { format!("{value:?}") } else { format!("{value}") };
    fits.then(|| format!("{{ {letter}{bits} = {text} }}"))
}

/// Checks whether a value can be passed to a parameter; the error is a message.
fn fits(value: &ParamValue, param: &ParamInfo) -> Result<(), String> {
    use ScalarType as T;
    let good = match (param.ty, value) {
        (_, ParamValue::Array(_)) => false,
        (ParamType::Scalar(T::Texref), v) => matches!(v, ParamValue::Texture(_)),
        (ParamType::Scalar(T::Samplerref), v) => matches!(v, ParamValue::Sampler(_)),
        (ParamType::Scalar(T::Surfref), v) => matches!(v, ParamValue::Surface(_)),
        (_, ParamValue::Scalar(s)) if s.value.bytes.len() != param.size as usize => false,
        (ParamType::Bytes, ParamValue::Scalar(s)) => {
            // nvcc passes `__half` as a structure of two bytes.
            s.value.ty.is_none() || s.value.ty == Some(NumberType::F16)
        }
        (ParamType::Bytes, _) => false,
        (ParamType::Scalar(ty), ParamValue::Scalar(s)) => match (s.value.ty, ty.kind()) {
            (None, _) | (_, TypeKind::Bits) => true,
            (Some(n), TypeKind::Float) => n.is_float(),
            (Some(n), _) => !n.is_float(),
        },
        (ParamType::Scalar(ty), _) => param.size == 8 && !ty.is_float(),
    };
    if good {
        return Ok(());
    }
    Err(format!("parameter `{param}` takes {}, but is given {}", takes(param), value.what()))
}

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
fn check_members(
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
