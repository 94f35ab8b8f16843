fn main() { for a in std::env::args().skip(1) { if let Err(e) = ssdlab_calibrate::try_it(a.as_ref()) { println!("{e}"); } } }
