import { expect } from 'chai'
import type { AnySkill, RelatedCall, StateCall } from '../../core/plugin/index.ts'
import { runSkill, type RunSkillOptions } from '../../core/plugin/testing/index.ts'
import { compiled, pluginWith, saidOf, skillOf } from './support.ts'

const run = (skill: AnySkill, replies: RunSkillOptions['replies'], more: RunSkillOptions = {}, input = {}) =>
  runSkill(skill, input, { settings: {}, replies: replies!, ...more })

async function failure(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => expect.fail('it should have failed'),
    (error: unknown) => error,
  )
}

describe('a declarative skill that writes', () => {
  const skill = `effect: write
repeat: verify
destructive: blocking
changed_nothing: output.state == "there"
input: { ip: { format: ip } }
request: { post: /blocks, json: { ip: "\${{ input.ip }}" } }
output: { state: { type: string, value: "\${{ response.body.state }}" } }
verify:
  request: { get: [blocks, "\${{ input.ip }}"], accept: [404] }
  took_effect: response.status == 200
  output: { state: there }`
  const block = skillOf({ skill })
  const input = { ip: '203.0.113.7' }

  it('asks whether an interrupted attempt took effect', async () => {
    const verified = await run(block, [{ json: {} }], { purpose: 'verify' }, input)
    expect(verified.output).to.deep.equal({ state: 'there' })
    expect(verified.requests[0]).to.include({ method: 'GET', path: '/blocks/203.0.113.7' })
    expect((await run(block, [{ status: 404, json: {} }], { purpose: 'verify' }, input)).output).to.equal(
      undefined,
    )
  })

  it('does not take an answer that cannot be read for a no', async () => {
    const strict = skillOf({ skill: skill.replace('response.status == 200', 'response.body.blocked') })
    const error = await failure(run(strict, [{ json: { blokced: true } }], { purpose: 'verify' }, input))
    expect(error).to.include({ code: 'bad_response' })
  })

  it('says whether it changed anything', () => {
    expect(block).to.include({ effect: 'write', repeat: 'verify', destructive: 'blocking' })
    const { changedNothing } = block as { changedNothing?: (output: object) => boolean }
    expect(changedNothing!({ state: 'there' })).to.equal(true)
    expect(changedNothing!({ state: 'made' })).to.equal(false)
  })

  it('reports what does not fit together', () => {
    const said = (text: string) => saidOf(pluginWith({ skill: text })).join('\n')
    expect(said(skill.replace('repeat: verify', 'repeat: safe'))).to.include('E112 `verify` belongs to')
    expect(said('effect: write\nrepeat: verify')).to.include('E105 `repeat: verify` needs `verify`')
    expect(said(skill.replace('output: { state: there }', 'output: { state: 1 }'))).to.include(
      'E805 the output of `verify`',
    )
    expect(said(`${skill}\nfollow_with: get_block`)).to.include(
      "E806 'get_block' is not a skill of this plugin that reads",
    )
    expect(said('destructive: blocking')).to.include("E806 'destructive' is only for writes")
  })
})

describe('a declarative skill that waits', () => {
  const waiting = (timeout: string) =>
    skillOf({
      skill: `effect: write
repeat: never
request: { post: /scans }
poll:
  request: { get: [scans, "\${{ submitted.body.id }}"] }
  until: response.body.state == "done"
  failed: response.body.state == "failed"
  message: "the scan is \${{ response.body.state }}"
  every: 1ms
  timeout: ${timeout}
output: { hits: { type: integer, value: "\${{ response.body.hits }}" } }`,
    })
  const states = (...all: readonly object[]) => [{ json: { id: 7 } }, ...all.map((json) => ({ json }))]

  it('asks until the operation has ended', async () => {
    const { output, requests } = await run(
      waiting('1m'),
      states({ state: 'new' }, { state: 'done', hits: 3 }),
    )
    expect(output).to.deep.equal({ hits: 3 })
    expect(requests.map(({ path }) => path)).to.deep.equal(['/scans', '/scans/7', '/scans/7'])
  })

  it('fails with the operation', async () => {
    expect(await failure(run(waiting('1m'), states({ state: 'failed' })))).to.include({
      code: 'operation_failed',
      message: 'the scan is failed',
    })
  })

  it('leaves the outcome of a write open after the timeout', async () => {
    const replies = ({ path }: { path: string }) => ({
      json: path === '/scans' ? { id: 7 } : { state: 'new' },
    })
    const error = await failure(run(waiting('1ms'), replies))
    expect(error)
      .to.include({ code: 'operation_unfinished' })
      .and.have.deep.property('details', { effect: 'unknown' })
  })
})

