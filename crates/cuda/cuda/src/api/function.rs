//! Functions and their attributes (driver API, "Execution Control"), and the deprecated launches
//! whose parameters are set call by call.

use crate::api::*;
use crate::module::Prepared;
use crate::{context, launch};

/// Maximum size in bytes of the parameters of a deprecated launch.
const MAX_PARAMETERS: usize = 32 << 10;

driver_api! {
    /// An attribute of a kernel. Registers are not allocated: the reported number is that of the
    /// PTX, limited so that the largest block can run.
    fn cuFuncGetAttribute(pi, attrib, hfunc) {
        pi.give(|| current(hfunc)?.attribute(attrib))
    }

    /// Sets an attribute of a kernel.
    fn cuFuncSetAttribute(hfunc, attrib, value) {
        current(hfunc)?.set_attribute(attrib, value)
    }

    /// Name of a kernel in the PTX. The text lives as long as the module.
    fn cuFuncGetName(name, hfunc) {
        name.give(|| Ok(current(hfunc)?.name.as_ptr()))
    }

    /// The module of a kernel.
    fn cuFuncGetModule(hmod, hfunc) {
        hmod.give(|| Ok(current(hfunc)?.module))
    }

    /// Offset and size of a parameter in the parameter buffer; the out-pointer of the size may be
    /// null.
    fn cuFuncGetParamInfo(func, paramIndex, paramOffset, paramSize) {
        paramOffset.check()?;
        let (offset, size) = current(func)?.parameter(paramIndex)?;
        paramSize.set_if(size);
        paramOffset.set(offset)
    }

    /// Number of a kernel's parameters.
    fn cuFuncGetParamCount(func, paramCount) {
        paramCount.give(|| Ok(current(func)?.kernel.params().len()))
    }

    /// Whether a kernel is loaded: always (`CU_FUNCTION_LOADING_STATE_LOADED`), as kernels are
    /// loaded with their module.
    fn cuFuncIsLoaded(state, function) {
        state.check()?;
        current(function)?;
        state.set(1)
    }

    /// Has no effect, as kernels are loaded with their module.
    fn cuFuncLoad(function) {
        current(function).map(|_| ())
    }

    /// Sets a kernel's cache preference, which has no effect.
    fn cuFuncSetCacheConfig(hfunc, config) {
        current(hfunc)?;
        ensure!(config <= 3, "config {config} is not a CUfunc_cache: 0 to 3");
        Ok(())
    }

    /// Sets the bank width of a kernel's shared memory, which only affects speed.
    fn cuFuncSetSharedMemConfig(hfunc, config) {
        current(hfunc)?;
        ensure!(config <= 2, "config {config} is not a CUsharedconfig: 0 to 2");
        Ok(())
    }

    /// Sets the block shape for `cuLaunch` and `cuLaunchGrid`.
    fn cuFuncSetBlockShape(hfunc, x, y, z) {
        let size = |name: &str, n: c_int| match u32::try_from(n) {
            Ok(n @ 1..) => Ok(n),
            _ => Err(invalid!("{name} {n} is not a size of a CTA, 1 and more")),
        };
        let block = [size("x", x)?, size("y", y)?, size("z", z)?];
        prepare(hfunc, |prepared| prepared.block = block)
    }

    /// Sets the dynamic shared memory in bytes for `cuLaunch` and `cuLaunchGrid`.
    fn cuFuncSetSharedSize(hfunc, bytes) {
        prepare(hfunc, |prepared| prepared.shared = bytes)
    }

    /// Sets the size of all parameters in bytes for `cuLaunch` and `cuLaunchGrid`.
    fn cuParamSetSize(hfunc, numbytes) {
        ensure!(
            numbytes as usize <= MAX_PARAMETERS,
            "numbytes {numbytes} is more than {MAX_PARAMETERS}, the maximum size of a kernel's parameters"
        );
        prepare(hfunc, |prepared| prepared.params.resize(numbytes as usize, 0))
    }

    /// Sets an integer parameter.
    fn cuParamSeti(hfunc, offset, value) {
        parameter(hfunc, offset, &value.to_ne_bytes())
    }

    /// Sets a float parameter.
    fn cuParamSetf(hfunc, offset, value) {
        parameter(hfunc, offset, &value.to_ne_bytes())
    }

    /// Sets a parameter of any type.
    fn cuParamSetv(hfunc, offset, ptr, numbytes) {
        ensure!(
            numbytes as usize <= MAX_PARAMETERS,
            "numbytes {numbytes} is more than {MAX_PARAMETERS}, the maximum size of a kernel's parameters"
        );
        // SAFETY: the caller guarantees an array of this length.
        let bytes = unsafe { ptr.bytes(numbytes as usize) }.to_vec()?;
        parameter(hfunc, offset, &bytes)
    }

    /// Launches one block of a kernel with the parameters set before.
    fn cuLaunch(f) {
        prepared(f, [1, 1], Handle::NULL)
    }

    /// Launches a kernel with the parameters set before.
    fn cuLaunchGrid(f, grid_width, grid_height) {
        prepared(f, [grid_width, grid_height], Handle::NULL)
    }

    /// Launches a kernel with the parameters set before in a stream.
    fn cuLaunchGridAsync(f, grid_width, grid_height, hStream) {
        prepared(f, [grid_width, grid_height], hStream)
    }
}

/// The function of a handle, in the current context.
fn current(function: Handle<Function>) -> Answer<Arc<Function>> {
    launch::function(function, &*context::current()?)
}

fn prepare(function: Handle<Function>, change: impl FnOnce(&mut Prepared)) -> Answer {
    change(&mut lock(&current(function)?.prepared));
    Ok(())
}

/// Writes bytes of the parameter buffer, which grows as needed.
fn parameter(function: Handle<Function>, offset: c_int, bytes: &[u8]) -> Answer {
    let start = usize::try_from(offset).map_err(|_| invalid!("offset {offset} is negative"))?;
    let end = start + bytes.len();
    ensure!(
        end <= MAX_PARAMETERS,
        "offset {offset} and {} end at {end}, more than {MAX_PARAMETERS}, the maximum size of a kernel's \
         parameters",
        Count(bytes.len(), "byte")
    );
    prepare(function, |prepared| {
        let params = &mut prepared.params;
        params.resize(params.len().max(end), 0);
        params[start..end].copy_from_slice(bytes);
    })
}

fn prepared(handle: Handle<Function>, grid: [c_int; 2], stream: Handle<Stream>) -> Answer {
    let order = Order::capturable(stream)?;
    let context: Arc<Context> = Arc::clone(&order.context);
    let function = launch::function(handle, &context)?;
    let [x, y] = grid.map(|n| {
        u32::try_from(n).map_err(|_| {
            invalid!("a grid of {} x {} is not one: sizes are at least 1", grid[0], grid[1])
        })
    });
    let Prepared { block, shared, mut params } = lock(&function.prepared).clone();
    let size = function.kernel.param_size() as usize;
    ensure!(
        params.len() >= size,
        "{} of parameters were set (cuParamSetSize, cuParamSetv), and kernel `{}` has {size}",
        Count(params.len(), "byte"),
        crate::module::kernel_name(&function)
    );
    params.truncate(size);
    let shape = Shape::plain([x?, y?, 1], block, shared);
    match order.capture {
        None => launch::launch(&order, &function, shape, params),
        Some(place) => {
            launch::check(&context, &function, &shape)?;
            place.add_launch((function, handle), &context, shape, (params, &[])).map(|_| ())
        }
    }
}
