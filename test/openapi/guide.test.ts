import { expect } from 'chai'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { load } from 'js-yaml'
import { killCommands, runTocsin } from '../support/server/run-tocsin.ts'
import { makeTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts'

const page = readFileSync(join(import.meta.dirname, '../../docs/make-a-plugin-from-openapi.md'), 'utf8')
const blocks = (language: string) =>
  [...page.matchAll(new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, 'g'))].map(([, block = '']) => block)

describe('docs/make-a-plugin-from-openapi.md', function () {
  this.timeout(60_000)
  let folder: TemporaryFolder
  before(async () => {
    folder = await makeTemporaryFolder()
  })
  after(async () => {
    await killCommands()
    await folder.remove()
  })

  it('has commands that work, and shows a skill as it is written', async () => {
    const [document = '', skill = ''] = blocks('yaml')
    writeFileSync(join(folder.path, 'tickets.yaml'), document)
    const commands = blocks('sh').flatMap((block) => block.trim().split('\n'))
    expect(commands).to.have.length(3)
    for (const command of commands) {
      const args = [...command.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain!)
      expect(args.shift()).to.equal('tocsin')
      const { code, stdout, stderr } = await runTocsin(args, { cwd: folder.path })
      expect({ command, code, stderr, checks: stdout.includes('check:') }).to.deep.equal({
        command,
        code: 0,
        stderr: '',
        checks: false,
      })
    }
    const written = load(readFileSync(join(folder.path, 'tickets/plugin.yaml'), 'utf8')) as {
      skills: unknown[]
    }
    expect(load(skill)).to.deep.equal([written.skills[0]])
  })
})
