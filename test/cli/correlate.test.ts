import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { makeTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts'
import { killCommands, runTocsin } from '../support/server/run-tocsin.ts'

const playbook = (by: string) =>
  `apiVersion: tocsin/v1\nname: mails\non: { alert: { type: mail, correlate: { by: { ${by} } } } }\nsteps: [{ return: 1 }]\n`

describe('tocsin correlate preview', () => {
  let folder: TemporaryFolder

  before(async () => {
    folder = await makeTemporaryFolder()
    const alerts = ['a@evil.example', 'A@evil.example\u001b[31m', 'a@evil.example', 'unknown'].map(
      (sender, at) => ({
        alert_type: 'mail',
        alert_content: { sender },
        created_at: `2026-05-04T0${at}:00:00Z`,
      }),
    )
    await writeFile(join(folder.path, 'alerts.json'), JSON.stringify(alerts))
    await writeFile(join(folder.path, 'page.json'), JSON.stringify({ data: alerts.slice(0, 1) }))
    await writeFile(join(folder.path, 'mails.yaml'), playbook('sender: alert.data.sender'))
    await writeFile(join(folder.path, 'all.yaml'), playbook('kind: alert.type'))
  })
  after(async () => {
    await killCommands()
    await folder.remove()
  })

  const run = (...args: readonly string[]) =>
    runTocsin(['correlate', 'preview', ...args], { cwd: folder.path, env: {} })

  it('counts the cases of alerts in a file', async () => {
    const { code, stdout, stderr } = await run('mails.yaml', '--alerts', 'alerts.json')
    expect({ code, stderr }).to.deep.equal({ code: 0, stderr: '' })
    expect(stdout).to.contain('4 alerts, a rule applies to 3')
    expect(stdout).to.contain('4 cases now, 3 with these rules: 1 alert would join an earlier case')
    expect(stdout).to.contain('1 × Not correlated by sender: sender (unknown) is too common')
    expect(stdout).not.to.contain('\u001b')
  })

  it('prints JSON, and reads an answer of the API', async () => {
    const { stdout } = await run('mails.yaml', '--alerts', 'page.json', '--json')
    expect(JSON.parse(stdout)).to.include({ alerts: 1, applicable: 1, joined: 0 })
  })

  it('explains what is missing or wrong', async () => {
    for (const [args, says] of [
      [['--alerts', 'alerts.json'], 'a playbook is needed with --alerts'],
      [['mails.yaml'], 'an API key is missing'],
      [['mails.yaml', '--alerts', 'mails.yaml'], 'not valid JSON'],
      [['all.yaml', '--alerts', 'alerts.json'], 'all.yaml has 1 problem'],
      [['mails.yaml', '--since', 'x'], 'write a duration such as 12h or 30d'],
    ] as const) {
      const { code, stderr } = await run(...args)
      expect(code, says).not.to.equal(0)
      expect(stderr).to.contain(says)
    }
  })
})
