/* Most rules select elements instead of classes. Colours follow the light or dark scheme of the system. */
:root {
  color-scheme: light dark;
  --ink: light-dark(#1c2330, #e8ebf0);
  --soft: light-dark(#565f70, #a3adbd);
  --paper: light-dark(#f6f7f9, #13161b);
  --card: light-dark(#ffffff, #1c2129);
  --line: light-dark(#dfe3e9, #333a46);
  --edge: light-dark(#8a93a3, #6f7989);
  --accent: light-dark(#1f5fbf, #8ab6ff);
  --accent-strong: light-dark(#184c99, #a9c9ff);
  --on-accent: light-dark(#ffffff, #10233f);
  --bad: light-dark(#b3261e, #ffb4ab);
  --good: light-dark(#1b6b3a, #8fdca8);
  --round: 0.6rem;
  /* Half of the maximum width of lists and of the header. */
  --half: calc(max(44.5rem, min(78rem, 100vw)) / 2);
  scrollbar-gutter: stable;
}

* {
  box-sizing: border-box;
}

body {
  margin: 0;
  background: var(--paper);
  color: var(--ink);
  font:
    1rem/1.6 system-ui,
    'Segoe UI',
    sans-serif;
  overflow-wrap: anywhere;
}

header {
  display: flex;
  flex-wrap: wrap;
  align-items: center;
  gap: 0.5rem 1.5rem;
  border-bottom: 1px solid var(--line);
  background: var(--card);
  padding: 0.9rem max(1.25rem, calc(50% - var(--half) + 1.25rem));
}

header a {
  display: inline-flex;
  align-items: center;
  gap: 0.6rem;
  font-weight: 650;
  color: var(--ink);
  text-decoration: none;
}

header a::before {
  content: '';
  width: 1.6rem;
  height: 1.6rem;
  background: url('../icon.svg') center / contain;
}

header nav {
  display: flex;
  flex-wrap: wrap;
  gap: 0.25rem 1.25rem;
  margin-inline-start: auto;
}

header nav a {
  font-weight: 500;
  color: var(--accent);
}

header nav a::before {
  content: none;
}

nav.crumbs {
  display: flex;
  flex-wrap: wrap;
  gap: 0 0.5rem;
  margin: 0 0 0.5rem;
  font-size: 0.9rem;
}

nav.crumbs a:not(:last-child)::after {
  content: '›' / '';
  display: inline-block;
  margin-inline-start: 0.5rem;
  color: var(--soft);
}

nav.crumbs a::before {
  content: none;
}

p.sizes {
  font-size: 0.9rem;
  color: var(--soft);
}

p.sizes a {
  display: inline-block;
  padding: 0.3rem 0.5rem;
}

p.sizes a[aria-current] {
  font-weight: 700;
  color: inherit;
  text-decoration: none;
}

main {
  max-width: 44.5rem;
  margin: 0 auto;
  padding: clamp(1.5rem, 5vw, 3rem) 1.25rem;
}

/* Pages with a list are wider than other pages. */
main:has(table, .search) {
  max-width: calc(2 * var(--half));
}

/* A table that is wider than the window scrolls inside `main`. `relative` makes its hidden labels scroll too. */
main:has(table) {
  position: relative;
  overflow-x: auto;
}

h1 {
  font-size: 1.75rem;
  line-height: 1.2;
  letter-spacing: -0.015em;
  text-wrap: balance;
  margin: 0 0 1.5rem;
}

.heading {
  display: flex;
  flex-wrap: wrap;
  align-items: center;
  justify-content: space-between;
  gap: 0.75rem 1.5rem;
  margin-bottom: 1.25rem;
}

.heading h1 {
  margin: 0;
}

a {
  color: var(--accent);
  text-underline-offset: 0.2em;
  text-decoration-thickness: 1px;
}

a:hover {
  color: var(--accent-strong);
  text-decoration-thickness: 2px;
}

table,
dl,
form,
.empty {
  background: var(--card);
  border: 1px solid var(--line);
  border-radius: var(--round);
}

table {
  width: 100%;
  border-spacing: 0;
}

th:first-child {
  min-width: 9rem;
}

caption {
  caption-side: bottom;
  padding-top: 0.7rem;
  text-align: start;
  font-size: 0.9rem;
  color: var(--soft);
}

th,
td {
  text-align: start;
  vertical-align: baseline;
  padding: 0.75rem 1.1rem;
  border-bottom: 1px solid var(--line);
}

th {
  /* A column is at least as wide as the longest word of its heading. */
  overflow-wrap: break-word;
  font-size: 0.85rem;
  font-weight: 600;
  color: var(--soft);
}

tbody tr:last-child td {
  border-bottom: 0;
}

tbody tr:hover {
  background: color-mix(in srgb, var(--accent) 5%, transparent);
}

.number {
  text-align: end;
  white-space: nowrap;
  font-variant-numeric: tabular-nums;
}

/* Labels are short. A line break inside an Arabic word would change its letters. */
td.label {
  white-space: nowrap;
}

/* Shorten long addresses, so that they do not widen the table. */
td a:is([href^='http'], [href^='mailto:']) {
  display: inline-block;
  max-width: 14rem;
  overflow: hidden;
  text-overflow: ellipsis;
  white-space: nowrap;
  vertical-align: bottom;
  /* Cut off the end of the address, also on Arabic pages. */
  direction: ltr;
}

td.links {
  text-align: end;
  white-space: nowrap;
  font-size: 0.9rem;
}

td.links a {
  white-space: nowrap;
}

td.links a + a {
  margin-inline-start: 0.9rem;
}

a.danger {
  color: var(--bad);
}

td img {
  display: block;
  max-width: 4rem;
  height: 2.5rem;
  object-fit: contain;
}

dd img,
.attachment img {
  display: block;
  max-width: 100%;
  max-height: 20rem;
}

img,
.attachment canvas {
  border-radius: 0.4rem;
}
.attachment {
  display: grid;
  justify-items: start;
  gap: 0.6rem;
}

.attachment label {
  display: flex;
  align-items: center;
  gap: 0.6rem;
  margin: 0;
  font-weight: 400;
}

.visually-hidden {
  position: absolute;
  width: 1px;
  height: 1px;
  overflow: hidden;
  clip-path: inset(50%);
  white-space: nowrap;
}

ul.resources {
  display: grid;
  grid-template-columns: repeat(auto-fill, minmax(14rem, 1fr));
  gap: 1rem;
  margin: 0;
  padding: 0;
  list-style: none;
}

ul.resources a {
  display: block;
  border: 1px solid var(--line);
  border-radius: var(--round);
  background: var(--card);
  padding: 1.1rem 1.25rem;
  font-weight: 600;
  text-decoration: none;
}

ul.resources a:hover {
  border-color: var(--accent);
}

time {
  white-space: nowrap;
  font-variant-numeric: tabular-nums;
}

dl {
  display: grid;
  grid-template-columns: max-content minmax(0, 1fr);
  gap: 0.5rem 2rem;
  margin: 0 0 1.5rem;
  padding: 1.1rem 1.25rem;
}

dt {
  color: var(--soft);
}

dd {
  margin: 0;
  white-space: pre-line;
}

dd:empty::before {
  content: '–' / '';
  color: var(--soft);
}

form {
  display: grid;
  gap: 0.35rem;
  padding: 1.25rem;
}

/* A form with only a button has no border and background. */
td > form,
.actions > form {
  display: block;
  padding: 0;
  background: none;
  border: 0;
}

td > form > button {
  white-space: nowrap;
}

table + :is(form, div) {
  margin-top: 1.25rem;
}

fieldset {
  display: grid;
  grid-template-columns: max-content max-content;
  align-items: center;
  gap: 0.6rem 1rem;
  margin: 0.9rem 0 0;
  padding: 0.6rem 0.9rem;
  border: 1px solid var(--line);
  border-radius: 0.4rem;
}

fieldset > label:nth-child(n) {
  margin-top: 0;
}

fieldset > small {
  grid-column: 1 / -1;
}

label,
legend {
  font-weight: 600;
}

label span {
  font-weight: 400;
  color: var(--soft);
}

label span::before {
  content: '· ';
}

input:not([type='hidden']) ~ label {
  margin-top: 0.9rem;
}

input,
select {
  width: 100%;
  max-width: 26rem;
  min-height: 2.75rem;
  font: inherit;
  color: inherit;
  background: var(--paper);
  border: 1px solid var(--edge);
  border-radius: 0.4rem;
  padding: 0.5rem 0.75rem;
}

/* The first letter of a text decides its direction, not the language of the page. */
textarea,
input[type='text'][inputmode='text'] {
  unicode-bidi: plaintext;
}

input[type='file'] {
  padding: 0.35rem;
}

::file-selector-button {
  min-height: 2rem;
  margin-inline-end: 0.75rem;
  font: inherit;
  font-weight: 600;
  color: var(--accent);
  background: var(--card);
  border: 1px solid var(--edge);
  border-radius: 0.3rem;
  padding: 0.2rem 0.75rem;
}

input[aria-invalid='true'],
select[aria-invalid='true'],
textarea[aria-invalid='true'] {
  border-color: var(--bad);
  box-shadow: inset 0 0 0 1px var(--bad);
}

small {
  color: var(--bad);
  font-size: 0.9rem;
}

.actions {
  display: flex;
  flex-wrap: wrap;
  align-items: center;
  gap: 0.75rem 1.25rem;
  margin-top: 1.25rem;
}

input[type='hidden'] + .actions {
  margin-top: 0;
}

button,
.button {
  display: inline-flex;
  align-items: center;
  min-height: 2.75rem;
  font: inherit;
  font-weight: 600;
  color: var(--on-accent);
  background: var(--accent);
  border: 0;
  border-radius: 0.4rem;
  padding: 0.5rem 1.1rem;
  text-decoration: none;
  cursor: pointer;
}

button:hover,
.button:hover {
  color: var(--on-accent);
  background: var(--accent-strong);
}

:focus-visible {
  outline: 3px solid var(--accent);
  outline-offset: 2px;
}

[role='status'],
[role='alert'] {
  --tone: var(--good);
  border: 1px solid var(--tone);
  border-inline-start-width: 0.4rem;
  border-radius: var(--round);
  background: var(--card);
  padding: 0.7rem 1rem;
  margin: 0 0 1.5rem;
}

[role='alert'] {
  --tone: var(--bad);
}

.empty {
  margin: 0;
  padding: 2.5rem 1.25rem;
  text-align: center;
  color: var(--soft);
}

pre {
  overflow-x: auto;
  background: var(--card);
  border: 1px solid var(--line);
  border-radius: var(--round);
  padding: 0.9rem 1.1rem;
}

textarea {
  width: 100%;
  min-height: 8rem;
  font: inherit;
  color: inherit;
  background: var(--paper);
  border: 1px solid var(--edge);
  border-radius: 0.4rem;
  padding: 0.5rem 0.75rem;
}

input[type='checkbox'] {
  width: 1.35rem;
  min-height: 1.35rem;
  margin: 0.4rem 0;
  padding: 0;
  accent-color: var(--accent);
}

.inputs {
  display: flex;
  flex-wrap: wrap;
  gap: 0.6rem;
  max-width: 26rem;
}

.inputs input {
  flex: 1 1 9rem;
}

.inputs ~ label,
select ~ label,
textarea ~ label {
  margin-top: 0.9rem;
}

form.search {
  display: flex;
  flex-wrap: wrap;
  align-items: end;
  gap: 0.75rem 1rem;
  margin-bottom: 1.25rem;
  padding: 0.9rem 1.1rem;
}

/* Two filters in a row on phones, so that the list begins on the first screen. */
form.search label {
  flex: 1 1 min(9rem, 50% - 0.5rem);
  margin: 0;
  font-size: 0.9rem;
}

form.search :is(input, select) {
  display: block;
  font-weight: 400;
  max-width: none;
  margin-top: 0.2rem;
}

form.search a {
  align-self: center;
}

th a {
  color: inherit;
  white-space: nowrap;
}

th[aria-sort='ascending'] a::after {
  content: ' ↑';
}

th[aria-sort='descending'] a::after {
  content: ' ↓';
}

nav.pages span {
  color: var(--soft);
}

nav.pages {
  display: flex;
  flex-wrap: wrap;
  align-items: center;
  justify-content: space-between;
  gap: 0.75rem 1.25rem;
  margin-top: 1.25rem;
}

details form {
  margin-top: 0.9rem;
}

form p {
  margin: 0;
}

details > summary {
  width: max-content;
  min-height: 2.75rem;
  padding: 0.5rem 0;
  color: var(--bad);
  cursor: pointer;
}

button.danger {
  background: var(--bad);
  color: var(--on-accent);
}

/* Narrower padding leaves more width for the texts of columns. */
@media (max-width: 64rem) {
  th,
  td {
    padding-inline: 0.6rem;
  }
}

/* From seven columns on: narrower padding and addresses, and line breaks in times and between actions. */
@media (min-width: 34.01rem) {
  table:has(th:nth-child(7)) :is(th, td) {
    padding-inline: 0.6rem;
  }

  table:has(th:nth-child(7)) time {
    display: block;
    min-width: 6.5rem;
    white-space: normal;
  }

  table:has(th:nth-child(7)) td.links {
    white-space: normal;
  }

  table:has(th:nth-child(7)) a:is([href^='http'], [href^='mailto:']) {
    max-width: clamp(7rem, 11vw, 14rem);
  }
}

/* In narrow windows, each row of a table is a card, and definition lists show each label above its value. */
@media (max-width: 34rem) {
  dl {
    display: block;
  }

  dt {
    font-size: 0.9rem;
  }

  dd:not(:last-child) {
    margin-bottom: 0.75rem;
  }

  table.stacked thead {
    position: absolute;
    width: 1px;
    height: 1px;
    overflow: hidden;
    clip-path: inset(50%);
  }

  table.stacked tr {
    display: block;
    padding: 0.6rem 0;
    border-bottom: 1px solid var(--line);
  }

  table.stacked tbody tr:last-child {
    border-bottom: 0;
  }

  table.stacked td {
    display: flex;
    justify-content: space-between;
    gap: 1rem;
    padding: 0.3rem 1.1rem;
    border: 0;
  }

  table.stacked td::before {
    content: attr(data-label);
    flex: none;
    color: var(--soft);
  }

  /* The first column is the heading of the card. Empty values take no line. */
  table.stacked td:first-child {
    font-size: 1.1rem;
    font-weight: 600;
  }

  table.stacked td:first-child::before,
  table.stacked td.links::before {
    content: none;
  }

  table.stacked td:empty {
    display: none;
  }

  table.stacked td.links {
    justify-content: flex-start;
    padding-top: 0.5rem;
  }

  table.stacked td.links a {
    padding: 0.5rem 0;
  }
}
