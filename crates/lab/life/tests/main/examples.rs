//! Ten questions that people asked, with the whole answers.

use ssdlab_counters::host::{Disk, Look};
use ssdlab_counters::{Kind, Log, readings};
use ssdlab_life::{Here, Question, answer, parse_rate};

fn said(question: &Question) -> String {
    answer(question)
        .unwrap_or_else(|error| panic!("{error}"))
        .to_string()
}

fn of(drive: &str) -> Question {
    Question {
        drive: Some(drive.into()),
        ..Question::default()
    }
}

fn rate(text: &str) -> Option<f64> {
    Some(parse_rate(text).expect("a rate"))
}

fn of_log(text: &str) -> Question {
    let logs = Log::parse("log", text.as_bytes()).expect("a log");
    Question {
        readings: readings(logs).expect("a reading"),
        ..Question::default()
    }
}

macro_rules! example {
    ($name:ident, $question:expr) => {
        #[test]
        fn $name() {
            insta::assert_snapshot!(said(&$question));
        }
    };
}

// what is left, 19 or 81 %?
example!(
    smartmontools_296,
    Question {
        rate: rate("20GB/day"),
        ..of_log(
            "\
Device Model:     CT1000MX500SSD1
Firmware Version: M3CR023
User Capacity:    1,000,204,886,016 bytes [1.00 TB]
173 Ave_Block-Erase_Count   0x0032   081   081   000    Old_age   Always       -       291
202 Percent_Lifetime_Remain 0x0030   081   081   001    Old_age   Offline      -       19
246 Total_LBAs_Written      0x0032   100   100   000    Old_age   Always       -       23996625190
247 Host_Program_Page_Count 0x0032   100   100   000    Old_age   Always       -       428503073
248 FTL_Program_Page_Count  0x0032   100   100   000    Old_age   Always       -       1507252867
"
        )
    }
);

// junk after 32 of 150 TB?
example!(
    smartmontools_13,
    of_log(
        "\
Device Model:     Samsung SSD 850 PRO 128GB
User Capacity:    128,035,676,160 bytes [128 GB]
Device is:        In smartctl database [for details use: -P show]
177 Wear_Leveling_Count     0x0013   002   002   000    Pre-fail  Always       -       5887
241 Total_LBAs_Written      0x0032   099   099   000    Old_age   Always       -       62578693422
"
    )
);

// spare 100 %, so new?
example!(
    zbx_smartctl_129,
    of_log(
        "\
Model Number:                       INTEL SSDPEDME400G4
Namespace 1 Size/Capacity:          400,088,457,216 [400 GB]
Available Spare:                    100%
Percentage Used:                    12%
Data Units Written:                 682,594,316 [349 TB]
"
    )
);

// 10 MB/s on some drive of 1 TB
example!(
    akash_10,
    Question {
        capacity: Some(1_000_000_000_000),
        kind: Some(Kind::Nvme),
        rate: rate("3.1TiB/4d17h"),
        ..Question::default()
    }
);

example!(
    codex_28224,
    Question {
        rate: rate("640TB/year"),
        ..of("990 PRO 1TB")
    }
);

example!(
    incus_3680,
    Question {
        rate: rate("2.06TB/day"),
        ..of("Samsung SSD 980 1TB")
    }
);

// 100 million `writes` of a card in a week
example!(pimatic_497, {
    let disk = Disk {
        device: "mmcblk0".into(),
        model: Some("SD16G".into()),
        capacity: 15_931_539_456,
        kind: Some(Kind::Mmc),
        spins: false,
        written: 51_200_000_000,
        used: None,
    };
    let look = Look {
        disk: Some(disk),
        process: None,
        days: 7.0,
        process_days: 0.0,
    };
    Question {
        here: Some(Here::of(&look, None)),
        ..Question::default()
    }
});

example!(
    electrumx_264,
    Question {
        rate: rate("296GiB/3d"),
        ..of("860 EVO 1TB")
    }
);

example!(
    stats_1318,
    Question {
        rate: rate("35GB/day"),
        ..of("APPLE SSD AP0256Q")
    }
);

// an app shows 100 % and a few GB
example!(
    stats_3357,
    of_log(
        "\
Device Model:     PNY SSD
User Capacity:    1,000,204,886,016 bytes [1.00 TB]
9 Power_On_Hours          -O--CK   100   100   000    -    1150
0x01  0x018  6      4140625000  ---  Logical Sectors Written
0x07  0x008  1               4  N--  Percentage Used Endurance Indicator
"
    )
);

// three more: SAS without bytes, an eMMC at its end, a drive that is worn on its third day
#[test]
fn the_odd_ones() {
    let sas = of_log(
        "Vendor: HPE\nProduct: VO000960RWUEV\nUser Capacity: 960,197,124,096 bytes [960 GB]\nPercentage used endurance indicator: 80%\n\
                      Accumulated power on time, hours:minutes 32319:20\n",
    );
    let text = said(&sas);
    assert!(text.starts_with("HPE VO000960RWUEV: 80 % used after 32,319 hours, bytes unknown; about 8,080 hours left at the same pace"), "{text}");
    // a pasted log without a name: its own view alone
    let text = said(&of_log(
        "percentage_used : 12%\ndata_units_written : 682,594,316\n",
    ));
    assert!(
        text.starts_with("The drive: 12 % used after 349 TB; 2,3"),
        "{text}"
    );
    let text = said(&of_log("0x0b 0x0b"));
    assert!(
        text.starts_with("The drive says it is 100 % used, beyond"),
        "{text}"
    );
    let text = said(&of_log("0x04 0x05"));
    assert!(text.starts_with("The drive: 40 to 50 % used."), "{text}");
    let worn = Question {
        capacity: Some(120_034_123_776),
        written: Some(3.0e11),
        used: Some(65),
        ..of("Patriot P120")
    };
    assert!(said(&worn).contains("cannot be right"));
}

// planted bug: about more than 100 years
#[test]
fn a_bound_is_not_about_a_number() {
    let said = said(&Question {
        written: Some(61e12),
        used: Some(4),
        rate: rate("1GB/day"),
        ..of("990 PRO 2TB")
    });
    assert!(
        said.contains(" of 10), more than 100 years at 1 GB a day"),
        "{said}"
    );
}
