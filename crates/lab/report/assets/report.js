// Draws all pictures, and again when a choice, the size or the colour scheme changes.
const PICTURES = {
  figure: figurePicture,
  time: data.clocks ? stacked("time", "Use of the chips by cause", "%", 1) : stacked("time", "Simulated time by cause", "s", 1),
  programs: stacked("programs", "Write amplification by cause", "", 2),
  merges: stacked("merges", "Merges by kind", "", 0),
  wear: wearPicture,
  bytes: stacked("bytes", "Bytes to flash by cause", "GB", 2),
  life: lifePicture,
  latency: latencyPicture,
  over: overPicture,
  use: usePicture,
  timeline: timelinePicture,
};

// A picture in words, for screen readers.
function inWords(picture) {
  const [head, ...rows] = picture.table();
  const lines = rows.slice(0, 40).map((row) => row.map((value, i) => `${head[i]} ${value ?? "–"}`.trim()).join(", "));
  return [picture.title(), picture.below(), ...lines].filter(Boolean).join(". ");
}

// A picture without data is left out.
const isEmpty = (id, picture) => (picture.isEmpty ? picture.isEmpty() : id === "figure" ? series.length === 0
  : id === "life" ? spareAxis === null || lived().length === 0
  : id === "wear" ? !runs.some((run) => !series[run.series].bound && run.wear.length) : picture.parts().length === 0);

const charts = Object.entries(PICTURES).flatMap(([id, picture]) => {
  const element = byId(id);
  const place = element.closest("[data-picture]");
  if (isEmpty(id, picture)) {
    place.hidden = true;
    return [];
  }
  if (picture.parts) partLegend(`${id}-parts`, picture.parts());
  pictureTools(place.querySelector("figcaption"), picture);
  return [{ element, picture, chart: echarts.init(element, null, { renderer: "svg" }) }];
});

function draw() {
  if (series.length === 0) return;
  tell();
  for (const { element, picture, chart } of charts) {
    const height = picture.height();
    element.style.height = height === null ? "" : `${height}px`;
    const option = picture.option({ narrow: element.clientWidth < 480 });
    chart.resize();
    chart.setOption(option, true);
    spreadLabels(chart, option);
    element.ariaLabel = inWords(picture);
  }
}

function printing(on) {
  root.classList.toggle("printing", on);
  draw();
}

figureTabs();
operationTabs();
seriesLegend();
byId("log").addEventListener("change", ({ target }) => {
  chosen.log = target.checked;
  draw();
});
for (const place of document.querySelectorAll("[data-table]")) {
  tableTools(place.querySelector("figcaption"), place.querySelector("table"), place.dataset.table);
}
byId("bytes").closest("figure").classList.toggle("wide", byId("life").closest("figure").hidden);
byId("wear").closest("figure").classList.toggle("wide", byId("merges").closest("figure").hidden);
draw();
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
addEventListener("resize", draw);
addEventListener("beforeprint", () => printing(true));
addEventListener("afterprint", () => printing(false));
