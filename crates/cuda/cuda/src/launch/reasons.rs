//! Reasons for refused launches.

use super::*;
use texunit_device::Diagnostic;

/// The refusal because the function's module has been unloaded meanwhile.
pub(super) fn module_gone(function: &Function) -> Refusal {
    CUresult::INVALID_HANDLE
        .because(format!("the module of kernel `{}` has been unloaded", kernel_name(function)))
}

/// The reason for refusing more dynamic shared memory than a launch may have.
pub(super) fn too_much_shared(context: &Context, function: &Function, shape: &Shape) -> String {
    let (most, fixed) = (function.max_dynamic_shared(), function.static_shared());
    let optin = context.gpu.card.shared_optin * 1024;
    format!(
        "sharedMemBytes {} is more than {most}, the dynamic shared memory of kernel `{}` (beside {} of static); \
         CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES (cudaFuncAttributeMaxDynamicSharedMemorySize) raises that \
         up to {}",
        shape.shared,
        kernel_name(function),
        Count(fixed, "byte"),
        i64::from(optin).saturating_sub(i64::from(fixed)).max(0)
    )
}

/// The reason for refusing a kernel with unsupported instructions.
pub(super) fn unsupported(function: &Function, diagnostics: &[Diagnostic]) -> String {
    let first = diagnostics.iter().find(|d| d.is_error()).or(diagnostics.first());
    let more = diagnostics.len().saturating_sub(1);
    let first = first.map_or_else(String::new, |first| format!(": {}", first.message));
    let more = if more == 0 { String::new() } else { format!(", and {more} more") };
    let name = kernel_name(function);
    format!("kernel `{name}` contains instructions that texunit does not execute{first}{more}")
}

/// The reason for refusing invalid arguments or an invalid shape.
pub(super) fn wrong(error: &ArgError, shape: &Shape, function: &Function) -> String {
    match error {
        ArgError::Dimension { what, axis, value, max } => {
            let axis = axis.to_ascii_uppercase();
            format!(
                "{what}Dim{axis} {value} is not from 1 to {max}, the sizes of a {what} on this device"
            )
        }
        ArgError::Block(reason) => format!("kernel `{}`: {reason}", kernel_name(function)),
        ArgError::Shared { size, max } => format!(
            "sharedMemBytes {} and {} of static shared memory of kernel `{}` are {}, more than the {max} \
             that a CTA can have on this device",
            shape.shared,
            Count(function.static_shared(), "byte"),
            kernel_name(function),
            Count(size, "byte")
        ),
        other => format!("kernel `{}`: {other}", kernel_name(function)),
    }
}

/// Code of a refused launch.
pub(super) fn refused(error: &ArgError) -> CUresult {
    match error {
        ArgError::CooperativeLaunchTooLarge { .. } => CUresult::COOPERATIVE_LAUNCH_TOO_LARGE,
        ArgError::Cluster(_) => CUresult::INVALID_CLUSTER_SIZE,
        ArgError::Memory(error) => crate::error::code(error),
        // More threads than `.maxntid` have the same code, as numba-cuda's tests, which run on
        // GPUs, expect.
        _ => CUresult::INVALID_VALUE,
    }
}
