import { expect } from 'chai'
import { readFileSync } from 'node:fs'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import {
  atCursor,
  startLanguageServer,
  stopLanguageServers,
  type LanguageServer,
} from '../editor/support/language-server.ts'
import { pluginWith } from '../declarative/support.ts'
import { makeTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts'

const command = fileURLToPath(new URL('../../cli/tocsin.js', import.meta.url))
const shipped = readFileSync(new URL('../../playbooks/brute-force.yaml', import.meta.url), 'utf8')

const playbook = (steps: string) => `apiVersion: tocsin/v1
name: test
on: { alert: { type: test } }
steps:
  - id: found
    uses: indicators.extract
    with: { text: "\${{ alert.content }}" }
${steps}
`

describe('tocsin lsp', function () {
  let server: LanguageServer
  let documents = 0

  before(async () => {
    server = await startLanguageServer([command, 'lsp', '--stdio'])
  })
  after(stopLanguageServers)

  async function open(text: string): Promise<string> {
    const uri = `file:///playbooks/${documents++}.yaml`
    await server.open(uri, text)
    return uri
  }

  async function ask(what: string, marked: string, further: object = {}) {
    const { text, position } = atCursor(marked)
    const uri = await open(text)
    return server.request(`textDocument/${what}`, { textDocument: { uri }, position, ...further })
  }

  it('shows problems at their position, with code and hint', async () => {
    const uri = await open(playbook('  - uses: case.update\n    with: { verdict: bening }'))
    const problems = await server.diagnostics(uri)
    const misspelt = problems.find(({ severity }) => severity === 1)
    expect(misspelt).to.deep.include({
      code: 'E202',
      source: 'tocsin',
      range: { start: { line: 8, character: 21 }, end: { line: 8, character: 27 } },
    })
    expect(misspelt?.message).to.match(/'bening' is not one of .*\nhint: did you mean 'benign'\?$/)
  })

  it('reports nothing for a valid playbook', async () => {
    expect(await server.diagnostics(await open(shipped))).to.deep.equal([])
  })

  it('ignores other YAML', async () => {
    const uri = await open('services:\n  web: { image: x, ports: [80 }\n')
    expect(await server.diagnostics(uri)).to.deep.equal([])
    const place = { textDocument: { uri }, position: { line: 1, character: 2 } }
    expect(await server.request('textDocument/completion', place)).to.equal(null)
  })

  it('applies incremental changes and checks once after a pause', async () => {
    const uri = await open(playbook('  - return: 1'))
    await server.diagnostics(uri)
    const before = server.published(uri)
    const line = 7
    for (const [index, character] of Array.from('retrun').entries()) {
      const start = { line, character: 4 + index }
      const end = index === 0 ? { line, character: 10 } : start
      await server.notify('textDocument/didChange', {
        textDocument: { uri, version: 2 + index },
        contentChanges: [{ range: { start, end }, text: character }],
      })
    }
    const problems = await server.diagnostics(uri, 7)
    expect(problems.map(({ code }) => code)).to.include('E104')
    expect(server.published(uri)).to.equal(before + 1)
  })

  it('clears problems of closed documents', async () => {
    const uri = await open(playbook('  - retrun: 1'))
    expect(await server.diagnostics(uri)).to.not.deep.equal([])
    const before = server.published(uri)
    await server.notify('textDocument/didClose', { textDocument: { uri } })
    while (server.published(uri) === before) await new Promise((resolve) => setTimeout(resolve, 10))
    expect(await server.diagnostics(uri)).to.deep.equal([])
  })

  it('completes skills and fields, replacing the word at the cursor', async () => {
    const skills = await ask('completion', playbook('  - uses: case.up‸'))
    const update = skills.find(({ label }: { label: string }) => label === 'case.update')
    expect(update.textEdit).to.deep.equal({
      range: { start: { line: 7, character: 10 }, end: { line: 7, character: 17 } },
      newText: 'case.update',
    })
    const fields = await ask('completion', playbook('  - set: { x: "${{ steps.found.output.i‸ }}" }'))
    expect(fields.map(({ label }: { label: string }) => label)).to.include.members(['ip', 'url', 'hash'])
  })

  it('explains the word at the cursor', async () => {
    const { contents } = await ask('hover', playbook('  - set: { x: "${{ steps.found.out‸put.ip }}" }'))
    expect(contents.value).to.match(/^```cel\nsteps\.found\.output: \{/)
  })

  it('goes to the definition of a referenced step', async () => {
    const { range } = await ask('definition', playbook('  - set: { x: "${{ steps.fo‸und.ok }}" }'))
    expect(range.start).to.deep.equal({ line: 4, character: 8 })
  })

  it('renames a step everywhere, and refuses an invalid id', async () => {
    const marked = playbook('  - set: { x: "${{ steps.fo‸und.ok }}" }')
    const { changes } = await ask('rename', marked, { newName: 'indicators' })
    const [edits] = Object.values(changes) as [{ newText: string }[]]
    expect(edits.map(({ newText }) => newText)).to.deep.equal(['indicators', 'indicators'])
    const refused = await ask('rename', marked, { newName: 'Not An Id' }).catch(
      (error: Error) => error.message,
    )
    expect(refused).to.match(/an id that no other step has/)
  })

  it('formats a document', async () => {
    const uri = await open(playbook('  -   return:   1'))
    const [edit] = await server.request('textDocument/formatting', {
      textDocument: { uri },
      options: { tabSize: 2, insertSpaces: true },
    })
    expect(edit.newText).to.include('\n  - return: 1\n')
  })

  it('recognizes a playbook without apiVersion', async () => {
    const uri = await open(playbook('  - return: 1').replace(/^apiVersion.*\n/, ''))
    expect((await server.diagnostics(uri)).map(({ code }) => code)).to.deep.equal(['E105'])
  })

  it('checks a plugin.yaml with its examples, and again when they change', async () => {
    const folder = await makeTemporaryFolder()
    try {
      const plugin = join(folder.path, 'plugins/badlist')
      await mkdir(join(plugin, 'examples'), { recursive: true })
      const uri = pathToFileURL(join(plugin, 'plugin.yaml')).href
      const skill = 'output: { ok: true }\nexamples: [examples/ok.json]'
      const text = pluginWith({ skill }).replace('plugin: example', 'plugin: badlst')
      const codes = async (version: number) =>
        (await server.diagnostics(uri, version)).map(({ code }) => code)
      await server.open(uri, text)
      expect(await codes(1)).to.deep.equal(['E806', 'E804'])
      await server.change(uri, text.replace('badlst', 'badlist'), 2)
      expect(await codes(2)).to.deep.equal(['E804'])
      const before = server.published(uri)
      const example = { title: 'A', input: {}, responses: [{ body: {} }], output: { ok: true } }
      await writeFile(join(plugin, 'examples/ok.json'), JSON.stringify(example))
      await server.notify('workspace/didChangeWatchedFiles', { changes: [] })
      while (server.published(uri) === before) await new Promise((resolve) => setTimeout(resolve, 10))
      expect(await codes(2)).to.deep.equal([])
      const position = { line: 2, character: 0 }
      const { contents } = await server.request('textDocument/hover', { textDocument: { uri }, position })
      expect(contents.value).to.match(/^`title`/)
      expect(await server.request('textDocument/definition', { textDocument: { uri }, position })).to.equal(
        null,
      )
    } finally {
      await folder.remove()
    }
  })

  it('ignores a plugin.yaml of another program', async () => {
    const uri = 'file:///charts/plugin.yaml'
    await server.open(uri, 'name: diff\nversion: 1.0.0\ncommand: $HELM_PLUGIN_DIR/diff\n')
    expect(await server.diagnostics(uri)).to.deep.equal([])
    const place = { textDocument: { uri }, position: { line: 0, character: 1 } }
    expect(await server.request('textDocument/hover', place)).to.equal(null)
  })

  describe('with a called playbook in the same folder', () => {
    let folder: TemporaryFolder
    const callee = playbook('').replace(/steps:[^]*/, 'steps: [{ wait: 1s }]\n')
    const helper = callee
      .replace('name: test', 'name: helper\ndescription: Helps.')
      .replace('alert: { type: test }', 'call: true')
      .replace(
        'steps:',
        'inputs: { host: { type: string, description: Which one. }, deep: { type: boolean, default: false } }\noutputs: { helped: true }\nsteps:',
      )
    const caller = (step: string) => `${callee.replace(/steps:[^]*/, '')}steps:\n${step}\n`

    before(async () => {
      folder = await makeTemporaryFolder()
      await writeFile(join(folder.path, 'helper.yaml'), helper)
      await writeFile(join(folder.path, 'alone.yaml'), callee.replace('name: test', 'name: alone'))
    })
    after(() => folder.remove())

    const at = (file: string) => pathToFileURL(join(folder.path, file)).href
    async function askIn(what: string, marked: string) {
      const { text, position } = atCursor(caller(marked))
      const uri = at(`${documents++}.yaml`)
      await server.open(uri, text)
      return server.request(`textDocument/${what}`, { textDocument: { uri }, position })
    }

    it('checks calls against unsaved changes too', async () => {
      const uri = at('caller.yaml')
      await server.open(uri, caller('  - { call: helper, with: { hots: x } }\n  - call: helpr'))
      const codes = (await server.diagnostics(uri)).map(({ code }) => code)
      expect(codes).to.deep.equal(['E305', 'E316'])
      await server.change(uri, caller('  - { call: helper, with: { host: x } }'), 2)
      expect(await server.diagnostics(uri, 2)).to.deep.equal([])
      const before = server.published(uri)
      await server.open(at('helper.yaml'), helper.replace('host:', 'machine:'))
      while (server.published(uri) === before) await new Promise((resolve) => setTimeout(resolve, 10))
      expect((await server.diagnostics(uri)).map(({ code }) => code)).to.deep.equal(['E306', 'E305'])
      await server.notify('textDocument/didClose', { textDocument: { uri: at('helper.yaml') } })
    })

    it('checks calls again when a closed file changes', async () => {
      const own = await startLanguageServer([command, 'lsp'], {
        workspace: folder.path,
        capabilities: { workspace: { didChangeWatchedFiles: { dynamicRegistration: true } } },
      })
      const uri = at('watching.yaml')
      await writeFile(join(folder.path, 'changing.yaml'), helper.replace('name: helper', 'name: changing'))
      await own.open(uri, caller('  - { call: changing, with: { host: x } }'))
      expect(await own.diagnostics(uri)).to.deep.equal([])
      expect(own.registered.get('workspace/didChangeWatchedFiles')).to.deep.equal({
        watchers: [{ globPattern: '**/*.{yaml,yml}' }, { globPattern: '**/examples/**/*.json' }],
      })
      const before = own.published(uri)
      await writeFile(
        join(folder.path, 'changing.yaml'),
        helper.replace('name: helper', 'name: changing').replace('host:', 'machine:'),
      )
      await own.notify('workspace/didChangeWatchedFiles', {
        changes: [{ uri: at('changing.yaml'), type: 2 }],
      })
      while (own.published(uri) === before) await new Promise((resolve) => setTimeout(resolve, 10))
      expect((await own.diagnostics(uri)).map(({ code }) => code)).to.deep.equal(['E306', 'E305'])
      await rm(join(folder.path, 'changing.yaml'))
    })

    it('checks calls again on save, for editors that watch no files', async () => {
      const uri = at('saving.yaml')
      await writeFile(join(folder.path, 'later.yaml'), helper.replace('name: helper', 'name: later'))
      await server.open(uri, caller('  - { call: later, with: { host: x } }'))
      expect(await server.diagnostics(uri)).to.deep.equal([])
      const before = server.published(uri)
      await rm(join(folder.path, 'later.yaml'))
      await server.notify('textDocument/didSave', { textDocument: { uri } })
      while (server.published(uri) === before) await new Promise((resolve) => setTimeout(resolve, 10))
      expect((await server.diagnostics(uri)).map(({ code }) => code)).to.deep.equal(['E316'])
    })

    it('completes names of callable playbooks, their inputs and outputs', async () => {
      const labels = async (marked: string) =>
        (await askIn('completion', marked)).map(({ label }: { label: string }) => label)
      expect(await labels('  - call: ‸')).to.deep.equal(['helper'])
      expect(await labels('  - call: helper\n    with: { ‸ }')).to.deep.equal(['host', 'deep'])
      const output = '  - { id: h, call: helper, with: { host: x } }\n  - return: ${{ steps.h.output.‸ }}'
      expect(await labels(output)).to.include('helped')
    })

    it('explains the called playbook and its inputs, and jumps to its file', async () => {
      const { contents } = await askIn('hover', '  - call: hel‸per')
      expect(contents.value).to.match(
        /playbook `helper`\n\nHelps\.[^]*`host` \(string, required\)[^]*helped: bool/,
      )
      const input = await askIn('hover', '  - { call: helper, with: { ho‸st: x } }')
      expect(input.contents.value).to.match(/^`host`: string, required\n\nWhich one/)
      const { uri, range } = await askIn('definition', '  - call: hel‸per')
      expect({ uri, line: range.start.line }).to.deep.equal({ uri: at('helper.yaml'), line: 0 })
      expect(await askIn('definition', '  - call: nob‸ody')).to.equal(null)
    })
  })

  it('exits when the editor asks', async () => {
    const own = await startLanguageServer([command, 'lsp'])
    expect(await own.stop()).to.equal(0)
  })
})
