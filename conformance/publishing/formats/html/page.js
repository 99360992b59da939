"use strict";
(() => {
  const copied = "copied";
  // Text search: rows without the words are hidden.
  for (const list of document.querySelectorAll(".list")) {
    const label = list.querySelector(".search");
    if (!label) continue;
    const input = label.querySelector("input");
    const shown = list.querySelector(".shown");
    const rows = [...list.querySelectorAll("tbody > tr:not(.g), .f")];
    const heads = list.querySelectorAll(".g");
    let texts;
    // A heading without any row below it goes too.
    const below = (head) => {
      for (let row = head.nextElementSibling; row && !row.classList.contains("g"); row = row.nextElementSibling) {
        if (row.getClientRects().length) return true;
      }
      return false;
    };
    const tell = () => {
      for (const head of heads) head.hidden = !below(head);
      const count = rows.filter((row) => row.getClientRects().length).length;
      shown.textContent = count.toLocaleString("en") + " of " + shown.dataset.whole + " shown";
    };
    const search = () => {
      texts = texts || rows.map((row) => row.textContent.toLowerCase());
      const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
      rows.forEach((row, at) => {
        row.hidden = !words.every((word) => texts[at].includes(word));
      });
      tell();
    };
    let waiting;
    input.addEventListener("input", () => {
      clearTimeout(waiting);
      waiting = setTimeout(search, 120);
    });
    list.addEventListener("change", tell);
    shown.setAttribute("role", "status");
    label.hidden = false;
    tell();
  }
  // A link to what is folded or filtered away shows it.
  const reveal = () => {
    let id;
    try {
      id = decodeURIComponent(location.hash.slice(1));
    } catch {
      return;
    }
    const target = id && document.getElementById(id);
    if (!target) return;
    const row = target.closest("tbody > tr, .f");
    if (row) row.hidden = false;
    let closed = false;
    for (let at = target.closest("details"); at; at = at.parentElement.closest("details")) {
      closed = closed || !at.open;
      at.open = true;
    }
    if (closed || row) target.scrollIntoView();
  };
  addEventListener("hashchange", reveal);
  reveal();
  // Commands can be copied, those that are shown letter by letter.
  const button = (code) => {
    const made = document.createElement("button");
    made.type = "button";
    made.className = "copy";
    made.textContent = "copy";
    made.addEventListener("click", async () => {
      try {
        await navigator.clipboard.writeText(code.textContent);
      } catch {
        getSelection().selectAllChildren(code);
        if (!document.execCommand("copy")) return;
      }
      made.textContent = copied;
      setTimeout(() => { made.textContent = "copy"; }, 2000);
    });
    code.after(" ", made);
  };
  const buttons = (inside) => {
    for (const code of inside.querySelectorAll(".repeat code.whole")) {
      if (!code.parentElement.querySelector(".copy")) button(code);
    }
    for (const part of inside.querySelectorAll(".in[id]")) {
      if (part.querySelector(".back")) continue;
      const link = document.createElement("a");
      link.href = "#" + part.id;
      link.textContent = "link to this";
      link.className = "back";
      part.append(link);
    }
  };
  for (const details of document.querySelectorAll("details")) {
    if (details.open) buttons(details);
  }
  document.addEventListener("toggle", (event) => {
    if (event.target.open) buttons(event.target);
  }, true);
  // Print opens what is folded; afterwards it is as it was.
  let folded = [];
  addEventListener("beforeprint", () => {
    folded = [...document.querySelectorAll("details:not([open])")];
    for (const details of folded) details.open = true;
  });
  addEventListener("afterprint", () => {
    for (const details of folded) details.open = false;
    folded = [];
  });
})();
