//! The examples at the end of `--help`; each works as it is printed.

pub const RUN: &str = "\
Examples:
  ssdlab run traces/w9-ext3-postmark.csv.zst
        on the default device, one of 2008
  ssdlab run --preset bagc-2012 --set buffer.policy=lru --set buffer.size=8M traces/w9-ext3-postmark.csv.zst
        on the device of a paper with another write buffer
  ssdlab run --config my-ssd.toml --json trace.csv
        every counter of your own device, for programs
  ssdlab run --set flash.capacity=128GB --loops 3 trace.csv
        three replays on one device; reports the last
  ssdlab run --events events.jsonl trace.csv
        every request, eviction, merge and erase, one on each line
  ssdlab run --set timing.model=parallel --trace-events run.json --from 1s --to 1.2s trace.csv
        what chips and channels do in a fifth of a second, for ui.perfetto.dev";

pub const COMPARE: &str = "\
Examples:
  ssdlab compare traces/w9-ext3-postmark.csv.zst
        write buffers on a drive of today, as small as the trace; writes w9-ext3-postmark.compare.html
  ssdlab compare --preset bplru-2008 --all traces/w9-ext3-postmark.csv.zst
        every write buffer on the device of a paper
  ssdlab compare --buffer lru,fab,bplru --size 4M,16M --csv figures.csv trace.csv
        three policies at two sizes; writes all counters to a file too
  ssdlab compare --ftl bast,fast,page --buffer lru trace.csv
        FTLs under one buffer
  ssdlab compare --ftl bast,page --buffer lru --ram-total 4M,8M trace.csv
        FTLs at equal RAM: a smaller map leaves a larger buffer
  ssdlab compare --buffer lru --vary ftl.log_blocks=7,14,28 trace.csv
        a key of the configuration";

pub const RECOMMEND: &str = "\
Examples:
  ssdlab recommend traces/w9-ext3-postmark.csv.zst --ram 8MiB --preset bplru-2008
        the write buffer of this device with at most 8 MiB of RAM
  ssdlab recommend traces/w9-*.csv.zst --ram 4MiB --ftl bast,fast,page --by throughput
        FTL, write buffer and cleaning policy for several traces";

pub const SWEEP: &str = "\
Examples:
  ssdlab sweep run examples/sweep.toml
        all runs of a plan, on all cores; writes a part for each shard, into sweep.parts
  ssdlab sweep status examples/sweep.toml
        what is done and what is left";

pub const SWEEP_PLAN: &str = "\
Examples:
  ssdlab sweep plan examples/sweep.toml
        runs, shards, core hours and memory, and every error of a configuration";

pub const SWEEP_RUN: &str = "\
Examples:
  ssdlab sweep run examples/sweep.toml
        on all cores; a second call goes on with what is missing
  ssdlab sweep run examples/sweep.toml --out results --jobs 1 --memory 2GiB
        one run at a time, parts in the folder results";

pub const SWEEP_WORK: &str = "\
Examples:
  ssdlab sweep work examples/sweep.toml --out results --shard 3/8
        the third of eight workers, which share the folder results";

pub const SWEEP_STATUS: &str = "\
Examples:
  ssdlab sweep status examples/sweep.toml
  ssdlab sweep status examples/sweep.toml --json";

pub const SWEEP_VERIFY: &str = "\
Examples:
  ssdlab sweep verify examples/sweep.toml
        three parts, drawn by their names, are made again; other bytes are an error
  ssdlab sweep verify examples/sweep.toml --out results --parts 20 --seed 7
        twenty others";

pub const SWEEP_MERGE: &str = "\
Examples:
  ssdlab sweep merge examples/sweep.toml -o sweep.parquet
        one table of all parts
  ssdlab sweep merge examples/sweep.toml -o - --partial
        what is there, as CSV on standard output
  ssdlab sweep merge examples/sweep.toml -o again.parquet --expect sweep.parquet
        fails if a run has other results";

pub const SWEEP_SLURM: &str = "\
Examples:
  ssdlab sweep slurm examples/sweep.toml --out results -o sweep.sh
        a script that submits the sweep as arrays of tasks; sh sweep.sh submits it";
