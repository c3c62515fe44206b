//! Execution contexts (runtime API, "Execution Context Management"): primary contexts of devices,
//! and green contexts with some of the multiprocessors.
//!
//! The handle of an execution context is the driver's `CUcontext`: the primary context, or the
//! handle that represents the green context.

use crate::call::{check, runtime_api};
use crate::driver::{self, CUcontext, CUdevResourceDesc, CUevent, CUgreenCtx, CUstream, ask};
use crate::state;
use std::collections::BTreeMap;
use std::ffi::{c_int, c_uint, c_ulonglong};
use std::sync::{Mutex, MutexGuard, PoisonError};
use texunit_cuda_abi::args::{Answer, In, InOut, Out};
use texunit_cuda_abi::{CU_DEV_SM_RESOURCE_GROUP_PARAMS, CUdevResource, CUdevice, CUresult};

/// `cudaStreamNonBlocking`
const NON_BLOCKING: c_uint = 1;

/// Green contexts created here, by the context handles that represent them.
static GREEN: Mutex<BTreeMap<CUcontext, CUgreenCtx>> = Mutex::new(BTreeMap::new());

fn green() -> MutexGuard<'static, BTreeMap<CUcontext, CUgreenCtx>> {
    GREEN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The green context of an execution context, `None` for a primary context.
fn green_of(context: CUcontext) -> Answer<Option<CUgreenCtx>> {
    state::init()?;
    match context {
        0 => Err(CUresult::INVALID_VALUE.because("ctx is null")),
        _ => Ok(green().get(&context).copied()),
    }
}

