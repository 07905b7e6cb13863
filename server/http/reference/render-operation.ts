import { curlExample } from './curl-example.ts'
import { markup, prose, type Markup } from './markup.ts'
import { notesOf, renderSchema, term, typeOf } from './render-schema.ts'
import type { Content, Operation, Parameter } from './openapi-document.ts'

/** One operation with its parameters, its body, its answer, and a call of it. */
export function renderOperation(method: string, path: string, operation: Operation): Markup {
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
  if (roles !== undefined) return `For the roles ${roles.join(', ')}.`
  return security.length === 0 ? 'Without an API key.' : 'Without an API key, with the token of a connection.'
}

function renderParameter({ name, in: place, required, description, schema }: Parameter): Markup {
  const notes = notesOf({ ...schema, ...(description !== undefined && { description }) })
  return term(markup`<i>${place}</i>, ${typeOf(schema)}`, name, required, notes)
}

function renderContent(content: Content): Markup {
  const parts = Object.entries(content).map(([type, { schema }]) =>
    schema === undefined
      ? markup`<p><code>${type}</code></p>`
      : markup`<p><code>${type}</code>: ${typeOf(schema)} ${notesOf(schema)}</p>${renderSchema(schema)}`,
  )
  return markup`${parts}`
}
