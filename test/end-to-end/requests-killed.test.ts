import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { SqliteConnection } from '../../server/sqlite/database/connection.ts'
import { killCommands } from '../support/server/run-tocsin.ts'
import { startServer, type RunningServer } from '../support/server/start-server.ts'
import { eventually } from '../support/eventually.ts'
import { makeTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts'

const playbooks = {
  asking: `apiVersion: tocsin/v1
name: asking
on: { manual: true }
steps: [{ id: q, checkpoint: { via: operator, with: { message: x }, answers: [yes, no], timeout: 1h } }]
`,
  failing: `apiVersion: tocsin/v1
name: failing
on: { alert: { type: failing } }
steps: [{ fail: no }]
`,
}

/**
 * Requests that are repeated after the process was killed between the commit of the change and its answer.
 */
describe('a request whose process was killed before the response', function () {
  this.timeout(60_000)
  let folder: TemporaryFolder
  let server: RunningServer

  before(async () => {
    folder = await makeTemporaryFolder()
    await mkdir(join(folder.path, 'playbooks'))
    for (const [name, source] of Object.entries(playbooks))
      await writeFile(join(folder.path, `playbooks/${name}.yaml`), source)
    server = await startServer({ cwd: folder.path, dataDir: 'data' })
  })
  after(async () => {
    await killCommands()
    await folder?.remove()
  })

  const post = (path: string, key: string, body?: object) =>
    server.call(path, { method: 'POST', headers: { 'idempotency-key': key }, ...(body && { body }) })
  const total = async (path: string) => (await server.call(path)).body.total as number

  /** The state on disk between the commit of the first write and that of the answer. */
  async function killWithoutAnswers(): Promise<void> {
    await server.stop('SIGKILL')
    const database = new SqliteConnection(join(folder.path, 'data/tocsin.db'))
    expect(database.run('UPDATE once_requests SET answer = NULL')).to.be.above(0)
    database.close()
    const { adminKey } = server
    server = await startServer({ cwd: folder.path, dataDir: 'data', adminKey })
  }

  async function failedAlert(): Promise<string> {
    const body = {
      alert_provider: 'custom',
      organization_code: 'main',
      alert_type: 'failing',
      alert_content: 'x',
    }
    return (await server.call('/alerts', { body, headers: { prefer: 'wait=30' } })).body.alert_id as string
  }
  const runOf = async (alert: string) =>
    (await server.call(`/runs?alert=${alert}`)).body.data[0].run_uuid as string

  it('returns what it created if repeated, and creates nothing more', async () => {
    const [one, other] = [await failedAlert(), await failedAlert()]
    const { case_id: caseId } = (await server.call(`/alerts/${one}`)).body
    const asked = async () => {
      const { body } = await server.call('/playbooks/asking/runs', { body: { organization_code: 'main' } })
      return await eventually('the question', async () => {
        const { data } = (await server.call(`/checkpoints?run=${body.run_uuid}`)).body
        return data[0] as { checkpoint_id: string; run_uuid: string } | undefined
      })
    }
    const [question, left] = [await asked(), await asked()]
    const requests = [
      [`/runs/${await runOf(one)}/retry`, {}],
      [`/alerts/${other}/investigate`, undefined],
      ['/playbooks/asking/runs', { organization_code: 'main' }],
      [`/runs/${left.run_uuid}/cancel`, undefined],
      [`/cases/${caseId}/notes`, { text: 'seen' }],
      [`/checkpoints/${question.checkpoint_id}/answer`, { answer: 'yes' }],
      ['/organizations', { code: 'north', name: 'North' }],
      ['/providers', { code: 'siem2', name: 'SIEM' }],
      ['/keys', { name: 'k', role: 'reader', organization_codes: ['main'] }],
      [
        '/connections',
        {
          organization_code: 'main',
          name: 'Box',
          plugin: 'http',
          settings: { base_url: 'https://box.example', header_value: 'Bearer canary' },
        },
      ],
    ] as const
    const first = []
    for (const [path, body] of requests) first.push(await post(path, `of-${path}`, body))
    for (const { status, body } of first) expect(status, JSON.stringify(body)).to.be.oneOf([200, 201])
    await killWithoutAnswers()
    const runs = await total('/runs')
    const keys = await total('/keys')
    const notes = await total(`/cases/${caseId}/timeline`)
    for (const [index, [path, body]] of requests.entries())
      for (const attempt of ['made again', 'kept']) {
        const again = await post(path, `of-${path}`, body)
        const before = first[index]!
        expect(again.status, `${path}: ${JSON.stringify(again.body)}`).to.equal(before.status)
        expect(again.headers.get('idempotency-replayed'), `${path} ${attempt}`).to.equal('true')
        for (const name of ['location', 'etag'])
          expect(again.headers.get(name), `${path} ${name}`).to.equal(before.headers.get(name))
        for (const name of ['run_uuid', 'text', 'at', 'outcome', 'code', 'key_uuid', 'settings'])
          expect(again.body[name], `${path} ${name}`).to.deep.equal(before.body[name])
        if (path === '/keys') expect([typeof before.body.key, again.body.key]).to.deep.equal(['string', null])
      }
    expect(await total('/runs'), 'runs').to.equal(runs)
    expect(await total('/keys'), 'keys').to.equal(keys)
    expect(await total(`/cases/${caseId}/timeline`), 'entries').to.be.within(notes, notes + 1)
  })

  it('reports a lost response, and returns the result if repeated', async () => {
    const run = await runOf(await failedAlert())
    const body = { runs: [run] }
    const first = await post('/runs/retry', 'many', body)
    expect(first.status, JSON.stringify(first.body)).to.equal(200)
    await killWithoutAnswers()
    const again = await post('/runs/retry', 'many', body)
    expect([again.status, again.body.code]).to.deep.equal([409, 'request_interrupted'])
    const runs = await total('/runs')
    const other = await post('/runs/retry', 'another', body)
    expect(other.body.data[0]).to.nested.include({ retry_uuid: null, 'error.code': 'run_superseded' })
    expect(await total('/runs')).to.equal(runs)
  })

  it('stores an alert once and returns it', async () => {
    const body = { alert_provider: 'custom', organization_code: 'main', alert_content: 'once' }
    const first = await post('/alerts', 'an-alert', body)
    await server.stop('SIGKILL')
    const { adminKey } = server
    server = await startServer({ cwd: folder.path, dataDir: 'data', adminKey })
    const again = await post('/alerts', 'an-alert', body)
    expect(again.headers.get('idempotency-replayed')).to.equal('true')
    expect(again.body.alert_uuid).to.equal(first.body.alert_uuid)
  })
})
