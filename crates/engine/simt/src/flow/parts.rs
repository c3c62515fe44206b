//! The kinds of parts that an operation consists of, and visitors of them.

use crate::code::{Located, Passed, Slot, Value, Word};
use std::sync::Arc;
use texunit_alu::{Alu, Row};
use texunit_flow::Access;
use texunit_tensor::Operation;

/// Defines what a visitor does with each kind of part, by shared or mutable reference. Only
/// operands concern all visitors.
macro_rules! parts {
    ($(#[$doc:meta])* $name:ident $($mutable:ident)?) => {
        $(#[$doc])*
        pub(crate) trait $name {
            /// A register or constant.
            fn slot(&mut self, access: Access, slot: &$($mutable)? Slot);
            /// A vector of operands.
            fn list(&mut self, access: Access, slots: &$($mutable)? Vec<Slot>) {
                self.slots(access, slots);
            }
            /// An array of operands.
            fn slots<'s>(
                &mut self,
                access: Access,
                slots: impl IntoIterator<Item = &'s $($mutable)? Slot>,
            ) {
                slots.into_iter().for_each(|slot| self.slot(access, slot));
            }
            /// The argument or result of a call.
            fn value(&mut self, access: Access, value: &$($mutable)? Value) {
                if let Value::Register(slot) = value {
                    self.slot(access, slot);
                }
            }
            /// The arguments of a call of a built-in function.
            fn values(&mut self, values: &$($mutable)? Vec<Value>) {
                for value in values {
                    self.value(Access::Use, value);
                }
            }
            /// The result of a call of a built-in function.
            fn result(&mut self, value: &$($mutable)? Option<Value>) {
                if let Some(value) = value {
                    self.value(Access::Def, value);
                }
            }
            /// Arguments or results of a call of a PTX function.
            fn passed(&mut self, access: Access, all: &$($mutable)? Vec<Passed>) {
                for of in all {
                    self.value(access, &$($mutable)? of.value);
                }
            }
            /// A memory operand: a state space, and a base with an offset.
            fn located(&mut self, at: &$($mutable)? Located) {
                self.slot(Access::Use, &$($mutable)? at.base);
            }
            /// A modifier.
            fn word<T: Word>(&mut self, _: &$($mutable)? T) {}
            /// A modifier that is present or absent.
            fn flag(&mut self, _: &'static str, _: &$($mutable)? bool) {}
            /// Operands that are present or absent.
            fn some<T: Default>(&mut self, _: &'static str, _: &$($mutable)? Option<T>) {}
            /// A number or name with this default.
            fn field<T: Word + PartialEq>(&mut self, _: &'static str, _: T, _: &$($mutable)? T) {}
            /// The target of a branch.
            fn target(&mut self, _: &$($mutable)? u32) {}
            /// The targets of an indexed branch.
            fn targets(&mut self, _: &$($mutable)? Box<[u32]>) {}
            /// A reconvergence point.
            fn meets(&mut self, _: &$($mutable)? u32) {}
            /// The number of a called function.
            fn function(&mut self, _: &$($mutable)? u32) {}
            /// The row of an arithmetic operation.
            fn row(&mut self, _: &$($mutable)? &'static Row) {}
            /// The function of an operation that the modifiers of its PTX instruction determine.
            fn alu(&mut self, _: &$($mutable)? Alu) {}
            /// The product of matrices that the modifiers of its PTX instruction determine.
            fn operation(&mut self, _: &$($mutable)? Arc<Operation>) {}
        }
    };
}

parts! {
    /// A visitor of the parts of an operation.
    Parts
}
parts! {
    /// As [`Parts`], with mutable parts.
    PartsMut mut
}
