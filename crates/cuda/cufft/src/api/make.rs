//! Plans: what they transform, and the work area that they need.

use crate::code::{Answer, FftCode};
use crate::plan;
use crate::shape::{Layout, Shape, Type};
use std::ffi::{c_int, c_longlong};
use texunit_client::call::Code;
use texunit_client::library_api;
use texunit_cuda_abi::args::{In, Out};

library_api! { (FftCode)
    /// A plan of which nothing is said yet.
    fn cufftCreate(handle: Out<c_int>) {
        handle.check()?;
        handle.set(plan::create()?)?;
        Ok(())
    }

    /// Ends a plan: work that was submitted is done all the same.
    fn cufftDestroy(plan: c_int) {
        plan::destroy(plan)
    }

    /// Transforms in one dimension.
    fn cufftPlan1d(plan: Out<c_int>, nx: c_int, r#type: u32, batch: c_int) {
        make_new(plan, || simple(&[nx], r#type, batch))
    }

    /// A transform in two dimensions.
    fn cufftPlan2d(plan: Out<c_int>, nx: c_int, ny: c_int, r#type: u32) {
        make_new(plan, || simple(&[nx, ny], r#type, 1))
    }

    /// A transform in three dimensions.
    fn cufftPlan3d(plan: Out<c_int>, nx: c_int, ny: c_int, nz: c_int, r#type: u32) {
        make_new(plan, || simple(&[nx, ny, nz], r#type, 1))
    }

    /// Transforms that lie in memory as a program wants it.
    fn cufftPlanMany(
        plan: Out<c_int>,
        rank: c_int,
        n: In<c_int>,
        inembed: In<c_int>,
        istride: c_int,
        idist: c_int,
        onembed: In<c_int>,
        ostride: c_int,
        odist: c_int,
        r#type: u32,
        batch: c_int,
    ) {
        // SAFETY: the caller's arrays, each of `rank` numbers.
        make_new(plan, || unsafe {
            many(rank, n, [(inembed, istride, idist), (onembed, ostride, odist)], of(r#type), batch)
        })
    }

    /// Says that a plan is of transforms in one dimension.
    fn cufftMakePlan1d(plan: c_int, nx: c_int, r#type: u32, batch: c_int, workSize: Out<usize>) {
        make(plan, workSize, || simple(&[nx], r#type, batch))
    }

    /// Says that a plan is of a transform in two dimensions.
    fn cufftMakePlan2d(plan: c_int, nx: c_int, ny: c_int, r#type: u32, workSize: Out<usize>) {
        make(plan, workSize, || simple(&[nx, ny], r#type, 1))
    }

    /// Says that a plan is of a transform in three dimensions.
    fn cufftMakePlan3d(
        plan: c_int,
        nx: c_int,
        ny: c_int,
        nz: c_int,
        r#type: u32,
        workSize: Out<usize>,
    ) {
        make(plan, workSize, || simple(&[nx, ny, nz], r#type, 1))
    }

    /// Says what a plan is of, as `cufftPlanMany`.
    fn cufftMakePlanMany(
        plan: c_int,
        rank: c_int,
        n: In<c_int>,
        inembed: In<c_int>,
        istride: c_int,
        idist: c_int,
        onembed: In<c_int>,
        ostride: c_int,
        odist: c_int,
        r#type: u32,
        batch: c_int,
        workSize: Out<usize>,
    ) {
        // SAFETY: the caller's arrays, each of `rank` numbers.
        make(plan, workSize, || unsafe {
            many(rank, n, [(inembed, istride, idist), (onembed, ostride, odist)], of(r#type), batch)
        })
    }

    /// `cufftMakePlanMany` with sizes of 64 bits.
    fn cufftMakePlanMany64(
        plan: c_int,
        rank: c_int,
        n: In<c_longlong>,
        inembed: In<c_longlong>,
        istride: c_longlong,
        idist: c_longlong,
        onembed: In<c_longlong>,
        ostride: c_longlong,
        odist: c_longlong,
        r#type: u32,
        batch: c_longlong,
        workSize: Out<usize>,
    ) {
        // SAFETY: the caller's arrays, each of `rank` numbers.
        make(plan, workSize, || unsafe {
            many(rank, n, [(inembed, istride, idist), (onembed, ostride, odist)], of(r#type), batch)
        })
    }

    /// The same with types of input, output and execution, among them half precision.
    fn cufftXtMakePlanMany(
        plan: c_int,
        rank: c_int,
        n: In<c_longlong>,
        inembed: In<c_longlong>,
        istride: c_longlong,
        idist: c_longlong,
        inputtype: u32,
        onembed: In<c_longlong>,
        ostride: c_longlong,
        odist: c_longlong,
        outputtype: u32,
        batch: c_longlong,
        workSize: Out<usize>,
        executiontype: u32,
    ) {
        // SAFETY: the caller's arrays, each of `rank` numbers.
        make(plan, workSize, || unsafe {
            let of = Type::of_data([inputtype, outputtype, executiontype]);
            many(rank, n, [(inembed, istride, idist), (onembed, ostride, odist)], of, batch)
        })
    }

    /// The work area that such a plan needs.
    fn cufftEstimate1d(nx: c_int, r#type: u32, batch: c_int, workSize: Out<usize>) {
        size(workSize, simple(&[nx], r#type, batch))
    }

    /// The work area that such a plan needs.
    fn cufftEstimate2d(nx: c_int, ny: c_int, r#type: u32, workSize: Out<usize>) {
        size(workSize, simple(&[nx, ny], r#type, 1))
    }

    /// The work area that such a plan needs.
    fn cufftEstimate3d(nx: c_int, ny: c_int, nz: c_int, r#type: u32, workSize: Out<usize>) {
        size(workSize, simple(&[nx, ny, nz], r#type, 1))
    }

    /// The work area that such a plan needs.
    fn cufftEstimateMany(
        rank: c_int,
        n: In<c_int>,
        inembed: In<c_int>,
        istride: c_int,
        idist: c_int,
        onembed: In<c_int>,
        ostride: c_int,
        odist: c_int,
        r#type: u32,
        batch: c_int,
        workSize: Out<usize>,
    ) {
        // SAFETY: the caller's arrays, each of `rank` numbers.
        size(workSize, unsafe {
            many(rank, n, [(inembed, istride, idist), (onembed, ostride, odist)], of(r#type), batch)
        })
    }

    /// The work area that a plan needs, if it is made so.
    fn cufftGetSize1d(handle: c_int, nx: c_int, r#type: u32, batch: c_int, workSize: Out<usize>) {
        plan::get(handle)?;
        size(workSize, simple(&[nx], r#type, batch))
    }

    /// The work area that a plan needs, if it is made so.
    fn cufftGetSize2d(handle: c_int, nx: c_int, ny: c_int, r#type: u32, workSize: Out<usize>) {
        plan::get(handle)?;
        size(workSize, simple(&[nx, ny], r#type, 1))
    }

    /// The work area that a plan needs, if it is made so.
    fn cufftGetSize3d(
        handle: c_int,
        nx: c_int,
        ny: c_int,
        nz: c_int,
        r#type: u32,
        workSize: Out<usize>,
    ) {
        plan::get(handle)?;
        size(workSize, simple(&[nx, ny, nz], r#type, 1))
    }

    /// The work area that a plan needs, if it is made so.
    fn cufftGetSizeMany(
        handle: c_int,
        rank: c_int,
        n: In<c_int>,
        inembed: In<c_int>,
        istride: c_int,
        idist: c_int,
        onembed: In<c_int>,
        ostride: c_int,
        odist: c_int,
        r#type: u32,
        batch: c_int,
        workSize: Out<usize>,
    ) {
        plan::get(handle)?;
        // SAFETY: the caller's arrays, each of `rank` numbers.
        size(workSize, unsafe {
            many(rank, n, [(inembed, istride, idist), (onembed, ostride, odist)], of(r#type), batch)
        })
    }

    /// The work area that a plan needs, if it is made so.
    fn cufftGetSizeMany64(
        handle: c_int,
        rank: c_int,
        n: In<c_longlong>,
        inembed: In<c_longlong>,
        istride: c_longlong,
        idist: c_longlong,
        onembed: In<c_longlong>,
        ostride: c_longlong,
        odist: c_longlong,
        r#type: u32,
        batch: c_longlong,
        workSize: Out<usize>,
    ) {
        plan::get(handle)?;
        // SAFETY: the caller's arrays, each of `rank` numbers.
        size(workSize, unsafe {
            many(rank, n, [(inembed, istride, idist), (onembed, ostride, odist)], of(r#type), batch)
        })
    }

    /// The work area that a plan needs, if it is made so.
    fn cufftXtGetSizeMany(
        handle: c_int,
        rank: c_int,
        n: In<c_longlong>,
        inembed: In<c_longlong>,
        istride: c_longlong,
        idist: c_longlong,
        inputtype: u32,
        onembed: In<c_longlong>,
        ostride: c_longlong,
        odist: c_longlong,
        outputtype: u32,
        batch: c_longlong,
        workSize: Out<usize>,
        executiontype: u32,
    ) {
        plan::get(handle)?;
        // SAFETY: the caller's arrays, each of `rank` numbers.
        size(workSize, unsafe {
            let of = Type::of_data([inputtype, outputtype, executiontype]);
            many(rank, n, [(inembed, istride, idist), (onembed, ostride, odist)], of, batch)
        })
    }

    /// The work area that a plan needs.
    fn cufftGetSize(handle: c_int, workSize: Out<usize>) {
        let size = plan::made(handle)?.1.shape.work_size();
        workSize.set(size)?;
        Ok(())
    }
}

fn of(number: u32) -> Answer<Type> {
    Type::of_c(number)
}

/// A plan that is made at once; none is left if that is refused.
fn make_new(plan: Out<'_, c_int>, shape: impl FnOnce() -> Answer<Shape>) -> Answer {
    plan.check()?;
    let shape = shape()?;
    let handle = plan::create()?;
    plan::make(handle, shape).inspect_err(|_| {
        let _ = plan::destroy(handle);
    })?;
    plan.set(handle)?;
    Ok(())
}

fn make(handle: c_int, size: Out<'_, usize>, shape: impl FnOnce() -> Answer<Shape>) -> Answer {
    plan::get(handle)?;
    size.check()?;
    size.set(plan::make(handle, shape()?)?)?;
    Ok(())
}

fn size(size: Out<'_, usize>, shape: Answer<Shape>) -> Answer {
    size.check()?;
    size.set(shape?.work_size())?;
    Ok(())
}

/// Transforms one after the other.
fn simple(sizes: &[c_int], number: u32, batch: c_int) -> Answer<Shape> {
    let sizes = sizes.iter().map(|&size| i64::from(size)).collect();
    Shape::new(of(number)?, sizes, batch.into(), None)
}

/// Transforms with a layout.
///
/// # Safety
/// The arrays are null, or have `rank` numbers.
unsafe fn many<T: Copy + Into<i64>>(
    rank: c_int,
    sizes: In<'_, T>,
    sides: [(In<'_, T>, T, T); 2],
    of: Answer<Type>,
    batch: T,
) -> Answer<Shape> {
    if !(1..=3).contains(&rank) {
        return Err(FftCode::InvalidValue.because(format!("rank {rank} is not 1, 2 or 3")));
    }
    let read = |array: In<'_, T>| -> Answer<Vec<i64>> {
        // SAFETY: as the caller promises.
        let all = unsafe { array.elements(rank.unsigned_abs() as usize) }.to_vec()?;
        Ok(all.into_iter().map(Into::into).collect())
    };
    let sizes = read(sizes)?;
    // Without one of the two the layout is that of transforms one after the other, whatever else is said.
    let is_given = sides.iter().all(|(embed, ..)| !embed.is_null());
    let layouts = if is_given {
        let [input, output] = sides.map(|(embed, stride, distance)| -> Answer<Layout> {
            Ok(Layout { embed: read(embed)?, stride: stride.into(), distance: distance.into() })
        });
        Some([input?, output?])
    } else {
        None
    };
    Shape::new(of?, sizes, batch.into(), layouts)
}
