//! The picture of a trace.
//!
//! Planted bugs that these catch: an axis upside down, or from another zero; marks of one operation in the colour of
//! another; a picture of part of the trace; a picture that grows with the trace; an error without the name of the file.

use crate::common::{Lab, trace};

/// x, y, width and height of the marks of a colour.
fn marks(svg: &str, colour: &str) -> Vec<[f64; 4]> {
    let fill = format!("fill=\"{colour}\"");
    let of_colour = |line: &&str| line.contains(&fill) && line.contains('h');
    let paths = svg.lines().filter(of_colour).filter_map(|line| {
        let (_, rest) = line.split_once("<path d=\"M")?;
        let (path, _) = rest.split_once("Z\"")?;
        Some(path.split("ZM"))
    });
    let numbers = |mark: &str| {
        let mut numbers = mark
            .split([' ', 'h', 'v'])
            .map(|text| text.parse().expect("a number"));
        [(); 4].map(|()| numbers.next().expect("four numbers"))
    };
    // the legend's marks are drawn with lines
    let drawn = paths
        .flatten()
        .filter(|mark| mark.contains('h') && !mark.contains('L'));
    drawn.map(numbers).collect()
}

const READS: &str = "#0072B2";
const WRITES: &str = "#D55E00";
const DISCARDS: &str = "#008A5E";

#[test]
fn marks_lie_where_the_requests_are() {
    let lab = Lab::new();
    let first = 7_000_000_000_u64;
    let at = |s: u64, op: &str, mib: u64, size: u64| {
        format!("{},{op},{},{size}", first + s * 1_000_000_000, mib << 20)
    };
    lab.write(
        "t.csv",
        trace(&[
            at(0, "W", 0, 4096),
            at(25, "R", 256, 4096),
            at(50, "R", 512, 4096),
            at(75, "D", 512, 256 << 20),
            at(80, "F", 0, 0),
            at(100, "W", 1023, 1 << 20),
        ]),
    );
    let printed = lab.ok("trace info t.csv --plot t.svg");
    assert_eq!(printed, lab.ok("trace info t.csv"));
    let svg = lab.read("t.svg");
    assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"));
    for text in [
        "t.csv: addresses over time",
        "Time since the first request, s",
        "Address, MiB",
        "reads",
        "writes",
        "discards",
        "0",
        "20",
        "1,000",
    ] {
        assert!(svg.contains(&format!(">{text}</text>")), "{text}: {svg}");
    }
    let writes = marks(&svg, WRITES);
    let [early, late] = &writes[..] else {
        panic!("{writes:?}: {svg}");
    };
    // the two writes span the plane: their corners are the scale
    let (width, height) = (late[0] - early[0], early[1] - late[1]);
    assert!(width > 400.0 && height > 200.0, "{writes:?}");
    let near = |mark: &[f64; 4], time: f64, address: f64| {
        let x = (mark[0] - early[0]) / width;
        let y = (early[1] + early[3] - mark[1] - mark[3]) / height;
        assert!(
            (x - time).abs() < 0.01 && (y - address).abs() < 0.01,
            "{mark:?} {x} {y}"
        );
    };
    let reads = marks(&svg, READS);
    assert_eq!(reads.len(), 2, "{reads:?}");
    near(&reads[0], 0.25, 0.25);
    near(&reads[1], 0.5, 0.5);
    assert_eq!(marks(&svg, DISCARDS).len(), 1);
}

#[test]
fn streams_have_colours_of_their_own() {
    let lab = Lab::new();
    let lines = ["0,W,0,4096,0", "1,W,4096,4096,7", "2,R,0,4096,7"];
    lab.write(
        "t.csv",
        format!(
            "time_ns,op,offset_bytes,size_bytes,stream\n{}\n",
            lines.join("\n")
        ),
    );
    lab.ok("trace info t.csv --plot t.svg");
    let svg = lab.read("t.svg");
    for kind in [
        "writes of stream 0",
        "writes of stream 7",
        "reads of stream 7",
    ] {
        assert!(svg.contains(&format!(">{kind}</text>")), "{kind}");
    }
    assert_eq!(marks(&svg, WRITES).len(), 1);
    assert_eq!(marks(&svg, READS).len(), 0);
}

#[test]
fn a_picture_of_many_requests_is_bounded() {
    let lab = Lab::new();
    let generate = "trace generate uniform --reads 0.5 --requests";
    lab.ok(&format!("{generate} 1M -o t.csv"));
    lab.ok("trace info t.csv --plot many.svg");
    lab.ok("trace info t.csv --limit 30000 --plot few.svg");
    let (many, few) = (lab.read("many.svg").len(), lab.read("few.svg").len());
    assert!(many < few && few < 10_000_000, "{many} {few}");
    // nothing to draw is no error
    lab.write("flushes.csv", trace(&["5,F,0,0"]));
    lab.ok("trace info flushes.csv --plot none.svg");
    assert!(lab.read("none.svg").contains("<svg"));
}

#[test]
fn a_picture_that_cannot_be_written_is_named() {
    let lab = Lab::new();
    lab.write("t.csv", trace(&["0,W,0,512"]));
    let ended = lab.run("trace info t.csv --plot nowhere/t.svg");
    assert_eq!((ended.code, &*ended.stdout), (Some(1), ""));
    let named = "error: nowhere/t.svg: cannot be written";
    assert!(ended.stderr.contains(named), "{}", ended.stderr);
    lab.refused("trace info t.csv --plot t.csv", &["--plot t.csv"]);
    lab.refused("trace info t.csv --plot -", &["--plot -", "must be a file"]);
    assert_eq!(lab.read("t.csv"), trace(&["0,W,0,512"]));
}
