import { mkdir, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { parsePlaybook } from '../../core/playbook/read/parse.ts'
import { isReservedOnWindows } from '../../core/common/reserved-names.ts'
import { restorePlaybookFiles } from '../../server/backup/playbook-files.ts'
import { makeBackup } from '../../server/backup/make-backup.ts'
import { readConfig } from '../../server/config/config.ts'
import { somebody } from '../support/somebody.ts'
import { makeTemporaryFolder } from '../support/temporary-folder.ts'

describe('names that Windows reserves', () => {
  const reserved = [
    'con',
    'NUL',
    'aux.yaml',
    'prn.test.yaml',
    'com1',
    'Com9.txt',
    'lpt1.tar.gz',
    'nul ',
    'com¹.yml',
  ]
  const free = ['console', 'null', 'auxiliary.yaml', 'com', 'com10', 'lpt', 'nul-alerts', 'a.nul', '.con']

  it('are known with any letter case and extension', () => {
    expect(reserved.filter((name) => !isReservedOnWindows(name))).to.deep.equal([])
    expect(free.filter(isReservedOnWindows)).to.deep.equal([])
  })

  it('name no playbook', () => {
    const problemsOf = (name: string) =>
      parsePlaybook(
        `apiVersion: tocsin/v1\nname: ${name}\non: { manual: true }\nsteps:\n  - return: 1\n`,
      ).problems.filter(({ severity }) => severity === 'error')
    for (const name of ['con', 'prn', 'aux', 'nul', 'com1', 'com9', 'lpt1', 'lpt9']) {
      const [problem, ...others] = problemsOf(name)
      expect([problem?.code, others], name).to.deep.equal(['E107', []])
      expect(problem?.message).to.contain(`'${name}' is not a valid \`name\`: Windows reserves it`)
      expect(problem?.hint).to.equal(`choose another name, e.g. ${name}-alerts`)
    }
    for (const name of ['console', 'nul-alerts', 'com10']) expect(problemsOf(name), name).to.deep.equal([])
  })

  it('name no backup', async () => {
    const folder = await makeTemporaryFolder()
    const config = readConfig({ TOCSIN_DATA_DIR: join(folder.path, 'data') })
    const made = makeBackup(config, join(folder.path, 'nul.db'), somebody(), { withMasterKey: false })
    expect(await made.catch((error: { code: string }) => error.code)).to.equal('file_name_reserved')
    expect(await readdir(folder.path)).to.deep.equal([])
    await folder.remove()
  })

  it('of files in a backup are restored on Windows under another name', async () => {
    const folder = await makeTemporaryFolder()
    const [place, aside] = [join(folder.path, 'playbooks'), join(folder.path, 'aside')]
    await mkdir(place)
    const files = [
      { name: 'aux/nul.yaml', content: Buffer.from('kept') },
      { name: 'fine.yaml', content: Buffer.from('fine') },
    ]
    const restored = await restorePlaybookFiles(place, files, aside, 'win32')
    expect(restored).to.deep.equal({
      written: 1,
      kept: [],
      aside: [{ name: 'aux/nul.yaml', reason: 'Windows reserves this name' }],
    })
    expect(await readFile(join(aside, '_aux/_nul.yaml'), 'utf8')).to.equal('kept')
    expect((await restorePlaybookFiles(place, files, aside, 'linux')).written, 'elsewhere').to.equal(1)
    await folder.remove()
  })
})
