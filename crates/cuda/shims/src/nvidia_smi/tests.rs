use super::*;

fn seen() -> DriverState {
    let card = |index: u32, name: &str| Card {
        index,
        name: name.to_owned(),
        uuid: format!("GPU-{index}"),
        bus_id: format!("00000000:0{}:00.0", index + 1),
        place: [0, index as i32 + 1, 0],
        total: 12 << 30,
        free: (12 << 30) - (3 << 20),
        used: 3 << 20,
        capability: (8, 6),
    };
    DriverState {
        driver: "999.1".to_owned(),
        version: 13050,
        cards: vec![card(0, "A"), card(1, "B")],
    }
}

fn smi(words: &str) -> Answer {
    let words: Vec<String> = words.split_whitespace().map(str::to_owned).collect();
    answer(&words, || Ok(seen()))
}

#[test]
fn queries_of_scripts() {
    for (words, wanted) in [
        ("-L", "GPU 0: A (UUID: GPU-0)\nGPU 1: B (UUID: GPU-1)\n"),
        ("-L -i 1", "GPU 1: B (UUID: GPU-1)\n"),
        ("--list-gpus --id=GPU-0", "GPU 0: A (UUID: GPU-0)\n"),
        ("-L -i 0000:02:00.0", "GPU 1: B (UUID: GPU-1)\n"),
        (
            "--query-gpu=gpu_name,memory.total,temperature.gpu --format=csv -i 0",
            "name, memory.total [MiB], temperature.gpu\nA, 12288 MiB, [N/A]\n",
        ),
        (
            "--query-gpu index,memory.used,memory.free,utilization.gpu --format csv,nounits",
            "index, memory.used [MiB], memory.free [MiB], utilization.gpu [%]\n0, 3, 12285, [N/A]\n1, 3, 12285, [N/A]\n",
        ),
        ("--query-gpu=compute_cap,driver_version --format=csv,noheader --id=1", "8.6, 999.1\n"),
        (
            "--format=noheader,csv --query-gpu=pci.bus_id,pci.bus,count",
            "00000000:01:00.0, 0x01, 2\n00000000:02:00.0, 0x02, 2\n",
        ),
    ] {
        assert_eq!(smi(words).unwrap(), wanted, "{words}");
    }
    let table = smi("").unwrap();
    assert!(
        table.contains("Driver Version: 999.1") && table.contains("CUDA Version: 13.5"),
        "{table}"
    );
    let lengths: Vec<usize> = table.lines().map(str::len).collect();
    assert!(lengths.iter().all(|length| *length == lengths[0]), "{table}");
    assert!(smi("--help-query-gpu").unwrap().contains("\npower.draw\n"));
    assert!(smi("--version").unwrap().contains("CUDA Version        : 13.5"));
    assert!(smi("--help").unwrap().starts_with("nvidia-smi of texunit"));
}

#[test]
fn refusals() {
    for (words, why) in [
        ("--nonsense", "no option --nonsense"),
        ("-q", "no option -q"),
        ("--help=1", "no option --help=1"),
        ("--query-gpu=name", "wants --format=csv"),
        ("--query-gpu=nonsense --format=csv", "field \"nonsense\" is not a valid field"),
        ("--query-gpu= --format=csv", "wants fields"),
        ("--query-gpu=name --format=xml", "not `xml`"),
        ("--query-gpu=name --format=noheader", "has to name csv"),
        ("-L --format=csv", "is for --query-gpu"),
        ("-L --query-gpu=name --format=csv", "does not go with another"),
        ("-i", "wants a device"),
    ] {
        let (code, message) = smi(words).unwrap_err();
        assert!(code == USAGE && message.contains(why), "{words}: {code} {message}");
    }
    assert_eq!(smi("-L -i 2").unwrap_err().0, NO_SUCH_DEVICE);
    assert_eq!(answer(&[], || Err("no library".to_owned())).unwrap_err().0, NO_DRIVER);
}
