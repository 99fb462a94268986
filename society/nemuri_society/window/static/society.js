// The map of a society, moved by what its processes send, and what its agents say.
"use strict";

(() => {
  const SVG = "http://www.w3.org/2000/svg";
  const MOST_SAID = 50;
  const points = new Map();

  function add(parent, name, attributes, text) {
    const made = document.createElementNS(SVG, name);
    Object.entries(attributes).forEach(([key, value]) => made.setAttribute(key, value));
    if (text) made.textContent = text;
    parent.append(made);
    return made;
  }

  function pointOf(svg, society, agent, named) {
    const link = add(svg, "a", { href: `/societies/${society}/agents/${agent.id}` });
    add(link, "title", {}, agent.name);
    add(link, "circle", { r: 1, fill: window.nemuri.colour("fill"), "vector-effect": "non-scaling-stroke" });
    if (named) add(link, "text", { x: 1.6, y: 1, "font-size": 3.2, fill: window.nemuri.colour("ink") }, agent.name);
    return link;
  }

  function move(point, x, z) {
    point.setAttribute("transform", `translate(${x},${z}) scale(${point.dataset.scale})`);
  }

  // The map shows the part of the world where agents and towns are.
  window.nemuri.drawer("map", (element, data) => {
    points.clear();
    const places = [...data.agents.map((each) => [each.x, each.z]), ...Object.values(data.towns)];
    const bounds = (axis) => [Math.min(...places.map((each) => each[axis])), Math.max(...places.map((each) => each[axis]))];
    const [[left, right], [top, bottom]] = [bounds(0), bounds(1)];
    const side = Math.max(right - left, bottom - top, 20) * 1.2;
    const corner = [(left + right - side) / 2, (top + bottom - side) / 2];
    const svg = add(element, "svg", { viewBox: `${corner[0]} ${corner[1]} ${side} ${side}`, width: "100%", height: 420 });
    add(svg, "rect", { x: corner[0], y: corner[1], width: side, height: side, fill: window.nemuri.colour("ground") });
    const scale = side / 100;
    Object.entries(data.towns).forEach(([name, [x, z]]) => {
      add(svg, "rect", { x: x - scale, y: z - scale, width: 2 * scale, height: 2 * scale, fill: window.nemuri.colour("accent") });
      add(svg, "text", { x: x + 1.6 * scale, y: z - 1.2 * scale, "font-size": 3 * scale, fill: window.nemuri.colour("quiet") }, name);
    });
    data.agents.forEach((agent) => {
      const point = pointOf(svg, element.dataset.society, agent, data.agents.length <= 60);
      point.dataset.scale = scale;
      move(point, agent.x, agent.z);
      if (data.live) points.set(agent.id, point);
    });
  });

  window.nemuri.drawer("friends", (element, data) => {
    const { colour } = window.nemuri;
    const nodes = data.nodes.map((each) => ({
      label: each.label, href: `/societies/${data.society}/agents/${each.id}`, size: 5 + Math.min(6, each.degree / 3), colour: colour("fill"),
    }));
    const links = data.links.map((each) => ({
      source: each.source, target: each.target, width: 0.5 + Math.min(3, Math.abs(each.value)),
      colour: each.value > 0 ? colour("good") : each.value < 0 ? colour("bad") : colour("quiet"), dash: each.value < 0 ? "5 3" : "",
    }));
    window.nemuri.drawGraph(element, nodes, links);
  });

  function say(list, each) {
    const line = document.createElement("li");
    const speaker = document.createElement("a");
    speaker.href = `/societies/${list.dataset.society}/agents/${each.id}`;
    speaker.textContent = each.name;
    line.append(speaker, `: ${each.text}`);
    list.prepend(line);
    while (list.children.length > MOST_SAID) list.lastChild.remove();
  }

  document.addEventListener("DOMContentLoaded", () => {
    const list = document.querySelector("#speech[data-live]");
    if (!list) return;
    const state = document.querySelector("#society-state");
    new EventSource(list.dataset.live).addEventListener("news", (event) => {
      const news = JSON.parse(event.data);
      if (news.second !== null) state.textContent = `${state.dataset.running} ${Math.round(news.second)}`;
      Object.entries(news.places).forEach(([id, [x, z]]) => points.has(id) && move(points.get(id), x, z));
      news.speech.forEach((each) => say(list, each));
    });
  });
})();
