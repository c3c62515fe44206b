//! Commands of the terminal, named as in gdb and cuda-gdb.

mod data;
mod flow;
mod focus;
pub(crate) mod idle;
mod info;
mod listing;
mod memory;
mod points;
mod stops;

use crate::session::Live;
use crate::session::run::Reason;

/// The commands, each with the length of its shortest abbreviation, and the commands that aliases
/// stand for.
const COMMANDS: &str = "\
    x:1 watch:5 rwatch:6 awatch:6 exit:4=quit start:5 show:4 \
    advance:3 backtrace:9 break:1 bt:2=backtrace where:3=backtrace catch:3 condition:4 continue:1 \
    commands:4 cuda:4 delete:1 detach:3 directory:3 disable:3 disassemble:6 display:4 down:4 \
    echo:2 enable:2 explain:3 finish:3 fg:2=continue frame:1 goto:2 help:1 ignore:3 info:1 \
    inspect:3=print kill:1 last-write:6 list:1 lanes:5 next:1 nexti:5 ni:2=nexti output:3 print:1 \
    printf:6 ptype:2 quit:1 reverse-continue:9 rc:2=reverse-continue reverse-finish:9 \
    reverse-next:9 rn:2=reverse-next reverse-nexti:13 rni:3=reverse-nexti reverse-step:9 \
    rs:2=reverse-step reverse-stepi:13 rsi:3=reverse-stepi run:1 set:3 step:1 stepi:5 si:2=stepi \
    tbreak:2 undisplay:5 until:1 up:2 whatis:5";

/// The command that a word stands for.
pub(crate) fn command_of(word: &str) -> Result<&'static str, String> {
    let commands = COMMANDS.split(' ').filter_map(|command| {
        let (name, rest) = command.split_once(':')?;
        let (least, meant) = rest.split_once('=').unwrap_or((rest, name));
        Some((name, least.parse().ok()?, meant))
    });
    let fits =
        |&(name, least, _): &(&str, usize, &str)| name.starts_with(word) && word.len() >= least;
    let exact = commands.clone().find(|(name, ..)| *name == word);
    let found = exact.or_else(|| commands.clone().find(fits)).map(|(.., meant)| meant);
    found.ok_or_else(|| format!("Undefined command: \"{word}\".  Try \"help\"."))
}

/// Splits a line into command, `/format` and arguments.
pub(crate) fn split(line: &str) -> (&str, &str, &str) {
    let line = line.trim();
    let end = line.find(|c: char| !(c.is_ascii_alphanumeric() || c == '-' || c == '_'));
    let (word, rest) = line.split_at(end.unwrap_or(line.len()));
    match rest.strip_prefix('/') {
        Some(format) => {
            let end = format.find(char::is_whitespace).unwrap_or(format.len());
            (word, &format[..end], format[end..].trim())
        }
        None => (word, "", rest.trim()),
    }
}

/// The result of a command.
type Done = Result<(), String>;

impl Live<'_, '_> {
    /// Prints the output of a command, and ends the command.
    fn done_with(&mut self, text: &str) -> Done {
        self.say(text);
        Ok(())
    }

    /// Reports the stop at which a command has ended.
    fn stops(&mut self, reason: Reason) -> Done {
        self.stop(reason);
        Ok(())
    }

    /// Executes a command line.
    pub(crate) fn command(&mut self, line: &str) {
        if self.session.settings.collects(line) {
            return;
        }
        let line = match line.trim() {
            "" if self.last.is_empty() => return,
            "" => self.last.clone(),
            line => line.to_owned(),
        };
        if line.starts_with('#') {
            return;
        }
        let (word, format, rest) = split(&line);
        let (format, rest) = (format.to_owned(), rest.to_owned());
        let result = command_of(word).and_then(|command| {
            // An empty line repeats commands that advance or list.
            let repeats = matches!(
                command,
                "step" | "next" | "stepi" | "nexti" | "continue" | "list" | "x" | "up" | "down"
            ) || command.starts_with("reverse");
            self.last = match (repeats, command) {
                (true, "list" | "x") => command.to_owned(),
                (true, _) => line.clone(),
                (false, _) => String::new(),
            };
            self.does(command, &format, &rest)
        });
        if let Err(error) = result {
            self.fail(&format!("{error}\n"));
        }
        if let Some(note) = self.history.note.take() {
            self.say(&format!("[{note}]\n"));
        }
    }

