import { expect } from 'chai'
import { readFile, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { eventually } from '../support/eventually.ts'
import { readBlocks, replaceBlocks, trialsOf, type Block } from '../support/guide-page.ts'
import { killCommands, runTocsin } from '../support/server/run-tocsin.ts'
import { startTestTocsin, type TestTocsin } from '../support/server/test-tocsin.ts'

const page = 'docs/how-to/try-in-shadow.md'
const blocks = readBlocks(page)
const playbooks = Object.fromEntries(
  blocks.flatMap(({ file, text }) =>
    file === undefined ? [] : [[file.replace(/^live\/|\.yaml$/g, ''), text]],
  ),
)
const countries = ['DE', 'KP', 'RU', 'DE'] as const

describe('a playbook in shadow, as in its how-to', function () {
  this.timeout(60_000)
  let tocsin: TestTocsin
  const report = async (name = 'unusual-login-shadow', query = '') =>
    (await tocsin.call(`/playbooks/${name}/shadow${query}`)).body
  const judged = async (name: string, alerts: number) =>
    await eventually('the end of judging', async () => {
      const { alerts: ended, waiting } = await report(name)
      return ended >= alerts && waiting === 0 ? true : undefined
    })
  const investigate = async (country: string) =>
    await tocsin.investigate({
      type: 'unusual_login',
      content: JSON.stringify({ user: `${country}${Math.random()}`, country }),
    })

  before(async () => {
    tocsin = await startTestTocsin({ inProcess: true, playbooks })
    for (const country of countries) await investigate(country)
    await judged('unusual-login-shadow', 4)
    await judged('first-login', 2)
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
    // An analyst finds that the login from RU was an attack.
    const { case_id: id } = (await tocsin.call('/alerts/main-custom-3')).body
    const edited = await tocsin.call(`/cases/${id}`, {
      method: 'PATCH',
      body: { verdict: 'malicious' },
      headers: { 'if-match': '*' },
    })
    expect(edited.status).to.equal(200)
    const printed = new Map<Block, string>()
    for (const { commands, prints } of trialsOf(blocks)) {
      const { code, stdout, stderr } = await run(...commands[0]!.split(' ').slice(1))
      expect({ code, stderr }).to.deep.equal({ code: 0, stderr: '' })
      printed.set(prints!, stdout)
      if (!process.env['UPDATE']) expect(stdout).to.equal(prints?.text)
    }
    if (process.env['UPDATE']) replaceBlocks(page, printed, blocks)
  })

  it('starts no run, opens no case and is not live', async () => {
    const { data } = (await tocsin.call('/runs')).body
    expect(data.map(({ playbook }: { readonly playbook: string }) => playbook)).to.deep.equal(
      countries.map(() => 'unusual-login'),
    )
    expect((await tocsin.call('/cases')).body.total).to.equal(countries.length)
    const { body } = await tocsin.call('/playbooks/unusual-login-shadow')
    expect(body).to.include({ in_force: false, shadow: true })
    const body2 = { organization_code: 'main' }
    const started = await tocsin.call('/playbooks/unusual-login-shadow/runs', { body: body2 })
    expect([started.status, started.body.code]).to.deep.equal([409, 'playbook_in_shadow'])
  })

  it('shows both decisions of an alert with their steps', async () => {
    const path = '/playbooks/unusual-login-shadow/shadow/alerts'
    const { data } = (await tocsin.call(`${path}?outcome=differs`)).body
    expect(data).to.have.length(1)
    const { body } = await tocsin.call(`${path}/${data[0].alert_id}`)
    expect(body.live_decision).to.include({ verdict: 'benign' })
    expect(body.shadow_decision).to.include({ verdict: 'malicious' })
    for (const side of [body.before, body.after])
      expect(side.steps.map(({ kind }: { readonly kind: string }) => kind)).to.deep.equal(['case.update'])
  })

  it('explains what is not in shadow', async () => {
    for (const [name, status, code] of [
      ['unusual-login', 409, 'playbook_not_in_shadow'],
      ['none', 404, 'playbook_not_found'],
    ] as const) {
      const { stderr, code: exit } = await run('shadow', name)
      expect(exit).to.not.equal(0)
      const reply = await tocsin.call(`/playbooks/${name}/shadow`)
      expect([reply.status, reply.body.code]).to.deep.equal([status, code])
      expect(stderr).to.contain(reply.body.detail ?? reply.body.title)
    }
    expect((await run('shadow', 'x', '--since', 'soon')).stderr).to.contain('write a duration')
    expect((await run('shadow', 'first-login', '--organization', 'none')).code).to.not.equal(0)
  })

  it('refuses a promotion if a playbook was changed since the report', async () => {
    const { hash, beside_hash: live } = await report()
    const promote = async (body: object) =>
      (await tocsin.call('/playbooks/unusual-login-shadow/shadow/promote', { body })).body.code
    expect(await promote({ hash: live, beside_hash: live })).to.equal('revision_changed')
    expect(await promote({ hash, beside_hash: hash })).to.equal('revision_changed')
    const file = join(tocsin.playbooksDir, 'unusual-login.yaml')
    const source = await readFile(file, 'utf8')
    await writeFile(file, `${source}# edited\n`)
    expect(await promote({ hash, beside_hash: live })).to.equal('revision_changed')
    await writeFile(file, source)
  })

  it('shows nothing that an earlier version decided', async () => {
    const path = '/playbooks/first-login'
    const { source } = (await tocsin.call(path)).body
    const body = { source: `${source}# edited\n` }
    await tocsin.call(path, { method: 'PUT', body, headers: { 'if-match': '*' } })
    expect(await report('first-login')).to.include({ alerts: 0, other_versions: 2 })
    expect((await tocsin.call(`${path}/shadow/alerts`)).body.total).to.equal(0)
    const { stdout } = await run('shadow', 'first-login')
    expect(stdout).to.contain('2 alerts judged with an earlier version').and.not.contain('main-custom')
    await investigate('US')
    await judged('first-login', 1)
    expect((await run('shadow', 'first-login')).stdout).to.contain('main-custom-5\n  verdict benign')
  })

  it('is promoted with its report in the audit log, and deletes the file of the shadow', async () => {
    const { hash, beside_hash: live } = await report()
    const { status, body } = await tocsin.call('/playbooks/unusual-login-shadow/shadow/promote', {
      body: { hash, beside_hash: live },
    })
    expect([status, body.name, body.in_force]).to.deep.equal([200, 'unusual-login', true])
    const source = await readFile(join(tocsin.playbooksDir, 'unusual-login.yaml'), 'utf8')
    expect(source).to.contain('name: unusual-login\non:').and.contain('"RU"')
    expect(await readdir(tocsin.playbooksDir)).to.not.include('unusual-login-shadow.yaml')
    const [entry] = (await tocsin.call('/audit?action=playbook.promoted')).body.data
    expect(entry.subject).to.include({ id: body.hash, name: 'unusual-login' })
    expect(entry.details).to.deep.include({
      shadow: 'unusual-login-shadow',
      shadow_hash: hash,
      replaced_hash: live,
    })
    expect(entry.details.evidence).to.deep.include({ alerts: 5, agrees: 4, differs: 1, unjudged: 0 })
    expect(entry.details.evidence.verdicts.live).to.deep.include({
      verdict: 'benign',
      shadow: 'malicious',
      alerts: 1,
    })
    await investigate('RU')
    const { data } = (await tocsin.call('/cases?verdict=malicious')).body
    expect(data).to.have.length(3)
    await tocsin.restart()
    expect((await tocsin.call('/playbooks/unusual-login')).body).to.include({
      in_force: true,
      hash: body.hash,
    })
    expect((await tocsin.call('/playbooks/unusual-login-shadow/shadow')).status).to.equal(404)
  })
})
