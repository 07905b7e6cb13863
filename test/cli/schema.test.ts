import { expect } from 'chai'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { makeTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts'
import { killCommands, runTocsin } from '../support/server/run-tocsin.ts'

describe('tocsin schema', () => {
  let folder: TemporaryFolder

  before(async () => {
    folder = await makeTemporaryFolder()
  })
  after(async () => {
    await killCommands()
    await folder.remove()
  })

  it('prints a schema with the installed skills or writes it to a file', async () => {
    const { code, stdout, stderr } = await runTocsin(['schema'])
    expect({ code, stderr }).to.deep.equal({ code: 0, stderr: '' })
    const schema = JSON.parse(stdout)
    const listed = JSON.parse((await runTocsin(['skills', '--json'])).stdout) as { name: string }[]
    const names = [
      ...schema.$defs.step.properties.uses.enum,
      ...schema.$defs.checkpoint.properties.via.anyOf[1].enum,
    ]
    expect(names).to.have.members(listed.map(({ name }) => name))
    expect(schema.$defs.checkpoint.properties.via.anyOf[1].enum).to.have.members([
      'interface.ask',
      'mail.ask',
      'messaging.checkpoint',
      'microsoft_teams.ask',
    ])
    const file = '.tocsin/playbook.schema.json'
    const written = await runTocsin(['schema', '-o', file], { cwd: folder.path })
    expect(written).to.include({ code: 0, stdout: '', stderr: '' })
    expect(await readFile(join(folder.path, file), 'utf8')).to.equal(stdout)
  })
})
