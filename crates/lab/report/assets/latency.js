// Latencies under the parallel model: the share of the requests that take at least as long as a time.
const OPERATIONS = [["W", "writes"], ["R", "reads"], ["F", "flushes"], ["D", "discards"]];
const PERCENTILES = [["p50", 50], ["p90", 10], ["p99", 1], ["p99.9", 0.1], ["p99.99", 0.01]];
const NAMED = ["mean", ...PERCENTILES.map(([name]) => name), "longest"];

// The operations of which any policy's run has latencies.
const operations = OPERATIONS.filter(([op]) =>
  runs.some((run) => !series[run.series].bound && run.clocked?.latency[op]));

// The compared items with latencies of the chosen operation.
const timed = () => compared().flatMap((item) => {
  const latency = item.run.clocked?.latency[operations[chosen.operation]?.[0]];
  return latency ? [{ ...item, latency }] : [];
});

// The percent of the requests that take at least as long.
const shareAt = ({ latency }, micros) => latency.points.find(([time]) => time >= micros)?.[1];

const latencyPicture = {
  title: () => `Latency of ${operations[chosen.operation][1]}`,
  below: () => staying(true),
  height: () => null,
  isEmpty: () => operations.length === 0,
  table() {
    const rows = timed().map(({ label, latency }) => [label, latency.count, ...latency.named]);
    return [["", "requests", ...NAMED.map((name) => `${name} (µs)`)], ...rows];
  },
  option(view) {
    const option = base(view);
    const items = timed();
    const least = Math.min(1, ...items.map(({ latency }) => latency.points.at(-1)[1]));
    const bottom = 10 ** Math.floor(Math.log10(least));
    if (view.picture) {
      option.legend = { top: 68, left: 12, textStyle: { color: colour("ink") } };
      option.grid.top = 124;
    }
    option.grid.right += 44;
    option.tooltip.axisPointer = { snap: false };
    option.tooltip.formatter = ([{ axisValue }]) => tip(
      `at least ${inTime(axisValue)}`,
      items.map((item) => ({ item, value: shareAt(item, axisValue) })),
      (share) => `${short.format(share)} %`, false,
    );
    option.xAxis = axisOf("Latency", {
      type: "log", nameGap: 30, splitLine: { show: false },
      axisLabel: { formatter: inTime }, axisPointer: { label: { show: false } },
    });
    option.yAxis = axisOf("Share at least as long, %", {
      type: "log", min: bottom, max: 100, nameGap: 44,
      axisLabel: { formatter: (value) => short.format(value) },
    });
    option.series = items.map((item) => {
      // a logarithmic axis has no 0
      const points = item.latency.points.map(([time, share]) => ({ value: [Math.max(time, 1e-3), share], symbol: "none" }));
      if (points.length > 0) points.at(-1).symbol = undefined;
      return { ...curve(item, points), step: "start" };
    });
    const lines = PERCENTILES.filter(([, share]) => share >= bottom);
    if (option.series.length) {
      option.series[0].markLine = {
        silent: true, symbol: "none",
        lineStyle: { color: colour("muted"), type: "dotted", width: 1 },
        data: lines.map(([name, share]) => ({
          yAxis: share, label: { formatter: name, position: "end", color: colour("muted"), fontSize: 12 },
        })),
      };
    }
    return option;
  },
};

// Values over time: a curve for each compared item.
const MEASURES = [
  ["write", "Written", "MB/s"], ["read", "Read", "MB/s"],
  ["write_mean", "Mean latency of writes", "time"], ["write_max", "Longest latency of writes", "time"],
  ["read_mean", "Mean latency of reads", "time"], ["read_max", "Longest latency of reads", "time"],
  ["chips", "Chips at work", "%"], ["channels", "Channels at work", "%"], ["bus", "Bus at work", "%"],
];

// The measures that are not empty.
const measures = MEASURES.filter(([key]) => runs.some((run) => run.clocked?.time[key].some((value) => value > 0)));

