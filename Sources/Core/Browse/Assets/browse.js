// Makes the pages nicer to use; they work without it.
"use strict";

// The query box: completion, and `/` to go there.

const box = document.querySelector("#query");

function completion(input) {
  const list = document.createElement("ul");
  list.className = "completions";
  list.id = "completions";
  list.setAttribute("role", "listbox");
  list.setAttribute("aria-label", "Completions");
  list.hidden = true;
  input.parentElement.append(list);
  input.setAttribute("role", "combobox");
  input.setAttribute("aria-expanded", "false");
  input.setAttribute("aria-controls", list.id);
  input.setAttribute("aria-autocomplete", "list");
  let answer = { replace: 0, words: [] };
  let selected = -1;
  let latest = 0;

  function close() {
    list.hidden = true;
    selected = -1;
    input.setAttribute("aria-expanded", "false");
    input.removeAttribute("aria-activedescendant");
  }

  function select(index) {
    const items = list.children;
    if (items[selected]) items[selected].setAttribute("aria-selected", "false");
    selected = (index + items.length) % items.length;
    const item = items[selected];
    item.setAttribute("aria-selected", "true");
    item.scrollIntoView({ block: "nearest" });
    input.setAttribute("aria-activedescendant", item.id);
  }

  function accept(index) {
    const word = answer.words[index].word;
    const end = input.selectionStart;
    const start = end - answer.replace;
    const after = input.value.slice(end);
    const space = word.endsWith("(") || after.startsWith(" ") ? "" : " ";
    input.value = input.value.slice(0, start) + word + space + after;
    const place = start + word.length + space.length;
    input.setSelectionRange(place, place);
    close();
    input.focus();
  }

  async function ask() {
    const number = ++latest;
    const text = input.value.slice(0, input.selectionStart);
    const response = await fetch(input.dataset.complete + "?q=" + encodeURIComponent(text));
    if (!response.ok || number !== latest) return;
    answer = await response.json();
    if (number !== latest) return;
    list.replaceChildren(
      ...answer.words.map((word, index) => {
        const item = document.createElement("li");
        item.id = "completion-" + index;
        item.setAttribute("role", "option");
        item.setAttribute("aria-selected", "false");
        const kind = document.createElement("span");
        kind.className = "type";
        kind.textContent = word.kind;
        item.append(word.word, kind);
        item.addEventListener("mousedown", (event) => {
          event.preventDefault();
          accept(index);
        });
        return item;
      }));
    selected = -1;
    list.hidden = answer.words.length === 0;
    input.setAttribute("aria-expanded", String(!list.hidden));
  }

  input.addEventListener("input", () => ask().catch(close));
  input.addEventListener("blur", close);
  input.addEventListener("keydown", (event) => {
    if (event.key === "ArrowDown" && list.hidden) {
      ask().catch(close);
      event.preventDefault();
    } else if (list.hidden) {
      return;
    } else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      const step = event.key === "ArrowDown" ? 1 : -1;
      select(selected < 0 && step < 0 ? list.children.length - 1 : selected + step);
      event.preventDefault();
    } else if (event.key === "Tab" || (event.key === "Enter" && selected >= 0)) {
      accept(Math.max(0, selected));
      event.preventDefault();
    } else if (event.key === "Escape") {
      close();
      event.preventDefault();
    }
  });
}

if (box) completion(box);

// Keys: `/` for the query, arrows and Enter in tables, `n` and `p` for the next and the previous page.

function rowLink(row) {
  return row && row.querySelector("th a, td a");
}

function moveInTable(link, step) {
  let row = link.closest("tr");
  do {
    row = step > 0 ? row.nextElementSibling : row.previousElementSibling;
  } while (row && !rowLink(row));
  if (row) rowLink(row).focus();
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const isTyping = /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName);
  if (isTyping) return;
  if (event.key === "/" && box) {
    box.focus();
    box.select();
    event.preventDefault();
  } else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
    const step = event.key === "ArrowDown" ? 1 : -1;
    const current = event.target.closest && event.target.closest("tbody tr");
    if (current) {
      moveInTable(event.target, step);
      event.preventDefault();
    } else if (step > 0 && event.target === document.body) {
      const first = rowLink(document.querySelector("tbody tr"));
      if (first) {
        first.focus();
        event.preventDefault();
      }
    }
  } else if (event.key === "n" || event.key === "p") {
    const link = document.querySelector(`.pages a[rel=${event.key === "n" ? "next" : "prev"}]`);
    if (link) link.click();
  }
});

