import { expect } from 'chai'
import { compiled, pluginWith, saidOf, skillOf } from './support.ts'

const lineOf = (source: string, part: string): number =>
  source.split('\n').findIndex((line) => line.includes(part)) + 1

/** The problem at the line of a part of the source. */
function saidAt(parts: Parameters<typeof pluginWith>[0], part: string): string {
  const source = pluginWith(parts)
  const said = saidOf(source)
  expect(said, said.join('\n')).to.have.length(1)
  const [place = '', ...rest] = said[0]!.split(' ')
  expect(Number(place.split(':')[0])).to.equal(lineOf(source, part))
  return rest.join(' ')
}

describe('readPlugin', () => {
  const wrong: readonly (readonly [
    what: string,
    Parameters<typeof pluginWith>[0],
    at: string,
    says: string,
  ])[] = [
    [
      'an unknown key',
      { skill: 'titel: x' },
      'titel',
      "E104 unknown key 'titel' in a skill (did you mean 'title'?)",
    ],
    [
      'a name of another language',
      { skill: 'output: { x: "${{ body.a }}" }' },
      'body.a',
      "E204 unknown name 'body' (did you mean response.body?)",
    ],
    [
      'an unknown input',
      { skill: 'input: { ip: { format: ip } }\nrequest: { get: [a, "${{ input.pi }}"] }' },
      'input.pi',
      "E205 input has no field 'pi' (did you mean ip?)",
    ],
    [
      'a field of the connection that is not declared',
      { connection: 'headers: { x: "${{ settings.token }}" }' },
      'settings.token',
      "E205 settings has no field 'token' (declare it under connection.fields: token: { title: …, secret: true })",
    ],
    [
      'an input that is not declared',
      { skill: 'request: { get: [a, "${{ input.ip }}"] }' },
      'input.ip',
      "E205 input has no field 'ip' (declare it under input: ip: { type: string })",
    ],
    [
      'an optional field that is read as if it were there',
      { connection: 'fields: { plan: { optional: true } }\nheaders: { x: "${{ settings.plan }}" }' },
      'headers',
      'E206',
    ],
    [
      'a secret in a path',
      {
        connection: 'fields: { key: { secret: true } }',
        skill: 'request: { get: [a, "${{ settings.key }}"] }',
      },
      'get: [a',
      'E803 a secret of the connection would be shown in a path',
    ],
    [
      'a secret that an address is made of',
      {
        connection:
          'fields: { key: { secret: true } }\nbase_url: "https://${{ settings.key.lowerAscii() }}.example.com"',
      },
      'base_url',
      'E803',
    ],
    [
      'a path that leads elsewhere',
      { skill: 'request: { get: /a/../b }' },
      '/a/../b',
      "E802 the path \"/a/../b\" must not contain '.' or '..' as a segment",
    ],
    [
      'a query in a path',
      { skill: 'request: { get: "/a?b=1" }' },
      '/a?b',
      "E802 the path \"/a\" must not contain '?' or '#' (pass query parameters as `query`",
    ],
    [
      'values in the text of a path',
      { skill: 'input: { ip: { format: ip } }\nrequest: { get: "/ips/${{ input.ip }}/notes" }' },
      'get: "/ips',
      'E802 a path takes no expressions in its text (write a list of segments: [ips, "${{ input.ip }}", notes])',
    ],
    [
      'a header of the transport',
      { skill: 'request: { get: /a, headers: { Host: evil.example.com } }' },
      'Host',
      'E107 the header "host" cannot be set',
    ],
    [
      'a header of every request with an impossible name',
      { connection: 'headers: { "bad name": x }' },
      'bad name',
      'E107 the header "bad name" cannot be set',
    ],
    [
      'a header with a line break',
      { skill: String.raw`request: { get: /a, headers: { x-y: "a\r\nb: c" } }` },
      'x-y',
      "E107 the value of header 'x-y' contains characters that are not allowed in headers",
    ],
    [
      'an API key in a header of the transport',
      { connection: "auth: { header: Content-Length, value: '1' }" },
      'Content-Length',
      'E107 the header "content-length" cannot be set',
    ],
    ['a rate', { connection: 'rate: 50 per week' }, 'rate', "E107 '50 per week' is not a rate"],
    [
      'an unknown schema keyword',
      { skill: 'input: { a: { fromat: ip } }' },
      'fromat',
      "E104 unknown key 'fromat' in a field (did you mean 'format'?)",
    ],
    [
      'an input that is secret',
      { skill: 'input: { a: { secret: true } }' },
      'input',
      'E107 an input cannot be secret',
    ],
    [
      'an enriching skill without a score',
      { skill: 'enriches: ip\noutput: { a: 1 }' },
      'enriches',
      'E806 output must require risk.score',
    ],
    [
      'an enriching skill with an input of its own',
      { skill: 'enriches: ip\ninput: { ip: {} }\noutput: { risk: { score: 1 } }' },
      'enriches',
      'E806 input.required an enriching skill needs kind and value only, not ip',
    ],
    [
      'an address with a slash at the end',
      { connection: 'base_url: https://api.example.com/' },
      'base_url',
      'E802 `base_url` must begin with https://',
    ],
    [
      'a read that deletes',
      { skill: 'request: { delete: /it }' },
      'delete',
      'E806 a skill that reads cannot send DELETE',
    ],
    ['a write that does not say whether it may be repeated', { skill: 'effect: write' }, 'effect', 'E105'],
    [
      'credentials in two ways',
      { connection: 'auth: { bearer: x, basic: { username: a, password: b } }' },
      'auth',
      'E801',
    ],
  ]
  for (const [what, parts, at, says] of wrong) {
    it(`reports at its place: ${what}`, () => {
      expect(saidAt(parts, at).slice(0, says.length)).to.equal(says)
    })
  }

  it('warns of outputs of unknown type, and derives the types of others', () => {
    const source = pluginWith({
      skill: 'output: { name: "${{ response.body.name }}", ok: "${{ response.status == 200 }}" }',
    })
    expect(saidOf(source).join()).to.include('W801 the type of this output is unknown')
    const listed = 'a: { type: array, items: { type: string }, value: "${{ response.body.a }}" }'
    const missing = (output: string) =>
      saidOf(pluginWith({ skill: `output: { ${listed} }\nnot_found: { status: 404, output: ${output} }` }))
    expect(missing('{ a: "${{ response.body.a }}" }'), 'typed by the output').to.deep.equal([])
    expect(missing('{ b: "${{ response.body.b }}" }').join()).to.include('W801')
    expect(compiled(source).skills[0]!.output).to.deep.equal({
      type: 'object',
      required: ['name', 'ok'],
      properties: { name: {}, ok: { type: 'boolean' } },
    })
  })

  it('types the output by the schema of the response', () => {
    const { output } = skillOf({
      skill: `response:
  type: object
  required: [id]
  properties: { id: { type: integer }, tags: { type: array, items: { type: string } } }
output: { id: "\${{ response.body.id }}", tags: "\${{ response.body.?tags }}" }`,
    })
    expect(output).to.deep.equal({
      type: 'object',
      required: ['id'],
      properties: { id: { type: 'integer' }, tags: { type: 'array', items: { type: 'string' } } },
    })
  })

  it('tells a field with a type from an object with a field `value`', () => {
    const { output } = skillOf({
      skill:
        'output: { a: { value: "${{ response.status }}" }, b: { value: "${{ response.status }}", score: 1 }, c: { value: { value: x } } }',
    })
    const status = { type: 'integer' }
    expect(output.properties).to.deep.equal({
      a: status,
      b: { type: 'object', required: ['value', 'score'], properties: { value: status, score: status } },
      c: { type: 'object', required: ['value'], properties: { value: { type: 'string' } } },
    })
  })

  it('makes output fields optional if they are missing for an object that does not exist', () => {
    const { output } = skillOf({
      skill:
        'not_found: { status: 404, output: { n: 0 } }\noutput: { n: { type: integer, value: "${{ response.body.n }}" }, s: a }',
    })
    expect(output).to.deep.equal({
      type: 'object',
      required: ['found', 'n'],
      properties: { found: { type: 'boolean' }, n: { type: 'integer' }, s: { type: 'string' } },
    })
  })

  it('warns of a rate limit for a path that no request has', () => {
    const limited = (path: string, skill = '') =>
      saidOf(
        pluginWith({
          connection: `rate: [{ path: ${path}, limits: 4/min }]`,
          skill: `input: { id: {} }\nrequest: { get: [ips, "\${{ input.id }}", notes] }\n${skill}`,
        }),
      ).map((said) => said.split(' ')[1])
    expect(limited('/v1/ips')).to.deep.equal(['W803'])
    for (const path of ['/ips', '/ips/7/notes', '/i', '/ping']) expect(limited(path), path).to.deep.equal([])
    const poll = 'poll: { request: { get: /jobs }, until: "true" }'
    expect(limited('/jobs', poll)).to.deep.equal([])
    // A skill with an error is not read, and neither are its requests.
    expect(limited('/ips', 'effect: reed')).to.deep.equal(['E107'])
  })

  it('asks for no type of an empty list, such as that of `not_found`', () => {
    const items = '{ type: array, items: { type: string }, value: "${{ response.body.items }}" }'
    const skill = `not_found: { status: 404, output: { items: [] } }\noutput: { items: ${items} }`
    expect(saidOf(pluginWith({ skill }))).to.deep.equal([])
  })
})
