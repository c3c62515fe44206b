//! Launches that end with a fault, and launches that are not recorded.

use super::*;

#[test]
fn faults_are_the_same() {
    let temp = TempDir::new("record-faults");
    let device = used_device();
    let module = Module::load(&device, "m", KERNEL).unwrap();
    let kernel = module.kernel("idle").unwrap();
    let out = device.alloc(4, "out").unwrap();
    let freed = device.alloc(100, "device memory").unwrap();
    let freed_address = freed.address();
    drop(freed);
    for (name, address) in
        [("bounds", out.address() + 4), ("freed", freed_address + 96), ("null", 0)]
    {
        let folder = temp.path().join(name);
        let params = words([address].into_iter());
        let (written, fault) = record(&folder, &kernel, &LaunchOptions::default(), &params);
        let (written, fault) = (written.unwrap(), fault.unwrap());
        let job = std::fs::read_to_string(&written.job).unwrap();
        assert!(!job.contains("check") && job.contains("# It ended with a fault: "), "{job}");
        let report = repeat(&folder, &[]);
        assert_eq!(report.failures.len(), 0, "{:?}\n{job}", report.failures);
        assert_eq!(report.fault.unwrap().kind.to_string(), fault, "{job}");
    }
    // An endless loop ends with a fault too, and the limit of steps can be changed.
    let endless =
        ".version 8.0\n.target sm_75\n.address_size 64\n.visible .entry k() { L: bra L; }";
    let module = Module::load(&device, "m", endless).unwrap();
    let kernel = module.kernel("k").unwrap();
    let options = LaunchOptions::default().with_max_steps(500);
    let folder = temp.path().join("endless");
    let (_, fault) = record(&folder, &kernel, &options, &[]);
    let again = |options: &[&str]| repeat(&folder, options).fault.unwrap().kind.to_string();
    assert_eq!(again(&[]), fault.unwrap());
    assert!(again(&["--max-steps", "77"]).contains("77"));
}

#[test]
fn what_cannot_be_repeated_has_a_reason() {
    let device = Device::default();
    let body = |body: &str| {
        let text = format!(
            ".version 8.0\n.target sm_75\n.address_size 64\n\
             .extern .func (.param .b64 r) malloc (.param .b64 n);\n\
             .func helper() {{ .reg .u32 %r1; {body} ret; }}\n\
             .visible .entry k() {{ call helper, (); ret; }}\n.visible .entry plain() {{ ret; }}"
        );
        Module::load(&device, "m", &text).unwrap()
    };
    let why = |text: &str| {
        let module = body(text);
        assert_eq!(texunit_record::refusal(&module.kernel("plain").unwrap(), 1), None);
        texunit_record::refusal(&module.kernel("k").unwrap(), 1)
    };
    assert_eq!(why(""), None);
    let heap = "{ .param .b64 n; .param .b64 r; st.param.b64 [n], 8; call.uni (r), malloc, (n); }";
    assert!(why(heap).unwrap().starts_with("it can call malloc or free"));
    assert_eq!(why("mov.u32 %r1, %clock;").unwrap(), "it can read a clock (%clock)");
    let two = "mov.u32 %r1, %globaltimer_lo; mov.u32 %r1, %clock_hi;";
    assert_eq!(why(two).unwrap(), "it can read a clock (%clock_hi, %globaltimer_lo)");
    assert_eq!(
        why("mov.u32 %r1, %smid;").unwrap(),
        "it can read the number of a multiprocessor (%smid)"
    );
    let module = body("");
    let two = texunit_record::refusal(&module.kernel("k").unwrap(), 2).unwrap();
    assert_eq!(two, "the program has 2 devices, and a job has one");

    let kernel = module.kernel("k").unwrap();
    let options = LaunchOptions::default();
    let launch = Launch { kernel: &kernel, options: &options, params: &[], remarks: &[] };
    assert!(matches!(Before::of(&launch, 10), Err(Refused::Limit { limit: 10 })));
}

/// Addresses of a job that cannot be allocated are errors of the job.
#[test]
fn wrong_places_are_told() {
    let temp = TempDir::new("record-places");
    std::fs::write(temp.path().join("k.ptx"), KERNEL).unwrap();
    let failures = |rest: &str| -> Vec<String> {
        let head = "ptx = 'k.ptx'\nkernel = 'idle'\ngrid = 1\nblock = 1\n[params.out]\nbuffer = { zeros = 4 }\n";
        std::fs::write(temp.path().join("job.toml"), format!("{head}{rest}")).unwrap();
        let report = repeat(temp.path(), &[]);
        let text = |failure: &Failure| match failure {
            Failure::Job(problem) => format!("{} {}", problem.code, problem.message),
            other => format!("{other:?}"),
        };
        report.failures.iter().map(text).collect()
    };
    let one = |rest: &str, wanted: &str| {
        let all = failures(rest);
        assert!(all.len() == 1 && all[0].contains(wanted), "{rest}: {all:?}");
    };
    assert_eq!(failures("[places]\ncounter = '0x700000001000'"), Vec::<String>::new());
    one("[places]\nmissing = 5", "J0008 the module has no variable `missing`");
    one("[places]\ncounter = 'x'", "J0005 `x` is not a number");
    let two = "[objects.a]\nbuffer = { size = 8, address = 4096 }\n[objects.b]\nbuffer = { size = 8, address = 4100 }";
    one(two, "J0010 `b` cannot be where it was: 8 bytes at 0x1004 are not free");
    one("[objects.a]\nbuffer = { size = 8, read_only = true }", "J0006");
    one("[objects.out]\nbuffer = { size = 8 }", "J0006 `out` is the name of a parameter too");
    one("[objects.a]\nscalar = { u32 = 1 }", "J0006 an object is not a `scalar`");
    one("[objects.a]\nsampler = { handle = 7 }", "J0010");
    one(
        "[objects.a]\nbuffer = { u8 = [1, 2], parts = [[0, 1]] }",
        "J0005 the parts have 1 byte, but the data has 2",
    );
    one(
        "[objects.a]\nbuffer = { u8 = [1, 2], parts = [[4, 1], [4, 1]] }",
        "J0005 parts follow each other",
    );
    one("[objects.a]\ntexture = { array = 'b' }", "J0008 no object `b` of the job is an array");
    one("[objects.a]\ntexture = { memory = 4096, format = 'f32', width = 4 }", "J0010");
    one(
        "[objects.a]\nbuffer = { size = 4 }\nexpected = { u8 = [1, 2, 3, 4, 5] }",
        "J0005 the bytes that are expected pass the end",
    );
    one(
        "[objects.a]\nbuffer = { size = 4 }\nexpected = { u8 = [1] }",
        "J0011 1 of 4 bytes of `a` is not as expected after the launch; the first is at 0: 0x00 instead of 0x01",
    );
    one(
        "[objects.a]\narray = { zeros = true, format = 'u8', width = 4, layout = 'linear' }",
        "J0006",
    );
    one(
        "[textures.bound]\nzeros = true\nformat = 'f32'\nwidth = 4\nheight = 4\nhandle = 5",
        "J0006 the handle of `bound`",
    );
}
