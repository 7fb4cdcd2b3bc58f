// A lesson beside its pictures: what one sees, predicts, does, and why. A bar is read from what was measured when the
// page was written, on lines between; so is which wrong act it is that was done.
"use strict";

const lesson = facts.lesson;

/** The ε of a lesson, which all its scenes share. */
class LessonBar extends LiveBar {
  constructor({ header, panels }) {
    super({ header: { ...header, start: -1 }, panels }); // no place is that of an export
    column.follow(this);
  }

  get elsewhere() { return false; }

  get words() { return `ε × ${number(this.factorAt(this.step))}`; }

  take() {
    [this.step, this.t] = [Number(this.slider.value) / KEYS * this.grid, Number(this.time.value)];
    this.ask();
  }

  /** Go to an ε between the slider's own steps. */
  place(step) {
    this.held = false;
    [this.slider.value, this.time.value] = [this.valueOf(step), this.page.header.t];
    this.take();
    this.step = step;
  }

  show() {
    super.show();
    column.tell();
  }

  /** Where the address leads to is a step. */
  readAddress() {}

  writeAddress() {}
}

/** A line's beginning; a letter that stands alone is a sign. */
const capital = (text) => (/^\p{L}{2}/u.test(text) ? text.charAt(0).toUpperCase() + text.slice(1) : text);

/** Where a place lies among ascending ones with values: on the line between two numbers, at the nearest word or count. */
function readOff(places, values, at, counts) {
  if (!places.length) return values[0];
  const [j, h] = between(places, at), [before, after] = [values[j], values[Math.min(j + 1, values.length - 1)]];
  if (counts || typeof before !== "number" || typeof after !== "number") return h < 0.5 ? before : after;
  return (1 - h) * before + h * after;
}

class LessonColumn {
  constructor() {
    this.bar = null; // of ε, once it can be moved
    this.at = 0; // the ε until then
    for (const [id, by] of [["lesson-back", -1], ["lesson-next", 1]]) {
      $(id).addEventListener("click", () => this.go(this.number + by, by > 0 && this.solved));
    }
    $("lesson-again").addEventListener("click", () => this.begin());
    addEventListener("hashchange", () => this.readAddress());
    this.number = 0;
    this.readAddress();
    this.begin();
  }

  get step() { return lesson.steps[this.number]; }

  get place() { return this.bar ? this.bar.step : this.at; }

  readAddress() {
    const given = /^#step=(\d+)$/.exec(location.hash), wanted = given ? Number(given[1]) - 1 : 0;
    if (given && lesson.steps[wanted] && wanted !== this.number) this.go(wanted, false);
  }

  follow(bar) {
    this.bar = bar;
    bar.place(this.at);
  }

  /** Show a step: as the reader left the one before where that was solved, else as it begins. */
  go(number, solved) {
    const from = scenes.indexOf(scene), next = lesson.steps[number];
    const stays = solved && next.keeps && (!next.offers.length || next.scene === from);
    this.number = number;
    history.replaceState(null, "", `#step=${number + 1}`);
    if (stays) this.build(); else this.begin();
    $("lesson").scrollTop = 0;
    if (innerWidth <= 960) $("lesson").scrollIntoView({ block: "start" });
  }

  /** The step as it begins. */
  begin() {
    this.chosen = 0;
    this.goTo(this.step.scene, this.step.at);
    this.build();
  }

  goTo(number, at) {
    this.at = at;
    if (scenes[number] !== scene) show(scenes[number]);
    if (this.bar) this.bar.place(at);
  }

  build() {
    const { step, number } = this, steps = lesson.steps, last = number === steps.length - 1;
    if (step.offers.length && !(step.offers[this.chosen] && scenes[step.offers[this.chosen].scene] === scene)) this.chosen = 0;
    $("lesson-place").textContent = `Step ${number + 1} of ${steps.length}, ${lesson.minutes} minutes in all`;
    $("lesson-dots").replaceChildren(...steps.map((_, k) => made("li", "", k < number ? "past" : k === number ? "here" : "")));
    $("lesson-kind").textContent = step.kind;
    this.write($("lesson-prose"), step.prose);
    this.write($("lesson-ask"), step.ask);
    $("lesson-ask").hidden = !step.ask;
    this.buildOffers();
    this.write($("lesson-idea"), lesson.idea);
    $("lesson-idea").hidden = !last;
    $("lesson-back").disabled = number === 0;
    $("lesson-next").disabled = last;
    $("lesson-again").hidden = !step.ask;
    $("lesson-notes").textContent = [...step.notes, `In the program: ${lesson.command}`].map((words) => line(words, 400)).join(" ");
    $("live").classList.toggle("pointed", step.slider);
    this.tell();
  }

