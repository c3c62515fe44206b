//! Reads the arguments of a launch, from an array of pointers or from a buffer, into a parameter
//! buffer.

use super::*;

/// The parameter buffer of a launch, from `kernelParams` or `extra`.
///
/// `CUDA_ERROR_INVALID_VALUE` if both are given, if neither is given for a kernel with parameters,
/// or if the buffer is too small.
///
/// # Safety
/// `each` is null, or has a pointer to an argument for each parameter; `extra` is null, or a list
/// terminated by `CU_LAUNCH_PARAM_END`, whose pointers are valid for their keys.
pub(crate) unsafe fn parameters(
    function: &Function,
    each: In<'_, Raw<'_>>,
    extra: In<'_, u64>,
) -> Answer<Vec<u8>> {
    let size = function.kernel.param_size() as usize;
    let mut buffer = vec![0; size];
    match (each.is_null(), extra.is_null()) {
        (false, false) => {
            bail!("kernelParams and extra are both given; arguments come by one of them")
        }
        (true, true) if size == 0 => {}
        (true, true) => bail!(
            "kernelParams and extra are both null, but kernel `{}` has {}",
            kernel_name(function),
            Count(function.kernel.params().len(), "parameter")
        ),
        (false, true) => {
            let params = function.kernel.params();
            // SAFETY: the caller upholds this function's safety contract.
            let each = unsafe { each.elements(params.len()) };
            for (i, param) in params.iter().enumerate() {
                let (start, end) = (param.offset as usize, (param.offset + param.size) as usize);
                let place = buffer.get_mut(start..end).ok_or_else(|| {
                    invalid!(
                        "parameter {i} of kernel `{}` is not inside its {} of parameters",
                        kernel_name(function),
                        Count(size, "byte")
                    )
                })?;
                // SAFETY: each pointer is to as many bytes as the parameter has.
                let argument = unsafe { each.at(i)?.bytes(place.len()) }.read(0, place);
                argument.map_err(|refusal| refusal.named(&format!("kernelParams[{i}]")))?;
            }
        }
        // SAFETY: the caller upholds this function's safety contract.
        (true, false) => unsafe { packed(extra, &mut buffer)? },
    }
    Ok(buffer)
}

/// Reads the buffer that a list `extra` points to. It may be longer than the parameters, as C
/// structures may end with padding.
///
/// # Safety
/// `extra` satisfies the safety contract of [`parameters`].
unsafe fn packed(extra: In<'_, u64>, buffer: &mut [u8]) -> Answer {
    let (mut pointer, mut size) = (0, None);
    // SAFETY: no earlier entry was the terminating CU_LAUNCH_PARAM_END.
    let at = |i: usize| unsafe { extra.elements(i + 1) }.at(i);
    for i in 0.. {
        match at(2 * i)? {
            CU_LAUNCH_PARAM_END => break,
            CU_LAUNCH_PARAM_BUFFER_POINTER => pointer = at(2 * i + 1)?,
            CU_LAUNCH_PARAM_BUFFER_SIZE => {
                // SAFETY: for this key the list has a pointer to a `size_t`.
                let given = unsafe { Raw::of(at(2 * i + 1)?).bytes(8) }.array(0);
                let bytes = given.map_err(|refusal| {
                    refusal.named("the pointer after CU_LAUNCH_PARAM_BUFFER_SIZE in extra")
                })?;
                size = Some(u64::from_le_bytes(bytes));
            }
            other => bail!(
                "extra[{}] is {other:#x}, not CU_LAUNCH_PARAM_BUFFER_POINTER (1), CU_LAUNCH_PARAM_BUFFER_SIZE (2) or \
                     CU_LAUNCH_PARAM_END (0)",
                2 * i
            ),
        }
    }
    let needed = buffer.len() as u64;
    if size.is_none_or(|size| size < needed) {
        let given = match size {
            None => "extra has no CU_LAUNCH_PARAM_BUFFER_SIZE".to_owned(),
            Some(size) => format!("CU_LAUNCH_PARAM_BUFFER_SIZE in extra is {size}"),
        };
        bail!("{given}, and the parameters of the kernel have {}", Count(needed, "byte"));
    }
    // SAFETY: for this key the list has a pointer to a buffer of this size.
    let read = unsafe { Raw::of(pointer).bytes(buffer.len()) }.read(0, buffer);
    read.map_err(|refusal| {
        refusal.named("the pointer after CU_LAUNCH_PARAM_BUFFER_POINTER in extra")
    })
}
