//! `nvidia-smi`: lists the devices that a program under `texunit run` sees, for scripts that query
//! it. The data is that of texunit's `libnvidia-ml.so.1`.

mod fields;
mod nvml;

use fields::Field;
use nvml::{Card, DriverState};
use std::fmt::Write as _;
use std::io::Write as _;

/// NVIDIA's exit codes for a missing device and a missing driver. An invalid option exits with 2.
const NO_SUCH_DEVICE: u8 = 6;
const NO_DRIVER: u8 = 9;
const USAGE: u8 = 2;

const HELP: &str = "\
nvidia-smi of texunit: the devices that CUDA programs see under `texunit run`

  nvidia-smi                         a table of the devices
  nvidia-smi -L, --list-gpus         one line per device
  nvidia-smi --query-gpu=FIELD,...   a line of values for each device
      --format=csv[,noheader][,nounits]
  nvidia-smi -i, --id=ID,...         only devices of these numbers, UUIDs or places on the PCI bus
  nvidia-smi --help-query-gpu        the fields
  nvidia-smi --version, -h, --help

What a device of software does not have (temperatures, clocks, fans, power, utilization) is [N/A].
Options that change a device, and other queries, are refused with exit code 2.
";

/// What to print: the table, or another output that an option selects.
enum Request {
    Table,
    List,
    Query { fields: Vec<Field>, header: bool, units: bool },
    Fields,
    Version,
    Help,
}

/// The text to print, or an exit code and a message.
type Answer = Result<String, (u8, String)>;

/// Runs the program with the arguments of the process and returns its exit code.
pub fn main() -> u8 {
    let arguments: Vec<String> =
        std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned()).collect();
    match answer(&arguments, nvml::ask) {
        // The reader may close the pipe early, which is not an error.
        Ok(text) => {
            let _ = std::io::stdout().write_all(text.as_bytes());
            0
        }
        Err((code, why)) => {
            let _ = writeln!(std::io::stderr(), "nvidia-smi (texunit): {why}");
            code
        }
    }
}

fn answer(arguments: &[String], ask: impl Fn() -> Result<DriverState, String>) -> Answer {
    let (asked, ids) = read(arguments).map_err(|why| (USAGE, why))?;
    match asked {
        Request::Help => return Ok(HELP.to_owned()),
        Request::Fields => return Ok(fields::help()),
        _ => {}
    }
    let seen = ask().map_err(|why| (NO_DRIVER, why))?;
    let cards = chosen(&seen, &ids)?;
    Ok(match asked {
        Request::List => cards.iter().fold(String::new(), |mut text, card| {
            let _ = writeln!(text, "GPU {}: {} (UUID: {})", card.index, card.name, card.uuid);
            text
        }),
        Request::Query { fields, header, units } => {
            let mut text = String::new();
            if header {
                text += &line(fields.iter().map(|field| field.heading()));
            }
            for card in cards {
                text += &line(fields.iter().map(|field| field.shown(&seen, card, units)));
            }
            text
        }
        Request::Version => format!(
            "NVIDIA-SMI version  : {0} (texunit {1})\nNVML version        : {0}\nDRIVER version      : {0}\n\
             CUDA Version        : {2}\n",
            seen.driver,
            env!("CARGO_PKG_VERSION"),
            seen.cuda()
        ),
        _ => table(&seen, &cards),
    })
}

fn line(values: impl Iterator<Item = String>) -> String {
    values.collect::<Vec<_>>().join(", ") + "\n"
}

/// The devices that `--id` names; all devices without `--id`.
fn chosen<'s>(seen: &'s DriverState, ids: &[String]) -> Result<Vec<&'s Card>, (u8, String)> {
    if ids.is_empty() {
        return Ok(seen.cards.iter().collect());
    }
    let find = |id: &String| {
        let card = seen.cards.iter().find(|card| card.is_called(id));
        card.ok_or_else(|| (NO_SUCH_DEVICE, format!("no devices were found: {id}")))
    };
    ids.iter().map(find).collect()
}

/// The table: the line in which scripts look for versions, and a line for each device.
fn table(seen: &DriverState, cards: &[&Card]) -> String {
    const WIDTH: usize = 88;
    let rule = format!("+{}+\n", "-".repeat(WIDTH + 2));
    let row = |text: String| format!("| {text:WIDTH$} |\n");
    let mut text = rule.clone();
    text += &row(format!(
        "NVIDIA-SMI {0:<20} Driver Version: {0:<18} CUDA Version: {1}",
        seen.driver,
        seen.cuda()
    ));
    text += &rule;
    for card in cards {
        let memory =
            format!("{} / {}", fields::mebibytes(card.used), fields::mebibytes(card.total));
        text += &row(format!(
            "{:>3}  {:<28} {:<17} {memory:>22}   in software",
            card.index, card.name, card.bus_id
        ));
    }
    text + &rule
}

/// Parses the arguments, and returns the values of `--id` as well.
fn read(arguments: &[String]) -> Result<(Request, Vec<String>), String> {
    let (mut asked, mut ids, mut format) = (None, Vec::new(), None);
    let mut rest = arguments.iter();
    while let Some(word) = rest.next() {
        let (name, attached) = match word.split_once('=') {
            Some((name, value)) if name.starts_with("--") => (name, Some(value.to_owned())),
            _ => (word.as_str(), None),
        };
        let mut value = |what: &str| {
            let value = attached.clone().or_else(|| rest.next().cloned());
            value.filter(|v| !v.is_empty()).ok_or_else(|| format!("option {name} wants {what}"))
        };
        let mut one = |new: Request| match asked.replace(new) {
            None => Ok(()),
            Some(_) => Err(format!("option {name} does not go with another query")),
        };
        match name {
            "--query-gpu" => {
                let fields = fields::find_all(&value("fields, which --help-query-gpu lists")?)?;
                one(Request::Query { fields, header: true, units: true })?;
            }
            "--format" => format = Some(value("csv, noheader, nounits")?),
            "-i" | "--id" => ids.extend(value("a device")?.split(',').map(str::to_owned)),
            _ if attached.is_some() => return Err(unknown(word)),
            "-L" | "--list-gpus" => one(Request::List)?,
            "-h" | "--help" => one(Request::Help)?,
            "--help-query-gpu" => one(Request::Fields)?,
            "--version" => one(Request::Version)?,
            _ => return Err(unknown(word)),
        }
    }
    let mut asked = asked.unwrap_or(Request::Table);
    match (&mut asked, format) {
        (Request::Query { header, units, .. }, Some(format)) => {
            for word in format.split(',').map(str::trim) {
                match word {
                    "csv" => {}
                    "noheader" => *header = false,
                    "nounits" => *units = false,
                    other => {
                        return Err(format!(
                            "--format knows csv, noheader and nounits, not `{other}`"
                        ));
                    }
                }
            }
            if !format.split(',').any(|word| word.trim() == "csv") {
                return Err("--format has to name csv".to_owned());
            }
        }
        (Request::Query { .. }, None) => return Err("--query-gpu wants --format=csv".to_owned()),
        (_, Some(_)) => return Err("--format is for --query-gpu".to_owned()),
        _ => {}
    }
    Ok((asked, ids))
}

fn unknown(word: &str) -> String {
    format!("there is no option {word} here; --help lists those that there are")
}

#[cfg(test)]
mod tests;
