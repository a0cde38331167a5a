// Edits values where they stand; forms and pages of their own do the same without it. A module, which has its own names.

const editToken = document.querySelector("meta[name=realm-token]").content;
const draftPath = (document.body.dataset.check || "").replace(/version\.json.*$/, "draft/");

// Requests

async function send(url, body) {
  const response = await fetch(url, {
    method: "POST", body, headers: { "X-Realm-Token": editToken, Accept: "application/json" } });
  const answer = await response.json();
  if (!response.ok) throw new Error(answer.error ? answer.error.message : response.statusText);
  // The page is loaded again for this edit, so not for what is asked for each second, too.
  if (answer.revision !== undefined) document.body.dataset.draft = answer.revision;
  return answer;
}

function sendForm(form, button) {
  const data = new FormData(form, button);
  const isMultipart = form.enctype === "multipart/form-data";
  return send(form.getAttribute("action"), isMultipart ? data : new URLSearchParams(data));
}

function say(message) {
  let line = document.querySelector("#edit-status");
  if (!line) {
    line = document.createElement("p");
    line.id = "edit-status";
    line.className = "problem";
    line.setAttribute("role", "alert");
    document.querySelector("main").prepend(line);
  }
  line.textContent = message;
}

// What was focused, so that it is again after a part of the page was replaced.

function mark(element) {
  if (!element || element === document.body) return null;
  for (const name of ["data-edit", "data-open", "id", "aria-label", "href"]) {
    const value = element.getAttribute(name);
    if (value) return `${element.localName}[${name}="${CSS.escape(value)}"]`;
  }
  const row = element.closest("tr");
  const link = row && row.querySelector("th a");
  return link ? mark(link) : null;
}

function focusOn(selector) {
  const element = selector && document.querySelector(selector);
  if (element) element.focus();
}

// Loads the page again, and replaces what shows the realm. Other parts, such as the query, stay.

async function loadPage(url) {
  const response = await fetch(url);
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  return response.ok || page.querySelector("main") ? page : null;
}

let latestRefresh = Promise.resolve();

/** One after the other: the last one shows what all edits changed. */
function refresh(focus) {
  latestRefresh = latestRefresh.then(() => replaceContent(focus || mark(document.activeElement)));
  return latestRefresh;
}

async function replaceContent(focus) {
  try {
    const main = document.querySelector("main");
    const rowCount = main.querySelectorAll("table[data-rows] tbody tr").length;
    const page = await loadPage(location.href);
    if (!page) return;
    // Meanwhile, the user may have begun another edit.
    if (box.open) focus = null;
    const fresh = page.querySelector("main");
    const body = fresh.querySelector("table[data-rows] tbody");
    let next = fresh.querySelector(".results .pages a[rel=next]");
    // Rows that were loaded by scrolling stay.
    while (body && next && body.rows.length < rowCount) {
      const further = await loadPage(next.getAttribute("href"));
      if (!further) break;
      body.append(...further.querySelectorAll("table[data-rows] tbody tr"));
      next = further.querySelector(".results .pages a[rel=next]");
    }
    for (const part of ["form.query", "details.menu", "aside.facets"]) {
      const [old, replaced] = [main.querySelector(part), fresh.querySelector(part)];
      if (old && replaced) replaced.replaceWith(old);
    }
    main.replaceChildren(...fresh.childNodes);
    const [bar, newBar] = [document.querySelector(".draft-bar"), page.querySelector(".draft-bar")];
    if (bar && newBar) bar.replaceWith(newBar);
    else if (bar) bar.remove();
    else if (newBar) main.before(newBar);
    document.body.dataset.draft = page.body.dataset.draft;
    enhance(document);
    document.dispatchEvent(new CustomEvent("realm-refreshed"));
    focusOn(focus);
  } catch (error) {
    say(error.message);
  }
}

function done(answer, focus) {
  const here = location.pathname + location.search;
  if (answer.to && answer.to !== here && answer.to.split("?")[0] !== location.pathname) {
    location.assign(answer.to);
    return Promise.resolve();
  }
  return refresh(focus);
}

// Fields

