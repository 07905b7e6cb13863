import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { makeRandom, rounds, seed, times } from '../support/random.ts'
import { makeTestTocsin, type TestTocsin } from '../support/server/test-tocsin.ts'

/** A plugin that records each effect in a file, and fails while a gate is closed. */
const plugin = `
import { appendFileSync, existsSync } from 'node:fs'
import { SkillError } from ${JSON.stringify(import.meta.resolve('../../core/plugin/index.ts'))}
const skill = (name, run) => ({
  name, title: name, description: 'Tried out.', effect: 'write', repeat: 'safe',
  input: { type: 'object', additionalProperties: false, properties: {} }, output: { type: 'object' },
  examples: [{ title: 'One', input: {}, output: {} }], run,
})
export default {
  name: 'count', title: 'Count', description: 'Counts.',
  skills: [
    skill('note', async (_input, { idempotencyKey }) => {
      appendFileSync('effects', idempotencyKey.split('/')[1] + '\\n')
      return {}
    }),
    skill('pass', async () => {
      if (!existsSync('open')) throw new SkillError('gate_closed', 'the gate is closed')
      return {}
    }),
  ],
}
`
const steps =
  '  - { id: first, uses: count.note }\n  - { id: gate, uses: count.pass }\n  - { id: last, uses: count.note }'
const options = { env: { TOCSIN_PLUGINS: './count.js' } }

describe(`retries on a server (seed ${seed})`, function () {
  this.timeout(times(60_000))
  let house: TestTocsin

  beforeEach(async () => {
    house = await makeTestTocsin()
    await writeFile(join(house.folder, 'count.js'), plugin)
    await house.addPlaybook('gated', steps)
    await house.start(options)
  })
  afterEach(() => house?.close())

  async function failedRun(): Promise<{ readonly run_uuid: string; readonly alert_id: string }> {
    const before = (await house.server.call('/runs')).body.data.length
    await house.post('gated')
    const [run] = await house.endedRuns(before + 1)
    expect(run.error).to.deep.include({ code: 'gate_closed', details: { path: 'gate' } })
    return run
  }
  const openGate = () => writeFile(join(house.folder, 'open'), '')
  const effects = async () => (await readFile(join(house.folder, 'effects'), 'utf8')).trim().split('\n')
  const retry = (uuid: string) => house.server.call(`/runs/${uuid}/retry`, { body: {} })

  it('continue from the failed step and keep earlier steps with the run that did them', async () => {
    const run = await failedRun()
    const preview = await house.server.call(`/runs/${run.run_uuid}/retry`)
    expect(preview.body.steps).to.deep.equal([
      {
        path: 'first',
        step_id: 'first',
        kind: 'count.note',
        state: 'completed',
        carried: true,
        reason: null,
        detail: null,
      },
      {
        path: 'gate',
        step_id: 'gate',
        kind: 'count.pass',
        state: 'failed',
        carried: false,
        reason: 'failed',
        detail: null,
      },
    ])
    expect(preview.body.repeats).to.deep.equal([
      {
        path: 'gate',
        skill: 'count.pass',
        input: {},
        took_effect: 'may_have',
        reason: 'failed',
        repeat: 'safe',
      },
    ])
    await openGate()
    const answers = await Promise.all([retry(run.run_uuid), retry(run.run_uuid)])
    expect(answers.map(({ status }) => status)).to.have.members([201, 409])
    expect(answers.find(({ status }) => status === 409)?.body.code).to.equal('run_superseded')
    const [next] = await house.endedRuns(2)
    expect(next).to.include({ status: 'completed', retry_of: run.run_uuid, alert_id: run.alert_id })
    const { body } = await house.server.call(`/runs/${next.run_uuid}`)
    expect(body.steps.map((step: any) => [step.path, step.carried_from])).to.deep.equal([
      ['first', run.run_uuid],
      ['gate', null],
      ['last', null],
    ])
    expect(await effects()).to.deep.equal(['first', 'last'])
    const alert = await house.server.call(`/alerts/${run.alert_id}`)
    expect(alert.body).to.include({ investigation_status: 15, investigation_retry_count: 1 })
  })

  it('cover many runs at once, and restart runs from the beginning on request', async () => {
    const uuids = [(await failedRun()).run_uuid, (await failedRun()).run_uuid]
    await openGate()
    const bulk = (body: object) => house.server.call('/runs/retry', { body })
    const none = await bulk({ filter: { playbook: 'gated', error: 'http_503' } })
    expect(none.body).to.deep.equal({ data: [], left: 0, next: null })
    const { body } = await bulk({ filter: { playbook: 'gated', error: 'gate_closed', created_after: 0 } })
    expect(body.data.map((row: any) => row.run_uuid)).to.deep.equal(uuids.toReversed())
    expect(body).to.nested.include({ left: 0, 'data[0].error': null })
    const [run] = await house.endedRuns(4)
    const again = await bulk({ runs: [uuids[0], 'unknown'] })
    expect(again.body.data.map((row: any) => row.error.code)).to.deep.equal([
      'run_superseded',
      'run_not_found',
    ])
    expect((await bulk({})).body.code).to.equal('value_invalid')

    const anew = await house.server.call(`/alerts/${run.alert_id}/investigate`, { method: 'POST' })
    expect(anew.body).to.include({ retry_of: null, alert_id: run.alert_id, case_id: null })
    const [last] = await house.endedRuns(5)
    expect(last).to.include({ run_uuid: anew.body.run_uuid, case_id: run.case_id, status: 'completed' })
    expect((await effects()).filter((name) => name === 'first')).to.have.length(3)
  })

  it('are stored completely or not at all if the process is killed', async () => {
    const random = makeRandom(seed)
    for (let round = 0; round < rounds(3); round++) {
      const before = (await house.server.call('/runs')).body.data.length
      const run = await failedRun()
      await openGate()
      const answer = retry(run.run_uuid).catch(() => undefined)
      await sleep(random() * 20)
      await house.server.stop('SIGKILL')
      const isQueued = (await answer)?.status === 201
      await house.start(options)
      const known = (await house.server.call('/runs')).body.data.length - before
      if (isQueued) expect(known, `round ${round}`).to.equal(2)
      if (known === 1) expect((await retry(run.run_uuid)).status, `round ${round}`).to.equal(201)
      const [next] = await house.endedRuns(before + 2)
      expect(next, `round ${round}`).to.include({ status: 'completed', retry_of: run.run_uuid })
      const { body } = await house.server.call(`/runs/${next.run_uuid}`)
      expect(body.steps[0], `round ${round}`).to.include({ path: 'first', carried_from: run.run_uuid })
      const firsts = (await effects()).filter((name) => name === 'first')
      expect(firsts, `round ${round}`).to.have.length(round + 1)
      await rm(join(house.folder, 'open'))
    }
  })
})
