//! Unloaded modules leave no memory allocated. It is a separate process, as its memory is measured.

#![allow(unsafe_code)]

mod common;

use common::*;
use std::ffi::CStr;
use std::ptr::null_mut;

const PTX: &CStr = ptx!("ptx/module_lifetime.ptx");

#[test]
fn nothing_is_left_of_modules() {
    context();
    let image = PTX.to_bytes_with_nul();
    let pages = || {
        let text = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
        text.split(' ').nth(1).and_then(|n| n.parse::<u64>().ok()).unwrap_or(0)
    };
    let rounds = if std::env::var_os("TEXUNIT_LONG_TESTS").is_some() { 1_000_000 } else { 3000 };
    let mut after_first = 0;
    for round in 0..rounds {
        let mut module = null_mut();
        ok!(cuModuleLoadData(&raw mut module, image.as_ptr()));
        ok!(cuModuleUnload(module));
        if round == rounds / 3 {
            after_first = pages();
        }
    }
    // For two thirds of the rounds: a leak of 100 bytes per round would be more pages than this.
    let grown = pages().saturating_sub(after_first) * 4096;
    assert!(grown < 4 << 20, "{grown} bytes in {rounds} rounds");
}