runtime_api! {
    /// A resource of a device.
    fn cudaDeviceGetDevResource(device: CUdevice, resource: Out<CUdevResource>, kind: c_uint) {
        state::init()?;
        check(driver::cuDeviceGetDevResource(device, resource, kind))
    }

    /// Splits multiprocessors into parts of equal size; without `result`, only counts the parts.
    fn cudaDevSmResourceSplitByCount(
        result: Out<CUdevResource>,
        nbGroups: InOut<c_uint>,
        input: In<CUdevResource>,
        remaining: Out<CUdevResource>,
        flags: c_uint,
        minCount: c_uint,
    ) {
        state::init()?;
        let (result, input) = (result.as_ptr(), input.as_ptr());
        let (count, rest) = (nbGroups.as_ptr(), remaining.as_ptr());
        // SAFETY: the caller upholds the same contract as for the driver's function.
        check(unsafe { driver::cuDevSmResourceSplitByCount(result, count, input, rest, flags, minCount) })
    }

    /// Splits multiprocessors into parts of given sizes.
    fn cudaDevSmResourceSplit(
        result: Out<CUdevResource>,
        nbGroups: c_uint,
        input: In<CUdevResource>,
        remainder: Out<CUdevResource>,
        flags: c_uint,
        groupParams: InOut<CU_DEV_SM_RESOURCE_GROUP_PARAMS>,
    ) {
        state::init()?;
        let (result, input) = (result.as_ptr(), input.as_ptr());
        let (rest, groups) = (remainder.as_ptr(), groupParams.as_ptr());
        // SAFETY: the caller upholds the same contract as for the driver's function.
        check(unsafe { driver::cuDevSmResourceSplit(result, nbGroups, input, rest, flags, groups) })
    }

    /// Creates a resource descriptor for `cudaGreenCtxCreate`.
    fn cudaDevResourceGenerateDesc(
        phDesc: Out<CUdevResourceDesc>,
        resources: In<CUdevResource>,
        nbResources: c_uint,
    ) {
        state::init()?;
        let resources = resources.as_ptr();
        // SAFETY: the caller upholds the same contract as for the driver's function.
        check(unsafe { driver::cuDevResourceGenerateDesc(phDesc.as_ptr(), resources, nbResources) })
    }

    /// Creates a green context.
    fn cudaGreenCtxCreate(
        phCtx: Out<CUcontext>,
        desc: CUdevResourceDesc,
        device: CUdevice,
        flags: c_uint,
    ) {
        phCtx.check()?;
        state::init()?;
        if flags != 0 {
            return Err(CUresult::INVALID_VALUE.because(format!("flags {flags:#x} is not 0")));
        }
        let (mut own, mut context) = (0, 0);
        check(driver::cuGreenCtxCreate(&mut own, desc, device, 0))?;
        check(driver::cuCtxFromGreenCtx(&mut context, own))?;
        green().insert(context, own);
        phCtx.set(context)
    }

    /// Destroys a green context. Its streams are detached.
    fn cudaExecutionCtxDestroy(ctx: CUcontext) {
        match green_of(ctx)? {
            Some(own) => {
                check(driver::cuGreenCtxDestroy(own))?;
                green().remove(&ctx);
                Ok(())
            }
            None => Err(CUresult::INVALID_VALUE.because(
                "ctx is not of cudaGreenCtxCreate: the context of a device ends by cudaDeviceReset",
            )),
        }
    }

    /// A resource of an execution context.
    fn cudaExecutionCtxGetDevResource(ctx: CUcontext, resource: Out<CUdevResource>, kind: c_uint) {
        green_of(ctx)?;
        check(driver::cuCtxGetDevResource(ctx, resource, kind))
    }

    /// The device of an execution context.
    fn cudaExecutionCtxGetDevice(device: Out<c_int>, ctx: CUcontext) {
        green_of(ctx)?;
        check(driver::cuCtxGetDevice_v2(device, ctx))
    }

    /// Unique number of an execution context.
    fn cudaExecutionCtxGetId(ctx: CUcontext, ctxId: Out<c_ulonglong>) {
        match green_of(ctx)? {
            // Green contexts have numbers of their own.
            Some(own) => {
                let mut id = 0;
                check(driver::cuGreenCtxGetId(own, &mut id))?;
                ctxId.set(1 << 32 | id)
            }
            None => check(driver::cuCtxGetId(ctx, ctxId)),
        }
    }

    /// Creates a stream in an execution context.
    fn cudaExecutionCtxStreamCreate(
        phStream: Out<CUstream>,
        ctx: CUcontext,
        flags: c_uint,
        priority: c_int,
    ) {
        phStream.check()?;
        if let Some(own) = green_of(ctx)? {
            let flags = flags | NON_BLOCKING;
            return check(driver::cuGreenCtxStreamCreate(phStream, own, flags, priority));
        }
        check(driver::cuCtxPushCurrent_v2(ctx))?;
        // SAFETY: the pointer is to a local variable.
        let made = ask(|made| unsafe { driver::cuStreamCreateWithPriority(made, flags, priority) });
        check(driver::cuCtxPopCurrent_v2(&mut 0))?;
        phStream.set(made?)
    }

    /// Waits for all work of an execution context.
    fn cudaExecutionCtxSynchronize(ctx: CUcontext) {
        green_of(ctx)?;
        check(driver::cuCtxSynchronize_v2(ctx))
    }

    /// The multiprocessors of a stream.
    fn cudaStreamGetDevResource(hStream: CUstream, resource: Out<CUdevResource>, kind: c_uint) {
        state::context()?;
        check(driver::cuStreamGetDevResource(hStream, resource, kind))
    }

    /// Records an event after all preceding work of the device of an execution context.
    fn cudaExecutionCtxRecordEvent(ctx: CUcontext, event: CUevent) {
        green_of(ctx)?;
        check(driver::cuCtxRecordEvent(ctx, event))
    }

    /// Makes all subsequent work of the device of an execution context wait for an event.
    fn cudaExecutionCtxWaitEvent(ctx: CUcontext, event: CUevent) {
        green_of(ctx)?;
        check(driver::cuCtxWaitEvent(ctx, event))
    }

    /// The primary context of a device as an execution context.
    fn cudaDeviceGetExecutionCtx(ctx: Out<CUcontext>, device: CUdevice) {
        ctx.check()?;
        state::check_device(device)?;
        ctx.set(state::primary(device)?)
    }
}
