import { errorMeanings, type JsonSchema } from '../../plugin/index.ts'
import {
  phrases,
  shapes,
  type KeyDeclaration,
  type MapDeclaration,
} from '../../playbook/language/key-table.ts'

/** The keys of requests, and of the maps around them; see `plugin-keys.ts`. */

const { reference, text, map, condition, integer } = shapes
const { choices } = phrases

export const requestMethods = ['get', 'head', 'post', 'put', 'patch', 'delete'] as const
export type MethodKey = (typeof requestMethods)[number]

export const bodies = ['json', 'form', 'multipart', 'body'] as const

const path = {
  anyOf: [
    { type: 'string', minLength: 1 },
    { type: 'array', minItems: 1, items: { type: ['string', 'number'] } },
  ],
} as const

/** Inclusive bounds. */
export const requestBounds = {
  status: [200, 599],
  pageSize: [1, 10_000],
  items: [1, 10_000],
} as const

const methodKeys = Object.fromEntries(
  requestMethods.map((method): [string, KeyDeclaration] => [
    method,
    {
      meaning: `${method.toUpperCase()} this path below the base URL: a text without expressions, or a list of segments, each percent-encoded`,
      schema: path,
    },
  ]),
) as Record<MethodKey, KeyDeclaration>

const status = { type: 'integer', minimum: 200, maximum: 599 } as const
const statuses = { anyOf: [status, { type: 'array', minItems: 1, items: status }] } as const

export const pagingKinds = ['offset', 'page', 'cursor', 'next', 'link'] as const

export const parameterPlaces = ['query', 'json'] as const

const requestKeyDeclarations = {
  ...methodKeys,
  host: {
    meaning: 'the name of one of the `hosts` of the connection, which the path is then below',
    default: 'the base URL',
    schema: text,
  },
  query: {
    meaning: 'query parameters; a null or missing value is left out, a list repeats the parameter',
    schema: map,
  },
  headers: { meaning: 'headers besides those of the connection', schema: map },
  json: { meaning: 'the body, sent as `application/json`', schema: reference('value') },
  form: { meaning: 'the body, sent as `application/x-www-form-urlencoded`', schema: map },
  multipart: {
    meaning:
      'the body, sent as `multipart/form-data`: name → a value, or a file `{ filename, content_type, value }` with `base64` instead of `value` for bytes',
    schema: map,
  },
  body: { meaning: 'the body as text, sent unchanged; give a `content-type` header', schema: text },
  accept: {
    meaning: 'statuses outside 200-299 that are answers, not errors',
    schema: { type: 'array', items: status },
  },
} as const satisfies Readonly<Record<string, KeyDeclaration>>

const oneMethod: JsonSchema = {
  oneOf: requestMethods.map((method) => ({ type: 'object', required: [method] })),
}

