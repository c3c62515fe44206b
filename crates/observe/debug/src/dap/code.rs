//! Requests of the Debug Adapter Protocol about code and memory: `disassemble`, `readMemory`,
//! `source`.

use crate::session::Live;
use crate::session::breaks::number;
use crate::value::of_generic;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use dap::requests::{DisassembleArguments, ReadMemoryArguments};
use serde_json::{Value as Json, json};

impl Live<'_, '_> {
    pub(super) fn disassembled(&self, wanted: &DisassembleArguments) -> Result<Json, String> {
        let address = number(&wanted.memory_reference).ok_or("Invalid address.")?;
        let address = address.wrapping_add_signed(wanted.offset.unwrap_or(0)) as u32;
        let all = &self.module.instructions;
        let at =
            all.partition_point(|i| i.at < address) as i64 + wanted.instruction_offset.unwrap_or(0);
        let count = wanted.instruction_count.clamp(0, 10_000);
        let told = (at..at + count).map(|index| {
            let Some(i) = usize::try_from(index).ok().and_then(|index| all.get(index)) else {
                return json!({
                    "address": "0x0", "instruction": "", "presentationHint": "invalid",
                });
            };
            json!({
                "address": format!("0x{:x}", i.at),
                "instruction": self.module.ptx(i.at),
                "symbol": *i.function,
                "location": self.source_of(&i.place.file),
                "line": i.place.line,
            })
        });
        Ok(json!({ "instructions": told.collect::<Vec<_>>() }))
    }

    pub(super) fn memory(&self, wanted: &ReadMemoryArguments) -> Result<Json, String> {
        let address = number(&wanted.memory_reference).ok_or("Invalid address.")?;
        let address = address.wrapping_add_signed(wanted.offset.unwrap_or(0));
        let count = usize::try_from(wanted.count.clamp(0, 1 << 20)).unwrap_or(0);
        let (space, at) = of_generic(address);
        let mut bytes = vec![0; count];
        let mut readable = 0;
        for (offset, byte) in (0..).zip(&mut bytes) {
            let (at, byte) = (at.wrapping_add(offset), std::slice::from_mut(byte));
            if !self.machine.read(space, self.thread, at, byte) {
                break;
            }
            readable += 1;
        }
        bytes.truncate(readable);
        Ok(json!({
            "address": format!("0x{address:x}"),
            "data": STANDARD.encode(&bytes),
            "unreadableBytes": count - readable,
        }))
    }
}