pub const EVENTS: &str = "\
Examples:
  ssdlab events step traces/w9-ext3-postmark.csv.zst";

pub const EVENTS_STEP: &str = "\
Examples:
  ssdlab events step traces/w9-ext3-postmark.csv.zst
        keys: n next, p back, g goes to a number, q quits; in a pipe, the first 1000 steps as text
  ssdlab events step --preset bplru-2008 --set buffer.size=256K --from 900 --to 920 --plain traces/w9-ext3-postmark.csv.zst
        twenty-one requests on the device of a paper, as text";

pub const REPORT: &str = "\
Examples:
  ssdlab report sweep.parts
        a page of all results: results.html
  ssdlab report sweep.parts --plot waf --x buffer.size --curves buffer.policy -o waf.pdf
        one picture, for a paper; or .svg, .pgf, .csv
  ssdlab report sweep.parts --plot device_ram,waf --kind pareto -o front.svg
        the configurations that no other one dominates
  ssdlab report sweep.parts --table waf --rows buffer.policy --columns trace --where buffer.size=4MiB -o waf.tex
        a table, the best of each column in bold";

pub const CITE: &str = "\
Examples:
  ssdlab cite sweep.parts
        BibTeX of ssdlab, of the policies and devices that a sweep used, and of the sets of its traces
  ssdlab cite w9-ext3-postmark.compare.csv -o references.bib
        the same for a comparison, in a file";

pub const ARTIFACT: &str = "\
Examples:
  ssdlab artifact examples/sweep.toml --out artifact
        plan, traces, results, report, citations, and run.sh, which runs it again and compares
  ssdlab artifact examples/sweep.toml --results results --out artifact --without-traces
        from the parts in the folder results; traces by hash and size";

pub const REPRODUCE: &str = "\
Examples:
  ssdlab reproduce bplru-2008
        repeats the runs of a paper and writes bplru-2008/README.md
  ssdlab reproduce all --check
        fails if a page is not current";

pub const THEORY: &str = "\
Examples:
  ssdlab theory --spare 0.1
        write amplification with 10 % of the pages spare
  ssdlab theory --over-provisioning 0.07,0.28 --block 64,256 --hot 80/20
        two drives, two block sizes, 80 % of the writes to 20 % of the data
  ssdlab theory --spare 0.07 --pools 80/20,20/80
        the same data apart on flash, with the spare in proportion to the data, and with the best split
  ssdlab theory --spare 0.07 --pools 30/4,70/96/seq
        a cache whose log, 70 % of the writes, has blocks of its own";

pub const CLIFF: &str = "\
Examples:
  ssdlab cliff --preset consumer-tlc-1tb
        how many bytes the drive takes at full speed, and what comes behind them
  ssdlab cliff --preset consumer-tlc-1tb --filled 0.8 --after 30s --picture cliff.svg
        the same drive 80 % full, and what half a minute of idle time gives back";

pub const CALIBRATE: &str = "\
Examples:
  ssdlab calibrate --template > drive.toml
        a file to fill in: the figures of the sheet, and what was measured
  ssdlab calibrate drive.toml --output my-ssd.toml
        fits the spare flash, compares measurements with predictions, and writes the configuration";

pub const LIFE: &str = "\
Examples:
  ssdlab life smart.json
        what the log of `sudo smartctl -x --json /dev/nvme0` says; - reads it from a pipe, text as well as JSON
  ssdlab life week-1.json week-2.json
        two readings: what is written a day, and how many years that is
  ssdlab life --drive 'MX500 1TB' --rate 20GB/day
        without the machine
  ssdlab life --here --drive '990 PRO 2TB'
        without root: what Linux wrote since it started";

pub const LIST: &str = "\
Examples:
  ssdlab list";

pub const CONFIG: &str = "\
Examples:
  ssdlab config show --preset bplru-2008";

pub const CONFIG_SHOW: &str = "\
Examples:
  ssdlab config show
        every key with its default, range and meaning
  ssdlab config show --preset bplru-2008 --set flash.capacity=32GB
        the device of a paper, larger: save it as my-ssd.toml";

