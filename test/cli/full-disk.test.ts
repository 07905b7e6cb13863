import { expect } from 'chai'
import { spawn } from 'node:child_process'
import { existsSync, openSync, closeSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '../..')

/** A device to which every write fails, as on a full disk. */
const full = '/dev/full'

async function written(
  args: readonly string[],
  output: string,
): Promise<readonly [code: number | null, stderr: string]> {
  const out = openSync(output, 'w')
  const child = spawn(process.execPath, [join(root, 'cli/tocsin.js'), ...args], {
    cwd: root,
    stdio: ['ignore', out, 'pipe'],
    env: { PATH: process.env['PATH'], NO_COLOR: '1' },
  })
  let stderr = ''
  child.stderr!.setEncoding('utf8').on('data', (text: string) => (stderr += text))
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve))
  closeSync(out)
  return [code, stderr]
}

const commands = [
  'skills',
  'skills case.update',
  'skills --json',
  'validate playbooks',
  'validate --json playbooks',
  'schema',
  'graph playbooks/brute-force.yaml',
  'test playbooks/brute-force.test.yaml',
  'run playbooks/brute-force.yaml --mocks playbooks/brute-force.test.yaml',
  'dry-run playbooks/brute-force.yaml --fixtures playbooks/brute-force.test.yaml',
  '--help',
  '--version',
]

describe('a command whose output cannot be written', function () {
  before(function () {
    if (!existsSync(full)) this.skip()
  })

  for (const command of commands) {
    it(`fails with one line: ${command}`, async () => {
      const [code, stderr] = await written(command.split(' '), full)
      expect(stderr).to.equal('error standard output cannot be written: ENOSPC: no space left on device\n')
      expect(code).to.equal(1)
    })
  }
})
