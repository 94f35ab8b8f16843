//! Files with a random byte changed, removed or added.

use super::base::Base;
use fastrand::Rng;

/// Makes `count` files that are refused; their names give the change and the index of the byte (from 0).
pub fn refused(base: &Base, count: usize) -> Vec<(String, Vec<u8>)> {
    let mut random = Rng::with_seed(1);
    let mut found: Vec<(String, Vec<u8>)> = Vec::new();
    while found.len() < count {
        let (name, bytes) = mutated(base.text, &mut random);
        let new = found.iter().all(|(other, _)| *other != name);
        if new && (base.refused)(&bytes) {
            found.push((name, bytes));
        }
    }
    found
}

fn mutated(text: &str, random: &mut Rng) -> (String, Vec<u8>) {
    let mut bytes = text.as_bytes().to_vec();
    let at = random.usize(..bytes.len());
    let done = match random.u8(..3) {
        0 => {
            bytes[at] ^= 1 << random.u8(..8);
            "flipped"
        }
        1 => {
            bytes.remove(at);
            "deleted"
        }
        _ => {
            bytes.insert(at, random.u8(b' '..=b'~'));
            "inserted"
        }
    };
    (format!("byte-{at}-{done}"), bytes)
}
