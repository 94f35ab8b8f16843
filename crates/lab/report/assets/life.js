// Life and write amplification over spare space: two curves for each policy, with the knee of the life.
const spareAxis = data.spare;

// The runs of a series along the axis of spare space.
const alongSpare = (index) => axes[spareAxis].values.map((_, place) => runAt(index, chosen.at.with(spareAxis, place)));

const lived = () => policies.filter(isShown)
  .map((index) => ({ ...series[index], runs: alongSpare(index) }))
  .filter(({ runs }) => runs.filter((run) => run?.life != null).length > 1);

const lifePicture = {
  title: () => "Life and write amplification by over-provisioning",
  below: () => axes.flatMap((axis, index) =>
    (index === spareAxis ? [] : [`${inSentence(axis.title)} ${axis.values[chosen.at[index]].text}`])).join(", "),
  height: () => null,
  table() {
    const items = lived();
    const head = items.flatMap(({ label }) => [`${label}: TB until worn out`, `${label}: write amplification`]);
    const rows = axes[spareAxis].values.map(({ at }, place) =>
      [at, ...items.flatMap(({ runs }) => [runs[place]?.life, runs[place]?.waf])]);
    return [[axes[spareAxis].title, ...head], ...rows];
  },
  option(view) {
    const option = base(view);
    const { title, values } = axes[spareAxis];
    const places = values.map((value) => value.at);
    if (view.picture) {
      option.legend = { top: 68, left: 12, textStyle: { color: colour("ink") } };
      option.grid.top = 124;
    }
    const items = lived();
    option.tooltip.axisPointer = { snap: true };
    option.tooltip.formatter = ([{ dataIndex: place }]) => tip(
      `${title} ${values[place].text}`,
      items.map((item) => ({ item, value: item.runs[place]?.life })),
      (life) => `${short.format(life)} TB`, true,
    );
    option.xAxis = axisOf(title, {
      type: "value", min: places[0], max: places.at(-1), nameGap: 30, splitLine: { show: false },
      axisTick: { customValues: places, lineStyle: { color: colour("line") } },
      axisLabel: { customValues: places, formatter: (value) => values[nearest(places, value)].text },
      axisPointer: { label: { show: false } },
    });
    const scaled = (key) => areClose(items.flatMap(({ runs }) => runs.map((run) => run?.[key] ?? null)));
    option.yAxis = [
      numbersOf("TB until worn out", view, { type: "value", nameGap: 44, scale: scaled("life") }),
      numbersOf("Write amplification (dashed)", view, {
        type: "value", nameGap: 44, scale: scaled("waf"), splitLine: { show: false },
      }),
    ];
    option.series = items.flatMap((item) => {
      const knee = item.runs.findIndex((run) => run?.knee);
      const points = (key) => item.runs.map((run, place) => [places[place], run?.[key] ?? null]);
      const life = curve(item, points("life"));
      if (knee >= 0) {
        life.markPoint = {
          symbol: "circle", symbolSize: 18, silent: true,
          itemStyle: { color: "transparent", borderColor: colour("ink"), borderWidth: 1.5 },
          label: { show: true, position: "top", color: colour("ink"), formatter: `knee ${values[knee].text}` },
          data: [{ coord: [places[knee], item.runs[knee].life] }],
        };
      }
      const waf = { ...curve(item, points("waf")), yAxisIndex: 1, showSymbol: false };
      return [life, { ...waf, lineStyle: { ...waf.lineStyle, type: "dashed", width: 1.5 } }];
    });
    return option;
  },
};
