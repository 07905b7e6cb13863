import { expect } from 'chai'
import { truncateSync, writeFileSync } from 'node:fs'
import { mkdir, readdir, realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { beginChoice, choose } from '../../cli/new-plugin/choose-by-hand.ts'
import { openDocument, operationsOf } from '../../core/openapi/index.ts'
import { makeTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts'
import { killCommands, runTocsin } from '../support/server/run-tocsin.ts'

const document = {
  openapi: '3.1.0',
  info: { title: 'Tickets', version: '7' },
  servers: [{ url: 'https://api.tickets.example/v7' }],
  security: [{ key: [] }],
  components: { securitySchemes: { key: { type: 'apiKey', in: 'header', name: 'X-Key' } } },
  paths: {
    '/tickets': {
      get: { operationId: 'listTickets', summary: 'List tickets', responses: {} },
      post: { operationId: 'createTicket', summary: 'Create a \u001b[31mticket', responses: {} },
    },
    '/tickets/{id}': { get: { summary: 'Read a ticket', responses: {} } },
  },
}

describe('tocsin new plugin --openapi', function () {
  this.timeout(60_000)
  let folder: TemporaryFolder
  let parent: string

  beforeEach(async () => {
    folder = await makeTemporaryFolder()
    parent = await realpath(folder.path)
    writeFileSync(join(parent, 'api.json'), JSON.stringify(document))
  })
  afterEach(async () => {
    await killCommands()
    await folder.remove()
  })

  const make = (...args: readonly string[]) =>
    runTocsin(['new', 'plugin', 'tickets', '--openapi', ...args], { cwd: parent })

  it('lists the operations of a document', async () => {
    const { code, stdout } = await make('api.json', '--list')
    expect(code).to.equal(0)
    expect(stdout.split('\n').map((line) => line.split(/ {2,}/))).to.deep.include.members([
      ['number', 'id', 'method', 'path', 'summary'],
      ['1', 'listTickets', 'GET', '/tickets', 'List tickets'],
      ['3', 'get_tickets_id', 'GET', '/tickets/{id}', 'Read a ticket'],
    ])
    expect(stdout).not.to.include('\u001b[31m')
    expect(await readdir(parent)).to.deep.equal(['api.json'])
  })

  it('writes a plugin of the chosen operations, which Tocsin loads', async () => {
    const { code, stdout, stderr } = await make('api.json', '--operations', 'listTickets, GET /tickets/{id}')
    expect({ code, stderr }).to.deep.equal({ code: 0, stderr: '' })
    expect(await readdir(join(parent, 'tickets'), { recursive: true })).to.have.members([
      'README.md',
      'examples',
      'package.json',
      join('examples', 'get_tickets_id.json'),
      join('examples', 'list_tickets.json'),
      'plugin.yaml',
    ])
    expect(stdout).to.include('  TOCSIN_PLUGINS=./plugin.yaml npx tocsin skills tickets\n')
    const checked = await runTocsin(['plugins', 'check', 'tickets'], { cwd: parent })
    expect(checked).to.include({ code: 0, stderr: '' })
    const env = { TOCSIN_PLUGINS: './tickets/plugin.yaml' }
    const skills = await runTocsin(['skills', 'tickets'], { cwd: parent, env })
    expect(skills.stderr).to.equal('')
    expect(skills.stdout)
      .to.match(/^tickets\.list_tickets .*read/m)
      .and.match(/^tickets\.get_tickets_id .*read/m)
      .and.not.include('create_ticket')
  })

  for (const [what, args, message] of [
    ['an unknown operation', ['api.json', '--operations', 'listTicket'], "no operation 'listTicket'"],
    ['no operations', ['api.json'], 'no operations are chosen'],
    ['a missing file', ['none.json', '--list'], "there is no file or folder 'none.json'"],
    ['an address', ['https://api.example/openapi.json', '--list'], 'is an address; expected a file'],
    ['a device', ['/dev/zero', '--list'], 'is a device; expected a file'],
    ['a file that is no document', ['other.json', '--list'], 'neither `openapi` nor `swagger`'],
    ['a document of 50 MB', ['large.json', '--list'], 'too large: 50000000 bytes'],
    ['a template too', ['api.json', '--connection'], 'cannot be used with option'],
  ] as const)
    it(`refuses ${what}`, async () => {
      writeFileSync(join(parent, 'other.json'), '{}')
      writeFileSync(join(parent, 'large.json'), '')
      truncateSync(join(parent, 'large.json'), 50_000_000)
      const { code, stdout, stderr } = await make(...args)
      expect(code).to.be.above(0)
      expect(stdout).to.equal('')
      expect(stderr).to.include(message)
    })

  it('overwrites nothing', async () => {
    await mkdir(join(parent, 'tickets'))
    const { code, stderr } = await make('api.json', '--operations', '1')
    expect(code).to.equal(1)
    expect(stderr).to.include('already exists')
    expect(await readdir(join(parent, 'tickets'))).to.deep.equal([])
  })
})

describe('choosing operations at the terminal', () => {
  const operations = operationsOf(openDocument(JSON.stringify(document)).document!)
  const after = (...lines: readonly string[]) =>
    lines.reduce((choice, line) => choose(operations, choice, line), beginChoice(operations))

  it('searches by words in any order', () => {
    expect(after('ticket read').shown).to.include('Read a ticket').and.not.include('List tickets')
    expect(after('nothing of that').shown).to.equal("nothing fits 'nothing of that'; use other words")
  })

  it('chooses and removes by number, id, and method with path', () => {
    const { chosen, isDone } = after('3', '1-2', '-1', 'listTickets', '- 2', 'done')
    expect(chosen.map(({ number }) => number)).to.deep.equal([1, 3])
    expect(isDone).to.equal(true)
    expect(after('GET /tickets/{id}').chosen.map(({ number }) => number)).to.deep.equal([3])
  })

  it('does not end without a choice', () => {
    expect(after('done')).to.deep.include({ isDone: false, shown: 'choose an operation first' })
  })
})
