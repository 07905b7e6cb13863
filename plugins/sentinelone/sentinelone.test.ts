import { expect } from 'chai'
import { loopbackEgress, openDeclaredPlugin, type CannedReply } from 'tocsin/plugin/testing'
import sandbox from './sandbox.ts'

const one = await openDeclaredPlugin(import.meta.dirname, {
  base_url: 'https://example.sentinelone.net',
  api_token: 'a-token-of-the-console',
})

const agentId = '1234567890123456789'
const threatId = '1800000000000000001'
const failing = (status: number, code: number, title: string, detail: unknown = null) => ({
  status,
  json: { errors: [{ code, detail, title }] },
})
const data = (list: unknown, nextCursor: string | null = null): CannedReply => ({
  json: { data: list, pagination: { nextCursor, totalItems: 10_000 } },
})
const affected = (count: number, details?: unknown): CannedReply => ({
  json: { data: { affected: count, details } },
})
const agent = (networkStatus: unknown) => data([{ id: agentId, networkStatus }])
const disconnect = ['disconnect_agent', { agent_id: agentId }] as const
const lookup = ['find_agents', { computer_name: 'PC-1' }] as const

describe('sentinelone', () => {
  describe('reports errors with a hint for the operator', () => {
    const cases: readonly (readonly [string, CannedReply, string, RegExp])[] = [
      [
        'an expired token',
        failing(401, 4_010_010, 'Authentication Failed'),
        'ConnectionError',
        /Authentication Failed; .*expired or was revoked/,
      ],
      [
        'a role that may not act',
        failing(403, 4_030_010, 'Action is not allowed to site users', 'Site'),
        'ConnectionError',
        /not allowed to site users: "Site"; .*SOC, IR Team/,
      ],
      [
        'a bad value',
        failing(400, 4_000_040, 'Validation Error', { limit: 'too big' }),
        'SkillError',
        /Validation Error: \{"limit":"too big"\}/,
      ],
      [
        'an error inside a good answer',
        { json: { data: [], errors: [{ code: 5_000_010, title: 'Partial', detail: null }] } },
        'SkillError',
        /Partial/,
      ],
      [
        'too many requests',
        { status: 429, text: 'Too Many Requests', headers: { 'retry-after': '7' } },
        'RetryableError',
        /token of its own/,
      ],
      [
        'a failing server',
        failing(500, 5_000_010, 'Server could not process the request.'),
        'RetryableError',
        /could not process/,
      ],
      [
        'the page of a gateway',
        { status: 502, text: '<html><title>Bad gateway</title></html>' },
        'RetryableError',
        /Bad gateway/,
      ],
      ['a sign-in page', { text: '<html><title>Login</title></html>' }, 'SkillError', /JSON/],
      [
        'the address of something else',
        { status: 404, text: '<html><title>Not found</title></html>' },
        'SkillError',
        /the console URL is wrong/,
      ],
    ]
    for (const [what, reply, kind, text] of cases)
      it(what, async () => {
        const failure = await one.failureOf(...lookup, { replies: [reply] })
        expect(failure).to.include({ kind })
        expect(failure.text).to.match(text)
      })

    it('a token that sees nothing', async () => {
      const { warning, requests } = await one.check([{ json: { data: [], pagination: { totalItems: 0 } } }])
      expect(warning).to.match(/sees no agents/)
      expect(requests[0]?.headers['authorization']).to.equal('ApiToken a-token-of-the-console')
    })
  })

  describe('find_agents', () => {
    const found = [
      { id: '1', computerName: 'pc-1', networkStatus: 'napping', networkInterfaces: null, newField: 1 },
      { id: '2', computerName: 'PC-1', isDecommissioned: true },
      { id: '3', computerName: null },
    ]

    it('keeps whole names of agents in use, and passes states that it does not know', async () => {
      const { output } = await one.run(...lookup, { replies: [data(found)] })
      expect(output).to.deep.equal({
        agents: [{ agent_id: '1', computer_name: 'pc-1', network_status: 'napping' }],
        complete: true,
      })
    })

    it('keeps whole addresses', async () => {
      const at = (id: string, ...inet: string[]) => ({ id, networkInterfaces: [{ inet }, { inet: null }] })
      const { output } = await one.run(
        'find_agents',
        { ip: '10.0.0.4' },
        { replies: [data([at('1', '10.0.0.42'), at('2', '10.0.0.4')])] },
      )
      expect((output['agents'] as { agent_id: string }[]).map(({ agent_id: id }) => id)).to.deep.equal(['2'])
    })

    it('reads 10,000 agents up to the limit, decodes cursors, and encodes names', async () => {
      const page = (from: number) =>
        data(
          Array.from({ length: 500 }, (_, at) => ({ id: String(from + at) })),
          'YQ%3D%3D',
        )
      const { output, requests } = await one.run(
        'find_agents',
        { limit: 1_000 },
        { replies: [page(0), page(500)] },
      )
      expect((output['agents'] as unknown[]).length).to.equal(1_000)
      expect(output['complete']).to.equal(false)
      expect(new URL(requests[1]!.url).searchParams.get('cursor')).to.equal('YQ==')
      const odd = await one.run('find_agents', { computer_name: 'a&siteIds=1' }, { replies: [data(null)] })
      expect(odd.requests[0]?.path).to.contain('computerName=a%26siteIds%3D1')
    })
  })

  describe('disconnect_agent', () => {
    const state = async (replies: readonly CannedReply[]) =>
      (await one.run(...disconnect, { replies })).output

    it('returns the state that the console shows after queueing the action', async () => {
      const after = (reply: CannedReply) => state([agent('connected'), affected(1), reply])
      expect(await after(agent('disconnecting'))).to.include({
        network_status: 'disconnecting',
        changed: true,
      })
      expect(await after(agent('connected'))).to.include({ network_status: 'connected', changed: true })
      expect(await after(data([]))).to.include({ network_status: 'unknown', changed: true })
    })

    it('leaves a disconnected machine as it is, and acts in a state that it does not know', async () => {
      expect(await state([agent('disconnecting')])).to.include({
        network_status: 'disconnecting',
        changed: false,
      })
      expect(await state([agent(null), affected(1), agent('disconnected')])).to.include({ changed: true })
    })

    it('fails for an unknown agent, and for one that was not affected', async () => {
      const unknown = await one.failureOf(...disconnect, { replies: [data([])] })
      expect(unknown.text).to.match(/the console has no agent with this id/)
      for (const answer of [agent('connected'), data([]), agent(null)])
        expect(
          await one.failureOf(...disconnect, { replies: [agent('connected'), affected(0), answer] }),
        ).to.include({ code: 'operation_failed' })
    })

    it('reads the agent after an interruption', async () => {
      const verify = { purpose: 'verify' as const }
      const { output } = await one.run(...disconnect, { ...verify, replies: [agent('disconnecting')] })
      expect(output).to.include({ network_status: 'disconnecting', changed: true })
      expect((await one.run(...disconnect, { ...verify, replies: [agent('connected')] })).output).to.equal(
        undefined,
      )
      expect(await one.failureOf(...disconnect, { ...verify, replies: [data([])] })).to.include({
        kind: 'SkillError',
      })
    })

    it('names exactly one agent', async () => {
      const { requests } = await one.run(...disconnect, {
        replies: [agent('connected'), affected(1), agent('disconnecting')],
      })
      expect(JSON.parse(requests[1]!.body)).to.deep.equal({ filter: { ids: [agentId] }, data: {} })
      for (const id of ['', '1,2', '*'])
        expect((await one.failureOf('disconnect_agent', { agent_id: id }, { replies: [] })).text).to.match(
          /in digits/,
        )
    })
  })

  it('mitigate_threat recognizes its action after an interruption, under the name that threats have', async () => {
    const call = ['mitigate_threat', { threat_id: threatId, action: 'un-quarantine' }] as const
    const verify = async (mitigationStatus: unknown) =>
      (await one.run(...call, { purpose: 'verify', replies: [data([{ id: threatId, mitigationStatus }])] }))
        .output
    expect(await verify([{ action: 'unquarantine', status: 'sent' }])).to.deep.equal({
      accepted: true,
      skipped: [],
    })
    expect(
      await verify([
        { action: 'unquarantine', status: 'failed' },
        { action: 'quarantine', status: 'success' },
      ]),
    ).to.equal(undefined)
  })

  it('update_threat reports missing permissions', async () => {
    const call = ['update_threat', { threat_id: threatId, incident_status: 'resolved' }] as const
    const { output } = await one.run(...call, {
      replies: [affected(0, [{ threatId, result: 'missing_permissions' }])],
    })
    expect(output).to.deep.equal({ changed: false, result: 'missing_permissions' })
  })

  describe('block_hash', () => {
    const sha1 = 'C'.repeat(40)

    it('blocks in a site or everywhere, in lower case', async () => {
      const sent = async (more: object) => {
        const { requests, output } = await one.run(
          'block_hash',
          { sha1, ...more },
          { replies: [data([{ id: '6', osType: 'linux' }]), data({ id: '7' })] },
        )
        expect(output).to.deep.equal({ block_id: '7', sha1: sha1.toLowerCase(), changed: true })
        return JSON.parse(requests[1]!.body) as { data: { value: string }; filter: object }
      }
      expect((await sent({})).filter).to.deep.equal({ tenant: true })
      expect((await sent({ site_id: '5' })).filter).to.deep.equal({ siteIds: ['5'] })
      expect((await sent({})).data.value).to.equal(sha1.toLowerCase())
    })

    it('explains a hash that is blocked already, and refuses other hashes', async () => {
      const known = await one.failureOf(
        'block_hash',
        { sha1 },
        { replies: [data([]), failing(400, 4_000_030, 'Already Exists Error')] },
      )
      expect(known).to.include({ kind: 'SkillError', effect: 'none' })
      expect(known.text).to.match(/Already Exists Error; .*find_blocked_hashes/)
      expect((await one.failureOf('block_hash', { sha1: 'c'.repeat(64) }, { replies: [] })).text).to.match(
        /must be a SHA-1 hash/,
      )
    })

    it('leaves a block of the same system as it is', async () => {
      const { output, requests } = await one.run(
        'block_hash',
        { sha1 },
        { replies: [data([{ id: '7', osType: 'windows' }])] },
      )
      // A block list entry of a site, below the global scope, would not count.
      expect(requests[0]?.path).to.contain('tenant=true').and.not.contain('includeChildren')
      expect(output).to.deep.equal({ block_id: '7', sha1: sha1.toLowerCase(), changed: false })
    })

    it('looks for the block of the same system after an interruption', async () => {
      const verify = async (osType: string) =>
        (await one.run('block_hash', { sha1 }, { purpose: 'verify', replies: [data([{ id: '7', osType }])] }))
          .output
      expect(await verify('linux')).to.equal(undefined)
      expect(await verify('windows')).to.include({ block_id: '7' })
    })
  })

  it('disconnects and reconnects a machine of its sandbox', async () => {
    const running = await sandbox.start()
    try {
      const call = async (skill: string, input: object) =>
        (await one.run(skill, input, { settings: running.settings, egress: loopbackEgress })).output
      const { agents } = await call('find_agents', { computer_name: 'pc-0042' })
      const [{ agent_id: id }] = agents as [{ agent_id: string }]
      expect(await call('disconnect_agent', { agent_id: id })).to.include({
        network_status: 'disconnecting',
        changed: true,
      })
      expect(await call('get_agent', { agent_id: id })).to.include({
        network_status: 'disconnected',
        disconnected: true,
      })
      expect(await call('disconnect_agent', { agent_id: id })).to.include({
        network_status: 'disconnected',
        changed: false,
      })
      expect(await call('reconnect_agent', { agent_id: id })).to.include({
        network_status: 'connecting',
        changed: true,
      })
      expect(await call('get_agent', { agent_id: id })).to.include({
        network_status: 'connected',
        disconnected: false,
      })
    } finally {
      await running.close()
    }
  })
})
