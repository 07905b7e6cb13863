import { expect } from 'chai'
import type { AnySkill } from '../../core/plugin/index.ts'
import { runSkill } from '../../core/plugin/testing/index.ts'
import { limitHere, processorTime } from '../support/processor-time.ts'
import { closeAll, declaredWith, startedFor } from './sandbox-support.ts'
import { pluginWith, saidOf, skillOf } from './support.ts'

const lists = 'xml: { lists: [Users/member, Contents] }'

const run = (skill: AnySkill, ...texts: readonly (string | { status: number; text: string })[]) =>
  runSkill(
    skill,
    {},
    { settings: {}, replies: texts.map((text) => (typeof text === 'string' ? { text } : text)) },
  )

const failure = (work: Promise<unknown>) =>
  work.then(
    () => expect.fail('it should have failed'),
    (error: unknown) => error as Error,
  )

/** The value of an answer in XML. */
async function read(text: string, connection = lists): Promise<unknown> {
  const skill = skillOf({ connection, skill: 'output: { xml: { value: "${{ response.xml }}" } }' })
  return ((await run(skill, text)).output as { xml: unknown }).xml
}

describe('an answer in XML', () => {
  afterEach(closeAll)

  const mapping: Readonly<Record<string, readonly [xml: string, value: unknown]>> = {
    'an element with text': ['<a> x </a>', { a: 'x' }],
    'an empty element': ['<a/>', { a: '' }],
    'elements inside': ['<a><b>1</b><c><d>2</d></c></a>', { a: { b: '1', c: { d: '2' } } }],
    'attributes and text': ['<a id="7">x</a>', { a: { '@id': '7', '#text': 'x' } }],
    namespaces: [
      '<s:a xmlns:s="urn:s" xmlns="urn:x" xmlns:xsi="urn:i" xsi:type="t"><s:b>1</s:b></s:a>',
      { a: { b: '1' } },
    ],
    'a value that is nil': ['<a><b xsi:nil="true"/></a>', { a: { b: null } }],
    'CDATA, entities and a declaration': [
      '<?xml version="1.0"?><!-- c --><a>&lt;&#65;<![CDATA[<b>]]></a>',
      { a: '<A<b>' },
    ],
    'a document type': ['<!DOCTYPE a SYSTEM "https://vendor.example/a.dtd"><a>x</a>', { a: 'x' }],
    'a container of one': ['<a><Users><member>x</member></Users></a>', { a: { Users: ['x'] } }],
    'an empty container': ['<a><Users/></a>', { a: { Users: [] } }],
    'a container of two': [
      '<a><Users><member><Id>1</Id></member><member><Id>2</Id></member></Users></a>',
      { a: { Users: [{ Id: '1' }, { Id: '2' }] } },
    ],
    'an element that may repeat, once': ['<a><Contents>x</Contents></a>', { a: { Contents: ['x'] } }],
    'an element that is not declared, twice': ['<a><b>1</b><b>2</b></a>', { a: { b: ['1', '2'] } }],
    'names of a prototype': [
      '<__proto__ constructor="1"><toString>x</toString></__proto__>',
      JSON.parse('{"__proto__":{"@constructor":"1","toString":"x"}}'),
    ],
  }
  for (const [what, [xml, value]] of Object.entries(mapping))
    it(`is read: ${what}`, async () => {
      expect(JSON.stringify(await read(xml))).to.equal(JSON.stringify(value))
    })

  it('has pages, errors and objects that do not exist', async () => {
    const connection = `${lists}
errors:
  - { when: 'response.xml.Error.Code == "ExpiredToken"', error: credentials, message: "\${{ response.xml.Error.Message }}" }`
    const skill = skillOf({
      connection,
      skill: `not_found: { when: 'response.xml.Error.Code == "NoSuchEntity"', status: 404 }
paging:
  cursor: Marker
  value: "\${{ response.xml.Result.IsTruncated == 'true' ? response.xml.Result.Marker : null }}"
  items: "\${{ response.xml.Result.Users }}"
output: { names: { each: "\${{ items }}", item: { type: string, value: "\${{ item.Name }}" } } }`,
    })
    const page = (name: string, more = '<IsTruncated>false</IsTruncated>') =>
      `<Result><Users><member><Name>${name}</Name></member></Users>${more}</Result>`
    const { output, requests } = await run(
      skill,
      page('a', '<IsTruncated>true</IsTruncated><Marker>m</Marker>'),
      page('b'),
    )
    expect(output).to.deep.equal({ found: true, names: ['a', 'b'] })
    expect(requests[1]!.path).to.equal('/it?Marker=m')
    const missing = { status: 404, text: '<Error><Code>NoSuchEntity</Code></Error>' }
    expect((await run(skill, missing)).output).to.deep.equal({ found: false })
    const expired = {
      status: 400,
      text: '<Error><Code>ExpiredToken</Code><Message>The token is expired</Message></Error>',
    }
    expect(await failure(run(skill, expired))).to.include({
      name: 'ConnectionError',
      message: 'GET https://api.example.com/it answered 400: The token is expired',
    })
  })

  it('must be declared', () => {
    const said = saidOf(pluginWith({ skill: 'output: { a: "${{ response.xml.a }}" }' }))
    expect(said.join()).to.include('(declare xml: {} under connection)')
    const named = saidOf(pluginWith({ connection: 'xml: { lists: [a/b/c] }' }))
    expect(named.join()).to.include("E107 'a/b/c' is not the name of an element")
  })

  it('is answered by the sandbox', async () => {
    const connection = `${lists}
fields: { api_key: { secret: true } }
auth: { header: X-Key, value: "\${{ settings.api_key }}" }
check: { get: /me, account: "\${{ response.xml.Result.Arn }}" }`
    const skill = 'output: { name: { type: string, value: "${{ response.xml.User.Name }}" } }'
    const example = { responses: [{ text: '<User><Name>x</Name></User>' }], output: { name: 'x' } }
    const { run: call, check } = await startedFor(declaredWith({ connection, skill }, example))
    expect(await call()).to.deep.equal({ name: 'x' })
    expect(await check()).to.deep.equal({ account: 'sandbox' })
  })
})

