// What the pages do beside htmx: keyboard, charts and graphs from the data that a page carries.
"use strict";

// What is pressed before htmx has read the page would do nothing, or be sent as a plain form. It is pressed again then.
const early = new Set();
function keep(event) {
  const button = event.target.closest("button");
  if (!button?.closest("[hx-post]")) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  early.add(button);
}
document.addEventListener("click", keep, true);
document.addEventListener("htmx:after:process", () => {
  document.removeEventListener("click", keep, true);
  early.forEach((button) => button.click());
}, { once: true });

// A chart or graph stands in an element with data-chart="NAME" and reads its numbers from a JSON script inside it.
const drawers = {};
window.nemuri = {
  // Register a function that draws into an element: draw(element, data).
  drawer(name, draw) {
    drawers[name] = draw;
    document.querySelectorAll(`[data-chart="${name}"]`).forEach(drawOne);
  },
  // Return the value of a colour of the style sheet in the present scheme, for a canvas or an attribute of SVG.
  colour(name) {
    const probe = document.createElement("span");
    probe.style.color = `var(--${name})`;
    document.body.append(probe);
    const found = getComputedStyle(probe).color;
    probe.remove();
    return found;
  },
};

function drawOne(element) {
  const draw = drawers[element.dataset.chart];
  if (!draw || element.dataset.drawn) return;
  element.dataset.drawn = "1";
  draw(element, JSON.parse(element.querySelector("script[type='application/json']").textContent));
}

function drawAll() {
  document.querySelectorAll("[data-chart]").forEach(drawOne);
}

document.addEventListener("DOMContentLoaded", drawAll);
document.addEventListener("htmx:after:swap", drawAll);

// Links in rows: the whole row of a list is a target for the pointer, the link in it for keyboard and screen reader.
document.addEventListener("click", (event) => {
  const row = event.target.closest("tr[data-href]");
  if (row && !event.target.closest("a, button, input, label") && !window.getSelection().toString()) {
    window.location.assign(row.dataset.href);
  }
});

// What the last change was refused with is no longer said once another change begins.
document.addEventListener("htmx:before:request", (event) => {
  if (event.detail.ctx.request.method !== "GET") document.getElementById("said").replaceChildren();
});
