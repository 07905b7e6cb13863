import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { startTestTocsin, type TestTocsin } from '../support/server/test-tocsin.ts'

const playbook = (name: string, type: string, summary: string) =>
  `apiVersion: tocsin/v1\nname: ${name}\non: { alert: { type: ${type} } }\nsteps:\n  - uses: case.update\n    with: { summary: '${summary}' }\n`

describe('the playbook that investigates an alert', function () {
  let tocsin: TestTocsin

  before(async () => {
    tocsin = await startTestTocsin({ inProcess: true, sandbox: 'intel_provider' })
  })
  after(() => tocsin?.close())

  const write = (name: string, source: string) => writeFile(join(tocsin.playbooksDir, `${name}.yaml`), source)

  async function investigated(type: string) {
    const { body: alert } = await tocsin.investigate({ type, content: 'from 198.51.100.23' })
    expect(alert.investigation_status, type).to.equal(15)
    const { body } = await tocsin.call(`/runs?alert=${alert.alert_id}`)
    const [run] = body.data
    const { body: opened } = await tocsin.call(`/cases/${alert.case_id}`)
    return {
      by: alert.investigator as string,
      hash: run.playbook_hash as string,
      summary: opened.summary as string,
    }
  }

  it('is the authored one for its type once the folder has it', async () => {
    expect((await investigated('door')).by).to.equal('investigate-door-main')
    await write('door', playbook('door', 'door', 'first'))
    await tocsin.restart()
    expect(await investigated('door')).to.include({ by: 'door', summary: 'first' })
    expect((await investigated('window')).by).to.equal('investigate-window-main')
  })

  it('stays the last good version after a restart with an invalid file', async () => {
    const before = await investigated('door')
    await write('door', playbook('door', 'door', 'second').replace('case.update', 'case.updte'))
    await tocsin.restart()
    expect(await investigated('door')).to.deep.equal(before)
    await write('door', playbook('door', 'door', 'second'))
    await tocsin.restart()
    expect(await investigated('door')).to.include({ by: 'door', summary: 'second' })
  })

  it('is no longer live after its file is removed', async () => {
    await rm(join(tocsin.playbooksDir, 'door.yaml'))
    await tocsin.restart()
    expect((await investigated('door')).by).to.equal('investigate-door-main')
    expect((await tocsin.call('/playbooks/door')).body, 'what runs have used can still be read').to.include({
      name: 'door',
    })
  })

  it('is regenerated only when a connection is added', async () => {
    const without = await investigated('roof')
    expect(await investigated('roof')).to.deep.equal(without)
    expect(without.summary).to.match(/no connection/)
    expect((await tocsin.connect('intel')).status).to.equal(201)
    const connected = await investigated('roof')
    expect(connected.by).to.equal(without.by)
    expect(connected.hash).not.to.equal(without.hash)
    expect(connected.summary).not.to.match(/no connection/)
    const { body } = await tocsin.call(`/playbooks/${connected.by}`)
    expect(body.source).to.contain('intel_provider.get_enrichment').and.contain('connection: "intel"')
    const { body: old } = await tocsin.call(`/playbooks/${without.hash}`)
    expect(old.source).not.to.contain('intel_provider')
  })

  it('can be saved: a saved and edited generated playbook takes precedence', async () => {
    const { body } = await tocsin.call('/playbooks/investigate-roof-main')
    const edited = body.source.replace('No bad reputation found', 'Edited: no bad reputation found')
    expect(edited).not.to.equal(body.source)
    await write('investigate-roof-main', edited)
    await tocsin.restart()
    const { summary, by } = await investigated('roof')
    expect(by).to.equal('investigate-roof-main')
    expect(summary).to.contain('Edited:')
    expect((await tocsin.call('/playbooks/investigate-roof-main')).body.origin).to.equal('file')
  })

  it('knows the public address of its run, also behind a proxy', async () => {
    await write('linked', playbook('linked', 'linked', '${{ run.url }}'))
    await tocsin.restart()
    const { summary } = await investigated('linked')
    expect(summary).to.match(/^http:\/\/127\.0\.0\.1:\d+\/runs\/[\da-f-]{36}$/)
    const page = await fetch(summary)
    // The web page, or if it was not built, a response of this server without it.
    expect([200, 404]).to.include(page.status)
    const behind = await startTestTocsin({
      inProcess: true,
      playbooks: { linked: playbook('linked', 'linked', '${{ run.url }}') },
      env: { TOCSIN_PUBLIC_URL: 'https://tocsin.example.com' },
    })
    try {
      const { body: alert } = await behind.investigate({ type: 'linked', content: 'x' })
      const { body: opened } = await behind.call(`/cases/${alert.case_id}`)
      expect(opened.summary).to.match(/^https:\/\/tocsin\.example\.com\/runs\/[\da-f-]{36}$/)
    } finally {
      await behind.close()
    }
  })
})
