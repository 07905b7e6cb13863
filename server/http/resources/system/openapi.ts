import { referencePolicy, renderReference } from '../../reference/render-reference.ts'
import { defineRoute } from '../../routing/route.ts'
import type { OpenApiDocument } from '../../reference/openapi-document.ts'

const getOpenApi = defineRoute({
  method: 'GET',
  path: '/openapi.json',
  access: 'public',
  summary: 'This API description as an OpenAPI 3.1 document.',
  answer: { type: 'object' },
  async handle(_request, { openApi }) {
    return { body: openApi }
  },
})

/** The document of a server never changes. */
const pages = new WeakMap<OpenApiDocument, string>()

function pageOf(document: OpenApiDocument): string {
  const page = pages.get(document) ?? renderReference(document)
  pages.set(document, page)
  return page
}

const getReference = defineRoute({
  method: 'GET',
  path: '/docs',
  access: 'public',
  summary: 'The same description as a readable page.',
  answer: { type: 'string' },
  isText: true,
  textType: 'text/html',
  async handle(_request, { openApi }) {
    return {
      text: pageOf(openApi),
      type: 'text/html; charset=utf-8',
      headers: { 'content-security-policy': referencePolicy },
    }
  },
})

export const openApiRoutes = [getOpenApi, getReference]
