import { expect } from 'chai'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { eventually } from '../support/eventually.ts'
import { startTestTocsin, type TestTocsin } from '../support/server/test-tocsin.ts'

describe('a server whose playbooks folder changes', function () {
  this.timeout(60_000)
  let tocsin: TestTocsin
  before(async () => {
    tocsin = await startTestTocsin({ inProcess: true, env: { TOCSIN_PLAYBOOKS_RELOAD_SECONDS: '1' } })
  })
  after(() => tocsin.close())

  const file = (name: string) => join(tocsin.playbooksDir, `${name}.yaml`)
  const playbook = async (name: string) => (await tocsin.call(`/playbooks/${name}`)).body
  const untilLive = (name: string, isLive: boolean) =>
    eventually(`${name} live: ${isLive}`, async () =>
      ((await playbook(name)).in_force ?? false) === isLive ? true : undefined,
    )

  it('investigates alerts with a new playbook, follows its schedule, and ends it with its file', async () => {
    await tocsin.addPlaybook('fresh', '  - uses: case.update\n    with: { verdict: benign }')
    await writeFile(
      file('often'),
      'apiVersion: tocsin/v1\nname: often\non: { schedule: "* * * * * *" }\nsteps:\n  - return: { n: 1 }\n',
    )
    await untilLive('fresh', true)
    await tocsin.investigate({ type: 'fresh', content: '{}' })
    await eventually('a run of the schedule', async () => {
      const { body } = await tocsin.call('/runs?playbook=often&limit=1')
      return body.data?.[0]
    })
    const { data } = (await tocsin.call('/runs?playbook=fresh')).body
    expect(data).to.have.length(1)
    await rm(file('often'))
    await untilLive('often', false)
    expect((await playbook('fresh')).in_force).to.equal(true)
  })

  it('keeps the published version while the folder has errors', async () => {
    const { hash } = await playbook('fresh')
    await writeFile(file('wrong'), 'steps: 7')
    await tocsin.addPlaybook('fresh', '  - uses: case.update\n    with: { verdict: malicious }')
    await tocsin.addPlaybook('later', '  - return: { n: 1 }')
    expect(await playbook('fresh')).to.include({ hash, in_force: true })
    await rm(file('wrong'))
    await untilLive('later', true)
    expect((await playbook('fresh')).hash).not.to.equal(hash)
  })
})
