import { expect } from 'chai'
import { copyFile, mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { makeTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts'
import { killCommands, startTocsinCommand } from '../support/server/run-tocsin.ts'
import { startServer } from '../support/server/start-server.ts'

const root = join(import.meta.dirname, '../..')
const prompt = '> '

/** The examples of the authors' guide: the content of the alert, the typed commands and their output. */
async function guideOf(): Promise<{ readonly content: string; readonly lines: readonly string[] }> {
  const guide = await readFile(join(root, 'plugins/README.md'), 'utf8')
  const [, content, transcript] =
    /\n### Use sandboxes by hand\n[^]*?\n```json\n([^]*?)\n```\n[^]*?\n```text\n([^]*?)\n```/.exec(guide) ??
    []
  if (content === undefined || transcript === undefined)
    throw new Error('the guide has no transcript under "Use sandboxes by hand"')
  return { content, lines: transcript.split('\n') }
}

const escaped = (line: string): string => line.trimEnd().replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)

describe("the authors' guide with the sandbox", function () {
  this.timeout(180_000)
  let folder: TemporaryFolder

  before(async () => {
    folder = await makeTemporaryFolder()
    await mkdir(join(folder.path, 'playbooks'))
    await copyFile(
      join(root, 'playbooks/impossible-travel.yaml'),
      join(folder.path, 'playbooks/impossible-travel.yaml'),
    )
  })
  after(async () => {
    await killCommands()
    await folder.remove()
  })

  it('shows the actual output', async () => {
    const { content, lines } = await guideOf()
    const server = await startServer({
      dataDir: join(folder.path, 'data'),
      cwd: folder.path,
      env: { TOCSIN_ALLOW_PRIVATE_EGRESS: '127.0.0.1' },
    })
    const sandboxes = startTocsinCommand(['sandbox', '--connect', server.url], {
      env: { TOCSIN_KEY: server.adminKey },
    })
    await sandboxes.hasPrinted(/connection sandbox-travel +made/)
    const posted = await server.call('/alerts', {
      body: {
        alert_provider: 'custom',
        organization_code: 'main',
        alert_type: 'impossible_travel',
        alert_content: content,
      },
    })
    expect(posted.status, JSON.stringify(posted.body)).to.equal(201)
    /** A person needs longer than the server to note that it has asked; it refuses earlier answers with 503. */
    const typeUntilAccepted = async (typed: string) => {
      const refusal = 'the platform answered 503: .*question_going_out'
      for (let refused = 0; ; refused++) {
        sandboxes.process.stdin.write(`${typed}\n`)
        const answered = await sandboxes.hasPrinted(
          new RegExp(`(?:${refusal}[^]*?){${refused + 1}}|the platform accepted it`),
        )
        if (answered.includes('the platform accepted it')) return
      }
    }
    let printed = ''
    for (const line of lines) {
      if (line.startsWith(prompt)) {
        await typeUntilAccepted(line.slice(prompt.length))
        continue
      }
      // In the order of the guide, which omits the requests in between.
      printed += `^${escaped(line)} *$[^]*?`
      await sandboxes.hasPrinted(new RegExp(printed, 'm'))
    }
    expect(
      lines.filter((line) => line.startsWith(prompt)),
      'what is typed',
    ).not.to.deep.equal([])
  })
})
