//! Parts of a run.

use serde::Deserialize;

/// A part of a run, as the published figures name it.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub enum Window {
    /// All of it.
    All,
    /// From one capacity written on.
    #[serde(rename = "after-1")]
    After1,
    /// From two capacities written on.
    #[serde(rename = "after-2")]
    After2,
    /// The second half of what is written.
    LastHalf,
    /// The last quarter of it.
    LastQuarter,
    /// From 60 to 99 % of it.
    #[serde(rename = "60-to-99")]
    SixtyTo99,
    /// The last replay of a trace, and nothing else of it.
    LastReplay,
}

impl Window {
    /// Its beginning and end in a run of so many capacities.
    pub fn of(self, writes: f64) -> [f64; 2] {
        match self {
            Window::All | Window::LastReplay => [0.0, writes],
            Window::After1 => [1.0, writes],
            Window::After2 => [2.0, writes],
            Window::LastHalf => [0.5 * writes, writes],
            Window::LastQuarter => [0.75 * writes, writes],
            Window::SixtyTo99 => [0.60 * writes, 0.99 * writes],
        }
    }

    /// In words.
    pub fn name(self) -> &'static str {
        match self {
            Window::All => "whole run",
            Window::After1 => "after 1 capacity",
            Window::After2 => "after 2 capacities",
            Window::LastHalf => "second half",
            Window::LastQuarter => "last quarter",
            Window::SixtyTo99 => "60 to 99 %",
            Window::LastReplay => "last replay",
        }
    }

    /// Its column in a table of logs; `None` if logs do not have it.
    pub fn column(self) -> Option<&'static str> {
        match self {
            Window::All => Some("waf_all"),
            Window::After1 => Some("waf_after_1"),
            Window::After2 => Some("waf_after_2"),
            Window::LastHalf | Window::LastReplay => None,
            Window::LastQuarter => Some("waf_last_quarter"),
            Window::SixtyTo99 => Some("waf_60_to_99"),
        }
    }
}
