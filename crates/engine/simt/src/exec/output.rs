//! Text printed by kernels, ordered by CTA and limited in size. As in CUDA's ring buffer of printf,
//! the oldest text is dropped.

use std::collections::BTreeMap;

/// Text that the current CTA has printed.
#[derive(Clone, Debug, Default)]
pub(crate) struct Output {
    pub(crate) text: Vec<u8>,
    /// Whether text was dropped.
    pub(crate) cut: bool,
}

impl Output {
    /// Drops the oldest text if the text exceeds twice the limit.
    pub(super) fn trim(&mut self, limit: usize) {
        if self.text.len() > limit.saturating_mul(2) {
            self.text.drain(..self.text.len() - limit);
            self.cut = true;
        }
    }
}

/// Text that all CTAs have printed.
#[derive(Clone, Debug, Default)]
pub(super) struct Printed {
    by_cta: BTreeMap<u64, Vec<u8>>,
    bytes: usize,
    cut: bool,
}

impl Printed {
    /// Takes the text of CTA number `index`.
    pub(super) fn take(&mut self, index: u64, output: &mut Output, limit: usize) {
        self.cut |= std::mem::take(&mut output.cut);
        let text = std::mem::take(&mut output.text);
        if text.is_empty() {
            return;
        }
        self.bytes += text.len();
        self.by_cta.insert(index, text);
        while self.bytes > limit {
            self.cut = true;
            let Some(mut first) = self.by_cta.first_entry() else { break };
            let over = self.bytes - limit;
            if first.get().len() > over {
                first.get_mut().drain(..over);
                self.bytes = limit;
            } else {
                self.bytes -= first.get().len();
                first.remove();
            }
        }
    }

    /// The whole printed text, with a note if some of it was dropped.
    pub(super) fn into_text(self) -> Vec<u8> {
        let text: Vec<u8> = self.by_cta.into_values().flatten().collect();
        if !self.cut {
            return text;
        }
        // The rest of a truncated line is dropped, because it could be misread.
        let line = text.iter().position(|&b| b == b'\n').map_or(0, |at| at + 1);
        let mut out = b"[texunit: older printf output was dropped]\n".to_vec();
        out.extend_from_slice(&text[line..]);
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn print(order: &[u64], limit: usize) -> String {
        let mut printed = Printed::default();
        for &cta in order {
            let text = (0..10).map(|i| format!("cta {cta} {i}\n")).collect::<String>();
            let mut output = Output { text: text.into_bytes(), cut: false };
            output.trim(limit);
            printed.take(cta, &mut output, limit);
        }
        String::from_utf8_lossy(&printed.into_text()).into_owned()
    }

    #[test]
    fn the_newest_text_is_kept_in_whatever_order_ctas_end() {
        let all = print(&[0, 1, 2], 1000);
        assert_eq!(all.lines().count(), 30);
        assert!(all.starts_with("cta 0 0\ncta 0 1\n") && all.ends_with("cta 2 9\n"));
        let some = print(&[0, 1, 2], 100);
        assert_eq!(some, print(&[2, 0, 1], 100));
        assert_eq!(some, print(&[1, 2, 0], 100));
        let mut lines = some.lines();
        assert_eq!(lines.next(), Some("[texunit: older printf output was dropped]"));
        assert_eq!((lines.next(), lines.last()), (Some("cta 1 8"), Some("cta 2 9")));
        assert_eq!(print(&[0], 0), "[texunit: older printf output was dropped]\n");
        assert!(print(&[5], 9).ends_with("cta 5 9\n"));
    }
}
