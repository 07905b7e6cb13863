import { expect } from 'chai'
import { startApi, type Api } from './support/api.ts'
import { readEvents } from './support/event-reader.ts'
import { manualPlaybook } from './support/things.ts'

interface ShownStep {
  readonly path: string
  readonly input: unknown
  readonly output: unknown
}

describe('a run too large for one response', () => {
  let api: Api
  let uuid: string

  beforeEach(async () => {
    api = await startApi()
    api.playbooks.push(manualPlaybook)
    const { name: playbookName, hash: playbookHash } = manualPlaybook
    const organizationUuid = api.organizations['acme'] ?? ''
    const given = { organizationUuid, playbookName, playbookHash, alertUuid: null, inputs: {} }
    uuid = (await api.stores.runs.queue(given)).uuid
    await api.stores.runs.start(uuid, { title: 'A case' })
  })
  afterEach(() => api.close())

  const begun = (path: string, kind = 'set', input: unknown = null) => ({
    path,
    stepId: path,
    kind,
    input,
    attempt: 1,
    startedAt: 1,
  })
  const ended = (output: unknown) =>
    ({ state: 'completed', output, error: null, attempt: 1, endedAt: 2 }) as const
  const record = (path: string, output: unknown, kind?: string, input?: unknown) =>
    api.stores.journal.record(uuid, begun(path, kind, input), ended(output))
  const read = async () => {
    const reply = await api.call('GET', `/api/runs/${uuid}`)
    expect(reply.status).to.equal(200)
    return reply.json as { readonly steps: readonly ShownStep[]; readonly steps_total: number }
  }

  it('shows its first, newest and undecided steps and the total count', async () => {
    const paths = Array.from({ length: 5_300 }, (_, index) => `s${index}`)
    await Promise.all(
      paths.map((path) =>
        path === 's4100' ? api.stores.journal.begin(uuid, begun(path)) : record(path, null),
      ),
    )
    await api.stores.journal.park(uuid, 's4100')
    const { steps, steps_total: total } = await read()
    expect(total).to.equal(5_300)
    expect(steps.map(({ path }) => path)).to.deep.equal([
      ...paths.slice(0, 4_000),
      's4100',
      ...paths.slice(4_300),
    ])
  })

  it('leaves out the oldest inputs and outputs that do not fit', async () => {
    const large = 'x'.repeat(3_000_000)
    await record('sensitive', { keeper: 'hunchback', large }, 'tower.look_up', { kind: 'ip', value: 'x' })
    await record('huge', large + large + large)
    await record('small', 'the bell rang')
    await record('a', large)
    await record('b', large)
    const { steps, steps_total: total } = await read()
    expect(total).to.equal(5)
    const leftOut = { input: '[left out]', output: '[left out]' }
    expect(steps.map(({ path, input, output }) => ({ path, input, output }))).to.deep.equal([
      { path: 'sensitive', ...leftOut },
      { path: 'huge', ...leftOut },
      { path: 'small', input: null, output: 'the bell rang' },
      { path: 'a', input: null, output: large },
      { path: 'b', input: null, output: large },
    ])
  })

  it('gives the size of an output that does not fit and its events contain', async () => {
    const output = { all: 'x'.repeat(3_000_000) }
    await api.stores.runs.end(uuid, { status: 'completed', output, error: null })
    expect(await read())
      .to.have.property('output')
      .that.matches(/^\[left out: 3000010 characters of JSON.*GET runs\/\{run\}\/events/)
    const reader = await readEvents(`${api.url}/api/runs/${uuid}/events`, {
      cookie: `Session=${api.adminKey}`,
    })
    await reader.over()
    expect(reader.events[0]?.data.output).to.deep.equal(output)
  })

  it('returns all of its steps in pages, complete and without sensitive values', async () => {
    const large = 'x'.repeat(3_000_000)
    await record('sensitive', { keeper: 'hunchback' }, 'tower.look_up', { kind: 'ip', value: 'x' })
    await record('a', large)
    await record('b', large)
    const page = async (query = '') => {
      const reply = await api.call('GET', `/api/runs/${uuid}/steps${query}`)
      expect(reply.status, reply.text.slice(0, 300)).to.equal(200)
      return reply.json as { data: ShownStep[]; next_cursor: string | null; total: number }
    }
    const first = await page()
    expect(first.data.map(({ path }) => path)).to.deep.equal(['sensitive', 'a'])
    expect(first.data.map(({ output }) => output)).to.deep.equal([{ keeper: '[redacted]' }, large])
    const last = await page(`?cursor=${first.next_cursor}`)
    expect(last.data.map(({ path, output }) => [path, output])).to.deep.equal([['b', large]])
    expect([first.total, last.next_cursor]).to.deep.equal([3, null])
  })
})
