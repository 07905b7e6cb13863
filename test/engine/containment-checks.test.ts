import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import {
  createContainmentChecks,
  type ContainmentChecks,
} from '../../core/destructive/checks/containment-checks.ts'
import { settleMs } from '../../core/destructive/checks/containment-state.ts'
import type { SkillCaller } from '../../core/engine/skills/skill-caller.ts'
import { defineConnection, definePlugin, defineSkill, Secret } from '../../core/plugin/index.ts'
import { loopbackEgress } from '../../core/plugin/testing/index.ts'
import { buildCatalogue } from '../../core/registry/catalogue.ts'
import { createSkillCaller } from '../../core/skill/call/caller.ts'
import { createPerformTask } from '../../core/skill/call/perform-task.ts'
import { storedConnection } from '../skill/fixture.ts'
import { openStoresIn, openTemporaryStores, type TemporaryStores } from '../support/stores.ts'
import { somebody } from '../support/somebody.ts'
import { ManualClock } from './support/manual-clock.ts'

const periodMs = 900_000
const secret = 'host-key-4711-canary'

const connection = defineConnection({
  title: 'EDR',
  description: 'An EDR.',
  settings: {
    type: 'object',
    required: ['base_url', 'key'],
    properties: { base_url: { type: 'string' }, key: { type: 'string', 'x-secret': true } },
  },
  baseUrl: (settings) => settings.base_url,
  headers: (settings) => ({ 'X-Key': settings.key.reveal() }),
  authenticate: async ({ http }) => void (await http.get('/me')),
})

const host = { type: 'object', required: ['host'], properties: { host: { type: 'string' } } } as const
const shape = { title: 'T', description: 'D.', connection, examples: [] }
const plugin = definePlugin({
  name: 'box',
  title: 'EDR',
  description: 'An EDR.',
  connection,
  skills: [
    defineSkill({
      ...shape,
      name: 'isolate',
      effect: 'write',
      repeat: 'safe',
      destructive: 'containment',
      undoneBy: { skill: 'release', input: ({ host }) => ({ host }) },
      stateBy: {
        skill: 'get',
        input: ({ host }) => ({ host }),
        contained: (state) => (state as { status: string }).status === 'isolated',
        released: (state) => (state as { status: string }).status === 'online',
      },
      input: host,
      output: { type: 'object' },
      run: async () => ({}),
    }),
    defineSkill({
      ...shape,
      name: 'release',
      effect: 'write',
      repeat: 'safe',
      destructive: 'containment',
      restores: true,
      input: host,
      output: { type: 'object' },
      run: async () => ({}),
    }),
    defineSkill({
      ...shape,
      name: 'get',
      effect: 'read',
      input: host,
      output: { type: 'object', required: ['status'], properties: { status: { type: 'string' } } },
      run: async ({ host }, { http }) => (await http.get(['hosts', host])).json() as { status: string },
    }),
  ],
})
const catalogue = buildCatalogue([plugin])

type Answer = (response: ServerResponse, request: IncomingMessage) => void

/** An EDR whose answers a test chooses. */
class Emulator {
  readonly asked: string[] = []
  /** Requests without an answer. */
  open = 0
  answer: Answer = () => undefined
  readonly #server: Server = createServer((request, response) => {
    this.asked.push(request.url ?? '')
    this.open++
    response.once('close', () => this.open--)
    this.answer(response, request)
  })

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve))
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  says(status: string): void {
    this.answer = (response) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ status }))
  }

  close(): void {
    this.#server.closeAllConnections()
    this.#server.close()
  }
}

