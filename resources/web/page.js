// The pictures of one session, linked by pointer, lasso and legend. Everything shown comes from the JSON in this page,
// and is put there as text, never as markup: names in it may hold anything.
"use strict";

// What the page holds ---------------------------------------------------------------------------------------------

const $ = (id) => document.getElementById(id);
const facts = JSON.parse($("data").textContent);
const M = facts.shown;

const array = (text, Kind) => new Kind(Uint8Array.from(atob(text), (one) => one.charCodeAt(0)).buffer);

const scenes = [facts, ...facts.snapshots]; // the state the page was made of, and those kept under names
const single = scenes.length === 1 || "lesson" in facts; // whether there is nothing to choose: a lesson leads itself
let scene = facts; // the one on show
let colouring = null; // the one on show
let codes = new Uint16Array(M); // per sample its colour in the palette, and its class
let on = new Uint8Array(1).fill(1); // whether the legend shows a class
const isOn = (i) => on[codes[i]];
const fields = facts.fields.map((f) => ({ ...f, values: array(f.values, f.classes ? Uint16Array : Float32Array) }));

let chosen = new Uint8Array(M); // 1 for each selected sample
let count = 0; // how many are
let own = false; // whether the reader has selected them, and they stay when another state is shown
let marked = -1; // the sample under the pointer in some picture
let tool = "lasso";
let paint = {}; // the colours of the theme: of points as 0xBBGGRR, of lines as text

/** Line ends, control characters, marks that change the direction of text, and halves of characters. */
const UNSEEN = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\p{Cs}]+/gu;
const plain = (text) => String(text).replace(UNSEEN, " ");

/** A text whose line ends stay. */
const plainLines = (text) => text.split(/\r\n?|\n/).map(plain).join("\n");

/** A name on one line; a long one is cut inside. */
function line(text, limit = 120) {
  const seen = plain(text), half = limit >> 1;
  if (text && !seen.trim()) return `“${seen.slice(0, 8)}”`;
  return seen.length <= limit ? seen : `${seen.slice(0, limit - half - 1)}…${seen.slice(-half)}`;
}

/** A new element with a text in it. */
function made(tag, text = "", kind = "", inside = null) {
  const element = document.createElement(tag);
  element.textContent = plain(text);
  if (kind) element.className = kind;
  if (inside) inside.append(element);
  return element;
}

function madeButton(text, kind, inside, act) {
  const button = made("button", text, kind, inside);
  button.type = "button";
  button.addEventListener("click", () => act(button));
  return button;
}

const grouped = (n) => n.toLocaleString("en-US");

/** A number with three significant digits and a true minus. */
function number(value) {
  if (!Number.isFinite(value)) return "–";
  const size = Math.abs(value), short = size === 0 || (size >= 1e-4 && size < 1e5);
  const text = short ? String(size >= 1000 ? Math.round(value) : Number(value.toPrecision(3))) : value.toExponential(2);
  return text.replaceAll("-", "−");
}

// Points into pixels ----------------------------------------------------------------------------------------------

const FRAME = 48; // pixels around a picture, so that points at its edge are painted whole
const STEPS = 4; // places within a pixel at which a point can lie, in each direction

/** How much of a pixel a disc (0), square (1) or diamond (2) of this radius covers, at this distance. */
function coverage(form, radius, dx, dy) {
  const far = form === 0 ? Math.hypot(dx, dy) - radius
    : form === 1 ? Math.max(Math.abs(dx), Math.abs(dy)) - radius / 1.13
    : (Math.abs(dx) + Math.abs(dy) - radius / 0.8) * Math.SQRT1_2;
  return Math.min(1, Math.max(0, 0.5 - far));
}

/** A canvas whose pixels are written one by one: far faster than a call for each of thousands of points. */
class Layer {
  constructor(inside) {
    this.canvas = made("canvas", "", "", inside);
    this.context = this.canvas.getContext("2d", { willReadFrequently: true });
  }

  resize(width, height) {
    [this.canvas.width, this.canvas.height] = [width, height];
    this.stride = width + 2 * FRAME;
    this.image = new ImageData(this.stride, height + 2 * FRAME);
    this.pixels = new Uint32Array(this.image.data.buffer);
    this.masksOf = -1; // the opacity that the masks are made for
  }

  /** Begin with no points; a layer that has none is not written pixel by pixel. */
  clear(opacity) {
    if (this.written) this.pixels.fill(0);
    this.written = false;
    if (this.masksOf !== opacity) [this.masks, this.masksOf] = [[], opacity];
  }

  /** Bring the points into the canvas. */
  show() {
    const { canvas: { width, height }, context } = this;
    if (this.written) context.putImageData(this.image, -FRAME, -FRAME, FRAME, FRAME, width, height);
    else context.clearRect(0, 0, width, height);
  }

  /** Paint a point. The frontmost gives a pixel its colour; the opacities of all add up, as in the program. */
  point(x, y, radius, form, colour) {
    const left = Math.floor(x), top = Math.floor(y);
    if (left < -FRAME / 2 || top < -FRAME / 2) return;
    if (left >= this.canvas.width + FRAME / 2 || top >= this.canvas.height + FRAME / 2) return;
    const { offsets, covers, half } = this.mask(form, radius, ((x - left) * STEPS) | 0, ((y - top) * STEPS) | 0);
    const { pixels } = this, at = (top + FRAME) * this.stride + left + FRAME;
    this.written = true;
    for (let k = 0; k < offsets.length; k++) {
      const p = at + offsets[k], old = pixels[p], below = old >>> 24, cover = covers[k];
      const above = below + (((255 - below) * cover * 257 + 32768) >> 16);
      pixels[p] = (above << 24) | (cover >= half || !below ? colour : old & 0xffffff);
    }
  }

  /** The pixels that a point covers, and how much, made once for each size and place within a pixel. */
  mask(form, radius, right, down) {
    const size = Math.min(Math.round(radius * 8), 8 * (FRAME / 2 - 8));
    const key = ((size * 3 + form) * STEPS + right) * STEPS + down;
    return this.masks[key] ??= this.newMask(form, size / 8, (right + 0.5) / STEPS, (down + 0.5) / STEPS);
  }