function enhanceFields(root) {
  for (const input of root.querySelectorAll("input[data-pick]")) pick(input);
  for (const input of root.querySelectorAll("input[data-type=timestamp]")) {
    if (input.nextElementSibling && input.nextElementSibling.dataset.now) continue;
    const button = document.createElement("button");
    button.type = "button";
    button.className = "small";
    button.dataset.now = "1";
    button.textContent = "Now";
    button.addEventListener("click", () => {
      input.value = new Date().toISOString();
      input.focus();
    });
    input.after(button);
  }
  for (const select of root.querySelectorAll("select[name^=type]")) {
    const update = () => {
      for (const part of select.closest("form, fieldset").querySelectorAll("[data-for]")) {
        part.hidden = !part.dataset.for.split(" ").includes(select.value);
      }
    };
    select.addEventListener("change", update);
    update();
  }
  // Whoever enters a value does not want null.
  for (const box of root.querySelectorAll(".null-choice input")) {
    const scope = box.closest("fieldset, form");
    scope.addEventListener("input", (event) => {
      if (event.target !== box) box.checked = false;
    });
  }
}

let pickCount = 0;

function pick(input) {
  if (input.list) return;
  const list = document.createElement("datalist");
  list.id = "pick-" + ++pickCount;
  input.setAttribute("list", list.id);
  input.after(list);
  let latest = 0;
  const ask = async () => {
    const number = ++latest;
    const url = input.dataset.pick + "?text=" + encodeURIComponent(input.value);
    const response = await fetch(url);
    if (!response.ok || number !== latest) return;
    const answer = await response.json();
    list.replaceChildren(...answer.objects.map((object) => {
      const option = document.createElement("option");
      option.value = object.text;
      option.label = object.label;
      return option;
    }));
  };
  input.addEventListener("input", () => ask().catch(() => {}));
  input.addEventListener("focus", () => ask().catch(() => {}), { once: true });
}

// The editor in place

const box = document.createElement("dialog");
box.className = "editor-box";
box.setAttribute("aria-label", "Editor");
document.body.append(box);
/** The cell or link that is edited, as a selector, and what the form had at first. */
let edited = null;
let before = "";

function content(form) {
  return new URLSearchParams([...new FormData(form)].map(
    ([name, value]) => [name, typeof value === "string" ? value : value.name])).toString();
}

function editors() {
  return [...document.querySelectorAll("main [data-edit], main a.edit[href*='/edit?']")];
}

async function openEditor(element) {
  const url = element.dataset.edit || element.getAttribute("href");
  const page = await fetch(url + "&part=1");
  const part = new DOMParser().parseFromString(await page.text(), "text/html");
  const section = part.querySelector(".part");
  if (!section) {
    location.assign(url);
    return;
  }
  edited = mark(element);
  box.replaceChildren(section);
  enhanceFields(box);
  if (!box.open) box.showModal();
  place(element);
  const field = box.querySelector("[name=value], [name=name], input:not([type=hidden]), select");
  if (field) {
    field.focus();
    if (field.select) field.select();
  }
  before = content(box.querySelector("form"));
}

/** Puts the editor over the edited element, as far as the window has room. */
function place(element) {
  const from = element.getBoundingClientRect();
  const width = box.offsetWidth;
  const height = box.offsetHeight;
  box.style.left = Math.max(8, Math.min(from.left, innerWidth - width - 8)) + "px";
  box.style.top = Math.max(8, Math.min(from.top, innerHeight - height - 8)) + "px";
}

/** The selector of the editor that comes after or before the edited one. */
function neighbour(step) {
  const all = editors();
  const index = all.findIndex((element) => mark(element) === edited);
  const next = all[index + step];
  return next ? mark(next) : edited;
}

async function save(button, focus = edited) {
  const form = box.querySelector("form");
  if (!button && content(form) === before) return leave(focus);
  try {
    const answer = await sendForm(form, button);
    // The page can have changed under the editor.
    answer.to = null;
    // The event of closing can come after the page was refreshed, and must not take the focus back.
    edited = focus;
    leave(null);
    await done(answer, focus);
  } catch (error) {
    let line = box.querySelector(".problem");
    if (!line) {
      line = document.createElement("p");
      line.className = "problem";
      line.id = "edit-problem";
      line.setAttribute("role", "alert");
      form.before(line);
    }
    line.textContent = error.message;
    for (const field of form.querySelectorAll("[name^=value]")) {
      field.setAttribute("aria-invalid", "true");
      field.setAttribute("aria-describedby", line.id);
    }
  }
}

function leave(focus) {
  if (focus) edited = focus;
  if (box.open) box.close();
  focusOn(focus);
}

