// Tabs, lists and legends.
function figureTabs() {
  figures.forEach((figure, index) => {
    const button = made("button", { type: "button" }, figure.title);
    button.addEventListener("click", () => {
      chosen.figure = index;
      draw();
    });
    byId("figures").append(button);
  });
}

function operationTabs() {
  operations.forEach(([, name], index) => {
    const button = made("button", { type: "button" }, name);
    button.addEventListener("click", () => {
      chosen.operation = index;
      draw();
    });
    byId("operations").append(button);
  });
}

// The lists and legends of the pictures of time.
function tellTimes() {
  [...byId("operations").children].forEach((button, index) => { button.ariaPressed = String(index === chosen.operation); });
  if (measures.length) {
    byId("measures").replaceChildren(list("Show", measures.map(([, title]) => title), chosen.measure, (index) => { chosen.measure = index; }));
  }
  if (timelines.length) {
    byId("timelines").replaceChildren(...(timelines.length > 1
      ? [list("Run", timelines.map(({ label }) => label), chosen.timeline, (index) => { chosen.timeline = index; })] : []));
    byId("timeline-hint").textContent = `${timelinePicture.below()}. A row for each part; pale where it mostly waits. A write that waits for a merge or for cleaning shows it.`;
  }
  const marks = (items) => items.map(({ slot, label }) => made("span", {}, markOf(slot), label));
  byId("latency-items").replaceChildren(...marks(operations.length ? timed() : []));
  byId("over-items").replaceChildren(...marks(overPicture.items()));
  byId("clocked-at").textContent = staying(true) && `Charts: ${staying(true)}, as chosen above.`;
}

// A list to choose from.
function list(title, texts, at, choose) {
  const select = made("select", {}, ...texts.map((text, index) => made("option", { value: index }, text)));
  select.value = at;
  select.addEventListener("change", () => {
    choose(Number(select.value));
    draw();
  });
  return made("label", { className: "choice" }, `${title} `, select);
}

const placeList = (axis, index) =>
  list(axis.title, axis.values.map((value) => value.text), chosen.at[index], (place) => { chosen.at[index] = place; });

// The list of axes, and the lists of places on the other axes.
function figurePlaces() {
  const lists = axes.flatMap((axis, index) => (index === chosen.axis ? [] : [placeList(axis, index)]));
  if (axes.length > 1) {
    lists.unshift(list("By", axes.map((axis) => inSentence(axis.title)), chosen.axis, (axis) => { chosen.axis = axis; }));
  }
  byId("figure-places").replaceChildren(...lists);
}

// The point of the bars; if the bars are the places of an axis, that axis has no list.
function whyPlaces() {
  const lists = axes.flatMap((axis, index) =>
    (policies.length === 1 && index === chosen.axis ? [] : [placeList(axis, index)]));
  byId("why-places").replaceChildren(...lists);
}

function seriesLegend() {
  if (series.length < 2) return;
  series.forEach((one, index) => {
    const button = made("button", { type: "button" }, markOf(one.slot), one.label);
    button.dataset.series = index;
    button.addEventListener("click", () => {
      chosen.shown.set(index, !isShown(index));
      draw();
    });
    byId("series").append(button);
  });
}

// Updates the buttons and the texts around the pictures.
function tell() {
  const figure = figures[chosen.figure];
  byId("figure-title").textContent = figurePicture.title();
  const better = figure.judged ? figure.more ? "Higher is better." : "Lower is better." : "";
  byId("figure-hint").textContent = [better, axes.length > 1 ? `At ${figurePicture.below()}.` : ""].join(" ").trim();
  [...byId("figures").children].forEach((button, index) => { button.ariaPressed = String(index === chosen.figure); });
  for (const button of byId("series").children) button.ariaPressed = String(isShown(Number(button.dataset.series)));
  byId("wear-items").replaceChildren(...worn().map(({ slot, label }) => made("span", {}, markOf(slot), label)));
  byId("eaten-at").textContent = staying(true) && `Charts: ${staying(true)}, as chosen above.`;
  tellTimes();
  figurePlaces();
  whyPlaces();
  reasons();
}

// The reasons at the chosen point.
function reasons() {
  const figure = byId("reasons");
  const own = data.reasons.find(({ at }) => at.every((place, axis) =>
    place === chosen.at[axis] || (policies.length === 1 && axis === chosen.axis && place === data.at[axis])));
  figure.hidden = !own?.lines.length;
  if (figure.hidden) return;
  figure.querySelector("h3").textContent = `Why ${own.winner} beats ${own.against}`;
  const cell = (value, digits) => {
    const element = made("td", {}, number(digits)(value));
    element.dataset.value = value;
    return element;
  };
  const [head, body] = [figure.querySelector("thead"), figure.querySelector("tbody")];
  figure.querySelector("p").textContent = own.clocks
    ? `The whole difference in the time that the chips work, by cause, in percent of that time with ${own.against}. Chips work at the same time: it is no difference in simulated time.`
    : "The whole difference in simulated time, by cause.";
  const unit = own.clocks ? "%" : "s";
  const titles = ["Counter", own.winner, own.against, `${own.winner} (${unit})`, `${own.against} (${unit})`, `Saves (${unit})`];
  head.replaceChildren(made("tr", {}, ...titles.map((title) => made("th", { scope: "col" }, title))));
  body.replaceChildren(...own.lines.map(([name, value, against, ...seconds]) => {
    const label = made("th", { scope: "row" }, name);
    label.dataset.value = name;
    return made("tr", {}, label, cell(value, 0), cell(against, 0), ...seconds.map((value) => cell(value, 1)));
  }));
}
