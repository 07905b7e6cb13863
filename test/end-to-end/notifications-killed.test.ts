import { appendFile, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { eventually } from '../support/eventually.ts'
import { killCommands } from '../support/server/run-tocsin.ts'
import { makeTestTocsin, type TestTocsin } from '../support/server/test-tocsin.ts'

/** Writes each message to a file, because the process that sends it is killed. */
const plugin = (file: string) => `import { appendFileSync } from 'node:fs'
import { definePlugin, defineSkill } from 'tocsin/plugin'
const message = { type: 'object', additionalProperties: false, required: ['text'], properties: { text: { type: 'string' } } }
export default definePlugin({
  name: 'pager', title: 'Pager', description: 'For tests.',
  skills: [
    defineSkill({
      name: 'page', title: 'Page', description: 'Pages somebody.', effect: 'write', repeat: 'never', input: message, output: message,
      examples: [{ title: 'One', input: { text: 'a' }, output: { text: 'a' } }],
      async run({ text }) {
        appendFileSync(${JSON.stringify(file)}, text + '\\n')
        return { text }
      },
    }),
  ],
})`

const playbooks = {
  asking: `apiVersion: tocsin/v1
name: asking
on: { manual: true }
steps:
  - id: sure
    checkpoint: { via: operator, with: { message: Sure? }, answers: [yes], timeout: 1h }
`,
  paging: `apiVersion: tocsin/v1
name: paging
on: { question: { after: 2s } }
steps:
  - uses: pager.page
    with: { text: '\${{ trigger.question.kind }} waits' }
`,
  failing: `apiVersion: tocsin/v1
name: failing
on: { manual: true }
steps: [{ fail: no }]
`,
  'failed-too': `apiVersion: tocsin/v1
name: failed-too
on: { run: { event: failed } }
steps:
  - uses: pager.page
    with: { text: '\${{ trigger.run.playbook }} failed' }
  - fail: no
`,
}

describe('notifications of a server killed with kill -9', function () {
  this.timeout(120_000)
  let tocsin: TestTocsin
  let pages: string
  let cookie: string

  before(async () => {
    tocsin = await makeTestTocsin({ playbooks, plugin: '', env: { TOCSIN_WORKERS: '1' } })
    pages = join(tocsin.folder, 'pages')
    await appendFile(join(tocsin.folder, 'plugin.js'), plugin(pages))
    await appendFile(pages, '')
  })
  after(async () => {
    await killCommands()
    await tocsin?.close()
  })

  async function restart(): Promise<void> {
    await tocsin.server.stop('SIGKILL')
    await tocsin.start()
  }
  const asAnna = async (method: string, path: string, body?: object) => {
    const { url } = tocsin.server
    const answer = await fetch(`${url}/api${path}`, {
      method,
      headers: { cookie, origin: url, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    })
    expect(answer.status).to.equal(200)
    return (await answer.json()) as {
      data: { kind: string; is_read: boolean; count: number }[]
      unread: number
    }
  }
  const startRun = (name: string) =>
    tocsin.call(`/playbooks/${name}/runs`, { body: { organization_code: 'main' } })
  const paged = async () => (await readFile(pages, 'utf8')).trim().split('\n')
  const waitFor = (line: string) =>
    eventually(line, async () => ((await paged()).includes(line) ? true : undefined))

  it('are stored with the question, told once, and stay read; playbooks start once', async () => {
    await tocsin.start()
    const account = { name: 'Anna', email: 'anna@example.com', roles: [{ role: 'analyst' }] }
    const { body } = await tocsin.call('/accounts', { body: account })
    const token = (body.invitation_url as string).split('#')[1]
    const joined = await fetch(`${tocsin.server.url}/api/invitation/accept`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: tocsin.server.url },
      body: JSON.stringify({ token, password: 'correct horse battery staple' }),
    })
    cookie = joined.headers.getSetCookie()[0]?.split(';')[0] ?? ''
    await startRun('asking')
    await eventually('the question', async () =>
      (await tocsin.call('/checkpoints')).body.total === 1 ? true : undefined,
    )
    await restart()
    const told = await asAnna('GET', '/notifications')
    expect(told.data.map(({ kind, count, is_read }) => [kind, count, is_read])).to.deep.equal([
      ['question_asked', 1, false],
    ])
    await waitFor('asking:sure waits')
    await asAnna('POST', '/notifications/read', { until: Date.now() })
    await restart()
    const again = await asAnna('GET', '/notifications')
    expect(again.unread).to.equal(0)
    expect(again.data).to.have.length(1)

    await startRun('failing')
    await waitFor('failing failed')
    await eventually('the end of the run that told of it', async () =>
      (await tocsin.call('/runs?status=failed')).body.total === 2 ? true : undefined,
    )
    await restart()
    await eventually('all events', async () => {
      const { body: runs } = await tocsin.call('/runs?limit=50')
      return runs.data.every(({ status }: { status: string }) => status !== 'queued' && status !== 'running')
        ? true
        : undefined
    })
    expect(await paged(), 'each once, and no run tells of its own failure').to.deep.equal([
      'asking:sure waits',
      'failing failed',
    ])
  })
})
