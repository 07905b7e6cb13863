import { appendFile, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { makeRandom, rounds, seed, times } from '../support/random.ts'
import { killCommands } from '../support/server/run-tocsin.ts'
import { makeTestTocsin, type TestTocsin } from '../support/server/test-tocsin.ts'

const kills = rounds(3)
const items = 12
const refused = [2, 7]

/** Writes each call to a file, because the process that makes it is killed. It must not be repeated. */
const plugin = (file: string) => `import { appendFileSync } from 'node:fs'
import { definePlugin, defineSkill } from 'tocsin/plugin'
const domain = { type: 'object', additionalProperties: false, required: ['domain'], properties: { domain: { type: 'string' } } }
export default definePlugin({
  name: 'dns', title: 'DNS', description: 'For tests.',
  skills: [
    defineSkill({
      name: 'block', title: 'Block Domain', description: 'Blocks a domain.', effect: 'write', repeat: 'never', destructive: 'blocking',
      irreversible: 'it is a test', input: domain, output: domain,
      examples: [{ title: 'One', input: { domain: 'a.example' }, output: { domain: 'a.example' } }],
      async run({ domain }) {
        appendFileSync(${JSON.stringify(file)}, domain + '\\n')
        await new Promise((resolve) => setTimeout(resolve, 5))
        return { domain }
      },
    }),
  ],
})`

const blockAll = `apiVersion: tocsin/v1
name: block-all
on: { alert: { type: domains } }
alert: { type: object, required: [domains], properties: { domains: { type: array, items: { type: string } } } }
steps:
  - id: block
    foreach: \${{ alert.data.domains }}
    as: domain
    on_item_error: continue
    uses: dns.block
    with: { domain: '\${{ domain }}' }
`

describe(`approved actions of a server killed with kill -9 (seed ${seed})`, function () {
  this.timeout(times(120_000))
  let tocsin: TestTocsin
  let effects: string
  let intake: string

  before(async () => {
    tocsin = await makeTestTocsin({
      playbooks: { 'block-all': blockAll },
      plugin: '',
      env: { TOCSIN_WORKERS: '1', TOCSIN_APPROVALS: 'blocking=1' },
    })
    effects = join(tocsin.folder, 'effects')
    await appendFile(join(tocsin.folder, 'plugin.js'), plugin(effects))
    await appendFile(effects, '')
  })
  after(async () => {
    await killCommands()
    await tocsin?.close()
  })

  async function until<T>(look: () => Promise<T | undefined>): Promise<T> {
    for (let n = 0; n < 2_000; n++) {
      const found = await look()
      if (found !== undefined) return found
      await sleep(15)
    }
    return expect.fail('it did not come to this')
  }
  /** Undefined if the server is gone. */
  const tried = async <T>(work: () => Promise<T>): Promise<T | undefined> => {
    try {
      return await work()
    } catch (error) {
      if (error instanceof TypeError || error instanceof SyntaxError) return undefined
      throw error
    }
  }
  const question = async () =>
    (await tocsin.call('/checkpoints')).body.data[0] as { checkpoint_id: string } | undefined
  const approve = async () => {
    const asked = await question()
    if (asked === undefined) return undefined
    const body = { answer: 'approve', refused_items: refused }
    return await tocsin.call(`/checkpoints/${asked.checkpoint_id}/answer`, { body })
  }

  /** Lets the run end; steps whose outcome nobody knows are skipped, as a person would decide. */
  async function finish(alert: string): Promise<void> {
    await until(async () => {
      await approve()
      const { body: runs } = await tocsin.call(`/runs?alert=${alert}`)
      const uuid = runs.data[0]?.run_uuid as string | undefined
      if (uuid === undefined) return undefined
      const { body: run } = await tocsin.call(`/runs/${uuid}`)
      if (run.ended_at !== null) return true
      for (const { path, state } of run.steps as readonly { path: string; state: string }[])
        if (state === 'unknown')
          await tocsin.call(`/runs/${uuid}/resolve`, { body: { path, decision: 'skip' } })
      return undefined
    })
  }

  it('happen at most once if approved, and never if refused', async () => {
    const random = makeRandom(seed)
    for (let round = 0; round < kills; round++) {
      await tocsin.start()
      if (round === 0)
        intake = (await tocsin.call('/keys', { body: { name: 'alerts', role: 'intake' } })).body.key
      const domains = Array.from({ length: items }, (_, item) => `${item}.round${round}.example`)
      const { body: alert } = await tocsin.call('/alerts', {
        body: {
          alert_provider: 'custom',
          organization_code: 'main',
          alert_type: 'domains',
          alert_content: JSON.stringify({ domains }),
        },
        key: intake,
      })
      await until(question)
      const answering = tried(approve)
      await sleep(random() * 60)
      await tocsin.server.stop('SIGKILL')
      await answering
      await tocsin.start()
      await tried(approve)
      await sleep(random() * 150)
      await tocsin.server.stop('SIGKILL')
      await tocsin.start()
      await finish(alert.alert_id)
      await tocsin.server.stop()
      const made = (await readFile(effects, 'utf8'))
        .split('\n')
        .filter((line) => line.includes(`round${round}`))
      expect(new Set(made).size, `twice: ${made.join()}`).to.equal(made.length)
      for (const item of refused) expect(made).to.not.include(domains[item])
      // At most the call that each kill interrupted is skipped.
      expect(made.length).to.be.within(items - refused.length - 2, items - refused.length)
    }
  })
})
