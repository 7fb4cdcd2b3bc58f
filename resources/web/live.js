// ε in the reader's hand: every panel's picture at any bandwidth of a range, from a few columns and frames that turn
// with ε. Nothing is solved here: between two places a frame is a straight line.
"use strict";

class LivePage {
  /** What the block holds; refused where it is not what this script reads. */
  static async read(text) {
    const packed = Uint8Array.from(atob(text.trim()), (one) => one.charCodeAt(0));
    const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
    const content = new Uint8Array(await new Response(stream).arrayBuffer());
    const head = new DataView(content.buffer);
    const [magic, version, length, checksum] = [0, 4, 8, 12].map((at) => head.getUint32(at, true));
    if (magic !== 0x4c58564d || version !== 2) throw new Error("another version");
    if (crc32(content.subarray(16)) !== checksum) throw new Error("damaged");
    const header = JSON.parse(new TextDecoder().decode(content.subarray(16, 16 + length)));
    if (header.M !== M) throw new Error("other samples");
    return new LivePage(header, content.subarray(16 + length));
  }

  constructor(header, content) {
    this.header = header;
    this.panels = new Map(header.panels.map((panel) => [panel.id, new AllOf(panel, content)]));
  }
}

const CRC = Uint32Array.from({ length: 256 }, (_, n) => {
  for (let k = 0; k < 8; k++) n = n & 1 ? 0xedb88320 ^ (n >>> 1) : n >>> 1;
  return n >>> 0;
});

function crc32(bytes) {
  let crc = ~0;
  for (const byte of bytes) crc = CRC[(crc ^ byte) & 255] ^ (crc >>> 8);
  return ~crc >>> 0;
}

/** The whole numbers of a block: bytes in planes, signs in the lowest bit, and differences within each run. */
function numbersOf(content, [offset, count, run]) {
  if (!(offset >= 0) || offset + 2 * count > content.length || count % run) throw new Error("too short");
  const numbers = new Int16Array(count);
  for (let i = 0; i < count; i++) {
    const told = content[offset + i] | content[offset + count + i] << 8;
    numbers[i] = (told >>> 1 ^ -(told & 1)) + (i % run ? numbers[i - 1] : 0);
  }
  return numbers;
}

/** The place before a step among ascending places, and the part of the way to the next. */
function between(places, step) {
  let [low, high] = [0, places.length - 1];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (places[middle] <= step) low = middle; else high = middle;
  }
  return [low, Math.min(1, Math.max(0, (step - places[low]) / (places[high] - places[low])))];
}

/** The eigenvalues of a small symmetric matrix (d x d, row by row), falling, and its eigenvectors by columns. */
function eigen(S, d) {
  const A = Float64Array.from(S), V = Float64Array.from({ length: d * d }, (_, k) => (k % (d + 1) ? 0 : 1));
  for (let sweep = 0; sweep < 30; sweep++) {
    let off = 0;
    for (let p = 0; p < d; p++) for (let q = p + 1; q < d; q++) {
      const a = A[p * d + q];
      off += a * a;
      if (Math.abs(a) < 1e-300) continue;
      const tau = (A[q * d + q] - A[p * d + p]) / (2 * a);
      const t = (tau >= 0 ? 1 : -1) / (Math.abs(tau) + Math.sqrt(1 + tau * tau)), c = 1 / Math.sqrt(1 + t * t), s = t * c;
      for (let k = 0; k < d; k++) {
        const [x, y] = [A[k * d + p], A[k * d + q]];
        [A[k * d + p], A[k * d + q]] = [c * x - s * y, s * x + c * y];
      }
      for (let k = 0; k < d; k++) {
        const [x, y] = [A[p * d + k], A[q * d + k]];
        [A[p * d + k], A[q * d + k]] = [c * x - s * y, s * x + c * y];
        const [v, w] = [V[k * d + p], V[k * d + q]];
        [V[k * d + p], V[k * d + q]] = [c * v - s * w, s * v + c * w];
      }
    }
    if (off < 1e-24) break;
  }
  const order = [...Array(d).keys()].sort((i, j) => A[j * d + j] - A[i * d + i]);
  return [order.map((i) => A[i * d + i]), order.map((i) => [...Array(d).keys()].map((k) => V[k * d + i]))];
}

