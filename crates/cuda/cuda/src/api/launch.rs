//! Kernel launches (driver API, "Execution Control"): reads parameters and attributes, and launches
//! a kernel or adds a graph node.
//!
//! Kernels of a cooperative launch on several devices that wait for each other through memory run
//! concurrently ("Launches that wait", docs/cuda-api.md). A group of all their threads
//! (`cooperative_groups::multi_grid_group`, removed in CUDA 13) does not exist, and `is_valid`
//! returns false.

use crate::api::*;
use crate::{launch, stream};
use texunit_cuda_abi::launch_attribute as attribute;

driver_api! {
    /// Launches a kernel with an array of parameters or a parameter buffer.
    fn cuLaunchKernel(
        f, gridDimX, gridDimY, gridDimZ, blockDimX, blockDimY, blockDimZ, sharedMemBytes, hStream,
        kernelParams, extra,
    ) {
        let (grid, block) = ([gridDimX, gridDimY, gridDimZ], [blockDimX, blockDimY, blockDimZ]);
        let shape = Shape::plain(grid, block, sharedMemBytes);
        // SAFETY: the kernel's arguments are valid as the driver API requires.
        unsafe { launch_in(f, &Order::capturable(hStream)?, &shape, (kernelParams, extra), &[]) }.map(|_| ())
    }

    /// Launches a cooperative kernel, all of whose CTAs are resident and can synchronise with each
    /// other.
    fn cuLaunchCooperativeKernel(
        f, gridDimX, gridDimY, gridDimZ, blockDimX, blockDimY, blockDimZ, sharedMemBytes, hStream,
        kernelParams,
    ) {
        let (grid, block) = ([gridDimX, gridDimY, gridDimZ], [blockDimX, blockDimY, blockDimZ]);
        let shape = Shape { cooperative: true, ..Shape::plain(grid, block, sharedMemBytes) };
        let params = (kernelParams, In::null());
        // SAFETY: the kernel's arguments are valid as the driver API requires.
        unsafe { launch_in(f, &Order::capturable(hStream)?, &shape, params, &[]) }.map(|_| ())
    }

    /// Launches a kernel with attributes. Attributes about scheduling have no effect, as work is
    /// done before the call returns.
    fn cuLaunchKernelEx(config, f, kernelParams, extra) {
        let config = config.get()?;
        // SAFETY: the caller's structure points to as many attributes as it counts.
        let attributes = unsafe { config.attributes() }.to_vec()?;
        let mut shape = Shape::of(&config);
        let mut events = Vec::new();
        for one in &attributes {
            attributed(one, &mut shape, &mut events)?;
        }
        // A fault of the kernel is returned by later calls.
        let order = Order::capturable(Handle::of(config.hStream))?;
        // SAFETY: the kernel's arguments are valid as the driver API requires.
        let node = unsafe { launch_in(f, &order, &shape, (kernelParams, extra), &attributes)? };
        let updatable =
            attributes.iter().position(|one| one.id == attribute::DEVICE_UPDATABLE_KERNEL_NODE);
        if let (Some(i), true) = (updatable, node != 0) {
            let value = config.attrs + (i * size_of::<CUlaunchAttribute>()) as u64 + 8;
            // SAFETY: the attribute is in the caller's array, and the caller expects the handle in
            // it.
            unsafe { give_node(std::ptr::with_exposed_provenance_mut(value as usize), node) };
        }
        for event in events {
            match order.capture {
                Some(place) => place.record(event.number())?,
                None => crate::deferred::record_event(event, &order),
            }
        }
        Ok(())
    }
}

/// Writes the device handle of a node into the launch attribute that made the node
/// device-updatable.
///
/// # Safety
/// The value is the caller's and may be written.
pub(super) unsafe fn give_node(value: *mut [u32; 16], node: u64) {
    // SAFETY: the caller upholds this function's safety contract.
    unsafe { value.cast::<u64>().add(1).write_unaligned(node) };
}

