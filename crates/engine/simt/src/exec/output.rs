//! What kernels print: by CTA, in order, and not more than the launch allows. As in CUDA's ring
//! of printed records, the oldest text gives way.

use std::collections::BTreeMap;

/// What the CTA that runs has printed.
#[derive(Clone, Debug, Default)]
pub(crate) struct Output {
    pub(crate) text: Vec<u8>,
    /// Whether some of it was dropped.
    pub(crate) cut: bool,
}

impl Output {
    /// Drops old text once there is twice as much as may be kept.
    pub(super) fn trim(&mut self, limit: usize) {
        if self.text.len() > limit.saturating_mul(2) {
            self.text.drain(..self.text.len() - limit);
            self.cut = true;
        }
    }
}

/// What all CTAs have printed.
#[derive(Clone, Debug, Default)]
pub(super) struct Printed {
    by_cta: BTreeMap<u64, Vec<u8>>,
    bytes: usize,
    cut: bool,
}

impl Printed {
    /// Takes what CTA number `index` has printed.
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

    /// All of it, with a word about what is missing.
    pub(super) fn into_text(self) -> Vec<u8> {
        let text: Vec<u8> = self.by_cta.into_values().flatten().collect();
        if !self.cut {
            return text;
        }
        // Half a line would be misread.
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
