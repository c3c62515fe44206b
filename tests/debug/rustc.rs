#![feature(no_core, lang_items, abi_ptx, intrinsics, rustc_attrs, auto_traits, link_llvm_intrinsics)]
#![no_core]
#![crate_type = "lib"]
#![allow(internal_features)]

#[lang = "pointee_sized"] pub trait PointeeSized {}
#[lang = "meta_sized"] pub trait MetaSized: PointeeSized {}
#[lang = "sized"] pub trait Sized: MetaSized {}
#[lang = "copy"] pub trait Copy {}
#[lang = "freeze"] pub unsafe auto trait Freeze {}
impl Copy for i32 {}
impl Copy for f32 {}
impl Copy for bool {}
impl Copy for i16 {}
impl<T: PointeeSized> Copy for *mut T {}
impl<T: PointeeSized> Copy for *const T {}
#[lang = "add"] pub trait Add<R = Self> { type Output; fn add(self, other: R) -> Self::Output; }
impl Add for i32 { type Output = i32; #[inline(always)] fn add(self, o: i32) -> i32 { self + o } }
#[lang = "mul"] pub trait Mul<R = Self> { type Output; fn mul(self, other: R) -> Self::Output; }
impl Mul for i32 { type Output = i32; #[inline(always)] fn mul(self, o: i32) -> i32 { self * o } }
impl Mul for f32 { type Output = f32; #[inline(always)] fn mul(self, o: f32) -> f32 { self * o } }

pub struct Pair { first: i32, second: f32 }
pub enum Kind { None, Some(i32) }

extern "C" { #[link_name = "llvm.nvvm.read.ptx.sreg.tid.x"] fn tid() -> i32; }
#[rustc_intrinsic] pub unsafe fn arith_offset<T>(at: *const T, by: isize) -> *const T;
#[inline(never)]
fn scaled(pair: &Pair, by: i32) -> Pair {
    let first = pair.first * by;
    let second = pair.second * 0.5f32;
    Pair { first, second }
}

#[no_mangle]
pub unsafe extern "ptx-kernel" fn work(out: *mut Pair, n: i32) {
    let t = tid();
    let pair = Pair { first: t, second: 3.0f32 };
    let numbers = (t, n, 7i16);
    let twice = scaled(&pair, 2);
    let kind = Kind::Some(twice.first + numbers.1);
    match kind {
        Kind::Some(x) => { *(arith_offset(out as *const Pair, t as isize) as *mut Pair) = Pair { first: x, second: twice.second }; }
        Kind::None => {}
    }
}