/** Move and scale a picture so that its longest side spans -1..1, as the window does; `held` follows slowly. */
class Fit {
  constructor(d) { [this.d, this.middle, this.half] = [d, new Float64Array(d), 0]; }

  apply(points, held) {
    let half = 0;
    const middle = [];
    for (let c = 0; c < this.d; c++) {
      let [low, high] = [Infinity, -Infinity];
      for (let i = c * M; i < (c + 1) * M; i++) {
        if (points[i] < low) low = points[i];
        if (points[i] > high) high = points[i];
      }
      middle.push((low + high) / 2);
      half = Math.max(half, (high - low) / 2);
    }
    const share = held && this.half > 0 ? 0.3 : 1; // of the difference, at each frame of a drag
    this.half += share * ((half || 1) - this.half);
    for (let c = 0; c < this.d; c++) {
      this.middle[c] += share * (middle[c] - this.middle[c]);
      for (let i = c * M; i < (c + 1) * M; i++) {
        points[i] = Math.min(1.5, Math.max(-1.5, (points[i] - this.middle[c]) / this.half));
      }
    }
  }
}

/** How many samples hold a coordinate: few where they are far from all others, which then lie upon one another. */
function holders(points, axis) {
  const values = points.subarray(axis * M, (axis + 1) * M), mean = values.reduce((sum, v) => sum + v, 0) / M;
  let [squares, fourths] = [0, 0];
  for (const v of values) { const square = (v - mean) ** 2; squares += square; fourths += square * square; }
  return fourths > 0 ? squares * squares / fourths : M;
}

/** Whether a part of the way covers a step as well as it should. */
const certifiedIn = (parts, step) => parts.some(({ a, b, ok }) => ok && a <= step && step <= b);

/** The columns of a panel, which its pictures at all η and in two and three dimensions have in common. */
class Columns {
  constructor({ g, rows, unit, Q, w }, content) {
    const whole = numbersOf(content, Q);
    if (whole.length !== rows * g || rows % M) throw new Error("columns");
    [this.g, this.rows, this.unit, this.values] = [g, rows, unit, new Float32Array(rows * g)];
    for (let c = 0; c < g; c++) for (let i = 0; i < rows; i++) this.values[c * rows + i] = whole[c * rows + i] * w[c];
  }
}

/** All pictures of one panel: at its own η and at others, as it was exported and in three dimensions. */
class AllOf {
  constructor(panel, content) {
    const columns = panel.Q ? new Columns(panel, content) : null;
    const picture = (set) => (set.stops ? new Stops(set, content) : new Moving(set, columns, content));
    const all = (set) => ({ flat: picture(set), solid: set.solid ? picture(set.solid) : null, scored: set.scored, scores: set.scores });
    this.own = all(panel);
    this.etas = new Map(panel.etas.map((set) => [set.eta, all(set)]));
  }

  at(eta) { return this.etas.get(eta) ?? this.own; }
}

/** A panel whose picture is known at every ε. */
class Moving {
  constructor(panel, columns, content) {
    const { d } = panel, { g, rows } = columns;
    Object.assign(this, { g, d, rows, unit: columns.unit, columns: columns.values, parts: panel.parts, t: panel.t });
    const scaled = (place, step) => Float32Array.from(numbersOf(content, place), (v) => v * step);
    this.places = numbersOf(content, panel.x);
    this.frames = scaled(panel.C, panel.scale);
    [this.shares, this.logs] = [scaled(panel.S, panel.steps[0]), scaled(panel.T, panel.steps[1])];
    const p = this.places.length;
    if (this.frames.length !== p * g * d || this.shares.length !== p * d * (d + 1) / 2 || this.logs.length !== p) throw new Error("frames");
    for (let k = 1; k < p; k++) if (!(this.places[k] > this.places[k - 1])) throw new Error("places");
    [this.fit, this.work] = [new Fit(d), new Float32Array(rows * d)];
  }

