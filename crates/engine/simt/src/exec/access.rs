//! The fast path of loads, stores and atomics: the target memory and its bounds are checked once
//! for the whole warp, and contiguous global memory is copied as a whole. An access that would fault
//! in a lane, or that is of another kind, is left unexecuted for the general path
//! ([`super::memory`]), which proceeds lane by lane.

use super::context::{Context, ROW};
use super::decoded::each;
use super::memory::space_at;
use super::target::Target;
use super::warp::{Warp, lanes};
use crate::code::{Access, Atomic, Located, MemSpace, Slot, SpaceProfile};
use texunit_alu::{L32, L64};
use texunit_memory::{Block, CONST_BASE, CONST_END, SHARED_WINDOW, SpaceKind};

/// The memory that contains the addresses of all lanes of an access. The lanes' offsets in it are
/// in [`Context::addresses`].
#[derive(Clone, Copy)]
pub(super) enum Found<'a> {
    Global(&'a Block),
    Shared,
    Local,
    Param,
}

impl Found<'_> {
    /// The memory itself, given the memories of the CTA, of the launch and of the warp.
    pub(super) fn target<'t>(
        &'t self,
        shared: &'t mut [u8],
        params: &'t [u8],
        local: &'t mut [L32],
    ) -> Target<'t> {
        match self {
            Self::Global(block) => Target::Block(block),
            Self::Shared => Target::Bytes(shared),
            Self::Local => Target::Local(local),
            Self::Param => Target::Params(params),
        }
    }

    /// Records the state space that generic addresses point into.
    fn record(&self, mem_space: MemSpace, seen: &SpaceProfile) {
        if matches!(mem_space, MemSpace::Generic | MemSpace::Param) {
            seen.record(match self {
                Self::Global(_) => SpaceKind::Global,
                Self::Shared => SpaceKind::Shared,
                Self::Local => SpaceKind::Local,
                Self::Param => SpaceKind::Param,
            });
        }
    }
}

/// Summary of the lanes' addresses: the lowest, the highest and the bitwise OR of all, and whether
/// all lanes are active and their accesses contiguous.
#[derive(Clone, Copy)]
struct Extent {
    low: u64,
    high: u64,
    any: u64,
    is_row: bool,
}

/// The arrangement of the addresses of an access, as far as it matters for speed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Arrangement {
    /// All lanes are active, and their accesses are contiguous.
    Row,
    /// All active lanes have the same address.
    Same,
    Other,
}

/// Parameters of an access for the address check.
#[derive(Clone, Copy)]
struct AccessRequest<'r> {
    at: Located,
    /// Bytes of an element, and of all elements of a lane.
    size: u32,
    total: u32,
    constant: bool,
    writes: bool,
    seen: &'r SpaceProfile,
}

impl<'r> AccessRequest<'r> {
    fn of(access: &'r Access, writes: bool) -> Self {
        let (at, size) = (access.located(), u32::from(access.size));
        let (constant, seen) = (access.constant, &access.seen);
        Self { at, size, total: access.total(), constant, writes, seen }
    }

    fn is_aligned(&self, addresses: u64) -> bool {
        // ptxas splits an access at a known offset if it is only aligned to its elements, so the
        // elements' alignment is sufficient there.
        let known = matches!(self.at.mem_space, MemSpace::KernelParam | MemSpace::Frame);
        let unit = if known { self.size } else { self.total };
        addresses & (u64::from(unit.next_power_of_two()) - 1) == 0
    }
}

/// Summarises the addresses of an access to `step` bytes in each lane. Inactive lanes get the
/// address of the first active one.
#[inline(always)]
fn extent(addresses: &mut L64, mask: u32, step: u64) -> Extent {
    let first = addresses[mask.trailing_zeros() as usize & 31];
    if mask != u32::MAX {
        lanes(!mask).for_each(|lane| addresses[lane] = first);
    }
    let (mut low, mut high, mut any, mut apart, mut next) = (u64::MAX, 0, 0, 0, first);
    for &address in addresses.iter() {
        low = low.min(address);
        high = high.max(address);
        any |= address;
        apart |= address ^ next;
        next = next.wrapping_add(step);
    }
    Extent { low, high, any, is_row: apart == 0 && mask == u32::MAX }
}

/// Whether an access of all lanes has elements that are whole registers of 4 bytes, which is the
/// most frequent form.
#[inline(always)]
fn has_words(access: &Access, mask: u32) -> bool {
    let is_narrow = |d: &Slot| !d.is_none() && !d.is_wide() && !d.is_predicate();
    mask == u32::MAX
        && access.size == 4
        && access.mask as u32 == u32::MAX
        && access.parts.iter().all(is_narrow)
}

