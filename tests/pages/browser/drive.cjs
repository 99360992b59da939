// Drives Chromium over pages and says what it saw, as JSON: node drive.cjs CHROMIUM FOLDER [SHOTS]
// Takes puppeteer-core and axe-core from NODE_PATH.
"use strict";
const fs = require("fs");
const path = require("path");
const puppeteer = require("puppeteer-core");
const axe = fs.readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
const [, , chromium, folder, shots] = process.argv;

const seen = {};
let browser;

async function opened(name, { hash = "", width = 1280, height = 900, scheme = "light", script = true } = {}) {
  const page = await browser.newPage();
  page.setDefaultTimeout(180000);
  const events = { console: [], dialogs: [], requests: [], errors: [] };
  page.on("console", (message) => events.console.push(message.text()));
  page.on("pageerror", (error) => events.errors.push(String(error)));
  page.on("dialog", async (dialog) => { events.dialogs.push(dialog.message()); await dialog.dismiss(); });
  page.on("request", (request) => events.requests.push(request.url()));
  await page.setViewport({ width, height });
  await page.setJavaScriptEnabled(script);
  await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);
  const file = "file://" + path.join(folder, name + ".html");
  await page.goto(file + (hash ? "#" + hash : ""));
  events.requests = events.requests.filter((url) => !url.startsWith(file) && !url.startsWith("data:"));
  return { page, events };
}

async function shot(page, name, full = false) {
  if (!shots) return;
  const { width, height } = page.viewport();
  const most = await page.evaluate(() => document.scrollingElement.scrollHeight);
  const clip = full && { x: 0, y: 0, width, height: Math.min(Math.max(height, most), 6000) };
  await page.screenshot({ path: path.join(shots, name + ".png"), ...(clip && { clip, captureBeyondViewport: true }) });
}

const shownRows = (page, list) => page.$$eval(list + " :is(tbody > tr, .f)", (rows) => rows.filter((row) => row.getClientRects().length).length);
const settled = (page) => page.evaluate(() => new Promise((done) => setTimeout(done, 400)));

