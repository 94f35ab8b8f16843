//! Planted bugs that these catch: a mark between thousands that ends a number; raw values of CrystalDiskInfo as decimal ones; GB of
//! CrystalDiskInfo as 10^9.

use ssdlab_counters::{Kind, Log, readings};

use crate::{codes, one, refused};

#[test]
fn an_nvme_drive_as_smartctl_prints_it() {
    for mark in [",", ".", " ", "'", "?", "\u{a0}", "\u{202f}"] {
        let text = "> Model Number:                       INTEL SSDPEDME400G4\n\
                    > Namespace 1 Size/Capacity:          400,088,457,216 [400 GB]\n\
                    > Local Time is:                      Thu Jun  6 08:06:40 2019 UTC\n\
                    > Available Spare:                    100%\n\
                    > Available Spare Threshold:          10%\n\
                    > Percentage Used:                    12%\n\
                    > Data Units Read:                    35,239,374 [18.0 TB]\n\
                    > Data Units Written:                 682,594,316 [349 TB]\n\
                    > Host Write Commands:                55,835,107,612\n\
                    > Power On Hours:                     26,055\n";
        let reading = one(&text.replace(',', mark));
        assert_eq!(reading.model.as_deref(), Some("INTEL SSDPEDME400G4"));
        assert_eq!(reading.capacity, Some(400_088_457_216), "{mark:?}");
        assert_eq!(
            reading.host().expect("host").bytes,
            682_594_316.0 * 512_000.0
        );
        assert_eq!(
            (
                reading.used.expect("used").0,
                reading.spare,
                reading.spare_threshold
            ),
            (12, Some(100), Some(10))
        );
        assert_eq!(
            (reading.hours, reading.write_commands),
            (Some(26_055.0), Some(55_835_107_612))
        );
        assert_eq!(
            (reading.time, reading.kind),
            (Some(1_559_808_400), Some(Kind::Nvme))
        );
    }
}

// planted bugs: hours that no day has, which overflow; a date that no year has
#[test]
fn a_time_that_is_none_is_left_out() {
    for time in [
        "Thu Jun  6 9223372036854775807:06:40 2019 UTC",
        "Thu Jun 31 08:06:40 2019 UTC",
    ] {
        let text = format!(
            "Model Number:  INTEL SSDPEDME400G4\nLocal Time is:  {time}\nPercentage Used:  12%\nData Units Written:  682,594,316\n"
        );
        let reading = one(&text);
        assert_eq!(
            (reading.time, reading.used.expect("used").0),
            (None, 12),
            "{time}"
        );
    }
}

const ATA: &str = "\
=== START OF INFORMATION SECTION ===
Device Model:     WDC  WDS200T2B0A-00SM50
Firmware Version: 411040WD
User Capacity:    2,000,398,934,016 bytes [2.00 TB]
Sector Size:      512 bytes logical/physical
Rotation Rate:    Solid State Device
Device is:        In smartctl database [for details use: -P show]
SMART support is: Available - device has SMART capability.
SMART support is: Enabled
";

#[test]
fn an_ata_drive_in_both_shapes_of_its_table() {
    let old = "\
ID# ATTRIBUTE_NAME          FLAG     VALUE WORST THRESH TYPE      UPDATED  WHEN_FAILED RAW_VALUE
  9 Power_On_Hours          0x0032   100   100   000    Old_age   Always       -       1234h+56m+07.890s
230 Media_Wearout_Indicator 0x0032   001   001   000    Old_age   Always       -       0x015100140151
241 Host_Writes_GiB         0x0030   253   253   000    Old_age   Offline      -       1707
";
    let brief = "\
ID# ATTRIBUTE_NAME          FLAGS    VALUE WORST THRESH FAIL RAW_VALUE
  9 Power_On_Hours          -O--CK   100   100   000    -    1234h+56m+07.890s
230 Media_Wearout_Indicator -O--CK   001   001   000    -    0x015100140151
241 Host_Writes_GiB         ----CK   253   253   000    -    1707
";
    for table in [old, brief] {
        let reading = one(&format!("{ATA}{table}"));
        assert_eq!(reading.model.as_deref(), Some("WDC WDS200T2B0A-00SM50"));
        assert_eq!(reading.host().expect("host").bytes, 1707.0 * 2_f64.powi(30));
        assert_eq!(
            (reading.used.expect("used").0, reading.hours),
            (1, Some(1234.0))
        );
    }
}

