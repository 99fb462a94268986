// Curves over time and over days, drawn with uPlot.
"use strict";

(() => {
  const { colour } = window.nemuri;
  const kept = [];

  function axes(labels) {
    const look = { stroke: colour("quiet"), grid: { stroke: colour("line") }, ticks: { stroke: colour("line") } };
    return [{ ...look, label: labels.x, labelSize: labels.x ? 20 : 0 }, { ...look, size: 56 }];
  }

  // Draw lines into an element, as wide as it is. `series` are the options of uPlot without the first one.
  function lines(element, data, series, options) {
    const chart = new uPlot(
      {
        width: Math.max(element.clientWidth, 240),
        height: options.height || 240,
        scales: { x: { time: Boolean(options.time) }, y: { range: (_, low, high) => [Math.min(0, low), high * 1.08 || 1] } },
        axes: axes({ x: options.x || "" }),
        series: [{ label: options.x || "" }, ...series],
        legend: { show: options.legend !== false, live: false },
        cursor: { drag: { x: true, y: false } },
      },
      data,
      element,
    );
    kept.push([element, chart]);
    return chart;
  }

  const line = (label, name, more) => ({ label, stroke: colour(name), width: 2, points: { show: false }, ...more });

  new ResizeObserver(() => {
    kept.forEach(([element, chart]) => chart.setSize({ width: Math.max(element.clientWidth, 240), height: chart.height }));
  }).observe(document.documentElement);

  window.nemuri.lines = lines;
  window.nemuri.line = line;

  window.nemuri.drawer("strength", (element, data) => {
    const label = element.dataset;
    lines(
      element,
      [data.times, data.strengths, data.uses, data.times.map(() => data.threshold)],
      [
        line(label.strength, "series-1", { paths: uPlot.paths.stepped({ align: 1 }) }),
        { label: label.used, stroke: colour("series-3"), paths: () => null, points: { show: true, size: 8, fill: colour("series-3") } },
        line(label.archived, "series-5", { dash: [6, 4], width: 1 }),
      ],
      { time: true },
    );
  });

  window.nemuri.drawer("retention", (element, data) => {
    const label = element.dataset;
    const curves = data.memories.map((each) => line(`${label.level} ${each.level}`, `series-${each.level}`, { width: 1.5 }));
    const thresholds = data.thresholds.map((each, number) => line(`${label.level} ${number + 1}`, "quiet", { dash: [6, 4], width: 1 }));
    lines(
      element,
      [data.nights, ...data.memories.map((each) => each.values), ...data.thresholds.map((each) => data.nights.map(() => each))],
      [...curves, ...thresholds],
      { x: label.nights, legend: false },
    );
  });

  window.nemuri.drawer("mood", (element, data) => {
    const days = data.days.map((each) => Date.parse(each) / 1000);
    const series = [line(element.dataset.valence, "series-1", { points: { show: true } }), line(element.dataset.arousal, "series-2", { dash: [5, 3], points: { show: true } })];
    lines(element, [days, data.valence, data.arousal], series, { time: true });
  });

  window.nemuri.drawer("retained", (element, data) => {
    lines(element, [data.times, data.values], [line(element.dataset.retention, "series-1", { points: { show: true } })], { time: true });
  });

  window.nemuri.drawer("forecast", (element, data) => {
    const label = element.dataset;
    lines(
      element,
      [data.days, data.forecast, data.days.map(() => data.threshold)],
      [line(label.strength, "series-1", { dash: [2, 3] }), line(label.archived, "series-5", { dash: [6, 4], width: 1 })],
      { x: label.days },
    );
  });
})();
