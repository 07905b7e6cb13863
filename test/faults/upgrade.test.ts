import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gunzipSync } from 'node:zlib'
import Sqlite from 'better-sqlite3'
import { expect } from 'chai'
import { startServer } from '../cli/support/start-server.ts'
import { makeHouse, type House } from './support/house.ts'

const adminKey = 'toc_6e66a1f319b2_dGl9Kq45pBn6V-IQGW-f4oYYvv1I6DmSSly_PeMhsBk'
const fixture = (name: string) => fileURLToPath(new URL(`fixtures/first-release/${name}`, import.meta.url))
const shiftedClock = new URL('children/shifted-clock.ts', import.meta.url).href

describe('an upgrade from the first release', function () {
  this.timeout(60_000)
  let house: House
  before(async () => {
    house = await makeHouse()
    await mkdir(join(house.path, 'data'))
    const database = gunzipSync(await readFile(fixture('tocsin.db.gz')))
    await writeFile(join(house.path, 'data/tocsin.db'), database)
    await writeFile(join(house.path, 'data/master.key'), await readFile(fixture('master.key')), {
      mode: 0o600,
    })
  })
  after(() => house?.close())

  /** Milliseconds from now to when the old process stopped. */
  function sinceThen(): number {
    const database = new Sqlite(join(house.path, 'data/tocsin.db'), { readonly: true })
    const latest = database.prepare('SELECT max(created_at) FROM runs').pluck().get() as number
    database.close()
    return latest + 500 - Date.now()
  }

  it('keeps waiting runs: each goes on where it was', async () => {
    const env = {
      NODE_OPTIONS: `--import=${shiftedClock}`,
      TOCSIN_TEST_CLOCK_OFFSET: String(sinceThen()),
    }
    const server = await startServer({ cwd: house.path, dataDir: 'data', adminKey, env })
    const run = async (playbook: string, isThere: (run: any) => boolean) => {
      for (let n = 0; n < 200; n++) {
        const { body } = await server.call('/runs')
        const row = body.data.find((each: any) => each.playbook === playbook)
        const { body: whole } = await server.call(`/runs/${row.run_uuid}`)
        if (isThere(whole)) return whole
        await new Promise((resolve) => setTimeout(resolve, 50))
      }
      throw new Error(`the run of ${playbook} is not there`)
    }
    const hasEnded = ({ ended_at }: any) => ended_at !== null

    const slept = await run('sleeps', hasEnded)
    expect([slept.status, slept.output]).to.deep.equal(['completed', { slept: true }])

    expect((await run('asks', () => true)).status).to.equal('waiting')
    const [checkpoint] = (await server.call('/checkpoints')).body.data
    expect(checkpoint.input.message).to.equal('Was this you, ada?')
    const answered = await server.call(`/checkpoints/${checkpoint.checkpoint_id}/answer`, {
      body: { answer: 'yes' },
    })
    expect(answered.status, JSON.stringify(answered.body)).to.equal(200)
    expect((await run('asks', hasEnded)).output).to.deep.equal({ answer: 'yes', who: 'ada' })

    const doubtful = await run('doubts', () => true)
    expect(doubtful.steps.map(({ state }: any) => state)).to.deep.equal(['unknown'])
    const output = { status: 202, headers: {}, text: '', truncated: false }
    const resolved = await server.call(`/runs/${doubtful.run_uuid}/resolve`, {
      body: { path: 'sent', decision: 'ran', output },
    })
    expect(resolved.status, JSON.stringify(resolved.body)).to.equal(200)
    expect((await run('doubts', hasEnded)).output).to.deep.equal({ status: 202 })

    expect((await server.call('/alerts')).body.data).to.have.length(3)
    expect((await server.call('/cases')).body.data).to.have.length(3)
    expect(await server.stop()).to.include({ code: 0, signal: null })
  })
})
