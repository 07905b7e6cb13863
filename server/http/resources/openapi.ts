import { defineRoute } from '../route.ts'

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

export const openApiRoutes = [getOpenApi]
