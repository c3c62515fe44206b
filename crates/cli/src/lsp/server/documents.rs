//! Open documents: notifications that change them, and what the workers find in them.

use super::super::actions;
use super::super::answers::{Failure, read};
use super::super::config::Config;
use super::super::document::Text;
use super::super::worker::{Done, Found, Job};
use super::{Document, Server, bug, modified};
use lsp_server::{ErrorCode, Notification};
use lsp_types::{
    DidChangeTextDocumentParams, DidCloseTextDocumentParams, DidOpenTextDocumentParams,
    MessageType, PublishDiagnosticsParams, Uri,
};
use serde_json::Value;
use std::io::{self, Write};
use std::sync::Arc;
use texunit_syntax::SourceFile;

impl<W: Write> Server<W> {
    /// Handles a notification of a running client.
    pub(super) fn notification(&mut self, notification: Notification) -> io::Result<()> {
        let params = notification.params;
        let read = match notification.method.as_str() {
            "textDocument/didOpen" => read(params).map(|p| self.open(p)),
            "textDocument/didChange" => read(params).map(|p| self.change(p)),
            "textDocument/didClose" => read(params).map(|p| self.close(p)),
            "workspace/didChangeConfiguration" => Ok(self.configure(&params)),
            "$/cancelRequest" => Ok(self.cancel(&params)),
            _ => return Ok(()),
        };
        match read {
            Ok(done) => done,
            Err(failure) => {
                let message = format!("{}: {}", notification.method, failure.message);
                self.show(MessageType::ERROR, &message)
            }
        }
    }

    pub(super) fn next_revision(&mut self) -> u64 {
        self.revisions += 1;
        self.revisions
    }

    pub(super) fn open(&mut self, params: DidOpenTextDocumentParams) -> io::Result<()> {
        let item = params.text_document;
        self.fail_waiting(&item.uri, modified)?;
        if item.text.len() > Text::MAX_LEN {
            return self.leave_alone(item.uri);
        }
        let revision = self.next_revision();
        let document = Document::new(Text::new(item.text), item.version, revision);
        self.documents.insert(item.uri, document);
        Ok(())
    }

    pub(super) fn change(&mut self, params: DidChangeTextDocumentParams) -> io::Result<()> {
        let uri = params.text_document.uri;
        self.fail_waiting(&uri, modified)?;
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
        if fits { Ok(()) } else { self.leave_alone(uri) }
    }

    /// A text that is too long: what the client sees is not what is known here.
    fn leave_alone(&mut self, uri: Uri) -> io::Result<()> {
        let message = format!("{} is too long: it is left alone", uri.as_str());
        self.forget(uri)?;
        self.show(MessageType::ERROR, &message)
    }

    /// Forgets a document with everything that was said about it.
    fn forget(&mut self, uri: Uri) -> io::Result<()> {
        self.indexer.forget(&uri);
        self.checker.forget(&uri);
        if self.documents.remove(&uri).is_none() {
            return Ok(());
        }
        self.publish(PublishDiagnosticsParams { uri, diagnostics: Vec::new(), version: None })
    }

    pub(super) fn close(&mut self, params: DidCloseTextDocumentParams) -> io::Result<()> {
        let uri = params.text_document.uri;
        self.fail_waiting(&uri, modified)?;
        self.forget(uri)
    }

    pub(super) fn configure(&mut self, params: &Value) -> io::Result<()> {
        // Clients that are to be asked for their settings send none.
        let settings = params.get("settings").unwrap_or(&Value::Null);
        if settings.is_null() {
            return Ok(());
        }
        let (config, wrong) = Config::new(settings);
        self.config = Arc::new(config);
        for document in self.documents.values_mut() {
            self.revisions += 1;
            document.renew(self.revisions);
        }
        wrong.iter().try_for_each(|message| self.show(MessageType::ERROR, message))
    }

    pub(super) fn cancel(&mut self, params: &Value) -> io::Result<()> {
        let id = params.get("id").cloned().and_then(|id| serde_json::from_value(id).ok());
        let at = self.waiting.iter().position(|w| Some(&w.request.id) == id.as_ref());
        let Some(at) = at else { return Ok(()) };
        let waiting = self.waiting.remove(at);
        let failure = Failure::new(ErrorCode::RequestCanceled, "canceled");
        self.answer(waiting.request.id, Err(failure))
    }

    /// Gives the workers every text that they have not seen.
    pub(super) fn post(&mut self) {
        for (uri, document) in self.documents.iter_mut().filter(|(_, d)| !d.is_posted) {
            document.is_posted = true;
            let source = Arc::new(SourceFile::new(uri.as_str(), document.text.as_str()));
            let job = Job {
                uri: uri.clone(),
                revision: document.revision,
                source,
                config: self.config.clone(),
            };
            self.indexer.post(job.clone());
            self.checker.post(job);
        }
    }

    /// Takes a result, unless the text has changed since.
    pub(super) fn done(&mut self, done: Done) -> io::Result<()> {
        let Done { uri, revision, found } = done;
        let current = self.documents.get_mut(&uri).filter(|d| d.revision == revision);
        let Some(document) = current else { return Ok(()) };
        match found {
            Found::Index(index) => document.index = Some(index),
            Found::Diagnostics(mut list) => {
                if list.len() > actions::MOST {
                    list.sort_by_key(|d| !d.is_error());
                }
                document.diagnostics = Some(list);
                self.publish_diagnostics(&uri)?;
            }
            Found::Panic => {
                document.is_broken = true;
                self.fail_waiting(&uri, bug)?;
                let message =
                    format!("a bug was found in {}; standard error has more", uri.as_str());
                return self.show(MessageType::ERROR, &message);
            }
        }
        self.answer_waiting(&uri)
    }

    pub(super) fn publish_diagnostics(&mut self, uri: &Uri) -> io::Result<()> {
        let Some(document) = self.documents.get(uri) else { return Ok(()) };
        let list = document.diagnostics.as_deref().unwrap_or_default();
        let params = PublishDiagnosticsParams {
            uri: uri.clone(),
            diagnostics: actions::diagnostics(list, &self.target(uri, document)),
            version: Some(document.version),
        };
        self.publish(params)
    }

    pub(super) fn publish(&mut self, params: PublishDiagnosticsParams) -> io::Result<()> {
        let params = serde_json::to_value(params).map_err(io::Error::other)?;
        self.notify("textDocument/publishDiagnostics", params)
    }
}
