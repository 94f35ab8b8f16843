//! Files of drives that are wrong: the message names the line, the key and what is allowed.
//!
//! Planted bugs that these catch: a key that is ignored; a workload with a size of its own that is ignored; a measurement
//! that says two things.

use crate::common::{HEAD, of, uniform};

#[test]
fn a_wrong_file_is_refused_with_its_line() {
    let sheet = |line: &str| format!("{HEAD}{line}\n");
    let words = |words: &str| {
        format!("{HEAD}[[measurement]]\nname = \"m\"\nworkload = \"{words}\"\nwaf = 2\n")
    };
    let cases: &[(String, &[&str])] = &[
        ("name = 1".into(), &["drive.toml, line 1: name = 1"]),
        (" \n".into(), &["drive.toml: is empty", "--template"]),
        // planted bug: 960 gigabytes as bytes, and a measurement blamed for it
        (
            HEAD.replace("\"8GiB\"", "960"),
            &["line 3: capacity = 960: capacity: must be at least 100000000 bytes; is the unit missing"],
        ),
        (
            words("randwrite --unit 4K"),
            &["must be uniform, zipf, fio-zipf", "fio's randwrite is pass"],
        ),
        // planted bug: flash that is fitted to a measurement of a few bytes, and called sure
        (
            uniform("host = 3840\nmedia = 12200"),
            &["measurement \"u\": the host wrote 3.84 kB, less than a thousandth of the 8.59 GB used; check the unit of host"],
        ),
        (
            "name = \"d\"\n[sheet]\nflash = \"1TiB\"".into(),
            &["capacity: is missing"],
        ),
        (
            format!("like = \"emmc\"\n{HEAD}"),
            &[
                "line 1: like = \"emmc\": must be a preset of a drive of today: sata-tlc, nvme-tlc or nvme-qlc-16k",
            ],
        ),
        (
            "{\"smart_status\": {}}".into(),
            &[
                "drive.toml: is a log of counters in JSON",
                "--template",
                "ssdlab life",
            ],
        ),
        // one snapshot of a drive for desktops, and one of a drive that tells its writes to flash
        (
            "{\"device\": {\"protocol\": \"NVMe\"}, \"nvme_smart_health_information_log\": {\"data_units_written\": 24000000}}".into(),
            &[
                "drive.toml: is a log of counters in JSON",
                "the host has written 12.3 TB",
                "does not tell what it wrote to flash, so nothing can be fitted",
                "ssdlab life ",
            ],
        ),
        (
            format!("cleaning = [\"gredy\"]\n{HEAD}"),
            &["line 1", "gredy", "greedy"],
        ),
        (
            format!("cleaning = []\n{HEAD}"),
            &["line 1: cleaning = []: must name a policy"],
        ),
        (
            sheet("flsh = 1"),
            &["line 4: flsh = 1: no such figure; must be source, capacity, flash"],
        ),
        (
            sheet("rated_tbw = \"many\""),
            &["line 4: rated_tbw = \"many\": rated_tbw: must be a number from"],
        ),
        (
            sheet("dies = 1.5"),
            &["dies: must be a whole number from 1 to 65535"],
        ),
        (sheet("flash = \"1Tb\""), &["flash: must be bytes, such as"]),
        (
            sheet("flash = \"1TiB\"\nspare = 0.1"),
            &["line 5: spare = 0.1: spare: has no place beside flash"],
        ),
        (
            sheet("spare = { value = 0.1, page = 3 }"),
            &["has \"page\"; must be a value, or a table of value and source"],
        ),
        (
            sheet("power_loss_protection = 1"),
            &["must be true or false"],
        ),
        (
            sheet("mapping_unit = 1000"),
            &["mapping_unit: must be whole sectors of 512 bytes, up to 1MiB"],
        ),
        (
            sheet("erase_unit = \"100MB\""),
            &[
                "drive.toml: erase_unit: must be 1 to 65536 times the mapping unit on each of 1 dies",
            ],
        ),
        (
            sheet("erase_unit = \"1GiB\"\ndies = 8"),
            &["drive.toml: capacity: has only 7 lines of 1049088KiB"],
        ),
        (
            sheet("dies = 3\nchannels = 2"),
            &["dies: must be a multiple of the 2 channels"],
        ),
        (uniform("fitt = true\nwaf = 2"), &["unknown field `fitt`"]),
        (
            uniform(""),
            &["line 5: name = \"u\": needs one of: before and after"],
        ),
        (uniform("waf = 2\nhost = 1\nmedia = 2"), &["needs one of"]),
        (uniform("host = \"1GB\""), &["needs one of"]),
        (
            uniform("trace = \"t.csv\"\nwaf = 2"),
            &["needs one of: workload, trace"],
        ),
        (
            uniform("waf = 0.5"),
            &["line 7: waf = 0.5: write amplification must be from 1 to 1000"],
        ),
        (
            uniform("waf = 2\nwritten_before = 1\nwritten = 0"),
            &["written = 0: must be how many times the used space was written in between"],
        ),
        (
            uniform("host = \"10GB\"\nmedia = \"20GB\"\nwritten = 1"),
            &["has a place only beside waf"],
        ),
        (
            uniform("waf = 2\nwritten = 1"),
            &["written = 1: has a place only beside a number for written_before"],
        ),
        (
            words("sequential\"\nfit = true\nsource = \"x"),
            &["fit = true: has no place here: writes in order"],
        ),
        (
            words("uniform").replace("waf = 2", "before = \"a\"\nwaf = 2"),
            &["line 5: name = \"m\": needs one of: before and after"],
        ),
        (
            uniform("waf = 2\nresolution = 1"),
            &["resolution = 1: has a place only beside counters"],
        ),
        (
            uniform("waf = 2\nwritten_before = \"long\""),
            &["must be \"steady\", or how many times"],
        ),
        (
            uniform("waf = 2\nused = 1.5"),
            &["used = 1.5: must be bytes, or a share such as 0.5, up to the capacity, 8589934592"],
        ),
        (
            uniform("waf = 2\nused = \"100MiB\""),
            &["used = \"100MiB\": the used space must have at least 262144 times 4096 bytes"],
        ),
        (
            words("pass").replace("waf = 2", "waf_of_pass = [1.0, 2.0]\nwritten_before = 1"),
            &["written_before = 1: has no place beside waf_of_pass"],
        ),
        (
            words("pass").replace("waf = 2", "waf_of_pass = [1.0, 0.2]"),
            &["waf_of_pass = [1.0, 0.2]: write amplification must be from 1 to 1000"],
        ),
        (
            uniform("waf_of_pass = [1, 2]"),
            &["needs a workload of passes"],
        ),
        (
            uniform("waf = 1.001"),
            &["measurement \"u\": cleaning copied nothing that tells of spare flash"],
        ),
        (
            uniform("used = 0.5\nwaf = 9"),
            &[
                "measurement \"u\": the flash would be",
                "less than the capacity",
                "was the rest of the drive unmapped",
            ],
        ),
        (
            uniform("waf = 900"),
            &["measurement \"u\": no spare flash from 0.02 to 50 of the used space"],
        ),
        (
            uniform("waf = 2\n[[measurement]]\nname = \"u\"\nworkload = \"uniform\"\nwaf = 2"),
            &["line 9: name = \"u\": appears twice"],
        ),
        (
            words("unifrm"),
            &["line 6: workload = \"unifrm\"", "unifrm"],
        ),
        (words("zipf --theta 11"), &["must be a number from 0 to 10"]),
        (
            words("uniform --capacity 1GiB"),
            &["--capacity has no place here: the space is that of `used`"],
        ),
        (words("uniform --reads=0.5"), &["--reads has no place here"]),
        (
            words("postmark"),
            &["must be uniform, zipf, fio-zipf, locality, zones without zipf, sequential or pass"],
        ),
        (
            words("uniform --unit 100"),
            &["--unit: must be whole sectors of 512 bytes"],
        ),
        (
            words("pass --unit 128K"),
            &["must have at least 262144 times 131072 bytes, 34359738368"],
        ),
    ];
    for (text, fragments) in cases {
        let error = of(text, &[]).expect_err(text);
        assert!(!error.contains('\n'), "{error}");
        for fragment in *fragments {
            assert!(error.contains(fragment), "{error}\n{fragment}");
        }
    }
}

// planted bug: a trace past the used space that wraps around
#[test]
fn a_wrong_trace_is_refused() {
    let drive = format!("{HEAD}[[measurement]]\nname = \"m\"\ntrace = \"t.csv\"\nwaf = 2\n");
    let trace = |line: &str| format!("time_ns,op,offset_bytes,size_bytes\n{line}\n");
    let cases = [
        (
            "0,W,8589934592,4096",
            "t.csv: a request ends at byte 8589938688, and the used space has 8589934592",
        ),
        (
            "0,W,0,4096",
            "t.csv: writes 4.10 kB, less than a hundredth of the used space",
        ),
        ("0,X,0,4096", "t.csv, line 2"),
    ];
    for (line, fragment) in cases {
        let error = of(&drive, &[("t.csv", &trace(line))]).expect_err(line);
        assert!(error.contains(fragment), "{error}\n{fragment}");
    }
    assert!(of(&drive, &[]).is_err());
}
