import { expect } from 'chai'
import { exampleProblems } from '../../core/declarative/index.ts'
import type { AnySkill } from '../../core/plugin/index.ts'
import { runSkill, type RunSkillOptions } from '../../core/plugin/testing/index.ts'
import { closeAll, declaredWith, startedFor, withKey } from './sandbox-support.ts'
import { pluginWith, saidOf, skillOf } from './support.ts'

const run = (
  skill: AnySkill,
  input: object,
  replies: RunSkillOptions['replies'],
  more: RunSkillOptions = {},
) => runSkill(skill, input, { settings: {}, replies: replies!, ...more })

async function failure(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => expect.fail('it should have failed'),
    (error: unknown) => error,
  )
}

const sent = (requests: readonly { readonly method: string; readonly path: string }[]) =>
  requests.map(({ method, path }) => `${method} ${path}`)

const isolate = `effect: write
repeat: verify
destructive: containment
input: { host: {} }
before:
  device:
    post: /search
    json: { name: "\${{ input.host }}" }
    require: before.device.body.ids.size() == 1
    message: "no single host is named \${{ input.host }}"
  state: { get: [hosts, "\${{ before.device.body.ids[0] }}"] }
skip:
  when: before.state.body.isolated
  output: { id: { type: string, value: "\${{ before.device.body.ids[0] }}" } }
request: { post: [hosts, "\${{ before.device.body.ids[0] }}", isolate] }
output: { id: { type: string, value: "\${{ before.device.body.ids[0] }}" } }
verify:
  took_effect: before.state.body.isolated
  output: { id: { type: string, value: "\${{ before.device.body.ids[0] }}" } }`
const found = { json: { ids: ['7'] } }
const state = (isolated: unknown) => ({ json: { isolated } })
const input = { host: 'web-1' }

