"use strict";
(() => {
  // Search: rows without the words are hidden.
  const label = document.querySelector(".search"), rows = [...document.querySelectorAll(".r")];
  const shown = document.querySelector(".shown"), all = [...document.querySelectorAll(".all .r")];
  const count = () => {
    if (shown) shown.textContent = `${all.filter((row) => row.getClientRects().length).length} of ${all.length} shown`;
  };
  if (label) {
    const input = label.firstElementChild.nextElementSibling;
    let texts, waiting;
    const search = () => {
      texts = texts || rows.map((row) => row.textContent.toLowerCase());
      const words = input.value.toLowerCase().split(/\s+/);
      rows.forEach((row, at) => { row.hidden = !words.every((word) => texts[at].includes(word)); });
      count();
    };
    input.addEventListener("input", () => { clearTimeout(waiting); waiting = setTimeout(search, 120); });
    label.hidden = false;
  }
  document.addEventListener("change", count);
  count();
  // A link to what is folded or filtered away shows it.
  const reveal = () => {
    const target = document.getElementById(location.hash.slice(1));
    if (!target) return;
    for (let at = target; at; at = at.parentElement) {
      if (at.localName === "details") at.open = true;
      at.hidden = false;
    }
    target.scrollIntoView();
  };
  addEventListener("hashchange", reveal);
  reveal();
  // Commands can be copied, those that are shown letter by letter.
  document.addEventListener("toggle", (event) => {
    const code = event.target.open && event.target.querySelector(":scope > .in .repeat code.whole");
    if (!code || code.nextElementSibling) return;
    const button = document.createElement("button");
    button.type = "button";
    button.className = "copy";
    button.textContent = "copy";
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(code.textContent);
      button.textContent = "copied";
    });
    code.after(" ", button);
  }, true);
  // Print opens what is folded; afterwards it is as it was.
  let folded = [];
  addEventListener("beforeprint", () => {
    folded = [...document.querySelectorAll("details:not([open])")];
    for (const details of folded) details.open = true;
  });
  addEventListener("afterprint", () => { for (const details of folded) details.open = false; });
})();
