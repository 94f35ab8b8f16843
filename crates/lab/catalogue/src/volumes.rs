//! Names of volumes: `usr_0`, or `usr_0..2` for three.

/// All names, each range written out. A range that [`check`] refuses stands for itself.
pub(crate) fn all(names: &[String]) -> Vec<String> {
    names
        .iter()
        .flat_map(|name| range(name).unwrap_or_else(|_| vec![name.clone()]))
        .collect()
}

/// Returns what is wrong with a name.
pub(crate) fn check(names: &[String]) -> Result<(), String> {
    names.iter().try_for_each(|name| {
        let found = range(name)?;
        found.iter().try_for_each(|name| is_safe(name))
    })
}

/// Whether a name can stand in an address and a path: letters, digits and `._-/`, and no way upwards.
pub(crate) fn is_safe(name: &str) -> Result<(), String> {
    let fits = |c: char| c.is_ascii_alphanumeric() || "._-/".contains(c);
    let steps = name.split('/');
    let climbs = steps
        .clone()
        .any(|step| step.is_empty() || step.starts_with('.'));
    if name.chars().all(fits) && !climbs {
        Ok(())
    } else {
        Err(format!(
            "a volume must be a name of letters, digits, ., _ and -, with / between its parts, found {name:?}"
        ))
    }
}

/// The names of `w01..w03` or `usr_0..2`.
fn range(name: &str) -> Result<Vec<String>, String> {
    /// The most names of a range.
    const MOST: u64 = 100_000;
    let Some((first, last)) = name.split_once("..") else {
        return Ok(vec![name.to_owned()]);
    };
    let wrong = || format!("must be a range such as w01..w03 or usr_0..2, found {name:?}");
    let stem = first.trim_end_matches(|c: char| c.is_ascii_digit());
    let digits = &first[stem.len()..];
    let last = last.strip_prefix(stem).unwrap_or(last);
    let (from, to) = (digits.parse::<u64>(), last.parse::<u64>());
    match (from, to) {
        (Ok(from), Ok(to)) if from <= to && to - from < MOST => Ok((from..=to)
            .map(|number| format!("{stem}{number:0width$}", width = digits.len()))
            .collect()),
        _ => Err(wrong()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    // planted bugs: zeros in front are lost; the last one is left out
    #[test]
    fn ranges_are_written_out() {
        let names = of(&["ts_0", "usr_0..2", "w08..w11"]);
        let expected = [
            "ts_0", "usr_0", "usr_1", "usr_2", "w08", "w09", "w10", "w11",
        ];
        assert_eq!(all(&names), expected);
        check(&names).unwrap();
        for wrong in [
            "a..b",
            "a1..",
            "a3..a1",
            "a0..a99999999999",
            "../x",
            "a b",
            "/x",
            "",
        ] {
            check(&of(&[wrong])).expect_err(wrong);
        }
    }
}
