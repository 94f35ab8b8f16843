// All pictures of the report.
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

// A picture without data is left out.
const isEmpty = (id, picture) => (picture.isEmpty ? picture.isEmpty() : id === "figure" ? series.length === 0
  : id === "life" ? spareAxis === null || lived().length === 0
  : id === "wear" ? !runs.some((run) => !series[run.series].bound && run.wear.length) : picture.parts().length === 0);

const charts = chartsOf(PICTURES, isEmpty);

function draw() {
  if (series.length === 0) return;
  tell();
  drawAll(charts);
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
drawAgain(draw);