  /** The eigenvalues at a step, and a matrix (g x d) which times the columns is the picture after t steps. */
  frameAt(step, t) {
    const { g, d } = this, [j, h] = between(this.places, step), count = this.places.length;
    const mixed = (values, k) => (1 - h) * values[k * count + j] + h * values[k * count + j + 1];
    const sum = Math.exp(mixed(this.logs, 0)), S = new Float64Array(d * d);
    for (let p = 0, k = 0; p < d; p++) for (let q = p; q < d; q++, k++) S[p * d + q] = S[q * d + p] = sum * mixed(this.shares, k);
    const [values, vectors] = eigen(S, d), power = new Float64Array(d * d);
    for (let p = 0; p < d; p++) for (let q = 0; q < d; q++) {
      for (let k = 0; k < d; k++) power[p * d + q] += vectors[k][p] * Math.max(values[k], 0) ** t * vectors[k][q];
    }
    const frame = new Float64Array(g * d);
    for (let c = 0; c < g; c++) for (let p = 0; p < d; p++) {
      const value = mixed(this.frames, c * d + p);
      for (let q = 0; q < d; q++) frame[c * d + q] += value * power[p * d + q];
    }
    return [values, frame];
  }

  /** The points of the picture, coordinate by coordinate, and its eigenvalues. */
  at(step, t, held) {
    const { g, d, rows, columns, work } = this, [values, frame] = this.frameAt(step, this.t ?? t);
    work.fill(0);
    for (let q = 0; q < d; q++) for (let c = 0; c < g; c++) {
      const f = frame[c * d + q], from = c * rows, to = q * rows;
      for (let i = 0; i < rows; i++) work[to + i] += f * columns[from + i];
    }
    if (this.unit) {
      for (let i = 0; i < rows; i++) {
        let square = 1;
        for (let q = 0; q < d; q++) square += work[q * rows + i] ** 2;
        for (let q = 0; q < d; q++) work[q * rows + i] /= Math.sqrt(square);
      }
    }
    const out = new Float32Array(M * d), blocks = rows / M;
    for (let q = 0; q < d; q++) for (let b = 0; b < blocks; b++) {
      for (let i = 0; i < M; i++) out[q * M + i] += work[q * rows + b * M + i] / blocks;
    }
    this.fit.apply(out, held);
    return { points: out, values, certain: certifiedIn(this.parts, step) };
  }
}

/** A panel that is known at some ε only: the nearest of them is shown. */
class Stops {
  constructor(panel, content) {
    [this.places, this.d, this.scale] = [panel.stops, panel.d, panel.scale];
    this.points = numbersOf(content, panel.P);
    if (this.points.length !== this.places.length * M * this.d) throw new Error("stops");
  }

  at(step) {
    let nearest = 0;
    this.places.forEach((place, k) => { if (Math.abs(place - step) < Math.abs(this.places[nearest] - step)) nearest = k; });
    const points = new Float32Array(M * this.d);
    for (let k = 0; k < points.length; k++) points[k] = this.points[k * this.places.length + nearest] * this.scale;
    return { points, values: null, certain: true };
  }
}

// The bar ---------------------------------------------------------------------------------------------------------

const KEYS = 1000; // steps of the slider over its range
const GLIDE = 120; // milliseconds from one picture to another where it would jump
const FAR = 0.3; // radians by which a picture may be off where its track is dark
const JUMP = 0.2; // of half its side, by which a picture moves in a jump
const reduced = matchMedia("(prefers-reduced-motion: reduce)");

/** A number in two digits behind the point, as scores are written. */
const hundredths = (value) => value.toFixed(2).replace("-", "−").replace(/^(−?)0\./, "$1.");

