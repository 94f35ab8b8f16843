// The pictures of what a workload is for flash: curves, and bars of powers of two.
const BINARY = ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];

// A number of bytes in the largest unit of which there is at least one.
function inBytes(bytes) {
  const power = bytes < 1 ? 0 : Math.min(Math.floor(Math.log2(bytes) / 10), BINARY.length - 1);
  return `${new Intl.NumberFormat("en", { maximumSignificantDigits: 4 }).format(bytes / 1024 ** power)} ${BINARY[power]}`;
}
const inNanos = (ns) => inTime(ns / 1e3);
const inPercent = (share) => `${number(1)(share)} %`;

const itemsBeside = (id, items) => {
  if (items.length > 1) byId(`${id}-items`).append(...items.map(({ slot, label }) => made("span", {}, markOf(slot), label)));
};

// What an exported picture needs for its legend.
function legendOf(option, view, items) {
  if (!view.picture || items.length < 2) return;
  option.legend = { top: 68, left: 12, textStyle: { color: colour("ink") } };
  option.grid.top = 124;
}

// Curves over an axis of numbers: `x` and `y` have a title and a format, and a logarithmic axis is marked `log`.
function curves(id, title, x, y, items) {
  itemsBeside(id, items);
  const [to, from] = x.log ? [Math.log2, (power) => 2 ** power] : [(at) => at, (at) => at];
  const last = Math.max(0, ...items.map(({ points }) => points.at(-1)?.[0] ?? 0));
  // powers of four
  const ticks = x.log ? Array.from({ length: 32 }, (_, index) => 2 * index).filter((power) => power <= to(last)) : undefined;
  return {
    title: () => title,
    below: () => "",
    height: () => null,
    isEmpty: () => items.every(({ points }) => points.length < 2),
    table: () => [["", x.title, y.title], ...items.flatMap(({ label, points }) => points.map((point) => [label, ...point]))],
    option(view) {
      const option = base(view);
      legendOf(option, view, items);
      option.grid.right += 16;
      option.tooltip.axisPointer = { snap: false };
      option.tooltip.formatter = ([{ axisValue }]) => tip(
        x.format(from(axisValue)),
        items.map((item) => ({ item, value: item.points.findLast(([at]) => to(at) <= axisValue)?.[1] })), y.format, true,
      );
      option.xAxis = axisOf(x.title, {
        type: "value", min: "dataMin", max: "dataMax", nameGap: 30, splitLine: { show: false },
        axisTick: { customValues: ticks, lineStyle: { color: colour("line") } },
        axisLabel: { customValues: ticks, formatter: (value) => x.format(from(value)), hideOverlap: true },
        axisPointer: { label: { show: false } },
      });
      option.yAxis = axisOf(y.title, { type: "value", min: 0, nameGap: 52, splitNumber: 5, axisLabel: { formatter: (value) => y.format(value) } });
      option.series = items.map((item) => ({
        ...curve(item, item.points.map(([at, value]) => [to(at), value])), showSymbol: false, step: x.step ? "end" : false,
      }));
      return option;
    },
  };
}

// Bars of powers of two: of each item the share of its numbers from one power to below the next.
function bars(id, title, format, items) {
  itemsBeside(id, items);
  const shown = items.filter(({ histogram }) => histogram);
  const bins = [...new Set(shown.flatMap(({ histogram }) => Object.keys(histogram).map(Number)))].sort((a, b) => a - b);
  const shares = ({ histogram }) => {
    const all = Object.values(histogram).reduce((sum, count) => sum + count, 0);
    return bins.map((bin) => (100 * (histogram[bin] ?? 0)) / all);
  };
  return {
    title: () => title,
    below: () => "",
    height: () => null,
    isEmpty: () => bins.length === 0,
    table: () => [["from", ...shown.map(({ label }) => `${label} (%)`)], ...bins.map((bin, i) => [bin, ...shown.map((item) => shares(item)[i])])],
    option(view) {
      const option = base(view);
      legendOf(option, view, shown);
      option.tooltip.axisPointer = { type: "shadow" };
      option.tooltip.formatter = ([{ dataIndex: i }]) => tip(
        bins[i] === 0 ? format(0) : `from ${format(bins[i])} to below ${format(2 * bins[i])}`,
        shown.map((item) => ({ item, value: shares(item)[i] })), inPercent, true,
      );
      option.xAxis = axisOf("", { type: "category", data: bins.map(format), axisLabel: { hideOverlap: true } });
      option.yAxis = axisOf("Share, %", { type: "value", min: 0, nameGap: 36, axisLabel: { formatter: (value) => short.format(value) } });
      option.series = shown.map((item) => ({
        name: item.label, type: "bar", barMaxWidth: 22, data: shares(item), itemStyle: { color: colour(item.slot) },
      }));
      return option;
    },
  };
}

const one = (label, histogram) => [{ label, slot: "policy-1", histogram }];
const PICTURES = {
  lru: curves("lru", "Hits of an LRU write buffer by its size", { title: "Size of the buffer", format: inBytes, log: true },
    { title: "Hits, %", format: inPercent }, data.lru),
  sizes: bars("sizes", "Sizes", inBytes, data.sizes),
  hot: curves("hot", "Hot set", { title: "Pages written, the hottest first, %", format: inPercent },
    { title: "Page writes, %", format: inPercent }, data.hot),
  rewritten: bars("rewritten", "Bytes written between two writes of a page", inBytes, one("rewrites", data.rewrites.bytes)),
  rewrites: bars("rewrites", "Time between two writes of a page", inNanos, one("rewrites", data.rewrites.ns)),
  working: curves("working", "Working set over time", { title: "Time since the first request", format: inNanos, step: true },
    { title: "Different pages written", format: (pages) => short.format(pages) }, data.working),
  flushed: bars("flushed", "Bytes written between flushes", inBytes, one("flushes", data.flushes.bytes)),
  flushes: bars("flushes", "Time between flushes", inNanos, one("flushes", data.flushes.ns)),
};

const charts = chartsOf(PICTURES, (_, picture) => picture.isEmpty());
drawAgain(() => drawAll(charts));
