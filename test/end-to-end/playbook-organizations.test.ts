import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { eventually } from '../support/eventually.ts'
import { killCommands } from '../support/server/run-tocsin.ts'
import { startServer, type RunningServer } from '../support/server/start-server.ts'
import { makeTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts'

const source = (name: string, organization: string | undefined, on: string, steps = '[{ return: 1 }]') =>
  `apiVersion: tocsin/v1\nname: ${name}\n${organization === undefined ? '' : `organization: ${organization}\n`}on: { ${on} }\nsteps: ${steps}\n`
const asking = '{ checkpoint: { via: operator, with: { message: go on }, answers: [go], timeout: 1h } }'

interface RunRow {
  readonly run_uuid: string
  readonly status: string
  readonly organization_code: string
}

describe('playbooks of organizations on a server', function () {
  this.timeout(90_000)
  let folder: TemporaryFolder
  let server: RunningServer
  let acme: string

  const ok = async (...request: Parameters<RunningServer['call']>) => {
    const reply = await server.call(...request)
    expect(reply.status, JSON.stringify(reply.body)).to.be.oneOf([200, 201, 202])
    return reply.body
  }
  const start = async (key?: string) =>
    startServer({ cwd: folder.path, dataDir: 'data', ...(key !== undefined && { adminKey: key }) })
  const put = (name: string, text: string, key = server.adminKey, version = '*') =>
    server.call(`/playbooks/${name}`, {
      method: 'PUT',
      key,
      body: { source: text },
      headers: version === '' ? {} : { 'if-match': version },
    })
  const runsOf = async (playbook: string): Promise<readonly RunRow[]> =>
    (await ok(`/runs?playbook=${playbook}&limit=50`)).data
  const newAlert = async (organization: string, type = 'phishing') =>
    await ok('/alerts', {
      body: {
        alert_provider: 'custom',
        organization_code: organization,
        alert_type: type,
        alert_content: 'x',
      },
    })
  const investigator = (id: string) =>
    eventually('the investigation', async () => {
      const alert = await ok(`/alerts/${id}`)
      return alert.investigation_status === 15 ? (alert.investigator as string) : undefined
    })

  before(async () => {
    folder = await makeTemporaryFolder()
    const playbooks = join(folder.path, 'playbooks')
    await mkdir(playbooks)
    const files = {
      shared: source('shared', undefined, 'alert: { type: phishing }'),
      'acme-any': source('acme-any', 'ACME', 'alert: { where: true }'),
      'acme-closed': source('acme-closed', 'acme', 'case: { event: closed }'),
      'acme-often': source('acme-often', 'acme', 'schedule: "* * * * * *"'),
      'acme-inner': source('acme-inner', 'acme', 'call: true'),
      'acme-asks': source('acme-asks', 'acme', 'manual: true', `[${asking}, { call: acme-inner }]`),
    }
    for (const [name, text] of Object.entries(files)) await writeFile(join(playbooks, `${name}.yaml`), text)
    server = await start()
  })
  after(async () => {
    await killCommands()
    await folder.remove()
  })

  it('wait for their organization, and are loaded when it is created', async () => {
    const list = async () => (await ok('/playbooks?limit=50')).data.map(({ name }: { name: string }) => name)
    expect(await list()).to.deep.equal(['shared'])
    await ok('/organizations', { body: { code: 'acme', name: 'Acme' } })
    expect(await list()).to.have.members([
      'shared',
      'acme-any',
      'acme-closed',
      'acme-often',
      'acme-inner',
      'acme-asks',
    ])
    acme = (await ok('/keys', { body: { name: 'a', role: 'admin', organization_codes: ['acme'] } })).key
  })

  it('investigate before shared ones, in their organization only', async () => {
    expect(await investigator((await newAlert('acme')).alert_id)).to.equal('acme-any')
    expect(await investigator((await newAlert('main')).alert_id)).to.equal('shared')
    expect(await investigator((await newAlert('acme', 'other')).alert_id)).to.equal('acme-any')
    expect(await investigator((await newAlert('main', 'other')).alert_id)).to.equal('investigate-other-main')
  })

  it('start for events and schedules of their organization only', async () => {
    for (const code of ['main', 'acme']) {
      const { alert_id: alert } = await newAlert(code)
      await investigator(alert)
      const { case_id: id } = await ok(`/alerts/${alert}`)
      await ok(`/cases/${id}`, { method: 'PATCH', body: { status: 'closed' } })
    }
    for (const name of ['acme-closed', 'acme-often']) {
      const runs = await eventually(name, async () => {
        const found = await runsOf(name)
        return found.length > 0 ? found : undefined
      })
      expect(new Set(runs.map((run) => run.organization_code))).to.deep.equal(new Set(['acme']))
    }
  })

  it('belong to the same organization after kill -9', async () => {
    const made = await put('acme-new', source('acme-new', 'acme', 'manual: true'), acme, '')
    expect(made.status, JSON.stringify(made.body)).to.equal(200)
    await server.stop('SIGKILL')
    server = await start(server.adminKey)
    expect(await ok('/playbooks/acme-new', { key: acme })).to.include({
      organization_code: 'acme',
      in_force: true,
    })
    const main = (await ok('/keys', { body: { name: 'm', role: 'admin', organization_codes: ['main'] } })).key
    expect((await server.call('/playbooks/acme-new', { key: main })).status).to.equal(404)
  })

  it('keep their waiting runs when they get another owner, but call nothing of it', async () => {
    const startWaiting = async () =>
      (await ok('/playbooks/acme-asks/runs', { body: { organization_code: 'acme' }, key: acme }))
        .run_uuid as string
    const question = (run: string) =>
      eventually('the question', async () => {
        const { data } = await ok('/checkpoints?state=waiting&limit=50')
        return data.find((each: { run_uuid: string }) => each.run_uuid === run)?.checkpoint_id as
          string | undefined
      })
    const run = await startWaiting()
    const checkpoint = await question(run)
    const free = source('acme-asks', 'main', 'manual: true', `[${asking}]`)
    expect((await put('acme-inner', source('acme-inner', 'main', 'call: true'))).body.code).to.equal(
      'playbook_in_use',
    )
    for (const [name, text] of [
      ['acme-asks', free],
      ['acme-inner', source('acme-inner', 'main', 'call: true')],
    ] as const) {
      const moved = await put(name, text)
      expect(moved.status, JSON.stringify(moved.body)).to.equal(200)
    }
    await server.stop('SIGKILL')
    server = await start(server.adminKey)
    expect(await ok(`/runs/${run}`, { key: acme })).to.include({
      playbook: 'acme-asks',
      organization_code: 'acme',
    })
    await ok(`/checkpoints/${checkpoint}/answer`, { body: { answer: 'go' }, key: acme })
    const failed = await eventually('the end of the run', async () => {
      const found = await ok(`/runs/${run}`)
      return found.status === 'failed' ? found : undefined
    })
    expect(failed.error.code).to.equal('playbook_not_found')
    // Its version is still theirs, the newest is not.
    expect((await server.call(`/playbooks/acme-asks`, { key: acme })).status).to.equal(404)
    expect(await ok(`/playbooks/${failed.playbook_hash}`, { key: acme })).to.include({ in_force: false })
    const newest = await server.call(`/runs/${run}/retry?playbook=newest`, { key: acme })
    expect([newest.status, newest.body.code]).to.deep.equal([404, 'playbook_not_found'])
    expect((await server.call(`/runs/${run}/retry?playbook=same`, { key: acme })).status).to.equal(200)
  })
})
