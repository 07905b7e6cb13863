import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { createSocket } from 'node:dgram'
import { readFile, rename, stat, writeFile } from 'node:fs/promises'
import { createServer as createHttp } from 'node:http'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import { join } from 'node:path'
import { createServer as createTls } from 'node:tls'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { beginning, hashEntry } from '../../core/audit/audit-chain.ts'
import { Secret } from '../../core/plugin/index.ts'
import type { LogFields } from '../../core/ports/log.ts'
import type { Stores } from '../../core/ports/stores.ts'
import { startAuditExport, type AuditExport } from '../../server/audit-export/audit-export.ts'
import { parseTargets } from '../../server/audit-export/settings.ts'
import { structuredData, syslogMessage } from '../../server/audit-export/syslog.ts'
import { systemClock } from '../../server/clock.ts'
import { eventually } from '../support/eventually.ts'
import { somebody } from '../support/somebody.ts'
import { makeDataDir, openStoresIn } from '../support/stores.ts'
import { makeTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts'

/**
 * Checks received lines of JSON: returns the entry numbers, each once and in order; throws if the chain is
 * broken.
 */
function follow(lines: readonly string[]): readonly number[] {
  const numbers: number[] = []
  let previous = beginning
  for (const line of lines) {
    const [ending = '', hash, before] = /,"hash":"(\w{64})","previous_hash":"(\w{64})"\}$/.exec(line) ?? []
    const entry = `${line.slice(0, -ending.length)}}`
    const { sequence } = JSON.parse(line) as { sequence: number }
    if (sequence <= (numbers.at(-1) ?? 0)) continue
    expect([before, hashEntry(previous, entry)], `entry ${sequence}`).to.deep.equal([previous, hash])
    numbers.push(sequence)
    previous = hash ?? ''
  }
  return numbers
}

const upTo = (count: number) => Array.from({ length: count }, (_, at) => at + 1)

