import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { expect } from 'chai'
import { startServer } from '../support/server/start-server.ts'
import { adminKey, clockOfFirstRelease, fixture } from './support/first-release.ts'
import { makeTestTocsin, type TestTocsin } from '../support/server/test-tocsin.ts'

describe('an upgrade from the first release', function () {
  this.timeout(60_000)
  let house: TestTocsin
  before(async () => {
    house = await makeTestTocsin()
    await mkdir(join(house.folder, 'data'))
    const database = gunzipSync(await readFile(fixture('tocsin.db.gz')))
    await writeFile(join(house.folder, 'data/tocsin.db'), database)
    await writeFile(join(house.folder, 'data/master.key'), await readFile(fixture('master.key')), {
      mode: 0o600,
    })
  })
  after(() => house?.close())

  it('keeps waiting runs: each resumes where it stopped', async () => {
    const env = clockOfFirstRelease(join(house.folder, 'data/tocsin.db'))
    const server = await startServer({ cwd: house.folder, dataDir: 'data', adminKey, env })
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
