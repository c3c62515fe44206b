//! Settings: the options of `texunit check`, as JSON from the editor.

use serde_json::Value;
use std::str::FromStr;
use texunit_check::{Levels, Options, Verdicts, parse_version};

/// How documents are checked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Config {
    /// Options of the checker.
    pub(crate) options: Options,
    /// Which warnings are shown.
    pub(crate) levels: Levels,
}

const NAMES: &str = "target, ptxVersion, ptxasCompat, ptxas, arch, allow, deny";

impl Config {
    /// Parses settings, given directly or as the member `texunit` of an object. An invalid setting
    /// is reported, and ignored.
    pub(crate) fn new(settings: &Value) -> (Self, Vec<String>) {
        let mut config = Self::default();
        let mut wrong = Vec::new();
        let settings = settings.get("texunit").unwrap_or(settings);
        let object = match settings {
            Value::Null => return (config, wrong),
            Value::Object(object) => object,
            _ => return (config, vec!["the settings of texunit are not an object".into()]),
        };
        let (mut compat, mut release) = (None, None);
        let (mut allow, mut deny) = (Vec::new(), Vec::new());
        for (name, value) in object {
            let read = match name.as_str() {
                _ if value.is_null() => Ok(()),
                "target" => parse(value).map(|v| config.options.target = Some(v)),
                "arch" => parse(value).map(|v| config.options.arch = Some(v)),
                "ptxVersion" => version(value).map(|v| config.options.version = Some(v)),
                "ptxas" => parse(value).map(|v| release = Some(v)),
                "ptxasCompat" => {
                    compat = value.as_bool();
                    compat.map(drop).ok_or_else(|| "expected true or false".into())
                }
                "allow" => codes(value).map(|v| allow = v),
                "deny" => codes(value).map(|v| deny = v),
                _ => Err(format!("unknown setting; available: {NAMES}")),
            };
            wrong.extend(read.err().map(|why| format!("setting `{name}`: {why}")));
        }
        if compat.unwrap_or(release.is_some()) {
            config.options.verdicts = Verdicts::Ptxas(release);
        }
        match Levels::new(&allow, &deny) {
            Ok(levels) => config.levels = levels,
            Err(unknown) => wrong.push(unknown.to_string()),
        }
        (config, wrong)
    }
}

fn text(value: &Value) -> Result<&str, String> {
    value.as_str().ok_or_else(|| "expected a string".into())
}

fn parse<T: FromStr<Err: ToString>>(value: &Value) -> Result<T, String> {
    text(value)?.parse().map_err(|error: T::Err| error.to_string())
}

fn version(value: &Value) -> Result<(u32, u32), String> {
    Ok(parse_version(text(value)?)?)
}

fn codes(value: &Value) -> Result<Vec<String>, String> {
    let list = value.as_array().and_then(|list| {
        list.iter().map(|code| code.as_str().map(str::to_owned)).collect::<Option<Vec<_>>>()
    });
    list.ok_or_else(|| "expected a list of codes, such as [\"W0101\"]".into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use texunit_check::Ptxas;

    #[test]
    fn settings() {
        let all = json!({
            "target": "sm_90a", "ptxVersion": "8.3", "ptxasCompat": true, "ptxas": "12.9",
            "arch": "sm_75", "allow": ["W0101"], "deny": ["warnings"],
        });
        let (config, wrong) = Config::new(&all);
        assert_eq!(wrong, Vec::<String>::new());
        assert_eq!(config.options.target.map(|t| t.to_string()), Some("sm_90a".into()));
        assert_eq!(config.options.version, Some((8, 3)));
        assert_eq!(config.options.verdicts, Verdicts::Ptxas(Some(Ptxas::V12_9)));
        assert_ne!(config.levels, Levels::default());
        assert_eq!(Config::new(&json!({ "texunit": all })).0, config);
        assert_eq!(Config::new(&Value::Null), (Config::default(), vec![]));
        let compat = Config::new(&json!({ "ptxasCompat": true })).0;
        assert_eq!(compat.options.verdicts, Verdicts::Ptxas(None));
        let not = Config::new(&json!({ "ptxasCompat": false, "ptxas": "12.9" })).0;
        assert_eq!(not.options.verdicts, Verdicts::Texunit);
    }

    #[test]
    fn wrong_settings() {
        let all = json!([
            [], { "target": 75 }, { "target": "75" }, { "arch": "sm" }, { "ptxVersion": 8.0 },
            { "ptxVersion": "8" }, { "ptxVersion": "8.+1" }, { "ptxas": "12" },
            { "ptxasCompat": "yes" }, { "allow": "W0101" }, { "deny": ["E0110"] },
            { "allow": [1] }, { "targets": "sm_75" },
        ]);
        for wrong in all.as_array().into_iter().flatten() {
            let (config, messages) = Config::new(wrong);
            assert_eq!((config, messages.len()), (Config::default(), 1), "{wrong}");
        }
    }
}
