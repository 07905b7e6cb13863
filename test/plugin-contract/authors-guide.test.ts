import { expect } from 'chai'
import { execFileSync } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { mayHaveHappened } from '../../core/engine/context/retry-class.ts'
import { Secret, type ConnectionDefinition, type HttpClient, type Sandbox } from '../../core/plugin/index.ts'
import { checkConnection, loopbackEgress, runSkill, webhookRequest } from '../../core/plugin/testing/index.ts'
import { discoverPlugins } from '../../core/registry/discover-plugins.ts'
import { formats, keywordNames } from '../../core/schema/index.ts'
import { connection, failure, skillThat } from '../skill/fixture.ts'

const root = join(import.meta.dirname, '../..')
const guide = readFileSync(join(root, 'plugins/README.md'), 'utf8')

/** Code blocks whose first line names a file. */
function files(): readonly { readonly path: string; readonly code: string }[] {
  return [...guide.matchAll(/```ts\n\/\/ (\S+)\n([\s\S]*?)```/g)].map(([, path = '', code = '']) => ({
    path,
    code,
  }))
}

describe("the authors' guide", () => {
  let folder: string

  before(() => {
    // Inside the repository, so that `tocsin/plugin` is found as from plugins/.
    mkdirSync(join(root, '.build'), { recursive: true })
    folder = mkdtempSync(join(root, '.build', 'guide-'))
    for (const { path, code } of files()) {
      mkdirSync(dirname(join(folder, path)), { recursive: true })
      writeFileSync(join(folder, path), code)
    }
    writeFileSync(join(folder, 'plugins/quotes/README.md'), 'quotes.get_quote')
    writeFileSync(join(folder, 'plugins/bells/README.md'), 'bells.list_bells')
  })
  after(() => rmSync(folder, { recursive: true }))

  it('shows files with all of its code', () => {
    expect(files().map(({ path }) => path)).to.include.members([
      'plugins/words/plugin.ts',
      'plugins/quotes/sandbox.ts',
      'plugins/bells/sandbox.ts',
      'plugins/doors/read-event.ts',
    ])
    expect(guide.split('```ts\n').length - 1).to.equal(files().length)
  })

  it('shows code that compiles', () => {
    const options = { noEmit: true, composite: false, emitDeclarationOnly: false, types: ['node', 'mocha'] }
    const config = {
      extends: join(root, 'tsconfig.base.json'),
      compilerOptions: options,
      include: ['plugins'],
    }
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config))
    const errors = compile(folder).filter((line) => line.startsWith('plugins/'))
    expect(errors).to.deep.equal([])
    writeFileSync(
      join(folder, 'plugins/words/wrong.ts'),
      "import { definePlugin } from 'tocsin/plugin'\ndefinePlugin(1)\n",
    )
    expect(compile(folder).join('\n')).to.include('plugins/words/wrong.ts')
    rmSync(join(folder, 'plugins/words/wrong.ts'))
  }).timeout(60_000)

  it('shows plugins that load and work', async () => {
    const catalogue = await discoverPlugins({ pluginsDir: join(folder, 'plugins') })
    expect(catalogue.skills.map(({ name }) => name)).to.deep.equal([
      'bells.list_bells',
      'doors.ring',
      'quotes.get_quote',
      'words.count',
    ])
    const count = catalogue.skill('words.count')?.skill
    if (count === undefined) throw new Error('words.count is not there')
    expect((await runSkill(count, { text: 'one two three' })).output).to.deep.equal({ words: 3 })
  })

  it('shows how to verify a sender', async () => {
    const catalogue = await discoverPlugins({ pluginsDir: join(folder, 'plugins') })
    const read = catalogue.connection('doors')?.inbound?.['events']
    const body = Buffer.from('{"id":"E1","checkpoint_id":"c","person":"kim","answer":"yes"}')
    const send = (time: string, secret = 'bell', sent = body) =>
      read?.(
        webhookRequest(sent.toString(), {
          headers: {
            'x-doors-time': time,
            'x-doors-signature': createHmac('sha256', secret).update(`${time}:`).update(body).digest('hex'),
          },
          nowMs: 1_000_000_000,
        }),
        { signing_secret: new Secret('bell') },
      )
    expect(send('1000300')).to.deep.equal({
      dedupeKey: 'E1',
      answers: [{ checkpointId: 'c', by: 'kim', value: 'yes' }],
    })
    expect(() => send('1000000', 'gong')).to.throw('the signature of the request is invalid')
    expect(() => send('1000000', 'bell', Buffer.from(`${body.toString()} `))).to.throw('is invalid')
    for (const time of ['999699', '1000301', 'soon'])
      expect(() => send(time), time).to.throw('more than 300 s from now')
  })

  it('shows tests that pass', () => {
    const mocha = join(root, 'node_modules/mocha/bin/mocha.js')
    const tests = ['quotes/quotes.test.ts', 'bells/bells.test.ts'].map((file) =>
      join(folder, 'plugins', file),
    )
    // A sandbox that starts late on a busy machine would stay open and keep the process alive.
    const options = ['--no-config', '--reporter', 'json', '--timeout', '20000', '--exit']
    const report = JSON.parse(
      execFileSync(process.execPath, [mocha, ...options, ...tests], {
        cwd: root,
        encoding: 'utf8',
        timeout: 55_000,
      }),
    ) as { stats: { passes: number; failures: number } }
    expect(report.stats.failures).to.equal(0)
    expect(report.stats.passes).to.be.above(18)
  }).timeout(60_000)

  it('shows a connection with a sign-in that works with its sandbox', async () => {
    const { connection: drive } = (await import(join(folder, 'plugins/drive/connection.ts'))) as {
      connection: ConnectionDefinition
    }
    const { default: sandbox } = (await import(join(folder, 'plugins/drive/sandbox.ts'))) as {
      default: Sandbox
    }
    const running = await sandbox.start()
    try {
      const reached = { settings: running.settings, egress: loopbackEgress }
      expect((await checkConnection(drive, reached)).account).to.equal('sandbox@example.com')
      const wrong = { ...reached, token: 'another' }
      expect(await failure(checkConnection(drive, wrong))).to.include({ code: 'http_401' })
    } finally {
      await running.close()
    }
  })

  it('shows how to read the errors of GraphQL', async () => {
    const { graphql } = (await import(join(folder, 'plugins/bells/graphql.ts'))) as {
      graphql: (http: HttpClient, query: string, variables: object) => Promise<unknown>
    }
    const ask = (json: unknown) =>
      runSkill(
        skillThat(
          async (_input, { http }) => ({ text: JSON.stringify(await graphql(http, 'query', { id: 7 })) }),
          { connection, effect: 'write', repeat: 'never' },
        ),
        {},
        { settings: { base_url: 'https://box.example.com', key: 'some-key' }, replies: [{ json }] },
      )
    const { output, requests } = await ask({ data: { bell: 'Emma' } })
    expect(output).to.deep.equal({ text: '{"bell":"Emma"}' })
    expect(requests[0]).to.include({ method: 'POST', path: '/graphql' })
    expect(requests[0]?.body).to.equal('{"query":"query","variables":{"id":7}}')
    const error = (code: string) => [{ message: 'no', extensions: { code } }]
    const cases = [
      [{ errors: error('UNAUTHENTICATED') }, 'graphql_refused', false],
      [{ errors: error('THROTTLED') }, 'graphql_throttled', false],
      [{ errors: error('BAD_USER_INPUT') }, 'graphql_error', false],
      [{ data: { ring: null }, errors: error('INTERNAL') }, 'graphql_error', true],
      [{ data: null, errors: error('THROTTLED') }, 'graphql_throttled', true],
      [{ data: null }, 'graphql_error', true],
    ] as const
    for (const [json, code, mayHave] of cases) {
      const thrown = await failure(ask(json))
      expect(thrown, JSON.stringify(json)).to.include({ code })
      expect(mayHaveHappened(thrown), JSON.stringify(json)).to.equal(mayHave)
    }
  })

  it('lists every keyword and format', () => {
    const [, section = ''] = guide.split('## Schemas')
    const [listed = ''] = section.split('## Rules')
    for (const name of [...keywordNames, ...formats]) expect(listed).to.include(`\`${name}\``)
  })
})

function compile(folder: string): readonly string[] {
  const tsc = join(root, 'node_modules/typescript/bin/tsc')
  try {
    execFileSync(process.execPath, [tsc, '-p', folder, '--pretty', 'false'], {
      cwd: folder,
      encoding: 'utf8',
    })
    return []
  } catch (error) {
    return (error as { stdout: string }).stdout.split('\n')
  }
}
