//! Export tables: functions beside the driver API (driver API, "Driver Entry Point Access":
//! `cuGetExportTable`).
//!
//! NVIDIA's own CUDA runtime, shared or statically linked, requests a few such tables by their
//! UUIDs and does not start without them. Their contents are not in the driver API's manual;
//! docs/cuda-api.md describes what was found out by observing runtimes 12.9 and 13.5. A table
//! begins with its size in bytes, followed by functions; [`runtime::STORAGE`] has no size.
//!
//! One table is missing: by it NVIDIA's runtime tests that the driver is NVIDIA's, which this one
//! is not. Programs use texunit's runtime instead (docs/cuda-api.md).
//!
//! Entries that runtimes were not observed to call print their number once, and return
//! `CUDA_ERROR_NOT_SUPPORTED`.

mod runtime;

use crate::call::driver_api;
use crate::prelude::*;

pub(crate) use runtime::release_context;

/// Address of a function in a table, with any parameters.
#[derive(Clone, Copy, Debug)]
#[repr(transparent)]
struct Entry(*const ());

// SAFETY: the address is of code, which is never written through it.
unsafe impl Sync for Entry {}

/// A table with its size.
#[derive(Debug)]
#[repr(C)]
struct Table<const N: usize> {
    /// Size of the table in bytes, including this field.
    size: usize,
    /// Entries from index 1 on.
    entries: [Entry; N],
}

impl<const N: usize> Table<N> {
    const fn new(entries: [Entry; N]) -> Self {
        Self { size: size_of::<Self>(), entries }
    }
}

/// The entries of a table by index; those without a function are not supported:
/// `entries!("TOOLS_TLS", 1, 2 => primary_context, 3)`.
macro_rules! entries {
    ($table:literal, $($index:literal $(=> $function:ident)?),* $(,)?) => {
        [$($crate::tables::entries!(@one $table, $index $(, $function)?)),*]
    };
    (@one $table:literal, $index:literal) => {{
        unsafe extern "C" fn unknown() -> CUresult {
            $crate::tables::refuse(concat!("entry ", $index, " of the table ", $table))
        }
        $crate::tables::Entry(unknown as *const ())
    }};
    (@one $table:literal, $index:literal, $function:ident) => {
        $crate::tables::Entry($function as *const ())
    };
}
use entries;

/// Defines functions of tables as [`driver_api`] does, without exporting them.
macro_rules! functions {
    ($($(#[$doc:meta])* fn $name:ident($($arg:ident: $type:ty),* $(,)?) $body:block)*) => {$(
        $(#[$doc])*
        ///
        /// # Safety
        /// Pointers are null, or valid as the function's description requires.
        unsafe extern "C" fn $name($($arg: $type),*) -> texunit_cuda_abi::CUresult {
            $crate::call::answer(
                concat!("table function ", stringify!($name)),
                || -> texunit_cuda_abi::args::Answer { $body },
                &texunit_cuda_abi::arguments!($($arg),*),
            )
        }
    )*};
}
use functions;

const fn table<T>(table: &'static T) -> Entry {
    Entry(std::ptr::from_ref(table).cast())
}

/// All export tables that the driver provides, by the UUID as a number.
static TABLES: [(u128, Entry); 6] = [
    (0x6bd5fb6c_5bf4_e74a_8987_d93912fd9df9, table(&runtime::INTERFACE)),
    (0xa094798c_2e74_2e74_93f2_0800200c0a66, table(&runtime::HOOKS)),
    (0x42d85a81_23f6_cb47_8298_f6e78a3aecdc, table(&runtime::TLS)),
    (0x21318c60_9714_3248_8ca6_41ff7324c8f2, table(&runtime::TOOLS)),
    (0x263e8860_7cd2_6143_92f6_bbd5006dfa7e, table(&runtime::CHECKS)),
    (0xc693336e_1121_df11_a8c3_68f355d89593, table(&runtime::STORAGE)),
];

/// Refuses a call of an entry whose purpose is unknown, and prints the entry once.
fn refuse(entry: &'static str) -> CUresult {
    crate::settings::say_unsupported(entry);
    let refusal = CUresult::NOT_SUPPORTED.because(
        "texunit does not know what this function does: NVIDIA does not describe it, and no runtime was seen to \
         call it",
    );
    crate::refused::driver(entry, &refusal, &[]);
    CUresult::NOT_SUPPORTED
}

driver_api! {
    /// The table of a UUID; `CUDA_ERROR_NOT_FOUND` for tables that a CUDA runtime does not need.
    /// Allowed before `cuInit`.
    fn cuGetExportTable(ppExportTable, pExportTableId) {
        let CUuuid(pExportTableId) = pExportTableId.get()?;
        ppExportTable.check()?;
        let found = TABLES.iter().find(|(uuid, _)| uuid.to_be_bytes() == pExportTableId);
        crate::report::foreign::asked_for_table(found.is_some());
        ppExportTable.set_if(found.map_or(std::ptr::null(), |(_, table)| table.0.cast()));
        found.map(|_| ()).ok_or(CUresult::NOT_FOUND.because(
            "texunit has no table of this number, which no CUDA runtime needs",
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The entries of a table, with its size first.
    fn sized(index: usize) -> &'static [usize] {
        let table: *const usize = TABLES[index].1.0.cast();
        // SAFETY: the table is a static that begins with its size, followed by entries of one word.
        unsafe { std::slice::from_raw_parts(table, *table / size_of::<usize>()) }
    }

    #[test]
    fn tables_are_as_large_as_runtimes_want() {
        // Minimum length of each table in words, including the word with its size, that the runtime
        // of CUDA 13.5 expects.
        for (index, words) in [(0, 13), (1, 7), (2, 5), (3, 52), (4, 4)] {
            let table = sized(index);
            assert!(table.len() >= words, "{index}: {}", table.len());
            assert!(table[1..].iter().all(|&entry| entry != 0));
        }
    }

    #[test]
    fn what_is_not_known_is_refused() {
        type Unknown = unsafe extern "C" fn() -> CUresult;
        // SAFETY: the entry refuses calls, and is a function without parameters.
        let code = unsafe { std::mem::transmute::<usize, Unknown>(sized(2)[2])() };
        assert_eq!(code, CUresult::NOT_SUPPORTED);
    }

    #[test]
    fn tables_are_found_by_their_bytes() {
        #[allow(clashing_extern_declarations)] // this one is as in a C program
        unsafe extern "C" {
            fn cuGetExportTable(table: *mut *const c_void, id: *const u8) -> CUresult;
        }
        let mut table = std::ptr::null();
        let mut id = 0x6bd5_fb6c_5bf4_e74a_8987_d939_12fd_9df9_u128.to_be_bytes();
        // SAFETY: both pointers are valid; a UUID has 16 bytes. Null is refused.
        unsafe {
            assert_eq!(cuGetExportTable(&mut table, id.as_ptr()), CUresult::SUCCESS);
            assert_eq!(table, TABLES[0].1.0.cast());
            id[15] = 0;
            assert_eq!(cuGetExportTable(&mut table, id.as_ptr()), CUresult::NOT_FOUND);
            assert!(table.is_null());
            assert_eq!(cuGetExportTable(&mut table, std::ptr::null()), CUresult::INVALID_VALUE);
        }
    }
}
