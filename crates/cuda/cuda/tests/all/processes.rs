//! Memory, pools and events shared between processes: the test starts itself as a second process
//! and communicates with it in lines of text.

use crate::common::*;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::ptr::null_mut;
use texunit_cuda_abi::{CUipcHandle, CUmemAllocationProp, CUmemLocation, CUresult};

const CHILD: &str = "TEXUNIT_TEST_CHILD";

/// The second process, which is ready for requests.
struct Other {
    child: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn bytes(text: &str) -> [u8; 64] {
    std::array::from_fn(|i| u8::from_str_radix(&text[2 * i..2 * i + 2], 16).unwrap())
}

impl Other {
    fn new() -> Self {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command
            .args(["processes::the_other_process", "--ignored", "--nocapture", "--exact"])
            .env(CHILD, "1");
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let (to, from) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        Self { child, to, from: BufReader::new(from) }
    }

    /// Sends a request and returns the answer, skipping the output of the test harness.
    fn ask(&mut self, line: &str) -> String {
        writeln!(self.to, "{line}").unwrap();
        loop {
            let mut answer = String::new();
            assert!(self.from.read_line(&mut answer).unwrap() > 0, "{line}: the process has ended");
            if let Some((_, answer)) = answer.split_once("= ") {
                return answer.trim().to_owned();
            }
        }
    }

    fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

fn word(address: u64) -> u32 {
    let mut found = [0; 4];
    ok!(cuMemcpyDtoH_v2(found.as_mut_ptr(), address, 4));
    u32::from_le_bytes(found)
}

fn set(address: u64, value: u32) {
    ok!(cuMemcpyHtoD_v2(address, value.to_le_bytes().as_ptr(), 4));
}

/// Requests of the second process, one per line.
#[test]
#[ignore = "the other process of these tests"]
fn the_other_process() {
    if std::env::var_os(CHILD).is_none() {
        return;
    }
    let _context = context();
    let mut event = null_mut();
    for line in std::io::stdin().lines() {
        let line = line.unwrap();
        let words: Vec<&str> = line.split(' ').collect();
        let answer = match words[..] {
            ["allocate", size, value] => {
                let (mut address, mut handle) = (0, [0; 64]);
                ok!(cuMemAlloc_v2(&raw mut address, size.parse().unwrap()));
                set(address, value.parse().unwrap());
                ok!(cuIpcGetMemHandle(&raw mut handle, address));
                format!("{address} {}", hex(&handle))
            }
            ["read", address] => word(address.parse().unwrap()).to_string(),
            ["free", address] => {
                ok!(cuMemFree_v2(address.parse().unwrap()));
                String::new()
            }
            ["event"] => {
                let mut handle = [0; 64];
                ok!(cuEventCreate(&raw mut event, 2 | 4));
                ok!(cuIpcGetEventHandle(&raw mut handle, event));
                hex(&handle)
            }
            ["record"] => {
                ok!(cuEventRecord(event, null_mut()));
                String::new()
            }
            ["memory"] => {
                // The file of an allocation of cuMemCreate, which is not one of cuMemAlloc.
                let prop = CUmemAllocationProp {
                    kind: 1,
                    requested_handle_types: 1,
                    location: CUmemLocation { kind: 1, id: 0 },
                    ..CUmemAllocationProp::default()
                };
                let (mut handle, mut file) = (0, -1);
                ok!(cuMemCreate(&raw mut handle, 2 << 20, &raw const prop, 0));
                ok!(cuMemExportToShareableHandle(&raw mut file, handle, 1, 0));
                file.to_string()
            }
            _ => "?".to_owned(),
        };
        println!("= {answer}");
    }
}

/// Opens an IPC memory handle.
fn open(handle: &[u8; 64]) -> Result<u64, CUresult> {
    let mut address = 0;
    // SAFETY: the pointer is to a local variable.
    let result = unsafe { cuIpcOpenMemHandle_v2(&raw mut address, CUipcHandle(*handle), 1) };
    if result == CUresult::SUCCESS { Ok(address) } else { Err(result) }
}

#[test]
fn memory_of_another_process() {
    let _context = context();
    let mut other = Other::new();
    for size in [8, 5000, 3 << 20] {
        let answer = other.ask(&format!("allocate {size} 77"));
        let (there, handle) = answer.split_once(' ').unwrap();
        let handle = bytes(handle);
        let here = open(&handle).unwrap();
        assert_eq!(word(here), 77);
        set(here, 78);
        assert_eq!(other.ask(&format!("read {there}")), "78");
        let last = here + size - 1;
        ok!(cuMemcpyHtoD_v2(last, [5].as_ptr(), 1));
        fails!(INVALID_VALUE, cuMemcpyHtoD_v2(last + 1, [5].as_ptr(), 1));
        // A second open returns the same address; the memory is closed as often, and cannot be
        // freed here.
        assert_eq!(open(&handle).unwrap(), here);
        fails!(INVALID_VALUE, cuMemFree_v2(here));
        ok!(cuIpcCloseMemHandle(here));
        assert_eq!(word(here), 78);
        ok!(cuIpcCloseMemHandle(here));
        fails!(INVALID_VALUE, cuIpcCloseMemHandle(here));
        fails!(INVALID_VALUE, cuMemcpyDtoH_v2([0; 4].as_mut_ptr(), here, 4));
        // Memory freed by its owner cannot be opened any more.
        other.ask(&format!("free {there}"));
        assert_eq!(open(&handle), Err(CUresult::MAP_FAILED));
    }
    // A killed process leaves no files behind, and memory opened here remains valid.
    let answer = other.ask("allocate 100 5");
    let handle = bytes(answer.split_once(' ').unwrap().1);
    let here = open(&handle).unwrap();
    other.kill();
    assert_eq!(word(here), 5);
    ok!(cuIpcCloseMemHandle(here));
    assert_eq!(open(&handle), Err(CUresult::MAP_FAILED));
}

#[test]
fn handles_that_are_none() {
    let _context = context();
    let (mut own, mut managed, mut of_pool, mut handle) = (0, 0, 0, [0; 64]);
    ok!(cuMemAlloc_v2(&raw mut own, 100));
    ok!(cuMemAllocManaged(&raw mut managed, 100, 1));
    ok!(cuMemAllocAsync(&raw mut of_pool, 100, null_mut()));
    for wrong in [managed, of_pool, own + 4, 0] {
        fails!(INVALID_VALUE, cuIpcGetMemHandle(&raw mut handle, wrong));
    }
    let mut capable = [0; 1];
    for (p, wanted) in [(own, 1), (managed, 0), (of_pool, 0)] {
        ok!(cuPointerGetAttribute(capable.as_mut_ptr().cast(), 10, p));
        assert_eq!(capable[0] as u32, wanted);
    }
    ok!(cuIpcGetMemHandle(&raw mut handle, own));
    let again = handle;
    ok!(cuIpcGetMemHandle(&raw mut handle, own));
    assert_eq!(handle, again);
    assert_eq!(open(&handle), Err(CUresult::INVALID_CONTEXT), "of this process");
    assert_eq!(open(&[7; 64]), Err(CUresult::INVALID_VALUE));
    let mut address = 0;
    fails!(INVALID_VALUE, cuIpcOpenMemHandle_v2(&raw mut address, CUipcHandle(handle), 0));
    // A handle that refers to another file of another process.
    let mut other = Other::new();
    let answer = other.ask("allocate 100 5");
    let mut foreign = bytes(answer.split_once(' ').unwrap().1);
    let file: i32 = other.ask("memory").parse().unwrap();
    foreign[20..24].copy_from_slice(&file.to_le_bytes());
    assert_eq!(open(&foreign), Err(CUresult::MAP_FAILED));
    foreign[20..24].copy_from_slice(&0_i32.to_le_bytes());
    assert_eq!(open(&foreign), Err(CUresult::MAP_FAILED));
    other.kill();
    ok!(cuMemFree_v2(own));
    ok!(cuMemFree_v2(managed));
    ok!(cuMemFreeAsync(of_pool, null_mut()));
}

#[test]
fn events_of_another_process() {
    let _context = context();
    let (mut event, mut plain, mut handle) = (null_mut(), null_mut(), [0; 64]);
    fails!(INVALID_VALUE, cuEventCreate(&raw mut plain, 4));
    ok!(cuEventCreate(&raw mut plain, 2));
    fails!(INVALID_HANDLE, cuIpcGetEventHandle(&raw mut handle, plain));
    let mut other = Other::new();
    handle = bytes(&other.ask("event"));
    ok!(cuIpcOpenEventHandle(&raw mut event, CUipcHandle(handle)));
    ok!(cuEventQuery(event));
    other.ask("record");
    ok!(cuEventQuery(event));
    ok!(cuEventSynchronize(event));
    ok!(cuStreamWaitEvent(null_mut(), event, 0));
    ok!(cuEventRecord(event, null_mut()));
    other.kill();
    ok!(cuEventSynchronize(event));
    ok!(cuEventDestroy_v2(event));
    let mut none = null_mut();
    fails!(MAP_FAILED, cuIpcOpenEventHandle(&raw mut none, CUipcHandle(handle)));
    ok!(cuEventDestroy_v2(plain));
}
