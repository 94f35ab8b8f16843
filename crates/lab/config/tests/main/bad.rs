//! Configurations that must be refused, and their messages.
//!
//! Planted bugs that these tests catch: an off-by-one in a range; NaN that passes a comparison; lines counted from 0;
//! an unknown key that is skipped; a planned name treated as unknown; a quoted key with a dot treated as a key of a
//! section.

use ssdlab_config::{ConfigError, Resolver};

/// Each input, and below it the message, a single line.
fn listed<'a>(
    inputs: impl IntoIterator<Item = &'a str>,
    error: impl Fn(&str) -> Option<ConfigError>,
) -> String {
    let one = |input: &str| {
        let start: String = input.chars().take(100).collect();
        let error = error(input).unwrap_or_else(|| panic!("accepted: {input}"));
        let message = error.to_string();
        assert!(!message.contains(char::is_control), "{message:?}");
        format!("{start:?}\n    {message}\n")
    };
    inputs.into_iter().map(one).collect()
}

fn file_error(bytes: &[u8]) -> Option<ConfigError> {
    let mut resolver = Resolver::new();
    let resolver = resolver.file("device.toml", bytes);
    resolver.and_then(|resolver| resolver.resolve()).err()
}

const FILES: &[&str] = &[
    // text, tables and keys
    "[flash",
    "\n\nx = ",
    "drain = true\ndrain = false",
    "[flash]\npage_size = 99999999999999999999",
    r#""flash.page_size" = 4096"#,
    r#"["flash.page_size"]"#,
    r#""" = 1"#,
    "[buffer]\n\"\" = 1",
    "[ftl.buffer]",
    "[flsh]",
    "[network]",
    "[flash.geometry]",
    "[flash]\npagesize = 2048",
    "[flash]\nxyzzy = 1",
    "page_size = 2048",
    "zzzzzz = 1",
    "[buffer]\nwindw = 0.5",
    "buffer.sise = 1",
    r#"buffer = { polcy = "lru" }"#,
    "flash = 3",
    "[flash]\nxyz = 1",
    "[buffer]\npage_size = 2048",
    "[read_buffer]\nsized = 1",
    "[[flash]]",
    "[ftl.kind]",
    r#"{"drain": true}"#,
    "time_ns,op,offset_bytes,size_bytes\n0,W,0,512",
    "flash:\n  page_size: 512",
    "\x7FELF\x02\x01\x01\0\0\0",
    "drain = true\n\u{FEFF}[flash]",
    "# a\rdrain = true\r[flash]\r",
    "drain = true\n<<<<<<< HEAD\nqueue_depth = 2\n=======\n",
    "[buffer]\npolicy = \"lr",
    "[ftl]\nlog_blocks 2",
    "[ftl]\nlog_blocks =",
    "[timing]\nread_us = 25,5",
    "[buffer]\npolicy = lru",
    "[buffer]\nsize = 4KiB",
    "flash.page_size = 512\nflash.page_size = 1024",
    "flash.page_size = 512\n[flash]",
    "[flash]\n[flash]",
    "[Buffer]",
    "[ftl]\nknd = \"bast\"",
    "[ftl]\nlogblocks = 2",
    "[ftl]\nspare_blogks = 1",
    "wear_levelling = true",
    "[buffer]\nCpolicy = \"lru\"",
    "[buffer]\npolicy.name = \"lru\"",
    // types
    "drain = 1",
    "[ftl]\nlog_blocks = 7.0",
    "[ftl]\n# lines count\nlog_blocks = \"7\"",
    "[timing]\nread_us = \"fast\"",
    "[timing]\nread_us = 2020-01-01",
    "[buffer]\nsize = 1.5",
    "[buffer]\nsize = \"16Mb\"",
    "[buffer]\nsize = \"16X\"",
    "[buffer]\nsize = \"-1KiB\"",
    "[buffer]\nsize = \"KiB\"",
    "[buffer]\nsize = \"auto\"",
    "[buffer]\nsize = \"1.5B\"",
    "[buffer]\npolicy = 3",
    "[ftl]\nstable_s = 100",
    "[ftl]\nstable_s = [1, \"b\"]",
    "[flash]\ncapacity = \"all\"",
    "[ftl]\nlog_blocks = [2]",
    r#"preset = ["bplru-2008"]"#,
    "[buffer]\nsize = \"\"",
    "[buffer]\nsize = \"4PiB\"",
    "[buffer]\nsize = \"1.0001KiB\"",
    // ranges
    "[flash]\npage_size = 0",
    "[flash]\npage_size = 513",
    "[flash]\npage_size = \"4KB\"",
    "[flash]\ncapacity = 1000000000",
    "[flash]\ncapacity = \"100KB\"",
    "[flash]\npage_size = 1049088",
    "[flash]\npage_size = -2048",
    "[flash]\npages_per_block = 0",
    "[flash]\npages_per_block = 65537",
    "[flash]\nplanes = 0",
    "[flash]\nchannels = 0",
    "[flash]\ncapacity = 0",
    "[flash]\ncapacity = \"99999999999999999999999TiB\"",
    "[ftl]\nlog_blocks = 0",
    "[ftl]\nspare_blocks = -1",
    "[ftl]\nover_provisioning = -0.1",
    "[ftl]\nregions = 256",
    "[ftl]\nstable_s = [2, 1]",
    "[timing]\nerase_us = -1",
    "[timing]\nerase_us = nan",
    "[timing]\nerase_us = inf",
    "[timing]\nerase_us = 1000000.1",
    "[buffer]\nflush_age_s = -0.5",
    "[buffer]\nflush_age_s = nan",
    "[buffer]\nwindow = 1.01",
    "[buffer]\nhot = -0.01",
    "queue_depth = 0",
    "[ftl]\nlog_blocks = 65536",
    // names
    r#"preset = "bplru-2009""#,
    "[ftl]\nkind = \"basst\"",
    "[buffer]\npolicy = \"LRU\"",
    "[buffer]\npolicy = \"\"",
    "[buffer]\nreads = \"cached\"",
    r#"precondition = "aged""#,
    r#"precondition = "random""#,
    r#"precondition = "random:0""#,
    r#"precondition = "empty,random:2""#,
    r#"precondition = "1.5""#,
    "precondition = 0",
    "precondition = true",
    r#"partial_writes = "rwm""#,
    "[ftl]\nkind = \"bastz\"",
    "[buffer]\npolicy = \"lur\"",
    // keys together
    "[flash]\nchannels = 40\nchips_per_channel = 41",
    "[flash]\nchannels = 3\ninterleave = \"page\"",
    "[flash]\ncapacity = \"1MiB\"\nchannels = 2\nchips_per_channel = 4\ninterleave = \"page\"",
    "[flash]\nchannels = 4\n[read_buffer]\npolicy = \"lru\"\nsize = \"7KiB\"",
    "[ftl]\nkind = \"ideal\"\nbuffer_aware = \"merge\"",
    "[ftl]\nspare_blocks = 0",
    "[ftl]\nover_provisioning = 0",
    "[ftl]\nspare_blocks = 2\nover_provisioning = 0.1",
    "[ftl]\nkind = \"page\"\nplacement = \"deb\"",
    "[ftl]\nkind = \"page\"\nplacement = \"dac+\"\n[buffer]\npolicy = \"lru\"",
    "[ftl]\nkind = \"page\"\nplacement = \"dac\"\nstable_s = [1, 2, 3]",
    "[ftl]\nkind = \"page\"\nplacement = \"dac\"\nregions = 1",
    "[ftl]\nkind = \"page\"\nplacement = \"deb\"\nregions = 5\n[buffer]\npolicy = \"none\"",
    "[ftl]\nkind = \"page\"\nplacement = \"dac+\"\nregions = 1\nstable_s = [1]\n[buffer]\npolicy = \"none\"",
    "[ftl]\nkind = \"page\"\nplacement = \"dac+\"\nram = 2047\n[buffer]\npolicy = \"none\"",
    "[ftl]\nkind = \"page\"\nplacement = \"deb\"\nram_threshold = 2047\n[buffer]\npolicy = \"none\"",
    "[ftl]\nkind = \"page\"\nplacement = \"deb\"\nram = \"1MiB\"\nram_threshold = \"2MiB\"\n[buffer]\npolicy = \"none\"",
    "[ftl]\nkind = \"page\"\nplacement = \"dac\"\nspare_blocks = 9",
    "[ftl]\nkind = \"page\"\nregions = 3",
    "[ftl]\nkind = \"page\"\nplacement = \"fdp\"\nheads = 3",
    "[ftl]\nkind = \"page\"\nplacement = \"sepbit\"\nhandles = 3",
    "[ftl]\nkind = \"page\"\nplacement = \"dac-updates\"\nhandle_types = \"pi\"",
    "[ftl]\nkind = \"page\"\nplacement = \"dac-updates\"\nregions = 1",
    "[ftl]\nkind = \"page\"\nplacement = \"future\"\nregions = 65\n[buffer]\npolicy = \"none\"",
    "[ftl]\nkind = \"page\"\nplacement = \"future\"",
    "[ftl]\nkind = \"page\"\nplacement = \"future\"\n[buffer]\npolicy = \"none\"\n[flash]\nchannels = 2\ninterleave = \"page\"",
    "[ftl]\nkind = \"page\"\nplacement = \"fdp\"\nhandles = 129",
    "[ftl]\nkind = \"page\"\nplacement = \"fdp\"\nhandles = 3\nhandle_types = [\"ii\", \"pi\"]",
    "[ftl]\nkind = \"page\"\nplacement = \"fdp\"\nhandle_types = \"ip\"",
    "[ftl]\nkind = \"page\"\nplacement = \"fdp\"\nhandle_types = [1, 2]",
    "[ftl]\nkind = \"page\"\nplacement = \"fdp\"\nhandles = 3\nspare_blocks = 9",
    "[ftl]\nkind = \"page\"\nplacement = \"fdp\"\nbuffer_aware = \"merge\"",
    "[ftl]\nkind = \"page\"\nplacement = \"2a\"\ncleaning = \"fifo\"",
    "[ftl]\nkind = \"page\"\nplacement = \"tt\"\nheads = 33",
    "[ftl]\nkind = \"page\"\ngc_frontier = \"in-place\"\ngc_low = 1",
    "[ftl]\nkind = \"page\"\ngc_frontier = \"in-place\"\ncleaning = \"cat\"",
    "[ftl]\nkind = \"page\"\ngc_frontier = \"in-place\"\npace = \"paced\"",
    "[ftl]\nkind = \"page\"\ngc_frontier = \"in-place\"\neager = 0.1",
    "[ftl]\nkind = \"page\"\ngc_frontier = \"in-place\"\nspare_blocks = 0",
    "[ftl]\nkind = \"page\"\ngc_low = 0",
    "[ftl]\nkind = \"page\"\ncopy_stripes = 3",
    "[ftl]\nkind = \"page\"\neager = 1",
    "[ftl]\nkind = \"page\"\neager = 0.1\neager_free = 3",
    "[ftl]\nkind = \"page\"\neager = 0.1\neager_free = 4\npace = \"paced\"",
    "[ftl]\nkind = \"page\"\nunit_blocks = 4097",
    "[ftl]\nkind = \"page\"\nunit_blocks = 3",
    "[flash]\ncapacity = 262145",
    "[flash]\ncapacity = 262656",
    "[flash]\ncapacity = 2048",
    "[flash]\npages_per_block = 100",
    "[flash]\ncapacity = \"2TiB\"\npage_size = 512",
    "[ftl]\nspare_blocks = 4294967294",
    "[buffer]\nsize = 0",
    "[buffer]\nsize = 2047",
    "[buffer]\nsize = 4095\ncount_headers = true",
    "[flash]\npage_size = 1536",
    "preset = \"bplru-2008\"\n[flash]\ncapacity = 100000000\npage_size = 1536",
];

