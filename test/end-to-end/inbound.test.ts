import { expect } from 'chai'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { killCommands } from '../support/server/run-tocsin.ts'
import type { DoorbellEvent } from './support/doorbell-plugin.ts'
import { openHouse, signingSecret, until, type House, type SendOptions } from './support/doorbell-house.ts'

/** A run asks over a connection, and a person answers over HTTP, using a plugin made for this test. */
describe('an inbound answer over a connection', function () {
  this.timeout(60_000)
  let house: House
  before(async () => {
    house = await openHouse()
  })
  after(async () => {
    await house.close()
    await killCommands()
  })

  const click = (checkpoint: string, user: string, changes: Partial<DoorbellEvent> = {}): DoorbellEvent => ({
    type: 'click',
    checkpoint_id: checkpoint,
    user,
    value: 'It was me',
    ...changes,
  })
  const problemOf = async (response: Response) => {
    const { request_id: _, ...problem } = (await response.json()) as Record<string, unknown>
    return { http: response.status, ...problem }
  }
  const refused = { http: 401, code: 'webhook_refused' }
  const stateOf = async (checkpoint: string) => {
    const { body } = await house.call(`/checkpoints/${checkpoint}`)
    return body.checkpoint.state as string
  }
  const refusals = (ring: string) =>
    house
      .heard('refuse')
      .filter(({ body }) => body.ring === ring)
      .map(({ body }) => [body.by, body.reason])
  const ringOf = async (checkpoint: string): Promise<string> => {
    const { body } = await house.call(`/checkpoints/${checkpoint}`)
    return body.checkpoint.reference.ring
  }

  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    it(`resumes a run that waited through a restart (${signal})`, async () => {
      const { run, checkpoint } = await house.ask({ door: `kim-${signal}` })
      await house.restart(signal)
      expect(await stateOf(checkpoint)).to.equal('waiting')
      const response = await house.send(click(checkpoint, `U-kim-${signal}`))
      expect([response.status, await response.text()]).to.deep.equal([200, ''])
      expect(await house.ended(run)).to.deep.include({
        status: 'completed',
        output: { said: 'It was me', by: `U-kim-${signal}` },
      })
      const settled = house.heard('settle').filter(({ body }) => body.asked === `U-kim-${signal}`)
      expect(settled.map(({ body }) => [body.state, body.value])).to.deep.equal([['answered', 'It was me']])
    })
  }

  it('counts once: a second click is recorded without effect and explained after the reply', async () => {
    const { run, checkpoint } = await house.ask({ door: 'a' })
    await house.send(click(checkpoint, 'U-a'))
    const second = await house.send(click(checkpoint, 'U-a', { value: 'not me' }))
    expect(second.status).to.equal(200)
    expect((await house.ended(run)).output).to.deep.equal({ said: 'It was me', by: 'U-a' })
    expect(await house.given(checkpoint)).to.deep.equal([
      ['U-a', 'accepted'],
      ['U-a', 'second'],
    ])
    const ring = await ringOf(checkpoint)
    await until(() => (refusals(ring).length > 0 ? true : undefined))
    expect(refusals(ring)).to.deep.equal([['U-a', 'second']])
  })

  it('counts only from the asked person, and tells anyone else so once', async () => {
    const { run, checkpoint } = await house.ask({ door: 'b' })
    for (const user of ['U-eve', 'u-b', 'U-b ', 'U-eve']) {
      expect((await house.send(click(checkpoint, user))).status).to.equal(200)
    }
    expect(await stateOf(checkpoint)).to.equal('waiting')
    await house.send(click(checkpoint, 'U-b', { value: 'not me' }))
    expect((await house.ended(run)).output).to.deep.equal({ said: 'not me', by: 'U-b' })
    const outcomes = (await house.given(checkpoint)).map(([, outcome]) => outcome)
    expect(outcomes).to.deep.equal(['not_asked', 'not_asked', 'not_asked', 'not_asked', 'accepted'])
    const ring = await ringOf(checkpoint)
    await until(() => (refusals(ring).length >= 3 ? true : undefined))
    expect(refusals(ring)).to.have.deep.members([
      ['U-b ', 'not_asked'],
      ['U-eve', 'not_asked'],
      ['u-b', 'not_asked'],
    ])
  })

  it('is one of the answers of the question', async () => {
    const { run, checkpoint } = await house.ask({ door: 'c' })
    for (const value of ['it was me', '', 'nobody', '__proto__']) {
      expect((await house.send(click(checkpoint, 'U-c', { value }))).status).to.equal(200)
    }
    expect(await stateOf(checkpoint)).to.equal('waiting')
    expect((await house.given(checkpoint)).map(([, outcome]) => outcome)).to.deep.equal(
      Array(4).fill('not_an_answer'),
    )
    await house.send(click(checkpoint, 'U-c'))
    expect((await house.ended(run)).status).to.equal('completed')
  })

  it('after the timeout is recorded and explained, without effect', async () => {
    const { run, checkpoint } = await house.ask({ door: 'd', timeout: '300ms' })
    expect((await house.ended(run)).output).to.deep.equal({ said: 'nobody', by: null })
    const settled = house.heard('settle').filter(({ body }) => body.asked === 'U-d')
    expect(settled.map(({ body }) => body.state)).to.deep.equal(['timed_out'])
    expect((await house.send(click(checkpoint, 'U-d'))).status).to.equal(200)
    expect(await house.given(checkpoint)).to.deep.equal([['U-d', 'late']])
    expect((await house.call(`/runs/${run}`)).body.output.said).to.equal('nobody')
    const ring = await ringOf(checkpoint)
    await until(() => (refusals(ring).length > 0 ? true : undefined))
    expect(refusals(ring)).to.deep.equal([['U-d', 'late']])
  })

  it('and the timeout have one winner at any time', async () => {
    const runs = await Promise.all(
      Array.from({ length: 16 }, async (_, index) => {
        const door = `race-${index}`
        const asked = await house.ask({ door, timeout: '1500ms' })
        const { body } = await house.call(`/checkpoints/${asked.checkpoint}`)
        const at = body.checkpoint.timeout_at + (index - 8) * 4
        await new Promise((resolve) => setTimeout(resolve, Math.max(0, at - Date.now())))
        const both = await Promise.all([
          house.send(click(asked.checkpoint, `U-${door}`)),
          house.send(click(asked.checkpoint, `U-${door}`, { value: 'not me' })),
        ])
        expect(both.map(({ status }) => status)).to.deep.equal([200, 200])
        return asked
      }),
    )
    for (const { run, checkpoint } of runs) {
      const { said } = (await house.ended(run)).output
      const { body } = await house.call(`/checkpoints/${checkpoint}`)
      const outcomes = (await house.given(checkpoint)).map(([, outcome]) => outcome).toSorted()
      if (said === 'nobody') {
        expect([body.checkpoint.state, ...outcomes]).to.deep.equal(['timed_out', 'late', 'late'])
      } else {
        expect([body.checkpoint.state, body.checkpoint.answer.value]).to.deep.equal(['answered', said])
        expect(outcomes).to.deep.equal(['accepted', 'second'])
      }
    }
  })

  it('is preceded by reminders', async () => {
    const { run, checkpoint } = await house.ask({ door: 'f', remind: '200ms' })
    await until(() => house.heard('remind').find(({ body }) => body.asked === 'U-f'))
    await house.send(click(checkpoint, 'U-f'))
    expect((await house.ended(run)).status).to.equal('completed')
    expect(house.heard('remind').filter(({ body }) => body.asked === 'U-f')).to.have.length(1)
  })

  describe('as a text', () => {
    const say = (user: string, text: string, ref?: DoorbellEvent['ref']) =>
      house.send({ type: 'text', user, text, ...(ref && { ref }) })

    it('is matched to the open question regardless of case and spaces', async () => {
      const { run, checkpoint } = await house.ask({ door: 'g' })
      await say('U-other', 'it was me')
      await say('U-g', 'what do you mean?')
      expect(await stateOf(checkpoint)).to.equal('waiting')
      await say('U-g', ' it  WAS me\n')
      expect((await house.ended(run)).output).to.deep.equal({ said: 'It was me', by: 'U-g' })
      expect(await house.given(checkpoint)).to.deep.equal([
        ['U-g', 'not_an_answer'],
        ['U-g', 'accepted'],
      ])
    })

    it('is matched to none of several questions, except by the message it replies to', async () => {
      const [one, two] = [await house.ask({ door: 'h' }), await house.ask({ door: 'h' })]
      await say('U-h', 'not me')
      expect([await stateOf(one.checkpoint), await stateOf(two.checkpoint)]).to.deep.equal([
        'waiting',
        'waiting',
      ])
      expect(await house.given(two.checkpoint)).to.deep.equal([['U-h', 'ambiguous']])
      await say('U-h', 'not me', { ring: await ringOf(one.checkpoint) })
      expect((await house.ended(one.run)).output.said).to.equal('not me')
      expect(await stateOf(two.checkpoint)).to.equal('waiting')
      await say('U-h', 'it was me')
      expect((await house.ended(two.run)).output.said).to.equal('It was me')
    })

    it('after the end is explained if it could be an answer, and ignored otherwise', async () => {
      const { run, checkpoint } = await house.ask({ door: 'i' })
      await say('U-i', 'not me')
      await house.ended(run)
      await say('U-i', 'thanks')
      await say('U-i', 'it was me')
      expect((await house.given(checkpoint)).map(([, outcome]) => outcome)).to.deep.equal([
        'accepted',
        'second',
      ])
    })
  })

  describe('that is not authenticated', () => {
    let asked: { readonly run: string; readonly checkpoint: string }
    before(async () => {
      asked = await house.ask({ door: 'z' })
    })
    const attempts: Readonly<Record<string, () => Promise<SendOptions> | SendOptions>> = {
      'with the signature of another secret': () => ({ secret: 'canary-another-secret' }),
      'with a body that was altered': () => ({
        altered: JSON.stringify(click(asked.checkpoint, 'U-z', { value: 'not me' })),
      }),
      'with a blank more than was signed': () => ({
        altered: `${JSON.stringify(click(asked.checkpoint, 'U-z'))} `,
      }),
      'without a signature': () => ({ headers: { 'x-doorbell-signature': '' } }),
      'with an invalid time': () => ({ headers: { 'x-doorbell-time': 'now' } }),
      'signed too long ago': () => ({ age: 302 }),
      'signed too far ahead': () => ({ age: -302 }),
      'with no token': () => ({ token: '' }),
      'with an unknown token': () => ({ token: 'A'.repeat(43) }),
      'with the token of a connection without signing secret': async () => ({
        token: await house.connect('bare', { signing_secret: undefined }),
      }),
      'at the address of another plugin': () => ({ path: '/api/webhooks/http/v1/events' }),
      'at another route': () => ({ path: '/api/webhooks/door-bell/v1/clicks' }),
      'at the name of an inherited field': () => ({ path: '/api/webhooks/door-bell/v1/constructor' }),
      'that is compressed, as it says': () => ({ headers: { 'content-encoding': 'gzip' } }),
      'that is no UTF-8': () => ({ headers: { 'content-type': 'application/json; charset=utf-16' } }),
    }
    for (const [what, options] of Object.entries(attempts)) {
      it(`is refused like every other: ${what}`, async () => {
        const response = await house.send(click(asked.checkpoint, 'U-z'), await options())
        expect(response.headers.get('www-authenticate')).to.equal('EventsToken realm="tocsin"')
        expect(await problemOf(response)).to.deep.equal({
          ...refused,
          type: 'urn:tocsin:error:webhook_refused',
          title: 'The call was refused',
          status: 401,
          detail: 'The call was refused.',
          hint: 'see the log of the server',
        })
        expect(await house.given(asked.checkpoint)).to.deep.equal([])
      })
    }

    it('gets 404 with the token and signature of another connection', async () => {
      const token = await house.connect('back door')
      const response = await house.send(click(asked.checkpoint, 'U-z'), { token })
      expect(response.status, 'well signed, and about nothing of that connection').to.equal(200)
      expect((await house.send({ type: 'text', user: 'U-z', text: 'not me' }, { token })).status).to.equal(
        200,
      )
      expect(await house.given(asked.checkpoint)).to.deep.equal([])
    })

    it('is refused if larger than 1 MB', async () => {
      const large = await house.send(click(asked.checkpoint, 'U-z', { text: 'x'.repeat(1_048_577) }))
      expect(await problemOf(large)).to.include({ http: 413, code: 'body_too_large' })
      expect(await house.given(asked.checkpoint)).to.deep.equal([])
    })

    it('has no effect as a GET', async () => {
      const response = await fetch(
        `${house.server.url}/api/webhooks/door-bell/v1/events?token=${house.token}&checkpoint_id=${asked.checkpoint}`,
      )
      expect(await problemOf(response)).to.include(refused)
      expect(await house.given(asked.checkpoint)).to.deep.equal([])
    })

    it('counts if sent again with a valid proof', async () => {
      expect((await house.send(click(asked.checkpoint, 'U-z'))).status).to.equal(200)
      expect((await house.ended(asked.run)).output.by).to.equal('U-z')
    })
  })

  it('has no effect if sent again, even after a restart', async () => {
    const { run, checkpoint } = await house.ask({ door: 'k' })
    const event = click(checkpoint, 'U-k', { event_id: 'Ev-k' })
    expect((await house.send(event)).status).to.equal(200)
    expect((await house.send(event)).status, 'at once').to.equal(200)
    await house.ended(run)
    await house.restart('SIGKILL')
    expect((await house.send(event)).status, 'after a restart').to.equal(200)
    expect(await house.given(checkpoint)).to.deep.equal([['U-k', 'accepted']])
  })

  it('returns the challenge of the other system as text, with the same proof', async () => {
    const response = await house.send({ type: 'challenge', challenge: '<b>3eZ</b>' })
    expect(response.headers.get('content-type')).to.equal('text/plain; charset=utf-8')
    expect(response.headers.get('x-content-type-options')).to.equal('nosniff')
    expect([response.status, await response.text()]).to.deep.equal([200, '<b>3eZ</b>'])
    const unproven = await house.send({ type: 'challenge', challenge: '3eZ' }, { secret: 'another' })
    expect(await problemOf(unproven)).to.include(refused)
  })

  it('is refused and logged without secrets if the plugin cannot read it', async () => {
    expect(await problemOf(await house.send({ type: 'bug' }))).to.include(refused)
  })

  it('can mark the connection as broken: steps fail with the reason until it is fixed', async () => {
    const get = async () => (await house.call('/connections/front%20door')).body
    await house.send({ type: 'busy' })
    await house.send({ type: 'revoked' })
    const { broken, warnings } = await get()
    expect([broken.reason, warnings[0].reason]).to.deep.equal([
      'the token was revoked',
      'the doorbell rings too often',
    ])
    const body = { organization_code: 'main', inputs: {} }
    const { body: started } = await house.call('/playbooks/who-rings/runs', { body })
    const failed = await house.ended(started.run_uuid)
    expect(failed.error).to.deep.include({
      code: 'connection_broken',
      message: "connection 'front door' cannot be used: the token was revoked",
      hint: 'fix it, then test the connection or enter its credentials again',
    })
    expect((await house.call('/connections/front%20door/authenticate', { method: 'POST' })).status).to.equal(
      200,
    )
    expect(await get()).to.deep.include({ broken: null, warnings: [] })
    const { run, checkpoint } = await house.ask({ door: 'l' })
    await house.send(click(checkpoint, 'U-l'))
    expect((await house.ended(run)).status).to.equal('completed')
  })

  it('is refused while the connection is disabled', async () => {
    const { run, checkpoint } = await house.ask({ door: 'm' })
    const enable = (enabled: boolean) =>
      house.call('/connections/front%20door', { method: 'PATCH', body: { enabled } })
    await enable(false)
    expect(await problemOf(await house.send(click(checkpoint, 'U-m')))).to.include(refused)
    await enable(true)
    expect((await house.send(click(checkpoint, 'U-m'))).status).to.equal(200)
    expect((await house.ended(run)).status).to.equal('completed')
  })

  it('leaves its token in no file, and in no response except the manifest', async () => {
    const names = await readdir(house.dataDir)
    expect(names).to.include('tocsin.db-wal')
    for (const name of names) {
      const content = await readFile(join(house.dataDir, name))
      for (const secret of [house.token, signingSecret])
        expect(content.includes(secret), name).to.equal(false)
    }
    for (const list of ['connections', 'runs', 'checkpoints', 'plugins']) {
      const { body } = await house.call(`/${list}`)
      expect(JSON.stringify(body), list).to.not.include(house.token)
    }
  })

  describe('in the log', () => {
    it('is reported with the reason of its refusal, without tokens and secrets', async () => {
      await house.send({ type: 'bug' }, { token: 'canary-token-of-nobody' })
      await house.restart('SIGTERM')
      const { log } = house
      for (const line of [
        '"message":"refused a webhook call"',
        '"code":"bad_signature","connection":"front door"',
        '"code":"token_unknown"',
        '"code":"token_of_another_address"',
        '"code":"no_signing_secret","connection":"bare"',
        '"a plugin could not read an inbound request"',
        'a mistake of the plugin: [redacted]',
        '"path":"/api/webhooks/door-bell/v1/events"',
      ]) {
        expect(log).to.include(line)
      }
      for (const secret of [house.token, signingSecret, 'canary', 'token=']) {
        const at = log.indexOf(secret)
        expect(at === -1 ? '' : log.slice(at - 200, at + 50), secret).to.equal('')
      }
    })
  })
})