describe('the checks of containments', () => {
  const emulator = new Emulator()
  let clock: ManualClock
  let temporary: TemporaryStores
  let organizationUuid: string
  let url: string
  let checks: ContainmentChecks | undefined
  let isPaused = false
  let logged: string[]
  let stores: TemporaryStores['stores']

  before(async () => void (url = await emulator.listen()))
  after(() => emulator.close())

  beforeEach(async () => {
    clock = new ManualClock()
    temporary = await openTemporaryStores({ clock })
    stores = temporary.stores
    isPaused = false
    logged = []
    emulator.asked.length = 0
    emulator.says('isolated')
    organizationUuid = (await stores.organizations.create({ code: 'ACME', name: 'Acme' }, somebody())).uuid
  })
  afterEach(async () => {
    await checks?.stop()
    await stores.close()
    await temporary.folder.remove()
  })

  const callSkill = (): SkillCaller => {
    const stored = storedConnection('EDR', { organizationUuid, settings: { base_url: url } })
    const connections = {
      list: async () => [stored],
      open: async () => ({ connection: stored, secrets: { key: new Secret('k-0123') } }),
    }
    const note = (fields: object, message: string) => void logged.push(JSON.stringify({ ...fields, message }))
    return createSkillCaller({
      catalogue,
      stores: { connections, cases: stores.cases },
      performTask: createPerformTask({ catalogue, egress: loopbackEgress, clock }),
      log: { debug: note, info: note, warn: note, error: note },
    })
  }

  function start(): void {
    const note = (fields: object, message: string) => void logged.push(JSON.stringify({ ...fields, message }))
    const log = { debug: note, info: note, warn: note, error: note }
    checks = createContainmentChecks({
      stores,
      catalogue,
      callSkill: callSkill(),
      isPaused: () => isPaused,
      periodMs,
      clock,
      log,
    })
    checks.start()
  }

  async function isolated(machine: string, sensitive?: object) {
    const { uuid } = await stores.runs.queue({
      organizationUuid,
      playbookName: 'contain',
      playbookHash: 'a'.repeat(64),
      alertUuid: null,
    })
    await stores.runs.start(uuid, { title: 'Contain' })
    const input = { host: machine }
    const begun = { path: 'a', stepId: 'a', kind: 'box.isolate', input, startedAt: clock.now(), attempt: 1 }
    await stores.journal.begin(uuid, {
      ...begun,
      destructive: { class: 'containment', input: {} },
      ...(sensitive && { sensitive }),
    })
    const end = { state: 'completed', output: {}, error: null, attempt: 1, endedAt: clock.now() } as const
    const contains = { skill: 'box.release', input, call: { input, output: {} } }
    await stores.journal.end(uuid, 'a', { ...end, call: { connection: 'EDR', contains } })
  }

  const all = async () => (await stores.containments.list('all', { limit: 50 }, {})).data
  const newest = async () => (await all())[0]!

  /** Passes time, and waits for the answers of the emulator that come meanwhile. */
  async function pass(ms: number): Promise<void> {
    const checkedAt = async () => String((await all()).map(({ stateCheckedAt }) => stateCheckedAt))
    let before = await checkedAt()
    for (let left = ms; left > 0; left -= 10_000) {
      const asked = emulator.asked.length
      await clock.advance(Math.min(left, 10_000))
      if (emulator.asked.length === asked) continue
      for (let tries = 0; tries < 200; tries++) {
        if (emulator.open === 0 && (await checkedAt()) !== before) break
        await new Promise((resolve) => setTimeout(resolve, 5))
      }
      before = await checkedAt()
    }
  }

  it('notice that somebody released the machine in the other system', async () => {
    start()
    await isolated('ws-1')
    await pass(settleMs + 10_000)
    expect(await newest()).to.include({ state: 'active', stateSeen: 'contained' })
    emulator.says('online')
    await pass(periodMs + 20_000)
    expect(await newest()).to.include({ state: 'active', stateSeen: 'released' })
    await pass(settleMs + 20_000)
    expect(await newest()).to.include({ state: 'undone', endedBy: 'outside', undoRunUuid: null })
    const asked = emulator.asked.length
    await pass(3 * periodMs)
    expect(emulator.asked, 'once it ended').to.have.length(asked)
  })

  it('do not believe one old answer, or an action that was only accepted', async () => {
    start()
    await isolated('ws-1')
    emulator.says('online')
    await pass(3 * periodMs)
    expect(await newest(), 'accepted, and never seen').to.include({ state: 'active', stateSeen: 'released' })
    emulator.says('isolated')
    await pass(periodMs + 20_000)
    const asked = emulator.asked.length
    emulator.answer = (response) => {
      response.writeHead(200).end('{"status":"online"}')
      emulator.says('isolated')
    }
    await pass(2 * periodMs)
    expect(emulator.asked.length - asked).to.be.within(2, 4)
    expect(await newest()).to.include({ state: 'active', stateSeen: 'contained' })
  })

  const bad: Readonly<Record<string, readonly [answer: Answer, code: string]>> = {
    'an error page': [
      (response) => response.writeHead(500, { 'content-type': 'text/html' }).end('<html>Oops</html>'),
      'http_500',
    ],
    'a page instead of JSON': [
      (response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<html>Sign in</html>'),
      'bad_response',
    ],
    'an answer of another form': [
      (response) => response.writeHead(200).end('{"status":7}'),
      'contract_violation',
    ],
    'a rate limit': [(response) => response.writeHead(429, { 'retry-after': '600' }).end(), 'http_429'],
    'wrong credentials': [(response) => response.writeHead(401).end('{}'), 'http_401'],
    'a closed socket': [(response) => response.destroy(), 'network_error'],
  }
  for (const [what, [answer, code]] of Object.entries(bad))
    it(`conclude nothing from ${what}, and show it`, async () => {
      start()
      await isolated('ws-1')
      await pass(settleMs + 10_000)
      const { changedAt } = await newest()
      emulator.answer = answer
      const before = emulator.asked.length
      await pass(2 * periodMs + 30_000)
      const one = await newest()
      expect(one).to.include({ state: 'active', changedAt, stateSeen: 'contained' })
      expect(one.stateError?.code).to.equal(code)
      expect(emulator.asked.length - before, 'requests').to.be.within(1, 3)
      const lines = logged.filter((line) => line.includes('could not read whether'))
      expect(lines, 'logged once').to.have.length(1)
      emulator.says('isolated')
      await pass(periodMs + 120_000)
      expect((await newest()).stateError).to.equal(null)
    })

  it('leave a system that fails alone for a minute, also with many containments', async () => {
    start()
    for (let n = 0; n < 30; n++) await isolated(`ws-${n}`)
    emulator.answer = (response) => response.writeHead(503).end()
    await pass(settleMs + 5 * 60_000)
    expect(emulator.asked.length).to.be.within(2, 7)
  })

  it('ask a system at most once a second, and continue with the others after a restart', async () => {
    start()
    for (let n = 0; n < 30; n++) await isolated(`ws-${n}`)
    await pass(settleMs + 20_000)
    const asked = emulator.asked.length
    expect(asked).to.be.within(1, 20)
    await checks?.stop()
    await stores.close()
    stores = await openStoresIn(temporary.folder.path, { clock })
    start()
    await pass(120_000)
    expect(emulator.asked).to.have.length(30)
    expect(new Set(emulator.asked).size).to.equal(30)
  })

  it('pause with the runs', async () => {
    isPaused = true
    start()
    await isolated('ws-1')
    await pass(periodMs)
    expect(emulator.asked).to.deep.equal([])
    isPaused = false
    await pass(20_000)
    expect(emulator.asked).to.have.length(1)
  })

  it('leave no trace of sensitive values in errors, lists and the log', async () => {
    start()
    await isolated(secret, { input: true })
    emulator.answer = (response) => response.writeHead(404).end(JSON.stringify({ message: `no ${secret}` }))
    await pass(settleMs + 20_000)
    const one = await newest()
    expect(emulator.asked).to.deep.equal([`/hosts/${secret}`])
    expect(one.stateError?.message).to.include('[redacted]')
    expect(JSON.stringify(one)).to.not.include(secret)
    expect(logged.join('\n')).to.include('could not read whether').and.to.not.include(secret)
  })
})
