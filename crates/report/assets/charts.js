// Draws the charts from the JSON in #data, and again when the size or the colour scheme changes.
(() => {
  "use strict";
  const data = JSON.parse(document.getElementById("data").textContent);
  const root = document.documentElement;
  const byId = (id) => document.getElementById(id);
  const colour = (name) => getComputedStyle(root).getPropertyValue(`--${name}`).trim();
  const number = (digits) => {
    const format = new Intl.NumberFormat("en", { maximumFractionDigits: digits });
    return (value) => (value == null ? "–" : format.format(value));
  };

  // Slot of a curve → glyph in text, marker of ECharts, its rotation, and whether it is hollow.
  const MARKERS = {
    "policy-1": ["●", "circle"],
    "policy-2": ["■", "rect"],
    "policy-3": ["▲", "triangle"],
    "policy-4": ["◆", "diamond"],
    "policy-5": ["▼", "triangle", 180],
    "policy-6": ["○", "circle", 0, true],
    "policy-7": ["□", "rect", 0, true],
    "policy-8": ["△", "triangle", 0, true],
    "policy-9": ["◇", "diamond", 0, true],
    "policy-10": ["▽", "triangle", 180, true],
  };
  const DASHES = { "bound-1": "dashed", "bound-2": [2, 3] };
  const GLYPHS = { "policy-0": "━", "bound-1": "╍", "bound-2": "┅" };
  const PARTS = {
    seconds: [["host", "host data"], ["padding", "padding"], ["merge", "merges"],
      ["cleaning", "cleaning"], ["ageing", "ageing"], ["buffer", "buffer"]],
    merges: [["full", "full"], ["partial", "partial"], ["switch", "switch"]],
  };

  const hidden = new Set();
  const logScale = new Set();

  function base(narrow) {
    return {
      animation: false,
      aria: { enabled: false },
      textStyle: { fontFamily: getComputedStyle(document.body).fontFamily },
      tooltip: {
        trigger: "axis", confine: true,
        backgroundColor: colour("card"), borderColor: colour("line"),
        textStyle: { color: colour("ink"), fontSize: 13 },
      },
      grid: { left: 8, right: narrow ? 12 : 24, top: 12, bottom: 0, outerBoundsMode: "same", outerBoundsContain: "all" },
    };
  }

  function axis(name, extra) {
    const text = colour("muted");
    return {
      name, nameLocation: "middle", nameTextStyle: { color: text, fontSize: 12.5 },
      axisLabel: { color: text, hideOverlap: true },
      axisLine: { lineStyle: { color: colour("line") } },
      axisTick: { lineStyle: { color: colour("line") } },
      splitLine: { lineStyle: { color: colour("grid") } },
      ...extra,
    };
  }

  function policyAxis(items) {
    return axis("", {
      type: "category", inverse: true, data: items.map((item) => item.label),
      axisLabel: { color: colour("ink"), interval: 0 }, axisTick: { show: false },
    });
  }

  const glyph = (slot) => MARKERS[slot]?.[0] ?? GLYPHS[slot];

  // A tooltip that names each curve with its glyph, largest value first.
  function tip(title, items, format) {
    const lines = items.filter(({ value }) => value != null)
      .sort((a, b) => b.value - a.value)
      .map(({ item, value }) => `<tr><td style="color:${colour(item.slot)}">${glyph(item.slot)}</td>`
        + `<td>${echarts.format.encodeHTML(item.label)}</td><td>${format(value)}</td></tr>`);
    return `<b>${title}</b><table class="tip">${lines.join("")}</table>`;
  }

  // What every curve of a policy looks like.
  function curve(item, values) {
    const paint = colour(item.slot);
    const [, symbol, rotate, hollow] = MARKERS[item.slot] ?? ["", "none"];
    return {
      name: item.label, type: "line", data: values,
      symbol, symbolRotate: rotate ?? 0, symbolSize: 9, showAllSymbol: true,
      itemStyle: { color: hollow ? colour("card") : paint, borderColor: paint, borderWidth: hollow ? 2 : 0 },
      lineStyle: { color: paint, width: item.bound ? 1.5 : 2.25, type: DASHES[item.slot] ?? "solid" },
      emphasis: { focus: "series" },
    };
  }

  // Moves the labels at the right ends apart: down from the top, then up from the floor.
  function spreadLabels(chart, series) {
    const gap = 15;
    const ends = series.map((one, index) => {
      const last = one.data.length - 1;
      return { one, at: chart.convertToPixel({ seriesIndex: index }, [last, one.data[last] ?? 0])[1] };
    }).sort((a, b) => a.at - b.at);
    let limit = -Infinity;
    for (const end of ends) limit = (end.to = Math.max(end.at, limit)) + gap;
    limit = chart.getHeight() - 60;
    for (const end of ends.reverse()) limit = (end.to = Math.min(end.to, limit)) - gap;
    for (const { one, at, to } of ends) one.endLabel.offset = [0, to - at];
    chart.setOption({ series });
  }

  // With one size there is no curve to draw: a bar for each policy instead.
  function atOneSize(key, title, digits, narrow) {
    const option = base(narrow);
    const shown = data.curves.filter((item) => !hidden.has(item.label));
    const log = logScale.has(key);
    option.tooltip.axisPointer = { type: "shadow" };
    option.tooltip.valueFormatter = number(digits);
    option.xAxis = axis(title, { type: log ? "log" : "value", nameGap: 30, splitNumber: narrow ? 3 : 5 });
    option.yAxis = policyAxis(shown);
    option.series = [{
      name: title, type: "bar", barMaxWidth: 26,
      data: shown.map((item) => ({
        value: item[key][0],
        itemStyle: { color: colour(item.slot), opacity: item.bound ? 0.5 : 1 },
      })),
    }];
    return option;
  }

  function bySize(key, title, digits) {
    return (narrow) => {
      if (data.sizes.length < 2) return atOneSize(key, title, digits, narrow);
      const option = base(narrow);
      const log = logScale.has(key);
      const shown = data.curves.filter((item) => !hidden.has(item.label));
      const usable = (value) => (log && !(value > 0) ? null : value);
      option.grid.right = narrow ? 12 : 120;
      option.tooltip.formatter = ([{ dataIndex: index }]) =>
        tip(`${data.sizes[index]}: ${title}`, shown.map((item) => ({ item, value: item[key][index] })), number(digits));
      option.xAxis = axis("Buffer size", { type: "category", data: data.sizes, nameGap: 30, boundaryGap: false });
      option.yAxis = axis(title, { type: log ? "log" : "value" });
      option.series = shown.map((item) => {
        const series = curve(item, item[key].map(usable));
        series.endLabel = { show: !narrow, formatter: "{a}", color: colour(item.slot), distance: 10, fontSize: 12 };
        return series;
      });
      return option;
    };
  }

  // The parts that occur at all.
  const parts = (field) => PARTS[field].filter(([part]) => data.largest.some((row) => row[field][part] > 0));

  function stacked(field, title, digits) {
    const unit = field === "seconds" ? " s" : "";
    return (narrow) => {
      const option = base(narrow);
      const edge = colour("card");
      option.tooltip.axisPointer = { type: "shadow" };
      option.tooltip.valueFormatter = (value) => number(digits)(value) + unit;
      option.xAxis = axis(title, { type: "value", nameGap: 30, splitNumber: narrow ? 3 : 5 });
      option.yAxis = policyAxis(data.largest);
      option.series = parts(field).map(([part, name]) => ({
        name, type: "bar", stack: "all", barMaxWidth: 26,
        data: data.largest.map((row) => row[field][part]),
        itemStyle: { color: colour(`part-${part}`), borderColor: edge, borderWidth: 0.5 },
      }));
      return option;
    };
  }

  // Percent of the blocks erased at least so often.
  const shareFrom = (row, erases) => row.wear.find(([count]) => count >= erases)?.[1];

  function wear(narrow) {
    const option = base(narrow);
    const shown = data.largest.filter((row) => row.wear.length && !hidden.has(row.label));
    const least = Math.min(100, ...shown.map((row) => row.wear.at(-1)[1]));
    option.tooltip.axisPointer = { snap: false };
    option.tooltip.formatter = ([{ axisValue }]) => {
      const erases = Math.round(axisValue);
      const shares = shown.map((item) => ({ item, value: shareFrom(item, erases) }));
      return tip(`erased at least ${number(0)(erases)} times`, shares, (share) => `${number(3)(share)} %`);
    };
    option.xAxis = axis("Erases of a block", { type: "value", nameGap: 30, minInterval: 1, splitNumber: narrow ? 4 : 8 });
    option.yAxis = axis("Share of the blocks, %", { type: "log", min: 10 ** (Math.ceil(Math.log10(least)) - 1), max: 100 });
    option.series = shown.map((row) => {
      const last = row.wear.length - 1;
      const points = row.wear.map((value, index) => (index === last ? { value } : { value, symbol: "none" }));
      return { ...curve(row, points), step: "start" };
    });
    return option;
  }

  const charts = [
    ["throughput", bySize("throughput", "Throughput, MB/s", 2), data.curves.length > 0],
    ["erases", bySize("erases", "Block erases", 0), data.curves.length > 0],
    ["time", stacked("seconds", "Simulated time, s", 3), parts("seconds").length > 0],
    ["merges", stacked("merges", "Merges", 0), parts("merges").length > 0],
    ["wear", wear, data.largest.some((row) => row.wear.length > 0)],
  ].filter(([id, , any]) => any || empty(id)).map(([id, option]) => {
    const element = byId(id);
    if (id === "time" || id === "merges") element.style.height = `${90 + 36 * data.largest.length}px`;
    return { element, option, chart: echarts.init(element, null, { renderer: "svg" }) };
  });

  function empty(id) {
    byId(id).className = "empty";
    byId(id).textContent = "Nothing of the kind happened in these runs.";
    return false;
  }

  function draw() {
    for (const { element, option, chart } of charts) {
      const made = option(element.clientWidth < 480);
      chart.resize();
      chart.setOption(made, true);
      if (made.series[0]?.endLabel?.show) spreadLabels(chart, made.series);
    }
    for (const button of document.querySelectorAll(".legend button")) {
      button.ariaPressed = String(!hidden.has(button.dataset.label));
    }
  }

  function policyLegend(id, items) {
    for (const item of items) {
      const button = document.createElement("button");
      const mark = document.createElement("b");
      mark.textContent = glyph(item.slot);
      mark.style.setProperty("--colour", `var(--${item.slot})`);
      button.type = "button";
      button.dataset.label = item.label;
      button.append(mark, item.label);
      button.addEventListener("click", () => {
        if (!hidden.delete(item.label)) hidden.add(item.label);
        draw();
      });
      byId(id).append(button);
    }
  }

  function partLegend(id, field) {
    for (const [part, name] of parts(field)) {
      const key = document.createElement("span");
      const swatch = document.createElement("i");
      swatch.className = "swatch";
      swatch.style.setProperty("--colour", `var(--part-${part})`);
      key.append(swatch, name);
      byId(id).append(key);
    }
  }

  function printing(on) {
    root.classList.toggle("printing", on);
    draw();
  }

  for (const box of document.querySelectorAll("[data-log]")) {
    box.addEventListener("change", () => {
      if (box.checked) logScale.add(box.dataset.log);
      else logScale.delete(box.dataset.log);
      draw();
    });
  }
  policyLegend("policies", data.curves);
  policyLegend("wear-policies", data.largest.filter((row) => row.wear.length > 0));
  partLegend("time-parts", "seconds");
  partLegend("merge-parts", "merges");
  draw();
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
  addEventListener("resize", draw);
  addEventListener("beforeprint", () => printing(true));
  addEventListener("afterprint", () => printing(false));
})();
