// Colours, markers and numbers that all pictures share.
const root = document.documentElement;
const colour = (name) => getComputedStyle(root).getPropertyValue(`--${name}`).trim();

// Single quotes, because ECharts copies it unescaped into an attribute of an SVG.
const font = () => getComputedStyle(document.body).fontFamily.replaceAll('"', "'");

// Formats a number with a fixed number of decimals and thousands separators.
const number = (digits) => {
  const format = new Intl.NumberFormat("en", { minimumFractionDigits: digits, maximumFractionDigits: digits });
  return (value) => (value == null ? "–" : full(format, value).replace("-", "−"));
};
// A very large number has no room for all its digits.
const full = (format, value) =>
  (Math.abs(value) < 1e15 ? format.format(value) : value.toExponential(2).replace("e+", "e"));
// A short number for an axis.
const shortly = new Intl.NumberFormat("en", { maximumFractionDigits: 4 });
const short = { format: (value) => full(shortly, value) };

// The marker of a curve: glyph in text, symbol of ECharts, its rotation, and whether it is hollow; bounds have none.
const marker = (slot) => MARKERS[(/^policy-(\d+)$/.exec(slot)?.[1] - 1) % MARKERS.length];
const DASHES = { "bound-1": "dashed", "bound-2": [2, 3], "bound-3": [8, 3, 2, 3] };
const GLYPHS = { "bound-1": "╍", "bound-2": "┅", "bound-3": "┉" };
const glyph = (slot) => marker(slot)?.[0] ?? GLYPHS[slot];

// `view` is the available room: a phone, a screen, or an exported picture with all labels.
function base(view) {
  const text = colour("ink");
  const option = {
    animation: false,
    aria: { enabled: false },
    textStyle: { fontFamily: font() },
    tooltip: {
      trigger: "axis", confine: true,
      backgroundColor: colour("card"), borderColor: colour("line"),
      textStyle: { color: text, fontSize: 13 },
    },
    grid: { left: 4, right: view.narrow ? 8 : 24, top: 14, bottom: 4, outerBoundsMode: "same", outerBoundsContain: "all" },
  };
  if (!view.picture) return option;
  const { title, below, parts } = view.picture;
  option.backgroundColor = colour("card");
  option.title = {
    text: title, subtext: below, left: 16, top: 12, itemGap: 6,
    textStyle: { color: text, fontSize: 18 }, subtextStyle: { color: colour("muted"), fontSize: 13 },
  };
  if (parts) option.legend = { top: 68, left: 12, icon: "rect", itemWidth: 12, itemHeight: 12, textStyle: { color: text } };
  Object.assign(option.grid, { left: 16, right: 32, top: parts ? 104 : 76, bottom: 16 });
  return option;
}

function axisOf(name, extra) {
  const text = colour("muted");
  return {
    name, nameLocation: "middle", nameTextStyle: { color: text, fontSize: 12.5 },
    axisLine: { lineStyle: { color: colour("line") } },
    axisTick: { lineStyle: { color: colour("line") } },
    splitLine: { lineStyle: { color: colour("grid") } },
    ...extra,
    axisLabel: { color: text, hideOverlap: true, ...extra.axisLabel },
  };
}

const numbersOf = (name, view, extra) =>
  axisOf(name, { splitNumber: view.narrow ? 3 : 5, axisLabel: { formatter: (value) => short.format(value) }, ...extra });

// One bar for each item, the first on top.
function itemsOf(items, view) {
  return axisOf("", {
    type: "category", inverse: true, data: items.map((item) => item.label), axisTick: { show: false },
    axisLabel: { color: colour("ink"), interval: 0, width: view.narrow ? 104 : 260, overflow: "break" },
  });
}

// The length at which bars are cut, if less than half of them are over three times as long as all others.
function cutOf(lengths) {
  const longest = lengths.filter((length) => length > 0).sort((a, b) => b - a);
  const few = longest.map((_, place) => place).filter((place) =>
    place > 0 && place < longest.length / 2 && longest[place - 1] > 3 * longest[place]);
  return few.length ? 1.2 * longest[few.at(-1)] : Infinity;
}

// The break marks of bars that are cut.
const breaks = (lengths, cut) => ({
  silent: true, symbol: "path://M5,0L10,0L5,24L0,24Z", symbolSize: [9, 30], label: { show: false },
  itemStyle: { color: colour("card") },
  data: lengths.flatMap((length, place) => (length > cut ? [{ coord: [0.93 * cut, place] }] : [])),
});

// The axis of bars that may be cut.
const cutAxis = (cut) => (cut === Infinity ? {} : { max: cut, axisLabel: { showMaxLabel: false, formatter: (value) => short.format(value) } });

// A tooltip that marks each curve with its glyph, the best first.
function tip(title, items, format, more) {
  const lines = items.filter(({ value }) => value != null)
    .sort((a, b) => (more ? b.value - a.value : a.value - b.value))
    .map(({ item, value }) => `<tr><td style="color:${colour(item.slot)}">${glyph(item.slot)}</td>`
      + `<td>${echarts.format.encodeHTML(item.label)}</td><td>${format(value)}</td></tr>`);
  return `<b>${echarts.format.encodeHTML(title)}</b><table class="tip">${lines.join("")}</table>`;
}

// The common options of all curves of a policy.
function curve(item, points) {
  const paint = colour(item.slot);
  const [, symbol, rotate, hollow] = marker(item.slot) ?? ["", "none"];
  return {
    name: item.label, type: "line", data: points,
    symbol, symbolRotate: rotate ?? 0, symbolSize: 9, showAllSymbol: true,
    itemStyle: { color: hollow ? colour("card") : paint, borderColor: paint, borderWidth: hollow ? 2 : 0 },
    lineStyle: { color: paint, width: item.bound ? 1.5 : 2.25, type: DASHES[item.slot] ?? "solid" },
    emphasis: { focus: "series" },
  };
}

// A time in µs with its unit.
function inTime(micros) {
  const [size, unit] = [[1e6, "s"], [1e3, "ms"], [1, "µs"]].find(([size]) => micros >= size) ?? [1e-3, "ns"];
  return `${new Intl.NumberFormat("en", { maximumSignificantDigits: 4 }).format(micros / size)} ${unit}`;
}
