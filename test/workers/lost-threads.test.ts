import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { eventually } from '../support/eventually.ts'
import { makeTestTocsin, type TestTocsin } from '../support/server/test-tocsin.ts'

/** Each skill records its effect in a file, and the first call of each ends its thread at one point. */
const plugin = `
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { setImmediate as turn } from 'node:timers/promises'
const has = (file, line) => existsSync(file) && readFileSync(file, 'utf8').split('\\n').includes(line)
const skill = (repeat, point) => {
  const name = repeat + '_' + point
  const dieAt = async (here) => {
    await turn()
    dieNow(here)
  }
  const dieNow = (here) => {
    if (here !== point || has('deaths', name)) return
    appendFileSync('deaths', name + '\\n')
    process.exit(1)
  }
  return {
    name, title: name, description: 'Tried out.', effect: 'write', repeat,
    input: { type: 'object', additionalProperties: false, properties: {} }, output: { type: 'object' },
    examples: [{ title: 'One', input: {}, output: {} }],
    ...(repeat === 'verify' && { verify: async () => (has('effects', name) ? {} : undefined) }),
    async run() {
      await dieAt('before')
      appendFileSync('effects', name + '\\n')
      await dieAt('after')
      // The result never leaves the thread: messages are posted at the end of the turn.
      if (point === 'returned') process.nextTick(() => void dieNow('returned'))
      return {}
    },
  }
}
export default {
  name: 'mortal', title: 'Mortal', description: 'Ends its thread.',
  skills: ['safe', 'verify', 'never'].flatMap((repeat) => ['before', 'after', 'returned'].map((point) => skill(repeat, point))),
}
`
const skills = ['safe', 'verify', 'never'].flatMap((repeat) =>
  ['before', 'after', 'returned'].map((point) => `${repeat}_${point}`),
)

describe('runs whose skills end their worker threads', () => {
  let server: TestTocsin
  afterEach(() => server.close())

  it('continue according to the retry class of each skill, concurrently', async function () {
    this.timeout(60_000)
    server = await makeTestTocsin({ plugin, env: { TOCSIN_WORKERS: '2' } })
    const retry = 'retry: { max: 5, backoff: 10ms }'
    for (const skill of skills)
      await server.addPlaybook(skill.replace('_', '-'), `  - { id: act, uses: mortal.${skill}, ${retry} }`)
    await server.start()
    await Promise.all(skills.map((skill) => server.post(skill.replace('_', '-'))))
    const runs = await eventually('all runs ended or wait for a person', async () => {
      const { body } = await server.call('/runs')
      const settled = body.data.filter(({ status }: any) =>
        ['completed', 'waiting', 'failed'].includes(status),
      )
      return settled.length === skills.length ? settled : undefined
    })
    const statusOf = Object.fromEntries(runs.map((run: any) => [run.playbook.replace('-', '_'), run.status]))
    const effects = (await readFile(join(server.folder, 'effects'), 'utf8')).trim().split('\n')
    const countOf = (skill: string) => effects.filter((each) => each === skill).length
    expect(statusOf).to.deep.equal({
      safe_before: 'completed',
      safe_after: 'completed',
      safe_returned: 'completed',
      verify_before: 'completed',
      verify_after: 'completed',
      verify_returned: 'completed',
      never_before: 'waiting',
      never_after: 'waiting',
      never_returned: 'waiting',
    })
    for (const skill of skills) {
      const count = countOf(skill)
      if (skill.startsWith('verify')) expect(count, skill).to.equal(1)
      // A call that was in the thread when another skill ended it may not have happened.
      else if (skill.startsWith('never')) expect(count, skill).to.be.at.most(1)
      else expect(count, skill).to.be.at.least(1)
    }
    expect(countOf('never_before')).to.equal(0)
  })
})