// Further rows, when the end of the table comes into view.

function loadRows(table) {
  const body = table.tBodies[0];
  // The links to other pages, above and below the table.
  const bars = [...document.querySelectorAll(".toolbar .pages, .results .pages")];
  if (bars.length === 0) return;
  const end = bars[bars.length - 1];
  let isLoading = false;

  const observer = new IntersectionObserver(async (entries) => {
    const next = end.querySelector("a[rel=next]");
    if (!entries.some((entry) => entry.isIntersecting) || !next || isLoading) return;
    // The end of the page, with the facets and the links, must stay within reach.
    if (body.rows.length >= 500) return observer.disconnect();
    isLoading = true;
    try {
      const response = await fetch(next.href);
      if (!response.ok) return;
      const page = new DOMParser().parseFromString(await response.text(), "text/html");
      body.append(...page.querySelectorAll("table[data-rows] tbody tr"));
      document.dispatchEvent(new CustomEvent("realm-rows"));
      const links = page.querySelector(".results .pages");
      if (!links) return;
      const further = links.querySelector("a[rel=next]");
      for (const bar of bars) {
        const range = bar.querySelector("span");
        range.textContent =
          range.textContent.split("–")[0] + "–" + links.querySelector("span").textContent.split("–")[1];
        if (further) bar.querySelector("a[rel=next]").href = further.href;
        else bar.querySelector("a[rel=next]").remove();
      }
    } finally {
      isLoading = false;
    }
    // The end can still be in view.
    observer.unobserve(end);
    observer.observe(end);
  }, { rootMargin: "400px" });
  // Only after the user scrolls: a page that is not read needs no further rows.
  addEventListener("scroll", () => observer.observe(end), { once: true, passive: true });
}

function loadRowsOfTable() {
  const table = document.querySelector("table[data-rows]");
  if (table) loadRows(table);
}

loadRowsOfTable();
document.addEventListener("realm-refreshed", loadRowsOfTable);

// Facets that were folded stay folded.

for (const facet of document.querySelectorAll(".facets details")) {
  const name = "folded " + location.pathname + " " + facet.querySelector("summary").textContent;
  if (sessionStorage.getItem(name)) facet.open = false;
  facet.addEventListener("toggle", () => {
    if (facet.open) sessionStorage.removeItem(name);
    else sessionStorage.setItem(name, "1");
  });
}

// A menu closes when something else is clicked.

document.addEventListener("click", (event) => {
  for (const menu of document.querySelectorAll("details.menu[open]")) {
    if (!menu.contains(event.target)) menu.open = false;
  }
});

// Whether there is a newer version than the one on the page.

const { version, check, newest } = document.body.dataset;

async function askForVersion() {
  const isOffered = document.querySelector(".notice a[href*='/newest?']") !== null;
  if (document.hidden || (isOffered && document.body.dataset.draft === undefined)) return;
  const response = await fetch(check);
  if (!response.ok) return;
  const answer = await response.json();
  if (answer.draft !== undefined) {
    document.dispatchEvent(new CustomEvent("realm-draft", { detail: answer.draft }));
  }
  if (String(answer.newest) === version || isOffered) return;
  const notice = document.createElement("p");
  notice.className = "notice";
  notice.setAttribute("role", "status");
  const link = document.createElement("a");
  link.href = newest + "?to=" + encodeURIComponent(location.pathname + location.search);
  link.textContent = "Show the newest";
  notice.append(`Version ${answer.newest} was written meanwhile. You see version ${version}. `, link);
  document.querySelector("main").prepend(notice);
}

if (version && check) setInterval(() => askForVersion().catch(() => {}), 1000);

// A button that copies code.

for (const code of document.querySelectorAll("[data-copy]")) {
  if (!navigator.clipboard) continue;
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = "Copy";
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(code.textContent);
    button.textContent = "Copied";
  });
  code.before(button);
}