    fn does(&mut self, command: &str, format: &str, rest: &str) -> Done {
        match command {
            "break" | "tbreak" => self.breaks(command == "tbreak", rest),
            "watch" | "rwatch" | "awatch" => self.watches_at(command, rest),
            "run" | "start" | "continue" | "step" | "next" | "stepi" | "nexti" | "finish"
            | "until" | "advance" => self.flows(command, rest),
            "reverse-continue" | "reverse-step" | "reverse-next" | "reverse-stepi"
            | "reverse-nexti" | "reverse-finish" | "goto" | "last-write" => {
                self.goes_back(command, rest)
            }
            "backtrace" => self.backtrace(rest),
            "frame" | "up" | "down" => self.selects(command, rest),
            "list" => self.list(rest),
            "disassemble" => self.disassemble(rest),
            "print" => self.print(format, rest),
            "output" => self.output(format, rest),
            "printf" => self.prints(rest),
            "x" => self.examine(format, rest),
            "display" => self.display(format, rest),
            "set" => self.set(rest),
            "ptype" | "whatis" => self.type_of(command, rest),
            "lanes" => self.lanes(rest),
            "info" => self.info(rest),
            "cuda" => self.cuda(rest),
            "explain" => self.explain(),
            "detach" => {
                self.session.is_detached = true;
                self.is_over = true;
                Ok(())
            }
            "quit" | "kill" => {
                self.session.is_killed = true;
                self.session.is_detached = true;
                self.is_over = true;
                Ok(())
            }
            _ => {
                // Conditions can be set before a launch, when types are unknown; they are checked
                // here.
                if command == "condition"
                    && let Some((_, condition)) = rest.split_once(char::is_whitespace)
                {
                    self.parsed(condition)?;
                }
                let mut out = String::new();
                let done = self.session.settings.does(command, rest, &mut |text| out += text);
                self.say(&out);
                done.unwrap_or(Ok(()))
            }
        }
    }
}

/// The output of `echo`, with C's escape sequences.
pub(crate) fn echoed(text: &str) -> String {
    let bytes = text.as_bytes();
    let (mut out, mut at) = (Vec::new(), 0);
    while at < bytes.len() {
        if bytes[at] == b'\\' {
            let (byte, end) = crate::expr::escape(bytes, at + 1);
            if at + 1 < bytes.len() {
                out.push(byte);
            }
            at = end.max(at + 1);
        } else {
            out.push(bytes[at]);
            at += 1;
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

/// The output of `help`.
pub(crate) const HELP: &str = "\
break PLACE [if CONDITION]   stop there: file.cu:12, kernel, ptx:73; tbreak: once
watch EXPR                   stop when a value changes; rwatch: is read, awatch: either
catch end|nan|divergence     stop at the end of a launch, at a NaN that is made, where lanes part
run, continue                go on
step, next, stepi, nexti     to the next line or instruction, next over calls
finish, until, advance PLACE out of a function, past a loop, to a place
reverse-step, reverse-next, reverse-continue, reverse-finish, reverse-stepi   the same backwards
goto N                       to a step of the launch
last-write EXPR              who wrote this last
print[/x] EXPR, x/8fw ADDR, display EXPR, set var NAME = EXPR
lanes EXPR                   a value in all lanes of the warp; lanes -cta: over the CTA
info locals|args|registers|kernels|blocks|warps|lanes|threads|breakpoints|textures|line|source|display
cuda thread (1,0,0) block (2,0,0), cuda warp 3 lane 5
backtrace, up, down, frame N, list, disassemble, explain
echo TEXT, quit
";