  newMask(form, radius, right, down) {
    const reach = Math.ceil(radius * 1.3 + 1), offsets = [], covers = [];
    for (let dy = -reach; dy <= reach; dy++) {
      for (let dx = -reach; dx <= reach; dx++) {
        const cover = Math.round(255 * this.masksOf * coverage(form, radius, dx + 0.5 - right, dy + 0.5 - down));
        if (cover) offsets.push(dy * this.stride + dx), covers.push(cover);
      }
    }
    return { offsets: Int32Array.from(offsets), covers: Uint8Array.from(covers), half: 127 * this.masksOf };
  }
}

// One picture -----------------------------------------------------------------------------------------------------

const BASE = 1, TOP = 2; // the layer of all points, and that of the selected ones, rings and lasso
const MOST_PIXELS = 4e6; // of all pictures together, where the screen has more than one to each of the page's
const RINGED = 20; // a selection of at most so many samples gets rings
const EYE = 4.5; // its distance from a cloud in 3-D, in halves of the cloud
const turn = (a, b, angle) => {
  const R = [1, 0, 0, 0, 1, 0, 0, 0, 1], c = Math.cos(angle), s = Math.sin(angle);
  [R[4 * a], R[3 * a + b], R[3 * b + a], R[4 * b]] = [c, -s, s, c];
  return R;
};
const times = (A, B) => A.map((_, k) => {
  const i = 3 * Math.floor(k / 3), j = k % 3;
  return A[i] * B[j] + A[i + 1] * B[3 + j] + A[i + 2] * B[6 + j];
});

/** Where a class's name may stand beside its centre, in its own widths and heights, the nearest first. */
const SHIFTS = [0, -0.6, 0.6, -1.1, 1.1].flatMap((across) => [0, -1, 1, -2, 2].map((down) => [across, down]))
  .sort((a, b) => 3 * Math.abs(a[0]) + Math.abs(a[1]) - 3 * Math.abs(b[0]) - Math.abs(b[1]));

/** How far the edge of a rectangle is from its middle in a direction. */
const edgeOf = (across, down, wide, high) => 0.5 / Math.max(Math.abs(across) / wide, Math.abs(down) / high);

