//! Limits the memory of compiled code, and drops the least recently used.

use super::code_bytes;
use super::table::Table;
use crate::code::Code;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use texunit_forms::sort_by_key;

/// Number of launches so far, which serves as a clock of use.
static LAUNCHES: AtomicU64 = AtomicU64::new(0);
/// The compiled regions of all programs.
static ALL: Mutex<Vec<Weak<ProgramTables>>> = Mutex::new(Vec::new());

/// The compiled regions of a program's code.
#[derive(Debug, Default)]
pub(crate) struct Regions(Arc<ProgramTables>);

#[derive(Debug, Default)]
struct ProgramTables {
    /// Two tables of compiled regions: for any block shape, and for shapes whose warps have threads
    /// that are consecutive in x.
    tables: Mutex<[Option<Arc<Table>>; 2]>,
    /// The last launch that used the regions.
    used: AtomicU64,
}

impl Regions {
    /// The table for a launch of this code with a block shape.
    pub(crate) fn begin(&self, code: &Code, block: [u32; 3]) -> Arc<Table> {
        let in_line = block[0].is_multiple_of(32) || block[1..] == [1, 1];
        self.0.used.store(LAUNCHES.fetch_add(1, Relaxed), Relaxed);
        if code_bytes::taken() > code_bytes::MAX / 4 * 3 {
            free_code();
        }
        let mut tables = self.0.tables.lock().unwrap_or_else(PoisonError::into_inner);
        let table = &mut tables[usize::from(in_line)];
        if let Some(table) = &*table {
            return Arc::clone(table);
        }
        let mut all = ALL.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|own| own.strong_count() != 0);
        if !all.iter().any(|own| std::ptr::eq(own.as_ptr(), &raw const *self.0)) {
            all.push(Arc::downgrade(&self.0));
        }
        drop(all);
        let new = Arc::new(Table::new(code, in_line));
        *table = Some(Arc::clone(&new));
        new
    }
}

/// Drops the least recently used regions until half of the limit is left.
#[cold]
fn free_code() {
    let all = ALL.lock().unwrap_or_else(PoisonError::into_inner);
    let mut coldest: Vec<Arc<ProgramTables>> = all.iter().filter_map(Weak::upgrade).collect();
    drop(all);
    sort_by_key(&mut coldest, |own| own.used.load(Relaxed));
    for own in coldest {
        if code_bytes::taken() <= code_bytes::MAX / 2 {
            return;
        }
        // Running launches keep their tables alive until they end.
        *own.tables.lock().unwrap_or_else(PoisonError::into_inner) = [None, None];
    }
}