pub const TRACE: &str = "\
Examples:
  ssdlab trace info traces/w9-ext3-postmark.csv.zst
  ssdlab trace generate zipf --requests 100k -o zipf.csv.zst";

pub const TRACE_INFO: &str = "\
Examples:
  ssdlab trace info traces/w9-ext3-postmark.csv.zst
  ssdlab trace info --page-size 16K --limit 1M usr_0.csv.gz
        the first million requests, in pages of 16 KiB
  ssdlab trace info --html ext3.html traces/w9-ext3-postmark.csv.zst
        also a page with pictures of all figures
  ssdlab trace info --plot ext3.svg traces/w9-ext3-postmark.csv.zst
        also a picture of the addresses over time";

pub const TRACE_GENERATE: &str = "\
Examples:
  ssdlab trace generate uniform --capacity 1G --requests 1M -o uniform.csv.zst
        a million writes of 4 KiB, anywhere in 1 GiB
  ssdlab trace generate locality --locality 20/80 --reads 0.3 -o hot.csv
        80 % of the requests go to 20 % of the data; 30 % of them are reads
  ssdlab trace generate zones --zones 's0.9 f0.1 seq s0.1 f0.9 zipf0.9' --capacity 64M --prefill -o zones.csv
        writes the space once; then 90 % of the requests go to the last tenth, most of them to few units there
  ssdlab trace generate streams --stream share=0.6,range=0..0.9,kind=sequential --stream share=0.4,range=0.9..1 -o two.csv
        two streams: one in order over the first 90 % of the space, one at random in the rest
  ssdlab trace generate uniform --sizes 4KiB:0.7,64KiB:0.3 --bursts 64/10ms --interval-us 5 -o bursts.csv
        64 requests 5 us apart, then none for 10 ms, and so on
  ssdlab trace generate lfs --requests 400k -o lfs.csv.zst
        writes along the log of a file system, reads of files and of its cleaner";

pub const TRACE_MERGE: &str = "\
Examples:
  ssdlab trace merge browser.csv postmark.csv --stretch 600 -o desktop.csv.zst
        both within ten minutes, each on its own part of the device
  ssdlab trace merge a.csv b.csv --offset-each 1GiB -o both.csv
        at their own times, b.csv 1 GiB behind a.csv";

pub const TRACE_CATALOGUE: &str = "\
Examples:
  ssdlab trace catalogue
        a line for each set
  ssdlab trace catalogue msr-cambridge
        size, licence, citation, volumes and traps of one";

pub const TRACE_FETCH: &str = "\
Examples:
  ssdlab trace fetch umass-spc --volume WebSearch1
        writes WebSearch1.spc.bz2; after Ctrl-C, the same command goes on
  ssdlab trace fetch msr-cambridge --volume hm_0 --accept-licence
        42 MB out of an archive of 3.3 GB
  ssdlab trace fetch alibaba --limit 300MB -o january.csv.zst
        the beginning of a file of 150 GB; read it with --limit 1M
  ssdlab trace fetch https://example.org/my.csv.gz
        any address";

pub const TRACE_RECORD: &str = "\
Examples:
  ssdlab trace record /dev/nvme0n1 --seconds 60 -o minute.blktrace.zst
        one minute
  ssdlab trace record /dev/nvme0n1 --action D -o dispatched.blktrace
        only what reaches the device, until Ctrl-C";

pub const TRACE_CONVERT: &str = "\
Examples:
  ssdlab trace convert traces/w9-ext3-postmark.csv.zst -o postmark.parquet
        to Parquet, for Python, DuckDB and others
  ssdlab trace convert traces/w9-ext3-postmark.csv.zst -o postmark.fio
        for `fio --read_iolog`
  ssdlab trace convert usr.csv.gz --only R,W --from 1h --until 2h --scale-to 64GiB -o hour.csv.zst
        an hour of reads and writes, packed so that it fits a device of 64 GiB
  ssdlab trace convert usr.csv.gz --split-by-volume volumes
        each volume to a Parquet file in the folder volumes";

