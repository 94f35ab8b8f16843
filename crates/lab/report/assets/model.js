// The choices of the reader.
const { axes, figures, series, runs, erased } = data;

// The indices of the policies among the series; the others are bounds.
const policies = series.flatMap((one, index) => (one.bound ? [] : [index]));

// `at` has a place on each axis; `axis` is the axis of the curves, the others keep their place.
const chosen = { figure: data.figure, axis: 0, at: [...data.at], log: false, shown: new Map(), operation: 0, measure: 0, timeline: 0 };

// The run of a series at a point; a run that does not read an axis is at all its places.
const runAt = (index, at) => runs.findLast((run) =>
  run.series === index && run.at.every((own, axis) => own === null || own === at[axis]));

// The point with another place on the axis of the curves.
const moved = (place) => chosen.at.with(chosen.axis, place);

// A series along the axis: its run at each place.
const along = (index) => axes[chosen.axis].values.map((_, place) => runAt(index, moved(place)));

// The values of a series for the chosen figure, at each place or at the only one.
const valuesOf = (index) =>
  (axes.length ? along(index) : [runAt(index, [])]).map((run) => run?.figures[chosen.figure] ?? null);

// Whether a series is a valid bound for the chosen figure of every run.
const bounds = (index) => runs.every((run) => run.series !== index || run.bounds[chosen.figure]);

// The reader's choice; by default each policy and each valid bound, except the ideal FTL, which would dominate the
// scale.
const isShown = (index) => chosen.shown.get(index)
  ?? (!series[index].bound || (series[index].slot !== "bound-2" && bounds(index)));

// The items that bars and wear compare: the policies at the point, or the places of the axis for a single policy.
function compared() {
  const single = policies.length === 1 && axes.length > 0;
  const items = single
    ? axes[chosen.axis].values.map(({ text }, place) =>
      ({ label: text, slot: `policy-${1 + place % CURVES}`, run: runAt(policies[0], moved(place)) }))
    : policies.map((index) => ({ ...series[index], run: runAt(index, chosen.at) }));
  return items.filter(({ run }) => run);
}

// The fixed axes: "buffer size 16 MiB".
function staying(all) {
  const fixed = axes.flatMap((axis, index) =>
    (index === chosen.axis && !all ? [] : [`${inSentence(axis.title)} ${axis.values[chosen.at[index]].text}`]));
  return fixed.join(", ");
}

const inSentence = (title) => (/^[A-Z]{2}/.test(title) ? title : title[0].toLowerCase() + title.slice(1));
