import { expect } from 'chai'
import { answering, documentWith, generated, readingProblems } from './support.ts'

/** The only skill of a document with this operation. */
function skillOf(operation: object, more: object = {}, at: readonly [string, string] = ['get', '/things']) {
  const made = generated(documentWith(operation, more, at))
  expect(made.problems).to.deep.equal([])
  expect(readingProblems(made)).to.deep.equal([])
  return { ...made, skill: made.plugin.skills[0]!, example: made.examples['list_things.json']! }
}

const query = (name: string, schema: object = { type: 'string' }, more: object = {}) => ({
  name,
  in: 'query',
  schema,
  ...more,
})
const list = (item: object = { type: 'object', properties: { name: { type: 'string' } } }) => ({
  type: 'array',
  items: item,
})

describe('a skill from an operation', () => {
  for (const [method, effect, repeat] of [
    ['get', 'read', undefined],
    ['put', 'write', 'safe'],
    ['delete', 'write', 'safe'],
    ['post', 'write', 'never'],
    ['patch', 'write', 'never'],
  ] as const)
    it(`${effect === 'read' ? 'reads' : `writes, with repeat ${repeat},`} for ${method.toUpperCase()}`, () => {
      const { skill, text } = skillOf({}, {}, [method, '/things'])
      expect(skill).to.include({ effect })
      expect(skill['repeat']).to.equal(repeat)
      expect(/# [A-Z]+: .*\n +repeat: /.test(text)).to.equal(effect === 'write')
    })

  it('asks the author whether a POST that searches only reads', () => {
    expect(skillOf({ operationId: 'searchThings' }, {}, ['post', '/things']).text).to.include(
      '# POST: if it only reads, write `effect: read` and remove this line.',
    )
  })

  it('encodes values in the path and names inputs in snake_case', () => {
    const { skill, example } = skillOf(
      { parameters: [{ name: 'ownerId', in: 'path', required: true, schema: { type: 'integer' } }] },
      {},
      ['get', '/owners/{ownerId}/files/{file}.json'],
    )
    expect(skill['request']).to.deep.equal({
      get: ['owners', '${{ input.owner_id }}', 'files', '${{ input.file }}.json'],
    })
    expect(skill['input']).to.deep.equal({ owner_id: { type: 'integer' }, file: {} })
    expect(example.input).to.deep.equal({ owner_id: 1, file: 'example' })
  })

  it('leaves out headers that the HTTP client sets', () => {
    const parameters = ['Accept-Encoding', 'Connection', 'Host', 'X-Trace'].map((name) => ({
      name,
      in: 'header',
      required: true,
      schema: { type: 'string' },
    }))
    const { skill } = skillOf({ parameters })
    expect(skill['request']).to.deep.equal({ get: '/things', headers: { 'X-Trace': '${{ input.x_trace }}' } })
  })

  it('repeats or joins lists in the query as the document says', () => {
    const strings = list({ type: 'string' })
    const { skill } = skillOf({
      parameters: [
        query('a', strings),
        query('b', strings, { explode: false, required: true }),
        query('c', list({ type: 'integer' }), { style: 'pipeDelimited', explode: false }),
        query(
          'filter',
          { type: 'object', properties: { state: { type: 'string' } } },
          { style: 'deepObject' },
        ),
      ],
    })
    expect(skill['request'].query).to.deep.equal({
      a: '${{ input.?a }}',
      b: '${{ input.b.join(",") }}',
      c: '${{ input.?c.optMap(list, list.map(part, string(part)).join("|")) }}',
      'filter[state]': '${{ input.?filter_state }}',
    })
  })

  it('sends the properties of a JSON body as inputs, fixed ones as they are', () => {
    const schema = {
      type: 'object',
      required: ['title', 'type'],
      properties: {
        title: { type: 'string', description: 'The title.', example: 'Bell' },
        type: { type: 'string', enum: ['incident'] },
        id: { type: 'string', readOnly: true },
        due: { type: 'string', format: 'date-time', nullable: true },
      },
    }
    const requestBody = { required: true, content: { 'application/json': { schema } } }
    const { skill, example } = skillOf({ requestBody }, {}, ['post', '/things'])
    expect(skill['request'].json).to.deep.equal({
      title: '${{ input.title }}',
      type: 'incident',
      due: '${{ input.?due }}',
    })
    expect(skill['input']).to.deep.equal({
      title: { description: 'The title.' },
      due: { format: 'date-time', optional: true },
    })
    expect(example.input).to.deep.equal({ title: 'Bell' })
  })

  for (const [type, key] of [
    ['application/x-www-form-urlencoded', 'form'],
    ['multipart/form-data', 'multipart'],
  ] as const)
    it(`sends a body of ${type}`, () => {
      const schema = {
        type: 'object',
        properties: { note: { type: 'string' }, file: { type: 'string', format: 'binary' } },
      }
      const { skill } = skillOf({ requestBody: { content: { [type]: { schema } } } }, {}, ['post', '/things'])
      expect(skill['request'][key].note).to.equal('${{ input.?note }}')
      if (key === 'multipart')
        expect(skill['request'][key].file).to.deep.equal({
          filename: '${{ input.file_filename }}',
          base64: '${{ input.?file_base64 }}',
        })
    })

  it('relaxes answers: optional, null, unknown choices and properties', () => {
    const state = { type: 'string', enum: ['open', 'closed'], description: 'The state.' }
    const schema = {
      type: 'object',
      additionalProperties: false,
      required: ['state', 'owner'],
      properties: {
        state,
        owner: {
          type: 'object',
          additionalProperties: false,
          required: ['id'],
          properties: { id: { type: 'integer' }, state },
        },
        '@odata.x': { type: 'string' },
      },
    }
    const { skill, example } = skillOf(answering(schema))
    expect(skill['output']).to.deep.equal({
      state: {
        type: 'string',
        description: 'The state. Such as open, closed.',
        optional: true,
        value: '${{ response.body.?state }}',
      },
      owner: {
        type: 'object',
        properties: {
          id: { type: ['integer', 'null'] },
          state: { type: ['string', 'null'], description: 'The state. Such as open, closed.' },
        },
        optional: true,
        value: '${{ response.body.?owner }}',
      },
      odata_x: { type: 'string', optional: true, value: '${{ response.body[?"@odata.x"] }}' },
    })
    expect(example).to.deep.include({ synthetic: true, title: 'Made from the API description' })
  })

  it('merges `allOf`, and joins `oneOf` and `anyOf`', () => {
    const a = { type: 'object', properties: { a: { type: 'string' }, both: { type: 'string' } } }
    const b = { type: 'object', properties: { b: { type: 'integer' }, both: { type: 'integer' } } }
    const schema = {
      allOf: [
        { $ref: '#/components/schemas/A' },
        { properties: { c: { anyOf: [{ type: 'string' }, { type: 'null' }] } } },
      ],
      oneOf: [a, b],
    }
    const { skill } = skillOf(answering(schema), {
      components: { schemas: { A: { type: 'object', properties: { base: { type: 'boolean' } } } } },
    })
    const types = Object.fromEntries(
      Object.entries(skill['output']).map(([name, field]) => [name, (field as { type: unknown }).type]),
    )
    expect(types).to.deep.equal({
      a: 'string',
      both: ['string', 'integer'],
      b: 'integer',
      base: 'boolean',
      c: 'string',
    })
  })

  it('takes the example of the document if it fits', () => {
    const schema = { type: 'object', properties: { id: { type: 'integer' } } }
    expect(skillOf(answering(schema, { example: { id: 7, more: true } })).example).to.deep.include({
      title: 'The example of the API description',
      responses: [{ status: 200, body: { id: 7, more: true } }],
      output: { id: 7 },
    })
    expect(skillOf(answering(schema, { example: { id: 'seven' } })).example.output).to.deep.equal({ id: 1 })
  })

  it('does not take the answer to an error for that to success', () => {
    const error = {
      content: { 'application/json': { schema: { type: 'object', properties: { error: {} } } } },
    }
    const { skill } = skillOf({ responses: { 204: { description: '' }, default: error } }, {}, [
      'delete',
      '/things',
    ])
    expect(Object.keys(skill['output'])).to.deep.equal(['status'])
  })

  it('reads the answer as a whole if a success may have no body', () => {
    const { responses } = answering({ type: 'object', properties: { id: {} } }) as { responses: object }
    const { skill } = skillOf({ responses: { ...responses, 204: { description: '' } } }, {}, [
      'post',
      '/things',
    ])
    expect(skill['output'].result.value).to.equal('${{ response.body }}')
  })

  it('has `not_found` if the document declares a 404', () => {
    const responses = {
      ...(answering({ type: 'object', properties: { id: { type: 'string' } } }) as { responses: object })
        .responses,
      404: { description: '' },
    }
    const { skill, examples } = skillOf({ responses }, {}, ['get', '/things/{id}'])
    expect(skill['not_found']).to.equal(404)
    expect(examples['list_things-not-found.json']!.output).to.deep.equal({ found: false })
  })
})

describe('the paging of an operation', () => {
  const pages = (parameters: readonly object[], schema: object, headers: object = {}) => {
    const operation = {
      parameters,
      responses: { 200: { description: '', headers, content: { 'application/json': { schema } } } },
    }
    return skillOf(operation)
  }
  const object = (properties: object) => ({ type: 'object', properties })
  const limit = query('limit', { type: 'integer', maximum: 50 })

  for (const [what, made, paging] of [
    [
      'an offset',
      () => pages([limit, query('offset')], object({ total: { type: 'integer' }, users: list() })),
      {
        offset: 'offset',
        size: { parameter: 'limit', value: 50 },
        items: '${{ response.body.users }}',
        total: '${{ response.body.?total }}',
      },
    ],
    [
      'a page from 0',
      () => pages([query('pageSize'), query('page', { type: 'integer', default: 0 })], list()),
      { page: 'page', first: 0, size: { parameter: 'pageSize', value: 100 }, items: '${{ response.body }}' },
    ],
    [
      'a cursor',
      () =>
        pages(
          [limit, query('cursor')],
          object({ data: list(), meta: object({ next_cursor: { type: 'string' } }) }),
        ),
      {
        cursor: 'cursor',
        value: '${{ response.body.?meta.next_cursor }}',
        size: { parameter: 'limit', value: 50 },
        items: '${{ response.body.data }}',
      },
    ],
    [
      'the header Link',
      () => pages([limit], list(), { Link: {} }),
      { link: true, size: { parameter: 'limit', value: 50 }, items: '${{ response.body }}' },
    ],
    [
      'an address',
      () => pages([], object({ value: list(), '@odata.nextLink': { type: 'string' } })),
      { next: '${{ response.body[?"@odata.nextLink"] }}', items: '${{ response.body.value }}' },
    ],
  ] as const)
    it(`is recognized by ${what}`, () => {
      const { skill, example } = made()
      expect(skill['paging']).to.deep.equal({ ...paging, limit: '${{ input.limit }}' })
      expect(Object.keys(skill['input'])).to.deep.equal(['limit'])
      expect(example.output['complete']).to.equal(true)
    })

  it('is not guessed', () => {
    const { skill, notes } = pages([query('page')], list())
    expect(skill['paging']).to.equal(undefined)
    expect(notes.join()).to.include('list_things: The list seems to come in pages (`page`)')
  })
})
