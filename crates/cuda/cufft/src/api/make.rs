//! Creation of plans from sizes and layouts, and the sizes of their work areas.

use crate::code::*;
use crate::plan;
use crate::shape::{Layout, Shape, Type};
use std::ffi::{c_int, c_longlong};

library_api! { (FftCode)
    /// Creates an empty plan.
    fn cufftCreate(handle: Out<c_int>) {
        handle.give(plan::create)
    }

    /// Destroys a plan; submitted work is still done.
    fn cufftDestroy(plan: c_int) {
        plan::destroy(plan)
    }

    /// Size of a plan's work area.
    fn cufftGetSize(handle: c_int, workSize: Out<usize>) {
        Ok(workSize.set(plan::made(handle)?.1.shape.work_size())?)
    }
}

/// Defines functions for contiguous transforms in one dimension (with a batch), two and three
/// dimensions. The macro is given the documentation, the names, further parameters, and a body,
/// which is given the shape.
macro_rules! contiguous {
    ($(
        $doc:literal $one:ident $two:ident $three:ident
        ($($first:ident: $first_type:ty)?; $($last:ident: $last_type:ty)?) |$shape:ident| $body:expr;
    )*) => {
        library_api! { (FftCode) $(
            #[doc = concat!($doc, " a plan of one-dimensional transforms.")]
            fn $one(
                $($first: $first_type,)? nx: c_int, r#type: u32, batch: c_int, $($last: $last_type)?
            ) {
                let $shape = || simple(&[nx], r#type, batch);
                $body
            }

            #[doc = concat!($doc, " a plan of a two-dimensional transform.")]
            fn $two(
                $($first: $first_type,)? nx: c_int, ny: c_int, r#type: u32, $($last: $last_type)?
            ) {
                let $shape = || simple(&[nx, ny], r#type, 1);
                $body
            }

            #[doc = concat!($doc, " a plan of a three-dimensional transform.")]
            fn $three(
                $($first: $first_type,)? nx: c_int, ny: c_int, nz: c_int, r#type: u32,
                $($last: $last_type)?
            ) {
                let $shape = || simple(&[nx, ny, nz], r#type, 1);
                $body
            }
        )* }
    };
}
contiguous! {
    "Creates" cufftPlan1d cufftPlan2d cufftPlan3d
        (plan: Out<c_int>;) |shape| make_new(plan, shape);
    "Makes an empty plan" cufftMakePlan1d cufftMakePlan2d cufftMakePlan3d
        (plan: c_int; workSize: Out<usize>) |shape| make(plan, workSize, shape);
    "Estimates the work area of" cufftEstimate1d cufftEstimate2d cufftEstimate3d
        (; workSize: Out<usize>) |shape| size(workSize, shape);
    "Returns the work area of" cufftGetSize1d cufftGetSize2d cufftGetSize3d
        (handle: c_int; workSize: Out<usize>) |shape| size_of_plan(handle, workSize, shape);
}

/// Defines functions for transforms with arbitrary layouts. For each, the macro is given the
/// integer type of the parameters, and the body, which is given the shape.
macro_rules! many {
    ($(
        $(#[$doc:meta])*
        $name:ident<$int:ty>($($first:ident: $first_type:ty)?; $($last:ident: $last_type:ty)?) |$shape:ident| $body:expr;
    )*) => {
        library_api! { (FftCode) $(
            $(#[$doc])*
            fn $name(
                $($first: $first_type,)?
                rank: c_int,
                n: In<$int>,
                inembed: In<$int>,
                istride: $int,
                idist: $int,
                onembed: In<$int>,
                ostride: $int,
                odist: $int,
                r#type: u32,
                batch: $int,
                $($last: $last_type)?
            ) {
                let sides = [(inembed, istride, idist), (onembed, ostride, odist)];
                // SAFETY: the caller's arrays have `rank` elements each.
                let $shape = || unsafe { layout(rank, n, sides, Type::of_c(r#type), batch) };
                $body
            }
        )* }
    };
}
many! {
    /// Creates a plan of transforms with arbitrary layouts.
    cufftPlanMany<c_int>(plan: Out<c_int>;) |shape| make_new(plan, shape);
    /// Sets the shape of a plan to transforms with arbitrary layouts.
    cufftMakePlanMany<c_int>(plan: c_int; workSize: Out<usize>) |shape| make(plan, workSize, shape);
    /// `cufftMakePlanMany` with sizes of 64 bits.
    cufftMakePlanMany64<c_longlong>(plan: c_int; workSize: Out<usize>) |shape| make(plan, workSize, shape);
    /// Estimates the work area of a plan with arbitrary layouts.
    cufftEstimateMany<c_int>(; workSize: Out<usize>) |shape| size(workSize, shape);
    /// Work area of a plan with arbitrary layouts.
    cufftGetSizeMany<c_int>(handle: c_int; workSize: Out<usize>) |shape| size_of_plan(handle, workSize, shape);
    /// `cufftGetSizeMany` with sizes of 64 bits.
    cufftGetSizeMany64<c_longlong>(handle: c_int; workSize: Out<usize>) |shape| size_of_plan(handle, workSize, shape);
}

/// Defines functions for arbitrary layouts with explicit types of input, output and computation,
/// including half precision.
macro_rules! typed_many {
    ($($(#[$doc:meta])* $name:ident => $with:ident;)*) => {
        library_api! { (FftCode) $(
            $(#[$doc])*
            fn $name(
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
                let of = Type::of_data([inputtype, outputtype, executiontype]);
                let sides = [(inembed, istride, idist), (onembed, ostride, odist)];
                // SAFETY: the caller's arrays have `rank` elements each.
                $with(plan, workSize, || unsafe { layout(rank, n, sides, of, batch) })
            }
        )* }
    };
}
typed_many! {
    /// Sets the shape of a plan to transforms with arbitrary layouts and explicit types.
    cufftXtMakePlanMany => make;
    /// Work area of a plan with arbitrary layouts and explicit types.
    cufftXtGetSizeMany => size_of_plan;
}

/// Creates a plan and sets its shape; if that is refused, the plan is destroyed.
fn make_new(plan: Out<'_, c_int>, shape: impl FnOnce() -> Answer<Shape>) -> Answer {
    plan.give(|| {
        let shape = shape()?;
        let handle = plan::create()?;
        plan::make(handle, shape).inspect_err(|_| {
            let _ = plan::destroy(handle);
        })?;
        Ok(handle)
    })
}

fn make(handle: c_int, size: Out<'_, usize>, shape: impl FnOnce() -> Answer<Shape>) -> Answer {
    plan::get(handle)?;
    size.give(|| plan::make(handle, shape()?))
}

fn size(size: Out<'_, usize>, shape: impl FnOnce() -> Answer<Shape>) -> Answer {
    size.give(|| Ok(shape()?.work_size()))
}

fn size_of_plan(
    handle: c_int,
    to: Out<'_, usize>,
    shape: impl FnOnce() -> Answer<Shape>,
) -> Answer {
    plan::get(handle)?;
    size(to, shape)
}

/// The shape of contiguous transforms.
fn simple(sizes: &[c_int], number: u32, batch: c_int) -> Answer<Shape> {
    let sizes = sizes.iter().map(|&size| i64::from(size)).collect();
    Shape::new(Type::of_c(number)?, sizes, batch.into(), None)
}

/// The shape of transforms with arbitrary layouts.
///
/// # Safety
/// The arrays are null, or have `rank` elements.
unsafe fn layout<T: Copy + Into<i64>>(
    rank: c_int,
    sizes: In<'_, T>,
    sides: [(In<'_, T>, T, T); 2],
    of: Answer<Type>,
    batch: T,
) -> Answer<Shape> {
    if !(1..=3).contains(&rank) {
        bail!(FftCode::InvalidValue, "rank {rank} is not 1, 2 or 3");
    }
    let read = |array: In<'_, T>| -> Answer<Vec<i64>> {
        // SAFETY: the caller upholds this function's safety contract.
        let all = unsafe { array.elements(rank.unsigned_abs() as usize) }.to_vec()?;
        Ok(all.into_iter().map(Into::into).collect())
    };
    let sizes = read(sizes)?;
    // If either `embed` array is null, transforms are contiguous, and strides and distances are
    // ignored.
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
