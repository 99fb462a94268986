// Documents are dropped anywhere on the form. Ctrl or Command and Enter sends the question.
"use strict";
{
  const form = document.getElementById("ask");
  const files = document.getElementById("ask-documents");
  form.addEventListener("dragover", (event) => event.preventDefault());
  form.addEventListener("drop", (event) => {
    if (!event.dataTransfer.files.length) return;
    event.preventDefault();
    const all = new DataTransfer();
    for (const each of [...files.files, ...event.dataTransfer.files]) all.items.add(each);
    files.files = all.files;
  });
  form.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) form.requestSubmit();
  });
}
