//! Whether a trace may be given to others.

use ssdlab_catalogue::Catalogue;

use crate::shipped::{LICENCE, shipped};

/// Licences (SPDX) under which anybody may give a trace to others.
const FREE: [&str; 13] = [
    "0BSD",
    "Apache-2.0",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "CC-BY-3.0",
    "CC-BY-4.0",
    "CC-BY-SA-3.0",
    "CC-BY-SA-4.0",
    "CC0-1.0",
    "CDLA-Permissive-2.0",
    "MIT",
    "ODC-By-1.0",
    "PDDL-1.0",
];

/// The licence under which a trace may be given to others: of one that comes with ssdlab, of its set, or that its plan
/// names.
///
/// # Errors
/// Why not, in words.
pub fn may_be_given(
    sha256: Option<&str>,
    set: Option<&str>,
    licence: Option<&str>,
) -> Result<String, String> {
    if sha256.and_then(shipped).is_some() {
        return Ok(LICENCE.into());
    }
    if let Some(name) = set {
        let catalogue = Catalogue::built_in().map_err(|error| error.to_string())?;
        let set = catalogue.set(name).map_err(|error| error.to_string())?;
        // "yes, if …" needs somebody who looks
        let is_free = set.redistribution == "yes" || set.redistribution == "yes, with attribution";
        return match is_free {
            true => Ok(set.licence.clone()),
            false => Err(format!(
                "the set {name} may not be given to others, as far as ssdlab knows: {}",
                set.redistribution
            )),
        };
    }
    match licence {
        Some(licence) if is_free(licence) => Ok(licence.into()),
        Some(licence) => Err(format!(
            "ssdlab does not know whether its licence allows that: {licence}"
        )),
        None => Err("its licence is not known".into()),
    }
}

/// Whether a licence (SPDX), or one of several with `OR` between them, is free. No other expression is.
fn is_free(licence: &str) -> bool {
    let choices: Vec<&str> = licence.split(" OR ").collect();
    let is_one = |choice: &&str| !choice.contains([' ', '(', ')']);
    choices.iter().all(is_one) && choices.iter().any(|choice| FREE.contains(choice))
}

#[cfg(test)]
mod tests {
    use super::*;

    // planted bugs: a set whose terms forbid it; one whose terms nobody has checked; a licence of which nothing is known;
    // a free licence that is only a part of what holds
    #[test]
    fn only_what_a_licence_allows_is_given() {
        assert_eq!(
            may_be_given(None, Some("alibaba"), None).as_deref(),
            Ok("CC BY 4.0")
        );
        for set in ["msr-cambridge", "tencent-cbs", "ycsb-rocksdb", "lcs"] {
            // a free licence in the plan does not change the terms of the set
            let why = may_be_given(None, Some(set), Some("CC0-1.0")).unwrap_err();
            assert!(why.contains(set), "{why}");
        }
        assert!(may_be_given(None, Some("nothing"), None).is_err());
        assert!(may_be_given(None, None, None).is_err());
        for licence in ["CC0-1.0", "MIT OR Apache-2.0", "GPL-3.0-only OR MIT"] {
            assert_eq!(
                may_be_given(None, None, Some(licence)).as_deref(),
                Ok(licence)
            );
        }
        for licence in [
            "only for us",
            "MITRE",
            "CC-BY-NC-4.0",
            "MIT AND LicenseRef-ours",
            "LicenseRef-ours AND MIT OR CC0-1.0",
            "CC-BY-NC-4.0 AND (CC-BY-4.0 OR MIT)",
            "(CC-BY-4.0 OR MIT OR 0BSD) AND CC-BY-NC-4.0",
            "(MIT)",
            "MIT WITH LicenseRef-exception",
        ] {
            assert!(
                may_be_given(None, None, Some(licence)).is_err(),
                "{licence}"
            );
        }
        let (hash, _) = crate::shipped_traces().next().unwrap();
        assert!(may_be_given(Some(hash), None, None).is_ok());
        assert!(may_be_given(Some(&hash[1..]), None, None).is_err());
    }
}