class LiveBar {
  constructor(page) {
    [this.page, this.held, this.asked, this.solid] = [page, false, false, false];
    const { lo, hi, grid, start, eta, etas } = page.header;
    [this.lo, this.hi, this.grid, this.start, this.etas] = [lo, hi, grid, start, etas];
    [this.slider, this.time, this.within] = [$("live-epsilon"), $("live-time"), $("live-eta")];
    Object.assign(this.slider, { min: 0, max: KEYS, step: 1, value: this.valueOf(start) });
    Object.assign(this.within, { min: 0, max: Math.max(0, etas.length - 1), step: 1, value: etas.indexOf(eta) });
    this.time.value = page.header.t;
    [this.step, this.t, this.eta] = [start, Number(this.time.value), eta];
    this.within.closest("label").hidden = !etas.length;
    $("live-solid").hidden = ![...page.panels.values()].some(({ own }) => own.solid);
    this.listen();
    this.attach();
    new ResizeObserver(() => this.drawTracks()).observe($("live-tracks"));
    const root = document.documentElement; // what else stays at the top begins below the bar
    new ResizeObserver(() => root.style.setProperty("--bar", `${$("live").offsetHeight}px`)).observe($("live"));
    addEventListener("state", () => this.attach());
    this.readAddress();
  }

  /** Take the pictures on show; a snapshot's have no other ε. */
  attach() {
    $("live").hidden = false;
    for (const one of [this.slider, this.time, this.within, $("live-solid"), $("live-back")]) one.disabled = this.elsewhere;
    $("live").classList.toggle("elsewhere", this.elsewhere);
    this.pictures = !this.elsewhere ? pictures.filter(({ panel }) => this.page.panels.has(panel.id)) : [];
    for (const picture of this.pictures) {
      [picture.all, picture.still, picture.flat] = [this.page.panels.get(picture.panel.id), picture.points, picture.dims];
      picture.told = made("div", "", "scores told");
      picture.box.after(picture.told);
    }
    for (const picture of this.pictures) this.choose(picture);
    this.drawTracks();
    this.ask();
  }

  get elsewhere() { return scene !== facts; }

  valueOf(step) { return Math.round(step / this.grid * KEYS); }

  /** By how much every ε is multiplied at a step. */
  factorAt(step) { return Math.exp(this.lo + (this.hi - this.lo) * step / this.grid); }

  listen() {
    const follow = () => { this.held = true; this.take(); };
    for (const one of [this.slider, this.time, this.within]) {
      one.addEventListener("input", follow);
      one.addEventListener("change", () => { this.held = false; this.ask(); this.tellAloud(); this.writeAddress(); });
    }
    this.slider.addEventListener("keydown", (event) => {
      const by = { PageUp: KEYS / 8, PageDown: -KEYS / 8 }[event.key];
      if (!by) return;
      event.preventDefault();
      this.slider.value = Number(this.slider.value) + by;
      this.take();
      this.slider.dispatchEvent(new Event("change"));
    });
    $("live-back").addEventListener("click", () => {
      this.slider.value = this.valueOf(this.start);
      this.time.value = this.page.header.t;
      this.within.value = this.etas.indexOf(this.page.header.eta);
      this.take();
      this.slider.dispatchEvent(new Event("change"));
    });
    $("live-solid").addEventListener("click", () => {
      this.solid = !this.solid;
      $("live-solid").setAttribute("aria-pressed", String(this.solid));
      this.ask();
    });
    addEventListener("hashchange", () => this.readAddress());
  }

  take() {
    const value = Number(this.slider.value), exact = this.valueOf(this.start) === value;
    [this.step, this.t] = [exact ? this.start : value / KEYS * this.grid, Number(this.time.value)];
    if (this.etas.length) this.eta = this.etas[Number(this.within.value)];
    this.ask();
  }

  ask() {
    if (!this.asked) requestAnimationFrame(() => this.show());
    this.asked = true;
  }

