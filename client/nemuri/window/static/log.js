// The live log: a pause that holds the stream back, and an end to the rows that a page keeps.
"use strict";
{
  const MAX_ROWS = 300;
  const rows = document.getElementById("events");
  const button = document.getElementById("pause");
  let resume = null;
  let paused = Promise.resolve();

  button?.addEventListener("click", () => {
    if (resume) {
      resume();
      resume = null;
    } else {
      paused = new Promise((resolve) => { resume = resolve; });
    }
    button.setAttribute("aria-pressed", String(resume !== null));
    button.textContent = resume ? button.dataset.paused : button.dataset.running;
  });
  rows.addEventListener("htmx:sse:before:message", (event) => event.detail.waitUntil(paused));
  rows.addEventListener("htmx:sse:after:message", () => {
    while (rows.rows.length > MAX_ROWS) rows.deleteRow(-1);
  });
}
