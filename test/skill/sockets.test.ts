import { PassThrough, type Duplex } from 'node:stream'
import { expect } from 'chai'
import {
  defineConnection,
  Secret,
  SkillError,
  type AnySkill,
  type SkillContext,
} from '../../core/plugin/index.ts'
import { checkConnection, runSkill } from '../../core/plugin/testing/index.ts'
import type { Egress, SocketRequest } from '../../core/ports/egress.ts'
import { buildCatalogue } from '../../core/registry/catalogue.ts'
import { createPerformTask } from '../../core/skill/call/perform-task.ts'
import { systemClock } from '../../server/clock.ts'
import { canary, connection as box, failure, skillThat, storedConnection } from './fixture.ts'

const connection = defineConnection({
  ...box,
  sockets: ({ base_url }) => ({
    imap: { host: new URL(base_url).hostname, port: 993 },
    smtp: { host: 'out.example.com', port: 587, tls: 'starttls_smtp' },
  }),
  rate: ({ method, path }) => ({
    bucket: `${method} ${path}`,
    limits: path === '/smtp' ? [{ requests: 1, perMs: 3_600_000 }] : [],
  }),
  authenticate: async ({ sockets }) => void (await sockets.open('imap')),
})
const settings = { base_url: 'https://box.example.com/v1', key: canary }

/** Records opened sockets. */
function egressOf() {
  const opened: SocketRequest[] = []
  const streams: Duplex[] = []
  const egress: Egress = {
    send: async () => ({ status: 200, headers: {}, body: '{}' }),
    async connect(request) {
      opened.push(request)
      const stream = new PassThrough()
      streams.push(stream)
      return stream
    },
  }
  return { egress, opened, streams }
}

const act = (run: (input: never, context: SkillContext<never>) => unknown, more: object = {}): AnySkill =>
  skillThat(run, { connection, ...more })

describe('sockets of a skill', () => {
  it('leads to the addresses of the connection, with its owner and network settings', async () => {
    const { egress, opened } = egressOf()
    const proxy = 'http://proxy.internal:3128'
    const skill = act(async (_input, { sockets }) => {
      await sockets.open('imap', 1_000)
      await sockets.open('smtp')
      return { text: '' }
    })
    await runSkill(skill, {}, { settings: { ...settings, network_proxy: proxy }, egress })
    const own = { plugin: 'test', organizationUuid: 'test-organization' }
    const [imap, smtp] = opened
    expect(imap).to.include({ ...own, host: 'box.example.com', port: 993, tls: 'immediate', maxBytes: 1_000 })
    expect(smtp).to.include({ ...own, host: 'out.example.com', port: 587, tls: 'starttls_smtp' })
    expect(imap?.network).to.include({ proxy: `${proxy}/` })
  })

  it('opens nothing that the connection does not declare, and nothing without a connection', async () => {
    const { egress, opened } = egressOf()
    const skill = act((_input, { sockets }) => sockets.open('pop3'))
    expect((await failure(runSkill(skill, {}, { settings, egress }))).message).to.include("no socket 'pop3'")
    const without = skillThat((_input, { sockets }) => sockets.open('imap'), { connection: undefined })
    expect((await failure(runSkill(without, {}, { egress }))).message).to.include("no socket 'imap'")
    expect(opened).to.deep.equal([])
  })

  it('gives a hint if no socket can be opened', async () => {
    const skill = act((_input, { sockets }) => sockets.open('imap'))
    const error = await failure(runSkill(skill, {}, { settings, replies: [] }))
    expect(error).to.include({ code: 'egress_forbidden', hint: 'mock the skill in tests' })
  })

  it('has a rate of its own', async () => {
    const { egress, opened } = egressOf()
    const skill = act(async (_input, { sockets }) => {
      await sockets.open('smtp')
      await sockets.open('imap')
      await sockets.open('smtp')
    })
    const error = await failure(runSkill(skill, {}, { settings, egress }))
    expect(error).to.include({ code: 'rate_limited' })
    expect(opened).to.have.length(2)
  })

  it('closes them when the call or the test of the connection is over', async () => {
    const { egress, streams } = egressOf()
    const skill = act(async (_input, { sockets }) => {
      await sockets.open('imap')
      throw new SkillError('no', 'no')
    })
    await failure(runSkill(skill, {}, { settings, egress }))
    await checkConnection(connection, { settings, egress })
    expect(streams.map(({ destroyed }) => destroyed)).to.deep.equal([true, true])
  })

  it('reports whether a write may have happened, also after HTTP requests', async () => {
    const { egress } = egressOf()
    const known: unknown[] = []
    const skill = act(
      async (_input, { sockets, http }) => {
        await sockets.open('imap')
        known.push('opened')
        sockets.beforeChange()
        known.push('sent')
        await http.get('/x')
        await sockets.open('imap')
        return { text: '' }
      },
      { effect: 'write', repeat: 'never' },
    )
    const catalogue = buildCatalogue([
      { name: 'box', title: 'Box', description: 'Box.', connection, skills: [skill] },
    ])
    const perform = createPerformTask({ catalogue, egress, clock: systemClock })
    const task = {
      purpose: 'run',
      skill: 'box.act',
      input: {},
      asked: undefined,
      connection: { connection: storedConnection('main'), secrets: { key: new Secret(canary) } },
      run: { id: 'run', organization: 'org' },
      idempotencyKey: 'key',
      deadlineMs: Infinity,
    } as const
    const hooks = {
      signal: AbortSignal.timeout(30_000),
      onSecret: undefined,
      onEffect: (effect: unknown) => known.push(effect),
      cases: {} as never,
      log: { info() {}, warn() {} },
    }
    await perform(task, hooks)
    expect(known.slice(0, 4)).to.deep.equal(['none', 'opened', 'unknown', 'sent'])
    expect(known.slice(4), 'a request must not deny the change before it').to.not.include('none')
  })

  it('changes nothing after the call is over', async () => {
    const { egress } = egressOf()
    const controller = new AbortController()
    let isRefused = false
    const skill = act(
      async (_input, { sockets }) => {
        await sockets.open('imap')
        controller.abort(new Error('over'))
        try {
          sockets.beforeChange()
        } catch {
          isRefused = true
        }
      },
      { effect: 'write', repeat: 'never' },
    )
    await failure(runSkill(skill, {}, { settings, egress, signal: controller.signal }))
    expect(isRefused).to.equal(true)
  })
})
