import { expect } from 'chai'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import {
  atCursor,
  startLanguageServer,
  stopLanguageServers,
  type LanguageServer,
} from '../editor/support/language-server.ts'
import { makeTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts'

const command = fileURLToPath(new URL('../../cli/tocsin.js', import.meta.url))

const contain = `apiVersion: tocsin/v1
name: contain
on: { call: true, manual: true }
inputs:
  host: { type: string }
steps:
  - id: confirm
    checkpoint:
      via: operator
      with: { message: 'Isolate \${{ inputs.host }}?' }
      answers: [isolate, leave]
      timeout: 1h
      on_timeout: leave
outputs: { answer: '\${{ steps.confirm.output.answer }}' }
`

const triage = `apiVersion: tocsin/v1
name: triage
on: { alert: { type: odd } }
steps:
  - id: known
    uses: intel_provider.get_enrichment
    with: { kind: domain, value: '\${{ alert.data.host }}' }
  - id: outcome
    switch:
      - when: steps.known.output.risk.score != null && steps.known.output.risk.score > 60
        steps:
          - { id: held, call: contain, with: { host: '\${{ alert.data.host }}' } }
    else:
      - { id: known_good, uses: case.update, with: { verdict: benign } }
`

const triageTests = `playbook: triage.yaml
fixtures:
  alert: { data: { host: evil.example } }
mocks:
  steps.known: { example: A domain that controls malware }
  steps.outcome/0/held/confirm: { answer: isolate }
tests:
  - name: a bad host is contained
    expect:
      path: [known, outcome, held]
      skipped: [known_good]
      calls:
        - { step: known, with: { kind: domain }, times: 1 }
`

describe('tocsin lsp in a folder of playbooks and tests', function () {
  let folder: TemporaryFolder
  let server: LanguageServer
  let version = 1

  before(async () => {
    folder = await makeTemporaryFolder()
    await writeFile(join(folder.path, 'contain.yaml'), contain)
    await writeFile(join(folder.path, 'triage.yaml'), triage)
    await writeFile(join(folder.path, 'triage.test.yaml'), triageTests)
    server = await startLanguageServer([command, 'lsp'], {
      workspace: folder.path,
      capabilities: {
        workspace: { workspaceEdit: { documentChanges: true, resourceOperations: ['rename'] } },
      },
    })
  })
  after(async () => {
    await stopLanguageServers()
    await folder.remove()
  })

  const at = (file: string) => pathToFileURL(join(folder.path, file)).href
  const opened = new Set<string>()

  /** Sends a request about a position in a file with this unsaved text. */
  async function ask(what: string, file: string, marked: string, further: object = {}) {
    const { text, position } = atCursor(marked)
    await show(file, text)
    return server.request(`textDocument/${what}`, { textDocument: { uri: at(file) }, position, ...further })
  }
  async function show(file: string, text: string): Promise<number> {
    version++
    if (opened.has(file)) await server.change(at(file), text, version)
    else await server.open(at(file), text)
    opened.add(file)
    return version
  }
  afterEach(async () => {
    for (const file of opened)
      await server.notify('textDocument/didClose', { textDocument: { uri: at(file) } })
    opened.clear()
  })
  const mark = (text: string, word: string, nth = 0): string => {
    const place = [...text.matchAll(new RegExp(word, 'g'))][nth]!.index
    return `${text.slice(0, place + 1)}‸${text.slice(place + 1)}`
  }
  const labels = async (marked: string): Promise<string[]> =>
    (await ask('completion', 'triage.test.yaml', marked)).map(({ label }: { label: string }) => label)
  const inTest = (rest: string) => `playbook: triage.yaml\n${rest}`

  it('reports what `tocsin test` refuses, with positions', async () => {
    const wrong = triageTests
      .replace('steps.known:', 'steps.knwon:')
      .replace('answer: isolate', 'answer: isolat')
    await show('triage.test.yaml', wrong)
    const found = await server.diagnostics(at('triage.test.yaml'))
    expect(found.map(({ code, range }) => [code, range.start])).to.deep.equal([
      ['E302', { line: 4, character: 2 }],
      ['E202', { line: 5, character: 42 }],
    ])
    const valid = await show('triage.test.yaml', triageTests)
    expect(await server.diagnostics(at('triage.test.yaml'), valid)).to.deep.equal([])
  })

  it('completes keys, the playbook, steps, skills, answers, examples and outputs', async () => {
    expect(await labels('‸')).to.include.members(['playbook', 'fixtures', 'mocks', 'tests'])
    expect(await labels('playbook: ‸')).to.deep.equal(['contain.yaml', 'triage.yaml'])
    expect(await labels(inTest('mocks:\n  ‸'))).to.include.members([
      'steps.known',
      'steps.outcome/0/held/confirm',
      'steps.held',
      'intel_provider.get_enrichment',
    ])
    expect(await labels(inTest('mocks:\n  steps.outcome/0/held/confirm: { answer: ‸ }'))).to.deep.equal([
      'isolate',
      'leave',
    ])
    expect(await labels(inTest('mocks:\n  steps.known: { example: ‸ }'))).to.include(
      'An address without reports',
    )
    expect(await labels(inTest('mocks:\n  steps.known:\n    output:\n      ‸'))).to.include.members([
      'risk',
      'found',
    ])
    expect(await labels(inTest('mocks:\n  steps.known: { output: { risk: { ‸ } } }'))).to.include('score')
    expect(await labels(inTest('mocks:\n  steps.known: { ‸ }'))).to.include.members([
      'output',
      'error',
      'delay',
    ])
    const test = 'tests:\n  - name: a\n    expect:\n      '
    expect(await labels(inTest(`${test}status: ‸`))).to.include.members(['failed', 'not_started'])
    expect(await labels(inTest(`${test}path: [kn‸]`))).to.include.members(['known', 'outcome', 'known_good'])
    expect(await labels(inTest(`${test}skipped:\n        - ‸`))).to.include('held')
    expect(await labels(inTest(`${test}calls: [{ step: ‸ }]`)))
      .to.include('known')
      .and.not.include('outcome')
    expect(await labels(inTest(`${test}calls: [{ skill: ‸ }]`))).to.include('case.update')
    expect(await labels(inTest(`${test}calls: [{ step: known, with: { ‸ } }]`))).to.include.members([
      'kind',
      'value',
    ])
    expect(await labels('playbook: contain.yaml\nfixtures:\n  inputs: { ‸ }')).to.deep.equal(['host'])
  })

  it('explains keys of tests', async () => {
    const { contents } = await ask('hover', 'triage.test.yaml', mark(triageTests, 'skipped'))
    expect(contents.value).to.include('skipped')
  })

  type Edit = { range: { start: { line: number; character: number } }; newText: string }
  const places = (changes: Record<string, Edit[]>) =>
    Object.fromEntries(
      Object.entries(changes).map(([uri, edits]) => [
        uri.slice(uri.lastIndexOf('/') + 1),
        edits.map(({ range: { start } }) => `${start.line}:${start.character}`),
      ]),
    )

  it('completes the playbook beside which a shadow runs, and shows it', async () => {
    const shadow = (beside: string) =>
      `apiVersion: tocsin/v1\nname: triage-shadow\nmode: shadow\nbeside: ${beside}\non: { alert: { type: odd } }\nsteps: [{ return: 1 }]\n`
    const found = await ask('completion', 'triage-shadow.yaml', shadow('‸'))
    expect(found.map(({ label }: { label: string }) => label)).to.deep.equal(['triage'])
    const { contents } = await ask('hover', 'triage-shadow.yaml', shadow('tri‸age'))
    expect(contents.value).to.contain('triage')
  })

  it('renames a step in its playbook and its tests, from either', async () => {
    const expected = {
      'triage.yaml': ['4:8', '9:20', '9:61'],
      'triage.test.yaml': ['4:8', '9:13', '12:18'],
    }
    const fromPlaybook = await ask('rename', 'triage.yaml', mark(triage, 'known'), { newName: 'intel' })
    expect(places(fromPlaybook.changes)).to.deep.equal(expected)
    const fromTests = await ask('rename', 'triage.test.yaml', mark(triageTests, 'known', 1), {
      newName: 'intel',
    })
    expect(places(fromTests.changes)).to.deep.equal(expected)
    const taken = ask('rename', 'triage.test.yaml', mark(triageTests, 'known'), { newName: 'held' })
    expect(await taken.catch((error: Error) => error.message)).to.match(/an id that no other step has/)
  })

  it('renames a step of a called playbook in the tests of its callers', async () => {
    const { changes } = await ask('rename', 'contain.yaml', mark(contain, 'confirm'), { newName: 'sure' })
    expect(places(changes)).to.deep.equal({
      'contain.yaml': ['6:8', '13:30'],
      'triage.test.yaml': ['5:23'],
    })
  })

  it('leaves a valid project after a rename', async () => {
    const { changes } = await ask('rename', 'contain.yaml', mark(contain, 'confirm'), { newName: 'sure' })
    const edits: [string, string][] = [
      ['contain.yaml', contain],
      ['triage.test.yaml', triageTests],
    ]
    for (const [file, text] of edits) await show(file, applied(text, changes[at(file)]))
    const found = await server.diagnostics(at('triage.test.yaml'), version)
    expect(found).to.deep.equal([])
  })

  it('renames a playbook with its files, callers and tests', async () => {
    const fromName = await ask('rename', 'contain.yaml', mark(contain, 'contain'), { newName: 'quarantine' })
    const fromCall = await ask('rename', 'triage.yaml', mark(triage, 'contain'), { newName: 'quarantine' })
    expect(fromCall).to.deep.equal(fromName)
    const [own, caller, file] = fromName.documentChanges
    expect(own).to.deep.include({ textDocument: { uri: at('contain.yaml'), version: null } })
    expect(caller.edits.map(({ range }: Edit) => range.start)).to.deep.equal([{ line: 11, character: 30 }])
    expect(file).to.deep.equal({ kind: 'rename', oldUri: at('contain.yaml'), newUri: at('quarantine.yaml') })
    const tested = await ask('rename', 'triage.test.yaml', mark(triageTests, 'triage'), {
      newName: 'sort-out',
    })
    const renamed = tested.documentChanges.filter(({ kind }: { kind?: string }) => kind === 'rename')
    expect(renamed.map(({ newUri }: { newUri: string }) => newUri)).to.deep.equal([
      at('sort-out.yaml'),
      at('sort-out.test.yaml'),
    ])
    const refused = ask('rename', 'triage.yaml', mark(triage, 'triage'), { newName: 'contain' })
    expect(await refused.catch((error: Error) => error.message)).to.match(/contain\.yaml exists/)
    const reserved = ask('rename', 'triage.yaml', mark(triage, 'triage'), { newName: 'con' })
    expect(await reserved.catch((error: Error) => error.message)).to.match(/Windows reserves con/)
  })

  it('lists references of a step and a playbook, and jumps from a test to the step', async () => {
    const range = (found: any[]) =>
      found.map(({ uri, range: { start } }) => `${uri.slice(uri.lastIndexOf('/') + 1)}:${start.line}`)
    const context = { context: { includeDeclaration: true } }
    const steps = await ask('references', 'triage.yaml', mark(triage, 'known'), context)
    expect(range(steps)).to.include.members(['triage.yaml:4', 'triage.yaml:9', 'triage.test.yaml:12'])
    const calls = await ask('references', 'contain.yaml', mark(contain, 'contain'), context)
    expect(range(calls)).to.deep.equal(['contain.yaml:1', 'triage.yaml:11'])
    const confirm = await ask('definition', 'triage.test.yaml', mark(triageTests, 'confirm'))
    expect(range([confirm])).to.deep.equal(['contain.yaml:6'])
  })

  it('outlines playbooks and tests', async () => {
    await show('triage.yaml', triage)
    await show('triage.test.yaml', triageTests)
    const outline = async (file: string) => {
      const symbols = await server.request('textDocument/documentSymbol', { textDocument: { uri: at(file) } })
      const names = (all: any[]): unknown[] =>
        all.map(({ name, children }) => (children.length === 0 ? name : [name, names(children)]))
      return names(symbols)
    }
    expect(await outline('triage.yaml')).to.deep.equal([
      ['steps', ['known', ['outcome', ['held', 'known_good']]]],
    ])
    expect(await outline('triage.test.yaml')).to.deep.equal([
      ['mocks', ['steps.known', 'steps.outcome/0/held/confirm']],
      ['tests', ['a bad host is contained']],
    ])
  })

  it('shows the arguments of a function', async () => {
    const help = (expression: string) =>
      ask('signatureHelp', 'triage.yaml', triage.replace("'${{ alert.data.host }}'", `"\${{ ${expression}`))
    const replace = await help("alert.data.host.replace('a', ‸ }}\"")
    expect(replace.signatures[0].label).to.match(/^text\.replace\(part, by\[, times\]\)/)
    expect(replace.activeParameter).to.equal(1)
    expect(replace.signatures[0].parameters.map(({ label }: { label: string }) => label)).to.deep.equal([
      'part',
      'by',
      'times',
    ])
    expect((await help('cidrContains(‸')).signatures[0].label).to.match(/^cidrContains\(network, ip\)/)
    expect((await help("size(['(', alert.id‸")).signatures[0].label).to.match(/^size\(value\)/)
    expect(await help('alert.data.host‸ }}"')).to.equal(null)
  })

  async function fixes(file: string, text: string, word: string) {
    const marked = mark(text, word)
    const { position } = atCursor(marked)
    await show(file, text)
    const range = { start: position, end: position }
    const actions = await server.request('textDocument/codeAction', {
      textDocument: { uri: at(file) },
      range,
      context: { diagnostics: [] },
    })
    return actions.map(({ title, edit }: { title: string; edit: { changes: Record<string, Edit[]> } }) => ({
      title,
      text: applied(text, edit.changes[at(file)]!),
    }))
  }

  it('applies the fix of a hint', async () => {
    const replaced = (from: string, to: string) => triage.replace(from, to)
    for (const [wrong, word, title] of [
      [replaced('uses: intel_provider', 'usse: intel_provider'), 'usse', 'Change to uses'],
      [replaced('verdict: benign', 'verdict: bening'), 'bening', 'Change to benign'],
      [
        replaced('get_enrichment', 'get_enrichmnet'),
        'get_enrichmnet',
        'Change to intel_provider.get_enrichment',
      ],
      [replaced('call: contain', 'call: contian'), 'contian', 'Change to contain'],
      [replaced('apiVersion: tocsin/v1\n', ''), 'name', 'Add apiVersion: tocsin/v1'],
    ] as const) {
      const [fix] = await fixes('triage.yaml', wrong, word)
      expect(fix?.title, word).to.equal(title)
      const rest = fix!.text.replace(
        /^(name: triage\n)?apiVersion: tocsin\/v1\n/,
        'apiVersion: tocsin/v1\n$1',
      )
      expect(rest, word).to.equal(triage)
    }
    expect(await fixes('triage.yaml', triage, 'known')).to.deep.equal([])
  })

  it('applies fixes in tests too', async () => {
    const [step] = await fixes('triage.test.yaml', triageTests.replace('[known, ', '[knwon, '), 'knwon')
    expect(step).to.deep.include({ title: 'Change to known', text: triageTests })
    const [key] = await fixes('triage.test.yaml', triageTests.replace('skipped', 'skiped'), 'skiped')
    expect(key).to.deep.include({ title: 'Change to skipped', text: triageTests })
  })

  it('writes no files itself', async () => {
    expect(await readFile(join(folder.path, 'triage.yaml'), 'utf8')).to.equal(triage)
  })

  function applied(text: string, edits: readonly any[]): string {
    const lines = text.split('\n')
    const offset = ({ line, character }: { line: number; character: number }) =>
      lines.slice(0, line).reduce((sum, each) => sum + each.length + 1, 0) + character
    return edits
      .toSorted((a, b) => offset(b.range.start) - offset(a.range.start))
      .reduce(
        (changed, { range, newText }) =>
          changed.slice(0, offset(range.start)) + newText + changed.slice(offset(range.end)),
        text,
      )
  }
})
