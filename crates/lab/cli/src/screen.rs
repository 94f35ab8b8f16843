//! Tables and text that fit the terminal; complete and without formatting elsewhere.

use ssdlab_report::Look;
use ssdlab_words::shown_text;

use comfy_table::{
    Attribute, Cell as ComfyCell, CellAlignment, Color, ColumnConstraint, ContentArrangement,
    Table as Comfy, presets,
};
use console::Term;

/// The properties of standard output.
#[derive(Clone, Copy, Debug)]
pub struct Screen {
    /// Lines and columns of a terminal; `None` if it is not a terminal.
    size: Option<(usize, usize)>,
    /// Whether to use colours.
    colours: bool,
}

impl Screen {
    /// The properties of this program's standard output. A terminal gets colours unless `NO_COLOR` or `CLICOLOR=0`
    /// forbids them; `CLICOLOR_FORCE` always asks for them.
    pub fn stdout() -> Self {
        /// The size of a terminal that does not report its own.
        const USUAL: (usize, usize) = (24, 80);
        let term = Term::stdout();
        let reported = || {
            let (lines, columns) = term.size_checked()?;
            (lines > 0 && columns > 0).then_some((lines.into(), columns.into()))
        };
        Self {
            size: term.is_term().then(|| reported().unwrap_or(USUAL)),
            colours: console::colors_enabled(),
        }
    }

    #[cfg(test)]
    pub fn terminal(lines: usize, columns: usize) -> Self {
        Self {
            size: Some((lines, columns)),
            colours: false,
        }
    }

    /// Lines and columns of a terminal; `None` if it is not a terminal.
    pub fn size(&self) -> Option<(usize, usize)> {
        self.size
    }

    /// Whether to use colours.
    pub fn colours(&self) -> bool {
        self.colours
    }

    fn columns(&self) -> usize {
        self.size.map_or(usize::MAX, |(_, columns)| columns)
    }

    /// Breaks each line that is too long at blanks; continuation lines are indented by `indent`. Characters that would act
    /// on the terminal are escaped.
    pub fn wrap(&self, text: &str, indent: usize) -> String {
        let lines = text.split('\n').map(shown_text);
        let lines = lines.map(|line| self.wrap_line(&line, indent));
        lines.collect::<Vec<_>>().join("\n")
    }

    fn wrap_line(&self, line: &str, indent: usize) -> String {
        if console::measure_text_width(line) <= self.columns() {
            return line.to_owned();
        }
        let (mut out, mut at) = (String::new(), 0);
        for word in words(line) {
            let width = console::measure_text_width(word.trim_end());
            if at + width > self.columns() && at > indent {
                out.truncate(out.trim_end().len());
                out += "\n";
                out += &" ".repeat(indent);
                at = indent;
            }
            out += word;
            at += console::measure_text_width(word);
        }
        out
    }

    /// Facts, one a line: a label in this many columns, and its value.
    pub fn facts<L: AsRef<str>>(&self, columns: usize, facts: &[(L, String)]) -> String {
        let line = |(label, value): &(L, String)| format!("{:<columns$}{value}\n", label.as_ref());
        self.wrap(&facts.iter().map(line).collect::<String>(), columns)
    }
}

/// The words of a line, each with the blanks after it; a number with its unit is one word.
fn words(line: &str) -> impl Iterator<Item = &str> {
    let mut last = ' ';
    line.split_inclusive(move |c| {
        let ends = c == ' ' && !last.is_ascii_digit();
        last = c;
        ends
    })
}

/// A table that omits columns if the terminal is too narrow, and repeats its header if the table exceeds a screen.
pub struct Table {
    header: Vec<String>,
    /// The number of leading columns with text; the others have numbers.
    text: usize,
    /// The columns that may be omitted, the least important first.
    dispensable: Vec<usize>,
    rows: Vec<Vec<(String, Look)>>,
}

impl Table {
    /// An empty table. Of the number columns, the last is the least important; the first is never omitted.
    pub fn new<S: AsRef<str>>(header: &[S], text: usize) -> Self {
        Self {
            header: header.iter().map(|name| name.as_ref().to_owned()).collect(),
            text,
            dispensable: (text.max(1) + 1..header.len()).rev().collect(),
            rows: Vec::new(),
        }
    }

    /// Sets the columns that may be omitted, the least important first.
    pub fn dispensable(mut self, columns: &[&str]) -> Self {
        let place = |name: &&str| self.header.iter().position(|own| own == name);
        self.dispensable = columns.iter().filter_map(place).collect();
        self
    }