describe('a hostile answer in XML', () => {
  const many = (text: string, count: number) => text.repeat(count)
  const hostile: Readonly<Record<string, readonly [xml: string, why: string]>> = {
    'expanding entities': [
      '<!DOCTYPE a [<!ENTITY x "xxxx"><!ENTITY y "&x;&x;">]><a>&y;</a>',
      "Named entity isn't defined: &y;",
    ],
    'a file as an entity': [
      '<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x;</a>',
      "Named entity isn't defined: &x;",
    ],
    'a hundred thousand levels': [many('<a>', 100_000) + many('</a>', 100_000), 'nested deeper than 100'],
    '101 levels': [many('<a>', 101) + many('</a>', 101), 'nested deeper than 100'],
    'three million characters': [`<a>${many('x', 3_000_000)}</a>`, 'at most 2097152 are read'],
    'an element that does not end': [many('<a>', 50), 'Missing end tag'],
    'an attribute twice': ['<a b="1" b="2"/>', 'b'],
    'two roots': ['<a/><b/>', 'Extra content'],
    'a page for people': ['<!doctype html><html><body><br></body></html>', 'cannot be read as XML'],
    text: ['nothing here', 'does not begin with <'],
  }
  const skill = skillOf({
    connection: lists,
    skill: 'output: { a: { type: string, value: "${{ response.xml.a.b }}" } }',
  })
  for (const [what, [xml, why]] of Object.entries(hostile))
    it(`is refused: ${what}`, async () => {
      const error = await failure(run(skill, xml))
      expect(error).to.include({ code: 'bad_response' })
      expect(error.message).to.include(why)
    })

  it('is read in a time that grows with its size', async () => {
    const texts = [
      `<a>${many('<b>\u{1F600}</b>', 20_000)}</a>`,
      `<a>${many('&amp;', 50_000)}</a>`,
      `<a ${Array.from({ length: 20_000 }, (_, at) => `a${at}="x"`).join(' ')}/>`,
      `<a>${many('<![CDATA[x]]>', 30_000)}</a>`,
    ]
    const started = processorTime()
    for (const text of texts) await failure(run(skill, text))
    expect(processorTime() - started).to.be.below(limitHere(5000))
  }).timeout(60_000)
})