/** A note's text on lines of at most so many characters. */
function wrapped(text, most = 28) {
  const lines = [];
  for (const word of line(text, 400).split(" ").flatMap((long) => long.match(/.{1,28}/gu) ?? [])) {
    const last = lines.at(-1);
    if (last === undefined || last.length + 1 + word.length > most) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines.length ? lines : [" "];
}

class Picture {
  constructor(panel, box) {
    [this.panel, this.box, this.dims, this.rotation] = [panel, box, panel.dims, panel.camera];
    this.points = Float32Array.from(array(panel.points, Uint16Array), (v) => v / 32767.5 - 1); // coordinate by coordinate
    this.turns = this.dims === 3; // whether a drag turns it, whatever the tool
    [this.x, this.y, this.near] = [new Float32Array(M), new Float32Array(M), new Float32Array(M).fill(1)];
    this.order = Uint32Array.from({ length: M }, (_, i) => i);
    [this.base, this.top] = [new Layer(box), new Layer(box)];
    this.canvas = this.top.canvas;
    this.size = 0.5 * scene.size * Math.min(1, (4000 / M) ** 0.18);
    this.fit();
  }

  get reach() { return this.dims === 2 ? 1.12 : 1.45; }

  get axes() { return this.panel.axes.length < this.dims ? [...this.panel.axes, this.panel.third] : this.panel.axes; }

  /** Show as many coordinates from now on. */
  takeDims(dims) {
    if (dims === this.dims) return;
    [this.dims, this.turns] = [dims, dims === 3];
    this.near.fill(1);
    offerLasso(this);
    takeTool(tool);
    this.fit();
  }

  fit() { [this.zoom, this.centre] = [1, [0, 0]]; this.move(); }

  resize() {
    const area = this.box.clientWidth * this.box.clientHeight * pictures.length;
    this.ratio = Math.min(devicePixelRatio, 3, Math.max(1, Math.sqrt(MOST_PIXELS / area)));
    this.width = Math.max(1, Math.round(this.box.clientWidth * this.ratio));
    this.height = Math.max(1, Math.round(this.box.clientHeight * this.ratio));
    for (const layer of [this.base, this.top]) layer.resize(this.width, this.height);
    this.move();
  }

  get unit() { return Math.min(this.width, this.height) / (2 * this.reach) * this.zoom; }

  /** The points have other places on the screen. */
  move() { this.moved = true; ask(this, BASE | TOP); }

  place() {
    if (!this.moved) return;
    this.moved = false;
    const { x, y, near, points, rotation: R, unit } = this;
    const left = this.width / 2 - this.centre[0] * unit, top = this.height / 2 + this.centre[1] * unit;
    for (let i = 0; i < M; i++) {
      let [a, b] = [points[i], points[M + i]];
      if (this.dims === 3) {
        const c = points[2 * M + i], p = a, q = b;
        near[i] = EYE / Math.max(EYE - (R[6] * p + R[7] * q + R[8] * c), 0.1);
        a = (R[0] * p + R[1] * q + R[2] * c) * near[i];
        b = (R[3] * p + R[4] * q + R[5] * c) * near[i];
      }
      x[i] = left + a * unit;
      y[i] = top - b * unit;
    }
    if (this.dims === 3) this.order.sort((i, j) => near[i] - near[j]);
  }

  draw() {
    if (!this.width || !(this.seen || printing)) return; // what is scrolled out of sight can wait
    this.place();
    if (this.dirty & BASE) this.drawAll();
    if (this.dirty & TOP) this.drawSelected();
    this.dirty = 0;
  }

  /** All points in their colours, or in one opaque grey where some are selected. */
  drawAll() {
    const grey = count > 0;
    this.base.clear(grey ? 1 : scene.opacity);
    this.drawPoints(this.base, (i) => isOn(i), grey ? () => paint.rest : (i) => paint.points[codes[i]]);
    this.base.show();
    this.drawHollow(this.base.context, (i) => isOn(i));
    this.drawAxes(this.base.context);
  }

  drawSelected() {
    this.top.clear(scene.opacity);
    if (count) this.drawPoints(this.top, (i) => chosen[i] && isOn(i), (i) => paint.points[codes[i]]);
    this.top.show();
    const context = this.top.context;
    if (count) this.drawHollow(context, (i) => chosen[i] && isOn(i));
    if (count && count <= RINGED) for (let i = 0; i < M; i++) if (chosen[i] && isOn(i)) this.drawRing(context, i);
    if (scene.ringed >= 0) this.drawKept(context, scene.ringed);
    if (marked >= 0 && isOn(marked)) this.drawMark(context, marked);
    this.drawWords(context);
    if (gesture && gesture.picture === this && gesture.path.length > 1) this.drawOutline(context);
  }

  drawPoints(layer, wanted, colour) {
    const { order, x, y, near } = this, radius = this.size * this.ratio, { forms } = colouring;
    for (let k = 0; k < M; k++) {
      const i = order[k];
      if (wanted(i)) layer.point(x[i], y[i], radius * near[i], forms[codes[i]] || 0, colour(i));
    }
  }

  /** Samples without coordinates stand on the rim, and are hollow. */
  drawHollow(context, wanted) {
    context.fillStyle = paint.surface;
    for (const i of this.panel.hollow) if (wanted(i)) {
      const radius = this.size * this.near[i];
      this.circle(context, i, Math.max(0.55 * radius, radius - 1.3));
      context.fill();
    }
  }

  circle(context, i, radius) {
    context.beginPath();
    context.arc(this.x[i], this.y[i], radius * this.ratio, 0, 2 * Math.PI);
  }

  drawRing(context, i) {
    this.circle(context, i, this.size * this.near[i] + 2.5);
    for (const [colour, width] of [[paint.surface, 3], [paint.text, 1.2]]) { // the rim parts it from points around
      [context.strokeStyle, context.lineWidth] = [colour, width * this.ratio];
      context.stroke();
    }
  }

  /** The double ring around the sample that was kept in the window. */
  drawKept(context, i) {
    this.circle(context, i, 8);
    for (const [colour, width] of [[paint.surface, 4.5], [paint.accent, 2]]) {
      [context.strokeStyle, context.lineWidth] = [colour, width * this.ratio];
      context.stroke();
    }
  }

  drawMark(context, i) {
    this.circle(context, i, Math.max(4, this.size + 1.5));
    [context.strokeStyle, context.lineWidth, context.fillStyle] = [paint.text, 1.6 * this.ratio, paint.css[codes[i]]];
    context.fill();
    context.stroke();
  }

  drawOutline(context) {
    const path = new Path2D();
    for (const [x, y] of gesture.outline) path.lineTo(x * this.ratio, y * this.ratio);
    path.closePath();
    [context.strokeStyle, context.fillStyle, context.lineWidth] = [paint.accent, `${paint.accent}1c`, 1.4 * this.ratio];
    context.stroke(path);
    context.fill(path);
  }

  /** The directions of the coordinates and their names, in the lower left corner. */
  drawAxes(context) {
    const r = this.ratio, arm = 22 * r, names = this.axes, R = this.rotation;
    context.font = `${11 * r}px ${paint.family}`;
    const wide = Math.max(...names.map((name) => context.measureText(line(name, 24)).width));
    const from = this.dims === 3 ? [Math.max(40 * r, wide + 28 * r), this.height - 38 * r] : [16 * r, this.height - 14 * r];
    [context.lineWidth, context.strokeStyle] = [r, paint.muted];
    names.forEach((name, k) => {
      const [dx, dy] = this.dims === 3 ? [R[k], R[3 + k]] : [k === 0 ? 1 : 0, k];
      const to = [from[0] + arm * dx, from[1] - arm * dy], text = line(name, 24), wide = context.measureText(text).width;
      context.stroke(new Path2D(`M${from} L${to}`));
      const side = Math.abs(dx) >= Math.abs(dy);
      const at = side ? [dx >= 0 ? to[0] + 4 * r : to[0] - wide - 4 * r, to[1] + 4 * r]
        : [to[0] - Math.min(wide / 2, 10 * r), dy < 0 ? to[1] + 12 * r : to[1] - 5 * r];
      at[0] = Math.max(2 * r, at[0]);
      context.fillStyle = `${paint.surface}e6`;
      context.fillRect(at[0] - 2 * r, at[1] - 11 * r, wide + 4 * r, 14 * r);
      context.fillStyle = paint.muted;
      context.fillText(text, ...at);
    });
  }

  /** Class names at their centres, and notes with arrows, as the program lays them out. */
  drawWords(context) {
    const r = this.ratio, { family } = paint;
    const inSight = (i) => isOn(i) && this.x[i] >= 0 && this.x[i] < this.width && this.y[i] >= 0 && this.y[i] < this.height;
    context.font = `${12 * r}px ${family}`;
    const boxes = this.panel.annotations.filter((note) => inSight(note.at)).map((note) => this.noteBox(context, note));
    for (const box of boxes) this.drawArrow(context, box);
    if (scene.class_names && colouring.classes.length) {
      const taken = boxes.flatMap(({ area, x, y }) => [area, [x - 9 * r, y - 9 * r, x + 9 * r, y + 9 * r]]);
      context.font = `600 ${11 * r}px ${family}`;
      for (const name of this.placeNames(context, this.centres().filter(({ at }) => inSight(at)), taken)) {
        this.drawGround(context, name.area, `${paint.surface}e1`, paint.css[name.code]);
        context.fillText(name.text, name.area[0] + 4 * r, name.area[3] - 4 * r);
      }
    }
    context.font = `${12 * r}px ${family}`;
    for (const { area, lines } of boxes) {
      this.drawGround(context, area, paint.surface, paint.muted);
      lines.forEach((words, k) => context.fillText(words, area[0] + 7 * r, area[1] + (15 * (k + 1)) * r));
    }
  }

  drawGround(context, [left, top, right, bottom], fill, stroke) {
    [context.fillStyle, context.strokeStyle, context.lineWidth] = [fill, stroke, this.ratio];
    context.fillRect(left, top, right - left, bottom - top);
    context.strokeRect(left, top, right - left, bottom - top);
    context.fillStyle = paint.text;
  }

  /** A note's text and its ground, inside the picture and clear of the sample that it points at. */
  noteBox(context, { text, place, at }) {
    const r = this.ratio, lines = wrapped(text), [x, y] = [this.x[at], this.y[at]];
    const wide = Math.max(...lines.map((words) => context.measureText(words).width)) + 14 * r, high = (15 * lines.length + 8) * r;
    const dx = place[0] * this.width, dy = place[1] * this.height, far = Math.hypot(dx, dy);
    const [across, down] = far ? [dx / far, dy / far] : [0, -1];
    const away = Math.max(far, edgeOf(across, down, wide, high) + (this.size + 18) * r);
    const left = Math.max(3 * r, Math.min(x + across * away - wide / 2, this.width - 3 * r - wide));
    const top = Math.max(3 * r, Math.min(y + down * away - high / 2, this.height - 3 * r - high));
    return { lines, x, y, area: [left, top, left + wide, top + high] };
  }

  drawArrow(context, { area: [left, top, right, bottom], x, y }) {
    if (x >= left && x <= right && y >= top && y <= bottom) return;
    const r = this.ratio, from = [(left + right) / 2, (top + bottom) / 2], far = Math.hypot(x - from[0], y - from[1]);
    const [ux, uy] = [(x - from[0]) / far, (y - from[1]) / far];
    const on = (along, aside = 0) => `${from[0] + ux * along - uy * aside},${from[1] + uy * along + ux * aside}`;
    const start = edgeOf(ux, uy, right - left, bottom - top), tip = far - (this.size + 2) * r;
    if (tip <= start) return;
    const back = tip - 9 * r, head = new Path2D(`M${on(tip)} L${on(back, 3.8 * r)} L${on(back, -3.8 * r)} Z`);
    const shaft = new Path2D(`M${on(start)} L${on(Math.max(start, back))}`);
    for (const [colour, width] of [[paint.surface, 3.6], [paint.text, 1.4]]) {
      [context.strokeStyle, context.fillStyle, context.lineWidth] = [colour, colour, width * r];
      context.stroke(shaft);
      if (colour === paint.surface) context.stroke(head);
      context.fill(head);
    }
  }

  /** The names of classes where there is room, the larger classes first and none on another. */
  placeNames(context, centres, taken) {
    const r = this.ratio, placed = [];
    for (const { code, at } of centres) {
      const text = line(colouring.classes[code], 24), wide = context.measureText(text).width + 8 * r, high = 15 * r;
      for (const [across, down] of SHIFTS) {
        const left = this.x[at] + across * (wide + 1) - wide / 2, top = this.y[at] + down * (high + 1) - high / 2;
        const area = [left, top, left + wide, top + high];
        const meets = (o) => area[0] < o[2] && o[0] < area[2] && area[1] < o[3] && o[1] < area[3];
        if (left < 1 || top < 1 || area[2] > this.width - 1 || area[3] > this.height - 1 || taken.some(meets)) continue;
        taken.push(area);
        placed.push({ text, code, area });
        break;
      }
    }
    return placed;
  }

  /** Of each class the visible sample that is least far from the others, the larger classes first. */
  centres() {
    const key = on.join("");
    if (this.centredOf === codes && this.centredOn === key) return this.centred;
    [this.centredOf, this.centredOn] = [codes, key];
    const groups = colouring.classes.map((_, code) => ({ code, rows: [] }));
    for (let i = 0; i < M; i++) if (isOn(i)) groups[codes[i]].rows.push(i);
    const named = groups.filter(({ code, rows }) => rows.length && bgr(paint.css[code]) !== paint.rest);
    named.sort((a, b) => b.rows.length - a.rows.length);
    this.centred = named.slice(0, 60).map(({ code, rows }) => ({ code, at: this.medoid(rows) }));
    return this.centred;
  }

  medoid(rows) {
    const some = (most) => Array.from({ length: Math.min(most, rows.length) }, (_, k, n = Math.min(most, rows.length)) =>
      rows[n > 1 ? Math.floor(k * (rows.length - 1) / (n - 1)) : 0]);
    const others = some(100), axes = Array.from({ length: this.dims }, (_, k) => k * M);
    let [found, least] = [rows[0], Infinity];
    for (const i of some(300)) {
      let sum = 0;
      for (const j of others) sum += Math.hypot(...axes.map((axis) => this.points[axis + i] - this.points[axis + j]));
      if (sum < least) [found, least] = [i, sum];
    }
    return found;
  }

  /** The visible sample next to a position, within a few pixels; a selected one and a near one win; -1 for none. */
  sampleAt(px, py) {
    this.place();
    const reach = (this.size + 5) * this.ratio, X = px * this.ratio, Y = py * this.ratio;
    let found = -1, best = reach * reach;
    for (let k = M - 1; k >= 0; k--) {
      const i = this.order[k], dx = this.x[i] - X, dy = this.y[i] - Y;
      const far = (dx * dx + dy * dy) * (count && !chosen[i] ? 1.5 : 1);
      if (far < best && isOn(i)) [found, best] = [i, far];
    }
    return found;
  }

  /** The visible samples inside an outline, each as 1. */
  samplesIn(outline) {
    this.place();
    const { width, height } = this, inside = new Uint8Array(M);
    [sieve.canvas.width, sieve.canvas.height] = [width, height];
    sieve.beginPath();
    for (const [x, y] of outline) sieve.lineTo(x * this.ratio, y * this.ratio);
    sieve.fill();
    const mask = new Uint32Array(sieve.getImageData(0, 0, width, height).data.buffer);
    for (let i = 0; i < M; i++) {
      const x = this.x[i] | 0, y = this.y[i] | 0;
      if (x >= 0 && y >= 0 && x < width && y < height && mask[y * width + x] >>> 24 > 127 && isOn(i)) inside[i] = 1;
    }
    return inside;
  }

  zoomAt(factor, px = this.box.clientWidth / 2, py = this.box.clientHeight / 2) {
    const before = this.unit, zoom = this.zoom * factor;
    if (zoom < 0.2 || zoom > 1000) return;
    this.zoom = zoom;
    const X = px * this.ratio - this.width / 2, Y = this.height / 2 - py * this.ratio;
    this.centre[0] += X / before - X / this.unit;
    this.centre[1] += Y / before - Y / this.unit;
    this.move();
  }

  /** Move a picture by so many pixels, or turn it, where it is in 3-D. */
  drag(dx, dy, shift) {
    if (this.dims === 3 && !shift) {
      this.rotation = times(turn(1, 2, dy * 0.01), times(turn(2, 0, dx * 0.01), this.rotation));
    } else {
      this.centre[0] -= dx * this.ratio / this.unit;
      this.centre[1] += dy * this.ratio / this.unit;
    }
    this.move();
  }

  /** The next sample from the marked one (or the middle) in a direction; the same where there is none. */
  nextSample(dx, dy) {
    this.place();
    const from = marked >= 0 ? [this.x[marked], this.y[marked]] : [this.width / 2, this.height / 2];
    let [found, best] = [marked, Infinity];
    for (let i = 0; i < M; i++) {
      const along = (this.x[i] - from[0]) * dx + (this.y[i] - from[1]) * dy;
      const aside = Math.abs((this.x[i] - from[0]) * dy - (this.y[i] - from[1]) * dx);
      if (i !== marked && along > 0 && along + 2 * aside < best && isOn(i)) [found, best] = [i, along + 2 * aside];
    }
    return found;
  }

  /** Where a sample is, in pixels of the browser's window. */
  spot(i) {
    this.place();
    const box = this.canvas.getBoundingClientRect();
    return [box.left + this.x[i] / this.ratio, box.top + this.y[i] / this.ratio];
  }
}

// Drawing, once a frame -------------------------------------------------------------------------------------------

const pictures = [];
const sieve = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
let asked = false;
let brushed = false; // whether the lasso has grown since the last frame

function ask(picture, layers) {
  picture.dirty |= layers;
  if (!asked) requestAnimationFrame(drawFrame);
  asked = true;
}

const askAll = (layers) => pictures.forEach((picture) => ask(picture, layers));

function drawFrame() {
  const start = performance.now();
  asked = false;
  if (brushed && gesture) select(gesture.combined(gesture.picture.samplesIn(gesture.outline)));
  brushed = false;
  for (const picture of pictures) if (picture.dirty) picture.draw();
  performance.clearMeasures("frame");
  performance.measure("frame", { start });
}

// Selecting and pointing ------------------------------------------------------------------------------------------

/** Select these samples (1 each) in all pictures. */
function select(next) {
  const before = count;
  chosen = next;
  count = next.reduce((sum, one) => sum + one, 0);
  own = count > 0;
  askAll(!before !== !count ? BASE | TOP : TOP);
  tellSelection();
}

const none = () => new Uint8Array(M);
const combine = {
  replace: (was, now) => now, add: (was, now) => was | now,
  subtract: (was, now) => was & ~now, intersect: (was, now) => was & now,
};

function operation(event) {
  const control = event.ctrlKey || event.metaKey;
  return event.shiftKey ? (control ? "intersect" : "add") : (control ? "subtract" : "replace");
}

/** Ring a sample in all pictures, and tell of it beside the pointer; -1 for none. */
function mark(i, at) {
  if (i !== marked) askAll(TOP);
  marked = i;
  $("card").hidden = i < 0;
  if (i >= 0) showCard(i, at);
}

/** A drag on a picture: a lasso, a rectangle, or a move. */
class Gesture {
  constructor(picture, event) {
    [this.picture, this.pointer, this.operation] = [picture, event.pointerId, operation(event)];
    [this.before, this.path, this.still] = [chosen, [], true];
    this.start = this.last = [event.offsetX, event.offsetY];
    this.moves = event.button !== 0 || tool === "move" || picture.turns;
    this.rectangle = tool === "rectangle";
  }

  get outline() {
    if (!this.rectangle) return this.path;
    const [[a, b], [c, d]] = [this.start, this.last];
    return [[a, b], [c, b], [c, d], [a, d]];
  }

  combined(inside) { return inside.map((now, i) => combine[this.operation](this.before[i], now) & 1); }

  follow(event) {
    const [x, y] = [event.offsetX, event.offsetY], [lastX, lastY] = this.last;
    if (this.still && Math.hypot(x - this.start[0], y - this.start[1]) <= 4) return;
    this.still = false;
    this.last = [x, y];
    if (this.moves) return this.picture.drag(x - lastX, y - lastY, event.shiftKey);
    if (!this.path.length) this.path.push(this.start);
    this.path.push(this.last);
    brushed = true;
    ask(this.picture, TOP);
  }
}

let gesture = null;

/** End a drag; `event` is null where it was given up. */
function endGesture(event) {
  const { picture, still, moves, operation: how, start } = gesture;
  if (!event && !moves) select(gesture.before);
  else if (!still && !moves) select(gesture.combined(picture.samplesIn(gesture.outline)));
  [gesture, brushed] = [null, false];
  ask(picture, TOP);
  if (!event || !still || event.button !== 0) return;
  const i = picture.sampleAt(...start);
  pick(i, how);
  if (event.pointerType === "touch") mark(i, [event.clientX, event.clientY]); // a finger has not hovered before
}

/** Select one sample; with Shift add it or, if it is there, take it away. */
function pick(i, how) {
  if (i < 0 && how !== "replace") return;
  const now = none();
  if (i >= 0) now[i] = 1;
  const known = i >= 0 && chosen[i] && how === "add" ? "subtract" : how;
  select(now.map((one, k) => combine[known](chosen[k], one) & 1));
}

let scrolled = -Infinity; // when the page was last scrolled by the wheel

function listen(picture) {
  const { canvas } = picture;
  const point = (event) => mark(picture.sampleAt(event.offsetX, event.offsetY), [event.clientX, event.clientY]);
  const own = (event) => gesture && gesture.picture === picture && gesture.pointer === event.pointerId;
  canvas.addEventListener("pointerdown", (event) => {
    if (gesture) return;
    canvas.setPointerCapture(event.pointerId);
    gesture = new Gesture(picture, event);
  });
  canvas.addEventListener("pointermove", (event) => (own(event) ? gesture.follow(event) : gesture || point(event)));
  canvas.addEventListener("pointerup", (event) => own(event) && endGesture(event));
  canvas.addEventListener("pointercancel", (event) => own(event) && endGesture(null));
  canvas.addEventListener("pointerleave", (event) => gesture || event.pointerType === "touch" || mark(-1));
  canvas.addEventListener("contextmenu", (event) => event.preventDefault());
  canvas.addEventListener("dblclick", () => picture.fit());
  canvas.addEventListener("blur", () => mark(-1));
  canvas.addEventListener("keydown", (event) => pictureKey(picture, event));
  canvas.addEventListener("wheel", (event) => {
    if (event.timeStamp - scrolled < 300) return; // a scroll that began elsewhere goes on
    event.preventDefault();
    event.stopPropagation();
    picture.zoomAt(1.0015 ** -(event.deltaY * (event.deltaMode === 1 ? 33 : 1)), event.offsetX, event.offsetY);
  }, { passive: false });
}

addEventListener("wheel", (event) => { scrolled = event.timeStamp; }, { passive: true });

const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

function pictureKey(picture, event) {
  const arrow = ARROWS[event.key];
  if (arrow && event.altKey) picture.drag(arrow[0] * 20, arrow[1] * 20, event.shiftKey);
  else if (arrow) { const i = picture.nextSample(...arrow); if (i >= 0) mark(i, picture.spot(i)); }
  else if (event.key === "Enter" && marked >= 0) pick(marked, operation(event));
  else if (event.key === "+" || event.key === "=") picture.zoomAt(1.25);
  else if (event.key === "-" || event.key === "−") picture.zoomAt(0.8);
  else if (event.key === "0") picture.fit();
  else return;
  event.preventDefault();
}

addEventListener("keydown", (event) => {
  if (event.key === "Escape") return gesture ? endGesture(null) : select(none());
  if (event.ctrlKey || event.metaKey || event.altKey || event.target === $("colours")) return;
  const known = { l: "lasso", r: "rectangle", m: "move" }[event.key.toLowerCase()];
  if (known) takeTool(known);
  const at = scenes.indexOf(scene), step = { PageDown: at + 1, PageUp: at - 1 }[event.key] ?? Number(event.key);
  if (single || !(step >= 1 || event.key === "PageUp" || event.key === "PageDown")) return;
  event.preventDefault();
  if (scenes[step]) show(scenes[step]);
});

// Beside the pictures ---------------------------------------------------------------------------------------------

const SVG = "http://www.w3.org/2000/svg";
const LISTED = 500; // most classes in the legend
const FORMS = ["M7 2a5 5 0 1 0 0 10a5 5 0 1 0 0-10z", "M2.6 2.6h8.8v8.8h-8.8z", "M7 .75L13.25 7L7 13.25L.75 7z"];

function swatch(form) {
  const drawn = document.createElementNS(SVG, "svg"), path = document.createElementNS(SVG, "path");
  for (const [name, value] of [["viewBox", "0 0 14 14"], ["aria-hidden", "true"]]) drawn.setAttribute(name, value);
  path.setAttribute("d", FORMS[form]);
  drawn.append(path);
  return drawn;
}

let entries = [];

function newEntry(name, code) {
  const entry = madeButton("", "entry", null, () => { on[code] ^= 1; showClasses(); });
  entry.append(swatch(colouring.forms[code]));
  made("bdi", line(name), "name", entry).title = line(name, 600);
  made("span", "", "number", entry);
  entry.addEventListener("dblclick", () => { on.fill(0); on[code] = 1; showClasses(); });
  return entry;
}

const colourTitle = ({ title }) => (title ? line(title, 60) : "One colour");

/** The choice of colourings, where there is one: those of the whole page, and the own one of the state on show. */
function buildMenu() {
  const menu = [...facts.menu, ...(facts.menu.includes(scene.colour) ? [] : [scene.colour])];
  const options = menu.map((k) => Object.assign(made("option", colourTitle(facts.colours[k])), { value: k }));
  $("colours").replaceChildren(...options);
  $("colours").hidden = menu.length < 2;
}

/** Colour the points anew; `visible` are the names of the classes to show, of none all. */
function takeColour(k, visible = []) {
  colouring = facts.colours[k];
  codes = array(colouring.codes, Uint16Array);
  on = new Uint8Array(colouring.palettes.light.length).fill(1);
  if (visible.length) colouring.classes.forEach((name, code) => { on[code] = visible.includes(name); });
  $("colours").value = k;
  buildLegend();
  takePaint();
  showClasses();
  tellSelection();
}

function buildLegend() {
  const chosenFrom = !$("colours").hidden;
  $("colour-title").textContent = chosenFrom ? "Colour" : colouring.title ? `Colour: ${colourTitle(colouring)}` : "One colour";
  entries = colouring.classes.slice(0, LISTED).map(newEntry);
  $("legend").replaceChildren(...entries);
  const more = colouring.classes.length - LISTED;
  if (more > 0) made("p", `and ${grouped(more)} more`, "ends", $("legend"));
  if (!colouring.ends) return;
  made("div", "", "", $("legend")).id = "scale";
  const ends = made("div", "", "ends", $("legend"));
  for (const end of colouring.ends) made("span", end, "", ends);
}

/** The legend has hidden or shown a class. */
function showClasses() {
  entries.forEach((entry, code) => entry.setAttribute("aria-pressed", String(on[code] === 1)));
  $("show-all").hidden = on.every((one) => one);
  askAll(BASE | TOP);
}

function tellSelection() {
  $("count").textContent = count ? `${grouped(count)} of ${grouped(M)} samples` : `none of ${grouped(M)}: drag a lasso`;
  for (const id of ["copy", "clear"]) $(id).disabled = !count;
  const each = new Uint32Array(on.length);
  for (let i = 0; i < M; i++) each[codes[i]] += chosen[i];
  entries.forEach((entry, code) => {
    const told = grouped(colouring.counts[code]), words = entry.lastChild;
    words.textContent = count ? `${grouped(each[code])} / ${told}` : told;
    words.classList.toggle("some", count > 0 && each[code] > 0);
  });
  for (const { chip, samples } of chips) {
    const same = samples.length === count && samples.every((i) => chosen[i]);
    chip.setAttribute("aria-pressed", String(count > 0 && same));
  }
}

// The named selections: a press selects one, another releases it; with Shift and Ctrl as a lasso does.
const chips = facts.named.map(({ name, about, colour: paints, samples: text }) => {
  const samples = array(text, Uint32Array), chip = made("button", "", "chip");
  chip.type = "button";
  chip.append(swatch(0));
  made("bdi", line(name), "name", chip);
  made("span", grouped(samples.length), "number", chip);
  chip.title = line(about ? `${name}: ${about}` : name, 600);
  chip.addEventListener("click", (event) => {
    const how = operation(event), now = none();
    const released = how === "replace" && chip.getAttribute("aria-pressed") === "true";
    if (!released) for (const i of samples) now[i] = 1;
    select(now.map((one, i) => combine[how](chosen[i], one) & 1));
  });
  return { chip, samples, paints };
});

const idOf = (i) => (facts.ids ? facts.ids[i] : String(facts.rows ? facts.rows[i] : i));

async function copyIds() {
  const ids = Array.from(chosen.keys()).filter((i) => chosen[i]).map(idOf);
  try {
    await navigator.clipboard.writeText(ids.join("\n"));
  } catch {
    const text = Object.assign(made("textarea", "", "", document.body), { value: ids.join("\n") });
    text.select();
    document.execCommand("copy");
    text.remove();
  }
  $("count").textContent = `${grouped(ids.length)} ids copied`;
}

const sheet = facts.sheet ? Object.assign(new Image(), { src: facts.sheet.src }) : null;

/** A sample's picture, enlarged so that its pixels can be seen. */
function thumbnail(i) {
  const canvas = made("canvas"), { width, height, columns } = facts.sheet, scale = 64 / Math.max(width, height);
  [canvas.width, canvas.height] = [width, height];
  [canvas.style.width, canvas.style.height] = [`${width * scale}px`, `${height * scale}px`];
  const left = width * (i % columns), top = height * Math.floor(i / columns);
  canvas.getContext("2d").drawImage(sheet, left, top, width, height, 0, 0, width, height);
  return canvas;
}

/** The values of a colouring as the card shows them. */
function fieldOf({ title, classes, values }) {
  if (classes.length) return { title, classes, values: codes };
  return { title, classes: null, values: array(values, Float32Array) };
}

function showCard(i, [x, y]) {
  const card = $("card"), words = document.createElement("div");
  if (!facts.nameless) made("b", line(idOf(i), 60), "", words);
  const shown = fields.some(({ title }) => title === colouring.title) || !colouring.title ? [] : [fieldOf(colouring)];
  for (const { title, classes, values } of [...fields, ...shown]) {
    const row = made("div", "", "", words);
    made("bdi", line(title, 28), "muted", row);
    row.append(" ");
    made("bdi", classes ? line(classes[values[i]], 60) : number(values[i]), "", row);
  }
  card.hidden = !words.hasChildNodes() && !sheet;
  card.replaceChildren(...(sheet && sheet.complete ? [thumbnail(i)] : []), words);
  const { width, height } = card.getBoundingClientRect();
  card.style.left = `${Math.max(4, x + 18 + width < innerWidth ? x + 18 : x - 18 - width)}px`;
  card.style.top = `${Math.min(Math.max(4, y - height - 12), innerHeight - height - 4)}px`;
}

// The panels ------------------------------------------------------------------------------------------------------

function buildPanel(panel) {
  const box = made("article", "", "panel", $("panels")), head = made("div", "", "head", box);
  const title = made("h3", line(panel.title), "", head);
  title.title = line(panel.title, 600);
  box.setAttribute("aria-label", line(panel.title));
  const body = made("div", "", "picture", box);
  if (panel.problem) made("p", panel.problem, "problem", body);
  else buildPicture(panel, box, head, body);
  const scores = made("div", "", "scores", box);
  for (const { text, about, best } of panel.scores) made("span", text, best ? "best" : "", scores).title = about;
  for (const warning of panel.warnings) made("p", warning, "warning", box);
  buildDetails(panel, box);
}

function buildPicture(panel, box, head, body) {
  const picture = new Picture(panel, body), { canvas } = picture;
  picture.head = head;
  canvas.tabIndex = 0;
  canvas.setAttribute("role", "application");
  canvas.setAttribute("aria-label", `${line(panel.title)}: ${grouped(M)} points, arrows go from one to the next`);
  offerLasso(picture);
  madeButton("Enlarge", "small", head, (button) => {
    const large = box.classList.toggle("large");
    button.textContent = large ? "Reduce" : "Enlarge";
    box.scrollIntoView({ block: "nearest" });
  });
  pictures.push(picture);
  listen(picture);
  const sizes = new ResizeObserver(() => { picture.resize(); if (printing) picture.draw(); });
  const sights = new IntersectionObserver((at) => { picture.seen = at.at(-1).isIntersecting; ask(picture, 0); });
  picture.observers = [sizes, sights];
  for (const observer of picture.observers) observer.observe(body);
}

/** In three dimensions a drag turns, unless the panel's own button says that it selects. */
function offerLasso(picture) {
  if (picture.dims === 3 && !picture.lasso) {
    picture.lasso = madeButton("Lasso", "small", null, () => { picture.turns = !picture.turns; takeTool(tool); });
    picture.lasso.title = "A drag selects instead of turning";
    picture.head.children[0].after(picture.lasso);
  }
  if (picture.lasso) picture.lasso.hidden = picture.dims !== 3;
}

function buildDetails(panel, box) {
  const details = made("details", "", "", box);
  made("summary", "How this was computed", "", details);
  made("p", line(panel.caption, 4000), "", details);
  const list = made("dl", "", "facts", details);
  for (const [name, value] of panel.facts) {
    made("dt", line(name), "", list);
    made("dd", line(value, 240), "", list);
  }
}

// The states ------------------------------------------------------------------------------------------------------

const tabs = scenes.map((each, k) => {
  const tab = madeButton("", "tab", null, () => show(each));
  if (k) made("span", k, "number", tab);
  made("bdi", k ? line(each.name, 60) : "As exported", "name", tab);
  tab.title = k ? `${line(each.name, 300)} (${k < 10 ? k : "PageUp, PageDown"})` : "The state this page was made of";
  return tab;
});

/** Show a state with its own panels, words, colouring and selection; one that the reader made stays. */
function show(next) {
  endShow();
  scene = next;
  $("subtitle").textContent = line(scene.subtitle, 1200) || "\u00a0"; // so that the row of names stays where it is
  $("note").textContent = plainLines(scene.note ?? "");
  $("note").hidden = !scene.note;
  $("notes").textContent = scene.notes.join(" ");
  const most = Math.max(1, Math.ceil(Math.sqrt(scene.panels.length)));
  $("panels").style.setProperty("--most", most);
  $("panels").style.setProperty("--rows", Math.max(1, Math.ceil(scene.panels.length / most)));
  scene.panels.forEach(buildPanel);
  if (scene.problem) made("p", scene.problem, "gone", $("panels"));
  tabs.forEach((tab, k) => tab.setAttribute("aria-pressed", String(scenes[k] === scene)));
  if (!own) takeSelection();
  buildMenu();
  takeColour(scene.colour, scene.visible);
  takeTool(tool);
  dispatchEvent(new Event("state"));
}

/** Leave the state on show, whose pictures keep the side they were turned to. */
function endShow() {
  if (gesture) endGesture(null);
  mark(-1);
  for (const { panel, rotation, observers } of pictures) {
    panel.camera = rotation;
    for (const observer of observers) observer.disconnect();
  }
  pictures.length = 0;
  $("panels").replaceChildren();
}

function takeSelection() {
  chosen = none();
  for (const i of scene.selection) chosen[i] = 1;
  count = scene.selection.length;
}

// The whole page --------------------------------------------------------------------------------------------------

let theme = "light";
let printing = false;
const toolButtons = document.querySelectorAll("[data-tool]");
const dark = matchMedia("(prefers-color-scheme: dark)");

const bgr = (hex) => parseInt(hex.slice(5, 7) + hex.slice(3, 5) + hex.slice(1, 3), 16);

function takeTheme(name) {
  theme = name;
  document.documentElement.dataset.theme = name;
  const style = getComputedStyle(document.documentElement);
  for (const role of ["surface", "text", "muted", "accent"]) paint[role] = style.getPropertyValue(`--${role}`).trim();
  paint.family = getComputedStyle(document.body).fontFamily;
  paint.rest = bgr(facts.rest[name]);
  $("theme").textContent = name === "light" ? "Dark" : "Light";
  $("theme").title = `Show the page in its ${name === "light" ? "dark" : "light"} colours`;
  for (const { chip, paints } of chips) chip.firstChild.setAttribute("fill", paints[name]);
  takePaint();
}

/** The colours of points and legend, in this theme. */
function takePaint() {
  paint.css = colouring.palettes[theme];
  paint.points = Uint32Array.from(paint.css, bgr);
  entries.forEach((entry, code) => entry.firstChild.setAttribute("fill", paint.css[code]));
  if ($("scale")) $("scale").style.background = `linear-gradient(90deg, ${paint.css})`;
  askAll(BASE | TOP);
}

function takeTool(name) {
  tool = name;
  for (const button of toolButtons) button.setAttribute("aria-pressed", String(button.dataset.tool === tool));
  for (const picture of pictures) {
    picture.canvas.classList.toggle("moves", tool === "move" || picture.turns);
    if (picture.lasso) picture.lasso.setAttribute("aria-pressed", String(!picture.turns));
  }
}

/** Print in light colours with every caption open, and go back. */
function print(begins, back) {
  printing = begins;
  for (const details of document.querySelectorAll("details")) details.open = begins || back.open.has(details);
  takeTheme(begins ? "light" : back.theme);
  pictures.forEach((picture) => picture.draw());
}

function listenToButtons() {
  for (const button of toolButtons) button.addEventListener("click", () => takeTool(button.dataset.tool));
  $("fit").addEventListener("click", () => pictures.forEach((picture) => picture.fit()));
  $("theme").addEventListener("click", () => { dark.onchange = null; takeTheme(theme === "light" ? "dark" : "light"); });
  $("copy").addEventListener("click", copyIds);
  $("clear").addEventListener("click", () => select(none()));
  $("show-all").addEventListener("click", () => { on.fill(1); showClasses(); });
  $("colours").addEventListener("change", () => takeColour(Number($("colours").value)));
  $("invert").addEventListener("click", () => select(chosen.map((one) => 1 - one)));
  let back = null;
  addEventListener("beforeprint", () => {
    back ??= { theme, open: new Set(document.querySelectorAll("details[open]")) };
    print(true, back);
  });
  addEventListener("afterprint", () => { print(false, back); back = null; });
}

$("title").textContent = line(facts.title, 200);
$("program").textContent = `Made by ${facts.program}.`;
$("states").hidden = single;
$("states").append(...tabs);
for (const element of [$("steps"), $("steps").nextElementSibling]) element.hidden = single;
$("named").hidden = !chips.length;
$("chips").append(...chips.map(({ chip }) => chip));
$("copy").hidden = facts.nameless;
show(facts);
dark.onchange = () => takeTheme(dark.matches ? "dark" : "light");
dark.onchange();
listenToButtons();
