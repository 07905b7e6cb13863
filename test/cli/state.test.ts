import { expect } from 'chai'
import { startApi, type Api } from '../http/support/api.ts'
import { thingsOf } from '../http/support/things.ts'
import { killCommands, runTocsin } from '../support/server/run-tocsin.ts'

describe('tocsin state', () => {
  let api: Api
  let playbook: string

  before(async () => {
    api = await startApi()
    playbook = (await thingsOf(api, 'acme').playbookWithState()).playbook?.[0] ?? ''
  })
  after(async () => {
    await killCommands()
    await api.close()
  })

  const state = (...args: string[]) =>
    runTocsin(['state', ...args], { env: { TOCSIN_KEY: api.adminKey, TOCSIN_URL: api.url } })

  it('lists states and their entries, and resets them', async () => {
    expect((await state('list', playbook)).stdout).to.match(
      /^STATE .*\n.*\nseen +set, declaration changed +acme +1 /,
    )
    expect((await state('list', playbook, 'seen')).stdout).to.match(/\na +acme .* never/)
    expect((await state('list', playbook, 'sen')).stdout).to.equal(
      "nothing is stored in 'sen'; states with data: seen\n",
    )
    expect(await state('reset', playbook, 'seen', '--key', 'a')).to.include({
      code: 0,
      stdout: `ok reset entry a of seen of ${playbook} in acme\n`,
    })
    const again = await state('reset', playbook, 'seen', '--key', 'a')
    expect(again.code).to.equal(1)
    expect(again.stderr).to.contain(`has stored no entry 'a' in the state 'seen'`)
    expect((await state('reset', playbook, 'seen')).code).to.equal(0)
    expect((await state('reset', playbook, 'seen')).stderr).to.contain(`has stored no state 'seen'`)
  })
})
