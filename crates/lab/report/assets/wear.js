// The erases of the blocks: a curve for each compared item.
const worn = () => compared().filter(({ run }) => run.wear.length > 0);

// Percent of the blocks with at least this many erases.
const shareFrom = ({ run }, erases) => run.wear.find(([count]) => count >= erases)?.[1];

const wearPicture = {
  title: () => `Wear of the ${erased}s`,
  below: () => staying(true),
  height: () => null,
  table() {
    const pairs = worn().flatMap(({ label, run }) => run.wear.map(([erases, share]) => [label, erases, share]));
    return [["", "erased at least this often", `share of the ${erased}s (%)`], ...pairs];
  },
  option(view) {
    const option = base(view);
    const items = worn();
    const least = Math.min(100, ...items.map(({ run }) => run.wear.at(-1)[1]));
    if (view.picture) {
      option.legend = { top: 68, left: 12, textStyle: { color: colour("ink") } };
      option.grid.top = 124;
    }
    option.tooltip.axisPointer = { snap: false };
    option.tooltip.formatter = ([{ axisValue }]) => {
      const erases = Math.round(axisValue);
      const shares = items.map((item) => ({ item, value: shareFrom(item, erases) }));
      return tip(`erased at least ${number(0)(erases)} times`, shares, (share) => `${number(2)(share)} %`, false);
    };
    option.xAxis = numbersOf(`Erases of a ${erased}`, view, { type: "value", nameGap: 30, minInterval: 1 });
    option.yAxis = axisOf(`Share of the ${erased}s, %`, {
      type: "log", min: 10 ** (Math.ceil(Math.log10(least)) - 1), max: 100, nameGap: 40,
      axisLabel: { formatter: (value) => short.format(value) },
    });
    option.series = items.map((item) => {
      const last = item.run.wear.length - 1;
      const points = item.run.wear.map((value, index) => (index === last ? { value } : { value, symbol: "none" }));
      return { ...curve(item, points), step: "start" };
    });
    return option;
  },
};
