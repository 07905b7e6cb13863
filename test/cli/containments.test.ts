import { expect } from 'chai'
import { startApi, type Api } from '../http/support/api.ts'
import { thingsOf } from '../http/support/things.ts'
import { readBlocks } from '../support/guide-page.ts'
import { killCommands, runTocsin } from '../support/server/run-tocsin.ts'

describe('tocsin containments', () => {
  let api: Api
  before(async () => void (api = await startApi()))
  after(async () => {
    await killCommands()
    await api.close()
  })

  const containments = (...args: string[]) =>
    runTocsin(['containments', ...args], { env: { TOCSIN_KEY: api.adminKey, TOCSIN_URL: api.url } })

  it('lists what stands, and undoes all of a case after it was asked to', async () => {
    const { containment } = await thingsOf(api, 'acme').containment()
    const { caseId, action } = (await api.stores.containments.find('all', containment?.[0] ?? ''))!
    const { stdout } = await containments('list')
    expect(stdout).to.match(/^CONTAINMENT +STATE +SEEN +ACTION +TARGET +CASE/)
    expect(stdout).to.include(containment?.[0]).and.include('tower.ring_bell').and.include('times: 1')
    const listed = await containments('undo', '--case', caseId ?? '')
    expect(listed.stdout).to.include('1 would be undone: repeat it with --yes')
    expect((await api.stores.containments.find('all', containment?.[0] ?? ''))?.state).to.equal('active')
    const undone = await containments('undo', '--case', caseId ?? '', '--yes')
    expect(undone).to.include({ code: 0 })
    expect(undone.stdout).to.match(/\nok [\w-]+ run [\w-]+\n$/)
    const again = await containments('undo', '--run', action.run_uuid, '--yes')
    expect(again.code).to.equal(1)
    expect(again.stdout).to.include('refused').and.include('a run is undoing the containment')
  })

  it('works as docs/how-to/take-back-a-case.md shows', async () => {
    const { containment } = await thingsOf(api, 'acme').containment()
    const { caseId = '' } = (await api.stores.containments.find('all', containment?.[0] ?? '')) ?? {}
    const [first, printed, second] = readBlocks('docs/how-to/take-back-a-case.md')
    const run = async (command = '') =>
      await containments(
        ...command
          .trim()
          .replace('ACME-7', caseId ?? '')
          .split(' ')
          .slice(2),
      )
    const { stdout } = await run(first?.text)
    const lines = stdout.trim().split('\n')
    const [head, last] = [lines[0], lines.at(-1)]
    expect(head?.split(/\s+/)).to.deep.equal(printed?.text.split('\n')[0]?.split(/\s+/))
    expect(printed?.text).to.include(last)
    expect((await run(second?.text)).code).to.equal(0)
  })

  it('says what is missing', async () => {
    expect((await containments('undo')).stderr).to.include('either --case or --run is required')
    expect((await containments('undo', '--case', 'acme-99')).stdout).to.include('nothing stands')
  })
})
