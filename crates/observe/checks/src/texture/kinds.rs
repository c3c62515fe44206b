//! Checks whether the result type and the used components of an instruction match the texture's
//! format.

use super::Reporter;
use super::sums::Sums;
use crate::end::Spot;
use crate::rules;
use texunit_forms::Count;
use texunit_texel::readings;
use texunit_unit::{FetchForm, FetchKind, ReadMode, ResultType, Texture};

impl Sums {
    /// Checks the element type: reports floats that are fetched as integers, and integers that are
    /// fetched as floats.
    pub(super) fn types(&mut self, form: FetchForm, texture: &Texture, spot: Spot) {
        let normalized = texture.read_mode == ReadMode::NormalizedFloat;
        let format = texture.resource.format();
        let Some(readings) = readings(format, normalized, false) else { return };
        let is_float = readings[0].can_filter();
        let wants_float = !matches!(form.result, ResultType::S32 | ResultType::U32);
        if is_float != wants_float {
            let has = if is_float { "floats" } else { "integers" };
            let wants = if wants_float { "floats" } else { "integers" };
            let message = format!(
                "the instruction fetches {wants}, and texels of {format} are read as {has}"
            );
            self.hit(rules::TEXTURE_ELEMENT_TYPE, spot, message, 0);
        }
    }

    /// Reports the components of a fetch's result that the program uses and the texture's format
    /// lacks.
    pub(super) fn channels(
        &mut self,
        reporter: &Reporter<'_>,
        op: u32,
        form: FetchForm,
        texture: &Texture,
        spot: Spot,
    ) {
        let format = texture.resource.format();
        let has = usize::from(format.channels());
        let used = reporter.listing.components_used(op);
        let names = ["r", "g", "b", "a"];
        let missing: Vec<&str> = match form.kind {
            FetchKind::Gather(component) => {
                let component = usize::from(component);
                let is_missing = component >= has && used != 0;
                names.get(component).filter(|_| is_missing).copied().into_iter().collect()
            }
            FetchKind::Sample(_) => {
                let each = if form.result == ResultType::F16x2 { 2 } else { 1 };
                let is_used = |i: &usize| used >> (i / each) & 1 == 1;
                (has..4).filter(is_used).map(|i| names[i]).collect()
            }
        };
        // With `.f16x2` two components share a register, so that the program may use only the
        // component that exists.
        if missing.is_empty()
            || form.result == ResultType::F16x2 && has % 2 == 1 && missing.len() == 1
        {
            return;
        }
        let (missing, channels) = (missing.join(" and "), Count(has, "channel"));
        let message = format!(
            "the kernel uses {missing} of this fetch, and texels of {format} have {channels}"
        );
        self.hit(rules::TEXTURE_CHANNEL, spot, message, 0);
    }
}
