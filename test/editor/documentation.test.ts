import { expect } from 'chai'
import { existsSync } from 'node:fs'
import { cp, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { readBlocks, runCommand, trialsOf } from '../support/guide-page.ts'
import { makeTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts'
import {
  atCursor,
  startLanguageServer,
  stopLanguageServers,
  type LanguageServer,
} from './support/language-server.ts'

const root = join(import.meta.dirname, '../..')
const yamlLanguageServer = join(root, 'node_modules/yaml-language-server/bin/yaml-language-server')
const blocks = readBlocks('docs/editors.md')
const head = 'apiVersion: tocsin/v1\nname: a\non: { manual: true }\nsteps:\n'

describe('docs/editors.md', function () {
  this.timeout(60_000)
  let folder: TemporaryFolder
  before(async () => {
    folder = await makeTemporaryFolder()
    for (const name of ['playbooks', 'schemas'])
      await cp(join(root, name), join(folder.path, name), { recursive: true })
  })
  after(async () => {
    await stopLanguageServers()
    await folder.remove()
  })

  it('has commands that work in a folder with only playbooks', async () => {
    const commands = trialsOf(blocks).flatMap((trial) => trial.commands)
    expect(commands.length).to.be.greaterThan(4)
    for (const command of commands) {
      const { code, stderr } = await runCommand(folder.path, command)
      expect({ code, stderr }, command).to.deep.equal({ code: 0, stderr: '' })
    }
    for (const made of ['.tocsin/playbook.schema.json', 'tocsin.sarif', 'phishing.svg'])
      expect(existsSync(join(folder.path, made)), made).to.equal(true)
  })

  it('has settings with existing commands', async () => {
    const settings = blocks.find(({ text }) => text.includes('glspc.server.command'))
    const { 'glspc.server.command': npx, 'glspc.server.commandArguments': args } = JSON.parse(settings!.text)
    expect([npx, ...args]).to.deep.equal(['npx', 'tocsin', 'lsp'])
    expect((await runCommand(folder.path, 'tocsin lsp --help')).code).to.equal(0)
  })

  describe('with its settings for VS Code, in yaml-language-server,', () => {
    let server: LanguageServer
    let documents = 0

    before(async () => {
      await runCommand(folder.path, 'tocsin schema -o .tocsin/playbook.schema.json')
      const settings = blocks
        .filter(({ kind }) => kind === 'json')
        .find(({ text }) => text.includes('yaml.schemas'))
      const { 'yaml.schemas': schemas } = JSON.parse(settings!.text) as Record<string, unknown>
      server = await startLanguageServer([yamlLanguageServer, '--stdio'], {
        cwd: root,
        workspace: folder.path,
        settings: { yaml: { schemas } },
      })
      // It requests its settings after it reports that it is ready.
      while ((await completed('playbooks/*.yaml', `${head}  - uses: ‸`)).length === 0);
    })

    /** The completion labels at the cursor of a new document; `*` in its name is a number. */
    async function completed(name: string, marked: string): Promise<readonly string[]> {
      const { text, position } = atCursor(marked)
      const uri = pathToFileURL(join(folder.path, name.replace('*', `own${documents++}`))).href
      await server.open(uri, text)
      const { items } = await server.request('textDocument/completion', { textDocument: { uri }, position })
      return items.map(({ label }: { label: string }) => label)
    }

    it('completes the installed skills, and their inputs', async () => {
      const skills = await completed('playbooks/*.yaml', `${head}  - uses: ‸`)
      expect(skills).to.include.members(['intel_provider.get_enrichment', 'travel.search_user_travel'])
      const inputs = await completed('playbooks/*.yaml', `${head}  - uses: case.update\n    with:\n      ‸`)
      expect(inputs).to.include.members(['verdict', 'severity', 'summary'])
    })

    it('completes keys of tests in files of tests', async () => {
      const keys = await completed('playbooks/*.test.yaml', 'playbook: a.yaml\n‸')
      expect(keys).to.include.members(['fixtures', 'mocks', 'tests']).and.not.include('steps')
    })

    it('ignores other YAML, unless its first line names the schema', async () => {
      expect(await completed('other/*.yaml', `${head}  - uses: ‸`)).to.deep.equal([])
      const comment = blocks.find(({ kind, text }) => kind === 'yaml' && text.includes('$schema='))
      expect(await completed('other/*.yaml', `${comment!.text}${head}  - uses: ‸`)).to.include('case.update')
    })

    it('reports nothing for the shipped playbook and its tests', async () => {
      for (const name of ['playbooks/impossible-travel.yaml', 'playbooks/impossible-travel.test.yaml']) {
        const text = await readFile(join(folder.path, name), 'utf8')
        const uri = pathToFileURL(join(folder.path, name)).href
        await server.open(uri, text.slice(text.indexOf('\n') + 1)) // without the line that names the schema
        expect(await server.diagnostics(uri), name).to.deep.equal([])
      }
    })
  })
})
