// The data of the page, and what the reader chose of it.
const data = JSON.parse(document.getElementById("data").textContent);
const { axes, figures, series, runs } = data;
const byId = (id) => document.getElementById(id);

// Places of the policies among the series; the others are bounds.
const policies = series.flatMap((one, index) => (one.bound ? [] : [index]));

// `at` is a place on each axis; `axis` is the one that curves run along, the others stay at their place.
const chosen = { figure: 0, axis: 0, at: [...data.at], log: false, shown: new Map() };

// The run of a series at a point; a run that does not read an axis stands at all its places.
const runAt = (index, at) => runs.findLast((run) =>
  run.series === index && run.at.every((own, axis) => own === null || own === at[axis]));

// The point with another place on the axis of the curves.
const moved = (place) => chosen.at.with(chosen.axis, place);

// A series along the axis: its run at each place.
const along = (index) => axes[chosen.axis].values.map((_, place) => runAt(index, moved(place)));

// What a series has of the chosen figure, at each place or at the only one.
const valuesOf = (index) =>
  (axes.length ? along(index) : [runAt(index, [])]).map((run) => run?.figures[chosen.figure] ?? null);

// Whether a series bounds the chosen figure of every run that it is shown with.
const bounds = (index) => runs.every((run) => run.series !== index || run.bounds[chosen.figure]);

// As the reader chose; else every policy, and a bound where it is one. An ideal FTL would take the scale from the others.
const isShown = (index) => chosen.shown.get(index)
  ?? (!series[index].bound || (series[index].slot !== "bound-2" && bounds(index)));

// What the bars and the wear compare: the policies at the point, or of a single policy the places of the axis.
function compared() {
  const single = policies.length === 1 && axes.length > 0;
  const items = single
    ? axes[chosen.axis].values.map(({ text }, place) =>
      ({ label: text, slot: `policy-${1 + place % 10}`, run: runAt(policies[0], moved(place)) }))
    : policies.map((index) => ({ ...series[index], run: runAt(index, chosen.at) }));
  return items.filter(({ run }) => run);
}

// What stays as it is: "buffer size 16 MiB".
function staying(all) {
  const fixed = axes.flatMap((axis, index) =>
    (index === chosen.axis && !all ? [] : [`${inSentence(axis.title)} ${axis.values[chosen.at[index]].text}`]));
  return fixed.join(", ");
}

const inSentence = (title) => (/^[A-Z]{2}/.test(title) ? title : title[0].toLowerCase() + title.slice(1));