/// Loads word `k` of the `parts` words of each lane, at valid addresses.
#[inline(always)]
fn load_words(
    to: &mut L32,
    words: &[[u8; 4]],
    (at, k): (&L64, usize),
    (arrangement, parts): (Arrangement, usize),
) {
    let index = |at: u64| (at / 4) as usize;
    let words = words.get(k..).unwrap_or_default();
    let load = |at| words.get(index(at)).map_or(0, |bytes| u32::from_le_bytes(*bytes));
    let row = words.get(index(at[0])..).unwrap_or_default();
    match row.first_chunk() {
        _ if arrangement == Arrangement::Same => *to = [load(at[0]); 32],
        Some(row) if arrangement == Arrangement::Row && parts == 1 => {
            each::one(to, row, u32::from_le_bytes);
        }
        _ if arrangement == Arrangement::Row => {
            for (to, word) in to.iter_mut().zip(row.iter().step_by(parts)) {
                *to = u32::from_le_bytes(*word);
            }
        }
        _ => each::one(to, at, load),
    }
}

/// Stores word `k` of the `parts` words of each lane, at valid addresses.
#[inline(always)]
fn store_words(
    words: &mut [[u8; 4]],
    (at, k): (&L64, usize),
    from: &L32,
    (arrangement, parts): (Arrangement, usize),
) {
    let index = |at: u64| (at / 4) as usize;
    let words = words.get_mut(k..).unwrap_or_default();
    if arrangement != Arrangement::Row {
        for (&at, from) in at.iter().zip(from) {
            if let Some(word) = words.get_mut(index(at)) {
                *word = from.to_le_bytes();
            }
        }
        return;
    }
    let row = words.get_mut(index(at[0])..).unwrap_or_default();
    match row.first_chunk_mut() {
        Some(row) if parts == 1 => each::one(row, from, u32::to_le_bytes),
        _ => {
            for (word, from) in row.iter_mut().step_by(parts).zip(from) {
                *word = from.to_le_bytes();
            }
        }
    }
}

/// Sets the addresses of a contiguous access to `total` bytes in each lane that begins at 0.
fn count_from_zero(addresses: &mut L64, total: u32) {
    for (lane, address) in addresses.iter_mut().enumerate() {
        *address = lane as u64 * u64::from(total);
    }
}

impl<'a> Context<'a> {
    /// The memory that contains the addresses of all lanes; `None` if a lane would fault, or if the
    /// lanes' addresses are in different memories.
    fn resolve(
        &mut self,
        warp: &Warp,
        request: &AccessRequest<'_>,
        mask: u32,
    ) -> Option<(Found<'a>, Arrangement)> {
        self.addresses_of(warp, request.at, request.constant);
        let (total, addresses) = (u64::from(request.total), &mut self.addresses);
        let Extent { low, high, any, is_row } = self.level.run(
            #[inline(always)]
            || extent(addresses, mask, total),
        );
        let is_constant = |at| (CONST_BASE..CONST_END).contains(&at);
        if !request.is_aligned(any) || request.constant && !(is_constant(low) && is_constant(high))
        {
            return None;
        }
        let (space, mut at) = space_at(request.at.mem_space, low);
        let (other, last) = space_at(request.at.mem_space, high);
        let end = last.checked_add(total)?;
        let found = match space {
            SpaceKind::Global | SpaceKind::Const => {
                let (block, offset) = self.block_of((low, high), total, request.writes)?;
                at = offset;
                Found::Global(block)
            }
            // All lanes are in the same window if the lowest and the highest address are.
            _ if other != space || last.wrapping_sub(at) != high - low => return None,
            SpaceKind::Shared if end <= self.cta.shared.len() as u64 => Found::Shared,
            SpaceKind::Local if end <= warp.local_end.min(4 * warp.local.len() as u64) => {
                Found::Local
            }
            SpaceKind::Param
                if !request.writes && end <= self.launch.config.params.len() as u64 =>
            {
                Found::Param
            }
            _ => return None,
        };
        let base = low.wrapping_sub(at);
        self.addresses.iter_mut().for_each(|address| *address = address.wrapping_sub(base));
        found.record(request.at.mem_space, request.seen);
        Some((
            found,
            match is_row {
                true => Arrangement::Row,
                // Equal addresses in local memory are different words.
                false if low == high && !matches!(found, Found::Local) => Arrangement::Same,
                false => Arrangement::Other,
            },
        ))
    }

    /// The allocation that contains all accesses of `total` bytes between the lowest and the
    /// highest address, and the offset of the lowest; for stores it must be writable.
    pub(super) fn block_of(
        &mut self,
        (low, high): (u64, u64),
        total: u64,
        writes: bool,
    ) -> Option<(&'a Block, u64)> {
        let constant = (CONST_BASE..CONST_END).contains(&low);
        if high >= SHARED_WINDOW || constant && writes {
            return None;
        }
        let len = high - low + total;
        // Only parts of the device heap are allocated.
        if let Some(heap) = self.launch.config.heap
            && heap.overlaps(low, len)
        {
            return None;
        }
        let memory = self.launch.config.memory;
        let found = match writes {
            true => memory.find_writable(low, len, self.hint),
            false => memory.find(low, len, self.hint),
        };
        let (index, at) = found.ok()?;
        self.hint = index;
        Some((memory.block(index), at))
    }