describe('a declarative skill that reads before it acts', () => {
  const skill = skillOf({ skill: isolate })

  it('sends the requests in order', async () => {
    const { output, requests } = await run(skill, input, [found, state(false), { json: {} }])
    expect(sent(requests)).to.deep.equal(['POST /search', 'GET /hosts/7', 'POST /hosts/7/isolate'])
    expect(output).to.deep.equal({ changed: true, id: '7' })
  })

  it('sends no write if there is nothing to change', async () => {
    const { output, requests } = await run(skill, input, [found, state(true)])
    expect(sent(requests)).to.deep.equal(['POST /search', 'GET /hosts/7'])
    expect(output).to.deep.equal({ changed: false, id: '7' })
    const { changedNothing } = skill as { changedNothing?: (output: unknown) => boolean }
    expect([changedNothing!(output), changedNothing!({ changed: true })]).to.deep.equal([true, false])
  })

  it('sends the write if the state cannot be told', async () => {
    expect((await run(skill, input, [found, { json: {} }, { json: {} }])).output).to.include({
      changed: true,
    })
  })

  it('fails without a write if `require` is false', async () => {
    expect(await failure(run(skill, input, [{ json: { ids: [] } }])))
      .to.include({ code: 'refused', message: 'no single host is named web-1' })
      .and.have.deep.property('details', { effect: 'none' })
    expect(await failure(run(skill, input, [{ json: {} }]))).to.include({ code: 'refused' })
  })

  it('verifies by the same requests, sent again', async () => {
    const verify = { purpose: 'verify' } as const
    const done = await run(skill, input, [found, state(true)], verify)
    expect(done.output).to.deep.equal({ changed: true, id: '7' })
    expect((await run(skill, input, [found, state(false)], verify)).output).to.equal(undefined)
    expect(await failure(run(skill, input, [found, { json: {} }], verify))).to.include({
      code: 'bad_response',
    })
  })

  it('knows what is open after a search by POST, and after the write', async () => {
    const refused = { status: 400, json: {} }
    const early = (await failure(run(skill, input, [found, refused]))) as { details?: object }
    expect(early.details).to.not.have.property('effect', 'unknown')
    expect(await failure(run(skill, input, [found, state(false), { status: 500 }])))
      .to.have.property('details')
      .that.includes({ effect: 'unknown' })
    const polling = skillOf({
      skill: `effect: write
repeat: safe
request: { post: /scans }
poll: { request: { get: [scans, "\${{ submitted.body.id }}"] }, until: "true" }`,
    })
    expect(await failure(run(polling, {}, [{ json: {} }])))
      .to.include({ code: 'bad_request' })
      .and.have.deep.property('details', { effect: 'unknown' })
  })

  it('leaves a request out', async () => {
    const reading = skillOf({
      skill: `input: { id: { optional: true }, name: { default: "" } }
before:
  found: { get: /search, query: { name: "\${{ input.name }}" }, when: input.?id.orValue("") == "" }
request: { get: [hosts, "\${{ input.?id.orValue(before.?found.body.id.orValue('')) }}"] }`,
    })
    expect(sent((await run(reading, { id: '7' }, [{ json: {} }])).requests)).to.deep.equal(['GET /hosts/7'])
    const { requests } = await run(reading, { name: 'a' }, [{ json: { id: '8' } }, { json: {} }])
    expect(sent(requests)).to.deep.equal(['GET /search?name=a', 'GET /hosts/8'])
  })

  it('is answered by the sandbox, which keeps the state of an example', async () => {
    const responses = [{ body: { ids: ['7'] } }, { body: { isolated: false } }, { body: {} }]
    const example = { input, responses, output: { changed: true, id: '7' } }
    const isolated = {
      input: { host: 'db-1' },
      responses: [{ body: { ids: ['8'] } }, { body: { isolated: true } }],
      output: { changed: false, id: '8' },
    }
    const declared = declaredWith({ connection: withKey, skill: isolate }, example, isolated)
    expect(await exampleProblems(declared)).to.deep.equal([])
    const { run: call } = await startedFor(declared)
    expect(await call(input)).to.deep.equal({ changed: true, id: '7' })
    expect(await call({ host: 'db-1' })).to.deep.equal({ changed: false, id: '8' })
  })
  afterEach(closeAll)

  const wrong: Readonly<Record<string, readonly [skill: string, problem: string]>> = {
    'a request that changes something': [
      'before: { a: { delete: /it } }',
      'E806 a request of `before` only reads: it cannot send DELETE (the request that changes something is the `request` of the skill)',
    ],
    'an answer that comes later': [
      'before: { a: { get: [x, "${{ before.b.body.id }}"] }, b: { get: /it } }',
      "E204 unknown name 'before'",
    ],
    'an answer by its name alone': [
      'before: { a: { get: /it, require: a.body.ok } }',
      "E204 unknown name 'a' (did you mean before.a?)",
    ],
    'a message without a condition': [
      'before: { a: { get: /it, message: no } }',
      'E112 `message` belongs to `require`',
    ],
    'six requests': [
      `before: { ${['a', 'b', 'c', 'd', 'e', 'f'].map((name) => `${name}: { get: /it }`).join(', ')} }`,
      'E107 a skill has at most 5 requests in `before`',
    ],
    'details without ids': [
      'details: { request: { get: /it }, items: "${{ response.body }}" }',
      'E112 `details` belongs to `paging`',
    ],
    'a verification that asks nothing': [
      'effect: write\nrepeat: verify\nverify: { took_effect: "true" }',
      'E105 `verify` needs `request`',
    ],
  }
  for (const [what, [text, problem]] of Object.entries(wrong))
    it(`is refused: ${what}`, () => {
      expect(saidOf(pluginWith({ skill: text })).join('\n')).to.include(problem)
    })
})

describe('a declarative skill that lists ids first', () => {
  const skill = skillOf({
    skill: `request: { get: /ids }
paging: { cursor: after, value: "\${{ response.body.?next }}", items: "\${{ response.body.ids }}", limit: 3 }
details:
  request: { post: /details, json: { ids: "\${{ ids }}" } }
  size: 2
  items: "\${{ response.body.resources }}"
output:
  names: { each: "\${{ items }}", item: { type: string, value: "\${{ item.name }}" } }
  complete: "\${{ complete }}"`,
  })
  const details = (...names: string[]) => ({ json: { resources: names.map((name) => ({ name })) } })

  it('reads the details in batches', async () => {
    const { output, requests } = await run(skill, {}, [
      { json: { ids: ['1', '2'], next: 'b' } },
      { json: { ids: ['3', '4'] } },
      details('a', 'b'),
      details('c'),
    ])
    expect(output).to.deep.equal({ names: ['a', 'b', 'c'], complete: false })
    expect(requests.slice(2).map(({ body }) => JSON.parse(body) as unknown)).to.deep.equal([
      { ids: ['1', '2'] },
      { ids: ['3'] },
    ])
  })

  it('asks for no details of no ids', async () => {
    const { output, requests } = await run(skill, {}, [{ json: { ids: [] } }])
    expect([output, requests.length]).to.deep.equal([{ names: [], complete: true }, 1])
  })

  it('refuses an answer without a list', async () => {
    const error = await failure(run(skill, {}, [{ json: { ids: ['1'] } }, { json: { resources: null } }]))
    expect(error).to.include({ code: 'bad_response' })
  })
})