  /** Words in which *these* are leant on. */
  write(element, text) {
    element.replaceChildren(...text.split("*").map((words, k) => made(k % 2 ? "em" : "span", words)));
  }

  buildOffers() {
    const { offers } = this.step, field = $("lesson-offers");
    field.hidden = offers.length < 2;
    field.replaceChildren(field.querySelector("legend"), ...offers.map(({ words, scene: number }, k) => {
      const label = made("label"), button = Object.assign(made("input", "", "", label), { type: "radio", name: "offer", checked: k === this.chosen });
      made("span", capital(line(words, 200)), "", label);
      button.addEventListener("change", () => {
        this.chosen = k;
        this.goTo(number, this.place);
        this.tell();
      });
      return label;
    }));
  }

  /** What is chosen where the bar is measured: of another step than a Do, what lies on the scene shown. */
  get offer() {
    const { offers } = this.step;
    if (offers.length) return offers[this.chosen];
    const doing = lesson.steps[this.step.doing];
    return doing && doing.offers.find((each) => scenes[each.scene] === scene);
  }

  get value() {
    const { bar, doing } = this.step, { offer } = this;
    if (!bar || !offer) return null;
    return readOff(lesson.steps[doing].places, offer.values, this.place, bar.id === "pieces") ?? null;
  }

  get solved() {
    const { ask, bar } = this.step;
    return !ask || this.meets(bar, this.value);
  }

  meets(bar, value) {
    if (value === null) return false;
    if (typeof value === "string") return value === bar.is;
    return value >= (bar.least ?? -Infinity) && value <= (bar.most ?? Infinity);
  }

  /** Why what was done fails, where that is one of the step's wrong acts. */
  get reason() {
    const { offer, place } = this, { reasons } = this.step;
    if (!offer || !reasons.length) return "";
    const last = offer.reasons.filter(([from]) => from <= place).at(-1);
    return last && last[1] >= 0 ? reasons[last[1]] : "";
  }

  tell() {
    const { step, value } = this, { bar, ask } = step, met = ask && this.meets(bar, value);
    $("lesson-check").hidden = !bar || (value === null && !ask);
    $("lesson-next").classList.toggle("ready", !$("lesson-next").disabled && this.solved);
    if (!bar) return;
    $("lesson-bar").textContent = capital(`${line(bar.title)} ${line(bar.about)}`);
    $("lesson-bar").title = bar.meaning;
    $("lesson-value").textContent = this.told(value);
    this.tellMeter(bar, value, ask);
    $("lesson-check").classList.toggle("met", Boolean(met));
    const t = this.bar ? this.bar.page.header.t : 1, elsewhere = this.bar && this.bar.t !== t;
    $("lesson-aim").hidden = !ask && !elsewhere;
    const asked = bar.is || (bar.least === null ? `at most ${number(bar.most)}` : `at least ${number(bar.least)}`);
    $("lesson-aim").textContent = [ask ? `Asked for: ${asked}.` : "", elsewhere ? `Measured at t = ${t}.` : ""].join(" ");
    if (this.bar && this.bar.held) return; // words are for a hand at rest
    const words = !ask ? "" : met ? "✓ Reached. Go on to see why." : this.reason;
    if ($("lesson-verdict").textContent !== words) $("lesson-verdict").textContent = words;
  }

  tellMeter(bar, value, ask) {
    const meter = $("lesson-meter"), part = (x) => `${100 * Math.min(1, Math.max(0, (x - bar.low) / (bar.high - bar.low)))}%`;
    meter.hidden = bar.id === "regime";
    if (meter.hidden) return;
    Object.assign(meter.querySelector(".fill").style, { width: value === null ? "0" : part(value) });
    const aim = meter.querySelector(".aim");
    aim.hidden = !ask;
    aim.style.left = part(bar.least ?? bar.most);
    for (const [name, now] of [["min", bar.low], ["max", bar.high], ["now", value ?? bar.low], ["text", this.told(value)]]) {
      meter.setAttribute(`aria-value${name}`, now);
    }
  }

  told(value) {
    if (value === null) return this.step.bar.id === "p" ? "no test yet" : "–";
    if (typeof value === "string") return value;
    return this.step.bar.id === "pieces" ? String(value) : hundredths(value);
  }
}

const column = new LessonColumn();