describe('a declarative skill that asks the same address again', () => {
  const waiting = (skill: string) =>
    skillOf({
      skill: `${skill}
poll: { until: response.body.state == "done", every: 1ms }
output: { hits: { type: integer, value: "\${{ response.body.hits }}" } }`,
    })
  const answers = [
    { json: { state: 'new' } },
    { json: { state: 'new' } },
    { json: { state: 'done', hits: 3 } },
  ]

  it('counts the first answer', async () => {
    const skill = waiting('request: { get: /scan }')
    const { output, requests } = await run(skill, answers)
    expect(output).to.deep.equal({ hits: 3 })
    expect(requests.map(({ path }) => path)).to.deep.equal(['/scan', '/scan', '/scan'])
    expect((await run(skill, [{ json: { state: 'done', hits: 1 } }])).requests).to.have.length(1)
  })

  it('reports that the object disappeared in the meantime', async () => {
    const skill = waiting('not_found: 404')
    expect((await run(skill, [...answers.slice(0, 2), { status: 404 }])).output).to.deep.equal({
      found: false,
    })
  })

  it('never repeats a write', () => {
    const said = saidOf(
      pluginWith({
        skill: 'effect: write\nrepeat: never\nrequest: { post: /scan }\npoll: { until: response.body.done }',
      }),
    )
    expect(said.join()).to.include('E806 `poll` without `request` would repeat the POST')
  })
})

