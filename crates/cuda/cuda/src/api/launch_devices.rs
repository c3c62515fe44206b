//! Cooperative launches on several devices (driver API, "Execution Control").
//!
//! Kernels that wait for each other through memory run concurrently ("Launches that wait",
//! docs/cuda-api.md). A group of all their threads (`cooperative_groups::multi_grid_group`, removed
//! in CUDA 13) does not exist, and `is_valid` returns false.

use super::launch::launch_in;
use crate::api::*;
use crate::stream;

driver_api! {
    /// Launches a kernel on each of several devices.
    fn cuLaunchCooperativeKernelMultiDevice(launchParamsList[numDevices], numDevices, flags) {
        ensure!(
            flags
                & !(CUDA_COOPERATIVE_LAUNCH_MULTI_DEVICE_NO_PRE_LAUNCH_SYNC
                    | CUDA_COOPERATIVE_LAUNCH_MULTI_DEVICE_NO_POST_LAUNCH_SYNC)
                == 0,
            "flags {flags:#x} has bits that are not 1 or 2"
        );
        let devices = crate::state::gpus()?.len();
        ensure!(
            numDevices != 0 && numDevices as usize <= devices,
            "numDevices {numDevices} is 0 or more than the {devices} that there are"
        );
        let list = launchParamsList.to_vec()?;
        let mut orders: Vec<Order> = Vec::new();
        for (i, one) in list.iter().enumerate() {
            let order = check(i, one, &list)?;
            let device = order.context.gpu.ordinal;
            ensure!(
                !orders.iter().any(|other| other.context.gpu.ordinal == device),
                "launchParamsList[{i}] is one more launch on device {device}"
            );
            orders.push(order);
        }
        if flags & CUDA_COOPERATIVE_LAUNCH_MULTI_DEVICE_NO_PRE_LAUNCH_SYNC == 0 {
            join(&orders);
        }
        for (one, order) in list.iter().zip(&orders) {
            let function = Handle::of(one.function);
            // SAFETY: the kernel's arguments are valid as the driver API requires.
            unsafe {
                let params = (In::of(one.kernelParams), In::null());
                launch_in(function, order, &shape(one), params, &[])?;
            }
        }
        if flags & CUDA_COOPERATIVE_LAUNCH_MULTI_DEVICE_NO_POST_LAUNCH_SYNC == 0 {
            join(&orders);
        }
        Ok(())
    }
}

fn shape(one: &CUDA_LAUNCH_PARAMS) -> Shape {
    Shape { cooperative: true, ..Shape::plain(one.grid, one.block, one.sharedMemBytes) }
}

/// Checks a launch against the first one, and checks all launches before any is done.
fn check(i: usize, one: &CUDA_LAUNCH_PARAMS, list: &[CUDA_LAUNCH_PARAMS]) -> Answer<Order> {
    let stream = Handle::<Stream>::of(one.hStream);
    ensure!(
        stream::find(stream)?.is_some(),
        "hStream of launchParamsList[{i}] is a default stream: it has to be one of cuStreamCreate"
    );
    let order = Order::of(stream)?;
    let (function, shape) = (of(one, &order)?, shape(one));
    crate::launch::check(&order.context, &function, &shape)?;
    let Some(first) = list.first() else { return Ok(order) };
    ensure!(
        shape == self::shape(first),
        "grid, block or sharedMemBytes of launchParamsList[{i}] are not those of the first launch"
    );
    let first = of(first, &Order::of(Handle::of(first.hStream))?)?;
    ensure!(
        first.kernel.name() == function.kernel.name()
            && first.kernel.params() == function.kernel.params(),
        "function of launchParamsList[{i}] is kernel `{}`, and that of the first launch `{}`",
        crate::module::kernel_name(&function),
        crate::module::kernel_name(&first)
    );
    Ok(order)
}

fn of(one: &CUDA_LAUNCH_PARAMS, order: &Order) -> Answer<std::sync::Arc<Function>> {
    crate::launch::function(Handle::of(one.function), &order.context)
}

/// Makes the streams wait for each other.
fn join(orders: &[Order]) {
    if let Some(race) = crate::check_log::race() {
        let queues: Vec<_> = orders.iter().map(|order| order.queue).collect();
        race.streams().join(&queues);
    }
    deferred::joined(orders);
}