  /** Draw every panel at the present ε, in this frame. */
  show() {
    const start = performance.now();
    this.asked = false;
    for (const picture of this.pictures) this.showPicture(picture);
    if (this.drawn !== `${this.eta} ${this.solid}`) this.drawTracks();
    this.drawn = `${this.eta} ${this.solid}`;
    this.tell();
    performance.clearMeasures("live");
    performance.measure("live", { start });
  }

  /** Which of a panel's pictures is on show: at this η, and in three dimensions where these are wanted and known. */
  choose(picture) {
    picture.at = picture.all.at(this.eta);
    picture.live = this.solid && picture.at.solid ? picture.at.solid : picture.at.flat;
    picture.takeDims(picture.live.d);
  }

  showPicture(picture) {
    this.choose(picture);
    const { step, t, eta, page: { header } } = this, follows = picture.all.etas.size > 0;
    const asExported = step === this.start && t === header.t && (eta === header.eta || !follows);
    const { points, values, certain } = picture.live.at(step, t, this.held);
    this.lead(picture, asExported && picture.dims === picture.flat ? picture.still : points);
    const box = picture.box.parentElement;
    box.classList.toggle("unsure", !certain && !asExported);
    const words = values ? `λ ${values.map((v) => hundredths(Math.max(0, v))).join(", ")}` : `nearest of ${picture.live.places.length} computed ε`;
    picture.told.replaceChildren();
    const still = this.etas.length && !follows && eta !== header.eta ? ["η does not move this panel"] : [];
    for (const word of [...this.scoreWords(picture.at), words, ...this.heldWords(picture, points), ...still]) made("span", word, "", picture.told);
    box.classList.toggle("moved", !asExported || still.length > 0); // scores and warnings are those of the session's ε
  }

  /** Show these points; where axes exchange within a step of ε, the eye is led from one picture to the other. */
  lead(picture, points) {
    const from = picture.points, begun = performance.now(), apart = from.length !== points.length;
    let square = 0;
    for (let k = 0; k < points.length; k++) square += (points[k] - from[k]) ** 2;
    picture.gliding = null;
    if (apart || reduced.matches || Math.sqrt(square / M) < JUMP) {
      picture.points = points;
      return picture.move();
    }
    const glide = picture.gliding = (now) => {
      if (picture.gliding !== glide) return; // another ε has come
      const part = Math.min(1, Math.max(0, (now - begun) / GLIDE)), h = part * part * (3 - 2 * part);
      picture.points = part < 1 ? points.map((v, k) => (1 - h) * from[k] + h * v) : points;
      picture.move();
      if (part < 1) requestAnimationFrame(glide); else picture.gliding = null;
    };
    glide(begun);
  }

  /** Where a coordinate tells no more than that a few samples are far from all others. */
  heldWords(picture, points) {
    return picture.axes.slice(0, picture.dims).map((name, axis) => [name, Math.max(1, Math.round(holders(points, axis)))])
      .filter(([, count]) => count < 3 && count < M / 10)
      .map(([name, count]) => `${line(name, 24)} is held by ${count === 1 ? "1 sample" : "2 samples"}`);
  }

  /** The scores at this ε, from those of the steps around it. */
  scoreWords({ scored, scores }) {
    if (!scored || !scored.length) return [];
    const [j, h] = between(scored, this.step);
    return Object.entries(scores).filter(([, values]) => values[j] !== null && values[j + 1] !== null).map(
      ([name, values]) => `${line(name, 40)} ${hundredths((1 - h) * values[j] + h * values[j + 1])}`);
  }

  get words() {
    const factor = this.factorAt(this.step);
    return this.step === this.start ? "ε as in the session" : `ε × ${number(factor)}`;
  }

