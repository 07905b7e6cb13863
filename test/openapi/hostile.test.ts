import { expect } from 'chai'
import { dump } from 'js-yaml'
import { generatePlugin, openDocument, operationsOf } from '../../core/openapi/index.ts'
import { limitHere, processorTime } from '../support/processor-time.ts'
import { answering, documentWith, generated, readingProblems } from './support.ts'

const head = 'openapi: 3.0.0\ninfo: { title: T, version: "1" }\n'
/** Milliseconds of processor time. */
function spent(work: () => unknown): number {
  const before = processorTime()
  work()
  return processorTime() - before
}

const messages = (text: string) => openDocument(text).problems.map(({ message }) => message)

describe('a hostile OpenAPI document', function () {
  this.timeout(60_000)

  for (const [what, text, message] of [
    ['that is empty', '', /YAML|not an object/],
    ['that is a list', '[]', /not an object/],
    ['that is no document of OpenAPI', '{"a": 1}', /neither `openapi` nor `swagger`/],
    ['of an unknown version', '{"openapi": "4.0.0"}', /version "4.0.0" is not supported/],
    ['that is cut off', '{"openapi": "3.0.0", ', /not valid JSON/],
    ['with a mistake in YAML', 'openapi: 3.0.0\npaths: [', /not valid YAML: .* in line \d/],
    ['with deep lists in JSON', `{"openapi": "3.0.0", "x": ${'['.repeat(200_000)}`, /nested deeper than 200/],
    ['with deep lists in YAML', `${head}x: ${'['.repeat(200_000)}`, /maxDepth|too deep/],
    ['of millions of documents', '---\n'.repeat(4_000_000), /several YAML documents/],
    ['with an object of YAML', `${head}x: !!js/function 'function () {}'`, /not valid YAML: unknown/],
    [
      'of 50 MB of JSON',
      `{"openapi": "3.0.0", "x": "${'x'.repeat(50_000_000)}"}`,
      /too large: at most 32 MB of JSON/,
    ],
    ['of 50 MB of YAML', `${head}x: ${'x'.repeat(50_000_000)}`, /too large: at most 16 MB of YAML/],
  ] as const)
    it(`is refused: one ${what}`, () => {
      expect(messages(text)).to.have.length(1)
      expect(messages(text)[0]).to.match(message)
    })

  for (const target of [
    './schemas.yaml',
    'file:///etc/passwd',
    'http://127.0.0.1/x.json',
    '//host/x',
    'other.json#/a',
  ])
    it(`names a reference to another place, and generates nothing: ${target}`, () => {
      const made = generated(documentWith(answering({ $ref: target })))
      expect(made.files).to.deep.equal([])
      expect(made.problems).to.deep.equal([
        `${target}: this $ref leads to another file or address, which is not read`,
      ])
    })

  it('takes references in a circle or to nowhere as unknown', () => {
    const schemas = {
      A: { $ref: '#/components/schemas/B' },
      B: { $ref: '#/components/schemas/A' },
      Tree: {
        type: 'object',
        properties: {
          id: { type: 'string' },
          children: { type: 'array', items: { $ref: '#/components/schemas/Tree' } },
          a: { $ref: '#/components/schemas/A' },
          none: { $ref: '#/nowhere' },
          bad: { $ref: '#/%E0%A4%A' },
        },
      },
    }
    const made = generated(
      documentWith(answering({ $ref: '#/components/schemas/Tree' }), { components: { schemas } }),
    )
    expect(Object.keys(made.plugin.skills[0]!['output'])).to.deep.equal([
      'id',
      'children',
      'a',
      'none',
      'bad',
    ])
    expect(made.problems.map((each) => each.replace(/;.*/, ''))).to.have.members([
      '#/components/schemas/A: this $ref leads in a circle',
      '#/nowhere: this $ref leads nowhere',
      '#/%E0%A4%A: this $ref leads nowhere',
    ])
    expect(readingProblems(made)).to.deep.equal([])
  })

  it('treats prototype keys as names', () => {
    const properties =
      '{"__proto__": {"type": "string"}, "constructor": {"type": "string"}, "toString": {"type": "string"}}'
    const document = `{"openapi": "3.0.0", "paths": {"__proto__": {"get": {"responses": {}}}, "/a/{__proto__}": {"get": {
      "operationId": "constructor", "__proto__": {"operationId": "polluted"},
      "parameters": [{"name": "__proto__", "in": "query"}, {"name": "prototype", "in": "query"}],
      "security": [{"__proto__": []}, {"toString": []}],
      "responses": {"200": {"content": {"application/json": {"schema": {"type": "object", "properties": ${properties}}, "example": {"__proto__": {"polluted": true}, "constructor": "c"}}}}}}}}}`
    const made = generated(document)
    const [skill] = made.plugin.skills
    expect(skill!['name']).to.equal('constructor')
    expect(Object.keys(skill!['output'])).to.deep.equal(['constructor', 'to_string'])
    expect(Object.keys(skill!['input'])).to.deep.equal(['proto', 'prototype'])
    expect(made.examples['constructor.json']!.output).to.deep.equal({ constructor: 'c' })
    expect(({} as { polluted?: boolean }).polluted).to.equal(undefined)
    expect(readingProblems(made)).to.deep.equal([])
  })

  it('survives aliases that multiply', () => {
    const level = (name: string, of: string) =>
      `  ${name}: &${name} [${Array.from({ length: 10 }, () => `*${of}`).join(', ')}]\n`
    const names = 'abcdefghijklmnopqrst'.split('')
    const bomb = `x:\n  a: &a [x]\n${names
      .slice(1)
      .map((name, at) => level(name, names[at]!))
      .join('')}`
    const loop = 'y: &y { type: object, properties: { y: *y } }\n'
    const paths = `paths: { /a: { get: { responses: { 200: { content: { application/json: { schema: *y, example: { list: *t } } } } } } } }\n`
    const made = generated(head + bomb + loop + paths)
    expect(made.text.length).to.be.below(5_000)
    expect(JSON.stringify(made.examples).length).to.be.below(50_000)
    expect(readingProblems(made)).to.deep.equal([])
  })

  it('survives `allOf` and `oneOf` that multiply', () => {
    const level = (at: number, key: string) => ({
      [key]: Array.from({ length: 10 }, () => ({ $ref: `#/components/schemas/S${at + 1}` })),
    })
    const schemas = Object.fromEntries(
      Array.from({ length: 40 }, (_, at) => [`S${at}`, level(at, at % 2 ? 'allOf' : 'oneOf')]),
    )
    const document = documentWith(answering({ $ref: '#/components/schemas/S0' }), { components: { schemas } })
    expect(spent(() => generated(document))).to.be.below(5_000)
  })

  it('survives wide schemas, long texts and many parameters', () => {
    const wide = {
      type: 'object',
      properties: Object.fromEntries(
        Array.from({ length: 20_000 }, (_, at) => [
          `p${at}`,
          { type: 'object', description: '<'.repeat(500), properties: { a: { enum: ['x'] } } },
        ]),
      ),
    }
    const parameters = Array.from({ length: 5_000 }, (_, at) => ({
      name: `q${at}`,
      in: 'query',
      schema: { type: 'string' },
    }))
    const document = documentWith({
      ...answering(wide),
      parameters,
      summary: '['.repeat(100_000),
      description: '`'.repeat(1_000_000),
    })
    const text = JSON.stringify({ ...document, info: { title: '*'.repeat(10_000), version: '${{ 1 }}' } })
    let made: ReturnType<typeof generated> | undefined
    expect(spent(() => (made = generated(text)))).to.be.below(8_000)
    expect(made!.text.length).to.be.below(30_000)
    expect(readingProblems(made!)).to.deep.equal([])
  })

  it('lists 100,000 operations, and no more', () => {
    const item = { get: { responses: {} }, post: { responses: {} } }
    const paths = Object.fromEntries(Array.from({ length: 60_000 }, (_, at) => [`/p${at}`, item]))
    const { document } = openDocument(JSON.stringify({ openapi: '3.1.0', info: {}, paths }))
    const time = spent(() => {
      const operations = operationsOf(document!)
      expect(operations).to.have.length(100_000)
      const [first] = generatePlugin({
        document: document!,
        operations,
        chosen: operations.slice(0, 3),
        name: 'example',
      }).files
      expect(first!.text).to.include('get_p1')
      const { problems } = generatePlugin({
        document: document!,
        operations,
        chosen: operations,
        name: 'example',
      })
      expect(problems.map(({ message }) => message)).to.include('100000 operations are chosen')
    })
    expect(time).to.be.below(limitHere(10_000))
  })

  it('cannot put expressions, YAML or secrets into the plugin', () => {
    const evil = "x ${{ settings.api_key }}\n- name: 'evil' # {a: b}\u0085\u2028\u202e"
    const schema = {
      type: 'object',
      properties: { [evil]: { type: 'string', description: evil }, plain: { enum: [evil] } },
    }
    const made = generated(
      documentWith(
        {
          ...answering(schema),
          operationId: evil,
          summary: evil,
          description: evil,
          parameters: [
            {
              name: evil,
              in: 'query',
              description: evil,
              required: true,
              schema: { type: 'string', enum: [evil] },
            },
            { name: 'q', in: 'query', required: true, schema: { type: 'string', enum: [evil, 'b'] } },
          ],
        },
        {
          info: { title: evil, description: evil, version: evil },
          components: {
            securitySchemes: { [evil]: { type: 'apiKey', in: 'header', name: 'X-Key', description: evil } },
          },
        },
        ['get', '/${{ settings.api_key }}/{a}'],
      ),
    )
    expect(made.problems).to.deep.equal([])
    expect(readingProblems(made)).to.deep.equal([])
    expect(made.plugin.skills).to.have.length(1)
    const { request, name } = made.plugin.skills[0]!
    expect(name).to.match(/^x_settings_api_key/)
    expect(request.get).to.deep.equal(['${${{ input.settings_api_key }}}', '${{ input.a }}'])
    expect(Object.values(request.query)[0]).to.match(/^x \$\$\{\{ settings/)
    expect(made.plugin.description).not.to.include('${{')
  })

  it('may have any form inside', () => {
    const odd = [null, 0, 'x', [], {}, true, [[]]]
    for (const value of odd) {
      const operations = {
        get: {
          operationId: value,
          parameters: value,
          requestBody: value,
          responses: value,
          security: value,
          tags: value,
          servers: value,
        },
      }
      const document = {
        openapi: '3.0.0',
        info: value,
        servers: value,
        security: value,
        components: value,
        paths: {
          '/a': operations,
          '/b': value,
          '/c': {
            post: {
              parameters: [value, { name: 'x', in: 'query', schema: value }],
              requestBody: { content: { 'application/json': { schema: value, example: value } } },
              responses: { 200: value, 201: { content: { 'application/json': value } }, 404: value },
            },
          },
        },
      }
      expect(() => generated(JSON.stringify(document)), JSON.stringify(value)).not.to.throw()
      const swagger = {
        ...document,
        openapi: undefined,
        swagger: '2.0',
        definitions: value,
        host: value,
        securityDefinitions: value,
      }
      expect(() => generated(dump(JSON.parse(JSON.stringify(swagger)))), JSON.stringify(value)).not.to.throw()
    }
  })
})
