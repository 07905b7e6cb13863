import { referencePolicy, renderReference } from '../../reference/render-reference.ts'
import { defineRoute } from '../../routing/route.ts'
import type { OpenApiDocument } from '../../reference/openapi-document.ts'

const getOpenApi = defineRoute({
  method: 'GET',
  path: '/openapi.json',
  access: 'public',
  summary: 'This description of the API: an OpenAPI 3.1 document.',
  status: 200,
  answer: { type: 'object' },
  async handle(_request, { openApi }) {
    return { body: openApi }
  },
})

/** A server has one description, which does not change. */
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
  summary: 'The same description as a page for people.',
  status: 200,
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
