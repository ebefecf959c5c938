/** How the pages look: one file for all of them, in light and dark, on narrow and wide screens. */

/** Colours are never alone: each has its sign next to it. */
export const STYLE = `:root {
  color-scheme: light dark;
  --ground: #ffffff; --raised: #f4f6f9; --line: #c9d0d9; --words: #16202c; --quiet: #51606f; --link: #0b57b5;
  --new: #0a6b3d; --new-ground: #dcf3e6; --old: #2c4a86; --old-ground: #e2eaf9; --warn: #8a4b00; --warn-ground: #fdeed3;
  --bad: #a3151c; --bad-ground: #fbe3e4;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #10161d; --raised: #19222c; --line: #3a4756; --words: #e6ecf2; --quiet: #a3b1bf; --link: #8ab8ff;
    --new: #7fe0ad; --new-ground: #113524; --old: #a9c3ff; --old-ground: #1a2a4b; --warn: #ffc87a; --warn-ground: #3d2a0b;
    --bad: #ff9ea3; --bad-ground: #451a1d;
  }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--words); font: 16px/1.5 system-ui, "Segoe UI", Roboto, "Noto Sans", sans-serif; }
main, header, footer { max-width: 90rem; margin: 0 auto; padding: 0.5rem 1rem; }
h1 { font-size: 1.6rem; line-height: 1.25; margin: 0.75rem 0 0.25rem; overflow-wrap: anywhere; }
h2 { font-size: 1.2rem; margin: 1.75rem 0 0.5rem; }
h3 { font-size: 1rem; margin: 1rem 0 0.25rem; overflow-wrap: anywhere; }
p { margin: 0.4rem 0; overflow-wrap: anywhere; }
a { color: var(--link); }
a:focus-visible, summary:focus-visible, [tabindex]:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
.skip { position: absolute; left: -100vw; }
.skip:focus { left: 1rem; top: 0.5rem; background: var(--ground); padding: 0.25rem 0.75rem; }
code { font: 0.875em/1.5 ui-monospace, "SFMono-Regular", "DejaVu Sans Mono", monospace; overflow-wrap: anywhere; }
.command { display: inline-block; background: var(--raised); border: 1px solid var(--line); border-radius: 4px; padding: 0.1rem 0.5rem; user-select: all; }
.quiet { color: var(--quiet); }
.state { display: inline-block; border-radius: 4px; padding: 0 0.5rem; background: var(--raised); border: 1px solid var(--line); }
.state.step, .state.requested { background: var(--old-ground); color: var(--old); border-color: currentColor; }
.state.settled { background: var(--new-ground); color: var(--new); border-color: currentColor; }
.state.rollback { background: var(--warn-ground); color: var(--warn); border-color: currentColor; }
.state.stalled { background: var(--bad-ground); color: var(--bad); border-color: currentColor; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; }
table.stacked { table-layout: fixed; min-width: 50rem; }
table.stacked thead th:nth-child(1) { width: 14%; }
table.stacked thead th:nth-child(2) { width: 16%; }
table.stacked thead th:nth-child(3) { width: 22%; }
table.stacked thead th:nth-child(5) { width: 11%; }
table.stacked thead th:nth-child(6) { width: 22%; }
/* Parts that are out of sight are not laid out. */
.part { content-visibility: auto; contain-intrinsic-size: auto 110rem; }
caption { text-align: left; color: var(--quiet); padding: 0.25rem 0; }
th, td { text-align: left; vertical-align: top; padding: 0.4rem 0.6rem; border-bottom: 1px solid var(--line); }
thead th { border-bottom-width: 2px; white-space: nowrap; }
td { overflow-wrap: anywhere; min-width: 5rem; }
tr.here { background: var(--raised); }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 0.2rem 1rem; margin: 0.5rem 0; }
dt { color: var(--quiet); }
dd { margin: 0; overflow-wrap: anywhere; }
ul.cells { list-style: none; display: flex; flex-wrap: wrap; gap: 0.25rem; padding: 0; margin: 0; }
ul.cells li { border: 1px solid currentColor; border-radius: 4px; padding: 0 0.35rem; white-space: nowrap; font-variant-numeric: tabular-nums; }
ul.rest { list-style: none; padding: 0; margin: 0; }
ul.rest li { border-bottom: 1px solid var(--line); padding: 0.4rem 0.6rem; overflow-wrap: anywhere; }
ul.cells li { background: var(--new-ground); color: var(--new); }
ul.cells li.stable { background: var(--old-ground); color: var(--old); }
ul.cells li.other, ul.cells li.absent { background: var(--raised); color: var(--quiet); }
ul.cells li.unready { background: var(--warn-ground); color: var(--warn); border-style: dashed; }
pre.diff { background: var(--raised); border: 1px solid var(--line); border-radius: 4px; padding: 0.4rem 0.8rem; margin: 0.4rem 0; overflow-x: auto; font: 0.875em/1.5 ui-monospace, "SFMono-Regular", "DejaVu Sans Mono", monospace; }
pre.diff .added { color: var(--new); }
pre.diff .removed { color: var(--bad); }
.hold { border-left: 4px solid var(--warn); background: var(--raised); padding: 0.4rem 0.8rem; margin: 0.5rem 0; }
.brake { border-left: 4px solid var(--bad); background: var(--bad-ground); padding: 0.4rem 0.8rem; margin: 0.5rem 0; }
ol.rungs { display: flex; flex-wrap: wrap; gap: 0.25rem 1.75rem; padding-left: 1.25rem; margin: 0.25rem 0; }
ol.rungs [aria-current] { font-weight: 700; }
figure { margin: 0.5rem 0; }
svg { display: block; width: 100%; max-width: 60rem; height: auto; }
svg .frame { fill: var(--raised); stroke: var(--line); }
svg .done { fill: var(--new-ground); stroke: var(--new); stroke-width: 2; }
svg .share { fill: none; stroke: var(--warn); stroke-width: 3; stroke-dasharray: 7 4; }
svg text { fill: var(--words); font: 13px system-ui, sans-serif; }
svg .quiet { fill: var(--quiet); }
figcaption { color: var(--quiet); }
.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
details { margin: 0.25rem 0; }
summary { cursor: pointer; }
@media (max-width: 45rem) {
  dl { grid-template-columns: 1fr; gap: 0; }
  dd { margin-bottom: 0.4rem; }
  svg { overflow: visible; }
  svg text { font-size: 19px; }
  table.stacked { min-width: 0; }
  table.stacked thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  table.stacked tr { display: block; border-bottom: 2px solid var(--line); padding: 0.4rem 0; }
  table.stacked th, table.stacked td { display: block; border: 0; padding: 0.1rem 0; }
  table.stacked td:empty { display: none; }
}
@media print { .skip { display: none; } }
`;