export const requestMaps = {
  request: {
    what: 'a request',
    description: `A request, with exactly one of ${requestMethods.join(', ')}.`,
    rules: oneMethod,
    keys: requestKeyDeclarations,
  },
  part: {
    what: 'a file',
    description: 'A file in a body that is sent as `multipart/form-data`.',
    keys: {
      filename: { meaning: 'the name of the file', schema: text },
      content_type: {
        meaning: 'the content type',
        default: '`application/octet-stream`',
        schema: text,
      },
      value: { meaning: 'the content, as text', schema: text },
      base64: { meaning: 'the content, as bytes in base64', schema: text },
    },
    required: ['filename'],
  },
  check: {
    what: '`check`',
    description: 'The request that tests the credentials; an answer without an error proves them.',
    rules: oneMethod,
    keys: {
      ...requestKeyDeclarations,
      account: { meaning: 'a text that names the account, shown to the operator', schema: text },
      warning: {
        meaning: 'a sentence for the operator, such as when the credentials expire; null or empty: none',
        schema: text,
      },
    },
  },
  before: {
    what: 'a request of `before`',
    description: 'A request that reads, sent before the request of the skill.',
    rules: oneMethod,
    keys: {
      ...requestKeyDeclarations,
      when: {
        meaning: 'a condition; if it is false, the request is not sent, and its answer is missing',
        default: 'always sent',
        schema: condition,
      },
      require: {
        meaning: 'a condition over `before`, which has this answer too; if it is false, the step fails',
        default: 'none',
        schema: condition,
      },
      message: {
        meaning: 'the message of that error',
        default: 'made from the name',
        schema: text,
        with: ['require'],
      },
    },
  },
  error: {
    what: 'an error',
    description: 'Explains an answer of the other system.',
    keys: {
      when: { meaning: 'a condition over `response`; the first true one counts', schema: condition },
      message: { meaning: 'the message', default: 'taken from the answer', schema: text },
      error: {
        meaning:
          '`rate_limited` or `unavailable`: try again later; `credentials`: the operator has to act; `refused`: the step fails. It also makes an error of an answer with a good status, and `credentials` of one with an accepted status',
        default: 'what the status implies',
        schema: { enum: errorMeanings },
      },
      hint: { meaning: 'what the operator should do', default: 'what the status implies', schema: text },
      effect: {
        meaning: `for a write: \`none\` if nothing was done, \`unknown\` if it may have been done`,
        default: 'what the status implies',
        schema: { enum: ['none', 'unknown'] },
      },
    },
    required: ['when'],
  },
  notFound: {
    what: '`not_found`',
    description: 'The answers that mean that the object does not exist.',
    keys: {
      status: { meaning: 'the status or statuses', default: 'none', schema: statuses },
      when: { meaning: 'a condition over `response`', default: 'none', schema: condition },
      output: {
        meaning: 'the output besides `found`, which is false',
        default: 'none',
        schema: map,
      },
    },
  },
  paging: {
    what: '`paging`',
    description: `How a list that comes in pages is read: with exactly one of ${pagingKinds.join(', ')}.`,
    rules: { oneOf: pagingKinds.map((key) => ({ type: 'object', required: [key] })) },
    keys: {
      offset: {
        meaning: 'pages by the number of items before them: the name of the parameter',
        schema: text,
      },
      page: { meaning: 'pages by number: the name of the parameter', schema: text },
      cursor: {
        meaning: 'pages by cursor: the name of the parameter, with `value`',
        schema: text,
      },
      value: {
        meaning:
          'the cursor of the next page in `response`, such as `response.body.?next`; null or empty on the last page',
        schema: text,
        with: ['cursor'],
      },
      next: {
        meaning:
          'the address of the next page in `response`, below the base URL, such as `response.body.?next`; null or empty on the last page',
        schema: text,
      },
      link: {
        meaning: '`true`: the address of the next page is in the `Link` header',
        schema: { const: true },
      },
      in: {
        meaning: 'where the parameters are sent: `query`, or `json`: as fields of the JSON body',
        default: '`query`',
        schema: { enum: parameterPlaces },
      },
      first: {
        meaning: 'the number of the first page',
        default: '`1`',
        schema: { type: 'integer', minimum: 0, maximum: 1 },
        with: ['page'],
      },
      size: {
        meaning: 'the page size: `{ parameter, value }`',
        schema: reference('page_size'),
      },
      items: { meaning: 'the list in `response`', schema: text },
      total: { meaning: 'the total number of items', default: 'unknown', schema: text },
      id: {
        meaning: 'what identifies an `item`, because lists change while they are read',
        default: 'every item counts',
        schema: text,
      },
      limit: {
        meaning: 'the most items, a number or an expression over `input`',
        default: '`100`',
        schema: { anyOf: [integer(requestBounds.items), text] },
      },
    },
    required: ['items'],
  },
  pageSize: {
    what: 'a page size',
    description: 'How many items a page has.',
    keys: {
      parameter: { meaning: 'the name of the parameter', default: 'it is not sent', schema: text },
      value: { meaning: 'items per page', schema: integer(requestBounds.pageSize) },
    },
    required: ['value'],
  },
} as const satisfies Readonly<Record<string, MapDeclaration>>

export const effects = ['none', 'unknown'] as const

/** Words for a message: `json, form, body`. */
export const bodyWords = choices(bodies).replaceAll('`', '')
