import { expect } from 'chai'
import { join } from 'node:path'
import type { ServedSandbox } from '../../core/plugin/testing/index.ts'
import { runTocsin } from '../support/server/run-tocsin.ts'
import { startTestTocsin, type TestTocsin } from '../support/server/test-tocsin.ts'

const block = `apiVersion: tocsin/v1
name: block
on: { alert: { type: block } }
steps:
  - id: block
    uses: endpoint_security.create_indicator
    with:
      indicatorValue: '\${{ alert.content }}'
      indicatorType: DomainName
      action: Block
      title: Bad
      description: Named by an alert
`

describe('too many uses of a destructive skill', function () {
  let tocsin: TestTocsin
  let sandbox: ServedSandbox<unknown>

  before(async () => {
    tocsin = await startTestTocsin({
      inProcess: true,
      sandbox: 'endpoint_security',
      playbooks: { block },
      env: { TOCSIN_DESTRUCTIVE_PER_HOUR: '1', TOCSIN_SELF_APPROVAL: 'signed_in' },
    })
    sandbox = tocsin.sandbox as ServedSandbox<unknown>
    expect((await tocsin.connect('endpoint')).status).to.equal(201)
  })
  after(() => tocsin?.close())

  const blocked = () =>
    sandbox.requests.filter(({ method, path }) => method === 'POST' && path.endsWith('/indicators')).length
  const get = async (path: string) => (await tocsin.call(path)).body
  const post = async (content: string) => {
    const body = {
      alert_provider: 'custom',
      organization_code: 'main',
      alert_type: 'block',
      alert_content: content,
    }
    return (await tocsin.call('/alerts', { body })).body.alert_id as string
  }
  async function until<T>(look: () => Promise<T | undefined | false>): Promise<T> {
    for (let n = 0; n < 400; n++) {
      const found = await look()
      if (found !== undefined && found !== false) return found
      await new Promise((resolve) => setTimeout(resolve, 25))
    }
    return expect.fail('it did not come to this')
  }
  /**
   * Created on the machine: a key created by the administrator, who requests the runs here, could not approve
   * anything.
   */
  const keyFor = async (role: string) => {
    const env = { TOCSIN_DATA_DIR: join(tocsin.folder, 'data') }
    const { stdout } = await runTocsin(['keys', 'create', role, '--role', role], { env })
    return /toc_\w{12}_[\w-]{43}/.exec(stdout)?.[0] ?? ''
  }
  const question = () =>
    until(async () => (await get('/checkpoints')).data[0] as { checkpoint_id: string } | undefined)
  const statusOf = async (alert: string) => (await get(`/alerts/${alert}`)).investigation_status as number

  it('wait for an analyst over the API, also across a restart, and run when approved', async () => {
    expect(
      (await tocsin.investigate({ type: 'block', content: 'first.example.com' })).body.investigation_status,
    ).to.equal(15)
    const held = await post('second.example.com')
    const asked = await question()
    expect(asked).to.deep.include({
      via: 'operator',
      path: 'block/@approval',
      alert_id: held,
      answers: [
        { value: 'approve', label: 'Approve this use' },
        { value: 'refuse', label: 'Refuse it' },
      ],
      on_timeout: { fails: true, answer: null },
    })
    expect(asked).to.have.nested.property('input.skill', 'endpoint_security.create_indicator')
    expect(asked).to.have.nested.property('input.input.indicatorValue', 'second.example.com')
    expect(blocked()).to.equal(1)
    const { case_id: caseId } = await get(`/alerts/${held}`)
    expect((await get(`/cases/${caseId}`)).timeline.at(-1).text).to.equal(
      'endpoint_security.create_indicator waits for an approval of 1 blocking action: 1 blocking action within the last hour in this ' +
        'organization; the limit without approval is 1 per hour.',
    )
    const { destructive } = await get('/engine')
    expect(destructive).to.deep.equal([
      {
        organization_code: 'main',
        class: 'blocking',
        uses: 1,
        limit: 1,
        remaining: 0,
        held: 1,
      },
    ])

    await tocsin.restart()
    const path = `/checkpoints/${asked.checkpoint_id}/answer`
    expect(
      (await tocsin.call(path, { body: { answer: 'approve' }, key: await keyFor('reader') })).status,
    ).to.equal(403)
    expect((await tocsin.call(path, { body: { answer: 'yes' } })).status).to.equal(400)
    expect(blocked()).to.equal(1)
    const analyst = await keyFor('analyst')
    const answered = await tocsin.call(path, { body: { answer: 'approve', text: 'seen' }, key: analyst })
    expect(answered.body).to.include({ outcome: 'accepted' })
    await until(async () => (await statusOf(held)) === 15)
    expect(blocked()).to.equal(2)

    const audit = (await get('/audit?limit=200')).data.toReversed()
    const told = audit
      .filter(({ action }: { action: string }) => /^(skill|checkpoint)\./.test(action))
      .slice(2)
    expect(told.map(({ action, actor }: any) => [action, actor.kind])).to.deep.equal([
      ['skill.held', 'run'],
      ['checkpoint.answered', 'api_key'],
      ['skill.called', 'run'],
      ['skill.ended', 'run'],
    ])
    expect(told[1]).to.deep.include({ actor: { kind: 'api_key', id: told[1].actor.id, name: 'analyst' } })
    expect(told[1].details).to.include({ answer: 'approve' })
  })

  it('fail the step if refused, and name the responder', async () => {
    const held = await post('third.example.com')
    const { checkpoint_id: id } = await question()
    await tocsin.call(`/checkpoints/${id}/answer`, { body: { answer: 'refuse' } })
    await until(async () => (await statusOf(held)) === 20)
    const [run] = (await get(`/runs?alert=${held}`)).data
    expect(run.error).to.include({ code: 'use_refused' })
    expect(run.error.message).to.include('bootstrap refused this use')
    expect(blocked()).to.equal(2)
  })

  it('are asked about again when the run is retried', async () => {
    const [failed] = (await get('/runs')).data
    const preview = await get(`/runs/${failed.run_uuid}/retry`)
    expect(preview.repeats, 'nothing of it took effect').to.deep.equal([])
    expect((await tocsin.call(`/runs/${failed.run_uuid}/retry`, { body: {} })).status).to.equal(201)
    const { checkpoint_id: id } = await question()
    expect(blocked()).to.equal(2)
    const approve = { body: { answer: 'approve' } }
    await tocsin.call(`/checkpoints/${id}/answer`, { ...approve, key: await keyFor('analyst') })
    await until(async () => (await statusOf(failed.alert_id)) === 15)
    expect(blocked()).to.equal(3)
  })

  it("need the approval of another key than the requester's, or of its earlier session if TOCSIN_SELF_APPROVAL allows it", async () => {
    const own = await keyFor('analyst')
    const signIn = async () => {
      const signedIn = await tocsin.call('/session', { key: '', body: { api_key: own } })
      return signedIn.headers.get('set-cookie')?.split(';')[0] ?? ''
    }
    const early = await signIn()
    const before = blocked()
    const held = async (key: string) => {
      const body = {
        alert_provider: 'custom',
        organization_code: 'main',
        alert_type: 'block',
        alert_content: 'own.example.com',
      }
      const alert = (await tocsin.call('/alerts', { key, body })).body.alert_id as string
      return { alert, id: (await question()).checkpoint_id }
    }
    const approve = { answer: 'approve' }
    const first = await held(own)
    const path = `/checkpoints/${first.id}/answer`
    const refused = await tocsin.call(path, { key: own, body: approve })
    expect([refused.status, refused.body.code]).to.deep.equal([403, 'approval_by_requester'])
    const preview = await tocsin.call('/checkpoints/answer/preview', {
      key: own,
      body: { checkpoints: [first.id] },
    })
    const many = { checkpoints: [first.id], seen: preview.body.seen, ...approve }
    expect((await tocsin.call('/checkpoints/answer', { key: own, body: many })).body.code).to.equal(
      'approval_by_requester',
    )
    expect(blocked()).to.equal(before)
    expect((await tocsin.call(path, { key: await keyFor('analyst'), body: approve })).body.outcome).to.equal(
      'accepted',
    )
    await until(async () => (await statusOf(first.alert)) === 15)

    const second = await held(own)
    const refuse = { key: own, body: { answer: 'refuse' } }
    expect((await tocsin.call(`/checkpoints/${second.id}/answer`, refuse)).body.outcome).to.equal('accepted')
    await until(async () => (await statusOf(second.alert)) === 20)
    const [failed] = (await get(`/runs?alert=${second.alert}`)).data
    await tocsin.call(`/runs/${failed.run_uuid}/retry`, { key: await keyFor('admin'), body: {} })
    const again = `/checkpoints/${(await question()).checkpoint_id}/answer`
    expect((await tocsin.call(again, { key: own, body: approve })).status, 'retried by another').to.equal(403)

    const late = await tocsin.call(again, { body: approve, headers: { cookie: await signIn() } })
    expect([late.status, late.body.code], 'the same program').to.deep.equal([403, 'approval_by_requester'])
    const answered = await tocsin.call(again, { body: approve, headers: { cookie: early } })
    expect(answered.body.outcome, JSON.stringify(answered.body)).to.equal('accepted')
    await until(async () => (await statusOf(second.alert)) === 15)
    expect(blocked()).to.equal(before + 2)
  })

  it('can be approved together after a preview of each', async () => {
    const before = blocked()
    const held = [await post('a.example.com'), await post('b.example.com'), await post('a.example.com')]
    const kind = 'approval:endpoint_security.create_indicator'
    const checkpoints = await until(async () => {
      const { data, total } = await get(`/checkpoints?kind=${encodeURIComponent(kind)}&sort=created_at`)
      return total === 3 && data.map((row: any) => row.checkpoint_id as string)
    })
    const preview = { body: { filter: { kind, organization_code: 'main' } } }
    const { seen, targets, data } = (await tocsin.call('/checkpoints/answer/preview', preview)).body
    expect(data.map((row: any) => row.checkpoint_id)).to.deep.equal(checkpoints)
    expect(targets.map(({ count }: any) => count)).to.deep.equal([2, 1])
    expect(targets[0].target).to.equal(
      'indicatorValue: "a.example.com", indicatorType: "DomainName", action: "Block"',
    )
    const answer = { key: await keyFor('analyst'), body: { checkpoints, seen, answer: 'approve' } }
    const { body } = await tocsin.call('/checkpoints/answer', answer)
    expect(body.data.map(({ outcome }: any) => outcome)).to.deep.equal(['accepted', 'accepted', 'accepted'])
    for (const alert of held) await until(async () => (await statusOf(alert)) === 15)
    expect(blocked() - before).to.equal(3)
    const { case_id: caseId } = await get(`/alerts/${held[1]}`)
    const { timeline } = await get(`/cases/${caseId}`)
    expect(timeline.map(({ text }: any) => text)).to.satisfy((texts: string[]) =>
      texts.some((text) => text.startsWith("answered 'Approve this use', with 2 more of its kind, to: ")),
    )
  })
})
