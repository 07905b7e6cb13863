import { createHash } from 'node:crypto'
import type { JsonSchema } from '../../../core/plugin/index.ts'
import { Markup, markup, prose } from './markup.ts'
import { notesOf, renderSchema, term, schemaType } from './render-schema.ts'
import type { OpenApiDocument, Operation, Content, ApiParameter } from './openapi-document.ts'
import { curlExample } from './curl-example.ts'

type Row = readonly [method: string, path: string, operation: Operation]

/** A reference page from the API document: one plain HTML page, searchable in the browser. */
export function renderReference(document: OpenApiDocument): string {
  const { info, tags, paths, components } = document
  const title = `${String(info['title'])} API`
  const rows = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): Row => [method, path, operation]),
  )
  const groups = tags.map((tag) => ({
    ...tag,
    rows: rows.filter(([, , { tags: of }]) => of.includes(tag.name)),
  }))
  const schemas = Object.entries(components.schemas) as [string, JsonSchema][]
  return markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<style>${new Markup(style)}</style>
</head>
<body>
<nav aria-label="Operations">
<p><a href="#top">${title}</a></p>
${groups.map(({ name, rows: own }) => contents(`tag-${name}`, name, own.map(operationLink)))}
${contents(
  'schemas',
  'schemas',
  schemas.map(([name]) => schemaLink(name)),
)}
</nav>
<main id="top">
<h1>${title}</h1>
<p>${prose(String(info['description']))}</p>
<p>The examples need <code>TOCSIN_URL</code>, where the server is reached, <code>TOCSIN_KEY</code>, an API key, and what their paths name.
For programs: <a href="openapi.json">openapi.json</a>.</p>
${groups.map(renderGroup)}
<h2 id="schemas">schemas</h2>
${schemas.map(renderNamedSchema)}
</main>
</body>
</html>
`.text
}

const contents = (id: string, name: string, links: readonly Markup[]): Markup =>
  markup`<p><a href="#${id}">${name}</a></p>
<ul>
${links}</ul>
`

const operationLink = ([method, path, { operationId }]: Row): Markup =>
  markup`<li><a href="#${operationId}"><b class="${method}">${method.toUpperCase()}</b> ${path}</a></li>
`

const schemaLink = (name: string): Markup => markup`<li><a href="#schema-${name}">${name}</a></li>
`

interface Group {
  readonly name: string
  readonly description: string
  readonly rows: readonly Row[]
}

const renderGroup = ({ name, description, rows }: Group): Markup =>
  markup`<h2 id="tag-${name}">${name}</h2>
<p>${prose(description)}</p>
${rows.map(([method, path, operation]) => renderOperation(method, path, operation))}`

const renderNamedSchema = ([name, schema]: readonly [string, JsonSchema]): Markup =>
  markup`<section id="schema-${name}">
<h3><a href="#schema-${name}">${name}</a></h3>
<p>${notesOf(schema)}</p>
${renderSchema(schema)}
</section>
`

const style = `
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

/** Allows only the style of the page itself. */
export const referencePolicy = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

function renderOperation(method: string, path: string, operation: Operation): Markup {
  const { operationId, summary, parameters, requestBody, responses } = operation
  const answers = Object.entries(responses).filter(([, { content }]) => content !== undefined)
  const refusals = Object.keys(responses).filter((status) => /^[45]/.test(status))
  return markup`<section id="${operationId}">
<h3><a href="#${operationId}"><b class="${method}">${method.toUpperCase()}</b> <code>${path}</code></a></h3>
<p>${prose(summary)}</p>
<p class="who">${whoMay(operation)}</p>
${parameters.length === 0 ? undefined : markup`<h4>Parameters</h4><dl>${parameters.map(renderParameter)}</dl>`}
${requestBody && markup`<h4>Body</h4>${renderContent(requestBody.content)}`}
${answers.map(([status, { content = {} }]) => markup`<h4>Answer ${status}</h4>${renderContent(content)}`)}
<p>Refused with ${refusals.join(', ')} and others: <a href="#schema-error">error</a>.</p>
<pre><code>${curlExample(method, path, operation)}</code></pre>
</section>
`
}

function whoMay({ security, 'x-roles': roles }: Operation): string {
  if (roles !== undefined) return `Roles: ${roles.join(', ')}.`
  return security.length === 0 ? 'Without an API key.' : 'No API key; needs the token of a connection.'
}

function renderParameter({ name, in: place, required, description, schema }: ApiParameter): Markup {
  const notes = notesOf({ ...schema, ...(description !== undefined && { description }) })
  return term(markup`<i>${place}</i>, ${schemaType(schema)}`, name, required, notes)
}

function renderContent(content: Content): Markup {
  const parts = Object.entries(content).map(([type, { schema }]) =>
    schema === undefined
      ? markup`<p><code>${type}</code></p>`
      : markup`<p><code>${type}</code>: ${schemaType(schema)} ${notesOf(schema)}</p>${renderSchema(schema)}`,
  )
  return markup`${parts}`
}