#[test]
fn messages_on_files() {
    let deep = format!("drain = {}", "[".repeat(2000));
    let files = FILES.iter().copied().chain([&*deep]);
    insta::assert_snapshot!(listed(files, |text| file_error(text.as_bytes())));
}

#[test]
fn not_utf8() {
    for (bytes, line) in [
        (&b"drain = true\n# 25 \xB5s"[..], 2),
        (b"\xFF\xFEd\0\n\0", 1),
    ] {
        let expected = format!("device.toml:{line}: not a text file in UTF-8; save it as UTF-8");
        assert_eq!(file_error(bytes).unwrap().to_string(), expected);
    }
}

/// Settings of one command, with blanks between them.
const SETS: &[&str] = &[
    "drain",
    "=3",
    "",
    "=lru",
    "buffer.policy",
    "bufer.sise=1",
    "bufer.policy=lru",
    "buffer.polcy=lru",
    "policy=lru",
    "page_size=512",
    "xyzzy=1",
    "buffer=lru",
    "flash=1",
    "drain=yes",
    "buffer.policy=",
    "buffer.policy=nosuch",
    "buffer.policy=bplur",
    "ftl.kind=basst",
    "preset=bplru-2009",
    "flash.page_size=0",
    "flash.page_size=513",
    "flash.page_size=2MiB",
    "flash.page_size=-512",
    "flash.pages_per_block=0",
    "flash.pages_per_block=65537",
    "flash.capacity=0",
    "flash.capacity=1000448",
    "flash.capacity=4000TiB",
    "flash.capacity=all",
    "ftl.log_blocks=0",
    "ftl.log_blocks=many",
    "ftl.log_blocks=18446744073709551616",
    "ftl.regions=-5",
    "ftl.spare_blocks=0",
    "ftl.spare_blocks=4294967294",
    "ftl.over_provisioning=1 flash.page_size=512 flash.capacity=1TiB",
    "ftl.over_provisioning=101",
    "ftl.reserve=100",
    "ftl.reserve=90 flash.capacity=1MiB",
    "ftl.over_provisioning=0.1 ftl.spare_blocks=3",
    "ftl.kind=ideal ftl.buffer_aware=merge+victim",
    "timing.read_us=nan",
    "timing.erase_us=-1",
    "buffer.size=16Mb",
    "buffer.size=511",
    "buffer.window=1.5",
    "drain=\u{7}\nx",
    "\u{7}=1",
    "\u{7}\n",
    "buffer=\u{7}",
];

#[test]
fn messages_on_sets() {
    let error = |sets: &str| {
        let mut resolver = Resolver::new();
        let mut all = sets.split(' ');
        let set = all.try_for_each(|set| resolver.set(set).map(drop));
        set.and_then(|()| resolver.resolve()).err()
    };
    insta::assert_snapshot!(listed(SETS.iter().copied(), error));
}

#[test]
fn messages_on_presets() {
    let names = ["nosuch", "lfs-2011", "bplru2008"];
    let error = |name: &str| Resolver::new().preset(name).resolve().err();
    insta::assert_snapshot!(listed(names, error));
}

#[test]
fn an_endless_trace_is_no_capacity() {
    let mut resolver = Resolver::new();
    let auto = resolver
        .set("flash.capacity=auto")
        .unwrap()
        .resolve()
        .unwrap();
    let error = auto.with_capacity(u64::MAX).unwrap_err().to_string();
    assert!(error.starts_with("--set flash.capacity = \"auto\", 9223372036854513664 bytes: makes"));
}