describe('audit log export', () => {
  let folder: TemporaryFolder
  let stores: Stores
  let exporting: AuditExport | undefined
  let logged: { level: string; fields: LogFields; message: string }[]
  const servers = new Set<{ close(): unknown }>()

  beforeEach(async () => {
    folder = await makeTemporaryFolder()
    logged = []
    await makeDataDir(folder.path)
    stores = await openStoresIn(folder.path, {
      clock: systemClock,
      onAuditHead: (head) => exporting?.wake(head),
    })
  })
  afterEach(async () => {
    await exporting?.close()
    exporting = undefined
    await stores.close()
    for (const server of servers) server.close()
    servers.clear()
    await folder.remove()
  })

  const say = (level: string) => (fields: LogFields, message: string) =>
    void logged.push({ level, fields, message })
  const log = { debug: say('debug'), info: say('info'), warn: say('warn'), error: say('error') }
  /** Short waits, so that simulated outages are short. */
  const clock = {
    ...systemClock,
    sleep: (ms: number, signal: AbortSignal) => systemClock.sleep(ms / 50, signal),
  }
  async function start(...texts: readonly string[]): Promise<void> {
    const settings = { targets: parseTargets(texts), authorization: new Secret('Bearer canary-token') }
    exporting = await startAuditExport({ settings, stores, clock, log })
  }
  async function stop(): Promise<void> {
    await exporting?.close()
    exporting = undefined
  }
  const record = (name = 'x') =>
    stores.audit.record({
      action: 'organization.created',
      by: somebody(name),
      organizationUuid: null,
      subject: { kind: 'organization', id: 'o', name },
      details: { big: 12345678901234567890n, text: 'zwölf\n"]\u2028' },
    })
  async function recordMany(count: number): Promise<void> {
    await Promise.all(Array.from({ length: count }, () => record()))
  }
  const delivered = (count: number) =>
    eventually(
      `${count} entries`,
      () => exporting?.states().every(({ lag, exported }) => lag === 0 && exported >= count) || undefined,
    )
  const linesIn = async (path: string) =>
    (await readFile(path, 'utf8')).split('\n').filter((line) => line !== '')
  const port = (server: { address(): unknown }) => (server.address() as AddressInfo).port

  describe('to a file', () => {
    const path = () => join(folder.path, 'audit.jsonl')

    it('writes every entry with its hash to a file that only its owner can read', async () => {
      await recordMany(3)
      await start(`file:${path()}`)
      await recordMany(1200)
      await delivered(1204)
      expect(follow(await linesIn(path()))).to.deep.equal(upTo(1204))
      expect((await stat(path())).mode & 0o777).to.equal(0o600)
      const [entry] = (await stores.audit.list('all', { action: 'audit.export_started' }, { limit: 2 })).data
      expect(entry?.subject.id).to.equal(`file:${path()}`)
    })

    it('can be verified with the program in docs/audit-log.md, which finds a changed entry', async () => {
      const page = await readFile(join(import.meta.dirname, '../../docs/audit-log.md'), 'utf8')
      const program = join(folder.path, 'follow.mjs')
      await writeFile(program, /```js\n(import \{ createHash \}[^]*?)```/.exec(page)?.[1] ?? '')
      await start(`file:${path()}`)
      await recordMany(4)
      await delivered(5)
      const { sequence, hash } = (await stores.audit.head())!
      const { stdout } = await promisify(execFile)(process.execPath, [program, path()])
      expect(stdout).to.equal(`whole up to ${sequence}:${hash}\n`)
      const text = await readFile(path(), 'utf8')
      await writeFile(path(), text.replace('zwölf', 'elf'))
      const failed = await promisify(execFile)(process.execPath, [program, path()]).catch(
        ({ stderr }) => stderr,
      )
      expect(failed).to.match(/broken at 2/)
    })

    it('continues after a restart, including entries added in between', async () => {
      await start(`file:${path()}`)
      await recordMany(5)
      await stop()
      await recordMany(5)
      await start(`file:${path()}`)
      await delivered(5)
      const numbers = (await linesIn(path())).map(
        (line) => (JSON.parse(line) as { sequence: number }).sequence,
      )
      expect(numbers, 'each once').to.deep.equal(upTo(11))
      const [first] = await stores.audit.exportCursors()
      expect(first?.sequence).to.equal(11)
    })

    it('continues in a new file after a rename or deletion', async () => {
      await start(`file:${path()}`)
      await delivered(1)
      await rename(path(), `${path()}.1`)
      await record()
      await delivered(2)
      expect(follow([...(await linesIn(`${path()}.1`)), ...(await linesIn(path()))])).to.deep.equal([1, 2])
    })

    it('starts a new line after one truncated by a crash', async () => {
      await writeFile(path(), '{"action":"cut')
      await start(`file:${path()}`)
      await delivered(1)
      const [cut, ...lines] = await linesIn(path())
      expect(cut).to.equal('{"action":"cut')
      expect(follow(lines)).to.deep.equal([1])
    })

    it('refuses to start without its folder', async () => {
      const refused = start(`file:${join(folder.path, 'missing/audit.jsonl')}`)
      const error = await refused.catch((reason: Error & { code: string }) => reason)
      expect(error).to.include({ code: 'config_invalid' })
      expect((error as Error).message).to.match(/missing\/audit\.jsonl cannot be written to \(ENOENT\)/)
    })

    it('forgets a removed destination and records it, and starts over if it is added again', async () => {
      await start(`file:${path()}`)
      await delivered(1)
      await stop()
      await start()
      expect(await stores.audit.exportCursors()).to.deep.equal([])
      await stop()
      await start(`file:${path()}2`)
      await delivered(3)
      const actions = (await linesIn(`${path()}2`)).map(
        (line) => (JSON.parse(line) as { action: string }).action,
      )
      expect(actions).to.deep.equal(['audit.export_started', 'audit.export_stopped', 'audit.export_started'])
    })

    it('keeps a destination while another node may still export to it', async () => {
      await start(`file:${path()}`)
      await delivered(1)
      await stop()
      let mayForget = false
      const settings = { targets: [], authorization: undefined }
      exporting = await startAuditExport({ settings, stores, clock, log, mayForget: async () => mayForget })
      expect((await stores.audit.exportCursors()).map(({ sequence }) => sequence)).to.deep.equal([1])
      expect(logged.filter(({ level }) => level === 'warn')).to.deep.equal([])
      mayForget = true
      await eventually('the end of the export', async () =>
        (await stores.audit.exportCursors()).length === 0 ? true : undefined,
      )
    })

    it('starts over with a note if the log is not the one exported before', async () => {
      await start(`file:${path()}`)
      await delivered(1)
      await stop()
      await stores.audit.moveExport(`file:${path()}`, { sequence: 1, hash: 'f'.repeat(64) })
      await start(`file:${path()}`)
      await delivered(1)
      expect(await linesIn(path())).to.have.length(2)
      expect(logged.filter(({ level }) => level === 'error').map(({ message }) => message)).to.match(
        /exporting it again/,
      )
    })
  })

  describe('over HTTP', () => {
    /** @param answer the status for the next request; 200 when no entries are left */
    async function receiver(...answers: readonly (number | 'cut')[]) {
      const bodies: string[] = []
      const heads: object[] = []
      const left = [...answers]
      const server = createHttp((request, response) => {
        let body = ''
        request.setEncoding('utf8').on('data', (text: string) => (body += text))
        request.on('end', () => {
          const answer = left.shift() ?? 200
          heads.push(request.headers)
          if (answer === 'cut') return request.socket.destroy()
          if (answer === 200) bodies.push(body)
          response.writeHead(answer, { 'retry-after': '1' }).end()
        })
      })
      server.listen(0, '127.0.0.1')
      await once(server, 'listening')
      servers.add(server)
      const lines = () => bodies.flatMap((body) => body.split('\n').filter((line) => line !== ''))
      return { url: `http://127.0.0.1:${port(server)}/audit?index=main`, bodies, heads, lines }
    }

    it('posts batches of JSON lines with the authorization until they are accepted', async () => {
      const { url, lines, bodies, heads } = await receiver(503, 'cut', 429)
      await recordMany(700)
      await start(url)
      await delivered(701)
      expect(follow(lines())).to.deep.equal(upTo(701))
      expect(lines(), 'each once').to.have.length(701)
      expect(bodies).to.have.length(2)
      expect(heads[0]).to.include({
        'content-type': 'application/x-ndjson',
        authorization: 'Bearer canary-token',
      })
      const [state] = exporting!.states()
      expect(state).to.include({ failures: 3, lag: 0, destination: url.split('?')[0] })
      const told = logged.filter(({ message }) => /audit log/.test(message)).map(({ level }) => level)
      expect(told, 'once that it fails, once that it goes on').to.deep.equal(['warn', 'info'])
      expect(JSON.stringify(logged)).to.not.contain('canary').and.not.contain('index=main')
    })

    it('sends smaller batches if one is too large', async () => {
      const { url, lines, bodies } = await receiver(413, 413)
      await recordMany(500)
      await start(url)
      await delivered(501)
      expect(follow(lines())).to.deep.equal(upTo(501))
      expect(bodies[0]!.split('\n')).to.have.length(125 + 1)
    })

    it('keeps entries until they are accepted, across restarts, without delaying writes', async () => {
      const { url, lines } = await receiver(...Array.from({ length: 4 }, () => 500))
      await start(url)
      await eventually('a failure', () => (exporting!.states()[0]!.failures > 0 ? true : undefined))
      await recordMany(300)
      expect(exporting!.states()[0]!.lag).to.equal(301)
      await stop()
      await start(url)
      await delivered(301)
      expect(follow(lines())).to.deep.equal(upTo(301))
    })
  })

  describe('over syslog', () => {
    const certificate = {
      key: join(import.meta.dirname, '../egress/fixtures/self-signed.key.pem'),
      cert: join(import.meta.dirname, '../egress/fixtures/self-signed.cert.pem'),
    }

    /** Messages with their length in front, as RFC 6587 frames them. */
    function unframed(bytes: Buffer): string[] {
      const messages: string[] = []
      for (let at = 0; at < bytes.length;) {
        const space = bytes.indexOf(0x20, at)
        const length = Number(bytes.toString('latin1', at, space))
        if (space < 0 || bytes.length < space + 1 + length) break
        messages.push(bytes.toString('utf8', space + 1, space + 1 + length))
        at = space + 1 + length
      }
      return messages
    }
    const jsonIn = (message: string) => message.slice(message.indexOf('] {') + 2)
    const collector = () => {
      const chunks: Buffer[] = []
      const sockets: Socket[] = []
      const take = (socket: Socket) => {
        sockets.push(socket)
        socket.on('error', () => undefined).on('data', (chunk: Buffer) => chunks.push(chunk))
      }
      return { take, sockets, messages: () => unframed(Buffer.concat(chunks)) }
    }

    it('sends RFC 5424 messages with octet counts over TCP, also after an outage of the receiver', async () => {
      const { take, sockets, messages } = collector()
      const server = createServer(take).listen(0, '127.0.0.1')
      servers.add(server)
      await once(server, 'listening')
      await recordMany(20)
      await start(`syslog+tcp://127.0.0.1:${port(server)}`)
      await delivered(21)
      const form =
        /^<110>1 \d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z [\x21-\x7e]+ tocsin \d+ organization\.created \[audit@32473 sequence="1" hash="\w{64}" previousHash="0{64}" actorKind="api_key" actor="0123456789ab" subjectKind="organization" subject="o"\] \{"action"/
      expect(messages()[0]).to.match(form)
      expect(follow(messages().map(jsonIn))).to.deep.equal(upTo(21))
      for (const socket of sockets) socket.destroy()
      await recordMany(5)
      await delivered(26)
      await eventually('all of them', () => (follow(messages().map(jsonIn)).length === 26 ? true : undefined))
    })

    it('waits for a receiver that is not up yet', async () => {
      const free = createServer().listen(0, '127.0.0.1')
      await once(free, 'listening')
      const at = port(free)
      await new Promise((resolve) => free.close(resolve))
      await start(`syslog+tcp://127.0.0.1:${at}`)
      await recordMany(3)
      await eventually('a failure', () => (exporting!.states()[0]!.failures > 1 ? true : undefined))
      const { take, messages } = collector()
      servers.add(createServer(take).listen(at, '127.0.0.1'))
      await delivered(4)
      expect(follow(messages().map(jsonIn))).to.deep.equal(upTo(4))
    })

    it('verifies the certificate over TLS', async () => {
      const { take, messages } = collector()
      const [key, cert] = await Promise.all([readFile(certificate.key), readFile(certificate.cert)])
      const server = createTls({ key, cert }, take).listen(0, '127.0.0.1')
      servers.add(server)
      await once(server, 'listening')
      await start(`syslog+tls://127.0.0.1:${port(server)}`)
      await eventually('a failure', () => (exporting!.states()[0]!.failures > 0 ? true : undefined))
      expect(messages()).to.deep.equal([])
      const line = logged.find(({ level }) => level === 'warn')!
      expect((line.fields.error as Error).message).to.match(/certificate/i)
    })

    it('sends one datagram per entry and skips an entry that is too large', async () => {
      const messages: string[] = []
      const socket = createSocket('udp4').bind(0, '127.0.0.1')
      socket.on('message', (message) => messages.push(message.toString()))
      await once(socket, 'listening')
      servers.add(socket)
      await record()
      await record('n'.repeat(70_000))
      await start(`syslog+udp://127.0.0.1:${port(socket)}`)
      await eventually('datagrams', () => (messages.length >= 3 ? true : undefined))
      expect(messages[1]).to.match(
        / \[audit@32473 sequence="2" hash="\w{64}" [^]*\] the entry is too large for a datagram$/,
      )
      expect(follow([jsonIn(messages[0]!)])).to.deep.equal([1])
    })

    it('escapes the ends of structured data, and line breaks', () => {
      const data = structuredData('a@1', { b: 'c"d\\e]f', g: 'h\ni\u0085j', k: '' })
      expect(data).to.equal('[a@1 b="c\\"d\\\\e\\]f" g="h i j"]')
    })

    it('raises a warning after a failure', () => {
      const record = {
        at: 0,
        action: 'authentication.failed',
        actor: { kind: 'stranger', id: '] evil="', name: 'x' },
        organization_code: null,
        request_id: null,
        subject: { kind: 'api_key', id: '', name: '' },
      }
      const hash = 'a'.repeat(64)
      const exported = { sequence: 7, entry: JSON.stringify(record), hash, previousHash: hash }
      const message = syslogMessage(exported)
      expect(message).to.match(/^<108>1 1970-01-01T00:00:00\.000Z /)
      expect(message).to.contain(' actor="\\] evil=\\"" ')
    })
  })

  it('never connects to cloud metadata addresses', async () => {
    await start(
      'http://169.254.169.254/audit',
      'syslog+tcp://169.254.169.254:514',
      'syslog+udp://169.254.169.254',
    )
    await eventually('failures', () => exporting!.states().every(({ failures }) => failures > 0) || undefined)
    const errors = logged
      .filter(({ level }) => level === 'warn')
      .map(({ fields }) => (fields.error as { code: string }).code)
    expect(new Set(errors)).to.deep.equal(new Set(['egress_forbidden']))
  })
})
