import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { serveHttp } from '../egress/servers.ts'
import { makeTestTocsin, type TestTocsin } from '../support/server/test-tocsin.ts'

/** A plugin whose skill crashes the whole process, like a crash in native code or a lack of memory. */
const poison = `
export default {
  name: 'poison',
  title: 'Poison',
  description: 'Takes the process down.',
  skills: [
    {
      name: 'take',
      title: 'Take',
      description: 'Takes the process down.',
      effect: 'read',
      input: { type: 'object', additionalProperties: false, properties: {} },
      output: { type: 'object' },
      examples: [{ title: 'Down', input: {}, output: {} }],
      async run() {
        process.kill(process.pid, 'SIGKILL')
        return {}
      },
    },
  ],
}
`

describe('a run that crashes the process', function () {
  this.timeout(60_000)
  let house: TestTocsin
  beforeEach(async () => {
    house = await makeTestTocsin()
    await writeFile(join(house.folder, 'poison.js'), poison)
  })
  afterEach(() => house?.close())

  it('fails alone after four crashes; the process then starts, and the other runs have ended', async () => {
    await house.addPlaybook('bad', '  - id: taken\n    uses: poison.take')
    await house.addPlaybook('good', '  - wait: 20ms\n  - set: { ok: true }')
    // An innocent run that is active in every crash.
    const slow = await serveHttp((_, response) => void setTimeout(() => response.end('{}'), 1_500))
    await house.addPlaybook('slow', '  - uses: http.get\n    connection: slow\n    with: { path: / }')
    const options = {
      env: { TOCSIN_PLUGINS: './poison.js', TOCSIN_ALLOW_PRIVATE_EGRESS: `127.0.0.1:${slow.port}` },
    }
    let server = await house.start(options)
    await house.connect('slow', slow.url)
    for (let n = 0; n < 5; n++) expect((await house.post('good')).status).to.equal(201)
    for (let n = 0; n < 3; n++) expect((await house.post('slow')).status).to.equal(201)
    // Its run may crash the process before this is answered.
    await house.post('bad').catch(() => undefined)
    expect(await server.command.ended).to.include({ signal: 'SIGKILL' })

    let crashes = 1
    for (; ; crashes++) {
      const started = await house.start(options).catch(() => undefined)
      if (started === undefined) continue // crashed before it reported that it listens
      server = started
      const [first] = await Promise.race([
        server.command.ended.then(() => ['down'] as const),
        house.investigatedAlerts().then(() => ['up'] as const),
      ]).catch(() => ['down'] as const)
      if (first === 'up') break
      expect(crashes, 'crashes').to.be.lessThan(6)
    }
    expect(crashes).to.equal(4)
    const runs = await house.endedRuns(9)
    const failed = runs.filter(({ status }) => status === 'failed')
    expect(failed.map(({ playbook, error }) => [playbook, error.code])).to.deep.equal([
      ['bad', 'step_interrupted'],
    ])
    expect(runs.filter(({ status }) => status === 'completed')).to.have.length(8)
    expect((await house.post('good')).status).to.equal(201)
    await house.endedRuns(10)
    await slow.close()
    expect(await server.stop()).to.include({ code: 0, signal: null })
  })
})

describe('an alert that crashes the process before it has a run', function () {
  this.timeout(60_000)
  let house: TestTocsin
  beforeEach(async () => {
    house = await makeTestTocsin()
  })
  afterEach(() => house?.close())

  it('fails alone; the process then starts and works', async () => {
    await house.addPlaybook('chosen', '  - set: { ok: true }', "{ type: chosen, where: 'alert.data.n >= 0' }")
    await house.start()
    const down = new URL('children/dies-of-poison.ts', import.meta.url).href
    await house.server.stop()
    const options = { env: { NODE_OPTIONS: `--import=${down}` } }
    await house.start(options)
    const others = await Promise.all([1, 2, 3].map((n) => house.post('chosen', `{"n":${n}}`)))
    expect(others.map(({ status }) => status)).to.deep.equal([201, 201, 201])
    await house.post('chosen', '{"n":0,"poison":true}').catch(() => undefined)
    expect(await house.server.command.ended).to.include({ signal: 'SIGKILL' })

    let starts = 0
    for (let up = false; !up; starts++) {
      expect(starts, 'starts').to.be.lessThan(12)
      const started = await house.start(options).catch(() => undefined)
      if (started === undefined) continue
      up = await Promise.race([
        started.command.ended.then(() => false),
        house.investigatedAlerts().then(
          () => true,
          () => false,
        ),
      ])
    }
    const alerts = await house.investigatedAlerts()
    const failed = alerts.filter((alert) => alert.investigation_status === 20)
    expect(failed.map(({ alert_id, investigator }) => [alert_id, investigator])).to.deep.equal([
      ['main-custom-4', 'not-investigated'],
    ])
    expect(alerts).to.have.length(4)
    expect((await house.post('chosen', '{"n":5}')).status).to.equal(201)
    expect(
      (await house.investigatedAlerts()).filter((alert) => alert.investigation_status === 15),
    ).to.have.length(4)
    expect(await house.server.stop()).to.include({ code: 0, signal: null })
  })
})
