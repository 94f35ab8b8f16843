//! Changed inputs: a fuzzer without coverage, the same at each run.

use fastrand::Rng;

/// Numbers at the edges of types, and as text.
const NUMBERS: [u64; 12] = [
    0,
    1,
    7,
    127,
    255,
    256,
    65535,
    1 << 31,
    u32::MAX as u64,
    1 << 54,
    i64::MAX as u64,
    u64::MAX,
];

/// Changes an input a few times, with pieces of `others` and with `words`.
pub fn mutate(input: &mut Vec<u8>, others: &[Vec<u8>], words: &[Vec<u8>], random: &mut Rng) {
    for _ in 0..1 << random.u8(..4) {
        change(input, others, words, random);
    }
}

fn change(input: &mut Vec<u8>, others: &[Vec<u8>], words: &[Vec<u8>], random: &mut Rng) {
    let at = random.usize(..=input.len());
    let most = 1 << random.u8(..6);
    let length = random.usize(1..=most);
    let end = (at + length).min(input.len());
    match random.u8(..9) {
        0..2 if at < input.len() => input[at] ^= 1 << random.u8(..8),
        2 if at < input.len() => input[at] = random.u8(..),
        3 => drop(input.drain(at..end)),
        4 => {
            let piece = input[at..end].to_vec();
            insert(input, at, &piece);
        }
        5 if !others.is_empty() => {
            let other = &others[random.usize(..others.len())];
            let from = random.usize(..=other.len());
            let piece = &other[from..(from + length).min(other.len())];
            if random.bool() {
                insert(input, at, piece);
            } else {
                overwrite(input, at, piece);
            }
        }
        6 if !words.is_empty() => insert(input, at, &words[random.usize(..words.len())]),
        7 => {
            let number = NUMBERS[random.usize(..NUMBERS.len())];
            let bytes = number.to_le_bytes();
            let size = 1 << random.u8(..4);
            overwrite(input, at, &bytes[..size]);
        }
        _ => {
            // replaces a number, if there is one
            let is_digit = |byte: &u8| byte.is_ascii_digit();
            let Some(first) = input[at..].iter().position(is_digit) else {
                return;
            };
            let first = at + first;
            let digits = input[first..]
                .iter()
                .take_while(|byte| is_digit(byte))
                .count();
            let number = NUMBERS[random.usize(..NUMBERS.len())].to_string();
            input.splice(first..first + digits, number.into_bytes());
        }
    }
}

fn insert(input: &mut Vec<u8>, at: usize, piece: &[u8]) {
    input.splice(at..at, piece.iter().copied());
}

fn overwrite(input: &mut [u8], at: usize, piece: &[u8]) {
    let end = (at + piece.len()).min(input.len());
    input[at..end].copy_from_slice(&piece[..end - at]);
}

/// The words of a dictionary of libFuzzer: one a line, in quotes, with `\xAB`, `\\` and `\"`.
pub fn words(dictionary: &str) -> Vec<Vec<u8>> {
    let lines = dictionary.lines().filter(|line| !line.starts_with('#'));
    let quoted = lines.filter_map(|line| line.split_once('"')?.1.rsplit_once('"'));
    quoted.map(|(word, _)| unescaped(word)).collect()
}

fn unescaped(word: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut rest = word.as_bytes();
    while let [first, after @ ..] = rest {
        (bytes, rest) = match (first, after) {
            (b'\\', [b'x', high, low, after @ ..]) => {
                let digits = [*high, *low];
                let digits = std::str::from_utf8(&digits).expect("two digits");
                bytes.push(u8::from_str_radix(digits, 16).expect("two digits"));
                (bytes, after)
            }
            (b'\\', [escaped, after @ ..]) => {
                bytes.push(*escaped);
                (bytes, after)
            }
            (byte, after) => {
                bytes.push(*byte);
                (bytes, after)
            }
        };
    }
    bytes
}

#[test]
fn words_of_a_dictionary() {
    let text = "# a comment\nname=\"a\\\"b\\\\\"\n\"\\x00\\xffc\"\n\n";
    assert_eq!(words(text), [b"a\"b\\".to_vec(), b"\x00\xffc".to_vec()]);
}