#[test]
fn device_statistics_prove_the_unit_in_text_too() {
    let text = format!(
        "{}241 Total_LBAs_Written      -O--CK   100   100   000    -    2346\n\
         Device Statistics (GP Log 0x04)\n\
         Page  Offset Size        Value Flags Description\n\
         0x01  =====  =               =  ===  == General Statistics (rev 1) ==\n\
         0x01  0x010  4            4000  ---  Power-on Hours\n\
         0x01  0x018  6      4919918601  ---  Logical Sectors Written\n\
         0x01  0x020  6               -  ---  Number of Write Commands\n\
         0x07  0x008  1               4  N--  Percentage Used Endurance Indicator\n",
        ATA.replace("In smart", "Not in smart")
    );
    let reading = one(&text);
    assert_eq!(reading.host().expect("host").bytes, 2346.0 * 2_f64.powi(30));
    assert_eq!(
        (reading.used.clone().expect("used").0, reading.hours),
        (4, Some(4000.0))
    );
    assert_eq!(codes(&reading), ["unit-from-statistics"]);
}

#[test]
fn a_sas_drive_has_its_own_names() {
    let reading = one(
        "Vendor:               HPE\nProduct:              VO000960RWUEV\nUser Capacity:        960,197,124,096 bytes [960 GB]\n\
                       Percentage used endurance indicator: 80%\nAccumulated power on time, hours:minutes 32319:20\n\
                       write:         0        0         0         0          0      12345.678           0\n",
    );
    assert_eq!(
        (reading.model.as_deref(), reading.kind),
        (Some("HPE VO000960RWUEV"), Some(Kind::Sas))
    );
    assert_eq!(
        (reading.used.clone().expect("used").0, reading.hours),
        (80, Some(32_319.0))
    );
    assert_eq!(reading.host().expect("host").bytes, 12_345_678_000_000.0);
}

#[test]
fn nvme_smart_log_has_the_same_names() {
    let reading = one(
        "Smart Log for NVME device:/dev/nvme1n1 namespace-id:ffffffff\navailable_spare                     : 100%\n\
                       percentage_used                     : 0%\ndata_units_written                  : 64,663,716\n\
                       host_write_commands                 : 2,931,291,530\npower_on_hours                      : 742\n",
    );
    assert_eq!(reading.host().expect("host").bytes, 33_107_822_592_000.0);
    assert_eq!(
        (reading.hours, reading.device.as_deref()),
        (Some(742.0), Some("/dev/nvme1n1"))
    );
    let newer = one(
        "Smart Log for NVME device:nvme0n1 namespace-id:ffffffff\npercentage_used\t\t\t: 3%\nData Units Written\t\t\t: 102,345,678 (52.40 TB)\n",
    );
    assert_eq!(newer.host().expect("host").bytes, 102_345_678.0 * 512_000.0);
}

const INFO: &str = "\
CrystalDiskInfo 9.4.0 (C) 2008-2024 hiyohiyo
    Date : 2026/03/01 14:40:30
 (01) Patriot P400 Lite 1TB
----------------------------------------------------------------------------
           Model : Patriot P400 Lite 1TB
        Firmware : EJFM12.1
   Serial Number : ****************
       Disk Size : 1000.2 GB
       Interface : NVM Express
   Rotation Rate : ---- (SSD)
  Power On Hours : 208 hours
     Host Writes : 1862 GB
   Health Status : Good (92 %)

-- S.M.A.R.T. --------------------------------------------------------------
ID RawValues(6) Attribute Name
03 000000000064 Available Spare
04 00000000000A Available Spare Threshold
05 000000000008 Percentage Used
07 0000003B9ACA Data Units Written
09 0000067F3540 Host Write Commands
0C 0000000000D0 Power On Hours
";

#[test]
fn crystal_disk_info_counts_in_hexadecimal() {
    let mut wide = vec![0xFF, 0xFE];
    wide.extend(INFO.encode_utf16().flat_map(u16::to_le_bytes));
    for bytes in [INFO.as_bytes().to_vec(), wide] {
        let log = ssdlab_counters::Log::parse("log", &bytes).expect("a log");
        let reading = ssdlab_counters::readings(log).expect("a reading").remove(0);
        assert_eq!(
            reading.host().expect("host").bytes,
            f64::from(0x3B_9ACA) * 512_000.0
        );
        assert_eq!(
            (reading.used.expect("used").0, reading.hours, reading.spare),
            (8, Some(208.0), Some(100))
        );
        assert_eq!(
            (reading.capacity, reading.time),
            (Some(1_000_200_000_000), Some(1_772_376_030))
        );
    }
    let sata = "           Model : Samsung SSD 860 EVO 1TB\n       Interface : Serial ATA\n     Host Writes : 1000 GB\n   Health Status : Good (97 %)\n\
                ID Cur Wor Thr RawValues(6) Attribute Name\n09 _99 _99 __0 0000000007D0 Power-On Hours\nB1 _97 _97 __0 00000000002A Wear Leveling Count\nF1 _99 _99 __0 00007D000000 Total LBAs Written\n";
    let reading = one(sata);
    assert_eq!(reading.host().expect("host").bytes, 1000.0 * 2_f64.powi(30));
    assert_eq!(
        (reading.used.expect("used").0, reading.erases, reading.hours),
        (3, Some(42), Some(2000.0))
    );
}

