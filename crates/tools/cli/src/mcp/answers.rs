//! Results of tools: a short JSON object with the first page of a long list. Further pages are kept
//! for later requests.

use serde_json::{Map, Value, json};
use std::collections::VecDeque;

/// Maximum number of items on a page, and approximate number of characters.
const ITEMS: usize = 20;
const CHARACTERS: usize = 12_000;
/// Number of answers whose further pages are kept.
const KEPT: usize = 16;
/// Maximum length of a text.
const LONGEST: usize = 2_000;

/// The result of a tool.
#[derive(Debug, Default)]
pub(super) struct Answer {
    pub(super) head: Map<String, Value>,
    /// The name of the list's items.
    pub(super) name: &'static str,
    pub(super) items: Vec<Value>,
}

impl Answer {
    pub(super) fn new(head: Value) -> Self {
        Self { head: head.as_object().cloned().unwrap_or_default(), ..Self::default() }
    }

    pub(super) fn with(mut self, name: &'static str, items: Vec<Value>) -> Self {
        (self.name, self.items) = (name, items);
        self
    }
}

/// An answer with several pages.
#[derive(Debug)]
struct KeptAnswer {
    number: u64,
    name: &'static str,
    pages: Vec<Vec<Value>>,
}

/// Answers with further pages.
#[derive(Debug, Default)]
pub(super) struct Answers {
    kept: VecDeque<KeptAnswer>,
    last: u64,
}

impl Answers {
    /// The first page of an answer.
    pub(super) fn first(&mut self, answer: Answer) -> Value {
        let mut head = Value::Object(answer.head);
        shorten(&mut head);
        if answer.name.is_empty() {
            return head;
        }
        let total = answer.items.len();
        let pages = pages(answer.items);
        let (name, count) = (answer.name, pages.len());
        head[name] = pages.first().map_or_else(|| json!([]), |page| json!(page));
        if count > 1 {
            self.last += 1;
            if self.kept.len() >= KEPT {
                self.kept.pop_front();
            }
            self.kept.push_back(KeptAnswer { number: self.last, name, pages });
            head["more"] = json!({ "total": total, "pages": count, "answer": self.last,
                "how": format!("call `page` with answer {} and page 2", self.last) });
        }
        head
    }

    /// A page of an answer, by its number from 1.
    pub(super) fn page(&self, answer: u64, page: u64) -> Result<Value, String> {
        let kept = self.kept.iter().find(|kept| kept.number == answer).ok_or_else(|| {
            format!(
                "answer {answer} is not kept: only the last {KEPT} of several pages are; ask again"
            )
        })?;
        let count = kept.pages.len();
        let index = usize::try_from(page).ok().and_then(|page| page.checked_sub(1));
        let items = index.and_then(|index| kept.pages.get(index));
        let items = items.ok_or_else(|| format!("answer {answer} has the pages 1 to {count}"))?;
        Ok(json!({ "answer": answer, "page": page, "pages": count, kept.name: items }))
    }
}

fn pages(items: Vec<Value>) -> Vec<Vec<Value>> {
    let mut pages: Vec<Vec<Value>> = Vec::new();
    let mut characters = 0;
    for mut item in items {
        shorten(&mut item);
        let length = item.to_string().len();
        if pages.last().is_none_or(|page| page.len() >= ITEMS || characters + length > CHARACTERS) {
            pages.push(Vec::new());
            characters = 0;
        }
        characters += length;
        if let Some(page) = pages.last_mut() {
            page.push(item);
        }
    }
    pages
}

/// Removes empty members and cuts long texts.
fn shorten(value: &mut Value) {
    match value {
        Value::String(text) => {
            if let Some((end, _)) = text.char_indices().nth(LONGEST) {
                let left = text.len() - end;
                text.truncate(end);
                text.push_str(&format!("... ({left} more bytes)"));
            }
        }
        Value::Array(items) => items.iter_mut().for_each(shorten),
        Value::Object(members) => {
            members.retain(|_, member| {
                !member.is_null() && *member != json!([]) && *member != json!("")
            });
            members.values_mut().for_each(shorten);
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_answers_come_in_pages() {
        let mut answers = Answers::default();
        let items: Vec<Value> = (0..45).map(|n| json!({ "n": n, "none": null })).collect();
        let first = answers.first(Answer::new(json!({ "ok": true })).with("items", items));
        assert_eq!(first["items"].as_array().unwrap().len(), 20);
        assert_eq!(first["items"][0], json!({ "n": 0 }));
        assert_eq!((&first["more"]["total"], &first["more"]["pages"]), (&json!(45), &json!(3)));
        assert_eq!(
            answers.page(1, 3).unwrap()["items"],
            json!([{ "n": 40 }, { "n": 41 }, { "n": 42 }, { "n": 43 }, { "n": 44 }])
        );
        assert!(
            answers.page(1, 4).is_err()
                && answers.page(1, 0).is_err()
                && answers.page(2, 1).is_err()
        );
        let cut = answers.first(Answer::new(json!({ "text": "x".repeat(LONGEST + 7) })));
        assert!(cut["text"].as_str().unwrap().ends_with("... (7 more bytes)"));
    }
}
