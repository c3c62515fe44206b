//! Shadow operations of memory accesses, textures, surfaces and calls.

use super::*;

impl ShadowBuilder<'_> {
    pub(super) fn load(&mut self, access: &Access) {
        let parts: Vec<Slot> = self.destination_shadows(&access.parts);
        if parts.iter().all(|part| part.is_none()) {
            return;
        }
        let wanted =
            |(part, shadow): (&Slot, &Slot)| (!shadow.is_none()).then_some((*part, *shadow));
        let loaded = access.parts.iter().zip(&parts).filter_map(wanted);
        let (registers, shadows): (Vec<Slot>, Vec<Slot>) = loaded.unzip();
        let from = Access { parts, ..access.clone() };
        self.shadow_op(Shadow::Load(from));
        self.check_shadows(Sink::Origin, [registers, shadows], Some(access.clone()));
    }

    /// Checks stored values, as far as they were computed.
    pub(super) fn computed(&mut self, parts: &[Slot], access: Option<Access>) {
        let computed = parts.iter().filter(|&&part| self.state(part) & COMPUTED != 0);
        let mut slots: Vec<Slot> = computed.copied().collect();
        slots.dedup();
        self.check(Sink::Store, slots, access);
    }

    pub(super) fn store(&mut self, access: &Access) {
        let is_global = matches!(access.at.mem_space, MemSpace::Global | MemSpace::Generic);
        if is_global {
            self.computed(&access.parts, Some(access.clone()));
        }
        // Values that stay uninitialised are reported as well, so that later reports can name their
        // origin.
        let (mut copied, mut kept) = (Vec::new(), Vec::new());
        for &part in &access.parts {
            match self.state(part) {
                0 => {}
                state if state & COMPUTED == 0 => copied.push(part),
                _ if !is_global => kept.push(part),
                _ => {}
            }
        }
        self.check(Sink::Copy, copied, Some(access.clone()));
        self.check(Sink::Keep, kept, Some(access.clone()));
        let parts = self.shadows(&access.parts);
        self.shadow_op(Shadow::Store(Access { parts, ..access.clone() }));
    }

    /// An atomic that computes requires initialised memory; an exchange copies the shadow.
    pub(super) fn atomic(&mut self, atomic: &Atomic) {
        let size = atomic.access.size;
        for (i, (&b, &d)) in (0..).zip(atomic.b.iter().zip(&atomic.access.parts)) {
            let like = if size == 8 { self.common.zero[1] } else { self.common.zero[0] };
            let old = self.scratch(like, 2);
            let offset = atomic.access.at.offset.wrapping_add(i * u64::from(size));
            let at = Located { offset, ..atomic.access.at };
            let access = |part| Access { at, parts: vec![part], ..atomic.access.clone() };
            self.shadow_op(Shadow::Load(access(old)));
            if atomic.op == AtomOp::Exch {
                let new = self.shadow(b);
                self.shadow_op(Shadow::Store(access(new)));
                if let Some(d) = self.destination_shadow(d) {
                    self.set(d, old);
                }
            } else {
                self.check_shadows(Sink::Atomic, [vec![d], vec![old]], Some(access(old)));
                self.all(d, None);
            }
        }
    }

    pub(super) fn fetch(&mut self, fetch: &Fetch) {
        let shadows = fetch.parts.map(|part| self.destination_shadow(part).unwrap_or(Slot::NONE));
        if shadows.iter().any(|shadow| !shadow.is_none()) {
            let (fetch, op) = (fetch.clone(), self.op);
            self.shadow_op(Shadow::Fetch(FetchShadow { fetch, op, shadows }));
        }
        self.all(fetch.resident, None);
    }

    pub(super) fn surface(&mut self, access: &SurfaceAccess, shadows: Box<[Slot]>) {
        let (access, op) = (access.clone(), self.op);
        self.shadow_op(Shadow::Surface(SurfaceShadow { access, op, shadows }));
    }

    pub(super) fn matrix(&mut self, matrix: &Matrix) {
        let destination_shadow = |slot: Slot| {
            self.destination_shadow(slot).unwrap_or(self.scratch(self.common.zero[0], 3))
        };
        let mut of = matrix.clone();
        of.parts = match matrix.action {
            MatrixAction::Load => matrix.parts.iter().map(|&p| destination_shadow(p)).collect(),
            MatrixAction::Store | MatrixAction::Transpose => self.shadows(&matrix.parts),
        };
        if matrix.action == MatrixAction::Transpose {
            of.d = destination_shadow(matrix.d);
        }
        self.shadow_op(Shadow::Matrix(of));
    }

    pub(super) fn mma(&mut self, mma: &Mma) {
        let sources = mma.sources.each_ref().map(|slots| self.shadows(slots));
        let d = self.destination_shadows(&mma.d);
        let of = Mma { sources, d, metadata: Slot::NONE, ..mma.clone() };
        self.shadow_op(Shadow::Mma(of));
    }

    /// A call that also passes the shadows of its arguments and results.
    pub(super) fn call(&mut self, call: &Call) -> Op {
        let mut call = call.clone();
        for argument in &mut call.arguments {
            if let Value::Register(slot) = argument.value {
                argument.shadow = self.shadow(slot);
            }
        }
        for result in &mut call.results {
            if let Value::Register(slot) = result.value {
                result.shadow = self.destination_shadow(slot).unwrap_or(Slot::NONE);
            }
        }
        Op::Call(Box::new(call))
    }
}
