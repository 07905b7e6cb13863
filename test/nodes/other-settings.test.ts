import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import { examine } from '../../server/doctor/examine.ts'
import { eventually } from '../support/eventually.ts'
import { createDatabase, describePostgres, type TestDatabase } from '../support/postgres.ts'
import { startServer, type RunningServer } from '../support/server/start-server.ts'
import { makeTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts'

describePostgres('nodes with other settings', () => {
  let folder: TemporaryFolder
  let database: TestDatabase
  let nodes: RunningServer[]
  let hosts: string[]
  const masterKey = randomBytes(32).toString('base64')
  const environment = (name: string, more: Readonly<Record<string, string>> = {}) => ({
    TOCSIN_STORE: database.address,
    TOCSIN_MASTER_KEY: masterKey,
    TOCSIN_DATA_DIR: join(folder.path, name),
    TOCSIN_PLAYBOOKS_DIR: join(folder.path, 'playbooks'),
    TOCSIN_PORT: '0',
    TOCSIN_GROUP_MINUTES: '60',
    TOCSIN_LOG_LEVEL: 'warn',
    ...more,
  })
  async function start(name: string, more?: Readonly<Record<string, string>>): Promise<void> {
    const [first] = nodes
    const options = { cwd: folder.path, dataDir: join(folder.path, name), env: environment(name, more) }
    const node = await startServer({ ...options, ...(first && { adminKey: first.adminKey }) })
    node.command.process.stderr.on('data', (text: string) =>
      warned.set(node, `${warned.get(node) ?? ''}${text}`),
    )
    nodes.push(node)
  }
  /** The log of each node. */
  const warned = new Map<RunningServer, string>()
  const hasWarned = (node: RunningServer) =>
    eventually('its warning', () => warned.get(node)?.includes('has other settings') || undefined)
  const exported = () => ({ TOCSIN_AUDIT_EXPORT: `file:${join(folder.path, 'audit.jsonl')}` })
  const settingsFound = async (more?: Readonly<Record<string, string>>) => {
    const findings = await examine(environment('command', more), { online: false })
    return findings.filter(({ check }) => check === 'settings')
  }

  before(async () => {
    folder = await makeTemporaryFolder()
    database = await createDatabase()
    nodes = []
    await mkdir(join(folder.path, 'command'), { mode: 0o700 })
    await mkdir(join(folder.path, 'playbooks'))
    await start('a', exported())
    await start('b', { TOCSIN_KEEP_ALERTS_DAYS: '7', TOCSIN_APPROVALS: '1' })
  })
  after(async () => {
    for (const node of nodes) await node.stop('SIGKILL')
    await database.drop()
    await folder.remove()
  })

  /** Of the second node, then of the first. */
  const logs: string[] = []
  const differing = ['TOCSIN_APPROVALS', 'TOCSIN_KEEP_ALERTS_DAYS', 'TOCSIN_AUDIT_EXPORT']

  it('are named in the list of nodes', async () => {
    const listed = await eventually('the differences', async () => {
      const { body } = await nodes[0]!.call('/nodes')
      return body.data.some((one: any) => one.other_settings.length > 0) ? body.data : undefined
    })
    expect(listed.map((one: any) => one.other_settings)).to.deep.equal([[], differing])
    hosts = listed.map((one: any) => one.name)
  })

  it('do not end the export of the audit log to a destination of another node', async () => {
    const { body } = await nodes[1]!.call('/audit?limit=200')
    const actions = body.data.map(({ action }: { action: string }) => action)
    expect(actions).to.include('audit.export_started').and.not.include('audit.export_stopped')
  })

  it('are found by tocsin doctor, which compares its environment with each', async () => {
    const found = await settingsFound({ TOCSIN_APPROVALS: '1', ...exported() })
    expect(found.map(({ status, message }) => [status, message.replace(/node \S+/, 'node')])).to.deep.equal([
      ['warning', 'the node differs in TOCSIN_APPROVALS'],
      ['warning', 'the node differs in TOCSIN_KEEP_ALERTS_DAYS, TOCSIN_AUDIT_EXPORT'],
    ])
    await Promise.all(nodes.map(hasWarned))
    logs.push((await nodes.pop()!.stop()).stderr)
    expect(await settingsFound(exported())).to.deep.equal([
      { check: 'settings', status: 'ok', message: 'the same as those of 1 running node' },
    ])
  })

  it('warn of each other in their logs, once', async () => {
    logs.push((await nodes.pop()!.stop()).stderr)
    const warned = logs.map((log) => log.split('\n').filter((line) => line.includes('has other settings')))
    for (const [index, lines] of warned.entries()) {
      expect(lines).to.have.length(1)
      const { level, host, reason } = JSON.parse(lines[0]!)
      expect({ level, host, reason }).to.deep.equal({
        level: 'warn',
        host: hosts[index],
        reason: differing.join(', '),
      })
    }
  })
})