box.addEventListener("close", () => focusOn(edited));
box.addEventListener("submit", (event) => {
  event.preventDefault();
  save(event.submitter || box.querySelector("button[type=submit]:not([name])"));
});
box.addEventListener("click", (event) => {
  if (event.target === box || event.target.closest("a.cancel")) {
    event.preventDefault();
    leave(edited);
  }
});
box.addEventListener("keydown", (event) => {
  const field = event.target;
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey || field.localName === "select")) {
    event.preventDefault();
    save(box.querySelector("button[type=submit]:not([name])"));
  } else if (event.key === "Enter" && field.localName === "input" && field.type === "text") {
    // The first button of the form can be another one.
    event.preventDefault();
    save(box.querySelector("button[type=submit]:not([name])"));
  } else if (event.key === "Tab" && !event.shiftKey && /^(value|name)/.test(field.name || "")
    && field.type !== "submit") {
    event.preventDefault();
    save(null, neighbour(1));
  } else if (event.key === "Tab") {
    event.preventDefault();
    const fields = [...box.querySelectorAll("input:not([type=hidden]), textarea, select, button, a[href]")]
      .filter((part) => part.tabIndex >= 0 && part.offsetParent !== null);
    const next = fields.indexOf(field) + (event.shiftKey ? -1 : 1);
    fields[(next + fields.length) % fields.length].focus();
  }
});

// Tables: the arrows go from cell to cell, Enter and F2 edit.

function cellMove(cell, key) {
  const row = cell.parentElement;
  switch (key) {
    case "ArrowLeft": return cell.previousElementSibling;
    case "ArrowRight": return cell.nextElementSibling;
    case "ArrowUp": return row.previousElementSibling && row.previousElementSibling.cells[cell.cellIndex];
    case "ArrowDown": return row.nextElementSibling && row.nextElementSibling.cells[cell.cellIndex];
    default: return undefined;
  }
}

function focusCell(cell) {
  if (!cell) return;
  if (cell.localName === "th") cell.querySelector("a").focus();
  else cell.focus();
}

document.addEventListener("keydown", (event) => {
  if (box.open || event.altKey) return;
  const isTyping = /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName) && event.target.type !== "checkbox";
  if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "z" && !isTyping && draftPath) {
    event.preventDefault();
    send(draftPath + (event.shiftKey ? "redo" : "undo"))
      .then(() => refresh()).catch((error) => say(error.message));
    return;
  }
  if (event.ctrlKey || event.metaKey || isTyping) return;
  const cell = event.target.closest && event.target.closest("table[data-rows] tbody td, table[data-rows] tbody th");
  if (!cell) return;
  const isCell = event.target === cell;
  if (event.key.startsWith("Arrow") && (isCell || event.key === "ArrowRight" || event.key === "ArrowLeft")) {
    focusCell(cellMove(cell, event.key));
  } else if (isCell && (event.key === "Enter" || event.key === "F2")) {
    if (cell.dataset.edit) openEditor(cell).catch((error) => say(error.message));
    else if (cell.dataset.open) location.assign(cell.dataset.open);
  } else {
    return;
  }
  event.preventDefault();
  event.stopPropagation();
}, true);

// F2 edits the property that has the focus on the page of an object.
document.addEventListener("keydown", (event) => {
  if (event.key !== "F2" || box.open) return;
  const value = event.target.closest && event.target.closest("dd, li");
  const link = value && value.querySelector(":scope > .controls > a.edit");
  if (link) openEditor(link).catch((error) => say(error.message));
});

document.addEventListener("dblclick", (event) => {
  if (event.target.closest("a, button, input, dialog")) return;
  const cell = event.target.closest("[data-edit]");
  const value = event.target.closest("dd, .elements > li");
  const link = cell || (value && value.querySelector(":scope > .controls > a.edit"));
  if (!link) return;
  getSelection().removeAllRanges();
  openEditor(link).catch((error) => say(error.message));
});

document.addEventListener("click", (event) => {
  const link = event.target.closest("a.edit");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return;
  event.preventDefault();
  openEditor(link).catch((error) => say(error.message));
});

// Buttons that edit at once.
document.addEventListener("submit", (event) => {
  const form = event.target;
  if (box.contains(form) || !form.matches("form.inline, form.chooser, .draft-bar form")) return;
  event.preventDefault();
  const focus = mark(event.submitter);
  sendForm(form, event.submitter).then((answer) => done(answer, focus))
    .catch((error) => say(error.message));
});

function enhance(root) {
  for (const cell of root.querySelectorAll("table[data-rows] tbody td")) cell.tabIndex = -1;
  enhanceFields(root);
}

enhance(document);
document.addEventListener("realm-rows", () => enhance(document));

// Another tab changed the draft.
document.addEventListener("realm-draft", (event) => {
  if (String(event.detail) === document.body.dataset.draft) return;
  if (box.open || document.querySelector("main form.editor")) return;
  refresh();
});
