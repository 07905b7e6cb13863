/** The style of the reference page, in the colours that the reader prefers. */
export const style = `
:root { color-scheme: light dark; --line: light-dark(#d8dce3, #3a404b); --soft: light-dark(#f4f6f9, #1b1f26); --quiet: light-dark(#525b69, #a5aebd);
  --link: light-dark(#0a58ad, #7db7ff); --get: light-dark(#0b6b3a, #6fd19b); --post: light-dark(#0a58ad, #7db7ff); --edit: light-dark(#8a4b00, #f0b36a);
  --drop: light-dark(#a81c2b, #ff9aa2); }
* { box-sizing: border-box; }
body { margin: 0; display: grid; grid-template-columns: minmax(0, 22rem) minmax(0, 1fr); font: 16px/1.5 system-ui, sans-serif;
  background: light-dark(#fff, #14171c); color: light-dark(#1c2129, #e4e8ee); }
nav { position: sticky; top: 0; height: 100vh; overflow: auto; padding: 1rem; border-right: 1px solid var(--line); font-size: 0.85rem; background: var(--soft); }
nav p { margin: 0.75rem 0 0.25rem; font-weight: 600; }
nav ul { margin: 0; padding: 0; list-style: none; }
nav li { overflow-wrap: anywhere; }
main { padding: 1rem clamp(1rem, 4vw, 3rem) 4rem; max-width: 62rem; }
a { color: var(--link); text-underline-offset: 0.15em; }
nav a, h3 a { text-decoration: none; }
nav a:hover, h3 a:hover { text-decoration: underline; }
:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
h2 { margin-top: 3rem; border-bottom: 1px solid var(--line); text-transform: capitalize; }
h3 { margin: 0; overflow-wrap: anywhere; }
h4 { margin: 1rem 0 0.25rem; }
section { margin: 2rem 0; }
section:target > h3 { background: var(--soft); box-shadow: -0.75rem 0 var(--soft); }
code, pre { font-family: ui-monospace, monospace; font-size: 0.9em; overflow-wrap: anywhere; }
pre { padding: 0.75rem; white-space: pre-wrap; border: 1px solid var(--line); border-radius: 6px; background: var(--soft); }
dl { margin: 0.25rem 0; padding-left: 0.75rem; border-left: 2px solid var(--line); }
dd { margin: 0 0 0.5rem; padding-left: 1rem; }
.who, i { color: var(--quiet); font-style: normal; }
.get { color: var(--get); } .post { color: var(--post); } .put, .patch { color: var(--edit); } .delete { color: var(--drop); }
@media (max-width: 50rem) { body { display: block; } nav { position: static; height: auto; border: 0; border-bottom: 1px solid var(--line); } }
@media print { nav { display: none; } body { display: block; } }
`
