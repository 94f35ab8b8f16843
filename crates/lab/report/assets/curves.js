// The chosen figure: curves along an axis of numbers, or one bar for each system without such an axis.
// Numbers far apart get a logarithmic axis, others a linear one.
function scaleOf(axis) {
  const numbers = axis.values.map((value) => value.at);
  const wide = numbers[0] > 0 && numbers.at(-1) / numbers[0] >= 8;
  return wide ? numbers.map(Math.log2) : numbers;
}

const unitOf = (figure) => (figure.unit === "×" ? "" : `, ${figure.unit}`);
const shownSeries = () => series.flatMap((one, index) => (isShown(index) ? [{ ...one, values: valuesOf(index) }] : []));

const figurePicture = {
  title() {
    const { title } = figures[chosen.figure];
    return axes.length ? `${title} by ${inSentence(axes[chosen.axis].title)}` : title;
  },
  below: () => staying(false),
  height: () => (axes.length ? null : 70 + 32 * shownSeries().length),
  option: (view) => (axes.length ? curvesOption(view) : barsOption(view)),
  table() {
    const shown = shownSeries();
    if (!axes.length) {
      const { title, unit } = figures[chosen.figure];
      return [["", `${title} (${unit})`], ...shown.map((item) => [item.label, item.values[0]])];
    }
    const { title, values } = axes[chosen.axis];
    const rows = values.map(({ at }, place) => [at, ...shown.map((item) => item.values[place])]);
    return [[title, ...shown.map((item) => item.label)], ...rows];
  },
};

function curvesOption(view) {
  const figure = figures[chosen.figure];
  const axis = axes[chosen.axis];
  const shown = shownSeries();
  const places = scaleOf(axis);
  const usable = (value) => (chosen.log && !(value > 0) ? null : value);
  const option = base(view);
  const room = labelRoom(shown, view);
  option.grid.right += room;
  option.tooltip.axisPointer = { snap: true };
  option.tooltip.formatter = ([{ dataIndex: place }]) => tip(
    `${axis.title} ${axis.values[place].text}`,
    shown.map((item) => ({ item, value: item.values[place] })),
    number(figure.decimals), figure.more,
  );
  option.xAxis = axisOf(axis.title, {
    type: "value", min: places[0], max: places.at(-1), nameGap: 30, splitLine: { show: false },
    axisTick: { customValues: places, lineStyle: { color: colour("line") } },
    axisLabel: {
      customValues: places, hideOverlap: true,
      formatter: (value) => axis.values[nearest(places, value)].text,
    },
    axisPointer: { label: { show: false } },
  });
  option.yAxis = numbersOf(figure.title + unitOf(figure), view, {
    type: chosen.log ? "log" : "value", scale: areClose(shown.flatMap((item) => item.values)),
  });
  option.series = shown.map((item) => ({
    ...curve(item, item.values.map((value, place) => [places[place], usable(value)])),
    endLabel: {
      // a curve without a point has no end
      show: room > 0 && item.values.some((value) => usable(value) !== null), formatter: ({ seriesName }) => endName(seriesName, view), color: colour(item.slot), distance: 9, fontSize: 12,
      width: room, overflow: "truncate",
    },
  }));
  return option;
}

// An axis of similar numbers does not start at 0.
function areClose(values) {
  const known = values.filter((value) => value !== null);
  return Math.min(...known) > 0.7 * Math.max(...known);
}

function barsOption(view) {
  const figure = figures[chosen.figure];
  const shown = shownSeries();
  const format = number(figure.decimals);
  const option = base(view);
  option.grid.right += 48;
  option.tooltip.axisPointer = { type: "shadow" };
  const lengths = shown.map((item) => item.values[0]);
  const cut = chosen.log ? Infinity : cutOf(lengths);
  option.tooltip.valueFormatter = (_, place) => format(lengths[place]);
  option.xAxis = numbersOf(figure.title + unitOf(figure), view, { type: chosen.log ? "log" : "value", nameGap: 30, ...cutAxis(cut) });
  option.yAxis = itemsOf(shown, view);
  option.series = [{
    name: figure.title, type: "bar", barMaxWidth: 22,
    label: { show: true, position: "right", color: colour("ink"), formatter: ({ dataIndex }) => format(lengths[dataIndex]) },
    markPoint: breaks(lengths, cut),
    data: shown.map((item) => ({
      value: item.values[0] === null ? null : Math.min(item.values[0], cut),
      itemStyle: { color: colour(item.slot), opacity: item.bound ? 0.5 : 1 },
    })),
  }];
  return option;
}
