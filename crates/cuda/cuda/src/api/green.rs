//! Green contexts (driver API, "Green Contexts"), implemented in [`crate::green`].

use crate::api::*;
use crate::graph::capture;
use crate::green::split::{self, Split};
use crate::green::{self, GreenContext};
use crate::stream::{self, GREATEST_PRIORITY};
use crate::{context, teardown};

/// Maximum number of resources of a descriptor.
const MAX_RESOURCES: c_uint = 1024;

/// Writes the remainder of a split, and its parts to an array of the caller's that has room for a
/// number of them, unless it is null.
fn give(
    Split { parts, rest }: Split,
    result: Out<CUdevResource>,
    room: c_uint,
    remainder: Out<CUdevResource>,
) -> Answer {
    remainder.set_if(rest);
    if result.is_null() {
        return Ok(());
    }
    // SAFETY: the caller states that the array has this many elements.
    unsafe { result.elements(room as usize) }.set_all(parts)
}

driver_api! {
    /// A resource of a device.
    fn cuDeviceGetDevResource(device, resource, kind) {
        resource.set(green::of_device(state::gpu(device)?, kind)?)
    }

    /// A resource of a context.
    fn cuCtxGetDevResource(hCtx, resource, kind) {
        resource.set(green::resource(green::find(hCtx), &*hCtx.get()?, kind)?)
    }

    /// A resource of a green context.
    fn cuGreenCtxGetDevResource(hCtx, resource, kind) {
        resource.set(hCtx.get()?.resource(kind)?)
    }

    /// The multiprocessors of a stream.
    fn cuStreamGetDevResource(hStream, resource, kind) {
        let context = crate::stream::on(hStream)?;
        if kind != CU_DEV_RESOURCE_TYPE_SM {
            return Err(green::wrong_type(kind, "streams have multiprocessors (1)"));
        }
        resource.set(green::resource(stream::green_context(hStream)?, &context, kind)?)
    }

    /// Splits multiprocessors into parts of equal size; without `result`, only counts the parts.
    fn cuDevSmResourceSplitByCount(result, nbGroups, input, remainder, flags, minCount) {
        let room = nbGroups.get()?;
        let most = if result.is_null() { c_uint::MAX } else { room };
        let split = split::by_count(&input.get()?, most, (flags, minCount))?;
        nbGroups.out().set(split.parts.len() as c_uint)?;
        give(split, result, room, remainder)
    }

    /// Splits multiprocessors into parts of the sizes in `groupParams`, and writes the sizes of
    /// parts for which it has 0.
    fn cuDevSmResourceSplit(result, nbGroups, input, remainder, flags, groupParams) {
        let (input, count) = (input.get()?, nbGroups as usize);
        ensure!(flags == 0, "flags {flags:#x} is not 0");
        let most = input.sms().map_or(0, |sm| sm.smCount);
        ensure!(
            nbGroups != 0 && nbGroups <= most,
            CUresult::INVALID_RESOURCE_CONFIGURATION,
            "nbGroups {nbGroups} is not from 1 to {most}, the multiprocessors of input"
        );
        // SAFETY: the caller states that the array has this many elements.
        let params = |i| unsafe { groupParams.nth(i) };
        let mut groups = (0..count).map(|i| params(i).get()).collect::<Answer<Vec<_>>>()?;
        let split = split::by_groups(&input, &mut groups, !result.is_null())?;
        for (i, group) in groups.into_iter().enumerate() {
            params(i).out().set(group)?;
        }
        give(split, result, nbGroups, remainder)
    }

    /// Creates a resource descriptor for `cuGreenCtxCreate`.
    fn cuDevResourceGenerateDesc(phDesc, resources[nbResources], nbResources) {
        phDesc.check()?;
        // A longer list would contain a resource twice: a device has at most this many parts, one
        // configuration and one work queue.
        ensure!(
            nbResources <= MAX_RESOURCES,
            CUresult::INVALID_RESOURCE_CONFIGURATION,
            "nbResources {nbResources} is more than {MAX_RESOURCES}"
        );
        phDesc.set(green::describe(&resources.to_vec()?)?)
    }

    /// Creates a green context, which retains the primary context of its device.
    fn cuGreenCtxCreate(phCtx, desc, dev, flags) {
        phCtx.check()?;
        let gpu = state::gpu(dev)?;
        ensure!(
            flags <= CU_GREEN_CTX_DEFAULT_STREAM,
            "flags {flags:#x} is not CU_GREEN_CTX_NONE (0) or CU_GREEN_CTX_DEFAULT_STREAM (1)"
        );
        let descriptor = desc.get()?;
        ensure!(
            descriptor.device == gpu.ordinal.unsigned_abs(),
            CUresult::INVALID_DEVICE,
            "desc is of resources of device {}, and dev is {}",
            descriptor.device,
            gpu.ordinal
        );
        let (primary, alias) = (context::retain_primary(gpu), Handle::fresh());
        let green = GreenContext::new(gpu, (primary, alias), &descriptor);
        let created = primary.get().and_then(|context| {
            Context::registry().insert_as(alias, Arc::clone(&context));
            context.register(green)
        });
        phCtx.set(created.inspect_err(|_| {
            // Another thread has ended the primary context meanwhile.
            Context::registry().remove(alias);
            drop(teardown::release_primary(gpu));
        })?)
    }

    /// Destroys a green context and releases its primary context. Its streams are detached.
    fn cuGreenCtxDestroy(hCtx) {
        let green = hCtx.take()?;
        Context::registry().remove(green.alias);
        // Captures in the streams of the context are invalidated.
        for (number, stream) in Stream::registry().all_with_handles(|s| s.green == hCtx) {
            capture::stream_ended(stream::own(green.gpu.ordinal.unsigned_abs(), number, &stream));
        }
        teardown::release_primary(&green.gpu)
    }

    /// The context handle that represents a green context.
    fn cuCtxFromGreenCtx(pContext, hCtx) {
        pContext.set(hCtx.get()?.alias)
    }

    /// Unique number of a green context; of the current context for null.
    fn cuGreenCtxGetId(greenCtx, greenCtxId) {
        let current = || green::find(context::current_handle());
        let green = if greenCtx.is_null() { current() } else { greenCtx };
        ensure!(
            !green.is_null(),
            CUresult::INVALID_CONTEXT,
            "greenCtx is null, and the current context is not a green one"
        );
        greenCtxId.set(green.get()?.id)
    }

    /// Creates a stream in a green context.
    fn cuGreenCtxStreamCreate(phStream, greenCtx, flags, priority) {
        phStream.check()?;
        let green = greenCtx.get()?;
        ensure!(
            flags == CU_STREAM_NON_BLOCKING,
            "flags {flags:#x} is not CU_STREAM_NON_BLOCKING (1)"
        );
        let context = green.primary.get()?;
        let priority = priority.clamp(GREATEST_PRIORITY, 0);
        phStream.set(Stream::create(&context, greenCtx, flags, priority)?)
    }

    /// The green context of a stream; null if it has none.
    fn cuStreamGetGreenCtx(hStream, phCtx) {
        crate::stream::on(hStream)?;
        phCtx.set(stream::green_context(hStream)?)
    }

    /// Records an event after all preceding work of the device of a green context.
    fn cuGreenCtxRecordEvent(hCtx, hEvent) {
        event::record_in_context(hCtx.get()?.primary, hEvent)
    }

    /// Makes all subsequent work of the device of a green context wait for an event.
    fn cuGreenCtxWaitEvent(hCtx, hEvent) {
        event::context_waits(hCtx.get()?.primary, hEvent)
    }
}
