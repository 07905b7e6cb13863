import { expect } from 'chai'
import { execFileSync, spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { useFakeTimers, type SinonFakeTimers } from 'sinon'
import type { Log } from '../../core/ports/log.ts'
import { NotFoundError, UnavailableError } from '../../core/errors/errors.ts'
import { withLogFields } from '../../core/common/log-context.ts'
import { Secret } from '../../core/plugin/index.ts'
import { createLog, type LogOptions } from '../../server/log.ts'

function logTo(options: Partial<LogOptions> = {}) {
  const lines: Record<string, unknown>[] = []
  const destination = {
    write: (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>),
  }
  return { log: createLog({ level: 'debug', destination, ...options }), lines }
}

describe('log', () => {
  it('writes JSON lines with time, level, message and fields', () => {
    const { log, lines } = logTo()
    log.info({ alert: 'acme-SIEM-1', count: 3 }, 'an alert came')
    const [{ time, ...line } = {}] = lines
    expect(time).to.match(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/)
    expect(line).to.deep.equal({ level: 'info', alert: 'acme-SIEM-1', count: 3, message: 'an alert came' })
  })

  it('writes nothing below its level', () => {
    const { log, lines } = logTo({ level: 'warn' })
    log.debug({}, 'no')
    log.info({}, 'no')
    log.warn({}, 'yes')
    log.error({}, 'yes')
    expect(lines.map(({ level }) => level)).to.deep.equal(['warn', 'error'])
  })

  it('includes the ids of the request or run without passing them along', async () => {
    const { log, lines } = logTo()
    await withLogFields({ request_id: 'r-1' }, async () => {
      await Promise.resolve()
      log.info({ code: 'x' }, 'of a request')
      withLogFields({ run: 'u-1' }, () => log.info({}, 'of a run'))
      log.info({ request_id: 'r-2' }, 'of another')
    })
    log.info({}, 'of nobody')
    expect(lines.map(({ request_id, run }) => [request_id, run])).to.deep.equal([
      ['r-1', undefined],
      [undefined, 'u-1'],
      ['r-2', undefined],
      [undefined, undefined],
    ])
  })

  it('drops unknown fields and names them; the compiler refuses them', () => {
    const { log, lines } = logTo()
    log.info(
      // @ts-expect-error: not on the list
      { cookie: 'canary', authorization: 'canary', body: 'canary', __proto__: null, plugin: 'http' },
      'x',
    )
    expect(lines[0]).to.deep.include({ plugin: 'http', dropped: ['cookie', 'authorization', 'body'] })
    expect(JSON.stringify(lines)).to.not.include('canary')
  })

  it('writes no nested objects', () => {
    const { log, lines } = logTo()
    log.info({ status: { token: 'canary' }, step: ['canary'], url: new Secret('canary') }, 'x')
    expect(lines[0]).to.include({ status: '[object]', step: '[list]', url: '[redacted]' })
    expect(JSON.stringify(lines)).to.not.include('canary')
  })

  it('writes the log fields of a skill as one text', () => {
    const { log, lines } = logTo()
    log.info({ skill: 'tower.ring_bell', fields: { bells: 3n, token: new Secret('canary') } }, 'rang')
    expect(lines[0]?.['fields']).to.equal('{"bells":3,"token":"[redacted]"}')
    log.info({ fields: () => 0 }, 'x')
    expect(lines[1]?.['fields']).to.equal('[not JSON]')
  })

  it('redacts what looks like a credential', () => {
    const { log, lines } = logTo()
    const key = `toc_0123456789ab_${'S'.repeat(43)}`
    log.warn(
      { reason: `Cookie: Session=${key}`, url: 'https://x/hook?token=canary&a=1' },
      `Bearer ${'S'.repeat(20)} xoxb-SSSS-1`,
    )
    expect(lines[0]).to.include({
      reason: 'Cookie: Session=toc_0123456789ab_[redacted]',
      url: 'https://x/hook?token=[redacted]&a=1',
      message: 'Bearer [redacted] [redacted]',
    })
  })

  it('redacts known secrets before it truncates', () => {
    const { log, lines } = logTo({ redact: (text) => text.replaceAll('canary-secret', '[redacted]') })
    log.error({ error: new Error(`${'x'.repeat(7_995)}canary-secret`) }, 'canary-secret')
    expect(JSON.stringify(lines)).to.not.include('canary')
    expect(lines[0]).to.have.nested.property('error.message').with.length.at.most(8_001)
  })

  it('includes the stack of unexpected errors only', () => {
    const { log, lines } = logTo()
    log.error({ error: new TypeError('oops', { cause: new Error('why') }) }, 'x')
    log.error({ error: new NotFoundError('case_not_found', 'no such case') }, 'x')
    expect(lines[0]?.['error'])
      .to.include({ name: 'TypeError', message: 'oops', cause: 'why' })
      .and.have.property('stack')
    expect(lines[1]?.['error']).to.deep.equal({
      name: 'NotFoundError',
      code: 'case_not_found',
      message: 'no such case',
    })
  })

  it('writes one line per message, whatever it contains', () => {
    const { log, lines } = logTo()
    log.info({ alert: 'a\n{"level":"error"}' }, 'b\r\nc')
    expect(lines).to.have.length(1)
  })

  describe('of repeated lines', () => {
    let clock: SinonFakeTimers
    beforeEach(() => (clock = useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })))
    afterEach(() => clock.restore())

    const fails = (log: Log, run: string) =>
      log.warn({ run, error: new NotFoundError('gone', 'the disk is gone') }, 'cannot go on')
    const shown = (lines: readonly Record<string, unknown>[]) =>
      lines.map(({ run, message, suppressed }) => [run, message, suppressed])

    it('writes the first, and the number of others after ten seconds', () => {
      const { log, lines } = logTo()
      for (let n = 0; n < 40; n++) withLogFields({ request_id: `r-${n}` }, () => fails(log, 'a'))
      fails(log, 'b')
      log.error({ run: 'a' }, 'cannot go on')
      const first = [
        ['a', 'cannot go on', undefined],
        ['b', 'cannot go on', undefined],
        ['a', 'cannot go on', undefined],
      ]
      expect(shown(lines), 'another run, another level').to.deep.equal(first)
      clock.tick(10_000)
      expect(shown(lines).slice(3)).to.deep.equal([['a', 'cannot go on, again within 10 seconds', 39]])
      expect(lines[3], 'that of one of them').not.to.have.property('request_id')
      expect(lines[3]).to.deep.include({ level: 'warn', error: lines[0]!['error'] })
      clock.tick(60_000)
      fails(log, 'a')
      expect(shown(lines).slice(4), 'the next ten seconds').to.deep.equal([['a', 'cannot go on', undefined]])
    })

    it('writes one a minute for each reason why the store is unavailable, whatever the run', () => {
      const { log, lines } = logTo()
      const failing = (run: number, reason: string) =>
        withLogFields({ request_id: 'r', run: `run-${run}` }, () => {
          const error = new UnavailableError('store_unavailable', reason, { retryAfterMs: run })
          log.error({ error, delay_ms: run }, 'cannot continue the run')
          log.warn({ code: error.code, delay_ms: run }, 'cannot write the journal')
        })
      for (let run = 0; run < 500; run++) failing(run, 'no connection')
      failing(1, 'no space')
      expect(shown(lines)).to.deep.equal([
        ['run-0', 'cannot continue the run', undefined],
        ['run-0', 'cannot write the journal', undefined],
        ['run-1', 'cannot continue the run', undefined],
      ])
      clock.tick(60_000)
      expect(shown(lines).slice(3)).to.deep.equal([
        [undefined, 'cannot continue the run, again within 60 seconds', 499],
        [undefined, 'cannot write the journal, again within 60 seconds', 500],
      ])
      expect(lines[3]).to.deep.include({ level: 'error', error: lines[0]!['error'] })
    })

    it('writes all at level debug, or if very many other lines come', () => {
      const { log, lines } = logTo()
      for (let n = 0; n < 5; n++) log.debug({}, 'request')
      expect(lines).to.have.length(5)
      for (let n = 0; n < 3_000; n++) log.info({ count: n }, 'other')
      log.info({ count: 2_999 }, 'other')
      expect(lines).to.have.length(3_006)
    })

    it('writes pending counts once on request', () => {
      const { log, lines } = logTo()
      for (let n = 0; n < 3; n++) log.info({ count: 7 }, 'again')
      log.flush()
      log.flush()
      clock.tick(60_000)
      expect(lines.map(({ count, suppressed }) => [count, suppressed])).to.deep.equal([
        [7, undefined],
        [7, 2],
      ])
    })
  })

  it('writes the counts of what was suppressed when the process exits', () => {
    const url = new URL('../../server/log.ts', import.meta.url)
    const code = `const { createLog } = await import('${url.href}'); const log = createLog({ level: 'info' }); for (let n = 0; n < 9; n++) log.info({}, 'x'); process.exit(3)`
    const { stderr, status } = spawnSync(process.execPath, ['--input-type=module', '-e', code], {
      encoding: 'utf8',
    })
    expect(status).to.equal(3)
    const lines = stderr
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>)
    expect(lines.map(({ message, suppressed }) => [message, suppressed])).to.deep.equal([
      ['x', undefined],
      ['x, again within 10 seconds', 8],
    ])
  })

  it('writes to standard error synchronously', () => {
    const url = new URL('../../server/log.ts', import.meta.url)
    const code = `const { createLog } = await import('${url.href}'); createLog({ level: 'info' }).info({}, 'last words'); process.kill(process.pid, 'SIGKILL')`
    const script = `"$0" --input-type=module -e "$1" 2>&1 >/dev/null || true`
    const text = execFileSync('sh', ['-c', script, process.execPath, code], {
      cwd: fileURLToPath(new URL('.', url)),
    })
    expect(text.toString()).to.include('"message":"last words"')
  })
})