    /// Adds a row.
    pub fn add<S: AsRef<str>>(&mut self, cells: impl IntoIterator<Item = S>) {
        let plain = |cell: S| (cell.as_ref().to_owned(), Look::Plain);
        self.rows.push(cells.into_iter().map(plain).collect());
    }

    /// Adds a row of cells with looks.
    pub fn add_looks(&mut self, cells: Vec<(String, Look)>) {
        self.rows.push(cells);
    }

    /// The table for this screen.
    pub fn fit(&self, screen: &Screen) -> String {
        let mut shown: Vec<usize> = (0..self.header.len()).collect();
        let mut table = self.whole(&shown, screen);
        let mut left_out = Vec::new();
        for &column in &self.dispensable {
            if width(&table) <= screen.columns() {
                break;
            }
            shown.retain(|&other| other != column);
            left_out.push(column);
            table = self.whole(&shown, screen);
        }
        if width(&table) > screen.columns() {
            self.narrow(&mut table, &shown, screen);
        }
        let mut text = match screen.size {
            Some((lines, _)) => self.with_headers(&table.to_string(), lines),
            None => table.to_string(),
        };
        if !left_out.is_empty() {
            left_out.sort_unstable();
            let names: Vec<&str> = left_out
                .iter()
                .map(|&column| self.header[column].as_str())
                .collect();
            let hint = format!(
                "Too narrow for: {}. A wider terminal shows all columns, and so does a pipe: … | less -S",
                names.join(", ")
            );
            text = format!("{text}\n{}", screen.wrap(&hint, 0));
        }
        text
    }

    /// The table with some of the columns, at their full width.
    fn whole(&self, shown: &[usize], screen: &Screen) -> Comfy {
        let mut table = Comfy::new();
        table.load_style(match screen.size {
            Some(_) => presets::UTF8_FULL_CONDENSED,
            None => presets::NOTHING,
        });
        table.set_content_arrangement(ContentArrangement::Disabled);
        table.force_no_tty();
        if screen.colours {
            table.enforce_styling();
        }
        table.set_header(shown.iter().map(|&column| &self.header[column]));
        for row in &self.rows {
            table.add_row(shown.iter().map(|&column| styled(&row[column])));
        }
        for (column, &place) in table.column_iter_mut().zip(shown) {
            if place >= self.text {
                column.set_cell_alignment(CellAlignment::Right);
            }
        }
        table
    }

    /// Breaks text over several lines, but never numbers.
    fn narrow(&self, table: &mut Comfy, shown: &[usize], screen: &Screen) {
        table.set_content_arrangement(ContentArrangement::Dynamic);
        table.set_width(screen.columns().try_into().unwrap_or(u16::MAX));
        for (column, &place) in table.column_iter_mut().zip(shown) {
            if place >= self.text.max(1) {
                column.set_constraint(ColumnConstraint::ContentWidth);
            }
        }
    }

    /// Repeats the header on every screen.
    fn with_headers(&self, text: &str, height: usize) -> String {
        /// Lines above the header, of the header, below the header, and of the prompt below the table.
        const FRAME: usize = 4;
        let lines: Vec<&str> = text.lines().collect();
        let each = height.saturating_sub(FRAME + 1);
        // a row is one line, unless its text was broken
        let broken = lines.len() != self.rows.len() + FRAME;
        if each < FRAME || lines.len() < height || broken {
            return text.to_owned();
        }
        let (head, rows) = lines.split_at(FRAME - 1);
        let mut out = head.to_vec();
        let (rows, bottom) = rows.split_at(self.rows.len());
        for (number, screenful) in rows.chunks(each).enumerate() {
            if number > 0 {
                out.extend([head[2], head[1], head[2]]);
            }
            out.extend(screenful);
        }
        out.extend(bottom);
        out.join("\n")
    }
}

fn styled((text, look): &(String, Look)) -> ComfyCell {
    let cell = ComfyCell::new(shown_text(text));
    match look {
        Look::Plain => cell,
        Look::Winner => cell.fg(Color::Green).add_attribute(Attribute::Bold),
        Look::Loss => cell.fg(Color::Red),
    }
}

