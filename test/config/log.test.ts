import { expect } from 'chai'
import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { NotFoundError } from '../../core/errors/errors.ts'
import { withLogFields } from '../../core/log-context.ts'
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

  it('says for which request or run something is done, also where that is not passed along', async () => {
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

  it('drops fields that are not on the list, naming them; the compiler refuses them', () => {
    const { log, lines } = logTo()
    log.info(
      // @ts-expect-error: not on the list
      { cookie: 'canary', authorization: 'canary', body: 'canary', __proto__: null, plugin: 'http' },
      'x',
    )
    expect(lines[0]).to.deep.include({ plugin: 'http', dropped: ['cookie', 'authorization', 'body'] })
    expect(JSON.stringify(lines)).to.not.include('canary')
  })

  it('writes no objects', () => {
    const { log, lines } = logTo()
    log.info({ status: { token: 'canary' }, step: ['canary'], url: new Secret('canary') }, 'x')
    expect(lines[0]).to.include({ status: '[object]', step: '[list]', url: '[redacted]' })
    expect(JSON.stringify(lines)).to.not.include('canary')
  })

  it('writes what a skill logs as one text', () => {
    const { log, lines } = logTo()
    log.info({ skill: 'tower.ring_bell', fields: { bells: 3n, token: new Secret('canary') } }, 'rang')
    expect(lines[0]?.['fields']).to.equal('{"bells":3,"token":"[redacted]"}')
    log.info({ fields: () => 0 }, 'x')
    expect(lines[1]?.['fields']).to.equal('[no JSON]')
  })

  it('takes out what looks like a credential', () => {
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

  it('takes live secrets out before it shortens', () => {
    const { log, lines } = logTo({ redact: (text) => text.replaceAll('canary-secret', '[redacted]') })
    log.error({ error: new Error(`${'x'.repeat(7_995)}canary-secret`) }, 'canary-secret')
    expect(JSON.stringify(lines)).to.not.include('canary')
    expect(lines[0]).to.have.nested.property('error.message').with.length.at.most(8_001)
  })

  it('shows the stack of an error that nobody foresaw, and of no other', () => {
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

  it('keeps one line per message, whatever it holds', () => {
    const { log, lines } = logTo()
    log.info({ alert: 'a\n{"level":"error"}' }, 'b\r\nc')
    expect(lines).to.have.length(1)
  })

  it('writes to standard error, at once', () => {
    const url = new URL('../../server/log.ts', import.meta.url)
    const code = `const { createLog } = await import('${url.href}'); createLog({ level: 'info' }).info({}, 'last words'); process.kill(process.pid, 'SIGKILL')`
    const script = `"$0" --input-type=module -e "$1" 2>&1 >/dev/null || true`
    const text = execFileSync('sh', ['-c', script, process.execPath, code], {
      cwd: fileURLToPath(new URL('.', url)),
    })
    expect(text.toString()).to.include('"message":"last words"')
  })
})
