//! Discards increase the spare factor (Frankie, Hughes and Kreutz-Delgado 2013).

use crate::spare::Spare;

/// The spare factor if a fraction q of the requests discard a random page that has data, and the others write a random
/// page. `None` unless q is from 0 to below 1/2.
///
/// On average a share s̄ = (1 − 2q)/(1 − q) of the logical pages has data: S_eff = S_f + (1 − S_f)(1 − s̄).
pub fn with_discards(spare: Spare, discards: f64) -> Option<Spare> {
    if !(0.0..0.5).contains(&discards) {
        return None;
    }
    let in_use = (1.0 - 2.0 * discards) / (1.0 - discards);
    let share = spare.share() + spare.utilisation() * (1.0 - in_use);
    // just below one half, hardly any page has data: the sum may round to 1
    Spare::new(share.min(1.0 - f64::EPSILON / 2.0))
}
