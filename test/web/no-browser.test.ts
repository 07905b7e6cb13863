import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { expect } from 'chai'

const root = join(import.meta.dirname, '../..')
const file = 'test/web/first-run.test.ts'

/** Runs tests of the page on a machine without a working browser. */
function runWithoutBrowser(env: Readonly<Record<string, string>>): Promise<{ code: number; said: string }> {
  const { TOCSIN_TESTS_UNTESTED: _, TOCSIN_BROWSER_REQUIRED: __, ...rest } = process.env
  const options = { cwd: root, env: { ...rest, TOCSIN_BROWSER: join(root, 'nowhere/chromium'), ...env } }
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      ['node_modules/.bin/mocha', file],
      options,
      (_error, stdout, stderr) => resolve({ code: child.exitCode ?? -1, said: stdout + stderr }),
    )
  })
}

describe('tests of the page where no browser starts', function () {
  this.timeout(60_000)

  it('are skipped, and the end of the run reports the reason', async () => {
    const { code, said } = await runWithoutBrowser({})
    expect(said).to.match(/2 pending\n[^]*NOT TESTED: the web page: .*nowhere\/chromium/)
    expect(said.match(/NOT TESTED/g)).to.have.lengthOf(1)
    expect(code).to.equal(0)
  })

  it('fail if a browser is required', async () => {
    const { code, said } = await runWithoutBrowser({ TOCSIN_BROWSER_REQUIRED: 'yes' })
    expect(said).to.contain('nowhere/chromium')
    expect(code).to.not.equal(0)
  })
})
