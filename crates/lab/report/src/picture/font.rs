//! The font of pictures: Arimo, whose letters are as wide as those of Helvetica and Arial, with the letters of Western
//! European languages.

/// The font without what layout of other scripts needs; `assets/arimo.LICENSE` has its licence.
pub(super) const FILE: &[u8] = include_bytes!("../../assets/arimo.ttf");

/// The widths of the letters 32 to 255 of Windows-1252 in thousandths of the size; 0: the font does not have it.
#[rustfmt::skip]
pub(super) const WIDTHS: [u16; 224] = [
    278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278, 556, 556, 556, 556,
    556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556, 1015, 667, 667, 722, 722, 667, 611, 778,
    722, 278, 500, 667, 556, 833, 722, 778, 667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278,
    278, 278, 469, 556, 333, 556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556,
    556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584, 0, 556, 0, 222, 0, 333,
    1000, 0, 0, 333, 0, 0, 333, 1000, 0, 0, 0, 0, 222, 222, 333, 333, 350, 556, 1000, 333, 1000, 0, 333,
    944, 0, 0, 0, 278, 333, 556, 556, 556, 556, 260, 556, 333, 737, 370, 556, 584, 333, 737, 552, 400,
    549, 333, 333, 333, 576, 537, 333, 333, 333, 365, 556, 834, 834, 834, 611, 667, 667, 667, 667, 667,
    667, 1000, 722, 667, 667, 667, 667, 278, 278, 278, 278, 722, 722, 778, 778, 778, 778, 778, 584, 778,
    722, 722, 722, 722, 667, 667, 611, 556, 556, 556, 556, 556, 556, 889, 500, 556, 556, 556, 556, 278,
    278, 278, 278, 556, 556, 556, 556, 556, 556, 556, 549, 611, 556, 556, 556, 556, 500, 556, 500,
];

/// The letters 128 to 159 of Windows-1252; `\0` where it has none, or the font.
#[rustfmt::skip]
const HIGH: [char; 32] = [
    '€', '\0', '‚', '\0', '„', '…', '\0', '\0', 'ˆ', '\0', '\0', '‹', 'Œ', '\0', '\0', '\0',
    '\0', '‘', '’', '“', '”', '•', '–', '—', '˜', '™', '\0', '›', 'œ', '\0', '\0', '\0',
];

/// A letter in Windows-1252; `?` for one that it or the font does not have.
pub(super) fn encoded(letter: char) -> u8 {
    let code = match letter {
        '−' => b'-',
        ' '..='~' | '\u{a0}'..='\u{ff}' => letter as u8,
        _ => match HIGH
            .iter()
            .position(|known| *known == letter && letter != '\0')
        {
            Some(place) => 128 + place as u8,
            None => b'?',
        },
    };
    if WIDTHS[usize::from(code - 32)] == 0 {
        b'?'
    } else {
        code
    }
}

/// The width of a text of this size.
pub(super) fn width(text: &str, size: f64) -> f64 {
    let each = text
        .chars()
        .map(|letter| u32::from(WIDTHS[usize::from(encoded(letter) - 32)]));
    f64::from(each.sum::<u32>()) * size / 1000.0
}

/// The text, or its beginning that fits.
pub(super) fn fitted(text: &str, size: f64, room: f64) -> String {
    if width(text, size) <= room {
        return text.to_owned();
    }
    let mut short = text.to_owned();
    while short.pop().is_some() && width(&short, size) + width("…", size) > room {}
    short + "…"
}

#[cfg(test)]
mod tests {
    use super::*;

    // planted bugs: Latin-1 instead of Windows-1252; a letter without a glyph
    #[test]
    fn letters_are_those_of_the_font() {
        let codes: Vec<u8> = "aµ×–−…ü漢†".chars().map(encoded).collect();
        assert_eq!(
            codes,
            [b'a', 0xb5, 0xd7, 0x96, b'-', 0x85, 0xfc, b'?', b'?']
        );
        assert_eq!(width("MiB", 10.0), 8.33 + 2.22 + 6.67);
        assert_eq!(fitted("abcdefgh", 10.0, 30.0), "abc…");
    }
}
