// Bars of the parts of a run, one bar for each compared item.
// Those that are not 0 in every run, each with the name of its colour and its own.
const parts = (field) => data.stacks[field].filter(([part]) =>
  runs.some((run) => !series[run.series].bound && run[field][part] > 0));

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
    const sum = ({ run }) => parts(field).reduce((all, [part]) => all + run[field][part], 0);
    option.grid.right += view.narrow ? 44 : 40;
    option.tooltip.axisPointer = { type: "shadow" };
    option.tooltip.valueFormatter = (value) => format(value) + (unit ? ` ${unit}` : "");
    option.xAxis = numbersOf(unit ? `${title}, ${unit}` : title, view, { type: "value", nameGap: 30 });
    option.yAxis = itemsOf(items, view);
    option.series = parts(field).map(([part, name], index, all) => ({
      name, type: "bar", stack: "all", barMaxWidth: 22,
      data: items.map(({ run }) => run[field][part]),
      itemStyle: { color: colour(`part-${part}`), borderColor: colour("card"), borderWidth: 0.5 },
      label: {
        show: index === all.length - 1, position: "right", color: colour("ink"),
        formatter: ({ dataIndex }) => format(sum(items[dataIndex])),
      },
    }));
    return option;
  },
});
