//! Calibration.
mod counters;
mod drive;
mod error;
mod file;
mod fit;
mod load;
mod measurement;
mod sheet;
pub use error::CalibrateError;
pub use drive::Overhead;
pub fn try_it(path: &std::path::Path) -> Result<(), CalibrateError> {
    let drive = drive::Drive::read(path)?;
    for fit in drive.fit()? {
        println!("{} {:?}: flash {:.4} GiB [{:.4}, {:.4}] spare {:.4} error {:.4}", fit.cleaning, fit.overhead, fit.flash / (1u64<<30) as f64, fit.range[0]/(1u64<<30) as f64, fit.range[1]/(1u64<<30) as f64, fit.flash / drive.sheet.capacity() as f64 - 1.0, fit.error);
        for (m, row) in drive.measurements.iter().zip(&fit.rows) {
            println!("   {:30} {} {:.4} {:.4} {:+.2}% alone {:?}", m.name, row.fitted, m.found.waf, row.predicted, 100.0*(row.predicted/m.found.waf-1.0), row.alone.map(|f| f/(1u64<<30) as f64));
            for (a,b) in m.found.parts.iter().zip(&row.parts) { println!("        {a:.4} {b:.4} {:+.3}", b-a); }
        }
    }
    Ok(())
}
