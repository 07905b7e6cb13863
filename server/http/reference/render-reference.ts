import { createHash } from 'node:crypto'
import type { JsonSchema } from '../../../core/plugin/index.ts'
import { Markup, markup, prose } from './markup.ts'
import { renderOperation } from './render-operation.ts'
import { notesOf, renderSchema } from './render-schema.ts'
import { style } from './style.ts'
import type { OpenApiDocument, Operation } from './openapi-document.ts'

type Row = readonly [method: string, path: string, operation: Operation]

/** A page for people made from a description of the API: all on one page, in plain HTML, for the search of the browser. */
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

/** Nothing but the style of the page itself is taken by a browser that shows it. */
export const referencePolicy = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')
