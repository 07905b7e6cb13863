import { expect } from 'chai'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { makeTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts'
import { killCommands, runTocsin } from '../support/server/run-tocsin.ts'

const shipped = join(import.meta.dirname, '../../playbooks/phishing-report.yaml')

describe('tocsin graph', () => {
  let folder: TemporaryFolder

  before(async () => {
    folder = await makeTemporaryFolder()
  })
  after(async () => {
    await killCommands()
    await folder.remove()
  })

  const graph = (args: readonly string[], input?: string) =>
    runTocsin(['graph', ...args], { cwd: folder.path, ...(input === undefined ? {} : { input }) })

  it('prints Mermaid', async () => {
    const { code, stdout, stderr } = await graph([shipped])
    expect({ code, stderr }).to.deep.equal({ code: 0, stderr: '' })
    expect(stdout).to.match(/^flowchart TD\n {2}n0\(\["phishing-report"\]\)\n/)
  })

  it('writes a picture to the given path', async () => {
    expect(await graph([shipped, '-o', 'picture.svg'])).to.include({ code: 0, stdout: '', stderr: '' })
    expect(await readFile(join(folder.path, 'picture.svg'), 'utf8')).to.match(/^<svg [^]*<\/svg>\n$/)
    expect((await graph([shipped, '--format', 'svg'])).stdout).to.match(/^<svg /)
  })

  it('draws a playbook from standard input, without its skills installed', async () => {
    const source = 'apiVersion: tocsin/v1\nname: x\non: { manual: true }\nsteps: [{ uses: not.installed }]\n'
    expect((await graph(['-'], source)).stdout).to.include('n1["not.installed"]')
  })

  it('reports problems of a playbook that cannot be drawn', async () => {
    await writeFile(
      join(folder.path, 'bad.yaml'),
      'apiVersion: tocsin/v1\nname: x\non: { manual: true }\nsteps: []\n',
    )
    const { code, stdout, stderr } = await graph(['bad.yaml'])
    expect({ code, stdout }).to.deep.equal({ code: 1, stdout: '' })
    expect(stderr).to.match(/^bad\.yaml:4:\d+ {2}error E106/)
  })

  it('lists the choices', async () => {
    expect(await graph([shipped, '--format', 'png'])).to.include({ code: 2, stdout: '' })
    const { code, stderr } = await graph(['nowhere.yaml'])
    expect(code).to.equal(1)
    expect(stderr).to.equal(`error there is no file or folder 'nowhere.yaml'\n`)
  })
})
