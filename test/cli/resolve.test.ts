import { expect } from 'chai'
import { startApi, type Api } from '../http/support/api.ts'
import { killCommands, runTocsin } from '../support/server/run-tocsin.ts'

describe('tocsin resolve', () => {
  let api: Api
  let run: string

  before(async () => {
    api = await startApi()
    const { uuid } = await api.stores.runs.queue({
      organizationUuid: api.organizations['acme'] ?? '',
      playbookName: 'p',
      playbookHash: 'a'.repeat(64),
      alertUuid: null,
    })
    await api.stores.runs.start(uuid, { title: 'x' })
    run = uuid
    for (const path of ['a', 'b[0]', 'c']) {
      const begun = { path, stepId: null, kind: 'x.do', input: 1, startedAt: 1, attempt: 1 }
      await api.stores.journal.begin(run, begun)
      await api.stores.journal.park(run, path)
    }
  })
  after(async () => {
    await killCommands()
    await api.close()
  })

  const resolve = (...args: string[]) =>
    runTocsin(['resolve', run, ...args], { env: { TOCSIN_KEY: api.adminKey, TOCSIN_URL: api.url } })
  const stepAt = async (path: string) =>
    (await api.stores.journal.entries(run)).find((entry) => entry.path === path)

  it('records that a step happened, with or without its output', async () => {
    expect(await resolve('a', 'ran_output_unknown')).to.include({
      code: 0,
      stdout: 'ok step a is completed: ran_output_unknown\n',
    })
    expect((await stepAt('a'))?.resolution).to.include({ decision: 'ran_output_unknown' })
    expect((await resolve('b[0]', 'ran', '--output', '{"n":7}')).code).to.equal(0)
    expect(await stepAt('b[0]')).to.deep.include({ state: 'completed', output: { n: 7 } })
  })

  it('prints the error and changes nothing', async () => {
    const again = await resolve('a', 'skip')
    expect(again.code).to.equal(1)
    expect(again.stderr).to.contain('there is nothing to decide')
    expect((await resolve('c', 'skip', '--output', '1')).stderr).to.contain("'skip' takes no output")
    expect((await resolve('c', 'ran', '--output', '{')).code).to.equal(1)
    expect((await resolve('c', 'perhaps')).code).to.equal(2)
    expect((await stepAt('c'))?.state).to.equal('unknown')
  })
})
