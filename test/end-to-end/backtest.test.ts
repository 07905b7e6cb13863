import { expect } from 'chai'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { eventually } from '../support/eventually.ts'
import { readBlocks, replaceBlocks, trialsOf, writeFiles, type Block } from '../support/guide-page.ts'
import { killCommands, runTocsin } from '../support/server/run-tocsin.ts'
import { startTestTocsin, type TestTocsin } from '../support/server/test-tocsin.ts'

const page = 'docs/how-to/backtest-a-change.md'
const blocks = readBlocks(page)

describe('tocsin backtest, as in its how-to', function () {
  this.timeout(60_000)
  let tocsin: TestTocsin

  before(async () => {
    const live = blocks.find(({ file }) => file === 'live/unusual-download.yaml')!
    tocsin = await startTestTocsin({ inProcess: true, playbooks: { 'unusual-download': live.text } })
    for (const gigabytes of [5, 30, 80])
      await tocsin.investigate({
        type: 'unusual_download',
        content: JSON.stringify({ user: 'ana', gigabytes }),
      })
    await writeFiles(
      tocsin.folder,
      blocks.filter(({ file }) => file === 'unusual-download.yaml'),
    )
  })
  after(async () => {
    await killCommands()
    await tocsin.close()
  })

  const run = async (...args: readonly string[]) =>
    await runTocsin(args, {
      cwd: tocsin.folder,
      env: { TOCSIN_URL: tocsin.server.url, TOCSIN_KEY: tocsin.server.adminKey },
    })

  it('prints what the page says', async () => {
    const printed = new Map<Block, string>()
    for (const { commands, prints } of trialsOf(blocks)) {
      const { code, stdout, stderr } = await run(...commands[0]!.split(' ').slice(1))
      expect({ code, stderr }).to.deep.equal({ code: 0, stderr: '' })
      printed.set(prints!, stdout)
      if (!process.env['UPDATE']) expect(stdout).to.equal(prints?.text)
    }
    if (process.env['UPDATE']) replaceBlocks(page, printed, blocks)
  })

  it('exits with 1 on a change that --fail-on names, and writes reports', async () => {
    const report = join(tocsin.folder, 'report.html')
    const { code, stdout } = await run(
      'backtest',
      'unusual-download.yaml',
      '--fail-on',
      'severity',
      '--json',
      '--html',
      report,
    )
    expect(code).to.equal(1)
    const { status, total, changed, changes, rows } = JSON.parse(stdout)
    expect({ status, total, changed }).to.deep.equal({ status: 'completed', total: 3, changed: 1 })
    expect(changes).to.include({ severity: 1, verdict: 0 })
    const row = rows.find(({ result }: { readonly result: string }) => result === 'changed')
    expect(row.before).to.include({ severity: 'low' })
    expect(row.after).to.include({ severity: 'high' })
    expect(await readFile(report, 'utf8')).to.contain(`<summary>${row.alert_id}`)
  })

  it('shows both runs of an alert, and records the start in the audit log', async () => {
    const { data } = (await tocsin.call('/playbooks/unusual-download/backtests')).body
    const { rows } = (await tocsin.call(`/backtests/${data[0].backtest_id}`)).body
    const { body } = await tocsin.call(`/backtests/${data[0].backtest_id}/runs/${rows[0].run_uuid}`)
    for (const side of [body.before, body.after]) {
      expect(side).to.include({ status: 'completed' })
      expect(side.steps.map(({ path }: { readonly path: string }) => path)).to.deep.equal(['seen', '1'])
    }
    const audit = (await tocsin.call('/audit?action=playbook.backtest')).body.data
    expect(audit[0].details).to.deep.equal({ alerts: 3, new_input: 'fail' })
  })

  it('changes nothing: no run, no case', async () => {
    expect((await tocsin.call('/runs')).body.total).to.equal(3)
    expect((await tocsin.call('/cases')).body.total).to.equal(3)
  })

  it('is started by keys of analysts, not of readers', async () => {
    const keyOf = async (role: string) =>
      (await tocsin.call('/keys', { body: { name: role, role } })).body.key
    const source = blocks.find(({ file }) => file === 'unusual-download.yaml')!.text
    const start = async (role: string) =>
      await tocsin.call('/playbooks/unusual-download/backtests', {
        key: await keyOf(role),
        body: { organization_code: 'main', source, new_input: 'assume' },
      })
    expect(await start('reader')).to.deep.include({ status: 403 })
    const started = await start('analyst')
    expect(started.status).to.equal(201)
    await eventually('the end of the backtest', async () => {
      const { status } = (await tocsin.call(`/backtests/${started.body.backtest_id}`)).body
      return status === 'completed' ? true : undefined
    })
  })

  it('compares with a playbook of another name', async () => {
    const source = blocks.find(({ file }) => file === 'unusual-download.yaml')!.text
    await writeFile(
      join(tocsin.folder, 'renamed.yaml'),
      source.replace('name: unusual-download', 'name: renamed'),
    )
    const { stdout } = await run('backtest', 'renamed.yaml', '--against', 'unusual-download')
    expect(stdout).to.contain('3 alerts: 2 same, 1 changed')
  })

  it('explains mistakes', async () => {
    for (const [args, says] of [
      [[], 'a playbook is needed'],
      [['missing.yaml'], "there is no file or folder 'missing.yaml'"],
      [['report.html'], 'the server finds errors in report.html'],
      [['unusual-download.yaml', '--since', 'x'], 'write a duration such as 12h or 30d'],
      [['unusual-download.yaml', '--fail-on', 'actions'], "'actions' is not one of new-action"],
      [['unusual-download.yaml', '--organization', 'x'], 'organization'],
      [['renamed.yaml'], "has no playbook 'renamed' to compare with"],
      [['--resume', 'x'], 'there is no backtest with this id'],
    ] as const) {
      const { code, stderr } = await run('backtest', ...args)
      expect(code, says).to.not.equal(0)
      expect(stderr).to.contain(says)
    }
  })
})
