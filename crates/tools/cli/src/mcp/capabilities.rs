//! Lists what texunit supports: instructions, CUDA functions, and what it does not execute.

use super::answers::Answer;
use super::process::{self, Scope};
use serde_json::{Value, json};

const UNEXECUTED: &str = include_str!("../../../../../docs/unexecuted.md");
const API: &str = include_str!("../../../../../docs/cuda-api.md");

/// The rows of a page's tables, without headers.
fn rows(text: &str) -> impl Iterator<Item = Vec<&str>> {
    text.lines().filter(|line| line.starts_with("| `")).map(|line| {
        line.trim_matches('|').split(" | ").map(|cell| cell.trim().trim_matches('`')).collect()
    })
}

pub(super) fn call(scope: &Scope, arguments: &Value) -> Result<Answer, String> {
    let name = arguments["name"].as_str().unwrap_or_default();
    let is_asked = |text: &str| text.to_ascii_lowercase().contains(&name.to_ascii_lowercase());
    match arguments["what"].as_str().unwrap_or_default() {
        "instructions" => instructions(scope, name),
        "functions" => {
            let functions = API.split_once("\n## Functions").map_or("", |(_, behind)| behind);
            let names =
                rows(functions).filter_map(|row| row.first().map(|name| (*name).to_owned()));
            let found: Vec<Value> = names.filter(|name| is_asked(name)).map(Value::from).collect();
            Ok(Answer::new(json!({ "available": !found.is_empty() })).with("functions", found))
        }
        "unexecuted" => {
            let one = |row: Vec<&str>| match row[..] {
                [form, code, why] => Some(json!({ "form": form, "code": code, "why": why })),
                _ => None,
            };
            let found = rows(UNEXECUTED).filter(|row| row.iter().any(|cell| is_asked(cell)));
            Ok(Answer::new(json!({})).with("unexecuted", found.filter_map(one).collect()))
        }
        other => {
            Err(format!("unknown `what`: {other}; available: instructions, functions, unexecuted"))
        }
    }
}

fn instructions(scope: &Scope, name: &str) -> Result<Answer, String> {
    let mut words = vec!["isa".to_owned(), "--format".to_owned(), "json".to_owned()];
    words.extend((!name.is_empty()).then(|| name.to_owned()));
    if name.starts_with('-') {
        return Err("`name` is an instruction: tex, or tex.level.2d".to_owned());
    }
    let ended = process::texunit(&words, scope).map_err(|e| e.to_string())?;
    if ended.code != Some(0) {
        return Err(ended.stderr.trim().to_owned());
    }
    let items = serde_json::from_str(&ended.stdout).unwrap_or_default();
    Ok(Answer::new(json!({})).with("instructions", items))
}
