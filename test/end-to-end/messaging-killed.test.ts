import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { parseJson } from '../../core/common/json.ts'
import type { JsonObject, RunningSandbox } from '../../core/plugin/index.ts'
import { loadSandbox } from '../../core/registry/load-sandbox.ts'
import type { MessagingSandbox } from '../../plugins/messaging/sandbox.ts'
import type { SandboxMessage } from '../../plugins/messaging/sandbox/messages/show-message.ts'
import { SqliteConnection } from '../../server/sqlite/database/connection.ts'
import { killCommands } from '../support/server/run-tocsin.ts'
import { startServer, type RunningServer } from '../support/server/start-server.ts'
import { eventually } from '../support/eventually.ts'
import { makeTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts'
import { connectionTo } from '../support/server/test-tocsin.ts'

const ana = { email: 'ana.silva@example.com', id: 'U0ANASILVA' }
const chen = 'U0CHENWEI'

const playbook = `apiVersion: tocsin/v1
name: ask
on: { manual: true }
inputs:
  within: { type: duration, default: 1h }
steps:
  - id: confirm
    checkpoint:
      via: messaging.checkpoint
      with: { user: ${ana.email}, message: Was this you?, labels: { mine: 'Yes, me' } }
      answers: [mine, not_mine]
      timeout: \${{ inputs.within }}
      on_timeout: no_reply
  - return: \${{ steps.confirm.output.answer }}
`

/**
 * A separate process that is killed (SIGKILL) between the question and the click; the other system keeps
 * using the same address.
 */
describe('a click on a question whose process was killed', function () {
  this.timeout(60_000)
  let folder: TemporaryFolder
  let sandbox: RunningSandbox
  let server: RunningServer
  let port = '0'
  let known: { readonly adminKey?: string } = {}

  const start = async () => {
    server = await startServer({
      cwd: folder.path,
      dataDir: 'data',
      ...known,
      env: { TOCSIN_PORT: port, TOCSIN_ALLOW_PRIVATE_EGRESS: new URL(sandbox.url).host },
    })
    port = new URL(server.url).port
    known = { adminKey: server.adminKey }
  }
  /** @param meanwhile changes the data while no process runs */
  const killAndStart = async (meanwhile?: (database: SqliteConnection) => void) => {
    await server.stop('SIGKILL')
    if (meanwhile !== undefined) {
      const database = new SqliteConnection(join(folder.path, 'data/tocsin.db'))
      meanwhile(database)
      database.close()
    }
    await start()
  }

  before(async () => {
    folder = await makeTemporaryFolder()
    await mkdir(join(folder.path, 'playbooks'))
    await writeFile(join(folder.path, 'playbooks/ask.yaml'), playbook)
    const definition = await loadSandbox(
      { pluginsDir: join(import.meta.dirname, '../../plugins') },
      'messaging',
    )
    sandbox = await definition!.start()
    await start()
  })
  after(async () => {
    await killCommands()
    await sandbox?.close()
    await folder?.remove()
  })
  const connect = async () => {
    const made = await server.call('/connections', { body: connectionTo(sandbox, 'chat', 'messaging') })
    expect(made.status, JSON.stringify(made.body)).to.equal(201)
    await subscribe()
  }
  const disconnect = () => server.call('/connections/chat', { method: 'DELETE' })

  const { people, workspace } = {
    people: () => (sandbox as MessagingSandbox).controls.callbacks,
    workspace: () => (sandbox as MessagingSandbox).controls.workspace,
  }

  async function subscribe(name = 'chat'): Promise<void> {
    const { settings } = (await server.call(`/connections/${name}/manifest`)).body
    const { event_subscriptions: events, interactivity: interactions } = settings
    await people().subscribe({ events: events.request_url, interactions: interactions.request_url })
  }

  interface Asked {
    readonly run: string
    readonly checkpoint: string
    readonly message: SandboxMessage
  }

  async function ask(within = '1h'): Promise<Asked> {
    const before = workspace().messages.length
    const body = { organization_code: 'main', inputs: { within } }
    const run: string = (await server.call('/playbooks/ask/runs', { body })).body.run_uuid
    const message = await eventually('the question', () => workspace().messages[before])
    const checkpoint = await eventually('the checkpoint that knows its message', async () => {
      const { data } = (await server.call(`/checkpoints?run=${run}`)).body
      return data.find((row: any) => row.reference !== null)?.checkpoint_id as string | undefined
    })
    return { run, checkpoint, message }
  }
  const runOf = async (uuid: string) => (await server.call(`/runs/${uuid}`)).body
  const ended = (uuid: string) =>
    eventually('the end of the run', async () => {
      const run = await runOf(uuid)
      return ['queued', 'running', 'waiting'].includes(run.status) ? undefined : run
    })
  const outcomesOf = async (checkpoint: string): Promise<string[]> =>
    (await server.call(`/checkpoints/${checkpoint}`)).body.given.map((one: any) => one.outcome)

  describe('with many open questions', () => {
    let asked: Readonly<Record<(typeof names)[number], Asked>>
    const names = [
      'plain',
      'taken',
      'twice',
      'stranger',
      'again',
      'same',
      'forged',
      'foreign',
      'burst',
      'ended',
    ] as const
    let click: JsonObject
    let clickedAt: number

    before(async () => {
      await connect()
      const all: [string, Asked][] = []
      for (const name of names) all.push([name, await ask()])
      asked = Object.fromEntries(all) as typeof asked
      await server.call('/connections', { body: connectionTo(sandbox, 'other', 'messaging') })
      expect((await people().click(asked.taken.message, 'Yes, me')).status).to.equal(200)
      await people().click(asked.twice.message, 'not_mine')
      await people().click(asked.stranger.message, 'Yes, me', chen)
      clickedAt = Date.now()
      let sent = ''
      const alter = (body: string) => (sent = body)
      await people().click(asked.again.message, 'Yes, me', undefined, { nowMs: clickedAt, alter })
      click = parseJson(new URLSearchParams(sent).get('payload') ?? '') as JsonObject
      await server.call(`/runs/${asked.ended.run}/cancel`, { method: 'POST', body: {} })
      await killAndStart()
    })
    after(async () => {
      await server.call('/connections/other', { method: 'DELETE' })
      await disconnect()
    })
    beforeEach(() => subscribe())

    it('resumes the run', async () => {
      const { run, message } = asked.plain
      expect(await people().click(message, 'Yes, me')).to.deep.equal({ status: 200, body: '' })
      expect(await ended(run)).to.include({ status: 'completed', output: 'mine' })
    })

    it('counts even if the process is killed right after receiving it', async () => {
      const { run, checkpoint } = asked.taken
      expect(await ended(run)).to.include({ status: 'completed', output: 'mine' })
      expect(await outcomesOf(checkpoint)).to.deep.equal(['accepted'])
    })

    it('counts once, and a second one changes nothing', async () => {
      const { run, checkpoint, message } = asked.twice
      await people().click(message, 'Yes, me')
      expect((await ended(run)).output).to.equal('not_mine')
      expect(await outcomesOf(checkpoint)).to.deep.equal(['accepted', 'second'])
    })

    it('counts from no other person', async () => {
      const { run, checkpoint, message } = asked.stranger
      await people().click(message, 'not_mine', chen)
      expect(await outcomesOf(checkpoint)).to.deep.equal(['not_asked', 'not_asked'])
      expect((await runOf(run)).status).to.equal('waiting')
      await people().click(message, 'not_mine')
      expect((await ended(run)).output).to.equal('not_mine')
    })

    it('has no effect if sent again byte for byte', async () => {
      const { run, checkpoint } = asked.again
      expect((await ended(run)).output).to.equal('mine')
      const again = await people().send('interactions', click, { nowMs: clickedAt })
      expect(again.status).to.equal(200)
      expect(await outcomesOf(checkpoint)).to.deep.equal(['accepted'])
      expect((await runOf(asked.same.run)).status, 'of the same person').to.equal('waiting')
    })

    it('is refused if stale, altered, signed with another secret or sent with another token', async () => {
      const { run, checkpoint, message } = asked.forged
      for (const wrong of [
        { nowMs: Date.now() - 301_000 },
        { alter: (body: string) => body.replace('not_mine', 'mine') },
        { signingSecret: 'f'.repeat(32) },
      ])
        expect((await people().click(message, 'not_mine', undefined, wrong)).status).to.equal(401)
      const { settings } = (await server.call('/connections/chat/manifest')).body
      const interactions = settings.interactivity.request_url.replace(/.$/, (end: string) =>
        end === 'A' ? 'B' : 'A',
      )
      await people().subscribe({ events: settings.event_subscriptions.request_url, interactions })
      expect((await people().click(message, 'not_mine')).status).to.equal(401)
      expect(await outcomesOf(checkpoint)).to.deep.equal([])
      expect((await runOf(run)).status).to.equal('waiting')
    })

    it('has no effect over another connection or for an unknown question', async () => {
      const { run, checkpoint, message } = asked.foreign
      await subscribe('other')
      expect((await people().click(message, 'Yes, me')).status).to.equal(200)
      expect(await outcomesOf(checkpoint)).to.deep.equal([])
      await subscribe()
      const unknown = JSON.parse(
        JSON.stringify(message).replaceAll(checkpoint, 'A'.repeat(checkpoint.length)),
      ) as SandboxMessage
      expect((await people().click(unknown, 'Yes, me')).status).to.equal(200)
      expect((await runOf(run)).status).to.equal('waiting')
    })

    it('has one winner in a burst', async () => {
      const { run, checkpoint, message } = asked.burst
      const labels = Array.from({ length: 24 }, (_, n) => (n % 2 === 0 ? 'Yes, me' : 'not_mine'))
      const replies = await Promise.all(labels.map((label) => people().click(message, label)))
      expect([...new Set(replies.map(({ status }) => status))]).to.deep.equal([200])
      const outcomes = await outcomesOf(checkpoint)
      // A second press of the same button by the same person counts as the same click.
      expect(outcomes).to.deep.equal(['accepted', 'second'])
      const { checkpoint: decided } = (await server.call(`/checkpoints/${checkpoint}`)).body
      expect((await ended(run)).output).to.equal(decided.answer.value)
    })

    it('does not change a cancelled run', async () => {
      const { run, checkpoint, message } = asked.ended
      expect((await ended(run)).status).to.equal('cancelled')
      await people().click(message, 'Yes, me')
      expect(await outcomesOf(checkpoint)).to.deep.equal(['late'])
      expect((await runOf(run)).status).to.equal('cancelled')
    })
  })

  describe('with other changes', () => {
    beforeEach(connect)
    afterEach(disconnect)

    it('is too late if the timeout passed while no process ran', async () => {
      const { run, checkpoint, message } = await ask('2s')
      await killAndStart(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2_100))
      await people().click(message, 'Yes, me')
      expect(await ended(run)).to.include({ status: 'completed', output: 'no_reply' })
      expect(await outcomesOf(checkpoint)).to.deep.equal(['late'])
    })

    it('is kept while the engine is paused, and the run continues after it is resumed', async () => {
      const { run, checkpoint, message } = await ask()
      await server.call('/engine/pause', { body: { reason: 'x' } })
      await killAndStart()
      expect((await people().click(message, 'Yes, me')).status).to.equal(200)
      expect(await outcomesOf(checkpoint)).to.deep.equal(['accepted'])
      expect(await runOf(run)).to.include({ ended_at: null })
      await killAndStart()
      expect((await server.call('/engine')).body.state).to.equal('paused')
      await server.call('/engine/resume', { method: 'POST', body: {} })
      expect(await ended(run)).to.include({ status: 'completed', output: 'mine' })
    })

    it('counts while its run is watched after crashes', async () => {
      const { run, message } = await ask()
      // The state of a run that was active in two crashes.
      await killAndStart((database) =>
        database.run('UPDATE runs SET wake_at = NULL, crashes = 1 WHERE uuid = ?', run),
      )
      expect((await people().click(message, 'Yes, me')).status).to.equal(200)
      expect(await ended(run)).to.include({ status: 'completed', output: 'mine' })
    })

    it('is refused while its connection is disabled, and for good once it is deleted', async () => {
      const { run, checkpoint, message } = await ask('8s')
      const patch = (body: object) => server.call('/connections/chat', { method: 'PATCH', body })
      expect((await patch({ enabled: false })).status).to.equal(200)
      await killAndStart()
      expect((await people().click(message, 'Yes, me')).status).to.equal(401)
      await patch({ enabled: true })
      expect((await people().click(message, 'Yes, me', chen)).status).to.equal(200)
      await server.call('/connections/chat', { method: 'DELETE' })
      await killAndStart()
      expect((await people().click(message, 'Yes, me')).status).to.equal(401)
      expect(await outcomesOf(checkpoint)).to.deep.equal(['not_asked'])
      expect(await ended(run)).to.include({ status: 'completed', output: 'no_reply' })
    })

    it('needs the new signing secret after a change', async () => {
      const { run, message } = await ask()
      const changed = 'a'.repeat(32)
      const { body } = await server.call('/connections/chat', {
        method: 'PATCH',
        body: { settings: { signing_secret: changed } },
      })
      expect(body.code, JSON.stringify(body)).to.equal(undefined)
      await killAndStart()
      expect((await people().click(message, 'Yes, me')).status).to.equal(401)
      expect((await runOf(run)).status).to.equal('waiting')
      expect(
        (await people().click(message, 'Yes, me', undefined, { signingSecret: changed })).status,
      ).to.equal(200)
      expect(await ended(run)).to.include({ status: 'completed', output: 'mine' })
    })
  })
})
