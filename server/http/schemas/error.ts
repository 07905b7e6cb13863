/** A problem document (RFC 9457). */
export const apiErrorSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  $id: 'error.schema.json',
  title: 'Problem',
  description:
    'A problem document (RFC 9457), the answer to every refused request. Media type application/problem+json.',
  type: 'object',
  additionalProperties: false,
  required: ['type', 'title', 'status', 'detail', 'code', 'request_id'],
  properties: {
    type: {
      type: 'string',
      pattern: '^urn:tocsin:error:[a-z][a-z0-9_]*$',
      description: 'urn:tocsin:error:<code>.',
    },
    title: { type: 'string', description: 'The kind of problem, the same for every occurrence.' },
    status: { type: 'integer', minimum: 400, maximum: 599, description: 'The HTTP status.' },
    detail: { type: 'string', description: 'What is wrong with this request.' },
    code: {
      type: 'string',
      pattern: '^[a-z][a-z0-9_]*$',
      description: 'Stable code for programs; docs/api.md lists the codes.',
    },
    hint: { type: 'string', description: 'What to do about it.' },
    errors: {
      type: 'array',
      maxItems: 50,
      description: 'The invalid places.',
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['pointer', 'message'],
        properties: {
          pointer: {
            type: 'string',
            description:
              'JSON pointer (RFC 6901) into the body, or /<name> of a query parameter. An empty string means the whole.',
          },
          message: { type: 'string' },
        },
      },
    },
    request_id: { type: 'string', description: "Also in the server's log." },
  },
} as const
