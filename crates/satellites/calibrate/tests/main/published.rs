//! The drives of `examples/drives`: what is fitted to one load predicts the others.
//!
//! Planted bugs that these catch: cleaning of another age; a pass that is taken for uniform writes; a small drive whose
//! skew is not that of the large one.

use std::path::Path;

use ssdlab_calibrate::{Calibration, Role, calibrate};
use ssdlab_sim::Lab;

use crate::common::near;

fn example(name: &str) -> Calibration {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../examples/drives");
    calibrate(&folder.join(name), &Lab::new()).expect("a valid drive")
}

#[test]
fn a_full_micron_predicts_emptier_ones() {
    let found = example("micron-7450-max.toml");
    let predicted: Vec<_> = found
        .measurements
        .iter()
        .filter(|m| m.role == Role::Predicted)
        .collect();
    assert_eq!(predicted.len(), 4);
    for m in predicted {
        near(m.predicted, m.measured, 0.01);
    }
    let [least, most] = found.flash_range.expect("a range");
    assert!(least < 1068 << 30 && 1068 << 30 < most, "{least} {most}");
}

#[test]
fn the_solidigm_weighs_age() {
    let found = example("solidigm-p5520.toml");
    let zipf = found
        .measurements
        .iter()
        .find(|m| m.name == "zipf 0.8")
        .expect("it is there");
    assert_eq!(zipf.role, Role::Predicted);
    near(zipf.predicted, zipf.measured, 0.01);
    let best = |cleaning: &str| {
        let errors = found
            .explanations
            .iter()
            .filter(|one| one.cleaning == cleaning)
            .map(|one| one.error);
        errors.fold(f64::INFINITY, f64::min)
    };
    assert!(best("cost-benefit") < 0.01 && best("greedy") > 0.08);
    assert!(found.configuration.contains("cleaning = \"cost-benefit\""));
}

#[test]
fn ten_parts_of_a_pass_are_one_number() {
    let found = example("drive-a.toml");
    near(found.spare, 0.172, 0.02);
    let parts = &found.measurements[0].parts;
    let squares: f64 = parts
        .iter()
        .map(|[measured, predicted]| (measured - predicted).powi(2))
        .sum();
    let rms = (squares / parts.len() as f64).sqrt();
    assert!(rms < 0.11, "{rms}");
    // uniform writes would cost far more
    assert!(found.measurements[1].predicted > 3.0);
}
