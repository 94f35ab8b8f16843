// Draws pictures, and again when a choice, the size or the colour scheme changes.

// A picture in words, for screen readers.
function inWords(picture) {
  const [head, ...rows] = picture.table();
  const lines = rows.slice(0, 40).map((row) => row.map((value, i) => `${head[i]} ${value ?? "–"}`.trim()).join(", "));
  return [picture.title(), picture.below(), ...lines].filter(Boolean).join(". ");
}

// The charts of the pictures with data; the places of the others are hidden.
function chartsOf(pictures, isEmpty) {
  return Object.entries(pictures).flatMap(([id, picture]) => {
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
}

function drawAll(charts) {
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

// Draws now and whenever the page looks different.
function drawAgain(draw) {
  const printing = (on) => {
    root.classList.toggle("printing", on);
    draw();
  };
  draw();
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
  addEventListener("resize", draw);
  addEventListener("beforeprint", () => printing(true));
  addEventListener("afterprint", () => printing(false));
}
