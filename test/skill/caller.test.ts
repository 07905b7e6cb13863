import { expect } from 'chai'
import { isOwnStore, mayHaveHappened } from '../../core/engine/context/retry-class.ts'
import { UnavailableError } from '../../core/errors/errors.ts'
import { inspect } from 'node:util'
import { RetryableError, Secret, SkillError } from '../../core/plugin/index.ts'
import { callerOf, canary, connection, failure, skillThat, storedConnection } from './fixture.ts'

describe('a skill call', () => {
  it('validates the input, applies defaults, and returns the output', async () => {
    let seen: unknown
    const { call } = callerOf(
      skillThat((input) => {
        seen = input
        return { text: 'done', n: undefined }
      }),
    )
    const input = Object.freeze({ id: 'a' })
    expect(await call({ input })).to.deep.equal({ text: 'done' })
    expect(seen).to.deep.equal({ id: 'a', limit: 10 })
    expect(await failure(call({ input: { id: 1, x: 2 } }))).to.include({
      name: 'ValidationError',
      message: "input of box.act is not valid: /x unknown field 'x'; /id must be a string",
    })
  })

  it('passes settings with wrapped secrets, the run and the key to the skill', async () => {
    let seen: { settings: { key: Secret }; run: unknown; idempotencyKey: string } | undefined
    const { call } = callerOf(
      skillThat((_input, context) => {
        seen = context as never
        return { text: '' }
      }),
    )
    await call()
    expect(seen?.settings).to.include({ base_url: 'https://box.example.com/v1', region: 'eu' })
    expect(seen?.settings.key).to.be.instanceOf(Secret)
    expect(seen?.settings.key.reveal()).to.equal(canary)
    expect(seen?.run).to.deep.equal({ id: 'run-1', organization: 'org' })
    expect(seen?.idempotencyKey).to.equal('run-1/act')
  })

  it('reports a skill that is not installed', async () => {
    const { call } = callerOf(skillThat(() => ({ text: '' })))
    expect(await failure(call({ skill: 'box.none' }))).to.include({
      name: 'NotFoundError',
      code: 'skill_not_found',
    })
  })

  describe('and its output', () => {
    for (const [what, output, message] of [
      ['nothing', undefined, 'output of box.act: it is undefined, which JSON cannot represent'],
      ['a wrong type', { text: 1 }, 'output of box.act is not what it declares: /text must be a string'],
      ['a missing field', {}, 'output of box.act is not what it declares: /text is missing'],
      ['a date', { text: '', at: new Date(0) }, 'output of box.act: /at is a Date, not plain data'],
      ['a secret', { text: '', key: new Secret('x') }, 'output of box.act: /key is a Secret, not plain data'],
      ['NaN', { text: '', n: Number.NaN }, 'output of box.act: /n is NaN, which JSON cannot represent'],
      [
        'a function',
        { text: '', f: () => 1 },
        'output of box.act: /f is function, which JSON cannot represent',
      ],
    ] as const) {
      it(`is refused: ${what}`, async () => {
        const error = await failure(callerOf(skillThat(() => output)).call())
        expect(error).to.be.instanceOf(SkillError).and.include({ code: 'contract_violation', message })
      })
    }

    it('is refused if it is endless', async () => {
      const endless: Record<string, unknown> = { text: '' }
      endless['self'] = endless
      expect(await failure(callerOf(skillThat(() => endless)).call())).to.include({
        code: 'contract_violation',
      })
    })

    it('keeps integers beyond 2^53 and fields named __proto__', async () => {
      const { call } = callerOf(
        skillThat(() => ({ text: '', n: 9007199254740993n, more: JSON.parse('{"__proto__":1}') as unknown })),
      )
      const output = (await call()) as { n: unknown; more: object }
      expect(output.n).to.equal(9007199254740993n)
      expect(Object.keys(output.more)).to.deep.equal(['__proto__'])
    })

    it('never contains a secret of the connection', async () => {
      const { call } = callerOf(skillThat(() => ({ text: `echo ${canary}` })))
      expect(await call()).to.deep.equal({ text: 'echo [redacted]' })
    })
  })

  describe('and its connection', () => {
    const skill = skillThat(() => ({ text: 'ok' }))

    it('uses the connection that the step names, ignoring case', async () => {
      const { call } = callerOf(skill, { connections: [storedConnection('a'), storedConnection('b')] })
      expect(await call({ connection: 'B' })).to.deep.equal({ text: 'ok' })
    })

    it('uses the only enabled connection of the plugin by default', async () => {
      const connections = [
        storedConnection('off', { enabled: false }),
        storedConnection('other', { plugin: 'other' }),
        storedConnection('foreign', { organizationUuid: 'other' }),
        storedConnection('on'),
      ]
      expect(await callerOf(skill, { connections }).call()).to.deep.equal({ text: 'ok' })
    })

    for (const [what, connections, name, code, hint] of [
      ['there is none', [], undefined, 'connection_missing', 'create a connection of box'],
      ['there are several', ['b', 'a'], undefined, 'connection_ambiguous', 'name one in the step: a, b'],
      ['none has that name', ['a'], 'x', 'connection_missing', 'connections of box: a'],
    ] as const) {
      it(`is refused if ${what}`, async () => {
        const { call } = callerOf(skill, { connections: connections.map((one) => storedConnection(one)) })
        const error = await failure(call({ connection: name }))
        expect(error).to.include({ name: 'ConnectionError', code, hint })
        expect(mayHaveHappened(error)).to.equal(false)
      })
    }

    it('waits for the store even if the step must not be repeated, because nothing was called', async () => {
      const away = new UnavailableError('store_unavailable', 'away', { retryAfterMs: 1000 })
      const error = await failure(callerOf(skill, { away }).call({ connection: 'main' }))
      expect(error).to.be.instanceOf(UnavailableError).and.include({ code: 'store_unavailable' })
      expect(mayHaveHappened(error)).to.equal(false)
      expect(isOwnStore(error)).to.equal(true)
    })

    it('is refused if the connection is disabled, of another plugin, or of another organization', async () => {
      const connections = [
        storedConnection('off', { enabled: false }),
        storedConnection('other', { plugin: 'other' }),
        storedConnection('foreign', { organizationUuid: 'other' }),
      ]
      const { call } = callerOf(skill, { connections })
      expect(await failure(call({ connection: 'off' }))).to.include({ code: 'connection_disabled' })
      expect(await failure(call({ connection: 'other' }))).to.include({ code: 'connection_missing' })
      expect(await failure(call({ connection: 'foreign' }))).to.include({ code: 'connection_missing' })
    })

    it('explains that the only or named connection is disabled, with a hint', async () => {
      const { call } = callerOf(skill, { connections: [storedConnection('off', { enabled: false })] })
      expect(await failure(call({ connection: 'OFF' }))).to.include({
        code: 'connection_disabled',
        message: "connection 'off' is disabled",
        hint: 'enable it, or name another one in the step',
      })
      expect(await failure(call())).to.include({
        code: 'connection_disabled',
        message: "connection 'off' is disabled",
        hint: 'enable it, or create another one',
      })
    })

    it('is refused if the settings no longer match the plugin, without showing the secret', async () => {
      const { call } = callerOf(skill, { secrets: { key: new Secret('abc') } })
      const error = await failure(call())
      expect(error).to.include({ code: 'connection_invalid' })
      expect(inspect(error, { depth: 9 }))
        .to.include('/key must be at least 4 characters long')
        .and.not.include('abc')
    })

    it('is refused if the base address is invalid', async () => {
      const connections = [storedConnection('main', { settings: { base_url: 'box.example.com' } })]
      expect(await failure(callerOf(skill, { connections }).call())).to.include({
        code: 'connection_invalid',
      })
    })
  })

  it('reports credentials that cannot be sent, without showing them', async () => {
    const { call } = callerOf(
      skillThat(async (_, { http }) => ({ text: (await http.get('/a')).text })),
      { secrets: { key: new Secret(`${canary}\n`) } },
    )
    const error = await failure(call())
    expect(error).to.include({ name: 'ConnectionError', code: 'connection_invalid' })
    expect(inspect(error, { depth: 9, showHidden: true })).not.to.include(canary)
  })

  it('hides secrets if the connection code of the plugin throws', async () => {
    const careless = {
      ...connection,
      headers: (settings: { key: Secret }) => ({ 'x-host': new URL(settings.key.reveal()).host }),
    }
    const asking = skillThat(async (_, { http }) => ({ text: (await http.get('/a')).text }), {
      connection: careless,
    })
    const error = await failure(callerOf(asking).call())
    expect(error).to.include({ name: 'ConnectionError', code: 'connection_invalid' })
    expect(error.message).to.equal("the headers of connection 'main' cannot be made: Invalid URL")
    expect(inspect(error, { depth: 9, showHidden: true })).not.to.include(canary)
  })

  describe('and its errors', () => {
    it('passes them to the engine without secrets', async () => {
      const thrown = new RetryableError('busy', `busy with ${canary}`, {
        retryAfterMs: 5,
        details: { key: canary },
      })
      const { call } = callerOf(
        skillThat(() => {
          throw thrown
        }),
      )
      const error = await failure(call())
      expect(error).to.be.instanceOf(RetryableError).and.include({ code: 'busy', retryAfterMs: 5 })
      expect(inspect(error, { depth: 9, showHidden: true }))
        .to.include('[redacted]')
        .and.not.include(canary)
    })

    it('redacts secrets in bugs of the plugin too', async () => {
      const { call } = callerOf(
        skillThat(() => {
          throw new TypeError(`cannot read Basic ${Buffer.from(canary).toString('base64')}`)
        }),
      )
      expect(await failure(call())).to.include({ name: 'TypeError', message: 'cannot read Basic [redacted]' })
    })

    it('rejects with the reason of an aborted signal, even if the skill ignores it', async () => {
      const controller = new AbortController()
      const reason = new Error('the deadline passed')
      const { call } = callerOf(skillThat(() => new Promise(() => {})))
      setTimeout(() => controller.abort(reason), 20)
      const attempt = { number: 1, idempotencyKey: 'k', deadlineMs: Infinity, signal: controller.signal }
      expect(await failure(call({ attempt }))).to.equal(reason)
      expect(await failure(call({ attempt }))).to.equal(reason)
    })
  })

  it('keeps sensitive values out of logs and errors, but in the output', async () => {
    const pin = 'hunter2 & more'
    const sensitive = () => [pin]
    const quiet = callerOf(
      skillThat((_input, { log }) => {
        log.info(`asked for ${pin}`, { deep: [{ pin }] })
        return { text: pin }
      }),
    )
    expect(await quiet.call({ sensitive })).to.deep.equal({ text: pin })
    expect(inspect(quiet.lines, { depth: 10 }))
      .to.include('asked for [redacted]')
      .and.not.include('hunter2')
    const errors = [
      new SkillError('no_such_pin', `no pin ${pin}`, { hint: pin, details: { pin }, cause: new Error(pin) }),
      new RangeError(`a bug that met ${pin}`),
    ]
    for (const error of errors) {
      const loud = callerOf(
        skillThat(() => {
          throw error
        }),
      )
      const thrown = await failure(loud.call({ sensitive }))
      expect(inspect(thrown, { depth: 10 }))
        .to.include('[redacted]')
        .and.not.include('hunter2')
      expect((thrown as Error).stack).to.not.include('hunter2')
    }
  })

  it('logs without secrets, with skill and run', async () => {
    const { call, lines } = callerOf(
      skillThat((_input, { log }) => {
        log.info(`asked with ${canary}`, { url: `https://x/?k=${canary}`, deep: [{ canary }] })
        log.warn('x'.repeat(5_000))
        return { text: '' }
      }),
    )
    await call()
    expect(lines[0]).to.deep.equal({
      message: 'asked with [redacted]',
      fields: {
        skill: 'box.act',
        run: 'run-1',
        fields: { url: 'https://x/?k=[redacted]', deep: [{ canary: '[redacted]' }] },
      },
    })
    expect(lines[1]?.message).to.have.length(1_000)
  })

  describe('that verifies', () => {
    const verifying = (verify: () => unknown) =>
      callerOf(skillThat(() => ({ text: 'ran' }), { effect: 'write', repeat: 'verify', verify }))

    it('returns the output if it took effect, and undefined if not', async () => {
      expect(await verifying(() => ({ text: 'was so' })).call({ purpose: 'verify' })).to.deep.equal({
        text: 'was so',
      })
      expect(await verifying(() => undefined).call({ purpose: 'verify' })).to.equal(undefined)
    })

    it('validates that output too', async () => {
      expect(await failure(verifying(() => ({})).call({ purpose: 'verify' }))).to.include({
        code: 'contract_violation',
      })
    })

    it('refuses skills without verification', async () => {
      const { call } = callerOf(skillThat(() => ({ text: '' })))
      expect(await failure(call({ purpose: 'verify' }))).to.include({ code: 'not_verifiable' })
    })
  })

  describe('and cases', () => {
    it('works on the cases of the organization, once per key', async () => {
      const { call, cases } = callerOf(
        skillThat(async (_input, { cases: access, idempotencyKey }) => {
          await access.comment((await access.own()) ?? '', 'a note', idempotencyKey)
          await access.comment((await access.own()) ?? '', 'another', 'second')
          return { text: await access.create({ title: 'New' }, `${idempotencyKey}/new`) }
        }),
      )
      expect(await call()).to.deep.equal({ text: 'DEMO-2' })
      expect(await call()).to.deep.equal({ text: 'DEMO-2' })
      const notes = cases.entries.filter(({ kind }) => kind === 'note')
      expect(notes.map(({ actor, text }) => [actor, text])).to.deep.equal([
        [{ kind: 'run', id: 'run-1', name: 'triage' }, 'a note'],
        [{ kind: 'run', id: 'run-1', name: 'triage' }, 'another'],
      ])
    })

    it('reports a missing case', async () => {
      const { call } = callerOf(skillThat((_input, { cases }) => cases.update('NONE-1', { title: 'x' }, 'k')))
      expect(await failure(call()))
        .to.be.instanceOf(SkillError)
        .and.include({ code: 'case_not_found' })
    })
  })
})