pub const TRACE_SAMPLE: &str = "\
Examples:
  ssdlab trace sample traces/w9-ext3-postmark.csv.zst --rate 1/4 -o sample.csv.zst
        a quarter of the addresses with all that happens there
  ssdlab trace sample big.csv.zst --rate 1/64 --capacity 1TiB --buffer 256MiB -o small.csv.zst
        also tells the device that goes with it";

pub const DRIVE: &str = "\
Examples:
  ssdlab drive create --set flash.capacity=64M drive.img
  ssdlab drive info drive.img";

pub const DRIVE_CREATE: &str = "\
Examples:
  ssdlab drive create drive.img
        the default device, 1 GiB, in a sparse file
  ssdlab drive create --preset bplru-2008 --set flash.capacity=64M bplru.img
        the device of a paper, smaller";

pub const DRIVE_INFO: &str = "\
Examples:
  ssdlab drive info drive.img
        configuration, how it was left, pages and erases
  ssdlab drive info --json drive.img
        the same for programs, with every key";

pub const DRIVE_CHECK: &str = "\
Examples:
  ssdlab drive check drive.img
        exit code 0 if nothing is wrong";

pub const DRIVE_DUMP: &str = "\
Examples:
  ssdlab drive dump drive.img
        one line for each erase block
  ssdlab drive dump --json --blocks 0-15 drive.img
        every page of the first 16 erase blocks";

pub const LFSS: &str = "\
Examples:
  ssdlab lfss write --data block.bin lfss.img 7
        creates data block 7; `ssdlab drive create --preset deb --set precondition=empty lfss.img` makes the image
  ssdlab lfss read lfss.img 7 > copy.bin
        the same bytes again";

pub const LFSS_READ: &str = "\
Examples:
  ssdlab lfss read lfss.img 7 > block.bin
        data block 7, byte by byte";

pub const LFSS_WRITE: &str = "\
Examples:
  ssdlab lfss write --data block.bin lfss.img 7
        creates data block 7 from a file of its size
  head -c 4096 /dev/urandom | ssdlab lfss write lfss.img 8
        from standard input";

pub const LFSS_UPDATE: &str = "\
Examples:
  ssdlab lfss update --data block.bin lfss.img 7
        replaces data block 7";

pub const LFSS_ERASE: &str = "\
Examples:
  ssdlab lfss erase lfss.img 7
        data block 7 can be written again";

pub const LFSS_INFO: &str = "\
Examples:
  ssdlab lfss info lfss.img
        size and number of data blocks, and the erases so far
  ssdlab lfss info --json lfss.img 7
        also where data block 7 is";

pub const SERVE: &str = "\
Examples:
  ssdlab serve drive.img
        at nbd://127.0.0.1:10809, until Ctrl-C
  ssdlab serve drive.img --socket drive.sock
        only for programs of this machine that may open the socket
  ssdlab serve drive.img --run 'nbdinfo $uri'
        only while a command runs, which finds it by $uri";

pub const REPLAY: &str = "\
Examples:
  ssdlab replay trace.csv drive.img --verify
        against the image of a virtual SSD, with a check of all data
  ssdlab replay trace.csv nbd://127.0.0.1:10809 --queue-depth 32
        against a server, with up to 32 requests outstanding
  ssdlab replay trace.csv /dev/nvme1n1 --timed --destroy
        against a real SSD, at the times of the trace: its data are lost";

pub const TOP: &str = "\
Examples:
  ssdlab top
        the drive of `ssdlab serve drive.img --status 127.0.0.1:8080`; q ends it
  ssdlab top 127.0.0.1:9000 --once
        one picture as text, of the next second";

pub const COMPLETIONS: &str = "\
Examples:
  ssdlab completions bash > ~/.local/share/bash-completion/completions/ssdlab
  ssdlab completions zsh > ~/.zfunc/_ssdlab
  ssdlab completions fish > ~/.config/fish/completions/ssdlab.fish";

pub const MAN: &str = "\
Examples:
  ssdlab man ~/.local/share/man/man1
        then: man ssdlab-compare
  ssdlab man
        prints only the main page, as roff";