describe('the idempotency key of a declarative skill', () => {
  const keyed = `effect: write
repeat: safe
request:
  post: /payments
  headers: { Idempotency-Key: "\${{ idempotency_key }}" }
  json: { id: "\${{ idempotency_key }}", to: "\${{ input.to }}" }
input: { to: {} }`
  const keyOf = async (more: RunSkillOptions = {}, skill = skillOf({ skill: keyed })) => {
    const { requests } = await run(skill, [{ json: {} }], more, { to: 'a' })
    expect((JSON.parse(requests[0]!.body) as { id: string }).id).to.equal(
      requests[0]!.headers['idempotency-key'],
    )
    return requests[0]!.headers['idempotency-key']
  }

  it('is the same UUID in all attempts of a step', async () => {
    expect(await keyOf())
      .to.match(/^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
      .and.equal(await keyOf({ now: 7 }))
      .and.not.equal(await keyOf({ run: { id: 'other' } }))
  })

  it('can be searched for after an interruption', async () => {
    const verify = `verify: { request: { get: /payments, query: { id: "\${{ idempotency_key }}" } }, took_effect: "true" }`
    const skill = skillOf({ skill: `${keyed.replace('safe', 'verify')}\n${verify}` })
    const { requests } = await run(skill, [{ json: {} }], { purpose: 'verify' }, { to: 'a' })
    expect(requests[0]!.path).to.equal(`/payments?id=${await keyOf({}, skill)}`)
  })

  it('is only for writes', () => {
    const said = saidOf(
      pluginWith({ skill: 'request: { get: /it, query: { k: "${{ idempotency_key }}" } }' }),
    )
    expect(said.join()).to.include('(only skills with effect: write have it)')
  })
})

describe('paging of a declarative skill', () => {
  const skillWith = (paging: string) =>
    skillOf({
      skill: `request: { get: /it, query: { q: x } }
paging:
  ${paging}
  size: { parameter: n, value: 2 }
  items: "\${{ response.body.data }}"
output: { all: { type: array, value: "\${{ items }}" }, complete: "\${{ complete }}" }`,
    })
  const first = { data: [1, 2], next: 'b' }

  it('sends its parameters in the body too', async () => {
    const skill = skillOf({
      skill: `request: { post: /search, json: { q: x } }
paging:
  in: json
  offset: from
  size: { parameter: size, value: 2 }
  items: "\${{ response.body.data }}"
output: { all: { type: array, value: "\${{ items }}" } }`,
    })
    const { requests } = await run(skill, [{ json: first }, { json: { data: [3] } }])
    expect(requests.map(({ body }) => JSON.parse(body) as unknown)).to.deep.equal([
      { q: 'x', size: 2, from: 0 },
      { q: 'x', size: 2, from: 2 },
    ])
  })

  it('tells that the object of a list does not exist', async () => {
    const skill = skillOf({
      skill: `not_found: 404
paging: { page: p, items: "\${{ response.body.data }}" }
output: { all: { type: array, value: "\${{ items }}" } }`,
    })
    expect((await run(skill, [{ status: 404, json: {} }])).output).to.deep.equal({ found: false })
    expect((await run(skill, [{ json: { data: [1] } }])).output).to.deep.equal({ found: true, all: [1] })
  })

  it('follows a cursor', async () => {
    const skill = skillWith('cursor: after\n  value: "${{ response.body.?next }}"')
    const { output, requests } = await run(skill, [{ json: first }, { json: { data: [3], next: null } }])
    expect(requests.map(({ path }) => path)).to.deep.equal(['/it?q=x&n=2', '/it?q=x&n=2&after=b'])
    expect(output).to.deep.equal({ all: [1, 2, 3], complete: true })
  })

  it('follows an address in the answer', async () => {
    const skill = skillWith('next: "${{ response.body.?links.?next }}"')
    const { output, requests } = await run(skill, [
      { json: { data: [1, 2], links: { next: '/it?page=2' } } },
      { json: { data: [3] } },
    ])
    expect(requests.map(({ path }) => path)).to.deep.equal(['/it?q=x&n=2', '/it?page=2'])
    expect(output).to.deep.equal({ all: [1, 2, 3], complete: true })
  })

  it('follows the Link header, and no address elsewhere', async () => {
    const skill = skillWith('link: true')
    const link = (address: string) => ({ json: first, headers: { link: `<${address}>; rel="next"` } })
    const { requests } = await run(skill, [
      link('https://api.example.com/it?page=2'),
      { json: { data: [3] } },
    ])
    expect(requests[1]!.path).to.equal('/it?page=2')
    expect(await failure(run(skill, [link('https://evil.example/it')]))).to.include({ code: 'bad_path' })
  })
})

describe('errors of a declarative plugin', () => {
  const withErrors = (errors: string, skill = '') => skillOf({ connection: `errors: ${errors}`, skill })

  it('can be in an answer with a good status', async () => {
    const skill = withErrors(
      '[{ when: response.body.?ok.orValue(true) == false, error: credentials, message: "${{ response.body.why }}" }]',
    )
    const error = await failure(run(skill, [{ json: { ok: false, why: 'expired' } }]))
    expect(error).to.include({ code: 'credentials', message: 'expired', name: 'ConnectionError' })
    expect((await run(skill, [{ json: { ok: true } }])).output).to.deep.equal({ status: 200 })
  })

  it('of credentials can be in an answer with an accepted status', async () => {
    const errors =
      '[{ when: response.body.why == "anonymous", error: credentials }, { when: response.status == 404, error: refused }]'
    const skill = withErrors(errors, 'not_found: 404')
    const missing = (why: string) => run(skill, [{ status: 404, json: { why } }])
    expect((await missing('no such object')).output).to.deep.equal({ found: false })
    expect(await failure(missing('anonymous'))).to.include({ name: 'ConnectionError' })
  })

  it('can mean another class than their status', async () => {
    const skill = withErrors(
      '[{ when: "response.status == 403 && response.body.code == 9", error: rate_limited }]',
    )
    const busy = await failure(
      run(skill, [{ status: 403, json: { code: 9 }, headers: { 'retry-after': '7' } }]),
    )
    expect(busy).to.include({ code: 'rate_limited', name: 'RetryableError', retryAfterMs: 7000 })
    expect(await failure(run(skill, [{ status: 403, json: { code: 1 } }]))).to.include({ code: 'http_403' })
  })
})

describe('a declarative upload', () => {
  it('sends files as multipart', async () => {
    const skill = skillOf({
      skill: `effect: write
repeat: never
request:
  post: /files
  multipart: { kind: sample, file: { filename: a.bin, base64: "\${{ b64 }}" } }`.replace(
        '${{ b64 }}',
        'aGk=',
      ),
    })
    const { requests } = await run(skill, [{ json: {} }])
    expect(requests[0]!.headers['content-type']).to.match(/^multipart\/form-data; boundary=/)
    expect(requests[0]!.body)
      .to.match(/name="kind"\r\n\r\nsample/)
      .and.match(/filename="a.bin"[^]*\r\n\r\nhi\r\n/)
  })
})

describe('what undoes and follows a declarative skill', () => {
  const release = `
  - name: release_it
    title: Release it
    description: Releases it.
    effect: write
    repeat: safe
    input: { id: { type: integer }, note: { default: released } }
    request: { post: /release }
    output: {}
  - name: read_state
    title: Read the state
    description: Reads the state.
    effect: read
    input: { id: { type: integer } }
    request: { get: /state }
    output: { state: { type: string, value: "\${{ response.body.state }}" } }
`
  const source = (undone: string, follow = 'read_state') =>
    pluginWith({
      skill: `effect: write
repeat: safe
destructive: containment
input: { name: {} }
output: { id: { type: integer, value: "\${{ response.body.id }}" } }
undone_by: ${undone}
follow_with: ${follow}`,
    }) + release.slice(1)
  const undo = '{ skill: release_it, input: { id: "${{ output.id }}" } }'

  it('is a call of a skill', () => {
    const [skill] = compiled(source(undo, undo.replace('release_it', 'read_state'))).skills
    const { undoneBy, followWith } = skill as unknown as Record<string, RelatedCall>
    expect(undoneBy!.skill).to.equal('release_it')
    expect(undoneBy!.input({ name: 'a' }, { id: 7 })).to.deep.equal({ id: 7 })
    expect(followWith!.input({ name: 'a' }, { id: 7 })).to.deep.equal({ id: 7 })
    expect(compiled(source(undo)).skills[0]).to.include({ followWith: 'read_state' })
  })

  const state = (contained: string, more = '') =>
    `${undo}
state_by:
  skill: read_state
  input: { id: "\${{ output.id }}" }
  contained: ${contained}
  released: state.state == "free"
${more}`

  it('says what reads whether it is still in effect', () => {
    const [skill] = compiled(source(state('state.state == "held" && input.name == "a"'))).skills
    const { stateBy } = skill as unknown as { readonly stateBy: StateCall }
    expect(stateBy.skill).to.equal('read_state')
    expect(stateBy.input({ name: 'a' }, { id: 7 })).to.deep.equal({ id: 7 })
    const says = (status: object) => [
      stateBy.contained(status, { name: 'a' }, undefined),
      stateBy.released(status, { name: 'a' }, undefined),
    ]
    expect(says({ state: 'held' })).to.deep.equal([true, false])
    expect(says({ state: 'free' })).to.deep.equal([false, true])
    // A missing field, a state in between.
    for (const unclear of [{}, { state: 'pending' }]) expect(says(unclear)).to.deep.equal([false, false])
    const unreadable = compiled(source(`${undo}\nstate_unreadable: the vendor does not tell`)).skills[0]
    expect(unreadable).to.include({ stateUnreadable: 'the vendor does not tell' })
  })

  it('is refused if what reads its state is wrong', () => {
    const said = (text: string) => saidOf(source(text)).join('\n')
    expect(said(state('state.sate == "held"'))).to.include("'sate'")
    expect(said(state('true').replace('skill: read_state', 'skill: release_it'))).to.include(
      "'release_it' is not a skill of this plugin that reads",
    )
    expect(said(state('true', 'state_unreadable: no'))).to.include('contradicts `state_by`')
    expect(said(state('true').replace(/ {2}contained.*\n/, ''))).to.include('contained')
    const alone = pluginWith({
      skill: `effect: write\nrepeat: safe\ndestructive: containment\nstate_unreadable: no`,
    })
    expect(saidOf(alone).join()).to.include('is only for skills with `undone_by`')
  })

  it('says why nothing undoes it, or that it ends a containment', () => {
    const withKeys = (more: string, destructive = 'destructive: containment\n') =>
      pluginWith({ skill: `effect: write\nrepeat: safe\n${destructive}${more}` })
    const declared = (more: string) => compiled(withKeys(more)).skills[0]
    expect(declared('irreversible: sessions cannot be restored')).to.include({
      irreversible: 'sessions cannot be restored',
    })
    expect(declared('restores: true')).to.include({ restores: true })
    expect(saidOf(withKeys('restores: false')).join()).to.include('`restores` must be true')
    expect(saidOf(withKeys('restores: true', '')).join()).to.include(
      "'restores' is only for destructive skills",
    )
    expect(saidOf(source(`${undo}\nirreversible: no way`)).join()).to.include('contradicts `undone_by`')
  })

  const wrong: Readonly<Record<string, readonly [undone: string, problem: string]>> = {
    'a skill that does not exist': [
      undo.replace('release_it', 'relase_it'),
      "E806 'relase_it' is not a skill of this plugin that writes (did you mean 'release_it'?)",
    ],
    'a skill that reads': [undo.replace('release_it', 'read_state'), "E806 'read_state' is not a skill"],
    'an input of another type': [undo.replace('output.id', 'input.name'), 'E805'],
    'an unknown input': [undo.replace('id:', 'di:'), 'E805'],
    'no input': ['{ skill: release_it }', "E105 'release_it' needs `input` (write input: { id: "],
  }
  for (const [what, [undone, problem]] of Object.entries(wrong))
    it(`is refused: ${what}`, () => {
      expect(saidOf(source(undone)).join('\n')).to.include(problem)
    })
})