  tell() {
    if (this.elsewhere) {
      $("live-words").textContent = "ε can be moved in “As exported”.";
      $("live-unsure").textContent = "";
      return;
    }
    const eta = this.etas.length ? `, η ${number(this.eta)}` : "";
    $("live-words").textContent = `${this.words}${this.usesTime ? `, t ${this.t}` : ""}${eta}`;
    this.within.setAttribute("aria-valuetext", `η = ${number(this.eta)}`);
    this.slider.setAttribute("aria-valuetext", this.words);
    this.time.setAttribute("aria-valuetext", `t = ${this.t}`);
    const unsure = this.pictures.filter(({ box }) => box.parentElement.classList.contains("unsure")).length;
    $("live-unsure").textContent = unsure ? `${unsure} of ${this.pictures.length} not certified here` : "";
  }

  tellAloud() { $("live-aloud").textContent = `${this.words}. ${$("live-unsure").textContent}`; }

  get usesTime() { return this.pictures.some(({ live }) => live instanceof Moving && live.t === null); }

  // Where pictures are certified -----------------------------------------------------------------------------------

  /** A thin line for each panel: full where its picture is certified, hatched where not, dark where it is far off. */
  drawTracks() {
    const canvas = $("live-tracks"), ratio = devicePixelRatio, wide = canvas.clientWidth, row = 5;
    if (!wide) return;
    [canvas.width, canvas.height] = [wide * ratio, row * this.pictures.length * ratio];
    canvas.style.height = `${row * this.pictures.length}px`;
    const context = canvas.getContext("2d"), inset = 8, at = (step) => inset + (wide - 2 * inset) * step / this.grid;
    const there = new Set();
    context.scale(ratio, ratio);
    this.pictures.forEach(({ live }, k) => {
      const y = k * row + 1;
      for (const { a, b, ok, cert } of live.parts || []) {
        const how = ok ? "sure" : cert > FAR ? "wrong" : "unsure";
        there.add(how);
        context.fillStyle = { sure: paint.accent, unsure: paint.muted, wrong: paint.text }[how];
        const [from, to] = [Math.round(at(a)), Math.round(at(b))];
        if (how !== "unsure") context.fillRect(from, y, to - from, 3);
        else for (let x = from; x < to; x += 4) context.fillRect(x, y, 1, 3);
      }
      context.fillStyle = paint.muted;
      const stops = live.parts ? [] : live.places;
      if (stops.length) there.add("stops");
      for (const stop of stops) context.fillRect(at(stop) - 0.5, y, 1, 3);
    });
    for (const entry of $("live-key").children) entry.hidden = !there.has(entry.className);
  }

  // The address ------------------------------------------------------------------------------------------------------

  readAddress() {
    const given = new URLSearchParams(location.hash.slice(1)), factor = Number(given.get("e")), t = Number(given.get("t"));
    if (!given.has("e") || !(factor > 0)) return;
    const step = (Math.log(factor) - this.lo) / (this.hi - this.lo) * this.grid;
    this.slider.value = this.valueOf(Math.min(this.grid, Math.max(0, step)));
    if (given.has("t") && t >= 0 && t <= 8) this.time.value = t;
    const eta = this.etas.indexOf(Number(given.get("eta")));
    if (given.has("eta") && eta >= 0) this.within.value = eta;
    this.take();
  }

  writeAddress() {
    const shown = Number(this.factorAt(this.step).toPrecision(3));
    history.replaceState(null, "", `#e=${shown}&t=${this.t}${this.etas.length ? `&eta=${this.eta}` : ""}`);
  }
}

(async () => {
  try {
    if (!("DecompressionStream" in window)) throw new Error("this browser is too old");
    const page = await LivePage.read($("live-data").textContent);
    if (document.readyState === "loading") await new Promise((done) => addEventListener("DOMContentLoaded", done));
    window.live = "lesson" in facts ? new LessonBar(page) : new LiveBar(page);
  } catch (error) {
    $("live-problem").textContent = `ε cannot be moved here (${line(error.message, 80)}): the pictures are those of the session.`;
    $("live-problem").hidden = false;
  }
})();
