// What chips, channels and bus did while the slowest write was served: a row for each part.
const ACTIVITIES = {
  host_read: "read for the host", read: "read to pad or to complete a page", program: "program",
  copy_read: "read in a merge or cleaning", copy_program: "program in a merge or cleaning", erase: "erase",
  move: "move pages",
};
// More rows than this cannot be told apart.
const MOST_ROWS = 72;

const timelines = data.timelines ?? [];
const line = () => timelines[chosen.timeline];

// The parts that did something: all, or the busiest ones in their order.
function rowsOf({ parts }) {
  const worked = ({ spans }) => spans.reduce((all, [, start, end, , share]) => all + (end - start) * share, 0);
  const active = parts.filter(({ spans }) => spans.length > 0);
  if (active.length <= MOST_ROWS) return active;
  const busiest = new Set([...active].sort((a, b) => worked(b) - worked(a)).slice(0, MOST_ROWS));
  return active.filter((part) => busiest.has(part));
}

const timelinePicture = {
  parts() {
    const used = new Set(timelines.flatMap(({ parts }) => parts.flatMap(({ spans }) => spans.map(([activity]) => activity))));
    return data.activities.flatMap((key, index) => (used.has(index) ? [[key, ACTIVITIES[key]]] : []));
  },
  title: () => `The slowest ${line().op === "R" ? "read" : "write"}: ${line().label}`,
  below() {
    const { from, completed } = line();
    const known = from > 0 ? `; shown from ${inTime(from / 1e3)} on` : "";
    return `Completed ${inTime(completed / 1e3)} after its issue${known}`;
  },
  height: () => 84 + 17 * rowsOf(line()).length,
  isEmpty: () => timelines.length === 0,
  table() {
    const rows = line().parts.flatMap(({ name, spans }) => spans.map(([activity, start, end, operations, share]) =>
      [name, ACTIVITIES[data.activities[activity]], start / 1e3, end / 1e3, operations, share]));
    return [["part", "activity", "from (µs)", "until (µs)", "operations", "at work (%)"], ...rows];
  },
  option(view) {
    const option = base(view);
    const { from, completed } = line();
    const rows = rowsOf(line());
    const begin = Math.max(from, 0);
    option.grid.top += 18;
    option.tooltip.axisPointer = { snap: false };
    option.tooltip.formatter = ([{ axisValue }]) => {
      const at = axisValue * 1e3;
      const lines = rows.flatMap(({ name, spans }) => spans.filter(([, start, end]) => start <= at && at < end)
        .map(([activity, start, end, operations]) => `<tr><td>${name}</td><td>${ACTIVITIES[data.activities[activity]]}</td>`
          + `<td>${operations} in ${inTime((end - start) / 1e3)}</td></tr>`));
      const more = lines.length > 16 ? `<tr><td>and ${lines.length - 16} more</td></tr>` : "";
      return `<b>${inTime(axisValue)} after the issue</b><table class="tip">${lines.slice(0, 16).join("")}${more}</table>`;
    };
    option.xAxis = numbersOf("Time since the issue", view, {
      type: "value", min: begin / 1e3, max: completed / 1e3, nameGap: 30,
      axisLabel: { formatter: inTime, hideOverlap: true }, axisPointer: { label: { show: false } },
    });
    option.yAxis = axisOf("", {
      type: "category", inverse: true, data: rows.map(({ name }) => name), axisTick: { show: false },
      axisLabel: { color: colour("ink"), interval: 0, fontSize: 11 },
    });
    // one broken line for each activity; pale, if the part mostly waits between its operations
    const least = (completed - begin) / 600;
    const drawn = ([key, name], pale) => {
      const activity = data.activities.indexOf(key);
      const segment = ([, start, end], row) => {
        const first = Math.min(Math.max(start, begin), completed - least);
        return [[first / 1e3, row], [Math.min(Math.max(end, first + least), completed) / 1e3, row], [null, null]];
      };
      const points = rows.flatMap(({ spans }, row) => spans
        .filter(([own, , , , share]) => own === activity && (share < 50) === pale)
        .flatMap((span) => segment(span, row)));
      return {
        name, type: "line", data: points, symbol: "none", connectNulls: false,
        lineStyle: { color: colour(`part-${key}`), width: 11, cap: "butt", opacity: pale ? 0.4 : 1 },
        itemStyle: { color: colour(`part-${key}`) }, emphasis: { disabled: true },
      };
    };
    option.series = this.parts().flatMap((part) => [drawn(part, true), drawn(part, false)])
      .filter(({ data }) => data.length);
    return option;
  },
};