const overPicture = {
  title: () => `${measures[chosen.measure][1]} over time`,
  below: () => staying(true),
  height: () => null,
  isEmpty: () => measures.length === 0,
  items: () => compared().filter(({ run }) => run.clocked),
  points({ run }) {
    const { width, ...columns } = run.clocked.time;
    return columns[measures[chosen.measure][0]].map((value, index) => [(index + 0.5) * width, value]);
  },
  table() {
    const [, title, unit] = measures[chosen.measure];
    const rows = this.items().flatMap((item) => this.points(item).map((point) => [item.label, ...point]));
    return [["", "time (s)", `${title} (${unit === "time" ? "µs" : unit})`], ...rows];
  },
  option(view) {
    const [, title, unit] = measures[chosen.measure];
    const format = unit === "time" ? inTime : (value) => `${short.format(value)} ${unit}`;
    const option = base(view);
    const items = this.items();
    if (view.picture) {
      option.legend = { top: 68, left: 12, textStyle: { color: colour("ink") } };
      option.grid.top = 124;
    }
    option.tooltip.axisPointer = { snap: false };
    option.tooltip.formatter = ([{ axisValue }]) => tip(
      `${short.format(axisValue)} s`,
      items.map((item) => ({ item, value: this.points(item)[Math.floor(axisValue / item.run.clocked.time.width)]?.[1] })),
      format, unit === "MB/s",
    );
    option.xAxis = numbersOf("Time, s", view, { type: "value", nameGap: 30, min: 0, axisPointer: { label: { show: false } } });
    const log = unit === "time";
    option.yAxis = axisOf(log ? title : `${title}, ${unit}`, {
      type: log ? "log" : "value", nameGap: 52, splitNumber: 5,
      axisLabel: { formatter: log ? inTime : (value) => short.format(value) },
    });
    const positive = (value) => (log && !(value > 0) ? null : value);
    option.series = items.map((item) => ({
      ...curve(item, this.points(item).map(([at, value]) => [at, positive(value)])), showSymbol: false, connectNulls: log,
    }));
    return option;
  },
};

// The use of chips, channels and bus: a bar of each for each compared item.
const USED = [["chips", "chips, in the mean"], ["channels", "channels, in the mean"], ["bus", "bus"]];

const usePicture = {
  parts: () => USED.filter(([part]) => runs.some((run) => run.clocked?.use[part] > 0)),
  title: () => "Use of chips, channels and bus",
  below: () => staying(true),
  height() { return 76 + (16 + 15 * this.parts().length) * overPicture.items().length; },
  isEmpty() { return this.parts().length === 0; },
  table() {
    const parts = this.parts();
    const rows = overPicture.items().map(({ label, run: { clocked } }) =>
      [label, ...parts.map(([part]) => clocked.use[part]), clocked.use.least, clocked.use.most]);
    return [["", ...parts.map(([, name]) => `${name} (%)`), "least used chip (%)", "most used chip (%)"], ...rows];
  },
  option(view) {
    const option = base(view);
    const items = overPicture.items();
    const format = (value) => `${number(1)(value)} %`;
    option.grid.right += 44;
    option.tooltip.axisPointer = { type: "shadow" };
    option.tooltip.formatter = (bars) => {
      const { label, run: { clocked: { use } } } = items[bars[0].dataIndex];
      const lines = bars.map((bar) => `<tr><td>${bar.seriesName}</td><td>${format(bar.value)}</td></tr>`);
      const chips = `<tr><td>least and most used chip</td><td>${format(use.least)}, ${format(use.most)}</td></tr>`;
      return `<b>${echarts.format.encodeHTML(label)}</b><table class="tip">${lines.join("")}${chips}</table>`;
    };
    option.xAxis = numbersOf("Share of the simulated time, %", view, { type: "value", nameGap: 30, max: 100 });
    option.yAxis = itemsOf(items, view);
    option.series = this.parts().map(([part, name]) => ({
      name, type: "bar", barMaxWidth: 14, data: items.map(({ run }) => run.clocked.use[part]),
      itemStyle: { color: colour(`part-${part}`) },
      label: { show: true, position: "right", color: colour("ink"), fontSize: 11, formatter: ({ value }) => format(value) },
    }));
    return option;
  },
};
