//! Open documents: notifications that change them, and tasks that analyse them with their results.

use super::{Document, ErrorCode, Notification, Server, bug, modified};
use crate::actions;
use crate::answers::{Failure, read};
use crate::config::Config;
use crate::document::Text;
use crate::task::{Task, TaskOutput, TaskResult};
use lsp_types::{
    DidChangeTextDocumentParams, DidCloseTextDocumentParams, DidOpenTextDocumentParams,
    MessageType, PublishDiagnosticsParams, Uri,
};
use serde_json::{Value, json};
use std::sync::Arc;
use texunit_syntax::SourceFile;

impl Server {
    /// Handles a notification that arrives between `initialize` and `shutdown`.
    pub(super) fn notification(&mut self, notification: Notification) {
        let params = notification.params;
        let read = match notification.method.as_str() {
            "textDocument/didOpen" => read(params).map(|p| self.open(p)),
            "textDocument/didChange" => read(params).map(|p| self.change(p)),
            "textDocument/didClose" => read(params).map(|p| self.close(p)),
            "workspace/didChangeConfiguration" => {
                self.configure(&params);
                Ok(())
            }
            "$/cancelRequest" => {
                self.cancel(&params);
                Ok(())
            }
            _ => return,
        };
        if let Err(failure) = read {
            self.show(MessageType::ERROR, &format!("{}: {}", notification.method, failure.message));
        }
    }

    fn next_revision(&mut self) -> u64 {
        self.revisions += 1;
        self.revisions
    }

    fn open(&mut self, params: DidOpenTextDocumentParams) {
        let item = params.text_document;
        self.fail_waiting(&item.uri, modified);
        if item.text.len() > Text::MAX_LEN {
            return self.leave_alone(item.uri);
        }
        let revision = self.next_revision();
        let document = Document::new(Text::new(item.text), item.version, revision);
        self.documents.insert(item.uri, document);
    }

    fn change(&mut self, params: DidChangeTextDocumentParams) {
        let uri = params.text_document.uri;
        self.fail_waiting(&uri, modified);
        let revision = self.next_revision();
        let Some(document) = self.documents.get_mut(&uri) else {
            let message = format!("{} was changed and is not open", uri.as_str());
            return self.show(MessageType::ERROR, &message);
        };
        let mut fits = true;
        for change in params.content_changes {
            match change.range {
                None if change.text.len() > Text::MAX_LEN => fits = false,
                None => document.text = Text::new(change.text),
                Some(range) => {
                    fits &= document.text.replace(range, &change.text, self.encoding);
                }
            }
        }
        document.version = params.text_document.version;
        document.renew(revision);
        if !fits {
            self.leave_alone(uri);
        }
    }

    /// Stops serving a document that is too long; the server's copy no longer matches the client's.
    fn leave_alone(&mut self, uri: Uri) {
        let message = format!("{} is too long: it is not checked", uri.as_str());
        self.forget(uri);
        self.show(MessageType::ERROR, &message);
    }

    /// Removes a document, and withdraws its diagnostics.
    fn forget(&mut self, uri: Uri) {
        if self.documents.remove(&uri).is_none() {
            return;
        }
        self.closed.push(uri.clone());
        self.publish(&PublishDiagnosticsParams { uri, diagnostics: Vec::new(), version: None });
    }

    fn close(&mut self, params: DidCloseTextDocumentParams) {
        let uri = params.text_document.uri;
        self.fail_waiting(&uri, modified);
        self.forget(uri);
    }

    fn configure(&mut self, params: &Value) {
        // Clients that expect the server to request the settings send null here.
        let settings = params.get("settings").unwrap_or(&Value::Null);
        if settings.is_null() {
            return;
        }
        let (config, wrong) = Config::new(settings);
        self.config = Arc::new(config);
        for document in self.documents.values_mut() {
            self.revisions += 1;
            document.renew(self.revisions);
        }
        wrong.iter().for_each(|message| self.show(MessageType::ERROR, message));
    }

    fn cancel(&mut self, params: &Value) {
        let id = params.get("id").cloned().and_then(|id| serde_json::from_value(id).ok());
        let at = self.waiting.iter().position(|w| Some(&w.request.id) == id.as_ref());
        let Some(at) = at else { return };
        let waiting = self.waiting.remove(at);
        self.answer(&waiting.request.id, Err(Failure::new(ErrorCode::RequestCanceled, "canceled")));
    }

    /// Takes a task for every document whose present text has not been analysed.
    pub fn take_tasks(&mut self) -> Vec<Task> {
        let config = &self.config;
        let new = self.documents.iter_mut().filter(|(_, document)| !document.is_posted);
        new.map(|(uri, document)| {
            document.is_posted = true;
            let source = SourceFile::new(uri.as_str(), document.text.as_str());
            Task::new(uri.clone(), document.revision, source, config.clone())
        })
        .collect()
    }

    /// Takes a task's result, unless the text has changed since.
    pub fn done(&mut self, done: TaskResult) {
        let TaskResult { uri, revision, found } = done;
        let current = self.documents.get_mut(&uri).filter(|d| d.revision == revision);
        let Some(document) = current else { return };
        match found {
            TaskOutput::Index(index) => document.index = Some(index),
            TaskOutput::Diagnostics(mut list) => {
                if list.len() > actions::MAX {
                    list.sort_by_key(|d| !d.is_error());
                }
                document.diagnostics = Some(list);
                self.publish_diagnostics(&uri);
            }
            TaskOutput::Panic => {
                document.is_broken = true;
                self.fail_waiting(&uri, bug);
                let message = format!(
                    "internal error while checking {}; standard error has the details",
                    uri.as_str()
                );
                return self.show(MessageType::ERROR, &message);
            }
        }
        self.answer_waiting(&uri);
    }

    fn publish_diagnostics(&mut self, uri: &Uri) {
        let Some(document) = self.documents.get(uri) else { return };
        let list = document.diagnostics.as_deref().unwrap_or_default();
        let params = PublishDiagnosticsParams {
            uri: uri.clone(),
            diagnostics: actions::diagnostics(list, &self.target(uri, document)),
            version: Some(document.version),
        };
        self.publish(&params);
    }

    fn publish(&mut self, params: &PublishDiagnosticsParams) {
        self.notify("textDocument/publishDiagnostics", json!(params));
    }
}
