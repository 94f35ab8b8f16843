// Bars of the parts of a run, one bar for each compared item.
// Those that are not 0 in every run, each with the name of its colour and its own.
const parts = (field) => data.stacks[field].filter(([part]) =>
  runs.some((run) => !series[run.series].bound && run[field][part] > 0));

// A tooltip of the parts of a bar.
const partsTip = (title, bars, text) => `<b>${echarts.format.encodeHTML(title)}</b><table class="tip">${bars.map((bar) =>
  `<tr><td>${bar.marker}</td><td>${echarts.format.encodeHTML(bar.seriesName)}</td><td>${text(bar)}</td></tr>`).join("")}</table>`;

const stacked = (field, title, unit, digits) => ({
  parts: () => parts(field),
  title: () => title,
  below: () => staying(true),
  height: () => 76 + 34 * compared().length,
  table() {
    const head = parts(field).map(([, name]) => (unit ? `${name} (${unit})` : name));
    const rows = compared().map(({ label, run }) => [label, ...parts(field).map(([part]) => run[field][part])]);
    return [["", ...head], ...rows];
  },
  option(view) {
    const option = base(view);
    const items = compared();
    const format = number(digits);
    const sums = items.map(({ run }) => parts(field).reduce((all, [part]) => all + run[field][part], 0));
    const cut = cutOf(sums);
    // of a bar that is cut, what each part takes of the length that is left
    const left = sums.map(() => cut);
    const lengthOf = (value, place) => {
      const length = Math.min(value, left[place]);
      left[place] -= length;
      return length;
    };
    option.grid.right += view.narrow ? 44 : 40;
    option.tooltip.axisPointer = { type: "shadow" };
    option.tooltip.formatter = (bars) => partsTip(items[bars[0].dataIndex].label, bars, (bar) =>
      format(items[bar.dataIndex].run[field][parts(field)[bar.seriesIndex][0]]) + (unit ? ` ${unit}` : ""));
    option.xAxis = numbersOf(unit ? `${title}, ${unit}` : title, view, { type: "value", nameGap: 30, ...cutAxis(cut) });
    option.yAxis = itemsOf(items, view);
    option.series = parts(field).map(([part, name], index, all) => ({
      name, type: "bar", stack: "all", barMaxWidth: 22,
      data: items.map(({ run }, place) => lengthOf(run[field][part], place)),
      markPoint: index === all.length - 1 ? breaks(sums, cut) : undefined,
      itemStyle: { color: colour(`part-${part}`), borderColor: colour("card"), borderWidth: 0.5 },
      label: {
        show: index === all.length - 1, position: "right", color: colour("ink"),
        formatter: ({ dataIndex }) => format(sums[dataIndex]),
      },
    }));
    return option;
  },
});
