import { readFileSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { readSampleAlerts } from '../../cli/demo/sample-alerts.ts'
import { killCommands, runTocsin } from '../support/server/run-tocsin.ts'
import { startServer } from '../support/server/start-server.ts'
import { readCurl } from '../http/support/curl.ts'
import { makeTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts'
import { readBlocks } from '../support/guide-page.ts'

const root = join(import.meta.dirname, '../..')
const page = readFileSync(join(root, 'README.md'), 'utf8')
const blocks = readBlocks('README.md')
const file = 'playbooks/suspicious-address.yaml'

describe('README.md', function () {
  let folder: TemporaryFolder

  before(async () => {
    folder = await makeTemporaryFolder()
    await mkdir(join(folder.path, 'playbooks'))
  })
  after(async () => {
    await killCommands()
    await folder.remove()
  })

  const playbook = blocks.find(({ kind }) => kind === 'yaml')!.text

  it('shows a playbook without validation problems', async () => {
    await writeFile(join(folder.path, file), playbook)
    const { stdout } = await runTocsin(['validate', 'playbooks'], { cwd: folder.path })
    expect(stdout).to.equal('ok 1 playbook checked\n')
  })

  it('shows the actual output of `tocsin validate` for its example', async () => {
    const planted = playbook.replace('kind: ip', 'kind: addr')
    expect(planted).not.to.equal(playbook)
    await writeFile(join(folder.path, file), planted)
    const { code, stdout } = await runTocsin(['validate', 'playbooks'], { cwd: folder.path })
    const frame = blocks.find(({ kind }) => kind === '')!.text
    expect(stdout).to.equal(`${frame}\nnot ok 1 playbook checked: 1 error\n`)
    expect(code).to.equal(1)
  })

  it('states the number of providers in the demo', async () => {
    const providers = new Set((await readSampleAlerts()).map(({ provider }) => provider))
    expect(page).to.contain(`sample alerts of ${providers.size} providers`)
  })

  it('shows requests with their actual responses', async () => {
    const server = await startServer({ cwd: folder.path, dataDir: 'data' })
    const curl = blocks
      .map(({ text }) => text.replace('-sS', '-s'))
      .filter((text) => text.startsWith('curl '))
    const bodies: Record<string, unknown>[] = []
    for (const line of curl) {
      const [{ url, method, headers, body }] = readCurl(line, {}) as [ReturnType<typeof readCurl>[0]]
      const filled = (text: string) =>
        text
          .replace('http://127.0.0.1:8080', server.url)
          .replace('<API_KEY>', server.adminKey)
          .replace('<ADDRESS>', 'intel.example.com')
          .replace('<KEY>', 'key-of-the-provider')
      const cookie = filled(headers['cookie']!)
      const answer = await fetch(filled(url), {
        method,
        headers: { ...headers, cookie },
        body: filled(body!),
      })
      expect(answer.status, url).to.equal(201)
      bodies.push((await answer.json()) as Record<string, unknown>)
    }
    expect(bodies).to.have.length(2)
    expect(bodies[0]).to.include({ investigation_status: 15 })
    expect(bodies[1]).to.include({ plugin: 'intel_provider' })
    await server.stop()
  })
})
