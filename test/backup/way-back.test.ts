import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { runTocsin } from '../support/server/run-tocsin.ts'
import { makeTestTocsin, type TestTocsin } from '../support/server/test-tocsin.ts'
import { eventually } from '../support/eventually.ts'

const run = promisify(execFile)

describe('recovery after tocsin restore', function () {
  this.timeout(60_000)
  let house: TestTocsin
  let printed: string

  const tocsin = (...args: string[]) =>
    runTocsin(args, {
      cwd: house.folder,
      env: { TOCSIN_DATA_DIR: 'data', TOCSIN_PLAYBOOKS_DIR: 'playbooks' },
    })
  /** Follows the printed and documented instructions as a user would. */
  async function type(command: string) {
    const { url, adminKey } = house.server
    const env = { ...process.env, TOCSIN_URL: url, TOCSIN_KEY: adminKey }
    return JSON.parse((await run('sh', ['-c', command], { env })).stdout)
  }
  const commandsIn = (text: string) =>
    [...text.matchAll(/^ *(curl .*runs\/retry.*)$/gm)].map(([, command]) => command ?? '')
  const statuses = async () => (await house.server.call('/runs?limit=50')).body.data

  /** Two runs that wait for a person and two queued runs at the time of the backup. */
  before(async function () {
    if (!(await run('curl', ['--version']).catch(() => undefined))) return this.skip()
    house = await makeTestTocsin()
    for (const name of ['ask', 'ask-too'])
      await house.addPlaybook(
        name,
        '  - { id: q, checkpoint: { via: operator, with: { message: x }, answers: [yes, no], timeout: 30m } }',
      )
    await house.addPlaybook('note', '  - set: { done: true }')
    const server = await house.start()
    await house.post('ask')
    await house.post('ask-too')
    await eventually(
      'two questions',
      async () => (await server.call('/checkpoints')).body.data.length === 2 || undefined,
    )
    await server.call('/engine/pause', { body: { reason: 'x' } })
    for (let n = 0; n < 2; n++) expect((await house.post('note')).status).to.equal(201)
    await eventually(
      'two runs in line',
      async () =>
        (await statuses()).filter(({ status }: any) => status === 'queued').length === 2 || undefined,
    )
    expect((await tocsin('backup', 'backup.db')).code).to.equal(0)
    await server.stop()
    const restored = await tocsin('restore', 'backup.db', '--replace')
    expect(restored).to.include({ code: 0, stderr: '' })
    printed = restored.stdout
    await house.start()
    await house.server.call('/engine/resume', { method: 'POST' })
  })
  after(() => house?.close())

  it('reports the number of runs not begun, which then start, so that acknowledged alerts are investigated', async () => {
    expect(printed).to.contain('2 runs had not started at the backup: queued')
    const notes = await eventually('their ends', async () => {
      const runs = (await statuses()).filter(({ playbook }: any) => playbook === 'note')
      return runs.every(({ status }: any) => status === 'completed') ? runs : undefined
    })
    expect(notes).to.have.length(2)
  })

  it('reports the number of interrupted runs and prints commands that show and retry them', async () => {
    expect(printed).to.contain('2 runs active at the backup: ended with run_restored')
    const [preview, retry] = commandsIn(printed)
    const shown = await type(preview ?? '')
    expect(shown.data.map(({ playbook }: any) => playbook)).to.have.members(['ask', 'ask-too'])
    const retried = await type(retry ?? '')
    expect(retried.left).to.equal(0)
    expect(retried.data.map(({ error }: any) => error)).to.deep.equal([null, null])
    await eventually(
      'the questions, asked again',
      async () => (await house.server.call('/checkpoints')).body.data.length === 2 || undefined,
    )
    expect((await type(retry ?? '')).data, 'nothing is left').to.deep.equal([])
  })

  it('is documented with the same commands', async () => {
    const guide = await readFile(join(import.meta.dirname, '../../docs/backup.md'), 'utf8')
    const section = /^## Restore$[^]*?^## /m.exec(guide)?.[0] ?? ''
    expect(commandsIn(section)).to.deep.equal(commandsIn(printed))
  })
})