    /// Executes a load. Returns false, with nothing changed, if a lane would fault.
    pub(super) fn load_stream(&mut self, warp: &mut Warp, access: &Access, mask: u32) -> bool {
        let found = self.resolve(warp, &AccessRequest::of(access, false), mask);
        let Some((found, arrangement)) = found else { return false };
        let (at, size, total) = (&mut self.addresses, u64::from(access.size), access.total());
        let (params, [base, ..]) = (self.launch.config.params, warp.bases());
        let mut target = found.target(&mut self.cta.shared, params, &mut warp.local);
        if let (Target::Block(block), Arrangement::Row, 4..=ROW) = (&target, arrangement, total) {
            // Contiguous global memory is copied first, because separate loads are slower.
            let row = &mut self.row[..32 * total as usize];
            if block.read(at[0], row).is_err() {
                return false;
            }
            count_from_zero(at, total);
            target = Target::Bytes(row);
        }
        if let (Target::Bytes(bytes), true) = (&target, has_words(access, mask)) {
            let (words, registers) = (bytes.as_chunks().0, warp.narrow.rows_from(base));
            let arranged = (arrangement, access.parts.len());
            self.level.run(
                #[inline(always)]
                || {
                    for (k, d) in access.parts.iter().enumerate() {
                        load_words(&mut registers[d.index()], words, (at, k), arranged);
                    }
                },
            );
            return true;
        }
        for (k, part) in (0..).zip(&mut self.parts[..access.parts.len()]) {
            // Bounds and alignment were checked for all lanes.
            if arrangement == Arrangement::Same {
                *part = [target.load(0, at[0] + k * size, access.size).unwrap_or(0); 32];
            } else {
                target.load_lanes(mask, (at, k * size), access.size, part);
            }
        }
        self.put_loaded(warp, access, mask);
        true
    }

    /// Executes a store. Returns false, with nothing changed, if a lane would fault.
    pub(super) fn store_stream(&mut self, warp: &mut Warp, access: &Access, mask: u32) -> bool {
        let found = self.resolve(warp, &AccessRequest::of(access, true), mask);
        let Some((found, arrangement)) = found else { return false };
        let (size, total) = (u64::from(access.size), access.total());
        let bytes = 32 * total as usize;
        let mut row = None;
        if let (Found::Global(block), Arrangement::Row, 4..=ROW) = (found, arrangement, total) {
            row = Some((block, self.addresses[0]));
            count_from_zero(&mut self.addresses, total);
        }
        let is_bytes = row.is_some() || matches!(found, Found::Shared);
        if is_bytes && has_words(access, mask) {
            let (at, constants) = (&self.addresses, &self.launch.constants);
            let to = if row.is_some() { &mut self.row[..bytes] } else { &mut self.cta.shared };
            let (words, arranged) = (to.as_chunks_mut().0, (arrangement, access.parts.len()));
            self.level.run(
                #[inline(always)]
                || {
                    for (k, &from) in access.parts.iter().enumerate() {
                        store_words(words, (at, k), warp.n(constants, from), arranged);
                    }
                },
            );
        } else {
            self.read_stored(warp, access);
            let mut target = match row {
                Some(_) => Target::Bytes(&mut self.row[..bytes]),
                None => found.target(&mut self.cta.shared, &[], &mut warp.local),
            };
            for (k, part) in (0..).zip(&self.parts[..access.parts.len()]) {
                target.store_lanes(mask, &self.addresses, (k * size, access.size), part);
            }
        }
        row.is_none_or(|(block, at)| {
            // In most kernels the next CTA writes the memory that follows this CTA's.
            block.prefetch_to_write(at + u64::from(self.launch.warps) * bytes as u64, bytes);
            block.write(at, &self.row[..bytes]).is_ok()
        })
    }

    /// The memory of an atomic; `None` if a lane would fault, or in local memory.
    pub(super) fn resolve_atomic(
        &mut self,
        warp: &Warp,
        op: &Atomic,
        mask: u32,
    ) -> Option<Found<'a>> {
        let &Atomic { mem_space, base, offset, ref seen, .. } = op;
        let (at, size) = (Located { mem_space, base, offset }, op.ty.bytes());
        let total = size * op.b.len() as u32;
        let request = AccessRequest { at, size, total, constant: false, writes: true, seen };
        let (found, _) = self.resolve(warp, &request, mask)?;
        (!matches!(found, Found::Local)).then_some(found)
    }
}
