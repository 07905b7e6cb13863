import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { parseJson } from '../../core/common/json.ts'
import { makeTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts'
import { killCommands, runTocsin } from '../support/server/run-tocsin.ts'
import { startServer, type RunningServer } from '../support/server/start-server.ts'

describe('tocsin case', () => {
  let folder: TemporaryFolder
  let server: RunningServer
  let caseId: string

  before(async () => {
    folder = await makeTemporaryFolder()
    server = await startServer({ dataDir: folder.path })
    const body = {
      alert_provider: 'custom',
      organization_code: 'main',
      alert_type: 'odd_sign_in',
      alert_content: 'somebody at 198.51.100.23 \u001b[31m',
      created_at_source: 7,
    }
    const { body: alert } = await server.call('/alerts', { body, headers: { prefer: 'wait=30' } })
    caseId = (await server.call(`/alerts/${alert.alert_id}`)).body.case_id
    await server.call(`/cases/${caseId}/notes`, { body: { text: 'seen \u001b[31m' } })
  })
  after(async () => {
    await killCommands()
    await folder.remove()
  })

  const run = (args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
    runTocsin(['case', ...args], {
      cwd: folder.path,
      env: { TOCSIN_KEY: server.adminKey, TOCSIN_URL: server.url, ...env },
    })

  it('shows a case with control characters escaped', async () => {
    const { code, stdout, stderr } = await run(['show', caseId])
    expect({ code, stderr }).to.deep.equal({ code: 0, stderr: '' })
    expect(stdout).to.include(`# Case \`${caseId}\``).and.to.include('noted `seen \\x1b[31m`')
    expect(stdout).to.not.include('\u001b')
    expect(stdout).to.include('198.51.100.23')
  })

  it('exports a case as JSON or as a report, also into a file', async () => {
    const { code, stdout } = await run(['export', caseId, '--url', server.url])
    expect(code).to.equal(0)
    const document = parseJson(stdout) as { case: { case_id: string; alerts: { alert_content: string }[] } }
    expect(document.case).to.include({ case_id: caseId })
    expect(document.case.alerts[0]?.alert_content).to.include('\u001b')
    expect((await run(['export', caseId, '-f', 'markdown', '-o', 'out/report.md'])).stdout).to.equal('')
    expect(await readFile(join(folder.path, 'out/report.md'), 'utf8')).to.match(/^# Case /)
  })

  it('reports errors with hints', async () => {
    const none = await run(['show', 'main-99'])
    expect(none).to.include({ code: 1, stdout: '' })
    expect(none.stderr).to.include('Case not found').and.to.include('hint')
    expect((await run(['show', caseId], { TOCSIN_KEY: '' })).stderr).to.include('TOCSIN_KEY')
    expect((await run(['show', caseId], { TOCSIN_KEY: 'toc_x' })).stderr).to.include('401')
    expect((await run(['show', caseId, '--url', 'http://127.0.0.1:9'])).stderr).to.include(
      'no server answers at',
    )
    expect((await run(['export', caseId, '-f', 'pdf'])).code).to.equal(2)
  })
})
