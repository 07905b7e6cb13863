import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { eventually } from '../support/eventually.ts'
import { makeTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts'
import { killCommands, runTocsin } from '../support/server/run-tocsin.ts'
import { startServer, type RunningServer } from '../support/server/start-server.ts'

const asking = `apiVersion: tocsin/v1
name: asking
on: { manual: true }
inputs: { what: { type: string } }
steps:
  - id: sure
    checkpoint:
      via: operator
      with: { message: "\${{ inputs.what }}", labels: { real: 'Yes, it is' } }
      answers: [real, noise]
      timeout: 1h
      on_timeout: noise
`

describe('tocsin checkpoints', () => {
  let folder: TemporaryFolder
  let server: RunningServer
  let id: string

  before(async () => {
    folder = await makeTemporaryFolder()
    await mkdir(join(folder.path, 'playbooks'))
    await writeFile(join(folder.path, 'playbooks/asking.yaml'), asking)
    server = await startServer({ cwd: folder.path, dataDir: 'data' })
    const inputs = { what: 'Real?\nOr \u001b[31mnot' }
    await server.call('/playbooks/asking/runs', { body: { organization_code: 'main', inputs } })
    id = await eventually('the question', async () => {
      const { data } = (await server.call('/checkpoints')).body
      return data[0]?.checkpoint_id as string | undefined
    })
  })
  after(async () => {
    await killCommands()
    await folder.remove()
  })

  const run = (...args: string[]) =>
    runTocsin(['checkpoints', ...args], {
      cwd: folder.path,
      env: { TOCSIN_KEY: server.adminKey, TOCSIN_URL: server.url },
    })

  it('lists open questions with their answers, deadlines and defaults', async () => {
    const { code, stdout, stderr } = await run()
    expect({ code, stderr }).to.deep.equal({ code: 0, stderr: '' })
    const [head, ...lines] = stdout.trimEnd().split('\n')
    expect(head).to.equal(id)
    expect(lines.slice(0, 2)).to.deep.equal(['  Real?', '  Or \\x1b[31mnot'])
    expect(lines[2]).to.match(/^ {2}main · asking · run [\w-]{36} at sure$/)
    expect(lines[3]).to.equal('  answers: real ("Yes, it is"), noise')
    expect(lines[4]).to.match(/^ {2}until: 20\S+Z, then "noise"$/)
    expect(lines[5]).to.equal('1 waiting')
  })

  it('lists answers with responder and time', async () => {
    await server.call(`/checkpoints/${id}/answer`, { body: { answer: 'real', text: 'I saw it' } })
    const { stdout } = await run('--state', 'answered')
    expect(stdout).to.match(
      /answered: "real" \("Yes, it is"\) by bootstrap \(API key \w+\) at 20\S+Z: "I saw it"/,
    )
    expect((await run()).stdout).to.equal('0 waiting\n')
  })

  it('lists the valid states', async () => {
    const { code, stderr } = await run('--state', 'over')
    expect(code).to.equal(2)
    expect(stderr).to.include('waiting, answered, timed_out, withdrawn')
  })
})