/// The width of the widest line.
fn width(table: &Comfy) -> usize {
    let widths = table.lines().map(|line| console::measure_text_width(&line));
    widths.max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PIPE: Screen = Screen {
        size: None,
        colours: false,
    };

    fn sample(rows: usize) -> Table {
        let header = ["policy", "MB/s", "erases", "merges", ""];
        let mut table = Table::new(&header, 1).dispensable(&["merges", "erases"]);
        for row in 0..rows {
            table.add([
                &*format!("lru {row}"),
                "123456.78",
                "87654321",
                "4711",
                "baseline",
            ]);
        }
        table
    }

    // planted bugs: the important column is omitted first; a number over two lines; no note about omitted columns
    #[test]
    fn columns_are_left_out_and_numbers_never_broken() {
        for columns in 20..80 {
            let text = sample(3).fit(&Screen::terminal(50, columns));
            let (table, hint) = text.rsplit_once('┘').expect("a frame");
            assert!(
                text.lines()
                    .all(|line| console::measure_text_width(line) <= columns.max(40)),
                "{columns}:\n{text}"
            );
            assert_eq!(table.matches("123456.78").count(), 3, "{columns}:\n{text}");
            for (name, number) in [("erases", "87654321"), ("merges", "4711")] {
                let shown = table.matches(number).count();
                assert!(
                    shown == 3 || shown == 0 && hint.contains(name),
                    "{columns}:\n{text}"
                );
            }
            if table.contains("merges") {
                assert!(table.contains("erases"), "{columns}:\n{text}");
            }
        }
        let text = sample(3).fit(&Screen::terminal(50, 80));
        assert!(
            text.contains("4711") && !text.contains("Too narrow"),
            "{text}"
        );
    }

    // planted bugs: a frame or an escape sequence in a pipe; omitted columns in a pipe
    #[test]
    fn a_pipe_gets_everything_plain() {
        let text = sample(100).fit(&PIPE);
        assert_eq!(text.lines().count(), 101);
        assert!(text.is_ascii() && !text.contains('\x1b'), "{text}");
        assert!(
            text.lines().skip(1).all(|line| line.contains("4711")),
            "{text}"
        );
    }

    // planted bugs: no header on the second screen; a row lost at a repeated header
    #[test]
    fn a_long_table_repeats_its_header() {
        let text = sample(100).fit(&Screen::terminal(24, 80));
        assert_eq!(text.matches("MB/s").count(), 100_usize.div_ceil(19));
        for row in 0..100 {
            assert!(text.contains(&format!("lru {row} ")), "{row}:\n{text}");
        }
        let lines: Vec<&str> = text.lines().collect();
        assert!(
            lines
                .windows(24)
                .all(|screen| screen.iter().any(|line| line.contains("MB/s"))),
            "{text}"
        );
        assert_eq!(
            sample(5)
                .fit(&Screen::terminal(24, 80))
                .matches("MB/s")
                .count(),
            1
        );
    }

    // planted bug: colours although they are off
    #[test]
    fn colours_where_they_are_wanted() {
        let mut table = Table::new(&["policy", "MB/s"], 1);
        table.add_looks(vec![
            ("lru".into(), Look::Winner),
            ("1.0".into(), Look::Loss),
        ]);
        let mut screen = Screen::terminal(24, 80);
        assert!(!table.fit(&screen).contains('\x1b'));
        screen.colours = true;
        let text = table.fit(&screen);
        assert!(text.contains("\x1b[") && text.contains("lru"), "{text:?}");
        assert_eq!(
            console::strip_ansi_codes(&text),
            table.fit(&Screen::terminal(24, 80))
        );
    }

    // planted bugs: a cell or a line whose text acts on the terminal, or that has a line of its own
    #[test]
    fn no_text_acts_on_the_terminal() {
        let acting = "a\u{1b}[2J\u{202e}\r\nb";
        let mut table = Table::new(&["policy", "MB/s"], 1);
        table.add([acting, "1.0"]);
        for screen in [Screen::terminal(24, 80), PIPE] {
            let text = table.fit(&screen);
            assert!(text.contains(r"a\u{1b}[2J\u{202e}\r\nb"), "{text:?}");
            assert_eq!(screen.wrap(acting, 0), "a\\u{1b}[2J\\u{202e}\\r\nb");
        }
    }

    // planted bugs: a word split; a number without its unit; a line that is too long
    #[test]
    fn text_wraps_at_words() {
        let text = "label  one two three four five six\nshort";
        let wrapped = Screen::terminal(24, 20).wrap(text, 7);
        assert_eq!(wrapped, "label  one two three\n       four five six\nshort");
        assert_eq!(PIPE.wrap(text, 7), text);
        let units = Screen::terminal(24, 20).wrap("time   host 12.5 % and more", 7);
        assert_eq!(units, "time   host 12.5 %\n       and more");
        let units = Screen::terminal(24, 16).wrap("time   host 12.5 % and more", 7);
        assert_eq!(units, "time   host\n       12.5 %\n       and more");
    }
}
