import { expect } from 'chai'
import { readFile, readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { startTestTocsin, type TestTocsin } from '../support/server/test-tocsin.ts'

const source = (name: string, head: string, verdict: string) =>
  `apiVersion: tocsin/v1\nname: ${name}\n${head}on: { alert: { type: login } }\nsteps:\n  - uses: case.update\n    with: { verdict: ${verdict} }\n`
const playbooks = {
  login: source('login', '', 'benign'),
  'login-shadow': source('login-shadow', 'mode: shadow\nbeside: login\n', 'malicious'),
}

describe('the promotion of a shadow', function () {
  this.timeout(60_000)
  let tocsin: TestTocsin
  beforeEach(async () => {
    tocsin = await startTestTocsin({ inProcess: true, playbooks })
  })
  afterEach(() => tocsin.close())

  const live = () => join(tocsin.playbooksDir, 'login.yaml')
  const report = async () => (await tocsin.call('/playbooks/login-shadow/shadow')).body
  async function promote() {
    const { hash, beside_hash } = await report()
    return await tocsin.call('/playbooks/login-shadow/shadow/promote', { body: { hash, beside_hash } })
  }

  it('writes the file of the live playbook if it was deleted meanwhile', async () => {
    await rm(live())
    await tocsin.restart()
    // The deletion is not published, because the shadow runs beside it.
    expect((await report()).beside_hash).to.be.a('string')
    const { status, body } = await promote()
    expect([status, body.name, body.in_force]).to.deep.equal([200, 'login', true])
    expect(await readdir(tocsin.playbooksDir)).to.deep.equal(['login.yaml'])
    await tocsin.restart()
    expect((await tocsin.call('/playbooks/login')).body).to.include({ in_force: true, hash: body.hash })
    expect((await tocsin.call('/playbooks/login-shadow')).body.in_force).to.equal(false)
  })

  it('does not overwrite an edit of the live playbook that was refused', async () => {
    const edit = `${playbooks.login}    if: nonsense(\n`
    await writeFile(live(), edit)
    await tocsin.restart()
    const { status, body } = await promote()
    expect([status, body.code]).to.deep.equal([409, 'revision_changed'])
    expect(await readFile(live(), 'utf8')).to.equal(edit)
  })

  it('happens once if two people ask for it', async () => {
    const { hash, beside_hash } = await report()
    const body = { hash, beside_hash }
    const asked = [1, 2].map(() => tocsin.call('/playbooks/login-shadow/shadow/promote', { body }))
    const statuses = (await Promise.all(asked)).map(({ status }) => status)
    expect(statuses.toSorted((a, b) => a - b)).to.deep.equal([200, 409])
    const { data } = (await tocsin.call('/audit?action=playbook.promoted')).body
    expect(data).to.have.length(1)
  })
})
