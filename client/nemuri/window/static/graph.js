// A graph of memories or persons, laid out with d3-force. Nodes are links; the list beside it says the same.
"use strict";

(() => {
  const SVG = "http://www.w3.org/2000/svg";
  const WIDTH = 600;
  const HEIGHT = 420;

  function add(parent, name, attributes, text) {
    const made = document.createElementNS(SVG, name);
    Object.entries(attributes).forEach(([key, value]) => made.setAttribute(key, value));
    if (text) made.textContent = text;
    parent.append(made);
    return made;
  }

  // Spread the nodes over the room from `low` to `high` along one axis.
  function fill(nodes, axis, low, high) {
    const places = nodes.map((each) => each[axis]);
    const [least, most] = [Math.min(...places), Math.max(...places)];
    nodes.forEach((each) => {
      each[axis] = most > least ? low + ((each[axis] - least) / (most - least)) * (high - low) : (low + high) / 2;
    });
  }

  // Draw nodes {label, href, size, colour, middle} and links {source, target, colour, dash, width}.
  function drawGraph(element, nodes, links) {
    const svg = add(element, "svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, width: "100%" });
    const edge = (each) => ({ stroke: each.colour, "stroke-width": each.width || 1.5, "stroke-dasharray": each.dash || "none" });
    const lines = links.map((each) => add(svg, "line", edge(each)));
    const drawn = nodes.map((each) => {
      const link = add(svg, "a", { href: each.href });
      add(link, "title", {}, each.label);
      add(link, "circle", { r: each.size, fill: each.colour, stroke: window.nemuri.colour("ink"), "stroke-width": each.middle ? 2.5 : 0 });
      const short = each.label.length > 26 ? `${each.label.slice(0, 25)}…` : each.label;
      add(link, "text", { x: each.size + 4, y: 4, "font-size": 12, fill: window.nemuri.colour("ink") }, short);
      return link;
    });
    const simulation = d3.forceSimulation(nodes)
      .force("link", d3.forceLink(links).distance(90))
      .force("charge", d3.forceManyBody().strength(-220))
      .force("middle", d3.forceCenter(WIDTH / 2 - 40, HEIGHT / 2))
      .force("apart", d3.forceCollide(24))
      .stop();
    simulation.tick(200);
    fill(nodes, "x", 14, WIDTH - 130);
    fill(nodes, "y", 14, HEIGHT - 14);
    nodes.forEach((each, number) => {
      drawn[number].setAttribute("transform", `translate(${each.x},${each.y})`);
    });
    links.forEach((each, number) => {
      const ends = { x1: each.source.x, y1: each.source.y, x2: each.target.x, y2: each.target.y };
      Object.entries(ends).forEach(([key, value]) => lines[number].setAttribute(key, value));
    });
  }

  window.nemuri.drawGraph = drawGraph;

  window.nemuri.drawer("relations", (element, data) => {
    const { colour } = window.nemuri;
    const sorts = { learned_from: ["quiet"], contradicts: ["bad"], supersedes: ["warn", "6 3"], merged_into: ["series-4", "2 3"] };
    const nodes = data.nodes.map((each) => ({
      label: each.label,
      href: `/memories/${each.id}`,
      size: 5 + 4 * Math.min(each.strength, 3),
      colour: each.status === "active" ? colour("fill") : colour("line"),
      middle: each.depth === 0,
    }));
    const links = data.links.map((each) => ({
      source: each.source, target: each.target, colour: colour(sorts[each.sort][0]), dash: sorts[each.sort][1],
    }));
    drawGraph(element, nodes, links);
  });
})();
