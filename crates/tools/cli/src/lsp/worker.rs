//! Threads that analyse texts beside the main loop: one makes indexes, the other one checks. Of
//! each document only the newest text is queued, so that outdated texts are skipped.

use std::collections::VecDeque;
use std::sync::mpsc::Sender;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use texunit_lsp::{Task, TaskResult, Uri};

/// The queued tasks of a worker.
#[derive(Default)]
struct Queue {
    tasks: Mutex<VecDeque<Task>>,
    filled: Condvar,
}

/// A worker thread with its queue.
#[derive(Clone)]
pub(super) struct Worker(Arc<Queue>);

/// Stack size; parsing and checking have limited recursion that needs far less.
const STACK: usize = 16 << 20;

impl Worker {
    /// Starts a thread that calls `work` for each task.
    pub(super) fn start<T: Send + 'static>(
        name: &str,
        results: Sender<T>,
        wrap: fn(TaskResult) -> T,
        work: fn(&Task) -> TaskResult,
    ) -> std::io::Result<Self> {
        let queue = Arc::new(Queue::default());
        let worker = Self(queue.clone());
        std::thread::Builder::new().name(name.into()).stack_size(STACK).spawn(move || {
            loop {
                if results.send(wrap(work(&queue.next()))).is_err() {
                    return;
                }
            }
        })?;
        Ok(worker)
    }

    /// Queues a task, which replaces an older one of the same document.
    pub(super) fn post(&self, task: Task) {
        let mut tasks = self.0.tasks.lock().unwrap_or_else(PoisonError::into_inner);
        match tasks.iter_mut().find(|t| t.uri() == task.uri()) {
            Some(older) => *older = task,
            None => tasks.push_back(task),
        }
        self.0.filled.notify_one();
    }

    /// Removes the task of a closed document.
    pub(super) fn forget(&self, uri: &Uri) {
        let mut tasks = self.0.tasks.lock().unwrap_or_else(PoisonError::into_inner);
        tasks.retain(|t| t.uri() != uri);
    }
}

impl Queue {
    fn next(&self) -> Task {
        let mut tasks = self.tasks.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            match tasks.pop_front() {
                Some(task) => return task,
                None => tasks = self.filled.wait(tasks).unwrap_or_else(PoisonError::into_inner),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use std::sync::mpsc::channel;
    use std::time::Duration;
    use texunit_lsp::Server;

    /// The task for a text that is opened.
    fn task(server: &mut Server, uri: &str) -> Task {
        let item = json!({ "uri": uri, "languageId": "ptx", "version": 1, "text": "" });
        let params = json!({ "textDocument": item });
        let text = json!({ "method": "textDocument/didOpen", "params": params }).to_string();
        server.receive(texunit_lsp::Incoming::read(text.as_bytes()));
        server.take_tasks().remove(0)
    }

    fn server() -> Server {
        let mut server = Server::new();
        server.respond(r#"{"id":1,"method":"initialize","params":{}}"#);
        server
    }

    #[test]
    fn only_the_newest_text_waits() {
        let mut server = server();
        let worker = Worker(Arc::default());
        let tasks = ["a:a", "a:b", "a:a", "a:c"].map(|uri| task(&mut server, uri));
        let revisions = tasks.each_ref().map(Task::revision);
        tasks.into_iter().for_each(|task| worker.post(task));
        worker.forget(&"a:c".parse().unwrap());
        let next = || worker.0.next().revision();
        assert_eq!([next(), next()], [revisions[2], revisions[1]]);
        assert!(worker.0.tasks.lock().unwrap().is_empty());
    }

    #[test]
    fn a_worker_does_task_after_task() {
        let mut server = server();
        let (sender, receiver) = channel();
        let worker = Worker::start("test", sender, |done| done, Task::check).unwrap();
        for uri in ["a:a", "a:b"] {
            worker.post(task(&mut server, uri));
            server.done(receiver.recv_timeout(Duration::from_secs(10)).unwrap());
            let [said] = &server.take_messages()[..] else { panic!("one message") };
            assert!(said.contains("publishDiagnostics") && said.contains(uri), "{said}");
        }
    }
}
