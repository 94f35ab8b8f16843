//! Counters of SATA drives: attributes, as smartctl names them in its list of drives. Names without a unit, such as
//! `NAND_Writes`, and those with several meanings are left out.

use std::path::Path;

use serde_json::Value;

use super::{Counter, What, whole};
use crate::error::CalibrateError;

const SECTOR: u64 = 512;
const GIB: u64 = 1 << 30;
const CHUNK: u64 = 32 << 20;

const NAMES: &[(&str, What, u64)] = &[
    ("Total_LBAs_Written", What::Host, SECTOR),
    ("Host_Writes_MiB", What::Host, 1 << 20),
    ("Host_Writes_32MiB", What::Host, CHUNK),
    ("Host_Writes_GiB", What::Host, GIB),
    ("Lifetime_Writes_GiB", What::Host, GIB),
    ("Total_Writes_GiB", What::Host, GIB),
    ("NAND_Writes_32MiB", What::Media, CHUNK),
    ("Flash_Writes_32MiB", What::Media, CHUNK),
    ("NAND_Writes_1GiB", What::Media, GIB),
    ("NAND_Writes_GiB", What::Media, GIB),
    ("Flash_Writes_GiB", What::Media, GIB),
    ("NAND_GiB_Written", What::Media, GIB),
    ("Total_NAND_Writes_GiB", What::Media, GIB),
    ("Total_NAND_Prog_Ct_GiB", What::Media, GIB),
    ("Lifetime_NAND_Prg_GiB", What::Media, GIB),
    ("Host_Program_Page_Count", What::HostPages, 1),
    ("FTL_Program_Page_Count", What::OtherPages, 1),
    ("Bckgnd_Program_Page_Cnt", What::OtherPages, 1),
];

pub(super) fn counters(log: &Path, json: &Value) -> Result<Vec<Counter>, CalibrateError> {
    let table = json["ata_smart_attributes"]["table"].as_array();
    let mut found = Vec::new();
    for attribute in table.into_iter().flatten() {
        let name = attribute["name"].as_str().unwrap_or_default();
        if let Some(&(name, what, unit)) = NAMES.iter().find(|known| known.0 == name) {
            let field = format!("ata_smart_attributes.{name}");
            let value = whole(
                log,
                &format!("{field}.raw.value"),
                &attribute["raw"]["value"],
            )?;
            let log = log.to_owned();
            found.push(Counter {
                what,
                field,
                value,
                unit,
                log,
            });
        }
    }
    Ok(found)
}
