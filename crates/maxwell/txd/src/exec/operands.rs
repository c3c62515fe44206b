//! Extracts the operands of a TXD from registers.

use super::State;
use texunit_sass::field::Field;
use texunit_sass::txd::{AOFFI, BINDLESS, LC, RA, RB, RZ, Txd};
use texunit_unit::{Coordinates, FetchRequest, Lanes, ZERO_LANES};

/// The operand values of all lanes. Operands that the instruction lacks are zeros.
pub(super) struct Operands {
    /// The handle in a register, of an instruction with .B.
    pub(super) handle: Lanes,
    /// The coordinate s, as f32 bits.
    pub(super) s: Lanes,
    /// The coordinate t, as f32 bits.
    pub(super) t: Lanes,
    /// The array index of a layered texture.
    pub(super) array: Lanes,
    /// Offsets along u and v, with 4 bits each. For a plain 1D texture the unit uses the packed
    /// offset field as a whole (rule 1.4), so that u also has the bits of v above its own.
    pub(super) offset: [Lanes; 2],
    /// The minimum level of detail in 1/256.
    pub(super) lod_clamp: Lanes,
    /// The derivatives dsdx, dsdy, dtdx, dtdy, as f32 bits.
    pub(super) gradients: [Lanes; 4],
}

/// A group of consecutive registers that an instruction reads one after the other.
struct Group<'a> {
    state: &'a State,
    next: u64,
}

impl<'a> Group<'a> {
    fn new(txd: &Txd, state: &'a State, first: &Field) -> Self {
        Self { state, next: txd.get(first) }
    }

    fn take(&mut self) -> Lanes {
        let lanes = self.state.registers.get(self.next as usize);
        self.next = (self.next + 1).min(RZ);
        lanes.copied().unwrap_or(ZERO_LANES)
    }

    fn take_if(&mut self, there: bool) -> Lanes {
        if there { self.take() } else { ZERO_LANES }
    }
}

impl Operands {
    /// The request to the texture unit for the active lanes.
    pub(super) fn request(&self, active: u32) -> FetchRequest<'_> {
        let point = [&self.s, &self.t, &ZERO_LANES];
        let coords = Coordinates { layer: &self.array, sample: &ZERO_LANES, point };
        let [u, v] = &self.offset;
        let [dsdx, dsdy, dtdx, dtdy] = &self.gradients;
        FetchRequest {
            offset: [u, v, &ZERO_LANES],
            dpdx: [dsdx, dtdx, &ZERO_LANES],
            dpdy: [dsdy, dtdy, &ZERO_LANES],
            ..FetchRequest::new(active, coords)
        }
    }

    pub(super) fn read(txd: &Txd, state: &State) -> Self {
        let two = txd.dimensions() == 2;
        let mut ra = Group::new(txd, state, &RA);
        let handle = ra.take_if(txd.has(&BINDLESS));
        let s = ra.take();
        let t = ra.take_if(two);
        let packed = ra.take_if(txd.has_packed_word());
        let mut rb = Group::new(txd, state, &RB);
        let gradients = std::array::from_fn(|n| rb.take_if(n < 2 || two));
        let lc = txd.has(&LC);
        let part = |there: bool, low: u32, width: u32| {
            packed.map(|word| if there { word >> low & ((1 << width) - 1) } else { 0 })
        };
        let offset = part(txd.has(&AOFFI), if lc { 12 } else { 16 }, 8);
        Self {
            handle,
            s,
            t,
            array: part(txd.is_array(), 0, if lc { 12 } else { 16 }),
            offset: [offset, offset.map(|field| field >> 4)],
            lod_clamp: part(lc, 20, 12),
            gradients,
        }
    }
}