#[test]
fn crystal_disk_info_lists_all_drives_of_a_machine() {
    let other = INFO.replace("Patriot P400 Lite", "Other");
    let said = refused(&[("info.txt", &format!("{INFO}\n{other}"))]);
    assert!(
        said.contains("two drives") && said.contains("Patriot") && said.contains("Other"),
        "{said}"
    );
}

// planted bug: the last of several logs in one file counts, with what only the others say
#[test]
fn logs_behind_one_another_are_told_apart() {
    let smartctl = |model: &str, used: u32, hours: u32| {
        format!(
            "Model Number: {model}\nPercentage Used: {used}%\nData Units Written: {used}00,000\nPower On Hours: {hours}\n"
        )
    };
    let sata = |model: &str| {
        format!(
            "Device Model: {model}\n  9 Power_On_Hours 0x0032 097 097 000 Old_age Always - 12345\n"
        )
    };
    let two = [
        smartctl("One", 4, 100) + &smartctl("Two", 9, 200),
        sata("One") + &sata("Two"),
    ];
    for two in two {
        let said = refused(&[("logs.txt", &two)]);
        for word in ["One", "Two", "two drives"] {
            assert!(said.contains(word), "{said}");
        }
    }
    // the same drive at two times, as a file grows by the week
    let smart = |used: u32, hours: u32| {
        format!(
            "Smart Log for NVME device:nvme0 namespace-id:ffffffff\npercentage_used : {used}%\ndata_units_written : {used}00,000\npower_on_hours : {hours}\n"
        )
    };
    for text in [
        smartctl("One", 4, 100) + &smartctl("One", 5, 124),
        smart(4, 100) + &smart(5, 124),
    ] {
        let logs = Log::parse("weeks.txt", text.as_bytes()).expect("logs");
        let [first, last] = &readings(logs).expect("one drive")[..] else {
            panic!("{text}");
        };
        let between = last.since(first).expect("grows").expect("hours");
        assert_eq!((between.days, between.host), (1.0, 51_200_000_000.0));
    }
}

#[test]
fn a_log_without_a_word_is_empty() {
    for text in ["", " \n", "\u{feff}"] {
        assert!(
            refused(&[("log", text)]).contains("log: is empty"),
            "{text:?}"
        );
    }
}

#[test]
fn an_emmc_counts_in_steps_of_ten() {
    assert_eq!(one("0x0b 0x0b").used.expect("used").0, 100);
    assert_eq!(one("0x01 0x03\n").used.expect("used").0, 20);
    assert_eq!(
        one("eMMC Life Time Estimation A [EXT_CSD_DEVICE_LIFE_TIME_EST_TYP_A]: 0x02")
            .used
            .expect("used")
            .0,
        10
    );
}

#[test]
fn a_prompt_before_a_text_is_no_json() {
    let text = "[root@nas ~]# nvme smart-log /dev/nvme0\npercentage_used : 3%\ndata_units_written : 1,000\n";
    assert_eq!(one(text).used.expect("used").0, 3);
}

#[test]
fn text_of_something_else_is_refused() {
    assert!(refused(&[("x", "Hello world: 12\n")]).contains("nothing that ssdlab knows"));
    let denied = "Smartctl open device: /dev/sda failed: Permission denied\n";
    assert!(refused(&[("x", denied)]).contains("Permission denied"));
    let off = "Device Model: A\nSMART support is: Disabled\n";
    assert!(refused(&[("x", off)]).contains("SMART is off"));
    let disk = format!(
        "{}  9 Power_On_Hours -O--CK 100 100 000 - 5\n",
        ATA.replace("Solid State Device", "7200 rpm")
    );
    assert!(refused(&[("x", &disk)]).contains("hard disk"));
}
