import { expect } from 'chai'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { makeTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts'
import { killCommands, runTocsin } from '../support/server/run-tocsin.ts'

const untidy = 'apiVersion: tocsin/v1\nname:   x # its name\non: {manual: true}\nsteps:\n- return:   1\n'
const tidy = 'apiVersion: tocsin/v1\nname: x # its name\non: { manual: true }\nsteps:\n  - return: 1\n'

describe('tocsin fmt', () => {
  let folder: TemporaryFolder

  beforeEach(async () => {
    folder = await makeTemporaryFolder()
    await mkdir(join(folder.path, 'playbooks'))
    await write('tidy.yaml', tidy)
    await write('untidy.yaml', untidy)
    await write('untidy.test.yaml', untidy)
  })
  afterEach(async () => {
    await killCommands()
    await folder.remove()
  })

  const write = (name: string, text: string) => writeFile(join(folder.path, 'playbooks', name), text)
  const read = (name: string) => readFile(join(folder.path, 'playbooks', name), 'utf8')
  const fmt = (args: readonly string[], input?: string) =>
    runTocsin(['fmt', ...args], { cwd: folder.path, ...(input === undefined ? {} : { input }) })

  it('formats the playbooks folder, names what it changed, and has nothing to do the second time', async () => {
    const changed = join('playbooks', 'untidy.yaml')
    expect(await fmt([])).to.include({ code: 0, stdout: `${changed}\n`, stderr: '' })
    expect(await read('untidy.yaml')).to.equal(tidy)
    expect(await read('untidy.test.yaml')).to.equal(untidy)
    expect(await fmt([])).to.include({ code: 0, stdout: '', stderr: '' })
  })

  it('only checks with --check', async () => {
    const changed = join('playbooks', 'untidy.yaml')
    expect(await fmt(['--check'])).to.include({ code: 1, stdout: `${changed}\n`, stderr: '' })
    expect(await read('untidy.yaml')).to.equal(untidy)
    expect(await fmt(['--check', 'playbooks/tidy.yaml'])).to.include({ code: 0, stdout: '' })
  })

  it('formats from standard input to standard output', async () => {
    expect(await fmt(['-'], untidy)).to.include({ code: 0, stdout: tidy, stderr: '' })
  })

  it('reports a file that is not YAML, leaves it unchanged, and formats the others', async () => {
    await write('broken.yaml', 'name: [x\n')
    const { code, stderr } = await fmt([])
    expect(code).to.equal(1)
    expect(stderr).to.match(/broken\.yaml:\d+:\d+ {2}error E101/)
    expect(await read('broken.yaml')).to.equal('name: [x\n')
    expect(await read('untidy.yaml')).to.equal(tidy)
  })
})
