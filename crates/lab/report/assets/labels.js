// The labels at the ends of curves.
const LABEL_GAP = 15;

// On a phone, labels keep the values without their keys: "lru (window 0.5)" is "lru (0.5)".
const endName = (label, view) => (view.narrow ? label.replace(/([(,] ?)[^ ,()]+ (?=[^,()]+[,)])/g, "$1") : label);

// The width of the longest label at the end of a curve; 0 if the labels do not fit below each other.
function labelRoom(shown, view) {
  if (shown.length * LABEL_GAP > 300) return 0;
  const pen = document.createElement("canvas").getContext("2d");
  pen.font = `12px ${font()}`;
  const widths = shown.map((item) => pen.measureText(endName(item.label, view)).width + 4);
  return Math.ceil(Math.min(Math.max(0, ...widths), view.narrow ? 92 : 220));
}

// Moves the labels at the right ends apart: first downwards, then upwards from the bottom.
function spreadLabels(chart, made) {
  if (!made.series.some((one) => one.endLabel?.show)) return;
  const ends = made.series.flatMap((one, index) => {
    const last = one.data.findLast(([, value]) => value != null);
    return last ? [{ one, at: chart.convertToPixel({ seriesIndex: index }, last)[1] }] : [];
  }).sort((a, b) => a.at - b.at);
  let limit = -Infinity;
  for (const end of ends) limit = (end.to = Math.max(end.at, limit)) + LABEL_GAP;
  limit = chart.getHeight() - 60;
  for (const end of ends.reverse()) limit = (end.to = Math.min(end.to, limit)) - LABEL_GAP;
  for (const { one, at, to } of ends) one.endLabel.offset = [0, to - at];
  chart.setOption({ series: made.series });
}

// The index of the place that is nearest to a value.
const nearest = (places, value) =>
  places.reduce((best, place, index) => (Math.abs(place - value) < Math.abs(places[best] - value) ? index : best), 0);