const scenes = {
  async rendered(name) {
    const { page, events } = await opened(name);
    await shot(page, name + "-light", true);
    const told = await page.evaluate(() => ({
      title: document.title,
      heading: document.querySelector("h1").textContent,
      background: getComputedStyle(document.documentElement).backgroundColor,
      elements: [...new Set([...document.querySelectorAll("*")].map((element) => element.localName))].sort(),
      handlers: [...document.querySelectorAll("*")].filter((element) => [...element.attributes].some((a) => /^on|^style$/.test(a.name))).length,
      wide: document.scrollingElement.scrollWidth,
    }));
    return { ...told, ...events };
  },
  async dark(name) {
    const { page } = await opened(name, { scheme: "dark" });
    await shot(page, name + "-dark");
    return { background: await page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor) };
  },
  async phone(name) {
    const { page } = await opened(name, { width: 360, height: 740 });
    await page.$$eval("details", (all) => all.slice(0, 40).forEach((each) => { each.open = true; }));
    await shot(page, name + "-phone");
    return { wide: await page.evaluate(() => document.scrollingElement.scrollWidth) };
  },
  async axe(name) {
    const found = {};
    for (const scheme of ["light", "dark"]) {
      const { page } = await opened(name, { scheme });
      await page.$$eval("details", (all) => all.slice(0, 6).forEach((each) => { each.open = true; }));
      await page.evaluate(axe);
      const result = await page.evaluate(() => axe.run(document, { resultTypes: ["violations"] }));
      found[scheme] = result.violations.map((each) => ({
        id: each.id, impact: each.impact, count: each.nodes.length, first: each.nodes[0].html.slice(0, 200),
        why: each.nodes[0].failureSummary,
      }));
      await page.close();
    }
    return found;
  },
  // Failures filtered by what they may be filtered by, and by words.
  async filtered(name) {
    const told = {};
    for (const script of [true, false]) {
      const { page } = await opened(name, { script });
      const whole = await shownRows(page, ".all");
      const radio = await page.$(".filter input[type=radio]:not([value=''])");
      const wanted = await radio.evaluate((input) => Number(input.parentElement.querySelector("small").textContent.replace(/,/g, "")));
      await radio.evaluate((input) => input.scrollIntoView({ block: "center" }));
      await radio.click();
      await shot(page, `${name}-filtered-${script ? "script" : "none"}`);
      const one = await shownRows(page, ".all");
      const token = await page.$eval(".filter select option:nth-child(2)", (option) => option.value);
      await page.select(".filter select", token);
      const two = await shownRows(page, ".all");
      const count = await page.$eval(".shown", (line) => line.textContent);
      const search = await page.$eval(".filter .search", (label) => getComputedStyle(label).display !== "none");
      told[script ? "script" : "none"] = { whole, wanted, one, two, count, search };
      await page.close();
    }
    const { page } = await opened(name);
    const name_ = await page.$eval(".failures .f summary", (line) => line.textContent.match(/[a-z_]+\/([a-z0-9-]+)/)[1]);
    await page.type(".filter .search input", name_);
    await settled(page);
    told.words = await shownRows(page, ".all");
    told.status = await page.$eval(".shown", (line) => line.textContent);
    return told;
  },
  // A failing vector opened by its address.
  async anchored(name) {
    const told = {};
    for (const script of [true, false]) {
      const { page } = await opened(name, { script });
      const id = await page.$$eval(".in[id]", (all) => all[all.length - 2].id);
      await page.close();
      const { page: there } = await opened(name, { script, hash: id });
      await new Promise((done) => setTimeout(done, 300));
      await shot(there, `${name}-anchored-${script ? "script" : "none"}`);
      told[script ? "script" : "none"] = await there.evaluate((at) => {
        const target = document.getElementById(at);
        const box = target.closest("details").getBoundingClientRect();
        return {
          open: target.closest("details").open,
          top: box.top,
          height: innerHeight,
          aim: getComputedStyle(target.closest("details").querySelector("summary")).backgroundColor,
          other: getComputedStyle(document.querySelector("details:not([open]) > summary")).backgroundColor,
        };
      }, id);
      // Even where a filter would hide it.
      const hides = await there.$(".filter input[type=radio]:not([value=''])");
      if (hides) await hides.click();
      told[script ? "script" : "none"].stays = await there.evaluate((at) => document.getElementById(at).getClientRects().length > 0, id);
      await there.close();
    }
    return told;
  },
  async printed(name) {
    const told = {};
    for (const script of [true, false]) {
      const { page } = await opened(name, { script });
      const pdf = Buffer.from(await page.pdf({ format: "A4", timeout: 180000, ...(shots && { path: path.join(shots, `${name}-${script}.pdf`) }) }));
      const pages = (pdf.toString("latin1").match(/\/Type\s*\/Page\b/g) || []).length;
      await page.emulateMediaType("print");
      const closed = await page.$$eval(".failures .in", (all) => all.filter((each) => !each.getBoundingClientRect().height).length);
      const controls = await page.$$eval(".filter, .toc, .copy, .skip", (all) => all.filter((each) => each.getClientRects().length).length);
      const background = await page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
      told[script ? "script" : "none"] = { pages, closed, controls, background };
      await page.close();
    }
    return told;
  },
  async keyboard(name) {
    const { page } = await opened(name);
    await page.keyboard.press("Tab");
    const skip = await page.evaluate(() => [document.activeElement.className, document.activeElement.getBoundingClientRect().left >= 0]);
    await page.keyboard.press("Enter");
    const main = await page.evaluate(() => document.activeElement.id);
    let steps = 0;
    let opened_ = false;
    for (; steps < 60 && !opened_; steps++) {
      await page.keyboard.press("Tab");
      const at = await page.evaluate(() => document.activeElement.matches(".f > summary"));
      if (at) {
        await page.keyboard.press("Enter");
        opened_ = await page.evaluate(() => document.activeElement.parentElement.open);
      }
    }
    const outline = await page.evaluate(() => getComputedStyle(document.activeElement).outlineStyle);
    return { skip, main, opened: opened_, outline };
  },
  async copied(name) {
    const { page } = await opened(name);
    const [first] = await page.$$(".f > summary");
    await first.click();
    await settled(page);
    await page.evaluate(() => { Object.defineProperty(navigator, "clipboard", { value: { writeText: async (text) => { window.got = text; } } }); });
    await page.click(".f[open] .copy");
    await settled(page);
    return page.evaluate(() => ({ got: window.got, shown: document.querySelector(".f[open] .repeat code").textContent, button: document.querySelector(".f[open] .copy").textContent }));
  },
};

(async () => {
  browser = await puppeteer.launch({ executablePath: chromium, args: ["--no-sandbox", "--disable-gpu"] });
  const wanted = JSON.parse(fs.readFileSync(path.join(folder, "scenes.json"), "utf8"));
  for (const [name, each] of Object.entries(wanted)) {
    seen[name] = {};
    for (const scene of each) {
      const begun = Date.now();
      seen[name][scene] = await scenes[scene](name);
      console.error(`${name} ${scene}: ${Date.now() - begun} ms`);
    }
    for (const page of (await browser.pages()).slice(1)) await page.close();
  }
  await browser.close();
  console.log(JSON.stringify(seen));
})().catch((error) => {
  console.error(error);
  process.exit(1);
});