/// Checks an attribute of a kernel node.
pub(super) fn check_attribute(one: &CUlaunchAttribute) -> Answer {
    // Event attributes are refused, as graphs record events with nodes of their own.
    ensure!(
        !matches!(one.id, attribute::PROGRAMMATIC_EVENT | attribute::LAUNCH_COMPLETION_EVENT),
        "attr {} is not one of kernel nodes",
        one.id
    );
    let is_cluster =
        matches!(one.id, attribute::CLUSTER_DIMENSION | attribute::PREFERRED_CLUSTER_DIMENSION);
    if is_cluster && one.value[..3] == [0; 3] {
        // All three extents 0 mean that there are no clusters.
        return Ok(());
    }
    attributed(one, &mut Shape::plain([1; 3], [1; 3], 0), &mut Vec::new())
}

/// Applies a launch attribute to the shape, or adds an event to be recorded after the launch.
fn attributed(
    one: &CUlaunchAttribute,
    shape: &mut Shape,
    events: &mut Vec<Handle<stream::Event>>,
) -> Answer {
    let [x, y, z, ..] = one.value;
    match one.id {
        attribute::COOPERATIVE => shape.cooperative = x != 0,
        attribute::CLUSTER_DIMENSION | attribute::PREFERRED_CLUSTER_DIMENSION => {
            ensure!(
                ![x, y, z].contains(&0),
                "a cluster of {x} x {y} x {z} CTAs is empty: each side is at least 1"
            );
            // The preferred cluster size is ignored; the launch must be valid with the regular one.
            if one.id == attribute::CLUSTER_DIMENSION {
                shape.cluster = Some([x, y, z]);
            }
        }
        attribute::PROGRAMMATIC_EVENT | attribute::LAUNCH_COMPLETION_EVENT => {
            let event = Handle::<stream::Event>::of((u64::from(y) << 32 | u64::from(x)) as usize);
            event.get().map_err(|refusal| refusal.named("the event of the attribute"))?;
            events.push(event);
        }
        attribute::IGNORE..=attribute::PREFERRED_SHARED_MEMORY_CARVEOUT
        | attribute::NVLINK_UTIL_CENTRIC_SCHEDULING..=attribute::SHARED_MEMORY_MODE => {}
        other => {
            bail!("attribute {other} of the launch is not a CUlaunchAttributeID that texunit has")
        }
    }
    Ok(())
}

/// Launches a kernel or adds a graph node. Returns the device handle of a node that kernels can
/// update, or else 0.
///
/// # Safety
/// The arguments satisfy the safety contract of [`launch::parameters`].
pub(super) unsafe fn launch_in(
    f: Handle<Function>,
    order: &Order,
    shape: &Shape,
    (params, extra): (In<'_, Raw<'_>>, In<'_, u64>),
    attributes: &[CUlaunchAttribute],
) -> Answer<u64> {
    let function = launch::function(f, &order.context)?;
    // SAFETY: the caller upholds this function's safety contract.
    let params = unsafe { launch::parameters(&function, params, extra)? };
    match order.capture {
        None if attributes.iter().any(|one| one.id == attribute::DEVICE_UPDATABLE_KERNEL_NODE) => {
            Err(invalid!(
                "attribute 13 (CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE) is for nodes of graphs, and the stream is \
                 not being captured"
            ))
        }
        None => launch::launch(order, &function, *shape, params).map(|()| 0),
        Some(place) => {
            launch::check(&order.context, &function, shape)?;
            place.add_launch((function, f), &order.context, *shape, (params, attributes))
        }
    }
}

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
        let devices = state::gpus()?.len();
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
    launch::check(&order.context, &function, &shape)?;
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

fn of(one: &CUDA_LAUNCH_PARAMS, order: &Order) -> Answer<Arc<Function>> {
    launch::function(Handle::of(one.function), &order.context)
}

/// Makes the streams wait for each other.
fn join(orders: &[Order]) {
    if let Some(race) = crate::check_log::race() {
        let queues: Vec<_> = orders.iter().map(|order| order.queue).collect();
        race.streams().join(&queues);
    }
    deferred::joined(orders);
}
