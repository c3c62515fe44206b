//! Reads measurements of an earlier run from lines of JSON, for comparison with the current run.

use std::collections::HashMap;
use std::path::Path;
use texunit_workloads::measure::Via;

/// Best fetch rates of an earlier run, by case and interface.
#[derive(Default)]
pub(crate) struct Baseline {
    rates: HashMap<(String, String), f64>,
}

impl Baseline {
    pub(crate) fn read(file: &Path) -> Result<Self, String> {
        let text = std::fs::read_to_string(file).map_err(|e| format!("{}: {e}", file.display()))?;
        let mut rates = HashMap::new();
        for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.is_empty()) {
            let (key, rate) = parse(line)
                .ok_or_else(|| format!("{}:{}: not a rate", file.display(), number + 1))?;
            rates.insert(key, rate);
        }
        Ok(Self { rates })
    }

    pub(crate) fn rate(&self, name: &str, via: Via) -> Option<f64> {
        self.rates.get(&(name.to_owned(), via.name().to_owned())).copied()
    }
}

fn parse(line: &str) -> Option<((String, String), f64)> {
    let line: serde_json::Value = serde_json::from_str(line).ok()?;
    let word = |key: &str| Some(line.get(key)?.as_str()?.to_owned());
    Some(((word("case")?, word("via")?), line.get("mfetch_per_s")?.as_f64()?))
}
